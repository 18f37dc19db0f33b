"""The door for scores: what is refused, with place and fix, and what is the same data."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from trueval import InputError, Labels, as_labels
from trueval.core.scores import as_scores
from trueval.data import Scores as ReadScores
from trueval.rank import (
    IsotonicRanker,
    OptimalThresholds,
    ProportionCut,
    ScoreCut,
    average_precision,
    f_measure,
    make_consistent,
    pick_threshold,
)

SCORES = np.array([[0.5, 0.0, 0.25], [0.0, 0.75, 0.0], [1.0, 0.0, 0.0]])


def _broken(form: str) -> Any:
    matrix = sp.csr_array(SCORES).asformat(form)
    if form == "coo":
        matrix.row[0] = 500
    elif form == "lil":
        matrix.rows[0] = [0, 500]
    else:
        matrix.indices[0] = 500
    return matrix


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "lil"])
def test_broken_sparse_scores_are_refused(form: str) -> None:
    with pytest.raises(InputError, match="broken sparse matrix"):
        as_scores(_broken(form))


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "lil"])
def test_broken_sparse_labels_are_refused(form: str) -> None:
    broken = _broken(form)
    if form == "lil":
        broken.data[0] = [1, 1]
    else:
        broken.data[:] = 1
    with pytest.raises(InputError, match="broken sparse matrix"):
        as_labels(broken)


def test_falling_pointers_are_refused() -> None:
    broken = sp.csr_array(SCORES)
    broken.indptr[-1] = -5
    with pytest.raises(InputError, match="pointers must not decrease"):
        as_scores(broken)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (np.ma.masked_equal(SCORES, 0.75), "row 1, column 1: .*missing value"),
        (np.ma.masked_equal(SCORES[1], 0.75), "missing value"),
        (pd.DataFrame(SCORES, columns=list("aab")), "several columns of one name"),
        (np.array([[10**400], [1]], dtype=object), "cannot be read as numbers"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), "times"),
        (np.array([[1 + 2j]]), "complex"),
        (pd.DataFrame({"a": [1.0, None]}).astype("Float64"), "row 1, column 'a': .*missing value"),
        (pl.DataFrame({"a": [1.0, None]}), "row 1, column 'a': .*missing value"),
    ],
)
def test_what_is_no_score_is_refused(scores: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        as_scores(scores)


def test_an_array_with_an_empty_mask_is_an_array() -> None:
    made = as_scores(np.ma.masked_greater(SCORES, 2.0))
    np.testing.assert_array_equal(made.matrix, SCORES)


@pytest.mark.parametrize("threshold", ["0.5", np.nan, [0.5]])
def test_a_threshold_is_a_number(threshold: Any) -> None:
    with pytest.raises(
        ValueError, match="'threshold' parameter of f_measure must be None or a number"
    ):
        f_measure(SCORES, SCORES > 0.3, threshold=threshold)


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok"])
def test_every_sparse_form_is_the_same_data(form: str, kind: str) -> None:
    made = getattr(sp, f"{form}_{kind}")(SCORES)
    y = SCORES > 0.3
    expected = average_precision(sp.csr_array(SCORES), y)
    assert average_precision(made, sp.csr_array(y).asformat(form)) == expected


def test_tuples_as_column_names_are_names() -> None:
    columns = pd.MultiIndex.from_product([["a"], [1, 2, 3]])
    assert as_scores(pd.DataFrame(SCORES, columns=columns)).names.shape == (3,)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_hierarchy_may_use_the_names_of_a_frame(frame: Any) -> None:
    values = frame(dict(zip("abc", SCORES.T, strict=True)))
    expected = make_consistent(SCORES, {1: 0, 2: [0, 1]})
    for tree in ({"b": "a", "c": ["a", "b"]}, [("b", "a"), ("c", "a"), ("c", "b")]):
        np.testing.assert_array_equal(make_consistent(values, tree), expected)
    edges = [(1, 0), (2, 0), (2, 1)]
    for by_number in (edges, iter(edges), {1: 0, 2: [0, 1]}):
        np.testing.assert_array_equal(make_consistent(values, by_number), expected)
    made = make_consistent(values, {"b": "a"})
    assert type(made) is type(values)
    assert list(made.columns) == ["a", "b", "c"]
    with pytest.raises(InputError, match="'d', which is not in classes"):
        make_consistent(values, {"d": "a"})


def test_consistent_frames_keep_row_names() -> None:
    frame = pd.DataFrame(SCORES, columns=list("abc"), index=[f"r{i}" for i in range(len(SCORES))])
    made, gap = make_consistent(frame, {"b": "a"}, return_gap=True)
    pd.testing.assert_index_equal(made.index, frame.index)
    np.testing.assert_array_equal(made, make_consistent(SCORES, {1: 0}))
    assert len(gap) == len(SCORES)


@pytest.mark.filterwarnings("ignore::trueval.rank.TargetWarning")
@pytest.mark.parametrize("scale", [1e308, 5e-324])
def test_scores_of_any_size_can_be_cut(scale: float) -> None:
    generator = np.random.default_rng(0)
    y = generator.random((60, 3)) < 0.3
    scores = np.where(y, 0.3, 0.0) + generator.integers(0, 8, size=y.shape)
    scores = scores * scale if scale < 1 else scores / 8.5 * scale
    ranks = np.unique(scores, return_inverse=True)[1].reshape(y.shape) / 1000.0
    for target in ({"beta": 1.0}, {"precision": 0.5}, {"recall": 0.5}):
        expected = pick_threshold(ranks, y, **target).predict(ranks)
        made = pick_threshold(scores, y, **target).predict(scores)
        np.testing.assert_array_equal(made.toarray(), expected.toarray())


@pytest.mark.filterwarnings("ignore::trueval.rank.OneClassWarning")
@pytest.mark.parametrize("cut", [OptimalThresholds(), ScoreCut(), ProportionCut()])
def test_without_any_stored_score_nothing_is_called(cut: Any) -> None:
    none = sp.csr_array((4, 2))
    y = np.array([[1, 0], [0, 1], [0, 0], [1, 1]])
    assert cut.fit(none, y).predict(none).nnz == 0
    if not isinstance(cut, ProportionCut):
        assert np.isinf(cut.thresholds_).all()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_scores_of_a_file_go_in_as_they_are(form: Any) -> None:
    index, classes = np.array(["p1", "p2", "p3"]), np.array(["a", "b", "c"])
    labels = Labels(as_labels(SCORES > 0.3).matrix, classes, index)
    read = ReadScores(form(SCORES), classes, index)
    assert average_precision(read, labels) == average_precision(form(SCORES), SCORES > 0.3)
    with pytest.raises(InputError, match="column 0 is 'b' in scores but 'a' in y"):
        average_precision(ReadScores(form(SCORES), classes[[1, 0, 2]], index), labels)
    with pytest.raises(InputError, match="row 0 is 'p2' in scores but 'p1' in y"):
        average_precision(ReadScores(form(SCORES), classes, index[[1, 0, 2]]), labels)
    unnamed = ReadScores(form(SCORES), np.arange(3))
    assert as_scores(unnamed).names is None
    assert average_precision(unnamed, labels) == average_precision(read, labels)


@pytest.mark.filterwarnings("ignore::trueval.rank.OneClassWarning")
def test_a_ranker_keeps_the_names_of_a_file() -> None:
    read = ReadScores(SCORES, np.array(["a", "b", "c"]))
    ranker = IsotonicRanker().fit(read, SCORES > 0.3)
    assert ranker.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(ranker.transform(read), ranker.transform(SCORES))


IDS = np.array(["p1", "p2", "p3"])


def _frames(scores_index: Any, y_index: Any) -> tuple[Any, Any]:
    scores = pd.DataFrame(SCORES, index=scores_index, columns=list("abc"))
    return scores, pd.DataFrame((SCORES > 0.3).astype(int), index=y_index, columns=list("abc"))


@pytest.mark.filterwarnings("ignore::trueval.rank.OneClassWarning")
@pytest.mark.parametrize("ids", [IDS, [30, 10, 20], pd.MultiIndex.from_product([["a"], [3, 1, 2]])])
def test_the_same_objects_in_another_order_are_refused(ids: Any) -> None:
    scores, y = _frames(ids, ids)
    assert as_scores(scores).index.tolist() == as_labels(y).index.tolist()
    expected = average_precision(SCORES, SCORES > 0.3)
    assert average_precision(scores, y) == expected
    said = r"row 0 is .* in another order. Give scores.loc\[y.index\]"
    with pytest.raises(InputError, match=said):
        average_precision(scores, y[::-1])
    with pytest.raises(InputError, match=said):
        IsotonicRanker().fit(scores[::-1], y)
    with pytest.raises(InputError, match=said):
        pick_threshold(scores, y[::-1], precision=0.8)
    reordered = scores[::-1].loc[y.index]
    assert average_precision(reordered, y) == expected


def test_other_objects_are_refused() -> None:
    with pytest.raises(InputError, match=r"row 2 is 'p3' in scores but 'p4' in y; .*reset_index"):
        average_precision(*_frames(IDS, ["p1", "p2", "p4"]))


@pytest.mark.parametrize(
    ("scores_index", "y_index"), [(None, IDS), (IDS, None), (None, [2, 1, 0]), ([2, 1, 0], None)]
)
def test_a_default_index_goes_by_position(scores_index: Any, y_index: Any) -> None:
    expected = average_precision(SCORES, SCORES > 0.3)
    assert average_precision(*_frames(scores_index, y_index)) == expected
    scores, y = _frames(scores_index, y_index)
    assert average_precision(pl.from_pandas(scores), y) == expected
    assert average_precision(scores, sp.csr_array(SCORES > 0.3)) == expected


def test_new_scores_may_have_any_index() -> None:
    generator = np.random.default_rng(0)
    y = generator.random((60, 3)) < 0.4
    ids = generator.permutation(60)
    scores = pd.DataFrame(y + generator.normal(size=y.shape), index=ids)
    labels = pd.DataFrame(y.astype(int), index=ids)
    ranker = IsotonicRanker().fit(scores, labels)
    new = scores[::-1]
    np.testing.assert_array_equal(ranker.transform(new), ranker.transform(scores)[::-1])
    # Folds take some of the rows, whose names then look like anything.
    choice = pick_threshold(scores, labels, beta=1.0, ranker=IsotonicRanker(), cv=3)
    by_position = pick_threshold(
        scores.to_numpy(), labels.to_numpy(), beta=1.0, ranker=IsotonicRanker(), cv=3
    )
    assert choice.threshold == by_position.threshold
    mixed = pick_threshold(
        scores.reset_index(drop=True), labels, beta=1.0, ranker=IsotonicRanker(), cv=3
    )
    assert mixed.threshold == by_position.threshold
    assert choice.predict(new).shape == (60, 3)


@given(st.integers(0, 2**32 - 1))
def test_columns_of_sparse_scores_make_a_matrix_of_the_same_places(seed: int) -> None:
    generator = np.random.default_rng(seed)
    shape = tuple(generator.integers(1, 9, size=2))
    dense = generator.integers(0, 3, shape) * generator.random(shape)
    scores = as_scores(sp.csr_array(dense))
    columns = [10 * k + scores.column(k)[0] for k in range(shape[1])]
    made = scores.like(columns)
    expected = np.where(dense != 0, dense + 10 * np.arange(shape[1]), 0)
    np.testing.assert_array_equal(made.toarray(), expected)
    made.check_format(full_check=True)
    assert made.has_canonical_format
    made.data[:] = 0
    made.eliminate_zeros()  # its arrays are nobody else's
    assert scores.n_stored == np.count_nonzero(dense)
