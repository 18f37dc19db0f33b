"""Scores of pairs in a table: one for each row, matched to the pairs by ids, numbers or order."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, quote
from trueval.core.named import as_text
from trueval.core.pairs import Pairs
from trueval.core.reading import PairScoreReading
from trueval.data._raw import AsCodes, AsNumbers, RawTable
from trueval.data._source import Source
from trueval.data._values._words import SCORE_LIKE, header_by_types
from trueval.data._values.pair_rows import ROW, Keys, pair_keys, row_keys
from trueval.data._values.pairs import pairs_table

__all__ = ["read_pair_scores"]

_SCORE = re.compile(rf"(?:{SCORE_LIKE.pattern})|(?:y_?)?pred(?:icted)?|logits?|output", re.I)
_FOLD = re.compile(r"folds?", re.IGNORECASE)
_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Places:
    """Columns of a file of scores; rows are named by ids, by a row number, or by their order."""

    score: int
    fold: int | None
    ids: tuple[int, ...]


def read_pair_scores(
    source: Source,
    pairs: Pairs,
    names: tuple[str | int, str | int],
    *,
    symmetric: bool = True,
    score_column: str | int | None = None,
    header: bool | None = None,
) -> tuple[dict[str | None, _Floats], PairScoreReading]:
    r"""Scores of all rows of pairs, by fold where the file says it, and how it was understood.

    ``names`` are the id columns of the pairs, which are looked for first. A row without a score
    has NaN; without a column ``fold``, all scores are under None.

    >>> pairs = Pairs([("a", "b"), ("a", "c")])
    >>> scores, _ = read_pair_scores(Source(b"u,v,score\nc,a,0.5\n"), pairs, ("u", "v"))
    >>> scores[None].tolist()
    [nan, 0.5]
    """
    table = pairs_table(source)
    if header is None:
        header = header_by_types(table, range(table.width)) is not False
    places = _places(table, names, score_column, header)
    wants: dict[str, Any] = {"score": AsNumbers((places.score,), "score")}
    if places.fold is not None:
        wants["fold"] = AsCodes(places.fold)
    by_row = len(places.ids) == 1
    if by_row:
        wants["0"] = AsNumbers(places.ids, "row", 0)
    else:
        wants |= {str(n): AsCodes(at, "an id is empty.") for n, at in enumerate(places.ids)}
    data = table.read(header=header, **wants)
    scores = data["score"][:, 0]
    if by_row:
        keys = row_keys(table, data["0"][:, 0], len(pairs), places.ids[0])
    elif places.ids:
        ids = [as_text(data[str(n)].expand()) for n in range(2)]
        keys = pair_keys(table, ids, pairs, symmetric)
    else:
        if len(scores) != len(pairs):
            raise source.fail(
                f"{len(scores):,} scores for {len(pairs):,} pairs, and no ids to match them by.",
                fix="Add the two id columns, or a column 'row', numbered from 0.",
            )
        keys = Keys(np.arange(len(pairs)), np.arange(len(pairs)))
    fold = data.get("fold")
    folds: dict[str | None, Any] = {None: np.ones(len(scores), bool)}
    if fold is not None:
        folds = {str(name): fold.codes == code for code, name in enumerate(fold.names.tolist())}
    by_fold = {
        name: _scattered(table, keys, scores, np.flatnonzero(mask)) for name, mask in folds.items()
    }
    called = [table.names[at] if header else at for at in (places.score, *places.ids)]
    reading = PairScoreReading(called[0], tuple(called[1:]), fold is not None, header)
    return {name: values[keys.rows] for name, values in by_fold.items()}, reading


def _places(table: RawTable, names: Any, score_column: Any, header: bool) -> _Places:
    """Which columns are the score, the fold and the ids."""
    words = [name.strip() if header else "" for name in table.names]
    fold = next((at for at, word in enumerate(words) if _FOLD.fullmatch(word)), None)
    rest = [at for at in range(table.width) if at != fold]
    if score_column is not None:
        score = table.position(score_column, "score_column")
    else:
        score = _score_place(table, words, rest, header)
    rest = [at for at in rest if at != score]
    if header and all(name in table.names for name in names):
        return _Places(score, fold, tuple(table.names.index(name) for name in names))
    row = next((at for at in rest if header and ROW.fullmatch(words[at])), None)
    if row is not None:
        return _Places(score, fold, (row,))
    if len(rest) > 2:
        ids = f"{quote(str(names[0]), 40)} and {quote(str(names[1]), 40)}"
        raise table.fail(
            f"{len(rest)} columns beside the scores, and none named {ids}, as the pairs have them, "
            "or row.",
            fix="Name the id columns as in the pairs.",
        )
    return _Places(score, fold, tuple(rest))


def _score_place(table: RawTable, words: list[str], rest: list[int], header: bool) -> int:
    named = [at for at in rest if words[at] and _SCORE.fullmatch(words[at])]
    if len(named) == 1:
        return named[0]
    if not named and (not header or len(rest) in (1, 3)):
        return rest[-1]  # the score alone, or after two ids
    several = f"the columns {', '.join(quote(words[at], 40) for at in named)} could be the score."
    raise table.fail(
        several if named else "no column is named as scores are.",
        fix=Fix("Choose one by {}, its name or number.", "score_column"),
    )


def _scattered(table: RawTable, keys: Keys, scores: _Floats, lines: NDArray[np.intp]) -> _Floats:
    """Score of each key, by some lines; two scores of one are refused unless they are equal."""
    of_line = keys.lines[lines]
    values = np.full(int(max(keys.lines.max(), keys.rows.max())) + 1, np.nan)
    values[of_line] = scores[lines]
    differ = np.flatnonzero(values[of_line] != scores[lines])
    if len(differ):
        line = int(lines[differ[0]])
        raise table.fail(
            f"the pair has the score {scores[line]:g} here and {values[keys.lines[line]]:g} in "
            "another line.",
            row=line,
            fix="Keep one, or add a column 'fold' if several folds scored it.",
        )
    return values
