"""``trueval pairs``: folds of pairs that hold out objects."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from trueval.cli import read
from trueval.cli.dataset import Carrier, engine_options
from trueval.cli.dataset_pairs import fold_dataset
from trueval.cli.files import FILE
from trueval.cli.options import SETTING, bipartite_option, command, header_option, output_option
from trueval.cli.parameters import choice_option
from trueval.cli.run import Outcome, Run
from trueval.cli.similar import Similar, similarity_options
from trueval.cli.types import Fields, Options

if TYPE_CHECKING:
    from trueval.core.pairs import Pairs
    from trueval.core.scores import Scores
    from trueval.pairs import Coverage, SchemeComparison
    from trueval.report import Stage

__all__ = ["pairs"]


@command(
    "pairs",
    short="Folds of pairs that hold out objects.",
    stage=True,
    examples=(
        "trueval pairs trueval-demo/pairs.csv -k 5 -o pair_folds.csv",
        "trueval pairs trueval-demo/pairs.csv -k 5 --features trueval-demo/features.csv --compare",
        "trueval pairs trueval-demo/pairs.csv --balance pairs",
        "trueval pairs trueval-demo/pairs.csv --leave-two-out",
    ),
)
@click.argument("pairs", type=FILE)
@click.option("-k", "--folds", "k", type=click.IntRange(2), help="Parts of the objects [5].")
@choice_option(
    "--scheme",
    "strict",
    "relaxed",
    help="Train on pairs of which no member is held out, or on all that are not validated.",
)
@click.option("--overlapping", is_flag=True, help="Hold out every two parts: all are validated.")
@click.option(
    "--setting",
    type=SETTING,
    default="BB",
    show_default=True,
    help="Validate on pairs of two new objects (BB, C3), one (AB, C2), or none (AA, C1).",
)
@click.option(
    "--balance",
    type=click.Choice(["degrees", "pairs", "objects"]),
    help="Parts with like numbers of pairs [degrees], with many pairs inside, or random ones.",
)
@click.option("--leave-two-out", is_flag=True, help="One fold for each pair of objects.")
@bipartite_option
@click.option("--clusters", type=FILE, help="Table of object and cluster; clusters stay together.")
@similarity_options
@click.option("--ids", metavar="A,B", help="The two id columns, if not the first two.")
@click.option("--label-column", metavar="NAME", help="Column with the label of each pair.")
@header_option
@click.option("--compare", is_flag=True, help="AUC by rows, relaxed and strict; needs labels.")
@click.option(
    "--features", type=FILE, help="Table of object features, for a nearest-neighbour model."
)
@click.option(
    "--neighbours", type=click.IntRange(1), default=10, show_default=True, help="Of that model."
)
@engine_options
@output_option(
    "Write the role of each pair in each fold (.csv, .tsv, .parquet, .npz).", beside=True
)
def pairs(
    run: Run,
    *,
    pairs: str,
    k: int | None,
    scheme: str,
    overlapping: bool,
    setting: str,
    balance: str | None,
    leave_two_out: bool,
    bipartite: bool,
    clusters: str | None,
    ids: str | None,
    label_column: str | None,
    header: bool | None,
    compare: bool,
    features: str | None,
    neighbours: int,
    output: str | None,
    **similar: Any,
) -> Outcome:
    """Hold out objects, not rows, of PAIRS, and report what is validated and left out.

    PAIRS is a table of two ids and perhaps a label, such as protein_a, protein_b, y.
    """
    carrier, graph = Carrier.of(similar, pairs), Similar(similar)
    if not carrier.in_memory:
        return fold_dataset(run, carrier, graph.parameters)
    _check_call(k, leave_two_out, setting, overlapping, balance, compare, features, output)
    all_pairs = read.pairs(
        run, pairs, columns=ids, label_column=label_column, header=header, two_kinds=bipartite
    )
    options: Options = {"symmetric": not bipartite} | _clusters(run, clusters, graph, all_pairs)
    vectors = None if features is None else read.vectors(run, features)

    from trueval.pairs import ObjectKFold, ObjectLeaveTwoOut, Scheme, coverage
    from trueval.show import summary
    from trueval.show._pairs import PairValidation

    if leave_two_out:
        cv: ObjectKFold | ObjectLeaveTwoOut = ObjectLeaveTwoOut(scheme=scheme, **options)
    else:
        options |= {"setting": setting, "overlapping": overlapping, "random_state": run.seed}
        options["balance"] = balance or "degrees"
        cv = ObjectKFold(k or 5, scheme=scheme, **options)
    with run.meter("Counting what each fold validates"):
        covered = coverage(cv, all_pairs, all_pairs.y)
    if output is not None:
        from trueval.data._values.pair_folds import write_pair_folds

        folds = list(cv.split(y=all_pairs.y, groups=all_pairs))
        run.write(output, lambda path: write_pair_folds(path, all_pairs, folds))
    data = _fields(covered, scheme, "BB" if leave_two_out else setting)
    hints: list[str] = []
    if balance == "pairs":
        hints.append(_CLOSE)
    if compare:
        comparison = _compared(run, all_pairs, vectors, k or 5, neighbours, options)
        schemes, splitters = comparison.schemes, comparison.splitters
        data["schemes"] = [asdict(line) for line in schemes]
    else:
        kind = {"setting": cv.setting_name, "overlapping": overlapping}
        schemes = [Scheme.of_coverage(covered, scheme=scheme, **kind)]
        splitters = {scheme: cv}
        if output is None and not leave_two_out:
            hints.append("Folds not saved (use -o pair_folds.csv).")
    validation = PairValidation(covered, schemes)

    def stage(facts: Fields) -> "Stage":
        from trueval.report.sections.pairs import splitters_stage

        return splitters_stage(all_pairs, all_pairs.y, splitters, validation, not bipartite, facts)

    return Outcome(data, hints, stage, summary=summary(validation))


_CLOSE = "Objects of a fold are close in the graph of pairs: estimates are for such pairs."


def _clusters(run: Run, path: str | None, graph: Similar, all_pairs: "Pairs") -> Options:
    """Objects that stay together, by a file or by their similarity."""
    if path is not None and graph.parameters:
        raise click.UsageError(
            "--clusters and --similarity both say what stays together. Give one."
        )
    if path is not None:
        return {"clusters": read.clusters(run, path, all_pairs)}
    if not graph.parameters:
        return {}
    from trueval.core.similarity import close_edges

    graph.read(run, _objects(all_pairs))
    return {"clusters": close_edges(graph.near["similarity"], graph.near["threshold"])}


def _compared(
    run: Run,
    all_pairs: "Pairs",
    features: "Scores | None",
    n_splits: int,
    neighbours: int,
    options: Options,
) -> "SchemeComparison":
    from trueval.pairs import compare_schemes

    with run.meter("Validating by rows, relaxed and strict") as meter:
        return compare_schemes(
            all_pairs,
            features=features,
            n_splits=n_splits,
            n_neighbors=neighbours,
            n_jobs=run.jobs,
            progress=meter,
            **options,
        )


def _check_call(
    k: int | None,
    leave_two_out: bool,
    setting: str,
    overlapping: bool,
    balance: str | None,
    compare: bool,
    features: str | None,
    output: str | None,
) -> None:
    if leave_two_out:
        clashes = {
            "-k": k is not None,
            "--overlapping": overlapping,
            f"--setting {setting}": setting != "BB",
            "--balance": balance is not None,
            "--compare": compare,
            "-o": output is not None,
        }
        for name, used in clashes.items():
            if used:
                raise click.UsageError(
                    f"--leave-two-out has one fold for each pair, and goes without {name}."
                )
    if features and not compare:
        raise click.UsageError("--features is for the model of --compare. Add --compare.")
    if output not in (None, "-"):
        from trueval.data._formats import output_format

        output_format(output, None, ("table",))


def _objects(all_pairs: "Pairs") -> list[object]:
    """Ids of all objects, in the order of their names."""
    import numpy as np

    ids: list[object] = np.unique(np.asarray(all_pairs.pairs)).tolist()
    return ids


def _fields(covered: "Coverage", scheme: str, setting: str) -> Fields:
    times = covered.counts
    return {
        "pairs": covered.index.n_rows,
        "objects": covered.index.n_objects,
        "scheme": scheme,
        "setting": setting,
        "folds": len(covered.folds),
        "validated": int((times > 0).sum()),
        "never_validated": int((times == 0).sum()),
        "most_often": int(times.max()),
        "share_dropped": covered.share_dropped,
        "unscorable_folds": covered.n_unscorable,
    }
