"""What the catalogue knows of each data set: shape, source, rights, files.

The files are conversions of the published ones (sparse ``.npz``, gzip text), so
that all sets read alike. No address serves them, hence no ``url``: they are put
into place by hand. A file with a ``url`` is fetched on demand.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

__all__ = ["CATALOGUE", "DatasetInfo", "FileInfo"]


@dataclass(frozen=True)
class FileInfo:
    """One file of a data set.

    Attributes
    ----------
    name : str
    size : int
        In bytes.
    sha256 : str
    url : str or None
        Where exactly these bytes can be fetched; None if nowhere known.
    """

    name: str
    size: int
    sha256: str
    url: str | None = None


@dataclass(frozen=True)
class DatasetInfo:
    """One data set of the catalogue.

    Attributes
    ----------
    name : str
    kind : {"labels", "ontology", "pairs"}
    rows, classes, positives, features : int or None
        None where the data have no such thing.
    citation, licence : str
    origin, home : str
        What the files were made of, and the page where that is found.
    note : str
    files : mapping of str to FileInfo
        By what they hold.
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


def _read_catalogue() -> dict[str, DatasetInfo]:
    text = files("trueval.data").joinpath("catalogue.json").read_text(encoding="utf-8")
    entries = {}
    for fields in json.loads(text):
        held = {role: FileInfo(**file) for role, file in fields.pop("files").items()}
        entries[fields["name"]] = DatasetInfo(**fields, files=held)
    return entries


CATALOGUE: Mapping[str, DatasetInfo] = _read_catalogue()
"""All data sets by name."""
