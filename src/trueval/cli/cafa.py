"""``trueval cafa``: predictions of GO terms, evaluated as CAFA does."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueval.cli.cafa_knowledge import knowledge_benchmarks, written_benchmarks
from trueval.cli.cafa_output import data_of, lines_of, write_measures, write_tables
from trueval.cli.files import FILE, STANDARD, Folder, Output
from trueval.cli.options import command, output_option
from trueval.cli.parameters import choice_option, with_options
from trueval.cli.run import Outcome, Run
from trueval.cli.terms import annotation_filters
from trueval.cli.types import Function, Options
from trueval.core.errors import InputError, Place
from trueval.core.folders import files_in

if TYPE_CHECKING:
    from trueval.cafa import Benchmark, Evaluation
    from trueval.data._source import Source
    from trueval.data.annotations import Annotations

__all__ = ["cafa"]

_EXAMPLE = (
    "trueval cafa trueval-demo/predictions.txt --truth trueval-demo/truth.tsv"
    " --ontology trueval-demo/ontology.obo --ia trueval-demo/IA.txt"
)


def _setting_options(function: Function) -> Function:
    """How to evaluate, in the words of CAFA-evaluator."""
    return with_options(
        function,
        choice_option(
            "--propagation",
            "max",
            "fill",
            help="Ancestors get the largest score below them: always, or only without their own.",
        ),
        choice_option(
            "--normalization",
            "cafa",
            "pred",
            "gt",
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
        choice_option(
            "--duplicates",
            "max",
            "mean",
            "error",
            help="Of several scores of a pair: the largest, the mean, or refuse.",
        ),
        choice_option(
            "--obsolete",
            "drop",
            "replace",
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
    )


@command(
    "cafa",
    short="Evaluate GO predictions as CAFA does.",
    examples=(_EXAMPLE, f"{_EXAMPLE} --train trueval-demo/training.tsv --json"),
)
@click.argument("predictions", type=FILE, nargs=-1)
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
    "--before",
    type=FILE,
    help="Annotations of an earlier release than --truth: evaluate no, limited and partial "
    "knowledge apart.",
)
@click.option(
    "--benchmarks",
    type=Folder(),
    metavar="FOLDER",
    help="Write the truth and known files that --before makes.",
)
@click.option(
    "--terms", type=FILE, help="Terms of interest, one on each line; only these are evaluated."
)
@click.option(
    "--evidence", metavar="CODES", help="Evidence of GAF files to keep: codes or groups, A,B,…"
)
@click.option("--since", metavar="DAY", help="First day of annotations of the truth (GAF).")
@click.option("--until", metavar="DAY", help="Last day of annotations of the truth (GAF).")
@click.option("--taxon", metavar="NUMBERS", help="Organisms of the truth (GAF), such as 9606.")
@click.option("--train", type=FILE, help="Training annotations: also evaluate the naive baseline.")
@click.option(
    "--hits", type=FILE, help="BLAST, DIAMOND or MMseqs2 hits in --train: also nearest sequences."
)
@click.option(
    "--per-term",
    type=Output(),
    metavar="FILE",
    help="Write precision and recall of each term (.csv, .tsv).",
)
@click.option(
    "--curves",
    type=Output(),
    metavar="FILE",
    help="Write all measures at all thresholds (.csv, .tsv).",
)
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
    before: str | None,
    benchmarks: str | None,
    terms: str | None,
    evidence: str | None,
    since: str | None,
    until: str | None,
    taxon: str | None,
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
    scores as thresholds, are next to them. With --before, the benchmarks are what was found out
    between two releases; PREDICTIONS may then be left out to write --benchmarks only.
    """
    _check_call(predictions, known, before, benchmarks, train, hits)
    files = prediction_files(predictions)
    for inner in files.values():
        run.files.reads(inner)
    for target in written_benchmarks(benchmarks):
        run.files.writes(target)
    with run.meter("Reading the ontology and the truth"):
        _check_evidence(run, evidence, (truth, known, before, train))
        shared = {"ia": _source(run, ia), "terms": _source(run, terms)}
        shared |= _settings(run, evidence, setting)
        kinds: dict[str, Benchmark] = {}
        filters = {"since": since, "until": until, "taxon": taxon}
        if before is None:
            shared["known"] = _source(run, known)
            kinds[""] = _benchmark(run, truth, ontology, filters, shared)
        elif any(filters.values()):
            raise click.UsageError("--before excludes --since, --until and --taxon.")
        else:
            kinds, knowledge = knowledge_benchmarks(
                run, before, truth, ontology, benchmarks, shared
            )
        for path in (ia, known, terms):
            if path is not None:
                run.note_input(path)
    if not files:
        return Outcome(knowledge.data, knowledge.lines)
    evaluations = _evaluations(run, kinds, files, setting["duplicates"])
    baselines = {
        kind: {} if train is None else _baselines(run, benchmark, train, hits, evidence)
        for kind, benchmark in kinds.items()
    }
    methods = {
        f"{name} ({kind} knowledge)" if kind else name: evaluation
        for kind in kinds
        for name, evaluation in (evaluations[kind] | baselines[kind]).items()
    }
    run.write(output, lambda path: write_measures(path, methods))
    run.write(per_term, lambda path: write_tables(path, methods, "terms"))
    run.write(curves, lambda path: write_tables(path, methods, "curve"))
    if before is None:
        return Outcome(
            data_of(evaluations[""], baselines[""]), lines_of(evaluations[""], baselines[""])
        )
    return knowledge.outcome(evaluations, baselines)


def _check_call(
    predictions: tuple[str, ...],
    known: str | None,
    before: str | None,
    benchmarks: str | None,
    train: str | None,
    hits: str | None,
) -> None:
    """Refuse options that do not go together."""
    if hits is not None and train is None:
        raise click.UsageError("--hits needs --train, the annotations of the proteins hit.")
    if before is not None and known is not None:
        raise click.UsageError("--before and --known exclude each other: --before implies it.")
    if benchmarks is not None and before is None:
        raise click.UsageError("--benchmarks needs --before, the earlier release.")
    if not predictions and benchmarks is None:
        raise click.UsageError("Missing argument 'PREDICTIONS...'.")


def prediction_files(paths: tuple[str, ...]) -> dict[str, str]:
    """Files to evaluate by the name of their method; folders are searched with those inside."""
    files: dict[str, str] = {}
    for path in paths:
        if path == STANDARD or not os.path.isdir(path):
            name = "<stdin>" if path == STANDARD else os.path.basename(path)
            inside = [(name, path)]
        else:
            inside = [
                (str(file.relative_to(path)).replace(os.sep, "_"), str(file))
                for file in sorted(files_in(Path(path)))
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


def _settings(run: Run, evidence: str | None, setting: Options) -> Options:
    """What all benchmarks of a call share."""
    from trueval.cafa import Setting

    return {
        "evidence": codes(evidence),
        "propagation": setting["propagation"],
        "orphans": not setting["no_orphans"],
        "max_terms": setting["max_terms"],
        "obsolete": setting["obsolete"],
        "setting": Setting(
            setting["grid"], setting["normalization"], setting["resamples"], setting["confidence"]
        ),
        "random_state": run.seed,
    }


def _source(run: Run, path: str | None) -> "Source | None":
    """An input that may be left out."""
    return None if path is None else run.source(path)


def _check_evidence(run: Run, evidence: str | None, paths: tuple[str | None, ...]) -> None:
    """Refuse a choice of evidence where no file has any."""
    from trueval.data._formats import is_gaf

    if evidence is not None and not any(is_gaf(run.source(path)) for path in paths if path):
        raise click.UsageError("--evidence needs annotations in GAF; other files do not have it.")


def _benchmark(
    run: Run, truth: str, ontology: str, filters: Options, options: Options
) -> "Benchmark":
    from trueval.cafa import Benchmark
    from trueval.data import read_annotations
    from trueval.data._formats import is_gaf

    annotations: Source | Annotations = run.source(truth)
    if any(filters.values()):
        chosen = annotation_filters(filters, gaf=is_gaf(run.source(truth)))
        annotations = read_annotations(
            run.source(truth), evidence=options["evidence"], unknown="drop", **chosen
        )
    benchmark = Benchmark(annotations, run.source(ontology), **options)
    run.note_input(truth, (len(benchmark.targets),))
    run.note_input(ontology, (len(benchmark.index),))
    return benchmark


def codes(evidence: str | None) -> list[str] | None:
    """Evidence codes or groups, separated by commas."""
    return None if evidence is None else [word.strip() for word in evidence.split(",")]


def _evaluations(
    run: Run, kinds: "dict[str, Benchmark]", files: dict[str, str], duplicates: str
) -> "dict[str, dict[str, Evaluation]]":
    """Each file on each benchmark; a file is read once."""
    from trueval.cafa._read import predictions_of

    evaluations: dict[str, dict[str, Evaluation]] = {kind: {} for kind in kinds}
    for name, path in files.items():
        source = run.source(path)
        with run.reading(path, source):
            read = predictions_of(source, duplicates=duplicates, name=name)
        run.note_input(path, (len(read),))
        for kind, benchmark in kinds.items():
            with run.meter(f"Evaluating {name}{kind and f', {kind}'}") as meter:
                evaluations[kind][name] = benchmark.evaluate(read, progress=meter)
    return evaluations


def _baselines(
    run: Run, benchmark: "Benchmark", train: str, hits: str | None, evidence: str | None
) -> "dict[str, Evaluation]":
    from trueval.cafa import naive_predictions, nearest_predictions

    baselines = {}
    with run.meter("Evaluating the baselines"):
        run.note_input(train)
        wanted = codes(evidence)
        training = run.source(train)
        naive = naive_predictions(training, benchmark.index, benchmark.targets, evidence=wanted)
        baselines["naive"] = benchmark.evaluate(naive)
        if hits is not None:
            run.note_input(hits)
            options: Options = {"targets": benchmark.targets, "evidence": wanted}
            nearest = nearest_predictions(run.source(hits), training, benchmark.index, **options)
            baselines["nearest"] = benchmark.evaluate(nearest)
    return baselines
