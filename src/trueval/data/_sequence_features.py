"""Features of protein sequences, and pairs of objects that share a term."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import is_text
from trueval.core.errors import InputError
from trueval.core.labels import as_labels
from trueval.core.object_pairs import distinct_pairs, share_a_term
from trueval.core.pairs import Pairs
from trueval.core.params import BOOL, NONE, Interval, constrained
from trueval.core.random import as_generator

__all__ = ["AMINO_ACIDS", "sequence_features", "shared_term_pairs"]

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
_CLASSES = ("AVLIPFWM", "GSTCYNQ", "DE", "KRH")


@constrained(counts=BOOL)
def sequence_features(sequences: Sequence[str], *, counts: bool = False) -> NDArray[np.float64]:
    """Frequencies of 20 amino acids and of 16 bigrams of four residue classes.

    The classes are nonpolar (AVLIPFWM), polar (GSTCYNQ), acidic (DE) and basic (KRH). Other
    letters count for the length only.

    Parameters
    ----------
    sequences : sequence of str
        Such as the ``sequences`` of :func:`read_fasta`.
    counts : bool, default=False
        Raw counts in place of frequencies, so that the features also tell the length.

    Returns
    -------
    ndarray of shape (n_sequences, 36)

    Examples
    --------
    >>> from trueval.data import sequence_features
    >>> x = sequence_features(["ADD"])
    >>> x[0, :4].round(3).tolist()  # A, C, D, E
    [0.333, 0.0, 0.667, 0.0]
    >>> x[0, 20:].nonzero()[0].tolist()  # nonpolar-acidic, acidic-acidic
    [2, 10]
    >>> sequence_features(["ADD"], counts=True)[0, :4].tolist()
    [1.0, 0.0, 2.0, 0.0]
    """
    if is_text(sequences):
        raise InputError("sequences is one text; give a list of them.")
    number = np.full(256, -1)
    residue_class = np.full(256, -1)
    for i, letter in enumerate(AMINO_ACIDS):
        number[ord(letter)] = i
        residue_class[ord(letter)] = next(c for c, s in enumerate(_CLASSES) if letter in s)
    out = np.zeros((len(sequences), 36))
    for i, sequence in enumerate(sequences):
        codes = np.frombuffer(sequence.encode("latin-1", "replace"), dtype=np.uint8)
        single, kinds = number[codes], residue_class[codes]
        both = (kinds[:-1] >= 0) & (kinds[1:] >= 0)
        bigram = 4 * kinds[:-1][both] + kinds[1:][both]
        out[i, :20] = np.bincount(single[single >= 0], minlength=20)
        out[i, 20:] = np.bincount(bigram, minlength=16)
        if not counts:
            out[i, :20] /= max(len(codes), 1)
            out[i, 20:] /= max(len(codes) - 1, 1)
    return out


@constrained(n_pairs=(NONE, Interval(int, 1)))
def shared_term_pairs(
    labels: Any, *, rows: Any = None, n_pairs: int | None = None, random_state: Any = None
) -> Pairs:
    """Pairs of objects, positive where the two have any class in common.

    The labels of Heimonen, Salakoski and Pahikkala (2014): the hierarchy of the terms is not
    looked at; :meth:`Ontology.propagate` or :meth:`Ontology.most_specific` do that before.

    Parameters
    ----------
    labels : Labels, or anything that :func:`~trueval.as_labels` takes
        Objects by terms.
    rows : array-like of int, optional
        Objects to pair, by row number; all if not given.
    n_pairs : int, optional
        Number of random pairs, no pair twice; all n(n−1)/2 if not given.
    random_state : None, int, Generator or RandomState
        Used with ``n_pairs`` only.

    Returns
    -------
    Pairs
        Ids of the objects (their row numbers where the labels have no index) and ``y``, 0 or 1.

    Examples
    --------
    >>> from trueval.data import shared_term_pairs
    >>> made = shared_term_pairs([{"kinase"}, {"kinase", "membrane"}, {"membrane"}])
    >>> made.pairs.tolist(), made.y.tolist()
    ([[0, 1], [0, 2], [1, 2]], [1, 0, 1])
    """
    known = as_labels(labels)
    numbers = np.arange(known.n_rows) if rows is None else np.asarray(rows)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or len(numbers) < 2:
        raise InputError("rows must be at least two row numbers of labels.")
    if len(np.unique(numbers)) < len(numbers):
        raise InputError("rows has a number twice; an object makes no pair with itself.")
    if numbers.min() < 0 or numbers.max() >= known.n_rows:
        raise InputError(
            f"rows goes from {numbers.min()} to {numbers.max()}, but labels has the rows "
            f"0 … {known.n_rows - 1}."
        )
    if n_pairs is None:
        chosen = np.array(list(combinations(range(len(numbers)), 2)))
    else:
        chosen = distinct_pairs(len(numbers), n_pairs, as_generator(random_state))
    members = numbers[chosen]
    y = share_a_term(known.matrix, members[:, 0], members[:, 1]).astype(np.int64)
    return Pairs(members if known.index is None else known.index[members], y)
