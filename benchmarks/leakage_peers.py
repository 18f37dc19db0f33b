"""Ways to split rows of a similarity graph, ours and the peers', each behind one small function.

A function takes a :class:`Problem`, the number of parts and a folder for its files, and gives the
part of each row, −1 for rows that it leaves out. Every method gets the same edges, those at or
above the threshold. Nothing here imports trueval, except our own rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["GRAPH_SPLITS", "GraphSplit", "Problem"]

_SOLVER_SECONDS = 30


@dataclass(frozen=True)
class Problem:
    """Rows, their similar pairs and labels; ``label`` is the class most rows have, for peers."""

    n: int
    a: np.ndarray
    b: np.ndarray
    value: np.ndarray
    threshold: float
    label: np.ndarray
    labels: str  # file of the label matrix

    @classmethod
    def load(cls, path: str) -> "Problem":
        """From the file that the benchmark wrote."""
        with np.load(path) as file:
            arrays = {name: file[name] for name in ("a", "b", "value", "label")}
            return cls(int(file["n"]), **arrays, threshold=float(file["threshold"]),
                       labels=str(file["labels"]))  # fmt: skip


@dataclass(frozen=True)
class GraphSplit:
    """A way to split; ``module`` is imported before timing."""

    package: str
    module: str
    split: Callable[[Problem, int, Path], Any]
    apart: bool = True
    also: tuple[str, ...] = ()  # what its package forgets to ask for


def _ours(**options: Any) -> Callable[[Problem, int, Path], Any]:
    def split(problem: Problem, k: int, folder: Path) -> Any:
        import scipy.sparse as sp

        from trueval import stratified_folds
        from trueval.data import Similarity

        graph = Similarity.from_edges(problem.a, problem.b, problem.value, n_rows=problem.n)
        y = sp.load_npz(problem.labels)
        return stratified_folds(y, k, similarity=graph, random_state=0, **options)

    return split


def _components(problem: Problem, k: int, folder: Path) -> Any:
    import scipy.sparse as sp
    from sklearn.model_selection import GroupKFold

    graph = sp.coo_array((problem.value, (problem.a, problem.b)), shape=(problem.n, problem.n))
    groups = sp.csgraph.connected_components(graph, directed=False)[1]
    parts = np.full(problem.n, -1)
    for number, (_, test) in enumerate(GroupKFold(k).split(groups, groups=groups)):
        parts[test] = number
    return parts


def _graph_part(problem: Problem, k: int, folder: Path) -> Any:
    from graph_part.graph_part import run_partitioning

    edges, names = folder / "edges.csv", folder / "rows.fasta"
    np.savetxt(edges, np.column_stack([problem.a, problem.b, problem.value]), "%d,%d,%.9g")
    names.write_text("".join(f">{i}|label={c}\nA\n" for i, c in enumerate(problem.label)))
    frame = run_partitioning(
        {
            "alignment_mode": "precomputed",
            "fasta_file": str(names),
            "edge_file": str(edges),
            "metric_column": 2,
            "threshold": problem.threshold - 1e-6,
            "transformation": "one-minus",
            "partitions": k,
            "out_file": str(folder / "out.csv"),
            "labels_name": "label",
            "priority_name": None,
            "initialization_mode": "slow-nn",
            "allow_moving": True,
            "save_checkpoint_path": None,
            "test_ratio": 0.0,
            "val_ratio": 0.0,
        },
        write_output_file=False,
        write_json_report=False,
        verbose=False,
    )
    parts = np.full(problem.n, -1)
    rows = frame.get("AC", frame.index)
    parts[np.array([int(row) for row in rows])] = frame["cluster"].to_numpy().astype(int)
    return parts


def _hestia(problem: Problem, k: int, folder: Path) -> Any:
    import pandas as pd
    from hestia.partition import graph_part

    itself = np.arange(problem.n)  # it fails at rows without any hit
    hits = {
        "query": np.concatenate([problem.a, problem.b, itself]),
        "target": np.concatenate([problem.b, problem.a, itself]),
        "metric": np.concatenate([problem.value, problem.value, np.ones(problem.n)]),
    }
    return graph_part(
        pd.DataFrame({"label": problem.label}),
        pd.DataFrame(hits),
        label_name="label",
        threshold=problem.threshold,
        n_parts=k,
        verbose=0,
    )


def _lohi(problem: Problem, k: int, folder: Path) -> Any:
    import networkx as nx
    from lohi_splitter import min_vertex_k_cut as lohi

    graph = nx.Graph()
    graph.add_nodes_from(range(problem.n), weight=1.0)
    graph.add_weighted_edges_from(
        zip(problem.a.tolist(), problem.b.tolist(), problem.value.tolist(), strict=True)
    )
    # It compares molecules only; the graph is given in place of its own.
    lohi.get_neighborhood_graph = lambda rows, threshold: graph
    # Molecules above the coarsening threshold are joined first, as in its examples of large sets.
    folds = lohi.hi_k_fold_split(
        np.arange(problem.n),
        problem.threshold,
        fold_min_frac=0.5 / k,  # its default of 0.9 / k has no solution on these graphs
        k=k,
        coarsening_threshold=0.9,
        verbose=False,
    )
    parts = np.full(problem.n, -1)
    for number, rows in enumerate(folds):
        parts[list(rows)] = number
    return parts


def _datasail(problem: Problem, k: int, folder: Path) -> Any:
    from datasail.sail import datasail

    names = [f"r{i}" for i in range(problem.n)]
    matrix = np.eye(problem.n)
    matrix[problem.a, problem.b] = matrix[problem.b, problem.a] = problem.value
    chosen, _, _ = datasail(
        techniques=["C1e"],
        splits=[1] * k,
        names=[str(j) for j in range(k)],
        e_type="O",
        e_data=dict.fromkeys(names, "A"),
        e_sim=(names, matrix),
        e_strat=dict(zip(names, problem.label.tolist(), strict=True)),
        max_sec=_SOLVER_SECONDS,
        solver="SCIP",
        verbose="C",
    )
    part = chosen["C1e"][0]
    return np.array(
        [int(part[name]) if str(part.get(name, "")).isdigit() else -1 for name in names]
    )


GRAPH_SPLITS = {
    "trueval, drop": GraphSplit("trueval", "trueval", _ours(), apart=False),
    "trueval, cut": GraphSplit("trueval", "trueval", _ours(oversized="cut"), apart=False),
    "scikit-learn GroupKFold on components": GraphSplit(
        "scikit-learn", "sklearn.model_selection", _components, apart=False
    ),
    "graph-part": GraphSplit("graph-part", "graph_part.graph_part", _graph_part),
    "hestia-good graph_part": GraphSplit(
        "hestia-good", "hestia.partition", _hestia, also=("networkx",)
    ),
    "lohi-splitter": GraphSplit("lohi-splitter", "lohi_splitter", _lohi),
    "datasail C1e": GraphSplit("datasail", "datasail.sail", _datasail),
}
