"""Scores of pairs in a table: one for each row, matched to the pairs by ids, numbers or order."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, quote, quote_names
from trueval.core.pairs import Pairs
from trueval.core.reading import PairScoreReading
from trueval.data._raw import AsCodes, AsNumbers, RawTable
from trueval.data._source import Source
from trueval.data._values._words import FOLD_LIKE, SCORE_LIKE, header_by_types
from trueval.data._values.pair_rows import Keys, key_columns, keys_of_lines
from trueval.data._values.pairs import pairs_table

__all__ = ["read_pair_scores"]

_SCORE = re.compile(rf"(?:{SCORE_LIKE.pattern})|(?:y_?)?pred(?:icted)?|logits?|output", re.I)
_Floats = NDArray[np.float64]


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
    score, fold_at = _places(table, names, score_column, header)
    used = {score} if fold_at is None else {score, fold_at}
    columns = key_columns(
        table, used, pairs, names, symmetric=symmetric, header=header, what="scores"
    )
    wants: dict[str, Any] = {"score": AsNumbers((score,), "score"), **columns.wants}
    if fold_at is not None:
        wants["fold"] = AsCodes(fold_at)
    data = table.read(header=header, **wants)
    scores = data["score"][:, 0]
    keys = keys_of_lines(
        table, columns, data, pairs, symmetric=symmetric, n_lines=len(scores), what="scores"
    )
    fold = data.get("fold")
    folds: dict[str | None, Any] = {None: np.ones(len(scores), bool)}
    if fold is not None:
        folds = {str(name): fold.codes == code for code, name in enumerate(fold.names.tolist())}
    by_fold = {
        name: _scattered(table, keys, scores, np.flatnonzero(mask)) for name, mask in folds.items()
    }
    by = columns.ids or (() if columns.row is None else (columns.row,))
    called = [table.names[at] if header else at for at in (score, *by)]
    reading = PairScoreReading(called[0], tuple(called[1:]), fold is not None, header)
    return {name: values[keys.rows] for name, values in by_fold.items()}, reading


def _places(table: RawTable, names: Any, score_column: Any, header: bool) -> tuple[int, int | None]:
    """Which columns are the score and the fold, if there is one."""
    words = [name.strip() if header else "" for name in table.names]
    chosen = None if score_column is None else table.position(score_column, "score_column")
    folds = [
        at
        for at, word in enumerate(words)
        if FOLD_LIKE.fullmatch(word) and at != chosen and table.names[at] not in names
    ]
    exact = [at for at in folds if words[at].lower() in ("fold", "folds")]
    if len(folds) > 1 and len(exact) != 1:
        raise table.fail(
            f"which column has the fold of each score? {quote_names([words[at] for at in folds])} "
            "may.",
            fix="Name it fold, or drop the others.",
        )
    rest = [at for at in range(table.width) if at not in folds]
    score = _score_place(table, words, rest, header) if chosen is None else chosen
    return score, next(iter(exact or folds), None)


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
