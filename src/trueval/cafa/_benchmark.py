"""A benchmark prepared once for many predictions: truth, known annotations, terms, weights."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.cafa._accretion import accretion_values
from trueval.cafa._entries import Entries
from trueval.cafa._index import TermIndex
from trueval.cafa._lines import read_records
from trueval.cafa._measure import Setting, measured
from trueval.cafa._predictions import Predictions, as_predictions, duplicate_error, merged
from trueval.cafa._result import Context, Evaluation
from trueval.cafa._truth import annotated
from trueval.core.errors import InputError, InputWarning, Place, quote, warn_user
from trueval.core.named import as_text, listed
from trueval.core.params import (
    BOOL,
    NONE,
    RANDOM_STATE,
    Choice,
    Constraints,
    Instance,
    Interval,
    check_params,
    constrained,
)
from trueval.core.random import as_generator, draw_seed
from trueval.data._source import Source, names_file
from trueval.data.ontology._annotations import EVIDENCE_CODES

__all__ = ["Benchmark"]

PROPAGATION = ("max", "fill")


@dataclass(frozen=True, eq=False)
class _Aspect:
    """Proteins and terms of one aspect of a benchmark."""

    name: str
    rows: NDArray[np.int64]
    place: NDArray[np.int64]
    unit: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    truth: sp.csr_array


class Benchmark:
    """Everything of :func:`evaluate` but the predictions, prepared once for many of them.

    Parameters
    ----------
    truth, ontology, ia, known, terms, propagation, orphans, max_terms, obsolete, random_state
        As in :func:`evaluate`.
    evidence : str or iterable of str, optional
        Of GAF files: codes or groups to keep.
    setting : Setting
        Grid, normalization and resamples.
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "evidence": EVIDENCE_CODES,
        "propagation": Choice(PROPAGATION),
        "orphans": BOOL,
        "max_terms": (NONE, Interval(int, 1)),
        "obsolete": Choice(("drop", "replace")),
        "setting": (NONE, Instance(Setting, "a Setting")),
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        truth: Any,
        ontology: Any,
        *,
        ia: Any = None,
        known: Any = None,
        terms: Any = None,
        evidence: Any = None,
        propagation: str = "max",
        orphans: bool = True,
        max_terms: int | None = None,
        obsolete: str = "drop",
        setting: Setting | None = None,
        random_state: Any = 0,
    ) -> None:
        check_params("Benchmark", locals(), self._parameter_constraints)
        self.setting = setting or Setting()
        self.index = ontology if isinstance(ontology, TermIndex) else TermIndex.of(ontology)
        self.propagation, self.max_terms, self.obsolete = propagation, max_terms, obsolete
        self._seed = draw_seed(as_generator(random_state))
        annotations = annotated(truth, self.index, "truth", evidence=evidence, obsolete=obsolete)
        self.targets = annotations.targets
        self._row = {name: i for i, name in enumerate(annotations.targets.tolist())}
        self.ia = None if ia is None else accretion_values(ia, self.index)
        self._known = None
        if known is not None:
            before = annotated(known, self.index, "known", evidence=evidence, obsolete=obsolete)
            self._known = before.beside(self.targets)
        wanted = None if terms is None else self._wanted(terms)
        self._partial = known is not None or terms is not None
        self.aspects = self._aspects(annotations.matrix, wanted, orphans)

    def _wanted(self, terms: Any) -> NDArray[np.bool_]:
        """Terms of interest, by number."""
        where = "terms"
        if names_file(terms):
            source = Source.of(terms)
            where = source.name

            def refuse(line: Any) -> None:
                raise source.fail(
                    f"{quote(line.text, 60)} is no term.",
                    fix="Write one id on each line.",
                    line=line.number,
                )

            names = read_records(source, 1, (), refuse).names[0]
        else:
            names = as_text(sorted({str(term) for term in listed(terms, "the terms")}))
        resolved = self.index.resolve(names, obsolete=self.obsolete)
        resolved.warn(where, np.arange(len(names)))
        wanted = np.zeros(len(self.index), dtype=bool)
        wanted[resolved.numbers[resolved.numbers >= 0]] = True
        if not wanted.any():
            raise InputError(
                "no term of interest is in the ontology.",
                place=Place(where),
                fix=f"Write one id on each line, such as {self.index.terms[-1]}.",
            )
        return wanted

    def _aspects(
        self, truth: sp.csr_array, wanted: NDArray[np.bool_] | None, orphans: bool
    ) -> list[_Aspect]:
        index = self.index
        row_of = np.repeat(np.arange(truth.shape[0]), np.diff(truth.indptr))
        aspect_of = index.aspect[truth.indices]
        keep = self._unknown(truth) if self._known is not None else np.ones(truth.nnz, bool)
        aspects = []
        for code, name in enumerate(index.aspects):
            unit = (index.aspect == code).astype(np.float64)
            if wanted is not None:
                unit *= wanted
            weight = None if self.ia is None else unit * self.ia
            if not orphans:
                unit *= index.n_parents > 0
            inside = aspect_of == code
            rows = np.unique(row_of[inside])
            if self._partial:
                counted = inside & keep & (unit[truth.indices] > 0)
                left = np.unique(row_of[counted])
                if len(left) < len(rows):
                    self._say_left_out(name, len(rows) - len(left), len(rows))
                rows = left
            if len(rows) == 0:
                continue
            place = np.full(truth.shape[0], -1, dtype=np.int64)
            place[rows] = np.arange(len(rows))
            inside &= keep & (place[row_of] >= 0)
            entries = (np.ones(int(inside.sum())), (place[row_of[inside]], truth.indices[inside]))
            matrix = sp.csr_array(entries, shape=(len(rows), len(index)))
            matrix.sort_indices()
            aspects.append(_Aspect(name, rows, place, unit, weight, matrix))
        if not aspects:
            raise InputError(
                "no protein has a term to evaluate: all annotations are known before, or none is "
                "among the terms of interest.",
                fix="Check the files.",
            )
        return aspects

    def _say_left_out(self, aspect: str, n: int, of: int) -> None:
        warn_user(
            f"{aspect}: {n:,} of {of:,} proteins have no annotation that is new and of interest, "
            "and are left out.",
            InputWarning,
        )

    def _unknown(self, matrix: sp.csr_array) -> NDArray[np.bool_]:
        """Entries of a canonical matrix that are not known before."""
        return ~_is_in(matrix, self._known)

    # --- predictions -------------------------------------------------------------

    @constrained()
    def evaluate(
        self, predictions: Any, progress: Callable[[int, int], None] | None = None
    ) -> Evaluation:
        """Evaluate the predictions of one method.

        Parameters
        ----------
        predictions
            As in :func:`evaluate`.
        progress : callable, optional
            Called as ``progress(done, n_aspects)`` after each aspect.

        Returns
        -------
        Evaluation
        """
        predictions = as_predictions(predictions)
        carried, counts = self._carried(predictions)
        results = {}
        for number, aspect in enumerate(self.aspects):
            entries = self._entries(carried, aspect)
            generator = np.random.default_rng([self._seed, number])
            targets, counted = self.targets[aspect.rows], aspect.unit > 0
            context = Context(self.index, aspect.truth, targets, counted, self.ia)
            results[aspect.name] = measured(aspect.name, entries, self.setting, generator, context)
            if progress is not None:
                progress(len(results), len(self.aspects))
        return Evaluation(predictions.name, results, counts, self.setting, self.ia is not None)

    def _carried(self, predictions: Predictions) -> tuple[sp.csr_array, dict[str, int]]:
        """Scores of the benchmark's proteins, carried up; and what became of the lines."""
        resolved = self.index.resolve(predictions.terms, obsolete=self.obsolete)
        resolved.warn(predictions.name, predictions.columns)
        row = np.array([self._row.get(name, -1) for name in predictions.targets.tolist()], np.int64)
        rows, numbers = row[predictions.rows], resolved.numbers[predictions.columns]
        counts = dict(predictions.counts) | resolved.counts(predictions.columns)
        counts["other_proteins"] = int((rows < 0).sum())
        keep = (rows >= 0) & (numbers >= 0)
        rows, numbers, scores = rows[keep], numbers[keep], predictions.scores[keep]
        if self.max_terms is not None:
            first = self._first_terms(rows, numbers, self.max_terms)
            counts["beyond_max_terms"] = int((~first).sum())
            rows, numbers, scores = rows[first], numbers[first], scores[first]
        shape = (len(self.targets), len(self.index))
        matrix, counts["duplicates"], at = merged(
            rows, numbers, scores, shape, predictions.duplicates
        )
        if counts["duplicates"] and predictions.duplicates == "error":
            target, term = self.targets[rows[at]], self.index.terms[numbers[at]]
            raise duplicate_error(predictions.name, counts["duplicates"], target, term)
        if matrix.nnz == 0:
            warn_user(
                "no prediction is for a protein of the truth with a term of the ontology.",
                InputWarning,
                place=Place(predictions.name),
                fix="Check that both use the same ids.",
            )
        carried = self.index.carry_up(matrix, fill=self.propagation == "fill")
        return carried, counts

    def _first_terms(
        self, rows: NDArray[Any], numbers: NDArray[Any], limit: int
    ) -> NDArray[np.bool_]:
        """Lines that come before a protein has more than ``limit`` terms of an aspect."""
        pair = rows * len(self.index) + numbers
        new = np.zeros(len(pair), dtype=np.int64)
        new[np.unique(pair, return_index=True)[1]] = 1
        group = rows * len(self.index.aspects) + self.index.aspect[numbers]
        order = np.argsort(group, kind="stable")
        seen = np.cumsum(new[order]) - new[order]
        begins = np.flatnonzero(np.diff(group[order], prepend=-1))
        seen -= np.repeat(seen[begins], np.diff(np.append(begins, len(order))))
        first = np.empty(len(pair), dtype=bool)
        first[order] = seen <= limit
        return first

    def _entries(self, carried: sp.csr_array, aspect: _Aspect) -> dict[str, Entries]:
        """Predicted pairs of an aspect, unweighted and, with information accretion, weighted."""
        counted = aspect.unit if aspect.weight is None else aspect.unit + aspect.weight
        scores = sp.csr_array(carried[aspect.rows])
        scores.has_canonical_format = True
        keep = counted[scores.indices] > 0
        if self._known is not None:
            keep &= ~_is_in(scores, sp.csr_array(self._known[aspect.rows]))
        true = _is_in(scores, aspect.truth)[keep]
        row = np.repeat(np.arange(len(aspect.rows)), np.diff(scores.indptr))[keep]
        term, score = scores.indices[keep], scores.data[keep]
        weights = {"": aspect.unit} | ({} if aspect.weight is None else {"w": aspect.weight})
        return {
            key: Entries(row, term, score, true, weight[term], aspect.truth @ weight)
            for key, weight in weights.items()
        }


def _is_in(matrix: sp.csr_array, other: sp.csr_array) -> NDArray[np.bool_]:
    """Whether each entry of a canonical matrix is an entry of another of the same shape."""
    numbered = sp.csr_array(
        (np.arange(1, matrix.nnz + 1), matrix.indices, matrix.indptr), shape=matrix.shape
    )
    pattern = sp.csr_array(
        (np.ones(other.nnz, np.int64), other.indices, other.indptr), shape=other.shape
    )
    both = numbered.multiply(pattern)
    is_in = np.zeros(matrix.nnz, dtype=bool)
    is_in[both.data - 1] = True
    return is_in
