"""``trueval cafa``: predictions of GO terms, evaluated as CAFA does."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from trueval.cli.files import FILE, STANDARD
from trueval.cli.options import command, output_option
from trueval.cli.run import Outcome, Run
from trueval.core.errors import InputError, Place

__all__ = ["cafa"]

_EXAMPLE = (
    "trueval cafa trueval-demo/predictions.txt --truth trueval-demo/truth.tsv"
    " --ontology trueval-demo/ontology.obo --ia trueval-demo/IA.txt"
)


def _setting_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """How to evaluate, in the words of CAFA-evaluator."""
    options = [
        click.option(
            "--propagation",
            type=click.Choice(["max", "fill"]),
            default="max",
            show_default=True,
            help="Ancestors get the largest score below them: always, or only without their own.",
        ),
        click.option(
            "--normalization",
            type=click.Choice(["cafa", "pred", "gt"]),
            default="cafa",
            show_default=True,
            help="Average precision over predicted proteins and the rest over all (cafa), "
            "everything over predicted ones (pred), or over all (gt).",
        ),
        click.option(
            "--no-orphans", is_flag=True, help="Leave the roots out of the unweighted measures."
        ),
        click.option(
            "--max-terms",
            type=click.IntRange(1),
            metavar="N",
            help="Ignore further lines of a protein with more than N terms of an aspect.",
        ),
        click.option(
            "--grid",
            type=click.FloatRange(1e-5, 1, max_open=True),
            default=0.01,
            show_default=True,
            help="Step of the thresholds.",
        ),
        click.option(
            "--duplicates",
            type=click.Choice(["max", "mean", "error"]),
            default="max",
            show_default=True,
            help="Of several scores of a pair: the largest, the mean, or refuse.",
        ),
        click.option(
            "--obsolete",
            type=click.Choice(["drop", "replace"]),
            default="drop",
            show_default=True,
            help="Leave obsolete terms out, or take their replacement.",
        ),
        click.option(
            "--resamples",
            type=click.IntRange(0),
            default=1000,
            show_default=True,
            help="Resamples of the proteins for the intervals; 0 for none.",
        ),
        click.option(
            "--confidence",
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
            default=0.95,
            show_default=True,
            help="Of the intervals.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@command(
    "cafa",
    short="Evaluate GO predictions as CAFA does.",
    examples=(_EXAMPLE, f"{_EXAMPLE} --train trueval-demo/training.tsv --json"),
)
@click.argument("predictions", type=FILE, nargs=-1, required=True)
@click.option(
    "--truth",
    type=FILE,
    required=True,
    help="Ground truth: a target and a term on each line, or GAF.",
)
@click.option(
    "--ontology",
    type=FILE,
    required=True,
    metavar="OBO",
    help="Ontology (OBO, or a table of edges).",
)
@click.option("--ia", type=FILE, help="Information accretion: a term and a number on each line.")
@click.option("--known", type=FILE, help="Annotations known before, which are not evaluated.")
@click.option(
    "--terms", type=FILE, help="Terms of interest, one on each line; only these are evaluated."
)
@click.option(
    "--evidence", metavar="CODES", help="Evidence of GAF files to keep: codes or groups, A,B,…"
)
@click.option("--train", type=FILE, help="Training annotations: also evaluate the naive baseline.")
@click.option(
    "--hits", type=FILE, help="BLAST, DIAMOND or MMseqs2 hits in --train: also nearest sequences."
)
@click.option(
    "--per-term", metavar="FILE", help="Write precision and recall of each term (.csv, .tsv)."
)
@click.option("--curves", metavar="FILE", help="Write all measures at all thresholds (.csv, .tsv).")
@_setting_options
@output_option("Write all measures with their intervals (.csv, .tsv).")
def cafa(
    run: Run,
    *,
    predictions: tuple[str, ...],
    truth: str,
    ontology: str,
    ia: str | None,
    known: str | None,
    terms: str | None,
    evidence: str | None,
    train: str | None,
    hits: str | None,
    per_term: str | None,
    curves: str | None,
    output: str | None,
    **setting: Any,
) -> Outcome:
    """Evaluate PREDICTIONS: Fmax, weighted Fmax, Smin, AUPR and coverage of each aspect.

    PREDICTIONS are files of target, term and score, or a folder of them; each file is one
    method. Measures are those of CAFA-evaluator on its thresholds; the exact ones, over all
    scores as thresholds, are next to them.
    """
    if hits is not None and train is None:
        raise click.UsageError("--hits needs --train, the annotations of the proteins hit.")
    for path in (per_term, curves):
        if path is not None:
            run.check_output(path)
    files = prediction_files(predictions)
    _check_inside(files, (output, per_term, curves))
    benchmark = _benchmark(run, truth, ontology, ia, known, terms, evidence, setting)
    evaluations = {}
    for name, path in files.items():
        evaluations[name] = _evaluate(run, benchmark, name, path, setting["duplicates"])
    baselines = {}
    if train is not None:
        baselines = _baselines(run, benchmark, train, hits, evidence)
    methods = evaluations | baselines
    run.write(output, lambda path: _write_measures(path, methods))
    run.write(per_term, lambda path: _write_tables(path, methods, "terms"))
    run.write(curves, lambda path: _write_tables(path, methods, "curve"))
    return Outcome(_data(evaluations, baselines), _shown(evaluations, baselines))


def prediction_files(paths: tuple[str, ...]) -> dict[str, str]:
    """Files to evaluate by the name of their method; folders are searched with those inside.

    Parameters
    ----------
    paths : tuple of str

    Returns
    -------
    dict of str to str
    """
    files: dict[str, str] = {}
    for path in paths:
        if path == STANDARD or not os.path.isdir(path):
            name = "<stdin>" if path == STANDARD else os.path.basename(path)
            inside = [(name, path)]
        else:
            inside = [
                (str(file.relative_to(path)).replace(os.sep, "_"), str(file))
                for file in sorted(Path(path).rglob("*"))
                if file.is_file() and not file.name.startswith(".")
            ]
            if not inside:
                raise InputError("the folder has no file of predictions.", place=Place(path))
        for name, file in inside:
            if name in files:
                raise InputError(
                    f"a second file named {name}.", place=Place(file), fix="Rename one of them."
                )
            files[name] = file
    return files


def _check_inside(files: dict[str, str], outputs: tuple[str | None, ...]) -> None:
    """Refuse an output that would replace a file of a folder of predictions."""
    inputs = {os.path.realpath(path) for path in files.values()}
    for path in outputs:
        if path is not None and path != STANDARD and os.path.realpath(path) in inputs:
            raise click.UsageError(
                f"Cannot write {path}: it is an input, which would be lost. Choose another name."
            )


def _benchmark(
    run: Run,
    truth: str,
    ontology: str,
    ia: str | None,
    known: str | None,
    terms: str | None,
    evidence: str | None,
    setting: dict[str, Any],
) -> Any:
    from trueval.cafa import Benchmark, Setting

    with run.meter("Reading the ontology and the truth"):
        for path in (ontology, truth, ia, known, terms):
            if path == STANDARD:
                raise click.UsageError("Only PREDICTIONS can be '-', standard input.")
        benchmark = Benchmark(
            truth,
            ontology,
            ia=ia,
            known=known,
            terms=terms,
            evidence=codes(evidence),
            propagation=setting["propagation"],
            orphans=not setting["no_orphans"],
            max_terms=setting["max_terms"],
            obsolete=setting["obsolete"],
            setting=Setting(
                setting["grid"],
                setting["normalization"],
                setting["resamples"],
                setting["confidence"],
            ),
            random_state=run.seed,
        )
        run.note_input(truth, (len(benchmark.targets),))
        run.note_input(ontology, (len(benchmark.index),))
        for path in (ia, known, terms):
            if path is not None:
                run.note_input(path)
    return benchmark


def codes(evidence: str | None) -> list[str] | None:
    """Evidence codes or groups, separated by commas."""
    return None if evidence is None else [word.strip() for word in evidence.split(",")]


def _evaluate(run: Run, benchmark: Any, name: str, path: str, duplicates: str) -> Any:
    from trueval.cafa._read import predictions_of

    with run.meter(f"Evaluating {name}"):
        read = predictions_of(run.source(path), duplicates=duplicates, name=name)
        run.note_input(path, (len(read),))
        return benchmark.evaluate(read)


def _baselines(
    run: Run, benchmark: Any, train: str, hits: str | None, evidence: str | None
) -> dict[str, Any]:
    from trueval.cafa import naive_predictions, nearest_predictions

    baselines = {}
    with run.meter("Evaluating the baselines"):
        run.note_input(train)
        wanted = codes(evidence)
        naive = naive_predictions(train, benchmark.index, benchmark.targets, evidence=wanted)
        baselines["naive"] = benchmark.evaluate(naive)
        if hits is not None:
            run.note_input(hits)
            nearest = nearest_predictions(
                hits, train, benchmark.index, targets=benchmark.targets, evidence=wanted
            )
            baselines["nearest"] = benchmark.evaluate(nearest)
    return baselines


# --- what comes out ----------------------------------------------------------------


def _data(evaluations: dict[str, Any], baselines: dict[str, Any]) -> dict[str, Any]:
    each = {
        name: evaluation.to_dict() | {"counts": evaluation.counts}
        for name, evaluation in (evaluations | baselines).items()
    }
    data: dict[str, Any] = {"methods": each}
    if len(evaluations) == 1:
        data = each[next(iter(evaluations))] | data
    if baselines:
        data["differences"] = {
            name: _differences(evaluation, baselines["naive"])
            for name, evaluation in evaluations.items()
        }
    return data


def _differences(evaluation: Any, naive: Any) -> list[dict[str, Any]]:
    """Differences from the naive baseline, with paired intervals."""
    from trueval.cafa import compare

    table = compare(evaluation, naive)
    columns = [table[name].tolist() for name in table]
    return [dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True)]


def _shown(evaluations: dict[str, Any], baselines: dict[str, Any]) -> list[Any]:
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
    output: list[Any] = [heading(f"{n_files}: proteins by aspect {aspects}")]
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


def _verdicts(evaluations: dict[str, Any], naive: Any) -> list[str]:
    return [
        f"{name}, {row['aspect']}: {_verdict(**row)}"
        for name, evaluation in evaluations.items()
        for row in _differences(evaluation, naive)
        if row["measure"] == "fmax"
    ]


def _verdict(difference: float, low: float, high: float, **_: Any) -> str:
    """A comparison of Fmax with that of the naive baseline, in words."""
    if low != low:
        return f"Fmax is {difference:+.3f} from that of the naive baseline (no interval)."
    words = "not clearly different from"
    if low > 0 or high < 0:
        words = "better than" if low > 0 else "worse than"
    return f"{words} the naive baseline, Fmax {difference:+.3f} ({low:+.3f} to {high:+.3f})."


def _interval(result: Any, measure: str) -> str:
    interval = result.interval(measure)
    return "–" if interval is None else f"{interval[0]:.3f}–{interval[1]:.3f}"


def _round(threshold: float | None) -> str:
    return "–" if threshold is None else f"{threshold:.5g}"


def _write_measures(path: Path, methods: dict[str, Any]) -> None:
    rows: list[list[Any]] = [["method", "aspect", "measure", "value", "exact", "low", "high"]]
    for name, evaluation in methods.items():
        for aspect, result in evaluation.aspects.items():
            for measure, value in result.values.items():
                low, high = result.interval(measure) or ("", "")
                exact = result.exact[measure]
                row = [value, exact, low, high]
                rows.append([name, aspect, measure, *("" if v is None else v for v in row)])
    _write(path, rows)


def _write_tables(path: Path, methods: dict[str, Any], what: str) -> None:
    rows: list[list[Any]] = []
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


def _write(path: Path, rows: list[list[Any]]) -> None:
    from trueval.data.tables import write_rows

    name = str(path).removesuffix(".gz")
    write_rows(path, "\t" if name.endswith((".tsv", ".txt")) else ",", rows)
