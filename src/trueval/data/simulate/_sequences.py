"""What the simulated proteins share: the alphabet, heavy tails, features of sequences."""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.params import Interval, constrained

__all__ = ["AMINO_ACIDS", "heavy_tail", "kmer_counts", "sequence_features"]

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
_CLASSES = ("AVLIPFWM", "GSTCYNQ", "DE", "KRH")


def heavy_tail(n: int) -> NDArray[np.float64]:
    """Shares that fall as 1, 1/2, 1/3 and so on.

    >>> from trueval.data.simulate._sequences import heavy_tail
    >>> (11 * heavy_tail(3)).round(6).tolist()
    [6.0, 3.0, 2.0]
    """
    weight = 1.0 / np.arange(1, n + 1)
    return weight / weight.sum()


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
    for i, letter in enumerate(AMINO_ACIDS):
        number[ord(letter)] = i
        residue_class[ord(letter)] = next(c for c, s in enumerate(_CLASSES) if letter in s)
    out = np.zeros((len(sequences), 36))
    for i, sequence in enumerate(sequences):
        codes = np.frombuffer(sequence.encode("latin-1", "replace"), dtype=np.uint8)
        single, kinds = number[codes], residue_class[codes]
        both = (kinds[:-1] >= 0) & (kinds[1:] >= 0)
        bigram = 4 * kinds[:-1][both] + kinds[1:][both]
        out[i, :20] = np.bincount(single[single >= 0], minlength=20) / max(len(codes), 1)
        out[i, 20:] = np.bincount(bigram, minlength=16) / max(len(codes) - 1, 1)
    return out


@constrained(k=Interval(int, 1, 5))
def kmer_counts(sequences: list[str], k: int = 2) -> sp.csr_array:
    """Shares of the words of ``k`` amino acids in each sequence.

    >>> from trueval.data.simulate._sequences import kmer_counts
    >>> kmer_counts(["ACAC"]).data.round(2).tolist()
    [0.67, 0.33]
    """
    code = np.full(256, -1, dtype=np.int64)
    code[[ord(a) for a in AMINO_ACIDS]] = np.arange(20)
    rows, columns, values = [], [], []
    for row, sequence in enumerate(sequences):
        letters = code[np.frombuffer(sequence.encode("latin-1", "replace"), dtype=np.uint8)]
        if len(letters) < k:
            continue
        windows = np.lib.stride_tricks.sliding_window_view(letters, k)
        words = (windows @ 20 ** np.arange(k)[::-1])[(windows >= 0).all(axis=1)]
        found, count = np.unique(words, return_counts=True)
        rows.append(np.full(len(found), row))
        columns.append(found)
        values.append(count / max(count.sum(), 1))
    # int32 where it fits: liblinear, so LogisticRegression and LinearSVC, takes no other.
    kind = sp.get_index_dtype(maxval=max(len(sequences), 20**k, sum(map(len, rows))))
    place = tuple(np.concatenate([*at, np.empty(0, kind)]).astype(kind) for at in (rows, columns))
    data = np.concatenate([*values, np.empty(0)])
    return sp.csr_array((data, place), shape=(len(sequences), 20**k))
