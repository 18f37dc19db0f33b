"""``trueval pairs`` and ``audit`` of datasets that are not read into memory."""

from typing import TYPE_CHECKING

import click

from trueval.cli.dataset import Carrier
from trueval.cli.run import Outcome, Run
from trueval.cli.types import Fields, Options

if TYPE_CHECKING:
    from trueval.pairs import PairAudit

__all__ = ["audit_dataset", "fold_dataset"]


def _columns(ids: str | None) -> Options:
    """Names of the two columns of ids; those of the library if there are none."""
    if ids is None:
        return {}
    names = [name.strip() for name in ids.split(",")]
    if len(names) != 2 or not all(names):
        raise click.BadParameter(
            f"must be the names of two columns, such as a,b. Got {ids!r}.", param_hint="--ids"
        )
    return {"columns": names}


#: Options of folds that need all pairs in memory.
_IN_MEMORY = ("leave_two_out", "clusters", "compare", "label_column", "header", "features")


def fold_dataset(run: Run, carrier: Carrier, similar: Options) -> Outcome:
    """Hold out objects of a dataset of pairs; ``similar`` are options of their similarity."""
    from trueval.distributed import pairs
    from trueval.show import summary

    typed = run.parameters
    path, balance = typed["pairs"], typed["balance"]
    others = {name: typed[name] for name in _IN_MEMORY} | similar
    carrier.refuse(others | {"save": run.save, "report": run.report})
    if balance not in (None, "objects"):
        raise click.UsageError(
            f"--balance {balance} needs all pairs in memory; --engine {carrier.engine} has "
            "--balance objects."
        )
    options = {name: typed[name] for name in ("scheme", "setting", "overlapping")}
    options |= {"n_splits": typed["k"] or 5, "symmetric": not typed["bipartite"]}
    options |= _columns(typed["ids"]) | {"random_state": run.seed}
    result = carrier.write(
        run,
        typed["output"],
        f"Folding by {carrier.engine}",
        lambda carried: pairs(path, **options, **carried),
    )
    data: Fields = {
        "pairs": result.n_pairs,
        "objects": result.n_objects,
        "scheme": options["scheme"],
        "setting": options["setting"],
        "folds": len(result.test),
        "train": result.train,
        "test": result.test,
        "share_dropped": result.share_dropped,
    }
    return Outcome(data, [_RANDOM] if balance is None else [], summary=summary(result))


_RANDOM = "Parts of objects are random (--balance objects): like degrees need all pairs in memory."


def audit_dataset(
    run: Run,
    carrier: Carrier,
    path: str,
    *,
    split_column: str | None,
    ids: str | None,
    bipartite: bool,
    others: Options,
) -> "dict[str, PairAudit]":
    """Audit a column of roles of a dataset of pairs."""
    from trueval.distributed import audit

    carrier.refuse(others | {"save": run.save, "report": run.report})
    if split_column is None:
        raise click.UsageError(
            f"--engine {carrier.engine} needs --split-column: a column of FILE with train and test."
        )
    with carrier.work(run, "Auditing") as carried:
        audited = audit(
            path, split=split_column, symmetric=not bipartite, **_columns(ids), **carried
        )
    return {split_column: audited}
