"""The standard streams, whatever state they are in: closed, full, or of another encoding."""

import errno
import io
import json
import os
import re
import sys
from collections.abc import Callable, Mapping

import click

__all__ = ["abandon_output", "is_of_output", "open_streams", "print_json", "say", "visible"]

_NOT_TAKEN = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EBADF)
# Controls other than tab and line feed, line separators, changes of direction, surrogates.
_INVISIBLE = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


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


def visible(text: str) -> str:
    r"""Text for a terminal: what would move the cursor or change colours is escaped.

    >>> visible("a\x1b[31mb"), visible("é, 蛋白")
    ('a\\x1b[31mb', 'é, 蛋白')
    """
    return _INVISIBLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def say(text: str) -> None:
    """Print a line to stderr, whatever state it is in."""
    click.echo(visible(text), err=True)


def print_json(
    fields: Mapping[str, object], default: Callable[[object], object] | None = None
) -> None:
    """Print one JSON object; text is escaped where standard output is not UTF-8."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(fields, allow_nan=False, ensure_ascii=not utf8, default=default)
    # All that JSON does not escape itself is inside of strings.
    click.echo(_INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def is_of_output(error: Exception) -> bool:
    """Whether standard output does not take what is printed; other writers name their file."""
    return isinstance(error, OSError) and error.filename is None and error.errno in _NOT_TAKEN


def abandon_output() -> None:
    """Print nothing more to standard output; Python would try again when it ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
