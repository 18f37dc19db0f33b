"""Seeded simulated data: the same seed, the same data, nothing downloaded."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.random import as_generator

__all__ = [
    "Proteome",
    "label_matrix",
    "proteome",
    "sequence_features",
    "synthetic",
    "synthetic_folds",
]


def label_matrix(
    n_rows: int = 10_000,
    n_classes: int = 500,
    *,
    cardinality: float = 5.0,
    tail: float = 1.0,
    random_state: Any = None,
) -> sp.csr_array:
    """Heavy-tailed multi-label data with correlated labels.

    Class sizes fall like a power of their rank, as in tagging, medical coding and
    protein function. Rows belong to topics that share favourite classes, so that
    labels come together.

    Parameters
    ----------
    n_rows, n_classes : int
    cardinality : float, default=5.0
        Mean number of labels drawn for a row; repeated draws merge, so that the
        mean number of distinct labels is somewhat lower.
    tail : float, default=1.0
        Power of the fall; larger means rarer rare classes.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    scipy.sparse.csr_array of int8, shape (n_rows, n_classes)
        Some rows may have no label; every class has at least one member.

    Examples
    --------
    >>> from trueval.data import simulate
    >>> y = simulate.label_matrix(1000, 50, random_state=0)
    >>> y.shape, y.nnz > 2000
    ((1000, 50), True)
    """
    generator = as_generator(random_state)
    weight = 1.0 / np.arange(1, n_classes + 1) ** tail
    n_topics = max(1, n_classes // 10)
    topic_of_class = generator.integers(n_topics, size=n_classes)
    n_labels = generator.poisson(cardinality, n_rows)
    row_of = np.repeat(np.arange(n_rows), n_labels)
    column = generator.choice(n_classes, size=len(row_of), p=weight / weight.sum())
    # Half of the labels of a row come from one topic: the class drawn is replaced
    # by a class of the topic, the larger ones first.
    topic = topic_of_class[generator.choice(n_classes, size=n_rows, p=weight / weight.sum())]
    by_topic = np.argsort(topic_of_class, kind="stable")
    first = np.searchsorted(topic_of_class[by_topic], np.arange(n_topics))
    size = np.bincount(topic_of_class, minlength=n_topics)
    themed = generator.random(len(row_of)) < 0.5
    own = topic[row_of[themed]]
    place = np.floor(size[own] * generator.random(themed.sum()) ** (1 + tail)).astype(np.int64)
    column[themed] = by_topic[first[own] + place]
    # Every class has a member.
    absent = np.setdiff1d(np.arange(n_classes), column)
    row_of = np.concatenate([row_of, generator.integers(n_rows, size=len(absent))])
    column = np.concatenate([column, absent])
    y = sp.csr_array((np.ones(len(column), bool), (row_of, column)), shape=(n_rows, n_classes))
    y.sum_duplicates()
    return y.astype(np.int8)


def synthetic(n_rows: int = 100_000, n_classes: int = 100, n_parts: int = 10) -> sp.csr_array:
    """SYNTHETIC of the OptiSplit paper (Section 5.1.1): class sizes from 2k to n/2.

    Sizes grow evenly, D_i = 2k + i·(n/2 − 2k)/q for i = 0 … q − 1, rounded down
    to multiples of 2k so that all splits of :func:`synthetic_folds` exist exactly.

    Parameters
    ----------
    n_rows, n_classes, n_parts : int

    Returns
    -------
    scipy.sparse.csr_array of int8
        Class i has the first D_i rows; what matters are the splits.

    Examples
    --------
    >>> from trueval.data import simulate
    >>> y = simulate.synthetic(1000, 5, 10)
    >>> y.sum(axis=0).tolist()
    [20, 100, 200, 300, 400]
    """
    sizes = _synthetic_sizes(n_rows, n_classes, n_parts)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    rows = np.concatenate([np.arange(size) for size in sizes])
    ones = np.ones(len(rows), dtype=np.int8)
    return sp.csc_array((ones, rows, indptr), shape=(n_rows, n_classes)).tocsr()


def _synthetic_sizes(n_rows: int, n_classes: int, n_parts: int) -> NDArray[np.int64]:
    step = 2 * n_parts
    exact = step + np.arange(n_classes) * (n_rows / 2 - step) / n_classes
    return (exact // step * step).astype(np.int64)


def synthetic_folds(
    kind: str, n_rows: int = 100_000, n_classes: int = 100, n_parts: int = 10
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Class-part counts and part sizes of the paper's three splits of SYNTHETIC.

    The splits are defined by their counts ("all folds contained equal amount of
    positive data points"), and every measure depends on the counts alone.

    Parameters
    ----------
    kind : {"equal", "difference", "one missing"}
        Equal parts; 20 % more in one and 20 % less in another; none in one and
        the rest equal.
    n_rows, n_classes, n_parts : int

    Returns
    -------
    counts : ndarray of shape (n_classes, n_parts)
        For "one missing", fractions are rounded so that rows add up.
    sizes : ndarray of shape (n_parts,)

    Examples
    --------
    >>> from trueval.data import simulate
    >>> counts, sizes = simulate.synthetic_folds("difference", 1000, 5, 10)
    >>> counts[1].tolist()
    [12, 8, 10, 10, 10, 10, 10, 10, 10, 10]
    """
    sizes = _synthetic_sizes(n_rows, n_classes, n_parts)
    share = (sizes // n_parts)[:, None]
    counts = np.repeat(share, n_parts, axis=1)
    if kind == "difference":
        change = np.rint(share[:, 0] * 0.2).astype(np.int64)
        counts[:, 0] += change
        counts[:, 1] -= change
    elif kind == "one missing":
        others = n_parts - 1
        counts[:, 1:] = (sizes // others)[:, None]
        counts[:, 1:] += np.arange(others) < (sizes % others)[:, None]
        counts[:, 0] = 0
    elif kind != "equal":
        raise ValueError(
            "The 'kind' parameter must be 'equal', 'difference' or 'one missing'. "
            f"Got {kind!r} instead."
        )
    return counts, np.full(n_parts, n_rows // n_parts)


_AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
_CLASSES = ("AVLIPFWM", "GSTCYNQ", "DE", "KRH")


@dataclass(frozen=True, eq=False)
class Proteome:
    """Simulated proteins.

    Attributes
    ----------
    sequences : list of str
        One string of amino-acid letters for each protein.
    family : ndarray of int
        Family of each protein: its cluster of homologues.
    terms : scipy.sparse.csr_array of int8
        Proteins by terms.
    """

    sequences: list[str]
    family: NDArray[np.int64]
    terms: sp.csr_array

    @property
    def features(self) -> NDArray[np.float64]:
        """36 frequencies of each protein; see :func:`sequence_features`."""
        return sequence_features(self.sequences)


def proteome(
    n_proteins: int = 2000,
    *,
    n_families: int = 400,
    n_terms: int = 150,
    length: int = 120,
    random_state: Any = None,
) -> Proteome:
    """Proteins in families of unequal size, with sequences and terms.

    Families have ancestors with amino-acid usage of their own; members descend
    from them by substitutions. Terms belong to families, some to many; members
    miss some of their family's terms.

    Parameters
    ----------
    n_proteins, n_families, n_terms : int
    length : int, default=120
        Mean number of residues of a sequence; they differ by up to one half.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    Proteome

    Examples
    --------
    >>> from trueval.data import simulate
    >>> proteins = simulate.proteome(50, random_state=0)
    >>> len(proteins.sequences), proteins.terms.shape, proteins.features.shape
    (50, (50, 150), (50, 36))
    """
    generator = as_generator(random_state)
    weight = 1.0 / np.arange(1, n_families + 1)
    family = generator.choice(n_families, n_proteins, p=weight / weight.sum())
    usage = generator.dirichlet(np.full(20, 8.0), n_families)
    longest = length + length // 2
    ancestors = np.stack([generator.choice(20, longest, p=p) for p in usage])
    residues = ancestors[family]
    changed = generator.random(residues.shape) < generator.uniform(0.1, 0.5, (n_proteins, 1))
    residues[changed] = generator.integers(20, size=int(changed.sum()))
    letters = np.array(list(_AMINO_ACIDS))
    n_residues = generator.integers(length - length // 2, longest + 1, n_proteins)
    sequences = ["".join(row[:n]) for row, n in zip(letters[residues], n_residues, strict=True)]
    popularity = 1.0 / np.arange(1, n_terms + 1)
    own = generator.choice(n_terms, (n_families, 3), p=popularity / popularity.sum())
    kept = generator.random((n_proteins, 3)) < 0.8
    kept[:, 0] = True
    rows, places = np.nonzero(kept)
    terms = sp.csr_array(
        (np.ones(len(rows), dtype=bool), (rows, own[family[rows], places])),
        shape=(n_proteins, n_terms),
    )
    terms.sum_duplicates()
    return Proteome(sequences, family, terms.astype(np.int8))


def sequence_features(sequences: Sequence[str]) -> NDArray[np.float64]:
    """Frequencies of 20 amino acids and of 16 bigrams of four residue classes.

    The classes are nonpolar, polar, acidic and basic. Other letters count for the
    length only.

    Parameters
    ----------
    sequences : sequence of str

    Returns
    -------
    ndarray of shape (n_sequences, 36)

    Examples
    --------
    >>> from trueval.data import simulate
    >>> x = simulate.sequence_features(["ADD"])
    >>> x[0, :4].round(3).tolist()  # A, C, D, E
    [0.333, 0.0, 0.667, 0.0]
    >>> x[0, 20:].nonzero()[0].tolist()  # nonpolar-acidic, acidic-acidic
    [2, 10]
    """
    number = np.full(256, -1)
    residue_class = np.full(256, -1)
    for i, letter in enumerate(_AMINO_ACIDS):
        number[ord(letter)] = i
        residue_class[ord(letter)] = next(c for c, s in enumerate(_CLASSES) if letter in s)
    out = np.zeros((len(sequences), 36))
    for i, sequence in enumerate(sequences):
        codes = np.frombuffer(sequence.encode("latin-1"), dtype=np.uint8)
        single, kinds = number[codes], residue_class[codes]
        both = (kinds[:-1] >= 0) & (kinds[1:] >= 0)
        bigram = 4 * kinds[:-1][both] + kinds[1:][both]
        out[i, :20] = np.bincount(single[single >= 0], minlength=20) / max(len(codes), 1)
        out[i, 20:] = np.bincount(bigram, minlength=16) / max(len(codes) - 1, 1)
    return out
