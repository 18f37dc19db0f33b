"""File formats: one module and one record each, found by looking into this folder.

A new format is a new module here with a tuple ``FORMATS`` of :class:`Format` records. All
values that a table or matrix can hold are then read from it and written to it.
"""

import codecs
import functools
import pkgutil
import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from trueval.core.errors import Fix, ParameterError
from trueval.core.files import COMPRESSIONS, atomic_write, sha256_of
from trueval.core.labels import Labels
from trueval.core.params import Choice
from trueval.data._formats._format import Format
from trueval.data._raw import RawMatrix, RawTable
from trueval.data._side import check_side, read_side, write_side
from trueval.data._source import Source

__all__ = [
    "Format",
    "find_format",
    "is_cafa",
    "is_gaf",
    "known",
    "output_format",
    "read_raw",
    "write_raw",
]

_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*"|\s*\[\s*\[\s*["\d]')
_PICKLE = re.compile(rb"\x80[\x02-\x05][\x8c\x95\]\}\(cqKXU]")


@functools.cache
def formats() -> dict[str, Format]:
    """All formats by name."""
    modules = [m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")]
    records = [f for name in sorted(modules) for f in import_module(f"{__name__}.{name}").FORMATS]
    return {record.name: record for record in records}


def known(accepts: Sequence[str]) -> list[str]:
    """Names of the formats that hold one of these."""
    return [name for name, form in formats().items() if set(form.holds) & set(accepts)]


def find_format(
    source: Source,
    name: str | None = None,
    accepts: Sequence[str] = ("labels", "matrix", "table"),
    *,
    delimiter: str | None = None,
) -> Format:
    r"""Find the format of a file, by the user's word, its name, or its first bytes.

    Numbers between blanks are a table where the user says the delimiter.

    >>> find_format(Source(b"2 10 5\n0,3 1:1\n4 2:1\n", name="labels.txt")).name
    'xmc'
    """
    if name is not None and name not in known(accepts):
        raise ParameterError("format", str(Choice(known(accepts))), name)
    head = source.head()
    if not head:
        raise source.fail("the file is empty once decompressed.", fix="Write it again.")
    _refuse(source, head)
    magic = next((f for f in formats().values() if head.startswith(f.magic)), None)
    named = next((f for f in formats().values() if source.suffix in f.suffixes), None)
    form = formats()[name] if name else named or magic or _of_text(source, head, delimiter)
    if form.last and (source.suffix in (".json", ".jsonl", ".ndjson") or _JSON.match(head)):
        raise source.fail("this is JSON.", fix="Write a table: CSV or Parquet.")
    if form.magic != (magic.magic if magic else ()):
        begins = f"as {magic.name} does" if magic else f"with {head[:8]!r}"
        raise source.fail(
            f"expected {form.name} (by the {'format name' if name else 'name'}), but the file "
            f"begins {begins}.",
            fix="Rename it, or pass its true format.",
        )
    if form.name not in known(accepts):
        raise source.fail(
            f"the file is of format {form.name}, which cannot be read here.",
            fix=Fix(
                f"Use one of {', '.join(known(accepts))}, or pass {{}} if it was taken for "
                "something else.",
                "format",
            ),
        )
    return form


def is_gaf(source: Source) -> bool:
    """Tell annotations of genes from other text, by the name or the first line."""
    form = formats()["gaf"]
    assert form.sniff is not None
    head = source.head().removeprefix(codecs.BOM_UTF8)
    return source.suffix in form.suffixes or form.sniff(head)


def is_cafa(head: bytes) -> bool:
    """Tell CAFA predictions from other text, by the words that begin their first line."""
    first = head.removeprefix(codecs.BOM_UTF8).split(None, 1)[:1]
    return first in ([b"AUTHOR"], [b"MODEL"], [b"KEYWORDS"])


def _of_text(source: Source, head: bytes, delimiter: str | None) -> Format:
    text = head.removeprefix(codecs.BOM_UTF8)
    if is_cafa(head):
        raise source.fail(
            "this is a file of CAFA predictions.", fix="Use trueval.cafa.read_predictions."
        )
    for form in sorted(formats().values(), key=lambda form: form.last):
        if delimiter is not None and "delimiter" not in form.options:
            continue
        if form.sniff is not None and form.sniff(text):
            return form
    raise source.fail(
        f"the format is not known (first bytes {head[:8]!r}). Known: {', '.join(formats())}."
    )


def _refuse(source: Source, head: bytes) -> None:
    """Say what to do with what is not read at all, or not here."""
    if _PICKLE.match(head) or source.suffix in (".pkl", ".pickle", ".joblib"):
        raise source.fail(
            "this is a pickle, which can run any code when opened and is never read.",
            fix="Save the labels with scipy.sparse.save_npz, or as CSV or Parquet.",
        )
    if source.suffix in (".xlsx", ".xls", ".ods"):
        raise source.fail("this is a workbook.", fix="Save the sheet as CSV, in UTF-8.")
    if source.suffix == ".zip" and head.startswith(b"PK"):
        raise source.fail("this is a zip archive.", fix="Unzip it and name the file inside.")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise source.fail("the file is UTF-16.", fix="Save it as UTF-8.")
    if source.suffix == ".obo" or head.startswith(b"format-version:"):
        raise source.fail("this is an OBO ontology.", fix="Use trueval.data.read_ontology.")


def read_raw(source: Source, form: Format, **options: Any) -> RawTable | RawMatrix | Labels:
    """What a file holds; of the options, those that are given and the format takes."""
    taken = {k: v for k, v in options.items() if k in form.options and v is not None}
    raw = form.read(source, **taken)
    if form.beside and isinstance(raw, RawTable):
        raw.metadata |= read_side(source)
    return raw


def output_format(
    path: Any, name: str | None = None, accepts: Sequence[str] = ("matrix", "table")
) -> Format:
    """Format to write, by choice or by name.

    >>> output_format("folds.tsv.gz").name
    'tsv'
    """
    written = [f for f in formats().values() if f.write and set(f.holds) & set(accepts)]
    file = Path(path)
    compressed = file.suffix.lower() in COMPRESSIONS
    suffix = (file.with_suffix("") if compressed else file).suffix.lower()
    form = next((f for f in written if (f.name == name if name else suffix in f.suffixes)), None)
    if form is None:
        choices = [f.name if name else f.suffixes[0] for f in written]
        expected = f"{', '.join(choices[:-1])} or {choices[-1]}"
        if name:
            raise ParameterError("format", expected, name)
        raise ParameterError("path", f"a name that ends in {expected}", str(path))
    if compressed and form.packed:
        expected = f"a name without {file.suffix}: {form.name} is compressed in itself"
        raise ParameterError("path", expected, str(path))
    return form


def write_raw(path: Any, form: Format, raw: RawTable | RawMatrix) -> None:
    """Write a table or matrix; the file is complete or not there."""
    assert form.write is not None
    if isinstance(raw, RawMatrix) and "matrix" not in form.holds:
        raw = raw.as_table()
    metadata = raw.metadata if isinstance(raw, RawTable) and form.beside else {}
    if metadata:
        check_side(path)
    checksums: list[str] = []  # none of a device or pipe

    def look(whole: Path) -> None:
        if metadata:
            checksums.append(sha256_of(whole))

    with atomic_write(path, compress=not form.packed, look=look) as file:
        form.write(file, raw)
    for checksum in checksums:
        write_side(path, metadata, checksum)
