"""What ``trueval cafa`` prints and writes."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trueval.cli.types import Fields, Options

if TYPE_CHECKING:
    from rich.console import RenderableType

    from trueval.cafa import Evaluation
    from trueval.cafa._result import AspectEvaluation
    from trueval.show._summary import Cell

    Evaluations = dict[str, Evaluation]
    Rows = Sequence[Sequence[Cell]]

__all__ = ["data_of", "lines_of", "write_measures", "write_tables"]


def data_of(evaluations: "Evaluations", baselines: "Evaluations") -> Fields:
    """All numbers, for JSON; those of a single method at the top too."""
    each = {
        name: evaluation.to_dict() | {"counts": evaluation.counts}
        for name, evaluation in (evaluations | baselines).items()
    }
    data: Fields = {"methods": each}
    if len(evaluations) == 1:
        data = each[next(iter(evaluations))] | data
    if baselines:
        data["differences"] = {
            name: _differences(evaluation, baselines["naive"])
            for name, evaluation in evaluations.items()
        }
    return data


def _differences(evaluation: "Evaluation", naive: "Evaluation") -> list[Options]:
    """Differences from the naive baseline, with paired intervals."""
    from trueval.cafa import compare

    table = compare(evaluation, naive)
    columns = [table[name].tolist() for name in table]
    return [dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True)]


def lines_of(evaluations: "Evaluations", baselines: "Evaluations") -> "list[RenderableType]":
    """The main measures by method and aspect, and verdicts against the naive baseline."""
    from trueval.cli.show import WideTable, heading

    methods = evaluations | baselines
    first = next(iter(methods.values()))
    columns = ["method", "<aspect", "proteins", "Fmax", "interval", "exact", "at", "coverage"]
    columns += ["weighted Fmax"] if first.weighted else []
    columns += ["Smin", "AUPR", "micro Fmax"]
    rows = []
    for name, evaluation in methods.items():
        for aspect, result in evaluation.aspects.items():
            row = [name, aspect, result.n_proteins, result.fmax, _interval(result, "fmax")]
            row += [result.exact["fmax"], _round(result.threshold), result.coverage]
            row += [result.wfmax] if first.weighted else []
            row += [result.smin, result.aupr, result.fmax_micro]
            rows.append(row)
    n_files = f"{len(evaluations):,} methods" if len(evaluations) > 1 else next(iter(evaluations))
    aspects = ", ".join(f"{a} {r.n_proteins:,}" for a, r in first.aspects.items())
    output: list[RenderableType] = [heading(f"{n_files}: proteins by aspect {aspects}")]
    output += [_read_line(name, evaluation.counts) for name, evaluation in evaluations.items()]
    output.append(WideTable(columns, rows, keys=2))
    weights = "weighted by information accretion" if first.weighted else "counted in terms"
    output.append(
        f"Fmax on thresholds {first.setting.grid:g} apart, as CAFA-evaluator; 'exact' takes every "
        f"score as a threshold. Smin is {weights}. Intervals: {first.setting.confidence:.0%}, "
        f"{first.setting.n_resamples:,} resamples of the proteins."
    )
    if baselines:
        output += _verdicts(evaluations, baselines["naive"])
    return output


def _read_line(name: str, counts: dict[str, int]) -> str:
    words = {
        "alternative": "with an alternative id, read as its term",
        "unknown": "with an unknown term, left out",
        "obsolete": "with an obsolete term, left out",
        "other_proteins": "of proteins that are not in the truth, left out",
        "duplicates": "that repeat a pair, merged",
        "beyond_max_terms": "beyond --max-terms, left out",
        "zero": "with a score of 0, left out",
        "text": "in free text, left out",
    }
    sentences = [f"{counts[key]:,} {text}" for key, text in words.items() if counts.get(key)]
    return (
        f"{name}: {counts.get('lines', 0):,} lines" + "".join(f"; {one}" for one in sentences) + "."
    )


def _verdicts(evaluations: "Evaluations", naive: "Evaluation") -> list[str]:
    return [
        f"{name}, {row['aspect']}: {_verdict(row['difference'], row['low'], row['high'])}"
        for name, evaluation in evaluations.items()
        for row in _differences(evaluation, naive)
        if row["measure"] == "fmax"
    ]


def _verdict(difference: float, low: float, high: float) -> str:
    """A comparison of Fmax with that of the naive baseline, in words."""
    if low != low:
        return f"Fmax is {difference:+.3f} from that of the naive baseline (no interval)."
    words = "not clearly different from"
    if low > 0 or high < 0:
        words = "better than" if low > 0 else "worse than"
    return f"{words} the naive baseline, Fmax {difference:+.3f} ({low:+.3f} to {high:+.3f})."


def _interval(result: "AspectEvaluation", measure: str) -> str:
    interval = result.interval(measure)
    return "–" if interval is None else f"{interval[0]:.3f}–{interval[1]:.3f}"


def _round(threshold: float | None) -> str:
    return "–" if threshold is None else f"{threshold:.5g}"


def write_measures(path: Path, methods: "Evaluations") -> None:
    """Write every measure with its interval, one a line."""
    rows: list[list[Cell]] = [["method", "aspect", "measure", "value", "exact", "low", "high"]]
    for name, evaluation in methods.items():
        for aspect, result in evaluation.aspects.items():
            for measure, value in result.values.items():
                low, high = result.interval(measure) or ("", "")
                exact = result.exact[measure]
                row = [value, exact, low, high]
                rows.append([name, aspect, measure, *("" if v is None else v for v in row)])
    _write(path, rows)


def write_tables(path: Path, methods: "Evaluations", what: str) -> None:
    """Write the tables of terms or the curves of all methods."""
    rows: list[list[Cell]] = []
    for name, evaluation in methods.items():
        for aspect, result in evaluation.aspects.items():
            tables = [("unweighted", getattr(result, what)())]
            if what == "curve" and evaluation.weighted:
                tables.append(("weighted", result.curve(weighted=True)))
            for weights, table in tables:
                first = ["method", "aspect", *(["weights"] if what == "curve" else [])]
                columns = [column for column in table if column != "aspect"]
                rows = rows or [[*first, *columns]]
                values = [table[column].tolist() for column in columns]
                start = [name, aspect, *([weights] if what == "curve" else [])]
                rows += [[*start, *row] for row in zip(*values, strict=True)]
    _write(path, rows)


def _write(path: Path, rows: "Rows") -> None:
    import numpy as np

    from trueval.data._formats import output_format, write_raw
    from trueval.data._raw import RawTable

    name = str(path).removesuffix(".gz")
    form = output_format(path, "tsv" if name.endswith((".tsv", ".txt")) else "csv")
    header, *lines = rows
    columns = {
        str(key): np.array(values)
        for key, values in zip(header, zip(*lines, strict=True), strict=True)
    }
    write_raw(path, form, RawTable(columns))
