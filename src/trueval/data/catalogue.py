"""Public data sets by name, from a folder of yours, the cache, or the network.

Each file is looked for in the folder ``TRUEVAL_DATA`` names, then in the cache
folder (``TRUEVAL_CACHE``, or the usual one of the system), and fetched to the cache
where an address is known. A file is used only when its sha256 is the one the
catalogue has.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.data.catalogue_arrays import load_arrays, load_csr
from trueval.data.catalogue_entries import CATALOGUE, DatasetInfo, FileInfo
from trueval.data.download import MAX_DOWNLOAD, Progress, download, sha256_of
from trueval.data.ontology import Ontology
from trueval.data.ontology_lines import numbered_lines, read_lines
from trueval.data.ontology_tables import read_ontology
from trueval.errors import InputError
from trueval.labels import Labels, as_labels
from trueval.table import Table

__all__ = ["Dataset", "cache_folder", "list_datasets", "load_dataset"]


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
        For sets of pairs, as the note describes.
    """

    info: DatasetInfo
    labels: Labels | None = None
    X: sp.csr_array | None = None
    ontology: Ontology | None = None
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)

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
        Name, kind, sizes, licence, citation, and ``where``: ``"folder"`` or
        ``"cache"`` if all files are there (not read, only seen), ``"download"`` if
        they can be fetched, ``"by hand"`` if not.

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
            "where": [_whereabouts(info) for info in infos],
            "licence": [info.licence for info in infos],
            "citation": [info.citation for info in infos],
            "home": [info.home for info in infos],
        }
    )


def load_dataset(
    name: str,
    *,
    fetch: bool = True,
    verify: bool = True,
    progress: Progress | None = None,
    timeout: float = 30.0,
    max_bytes: int = MAX_DOWNLOAD,
    _loopback: bool = False,
) -> Dataset:
    """Load a public data set by name.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.
    fetch : bool, default=True
        Whether to fetch files that are nowhere on this machine.
    verify : bool, default=True
        Whether each file must have the sha256 of the catalogue. With False a
        conversion of your own is used if its shape is right.
    progress : callable, optional
        Called as ``progress(bytes_so_far, bytes_in_all)`` while fetching a file.
    timeout : float, default=30.0
        Seconds without a byte after which fetching gives up.
    max_bytes : int
        Largest file fetched.
    _loopback : bool
        For tests: also plain http, but only on this machine.

    Returns
    -------
    Dataset

    Raises
    ------
    InputError
        When a file is not there and cannot be fetched; the message says which
        file goes where. When a file is not the one of the catalogue.

    Examples
    --------
    >>> from trueval.data import load_dataset
    >>> load_dataset("bibtexx")
    Traceback (most recent call last):
    trueval.errors.InputError: there is no data set 'bibtexx' in the catalogue. Did you mean...
    """
    info = _entry(name)
    paths = {}
    missing = []
    for role, file in info.files.items():
        found = _find(file)
        if found is None and fetch and file.url is not None:
            found = _fetch(file, progress, timeout, max_bytes, _loopback)
        if found is None:
            missing.append(file)
        else:
            paths[role] = found
    if missing:
        raise _not_here(info, missing)
    if verify:
        for role, path in paths.items():
            _check_file(info.files[role], path)
    if info.kind == "labels":
        return _labels_set(info, paths)
    if info.kind == "ontology":
        return Dataset(info, ontology=read_ontology(paths["edges"], terms=paths["terms"]))
    return Dataset(info, arrays=load_arrays(paths["arrays"]))


def cache_folder() -> Path:
    """Folder where fetched files are kept.

    Returns
    -------
    pathlib.Path
        ``TRUEVAL_CACHE`` if set, else the usual place of the system.

    Examples
    --------
    >>> from trueval.data.catalogue import cache_folder
    >>> cache_folder().is_absolute()
    True
    """
    given = os.environ.get("TRUEVAL_CACHE")
    if given:
        return Path(given).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base).absolute() / "trueval"


def _entry(name: str) -> DatasetInfo:
    if isinstance(name, str) and name in CATALOGUE:
        return CATALOGUE[name]
    from difflib import get_close_matches

    near = get_close_matches(str(name), CATALOGUE, n=3)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    raise InputError(
        f"there is no data set {str(name)[:80]!r} in the catalogue. {hint}It has: "
        f"{', '.join(CATALOGUE)}."
    )


def _folders() -> list[tuple[str, Path]]:
    given = os.environ.get("TRUEVAL_DATA")
    own = [("folder", Path(given).expanduser())] if given else []
    return [*own, ("cache", cache_folder())]


def _find(file: FileInfo) -> Path | None:
    places = (folder / file.name for _, folder in _folders())
    return next((path for path in places if path.is_file()), None)


def _whereabouts(info: DatasetInfo) -> str:
    for where, folder in _folders():
        if all((folder / file.name).is_file() for file in info.files.values()):
            return where
    return "download" if all(file.url for file in info.files.values()) else "by hand"


def _fetch(
    file: FileInfo, progress: Progress | None, timeout: float, max_bytes: int, loopback: bool
) -> Path:
    folder = cache_folder()
    assert file.url is not None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return download(
            file.url,
            folder / file.name,
            sha256=file.sha256,
            size=file.size,
            progress=progress,
            timeout=timeout,
            max_bytes=max_bytes,
            _loopback=loopback,
        )
    except OSError as error:
        raise InputError(
            f"the cache folder {folder} cannot be written: {error}. Set TRUEVAL_CACHE to another."
        ) from None
    except InputError as error:
        raise InputError(f"{error} By hand: put it at {folder / file.name}.") from None


def _not_here(info: DatasetInfo, missing: Iterable[FileInfo]) -> InputError:
    folder = os.environ.get("TRUEVAL_DATA")
    place = f"{folder} (TRUEVAL_DATA) or {cache_folder()}" if folder else str(cache_folder())
    files = "; ".join(f"{file.name} (sha256 {file.sha256})" for file in missing)
    return InputError(
        f"the data set {info.name} is not on this machine and no address serves its files. Put "
        f"these into {place}: {files}. They are made of {info.origin}, see {info.home}; a "
        "conversion of your own is used with verify=False."
    )


def _check_file(file: FileInfo, path: Path) -> None:
    try:
        found = sha256_of(path)
    except OSError as error:
        raise InputError(f"{path}: the file cannot be read: {error}.") from None
    if found != file.sha256:
        raise InputError(
            f"{path}: this is not the file of the catalogue: sha256 {found} instead of "
            f"{file.sha256}. Replace it, or pass verify=False to use it as it is."
        )


def _labels_set(info: DatasetInfo, paths: Mapping[str, Path]) -> Dataset:
    stored = load_csr(paths["Y"])
    try:
        matrix = as_labels(stored).matrix
    except InputError as error:
        raise InputError(f"{paths['Y']}: {error}") from None
    if matrix.shape != (info.rows, info.classes) or matrix.nnz != info.positives:
        raise InputError(
            f"{paths['Y']}: {matrix.shape[0]:,} rows × {matrix.shape[1]:,} classes with "
            f"{matrix.nnz:,} positives, but {info.name} has {info.rows:,} × {info.classes:,} with "
            f"{info.positives:,}. It is another file; replace it."
        )
    classes = (
        _names(paths["labels"], matrix.shape[1])
        if "labels" in paths
        else np.arange(matrix.shape[1])
    )
    index = _names(paths["ids"], matrix.shape[0]) if "ids" in paths else None
    X = load_csr(paths["X"]) if "X" in paths else None
    if X is not None and X.shape != (info.rows, info.features):
        raise InputError(
            f"{paths['X']}: shape {X.shape}, but the features of {info.name} have shape "
            f"{(info.rows, info.features)}. It is another file; replace it."
        )
    return Dataset(info, labels=Labels(matrix, classes, index), X=X)


def _names(path: Path, n: int) -> NDArray[Any]:
    """First column of a text file: one name a line; of a ``.tsv``, below its header."""
    lines = [line.split("\t", 1)[0] for _, line in numbered_lines(read_lines(path), path.name)]
    names = lines[1:] if ".tsv" in path.name else lines
    if len(names) != n or len(set(names)) != n or max(map(len, names), default=0) > 1000:
        raise InputError(
            f"{path}: {len(names):,} names, {len(set(names)):,} of them different, where {n:,} "
            "different names of at most 1,000 characters are needed. Replace the file."
        )
    return np.array(names, dtype=str)
