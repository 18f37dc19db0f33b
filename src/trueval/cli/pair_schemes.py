"""One model under row-wise, relaxed and strict validation, side by side."""

from typing import TYPE_CHECKING, Any

from trueval.cli.run import Run
from trueval.core.errors import Fix, InputError

if TYPE_CHECKING:
    from trueval.report import Stage
    from trueval.show._pairs import PairValidation, Scheme

__all__ = ["compare_schemes", "pairs_report", "splitters"]

_KNN = "nearest neighbours"


def splitters(k: int, options: dict[str, Any], seed: int) -> dict[str, Any]:
    """The three ways to validate, by name."""
    from sklearn.model_selection import KFold

    from trueval.pairs import ObjectKFold

    return {
        "row-wise": KFold(k, shuffle=True, random_state=seed),
        "relaxed": ObjectKFold(k, scheme="relaxed", **options),
        "strict": ObjectKFold(k, scheme="strict", **options),
    }


def compare_schemes(
    run: Run, found: Any, k: int, options: dict[str, Any], vectors: Any, neighbours: int
) -> "list[Scheme]":
    """Averaged and pooled AUC of the identity baseline, and of a model if there are features."""
    import numpy as np

    from trueval.core.arrays import as_binary
    from trueval.pairs import as_pairs, coverage
    from trueval.show._pairs import Scheme
    from trueval.show._verdicts import BASELINE

    if found.y is None:
        raise InputError(
            "the pairs have no labels, so there is no AUC to compare.",
            fix=Fix("Add a column named 'y', or name it with {}.", "label_column"),
        )
    positive = as_binary(found.y)
    index = as_pairs(found, symmetric=options["symmetric"])
    rows = None if vectors is None else _row_numbers(index, vectors)
    schemes: list[Scheme] = []
    for name, cv in splitters(k, options, run.seed).items():
        covered = coverage(cv, found, found.y)
        common = {
            "scheme": name,
            "setting": None if name == "row-wise" else options.get("setting", "BB"),
            "overlapping": False if name == "row-wise" else bool(options.get("overlapping")),
        }
        with run.meter(f"Validating, {name}"):
            aucs = {BASELINE: _identity(cv, index, positive, found)}
            if rows is not None:
                features = np.asarray(vectors.matrix)
                aucs[_KNN] = _knn(cv, features, rows, found, neighbours, run.jobs)
        for model, auc in aucs.items():
            schemes.append(Scheme.of_coverage(covered, model=model, **common, **auc))
    return schemes


def _identity(cv: Any, index: Any, positive: Any, found: Any) -> dict[str, Any]:
    from trueval.pairs.audit import identity_scores
    from trueval.pairs.folding import any_split

    folds, rates = [], []
    for train, test in any_split(cv, found.pairs, found.y, found):
        if len(test):
            folds.append((positive[test], identity_scores(index, positive, train, test)))
            rates.append(float(positive[train].mean()))
    return _aucs(folds, rates)


def _knn(
    cv: Any, vectors: Any, rows: Any, found: Any, neighbours: int, jobs: int | None
) -> dict[str, Any]:
    from trueval.pairs import PairKNNClassifier, pooled_scores

    model = PairKNNClassifier(vectors, n_neighbors=neighbours)
    result = pooled_scores(model, rows, found.y, found, cv, n_jobs=jobs)
    return _aucs(list(result), result.train_rates.tolist())


def _aucs(folds: list[Any], rates: list[float]) -> dict[str, Any]:
    from trueval.pairs import averaged_auc, pooled_auc

    try:
        averaged = averaged_auc(folds)
    except InputError:
        averaged = None
    pooled: Any = pooled_auc(folds, null=True, train_rates=rates)
    return {
        "averaged": None if averaged is None else float(averaged),
        "pooled": float(pooled),
        "null_pooled": pooled.null,
        "n_excluded": len(folds) if averaged is None else averaged.n_excluded,
    }


def _row_numbers(index: Any, vectors: Any) -> Any:
    """Row of each member of each pair in the features."""
    import numpy as np

    from trueval.core.names import places

    ids = np.array([str(name) for name in index.ids])
    rows = places(ids, vectors.index, "object", missing="empty", extra="drop")
    lacking = ids[rows < 0]
    if len(lacking):
        raise InputError(
            f"{len(lacking):,} of {len(ids):,} objects have no features, such as {lacking[0]!r}.",
            fix="Add their rows, or leave their pairs out.",
        )
    return rows[index.codes]


def pairs_report(
    found: Any,
    ways: dict[str, Any],
    validation: "PairValidation",
    symmetric: Any,
    facts: dict[str, Any],
) -> "Stage":
    """The stage of the report: schemes, what their first fold tests, and its picture."""
    from dataclasses import replace

    from trueval.pairs import audit_pairs
    from trueval.pairs.folding import any_split
    from trueval.report.sections.pairs import blocks_of, validation_stage

    audits, blocks = {}, {}
    for name, way in ways.items():
        train, test = next(iter(any_split(way, found.pairs, found.y, found)))
        if len(test):
            audits[f"{name}, first fold"] = audit_pairs(
                found, train, test, y=found.y, symmetric=symmetric
            )
        if name != "row-wise":
            blocks[name] = blocks_of(way, found, found.y)
    return validation_stage(replace(validation, audits=audits), blocks, facts)
