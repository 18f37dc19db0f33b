"""Which columns of a table of pairs are the objects, the label and the weight."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trueval.core.errors import Fix, InputWarning, Place, quote, quote_names, shorten, warn_user
from trueval.core.reading import PairReading
from trueval.data._formats._first_lines import numbers_columns
from trueval.data._raw import RawTable
from trueval.data._source import Source
from trueval.data._values._words import ID_LIKE, INDEX_LIKE, header_by_types

__all__ = ["PairColumns", "pair_columns"]

# The surest words first; 'target' may as well name an object.
_LABELS = tuple(
    re.compile(words, re.IGNORECASE)
    for words in ("y|label", "interaction|interacts|class|affinity|value", "target")
)
_WEIGHT = re.compile(r"(?:sample_)?weights?", re.IGNORECASE)
_OBJECT = re.compile(
    r"[abuv]|source|head|tail"
    r"|(?:.*[_ .-])?(?:id|object|protein|gene|drug|target|compound|ligand|molecule|peptide"
    r"|receptor|node|user|item|interactor|partner)s?[_ .-]?[ab12]?",
    re.IGNORECASE,
)
# Columns that name rows: never objects, whatever their values.
_ROW_ID = re.compile(
    r"#?(?:(?:.*[_ .-])?(?:pairs?|edges?|interactions?)"
    r"|rows?|records?|examples?|instances?|lines?)"
    r"[_ .-]?(?:ids?|idx|index|numbers?|no|nr)",
    re.IGNORECASE,
)
# And those that may: not where an id comes again.
_ID = re.compile(r"ids?|idx|no|nr|#", re.IGNORECASE)
_NUMBERED = re.compile(r"index|rows?|level_0", re.IGNORECASE)
# Of two names of objects, the places where they differ.
_SIDES = ({"a", "b"}, {"1", "2"}, {"0", "1"}, {"u", "v"}, {"x", "y"}, {"i", "j"})


@dataclass(frozen=True)
class PairColumns:
    """Places of the columns of a table of pairs."""

    ids: tuple[int, int]
    label: int | None
    weight: int | None
    # whether the first line is a header; None where this cannot be told
    header: bool | None
    header_unknown: bool  # whether neither the user nor the first column says it

    def reading(self, table: RawTable) -> PairReading:
        """How the table was understood."""
        used = {*self.ids, self.label, self.weight}
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
    numbered = columns is None and header is not False and not table.typed
    if numbered and _begins_with_row_numbers(table):
        usable, header = usable[1:], True
    if columns is None and header is not False and _begins_with_row_ids(table, usable):
        usable, header = usable[1:], True
    a, b = usable[:2] if columns is None else (table.position(c, "columns") for c in columns)
    rest = [at for at in usable if at not in (a, b)]
    known = header
    if header is None:
        by_name = any(isinstance(c, str) for c in (*(columns or ()), label, weight))
        known = True if by_name else _is_header(table, (a, b), rest)
    named = bool(known) and not numbers_columns(table.names)
    places = PairColumns(
        (a, b),
        _place(table, label, "label_column", rest, named, 0),
        _place(table, weight, "weight_column", rest, named, 1),
        known,
        header is None and not known,
    )
    if columns is None and known:
        _check_objects(
            table, places, [at for at in rest if at not in (places.label, places.weight)]
        )
    return places


def _check_objects(table: RawTable, places: PairColumns, rest: list[int]) -> None:
    """Refuse or name further columns of objects, as in triples, of which two were taken."""
    used = [table.names[at] for at in places.ids]
    names = [table.names[at] for at in rest]
    others = [name for name in names if _OBJECT.fullmatch(name) and not _ROW_ID.fullmatch(name)]
    # A column such as "target" beside the label is one more label, if there are two objects.
    surely = [name for name in others if not any(words.fullmatch(name) for words in _LABELS)]
    a, b = (quote(name, 40) for name in used)
    named = all(_OBJECT.fullmatch(name) and not _ROW_ID.fullmatch(name) for name in used)
    if others and not (named or _are_twins(*used)):
        several = quote_names(others)
        first = "come first" if places.ids == (0, 1) else "come first after the row ids"
        raise table.fail(
            f"which two columns hold the objects? {a} and {b} {first}, and {several} "
            f"{'is' if len(others) == 1 else 'are'} named so.",
            fix=Fix("Pass {} with their names.", "columns"),
        )
    if surely:
        warn_user(
            f"{quote_names(surely)} may hold objects too, but pairs have two: {a} and {b} are "
            "used.",
            InputWarning,
            place=Place(table.source.name),
            fix=Fix("If others are meant, pass {}.", "columns"),
        )


def _are_twins(a: str, b: str) -> bool:
    """Whether names differ in a letter or digit only that tells two sides, as seq1 and seq2.

    >>> _are_twins("node1_id", "node2_id"), _are_twins("drug", "target")
    (True, False)
    """
    differ = [{x, y} for x, y in zip(a.lower(), b.lower(), strict=False) if x != y]
    return len(a) == len(b) and len(differ) == 1 and differ[0] in _SIDES


def _begins_with_row_ids(table: RawTable, usable: list[int]) -> bool:
    """Whether the first column names the rows, as pair_id does, and two others the objects."""
    first = usable[0]
    name = table.names[first].strip()
    surely = bool(_ROW_ID.fullmatch(name))
    if not surely:
        values = table.cells(first)
        surely = bool(_ID.fullmatch(name)) and len(values) == len(set(values)) > 1
        if not surely or len(usable) < 3:
            return False
    others = [table.names[at] for at in usable[1:]]
    objects = [n for n in others[:2] if not _is_value(n)]
    if len(objects) == 2:
        return True
    if not _ROW_ID.fullmatch(name):
        return False  # of (id, target, y) both are objects
    raise table.fail(
        f"the column {name!r} names rows, not objects, and then there are no two id columns.",
        fix=Fix("Choose two: pass {}.", "columns"),
    )


def _is_value(name: str) -> bool:
    return any(words.fullmatch(name) for words in (*_LABELS[:2], _WEIGHT))


def _begins_with_row_numbers(table: RawTable) -> bool:
    """Whether the first column numbers the rows, as pandas writes its index."""
    name, values = table.names[0].strip(), [cell.strip() for cell in table.cells(0)]
    numbers = all(value.isascii() and value.isdigit() for value in values)
    # Of (target, y), one column is left for ids.
    enough = table.width > 2 and not any(
        words.fullmatch(table.names[2]) for words in (*_LABELS[:2], _WEIGHT)
    )
    if not INDEX_LIKE.fullmatch(name):
        in_order = any(values == [str(n + i) for i in range(len(values))] for n in (0, 1))
        return bool(_NUMBERED.fullmatch(name) and values and in_order and enough)
    if not values:
        return False
    if not enough or not table.names[1].strip() or not (numbers or len(set(values)) == len(values)):
        raise table.fail(
            "the first column has no name: it is taken as row numbers, and then there are no "
            "two id columns.",
            fix="Name the columns, as in a,b,y.",
        )
    return True


def _is_header(table: RawTable, ids: tuple[int, int], rest: list[int]) -> bool | None:
    """Whether the first line is a header; None if it cannot be told."""
    names = [table.names[c] for c in ids]
    known = [n for n in names if n and (_OBJECT.fullmatch(n) or ID_LIKE.fullmatch(n))]
    by_types = header_by_types(table, [*ids, *rest])
    # An object may be called a; a column is not, where the line has a number or comes again.
    if len(known) == 2 and (by_types is not False or any(len(name) > 1 for name in known)):
        return True
    if by_types is None and (
        any(len(name) > 1 for name in known)
        or any(words.fullmatch(table.names[c]) for words in (*_LABELS, _WEIGHT) for c in rest)
    ):
        return True
    return by_types


def _place(
    table: RawTable, column: Any, what: str, rest: list[int], header: bool, default: int
) -> int | None:
    if column is not None:
        return table.position(column, what)
    if header:
        names = [table.names[c] for c in rest]
        labels = what == "label_column"
        at = _label_place(table.source, names) if labels else _only(names, _WEIGHT)
        return None if at is None else rest[at]
    return rest[default] if len(rest) > default else None


def _only(names: Sequence[str], wanted: re.Pattern[str]) -> int | None:
    """Place of the one name that is as wanted."""
    matches = [place for place, name in enumerate(names) if wanted.fullmatch(name)]
    return matches[0] if len(matches) == 1 else None


def _label_place(source: Source, names: Sequence[str]) -> int | None:
    """Place of the label among names, by the surest word that occurs."""
    for words in _LABELS:
        matches = [name for name in names if words.fullmatch(name)]
        if len(matches) > 1:
            several = " and ".join(repr(shorten(name)) for name in matches)
            raise source.fail(
                f"the columns {several} could both be the label.",
                fix=Fix("Choose one: pass {}.", "label_column"),
            )
        if matches:
            return names.index(matches[0])
    return None
