"""The standard streams, whatever state they are in: closed, full, or of another encoding."""

import errno
import io
import json
import os
import sys
from collections.abc import Callable, Mapping

import click

__all__ = ["abandon_output", "is_of_output", "open_streams", "print_json"]

_NOT_TAKEN = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EBADF)


def open_streams() -> None:
    """Let the three standard streams be open, and take every text.

    Closed ones become the null device: otherwise the next file that is opened would get their
    number, and with it what is printed. Characters that standard output cannot encode are escaped.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def print_json(
    fields: Mapping[str, object], default: Callable[[object], object] | None = None
) -> None:
    """Print one JSON object; text is escaped where standard output is not UTF-8."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(fields, allow_nan=False, ensure_ascii=not utf8, default=default))


def is_of_output(error: Exception) -> bool:
    """Whether standard output does not take what is printed; other writers name their file."""
    return isinstance(error, OSError) and error.filename is None and error.errno in _NOT_TAKEN


def abandon_output() -> None:
    """Print nothing more to standard output; Python would try again when it ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
