"""One model under row-wise, relaxed and strict validation, side by side."""

from typing import Any

from trueval.cli.run import Run
from trueval.core.errors import Fix, InputError

__all__ = ["compare_schemes", "pairs_report", "scheme_table", "verdict"]

_IDENTITY, _KNN = "object identity", "nearest neighbours"
_SAME = 0.01  # differences of AUC not worth a word


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
) -> list[dict[str, Any]]:
    """Averaged and pooled AUC of the identity baseline, and of a model if there are features."""
    import numpy as np

    from trueval.core.arrays import as_binary
    from trueval.pairs import as_pairs, coverage

    if found.y is None:
        raise InputError(
            "the pairs have no labels, so there is no AUC to compare.",
            fix=Fix("Add a column named 'y', or name it with {}.", "label_column"),
        )
    positive = as_binary(found.y)
    index = as_pairs(found, symmetric=options["symmetric"])
    rows = None if vectors is None else _row_numbers(index, vectors)
    made: list[dict[str, Any]] = []
    for name, cv in splitters(k, options, run.seed).items():
        covered = coverage(cv, found, found.y)
        common = {
            "scheme": name,
            "setting": None if name == "row-wise" else options.get("setting", "BB"),
            "overlapping": False if name == "row-wise" else bool(options.get("overlapping")),
            "n_folds": len(covered.folds),
            "validated": int((covered.counts > 0).sum()),
            "never": int((covered.counts == 0).sum()),
            "dropped": covered.share_dropped,
        }
        with run.meter(f"Validating, {name}"):
            made.append({**common, "model": _IDENTITY, **_identity(cv, index, positive, found)})
            if rows is not None:
                made.append(
                    {
                        **common,
                        "model": _KNN,
                        **_knn(cv, np.asarray(vectors.matrix), rows, found, neighbours, run.jobs),
                    }
                )
    return made


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


def scheme_table(schemes: list[dict[str, Any]]) -> Any:
    """AUC by scheme and model."""
    from trueval.cli.show import table

    rows = [
        [s["scheme"], s["model"], s["averaged"], s["pooled"], s["null_pooled"], s["dropped"]]
        for s in sorted(schemes, key=lambda s: s["model"] == _IDENTITY)
    ]
    names = ["validation", "<model", "averaged AUC", "pooled AUC", "no skill", "dropped"]
    shown = [[*row[:5], f"{row[5]:.0%}"] for row in rows]
    strong = [place for place, row in enumerate(rows) if row[0] == "strict"]
    return table(names, shown, strong=strong)


def verdict(schemes: list[dict[str, Any]]) -> str:
    """What to conclude from the AUCs."""
    told = [s for s in schemes if s["model"] == _KNN]
    # Averages need no null beside them; pooling is for folds too small to have an AUC.
    kind = "averaged" if all(s["averaged"] is not None for s in schemes) else "pooled"
    auc = {s["scheme"]: s[kind] for s in told}
    identity = {s["scheme"]: s[kind] for s in schemes if s["model"] == _IDENTITY}
    known = f"{identity['row-wise']:.3f} by rows"
    if not told:
        return (
            f"Knowing which objects a pair has, and no features, scores {known} and "
            f"{identity['relaxed']:.3f} by the relaxed scheme; on new objects that is worth "
            "nothing. Give --features to see what a model learns beside it."
        )
    text = f"On pairs of new objects expect the strict figure, {auc['strict']:.3f} ({kind})"
    if auc["row-wise"] - auc["strict"] > _SAME:
        text += (
            f". Validation by rows promises {auc['row-wise']:.3f} and the relaxed scheme "
            f"{auc['relaxed']:.3f}: the model may partly remember objects"
        )
    else:
        text += f"; here validation by rows, {auc['row-wise']:.3f}, says no more"
    return f"{text}. Knowing which objects a pair has, and no features, scores {known}."


def pairs_report(
    run: Run,
    found: Any,
    cv: Any,
    scheme: str,
    schemes: list[dict[str, Any]],
    options: dict[str, Any],
    k: int,
    covered: Any,
    facts: dict[str, Any],
) -> Any:
    """The stage of the report: schemes, what their first fold tests, and its picture."""
    from trueval.pairs import audit_pairs
    from trueval.pairs.folding import any_split
    from trueval.report import blocks_of, pairs_stage

    ways = splitters(k, options, run.seed) if schemes else {scheme: cv}
    if not schemes:
        schemes = [
            {
                "scheme": scheme,
                "setting": getattr(cv, "setting", "BB"),
                "overlapping": bool(getattr(cv, "overlapping", False)),
                "n_folds": len(covered.folds),
                "validated": int((covered.counts > 0).sum()),
                "never": int((covered.counts == 0).sum()),
                "dropped": covered.share_dropped,
                **dict.fromkeys(("averaged", "pooled", "null_pooled", "n_excluded", "model")),
            }
        ]
    audits, blocks = {}, {}
    for name, way in ways.items():
        train, test = next(iter(any_split(way, found.pairs, found.y, found)))
        if len(test):
            audits[f"{name}, first fold"] = audit_pairs(
                found, train, test, y=found.y, symmetric=options["symmetric"]
            )
        if name != "row-wise":
            blocks[name] = blocks_of(way, found, found.y)
    return pairs_stage(audits=audits, schemes=schemes, blocks=blocks, provenance=facts)
