"""Write the page *Reliability* from ``tests/campaign/results.json``, when the docs are built.

Nothing on the page is typed: counts, versions and machines come from the file that
``python -m tests.campaign`` writes.
"""

import importlib.util
import json
from functools import cache
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "tests" / "campaign" / "results.json"
INTRO = """\
Reliability
===========

What the reliability campaign has run so far, and what it found. Each part runs alone with
``--only``, and a later run goes on where the last one stopped; a change of the sources that a part
runs begins it anew:

.. code-block:: sh

   python -m tests.campaign
   python -m tests.campaign --hours 2 --only kills faults

A part is *complete* when it has reached its goal on one version of the sources that it runs. Where
these have changed since, the table says so, and the part stands under `Not run here, or not
completely`_ again.
"""


def page(results: Path) -> str:
    """The page in reStructuredText."""
    content = json.loads(results.read_text(encoding="utf-8"))
    parts = content["parts"]
    blocks = [INTRO, _table([_row(told, parts.get(told["name"])) for told in content["told"]])]
    ran = [told for told in content["told"] if told["name"] in parts]
    blocks += [_details(told, parts[told["name"]]) for told in ran]
    blocks.append("Not run here, or not completely\n-------------------------------\n")
    blocks += [
        f"- {told['title']} ({state}): ``python -m tests.campaign --only {told['name']}``"
        for told in content["told"]
        if (state := _state(told, parts.get(told["name"]))) != "complete"
    ]
    blocks += [
        f"- {what}, {where}: ``{command}``"
        for what, (command, where) in content["elsewhere"].items()
    ]
    return "\n".join(blocks) + "\n"


def _count(told: dict, known: dict) -> int:
    return known["batches" if told["whole"] else "cases"]


def _state(told: dict, known: dict | None) -> str:
    if known is None:
        return "not run"
    unit = "batches" if told["whole"] else told["unit"]
    state = "complete"
    if _count(told, known) < told["goal"]:
        state = f"{_count(told, known):,} of {told['goal']:,} {unit}"
    code = _sources().digest(tuple(told["exercises"]), tuple(told["apart"]))
    return state if known["code"] == code else f"{state}, on earlier sources"


@cache
def _sources():
    """``tests/campaign/sources.py``, which needs nothing but the standard library."""
    spec = importlib.util.spec_from_file_location("sources", RESULTS.with_name("sources.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _row(told: dict, known: dict | None) -> tuple[str, ...]:
    if known is None:
        return (told["title"], "–", "–", "not run")
    count = f"{known['cases']:,} {told['unit']}"
    return (told["title"], count, f"{len(known['failures']):,}", _state(told, known))


def _table(rows: list[tuple[str, ...]]) -> str:
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in (("Part", "Cases", "Failures", "State"), *rows):
        lines += [f"   {'*' if not at else ' '} - {cell}" for at, cell in enumerate(row)]
    return "\n".join(lines) + "\n"


def _details(told: dict, known: dict) -> str:
    lines = [told["title"], "-" * len(told["title"]), ""]
    lines += [
        f"Version {known['version']} (code {known['code']}), {known['seconds'] / 60:,.0f} minutes; "
        f"{known['machine']}.",
        "",
    ]
    for name, value in known["figures"].items():
        if name.endswith(": survivors"):
            lines += _survivors(name.split(":")[0], value)
            continue
        shown = f"{value:,.2f}" if isinstance(value, float) else value
        shown = f"{value:,}" if isinstance(value, int) else shown
        lines.append(f"- {name}: {shown}")
    if known["failures"]:
        lines += ["", "Failures::", ""]
        lines += [f"   {' '.join(failure.split())[:300]}" for failure in known["failures"]]
    return "\n".join(lines) + "\n"


def _survivors(module: str, changes: str) -> list[str]:
    """Mutants that no test noticed, each with the reason where it has no effect."""
    lines, reasons = [f"- {module}: survivors", ""], _reasons()
    for change in changes.split("; "):
        key = change if change.startswith(module) else f"{module}.{change}"
        lines.append(f"  - ``{change}``: {reasons.get(key, 'no test noticed it in this run')}")
    return [*lines, ""]


@cache
def _reasons() -> dict[str, str]:
    return json.loads(RESULTS.with_name("equivalent.json").read_text(encoding="utf-8"))


def write(app) -> None:
    """Write the page where Sphinx reads it."""
    target = Path(app.srcdir) / "more" / "reliability.rst"
    text = page(RESULTS)
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")
