"""What the catalogue knows of each data set: shape, source, rights, files.

A set may have *files*, conversions with known checksums (sparse ``.npz``, gzip text)
that all read alike, and *published* files, those of the authors, whose checksums the
catalogue does not know. Nothing here is guessed: what is not known is None.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

__all__ = ["CATALOGUE", "DatasetInfo", "FileInfo"]


@dataclass(frozen=True)
class FileInfo:
    """One file of a data set."""

    name: str
    size: int | None = None  # in bytes; None where not known
    sha256: str | None = None  # none where not known
    url: str | None = None  # where exactly this file can be fetched; None if nowhere known


@dataclass(frozen=True)
class DatasetInfo:
    """One data set of the catalogue.

    Attributes
    ----------
    name : str
    kind : {"labels", "ontology", "pairs", "arrays"}
    rows, classes, positives, features : int or None
        None where the data have no such thing, or where it is not known.
    citation, licence : str
    origin, home : str
        What the files were made of, and the page where that is found.
    note : str
    files : mapping of str to FileInfo
        Conversions, by what they hold; may be empty.
    published : mapping of str to FileInfo
        The files of the authors: ARFF with or without Mulan's XML label list, or
        extreme-classification text; parts are in order. May be empty.
    label_attributes : int or None
        For ARFF without a label list: how many attributes are labels, negative for
        the last ones.
    """

    name: str
    kind: str
    rows: int | None
    classes: int | None
    positives: int | None
    features: int | None
    citation: str
    licence: str
    origin: str
    home: str
    note: str
    files: Mapping[str, FileInfo]
    published: Mapping[str, FileInfo] = field(default_factory=dict)
    label_attributes: int | None = None


def _read_catalogue() -> dict[str, DatasetInfo]:
    text = files("trueval.data.catalogue").joinpath("entries.json").read_text(encoding="utf-8")
    entries = {}
    for fields in json.loads(text):
        for group in ("files", "published"):
            by_role = fields.pop(group, {})
            fields[group] = {role: FileInfo(**file) for role, file in by_role.items()}
        entries[fields["name"]] = DatasetInfo(**fields)
    return entries


CATALOGUE: Mapping[str, DatasetInfo] = _read_catalogue()
"""All data sets by name."""
