"""``write_report``: stages into one HTML file that needs nothing else."""

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from trueval import _vega
from trueval._version import __version__
from trueval.charts.chart import safe_json
from trueval.core.errors import InputError, warn_user
from trueval.core.files import atomic_write
from trueval.core.params import PATH, STRING, Where, constrained
from trueval.report import words
from trueval.report.stage import Stage
from trueval.report.views import stage_charts

__all__ = ["MAX_BYTES", "ReportSizeWarning", "write_report"]

MAX_BYTES = 2_000_000
_PAGE = Path(__file__).parent / "page"
_SCRIPTS = ("theme.js", "draw.js", "table.js", "live.js", "rank.js", "start.js")
_TITLES = {"split": "Split", "pairs": "Pairs", "rank": "Rank and decide", "study": "Study"}
# What the page's scripts need of a stage; the rest is written as HTML or drawn.
_LIVE_KEYS = {
    "split": ("classes", "n_parts"),
    "pairs": (),
    "rank": (
        "n_rows", "n_positives", "live", "grid", "classes", "class_sizes", "choices", "calls",
        "per_class",
    ),
    "study": (),
}  # fmt: skip


_NEEDS = {
    "split": (
        "method", "methods", "n_rows", "n_classes", "n_parts", "n_cells", "n_rare", "n_empty",
        "missing", "avoidable", "sizes", "wanted_sizes", "rld_bound", "dcp_bound", "scatter",
        "classes",
    ),
    "pairs": ("audits", "schemes", "blocks"),
    "rank": (*_LIVE_KEYS["rank"], "n_classes", "n_stored", "rankers", "reliability", "names_cut"),
    "study": ("title", "columns", "rows", "notes"),
}  # fmt: skip


class ReportSizeWarning(UserWarning):
    """The page is larger than a mail likes."""


@constrained(
    path=PATH,
    stages=Where(
        lambda stages: len(stages) > 0 and all(isinstance(stage, Stage) for stage in stages),
        "a list of at least one Stage",
    ),
    title=STRING,
)
def write_report(path: Any, stages: Sequence[Stage], *, title: str = "trueval report") -> Path:
    """Write one self-contained HTML page.

    The page makes no network request, shows in light and dark, on phones and on paper, and
    computes its live numbers itself. The same stages make the same bytes.

    Parameters
    ----------
    path : str or path-like
        Written beside and renamed: the old page or the new one, never half of it.
    stages : sequence of Stage
        In the order to show them.
    title : str, default="trueval report"

    Returns
    -------
    Path

    Warns
    -----
    ReportSizeWarning
        If the page has 2 MB or more, which long names can do.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from trueval import stratified_folds
    >>> from trueval.data import simulate
    >>> from trueval.report import split_stage, write_report
    >>> y = simulate.label_matrix(500, 20, random_state=0)
    >>> stage = split_stage(y, stratified_folds(y, random_state=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(Path(folder, "report.html"), [stage])
    ...     800_000 < page.stat().st_size < 1_000_000
    True
    """
    stages = list(stages)
    page = _render(stages, title).encode()
    if len(page) >= MAX_BYTES:
        warn_user(
            f"the report has {len(page) / 1e6:.1f} MB, more than {MAX_BYTES / 1e6:.0f} MB; shorter "
            "class or object names, or fewer stages on one page, make it smaller.",
            ReportSizeWarning,
        )
    target = Path(os.fsdecode(path))
    with atomic_write(target, compress=False) as file:
        file.write(page)
    return target


def _render(stages: list[Stage], title: str) -> str:
    for place, stage in enumerate(stages):
        lacks = [name for name in _NEEDS[stage.kind] if name not in stage.data]
        if lacks:
            raise InputError(
                f"stage {place} ({stage.kind}) has no {lacks[0]!r} in its data; make it with "
                f"{stage.kind}_stage, or read it with read_stage."
            )
    charts: dict[str, Any] = {}
    data: dict[str, Any] = {}
    shown = []
    for place, stage in enumerate(stages):
        key = f"s{place}"
        own = stage_charts(stage)
        charts |= {f"{key}-{name}": spec for name, spec in own.items()}
        data[key] = {"kind": stage.kind} | {n: stage.data[n] for n in _LIVE_KEYS[stage.kind]}
        shown.append(
            {
                "key": key,
                "kind": stage.kind,
                "title": _TITLES[stage.kind],
                "data": stage.data,
                "charts": set(own),
                "provenance": _sources(stage.provenance),
                "verdict": _verdict(stage),
            }
        )
    return (
        _templates()
        .get_template("page.html.j2")
        .render(
            title=title,
            stages=shown,
            version=__version__,
            style=Markup(_read("style.css")),
            libraries=Markup(_vega.scripts()),
            scripts=[Markup(_read(name)) for name in _SCRIPTS],
            island=Markup(safe_json({"charts": charts, "stages": data, "themes": _vega.themes()})),
        )
    )


def _sources(provenance: dict[str, Any]) -> dict[str, Any]:
    """Lay a provenance out for the page; what it does not know by name is shown as a fact."""
    known = (
        "command", "inputs", "parameters", "seed", "versions", "version", "started", "seconds",
    )  # fmt: skip
    facts = dict(provenance.get("parameters") or {})
    facts |= {k: provenance[k] for k in ("seed", "started", "seconds") if k in provenance}
    facts |= {k: v for k, v in provenance.items() if k not in known}
    if "seed" in facts:
        facts["seed"] = str(facts["seed"])  # a name, not a quantity
    blank = {"path": None, "shape": None, "bytes": None, "sha256": None}
    return {
        "command": provenance.get("command"),
        "inputs": [blank | dict(given) for given in provenance.get("inputs") or ()],
        # Options that were not given fill half the page and tell nothing.
        "facts": [(name, _listed(v)) for name, v in facts.items() if v is not None],
        "versions": list((provenance.get("versions") or {}).items()),
        "known": bool(provenance),
    }


def _listed(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _verdict(stage: Stage) -> tuple[str, str]:
    if stage.kind == "split":
        return words.split_verdict(stage.data)
    if stage.kind == "pairs":
        return words.pairs_verdict(stage.data)
    if stage.kind == "rank":
        return words.rank_verdict(stage.data)
    return str(stage.data.get("title", "Study")), ""


@cache
def _read(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8")


@cache
def _templates() -> jinja2.Environment:
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_PAGE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    env.filters["number"] = words.number
    env.filters["ratio"] = words.ratio
    env.filters["share"] = words.share
    env.filters["gap"] = words.gap
    env.filters["target"] = words.target
    return env
