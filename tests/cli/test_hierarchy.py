"""``trueval rank --ontology … --consistent``: what is written, said and refused."""

import numpy as np
import pytest

from trueval.core.labels import Labels
from trueval.data import Ontology, Scores, read_scores, write_labels, write_ontology, write_scores
from trueval.data.simulate import simulation_tree

TERMS = [f"X:{k:02d}" for k in range(9)]


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Files of the simulated tree; its labels without ancestors."""
    monkeypatch.chdir(tmp_path)
    scores, y, parents = simulation_tree(300, random_state=0)
    scores, y, parents = scores[:, :9], y[:, :9], parents[:9]  # parents come first
    edges = [(TERMS[k], TERMS[p], "is_a") for k, p in enumerate(parents.tolist()) if p >= 0]
    ontology = Ontology(TERMS, edges)
    write_ontology("go.obo", ontology)
    ids = [f"P{i}" for i in range(300)]
    write_labels("labels.npz", ontology.most_specific(Labels(y, TERMS, ids)))
    write_scores("scores.npz", Scores(scores, TERMS, ids))
    return parents


CALL = ("rank", "scores.npz", "labels.npz", "--ontology", "go.obo", "--ranker", "isotonic")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_values_are_consistent_and_the_choice_is_said(tree, call, call_json):
    found = call_json(*CALL, "--consistent", "--compare", "isotonic", "-o", "values.npz")
    assert found["ranker"] == "hierarchical"
    hierarchy = found["hierarchy"]
    assert hierarchy["ranker"] == "isotonic"
    assert hierarchy["edges"] == 6
    areas = hierarchy["average_precision"]
    assert set(areas) == {
        f"{m} {r}" for m in ("plain", "stack", "mlpr") for r in ("max", "project")
    }
    chosen = areas[f"{hierarchy['method']} {hierarchy['rule']}"]
    assert chosen >= max(areas["plain max"], areas["plain project"])
    area = found["average_precision"]
    assert area["hierarchical"] > area["isotonic"]
    values = read_scores("values.npz").matrix
    below = np.flatnonzero(tree >= 0)
    assert (values[:, below] <= values[:, tree[below]]).all()
    code, out, _ = call(*CALL, "--consistent")
    assert code == 0
    said = " ".join(out.split())
    assert "Hierarchy: " in said
    assert f"average precision on rows left out, {chosen:.4f} (plain" in said


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_new_rows_and_the_ranker_by_name(tree, call_json):
    options = ("--ranker", "hierarchical", "--new", "scores.npz", "-o", "new.npz")
    found = call_json(*CALL[:5], *options)
    assert (found["ranker"], found["hierarchy"]["ranker"]) == ("hierarchical", "calibrated")
    values = read_scores("new.npz").matrix
    below = np.flatnonzero(tree >= 0)
    assert (values[:, below] <= values[:, tree[below]]).all()
    found = call_json("decide", *CALL[1:5], *options[:2], "--beta", 1, "--keep-roots")
    assert found["ranker"] == "hierarchical"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--consistent",), "'hierarchical' needs --ontology"),
        (("--compare", "hierarchical"), "'hierarchical' needs --ontology"),
        (
            ("--ranker", "raw", "--consistent", "--ontology", "go.obo"),
            "--consistent needs a ranker",
        ),
    ],
)
def test_refuses_before_reading(tree, call, options, words):
    code, _, err = call("rank", "scores.npz", "labels.npz", *options)
    assert code == 2
    assert words in " ".join(err.split())


def test_decide_refuses_without_an_ontology(tree, call):
    files = ("scores.npz", "labels.npz")
    code, _, err = call("decide", *files, "--beta", 1, "--ranker", "hierarchical")
    assert code == 2
    assert "'hierarchical' needs --ontology" in " ".join(err.split())
