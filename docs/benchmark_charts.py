"""Charts of the benchmark page, drawn from the tables of the records.

A table gets the chart that its columns allow: shares of test pairs as stacked bars, growth as
lines, everything else that has a best value as dots, one panel a measure.
"""

from pathlib import Path

from benchmarks.record import Table

OURS, OTHER, BASELINE = "#0072b2", "#8a8a8a", "#d08a2e"
COLOURS = {"ours": OURS, "peer": OTHER, "baseline": BASELINE}
SHARES = {"BB": ("both objects held out", OURS), "AB": ("one held out", "#e8b04a"),
          "AA": ("both seen in training", "#d55e00")}  # fmt: skip
#: Measures worth a panel, in this order, and whether the axis is logarithmic.
PANELS = {
    "missed": ("promise missed", False),
    "recall": ("recall", False),
    "rld_ratio": ("deviation of class counts / lower bound (1 is best)", True),
    "area": ("average precision (higher is better)", False),
    "loss": ("log loss (lower is better)", False),
    "micro": ("micro F1 (higher is better)", False),
    "macro": ("macro F1 (higher is better)", False),
    "cpu": ("CPU seconds (lower is better)", True),
    "total": ("CPU seconds of all steps (lower is better)", True),
}
TIMES = ("cpu", "total")
MOST_PANELS = 2


def kind(table: Table) -> str | None:
    """Kind of chart a table gets: "shares", "lines", "dots", or None."""
    keys = {column.key for column in table.columns}
    if set(SHARES) <= keys:
        return "shares"
    if {"size", "cpu"} <= keys and _longest(table) >= 3:
        return "lines"
    if len(_measured(table)) >= 2 and _panels(table):
        return "dots"
    return None


def draw(table: Table, path: Path) -> None:
    """Write the chart of a table as SVG."""
    import matplotlib.pyplot as plt

    style = {"svg.hashsalt": "trueval", "font.size": 9, "axes.spines.top": False,
             "axes.spines.right": False}  # fmt: skip
    with plt.rc_context(style):
        fig = {"shares": _shares, "lines": _lines, "dots": _dots}[kind(table)](table)
        fig.savefig(path, metadata={"Date": None})
        plt.close(fig)


def alt(table: Table) -> str:
    """What the chart shows, for those who do not see it."""
    measures = {
        "shares": "share of test pairs by how many of their objects are held out",
        "lines": "CPU seconds against size",
        "dots": " and ".join(PANELS[key][0].split(" (")[0] for key in _panels(table)),
    }[kind(table)]
    return f"{table.title}: {measures}, by method; the values are in the table below"


def _measured(table: Table) -> list[dict]:
    keys = [column.key for column in table.columns[1:]]
    return [row for row in table.rows if any(row.get(key) is not None for key in keys)]


def _longest(table: Table) -> int:
    """Number of sizes of the method that has most of them."""
    label = table.columns[0].key
    methods = [row[label] for row in _measured(table)]
    return max((methods.count(name) for name in set(methods)), default=0)


def _panels(table: Table) -> list[str]:
    """Measures to show, CPU time last."""
    keys = {column.key for column in table.columns}
    found = [
        key
        for key in PANELS
        if key in keys and sum(row.get(key) is not None for row in table.rows) >= 2
    ]
    measures = [key for key in found if key not in TIMES]
    return [*measures[:MOST_PANELS], *[key for key in found if key in TIMES][:1]]


def _dots(table: Table):
    import matplotlib.pyplot as plt

    label, panels = table.columns[0].key, _panels(table)
    rows = table.rows
    places = range(len(rows))
    fig, axes = plt.subplots(
        1, len(panels), figsize=(9.6, 0.9 + 0.27 * len(rows)), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for ax, key in zip(axes.flat, panels, strict=True):
        title, logarithmic = PANELS[key]
        values = [row.get(key) for row in rows]
        if logarithmic and any(value and value > 0 for value in values):
            ax.set_xscale("log")
        least = min((v for v in values if v), default=1)
        for place, row, value in zip(places, rows, values, strict=True):
            if value is None:
                if key == panels[0] and row.get("problem"):
                    text = str(row["problem"])
                    ax.annotate(
                        text if len(text) < 42 else text[:40] + "…", (0.02, place),
                        xycoords=("axes fraction", "data"), va="center", color="0.45",
                        fontstyle="italic", fontsize=8,
                    )  # fmt: skip
                continue
            # Times that were measured as zero are drawn at the left end.
            x = value if value > 0 or not logarithmic else least
            colour = COLOURS.get(row.get("kind") or "ours", OTHER)
            ax.plot(x, place, "o", color=colour, ms=8 if row.get("default") else 5.5)
        ax.set_xlabel(title)
        ax.grid(axis="x", alpha=0.25)
        if logarithmic:
            _plain_ticks(ax.xaxis)
    axes.flat[0].set_yticks(list(places), [str(row[label]) for row in rows])
    for tick, row in zip(axes.flat[0].get_yticklabels(), rows, strict=True):
        tick.set_color("black" if row.get("kind") != "peer" else "0.35")
        tick.set_fontweight("bold" if row.get("default") else "normal")
    axes.flat[0].invert_yaxis()
    return fig


def _plain_ticks(axis) -> None:
    """Few ticks with plain numbers on a logarithmic axis: 1, 2, 5, not powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    low, high = axis.get_view_interval()
    if high < 3 * low:
        axis.set_major_locator(MaxNLocator(4))
    elif high < 50 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    else:
        axis.set_major_locator(LogLocator(numticks=6))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def _lines(table: Table):
    import matplotlib.pyplot as plt

    label = table.columns[0].key
    head = next(column.head for column in table.columns if column.key == "size")
    fig, ax = plt.subplots(figsize=(8.4, 3.6), layout="constrained")
    styles: dict[str, int] = {}
    for name in dict.fromkeys(row[label] for row in table.rows):
        rows = [r for r in table.rows if r[label] == name and r.get("cpu")]
        if not rows:
            continue
        group = rows[0].get("kind") or "ours"
        number = styles[group] = styles.get(group, -1) + 1
        dash = ("-", "--", ":", "-.")[number % 4]
        x, y = [r["size"] for r in rows], [r["cpu"] for r in rows]
        ax.plot(x, y, dash, marker="o", ms=4, color=COLOURS.get(group, OTHER), label=name)
    ax.set(xscale="log", yscale="log", ylabel="CPU seconds")
    ax.set_xlabel(head if head != "size" else table.title.lower())
    ax.grid(alpha=0.25)
    for axis in (ax.xaxis, ax.yaxis):
        _plain_ticks(axis)
    fig.legend(loc="outside right center", frameon=False)
    return fig


def _shares(table: Table):
    import matplotlib.pyplot as plt

    label = table.columns[0].key
    rows = [row for row in table.rows if row.get("BB") is not None]
    fig, ax = plt.subplots(figsize=(9.6, 1.2 + 0.32 * len(rows)), layout="constrained")
    left = [0.0] * len(rows)
    for key, (name, colour) in SHARES.items():
        widths = [100 * (row[key] or 0) for row in rows]
        ax.barh([str(row[label]) for row in rows], widths, left=left, color=colour, label=name)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    ax.set(xlabel="test pairs, %", xlim=(0, 100))
    ax.invert_yaxis()
    fig.legend(loc="outside upper center", ncols=3, frameon=False)
    return fig
