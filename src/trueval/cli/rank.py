"""``trueval rank``: scores that compare across classes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from trueval.cli import read
from trueval.cli.columns import column_options
from trueval.cli.dataset import Carrier, engine_options
from trueval.cli.dataset_rank import rank_dataset
from trueval.cli.files import FILE
from trueval.cli.options import (
    ChoiceOf,
    command,
    label_options,
    output_option,
    score_options,
)
from trueval.cli.parameters import with_options
from trueval.cli.ranked import of_folds, write_list
from trueval.cli.run import Outcome, Run
from trueval.cli.types import Fields, Function, Options, Values
from trueval.rank._registry import RANKERS, make_ranker, with_old_names

if TYPE_CHECKING:
    from trueval.core.labels import Labels
    from trueval.core.scores import Scores
    from trueval.rank import HierarchicalRanker
    from trueval.rank._base import Ranker
    from trueval.report import Stage

__all__ = ["check_hierarchy", "cross_fitted", "rank", "ranker_of", "ranker_options"]


def ranker_options(function: Function) -> Function:
    """The options ``--weights``, ``--ranker``, ``--compare`` and ``--folds``."""
    old = {name: ranker.name for ranker in RANKERS.values() for name in ranker.old_names}
    names = ChoiceOf(RANKERS, old)
    return with_options(
        function,
        click.option(
            "--weights", type=FILE, help="Table of id and weight: how much each row counts."
        ),
        click.option(
            "--ranker",
            type=names,
            default="calibrated",
            show_default=True,
            help="How to calibrate scores.",
        ),
        click.option(
            "--compare", type=names, multiple=True, help="Also report this ranker (repeatable)."
        ),
        click.option(
            "--folds",
            type=FILE,
            help="Folds that SCORES are out of: the report shows the measures of each.",
        ),
    )


def check_hierarchy(names: Iterable[str], ontology: str | None) -> None:
    """Refuse rankers that need a hierarchy where there is no ontology."""
    for name in names:
        if RANKERS[name].needs_hierarchy and ontology is None:
            raise click.UsageError(f"the ranker '{name}' needs --ontology.")


def ranker_of(run: Run, name: str, y: "Labels", base: str = "calibrated") -> "Ranker | None":
    """An unfitted ranker; one that needs a hierarchy gets the ontology and a ranker of classes."""
    if not RANKERS[name].needs_hierarchy:
        return make_ranker(name, n_jobs=run.jobs)
    from trueval.rank._hierarchy import read_hierarchy

    return make_ranker(
        name,
        hierarchy=read_hierarchy(run.ontology, y.n_classes, y.classes),
        ranker=make_ranker(base, n_jobs=run.jobs),
        random_state=run.seed,
        n_jobs=run.jobs,
    )


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
@click.option("--groups", type=FILE, help="Table of id and group; groups stay together.")
@ranker_options
@click.option(
    "--consistent",
    is_flag=True,
    help="Use the --ontology: a parent is never below its children, and scores of neighbours"
    " count as far as they help.",
)
@score_options
@engine_options
@output_option("Write the calibrated scores: .tsv is a list, best first; or .npz, .csv, .parquet.")
@label_options
@column_options
def rank(
    run: Run,
    *,
    scores: str,
    labels: str,
    new: str | None,
    groups: str | None,
    weights: str | None,
    ranker: str,
    compare: tuple[str, ...],
    consistent: bool,
    output: str | None,
    **more: Any,
) -> Outcome:
    """Calibrate SCORES of separate classes so that they compare across classes.

    SCORES are of rows the model was not trained on. The calibrated scores in [0, 1], and the
    average precision of all (row, class) pairs, are cross-fitted: the label of a row, or of its
    group with --groups, is never used for its own score. With --new, the calibrated scores
    written are those of the new rows, by a ranker fitted on all of LABELS. With --consistent,
    --ranker names the one that calibrates each class before its neighbours are used.
    """
    carrier = Carrier.of(more, scores, labels, new)
    if not carrier.in_memory:
        files = {"scores": scores, "labels": labels, "new": new}
        others: Options = {"groups": groups, "weights": weights, "compare": compare}
        others["consistent"] = consistent
        return rank_dataset(run, carrier, files, ranker, others, output, more)
    return _in_memory(
        run, scores, labels, new, groups, weights, ranker, compare, consistent, output, more
    )


def _in_memory(
    run: Run,
    scores: str,
    labels: str,
    new: str | None,
    groups: str | None,
    weights: str | None,
    ranker: str,
    compare: tuple[str, ...],
    consistent: bool,
    output: str | None,
    more: Options,
) -> Outcome:
    """Calibrate scores that are read whole."""
    from trueval.data._formats import output_format

    base, ranker = _with_hierarchy(ranker) if consistent else ("calibrated", ranker)
    check_hierarchy((ranker, *compare), more["ontology"])
    if output not in (None, "-"):
        output_format(output, None)
    out_of_fold, y, fresh = read.ranking(run, scores, labels, new, more)
    weight = read.weights(run, weights, y)
    grouped = None if groups is None else read.groups(run, groups, y)
    options = {"groups": grouped, "sample_weight": weight}
    values = {
        name: cross_fitted(run, name, out_of_fold, y, options, base)
        for name in dict.fromkeys((ranker, *compare))
    }
    fitted = _Fitted(run, out_of_fold, y, base, weight)
    written = values[ranker] if fresh is None else fitted.calibrated(ranker, fresh)
    run.write(output, lambda path: write_list(path, written, run.ontology))

    from trueval.rank import average_precision
    from trueval.show import summary
    from trueval.show._rank import Ranking

    areas = {
        name: average_precision(calibrated, y, sample_weight=weight)
        for name, calibrated in values.items()
    }
    meanings = {name: RANKERS[name].short for name in areas}
    chosen = fitted.ranker(ranker) if RANKERS[ranker].needs_hierarchy else None
    ranking = Ranking(areas, meanings, y.n_rows, y.n_classes, y.nnz, chosen)
    hints = [] if compare else ["Add --compare raw to see what ranking changes."]
    if output is None:
        hints.append("Calibrated scores not saved (use -o values.npz).")
    folds, lines = of_folds(run, values[ranker], y)
    data: Fields = {
        "rows": y.n_rows,
        "classes": y.n_classes,
        "ranker": ranker,
        "average_precision": with_old_names(areas),
        "cross_fitted": True,
        "new_rows": None if fresh is None else fresh.shape[0],
        "folds": folds,
    }
    if chosen is not None:
        data["hierarchy"] = _choice(base, chosen)

    def stage(facts: Fields) -> "Stage":
        from trueval.report.sections.rank import ranking_stage

        curves = fitted.curves(values)
        return ranking_stage(
            values, y, ranking, curves, folds=folds, ontology=run.ontology, provenance=facts
        )

    return Outcome(data, [*lines, *hints], stage, summary=summary(ranking))


def _with_hierarchy(ranker: str) -> tuple[str, str]:
    """The ranker of each class, and the one that uses its neighbours."""
    if ranker == "raw":
        raise click.UsageError("--consistent needs a ranker; 'raw' scores do not compare.")
    return "calibrated" if RANKERS[ranker].needs_hierarchy else ranker, "hierarchical"


def _choice(base: str, ranker: "HierarchicalRanker") -> Fields:
    """What a hierarchical ranker chose, for ``--json``."""
    return {
        "ranker": base,
        "edges": len(ranker.hierarchy_.child),
        "method": ranker.method_,
        "rule": ranker.rule_,
        "average_precision": {" ".join(o): area for o, area in ranker.areas_.items()},
    }


def cross_fitted(
    run: Run,
    name: str,
    scores: "Scores",
    y: "Labels",
    options: Options,
    base: str = "calibrated",
) -> "Scores":
    """Calibrated scores of each row from a ranker that never saw the labels of its group.

    ``options`` are the groups and weights of the rows.
    """
    from trueval.core.scores import Scores
    from trueval.rank import cross_fit

    ranker = ranker_of(run, name, y, base)
    if ranker is None:
        return Scores(scores.matrix, y.classes, y.index)
    with run.meter(f"Ranking by {name}") as meter:
        calibrated = cross_fit(ranker, scores, y, **options, random_state=run.seed, progress=meter)
    return Scores(calibrated, y.classes, y.index)


class _Fitted:
    """Rankers fitted on all rows, each once, when first asked for."""

    def __init__(
        self, run: Run, scores: "Scores", y: "Labels", base: str, weight: "Values | None" = None
    ) -> None:
        self._run, self._scores, self._y, self._base = run, scores, y, base
        self._weight = weight
        self._rankers: dict[str, Ranker | None] = {}

    def ranker(self, name: str) -> "Ranker | None":
        """A fitted ranker; None for raw scores."""
        if name not in self._rankers:
            ranker = ranker_of(self._run, name, self._y, self._base)
            with self._run.meter(f"Fitting {name} on all rows"):
                self._rankers[name] = ranker and ranker.fit(
                    self._scores, self._y, sample_weight=self._weight
                )
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
