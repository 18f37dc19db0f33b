"""``trueval pairs``: folds of pairs that hold out objects."""

from typing import Any

import click

from trueval.cli import read
from trueval.cli.files import FILE
from trueval.cli.options import command, header_option, output_option
from trueval.cli.pair_schemes import compare_schemes, scheme_table, verdict
from trueval.cli.run import Outcome, Run

__all__ = ["pairs"]


@command(
    "pairs",
    short="Folds of pairs that hold out objects.",
    stage=True,
    examples=(
        "trueval pairs trueval-demo/pairs.csv -k 5 -o pair_folds.csv",
        "trueval pairs trueval-demo/pairs.csv -k 5 --features trueval-demo/features.csv --compare",
        "trueval pairs trueval-demo/pairs.csv --leave-two-out",
    ),
)
@click.argument("pairs", type=FILE)
@click.option("-k", "--folds", "k", type=click.IntRange(2), help="Parts of the objects [5].")
@click.option(
    "--scheme",
    type=click.Choice(["strict", "relaxed"]),
    default="strict",
    show_default=True,
    help="Train on pairs of which no member is held out, or on all that are not validated.",
)
@click.option("--overlapping", is_flag=True, help="Hold out every two parts: all are validated.")
@click.option(
    "--setting",
    type=click.Choice(["BB", "AB", "AA"]),
    default="BB",
    show_default=True,
    help="Validate on pairs of two new objects, one, or none.",
)
@click.option("--leave-two-out", is_flag=True, help="One fold for each pair of objects.")
@click.option("--two-kinds", is_flag=True, help="The columns hold different kinds: (drug, target).")
@click.option("--clusters", type=FILE, help="Table of object and cluster; clusters stay together.")
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
@output_option("Write the role of each pair in each fold (.csv, .tsv).")
def pairs(
    run: Run,
    *,
    pairs: str,
    k: int | None,
    scheme: str,
    overlapping: bool,
    setting: str,
    leave_two_out: bool,
    two_kinds: bool,
    clusters: str | None,
    ids: str | None,
    label_column: str | None,
    header: bool | None,
    compare: bool,
    features: str | None,
    neighbours: int,
    output: str | None,
) -> Outcome:
    """Hold out objects, not rows, of PAIRS, and say what is validated and what is lost.

    PAIRS is a table of two ids and perhaps a label, such as protein_a, protein_b, y.
    """
    _check_call(k, leave_two_out, setting, overlapping, compare, features, output)
    found = read.pairs(
        run, pairs, columns=ids, label_column=label_column, header=header, two_kinds=two_kinds
    )
    options: dict[str, Any] = {"symmetric": not two_kinds}
    if clusters is not None:
        options["clusters"] = read.clusters(run, clusters)
    vectors = None if features is None else read.vectors(run, features)

    from trueval.cli.show import heading, table
    from trueval.pairs import ObjectKFold, ObjectLeaveTwoOut, coverage

    if leave_two_out:
        cv: Any = ObjectLeaveTwoOut(scheme=scheme, **options)
    else:
        options |= {"setting": setting, "overlapping": overlapping, "random_state": run.seed}
        cv = ObjectKFold(k or 5, scheme=scheme, **options)
    with run.meter("Counting what each fold validates"):
        covered = coverage(cv, found, found.y)
    if output is not None:
        from trueval.data.pair_folds import write_pair_folds

        folds = list(cv.split(y=found.y, groups=found))
        run.write(output, lambda path: write_pair_folds(path, found, folds))
    data = _facts(covered, scheme, "BB" if leave_two_out else setting)
    shown: list[Any] = [
        heading(f"{covered.index.n_rows:,} pairs of {covered.index.n_objects:,} objects"),
        table([f"in the {len(covered.folds):,} folds", "pairs"], _coverage_rows(covered)),
        _lost(covered, overlapping or leave_two_out),
    ]
    schemes: list[dict[str, Any]] = []
    if compare:
        schemes = compare_schemes(run, found, k or 5, options, vectors, neighbours)
        data["schemes"] = schemes
        shown += [scheme_table(schemes), verdict(schemes)]
    elif output is None and not leave_two_out:
        shown.append("The folds were not kept: -o pair_folds.csv writes them.")

    def stage(facts: dict[str, Any]) -> Any:
        from trueval.cli.pair_schemes import pairs_report

        return pairs_report(run, found, cv, scheme, schemes, options, k or 5, covered, facts)

    return Outcome(data, shown, stage)


def _check_call(
    k: int | None,
    leave_two_out: bool,
    setting: str,
    overlapping: bool,
    compare: bool,
    features: str | None,
    output: str | None,
) -> None:
    if leave_two_out:
        clashes = {
            "-k": k is not None,
            "--overlapping": overlapping,
            f"--setting {setting}": setting != "BB",
            "--compare": compare,
            "-o": output is not None,
        }
        for name, given in clashes.items():
            if given:
                raise click.UsageError(
                    f"--leave-two-out has one fold for each pair, and goes without {name}."
                )
    if features and not compare:
        raise click.UsageError("--features is for the model of --compare. Add --compare.")
    if output not in (None, "-"):
        from trueval.data.tables import output_format

        if output_format(output, None) not in ("csv", "tsv"):
            raise click.BadParameter(f"must end in .csv or .tsv. Got {output!r}.", param_hint="-o")


def _facts(covered: Any, scheme: str, setting: str) -> dict[str, Any]:
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


def _coverage_rows(covered: Any) -> list[list[Any]]:
    times, n = covered.counts, len(covered.counts)
    train = covered.folds["train"]
    low, high = train.min() / n, train.max() / n
    validated, never = int((times > 0).sum()), int((times == 0).sum())
    rows: list[list[Any]] = [
        ["validated", f"{validated:,} ({validated / n:.1%})"],
        ["never validated", f"{never:,} ({never / n:.1%})"],
        ["validated more than once", int((times > 1).sum())],
        ["trained on, in a fold", f"{low:.1%}" if low == high else f"{low:.1%} to {high:.1%}"],
        ["dropped, in a fold", f"{covered.share_dropped:.1%} on average"],
    ]
    if covered.n_unscorable:
        rows.append(["folds without an AUC", covered.n_unscorable])
    return rows


def _lost(covered: Any, all_validated: bool) -> str:
    if covered.share_never and not all_validated:
        return (
            f"{covered.share_never:.0%} of the pairs join two parts and are never validated; "
            "--overlapping validates them too."
        )
    if not covered.share_dropped:
        return "No fold drops a pair."
    return f"A fold drops {covered.share_dropped:.0%} of the pairs, to keep what it tests unseen."
