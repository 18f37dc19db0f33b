"""ARFF, dense and sparse, with the labels told as Mulan (XML) or MEKA (``-C``) do.

Needs the extra ``arff`` (liac-arff).
"""

import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from trueval.core.errors import Fix, need_extra, shorten
from trueval.core.labels import Labels
from trueval.data.delimited import binary
from trueval.data.lines import csr_of
from trueval.data.names import as_array, check_unique, given_names
from trueval.data.source import Source
from trueval.data.text import text_lines

__all__ = ["read_arff_labels"]

_MEKA = re.compile(r"-[cC]\s+(-?\d{1,9})\b")
_LARGEST_XML = 64 * 2**20


def read_arff_labels(source: Source, *, label_list: Any = None, encoding: str = "utf-8") -> Labels:
    """Labels of an ARFF file; see :func:`trueval.data.read_labels`."""
    arff = need_extra("arff", "arff", "ARFF")
    lines = _Lines(source, encoding)
    with source.guard("ARFF"):
        try:
            start = _data_start(source, encoding)
            decoder = arff.ArffDecoder()
            decoded = decoder.decode(lines, return_type=arff.LOD_GEN if start else arff.DENSE_GEN)
            attributes = decoded["attributes"]
            names = [str(name) for name, _ in attributes]
            chosen = _label_attributes(source, str(decoded["relation"]), names, label_list)
            return _read(source, decoded["data"], attributes, chosen, bool(start), lines)
        except arff.ArffException as error:
            raise source.fail(
                f"{' '.join(str(error).split())[:300]} Correct the line.", line=lines.number
            ) from None


class _Lines:
    """Lines for the decoder; knows how far it is."""

    def __init__(self, source: Source, encoding: str) -> None:
        self._lines = text_lines(source, encoding)
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        for number, line in self._lines:
            self.number = number
            yield line


def _data_start(source: Source, encoding: str) -> bool:
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


def _label_attributes(source: Source, relation: str, names: list[str], given: Any) -> list[int]:
    meka = _MEKA.search(relation)
    if given is None and meka is not None:
        given = int(meka.group(1))
    beside = source.path.with_name(source.path.name.split(".")[0] + ".xml")
    if given is None and beside.is_file():
        given = beside
    if given is None:
        raise source.fail(
            f"which of the {len(names)} attributes are labels? The relation {shorten(relation)!r} "
            f"has no MEKA option -C and there is no {beside.name} beside it.",
            fix=Fix(
                "Pass {} with Mulan's XML file, the names, or their number (negative: the last "
                "ones).",
                "label_list",
            ),
        )
    if isinstance(given, int):
        if not 0 < abs(given) <= len(names):
            raise source.fail(
                f"{given} label attributes are announced (-C or label_list), but there are "
                f"{len(names)} attributes.",
                fix="Correct the number.",
            )
        return list(range(given) if given > 0 else range(len(names) + given, len(names)))
    labels = (
        _xml_names(given) if isinstance(given, str | Path) else given_names(given, "label_list")
    )
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
        if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
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


def _read(
    source: Source,
    data: Any,
    attributes: list[tuple[str, Any]],
    chosen: list[int],
    sparse: bool,
    lines: _Lines,
) -> Labels:
    classes = as_array(source, [str(attributes[at][0]) for at in chosen], "class names")
    check_unique(source, classes, "class")
    if not sparse:
        return _read_dense(source, data, classes, chosen, lines)
    # What a sparse row leaves out is 0, or the first of a nominal attribute's values.
    usual = {
        column: str(attributes[at][1][0])
        for column, at in enumerate(chosen)
        if isinstance(attributes[at][1], list) and attributes[at][1]
    }
    ones = {
        column
        for column, value in usual.items()
        if binary(source, value, lines.number, str(classes[column]))
    }
    place = {at: column for column, at in enumerate(chosen)}
    indices, counts = array("q"), array("q")
    for row in data:
        before = len(indices)
        told = set()
        for at, value in row.items():
            column = place.get(at)
            if column is None:
                continue
            told.add(column)
            if _is_one(source, value, str(classes[column]), lines):
                indices.append(column)
        indices.extend(ones - told)
        counts.append(len(indices) - before)
    return Labels._trusted(csr_of(np.asarray(counts), np.asarray(indices), len(classes)), classes)


def _read_dense(
    source: Source, data: Any, classes: Any, chosen: list[int], lines: _Lines
) -> Labels:
    indices, counts = array("q"), array("q")
    for row in data:
        before = len(indices)
        for column, at in enumerate(chosen):
            if _is_one(source, row[at], str(classes[column]), lines):
                indices.append(column)
        counts.append(len(indices) - before)
    return Labels._trusted(csr_of(np.asarray(counts), np.asarray(indices), len(classes)), classes)


def _is_one(source: Source, value: Any, column: str, lines: _Lines) -> bool:
    text = "" if value is None else value if isinstance(value, str) else repr(value)
    return binary(source, text, lines.number, column)
