"""Lines of "labels features" in chunks, shared by svmlight and the XMC format."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import InputError, shorten
from trueval.data._lines import byte_blocks, check_lines
from trueval.data._source import Source

__all__ = ["LabelLines", "read_label_lines"]

_PROBLEMS = {
    1: "{token} is not a list of label numbers. Labels are whole numbers separated by commas, "
    "with a space before the features.",
    2: "label {token} is outside 0 … {last_label}. Correct it, or the number of labels.",
    3: "{token} is not a feature; each must be index:value. Complete or correct the line.",
    4: "feature {token} is outside 0 … {last_feature}. Correct it, or the number of features.",
}


class LabelLines(NamedTuple):
    """Labels of all lines, where those of each row begin, and the last row that is not blank."""

    labels: NDArray[Any]
    offsets: NDArray[np.int64]
    last_written: int


def read_label_lines(
    source: Source,
    stream: Any,
    *,
    n_labels: int = -1,
    n_features: int = -1,
    svmlight: bool,
    first_line: int,
) -> LabelLines:
    """Labels of all lines of a stream; int32 if they fit."""
    counts, labels = bytearray(), bytearray()
    dtype: np.dtype[Any] = np.dtype(np.int32)
    n_rows, last_written = 0, -1
    for line, chunk in byte_blocks(source, stream, first_line):
        check_lines(source, chunk, line)
        lengths, numbers, error, lines, offset, written = _kernels.label_lines(
            np.frombuffer(chunk, np.uint8), n_labels, n_features, svmlight
        )
        if error:
            raise _problem(source, chunk, error, line + lines, offset, n_labels, n_features)
        if (
            dtype == np.int32
            and len(numbers)
            and (numbers.min() < -(2**31) or numbers.max() >= 2**31)
        ):
            labels = bytearray(np.frombuffer(labels, dtype).astype(np.int64).data)
            dtype = np.dtype(np.int64)
        last_written = n_rows + written if written >= 0 else last_written
        n_rows += len(lengths)
        counts += lengths.astype(np.int32).data
        labels += numbers.astype(dtype, copy=False).data
    offsets = np.zeros(n_rows + 1, np.int64)
    np.cumsum(np.frombuffer(counts, np.int32), out=offsets[1:])
    return LabelLines(np.frombuffer(labels, dtype), offsets, last_written)


def _problem(
    source: Source, chunk: bytes, error: int, line: int, offset: int, n_labels: int, n_features: int
) -> InputError:
    start = chunk.rfind(b"\n", 0, offset) + 1
    words = chunk[offset : offset + 200].split(None, 1)
    token = words[0].decode("utf-8", "replace") if words else ""
    problem = _PROBLEMS[error].format(
        token=repr(shorten(token)), last_label=n_labels - 1, last_feature=n_features - 1
    )
    return source.fail(problem, line=line, column=offset - start + 1)
