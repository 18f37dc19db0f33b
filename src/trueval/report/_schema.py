"""What saved data must look like, as data, and the one check that reads it.

A shape is a type (``float`` takes whole numbers too, ``object`` anything), a tuple of types,
``{key: shape}`` with ``"key?"`` for one that may be missing and ``"*"`` for a shape of the
object itself, or one of the classes below.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trueval.core.errors import InputError, quote

__all__ = [
    "MAX_DEPTH",
    "Among",
    "Between",
    "Columns",
    "Each",
    "Map",
    "Maybe",
    "Shape",
    "check",
    "check_depth",
]

Shape = Any
MAX_DEPTH = 40  # results have ten levels; a figure may have more
MAX_NUMBER = 2**63

_NAMES = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


@dataclass(frozen=True)
class Maybe:
    """The shape, or null."""

    of: Shape


@dataclass(frozen=True)
class Among:
    """One of these texts."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Between:
    """A number between two bounds, both included."""

    low: float
    high: float


@dataclass(frozen=True)
class Each:
    """A list of the shape, of at least so many."""

    of: Shape
    least: int = 0


@dataclass(frozen=True)
class Map:
    """An object with any keys, and values of the shape."""

    of: Shape


@dataclass(frozen=True)
class Columns:
    """An object of lists, all of one length; those of ``maybe`` may be null.

    The shape of a column is that of its items; ``Map(shape)`` is an object of columns.
    """

    of: Mapping[str, Shape]
    maybe: tuple[str, ...] = ()


def check(value: Any, shape: Shape, place: str) -> None:
    """Raise an error that names the first place where the value has another shape."""
    for where, expected, got in _faults(value, shape, place):
        raise InputError(f"{where} must be {expected}. Got {quote(got, 40)} instead.")


def _faults(value: Any, shape: Shape, place: str) -> Iterator[tuple[str, str, Any]]:
    if isinstance(shape, type):
        if not _is(value, shape):
            yield place, _NAMES[shape], value
    elif isinstance(shape, tuple):
        if not any(_is(value, kind) for kind in shape):
            yield place, " or ".join(_NAMES[kind] for kind in shape), value
    elif isinstance(shape, Among):
        if value not in shape.texts:
            yield place, f"one of {', '.join(shape.texts)}", value
    elif isinstance(shape, Between):
        if not (_is(value, float) and shape.low <= value <= shape.high):
            yield place, f"a number from {shape.low:g} to {shape.high:g}", value
    elif isinstance(shape, Maybe):
        if value is not None:
            yield from _faults(value, shape.of, place)
    elif isinstance(shape, Each):
        if not isinstance(value, list) or len(value) < shape.least:
            yield place, "a list" if shape.least == 0 else "a list with items", value
        else:
            for number, item in enumerate(value):
                yield from _faults(item, shape.of, f"{place}[{number}]")
    elif not isinstance(value, dict):
        yield place, "an object", value
    elif isinstance(shape, Map):
        for key, item in value.items():
            yield from _faults(item, shape.of, f"{place}[{key!r}]")
    elif isinstance(shape, Columns):
        columns: dict[str, Shape] = {
            key: Map(Each(of.of)) if isinstance(of, Map) else Each(of)
            for key, of in shape.of.items()
        }
        columns |= {key: Maybe(columns[key]) for key in shape.maybe}
        yield from _faults(value, columns, place)
        lengths: dict[str, int] = {}
        for key in shape.of:
            nested = value[key] if isinstance(value[key], dict) else {key: value[key]}
            lengths |= {str(k): len(column) for k, column in nested.items() if column is not None}
        if len(set(lengths.values())) > 1:
            yield place, "lists of one length", lengths
    else:
        yield from _missing(value, shape, place)


def _missing(
    value: dict[str, Any], shape: dict[str, Shape], place: str
) -> Iterator[tuple[str, str, Any]]:
    for key, of in shape.items():
        name = key.removesuffix("?")
        if name == "*":
            yield from _faults(value, of, place)
        elif name in value:
            yield from _faults(value[name], of, f"{place}[{name!r}]")
        elif name == key:
            yield f"{place}[{name!r}]", "given", None


def _is(value: Any, kind: type) -> bool:
    if kind is object:
        return True
    if isinstance(value, bool):
        return kind is bool
    if isinstance(value, int):  # a float cannot hold all that JSON can
        return kind in (int, float) and abs(value) < MAX_NUMBER
    return isinstance(value, kind)


def check_depth(value: Any) -> None:
    """Refuse what is nested deeper than any result, before anything recurses into it."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return
    raise InputError(f"the data are nested deeper than {MAX_DEPTH} levels, as no result is.")
