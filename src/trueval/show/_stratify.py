"""Summaries of splits."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from trueval.show._numbers import count, number, percent
from trueval.show._present import summarise
from trueval.show._summary import Column, Fact, Summary, SummaryTable, columns_of
from trueval.show._verdicts import splits_verdict, unit_of
from trueval.stratify import Leakage, SplitQuality

__all__ = ["SplitComparison", "worst_classes"]


@dataclass(frozen=True)
class SplitComparison:
    """Splits of the same labels by name, the first one in question."""

    qualities: Mapping[str, SplitQuality]
    n_positives: int
    seconds: Mapping[str, float] = field(default_factory=dict)  # time that some of them took
    notes: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """Name of the first."""
        return next(iter(self.qualities))

    @property
    def quality(self) -> SplitQuality:
        """The first."""
        return self.qualities[self.method]

    @property
    def others(self) -> dict[str, SplitQuality]:
        """The rest."""
        return {name: q for name, q in self.qualities.items() if name != self.method}


@summarise.register
def _(quality: SplitQuality) -> Summary:
    unit = unit_of(quality)
    title = (
        f"Split of {count(quality.n_rows, 'row')} and "
        f"{count(quality.n_classes, 'class', 'classes')} into {quality.n_parts} {unit}s"
    )
    verdict = splits_verdict(quality, {})
    return Summary(title, verdict, (), [_measures(quality)], _notes(quality, unit))


@summarise.register
def _(splits: SplitComparison) -> Summary:
    quality = splits.quality
    unit = unit_of(quality)
    title = (
        f"{count(quality.n_rows, 'row')}, {count(quality.n_classes, 'class', 'classes')}, "
        f"{count(splits.n_positives, 'positive')} in {quality.n_parts} {unit}s"
    )
    rows = [
        [
            name,
            _ratio(q.rld_ratio),
            _ratio(q.dcp_ratio),
            q.avoidable,
            f"{q.sizes.min():,} to {q.sizes.max():,}",
            f"{splits.seconds[name]:.2f}" if name in splits.seconds else None,
        ]
        for name, q in splits.qualities.items()
    ]
    columns = columns_of(
        "<split",
        "rLD / lower bound",
        "DCP / lower bound",
        "avoidable gaps",
        f"rows in a {unit}",
        "seconds",
    )
    if not splits.seconds:
        columns.pop()
        rows = [row[:-1] for row in rows]
    facts = [
        Fact("rLD", _ratio(quality.rld_ratio), "×", "the lower bound; 1 is best"),
        Fact("DCP", _ratio(quality.dcp_ratio), "×", "the lower bound; 1 is best"),
        Fact("avoidable gaps", quality.avoidable, "", f"of {count(quality.missing, 'gap')}"),
        Fact("rare classes", quality.n_rare, "", f"fewer positives than {unit}s"),
    ]
    verdict = splits_verdict(quality, splits.others, splits.method)
    if quality.groups_split is not None:
        columns += [Column("rLD / bound of whole groups"), Column("groups apart")]
        rows = [
            [*row, _ratio(q.group_ratio), q.groups_split]
            for row, q in zip(rows, splits.qualities.values(), strict=True)
        ]
    if quality.group_ratio is not None:
        whole = "groups" if quality.leakage is None else "similar rows"
        facts.append(
            Fact(
                f"rLD, {whole} together",
                _ratio(quality.group_ratio),
                "×",
                "the lower bound of such splits",
            )
        )
    if quality.groups_split is not None:
        facts.append(Fact("groups apart", quality.groups_split, "", f"in several {unit}s"))
    if quality.leakage is not None:
        facts.append(_leak_fact(quality.leakage, unit))
        columns += [Column("dropped rows"), Column("similar rows apart")]
        rows = [
            [*row, q.n_dropped, q.crossing_edges]
            for row, q in zip(rows, splits.qualities.values(), strict=True)
        ]
    table = SummaryTable(columns, rows, "Splits; less is better in every column", (0,))
    return Summary(title, verdict, facts, [table], (*splits.notes, *_leak_notes(quality, unit)))


def _leak_fact(leakage: Leakage, unit: str) -> Fact:
    edges = count(leakage.n_edges, "pair")
    about = f"of {edges} in the {unit}s"
    return Fact("similar rows apart", leakage.crossing_edges, "pairs", about)


def _leak_notes(quality: SplitQuality, unit: str) -> list[str]:
    """On rows left out and similar rows in different parts."""
    notes = []
    if quality.n_dropped:
        notes.append(f"dropped: {count(quality.n_dropped, 'row is', 'rows are')} in no {unit} (-1)")
    leakage = quality.leakage
    if leakage is not None:
        largest = ", ".join(f"{percent(q)}: {number(v, 3)}" for q, v in leakage.largest.items())
        notes += [
            f"similar rows: {leakage.crossing_edges:,} of {count(leakage.n_edges, 'pair')} in "
            f"different {unit}s, {percent(leakage.crossing_share)} of their similarity; "
            f"{leakage.n_components:,} components, the largest of "
            f"{count(leakage.largest_component, 'row')}",
            f"largest similarity to a row of another {unit}, by share of rows: {largest}",
        ]
    return notes


def worst_classes(
    quality: SplitQuality, n: int, names_of: Mapping[str, str] | None = None
) -> SummaryTable:
    """The classes farthest above their lower bound, with their names where they have any."""
    table = quality.per_class
    excess = np.where(table["size"] > 0, table["rld_wanted"] - table["rld_bound"], -np.inf)
    order = np.argsort(-excess, kind="stable")[:n]
    top = table.take(order[table["size"][order] > 0])
    columns = columns_of("<class", "positives", "rLD", "lower bound", "gaps")
    names = ("class", "size", "rld_wanted", "rld_bound", "missing")
    rows = [
        [str(name), *cells] for name, *cells in zip(*(top[k].tolist() for k in names), strict=True)
    ]
    if names_of is not None:
        columns.insert(1, Column("name", text=True))
        rows = [[row[0], names_of.get(row[0], ""), *row[1:]] for row in rows]
    return SummaryTable(columns, rows, "Classes farthest from their lower bound")


def _ratio(ratio: float | None) -> float | str:
    return "–" if ratio is None or np.isnan(ratio) else float(ratio)


def _measures(quality: SplitQuality) -> SummaryTable:
    columns = [
        Column("measure", text=True),
        Column("value", digits=5),
        Column("lower bound", digits=5),
        Column("value / bound", digits=4),
        Column("meaning", text=True),
    ]
    rows: list[list[float | str | None]] = [
        [
            "rLD, wanted sizes",
            quality.rld_wanted,
            quality.rld_bound,
            _ratio(quality.rld_ratio),
            "relative deviation of class counts",
        ],
        ["rLD", quality.rld, "", "", "the same, by actual sizes"],
        [
            "DCP",
            quality.dcp,
            quality.dcp_bound,
            _ratio(quality.dcp_ratio),
            "excess of the fullest part",
        ],
        ["LD", quality.ld, "", "", "difference of odds; favours large classes"],
        ["ED", quality.ed, "", "", "mean distance from the wanted size, rows"],
    ]
    return SummaryTable(columns, rows)


def _notes(quality: SplitQuality, unit: str) -> list[str]:
    sizes = ", ".join(f"{size:,}" for size in quality.sizes[:10])
    more = f", … ({quality.n_parts - 10} more)" if quality.n_parts > 10 else ""
    cells = (quality.n_classes - quality.n_empty) * quality.n_parts
    notes = [
        f"{unit} sizes: {sizes}{more}",
        f"gaps: {quality.missing:,} of {cells:,} (class, {unit}) cells have no positive, "
        f"{quality.avoidable:,} of them avoidable",
    ]
    if quality.n_rare:
        rare = count(quality.n_rare, "class has", "classes have")
        notes.append(f"rare: {rare} fewer positives than {unit}s")
    if quality.n_empty:
        empty = count(quality.n_empty, "class has", "classes have")
        notes.append(f"empty: {empty} no positive; left out of the means")
    if quality.n_full:
        full = count(quality.n_full, "class has", "classes have")
        notes.append(f"full: {full} no negative; left out of the means")
    return notes + _leak_notes(quality, unit)
