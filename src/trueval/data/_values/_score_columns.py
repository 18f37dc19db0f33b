"""Which columns of a table hold ids, labels and scores, and whether a table is of such lines."""

from typing import Any

from trueval.core.errors import Fix, quote_names
from trueval.data._formats._first_lines import numbers_columns
from trueval.data._raw import RawTable
from trueval.data._values._words import (
    SCORE_LIKE,
    id_places,
    is_number,
    label_places,
)

__all__ = ["SCORE_COLUMNS", "is_long", "looks_long", "score_table_places"]


SCORE_COLUMNS = ("id_column", "label_column", "score_column")


def looks_long(names: list[str]) -> bool:
    """Whether columns of numbers could be named as id, label and score are, wherever these are."""
    labels, scores = label_places(names), _score_places(names)
    if 1 in labels and 2 in scores and (len(names) == 3 or names[3:] == ["name"]):
        return True
    # Of many classes two may be called so by chance, but not by these words alone.
    bare = [at for at in (*labels, *scores) if names[at].strip().isalpha()]
    return len(labels) == len(scores) == 1 and len(bare) == 2


def _score_places(names: list[str]) -> list[int]:
    """Columns that are named as scores are."""
    return [at for at, name in enumerate(names) if SCORE_LIKE.fullmatch(name.strip())]


def is_long(table: RawTable) -> bool:
    """Whether a table without an index has lines of an id, a label and a score."""
    labels, scores = label_places(table.names), _score_places(table.names)
    if _are_triples(table) or (table.width == 3 and looks_long(table.names)):
        return True
    if len(labels) != 1 or not scores or table.width < 3:
        return False
    if not all(map(is_number, table.cells(labels[0]))):
        return True  # a column of scores has no text
    if not looks_long(table.names):
        return False
    id_at = _id_place(table, labels[0], scores[0])
    ids = [] if id_at is None else table.cells(id_at)
    if len(set(ids)) < len(ids) or table.names[3:] == ["name"]:
        return True
    raise table.fail(
        f"lines of an id, a label and a score, or classes named "
        f"{quote_names([table.names[labels[0]], table.names[scores[0]]])}?",
        fix=Fix("Pass {} or {}.", "layout", "long", more=(("layout", "wide"),)),
    )


def _id_place(table: RawTable, label_at: int, score_at: int) -> int | None:
    """The column of ids beside labels and scores: named id, or alone named as ids are, or first."""
    rest = [at for at in range(table.width) if at not in (label_at, score_at)]
    ids = [at for at in id_places(table.names) if at in rest]
    exact = [at for at in ids if table.names[at].strip().lower() == "id"]
    if len(exact) == 1:
        return exact[0]
    if ids:
        return ids[0] if len(ids) == 1 else None
    return rest[0] if rest and (rest[0] == 0 or len(rest) == 1) else None


def _are_triples(table: RawTable) -> bool:
    """Whether each line of text has an id, a name and a number, the first one too.

    That may be 0,1,2, as pandas numbers columns.
    """
    numbered = table.has_header and numbers_columns(table.names)
    if (table.has_header and not numbered) or table.width != 3 or not table.names[0].strip():
        return False
    first = [[] if numbered else [table.names[at]] for at in (1, 2)]
    names, numbers = ([*cells, *table.cells(at)] for at, cells in zip((1, 2), first, strict=True))
    return all(map(is_number, numbers)) and not any(map(is_number, names))


def score_table_places(table: RawTable, columns: tuple[Any, Any, Any]) -> tuple[int, int, int]:
    """Columns of ids, labels and scores: as chosen, by their names, or the first that are left."""
    id_at, label_at, score_at = (
        None if chosen is None else table.position(chosen, name)
        for chosen, name in zip(columns, SCORE_COLUMNS, strict=True)
    )
    if table.has_header or not any(map(is_number, table.names)):  # the first line has names
        if label_at is None:
            named = [at for at in label_places(table.names) if at not in (id_at, score_at)]
            label_at = _one(table, named, "labels", "label_column")
        if score_at is None:
            named = [at for at in _score_places(table.names) if at not in (id_at, label_at)]
            score_at = _one(table, named, "scores", "score_column")
        if id_at is None and label_at is not None and score_at is not None:
            id_at = _id_place(table, label_at, score_at)
            if id_at is None:
                raise table.fail("which column holds the ids?", fix=Fix("Pass {}.", "id_column"))
    free = iter([at for at in range(table.width) if at not in (id_at, label_at, score_at)])
    id_at = next(free) if id_at is None else id_at
    label_at = next(free) if label_at is None else label_at
    return id_at, label_at, next(free) if score_at is None else score_at


def _one(table: RawTable, named: list[int], what: str, parameter: str) -> int | None:
    """The one column that is named so, if one is; several are refused."""
    if len(named) > 1:
        raise table.fail(
            f"several columns are named as {what} are: "
            f"{quote_names([table.names[at] for at in named])}.",
            fix=Fix("Pass {}.", parameter),
        )
    return named[0] if named else None
