"""The rankers, one record each: read by the library, the command line, tests and docs.

Listing them imports neither NumPy nor the rankers themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from trueval.core.errors import ParameterError
from trueval.core.lazy import load

__all__ = ["RANKERS", "RankerRecord", "make_ranker", "ranker_name", "with_old_names"]

_T = TypeVar("_T")


@dataclass(frozen=True)
class RankerRecord:
    """A ranker and its name.

    Attributes
    ----------
    name : str
        What ``--ranker`` and :func:`make_ranker` take.
    path : str or None
        Module and class, as ``"module:Class"``; None for the scores as they are.
    short : str
        Meaning of its value in a few words, for tables.
    meaning : str
        The same in one line, for the documentation.
    old_names : tuple of str
        Names it had before, which are still accepted.
    needs_hierarchy : bool
        Whether ``hierarchy`` must be given, at the command line an ontology.
    """

    name: str
    path: str | None
    short: str
    meaning: str
    old_names: tuple[str, ...] = ()
    needs_hierarchy: bool = False

    @property
    def kind(self) -> Any:
        """The class, imported on first use; None for raw scores."""
        return None if self.path is None else load(self.path)


_ALL = (
    RankerRecord(
        "calibrated",
        "trueval.rank._precision:PrecisionRanker",
        "P(class | score)",
        "the default: P(class | score) by the data of the class and of all classes",
        old_names=("precision",),
    ),
    RankerRecord(
        "lpr",
        "trueval.rank._lpr:LocalPrecisionRate",
        "local precision rate",
        "P(class | score) from a smoothed precision curve, as published",
    ),
    RankerRecord(
        "isotonic",
        "trueval.rank._isotonic:IsotonicRanker",
        "isotonic regression",
        "P(class | score) by pool adjacent violators",
    ),
    RankerRecord(
        "ltdr",
        "trueval.rank._ltdr:LocalTrueDiscoveryRate",
        "ratio of densities",
        "P(class | score) by a ratio of kernel densities",
    ),
    RankerRecord(
        "pvalue",
        "trueval.rank._pvalue:PValueRanker",
        "p-value among negatives",
        "one minus the share of negatives at or above the score",
    ),
    RankerRecord(
        "fdr",
        "trueval.rank._fdr:FDRRanker",
        "precision at or above the score",
        "precision of predicting everything at or above the score",
    ),
    RankerRecord(
        "halfnormal",
        "trueval.rank._halfnormal:HalfNormalRanker",
        "local false discovery rate",
        "one minus a local false discovery rate, without labels",
    ),
    RankerRecord(
        "hierarchical",
        "trueval.rank._hierarchical:HierarchicalRanker",
        "P(class | scores of neighbours)",
        "P(class | own and neighbours' scores), a parent never below its children",
        needs_hierarchy=True,
    ),
    RankerRecord("raw", None, "the scores as they are", "the scores as they are, without a ranker"),
)

#: Every ranker by name.
RANKERS: Mapping[str, RankerRecord] = MappingProxyType({ranker.name: ranker for ranker in _ALL})
_OLD = {old: ranker.name for ranker in RANKERS.values() for old in ranker.old_names}


def ranker_name(name: str) -> str:
    """The name of a ranker, also where an old one is given.

    >>> ranker_name("precision"), ranker_name("lpr")
    ('calibrated', 'lpr')
    """
    current = _OLD.get(name, name) if isinstance(name, str) else name
    if current not in RANKERS:
        expected = f"one of {', '.join(map(repr, RANKERS))}"
        raise ParameterError("name", expected, name, "make_ranker")
    return current


def make_ranker(name: str, **params: Any) -> Any:
    """An unfitted ranker by its name.

    Parameters
    ----------
    name : str
        One of :data:`RANKERS`; ``"precision"`` is the old name of ``"calibrated"``.
    **params
        Parameters of the ranker.

    Returns
    -------
    ranker or None
        None for ``"raw"``: scores that are not ranked.

    Examples
    --------
    >>> from trueval.rank import make_ranker
    >>> make_ranker("calibrated")
    PrecisionRanker()
    >>> make_ranker("raw") is None
    True
    """
    kind = RANKERS[ranker_name(name)].kind
    return None if kind is None else kind(**params)


def with_old_names(by_name: Mapping[str, _T]) -> dict[str, _T]:
    """The same by name, with old names after the others, for output that programs read.

    >>> with_old_names({"calibrated": 0.9, "raw": 0.5})
    {'calibrated': 0.9, 'raw': 0.5, 'precision': 0.9}
    """
    return {
        **by_name,
        **{old: by_name[name] for old, name in _OLD.items() if name in by_name},
    }
