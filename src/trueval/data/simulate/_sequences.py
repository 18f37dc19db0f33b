"""What the simulated proteins share: heavy tails, words of sequences."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.params import Interval, constrained
from trueval.core.sparse import index_type
from trueval.data._sequence_features import AMINO_ACIDS

__all__ = ["heavy_tail", "kmer_counts"]


def heavy_tail(n: int) -> NDArray[np.float64]:
    """Shares that fall as 1, 1/2, 1/3 and so on.

    >>> from trueval.data.simulate._sequences import heavy_tail
    >>> (11 * heavy_tail(3)).round(6).tolist()
    [6.0, 3.0, 2.0]
    """
    weight = 1.0 / np.arange(1, n + 1)
    return weight / weight.sum()


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
        kmers, count = np.unique(words, return_counts=True)
        rows.append(np.full(len(kmers), row))
        columns.append(kmers)
        values.append(count / max(count.sum(), 1))
    kind = index_type(max(len(sequences), 20**k, sum(map(len, rows))))
    place = tuple(np.concatenate([*at, np.empty(0, kind)]).astype(kind) for at in (rows, columns))
    data = np.concatenate([*values, np.empty(0)])
    return sp.csr_array((data, place), shape=(len(sequences), 20**k))
