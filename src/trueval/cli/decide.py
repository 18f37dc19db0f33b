"""``trueval decide``: calls for a wanted precision, recall, F-beta or number."""

from typing import Any

import click

from trueval.cli import read
from trueval.cli.files import FILE
from trueval.cli.options import (
    command,
    exactly_one,
    label_options,
    output_option,
    score_options,
)
from trueval.cli.rank import (
    cross_fitted,
    make_ranker,
    rank_report,
    ranker_options,
)
from trueval.cli.run import Outcome, Run

__all__ = ["decide", "short_of"]

_NEAR = 0.02  # differences of precision or recall not worth a word


@command(
    "decide",
    short="Calls for a wanted precision, recall or F.",
    stage=True,
    examples=(
        "trueval decide trueval-demo/scores.npz trueval-demo/labels.csv --precision 0.9"
        " -o calls.csv",
        "trueval decide trueval-demo/scores.npz trueval-demo/labels.csv --calls 500",
    ),
)
@click.argument("scores", type=FILE)
@click.argument("labels", type=FILE)
@click.option("--precision", type=float, help="As many calls as this pooled precision allows.")
@click.option("--recall", type=float, help="As few calls as this pooled recall allows.")
@click.option("--beta", type=float, help="The calls of the best F-beta.")
@click.option("--calls", type=int, help="This number of calls on a set as large.")
@click.option("--confidence", type=float, help="Reach the target with this confidence.")
@ranker_options
@click.option("--new", type=FILE, help="Scores of new objects to call.")
@score_options
@output_option("Write the calls: id, label, score (.csv, .tsv, .npz, .parquet).")
@label_options
def decide(
    run: Run,
    *,
    scores: str,
    labels: str,
    precision: float | None,
    recall: float | None,
    beta: float | None,
    calls: int | None,
    confidence: float | None,
    ranker: str,
    compare: tuple[str, ...],
    new: str | None,
    output: str | None,
    **more: Any,
) -> Outcome:
    """Choose calls from SCORES for one target, and say what to expect on new objects.

    The expectation is honest: rankers and thresholds never see the objects they are
    judged on. Without --new, the objects of SCORES are called.
    """
    target = exactly_one(precision=precision, recall=recall, beta=beta, calls=calls)
    from trueval.data.tables import output_format

    if output not in (None, "-"):
        output_format(output, None)
    found, y, fresh = read.ranking(run, scores, labels, new, more)
    wanted = {"precision": precision, "recall": recall, "beta": beta, "n_calls": calls}
    choices = {
        name: _choose(run, name, found, y, wanted, confidence)
        for name in dict.fromkeys((ranker, *compare))
    }
    choice = choices[ranker]
    matrix, index = found.matrix, y.index
    if fresh is not None:
        matrix, index = fresh.matrix, fresh.index
    made = _calls(choice, matrix)
    run.write(output, lambda path: _write_calls(path, made, y.classes, index))
    return _outcome(run, choices, made, y, found, str(target), new, output)


def _choose(
    run: Run, name: str, scores: Any, y: Any, wanted: dict[str, Any], confidence: float | None
) -> Any:
    from trueval.rank import pick_threshold

    with run.meter(f"Choosing by {name}"):
        return pick_threshold(
            scores,
            y,
            **wanted,
            confidence=confidence,
            ranker=make_ranker(name, run.jobs),
            random_state=run.seed,
        )


def _calls(choice: Any, scores: Any) -> Any:
    """Values of the called pairs, sparse."""
    import scipy.sparse as sp

    called = choice.predict(scores).tocoo()
    values = scores if choice.ranker is None else choice.ranker.transform(scores)
    values = values.tocsr() if sp.issparse(values) else values
    own = values[called.row, called.col]
    own = own.toarray().ravel() if sp.issparse(own) else own
    return sp.csr_array((own, (called.row, called.col)), shape=called.shape)


def _write_calls(path: Any, made: Any, classes: Any, index: Any) -> None:
    from trueval.core.scores import Scores
    from trueval.data.write import write_scores

    write_scores(path, Scores(made, classes, index))


def _outcome(
    run: Run,
    choices: dict[str, Any],
    made: Any,
    y: Any,
    found: Any,
    target: str,
    new: str | None,
    output: str | None,
) -> Outcome:
    from trueval.cli.show import heading, table

    first = next(iter(choices))
    choice = choices[first]
    n_classes = len(set(made.indices.tolist()))
    asked = f"the best F{choice.wanted:g}" if target == "beta" else f"{target} {choice.wanted:g}"

    def cell(own: Any, name: str) -> str:
        low, high = own.intervals[name]
        return f"{getattr(own, name):.3f} ({low:.3f} to {high:.3f})"

    # The best F is always met; how good it is, is the question.
    best_f = target == "beta"
    rows = [
        [
            name,
            cell(own, "precision"),
            cell(own, "recall"),
            own.calls_per_object,
            cell(own, "f") if best_f else _yes(own.met),
        ]
        for name, own in choices.items()
    ]
    last = f"F{choice.wanted:g}" if best_f else "met here"
    shown = [
        heading(f"Asked for {asked}: what to expect on new objects ({choice.level:.0%} intervals)"),
        table(["ranker", "precision", "recall", "calls/object", last], rows, strong=(0,)),
        f"{made.nnz:,} calls in {n_classes:,} of {y.n_classes:,} classes for "
        f"{made.shape[0]:,} {'new objects' if new else 'objects'}: {_which(choice.threshold)}.",
        *short_of(choice, target),
    ]
    if output is None:
        shown.append("The calls were not kept: -o calls.csv writes them.")
    data = {
        "target": target,
        "wanted": choice.wanted,
        "ranker": first,
        "threshold": choice.threshold,
        "calls": made.nnz,
        "called_classes": n_classes,
        "rows": made.shape[0],
        "rankers": {name: _facts(own) for name, own in choices.items()},
    }

    def stage(facts: dict[str, Any]) -> Any:
        values = {name: cross_fitted(run, name, found, y) for name in choices}
        return rank_report(run, values, y, found, (choice,), facts)

    return Outcome(data, shown, stage)


def _which(threshold: float) -> str:
    if threshold == float("-inf"):
        return "all that have a score"
    return f"those whose value is at least {threshold:.4g}"


def short_of(choice: Any, target: str) -> list[str]:
    """Say so where the best guess is less than was asked, and the interval alone reaches it."""
    if target not in ("precision", "recall") or not choice.met:
        return []
    expected = getattr(choice, target)
    if choice.wanted - expected < _NEAR:
        return []
    return [
        f"The best guess, {expected:.3f}, is less than {choice.wanted:g}; the interval does not "
        "exclude it. --confidence 0.9 chooses on the safe side."
    ]


def _yes(met: bool) -> str:
    return "yes" if met else "no"


def _facts(choice: Any) -> dict[str, Any]:
    names = ("threshold", "precision", "recall", "f", "calls_per_object", "intervals", "level")
    return {name: getattr(choice, name) for name in (*names, "met", "message")}
