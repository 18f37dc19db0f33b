"""Data sets of the catalogue, listed and loaded."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import InputError, Place
from trueval.core.labels import Labels
from trueval.core.params import BOOL, NONE, Where, constrained
from trueval.core.table import Table
from trueval.data._values.labels import read_labels
from trueval.data.catalogue._entries import CATALOGUE, DatasetInfo
from trueval.data.catalogue._files import Terms, checked, locate, record, status
from trueval.data.catalogue._read import read_arrays, read_columns, read_csr, read_names
from trueval.data.ontology import Ontology, read_ontology

__all__ = ["Dataset", "dataset_info", "list_datasets", "load_dataset"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set of the catalogue, loaded.

    Attributes
    ----------
    info : DatasetInfo
        Name, shape, citation, licence, origin.
    labels : Labels or None
    X : scipy.sparse.csr_array or None
        Features, where the set has them.
    ontology : Ontology or None
    arrays : mapping of str to ndarray
        For sets of pairs and other arrays, as the note describes; columns of a table
        as text.
    checksums : mapping of str to str
        The sha256 of each file read, by name; empty with ``verify=False``.
    """

    info: DatasetInfo
    labels: Labels | None = None
    X: sp.csr_array | None = None
    ontology: Ontology | None = None
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    checksums: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        if self.labels is not None:
            inside = repr(self.labels)
        elif self.ontology is not None:
            inside = repr(self.ontology)
        else:
            inside = ", ".join(f"{name} {a.shape}" for name, a in self.arrays.items())
        return f"Dataset({self.info.name}: {inside})"


def list_datasets() -> Table:
    """List the catalogue: one row for each data set.

    Returns
    -------
    Table
        Name, kind, sizes (0 where there is none or it is not known), licence,
        citation, home page, and ``where``: ``"folder"`` or ``"cache"`` if all files
        are there (not read, only seen), ``"download"`` if they can be fetched,
        ``"download, checksum unknown"`` if that needs ``accept_unknown=True``,
        ``"by hand"`` if no address serves them.

    Examples
    --------
    >>> from trueval.data import list_datasets
    >>> table = list_datasets()
    >>> bool((table["name"] == "bibtex").any())
    True
    """
    infos = list(CATALOGUE.values())

    def numbers(name: str) -> list[int]:
        return [getattr(info, name) or 0 for info in infos]

    return Table(
        {
            "name": [info.name for info in infos],
            "kind": [info.kind for info in infos],
            "rows": numbers("rows"),
            "classes": numbers("classes"),
            "positives": numbers("positives"),
            "features": numbers("features"),
            "where": [status(info).where for info in infos],
            "licence": [info.licence for info in infos],
            "citation": [info.citation for info in infos],
            "home": [info.home for info in infos],
        }
    )


def dataset_info(name: str) -> DatasetInfo:
    """Tell what the catalogue knows of a data set, without touching its files.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.

    Returns
    -------
    DatasetInfo
        Shape, citation, licence, origin, home page, note and files.

    Examples
    --------
    >>> from trueval.data import dataset_info
    >>> info = dataset_info("mediamill")
    >>> info.rows, info.classes
    (43907, 101)
    """
    if isinstance(name, str) and name in CATALOGUE:
        return CATALOGUE[name]
    from difflib import get_close_matches

    near = get_close_matches(str(name), CATALOGUE, n=3)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    raise InputError(
        f"there is no data set {str(name)[:80]!r} in the catalogue. {hint}It has: "
        f"{', '.join(CATALOGUE)}."
    )


def _are_sums(sums: Any) -> bool:
    return all(
        isinstance(s, str) and re.fullmatch("[0-9a-fA-F]{64}", s) for s in dict(sums).values()
    )


@constrained(
    fetch=BOOL,
    verify=BOOL,
    accept_unknown=BOOL,
    sha256=(NONE, Where(_are_sums, "a mapping from names of files to 64 hexadecimal digits")),
)
def load_dataset(
    name: str,
    *,
    fetch: bool = True,
    verify: bool = True,
    accept_unknown: bool = False,
    sha256: Mapping[str, str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Dataset:
    """Load a public data set by name.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.
    fetch : bool, default=True
        Whether to fetch files that are nowhere on this machine.
    verify : bool, default=True
        Whether each file must have the sha256 it should have. With False a
        conversion of your own is used if its shape is right.
    accept_unknown : bool, default=False
        Some files have no checksum in the catalogue. They are refused, and never
        fetched, unless this is True; then the sha256 that is seen is recorded in the
        cache folder as ``NAME.sha256``, and from then on only that file is accepted,
        without this parameter. The shape is checked in any case.
    sha256 : mapping of str to str, optional
        Checksums you know, by the name of the file; they go before all others.
    progress : callable, optional
        Called as ``progress(files_so_far, files_in_all)`` when a file has been fetched.

    Returns
    -------
    Dataset

    Raises
    ------
    InputError
        When a file is not there and cannot be fetched; the message says which
        file goes where. When a file is not the one expected.

    Examples
    --------
    >>> from trueval.data import load_dataset
    >>> load_dataset("bibtexx")
    Traceback (most recent call last):
    trueval.InputError: there is no data set 'bibtexx' in the catalogue. Did you mean...
    """
    info = dataset_info(name)
    sums = {name: checksum.lower() for name, checksum in dict(sha256 or {}).items()}
    terms = Terms(fetch, accept_unknown, sums, progress)
    files = locate(info, terms)
    to_check = files.values() if verify else ()
    seen = {file.name: checked(file, path, terms) for file, path in to_check}
    dataset = _loaded(info, {role: path for role, (_, path) in files.items()}, seen)
    for file, _ in to_check:
        record(file, seen[file.name], terms)  # only now: it has the right shape
    return dataset


def _loaded(info: DatasetInfo, paths: Mapping[str, Path], seen: Mapping[str, str]) -> Dataset:
    if paths.keys() == info.published.keys():
        return Dataset(info, labels=_published_labels(info, paths), checksums=seen)
    if info.kind == "labels":
        labels, X = _converted(info, paths)
        return Dataset(info, labels=labels, X=X, checksums=seen)
    if info.kind == "ontology":
        ontology = read_ontology(paths["edges"], terms=paths["terms"])
        return Dataset(info, ontology=ontology, checksums=seen)
    arrays = read_columns(paths["table"]) if "table" in paths else read_arrays(paths["arrays"])
    return Dataset(info, arrays=arrays, checksums=seen)


def _check_shape(info: DatasetInfo, where: Path, labels: Labels) -> None:
    agree = labels.shape == (info.rows, info.classes)
    if not agree or info.positives not in (None, labels.nnz):
        counted = "" if info.positives is None else f" with {info.positives:,}"
        raise InputError(
            f"{labels.n_rows:,} rows × {labels.n_classes:,} classes with "
            f"{labels.nnz:,} positives, but {info.name} has {info.rows:,} × "
            f"{info.classes:,}{counted}.",
            place=Place(str(where)),
            fix="It is another file; replace it.",
        )


def _published_labels(info: DatasetInfo, paths: Mapping[str, Path]) -> Labels:
    """Labels of the files of the authors; parts are put one below the other."""
    parts = []
    for role, path in paths.items():
        if role == "xml":
            continue
        form = "arff" if role.startswith("arff") else "xmc"
        label_list = paths.get("xml", info.label_attributes) if form == "arff" else None
        parts.append(read_labels(path, form, label_list=label_list))
    first = parts[0]
    if any(part.classes.tolist() != first.classes.tolist() for part in parts):
        raise InputError(
            f"the parts of {info.name} ({', '.join(p.name for p in paths.values())}) have other "
            "classes.",
            fix="They do not belong together; replace them.",
        )
    stacked = sp.vstack([part.matrix for part in parts], format="csr")
    labels = Labels._trusted(sp.csr_array(stacked), first.classes)
    _check_shape(info, next(iter(paths.values())), labels)
    return labels


def _converted(info: DatasetInfo, paths: Mapping[str, Path]) -> tuple[Labels, sp.csr_array | None]:
    """Labels with their names, and features, of conversions."""
    roles = {"classes": "labels", "index": "ids"}
    names: dict[str, Any] = {
        key: read_names(paths[role]) for key, role in roles.items() if role in paths
    }
    labels = read_labels(paths["Y"], "npz", **names)
    _check_shape(info, paths["Y"], labels)
    X = read_csr(paths["X"]) if "X" in paths else None
    if X is not None and X.shape != (info.rows, info.features):
        raise InputError(
            f"shape {X.shape}, but the features of {info.name} have shape "
            f"{(info.rows, info.features)}.",
            place=Place(str(paths["X"])),
            fix="It is another file; replace it.",
        )
    return labels, X
