"""Write the benchmark page from the records in ``benchmarks/results``, when the docs are built.

Nothing on the page is typed: tables, the machine, versions and commands come from the JSON files
that ``python -m benchmarks NAME --out benchmarks/results`` writes.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
for folder in (ROOT, ROOT / "docs"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
CHARTS = Path("benchmark-charts")

from benchmark_charts import alt, draw, kind  # noqa: E402

from benchmarks.record import ahead, cells, load  # noqa: E402

ORDER = ("split", "search", "growth", "pairs", "leakage", "rank", "read", "cafa", "start")
INTRO = """\
Benchmarks
==========

.. raw:: html

   <style>
   .bd-main .bd-content .bd-article-container { max-width: 72rem; }
   table.benchmark { font-size: 0.78rem; }
   table.benchmark :is(td, th) { padding: 0.2rem 0.4rem; }
   table.benchmark :is(td, th):first-child { min-width: 14rem; }
   table.benchmark p { margin: 0; }
   </style>

trueval compared with other packages on the same data, under the same rules, in one run. Every case
runs in its own process with one thread and the same limits on CPU time and memory. CPU time is that
of the call alone; memory is the peak above the loaded input.

In the charts, blue is trueval (the default in bold), grey another package, orange a baseline.
*Show the table* opens all values of a chart: the best value of a column is bold, and a case that
could not be measured gives the reason. A sentence below lists the packages that do better than
trueval's default. CPU axes are logarithmic: a time measured as zero is drawn at the smallest time
of its panel, and is missing from line charts.
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
    method = [
        f"Run on {record['date']}: {_escaped(machine['processor'])}, {machine['cores']} cores"
        f"{memory}, {machine['system']}, Python {machine['python']}; "
        f"{_escaped(', '.join(versions))}. At most {limits['cpu_seconds']:g} s of CPU time and "
        f"{limits['memory_gib']:g} GiB for a case"
        f"{'; a quick run, not a full one' if record['quick'] else ''}"
        f"{'' if record['complete'] else '; stopped before its end, so tables are missing'}.",
        "",
    ]
    groups: dict[str, list[tuple[int, object]]] = {}
    for number, table in enumerate(record["tables"]):
        prefix = table.title.partition(": ")[0] if ": " in table.title else ""
        groups.setdefault(prefix, []).append((number, table))
    for prefix, tables in groups.items():
        if prefix:
            lines += [_heading(prefix, "~"), ""]
        lines += _tabs(record["name"], prefix, tables)
    method += [part for note in record["notes"] for part in (_escaped(note), "")]
    lines += [".. dropdown:: How this was measured", "", *_indented(method)]
    return "\n".join(lines)


def _tabs(name: str, prefix: str, tables: list) -> list[str]:
    """One tab a table: its chart, and the table folded under it (open where there is no chart)."""
    lines = [".. tab-set::", ""]
    for number, table in tables:
        title = table.title.removeprefix(f"{prefix}: ") if prefix else table.title
        body = [_escaped(table.about), ""]
        if kind(table):
            body += [f".. image:: {CHARTS}/{_file(name, number)}", f"   :alt: {alt(table)}", ""]
        body += [".. dropdown:: Show the table"]
        body += [] if kind(table) else ["   :open:"]
        body += ["", *_indented(_table(table)), ""]
        for note in [ahead(table), *table.notes]:
            body += [_escaped(note), ""] if note else []
        lines += [f"   .. tab-item:: {_escaped(title)}", "", *_indented(body, 6)]
    return lines


def _file(name: str, number: int) -> str:
    return f"{name}-{number}.svg"


def _indented(lines: list[str], by: int = 3) -> list[str]:
    return [" " * by + line if line else "" for line in lines]


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
    """Write the page and its charts into this folder, only what changed, for quick builds."""
    here, results = Path(__file__).parent, ROOT / "benchmarks" / "results"
    path, text = here / "benchmarks.rst", page(results)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    (here / CHARTS).mkdir(exist_ok=True)
    code = (here / "benchmark_charts.py").stat().st_mtime
    for file in results.glob("*.json"):
        record = load(file)
        for number, table in enumerate(record["tables"]):
            chart = here / CHARTS / _file(record["name"], number)
            newest = max(file.stat().st_mtime, code)
            if kind(table) and not (chart.exists() and chart.stat().st_mtime > newest):
                draw(table, chart)


if __name__ == "__main__":
    write()
