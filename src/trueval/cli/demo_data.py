"""The data of the demo: a simulated proteome, its terms and its interactions."""

from pathlib import Path
from typing import Any

__all__ = ["N_PROTEINS", "write_inputs"]

N_PROTEINS, N_FAMILIES, N_TERMS = 500, 50, 150
MUTATION = 0.08
FEWEST, MOST = 10, 0.6  # members of a class that is kept, and share of the proteins
N_OBJECTS, N_PAIRS = 120, 2500
TRUE_RATE, STICKY, STICKS = 0.15, 0.2, 0.5  # of families, of proteins, of their pairs


def write_inputs(folder: Path, seed: int) -> dict[str, Any]:
    """Simulate and write what a user would bring; returns what to say about it."""
    import numpy as np

    from trueval.core.labels import Labels
    from trueval.core.scores import Scores
    from trueval.data import simulate
    from trueval.data.tables import write_rows
    from trueval.data.write import write_labels, write_scores

    made = simulate.proteome(N_PROTEINS, N_FAMILIES, N_TERMS, mutation=MUTATION, random_state=seed)
    sizes = made.labels.class_sizes
    kept = np.flatnonzero((sizes >= FEWEST) & (sizes <= MOST * N_PROTEINS))
    labels = Labels(made.labels.matrix[:, kept], made.labels.classes[kept], made.ids)
    write_labels(folder / "labels.csv", labels)
    features = simulate.sequence_features(made.sequences).round(5)
    names = np.array([f"f{number:02d}" for number in range(features.shape[1])])
    write_scores(folder / "features.csv", Scores(features, names, made.ids))
    families = [f"family {number}" for number in made.family.tolist()]
    write_rows(
        folder / "families.csv",
        ",",
        [["id", "group"], *zip(made.ids.tolist(), families, strict=True)],
    )
    rows, positives = _interactions(made, np.random.default_rng(seed))
    write_rows(folder / "pairs.csv", ",", [["protein_a", "protein_b", "y"], *rows])
    # A split by rows, as it is often made: one pair in five is the test set.
    order = np.random.default_rng(seed).permutation(len(rows))
    cut = len(rows) // 5
    for name, part in (("test", order[:cut]), ("train", order[cut:])):
        write_rows(folder / f"{name}.csv", ",", [["row"], *([r] for r in np.sort(part).tolist())])
    return {
        "proteins": N_PROTEINS,
        "families": N_FAMILIES,
        "classes": labels.n_classes,
        "annotations": labels.nnz,
        "pairs": len(rows),
        "interactions": positives,
    }


def _interactions(made: Any, generator: Any) -> tuple[list[list[Any]], int]:
    """Pairs of proteins: families interact or do not, some proteins stick to many others.

    The second is a matter of the protein, not of its family, so nothing about it can be
    learnt for a protein that has never been seen.
    """
    import numpy as np

    chosen = np.sort(generator.choice(N_PROTEINS, N_OBJECTS, replace=False))
    wanted = np.triu(generator.random((N_FAMILIES, N_FAMILIES)) < TRUE_RATE)
    interacts = wanted | wanted.T
    first, second = np.triu_indices(N_OBJECTS, 1)
    some = np.sort(generator.choice(len(first), N_PAIRS, replace=False))
    a, b = chosen[first[some]], chosen[second[some]]
    sticky = generator.random(N_PROTEINS) < STICKY
    y = interacts[made.family[a], made.family[b]]
    y |= (sticky[a] | sticky[b]) & (generator.random(N_PAIRS) < STICKS)
    ids = made.ids.tolist()
    rows = [[ids[i], ids[j], int(v)] for i, j, v in zip(a, b, y, strict=True)]
    return rows, int(y.sum())
