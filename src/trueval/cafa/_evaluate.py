"""``evaluate``: predictions of one method against the truth."""

from typing import Any

from trueval.cafa._benchmark import Benchmark
from trueval.cafa._measure import Setting
from trueval.cafa._result import Evaluation
from trueval.core.params import constrained

__all__ = ["evaluate"]


_CONSTRAINTS = {
    name: constraint
    for name, constraint in {
        **Benchmark._parameter_constraints,
        **Setting._parameter_constraints,
    }.items()
    if name != "setting"
}


@constrained(**_CONSTRAINTS)
def evaluate(
    predictions: Any,
    truth: Any,
    ontology: Any,
    *,
    ia: Any = None,
    known: Any = None,
    terms: Any = None,
    evidence: Any = None,
    propagation: str = "max",
    normalization: str = "cafa",
    orphans: bool = True,
    max_terms: int | None = None,
    grid: float = 0.01,
    obsolete: str = "drop",
    n_resamples: int = 1000,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> Evaluation:
    """Evaluate predictions as CAFA does, aspect by aspect.

    The measures on the grid of thresholds are those of CAFA-evaluator 1.3.0; next to each is
    its exact value, over all distinct scores as thresholds. Proteins of the truth without a
    prediction count; predictions for other proteins do not.

    Parameters
    ----------
    predictions : path, Predictions, Scores, DataFrame or mapping
        A file as :func:`read_predictions` reads it; a table of target, term and score; or
        scores by term, by target.
    truth : path, Labels or mapping
        Terms of the benchmark proteins: a file as :func:`read_truth` reads it, or GAF. They
        are carried up to all ancestors.
    ontology : Ontology or path
        Relations ``is_a`` and ``part_of`` within a namespace count. A namespace is an aspect.
    ia : path, Table or mapping, optional
        Information accretion of the terms, for the weighted measures and Smin; see
        :func:`information_accretion`. Terms without it, or with an infinite one, weigh 0.
    known : path, Labels or mapping, optional
        Annotations known before, of partial-knowledge proteins. These pairs and their
        ancestors are taken out of truth and predictions; proteins without a truth left are
        left out.
    terms : path or iterable of str, optional
        Terms of interest; only these are evaluated. Proteins without one are left out.
    evidence : str or iterable of str, optional
        Of GAF files: codes or groups to keep, as in
        :func:`trueval.data.read_annotations`.
    propagation : {"max", "fill"}, default="max"
        How scores go up: an ancestor gets the largest score below it, or only where it has
        none of its own.
    normalization : {"cafa", "pred", "gt"}, default="cafa"
        What averages are divided by: precision by proteins with a prediction and all else by
        all proteins, everything by the former, or everything by the latter.
    orphans : bool, default=True
        Whether terms without parents, the roots, count in the unweighted measures.
    max_terms : int, optional
        As ``-max_terms`` of CAFA-evaluator: lines of a protein after that many terms of an
        aspect and one more are ignored, in the order of the file.
    grid : float, default=0.01
        Step of the thresholds.
    obsolete : {"drop", "replace"}, default="drop"
        What becomes of obsolete terms that have one replacement.
    n_resamples : int, default=1000
        Resamples of the proteins for the intervals; 0 for none.
    confidence : float, default=0.95
        Of the intervals.
    random_state : int, Generator or None, default=0
        Of the resamples. The same seed draws the same proteins for every method.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        When files cannot be read or share no protein or term; the message says what to do.

    Examples
    --------
    >>> from trueval.cafa import evaluate
    >>> from trueval.data import Ontology
    >>> ontology = Ontology(
    ...     ["r", "a", "b"], [("a", "r", "is_a"), ("b", "r", "is_a")], namespaces=["f"] * 3
    ... )
    >>> truth = {"P1": ["a"], "P2": ["b"]}
    >>> predictions = {"P1": {"a": 0.9}, "P2": {"a": 0.4, "b": 0.3}}
    >>> result = evaluate(predictions, truth, ontology)
    >>> result["f"].fmax, round(result["f"].threshold, 2), result["f"].coverage
    (0.9090909090909091, 0.01, 1.0)
    """
    benchmark = Benchmark(
        truth,
        ontology,
        ia=ia,
        known=known,
        terms=terms,
        evidence=evidence,
        propagation=propagation,
        orphans=orphans,
        max_terms=max_terms,
        obsolete=obsolete,
        setting=Setting(grid, normalization, n_resamples, confidence),
        random_state=random_state,
    )
    return benchmark.evaluate(predictions)
