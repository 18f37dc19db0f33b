"""The audit gives no all-clear by how ids are stored, and tells what degrees alone predict."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from trueval import InputError
from trueval.pairs import audit_pairs
from trueval.show import verdict

NAMES = [f"P{number}" for number in range(8)]


def as_objects(rows):
    out = np.empty((len(rows), 2), dtype=object)
    for at, row in enumerate(rows):
        out[at] = row
    return out


def half_bytes(rows):
    """Ids of every second row as bytes, as where two files were read by different tools."""
    return as_objects([[n.encode() if at % 2 else n for n in row] for at, row in enumerate(rows)])


def frame(rows):
    return pytest.importorskip("pandas").DataFrame(rows, columns=["a", "b"])


FORMS = {
    "list": lambda rows: rows,
    "text": np.array,
    "objects": as_objects,
    "bytes": lambda rows: np.array(rows).astype("S"),
    "bytes and text": half_bytes,
    "frame": frame,
    "frame of bytes and text": lambda rows: frame(half_bytes(rows)),
    "categories": lambda rows: frame(rows).astype("category"),
}


@pytest.mark.parametrize("form", FORMS)
@given(st.data())
@settings(max_examples=25)
def test_counts_do_not_depend_on_the_form_of_ids(form, data):
    two = st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True)
    rows = data.draw(st.lists(two, min_size=2, max_size=10))
    cut = data.draw(st.integers(1, len(rows) - 1))
    audit = audit_pairs(FORMS[form](rows), np.arange(cut), np.arange(cut, len(rows)))
    seen = {name for row in rows[:cut] for name in row}
    known = [sum(name in seen for name in row) for row in rows[cut:]]
    assert audit.counts == {role: known.count(n) for role, n in (("AA", 2), ("AB", 1), ("BB", 0))}
    assert sorted(audit.shared_objects) == sorted(seen & {n for row in rows[cut:] for n in row})


@pytest.mark.parametrize("padded", ["P1 ", " P1", "P1\t", "P1\u00a0"])
def test_ids_that_differ_in_white_space_are_refused(padded):
    with pytest.raises(InputError, match="differ only in the white space"):
        audit_pairs([("P1", "P2"), (padded, "P3")], [0], [1])
    audit = audit_pairs([("P1", "P2"), ("P4 ", "P3")], [0], [1])  # one way of writing each
    assert audit.counts["BB"] == 1


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(InputError, match="not UTF-8"):
        audit_pairs([(b"\xff", "P2"), ("P1", "P3")], [0], [1])


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_degree_auc_equals_its_definition(seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 8, (30, 2)) + np.where(np.arange(30) < 10, 100, 0)[:, None]
    y = rng.integers(0, 2, 30)
    y[10:12] = 0, 1
    audit = audit_pairs(rows, np.arange(10), np.arange(10, 30), y=y)
    tested = [frozenset(row) for row in rows[10:].tolist()]
    degree = {o: sum(o in pair for pair in tested) for pair in tested for o in pair}
    scores = [degree[a] * degree[b] for a, b in rows[10:].tolist()]
    assert audit.degree_auc == pytest.approx(roc_auc_score(y[10:], scores))


def test_a_test_set_that_degrees_solve_is_not_green():
    train = [(f"t{n}", f"t{n + 1}") for n in range(10)]
    hubs = [("h1", f"x{n}") for n in range(10)]
    rest = [(f"y{n}", f"z{n}") for n in range(10)]
    y = [0, 1] * 5 + [1] * 10 + [0] * 10
    audit = audit_pairs(train + hubs + rest, np.arange(10), np.arange(10, 30), y=y)
    assert audit.setting == "BB"
    assert audit.identity_auc == 0.5
    assert audit.degree_auc == 1.0
    found = verdict(audit)
    assert found.level == "fair"
    assert "Degrees in the test set alone predict its labels" in found.text
    reversed_ = audit_pairs(
        train + hubs + rest, np.arange(10), np.arange(10, 30), y=y[:10] + [0] * 10 + [1] * 10
    )
    assert reversed_.degree_auc == 0.0
    assert verdict(reversed_).level == "fair"
    balanced = audit_pairs(
        train + rest + [(a, b) for (a, _), (b, _) in zip(rest, rest[1:] + rest[:1], strict=True)],
        np.arange(10),
        np.arange(10, 30),
        y=[0, 1] * 15,
    )
    assert balanced.degree_auc == pytest.approx(0.5)
    assert verdict(balanced).level == "good"


def test_identity_far_below_one_half_is_explained():
    """Objects that are positive in training are negative in the test set."""
    train = [("a", "b"), ("c", "d"), ("a", "c"), ("b", "d")]
    audit = audit_pairs(
        [*train, ("a", "x"), ("d", "y")], np.arange(4), [4, 5], y=[1, 0, 1, 0, 0, 1]
    )
    assert audit.identity_auc == 0.0
    found = verdict(audit)
    assert "below one half it misleads" in found.reason
    assert "predicts the labels" not in found.text
    assert "below one half it misleads" in repr(audit)
