"""Class names that may be lists: never split without a word as if they were one class."""

from typing import Any

from trueval.core.errors import Fix, InputError, quote
from trueval.data._values._separators import SEPARATORS, possible_list
from trueval.distributed._rows import arrow

__all__ = ["check_layout", "check_names"]


def check_layout(layout: str | None, long: bool) -> None:
    """Refuse a layout that the files do not have."""
    if layout is not None and (layout == "long") != long:
        has = "one class a record" if long else "lists"
        raise InputError(
            f"the column of classes has {has}, but layout={layout!r} was asked for.",
            fix=Fix("Leave {} out.", "layout"),
            parameter="layout",
        )


def check_names(classes: Any, once: bool) -> None:
    """Refuse names of a record each that may be lists, as files that are read into memory are.

    ``once`` says that no row has two records: only then a comma or a space may separate classes.
    """
    if not arrow().types.is_large_string(classes.type):
        return
    has_mark = arrow(".compute").match_substring_regex(classes, f"[{SEPARATORS}]")
    marked: list[str] = classes.filter(has_mark).to_pylist()
    unclear: tuple[str, str] | None = None
    if marked:
        unclear = (marked[0], next(mark for mark in SEPARATORS if mark in marked[0]))
    elif once:
        unclear = possible_list(classes.to_pylist())
    if unclear is not None:
        name, mark = unclear
        what = {",": "a comma", " ": "spaces"}.get(mark, repr(mark))
        raise InputError(
            f"the class {quote(name)} contains {what}: it may be one class with that name or a "
            "list of several.",
            fix=Fix("Write lists as a column of lists, or pass {}.", "layout", "long"),
            parameter="layout",
        )
