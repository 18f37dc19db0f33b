"""What an ontology is made of, as a user gives it: ids, texts, lists of ids, edges."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import is_text
from trueval.core.errors import InputError, quote
from trueval.core.named import listed

__all__ = ["MAX_NAME", "lists_of", "text_of", "texts_of", "triple_of"]

MAX_NAME = 200
"""Longest id of a term, relation or namespace."""


def text_of(value: Any, what: str) -> str:
    """Id of a term or a relation."""
    if not isinstance(value, str) or not value or len(value) > MAX_NAME:
        raise InputError(
            f"{what} must be a string of 1 to {MAX_NAME} characters. Got {str(value)[:80]!r} "
            f"({type(value).__name__}) instead."
        )
    return str(value)


def texts_of(values: Sequence[str] | None, n: int, what: str) -> NDArray[Any]:
    """Strings as objects: one long name must not widen all of them."""
    texts = [""] * n if values is None else [str(value) for value in listed(values, f"the {what}")]
    if len(texts) != n:
        raise InputError(f"there are {n:,} terms but {len(texts):,} {what}; give one for each.")
    array = np.empty(n, dtype=object)
    array[:] = texts
    return array


def lists_of(
    values: Mapping[str, Sequence[str]] | None, what: str
) -> Mapping[str, tuple[str, ...]]:
    """Ids of terms by id of a term."""
    return {
        key: tuple(listed(value, f"{what} of {quote(key)}"))
        for key, value in (values or {}).items()
    }


def triple_of(edge: Any, number: int) -> tuple[Any, Any, Any]:
    """Child, parent and relation of an edge."""
    if is_text(edge) or not isinstance(edge, Iterable) or len(triple := tuple(edge)) != 3:
        raise InputError(
            f"edge {number} is {quote(edge)}; an edge has a child, a parent and a relation.",
            fix="Give (child, parent, 'is_a').",
        )
    return triple
