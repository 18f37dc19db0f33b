"""Pages of the studies, from the results in ``studies/results``: nothing is typed by hand.

``conf.py`` calls :func:`make` when a build begins. Tables and notes are those of
``StudyResult``; figures are drawn of the Vega-Lite specification that the result holds.
"""

import csv
import io
from pathlib import Path

PAPERS = {
    "000": "Split quality measures and OptiSplit",
    "001": "Object-level cross-validation for pairs",
    "002": "Local precision rates",
}
#: What a study shows, where its title alone does not say it.
SHOWS = {
    "000-figure2": "LD and rLD against class size",
    "000-figure3": "Which measures detect an uneven split",
    "000-table2": "Data sets: rows, classes and class sizes",
    "000-table3": "Split quality of all methods on all data sets",
    "001-figure1": "Types of pairs, and what each scheme trains on",
    "001-figure2": "Pairs validated by each cross-validation scheme",
    "001-figure3": "Error of cross-validation (bias and variance together) against K",
    "001-learners": "Bias and variance of other learners",
    "001-schemes": "Bias and variance of other validation sets and settings",
    "001-skill": "Bias of cross-validation against skill",
    "001-table1": "Bias of cross-validation against new proteins",
    "001-table2": "Variance of cross-validation against new proteins",
    "001-trends": "What the paper says of bias, variance and K, as yes or no",
    "001-variants": "Bias under other readings of the paper's data",
    "002-figure1": "Pooled precision-recall curves of the rankers",
    "002-table2": "Average precision of the rankers on simulated scores",
    "002-table3": "F measure of the rankers on simulated scores",
    "002-table4": "Average precision of the rankers on tied scores",
    "002-table5": "F measure of the rankers on tied scores",
    "002-table6": "Precision at given recalls, classes of a hierarchy",
    "002-table7": "F measure of LPR and optimal thresholds, classes of a hierarchy",
    "002-table8": "Precision, recall and F on benchmark data",
}
NOT_PUBLIC = {
    "002": "Figure 1 and Tables 6 and 7 are on NCBI GEO data that are not public; other data stand "
    "for them.",
}


def make(folder: Path) -> None:
    """Write one page for each paper, and a summary, into ``folder/generated``."""
    from trueval.study import STUDIES, StudyResult

    target = folder / "generated"
    target.mkdir(exist_ok=True)
    results = {}
    for name in STUDIES:
        path = folder / "results" / f"{name}.json"
        if path.is_file():
            results[name] = StudyResult.from_json(path.read_bytes())
    for paper, title in PAPERS.items():
        mine = {name: study for name, study in STUDIES.items() if name.startswith(paper)}
        text = _page(paper, title, mine, results, target)
        (target / f"{paper}.rst").write_text(text, encoding="utf-8")
    (target / "summary.inc").write_text(_summary(STUDIES, results), encoding="utf-8")


def _page(paper, title, studies, results, target):
    lines = [title, "=" * len(title), "", next(iter(studies.values())).paper + ".", ""]
    if paper in NOT_PUBLIC:
        lines += [NOT_PUBLIC[paper], ""]
    for name, study in studies.items():
        heading = SHOWS.get(name, study.title)
        lines += [f".. _study-{name}:", "", heading, "-" * len(heading), ""]
        lines += [f"``{study.called}`` or ``{name}``: {study.title}. {study.about}", ""]
        result = results.get(name)
        if result is None:
            lines += [f"No result is stored here; ``run_study({name!r})`` computes one.", ""]
            continue
        if result.figure is not None:
            draw(result.figure, target / f"{name}.svg")
            lines += [f".. figure:: {name}.svg", f"   :alt: {result.title}", ""]
        head, rows, _ = result.shown()
        lines += [_table(head, rows), ""]
        lines += [f"- {_escape(note)}" for note in result.notes]
        lines += ["", "*Provenance.* " + "; ".join(map(_fact, result.facts())) + ".", ""]
    return "\n".join(lines)


def _fact(fact):
    if fact.startswith("to repeat: "):
        return f"to repeat: `{fact.removeprefix('to repeat: ')}`"
    return _escape(fact)


def _summary(studies, results):
    rows = []
    for name, study in studies.items():
        result = results.get(name)
        run = "not stored here"
        if result is not None:
            p = result.provenance
            run = p["size"]
            if p["repeats"] is not None:
                run += f", {p['repeats']} repeats"
            run += f", {p['cpu_seconds']:,.0f} s"
        rows.append([f":ref:`study-{name}`", f"``{study.called}``", f"``{name}``", run])
    return _table(["study", "name", "number", "run"], rows, escape=False)


def _table(head, rows, escape=True):
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\n")
    for row in (head, *rows):
        writer.writerow([_escape(cell) if escape else cell for cell in row])
    inside = "".join(f"   {line}\n" for line in buffer.getvalue().splitlines())
    return f".. csv-table::\n   :header-rows: 1\n\n{inside}"


def _escape(text):
    """Text with the signs of reStructuredText made plain."""
    for sign in ("\\", "*", "`", "|", "_"):
        text = text.replace(sign, "\\" + sign)
    return text


# --- figures ---------------------------------------------------------------------


def draw(spec, path):
    """Draw lines or squares, in panels, as the specification says."""
    import matplotlib.pyplot as plt

    encoding = spec["encoding"]
    rows = spec["data"]["values"]
    panel = encoding.get("facet", {}).get("field")
    panels = list(dict.fromkeys(row[panel] for row in rows)) if panel else [None]
    n_columns = min(2, len(panels))
    n_lines = -(-len(panels) // n_columns)
    fig, axes = plt.subplots(
        n_lines, n_columns, figsize=(4.6 * n_columns, 3.4 * n_lines), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    for ax, value in zip(axes.flat, panels, strict=False):
        mine = [row for row in rows if panel is None or row[panel] == value]
        (_squares if spec["mark"]["type"] == "rect" else _lines)(ax, mine, encoding)
        ax.set_title(value or "")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    if handles:
        fig.legend(handles, labels, loc="outside right center", frameon=False)
    fig.suptitle(spec.get("title", ""))
    fig.savefig(path, metadata={"Date": None})
    plt.close(fig)


def _lines(ax, rows, encoding):
    x, y, colour = (encoding[name]["field"] for name in ("x", "y", "color"))
    dash = encoding.get("strokeDash", {}).get("field")
    colours = list(dict.fromkeys(row[colour] for row in rows))
    dashes = list(dict.fromkeys(row[dash] for row in rows)) if dash else [None]
    for i, c in enumerate(colours):
        for d, style in zip(dashes, ("-", "--", ":"), strict=False):
            mine = [r for r in rows if r[colour] == c and (dash is None or r[dash] == d)]
            label = c if dash is None else f"{c}, {d}"
            ax.plot([r[x] for r in mine], [r[y] for r in mine], style, color=f"C{i}", label=label)
    for axis, name in ((ax.set_xscale, "x"), (ax.set_yscale, "y")):
        axis(encoding[name].get("scale", {}).get("type", "linear"))
    ax.set_xlabel(x)
    ax.set_ylabel(y)


def _squares(ax, rows, encoding):
    x, y, value = (encoding[name]["field"] for name in ("x", "y", "color"))
    names = sorted({row[x] for row in rows} | {row[y] for row in rows})
    place = {name: i for i, name in enumerate(names)}
    for row in rows:
        shade = 0.95 - 0.4 * min(row[value], 2)
        at = place[row[x]], place[row[y]]
        ax.add_patch(_rectangle((at[0] - 0.5, at[1] - 0.5), str(shade)))
        ink = "black" if shade > 0.4 else "white"
        ax.text(*at, row[value], color=ink, ha="center", va="center", fontsize=8)
    ax.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(names) - 0.5, -0.5), aspect="equal")
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(names)), names)


def _rectangle(corner, shade):
    from matplotlib.patches import Rectangle

    return Rectangle(corner, 1, 1, facecolor=shade, edgecolor="grey")
