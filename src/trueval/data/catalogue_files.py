"""Files of the catalogue: found, fetched, and held to a checksum.

A checksum is the one the user gives, else the one of the catalogue, else the one
recorded when the user first accepted the file (``NAME.sha256`` in the cache folder).
A file without any of the three is refused.
"""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from trueval.core.errors import Fix, InputError, Place
from trueval.core.files import atomic_write, sha256_of
from trueval.data.catalogue_entries import DatasetInfo, FileInfo
from trueval.data.download import Progress, download

__all__ = ["Terms", "cache_folder", "checked", "locate", "record", "whereabouts"]


@dataclass(frozen=True)
class Terms:
    """What the user allows: fetching, and files of unknown checksum."""

    fetch: bool
    accept_unknown: bool
    sha256: Mapping[str, str]
    progress: Progress | None
    timeout: float
    max_bytes: int
    loopback: bool


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


def _folders() -> list[tuple[str, Path]]:
    given = os.environ.get("TRUEVAL_DATA")
    own = [("folder", Path(given).expanduser())] if given else []
    return [*own, ("cache", cache_folder())]


def _find(file: FileInfo) -> Path | None:
    places = (folder / file.name for _, folder in _folders())
    return next((path for path in places if path.is_file()), None)


def _groups(info: DatasetInfo) -> list[Mapping[str, FileInfo]]:
    return [group for group in (info.files, info.published) if group]


def whereabouts(info: DatasetInfo) -> str:
    """Where the files of a set are, or how to get them."""
    for group in _groups(info):
        for where, folder in _folders():
            if all((folder / file.name).is_file() for file in group.values()):
                return where
    for group in _groups(info):
        if all(file.url for file in group.values()):
            known = all(file.sha256 for file in group.values())
            return "download" if known else "download, checksum unknown"
    return "by hand"


def locate(info: DatasetInfo, terms: Terms) -> dict[str, tuple[FileInfo, Path]]:
    """Files of a set by role: the conversions if they are there, else the published ones."""
    groups = _groups(info)
    found = [{role: _find(file) for role, file in group.items()} for group in groups]
    for group, paths in zip(groups, found, strict=True):
        here = {role: (group[role], path) for role, path in paths.items() if path is not None}
        if len(here) == len(group):
            return here
    for group, paths in zip(groups, found, strict=True):
        if terms.fetch and all(_may_fetch(file, terms) for file in group.values()):
            return {
                role: (file, paths[role] or _fetch(file, terms)) for role, file in group.items()
            }
    missing = [
        file
        for group, paths in zip(groups, found, strict=True)
        for role, file in group.items()
        if paths[role] is None
    ]
    raise _not_here(info, missing, terms)


def _may_fetch(file: FileInfo, terms: Terms) -> bool:
    known = file.sha256 or terms.sha256.get(file.name) or terms.accept_unknown
    return file.url is not None and bool(known)


def _fetch(file: FileInfo, terms: Terms) -> Path:
    folder = cache_folder()
    assert file.url is not None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return download(
            file.url,
            folder / file.name,
            sha256=terms.sha256.get(file.name) or file.sha256 or _recorded(file),
            size=file.size,
            progress=terms.progress,
            timeout=terms.timeout,
            max_bytes=terms.max_bytes,
            _loopback=terms.loopback,
        )
    except OSError as error:
        raise InputError(
            f"the cache folder {folder} cannot be written: {error}.",
            fix="Set TRUEVAL_CACHE to another.",
        ) from None
    except InputError as error:
        raise InputError(f"{error} By hand: put it at {folder / file.name}.") from None


def _not_here(info: DatasetInfo, missing: Iterable[FileInfo], terms: Terms) -> InputError:
    folder = os.environ.get("TRUEVAL_DATA")
    place = f"{folder} (TRUEVAL_DATA) or {cache_folder()}" if folder else str(cache_folder())
    files = "; ".join(f"{file.name} ({_known(file)})" for file in missing if info.files)
    files = files or "; ".join(f"{file.name} ({_known(file)})" for file in missing)
    fetchable = bool(info.published) and all(file.url for file in info.published.values())
    if fetchable and terms.fetch:
        return InputError(
            f"the data set {info.name} is not on this machine. Its published files can be "
            "fetched, but their checksums are not known.",
            fix=Fix(
                "Pass {} to fetch them and record what came, or {} with checksums of your own. By "
                f"hand: put these into {place}: {files}. See {info.home}; they are made of "
                f"{info.origin}.",
                "accept_unknown",
                True,
                more=(("sha256", None),),
            ),
        )
    return InputError(
        f"the data set {info.name} is not on this machine and no address serves its files.",
        fix=Fix(
            f"Put these into {place}: {files}. They are made of {info.origin}, see {info.home}; a "
            "conversion of your own is used with {}.",
            "verify",
            False,
        ),
    )


def _known(file: FileInfo) -> str:
    return f"sha256 {file.sha256}" if file.sha256 else "checksum unknown"


def _record_of(file: FileInfo) -> Path:
    return cache_folder() / f"{file.name}.sha256"


def _recorded(file: FileInfo) -> str | None:
    try:
        text = _record_of(file).read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    found = re.match(r"[0-9a-f]{64}\b", text)
    return found.group() if found else None


def checked(file: FileInfo, path: Path, terms: Terms) -> str:
    """Sha256 of a file that may be used; others are refused."""
    try:
        found = sha256_of(path)
    except OSError as error:
        raise InputError(f"the file cannot be read: {error}.", place=Place(str(path))) from None
    given = terms.sha256.get(file.name)
    expected = given or file.sha256 or _recorded(file)
    if expected is None:
        if not terms.accept_unknown:
            raise InputError(
                f"the catalogue does not know the checksum of this file. Its sha256 is {found}.",
                place=Place(str(path)),
                fix=Fix(
                    "If you trust it, pass {} once, which records this sum, or {} with the sum you "
                    "expect.",
                    "accept_unknown",
                    True,
                    more=(("sha256", {file.name: "..."}),),
                ),
            )
    elif found != expected:
        whose = "expected" if given else "of the catalogue" if file.sha256 else "accepted before"
        raise InputError(
            f"this is not the file {whose}: sha256 {found} instead of {expected}.",
            place=Place(str(path)),
            fix=Fix(
                f"Replace it, or pass {{}} to use it as it is{_forget(file, given)}.",
                "verify",
                False,
            ),
        )
    return found


def _forget(file: FileInfo, given: str | None) -> str:
    if given or file.sha256:
        return ""
    return f", or delete {_record_of(file)} to accept another"


def record(file: FileInfo, found: str, terms: Terms) -> None:
    """Remember the checksum of a file that was accepted without one."""
    if file.sha256 or file.name in terms.sha256 or _recorded(file):
        return
    record = _record_of(file)
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(record, compress=False) as stream:
            stream.write(f"{found}  {file.name}\n".encode())
    except OSError as error:
        raise InputError(
            f"the checksum of {file.name} cannot be recorded at {record}: {error}.",
            fix="Set TRUEVAL_CACHE to a folder that can be written.",
        ) from None
