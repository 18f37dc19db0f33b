"""``trueval decide``: predictions for a target precision, recall, F-beta or number."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from trueval.cli import read
from trueval.cli.columns import column_options
from trueval.cli.dataset import Carrier, engine_options
from trueval.cli.dataset_rank import decide_dataset
from trueval.cli.files import FILE
from trueval.cli.options import (
    command,
    exactly_one,
    label_options,
    output_option,
    score_options,
)
from trueval.cli.parameters import choice_option
from trueval.cli.rank import check_hierarchy, ranker_of, ranker_options
from trueval.cli.ranked import calls_by_depth, of_folds, write_list
from trueval.cli.run import Outcome, Run
from trueval.cli.types import Fields, Function, Options, Values
from trueval.rank._registry import with_old_names

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from trueval.core.labels import Labels
    from trueval.core.scores import Scores
    from trueval.rank import ThresholdChoice
    from trueval.report import Stage
    from trueval.show._rank import Decision

__all__ = ["TARGET_NOT_REACHED", "decide", "decision_outcome", "judged_by_selection"]

TARGET_NOT_REACHED = 3  # exit code: nothing is predicted


def _target(name: str, *, help: str) -> Callable[[Function], Function]:  # noqa: A002
    """A share to reach; given twice, it is not clear which is meant."""

    def once(context: click.Context, option: click.Parameter, values: tuple[float, ...]) -> Any:
        if len(values) > 1:
            raise click.UsageError(
                f"Give {name} once; pick_threshold takes several targets (in Python)."
            )
        return values[0] if values else None

    return click.option(name, type=float, multiple=True, callback=once, help=help)


@command(
    "decide",
    short="Predictions for a target precision, recall or F.",
    stage=True,
    examples=(
        "trueval decide trueval-demo/scores.npz trueval-demo/labels.csv --precision 0.9"
        " -o calls.csv",
        "trueval decide trueval-demo/scores.npz trueval-demo/labels.csv --calls 500",
    ),
)
@click.argument("scores", type=FILE)
@click.argument("labels", type=FILE)
@_target("--precision", help="As many predictions as this precision allows.")
@_target("--recall", help="As few predictions as this recall takes.")
@click.option("--beta", type=float, help="The predictions of the best F-beta.")
@choice_option(
    "--average",
    "pairs",
    "objects",
    help="F-beta of all pairs together, or the mean of those of the rows.",
)
@click.option("--calls", type=int, help="This number of predictions on a set as large.")
@click.option("--top-k", type=int, metavar="K", help="The K best classes of every row.")
@click.option(
    "--map", "by_map", is_flag=True, help="Predict what is more likely positive than not."
)
@click.option(
    "--cost-ratio",
    type=float,
    metavar="C",
    help="Least cost, where a false prediction costs C and a missed positive 1.",
)
@click.option("--confidence", type=float, help="Reach the target with this confidence.")
@click.option(
    "--guarantee",
    type=click.Choice(["exact", "simultaneous", "fdr"]),
    help="What is promised: a bound of each threshold on its own, of the chosen threshold, or"
    " the expected share of false predictions among --new rows.",
)
@click.option(
    "--for-new",
    type=int,
    metavar="M",
    help="Promise the target on one new set of M rows, not in the population.",
)
@click.option("--allow-unmet", is_flag=True, help="Predict even if the target is not reached.")
@click.option("--groups", type=FILE, help="Table of id and group; groups stay together.")
@ranker_options
@click.option("--new", type=FILE, help="Scores of new rows to predict.")
@score_options
@engine_options
@output_option("Write the predictions: id, label, score (.csv, .tsv, .npz, .parquet).")
@label_options
@column_options
def decide(
    run: Run,
    *,
    scores: str,
    labels: str,
    precision: float | None,
    recall: float | None,
    beta: float | None,
    average: str,
    calls: int | None,
    top_k: int | None,
    by_map: bool,
    cost_ratio: float | None,
    confidence: float | None,
    guarantee: str | None,
    for_new: int | None,
    allow_unmet: bool,
    groups: str | None,
    weights: str | None,
    ranker: str,
    compare: tuple[str, ...],
    new: str | None,
    output: str | None,
    **more: Any,
) -> Outcome:
    """Select predictions from SCORES for one target, and estimate what to expect on new data.

    Rankers and thresholds never see the rows they are judged on. Without --new, the rows of
    SCORES are predicted, by calibrated scores that are cross-fitted. If a wanted precision or
    recall is not reached, nothing is predicted and the exit code is 3.
    """
    targets = {
        "precision": precision,
        "recall": recall,
        "beta": beta,
        "calls": calls,
        "top_k": top_k,
        "map": by_map or None,
        "cost_ratio": cost_ratio,
    }
    target = str(exactly_one(**targets))
    check_hierarchy((ranker, *compare), more["ontology"])
    if guarantee == "fdr" and new is None:
        raise click.UsageError("--guarantee fdr selects among new rows; give their scores: --new.")
    options: Options = {
        "n_calls" if target == "calls" else target: targets[target],
        "average": average,
        "confidence": confidence,
        "guarantee": guarantee,
        "for_new": for_new,
        "allow_unmet": allow_unmet,
    }
    files = {"scores": scores, "labels": labels, "new": new}
    by_row = {"groups": groups, "weights": weights}
    carrier = Carrier.of(more, *files.values())
    if not carrier.in_memory:
        others = by_row | {"compare": compare}
        return decide_dataset(run, carrier, files, ranker, target, options, others, output, more)
    return _in_memory(run, files, by_row, ranker, compare, target, options, output, more)


def _in_memory(
    run: Run,
    files: dict[str, str | None],
    by_row: dict[str, str | None],
    ranker: str,
    compare: tuple[str, ...],
    target: str,
    options: Options,
    output: str | None,
    more: Options,
) -> Outcome:
    """Predict by scores that are read whole; ``by_row`` are files of groups and weights."""
    from trueval.data._formats import output_format

    if output not in (None, "-"):
        output_format(output, None)
    scores, labels, new = str(files["scores"]), str(files["labels"]), files["new"]
    out_of_fold, y, fresh = read.ranking(run, scores, labels, new, more, drop_roots=True)
    groups, weights = by_row["groups"], by_row["weights"]
    options |= {
        "groups": None if groups is None else read.groups(run, groups, y),
        "sample_weight": read.weights(run, weights, y),
    }
    choices = {
        name: _choose(run, name, out_of_fold, y, options)
        for name in dict.fromkeys((ranker, *compare))
    }
    # The rows the threshold was chosen on are selected by their cross-fitted scores.
    selected = choices[ranker].select(fresh)
    choices[ranker] = judged_by_selection(choices[ranker], selected.nnz)
    index = y.index if fresh is None else fresh.index
    written = _predictions(selected, y.classes, index)
    run.write(output, lambda path: write_list(path, written, run.ontology))
    outcome = _outcome(run, choices, selected, y, target, new is not None, output)
    if run.ontology is not None and selected.nnz:
        data, lines = calls_by_depth(selected, y, run.ontology, judged=new is None)
        outcome.data.update(data)
        outcome.lines = [*outcome.lines, *lines]
    return outcome


def _choose(
    run: Run,
    name: str,
    scores: "Scores",
    y: "Labels",
    options: Options,
) -> "ThresholdChoice":
    from trueval.rank import pick_threshold

    with run.meter(f"Choosing by {name}") as meter:
        ranker = ranker_of(run, name, y)
        choice: ThresholdChoice = pick_threshold(
            scores, y, **options, ranker=ranker, random_state=run.seed, progress=meter
        )
    return choice


def judged_by_selection(choice: "ThresholdChoice", n_predictions: int) -> "ThresholdChoice":
    """The choice, which abstains where the rate of fdr allows no selection from these rows."""
    from trueval.rank._choice import abstaining

    if choice.guarantee != "fdr" or n_predictions or choice.abstains:
        return choice
    return abstaining(choice, "nothing is selected")


def _predictions(selected: "csr_array", classes: Values, index: "Values | None") -> "Scores":
    from trueval.core.scores import Scores

    return Scores(selected, classes, index)


def _outcome(
    run: Run,
    choices: "dict[str, ThresholdChoice]",
    selected: "csr_array",
    y: "Labels",
    target: str,
    new: bool,
    output: str | None,
) -> Outcome:
    from trueval.show._rank import Decision, predictions_of

    choice = next(iter(choices.values()))
    threshold = choice.threshold if new else choice.calibrated_threshold_
    if choice.guarantee == "fdr":  # every new set has its own
        threshold = float(selected.data.min()) if selected.nnz else math.inf
    predictions = predictions_of(selected, threshold, new)
    decision = Decision(choices, predictions, y.n_classes)
    cut = None if choice.target == "top_k" else choice.calibrated_threshold_
    folds, lines = of_folds(run, choice.calibrated_, y, cut)
    if output is None and not choice.abstains:
        lines = [*lines, "Predictions not saved (use -o calls.csv)."]

    def stage(facts: Fields) -> "Stage":
        from trueval.rank import average_precision
        from trueval.report.sections.rank import ranking_stage
        from trueval.show._rank import Ranking

        values = {name: c.calibrated_ for name, c in choices.items() if c.calibrated_ is not None}
        areas = {name: average_precision(calibrated, y) for name, calibrated in values.items()}
        return ranking_stage(
            values,
            y,
            Ranking(areas, {}, y.n_rows, y.n_classes, y.nnz),
            {name: chosen.ranker for name, chosen in choices.items() if chosen.ranker is not None},
            choices=(choice,),
            decision=decision,
            selected=selected,
            folds=folds,
            ontology=run.ontology,
            provenance=facts,
        )

    outcome = decision_outcome(decision, target, lines)
    outcome.data["folds"] = folds
    outcome.stage = stage
    return outcome


def decision_outcome(decision: "Decision", target: str, lines: list[str]) -> Outcome:
    """What was decided, with lines on it."""
    from trueval.show import summary

    choice, predictions = decision.choices[decision.ranker], decision.predictions
    assert predictions is not None
    data: Fields = {
        "target": target,
        "wanted": choice.wanted,
        "ranker": decision.ranker,
        "threshold": predictions.threshold,
        "calls": predictions.n_predictions,
        "called_classes": predictions.n_classes,
        "rows": predictions.n_rows,
        "rankers": with_old_names({name: _fields(c) for name, c in decision.choices.items()}),
        "folds": None,
    }
    if choice.abstains:
        hint = "--allow-unmet predicts at the threshold that comes nearest."
        if choice.guarantee == "fdr":
            hint = "The rate allows no selection from these rows: give more of them at once."
        lines = [*lines, hint]
    code = TARGET_NOT_REACHED if choice.abstains else 0
    return Outcome(data, lines, exit_code=code, summary=summary(decision))


def _fields(choice: "ThresholdChoice") -> Fields:
    names = ("threshold", "precision", "recall", "f", "calls_per_object", "intervals", "level")
    promised = (
        "target_reached",
        "met",
        "abstains",
        "reached",
        "guarantee",
        "confidence",
        "for_new",
        "promise",
    )
    return {name: getattr(choice, name) for name in (*names, *promised, "message")}
