"""``write_report``: stages into one HTML file that needs nothing else."""

import base64
import os
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from trueval._version import __version__
from trueval.core.errors import warn_user
from trueval.core.files import atomic_write
from trueval.core.params import PATH, STRING, Where, constrained
from trueval.report._section import Data, sections
from trueval.report._stage import Stage
from trueval.show import _vega
from trueval.show._front import LEVEL_WORDS, Result, front
from trueval.show._measures import MEASURES, measures_of
from trueval.show._numbers import number, percent, times
from trueval.show._plain import safe_json
from trueval.show._rank_verdicts import target_name

__all__ = ["MAX_BYTES", "ReportSizeWarning", "write_report"]

MAX_BYTES = 2_000_000
_PAGE = Path(__file__).parent / "page"
#: Scripts before those of the sections, and after them.
_FIRST = ("theme.js", "state.js", "draw.js", "number.js", "links.js", "table.js")
_LAST = ("start.js",)


class ReportSizeWarning(UserWarning):
    """The page is larger than most mail servers accept."""


@constrained(
    path=PATH,
    stages=Where(
        lambda stages: len(stages) > 0 and all(isinstance(stage, Stage) for stage in stages),
        "a list of at least one Stage",
    ),
    title=STRING,
)
def write_report(
    path: str | os.PathLike[str], stages: Sequence[Stage], *, title: str = "trueval report"
) -> Path:
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
    page = _render(list(stages), title).encode()
    if len(page) >= MAX_BYTES:
        warn_user(
            f"the report has {len(page) / 1e6:.1f} MB, more than {MAX_BYTES / 1e6:.0f} MB; shorter "
            "class or row names, or fewer stages on one page, make it smaller.",
            ReportSizeWarning,
        )
    target = Path(os.fsdecode(path))
    with atomic_write(target, compress=False) as file:
        file.write(page)
    return target


def _render(stages: list[Stage], title: str) -> str:
    charts: Data = {}
    data: Data = {}
    views, results = [], []
    for place, stage in enumerate(stages):
        key, section = f"s{place}", stage.section
        drawn = section.charts(stage.data)
        charts |= {f"{key}-{name}": chart.spec for name, chart in drawn.items()}
        data[key] = {"kind": stage.kind} | {name: stage.data[name] for name in section.live}
        data[key]["packed"] = _packed({name: stage.data.get(name) for name in section.packed})
        views.append(
            {
                "key": key,
                "kind": stage.kind,
                "title": section.title,
                "template": f"{stage.kind}/section.html.j2" if section.has_template else None,
                "data": stage.data,
                "charts": set(drawn),
                "provenance": _sources(stage.provenance),
                "summary": stage.summary,
            }
        )
        about, headline = section.front[0](stage.data), section.front[1](stage.data)
        results.append(Result(key, section.title, about, stage.summary, headline, stage.provenance))
    style = _vega.embed_style() + _read(_PAGE / "style.css")
    scripts = [_vega.scripts(), *_scripts({stage.kind for stage in stages})]
    island = {"charts": charts, "stages": data, "themes": _vega.themes()}
    folders = tuple((section.kind, section.folder) for section in sections().values())
    return (
        _templates(folders)
        .get_template("page.html.j2")
        .render(
            title=title,
            stages=views,
            front=front(results),
            words=LEVEL_WORDS,
            measures=measures_of(name for s in stages for name in s.section.measures),
            version=__version__,
            policy=Markup(_vega.policy(scripts, [style])),
            style=Markup(style),
            scripts=[Markup(script) for script in scripts],
            island=Markup(safe_json(island)),
        )
    )


def _packed(content: Data) -> str | None:
    """Long lists as compressed text, which the page unpacks; None of nothing."""
    some = {name: value for name, value in content.items() if value is not None}
    if not some:
        return None
    return base64.b64encode(zlib.compress(safe_json(some).encode(), 9)).decode()


def _scripts(kinds: set[str]) -> list[str]:
    """The scripts of the page and of the sections on it."""
    files = [_PAGE / name for name in _FIRST]
    for section in sections().values():
        if section.kind in kinds:
            files += [section.folder / name for name in section.scripts]
    return [_read(file) for file in (*files, *(_PAGE / name for name in _LAST))]


def _sources(provenance: Data) -> Data:
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
        "inputs": [blank | source for source in provenance.get("inputs") or ()],
        # Options that were not given fill half the page and say nothing.
        "facts": [(name, _listed(v)) for name, v in facts.items() if v is not None],
        "versions": list((provenance.get("versions") or {}).items()),
        "known": bool(provenance),
    }


def _listed(value: object) -> object:
    """A parameter as it would be typed."""
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _share(value: float | None) -> str:
    """A share in per cent; counts stay counts."""
    return percent(value) if isinstance(value, float) else number(value)


def _gap(sizes: list[float], wanted: list[float]) -> float:
    """The largest difference of two lists of sizes."""
    return max(abs(a - b) for a, b in zip(sizes, wanted, strict=True))


def _target(choice: Data) -> str:
    """What a saved threshold was chosen for."""
    return target_name(choice["target"], choice["wanted"])


@cache
def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def _templates(folders: tuple[tuple[str, Path], ...]) -> jinja2.Environment:
    """Templates of the page, and of each section under its kind."""
    loaders = {kind: jinja2.FileSystemLoader(folder) for kind, folder in folders}
    env = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(_PAGE), jinja2.PrefixLoader(loaders)]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    env.filters |= {
        "number": number,
        "times": times,
        "percent": percent,
        "share": _share,
        "gap": _gap,
        "target": _target,
    }
    env.globals["anchor"] = lambda name: MEASURES[name].anchor
    return env
