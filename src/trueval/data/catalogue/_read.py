"""Files of the catalogue as arrays: npz, names one on a line, tables of text."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.sparse import check_indices
from trueval.data._formats.npz import open_npz
from trueval.data._lines import text_lines
from trueval.data._source import Source

__all__ = ["read_arrays", "read_columns", "read_csr", "read_names"]


def read_arrays(path: Any) -> dict[str, NDArray[Any]]:
    """All arrays of an ``.npz``."""
    with open_npz(Source.of(path)) as archive:
        if not archive.names:
            raise archive.source.fail("there is no array in the archive.", fix="Replace it.")
        return {name: archive[name] for name in archive.names}


def read_csr(path: Any) -> sp.csr_array:
    """The sparse matrix of an ``.npz``, its indices checked."""
    with open_npz(Source.of(path)) as archive:
        matrix = archive.sparse().tocsr()
        check_indices(matrix)
        return sp.csr_array(matrix)


def read_columns(path: Any) -> dict[str, NDArray[Any]]:
    """Columns of a table separated by tabs as text, by the names of its header."""
    source = Source.of(path)
    lines = text_lines(source)
    header = next(lines, (1, ""))[1].split("\t")
    rows = []
    for number, line in lines:
        rows.append(line.split("\t"))
        if len(rows[-1]) != len(header):
            raise source.fail(
                f"{len(rows[-1])} fields where the header has {len(header)}.",
                fix="The file is damaged; replace it.",
                line=number,
            )
    columns = zip(*rows, strict=True) if rows else ((),) * len(header)
    # Objects: sequences of very different lengths would all take the room of the longest.
    return {n: np.array(c, dtype=object) for n, c in zip(header, columns, strict=True)}


def read_names(path: Any) -> list[str]:
    """First column of a text file: one name a line; of a ``.tsv``, below its header."""
    source = Source.of(path)
    names = [line.split("\t", 1)[0] for _, line in text_lines(source)]
    names = names[1:] if source.suffix == ".tsv" else names
    source.need(4 * max(map(len, names), default=0) * len(names), f"{len(names):,} names")
    if len(set(names)) < len(names):
        raise source.fail(
            f"{len(names):,} names, {len(set(names)):,} of them different.", fix="Replace the file."
        )
    return names
