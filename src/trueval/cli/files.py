"""Inputs and outputs of commands: names that exist, ``-`` for the standard streams."""

import contextlib
import difflib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from trueval.core.errors import InputError, Place

__all__ = [
    "FILE",
    "STANDARD",
    "Files",
    "Folder",
    "Input",
    "Output",
    "check_output",
    "through_a_file",
]

#: Stands for standard input or output.
STANDARD = "-"


class _Path(click.ParamType):
    """A name in the file system, which is never empty."""

    name = "file"

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        """The path as text."""
        text = os.fspath(value)
        if not text:
            self.fail("the name is empty.", param, ctx)
        return text

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Let the shell complete names of files, or of folders."""
        return [CompletionItem(incomplete, type="dir" if self.name == "folder" else "file")]


class Folder(_Path):
    """A folder to write into."""

    name = "folder"


class Input(_Path):
    """A file to read; the data are bad, not the call, where it is missing.

    ``names`` are words that stand for something else; the command says where neither is meant.
    ``shared`` allows standard input that another parameter reads too, for a table with both.
    """

    def __init__(self, *, names: Iterable[str] = (), shared: bool = False) -> None:
        self.names, self.shared = frozenset(names), shared

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        """The path of a file that is there."""
        text = super().convert(value, param, ctx)
        if text != STANDARD and not self.names:
            _check_there(text)
        return text

    def files(self, value: object) -> list[str]:
        """The files among one or more values."""
        values = value if isinstance(value, tuple) else (value,)
        return [path for path in values if path not in self.names]


FILE = Input()


class Output(_Path):
    """A file to write; ``beside`` says that text has a side file ``NAME.json``, as folds have."""

    def __init__(self, *, beside: bool = False) -> None:
        self.beside = beside


class Files:
    """What a run reads and writes: no output may replace an input or another output.

    Files are told apart as ``os.path.samefile`` does it. Those that the call names come first;
    files of a folder are added when the command lists them, so both ways are checked.
    """

    def __init__(self) -> None:
        self._taken: dict[Hashable, str] = {}  # why nothing may be written there
        self._outputs: dict[Hashable, str] = {}

    def reads(self, path: str) -> None:
        """Add an input, and the side file that says how it was made."""
        self._keep(path, "is an input, which would be lost")
        side = f"{path}.json"
        if path != STANDARD and os.path.isfile(side):
            from trueval.data._side import is_side_file

            with contextlib.suppress(OSError):  # the reader says it
                if is_side_file(Path(side)):
                    self._keep(side, f"says how the input {path} was made, and would be lost")

    def _keep(self, path: str, reason: str) -> None:
        key = _identity(path, 0)
        if key is None:
            return
        if key in self._outputs:
            raise _cannot_write(self._outputs[key], reason)
        self._taken.setdefault(key, reason)

    def writes(self, path: str, reason: str = "is the name of another output too") -> None:
        """Add an output; ``reason`` says why no other may have its name."""
        key = _identity(path, 1)
        if key in self._taken:
            raise _cannot_write(path, self._taken[key])
        if key is not None:
            self._taken[key], self._outputs[key] = reason, path

    def writes_beside(self, path: str) -> None:
        """Add the side file of an output, unless it is there."""
        side, reason = f"{path}.json", f"is written beside {path}"
        if self._taken.get(_identity(side, 1)) != reason:
            self.writes(side, reason)


def _cannot_write(path: str, reason: str) -> click.UsageError:
    return click.UsageError(f"Cannot write {path}: it {reason}. Choose another name.")


def _identity(path: str, standard: int) -> Hashable:
    """What two names of one file have in common; None for a folder.

    ``standard`` is the number of the standard stream that ``-`` means. A regular file behind it
    is a file as others are.
    """
    try:
        state = os.fstat(standard) if path == STANDARD else os.stat(path)
    except OSError:
        return os.path.realpath(path)
    if stat.S_ISDIR(state.st_mode):
        return None
    if path == STANDARD and not stat.S_ISREG(state.st_mode):
        return STANDARD, standard
    return state.st_dev, state.st_ino


def _check_there(path: str) -> None:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise no_such_file(path) from None
    except OSError as error:
        raise InputError(
            f"the file cannot be looked up: {error.strerror}.",
            place=Place(path),
            fix="Check the path, and the permissions of its folders.",
        ) from None


def no_such_file(path: str) -> InputError:
    """The error for a file that is not there, with the one that may have been meant.

    >>> print(no_such_file("nowhere/labels.csv"))
    nowhere/labels.csv: no such file. The folder 'nowhere' is not there either.
    """
    folder, name = os.path.split(path)
    fix = f"Check the path (looked from {Path.cwd()})."
    try:
        near = difflib.get_close_matches(name, os.listdir(folder or "."), 1)
        if near:
            fix = f"Did you mean {os.path.join(folder, near[0])}?"
    except FileNotFoundError:
        fix = f"The folder {folder!r} is not there either."
    except NotADirectoryError:
        fix = f"{folder!r} is a file, not a folder."
    except OSError:
        fix = f"The folder {folder!r} cannot be listed; check the name."
    return InputError("no such file.", place=Place(path), fix=fix)


def check_output(path: str) -> None:
    """Refuse a name that cannot be written, before the work is done."""
    target = Path(path)
    if target.is_dir():
        raise InputError(
            "this is a folder.", place=Place(str(path)), fix="Name a file inside it to write."
        )
    folder = target.parent
    if not folder.is_dir():
        raise InputError(
            f"the folder {str(folder)!r} is not there.",
            place=Place(str(path)),
            fix="Make it first.",
        )
    if not os.access(folder, os.W_OK):
        raise InputError(
            f"the folder {str(folder)!r} cannot be written to.", place=Place(str(path))
        )


def through_a_file(write: Callable[[Path], object], suffix: str) -> None:
    """Let a writer of files write to standard output."""
    with tempfile.TemporaryDirectory(prefix="trueval-") as folder:
        path = Path(folder, f"output{suffix}")
        write(path)
        with path.open("rb") as file:
            stream = sys.stdout.buffer
            shutil.copyfileobj(file, stream)
            stream.flush()
