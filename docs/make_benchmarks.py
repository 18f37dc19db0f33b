"""Write the benchmark page from the records in ``benchmarks/results``, when the docs are built.

Nothing on the page is typed: tables, the machine, versions and commands come from the JSON files
that ``python -m benchmarks NAME --out benchmarks/results`` writes.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from benchmarks.record import ahead, cells, load  # noqa: E402

ORDER = ("split", "growth", "pairs", "rank", "read", "cafa", "start")
INTRO = """\
:html_theme.sidebar_secondary.remove:

Benchmarks
==========

.. raw:: html

   <style>
   .bd-main .bd-content .bd-article-container { max-width: 80rem; }
   table.benchmark { font-size: 0.78rem; }
   table.benchmark :is(td, th) { padding: 0.2rem 0.4rem; }
   table.benchmark :is(td, th):first-child { min-width: 14rem; }
   table.benchmark p { margin: 0; }
   </style>

trueval beside other packages: the same data, the same rules, one run. Every case has a process of
its own with one thread and the same limits on CPU time and memory; CPU time is that of the call
alone, memory the peak above the loaded input. Quality stands beside time. What could not be
measured says why. The best of a column is bold; below each table with a default of ours stands
which peers are ahead of it.

.. contents::
   :local:
   :depth: 1
   :backlinks: none
"""
NONE = "No results are in this copy; see ``benchmarks/README.md`` for how to make them.\n"


def page(results: Path) -> str:
    """The page in reStructuredText."""
    files = sorted(results.glob("*.json"), key=_place)
    blocks = [INTRO]
    if not files:
        blocks.append(NONE)
    blocks += [_record(load(file)) for file in files]
    return "\n".join(blocks)


def _place(file: Path) -> tuple[int, str]:
    name = file.stem.split("-")[0]
    return (ORDER.index(name) if name in ORDER else len(ORDER), file.stem)


def _record(record: dict) -> str:
    title = record["title"]
    if "-" in record["name"]:
        title += f" ({record['name'].split('-', 1)[1]})"
    machine, limits = record["machine"], record["limits"]
    versions = [f"{name} {number}" for name, number in record["versions"].items() if number]
    memory = f", {machine['memory_gib']} GiB" if "memory_gib" in machine else ""
    if "load" in machine:
        memory += f" (load {machine['load']:g} at the end of the run)"
    lines = [_heading(title, "-"), "", ".. code-block:: sh", "", f"   {record['command']}", ""]
    lines += [
        f"Run on {record['date']}: {_escaped(machine['processor'])}, {machine['cores']} cores"
        f"{memory}, {machine['system']}, Python {machine['python']}; "
        f"{_escaped(', '.join(versions))}. At most {limits['cpu_seconds']:g} s of CPU time and "
        f"{limits['memory_gib']:g} GiB for a case"
        f"{'; a quick run, not a full one' if record['quick'] else ''}"
        f"{'' if record['complete'] else '; stopped before its end, so tables are missing'}.",
        "",
    ]
    for table in record["tables"]:
        lines += [_heading(table.title, "~"), "", _escaped(table.about), "", *_table(table), ""]
        for note in [ahead(table), *table.notes]:
            lines += [_escaped(note), ""] if note else []
    lines += [part for note in record["notes"] for part in (_escaped(note), "")]
    return "\n".join(lines)


def _table(table) -> list[str]:
    lines = [".. list-table::", "   :header-rows: 1", "   :class: benchmark", ""]
    lines += _cells([_escaped(column.head) for column in table.columns])
    for row, shown in zip(table.rows, cells(table), strict=True):
        line = [f"**{_escaped(said)}**" if best else _escaped(said) for said, best in shown]
        if row.get("problem"):
            line[0] += f" *({_escaped(row['problem'])})*"
        lines += _cells(line)
    return lines


def _cells(line: list[str]) -> list[str]:
    return [f"   {'*' if j == 0 else ' '} - {cell}".rstrip() for j, cell in enumerate(line)]


def _heading(title: str, under: str) -> str:
    return f"{title}\n{under * len(title)}"


def _escaped(said: str) -> str:
    """Text as it stands: no markup of reStructuredText."""
    return re.sub(r"([\\*`|_])", r"\\\1", said)


def write(_app=None) -> None:
    """Write the page beside this file, only if it changed, so that builds stay quick."""
    path, text = Path(__file__).with_name("benchmarks.rst"), page(ROOT / "benchmarks" / "results")
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
