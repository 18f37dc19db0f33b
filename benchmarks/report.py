"""Tables of the benchmark, as text for a terminal or as Markdown."""

from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Any

from benchmarks.bars import Bar
from benchmarks.measure import Result

__all__ = ["bars_table", "data_heading", "data_table", "markdown", "text"]

HEAD = (
    "method",
    "seeds",
    "rLD",
    "rLD*/bound",
    "DCP/bound",
    "LD",
    "ED",
    "fold sizes",
    "missing (avoidable)",
    "CPU s",
    "MB",
)

Table = tuple[Sequence[str], list[Sequence[str]]]


def data_heading(facts: Mapping[str, Any], note: str) -> list[str]:
    """Shape of the data and the bounds no split can pass."""
    name = f"{facts['name']} ({note})" if note else facts["name"]
    return [
        f"{name}: {facts['n_rows']:,} rows, {facts['n_classes']:,} classes of "
        f"{facts['smallest_class']:,} to {facts['largest_class']:,} members, "
        f"{facts['positives']:,} positives, 5 folds",
        f"bound: rLD {facts['rld_bound']:.5f}, DCP {facts['dcp_bound']:.5f}",
    ]


def data_table(results: Sequence[Result]) -> Table:
    """One row for each method."""
    return HEAD, [_row(result) for result in results]


def _row(result: Result) -> Sequence[str]:
    if not result.rows:
        return (result.job.label, "0", result.problem)

    def average(name: str, digits: int) -> str:
        return f"{mean(result.values(name)):.{digits}f}"

    label = f"{result.job.label} [{result.problem}]" if result.problem else result.job.label
    smallest, largest = min(result.values("smallest")), max(result.values("largest"))
    missing, avoidable = mean(result.values("missing")), mean(result.values("avoidable"))
    return (
        label,
        str(len(result.rows)),
        average("rld", 5),
        average("rld_ratio", 4),
        average("dcp_ratio", 4),
        average("ld", 6),
        average("ed", 1),
        f"{smallest}-{largest}",
        f"{missing:.0f} ({avoidable:.0f})",
        f"{median(result.values('cpu')):.3f}",
        f"{result.rows[0]['added_mb']:.0f}",
    )


def bars_table(bars: Sequence[Bar]) -> Table:
    """One row for each bar."""
    head = ("bar", "wanted", "measured", "verdict")
    return head, [(bar.what, bar.wanted, bar.measured, bar.verdict) for bar in bars]


def text(table: Table) -> str:
    """Columns in line; what stands alone in a row may run over the others."""
    head, rows = table
    full = [row for row in rows if len(row) == len(head)]
    widths = [max(len(row[j]) for row in [head, *full]) for j in range(len(head))]
    short = [row for row in rows if len(row) < len(head)]
    widths[0] = max([widths[0], *(len(row[0]) for row in short)])
    right = range(1, len(head)) if len(head) == len(HEAD) else range(0)
    lines = []
    for row in [head, *rows]:
        whole = len(row) == len(head)
        cells = [
            cell.rjust(width) if j in right and (whole or j < len(row) - 1) else cell.ljust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def markdown(table: Table) -> str:
    """The same as a Markdown table."""
    head, rows = table
    padded = [[*row, *[""] * (len(head) - len(row))] for row in rows]
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in padded]
    lines = [head, ["---"] * len(head), *escaped]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
