"""``trueval rank``: scores that compare across classes."""

from collections.abc import Callable
from typing import Any

import click

from trueval.cli import read
from trueval.cli.files import FILE
from trueval.cli.options import (
    command,
    label_options,
    output_option,
    score_options,
)
from trueval.cli.run import Outcome, Run

__all__ = ["RANKERS", "cross_fitted", "make_ranker", "rank", "ranker_options"]

#: Name on the command line, class of :mod:`trueval.rank`, and what it is.
RANKERS = {
    "precision": ("PrecisionRanker", "P(class | score), ours"),
    "lpr": ("LocalPrecisionRate", "local precision rate"),
    "isotonic": ("IsotonicRanker", "isotonic regression"),
    "ltdr": ("LocalTrueDiscoveryRate", "ratio of densities"),
    "pvalue": ("PValueRanker", "p-value among negatives"),
    "fdr": ("FDRRanker", "precision above the score"),
    "raw": (None, "the scores as they are"),
}


def ranker_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options ``--ranker`` and ``--compare``."""
    names = click.Choice(list(RANKERS))
    function = click.option(
        "--compare", type=names, multiple=True, help="Show this one beside; may be repeated."
    )(function)
    return click.option(
        "--ranker",
        type=names,
        default="precision",
        show_default=True,
        help="How scores become values.",
    )(function)


@command(
    "rank",
    short="Make scores of classes comparable.",
    stage=True,
    examples=(
        "trueval rank trueval-demo/scores.npz trueval-demo/labels.csv -o values.npz",
        "trueval rank trueval-demo/scores.npz trueval-demo/labels.csv --compare raw --compare lpr",
    ),
)
@click.argument("scores", type=FILE)
@click.argument("labels", type=FILE)
@click.option("--new", type=FILE, help="Scores of new objects to value, by all labels.")
@ranker_options
@score_options
@output_option("Write the values (.npz, .csv, .tsv, .parquet).")
@label_options
def rank(
    run: Run,
    *,
    scores: str,
    labels: str,
    new: str | None,
    ranker: str,
    compare: tuple[str, ...],
    output: str | None,
    **more: Any,
) -> Outcome:
    """Turn SCORES of separate classes into values in [0, 1] that compare across them.

    SCORES are of objects the model was not trained on. The values, and the average
    precision of all pairs pooled, are cross-fitted: no object's own label has a say. With
    --new, the values written are those of the new objects, learnt from all of LABELS.
    """
    from trueval.core.scores import Scores
    from trueval.data.tables import output_format
    from trueval.data.write import write_scores

    if output not in (None, "-"):
        output_format(output, None)
    found, y, fresh = read.ranking(run, scores, labels, new, more)
    values = {name: cross_fitted(run, name, found, y) for name in dict.fromkeys((ranker, *compare))}
    written = Scores(values[ranker], y.classes, y.index)
    if fresh is not None:
        written = _value_new(run, ranker, found, y, fresh)
    run.write(output, lambda path: write_scores(path, written))

    from trueval.cli.show import heading, table

    judged = judge(values, y)
    shown = [
        heading(f"{y.n_rows:,} objects, {y.n_classes:,} classes: all pairs pooled in one list"),
        table(
            ["ranker", "<what a value is", "average precision"],
            [[name, RANKERS[name][1], value] for name, value in judged.items()],
            strong=(0,),
        ),
        verdict(ranker, judged),
    ]
    if output is None:
        shown.append("The values were not kept: -o values.npz writes them.")
    data = {
        "rows": y.n_rows,
        "classes": y.n_classes,
        "ranker": ranker,
        "average_precision": judged,
        "cross_fitted": True,
        "new_rows": None if fresh is None else fresh.shape[0],
    }

    def stage(facts: dict[str, Any]) -> Any:
        return rank_report(run, values, y, found, (), facts)

    return Outcome(data, shown, stage)


def make_ranker(name: str, jobs: int | None = None) -> Any:
    """An unfitted ranker by its name; None for raw scores."""
    import trueval.rank

    kind = RANKERS[name][0]
    return None if kind is None else getattr(trueval.rank, kind)(n_jobs=jobs)


def cross_fitted(run: Run, name: str, scores: Any, y: Any) -> Any:
    """Values of each object from a ranker that never saw its labels."""
    from trueval.rank import cross_fit

    ranker = make_ranker(name, run.jobs)
    if ranker is None:
        return scores.matrix
    with run.meter(f"Ranking by {name}"):
        return cross_fit(ranker, scores, y, random_state=run.seed)


def judge(values: dict[str, Any], y: Any) -> dict[str, float]:
    """Pooled average precision of each ranker."""
    from trueval.rank import average_precision

    return {name: average_precision(own, y) for name, own in values.items()}


def verdict(ranker: str, judged: dict[str, float]) -> str:
    """What to conclude from the average precisions."""
    best = max(judged, key=lambda name: judged[name])
    if len(judged) == 1:
        return "Add --compare raw to see what ranking changes."
    if best != ranker:
        return f"{best} ranks these scores best here: consider --ranker {best}."
    rest = {name: value for name, value in judged.items() if name != ranker}
    near = max(rest, key=lambda name: rest[name])
    return (
        f"{ranker} puts more members on top than the next best, {near} "
        f"({judged[ranker]:.3f} against {rest[near]:.3f})."
    )


def rank_report(
    run: Run, values: dict[str, Any], y: Any, scores: Any, choices: Any, facts: dict[str, Any]
) -> Any:
    """The stage of the report: curves are of rankers fitted on all objects."""
    from trueval.report import rank_stage

    curves = {}
    for name in values:
        made = make_ranker(name, run.jobs)
        if made is not None:
            curves[name] = made.fit(scores, y)
    return rank_stage(values, y, choices=choices, ids=y.index, curves=curves, provenance=facts)


def _value_new(run: Run, ranker: str, found: Any, y: Any, fresh: Any) -> Any:
    from trueval.core.scores import Scores

    made = make_ranker(ranker, run.jobs)
    if made is None:
        return fresh
    with run.meter(f"Valuing new objects by {ranker}"):
        return Scores(made.fit(found, y).transform(fresh), y.classes, fresh.index)
