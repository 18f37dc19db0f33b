"""Small problems that the tests of the report share."""

from functools import cache
from itertools import combinations

import numpy as np
from sklearn.model_selection import KFold

from trueval import stratified_folds
from trueval.data import simulate
from trueval.pairs import ObjectKFold, audit_pairs, coverage
from trueval.rank import LocalPrecisionRate, PrecisionRanker, pick_threshold
from trueval.report import blocks_of, pairs_stage, rank_stage, split_stage

PROVENANCE = {
    "command": "trueval split labels.csv -k 3 --seed 1",
    "inputs": [{"path": "labels.csv", "sha256": "ab" * 32, "bytes": 1234, "shape": [200, 12]}],
    "parameters": {"parts": 3, "groups": None},
    "seed": 1,
    "versions": {"trueval": "0.1.0"},
    "started": "2026-01-02T03:04:05Z",
    "seconds": 1.5,
}


def labels(n_rows=200, n_classes=12):
    return simulate.label_matrix(n_rows, n_classes, cardinality=3, random_state=0)


def split():
    y = labels()
    folds = stratified_folds(y, 3, random_state=0)
    others = {"random": stratified_folds(y, 3, method="random", random_state=0)}
    return split_stage(y, folds, others=others, provenance=PROVENANCE)


@cache
def ranked():
    """Values of a new draw by rankers fitted on another, with the labels of the new one."""
    scores, y = simulate.simulation_one(300, 0.2, random_state=0)
    new, new_y = simulate.simulation_one(150, 0.2, random_state=1)
    rankers = {
        "precision": PrecisionRanker().fit(scores, y),
        "lpr": LocalPrecisionRate().fit(scores, y),
    }
    values = {name: ranker.transform(new) for name, ranker in rankers.items()} | {"raw": new}
    choices = [
        pick_threshold(scores, y, precision=0.8, ranker=PrecisionRanker()),
        pick_threshold(scores, y, beta=2.0, ranker=PrecisionRanker()),
    ]
    return values, new_y, rankers, choices


def rank():
    values, y, rankers, choices = ranked()
    return rank_stage(values, y, choices=choices, curves=rankers, provenance=PROVENANCE)


def pairs():
    rows = np.array(list(combinations(range(24), 2)))
    activity = np.random.default_rng(0).normal(size=24)
    y = (activity[rows].sum(axis=1) > 0).astype(int)
    cvs = {
        scheme: ObjectKFold(4, scheme=scheme, random_state=0) for scheme in ("strict", "relaxed")
    }
    train, test = next(KFold(4, shuffle=True, random_state=0).split(rows))
    audits = {"rows at random": audit_pairs(rows, train, test, y=y)}
    schemes = []
    for name, cv in cvs.items():
        train, test = next(cv.split(None, y, rows))
        audits[name] = audit_pairs(rows, train, test, y=y)
        cover = coverage(cv, rows, y)
        schemes.append(
            {
                "scheme": name,
                "setting": "BB",
                "n_folds": 4,
                "averaged": 0.7,
                "pooled": 0.65,
                "null_pooled": 0.46,
                "never": cover.share_never,
                "dropped": cover.share_dropped,
            }
        )
    blocks = {name: blocks_of(cv, rows, y) for name, cv in cvs.items()}
    return pairs_stage(audits=audits, schemes=schemes, blocks=blocks, provenance=PROVENANCE)
