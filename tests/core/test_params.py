"""Constraints on parameters: one message, and none is missing."""

import inspect
import pickle
from types import MappingProxyType

import numpy as np
import pytest
from sklearn.model_selection import KFold

from tests.api import documented
from trueval import METHODS, ParameterError, stratified_folds
from trueval.core.params import (
    BOOL,
    CALLABLE,
    N_JOBS,
    NONE,
    PATH,
    RANDOM_STATE,
    STRING,
    Choice,
    Instance,
    Interval,
    Many,
    Methods,
    Where,
    check_params,
    constrained,
)

#: Parameters that are the data themselves, and where they are checked.
DATA = MappingProxyType(
    {
        **dict.fromkeys(["y", "labels", "calls"], "core.labels.as_labels"),
        **dict.fromkeys(["scores", "values", "rewired"], "core.scores, core.arrays"),
        "time": "audit._inputs.times_of",
        **dict.fromkeys(["folds", "fixed", "initial", "train", "test"], "core.folds, core.arrays"),
        **dict.fromkeys(["pairs", "index_of_pairs"], "core.pairs.as_pairs"),
        "groups": "core.groups.group_numbers, core.pairs.as_pairs",
        "sample_weight": "rank._weights.row_weights",
        "clusters": "core.clusters.cluster_codes",
        **dict.fromkeys(
            ["similarity", "left", "right", "neighbors"], "core.similarity.as_similarity"
        ),
        **dict.fromkeys(["classes", "index", "ids", "names"], "names of rows and classes"),
        "matrix": "core.labels, core.scores",
        "X": "only its length is looked at, or the estimator checks it",
        "fit_params": "the estimator's",
        "rows": "row numbers or names, by NumPy or core.names.align",
        **dict.fromkeys(
            ["weight", "weights", "row_weight", "sample_weight", "train_rates"],
            "numbers for each row or fold",
        ),
        **dict.fromkeys(["objects", "sequences", "features"], "features and sequences of objects"),
        "terms": "ids of an ontology, looked up in it",
        "hierarchy": "rank.hierarchy.as_hierarchy",
        **dict.fromkeys(["label_list", "negatives", "counts"], "what a file holds"),
        "arrays": "anything with rows",
        "options": "those of the method, refused by name",
        "columns": "columns of a table, of one length",
        "predictions": "cafa.as_predictions",
        **dict.fromkeys(["truth", "known", "annotations", "before", "after"], "cafa.annotated"),
        "ia": "cafa.accretion_values",
        "hits": "cafa.Hits, or a file of them",
        **dict.fromkeys(["targets", "queries", "subjects"], "names of proteins"),
        **dict.fromkeys(["identity", "evalue", "bits"], "cafa._coded.as_values"),
    }
)

#: Parameters with a check of their own, by name of the function; and why.
OWN = MappingProxyType(
    {
        "trueval.pairs.coverage.cv": "a splitter, or pairs of row numbers",
        "trueval.report.blocks_of.cv": "a splitter, or pairs of row numbers",
        "trueval.displays.PairBlocksDisplay.from_cv.cv": "a splitter, or pairs of row numbers",
        "trueval.audit.RowAudit.check.name": "looked up; the message has all names",
        "trueval.audit.RowAudit.require.checks": "looked up; the message has all names",
        "trueval.pairs.DeviationStudy.moment.value": "one of the study's values",
        "trueval.rank.ThresholdChoice.calls_among.threshold": "a number or ∞, compared by NumPy",
        "trueval.rank.hit_curve.order": "row and class numbers, checked against y",
        **dict.fromkeys(
            (
                f"trueval.cafa.{name}.ontology"
                for name in (
                    "evaluate",
                    "Benchmark",
                    "filter_terms",
                    "information_accretion",
                    "knowledge_split",
                    "naive_predictions",
                    "nearest_predictions",
                    "read_predictions",
                )
            ),
            "an Ontology or a path, by TermIndex.of",
        ),
        "trueval.cafa.filter_terms.aspect": "looked up in the ontology",
        "trueval.cafa.knowledge_split.ignore": "terms, looked up in the ontology",
        "trueval.data.load_dataset.name": "looked up; the message has near names",
        "trueval.data.load_dataset._loopback": "for tests",
        "trueval.data.dataset_info.name": "looked up; the message has near names",
        "trueval.study.run_study.name": "looked up; the message has near names",
        "trueval.study.StudyResult.from_json.text": "JSON, refused with what it is",
        "trueval.report.study_stage.result": "checked for its attributes",
        "trueval.testing.check_splitter.splitter": "what is tested",
        "trueval.testing.check_splitter.expected_failures": "names of checks",
        "trueval.displays.SplitQualityDisplay.from_quality.quality": "a result, or a mapping",
        "trueval.pairs.PairIndex.touched.mark": "a mask of objects",
        "trueval.data.Scores.column.k": "a column number, by NumPy",
        "trueval.InputError.in_file.file": "a name",
        "trueval.InputError.message.spell": "a function of two",
        "trueval.InputError.to_dict.spell": "a function of two",
        "trueval.pairs.Scheme.of.scheme": "its keys are checked",
        "trueval.pairs.Scheme.of.place": "for the message",
        "trueval.pairs.Scheme.of_coverage.coverage": "a result",
        "trueval.pairs.Scheme.of_coverage.more": "further fields",
        "trueval.rank.make_ranker.name": "looked up; the message has all names",
        "trueval.rank.make_ranker.params": "those of the ranker, checked in its fit",
        **{f"{m.path.replace(':', '.')}.parts": "read by reads_inputs" for m in METHODS.values()},
    }
)

#: Classes that trueval makes and users receive; their constructors are not for users.
RESULTS = frozenset(
    [
        "SplitQuality",
        "Ranked",
        "PairSplit",
        "Leakage",
        "SampledPairs",
        "PairFold",
        "Coverage",
        "PairAudit",
        "RowAudit",
        "Check",
        "PairScores",
        "Scheme",
        "SchemeComparison",
        "PooledScores",
        "AUC",
        "AUCWithNull",
        "DeviationStudy",
        "Sequences",
        "PairIndex",
        "PrecisionExamination",
        "PrecisionRecallCurve",
        "ThresholdChoice",
        "Dataset",
        "DatasetInfo",
        "Ontology",
        "Study",
        "StudyResult",
        "AspectEvaluation",
        "Curve",
        "Evaluation",
        "KnowledgeBenchmark",
        "KnowledgeSplit",
        "InputError",
        "ParameterError",
        "MissingExtra",
        "SplitQualityDisplay",
        "PrecisionRankDisplay",
        "PrecisionRecallDisplay",
        "ReliabilityDisplay",
        "RankerCurveDisplay",
        "PairBlocksDisplay",
        "PairAuditDisplay",
        "CoverageDisplay",
        "DeviationDisplay",
    ]
)

#: Builders from plain arrays that are already drawn from results.
ARRAYS_TO_DRAW = ("trueval.charts.", "trueval.stratify.measures.")


def functions():
    """Public functions, constructors and methods with their constraints."""
    for name, thing in documented().items():
        if not inspect.isclass(thing):
            if callable(thing):
                yield name, thing, getattr(thing, "parameter_constraints", {})
            continue
        if issubclass(thing, Warning):
            continue
        if thing.__name__ not in RESULTS:
            yield name, thing.__init__, getattr(thing, "_parameter_constraints", {})
        for attribute, method in inspect.getmembers(thing, callable):
            ours = (getattr(method, "__module__", "") or "").startswith("trueval")
            if ours and not attribute.startswith("_"):
                found = getattr(method, "parameter_constraints", {})
                yield f"{name}.{attribute}", method, found


FUNCTIONS = {name: (function, found) for name, function, found in functions()}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_parameter_has_a_constraint(name):
    function, found = FUNCTIONS[name]
    if name.startswith(ARRAYS_TO_DRAW):
        found = {**dict.fromkeys(inspect.signature(function).parameters), **found}
    for parameter in inspect.signature(function).parameters:
        known = parameter in found or parameter in DATA or f"{name}.{parameter}" in OWN
        ignored = parameter in ("self", "args", "kwargs", "ax") or name.endswith(".plot")
        assert known or ignored, f"{name} has no constraint on {parameter!r}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_defaults_keep_their_constraints(name):
    function, found = FUNCTIONS[name]
    values = {
        parameter.name: parameter.default
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is not inspect.Parameter.empty
        and "factory" not in repr(parameter.default)  # of a dataclass
    }
    check_params(name, values, found)
    assert set(found) <= set(inspect.signature(function).parameters)


@pytest.mark.parametrize(
    ("constraint", "text", "good", "bad"),
    [
        (Interval(int, 2), "an int of at least 2", [2, np.int32(7)], [1, 2.0, True, "2", None]),
        (
            Interval(float, 0, 1, "right"),
            "a number above 0 and at most 1",
            [1, 0.5, np.float32(0.5)],
            [0, 1.5, np.nan, np.inf, "0.5", True],
        ),
        (Interval(float, 0.5, 1, "left"), "a number from 0.5 and below 1", [0.5], [1, 0.4]),
        (Interval(float, 0, closed="neither"), "a number above 0", [1e-9], [0, -1]),
        (Interval(int, 1, 5), "an int from 1 to 5", [1, 5], [0, 6]),
        (Interval(float), "a number", [-3.5, 2], ["x", None]),
        (Choice(("a", "b", None)), "'a', 'b' or None", ["a", None], ["c", 1, ["a"]]),
        (BOOL, "True or False", [True, np.False_], [0, 1, "yes", None]),
        (NONE, "None", [None], [0, False]),
        (CALLABLE, "callable", [len], [3]),
        (PATH, "a path", ["x", b"x"], [3, None]),
        (RANDOM_STATE, "None, an int", [None, 0, np.random.default_rng(0)], [-1, 1.5, "x"]),
        (Methods(("split",), "a splitter"), "a splitter", [KFold()], [KFold, "text", 3]),
        (Instance(dict, "a dict"), "a dict", [{}], [[]]),
        (Where(lambda v: v[0] == 1, "begins with 1"), "begins with 1", [[1]], [[2], 3, [], None]),
    ],
)
def test_constraints(constraint, text, good, bad):
    assert text in str(constraint)
    for value in good:
        assert constraint.accepts(value), value
    for value in bad:
        assert not constraint.accepts(value), value


def test_threads():
    for good in (None, 1, -1, 5000):
        check_params("f", {"n_jobs": good}, {"n_jobs": N_JOBS})
    for bad in (0, 1.5, "all", 20200101):
        with pytest.raises(ParameterError, match="must be None or a number of threads up to"):
            check_params("f", {"n_jobs": bad}, {"n_jobs": N_JOBS})


def test_the_message_has_one_form():
    with pytest.raises(ParameterError) as caught:
        stratified_folds(np.eye(4, dtype=int), 2, effort=-1)
    error = caught.value
    assert str(error) == (
        "The 'effort' parameter of stratified_folds must be a number of at least 0 or 'best'. "
        "Got -1 instead."
    )
    assert (error.name, error.got) == ("effort", -1)
    assert error.expected == "a number of at least 0 or 'best'"
    assert isinstance(error, ValueError)
    assert isinstance(error, TypeError)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert error.to_dict()["parameter"] == "effort"


def test_a_long_value_is_cut():
    assert len(str(ParameterError("x", "short", "a" * 10_000))) < 200


def test_a_wrong_call_is_left_to_python():
    @constrained(a=Interval(int, 0))
    def f(a, *, b=1):
        """Doc."""
        return a + b

    assert f(1, b=2) == 3
    assert f.__doc__ == "Doc."
    with pytest.raises(TypeError, match="f\\(\\) got an unexpected keyword argument 'c'"):
        f(1, c=3)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        f()


HUGE = 10**309


@pytest.mark.parametrize(
    ("interval", "good", "bad"),
    [
        (Interval(int), [2**63 - 1, -(2**63), np.uint64(7)], [2**63, -(2**63) - 1, 2**70, HUGE]),
        (Interval(int, 0), [2**63 - 1], [2**63, np.uint64(2**63), HUGE]),
        (Interval(float, 0), [2**70, 1.7e308], [HUGE, 2**1024]),
        (Interval(float), [-(2**70)], [-HUGE, HUGE]),
    ],
)
def test_numbers_fit_in_64_bits(interval, good, bad):
    for value in good:
        assert interval.accepts(value), value
    for value in bad:
        assert not interval.accepts(value), value
        with pytest.raises(ParameterError, match=", and fit in 64 bits"):
            check_params("f", {"x": value}, {"x": interval})


def test_what_is_wrong_otherwise_is_not_called_too_large():
    with pytest.raises(ParameterError, match=r"must be an int of at least 0\. Got -1000"):
        check_params("f", {"x": -HUGE}, {"x": Interval(int, 0)})
    with pytest.raises(ParameterError, match=r"must be a number from 0 to 1\. Got 1000"):
        check_params("f", {"x": HUGE}, {"x": Interval(float, 0, 1)})


def test_a_seed_may_be_larger():
    assert RANDOM_STATE.accepts(2**64 - 1)
    assert not RANDOM_STATE.accepts(True)


@pytest.mark.parametrize(
    "value", ["12", b"12", bytearray(b"12"), {1, 2}, {1: 2}, 5, None, [1, "2"], [1, 0], [], [HUGE]]
)
def test_many_numbers_are_a_list_of_numbers(value):
    assert not Many(Interval(int, 1), "several").accepts(value)


@pytest.mark.parametrize("value", [[1, 2], (1,), range(1, 3), np.array([1, 2])])
def test_many_numbers(value):
    assert Many(Interval(int, 1), "several").accepts(value)
    assert Many(Interval(int, 1), "several", least=3).accepts(value) is False


def test_an_iterator_is_not_used_up_by_the_check():
    names = (name for name in ["is_a"])
    assert not Many(STRING, "several names").accepts(names)
    assert list(names) == ["is_a"]
    assert Many(STRING, "several names", ordered=False).accepts({"is_a"})
