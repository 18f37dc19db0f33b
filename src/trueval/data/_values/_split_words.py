"""Splits in words: which rows are for training, validation and test."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, shorten
from trueval.data._columns import Codes
from trueval.data._raw import RawTable
from trueval.data._source import Source

__all__ = [
    "Sides",
    "part_numbers",
    "role_of",
    "sides_of_folds",
    "split_sides",
    "word_order",
    "word_sides",
]

#: Roles in their order; a word may go on after a sign or digit, as in test_unseen or test2.
_ROLES = {
    role: re.compile(rf"(?:{words})(?:[\W_\d].*)?", re.IGNORECASE)
    for role, words in (
        ("train", "train|training|trn"),
        ("valid", "valid|validation|val|dev|development"),
        ("test", "test|testing|tst|hold-?out|held-?out"),
        ("drop", "drop|dropped|none|unused|excluded?|ignored?|na|nan"),
    )
}
Sides = dict[str, tuple[NDArray[np.intp], NDArray[np.intp]]]


def role_of(word: str) -> str | None:
    """What rows with a word are for; None for another word.

    >>> [role_of(word) for word in ("Train", "val", "test_unseen", "trained", "")]
    ['train', 'valid', 'test', None, 'drop']
    """
    word = word.strip()
    if not word:
        return "drop"
    return next((role for role, words in _ROLES.items() if words.fullmatch(word)), None)


def word_order(words: Sequence[str]) -> list[str] | None:
    """Words in the order of their roles, train first; None if one is no such word.

    >>> word_order(["test", "valid", "train"])
    ['train', 'valid', 'test']
    """
    roles = {word: role_of(word) for word in words}
    if not all(role in ("train", "valid", "test") for role in roles.values()):
        return None
    ranks = list(_ROLES)
    return sorted(roles, key=lambda word: (ranks.index(str(roles[word])), word))


def part_numbers(words: Sequence[str], n_parts: int | None, source: Source) -> dict[str, int]:
    """Number of the part that each word means: train first, test last, valid between; -1 for none.

    >>> part_numbers(["test", "train", "NA"], 2, Source(b"a"))
    {'test': 1, 'train': 0, 'NA': -1}
    """
    order = {2: ["train", "test"], 3: ["train", "valid", "test"]}.get(n_parts or 0)
    if order is None:
        raise source.fail(
            f"the value {shorten(words[0])!r} is a word, and words name two parts (train, test) or "
            "three (train, valid, test).",
            fix=Fix("Use part numbers from 0, or pass {}.", "parts", "80,10,10"),
        )
    numbers = {}
    for word in words:
        role = role_of(word)
        if role != "drop" and role not in order:
            raise source.fail(
                f"the value {shorten(word)!r} is none of {' and '.join(order)}, the names of the "
                f"{n_parts} parts.",
                fix="Use these words, or part numbers from 0.",
            )
        numbers[word] = order.index(str(role)) if role in order else -1
    return numbers


def split_sides(table: RawTable, values: Codes, at: int) -> Sides:
    """Training and test rows of each part that is not for training, by its word.

    Where no word means training, each value is a fold, tested by a model of all the others.
    """
    names = [str(name) for name in values.names.tolist()]
    codes = values.codes
    roles: dict[str, Any] = {name: role_of(name) for name in names}
    if not any(role in ("train", "valid", "test") for role in roles.values()):
        if (codes < 0).any():
            raise table.fail(
                "the fold is missing.", row=int(np.argmax(codes < 0)), column=at, fix="Fill it in."
            )
        return {
            f"fold {name}": (np.flatnonzero(codes != code), np.flatnonzero(codes == code))
            for code, name in sorted(enumerate(names), key=lambda item: _natural(item[1]))
        }
    for code, name in enumerate(names):
        if roles[name] is None:
            raise table.fail(
                f"the value {shorten(name)!r} is none of train, valid, test and drop, which other "
                "rows have.",
                row=int(np.argmax(codes == code)),
                column=at,
                fix="Use one of these words.",
            )
    return word_sides(names, codes, table.source)


def word_sides(words: Sequence[str], numbers: NDArray[Any], source: Source) -> Sides:
    """Training rows, and those of each part for validation or test, of numbers of words."""
    roles = [role_of(word) for word in words]
    of_role = {role: [n for n, r in enumerate(roles) if r == role] for role in _ROLES}
    train = np.flatnonzero(np.isin(numbers, of_role["train"]))
    tested = [*of_role["valid"], *of_role["test"]]
    if not len(train) or not tested:
        missing = "training" if not len(train) else "test"
        raise source.fail(f"no row is for {missing}.", fix="Name its rows train or test.")
    return {words[number]: (train, np.flatnonzero(numbers == number)) for number in tested}


def sides_of_folds(numbers: NDArray[Any], words: Sequence[str] | None, source: Source) -> Sides:
    """Each fold against all the others, or what words are for; -1 is a row that is left out."""
    if words:
        return word_sides(words, numbers, source)
    assigned = numbers >= 0
    return {
        f"fold {number}": (
            np.flatnonzero((numbers != number) & assigned),
            np.flatnonzero(numbers == number),
        )
        for number in np.unique(numbers[assigned]).tolist()
    }


def _natural(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isascii() and name.isdigit() else (10**9, name)
