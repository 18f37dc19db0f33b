"""The format of a file, by its name and its first bytes."""

import codecs
import re

from trueval.core.errors import Fix, ParameterError
from trueval.core.params import Choice
from trueval.data.source import Source

__all__ = ["FORMATS", "find_format", "is_gaf"]

#: Formats of :func:`trueval.data.read_labels`.
FORMATS = ("npz", "npy", "csv", "tsv", "parquet", "svmlight", "xmc", "arff", "h5ad")

_BY_SUFFIX = {
    ".npz": "npz",
    ".npy": "npy",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".xmc": "xmc",
    ".arff": "arff",
    ".h5ad": "h5ad",
}
_BY_MAGIC = {
    b"PK\x03\x04": "npz",
    b"PK\x05\x06": "npz",
    b"\x93NUMPY": "npy",
    b"PAR1": "parquet",
    b"\x89HDF\r\n\x1a\n": "h5ad",
}
_BINARY = frozenset(_BY_MAGIC.values())
_PICKLE = re.compile(rb"\x80[\x02-\x05][\x8c\x95\]\}\(cqKXU]")
_XMC = re.compile(rb"\s*\d+[ \t]+\d+[ \t]+\d+[ \t]*\r?(\n|$)")
_SVMLIGHT = re.compile(rb"(?:#[^\n]*\n)*([-+.\d,]*[ \t]+(qid:\d+[ \t]+)?|)\d+:[-+.\deE]+\s")


def find_format(
    source: Source, given: str | None = None, allowed: tuple[str, ...] = FORMATS
) -> str:
    r"""Find the format of a file.

    >>> from trueval.data.sniff import find_format
    >>> from trueval.data.source import Source
    >>> find_format(Source("labels.txt", data=b"2 10 5\n0,3 1:1\n4 2:1\n"))
    'xmc'
    """
    if given is not None and given not in allowed:
        raise ParameterError("format", str(Choice(allowed)), given)
    head = source.head()
    if not head:
        raise source.fail("the file is empty once decompressed.", fix="Write it again.")
    if _PICKLE.match(head) or source.suffix in (".pkl", ".pickle", ".joblib"):
        raise source.fail(
            "this is a pickle, which can run any code when opened and is never read.",
            fix="Save the labels with scipy.sparse.save_npz, or as CSV or Parquet.",
        )
    _refuse_archive(source, head)
    magic = next((form for start, form in _BY_MAGIC.items() if head.startswith(start)), None)
    form = given or _BY_SUFFIX.get(source.suffix) or magic or _of_text(source, head)
    if magic != form and (magic is not None or form in _BINARY):
        really = f"as {magic} does" if magic else f"with {head[:8]!r}"
        raise source.fail(
            f"expected {form} (by the {'format given' if given else 'name'}), but the file "
            f"begins {really}.",
            fix="Rename it, or pass its true format.",
        )
    if form not in allowed:
        raise source.fail(
            f"the file is of format {form}, which cannot be read here.",
            fix=Fix(
                f"Use one of {', '.join(allowed)}, or pass {{}} if it was taken for something "
                "else.",
                "format",
            ),
        )
    return form


def _refuse_archive(source: Source, head: bytes) -> None:
    """Say what to do with a file around the data."""
    if source.suffix in (".xlsx", ".xls", ".ods"):
        raise source.fail("this is a workbook.", fix="Save the sheet as CSV, in UTF-8.")
    if source.suffix == ".zip" and head.startswith(b"PK"):
        raise source.fail("this is a zip archive.", fix="Unzip it and name the file inside.")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise source.fail("the file is UTF-16.", fix="Save it as UTF-8.")


def is_gaf(source: Source) -> bool:
    """Tell annotations of genes from other text, by the name or the first line."""
    head = source.head().removeprefix(b"\xef\xbb\xbf")
    return source.suffix == ".gaf" or head.startswith(b"!gaf-version")


def _of_text(source: Source, head: bytes) -> str:
    text = head.removeprefix(b"\xef\xbb\xbf")
    if is_gaf(source):
        raise source.fail(
            "this is a GAF annotation file.", fix="Use trueval.data.read_annotations."
        )
    if text.startswith(b"format-version:") or source.suffix == ".obo":
        raise source.fail("this is an OBO ontology.", fix="Use trueval.data.read_ontology.")
    if re.search(rb"^\s*@(relation|attribute)\b", text, re.IGNORECASE | re.MULTILINE):
        return "arff"
    if b"\0" in text:
        raise source.fail(
            f"the format is not known (first bytes {head[:8]!r}). Known: {', '.join(FORMATS)}."
        )
    if _XMC.match(text):
        return "xmc"
    if _SVMLIGHT.match(text):
        return "svmlight"
    return "tsv" if b"\t" in text.split(b"\n", 1)[0] else "csv"
