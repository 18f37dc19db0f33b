"""Files of the catalogue: found, fetched, and held to a checksum.

A checksum is the one the user gives, else the one of the catalogue, else the one
recorded when the user first accepted the file (``NAME.sha256`` in the cache folder).
A file without any of the three is refused.
"""

import os
import re
import socket
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError

from trueval.core.errors import Fix, InputError, Place
from trueval.core.files import atomic_write, publish, sha256_of, temporary_folder
from trueval.data.catalogue._entries import DatasetInfo, FileInfo

__all__ = ["Status", "Terms", "cache_folder", "checked", "fetch", "locate", "record", "status"]

#: Addresses that are fetched.
_SCHEME = "https://"
#: Seconds without a byte after which a try is given up.
_PATIENCE = 60.0


@dataclass(frozen=True)
class Terms:
    """What the user allows: fetching, and files of unknown checksum."""

    fetch: bool
    accept_unknown: bool
    sha256: Mapping[str, str]
    progress: Callable[[int, int], object] | None


class Status(NamedTuple):
    """Where the files of a set are, in a word or two, and what to do to have them."""

    where: str
    how: str


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
    folder = os.environ.get("TRUEVAL_CACHE")
    if folder:
        return Path(folder).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base).absolute() / "trueval"


def _folders() -> list[tuple[str, Path]]:
    folder = os.environ.get("TRUEVAL_DATA")
    chosen = [("folder", Path(folder).expanduser())] if folder else []
    return [*chosen, ("cache", cache_folder())]


def _find(file: FileInfo) -> Path | None:
    places = (folder / file.name for _, folder in _folders())
    return next((path for path in places if path.is_file()), None)


def _groups(info: DatasetInfo) -> list[Mapping[str, FileInfo]]:
    return [group for group in (info.files, info.published) if group]


def status(info: DatasetInfo) -> Status:
    """Where the files of a set are, or how to get them; the only place that knows."""
    for group in _groups(info):
        for where, folder in _folders():
            if all((folder / file.name).is_file() for file in group.values()):
                return Status(where, f"All files are in {folder}.")
    for group in _groups(info):
        if all(file.url for file in group.values()):
            names = ", ".join(file.name for file in group.values())
            if all(file.sha256 for file in group.values()):
                return Status("download", f"{names} can be fetched.")
            return Status(
                "download, checksum unknown",
                f"{names} can be fetched, but the catalogue does not know the checksum: pass "
                "accept_unknown=True (--accept-unknown) to fetch and record what came, or "
                "sha256= with checksums of your own.",
            )
    group = _groups(info)[0]
    names = "; ".join(f"{file.name} ({_known(file)})" for file in group.values())
    conversion = " A conversion of your own is used with verify=False." if info.files else ""
    return Status(
        "by hand",
        f"No address serves the files. Put these into {_place()}: {names}. They are made of "
        f"{info.origin}, see {info.home}.{conversion}",
    )


def _place() -> str:
    folder = os.environ.get("TRUEVAL_DATA")
    return f"{folder} (TRUEVAL_DATA) or {cache_folder()}" if folder else str(cache_folder())


def locate(info: DatasetInfo, terms: Terms) -> dict[str, tuple[FileInfo, Path]]:
    """Files of a set by role: the conversions if they are there, else the published ones."""
    groups = _groups(info)
    for group in groups:
        paths = {role: _find(file) for role, file in group.items()}
        here = {role: (group[role], path) for role, path in paths.items() if path is not None}
        if len(here) == len(group):
            return here
    for group in groups:
        if terms.fetch and all(_may_fetch(file, terms) for file in group.values()):
            return _fetched(group, terms)
    raise InputError(
        f"the data set {info.name} is not on this machine. {status(info).how}",
        fix=None if terms.fetch else Fix("To fetch what can be fetched, pass {}.", "fetch", True),
    )


def _may_fetch(file: FileInfo, terms: Terms) -> bool:
    known = file.sha256 or terms.sha256.get(file.name) or terms.accept_unknown
    return file.url is not None and bool(known)


def _fetched(group: Mapping[str, FileInfo], terms: Terms) -> dict[str, tuple[FileInfo, Path]]:
    fetched = {}
    for number, (role, file) in enumerate(group.items(), 1):
        fetched[role] = (file, _find(file) or fetch(file, terms))
        if terms.progress is not None:
            terms.progress(number, len(group))
    return fetched


@contextmanager
def _patience() -> Iterator[None]:
    """Give up on a silent server: urllib, which scikit-learn calls, would wait forever."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_PATIENCE if before is None else before)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def fetch(file: FileInfo, terms: Terms) -> Path:
    """Bring one file to the cache, through a folder that the next call removes if this one dies."""
    from sklearn.datasets import fetch_file

    folder, url = cache_folder(), str(file.url)
    by_hand = f"By hand: put it at {folder / file.name}."
    if not url.startswith(_SCHEME):
        raise InputError(f"{url}: only https addresses are fetched.", fix=by_hand)
    checksum = terms.sha256.get(file.name) or file.sha256 or _recorded(file)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / file.name
        with warnings.catch_warnings(), _patience(), temporary_folder(target) as inside:
            warnings.simplefilter("ignore")  # it warns of every try
            path = fetch_file(url, folder=inside, local_filename=file.name, sha256=checksum)
            publish(path, target)
    except FileExistsError as error:
        raise InputError(
            f"the cache folder {folder} cannot be written: {error}.",
            fix="Set TRUEVAL_CACHE to another.",
        ) from None
    except (OSError, HTTPException, ValueError) as error:
        if isinstance(error, HTTPError):
            error.close()  # it is an open answer too
        raise InputError(f"{url}: the file could not be fetched: {error}.", fix=by_hand) from None
    return target


def _known(file: FileInfo) -> str:
    return f"sha256 {file.sha256}" if file.sha256 else "checksum unknown"


def _record_of(file: FileInfo) -> Path:
    return cache_folder() / f"{file.name}.sha256"


def _recorded(file: FileInfo) -> str | None:
    try:
        text = _record_of(file).read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    match = re.match(r"[0-9a-f]{64}\b", text)
    return match.group() if match else None


def checked(file: FileInfo, path: Path, terms: Terms) -> str:
    """Sha256 of a file that may be used; others are refused."""
    try:
        checksum = sha256_of(path)
    except OSError as error:
        raise InputError(f"the file cannot be read: {error}.", place=Place(str(path))) from None
    chosen = terms.sha256.get(file.name)
    expected = chosen or file.sha256 or _recorded(file)
    if expected is None:
        if not terms.accept_unknown:
            raise InputError(
                f"the catalogue does not know the checksum of this file. Its sha256 is {checksum}.",
                place=Place(str(path)),
                fix=Fix(
                    "If you trust it, pass {} once, which records this sum, or {} with the sum you "
                    "expect.",
                    "accept_unknown",
                    True,
                    more=(("sha256", {file.name: "..."}),),
                ),
            )
    elif checksum != expected:
        whose = "expected" if chosen else "of the catalogue" if file.sha256 else "accepted before"
        raise InputError(
            f"this is not the file {whose}: sha256 {checksum} instead of {expected}.",
            place=Place(str(path)),
            fix=Fix(
                f"Replace it, or pass {{}} to use it as it is{_forget(file, chosen)}.",
                "verify",
                False,
            ),
        )
    return checksum


def _forget(file: FileInfo, chosen: str | None) -> str:
    if chosen or file.sha256:
        return ""
    return f", or delete {_record_of(file)} to accept another"


def record(file: FileInfo, checksum: str, terms: Terms) -> None:
    """Remember the checksum of a file that was accepted without one."""
    if file.sha256 or file.name in terms.sha256 or _recorded(file):
        return
    record = _record_of(file)
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(record, compress=False) as stream:
            stream.write(f"{checksum}  {file.name}\n".encode())
    except OSError as error:
        raise InputError(
            f"the checksum of {file.name} cannot be recorded at {record}: {error}.",
            fix="Set TRUEVAL_CACHE to a folder that can be written.",
        ) from None
