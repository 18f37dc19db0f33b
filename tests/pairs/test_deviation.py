import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from trueval.core.errors import InputError
from trueval.data import simulate
from trueval.pairs import deviation_study

SMALL = {
    "n_objects": 30,
    "n_repeats": 4,
    "n_test_pairs": 400,
    "n_splits": 4,
    "n_neighbors": [5, 20],
}


@pytest.fixture(scope="module")
def proteins():
    found = simulate.protein_families(1500, n_families=80, random_state=0)
    return found.features, found.terms


def test_shapes_and_table(proteins):
    study = deviation_study(*proteins, **SMALL, random_state=0)
    assert study.estimates.shape == (4, 2, 3, 2)
    assert np.isfinite(study.estimates).all()
    table = study.table
    assert len(table) == 12
    deviation = study.estimates[:, 1, 2, 0] - study.truths[:, 0]
    assert study.moment("mean", "strict", "leave-two-out", 5) == pytest.approx(deviation.mean())
    assert study.moment("variance", "strict", "leave-two-out", 5) == pytest.approx(
        deviation.var(ddof=1)
    )
    second = study.moment("second_moment", "strict", "leave-two-out", 5)
    assert second == pytest.approx((deviation**2).mean())
    error = study.moment("mean_se", "strict", "leave-two-out", 5)
    assert error**2 == pytest.approx(deviation.var(ddof=1) / 4 + study.test_variance[0])
    assert "DeviationStudy: 4 repeats" in repr(study)
    assert "<table" in study._repr_html_()
    with pytest.raises(InputError, match="no strict pooled estimate for 7"):
        study.moment("mean", "strict", "pooled", 7)


def test_fast_way_equals_refits(proteins):
    """KNN by masks against scikit-learn refitted on every fold: same estimates, nulls, truths."""
    small = SMALL | {"n_neighbors": 5, "n_repeats": 2, "n_objects": 16, "n_splits": 3}
    fast = deviation_study(*proteins, **small, random_state=3)
    slow = deviation_study(
        *proteins,
        **small,
        random_state=3,
        estimator=KNeighborsClassifier(5, weights="distance", algorithm="kd_tree"),
        leave_two_out=True,
    )
    assert np.abs(fast.truths - slow.truths).max() < 2e-3  # scores that only rounding tells apart
    assert np.nanmax(np.abs(fast.estimates - slow.estimates)) < 2e-3
    assert np.allclose(fast.nulls, slow.nulls, equal_nan=True)
    assert (fast.excluded == slow.excluded).all()
    assert slow.values == ["KNeighborsClassifier"]


def test_results_depend_on_the_seed_alone(proteins):
    one = deviation_study(*proteins, **SMALL, random_state=5)
    two = deviation_study(*proteins, **SMALL, random_state=5, n_jobs=2)
    other = deviation_study(*proteins, **SMALL, random_state=6)
    assert (one.estimates == two.estimates).all()
    assert (one.truths == two.truths).all()
    assert (one.estimates != other.estimates).any()


def test_resumes_and_extends(proteins, tmp_path):
    path = tmp_path / "study.npz"
    fewer = SMALL | {"n_repeats": 2}
    first = deviation_study(*proteins, **fewer, random_state=5, checkpoint=path)
    calls = []
    more = deviation_study(
        *proteins,
        **SMALL,
        random_state=5,
        checkpoint=path,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls == [(3, 4), (4, 4)]
    assert (more.estimates[:2] == first.estimates).all()
    fresh = deviation_study(*proteins, **SMALL, random_state=5)
    assert (more.estimates == fresh.estimates).all()
    assert [p.name for p in tmp_path.iterdir()] == ["study.npz"]
    with pytest.raises(InputError, match="other data, arguments or seed"):
        deviation_study(*proteins, **SMALL, random_state=6, checkpoint=path)
    with pytest.raises(ValueError, match="must be an int when there is a checkpoint"):
        deviation_study(*proteins, **SMALL, checkpoint=path)


@pytest.mark.parametrize("kind", ["matrix", "function"])
def test_a_checkpoint_belongs_to_its_labels(proteins, tmp_path, kind):
    """Labels that differ in pairs that only a draw has, not in a test pair."""
    features, terms = proteins
    path = tmp_path / "study.npz"
    tested, first, other = set(), [], terms.toarray() > 0

    def share(a, b, dense=other):
        return (dense[a] & dense[b]).any(axis=1)

    def watch(a, b):
        (tested.update if len(a) == SMALL["n_test_pairs"] else first.extend)([*a, *b])
        return share(a, b)

    deviation_study(features, watch, **SMALL | {"n_repeats": 1}, random_state=5, checkpoint=path)
    changed = other.copy()
    two = sorted(set(first) - tested)[:2]
    changed[two] = ~(changed[two] & changed[two[::-1]]).any() * np.eye(1, changed.shape[1])
    assert share(*np.array(two)[:, None]) != share(*np.array(two)[:, None], changed)

    def labels(dense):
        return sp.csr_array(dense) if kind == "matrix" else lambda a, b: share(a, b, dense)

    same = deviation_study(features, labels(other), **SMALL, random_state=5, checkpoint=path)
    fresh = deviation_study(features, labels(other), **SMALL, random_state=5)
    assert (same.estimates == fresh.estimates).all()
    with pytest.raises(InputError, match=r"npz: .* a study with other labels\. .* delete it"):
        deviation_study(features, labels(changed), **SMALL, random_state=5, checkpoint=path)


def test_draws_without_an_estimate_do_not_hide_the_others():
    """Few positives: some draws have none, and the means are of those that have one."""
    features = np.random.default_rng(0).normal(size=(2000, 3))
    sizes = {"n_objects": 20, "n_repeats": 12, "n_test_pairs": 800, "n_splits": 4}
    same_ten = lambda a, b: a // 10 == b // 10  # noqa: E731
    study = deviation_study(features, same_ten, **sizes, n_neighbors=3, random_state=0)
    defined = np.isfinite(study.truths[:, 0])
    assert 0 < defined.sum() < 12
    table = study.table
    assert np.isfinite(table["generalization"]).all()
    expected = study.truths[defined, 0].mean()
    assert table["generalization"].tolist() == pytest.approx([expected] * len(table))
    assert (table["n"] <= defined.sum()).all()


def test_an_interrupted_study_keeps_its_repeats(proteins, tmp_path):
    path = tmp_path / "study.npz"

    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        deviation_study(*proteins, **SMALL, random_state=5, checkpoint=path, progress=stop)
    calls = []
    resumed = deviation_study(
        *proteins,
        **SMALL,
        random_state=5,
        checkpoint=path,
        progress=lambda done, total: calls.append(done),
    )
    assert calls == [3, 4]
    whole = deviation_study(*proteins, **SMALL, random_state=5)
    assert (resumed.estimates == whole.estimates).all()


@pytest.mark.parametrize("damage", ["text", "cut", "empty", "array", "other"])
def test_a_damaged_checkpoint_is_refused(proteins, tmp_path, damage):
    path = tmp_path / "study.npz"
    deviation_study(*proteins, **SMALL, random_state=5, checkpoint=path)
    whole = path.read_bytes()
    if damage == "array":
        with path.open("wb") as file:
            np.save(file, np.arange(3))
    elif damage == "other":
        np.savez(path, repeat=np.arange(3))
    else:
        path.write_bytes({"text": b"a,b", "cut": whole[: len(whole) // 2], "empty": b""}[damage])
    with pytest.raises(InputError, match=r"study\.npz: the checkpoint cannot be read .* delete it"):
        deviation_study(*proteins, **SMALL, random_state=5, checkpoint=path)


def test_labels_by_a_function_and_another_learner(proteins):
    features, terms = proteins
    dense = terms.toarray() > 0

    def share(a, b):
        return (dense[a] & dense[b]).any(axis=1)

    by_function = deviation_study(features, share, **SMALL, random_state=0)
    by_terms = deviation_study(features, terms, **SMALL, random_state=0)
    assert (by_function.estimates == by_terms.estimates).all()
    study = deviation_study(
        features, terms, **SMALL | {"n_repeats": 2}, estimator=LogisticRegression(), random_state=0
    )
    assert study.estimates.shape == (2, 2, 2, 1)
    assert np.isfinite(study.estimates).all()
    assert set(study.table["estimate"]) == {"averaged", "pooled"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_test_pairs": 10**7}, "too many"),
        ({"n_objects": 1400}, "leave .* objects to draw"),
    ],
)
def test_too_much_asked(proteins, change, message):
    with pytest.raises(InputError, match=message):
        deviation_study(*proteins, **SMALL | change, random_state=0)


def test_bad_arguments(proteins):
    features, terms = proteins
    with pytest.raises(InputError, match="labels has 10 rows"):
        deviation_study(features, terms[:10], **SMALL)
    with pytest.raises(InputError, match="one label"):
        deviation_study(features, lambda a, b: np.ones(len(a)), **SMALL)
    with pytest.raises(ValueError, match="'n_splits' parameter"):
        deviation_study(features, terms, **SMALL | {"n_splits": 1})


def test_proteome_is_seeded_and_has_families():
    one, two = (simulate.protein_families(200, random_state=1) for _ in range(2))
    assert one.sequences == two.sequences
    assert (one.terms != two.terms).nnz == 0
    x = one.features
    assert x[:, :20].sum(axis=1) == pytest.approx(1.0)
    assert x[:, 20:].sum(axis=1) == pytest.approx(1.0)
    same = one.family[:, None] == one.family[None, :]
    distance = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    off = ~np.eye(200, dtype=bool)
    assert distance[same & off].mean() < 0.5 * distance[~same].mean()


@pytest.mark.slow
def test_the_papers_picture_without_its_data():
    """Relaxed clearly positive, strict near zero, strict variances larger."""
    found = simulate.protein_families(20_000, random_state=0)
    study = deviation_study(
        found.features, found.terms, n_repeats=30, n_test_pairs=4000, n_neighbors=50, random_state=0
    )
    for estimate in ("averaged", "pooled", "leave-two-out"):
        relaxed = study.moment("mean", "relaxed", estimate, 50)
        strict = study.moment("mean", "strict", estimate, 50)
        assert relaxed > 0.05
        assert abs(strict) < 0.3 * relaxed
        assert study.moment("second_moment", "strict", estimate, 50) < study.moment(
            "second_moment", "relaxed", estimate, 50
        )
        assert study.moment("variance", "strict", estimate, 50) > study.moment(
            "variance", "relaxed", estimate, 50
        )
