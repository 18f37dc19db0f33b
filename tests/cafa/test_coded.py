"""``Predictions`` and ``Hits`` that users make: checked, and nobody else's arrays."""

import pickle

import numpy as np
import pytest

from tests.cafa.problems import SMALL, SMALL_IA, SMALL_PREDICTIONS, SMALL_TRUTH
from trueval import InputError, ParameterError
from trueval.cafa import Hits, Predictions, evaluate, nearest_predictions, read_hits
from trueval.table import Table

#: SMALL_PREDICTIONS by hand: P1 C 0.9, P1 B 0.5, P2 A 0.6.
GOOD = {
    "targets": ["P1", "P2", "P3"],
    "terms": ["X:A", "X:B", "X:C"],
    "rows": [0, 0, 1],
    "columns": [2, 1, 0],
    "scores": [0.9, 0.5, 0.6],
}


def test_predictions_by_hand():
    by_hand = evaluate(Predictions(**GOOD), SMALL_TRUTH, SMALL, n_resamples=0)
    expected = evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, n_resamples=0)
    assert by_hand.to_dict()["aspects"] == expected.to_dict()["aspects"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": [0, 0, -1]}, "row 2: rows has -1, but there are 3 targets"),
        ({"rows": [0, 3, 0]}, "row 1: rows has 3, but there are 3 targets"),
        ({"columns": [0, 1, 3]}, "row 2: columns has 3, but there are 3 terms"),
        ({"columns": [0, 1, -3]}, "row 2: columns has -3"),
        ({"rows": [0.0, 1.0, 2.0]}, "rows must be whole numbers"),
        ({"rows": [True, False, True]}, "rows must be whole numbers"),
        ({"rows": [[0], [1, 2], [0]]}, "rows is no array"),
        ({"rows": "001"}, "rows must be whole numbers"),
        ({"rows": [0, 1]}, "2 rows but 3 columns"),
        ({"scores": [0.5]}, r"scores have shape \(1,\), but there are 3 rows"),
        ({"scores": [0.9, np.nan, 0.6]}, "row 1: P1, X:B: the score is nan"),
        ({"scores": [0.9, np.inf, 0.6]}, "row 1: P1, X:B: the score is inf"),
        ({"scores": [0.9, 0.5, -1]}, "row 2: P2, X:A: the score is -1"),
        ({"scores": [2, 0.5, 1]}, "row 0: P1, X:C: the score is 2"),
        ({"scores": [1e308, 0.5, 1]}, "the score is 1e[+]308"),
        ({"scores": [0.9, 0, 1]}, "row 1: the score is 0.*Leave it out"),
        ({"scores": ["0.9", "0.5", "1"]}, "scores must be real numbers: '0.9' is text"),
        ({"terms": ["X:A", "X:B", "X:A"]}, "terms has 'X:A' more than once"),
        ({"targets": ["P1", "P1", "P3"]}, "targets has 'P1' more than once"),
        ({"targets": ["P1", "P1\0", "P3"]}, "ends in a NUL character"),
        ({"targets": "P1"}, "targets must be a list of names"),
        ({"duplicates": "sum"}, "'duplicates' parameter of Predictions"),
        ({"name": 3}, "'name' parameter of Predictions"),
        ({"header": "x"}, "'header' parameter of Predictions"),
        ({"counts": [1]}, "'counts' parameter of Predictions"),
    ],
)
def test_predictions_that_are_none(change, message):
    with pytest.raises((InputError, ParameterError), match=message):
        Predictions(**{**GOOD, **change})


def test_no_prediction_is_none():
    empty = Predictions(["P1"], ["X:A"], [], [], [])
    assert empty.matrix.toarray().tolist() == [[0.0]]
    assert Predictions([], [], [], [], []).matrix.shape == (0, 0)
    with pytest.warns(UserWarning, match="no prediction is for a protein of the truth"):
        evaluate(empty, SMALL_TRUTH, SMALL, n_resamples=0)


@pytest.mark.parametrize(
    "predictions", [{"P1": "X:A"}, {"P1": ["X:A"]}, {"P1": [("X:A", 0.5)]}, {"P1": 0.5}]
)
def test_a_mapping_without_scores(predictions):
    with pytest.raises(InputError, match="no mapping of terms to scores"):
        evaluate(predictions, SMALL_TRUTH, SMALL)


def arrays_of(value):
    return {name: a for name, a in vars(value).items() if isinstance(a, np.ndarray)}


HITS = {
    "queries": ["Q1"],
    "subjects": ["P1", "P2"],
    "rows": [0, 0],
    "columns": [0, 1],
    "identity": [0.9, 0.4],
    "evalue": [1e-9, np.nan],
    "bits": [60.0, 1e308],
}
TYPES = {"targets": str, "terms": str, "queries": str, "subjects": str, "rows": np.int32}
TYPES["columns"] = np.int32


@pytest.mark.parametrize(("kind", "good"), [(Predictions, GOOD), (Hits, HITS)])
def test_arrays_belong_to_the_value(kind, good):
    given = {name: np.array(v, TYPES.get(name, float)) for name, v in good.items()}
    value = kind(**given)
    before = {name: array.copy() for name, array in arrays_of(value).items()}
    for array in given.values():
        array[...] = array[::-1].copy() if array.dtype.kind == "U" else 0
    again = pickle.loads(pickle.dumps(value))
    for one in (value, again):
        assert not any(array.flags.writeable for array in arrays_of(one).values())
        for name, array in arrays_of(one).items():
            np.testing.assert_array_equal(array, before[name])
    assert value._repr_html_()
    with pytest.raises(AttributeError, match="cannot be changed"):
        value.rows = given["rows"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": [0, -1]}, "row 1: rows has -1, but there are 1 queries"),
        ({"columns": [0, 2]}, "row 1: columns has 2, but there are 2 subjects"),
        ({"columns": [0]}, "2 rows but 1 columns"),
        ({"identity": [0.9, 40]}, "row 1: the identity is 40; it must be from 0 to 1"),
        ({"identity": [0.9, np.nan]}, "row 1: the identity is nan"),
        ({"identity": [0.9]}, "identity have shape"),
        ({"evalue": [-1e-9, 0]}, "row 0: the E-value is -1e-09; it must be a finite number"),
        ({"bits": [1, np.inf]}, "row 1: the bit score is inf"),
        ({"subjects": ["P1", "P1"]}, "subjects has 'P1' more than once"),
        ({"rows": [], "columns": [], "identity": [], "evalue": [], "bits": []}, "there is no hit"),
    ],
)
def test_hits_that_are_none(change, message):
    with pytest.raises(InputError, match=message):
        Hits(**{**HITS, **change})


def test_bit_scores_of_any_size_are_shares():
    # 3 : 1 of the hits with an annotation, which 1.5e308 + 0.5e308 cannot say.
    for unit in (1.0, 0.5e308):
        hits = Hits(**{**HITS, "bits": [3 * unit, unit]})
        near = nearest_predictions(hits, {"P1": ["X:B"], "P2": ["X:A"]}, SMALL, score="bits")
        scores = dict(zip(near.terms.tolist(), near.matrix.toarray()[0].tolist(), strict=True))
        assert scores == {"X:A": 0.25, "X:B": 0.75, "X:R": 1.0}


def test_hits_of_something_else():
    with pytest.raises(ParameterError, match="'hits' parameter of nearest_predictions"):
        nearest_predictions([("Q1", "P1", 0.9)], SMALL_TRUTH, SMALL)


@pytest.mark.parametrize(
    ("evalue", "bits", "what"), [("-1", "50", "E-value is -1"), ("0", "inf", "bit score is inf")]
)
def test_files_of_hits_are_checked_alike(evalue, bits, what):
    good = b"Q1\tP1\t87.5\t80\t10\t0\t1\t80\t1\t80\t1e-30\t150\n"
    bad = f"Q1\tP2\t87.5\t80\t10\t0\t1\t80\t1\t80\t{evalue}\t{bits}\n".encode()
    with pytest.raises(InputError, match=rf"line 2: the {what}"):
        read_hits(good + bad)


@pytest.mark.parametrize(
    ("ia", "message"),
    [
        (dict.fromkeys(SMALL_IA, 1e308), "is 1e[+]308. It cannot be above 1,074 bits"),
        ({"X:A": "1"}, "ia must be real numbers: '1' is text"),
        ({"X:A": 10**309}, "ia must be real numbers"),
        ({"X:A": [1, 2]}, "ia must be one number for each term"),
        (Table({"a": [1]}), "'ia' parameter must be"),
    ],
)
def test_an_information_accretion_that_is_none(ia, message):
    with pytest.raises((InputError, ParameterError), match=message):
        evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, ia=ia)


def test_the_largest_information_accretion():
    # Weights that are all equal weigh nothing, whatever they are.
    made = [
        evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, ia=dict.fromkeys(SMALL_IA, weight))
        for weight in (1074.0, 1.0)
    ]
    wfmax = [evaluation["f"].wfmax for evaluation in made]
    assert wfmax[0] == pytest.approx(wfmax[1])
