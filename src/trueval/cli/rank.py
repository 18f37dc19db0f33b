"""``trueval rank``: scores that compare across classes."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from trueval.cli import read
from trueval.cli.files import FILE
from trueval.cli.options import (
    ChoiceOf,
    command,
    label_options,
    output_option,
    score_options,
)
from trueval.cli.ranked import of_folds, write_list
from trueval.cli.run import Outcome, Run
from trueval.rank._registry import RANKERS, make_ranker, with_old_names

if TYPE_CHECKING:
    from trueval.core.labels import Labels
    from trueval.core.scores import Scores
    from trueval.rank._base import Ranker
    from trueval.report import Stage

__all__ = ["cross_fitted", "rank", "ranker_options"]


def ranker_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options ``--ranker``, ``--compare`` and ``--folds``."""
    old = {name: ranker.name for ranker in RANKERS.values() for name in ranker.old_names}
    names = ChoiceOf(RANKERS, old)
    function = click.option(
        "--folds",
        type=FILE,
        help="Folds that SCORES are out of: the report shows the measures of each.",
    )(function)
    function = click.option(
        "--compare", type=names, multiple=True, help="Also report this ranker (repeatable)."
    )(function)
    return click.option(
        "--ranker",
        type=names,
        default="calibrated",
        show_default=True,
        help="How to calibrate scores.",
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
@click.option("--new", type=FILE, help="Scores of new rows to calibrate, by all labels.")
@ranker_options
@score_options
@output_option("Write the calibrated scores: .tsv is a list, best first; or .npz, .csv, .parquet.")
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
    """Calibrate SCORES of separate classes so that they compare across classes.

    SCORES are of rows the model was not trained on. The calibrated scores in [0, 1], and the
    average precision of all (row, class) pairs, are cross-fitted: the label of a row is never
    used for its own score. With --new, the calibrated scores written are those of the new
    rows, by a ranker fitted on all of LABELS.
    """
    from trueval.data._formats import output_format

    if output not in (None, "-"):
        output_format(output, None)
    out_of_fold, y, fresh = read.ranking(run, scores, labels, new, more)
    values = {
        name: cross_fitted(run, name, out_of_fold, y) for name in dict.fromkeys((ranker, *compare))
    }
    fitted = _Fitted(run, out_of_fold, y)
    written = values[ranker] if fresh is None else fitted.calibrated(ranker, fresh)
    run.write(output, lambda path: write_list(path, written, run.ontology))

    from trueval.rank import average_precision
    from trueval.show import summary
    from trueval.show._rank import Ranking

    areas = {name: average_precision(calibrated, y) for name, calibrated in values.items()}
    meanings = {name: RANKERS[name].short for name in areas}
    ranking = Ranking(areas, meanings, y.n_rows, y.n_classes, y.nnz)
    hints: list[Any] = []
    if not compare:
        hints.append("Add --compare raw to see what ranking changes.")
    if output is None:
        hints.append("Calibrated scores not saved (use -o values.npz).")
    folds, lines = of_folds(run, values[ranker], y)
    data = {
        "rows": y.n_rows,
        "classes": y.n_classes,
        "ranker": ranker,
        "average_precision": with_old_names(areas),
        "cross_fitted": True,
        "new_rows": None if fresh is None else fresh.shape[0],
        "folds": folds,
    }

    def stage(facts: dict[str, Any]) -> "Stage":
        from trueval.report.sections.rank import ranking_stage

        curves = fitted.curves(values)
        context = {"folds": folds, "ontology": run.ontology, "provenance": facts}
        return ranking_stage(values, y, ranking, curves, **context)

    return Outcome(data, [*lines, *hints], stage, summary=summary(ranking))


def cross_fitted(run: Run, name: str, scores: "Scores", y: "Labels") -> "Scores":
    """Calibrated scores of each row from a ranker that never saw its labels."""
    from trueval.core.scores import Scores
    from trueval.rank import cross_fit

    ranker = make_ranker(name, n_jobs=run.jobs)
    if ranker is None:
        return Scores(scores.matrix, y.classes, y.index)
    with run.meter(f"Ranking by {name}"):
        calibrated = cross_fit(ranker, scores, y, random_state=run.seed)
    return Scores(calibrated, y.classes, y.index)


class _Fitted:
    """Rankers fitted on all rows, each once, when first asked for."""

    def __init__(self, run: Run, scores: "Scores", y: "Labels") -> None:
        self._run, self._scores, self._y = run, scores, y
        self._rankers: dict[str, Ranker | None] = {}

    def ranker(self, name: str) -> "Ranker | None":
        """A fitted ranker; None for raw scores."""
        if name not in self._rankers:
            ranker = make_ranker(name, n_jobs=self._run.jobs)
            with self._run.meter(f"Fitting {name} on all rows"):
                self._rankers[name] = ranker and ranker.fit(self._scores, self._y)
        return self._rankers[name]

    def calibrated(self, name: str, new: "Scores") -> "Scores":
        """Calibrated scores of new rows."""
        from trueval.core.scores import Scores

        ranker = self.ranker(name)
        if ranker is None:
            return new
        return Scores(ranker.transform(new), self._y.classes, new.index)

    def curves(self, names: Iterable[str]) -> "dict[str, Ranker]":
        """Those that have curves."""
        rankers = {name: self.ranker(name) for name in names}
        return {name: ranker for name, ranker in rankers.items() if ranker is not None}
