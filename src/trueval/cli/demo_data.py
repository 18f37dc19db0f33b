"""The data of the demo: a simulated proteome, its terms and its interactions."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from trueval.cli.types import Values
    from trueval.data.simulate._proteome import Proteome

__all__ = ["N_PROTEINS", "write_inputs"]

N_PROTEINS, N_FAMILIES, N_TERMS = 500, 50, 150
MUTATION = 0.08
PREDICTED = 20  # terms of a protein in the file for CAFA
FEWEST, MOST = 10, 0.6  # members of a class that is kept, and share of the proteins
N_OBJECTS, N_PAIRS = 120, 2500
TRUE_RATE, STICKY, STICKS = 0.15, 0.2, 0.5  # of families, of proteins, of their pairs


def write_inputs(folder: Path, seed: int) -> dict[str, int]:
    """Simulate and write what a user would bring; returns what to say about it."""
    import numpy as np

    from trueval.core.labels import Labels
    from trueval.core.scores import Scores
    from trueval.data import simulate, write_labels, write_scores

    proteome = simulate.proteome(
        N_PROTEINS, N_FAMILIES, N_TERMS, mutation=MUTATION, random_state=seed
    )
    sizes = proteome.labels.class_sizes
    learnt = np.flatnonzero((sizes >= FEWEST) & (sizes <= MOST * N_PROTEINS))
    classes = proteome.labels.classes[learnt]
    labels = Labels(proteome.labels.matrix[:, learnt], classes, proteome.ids)
    write_labels(folder / "labels.csv", labels)
    features = simulate.sequence_features(proteome.sequences).round(5)
    names = np.array([f"f{number:02d}" for number in range(features.shape[1])])
    write_scores(folder / "features.csv", Scores(features, names, proteome.ids))
    families = np.array([f"family {number}" for number in proteome.family.tolist()])
    _write(folder / "families.csv", {"id": proteome.ids, "group": families})
    _write_hits(folder / "hits.m8", proteome)
    _write_cafa(folder, proteome, seed)
    pairs = _interactions(proteome, np.random.default_rng(seed))
    _write(folder / "pairs.csv", pairs)
    # What a model gave to each pair, when it had not been trained on it.
    noise = np.random.default_rng(seed).normal(scale=2, size=N_PAIRS)
    ids = {name: pairs[name] for name in ("protein_a", "protein_b")}
    _write(folder / "pair_scores.csv", {**ids, "score": (pairs["y"] + noise).round(4)})
    # A split by rows, as it is often made: one pair in five is the test set.
    order = np.random.default_rng(seed).permutation(N_PAIRS)
    cut = N_PAIRS // 5
    for name, part in (("test", order[:cut]), ("train", order[cut:])):
        _write(folder / f"{name}.csv", {"row": np.sort(part)})
    return {
        "proteins": N_PROTEINS,
        "families": N_FAMILIES,
        "classes": labels.n_classes,
        "annotations": labels.nnz,
        "pairs": N_PAIRS,
        "interactions": int(pairs["y"].sum()),
    }


def _write_hits(path: Path, proteome: "Proteome") -> None:
    """Hits as a search gives them: identities of proteins of one family, position by position."""
    import numpy as np

    lines = []
    for family in np.unique(proteome.family):
        members = np.flatnonzero(proteome.family == family)
        for a in members:
            for b in members[members > a]:
                one, other = proteome.sequences[a], proteome.sequences[b]
                same = sum(x == y for x, y in zip(one, other, strict=False))
                identity = same / max(len(one), len(other))
                lines.append(f"{proteome.ids[a]}\t{proteome.ids[b]}\t{identity:.3f}\n")
    path.write_text("".join(lines))


def _write_cafa(folder: Path, proteome: "Proteome", seed: int) -> None:
    """Files for ``trueval cafa``: the second half of the proteins is the benchmark."""
    import numpy as np
    import scipy.sparse as sp

    from trueval.cafa import (
        information_accretion,
        write_accretion,
        write_predictions,
        write_truth,
    )
    from trueval.core.labels import Labels
    from trueval.core.scores import Scores
    from trueval.data import simulate, write_ontology

    direct = proteome.direct
    half = N_PROTEINS // 2
    known, new = (
        Labels(sp.csr_array(direct.matrix[rows]), direct.classes, proteome.ids[rows])
        for rows in (slice(half), slice(half, None))
    )
    write_ontology(folder / "ontology.obo", proteome.ontology)
    write_truth(folder / "training.tsv", known)
    write_truth(folder / "truth.tsv", new)
    write_accretion(folder / "IA.txt", information_accretion(known, proteome.ontology))
    scores = simulate.classifier_scores(new, skill=(1.5, 4.0), random_state=seed)
    least = np.sort(scores, axis=1)[:, -PREDICTED, None]
    chosen = sp.csr_array(np.where(scores >= least, scores, 0.0))
    write_predictions(
        folder / "predictions.txt",
        Scores(chosen, direct.classes, proteome.ids[half:]),
        header={"author": "demo", "model": 1, "keywords": "simulated."},
    )


def _write(path: Path, columns: "dict[str, Values]") -> None:
    from trueval.data._formats import output_format, write_raw
    from trueval.data._raw import RawTable

    write_raw(path, output_format(path), RawTable(columns))


def _interactions(proteome: "Proteome", generator: "np.random.Generator") -> "dict[str, Values]":
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
    y = interacts[proteome.family[a], proteome.family[b]]
    y |= (sticky[a] | sticky[b]) & (generator.random(N_PAIRS) < STICKS)
    return {"protein_a": proteome.ids[a], "protein_b": proteome.ids[b], "y": y.astype(np.int8)}
