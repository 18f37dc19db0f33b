"""``trueval rank`` and ``decide`` of datasets that are not read into memory."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueval.cli.dataset import Carrier
from trueval.cli.run import Outcome, Run
from trueval.cli.types import Fields, Options
from trueval.rank._registry import RANKERS, make_ranker, with_old_names

if TYPE_CHECKING:
    from trueval.distributed import Ranked
    from trueval.rank._base import Ranker

__all__ = ["decide_dataset", "rank_dataset"]


def _ranker(run: Run, name: str, carrier: Carrier) -> "Ranker":
    """An unfitted ranker of separate classes."""
    record = RANKERS[name]
    if record.kind is None or record.needs_hierarchy:
        raise click.UsageError(f"--ranker {name} does not work with --engine {carrier.engine}.")
    ranker: Ranker = make_ranker(name, n_jobs=run.jobs)
    return ranker


def rank_dataset(
    run: Run,
    carrier: Carrier,
    files: dict[str, str | None],
    ranker: str,
    others: Options,
    output: str | None,
    reading: Options,
) -> Outcome:
    """Calibrate the scores of a dataset.

    ``files`` are those of the scores, labels and new scores; ``reading`` has that of the folds.
    """
    from trueval.distributed import rank

    folds = reading.pop("folds")
    if (folds is None) == (files["new"] is None):
        raise click.UsageError(
            f"--engine {carrier.engine} needs --folds, to value each row by the others, or --new, "
            "to value other rows; one of the two."
        )
    carrier.refuse(others)
    options: Options = {"ranker": _ranker(run, ranker, carrier), "folds": folds}
    options |= files | carrier.columns(run, reading)
    result = carrier.write(
        run, output, f"Ranking by {ranker}", lambda carried: rank(**options, **carried)
    )
    return _ranked(ranker, result, new=files["new"] is not None)


def _ranked(name: str, result: "Ranked", *, new: bool) -> Outcome:
    from trueval.show import summary
    from trueval.show._rank import Ranking

    areas = {} if new else {name: result.average_precision}
    data: Fields = {
        "rows": result.n_rows,
        "classes": result.n_classes,
        "ranker": name,
        "average_precision": with_old_names(areas),
        "cross_fitted": not new,
        "scores": result.n_scores,
    }
    if new:
        return Outcome(data, summary=summary(result))
    meanings = {name: RANKERS[name].short}
    counts = (result.n_rows, result.n_classes, result.n_positives)
    return Outcome(data, summary=summary(Ranking(areas, meanings, *counts)))


def decide_dataset(
    run: Run,
    carrier: Carrier,
    files: dict[str, str | None],
    ranker: str,
    target: str,
    options: Options,
    others: Options,
    output: str | None,
    reading: Options,
) -> Outcome:
    """Select predictions of a dataset; ``options`` are the target and what is promised."""
    from trueval.cli.decide import decision_outcome, judged_by_selection
    from trueval.distributed import decide
    from trueval.show._rank import Decision, Predictions

    folds = reading.pop("folds")
    if folds is None:
        raise click.UsageError(
            f"--engine {carrier.engine} needs --folds, to value each row by the others."
        )
    carrier.refuse(others)
    options |= files | carrier.columns(run, reading)
    options |= {"ranker": _ranker(run, ranker, carrier), "random_state": run.seed}
    choice = carrier.write(
        run,
        output,
        f"Choosing by {ranker}",
        lambda carried: decide(folds=folds, **options, **carried),
    )
    facts = json.loads(Path(f"{output}.json").read_text(encoding="utf-8"))
    threshold = float("inf") if facts["threshold"] is None else facts["threshold"]
    counts = (facts["rows"], facts["classes"], facts["predictions"])
    predictions = Predictions(threshold, *counts, files["new"] is not None)
    choice = judged_by_selection(choice, predictions.n_predictions)
    decision = Decision({ranker: choice}, predictions, choice.n_classes)
    return decision_outcome(decision, target, [])
