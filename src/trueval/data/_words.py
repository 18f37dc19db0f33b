"""Names as words of a text file: which ones are read back as they were written."""

import re
from collections.abc import Iterable, Mapping

from trueval.core.errors import InputError, quote

__all__ = ["check_words", "text_problem"]

_OF_TEXTS = (
    (re.compile("[\r\n]"), "has a line end"),
    (re.compile("\0"), "has a NUL character"),
    (re.compile("[\ud800-\udfff]"), "has code points that are no characters"),
)
_OF_WORDS = (
    (re.compile(r"\A\Z"), "is empty"),
    (re.compile(r"\s"), "has a blank or a line end"),
    *_OF_TEXTS[1:],
    (re.compile(r"\A#"), "begins with '#', as a comment does"),
    (re.compile("\\A\ufeff"), "begins with a byte-order mark"),
)
#: Characters without which no rule applies; most names are looked at once.
_SUSPECT = re.compile("\\A\\Z|[\\s\0#\ufeff\ud800-\udfff]")


def text_problem(text: str) -> str | None:
    """Why a text is not part of one line; None if it is."""
    return _problem(text, _OF_TEXTS)


def check_words(
    names: Iterable[str], what: str, file: str, reserved: Mapping[str, str] | None = None
) -> None:
    """Refuse names that are not one word of a line; ``reserved`` ones have a reason.

    >>> check_words(["P1"], "target", "a file of predictions")
    >>> check_words(["P 1"], "target", "a file of predictions")
    Traceback (most recent call last):
    trueval.InputError: the target 'P 1' has a blank or a line end, which a file of predictions \
cannot hold. Rename it.
    """
    reserved = reserved or {}
    for name in names:
        problem = reserved.get(name) or _problem(name, _OF_WORDS)
        if problem is not None:
            raise InputError(
                f"the {what} {quote(name)} {problem}, which {file} cannot hold.", fix="Rename it."
            )


def _problem(text: str, rules: tuple[tuple[re.Pattern[str], str], ...]) -> str | None:
    if not _SUSPECT.search(text):
        return None
    return next((problem for pattern, problem in rules if pattern.search(text)), None)
