"""Lines of ids and labels with a further column that says whether the label is there.

::

    id,label,value         id,label,qualifier
    p1,kinase,1            p1,kinase,enables
    p1,ion,0               p1,ion,NOT|enables

A 0 or NOT that is not read makes a positive of a negative. So a column is read where its name says
what it is, one that may be it is refused, and all others are named.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, InputWarning, Place, quote, warn_user
from trueval.data._columns import Codes
from trueval.data._raw import AsCodes, AsNumbers, RawTable, Want
from trueval.data._values._words import FOLD_LIKE, NO, SCORE_LIKE, YES, first_cells, is_number

__all__ = [
    "VALUE_LIKE",
    "Presence",
    "presence_of",
    "presence_wants",
    "present_labels",
    "says_it",
    "says_presence",
]

_PRESENT = re.compile(
    r"y(?:_true)?|(?:.*[_ .-])?(?:values?|present|presence|positives?|truth|annotated|indicator)"
    r"|(?:is|has)[_ ](?:positive|present|true|member|label)",
    re.IGNORECASE,
)
_COUNT = re.compile(r"(?:.*[_ .-])?(?:weights?|counts?|n|freq(?:uency)?|abundance)", re.IGNORECASE)
_QUALIFIER = re.compile(r"(?:.*[_ .-])?qualifiers?", re.IGNORECASE)
#: Names of columns that are values of a label rather than labels.
VALUE_LIKE = re.compile(f"{_PRESENT.pattern}|{_COUNT.pattern}|{SCORE_LIKE.pattern}", re.IGNORECASE)
_NOT = re.compile(r"(?:.*[|,; _])?NOT(?:[|,; _].*)?", re.IGNORECASE)
# Where no name says that it is a qualifier: not within a sentence.
_ALONE = re.compile(r"(?i:(?:[^ ]*[|,;_])?NOT(?:[|,;_][^ ]*)?)|NOT .*")


@dataclass(frozen=True)
class Presence:
    """What a column says of the label of each line."""

    at: int
    present: NDArray[np.bool_]
    # whether it is by the word NOT, which contradicts a positive of another line
    by_not: bool


def says_presence(name: str, *, numeric: bool) -> bool:
    """Whether a column of numbers, or else of text, is named as those that say it are."""
    return (_PRESENT if numeric else _QUALIFIER).fullmatch(name.strip()) is not None


def says_it(table: RawTable, others: Sequence[int], header: bool) -> bool:
    """Whether one of the columns is named as those that say it are, and holds 0 and 1 or so."""
    return header and any(
        _PRESENT.fullmatch(table.names[at].strip())
        and _words(first_cells(table, at)) == (True,) * 2
        for at in others
    )


def _words(texts: Sequence[str]) -> tuple[bool, bool]:
    """Whether all texts are words for yes or no, and whether one says no."""
    words = {text.strip().lower() for text in texts}
    return words <= YES | NO, bool(words & NO)


def presence_wants(
    table: RawTable, others: Sequence[int], chosen: int | None, header: bool
) -> dict[str, Want]:
    """What to read to know whether labels are there: columns whose name or cells may say it."""
    places = [at for at in others if chosen is None and _may_say_it(table, at, header)]
    wants: dict[str, Want] = {}
    for at in places if chosen is None else [chosen]:
        numeric = table.typed and table.is_numeric(at)
        wants[str(at)] = AsNumbers((at,)) if numeric else AsCodes(at, None)
    return wants


def _may_say_it(table: RawTable, at: int, header: bool) -> bool:
    if table.typed and table.kind(at) in ("list", "other"):
        return False
    name = table.names[at].strip() if header else ""
    cells = first_cells(table, at)
    named = any(words.fullmatch(name) for words in (VALUE_LIKE, _QUALIFIER))
    return named or _words(cells)[0] or any(map(_ALONE.fullmatch, cells))


def presence_of(
    table: RawTable, data: dict[str, Any], chosen: int | None, header: bool
) -> Presence | None:
    """The column that says whether labels are there; one that only may say it is refused."""
    presences = []
    for key in [key for key in data if key.isdigit()]:
        at = int(key)
        column = _as_codes(data[key])
        name = table.names[at].strip() if header else ""
        kind = _kind(table, column, name, at, chosen=at == chosen)
        if kind is not None:
            no = _NOT.fullmatch if kind == "NOT" else lambda text: text.strip().lower() in NO
            absent = np.array([bool(no(str(text))) for text in column.names.tolist()] + [False])
            presences.append(Presence(at, ~absent[column.codes], kind == "NOT"))
    if len(presences) > 1:
        names = " and ".join(quote(str(table.column_name(one.at)), 40) for one in presences)
        raise table.fail(
            f"the columns {names} could both say whether a label is there.",
            fix=Fix("Choose one: pass {}.", "value_column"),
        )
    return presences[0] if presences else None


def _kind(table: RawTable, column: Codes, name: str, at: int, *, chosen: bool) -> str | None:
    """How a column says whether the label is there: by 0 and 1, by NOT, or not at all (None)."""
    texts = [str(text).strip() for text in column.names.tolist()]
    if bool((column.codes < 0).any()):
        texts.append("")
    words, says_no = _words(texts)
    qualifier = _QUALIFIER.fullmatch(name)
    if (chosen or qualifier) and (qualifier or any(map(_NOT.fullmatch, texts))):
        return "NOT"
    if any(map(_ALONE.fullmatch, texts)):
        raise _doubtful(table, column, at, "the label is negated", _ALONE.fullmatch)
    if words:
        if chosen or _PRESENT.fullmatch(name):
            return "0/1"
        if says_no and not FOLD_LIKE.fullmatch(name):
            raise _doubtful(table, column, at, "the label is absent", lambda t: t.lower() in NO)
        return None
    partly = _PRESENT.fullmatch(name) and _words([t for t in texts if t])[0]
    if chosen or partly:
        bad = next(text for text in texts if text.lower() not in YES | NO)
        what = f"the value {quote(bad, 40)} is not 0 or 1" if bad else "the value is missing"
        fix = Fix("Correct it, or pass {} if the column means something else.", "ignore",
                  table.column_name(at))  # fmt: skip
        raise table.fail(f"{what}.", fix=fix, row=_row(column, bad), column=at)
    if all(map(is_number, filter(None, texts))):
        _check_numbers(table, column, name, at)
    return None


def _check_numbers(table: RawTable, column: Codes, name: str, at: int) -> None:
    """Refuse scores, and counts and weights of 0, of labels that would all be positives."""
    scores = SCORE_LIKE.fullmatch(name) is not None
    numbers = [text for text in map(str, column.names.tolist()) if text.strip()]
    if not numbers:
        return
    low = min(numbers, key=float)
    if scores or (_COUNT.fullmatch(name) and float(low) <= 0):
        raise table.fail(
            f"the column holds {'scores' if scores else 'numbers'} such as {low}: which lines are "
            "positives?",
            fix=Fix(
                "Keep the lines that are (scores are read by read_scores), or pass {} if all are.",
                "ignore",
                table.column_name(at),
            ),
            row=_row(column, low),
            column=at,
        )


def _doubtful(table: RawTable, column: Codes, at: int, means: str, no: Any) -> InputError:
    text = next(str(name) for name in column.names.tolist() if no(str(name).strip()))
    name = table.column_name(at)
    return table.fail(
        f"does {quote(text, 40)} mean that {means}? The name of the column does not say it.",
        fix=Fix(
            "Pass {} if it does, {} if the column means something else.",
            "value_column",
            name,
            more=(("ignore", name),),
        ),
        row=_row(column, text),
        column=at,
    )


def _row(column: Codes, text: str) -> int:
    """The first row with a text."""
    names = [str(name).strip() for name in column.names.tolist()]
    code = names.index(text.strip()) if text.strip() in names else -1
    return int(np.argmax(column.codes == code))


def _as_codes(column: Any) -> Codes:
    """Names of a column that may have been read as numbers."""
    if isinstance(column, Codes):
        return column
    distinct, codes = np.unique(column[:, 0], return_inverse=True)
    names = np.array([f"{x:.17g}" if x == x else "" for x in distinct.astype(float).tolist()])
    return Codes(names, codes.reshape(-1).astype(np.int32))


def present_labels(table: RawTable, ids: Codes, labels: Codes, presence: Presence) -> Codes:
    """Labels that are there; the others are empty, so that their rows and classes are kept."""
    present = presence.present & (labels.codes >= 0)
    absent = ~presence.present & (labels.codes >= 0)
    keys = ids.codes.astype(np.int64) * max(len(labels.names), 1) + labels.codes
    twice = present & np.isin(keys, keys[absent])
    if presence.by_not:
        left_out = int(absent.sum() + twice.sum())
        if left_out:
            warn_user(
                f"{left_out:,} labels with NOT in {quote(str(table.column_name(presence.at)), 40)} "
                "are no positives.",
                InputWarning,
                place=Place(table.source.name),
            )
        present &= ~twice
    elif twice.any():
        row = int(np.argmax(twice))
        raise table.fail(
            f"the label {quote(str(labels.names[labels.codes[row]]), 40)} of "
            f"{quote(str(ids.names[ids.codes[row]]), 40)} is there in this line and absent in "
            "another.",
            fix="Keep one of them.",
            row=row,
        )
    return Codes(labels.names, np.where(present, labels.codes, np.int32(-1)))
