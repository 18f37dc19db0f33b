"""Inputs and outputs of commands: names that exist, ``-`` for the standard streams."""

import difflib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from trueval.core.errors import InputError, Place

__all__ = ["FILE", "STANDARD", "check_output", "through_a_file"]

#: Stands for standard input or output.
STANDARD = "-"


class _ExistingFile(click.ParamType):
    """A file to read; the data are bad, not the call, where it is missing."""

    name = "file"

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        text = os.fspath(value)
        if text != STANDARD and not os.path.lexists(text):
            raise no_such_file(text)
        return text

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="file")]


FILE = _ExistingFile()


def no_such_file(path: str) -> InputError:
    """The error for a file that is not there, with the one that may have been meant.

    >>> print(no_such_file("nowhere/labels.csv"))
    nowhere/labels.csv: no such file. The folder 'nowhere' is not there either.
    """
    folder, name = os.path.split(path)
    try:
        there = os.listdir(folder or ".")
    except OSError:
        fix = f"The folder {folder!r} is not there either."
    else:
        near = difflib.get_close_matches(name, there, 1)
        fix = f"Check the path (looked from {Path.cwd()})."
        if near:
            fix = f"Did you mean {os.path.join(folder, near[0])}?"
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
