"""What an evaluation found: numbers with intervals, curves, and tables of terms and proteins."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.cafa._curve import Curve
from trueval.cafa._entries import Entries
from trueval.cafa._index import TermIndex, aspect_name
from trueval.cafa._resample import interval_of
from trueval.core.docs import shared_sections
from trueval.core.errors import Fix, InputError
from trueval.core.params import BOOL, NONE, STRING, Instance, Interval, constrained
from trueval.core.table import Table

__all__ = ["AspectEvaluation", "Evaluation", "compare"]

_THRESHOLD_SECTIONS = """
Parameters
----------
threshold : float, optional
    That of Fmax if left out.

Returns
-------
Table
"""

_TABLE = ("fmax", "threshold", "coverage", "wfmax", "smin", "aupr", "fmax_micro")
#: Read off where another measure is best, so without the bias of a maximum.
_AT_THRESHOLD = frozenset(
    {"precision", "recall", "coverage", "wprecision", "wrecall", "wcoverage", "coverage_max"}
    | {"misinformation", "remaining_uncertainty"}
)
WITH_INTERVALS = (
    "fmax", "precision", "recall", "coverage", "fmax_micro", "aupr", "aupr_micro", "wfmax",
    "wprecision", "wrecall", "wcoverage", "wfmax_micro", "waupr", "waupr_micro", "smin",
    "smin_unweighted", "misinformation", "remaining_uncertainty",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Context:
    """What the tables of an aspect need to name terms and proteins."""

    index: TermIndex
    truth: sp.csr_array  # proteins by terms, carried up
    targets: NDArray[Any]  # proteins, in the order of the truth
    counted: NDArray[np.bool_]  # terms that count in the unweighted measures
    ia: NDArray[np.float64] | None  # information accretion of each term


@dataclass(frozen=True, eq=False, repr=False)
class AspectEvaluation:
    """The measures of one aspect.

    Attributes
    ----------
    aspect : str
    n_proteins, n_predicted : int
        Proteins of the truth, and those of them with a prediction.
    values : dict of str to float or None
        Measures on the grid of thresholds; also attributes of this object.
    exact : dict of str to float or None
        The same over all distinct scores; also attributes, such as ``fmax_exact``.
    resamples : dict of str to ndarray
        Every measure of every resample of the proteins.
    confidence : float
        Of :meth:`interval`.
    curves : dict of str to Curve
        ``""`` unweighted, ``"w"`` weighted.

    Notes
    -----
    The measures, those beginning with *w* weighted by information accretion:

    - ``fmax``: the largest harmonic mean of ``precision`` and ``recall``, averages over
      proteins, which is reached at ``threshold`` with ``coverage``, the share of proteins with
      a prediction there;
    - ``smin``: the smallest distance of ``misinformation`` and ``remaining_uncertainty`` from
      (0, 0), weighted where information accretion is given; ``smin_unweighted`` counts terms;
    - ``fmax_micro``: the largest F of all pairs together;
    - ``aupr``, ``aupr_micro``: the area below the curves, as sum of the steps of recall times
      precision; None for the normalization ``"pred"``, under which recall does not descend.
    """

    aspect: str
    n_proteins: int
    n_predicted: int
    values: dict[str, float | None]
    exact: dict[str, float | None]
    resamples: dict[str, NDArray[np.float64]]
    confidence: float
    curves: dict[str, Curve]
    _entries: dict[str, Entries]
    _context: Context

    def __getattr__(self, name: str) -> Any:
        measure = name.removesuffix("_exact")
        values = self.__dict__.get("values" if measure == name else "exact", {})
        if measure in values:
            return values[measure]
        if measure.removeprefix("w") in values:
            return None  # weighted, without information accretion
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        figures = ", ".join(f"{k}={_short(self.values.get(k))}" for k in ("fmax", "smin"))
        return f"AspectEvaluation({self.aspect}: {self.n_proteins:,} proteins, {figures})"

    @constrained(measure=STRING)
    def interval(self, measure: str) -> tuple[float, float] | None:
        """Interval of a measure from resamples of the proteins.

        For the measure on proteins drawn as these were: of such intervals, about the share
        ``confidence`` contains it. Bias-corrected percentiles for maxima, minima and areas;
        plain percentiles for what is read off at the best threshold, such as ``coverage``.

        Parameters
        ----------
        measure : str
            Such as ``"fmax"``.

        Returns
        -------
        tuple of float or None
            None without resamples.
        """
        draws, value = self.resamples.get(measure), self.values.get(measure)
        if draws is None or value is None:
            return None
        corrected = measure not in _AT_THRESHOLD
        return interval_of(
            draws, value, self.confidence, corrected=corrected, n_proteins=self.n_proteins
        )

    def to_dict(self) -> dict[str, Any]:
        """All numbers, for JSON: measures, ``…_exact`` ones, and ``intervals``."""
        first = ("fmax", "threshold", "coverage", "smin", "wfmax")
        known = {name: self.values.get(name) for name in first}
        intervals = {
            name: list(interval)
            for name in WITH_INTERVALS
            if (interval := self.interval(name)) is not None
        }
        exact = {f"{name}_exact": value for name, value in self.exact.items()}
        counts = {"n_proteins": self.n_proteins, "n_predicted": self.n_predicted}
        return known | self.values | exact | counts | {"intervals": intervals}

    @constrained(weighted=BOOL)
    def curve(self, weighted: bool = False) -> Table:
        """Measures at each threshold of the grid.

        Parameters
        ----------
        weighted : bool, default=False

        Returns
        -------
        Table
        """
        if weighted and "w" not in self.curves:
            raise InputError(
                "the weighted curve needs information accretion.", fix=Fix("Pass {}.", "ia")
            )
        curve = self.curves["w" if weighted else ""]
        return Table({"threshold" if k == "thresholds" else k: v for k, v in vars(curve).items()})

    @constrained(threshold=(NONE, Interval(float)))
    @shared_sections(threshold=_THRESHOLD_SECTIONS)
    def terms(self, threshold: float | None = None) -> Table:
        """Each term that is true or predicted, at a threshold.

        {threshold}
            ``term``, ``name``, ``aspect``, ``definition``, ``positives`` in the truth,
            ``predicted``, ``correct``, ``precision``, ``recall``, ``f1``, ``depth`` and, with
            information accretion, ``ia``; most positives first.
        """
        entries, context = self._entries[""], self._context
        called = (entries.score >= self._threshold(threshold)) & (entries.weight > 0)
        n = len(context.index)
        counts = entries.term[called], entries.term[called & entries.true]
        predicted, correct = (np.bincount(terms, minlength=n) for terms in counts)
        positives = np.bincount(context.truth.indices, minlength=n) * context.counted
        some = np.flatnonzero(positives + predicted)
        some = some[np.argsort(-positives[some], kind="stable")]
        columns: dict[str, Any] = dict(context.index.describe(some))
        columns |= {"positives": positives[some], "predicted": predicted[some]}
        columns |= {"correct": correct[some]} | _rates(
            correct[some], predicted[some], positives[some]
        )
        columns["depth"] = context.index.depth[some]
        if context.ia is not None:
            columns["ia"] = context.ia[some]
        return Table(columns)

    @constrained(threshold=(NONE, Interval(float)))
    @shared_sections(threshold=_THRESHOLD_SECTIONS)
    def proteins(self, threshold: float | None = None) -> Table:
        """Right and wrong terms of each protein, at a threshold.

        {threshold}
            In the order of the truth: ``protein``, ``positives``, ``predicted``,
            ``correct``, ``precision``, ``recall``, ``f1``.
        """
        entries = self._entries[""]
        called = (entries.score >= self._threshold(threshold)) & (entries.weight > 0)
        counts = entries.row[called], entries.row[called & entries.true]
        predicted, correct = (np.bincount(rows, minlength=entries.n_rows) for rows in counts)
        positives = entries.total.astype(np.int64)
        columns: dict[str, Any] = {"protein": self._context.targets, "positives": positives}
        columns |= {"predicted": predicted, "correct": correct}
        return Table(columns | _rates(correct, predicted, positives))

    def _threshold(self, threshold: float | None) -> float:
        best = self.values["threshold"] if threshold is None else threshold
        return np.inf if best is None else float(best)


def _rates(correct: Any, predicted: Any, positives: Any) -> dict[str, NDArray[np.float64]]:
    def share(part: Any, whole: Any) -> NDArray[np.float64]:
        return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)

    return {
        "precision": share(correct, predicted),
        "recall": share(correct, positives),
        "f1": share(2.0 * correct, predicted + positives),
    }


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Mapping[str, AspectEvaluation]):
    """What :func:`evaluate` found, aspect by aspect.

    Attributes
    ----------
    name : str
        Of the method.
    aspects : dict of str to AspectEvaluation
        Those of the truth; ``evaluation["MF"]`` understands short names.
    counts : dict of str to int
        What became of the predictions: ``lines``, dropped for a score of ``zero`` or being
        ``text``; ``alternative`` ids used, dropped for ``obsolete`` or ``unknown`` terms, for
        ``other_proteins`` or ``beyond_max_terms``; ``duplicates`` merged.
    setting : Setting
    weighted : bool
        Whether information accretion was given.
    """

    name: str
    aspects: dict[str, AspectEvaluation]
    counts: dict[str, int]
    setting: Any
    weighted: bool

    def __getitem__(self, name: str) -> AspectEvaluation:
        if name in self.aspects:
            return self.aspects[name]
        try:
            return self.aspects[aspect_name(name, self.aspects)]
        except ValueError:
            raise KeyError(f"{name!r}; there are {', '.join(self.aspects)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.aspects)

    def __len__(self) -> int:
        return len(self.aspects)

    def __repr__(self) -> str:
        return f"Evaluation of {self.name}\n{self.table()!r}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def table(self) -> Table:
        """One row for each aspect: its proteins and main measures.

        Returns
        -------
        Table
        """
        columns: dict[str, Any] = {
            "aspect": list(self.aspects),
            "proteins": [result.n_proteins for result in self.aspects.values()],
        }
        for measure in _TABLE:
            if any(result.values.get(measure) is not None for result in self.aspects.values()):
                columns[measure] = np.array(
                    [_nan(result.values.get(measure)) for result in self.aspects.values()]
                )
        return Table(columns)

    def to_dict(self) -> dict[str, Any]:
        """All numbers, as ``trueval cafa --json`` prints them."""
        return {"aspects": {name: result.to_dict() for name, result in self.aspects.items()}}


_EVALUATION = Instance(Evaluation, "an Evaluation")


@constrained(first=_EVALUATION, second=_EVALUATION)
def compare(first: Evaluation, second: Evaluation) -> Table:
    """Differences between two methods on one benchmark, with paired intervals.

    Both evaluations must have the same truth, settings and ``random_state``, so that a
    resample has the same proteins in both.

    Parameters
    ----------
    first, second : Evaluation

    Returns
    -------
    Table
        For each aspect and measure: the ``difference``, first less second, and its ``low`` and
        ``high`` over the resamples.

    Examples
    --------
    >>> from trueval.cafa import compare, evaluate
    >>> from trueval.data import Ontology
    >>> ontology = Ontology(["r", "a"], [("a", "r", "is_a")], namespaces=["f"] * 2)
    >>> truth = {"P1": ["a"], "P2": ["a"], "P3": ["r"]}
    >>> good = evaluate({"P1": {"a": 0.9}, "P2": {"a": 0.8}}, truth, ontology)
    >>> bad = evaluate({"P1": {"r": 0.9}}, truth, ontology)
    >>> compare(good, bad).head(1)
    aspect  measure  difference     low    high
    f       fmax         0.5143  0.0000  1.0000
    """
    rows: dict[str, list[Any]] = {
        name: [] for name in ("aspect", "measure", "difference", "low", "high")
    }
    for aspect, one in first.aspects.items():
        other = second.aspects.get(aspect)
        if other is None:
            continue
        if one.n_proteins != other.n_proteins or one.confidence != other.confidence:
            raise InputError(
                f"The two evaluations are not of one benchmark: {aspect} has {one.n_proteins:,} "
                f"proteins in one and {other.n_proteins:,} in the other, at confidence "
                f"{one.confidence} and {other.confidence}.",
                fix="Evaluate both with the same truth, settings and random_state.",
            )
        for measure in WITH_INTERVALS:
            a, b = one.values.get(measure), other.values.get(measure)
            if a is None or b is None:
                continue
            low = high = float("nan")
            draws = one.resamples.get(measure), other.resamples.get(measure)
            if draws[0] is not None and draws[1] is not None and len(draws[0]) == len(draws[1]):
                corrected = measure not in _AT_THRESHOLD
                interval = interval_of(
                    draws[0] - draws[1],
                    a - b,
                    one.confidence,
                    corrected=corrected,
                    n_proteins=one.n_proteins,
                )
                low, high = interval or (low, high)
            for name, value in zip(rows, (aspect, measure, a - b, low, high), strict=True):
                rows[name].append(value)
    return Table(rows)


def _nan(value: float | None) -> float:
    return float("nan") if value is None else value


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
