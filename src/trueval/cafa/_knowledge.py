"""Benchmarks from two releases of annotations: what was found out in between.

The types of CAFA, for each aspect:

- *no knowledge*: the protein had no annotation in any aspect at the first release and has one in
  this aspect at the second;
- *limited knowledge*: it had one in another aspect only, and has one in this aspect now;
- *partial knowledge*: it had one in this aspect, and has terms now that these did not imply.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.cafa._index import TermIndex
from trueval.cafa._truth import annotated, truth_text
from trueval.core.errors import InputError
from trueval.core.files import atomic_write
from trueval.core.folders import make_folder
from trueval.core.labels import Labels
from trueval.core.named import as_text, listed
from trueval.core.params import PATH, constrained
from trueval.core.table import Table
from trueval.data.ontology._annotations import EVIDENCE_CODES

__all__ = ["KnowledgeBenchmark", "KnowledgeSplit", "benchmark_files", "knowledge_split"]


@dataclass(frozen=True, eq=False, repr=False)
class KnowledgeBenchmark:
    """Proteins of one type.

    Attributes
    ----------
    kind : {"no", "limited", "partial"}
    truth : Labels or None
        New terms of the proteins, the most specific ones; None if there is no such protein.
        A protein has terms of the aspects only in which it is of this type.
    known : Labels or None
        What was known of these proteins before, in any aspect.
    counts : dict of str to int
        Proteins by aspect.
    """

    kind: str
    truth: Labels | None
    known: Labels | None
    counts: dict[str, int]

    def __repr__(self) -> str:
        each = ", ".join(f"{name} {n:,}" for name, n in self.counts.items())
        return f"KnowledgeBenchmark({self.kind} knowledge: {each})"


@dataclass(frozen=True, eq=False, repr=False)
class KnowledgeSplit(Mapping[str, KnowledgeBenchmark]):
    """The benchmarks of two releases, by type; as :func:`knowledge_split` makes it.

    Attributes
    ----------
    benchmarks : dict of str to KnowledgeBenchmark
        ``"no"``, ``"limited"`` and ``"partial"``.
    """

    benchmarks: dict[str, KnowledgeBenchmark]

    def __getitem__(self, kind: str) -> KnowledgeBenchmark:
        return self.benchmarks[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self.benchmarks)

    def __len__(self) -> int:
        return len(self.benchmarks)

    def __repr__(self) -> str:
        return f"KnowledgeSplit\n{self.table()!r}"

    def table(self) -> Table:
        """Proteins by type and aspect.

        Returns
        -------
        Table
        """
        names = next(iter(self.benchmarks.values())).counts
        columns: dict[str, Any] = {"knowledge": list(self.benchmarks)}
        return Table(
            columns
            | {n: [benchmark.counts[n] for benchmark in self.benchmarks.values()] for n in names}
        )

    @constrained(folder=PATH)
    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write ``truth_TYPE.tsv`` and ``known_TYPE.tsv`` for each type that has proteins.

        Parameters
        ----------
        folder : str or path
            Made if it is not there.

        Returns
        -------
        list of Path
            The files written.
        """
        texts = {}  # all of them before the first file, as a name may be refused
        for (kind, what), path in benchmark_files(folder).items():
            labels = getattr(self.benchmarks[kind], what)
            if labels is not None:
                texts[path] = truth_text(labels)
        make_folder(folder)
        for path, text in texts.items():
            with atomic_write(path) as file:
                file.write(text)
        return list(texts)


def benchmark_files(folder: str | os.PathLike[str]) -> dict[tuple[str, str], Path]:
    """Files that :meth:`KnowledgeSplit.write` may write, by type and what they hold."""
    return {
        (kind, what): Path(folder, f"{what}_{kind}.tsv")
        for kind in ("no", "limited", "partial")
        for what in ("truth", "known")
    }


@constrained(evidence=EVIDENCE_CODES)
def knowledge_split(
    before: Any,
    after: Any,
    ontology: Any,
    *,
    evidence: str | Iterable[str] | None = "experimental",
    ignore: Iterable[str] = (),
) -> KnowledgeSplit:
    """Make the no-, limited- and partial-knowledge benchmarks of two releases.

    Parameters
    ----------
    before, after : path, Labels or mapping
        Annotations at the first and the second day: GAF files, files as :func:`read_truth`
        reads them, or terms by protein.
    ontology : Ontology or path
        One for both; annotations are carried up to all ancestors.
    evidence : str, iterable of str or None, default="experimental"
        Of GAF files: codes or groups that count, as in
        :func:`trueval.data.read_annotations`; None for all. Other input must be filtered
        before.
    ignore : iterable of str, default=()
        Terms that do not count as knowledge, themselves and what they imply; CAFA ignores
        ``GO:0005515``, protein binding. Roots never count.

    Returns
    -------
    KnowledgeSplit
        Targets with no, limited and partial knowledge, each with its truth.

    Examples
    --------
    >>> from trueval.cafa import knowledge_split
    >>> from trueval.data import Ontology
    >>> ontology = Ontology(
    ...     ["F", "f", "g", "C", "c"],
    ...     [("f", "F", "is_a"), ("g", "f", "is_a"), ("c", "C", "is_a")],
    ...     namespaces=["function", "function", "function", "component", "component"],
    ... )
    >>> split = knowledge_split(
    ...     {"P2": ["c"], "P3": ["f"]}, {"P1": ["f"], "P2": ["c", "f"], "P3": ["g"]}, ontology
    ... )
    >>> split
    KnowledgeSplit
    knowledge  component  function
    no                 0         1
    limited            0         1
    partial            0         1
    >>> split["partial"].truth.index, split["partial"].truth.classes
    (array(['P3'], dtype='<U2'), array(['g'], dtype='<U1'))
    """
    index = ontology if isinstance(ontology, TermIndex) else TermIndex.of(ontology)
    counted = (index.n_parents > 0).astype(np.float64)
    terms = [ignore] if isinstance(ignore, str) else listed(ignore, "the terms to ignore")
    names = as_text(sorted(map(str, set(terms))))
    ignored = index.resolve(names)
    if (ignored.numbers < 0).any():
        raise InputError(
            f"{names[ignored.numbers < 0][0]} is not a term in use of the ontology.",
            fix="Omit it, or use the release of the ontology that has it.",
            parameter="ignore",
        )
    first, second = (
        annotated(release, index, what, evidence=evidence, close=False)
        for release, what in ((before, "before"), (after, "after"))
    )
    # A term to ignore is taken out before closing; what else implies it still does.
    keep = np.ones(len(index))
    keep[ignored.numbers] = 0
    targets = second.targets
    old = _closed(first.beside(targets), keep, index)
    new = _closed(second.matrix, keep, index)
    had = _by_aspect(old, counted, index)
    has = _by_aspect(new, counted, index)
    gained = _without(new, old)
    gains = _by_aspect(gained, counted, index)
    elsewhere = had.any(axis=1, keepdims=True) & ~had
    of_kind = {
        "no": has & ~had.any(axis=1, keepdims=True),
        "limited": has & elsewhere,
        "partial": gains & had,
    }
    benchmarks = {
        kind: _benchmark(kind, member, targets, gained, old, counted, index)
        for kind, member in of_kind.items()
    }
    return KnowledgeSplit(benchmarks)


def _closed(direct: sp.csr_array, keep: NDArray[np.float64], index: TermIndex) -> sp.csr_array:
    selected = sp.csr_array(direct.multiply(keep[None, :]))
    selected.eliminate_zeros()
    selected.sort_indices()
    return index.carry_up(selected)


def _by_aspect(
    matrix: sp.csr_array, counted: NDArray[np.float64], index: TermIndex
) -> NDArray[np.bool_]:
    """Whether each protein has a term that counts, in each aspect."""
    n = len(index)
    aspects = sp.csr_array((counted, (np.arange(n), index.aspect)), shape=(n, len(index.aspects)))
    return (matrix @ aspects).toarray() > 0


def _without(matrix: sp.csr_array, other: sp.csr_array) -> sp.csr_array:
    """Entries that another matrix does not have."""
    rest = sp.csr_array(matrix - matrix.multiply(other > 0))
    rest.eliminate_zeros()
    rest.sort_indices()
    return rest


def _benchmark(
    kind: str,
    member: NDArray[np.bool_],
    targets: NDArray[Any],
    gained: sp.csr_array,
    old: sp.csr_array,
    counted: NDArray[np.float64],
    index: TermIndex,
) -> KnowledgeBenchmark:
    rows = np.flatnonzero(member.any(axis=1))
    counts = dict(zip(index.aspects, member.sum(axis=0).tolist(), strict=True))
    if len(rows) == 0:
        return KnowledgeBenchmark(kind, None, None, counts)
    new, before = sp.csr_array(gained[rows]), sp.csr_array(old[rows])
    row_of = np.repeat(rows, np.diff(new.indptr))
    new.data *= member[row_of, index.aspect[new.indices]] * counted[new.indices]
    before.data *= counted[before.indices]
    return KnowledgeBenchmark(
        kind,
        _most_specific(new, targets[rows], index),
        _most_specific(before, targets[rows], index),
        counts,
    )


def _most_specific(closed: sp.csr_array, targets: NDArray[Any], index: TermIndex) -> Labels | None:
    """Terms without a child among the terms of their protein; entries of 0 are none."""
    closed.eliminate_zeros()
    n = len(index)
    child = np.repeat(np.arange(n), index.n_parents)
    above = sp.csr_array((np.ones(len(child)), (child, index.parents)), shape=(n, n))
    rest = _without(closed, sp.csr_array(closed @ above))
    some = np.flatnonzero(np.diff(rest.indptr))
    if len(some) == 0:
        return None
    used, columns = np.unique(rest.indices, return_inverse=True)
    matrix = sp.csr_array(
        (np.ones(rest.nnz, np.int32), columns, rest.indptr), shape=(len(targets), len(used))
    )
    order = np.argsort(index.terms[used])
    matrix = sp.csr_array(matrix[some][:, order])
    matrix.sort_indices()
    return Labels(matrix, index.terms[used][order], targets[some])
