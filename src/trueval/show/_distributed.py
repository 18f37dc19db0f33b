"""Summaries of results of datasets that were not read into memory."""

from trueval.distributed import PairSplit, Ranked
from trueval.show._numbers import count
from trueval.show._present import summarise
from trueval.show._summary import Cell, Column, Fact, Summary, SummaryTable

__all__: list[str] = []


@summarise.register
def _(split: PairSplit) -> Summary:
    title = f"{count(split.n_pairs, 'pair')} of {count(split.n_objects, 'object')} in "
    title += count(len(split.test), "fold")
    rows: list[list[Cell]] = [
        [fold, int(train), int(test), 1.0 - float(train + test) / split.n_pairs]
        for fold, (train, test) in enumerate(zip(split.train, split.test, strict=True))
    ]
    columns = [Column("fold"), Column("trained on"), Column("validated"), Column("left out", "%")]
    facts = [Fact("left out of a fold", split.share_dropped, "%", "on average")]
    table = SummaryTable(columns, rows, "What the folds do with pairs")
    return Summary(title, None, facts, [table])


@summarise.register
def _(ranked: Ranked) -> Summary:
    shape = f"{count(ranked.n_rows, 'row')} and {count(ranked.n_classes, 'class', 'classes')}"
    scores = f"{count(ranked.n_scores, 'score')}, {count(ranked.n_positives, 'positive')}"
    return Summary(f"Ranker of {shape}: {scores}", notes=_areas(ranked))


def _areas(ranked: Ranked) -> list[str]:
    """The average precision, where it is known."""
    area = ranked.average_precision
    return [] if area != area else [f"average precision of all pairs: {area:.4f}"]
