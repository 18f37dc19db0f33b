"""Protein families with flat terms, made fast: the population of a deviation study.

Unlike ``simulate_proteome.py``, where members descend from members and terms follow an
ontology one protein at a time, all members descend from the ancestor itself, so that
20,000 proteins are made at once, as arrays.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.params import Interval, constrained
from trueval.core.random import as_generator
from trueval.data._sequence_features import AMINO_ACIDS, sequence_features
from trueval.data.simulate._sequences import heavy_tail

__all__ = ["ProteinFamilies", "protein_families"]


@dataclass(frozen=True, eq=False)
class ProteinFamilies:
    """Simulated proteins, as :func:`protein_families` makes them.

    Attributes
    ----------
    sequences : list of str
        One string of amino-acid letters for each protein.
    family : ndarray of int
        Family of each protein: its cluster of homologues.
    terms : scipy.sparse.csr_array of int32
        Proteins by terms.
    """

    sequences: list[str]
    family: NDArray[np.int64]
    terms: sp.csr_array

    @property
    def features(self) -> NDArray[np.float64]:
        """36 frequencies of each protein; see :func:`sequence_features`."""
        return sequence_features(self.sequences)


@constrained(
    n_proteins=Interval(int, 1),
    n_families=Interval(int, 1),
    n_terms=Interval(int, 1),
    length=Interval(int, 1),
)
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
        ``sequences``, ``terms``, ``features`` and ``family`` of each protein.

    Examples
    --------
    >>> from trueval.data import simulate
    >>> proteins = simulate.protein_families(50, random_state=0)
    >>> len(proteins.sequences), proteins.terms.shape, proteins.features.shape
    (50, (50, 150), (50, 36))
    """
    generator = as_generator(random_state)
    family = generator.choice(n_families, n_proteins, p=heavy_tail(n_families))
    usage = generator.dirichlet(np.full(20, 8.0), n_families)
    longest = length + length // 2
    ancestors = np.stack([generator.choice(20, longest, p=p) for p in usage])
    residues = ancestors[family]
    changed = generator.random(residues.shape) < generator.uniform(0.1, 0.5, (n_proteins, 1))
    residues[changed] = generator.integers(20, size=int(changed.sum()))
    letters = np.array(list(AMINO_ACIDS))
    n_residues = generator.integers(length - length // 2, longest + 1, n_proteins)
    sequences = ["".join(row[:n]) for row, n in zip(letters[residues], n_residues, strict=True)]
    terms_of = generator.choice(n_terms, (n_families, 3), p=heavy_tail(n_terms))
    present = generator.random((n_proteins, 3)) < 0.8
    present[:, 0] = True
    rows, places = np.nonzero(present)
    terms = sp.csr_array(
        (np.ones(len(rows), dtype=bool), (rows, terms_of[family[rows], places])),
        shape=(n_proteins, n_terms),
    )
    terms.sum_duplicates()
    return ProteinFamilies(sequences, family, terms.astype(np.int32))
