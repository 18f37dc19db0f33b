"""Which columns of a table of pairs are the objects, the label and the weight."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from trueval.core.errors import (
    Fix,
    InputError,
    InputWarning,
    Place,
    quote,
    quote_names,
    shorten,
    warn_user,
)
from trueval.core.reading import PairReading
from trueval.data._raw import RawTable
from trueval.data._values._ids import numbers_rows
from trueval.data._values._pair_words import (
    are_twins,
    attributes,
    count_columns,
    holds_measures,
    holds_texts,
    holds_values,
    is_header_word,
    is_object,
    is_row_id,
    is_value,
    is_weight,
    label_like,
    may_be_cell,
)
from trueval.data._values._words import ID_LIKE, INDEX_LIKE, header_by_types, is_number

__all__ = ["PairColumns", "pair_columns"]

# Columns that may name rows: not where an id comes again.
_ID = re.compile(r"ids?|idx|no|nr|#", re.IGNORECASE)
_NUMBERED = re.compile(r"index|rows?|level_0", re.IGNORECASE)


@dataclass(frozen=True)
class _Candidates:
    """Columns that may be the objects."""

    by_place: list[int]  # if the first line is data
    by_name: list[int]  # if it is a header: no label, fold, id of rows, or text of an object
    row_numbers: tuple[int, ...]  # columns that pandas writes, of which nothing is lost
    is_header: bool  # whether one of them can only be in a header


@dataclass(frozen=True)
class PairColumns:
    """Places of the columns of a table of pairs."""

    ids: tuple[int, int]
    label: int | None
    weight: int | None
    # whether the first line is a header; None where this cannot be told
    header: bool | None
    header_unknown: bool  # whether neither the user nor the first column says it
    row_numbers: tuple[int, ...] = ()
    in_doubt: tuple[str, ...] = ()  # names of further objects, which a warning has said already
    guessed: bool = False  # whether the objects are what is left beside labels and folds

    def reading(self, table: RawTable) -> PairReading:
        """How the table was understood."""
        used = {*self.ids, self.label, self.weight, *self.row_numbers}
        unused = [at for at in range(table.width) if at not in used]

        def name(at: int | None) -> Any:
            return None if at is None else table.names[at] if self.header else at

        a, b = map(name, self.ids)
        others = tuple(map(name, unused))
        return PairReading((a, b), name(self.label), name(self.weight), others, bool(self.header))


def pair_columns(
    table: RawTable, columns: Any, label: Any, weight: Any, header: bool | None
) -> PairColumns:
    """Find the columns, or refuse; parameters as of :func:`trueval.data.read_pairs`."""
    usable = list(range(table.width))
    if table.typed:
        usable = [at for at in usable if not INDEX_LIKE.fullmatch(table.names[at])]
    if table.width < 2 or (columns is None and len(usable) < 2):
        raise table.fail(
            f"pairs need two id columns; there is one ({shorten(table.names[0])!r}).",
            fix=Fix("Pass {}.", "delimiter"),
        )
    if header is None or table.typed:
        header = True if table.has_header else header
    label_at = None if label is None else table.position(label, "label_column")
    weight_at = None if weight is None else table.position(weight, "weight_column")
    others = [at for at in usable if at not in (label_at, weight_at)]
    candidates = _candidates(table, usable, others, guess=columns is None and header is not False)
    header = True if candidates.is_header else header
    if columns is None:
        ids = (candidates.by_name if len(candidates.by_name) > 1 else candidates.by_place)[:2]
    else:
        ids = [table.position(c, "columns") for c in columns]
    known = header
    if header is None:
        named = any(isinstance(c, str) for c in (*(columns or ()), label, weight))
        known = True if named else _is_header(table, ids, [at for at in usable if at not in ids])
    numbered = bool(known and columns is None) and count_columns(
        [table.names[at] for at in candidates.by_place]
    )
    if columns is None:
        ids = (candidates.by_name if known and not numbered else candidates.by_place)[:2]
        if len(ids) < 2:
            raise _too_few(table, usable, ids)
    rest = [at for at in usable if at not in (*ids, *candidates.row_numbers)]
    if known and not numbered:
        more = [at for at in rest if at not in (label_at, weight_at)]
        label_at = _label_place(table, more, ids) if label is None else label_at
        weight_at = _weight_place(table, more) if weight is None else weight_at
    else:
        label_at, weight_at = _values_by_place(rest, label_at, weight_at)
    unknown = header is None and not known
    a, b = ids
    places = PairColumns((a, b), label_at, weight_at, known, unknown, candidates.row_numbers)
    if numbered and len(candidates.by_place) > 2:
        _warn_of_numbers(table, places)
    elif columns is None and known:
        objects = [at for at in candidates.by_name if at not in (a, b, label_at, weight_at)]
        return _checked(table, places, objects, usable)
    return places


def _candidates(
    table: RawTable, usable: list[int], others: list[int], *, guess: bool
) -> _Candidates:
    """Which of the other columns, those not chosen for anything, may be the objects."""
    numbers = tuple(at for at in range(table.width) if at not in usable)
    free, is_header = list(others), False
    if not guess and not table.typed:
        indexed = INDEX_LIKE.fullmatch(table.names[0].strip()) and numbers_rows(table, 0)
        numbers = (0,) if indexed else ()
    if guess:
        # Of x and y in front, y is the twin of x and not the label.
        twins = [table.names[at].strip().lower() for at in others[:2]] == ["x", "y"]
        twins = twins and not holds_measures(table, others[1])
        free = [at for at in others if (twins and at in others[:2]) or not is_value(table, at)]
        if not table.typed and free[:1] == [0] and _begins_with_row_numbers(table, free):
            others, free, numbers, is_header = others[1:], free[1:], (0,), True
        if free and _begins_with_row_ids(table, free):
            others = [at for at in others if at != free[0]]
            free, is_header = free[1:], True
        described = attributes([table.names[at] for at in free])
        free = [at for place, at in enumerate(free) if place not in described]
    return _Candidates(others, free, numbers, is_header)


def _too_few(table: RawTable, usable: Sequence[int], ids: Sequence[int]) -> InputError:
    """The error for a table in which labels, folds and ids of rows leave no two columns."""
    others = quote_names([table.names[at] for at in usable if at not in ids])
    left = f"{quote(table.names[ids[0]], 40)} is left" if ids else "none is left"
    return table.fail(
        f"pairs need two id columns; beside {others}, {left}.",
        fix=Fix("If one of them holds objects, pass {}.", "columns"),
    )


def _warn_of_numbers(table: RawTable, places: PairColumns) -> None:
    """Say what columns were taken for that have numbers for names."""
    a, b = (quote(table.names[at], 40) for at in places.ids)
    values = {"label": places.label, "weight": places.weight}
    taken = [
        f"{quote(table.names[at], 40)} is the {w}" for w, at in values.items() if at is not None
    ]
    warn_user(
        "the names of the columns are numbers, so their places say what they are: "
        f"{', '.join([f'{a} and {b} are the objects', *taken])}.",
        InputWarning,
        place=Place(table.source.name),
        fix=Fix("If that is wrong, pass {} and {}.", "columns", more=(("label_column", None),)),
    )


def _checked(
    table: RawTable, places: PairColumns, rest: list[int], usable: list[int]
) -> PairColumns:
    """Refuse or name further columns of objects, as in triples, of which two were taken.

    ``rest`` are the other columns that may hold objects.
    """
    used = [table.names[at] for at in places.ids]
    a, b = (quote(name, 40) for name in used)
    named = all(map(is_object, used)) or are_twins(*used)
    values = [at for at in usable if at < max(places.ids) and is_value(table, at)]
    guessed = bool(values) and not named
    others = [table.names[at] for at in rest if is_object(table.names[at])]
    first = "come first" if places.ids == (0, 1) else "come first after the row ids"
    if guessed:
        first = f"come first beside {quote_names([table.names[at] for at in values])}"
    # A column of 0 and 1 in front of texts is rather a label of which the name is not known.
    unnamed = [at for at in places.ids if not named and not is_object(table.names[at])]
    measures = [at for at in unnamed if holds_measures(table, at)]
    problem = ""
    if others and not named:
        problem = f"{quote_names(others)} {'is' if len(others) == 1 else 'are'} named so"
    elif guessed and rest:
        problem = f"{quote_names([table.names[at] for at in rest])} may be as well"
    elif measures and any(holds_texts(table, at) for at in rest):
        such = quote(table.cells(measures[0])[0], 40)
        problem = f"{quote(table.names[measures[0]], 40)} holds values such as {such}"
    if problem:
        raise table.fail(
            f"which two columns hold the objects? {a} and {b} {first}, and {problem}.",
            fix=Fix("Pass {} with their names.", "columns"),
        )
    # A column such as "target" beside the label is one more label, if there are two objects.
    surely = [
        table.names[at]
        for at in rest
        if is_object(table.names[at])
        and not (label_like(table.names[at]) is not None and holds_values(table, at))
    ]
    if surely:
        warn_user(
            f"{quote_names(surely)} may hold objects too, but pairs have two: {a} and {b} are "
            "used.",
            InputWarning,
            place=Place(table.source.name),
            fix=Fix("If others are meant, pass {}.", "columns"),
        )
    return replace(places, in_doubt=tuple(surely), guessed=guessed)


def _begins_with_row_ids(table: RawTable, free: list[int]) -> bool:
    """Whether the first column names the rows, as pair_id does, and two others the objects."""
    name = table.names[free[0]].strip()
    enough = len(free) > 2
    if not is_row_id(name):
        values = table.cells(free[0])
        # Of (id, target, y) both are objects.
        return enough and bool(_ID.fullmatch(name)) and len(values) == len(set(values)) > 1
    if not enough:
        raise table.fail(
            f"the column {name!r} names rows, not objects, and then there are no two id columns.",
            fix=Fix("Choose two: pass {}.", "columns"),
        )
    return True


def _begins_with_row_numbers(table: RawTable, free: list[int]) -> bool:
    """Whether the first column numbers the rows, as pandas writes its index."""
    name, values = table.names[0].strip(), [cell.strip() for cell in table.cells(0)]
    numbers = all(value.isascii() and value.isdigit() for value in values)
    enough = len(free) > 2  # of (target, y), one column is left for ids
    if not INDEX_LIKE.fullmatch(name):
        in_order = bool(values) and numbers_rows(table, 0)
        return bool(_NUMBERED.fullmatch(name)) and in_order and enough
    if not values:
        return False
    if not enough or not table.names[1].strip() or not (numbers or len(set(values)) == len(values)):
        raise table.fail(
            "the first column has no name: it is taken as row numbers, and then there are no "
            "two id columns.",
            fix="Name the columns, as in a,b,y.",
        )
    return True


def _is_header(table: RawTable, ids: Sequence[int], rest: list[int]) -> bool | None:
    """Whether the first line is a header; None if it cannot be told."""
    names = [table.names[c] for c in ids]
    known = [n for n in names if n and (is_object(n) or ID_LIKE.fullmatch(n))]
    # Of a y above y and n it cannot be told whether it is a name.
    by_types = header_by_types(table, [at for at in (*ids, *rest) if not may_be_cell(table, at)])
    # An object may be called a; a column is not, where the line has a number or comes again.
    if len(known) == 2 and (by_types is not False or any(len(name) > 1 for name in known)):
        return True
    if by_types is None and (
        any(len(name) > 1 for name in known) or any(is_header_word(table, at) for at in rest)
    ):
        return True
    # An object may have the name of its column, as a node called u; the label's has another word.
    numbers = any(map(is_number, table.names))
    if by_types is False and not numbers and any(is_header_word(table, at) for at in rest):
        return True
    return by_types


def _values_by_place(
    rest: list[int], label: int | None, weight: int | None
) -> tuple[int | None, int | None]:
    """Label and weight where names do not say them: the columns after the objects."""
    first = rest[0] if rest else None
    if label is None and first != weight:
        label = first
    if weight is None and label == first and len(rest) > 1:
        weight = rest[1]
    return label, weight


def _weight_place(table: RawTable, rest: list[int]) -> int | None:
    """Place of the one column that is named as weights are."""
    matches = [at for at in rest if is_weight(table.names[at])]
    return matches[0] if len(matches) == 1 else None


def _label_place(table: RawTable, rest: list[int], ids: Sequence[int]) -> int | None:
    """Place of the label, by the surest word that occurs; less sure ones must hold values."""
    ranks = {at: label_like(table.names[at]) for at in rest}
    ranks = {at: rank for at, rank in ranks.items() if rank == 0 or holds_values(table, at)}
    for sure in range(3):
        matches = [at for at, rank in ranks.items() if rank == sure]
        if sure == 2:  # beside one object and a text, target is the other object
            named = [is_object(table.names[at]) for at in ids]
            twins = are_twins(*(table.names[at] for at in ids))
            if any(named) and not all(named) and not twins:
                matches = [at for at in matches if holds_measures(table, at)]
        if len(matches) > 1:
            several = " and ".join(repr(shorten(table.names[at])) for at in matches)
            raise table.source.fail(
                f"the columns {several} could both be the label.",
                fix=Fix("Choose one: pass {}.", "label_column"),
            )
        if matches:
            return matches[0]
    return None
