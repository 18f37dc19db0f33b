"""Files: written beside and renamed, checksums, and checkpoints of long work.

At any moment a file is the old one or the new one. A process that is killed may leave
a temporary file; the next write of the same file sweeps it away.
"""

import bz2
import contextlib
import errno
import gzip
import hashlib
import lzma
import os
import platform
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar, cast

from trueval.core.errors import need_extra

__all__ = [
    "COMPRESSIONS",
    "Checkpoint",
    "atomic_write",
    "publish",
    "sha256_of",
    "sweep",
    "temporary_folder",
]

#: Compression that a suffix means.
COMPRESSIONS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
_DAY = 86_400.0
_LONGEST = 200  # bytes of a name in that of its temporary file; most systems permit 255
_LINKS = 40  # followed, as Linux does
_STREAMS = {"stdin": 0, "stdout": 1, "stderr": 2}
_DESCRIPTORS = re.compile(
    r"/dev/(?P<name>stdin|stdout|stderr)|/(?:dev|proc/(?P<pid>[\w-]+))/fd/(?P<number>\d{1,9})"
)
_Key = TypeVar("_Key", bound=Hashable)
_Result = TypeVar("_Result")


def _host() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


@contextlib.contextmanager
def atomic_write(
    path: Any, *, compress: bool = True, look: Callable[[Path], Any] | None = None
) -> Iterator[BinaryIO]:
    """Open a file that takes its name only when it is complete and on disk.

    If the block raises, nothing is left behind and the old file stays. With ``compress``,
    a suffix ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` means compression. A symbolic link, the mode
    and where permitted the owner of the old file are kept; other hard links keep the old
    content. Character devices, pipes and open descriptors (``/dev/stdout``, ``/dev/fd/3``) are
    written into. ``look`` gets the whole file before it
    takes its name, when no other process can have replaced it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder, "a.txt")) as file:
    ...         _ = file.write(b"whole")
    ...     Path(folder, "a.txt").read_bytes(), len(list(Path(folder).iterdir()))
    (b'whole', 1)
    """
    target = _followed(Path(os.fsdecode(path)))
    kind = COMPRESSIONS.get(target.suffix.lower()) if compress else None
    descriptor = _descriptor(target)
    state = target.stat() if descriptor is None and target.exists() else None
    if descriptor is not None or (state is not None and not stat.S_ISREG(state.st_mode)):
        writing = _write_through(target, descriptor, kind)
    else:
        writing = _write_beside(target, state, kind, look)
    before = sys.exception()
    try:
        with writing as file:
            yield file
    except BaseException as error:
        if _hides_interrupt(error, before):
            raise KeyboardInterrupt from error
        raise


def _hides_interrupt(error: BaseException, before: BaseException | None) -> bool:
    """Whether an error came from closing what a Ctrl-C had left half open.

    ``zipfile`` refuses to close an archive with an open member, and such an error would take the
    place of the interrupt. What was being handled ``before`` the write is not its own.
    """
    cause = error.__context__
    while cause is not None and cause is not before:
        if isinstance(cause, KeyboardInterrupt):
            return True
        cause = cause.__context__
    return False


@contextlib.contextmanager
def _write_beside(
    target: Path,
    state: os.stat_result | None,
    kind: str | None,
    look: Callable[[Path], Any] | None,
) -> Iterator[BinaryIO]:
    """Write a temporary file, which then takes the name; ``state`` is that of the old file."""
    beside = _beside(target)
    try:
        with beside.open("xb") as raw:
            if state is not None:
                _keep_owner(beside, state)
            with _compressor(raw, kind) as file:
                yield file
            raw.flush()
            os.fsync(raw.fileno())
        if look is not None:
            look(beside)
        _take_name(beside, target)
    except OSError as error:
        _discard(beside)
        raise _named(error, target) from error
    except BaseException:
        _discard(beside)
        raise


def publish(path: Any, target: Path) -> None:
    """Give a whole file its name once it is on disk; the file that had the name is replaced."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
    _take_name(path, target)


def _take_name(path: Any, target: Path) -> None:
    os.replace(path, target)
    # What follows makes the name durable. Some file systems and folders do not permit it; the
    # file has its name by then, so that no error may say otherwise.
    if os.name == "posix":
        with contextlib.suppress(OSError):
            descriptor = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


@contextlib.contextmanager
def temporary_folder(path: Any) -> Iterator[Path]:
    """Make a folder for the work on a file, beside it; it is removed whatever happens.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with temporary_folder(Path(folder, "a.txt")) as inside:
    ...         _ = (inside / "1").write_bytes(b"part")
    ...     list(Path(folder).iterdir())
    []
    """
    beside = _beside(Path(os.fsdecode(path)))
    try:
        beside.mkdir()
        yield beside
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _beside(target: Path) -> Path:
    """A name beside a file that tells whose it is; what dead writers left there is removed."""
    sweep(target)
    mark = f"{_host()}-{os.getpid()}-{secrets.token_hex(4)}"
    return target.with_name(f".{_short(target.name)}.{mark}.trueval-tmp")


def _short(name: str) -> str:
    """A name, or its checksum where a temporary name with it would be too long for the system."""
    content = os.fsencode(name)
    return name if len(content) <= _LONGEST else hashlib.sha256(content).hexdigest()


def _followed(target: Path) -> Path:
    """The file that a symbolic link means; a descriptor stays as it is."""
    for _ in range(_LINKS):
        if _descriptor(target) is not None or not target.is_symlink():
            return target
        target = target.parent / os.readlink(target)
    reason = "the symbolic link leads back to itself. Remove it, or write elsewhere"
    raise OSError(errno.ELOOP, reason, str(target))


def _descriptor(target: Path) -> int | None:
    """Number of the open file of this process that a name means."""
    match = _DESCRIPTORS.fullmatch(os.path.abspath(target)) if os.name == "posix" else None
    if match is None or match["pid"] not in (None, "self", "thread-self", str(os.getpid())):
        return None
    return _STREAMS[match["name"]] if match["name"] else int(match["number"])


@contextlib.contextmanager
def _write_through(target: Path, descriptor: int | None, kind: str | None) -> Iterator[BinaryIO]:
    """Write into a device, pipe or descriptor, which a rename would replace by a regular file.

    Nothing is sent before everything is there, as some formats are not written in order. A file
    behind a descriptor is written from where it stands, as the shell means it by ``>>``.
    """
    try:
        mode = os.stat(target if descriptor is None else descriptor).st_mode
    except OSError as error:
        raise _named(error, target) from error
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or descriptor is not None):
        what = "folder" if stat.S_ISDIR(mode) else "block device or socket"
        reason = f"this is a {what}, so no file can be written in its place. Write elsewhere"
        raise OSError(errno.EISDIR if what == "folder" else errno.EINVAL, reason, str(target))
    with tempfile.TemporaryFile() as whole:
        with _compressor(cast(BinaryIO, whole), kind) as file:
            yield file
        whole.seek(0)
        try:
            with open(target if descriptor is None else os.dup(descriptor), "wb") as out:
                shutil.copyfileobj(whole, out)
        except OSError as error:
            raise _named(error, target) from error


def _keep_owner(beside: Path, state: os.stat_result) -> None:
    """Give a new file the mode and, where the system permits, the owner of the old one."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(beside, state.st_uid, state.st_gid)
    os.chmod(beside, state.st_mode & 0o777)


def _discard(beside: Path) -> None:
    with contextlib.suppress(OSError):
        beside.unlink()


def _named(error: OSError, target: Path) -> OSError:
    """The same error, with the file that was asked for and what became of it."""
    why = error.strerror or str(error)
    fix = {
        errno.ENOSPC: "Free some space, or write elsewhere",
        errno.EDQUOT: "Free some space, or write elsewhere",
        errno.EFBIG: "A limit of the system is reached; raise it, or write elsewhere",
        errno.ENOENT: "Make the folder first",
    }.get(error.errno or 0, "Check the folder and its permissions, or write elsewhere")
    reason = f"{why}: the file could not be written and nothing was changed. {fix}"
    return OSError(error.errno or errno.EIO, reason, str(target))


def _compressor(raw: BinaryIO, kind: str | None) -> Any:
    if kind == "gzip":
        return gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0)
    if kind == "bzip2":
        return bz2.BZ2File(raw, "wb")
    if kind == "xz":
        return lzma.LZMAFile(raw, "wb")
    if kind == "zstd":
        library = need_extra("zstandard", "zst", "Writing .zst files")
        return library.ZstdCompressor().stream_writer(raw, closefd=False)
    return contextlib.nullcontext(cast(Any, raw))


def sweep(path: Any) -> int:
    """Remove temporary files and folders that dead writers of a file have left; how many.

    Those of living processes are kept; those of other machines are kept for a day.
    """
    target = Path(os.fsdecode(path))
    name = re.compile(
        re.escape(f".{_short(target.name)}.") + r"([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.trueval-tmp"
    )
    removed = 0
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(target.parent)):
            match = name.fullmatch(entry.name)
            if match and _is_left(entry, match.group(1), int(match.group(2))):
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        shutil.rmtree(entry.path)
                    else:
                        os.unlink(entry.path)
                    removed += 1
    return removed


def _is_left(entry: "os.DirEntry[str]", host: str, pid: int) -> bool:
    if host == _host() and os.name == "posix":
        if pid == os.getpid():
            return False
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        except (OSError, OverflowError):
            return False
        return False
    with contextlib.suppress(OSError):
        return time.time() - entry.stat().st_mtime > _DAY
    return False


def sha256_of(path: str | os.PathLike[str]) -> str:
    """The sha256 of a file as hexadecimal digits.

    >>> sha256_of(os.devnull)[:8]
    'e3b0c442'
    """
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Checkpoint(Generic[_Key, _Result]):
    """Finished pieces of long work in a file, so that a stopped one goes on.

    ``read`` takes a path that exists and raises if the file cannot be used; ``write(file,
    results)`` gets an open binary file. Without a path, results stay in memory. The files
    ``others`` have results of the same keys and are read, never written.
    """

    # Writing may cost this share of the time, at most.
    _SHARE = 0.05

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        read: Callable[[Path], dict[_Key, _Result]],
        write: Callable[[BinaryIO, dict[_Key, _Result]], Any],
        others: Iterable[Path] = (),
    ) -> None:
        self.path = None if path is None else Path(path)
        self.results: dict[_Key, _Result] = {}
        for file in (*others, *([] if self.path is None else [self.path])):
            if file.exists():
                self.results |= read(file)
        self._write = write
        self._unwritten = False
        self._next = 0.0

    def add(self, key: _Key, result: _Result) -> None:
        """Keep a result; writes unless that would take much of the time."""
        self.results[key] = result
        self._unwritten = True
        if time.monotonic() >= self._next:
            self.write()

    def write(self) -> None:
        """Write what is not yet written."""
        if self.path is None or not self._unwritten:
            return
        start = time.monotonic()
        with atomic_write(self.path, compress=False) as file:
            self._write(file, self.results)
        self._unwritten = False
        end = time.monotonic()
        self._next = end + (end - start) / self._SHARE
