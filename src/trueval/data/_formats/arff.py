"""ARFF, dense and sparse, with the labels told as Mulan (XML) or MEKA (``-C``) do."""

import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from trueval.core.errors import Fix, need_extra, shorten
from trueval.core.labels import Labels
from trueval.data._entries import csr_of_lists
from trueval.data._formats._format import Format
from trueval.data._lines import text_lines
from trueval.data._names import as_array, check_unique, names_of
from trueval.data._source import Source

__all__ = ["FORMATS"]

_MEKA = re.compile(r"-[cC]\s+(-?\d{1,9})\b")
_LARGEST_XML = 64 * 2**20
_HEADER = ("@relation", "@attribute", "@data", "%")
_FIRST = re.compile(rb"^\s*@(relation|attribute)\b", re.IGNORECASE | re.MULTILINE)
# A name in quotes; inside, a backslash escapes as in Java's StreamTokenizer, which WEKA reads by.
_NAME = re.compile(
    r"""\s*@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")(?=[\s{])""", re.IGNORECASE
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[0-3]?[0-7]{1,2}|.)")
_CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
# The decoder does not know its line; ours is told anyway.
_AT_LINE = re.compile(",? (?:at|in) line %d")
_ONE = frozenset({"1", "1.0", "true", "True", "TRUE"})
_ZERO = frozenset({"0", "0.0", "false", "False", "FALSE"})


def _read(source: Source, label_list: Any = None, encoding: str = "utf-8") -> Labels:
    """Labels; ``label_list`` is Mulan's XML file, the names of the attributes, or their number.

    Negative numbers count from the end. Found by itself in the relation name, as MEKA
    writes it, or in an XML file of the same name.
    """
    arff = need_extra("arff", "arff", "ARFF")
    lines = _Lines(source, encoding)
    with source.guard("ARFF"):
        try:
            sparse = _is_sparse(source, encoding)
            decoder = arff.ArffDecoder()
            decoded = decoder.decode(lines, return_type=arff.LOD_GEN if sparse else arff.DENSE_GEN)
            attributes = decoded["attributes"]
            names = lines.attribute_names([str(name) for name, _ in attributes])
            check_unique(source, as_array(source, names, "attribute names"), "attribute")
            chosen = _label_attributes(source, str(decoded["relation"]), names, label_list)
            classes = as_array(source, [names[at] for at in chosen], "class names")
            rows = _Rows(source, lines, classes)
            if sparse:
                rows.add_sparse(decoded["data"], attributes, chosen)
            else:
                rows.add_dense(decoded["data"], chosen)
            return rows.labels()
        except arff.ArffException as error:
            said = _AT_LINE.sub("", error.message or "", count=1)
            raise source.fail(
                shorten(" ".join(said.split()), 300), fix="Correct the line.", line=lines.number
            ) from None


class _Lines:
    """Lines for the decoder, which leaves escapes in names; knows how far it is.

    Lines of the header that the decoder does not know, and would pass over, are refused.
    """

    def __init__(self, source: Source, encoding: str) -> None:
        self._source = source
        self._lines = text_lines(source, encoding)
        self._names: list[str | None] = []
        self._in_header = True
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        for number, line in self._lines:
            self.number = number
            if self._in_header:
                # The decoder knows no keyword behind a tab.
                line = line.strip()
                self._note_name(line)
            elif line.lstrip().startswith("{"):
                self._check_sparse(line)
            yield line

    def _check_sparse(self, line: str) -> None:
        """Refuse a row that has an attribute twice; the decoder would take the last."""
        pairs = _QUOTED.sub("?", line.strip()[1:-1]).split(",")
        keys = [pair.split(None, 1)[0].lstrip("0") for pair in pairs if pair.strip()]
        if len(set(keys)) < len(keys):
            twice = next(key for at, key in enumerate(keys) if key in keys[:at])
            raise self._source.fail(
                f"the row has attribute {shorten(twice or '0')} twice.",
                fix="Keep one of the two.",
                line=self.number,
            )

    def _note_name(self, line: str) -> None:
        word = line[:10].lower()
        if line and not word.startswith(_HEADER):
            raise self._source.fail(
                f"{shorten(line)!r} is not @relation, @attribute, @data or a comment (%).",
                fix="Correct the line.",
                line=self.number,
            )
        self._in_header = not word.startswith("@data")
        if word.startswith("@attribute"):
            quoted = _NAME.match(line)
            inside = quoted and next(text for text in quoted.groups() if text is not None)
            self._names.append(None if inside is None else _ESCAPE.sub(_unescaped, inside))

    def attribute_names(self, decoded: list[str]) -> list[str]:
        """Names without escapes; those that are not in quotes as the decoder has them."""
        if len(self._names) != len(decoded):
            return decoded
        pairs = zip(self._names, decoded, strict=True)
        return [name if quoted is None else quoted for quoted, name in pairs]


def _unescaped(escape: re.Match[str]) -> str:
    """What a backslash and the characters behind it stand for."""
    text = escape[1]
    if text[0] == "u" and len(text) == 5:
        return chr(int(text[1:], 16))
    return chr(int(text, 8)) if text[0] in "01234567" else _CONTROLS.get(text, text)


def _is_sparse(source: Source, encoding: str) -> bool:
    """Whether the first row of data is sparse, ``{…}``."""
    inside = False
    for _, line in text_lines(source, encoding):
        text = line.strip()
        if inside and text and not text.startswith("%"):
            return text.startswith("{")
        if text.lower().startswith("@data"):
            inside = True
    missing = "rows after @data" if inside else "@data section"
    raise source.fail(f"there are no {missing}.", fix="The file is truncated: fetch it again.")


def _label_attributes(source: Source, relation: str, names: list[str], which: Any) -> list[int]:
    meka = _MEKA.search(relation)
    if which is None and meka is not None:
        which = int(meka.group(1))
    beside = source.path.with_name(source.path.name.split(".")[0] + ".xml")
    if which is None and source.is_path and beside.is_file():
        which = beside
    if which is None:
        raise source.fail(
            f"which of the {len(names)} attributes are labels? The relation {shorten(relation)!r} "
            f"has no MEKA option -C and there is no {beside.name} next to it.",
            fix=Fix(
                "Pass {} with Mulan's XML file, the names, or their number (negative: the last "
                "ones).",
                "label_list",
            ),
        )
    if isinstance(which, int):
        if not 0 < abs(which) <= len(names):
            raise source.fail(
                f"{which} label attributes are announced (-C or label_list), but there are "
                f"{len(names)} attributes.",
                fix="Correct the number.",
            )
        return list(range(which) if which > 0 else range(len(names) + which, len(names)))
    labels = _xml_names(which) if isinstance(which, str | Path) else names_of(which, "label_list")
    place = {name: at for at, name in enumerate(names)}
    unknown = [str(name) for name in labels if str(name) not in place]
    if unknown:
        raise source.fail(
            f"{len(unknown)} labels are not attributes: {shorten(', '.join(unknown[:5]), 200)}.",
            fix="The label list belongs to another file, or the names differ.",
        )
    return [place[str(name)] for name in labels]


def _xml_names(path: Any) -> list[str]:
    source = Source(path, max_bytes=_LARGEST_XML)
    with source.guard("an XML label list"), source.open() as stream:
        text = stream.read()
        # In UTF-16 every other byte is NUL; the words are found in whatever encoding.
        plain = text.replace(b"\0", b"").upper()
        if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
            raise source.fail("entities and document types are not read.", fix="Remove them.")
        root = ET.fromstring(text)
        names = [
            str(node.get("name"))
            for node in root.iter()
            if node.tag.rpartition("}")[2] == "label" and node.get("name") is not None
        ]
        if not names:
            raise source.fail(
                'there is no <label name="…"> in it. Give the label list of the data set.'
            )
        check_unique(source, as_array(source, names, "labels"), "label")
        return names


class _Rows:
    """Labels of rows, as the decoder gives them."""

    def __init__(self, source: Source, lines: _Lines, classes: Any) -> None:
        self._source, self._lines, self._classes = source, lines, classes
        self._columns, self._offsets = array("i"), array("q", [0])

    def add_dense(self, data: Any, chosen: list[int]) -> None:
        for row in data:
            for column, at in enumerate(chosen):
                if self._is_one(row[at], column):
                    self._columns.append(column)
            self._offsets.append(len(self._columns))

    def add_sparse(self, data: Any, attributes: list[Any], chosen: list[int]) -> None:
        # What a sparse row leaves out is 0, or the first of a nominal attribute's values.
        left_out = {
            column
            for column, at in enumerate(chosen)
            if isinstance(attributes[at][1], list)
            and attributes[at][1]
            and self._is_one(str(attributes[at][1][0]), column)
        }
        place = {at: column for column, at in enumerate(chosen)}
        for row in data:
            stored = {place[at]: value for at, value in row.items() if at in place}
            self._columns.extend(c for c, value in stored.items() if self._is_one(value, c))
            self._columns.extend(left_out - stored.keys())
            self._offsets.append(len(self._columns))

    def _is_one(self, value: Any, column: int) -> bool:
        text = "" if value is None else value if isinstance(value, str) else repr(value)
        if text.strip() in _ONE:
            return True
        if text.strip() in _ZERO:
            return False
        what = f"the value {shorten(text)!r} is not 0 or 1" if text else "the value is missing"
        raise self._source.fail(
            f"{what}; labels must be 0 or 1.",
            fix="Correct it, or drop the row.",
            line=self._lines.number,
            column=str(self._classes[column]),
        )

    def labels(self) -> Labels:
        columns = np.frombuffer(self._columns, np.int32) if self._columns else np.empty(0, np.int32)
        offsets = np.frombuffer(self._offsets, np.int64)
        return Labels._trusted(csr_of_lists(columns, offsets, len(self._classes)), self._classes)


FORMATS = (
    Format(
        "arff",
        holds=("labels",),
        read=_read,
        options=("label_list", "encoding"),
        suffixes=(".arff",),
        sniff=lambda head: _FIRST.search(head) is not None,
        extra="arff",
    ),
)
