"""Small tables and archives on their way to disk, shared by the writers."""

import csv
import io
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, ParameterError, need_extra, quote
from trueval.core.files import COMPRESSIONS, atomic_write

__all__ = [
    "OUTPUTS",
    "distinct_names",
    "output_format",
    "plain_names",
    "write_arrays",
    "write_parquet",
    "write_rows",
]

#: Formats that are written.
OUTPUTS = ("npz", "csv", "tsv", "parquet")
_SUFFIX = {".npz": "npz", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet"}
_BLOCK = 10_000


def output_format(path: Any, given: str | None) -> str:
    """Format to write, by name or by choice.

    >>> output_format("folds.tsv.gz", None)
    'tsv'
    """
    name = Path(path)
    packed = name.suffix.lower() in COMPRESSIONS
    suffix = (name.with_suffix("") if packed else name).suffix.lower()
    form = given or _SUFFIX.get(suffix)
    if form not in OUTPUTS:
        expected = "npz, csv, tsv or parquet, or the name of the file end so"
        raise ParameterError("format", expected, given or str(path))
    if packed and form in ("npz", "parquet"):
        expected = f"a name without {name.suffix}: {form} is compressed in itself"
        raise ParameterError("path", expected, str(path))
    return form


def plain_names(
    names: NDArray[Any], what: str, forbidden: str = "", instead: str = "write npz or Parquet"
) -> list[str]:
    """Names as text that a reader of tables gives back unchanged."""
    texts = distinct_names(names, what)
    for text in texts:
        bad = next((c for c in "\n\r\t\0" + forbidden if c in text), None)
        if bad is not None or text != text.strip() or not text:
            why = f"contains {bad!r}" if bad else "is empty or has space around it"
            raise InputError(
                f"the {what} {quote(text, 60)} {why} and would not be read back.",
                fix=f"Rename it, or {instead}.",
            )
    return texts


def distinct_names(names: NDArray[Any], what: str) -> list[str]:
    """Names as Unicode text, each once."""
    texts = [str(name) for name in names.tolist()]
    if len(set(texts)) < len(texts):
        twice = next(text for text, n in Counter(texts).items() if n > 1)
        raise InputError(
            f"the {what} {quote(twice, 60)} stands twice.", fix="Names must be unique."
        )
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        odd = next(text for text in texts if any("\ud800" <= c <= "\udfff" for c in text))
        raise InputError(
            f"the {what} {quote(odd, 60)} holds half a surrogate pair, which UTF-8 cannot.",
            fix="Rename it, or write npz.",
        ) from None
    return texts


def write_rows(
    path: Any, delimiter: str, rows: Iterable[Sequence[Any]], comments: Sequence[str] = ()
) -> None:
    """Write a delimited table atomically."""
    with atomic_write(path) as file:
        for comment in comments:
            file.write(f"# {comment}\n".encode())
        block = io.StringIO()
        writer = csv.writer(block, delimiter=delimiter, lineterminator="\n")
        for number, row in enumerate(rows):
            writer.writerow(row)
            if number % _BLOCK == _BLOCK - 1:
                file.write(block.getvalue().encode())
                block.seek(0)
                block.truncate()
        file.write(block.getvalue().encode())


def write_arrays(path: Any, arrays: Mapping[str, Any]) -> None:
    """Write an ``.npz`` atomically; the same arrays give the same bytes."""
    with (
        atomic_write(path, compress=False) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, values in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(values), allow_pickle=False)


def write_parquet(path: Any, columns: Mapping[str, Any], metadata: Any = None) -> None:
    """Write a Parquet table atomically; a pair (offsets, values) makes a list column."""
    arrow = need_extra("pyarrow", "parquet", "Parquet")
    parquet = need_extra("pyarrow.parquet", "parquet", "Parquet")
    arrays = {}
    for name, values in columns.items():
        if isinstance(values, tuple):
            offsets, inner = (arrow.array(part) for part in values)
            arrays[name] = arrow.LargeListArray.from_arrays(offsets, inner)
        elif getattr(values, "dtype", np.dtype(int)).kind == "U":
            arrays[name] = arrow.array(values.tolist())  # Arrow's own way ends at a NUL
        else:
            arrays[name] = arrow.array(values)
    table = arrow.table(arrays).replace_schema_metadata(metadata)
    with atomic_write(path, compress=False) as file:
        parquet.write_table(table, file, compression="zstd")
