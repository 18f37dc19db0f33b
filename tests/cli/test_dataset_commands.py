"""``rank``, ``decide``, ``pairs``, ``audit`` and ``quality`` of Parquet by ``--engine``."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.distributed import data as rows_data
from tests.distributed import test_pairs as pairs_data
from tests.distributed.test_rank import data, folds_as_pairs, matrix_of, one_machine, write
from trueval.pairs import ObjectKFold, audit_pairs
from trueval.rank import (
    IsotonicRanker,
    PrecisionRanker,
    average_precision,
    cross_fit,
    pick_threshold,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::trueval.rank.OneClassWarning"),
    pytest.mark.filterwarnings("ignore::trueval.rank.TargetWarning"),
    pytest.mark.filterwarnings("ignore::trueval.pairs.UnscorableFoldWarning"),
]
SCORES, Y, STORED = data(0.6)
OTHER, _, KEPT = data(0.9, seed=1)


@pytest.fixture
def files(tmp_path):
    """Scores, labels and folds; the scores of other rows; where to write."""
    paths = write(tmp_path / "given", SCORES, Y, STORED, n_files=3)
    paths["new"] = write(tmp_path / "other", OTHER, Y, KEPT)["scores"]
    paths["out"] = tmp_path / "out.parquet"
    return paths


@pytest.fixture
def interactions(tmp_path):
    return pairs_data.write(tmp_path / "interactions", pairs_data.table())


def given(files):
    return files["scores"], files["labels"], "-o", files["out"]


@pytest.mark.parametrize("engine", [(), ("--engine", "stream")])
def test_rank(call, files, engine):
    words = (*given(files), "--folds", files["folds"], "--ranker", "isotonic", *engine)
    code, text, errors = call("rank", *words, "--json")
    assert code == 0, errors
    assert ("is a folder: --engine stream is used." in errors) == (not engine)
    scores, labels = one_machine(SCORES, Y, STORED)
    expected = cross_fit(IsotonicRanker(), scores, labels, cv=folds_as_pairs())
    assert json.loads(text)["average_precision"] == {
        "isotonic": average_precision(expected, labels)
    }
    values = np.where(STORED, expected.toarray(), np.nan)
    assert np.array_equal(matrix_of(files["out"]), values, equal_nan=True)
    code, text, errors = call("rank", *words)
    assert code == 0, errors
    assert "240 rows and 9 classes: all (row, class) pairs in one list" in text


def test_rank_of_new_rows(call, files):
    code, text, errors = call("rank", *given(files), "--new", files["new"])
    assert code == 0, errors
    assert "Ranker of 240 rows and 9 classes" in text
    assert "average precision" not in text
    scores, labels = one_machine(SCORES, Y, STORED)
    fresh, _ = one_machine(OTHER, Y, KEPT)
    expected = PrecisionRanker().fit(scores, labels).transform(fresh).toarray()
    values = matrix_of(files["out"])
    assert np.array_equal(values, np.where(KEPT, expected, np.nan), equal_nan=True)


@pytest.mark.parametrize(
    ("target", "options", "new"),
    [
        (["--beta", 1], {"beta": 1.0}, False),
        (["--precision", 0.5], {"precision": 0.5}, False),
        (["--recall", 0.4, "--confidence", 0.9], {"recall": 0.4, "confidence": 0.9}, True),
        (["--calls", 90], {"n_calls": 90}, False),
        (["--top-k", 2], {"top_k": 2}, False),
        (["--top-k", 2], {"top_k": 2}, True),
        (
            ["--precision", 0.5, "--guarantee", "fdr"],
            {"precision": 0.5, "guarantee": "fdr"},
            True,
        ),
        (["--precision", 0.9999], {"precision": 0.9999}, False),
    ],
)
def test_decide(call, files, target, options, new):
    words = (*given(files), "--folds", files["folds"], *target)
    words += ("--new", files["new"]) if new else ()
    code, text, errors = call("decide", *words, "--json")
    scores, labels = one_machine(SCORES, Y, STORED)
    fresh, _ = one_machine(OTHER, Y, KEPT)
    expected = pick_threshold(
        scores, labels, ranker=PrecisionRanker(), cv=folds_as_pairs(), **options
    )
    selected = expected.select(fresh if new else None)
    assert code == (3 if expected.abstains else 0), errors
    said = json.loads(text)
    assert said["calls"] == selected.nnz
    assert said["called_classes"] == len(np.unique(selected.indices))
    assert said["rows"] == 240
    assert said["rankers"]["calibrated"]["precision"] == pytest.approx(
        None if np.isnan(expected.precision) else expected.precision
    )
    assert np.array_equal(np.nan_to_num(matrix_of(files["out"])), selected.toarray())
    code, text, errors = call("decide", *words)
    hint = "give more of them at once" if expected.guarantee == "fdr" else "--allow-unmet predicts"
    assert (hint in text) == expected.abstains
    assert "not saved" not in text


def test_pairs_and_their_audit(call, interactions, tmp_path):
    out = tmp_path / "folds.parquet"
    code, text, errors = call("pairs", interactions, "-k", 3, "--seed", 4, "-o", out, "--json")
    assert code == 0, errors
    assert "is a folder: --engine stream is used." in errors
    pairs = pairs_data.ids(pq.read_table(interactions))
    cv = ObjectKFold(3, balance="objects", random_state=4)
    splits = list(cv.split(groups=pairs))
    said = json.loads(text)
    assert said["train"] == [len(train) for train, _ in splits]
    assert said["test"] == [len(test) for _, test in splits]
    used = sum(len(train) + len(test) for train, test in splits)
    assert said["share_dropped"] == pytest.approx(1 - used / (3 * len(pairs)))
    code, text, errors = call("pairs", interactions, "-k", 3, "-o", out)
    assert "400 pairs of 40 objects in 3 folds" in text
    assert "Parts of objects are random" in text
    words = (out, "--split-column", "fold_1", "--engine", "stream", "--require", "BB")
    code, text, errors = call("audit", *words)
    assert code == 0, errors
    assert "No leak: every test pair satisfies BB." in text


def test_an_audit_that_finds_a_leak(call, tmp_path):
    records = pairs_data.table()
    roles = np.random.default_rng(1).choice(["train", "test", "neither"], len(records))
    folder = pairs_data.write(tmp_path / "data", records.append_column("role", pa.array(roles)))
    report = tmp_path / "checks.xml"
    words = (folder, "--split-column", "role", "--require", "C3", "--junit", report, "--json")
    code, text, errors = call("audit", *words)
    assert code == 1, errors
    sides = [np.flatnonzero(roles == side) for side in ("train", "test")]
    expected = audit_pairs(pairs_data.ids(records), *sides)
    said = json.loads(text)["audits"]["role"]
    assert said["counts"] == expected.counts
    assert (said["n_duplicates"], said["n_mirrored"]) == (
        expected.n_duplicates,
        expected.n_mirrored,
    )
    assert 'failures="2"' in report.read_text()


@pytest.fixture(scope="module")
def scheduler():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


def test_dask_gives_the_same_files(call, files, interactions, tmp_path, scheduler):
    labels = rows_data.write(tmp_path / "rows", rows_data.table(rows_data.labels(200, 12)), 2)
    folds, pair_folds = tmp_path / "folds.parquet", tmp_path / "pair_folds.parquet"
    assert call("split", labels, "-k", 4, "-o", folds)[0] == 0
    assert call("pairs", interactions, "-o", pair_folds)[0] == 0
    by_fold = (*given(files), "--folds", files["folds"])
    commands = {
        "rank": (*by_fold, "--ranker", "isotonic"),
        "decide": (*by_fold, "--ranker", "isotonic", "--top-k", 1),
        "pairs": (interactions, "-o", files["out"]),
        "quality": (labels, folds),
        "audit": (pair_folds, "--split-column", "fold_0"),
    }
    for name, words in commands.items():
        results = []
        for engine in (("stream",), ("dask", "--scheduler", scheduler)):
            files["out"].unlink(missing_ok=True)
            code, text, errors = call(name, *words, "--engine", *engine, "--json")
            assert code == 0, (name, errors)
            said = json.loads(text)
            del said["provenance"]
            written = pq.read_table(files["out"]).to_pydict() if files["out"].exists() else None
            results.append((said, written))
        assert results[0] == results[1], name


RANK = ("rank", "{scores}", "{labels}", "-o", "{out}")
DECIDE = ("decide", "{scores}", "{labels}", "-o", "{out}", "--beta", "1")
FOLDS = ("--folds", "{folds}")
PAIRS = ("pairs", "{pairs}")
AUDIT = ("audit", "{pairs}")
ROLE = ("--split-column", "role")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (RANK, "needs --folds, to value each row by the others, or --new"),
        ((*RANK, *FOLDS, "--new", "{new}"), "one of the two"),
        ((*RANK[:3], *FOLDS), "--engine stream needs -o FILE.parquet."),
        ((*RANK[:3], *FOLDS, "-o", "-"), "--engine stream needs -o FILE.parquet."),
        ((*RANK, *FOLDS, "--ranker", "raw"), "--ranker raw does not work with --engine stream"),
        ((*RANK, *FOLDS, "--compare", "raw"), "--compare does not work with --engine stream"),
        ((*RANK, *FOLDS, "--groups", "{folds}"), "--groups does not work with --engine stream"),
        ((*RANK, *FOLDS, "--weights", "{folds}"), "--weights does not work"),
        ((*RANK, *FOLDS, "--consistent"), "--consistent does not work"),
        ((*RANK, *FOLDS, "--same-order"), "--same-order does not work"),
        ((*RANK, *FOLDS, "--report", "page.html"), "--report does not work"),
        ((*RANK, *FOLDS, "--id-column", "protein"), "no column 'protein'"),
        ((*RANK, *FOLDS, "--scheduler", "tcp://h:1"), "--scheduler needs --engine dask"),
        ((*RANK, *FOLDS, "--memory", "much"), "such as '4G'"),
        (
            (*RANK, *FOLDS, "--engine", "dask", "--scheduler", "nowhere:x"),
            "no Dask scheduler answers at nowhere:x",
        ),
        (DECIDE, "--engine stream needs --folds"),
        ((*DECIDE, *FOLDS, "--ranker", "hierarchical"), "--ontology"),
        ((*DECIDE, *FOLDS, "--compare", "raw"), "--compare does not work"),
        (
            (*DECIDE[:-2], *FOLDS, "--precision", "0.9", "--guarantee", "fdr"),
            "selects among new rows",
        ),
        ((*DECIDE[:-2], *FOLDS, "--top-k", "0"), "--top-k must be"),
        (PAIRS, "--engine stream needs -o FILE.parquet."),
        ((*PAIRS, "-o", "f.csv"), "is a Parquet file"),
        ((*PAIRS, "-o", "{out}", "--balance", "degrees"), "needs all pairs in memory"),
        ((*PAIRS, "-o", "{out}", "--leave-two-out"), "--leave-two-out does not work"),
        ((*PAIRS, "-o", "{out}", "--compare"), "--compare does not work"),
        ((*PAIRS, "-o", "{out}", "--setting", "AA"), "--setting must be"),
        ((*PAIRS, "-o", "{out}", "--ids", "a"), "the names of two columns"),
        ((*PAIRS, "-o", "{out}", "--ids", "a,c"), "no column 'c'"),
        ((*AUDIT, "--folds", "{folds}"), "--folds does not work with --engine stream"),
        ((*AUDIT, "--train", "{folds}", "--test", "{folds}"), "--train does not work"),
        ((*AUDIT, *ROLE), "there is no such column"),
        ((*AUDIT, *ROLE, "--rows"), "--rows does not work with --engine stream"),
        ((*AUDIT, *ROLE, "--clusters", "{folds}"), "--clusters does not work"),
        (("audit", "{out}", *ROLE), "no such file"),
        (("quality", "{pairs}", "{folds}", "--groups", "{folds}"), "--groups does not work"),
    ],
)
def test_what_cannot_be(call, files, interactions, tmp_path, monkeypatch, words, problem):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    places = {name: str(path) for name, path in files.items()} | {"pairs": str(interactions)}
    code, _, errors = call(*(word.format(**places) for word in words))
    assert code in (1, 2), errors
    assert problem in errors
    assert "Traceback" not in errors
    assert sorted(tmp_path.rglob("*")) == before
