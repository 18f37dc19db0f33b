"""The naive and the nearest-sequence baseline."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cafa import naive
from tests.cafa.problems import SMALL
from trueval.cafa import Hits, evaluate, naive_predictions, nearest_predictions
from trueval.core.errors import InputError, InputWarning
from trueval.data import Ontology, simulate

TRAIN = {"P1": ["X:C"], "P2": ["X:B"], "P3": ["X:R"], "P4": ["X:A"]}


def as_dict(predictions):
    found = {}
    coo = predictions.matrix.tocoo()
    for row, column, score in zip(coo.row, coo.col, coo.data, strict=True):
        found.setdefault(str(predictions.targets[row]), {})[str(predictions.terms[column])] = score
    return found


def test_naive_by_hand():
    """Frequencies among four proteins: R 1, A 1/2, B 1/4, C 1/4."""
    found = as_dict(naive_predictions(TRAIN, SMALL, ["Q1", "Q2"]))
    assert found == {q: {"X:R": 1.0, "X:A": 0.5, "X:B": 0.25, "X:C": 0.25} for q in ("Q1", "Q2")}
    rare = as_dict(naive_predictions(TRAIN, SMALL, ["Q1"], min_score=0.3))
    assert rare == {"Q1": {"X:R": 1.0, "X:A": 0.5}}


def test_naive_counts_proteins_of_the_aspect():
    ontology = Ontology(["F", "f", "C"], [("f", "F", "is_a")], namespaces=["f", "f", "c"])
    found = as_dict(naive_predictions({"P1": ["f"], "P2": ["F"], "P3": ["C"]}, ontology, ["Q"]))
    assert found == {"Q": {"F": 1.0, "f": 0.5, "C": 1.0}}


def test_naive_goes_into_evaluate():
    naive_ = naive_predictions(TRAIN, SMALL, ["Q1", "Q2"])
    own = evaluate(naive_, {"Q1": ["X:A"], "Q2": ["X:B"]}, SMALL)["f"]
    assert own.coverage == 1.0
    # At 0.26: {R, A} for both, so precision (1 + 1/2) / 2, recall the same.
    assert own.fmax == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("targets", "error", "words"),
    [
        ("Q1", TypeError, "Got 'Q1'"),
        ([], InputError, "no target"),
        (["Q1", "Q1"], InputError, "named twice"),
    ],
)
def test_wrong_targets(targets, error, words):
    with pytest.raises(error, match=words):
        naive_predictions(TRAIN, SMALL, targets)


def make_hits(rows):
    """Hits of (query, subject, identity, evalue, bits)."""
    queries = list(dict.fromkeys(r[0] for r in rows))
    subjects = list(dict.fromkeys(r[1] for r in rows))
    numbers = np.array([r[2:] for r in rows], dtype=float)
    return Hits(
        np.array(queries),
        np.array(subjects),
        np.array([queries.index(r[0]) for r in rows]),
        np.array([subjects.index(r[1]) for r in rows]),
        *numbers.T,
    )


ROWS = [("Q1", "P1", 0.4, 1e-9, 60), ("Q1", "P2", 0.9, 1e-30, 120), ("Q2", "P9", 0.8, 1e-20, 90)]


def test_nearest_by_hand():
    hits = make_hits(ROWS)
    found = as_dict(nearest_predictions(hits, TRAIN, SMALL))
    # C and A from P1 at 0.4, B and R from P2 at 0.9; P9 has no annotation.
    assert found == {"Q1": {"X:C": 0.4, "X:A": 0.4, "X:B": 0.9, "X:R": 0.9}}
    bits = as_dict(nearest_predictions(hits, TRAIN, SMALL, score="bits"))
    third = pytest.approx(1 / 3)
    assert bits == {"Q1": {"X:C": third, "X:A": third, "X:B": pytest.approx(2 / 3), "X:R": 1.0}}
    strict = as_dict(nearest_predictions(hits, TRAIN, SMALL, max_evalue=1e-20))
    assert strict == {"Q1": {"X:B": 0.9, "X:R": 0.9}}


def test_hits_with_itself_are_left_out():
    hits = make_hits([*ROWS, ("P1", "P1", 1.0, 0, 500), ("P1", "P4", 0.5, 1e-9, 50)])
    with pytest.warns(InputWarning, match="1 of 5 hits are of a protein with itself"):
        found = as_dict(nearest_predictions(hits, TRAIN, SMALL))
    assert found["P1"] == {"X:A": 0.5, "X:R": 0.5}


def test_targets_of_nearest():
    found = as_dict(nearest_predictions(make_hits(ROWS), TRAIN, SMALL, targets=["Q1"]))
    assert list(found) == ["Q1"]


def test_hits_that_cannot_be_used():
    with pytest.raises(InputError, match="none of 1 hits is with an annotated protein"):
        nearest_predictions(make_hits(ROWS[2:]), TRAIN, SMALL)
    short = make_hits([("Q1", "P1", 0.4, np.nan, np.nan)])
    with pytest.raises(InputError, match="no bit scores"):
        nearest_predictions(short, TRAIN, SMALL, score="bits")
    with pytest.raises(InputError, match="no E-values"):
        nearest_predictions(short, TRAIN, SMALL, max_evalue=1)
    with pytest.raises(ValueError, match="'score' parameter"):
        nearest_predictions(short, TRAIN, SMALL, score="best")


def test_nearest_from_a_file(tmp_path):
    path = tmp_path / "hits.m8"
    lines = [f"{q}\t{p}\t{i}\t80\t9\t0\t1\t80\t1\t80\t{e}\t{b}\n" for q, p, i, e, b in ROWS]
    path.write_text("".join(lines))
    from_file = as_dict(nearest_predictions(path, TRAIN, SMALL))
    assert from_file == as_dict(nearest_predictions(make_hits(ROWS), TRAIN, SMALL))


@given(seed=st.integers(0, 2**32 - 1), by_bits=st.booleans())
def test_nearest_equals_the_definition(seed, by_bits):
    rng = np.random.default_rng(seed)
    ontology = simulate.random_ontology(int(rng.integers(3, 20)), 2, random_state=seed)
    terms = ontology.terms.tolist()
    train = {f"P{i}": rng.choice(terms, rng.integers(1, 4)).tolist() for i in range(5)}
    rows = [
        (f"Q{rng.integers(3)}", f"P{rng.integers(6)}", rng.random(), 1.0, rng.integers(1, 9))
        for _ in range(rng.integers(1, 15))
    ]
    rows.append(("Q0", "P0", 0.5, 1.0, 3))
    parents, space = naive.parents_of(ontology)
    closed = {p: naive.close(own, parents) for p, own in train.items()}
    expected = {}
    for query, subject, identity, _, bits in rows:
        for term in closed.get(subject, ()):
            own = expected.setdefault(query, {})
            if by_bits:
                own[term] = own.get(term, 0) + bits
            else:
                own[term] = max(own.get(term, 0), identity)
    if by_bits:
        for query, own in expected.items():
            for term in own:
                own[term] /= sum(
                    bits
                    for q, p, _, _, bits in rows
                    if q == query and any(space[t] == space[term] for t in closed.get(p, ()))
                )
    score = "bits" if by_bits else "identity"
    found = as_dict(nearest_predictions(make_hits(rows), train, ontology, score=score))
    assert {q: own for q, own in expected.items() if own} == {
        q: {t: pytest.approx(s) for t, s in own.items()} for q, own in found.items()
    }
