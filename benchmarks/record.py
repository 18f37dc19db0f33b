"""The one result format of all benchmarks: tables of plain values, and what made them.

A record is a JSON file: which command ran when, on what kind of machine, with which versions and
limits, and its tables. A table has columns (key, heading, format, and whether low or high is
best) and rows of plain values; a row that could not be measured has ``problem`` instead. The
terminal, Markdown and the documentation page are all rendered from this, and so is the sentence
that says where a peer is ahead.
"""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.envs import SEEN
from trueval.core.provenance import LIBRARIES, versions

__all__ = [
    "CPU",
    "MB",
    "Column",
    "Record",
    "Table",
    "ahead",
    "cells",
    "load",
    "markdown",
    "slope",
    "text",
    "verdict",
]

SCHEMA = 1


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    key: str  # name of the value in the rows
    head: str  # heading
    form: str = ""  # format of the value; empty for text
    best: str = ""  # ``"low"``, ``"high"``, or empty where nothing is better


CPU = Column("cpu", "CPU s", ".3g", "low")
MB = Column("mb", "MB", ".0f", "low")


def columns_of(text: str) -> list[Column]:
    """Columns in short: ``key|head|form|best``, separated by semicolons.

    >>> columns_of("method; cpu|CPU s|.1f")  # doctest: +NORMALIZE_WHITESPACE
    [Column(key='method', head='method', form='', best=''),
     Column(key='cpu', head='CPU s', form='.1f', best='')]
    """
    columns = []
    for entry in text.split(";"):
        key, head, form, best, *_ = (*entry.strip().split("|"), "", "", "")
        columns.append(Column(key, head or key, form, best))
    return columns


@dataclass
class Table:
    """Rows of one comparison.

    Attributes
    ----------
    title : str
    about : str
        What was measured, on what.
    columns : list of Column
    rows : list of dict
        Values by column key; ``kind`` ("ours", "peer" or "baseline"), ``default`` for the row
        that peers are compared with, ``problem`` for what could not be measured.
    notes : list of str
        Sentences computed from this table.
    """

    title: str
    about: str
    columns: list[Column]
    rows: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class Record:
    """A run of one benchmark; ``complete`` once its command came to its end."""

    name: str
    title: str
    command: str
    quick: bool = False
    complete: bool = False
    packages: Sequence[str] = ()
    limits: dict[str, float] = field(
        default_factory=lambda: {"cpu_seconds": 600.0, "memory_gib": 16.0}
    )
    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        plain = asdict(self)
        del plain["packages"]
        return {
            "schema": SCHEMA,
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            "machine": machine(),
            "versions": versions((*LIBRARIES, *self.packages)) | SEEN,
            **plain,
        }

    def save(self, folder: Path | None) -> None:
        """Write beside the file, then rename, so that no half file is ever seen."""
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        beside.write_text(json.dumps(self.as_dict(), indent=1) + "\n", encoding="utf-8")
        beside.replace(path)


def load(path: Path) -> dict[str, Any]:
    """A saved record, its tables and columns as objects."""
    record = json.loads(Path(path).read_text(encoding="utf-8"))
    if record.get("schema") != SCHEMA:
        raise ValueError(f"{path} has schema {record.get('schema')}, this reads {SCHEMA}.")
    for table in record["tables"]:
        table["columns"] = [Column(**column) for column in table["columns"]]
    record["tables"] = [Table(**table) for table in record["tables"]]
    return record


def machine() -> dict[str, Any]:
    """The machine in general terms, and how busy it is: others' work slows even CPU time."""
    about: dict[str, Any] = {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                about["processor"] = line.split(":", 1)[1].strip()
                break
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
        about["memory_gib"] = round(pages * size / 2**30)
        about["load"] = round(os.getloadavg()[0], 1)
    except (OSError, ValueError):
        pass
    return about


def slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Power by which values grow with sizes: slope of the log-log line."""
    import numpy as np

    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def verdict(met: bool, text: str) -> str:
    """A sentence about a bar."""
    return f"{'PASS' if met else 'MISS'}: {text}."


# --- reading a table --------------------------------------------------------------


def measured(table: Table) -> list[dict[str, Any]]:
    """Rows with values."""
    keys = [column.key for column in table.columns[1:]]
    return [row for row in table.rows if any(row.get(key) is not None for key in keys)]


def winners(table: Table) -> dict[str, float]:
    """Best value of each column that has one."""
    found = {}
    for column in table.columns:
        values = [row[column.key] for row in measured(table) if row.get(column.key) is not None]
        if column.best and len(values) > 1:
            found[column.key] = min(values) if column.best == "low" else max(values)
    return found


def ahead(table: Table) -> str:
    """Which peers are better than our default, by column; empty without such a row."""
    own = next((row for row in measured(table) if row.get("default")), None)
    if own is None or not any(column.best for column in table.columns):
        return ""
    label, said = table.columns[0].key, []
    for column in table.columns:
        mine = own.get(column.key)
        if not column.best or mine is None:
            continue
        sign = 1 if column.best == "low" else -1
        better = [
            f"{row[label]} ({row[column.key]:{column.form}})"
            for row in measured(table)
            if row.get("kind") == "peer"
            and row.get(column.key) is not None
            and sign * row[column.key] < sign * mine
            and f"{row[column.key]:{column.form}}" != f"{mine:{column.form}}"
        ]
        if better:
            said.append(f"{column.head} {', '.join(better)}")
    if not said:
        return f"No peer is ahead of {own[label]} in any column."
    return f"Peers ahead of {own[label]}: {'; '.join(said)}."


def cells(table: Table) -> list[list[tuple[str, bool]]]:
    """Each row as shown: text of the cell, and whether it is the best of its column."""
    best = winners(table)
    shown = []
    for row in table.rows:
        line = []
        for column in table.columns:
            value = row.get(column.key)
            if value is None:
                line.append(("", False))
            elif isinstance(value, str):
                line.append((value, False))
            else:
                said = f"{value:{column.form}}"
                top = column.key in best and said == f"{best[column.key]:{column.form}}"
                line.append((said, top))
        shown.append(line)
    return shown


def text(table: Table) -> str:
    """Columns in line for a terminal; a star after the best, problems below their row's name."""
    heads = [column.head for column in table.columns]
    body = [[said + "*" * top for said, top in line] for line in cells(table)]
    widths = [max(len(line[j]) for line in [heads, *body]) for j in range(len(heads))]
    lines = [table.title, table.about] if table.about else [table.title]
    for number, line in enumerate([heads, *body]):
        row = table.rows[number - 1] if number else {}
        shown = "  ".join(
            cell.ljust(width) if j == 0 else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        problem = row.get("problem")
        if problem and not any(line[1:]):
            shown = f"{line[0].ljust(widths[0])}  {problem}"
        elif problem:
            shown = f"{shown}  [{problem}]"
        lines.append(shown.rstrip())
    said = ahead(table)
    return "\n".join([*lines, *([said] if said else []), *table.notes])


def markdown(table: Table) -> str:
    """The same as a Markdown table, the best in bold."""
    heads = [column.head for column in table.columns]
    lines = [heads, ["---"] * len(heads)]
    for row, line in zip(table.rows, cells(table), strict=True):
        shown = [f"**{said}**" if top else said for said, top in line]
        if row.get("problem"):
            at = 1 if not any(said for said, _ in line[1:]) else 0
            shown[at] = f"{shown[at]} ({row['problem']})" if at == 0 else row["problem"]
        lines.append([cell.replace("|", "\\|") for cell in shown])
    said = [f"### {table.title}", table.about]
    said.append("\n".join("| " + " | ".join(line) + " |" for line in lines))
    return "\n\n".join(part for part in [*said, ahead(table), *table.notes] if part)
