"""``summary``: from a result to what it says."""

from functools import singledispatch
from importlib import import_module
from typing import Any

from trueval.show._summary import Summary, Verdict

__all__ = ["summarise", "summary", "verdict"]

#: Packages whose values and results have a summary, and the modules that make them.
_MODULES = {
    "audit": "_audit",
    "core": "_core",
    "distributed": "_distributed",
    "pairs": "_pairs",
    "rank": "_rank",
    "stratify": "_stratify",
}


@singledispatch
def summarise(result: Any) -> Summary:
    """The summary of a result; the modules of the packages register theirs."""
    raise TypeError(f"trueval has no summary of a {type(result).__name__}.")


def summary(result: Any) -> Summary:
    """What a result says: title, verdict, facts, tables and notes.

    Parameters
    ----------
    result : SplitQuality, PairAudit, Coverage, ThresholdChoice and other results of trueval
        Or a value: Labels, Scores, Folds, Pairs, Annotations, Ontology, PairFold.

    Returns
    -------
    Summary
        What the terminal, notebooks, the page and ``--json`` show.

    Examples
    --------
    >>> from trueval import split_quality
    >>> from trueval.show import summary
    >>> y = [["a"], ["a"], ["b"], ["b"]]
    >>> summary(split_quality(y, [0, 1, 0, 1])).verdict.level
    'good'
    """
    # Imported when needed: a table of the catalogue must not import scikit-learn.
    for kind in type(result).__mro__:
        root, _, rest = kind.__module__.partition(".")
        package = rest.partition(".")[0]
        if root == "trueval" and package in _MODULES:
            import_module(f"trueval.show.{_MODULES[package]}")
    return summarise(result)


def verdict(result: Any) -> Verdict | None:
    """What to conclude from a result; None where there is nothing to judge.

    Parameters
    ----------
    result : as :func:`summary` takes it

    Returns
    -------
    Verdict or None
    """
    return summary(result).verdict
