import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pairs import naive
from trueval.core.errors import InputError
from trueval.pairs import ObjectKFold, PairLeakError, audit_pairs

quick = settings(max_examples=50, deadline=None, derandomize=True, database=None)


@st.composite
def splits(draw):
    n = draw(st.integers(8, 50))
    pairs = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=n, max_size=n))
    side = draw(st.lists(st.sampled_from("trn"), min_size=n, max_size=n))
    y = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    train = [i for i, s in enumerate(side) if s == "t"] or [0]
    test = [i for i, s in enumerate(side) if s == "r"] or [1]
    return np.array(pairs), train, test, np.array(y)


@quick
@given(splits())
def test_everything_counted_naively(data):
    pairs, train, test, y = data
    clusters = {o: o // 3 for o in range(10)}
    audit = audit_pairs(pairs, train, test, y=y, clusters=clusters)
    seen = {int(o) for r in train for o in pairs[r]}
    seen_clusters = {clusters[o] for o in seen}
    tested = {int(o) for r in test for o in pairs[r]}
    counts = {"AA": 0, "AB": 0, "BB": 0}
    by_cluster = {"AA": 0, "AB": 0, "BB": 0}
    for place, r in enumerate(test):
        name = ["BB", "AB", "AA"][sum(int(o) in seen for o in pairs[r])]
        counts[name] += 1
        assert audit.roles[place] == name
        n_known = sum(clusters[int(o)] in seen_clusters for o in pairs[r])
        by_cluster[["BB", "AB", "AA"][n_known]] += 1
    assert audit.counts == counts
    assert audit.cluster_counts == by_cluster
    assert audit.n_shared_clusters == len(seen_clusters & {clusters[o] for o in tested})
    assert audit.shared_objects == sorted(seen & tested)
    trained = {tuple(map(int, pairs[r])) for r in train}
    same = [r for r in test if tuple(pairs[r]) in trained]
    mirror = [r for r in test if r not in same and tuple(pairs[r][::-1]) in trained]
    assert (audit.n_duplicates, audit.n_mirrored) == (len(same), len(mirror))
    assert audit.n_self == sum(pairs[r][0] == pairs[r][1] for r in {*train, *test})

    rows = sorted({*train, *test})
    labels = {o: {bool(y[r]) for r in rows if o in pairs[r]} for o in seen | tested}
    assert audit.only_positive == sorted(o for o, found in labels.items() if found == {True})
    assert audit.only_negative == sorted(o for o, found in labels.items() if found == {False})
    of_pair = {}
    for r in rows:
        of_pair.setdefault(tuple(sorted(map(int, pairs[r]))), []).append(r)
    conflicts = [rs for rs in of_pair.values() if len({bool(y[r]) for r in rs}) == 2]
    assert audit.n_conflicts == len(conflicts)
    across = [rs for rs in conflicts if {*rs} & {*train} and {*rs} & {*test}]
    assert audit.n_leaked_conflicts == len(across)

    def rate(o):
        mine = [bool(y[r]) for r in train if o in pairs[r]]
        return np.mean(mine) if mine else np.mean(y[train])

    scores = [rate(a) + rate(b) for a, b in np.sort(pairs[test], axis=1)]
    expected = naive.auc(y[test], np.round(scores, 12))
    if expected is None:
        assert audit.identity_auc is None
    else:
        assert audit.identity_auc == pytest.approx(expected, abs=0.5 / len(test) ** 2 + 1e-9)


def hub_benchmark(seed=0):
    """Positives among a few hubs, negatives drawn evenly: the usual broken benchmark."""
    rng = np.random.default_rng(seed)
    positives = np.column_stack([rng.integers(12, size=600), rng.integers(12, 150, size=600)])
    negatives = rng.integers(150, size=(600, 2))
    pairs = np.vstack([positives, negatives])
    return pairs, np.repeat([1, 0], 600)


def test_identity_alone_exposes_a_broken_benchmark():
    pairs, y = hub_benchmark()
    rows = np.random.default_rng(1).permutation(len(pairs))
    broken = audit_pairs(pairs, rows[:900], rows[900:], y=y)
    assert broken.identity_auc > 0.85
    assert "object identity alone" in repr(broken)
    strict = ObjectKFold(3, random_state=0)
    for train, test in strict.split(y=y, groups=pairs):
        audit = audit_pairs(pairs, train, test, y=y)
        assert audit.identity_auc == 0.5
        assert audit.identity_auc_by_role == {"BB": 0.5}
        assert audit.setting == "BB"
        assert audit.require("BB") is audit
    relaxed = ObjectKFold(3, scheme="relaxed", random_state=0)
    values = [
        audit_pairs(pairs, train, test, y=y).identity_auc
        for train, test in relaxed.split(y=y, groups=pairs)
    ]
    assert min(values) > 0.8


def test_require_says_what_leaks():
    pairs = [("a", "b"), ("b", "a"), ("a", "c"), ("d", "e"), ("f", "g")]
    with pytest.raises(PairLeakError, match="1 test pairs occur in training"):
        audit_pairs(pairs, [0], [1]).require("AA")
    with pytest.raises(PairLeakError, match="1 test pairs know more objects than BB"):
        audit_pairs(pairs, [0], [2, 3]).require("BB")
    kin = {"a": 0, "b": 1, "c": 2, "d": 0, "e": 3, "f": 4, "g": 5}
    audit = audit_pairs(pairs, [0], [3, 4], clusters=kin)
    assert (audit.counts["BB"], audit.cluster_counts["AB"]) == (2, 1)
    with pytest.raises(PairLeakError, match="know more clusters than BB"):
        audit.require("BB")
    with pytest.raises(ValueError, match="'setting' parameter of require must be"):
        audit.require("XX")


def test_two_files_one_below_the_other(tmp_path):
    (tmp_path / "train.tsv").write_text("P1\tP2\t1\nP2\tP3\t0\n")
    (tmp_path / "test.tsv").write_text("P1\tP3\t1\nP4\tP5\t0\nP2\tP1\t0\n")
    train, test = (
        np.genfromtxt(tmp_path / name, dtype=str, delimiter="\t")
        for name in ("train.tsv", "test.tsv")
    )
    both = np.vstack([train, test])
    audit = audit_pairs(both[:, :2], [0, 1], [2, 3, 4], y=both[:, 2].astype(int))
    assert audit.counts == {"AA": 2, "AB": 0, "BB": 1}
    assert (audit.n_mirrored, audit.n_leaked_conflicts) == (1, 1)


def test_bipartite_sides():
    pairs = np.array([(0, 0), (0, 1), (1, 0), (2, 2), (2, 0)])
    audit = audit_pairs(pairs, [0], [1, 2, 3, 4], symmetric=False)
    assert audit.counts == {"AA": 0, "AB": 3, "BB": 1}
    assert audit.new_by_column == [3, 2]
    assert audit.n_self == 0


def test_shown_and_escaped():
    audit = audit_pairs([("<a>", "b"), ("<a>", "c")], [0], [1], y=[0, 1])
    assert "no AUC, the test pairs are of one class" in repr(audit)
    assert "<td" in audit._repr_html_()
    assert "some objects seen" in audit._repr_html_()


@pytest.mark.parametrize(
    ("train", "test", "y", "message"),
    [
        ([], [1], None, "train has no rows"),
        ([0], [], None, "test has no rows"),
        ([0], [7], None, "test names row 7"),
        ([0], [1], [0], "y has 1 labels but pairs has 2 rows"),
        ([0], [1], [0, 5], "y must have the labels"),
    ],
)
def test_bad_input_is_named(train, test, y, message):
    with pytest.raises(InputError, match=message):
        audit_pairs([("a", "b"), ("a", "c")], train, test, y=y)
