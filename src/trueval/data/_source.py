"""One input: its name for messages, its bytes decompressed, and a cap on them.

Every reader takes a :class:`Source`, made of a path, bytes or an open file. It finds gzip,
bzip2, xz and Zstandard by their first bytes, never hands out more than the cap, and turns
whatever goes wrong below into one :class:`~trueval.InputError`.
"""

import contextlib
import hashlib
import io
import os
import shutil
import stat
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, cast

from trueval.core.errors import Fix, InputError, MissingExtra, ParameterError, Place
from trueval.core.files import COMPRESSIONS
from trueval.core.params import NONE, Interval, Where
from trueval.data._streams import Capped, View

__all__ = ["FILE", "MAX_BYTES", "Source", "names_file"]

_MAGIC = {
    "gzip": b"\x1f\x8b",
    "bzip2": b"BZh",
    "xz": b"\xfd7zXZ\x00",
    "zstd": b"\x28\xb5\x2f\xfd",
}
_FLOOR = 256 * 2**20
_RATIO = 100
_BLOCK = 2**20
_IN_MEMORY = 64 * 2**20  # of a pipe; more of it goes to a temporary file
_KINDS = "a path, bytes, or a file opened in binary mode"


def _is_file(value: Any) -> bool:
    if isinstance(value, io.TextIOBase):
        return hasattr(value, "buffer")
    return isinstance(value, str | bytes | bytearray | memoryview | os.PathLike | Source) or (
        hasattr(value, "read") and isinstance(value.read(0), bytes)
    )


#: What the parameters ``path`` and ``max_bytes`` of readers may be.
FILE = Where(_is_file, _KINDS)
MAX_BYTES = (NONE, Interval(int, 1))


class Source:
    """Bytes to read, with their decompressed size capped.

    A file is opened more than once, and is the same each time, also if another takes its name
    meanwhile; one that is changed while it is read is refused. An open file is read from where it
    stands, and stays open; a pipe is copied first, as readers look at the beginning twice.
    ``name`` is for messages and for the format that a suffix means. ``max_bytes`` limits what is
    read, decompressed, or allocated for a declared size: by default 100 times the size of the file,
    and at least 256 MiB.

    >>> from trueval.data._source import Source
    >>> Source(b"abc", name="letters.txt").head()
    b'abc'
    """

    def __init__(self, file: Any, *, name: str | None = None, max_bytes: int | None = None) -> None:
        if isinstance(max_bytes, bool) or (max_bytes is not None and not max_bytes > 0):
            raise ParameterError("max_bytes", "a positive number of bytes", max_bytes)
        if not _is_file(file):
            raise ParameterError("path", _KINDS, file)
        self._stream: Any = None
        self._start = 0
        self._file: BinaryIO | None = None  # of a path
        self._content: bytes | None = None
        #: Of text; None leaves it to the reader.
        self.encoding: str | None = None
        #: Told how many bytes of all have been read, if anybody wants to know.
        self.progress: Callable[[int, int], None] | None = None
        self._reading: BinaryIO | None = None
        self.is_path = isinstance(file, str | os.PathLike)
        if self.is_path:
            self.name = os.fsdecode(file) if name is None else name
            self.path = Path(self.name)
            self._open_path(Path(os.fsdecode(file)))
        else:
            label = getattr(file, "name", None)
            self.name = name or (label if isinstance(label, str) else "<input>")
            self.path = Path(self.name)
            if isinstance(file, bytes | bytearray | memoryview):
                self._content = bytes(file)
                self.size = len(self._content)
            else:
                self._hold(file)
        if self.size == 0:
            raise self.fail("the file is empty.", fix="Write it again, or give another file.")
        if max_bytes is not None and self.size > max_bytes:
            raise self.fail(
                f"the file has {self.size:,} bytes, more than max_bytes={max_bytes}.",
                fix=Fix("If that is meant, pass {}.", "max_bytes", self.size),
            )
        self.cap = int(max_bytes) if max_bytes is not None else max(_FLOOR, _RATIO * self.size)
        self.compression = self._compression()

    @classmethod
    def of(cls, file: Any, max_bytes: int | None = None) -> "Source":
        """A source of anything that one can be made of; a source as it is."""
        return file if isinstance(file, Source) else cls(file, max_bytes=max_bytes)

    def _open_path(self, path: Path) -> None:
        self._path = path
        try:
            state = path.stat()
            if stat.S_ISDIR(state.st_mode):
                raise self.fail("this is a folder, not a file.", fix="Name a file inside it.")
            if stat.S_ISFIFO(state.st_mode):
                with path.open("rb") as pipe:
                    self._hold(pipe)
            elif not stat.S_ISREG(state.st_mode):
                raise self.fail("this is a device, not a file.", fix="Name a file.")
            else:
                self._file = path.open("rb")
                weakref.finalize(self, self._file.close)
                self._state = os.fstat(self._file.fileno())
                self.size = self._state.st_size
        except InputError:
            raise
        except FileNotFoundError:
            raise self.fail(
                f"no such file (looked from {Path.cwd()}).", fix="Check the path."
            ) from None
        except (OSError, ValueError) as error:
            raise self.fail(f"the file cannot be opened: {error}.") from None

    def _hold(self, stream: Any) -> None:
        """Keep an open file, or a copy of what comes out of a pipe."""
        stream = getattr(stream, "buffer", stream) if isinstance(stream, io.TextIOBase) else stream
        if not (hasattr(stream, "seekable") and stream.seekable()):
            copy = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115, closed with self
            weakref.finalize(self, copy.close)
            shutil.copyfileobj(stream, copy, _BLOCK)
            copy.seek(0)
            stream = copy
        self._stream, self._start = stream, stream.tell()
        self.size = stream.seek(0, 2) - self._start
        stream.seek(self._start)

    def _compression(self) -> str | None:
        with self._raw() as raw:
            start = raw.read(6)
        kind = next((name for name, magic in _MAGIC.items() if start.startswith(magic)), None)
        suffix = self.path.suffix.lower()
        promised = COMPRESSIONS.get(suffix)
        if promised is not None and kind != promised:
            raise self.fail(
                f"the name ends in {suffix} but the file does not begin as {promised} does "
                f"(first bytes {start!r}).",
                fix="Rename it, or compress it again.",
            )
        if kind == "bzip2" and promised is None and start[3:4] not in b"123456789":
            kind = None  # text that happens to begin with BZh
        return kind

    @cached_property
    def suffix(self) -> str:
        """Suffix of the name below that of the compression, in lower case."""
        path = self.path
        if path.suffix.lower() in COMPRESSIONS:
            path = path.with_suffix("")
        return path.suffix.lower()

    # --- messages --------------------------------------------------------------

    def fail(
        self,
        problem: str,
        *,
        fix: Fix | str | None = None,
        line: int | None = None,
        row: int | None = None,
        column: Any = None,
        parameter: str | None = None,
    ) -> InputError:
        """Make the error to raise, placed in this file."""
        place = Place(self.name, line, row, column)
        return InputError(problem, place=place, fix=fix, parameter=parameter)

    def need(self, n_bytes: int, what: str) -> None:
        """Refuse a declared size before anything is allocated for it."""
        if n_bytes > self.cap:
            raise self.fail(
                f"{what} would take {n_bytes:,} bytes, more than the cap of {self.cap:,}.",
                fix=Fix(
                    "If the file is what you think it is, pass {} or more.", "max_bytes", n_bytes
                ),
            )

    @contextlib.contextmanager
    def placing(self) -> Iterator[None]:
        """Say of which file an InputError is."""
        try:
            yield
        except InputError as error:
            raise error.in_file(self.name) from None

    @contextlib.contextmanager
    def guard(self, what: str) -> Iterator[None]:
        """Turn whatever another library raises on a broken file into one InputError."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        except InputError as error:
            raise error.in_file(self.name) from None
        except (MissingExtra, ParameterError):
            raise
        except Exception as error:
            raise self._unreadable(what, error) from None

    def _unreadable(self, what: str, error: Exception) -> InputError:
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        return self.fail(
            f"the file cannot be read as {what}: {type(error).__name__}: {reason}.",
            fix="It is truncated, damaged or of another format: write it again, or name its "
            "format.",
        )

    # --- bytes -----------------------------------------------------------------

    def _raw(self) -> BinaryIO:
        if self._content is not None:
            return io.BytesIO(self._content)  # shares the bytes
        if self._file is not None:
            # A file of its own is the fastest, if the name still means the same one.
            with contextlib.suppress(OSError):
                file = self._path.open("rb")
                if os.path.samestat(os.fstat(file.fileno()), self._state):
                    return file
                file.close()
        stream = self._stream or self._file
        return cast(BinaryIO, io.BufferedReader(View(stream, self._start), _BLOCK))

    @contextlib.contextmanager
    def _unchanged(self) -> Iterator[BinaryIO]:
        """The raw bytes; an error if somebody wrote into the file meanwhile."""
        with self._raw() as raw:
            yield raw
        if self._file is not None:
            state, before = os.fstat(self._file.fileno()), self._state
            if (state.st_size, state.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
                raise self.fail("the file was changed while it was read.", fix="Read it again.")

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open for reading from start to end, decompressed and capped."""
        with self._unchanged() as raw:
            self._reading = raw
            if self.compression is None:
                yield raw
            else:
                yield io.BufferedReader(Capped(self, raw), _BLOCK)

    @contextlib.contextmanager
    def seekable(self) -> Iterator[BinaryIO]:
        """Open for reading in any order; what is compressed is first held in memory."""
        if self.compression is None:
            with self._unchanged() as raw:
                yield raw
            return
        with self.open() as stream:
            content = stream.read()
        yield io.BytesIO(content)

    def advance(self) -> None:
        """Say how far reading is."""
        if self.progress is not None and self._reading is not None:
            self.progress(self._reading.tell(), self.size)

    def head(self, n_bytes: int = 65_536) -> bytes:
        """First bytes, decompressed."""
        with self.open() as stream:
            return stream.read(n_bytes)

    def sha256(self) -> str:
        """Checksum of the bytes as they are, compressed or not."""
        with self._raw() as raw:
            return hashlib.file_digest(raw, "sha256").hexdigest()  # type: ignore[arg-type]


def names_file(value: Any) -> bool:
    """Whether a value stands for a file where one in memory is taken too."""
    return isinstance(value, str | os.PathLike | Source)
