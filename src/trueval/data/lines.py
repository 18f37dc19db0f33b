"""Lines of "labels features" in chunks, shared by svmlight and the XMC format."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import shorten
from trueval.data.source import Source

__all__ = ["LabelLines", "csr_of"]

_CHUNK = 8 * 2**20
_LONGEST_LINE = 64 * 2**20
_BLOCK = 2**17
_PROBLEMS = {
    1: "{token} is not a list of label numbers. Labels are whole numbers separated by commas, "
    "with a space before the features.",
    2: "label {token} is outside 0 … {last_label}. Correct it, or the number of labels.",
    3: "{token} is not a feature; each must be index:value. Complete or correct the line.",
    4: "feature {token} is outside 0 … {last_feature}. Correct it, or the number of features.",
}


class LabelLines:
    """Labels of all lines of a stream.

    Attributes
    ----------
    counts, labels : ndarray of int64
        Labels of each row, and the label numbers in order.
    last_written : int
        Last row that is not a blank line.
    """

    def __init__(
        self,
        source: Source,
        stream: Any,
        *,
        n_labels: int = -1,
        n_features: int = -1,
        svmlight: bool,
        first_line: int,
    ) -> None:
        counts: list[NDArray[np.int64]] = []
        labels: list[NDArray[np.int64]] = []
        self.last_written = -1
        n_rows = 0
        line = first_line
        rest = b""
        while True:
            block = stream.read(_CHUNK)
            cut = block.rfind(b"\n") + 1
            if block and not cut:
                rest += block
                source.need(len(rest), f"line {line}")
                if len(rest) > _LONGEST_LINE:
                    raise source.fail(
                        f"the line is longer than {_LONGEST_LINE:,} bytes.",
                        fix="This is not a table of lines; check the file and its format.",
                        line=line,
                    )
                continue
            chunk = rest + block[:cut] if block else rest
            rest = block[cut:]
            if chunk:
                text = np.frombuffer(chunk, np.uint8)
                c, found, error, lines, offset, written = _kernels.label_lines(
                    text, n_labels, n_features, svmlight
                )
                if error:
                    raise _problem(source, chunk, error, line + lines, offset, n_labels, n_features)
                if written >= 0:
                    self.last_written = n_rows + written
                n_rows += len(c)
                line += lines
                counts.append(c)
                labels.append(found)
            if not block:
                break
        empty = [np.empty(0, np.int64)]
        self.counts = np.concatenate(counts or empty)
        self.labels = np.concatenate(labels or empty)


def _problem(
    source: Source, chunk: bytes, error: int, line: int, offset: int, n_labels: int, n_features: int
) -> Any:
    start = chunk.rfind(b"\n", 0, offset) + 1
    words = chunk[offset : offset + 200].split(None, 1)
    token = words[0].decode("utf-8", "replace") if words else ""
    problem = _PROBLEMS[error].format(
        token=repr(shorten(token)), last_label=n_labels - 1, last_feature=n_features - 1
    )
    return source.fail(problem, line=line, column=offset - start + 1)


def csr_of(counts: NDArray[np.int64], columns: NDArray[Any], n_columns: int) -> sp.csr_array:
    """Canonical CSR of ones from the columns of each row."""
    indptr = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    small = np.int32 if max(len(columns), n_columns) < 2**31 else np.int64
    matrix = sp.csr_array(
        (
            np.ones(len(columns), np.int32),
            columns.astype(small, copy=False),
            indptr.astype(small, copy=False),
        ),
        shape=(len(counts), n_columns),
    )
    if not matrix.has_canonical_format:
        # A copy, as the memory may be Arrow's; bool, as duplicates must not add up.
        matrix = matrix.astype(bool, copy=True)
        matrix.sum_duplicates()
        matrix = matrix.astype(np.int32)
    return matrix


def distinct(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Distinct numbers in order, and the place of each label among them."""
    if len(labels) == 0:
        return labels, labels
    low, high = int(labels.min()), int(labels.max())
    if high - low > 4 * len(labels) + 1000:
        return np.unique(labels, return_inverse=True)
    shifted = labels if low == 0 else labels - low
    present = np.zeros(high - low + 1, bool)
    for start in range(0, len(shifted), _BLOCK):
        present[shifted[start : start + _BLOCK]] = True
        if present.all():  # most often after a few blocks: there is no need for the rest
            return np.arange(low, high + 1), shifted
    place = np.cumsum(present) - 1
    return np.flatnonzero(present) + low, place[shifted]
