"""Hierarchy, the future work of the local-precision-rate paper: neighbours and consistency.

The same methods on scores that are independent given the labels, as mLPR assumes, and on scores of
classifiers trained on the same features, which are not.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier

from trueval.core.labels import as_labels
from trueval.core.table import Table
from trueval.data import simulate
from trueval.rank import (
    HierarchicalRanker,
    OneClassWarning,
    average_precision,
    hierarchical_fdr,
    hierarchical_order,
    hit_curve,
    make_consistent,
)
from trueval.rank._neighbours import Neighbours, stacked
from trueval.study import _published_002 as published
from trueval.study import _sources as sources
from trueval.study._cells import Cell, Done, Outcome, Plan, Study, Work, stream
from trueval.study._tables import columns_of, mean_and_error

__all__ = ["GO", "PROTEOME", "STUDIES", "TREE", "draw_scores"]

TREE, PROTEOME, GO = "authors' tree", "simulated proteome", "GO, Swiss-Prot 2014"
_METHODS = {
    "raw": "raw scores",
    "plain": "each class by its own score",
    "project": "the same, nearest consistent values",
    "max": "the same, parents raised",
    "mlpr": "mLPR",
    "stack": "neighbours with learned weights, parents raised",
    "default": "HierarchicalRanker, chosen by cross-fitting",
}
_FDR = 0.1


def compare(seed: int, data: str, run: int, n: int) -> dict[str, Any]:
    """Average precision and area under the hit curve of each method on new objects."""
    generator = stream(seed, data, run)
    scores, y, new, new_y, hierarchy = draw_scores(data, n, generator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        ranker = HierarchicalRanker(hierarchy).fit(scores, y)
        published_way = HierarchicalRanker(hierarchy, method="mlpr").fit(scores, y)
    graph, values = ranker.hierarchy_, {"raw": new, "plain": ranker.ranker_.transform(new)}
    for rule in ("project", "max"):
        values[rule] = make_consistent(values["plain"], graph, rule=rule)
    values["mlpr"] = published_way.transform(new)
    neighbours = Neighbours.of(graph, as_labels(y))
    features = neighbours.features(neighbours.evidence(values["plain"]))
    weighted = stacked(features, np.array(list(ranker.weights_.values()))).T
    values["stack"] = make_consistent(weighted, graph, rule="max")
    values["default"] = ranker.transform(new)
    out: dict[str, Any] = {"chosen": f"{ranker.method_} {ranker.rule_}", "weights": ranker.weights_}
    for name, matrix in values.items():
        hits = hit_curve(hierarchical_order(matrix, graph), new_y)
        out[name] = round(average_precision(matrix, new_y), 6)
        out[f"{name} hits"] = round(float(hits.mean() / hits[-1]), 6)
    before = values["plain"][:, graph.child] > values["plain"][:, graph.parent]
    selected = hierarchical_fdr(values["default"], graph, fdr=_FDR).toarray() > 0
    wrong = selected & (new_y == 0)
    out["violated"] = round(float(before.mean()), 4)
    out["false"] = round(float(wrong.sum() / max(selected.sum(), 1)), 4)
    return out


_Draw = tuple[Any, NDArray[Any], Any, NDArray[Any], Any]


def draw_scores(data: str, n: int, generator: np.random.Generator) -> _Draw:
    """Scores and labels of n objects to calibrate on and of n new ones, and the hierarchy."""
    if data == TREE:
        scores, y, parents = simulate.simulation_tree(2 * n, random_state=generator)
        labels = y.toarray()
        return scores[:n], labels[:n], scores[n:], labels[n:], parents
    if data == PROTEOME:
        proteome = simulate.proteome(3 * n, max(20, n // 10), 100, random_state=generator)
        order = generator.permutation(3 * n)
        ontology, names = proteome.ontology, proteome.labels.classes
        features, labels = proteome.features[order], proteome.labels.matrix[order].toarray()
    else:
        features, terms, names, ontology = sources.annotated_proteins("MF")
        rows = generator.choice(len(features), 3 * n, replace=False)
        features, labels = features[rows], terms[rows].toarray()
    size = labels.sum(axis=0)
    columns = np.sort(np.argsort(-size, kind="stable")[:160])
    columns = columns[size[columns] >= 15]
    labels = labels[:, columns]
    model = ExtraTreesClassifier(
        60, min_samples_leaf=3, random_state=int(generator.integers(2**31))
    ).fit(features[:n], labels[:n])
    scores = np.stack([_positive(p) for p in model.predict_proba(features[n:])], axis=1)
    edges = ontology.parent_edges(names[columns])
    place = {name: k for k, name in enumerate(names[columns].tolist())}
    return (
        scores[:n], labels[n : 2 * n], scores[n:], labels[2 * n :],
        [(place[child], place[parent]) for child, parent in edges],
    )  # fmt: skip


def _positive(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(class), also where the training set had no positives or no negatives."""
    return chances[:, 1] if chances.shape[1] > 1 else np.zeros(len(chances))


def work(plan: Plan) -> Work:
    missing = [] if plan.quick else sources.absent("annotated")
    sizes = {TREE: (1000, 5000), PROTEOME: (200, 1000)}
    cells = [
        Cell(compare, {"data": data, "run": run, "n": quick if plan.quick else full})
        for data, (quick, full) in sizes.items()
        for run in range(plan.n(10, 2))
    ]
    listed = [{"name": "simulated tree and proteome", "from": "trueval.data.simulate"}]
    notes = []
    if not plan.quick and not missing:
        digests = sources.digests("annotated")
        cells += [
            Cell(compare, {"data": GO, "run": run, "n": 2000}, digests)
            for run in range(plan.n(10, 2))
        ]
        listed.append(sources.describe("annotated") | {"name": "Swiss-Prot, January 2014"})
    elif not plan.quick:
        notes = sources.left_out(["annotated"])
    return Work(cells, listed, notes, plan.n(10, 2))


def hierarchy(done: Sequence[Done]) -> Outcome:
    lines, notes = [], []
    for data in dict.fromkeys(cell.parameters["data"] for cell in done):
        results = [cell.result for cell in done if cell.parameters["data"] == data]
        best = np.array([max(r["max"], r["project"]) for r in results])
        for name, what in _METHODS.items():
            line: dict[str, Any] = {"data": data, "method": what}
            area = np.array([r[name] for r in results])
            for column, sample in (
                ("average precision", area),
                ("against max or project", area - best),
                ("hit area", [r[f"{name} hits"] for r in results]),
            ):
                line[column], line[f"{column} se"] = mean_and_error(sample)
            lines.append(line)
        notes.append(_note(data, results))
    notes.append(
        "against max or project: difference to the better of the two rules on the plain ranker, "
        "known only with the labels of the new objects. hit area: mean share of all positives "
        "among the first i pairs, in the order of HierRank, over all i (CATCH as observed)."
    )
    return Outcome(Table(columns_of(lines)), None, notes)


def _note(data: str, results: Sequence[Any]) -> str:
    """What was chosen, and whether neighbours help."""
    n = len(results)
    choices = [r["chosen"] for r in results]
    counts = ", ".join(f"{c} {choices.count(c)}" for c in dict.fromkeys(sorted(choices)))

    def mean(name: str) -> float:
        return float(np.mean([r[name] for r in results]))

    weights = {name: np.mean([r["weights"][name] for r in results]) for name in ("own", "parents")}
    children = np.mean([r["weights"]["children"] for r in results])
    return (
        f"{data}: mLPR {'gains over' if mean('mlpr') > mean('project') else 'loses to'} the "
        f"projection, {mean('project'):.3f} → {mean('mlpr'):.3f}; max "
        f"{'beats' if mean('max') > mean('project') else 'does not beat'} projection; chosen in "
        f"{n} runs: {counts}. Weights: own {weights['own']:.2f}, parents {weights['parents']:.2f}, "
        f"children {children:.2f}. {mean('violated'):.1%} of (object, edge) pairs contradict the "
        f"hierarchy before correction. Predictions at an expected FDR of {_FDR}: "
        f"{mean('false'):.3f} are wrong."
    )


STUDIES = (
    Study(
        name="002-hierarchy",
        paper=published.CITATION,
        title="Section 6, future work: local precision rates on a hierarchy of classes",
        data="simulated; Swiss-Prot 2014 where present",
        about="Average precision on new objects with mLPR, learned weights of neighbours and rules "
        "of consistency. The setting of the tree is that of Ho, Ye, Jiang, Lee and Huang (2018); "
        "the other scores are of extra trees on features of sequences.",
        work=work,
        conclude=hierarchy,
    ),
)
