"""Protein families with flat terms, made fast: the population of a deviation study.

For an ontology, descent and annotations along it see ``simulate_proteome.py``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.random import as_generator

__all__ = ["ProteinFamilies", "protein_families", "sequence_features"]

_AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
_CLASSES = ("AVLIPFWM", "GSTCYNQ", "DE", "KRH")


@dataclass(frozen=True, eq=False)
class ProteinFamilies:
    """Simulated proteins, as :func:`protein_families` makes them.

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


def protein_families(
    n_proteins: int = 2000,
    *,
    n_families: int = 400,
    n_terms: int = 150,
    length: int = 120,
    random_state: Any = None,
) -> ProteinFamilies:
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
    ProteinFamilies

    Examples
    --------
    >>> from trueval.data import simulate
    >>> proteins = simulate.protein_families(50, random_state=0)
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
    return ProteinFamilies(sequences, family, terms.astype(np.int8))


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
