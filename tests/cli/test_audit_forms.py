"""``trueval audit`` in every form of input: planted leaks are found, or the input is refused."""

import json
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval.cli.app import cli


def run(*arguments):
    result = CliRunner().invoke(cli, ["audit", *map(str, arguments), "--json"])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, json.loads(result.stdout)


def truth(pairs, train, test):
    """Test pairs by objects seen in training, and those that occur there, counted by hand."""
    seen = {name for row in train for name in pairs[row]}
    known = {frozenset(pairs[row]) for row in train}
    counts = dict.fromkeys(("AA", "AB", "BB"), 0)
    for row in test:
        counts[("BB", "AB", "AA")[sum(name in seen for name in pairs[row])]] += 1
    return counts, sum(frozenset(pairs[row]) in known for row in test)


@st.composite
def problems(draw):
    """Distinct pairs of objects, some mirrored copies, and the word of each row."""
    n = draw(st.integers(4, 10))
    names = [f"P{number}" for number in range(n)]
    two = st.tuples(st.sampled_from(names), st.sampled_from(names)).filter(lambda p: p[0] != p[1])
    pairs = draw(st.lists(two, min_size=4, max_size=12))
    words = draw(
        st.lists(
            st.sampled_from(["train", "test"]), min_size=len(pairs), max_size=len(pairs)
        ).filter(lambda w: len(set(w)) == 2)
    )
    return pairs, words


def write(path, rows, header=None, delimiter=","):
    lines = [delimiter.join(map(str, row)) for row in ([header] if header else []) + list(rows)]
    path.write_text("\n".join(lines) + "\n")


def _rows(name, header, *options):
    def form(folder, pairs, sides):
        for side, rows in sides.items():
            write(folder / f"{side}.csv", [[row] for row in rows], header)
        write(folder / "pairs.csv", pairs, None if options else ("a", "b"))
        return [*both(folder), *options]

    return pytest.param(form, id=name)


def _pairs(name, header, *options, delimiter=",", wide=False, suffix="csv", space=""):
    def form(folder, pairs, sides):
        def lines(rows):
            for number, row in enumerate(rows):
                a, b = pairs[row]
                a = f"{space}{a}"
                yield (number, f"x{number}", a, b) if wide else (a, b)

        for side, rows in sides.items():
            write(folder / f"{side}.{suffix}", lines(rows), header, delimiter)
        write(folder / "pairs.csv", lines(range(len(pairs))), header, delimiter)
        return [*both(folder, suffix), *options]

    return pytest.param(form, id=name)


def both(folder, suffix="csv"):
    return ["--train", folder / f"train.{suffix}", "--test", folder / f"test.{suffix}"]


def _column(name, spell, *, header=("a", "b", "split"), column="split", first=()):
    def form(folder, pairs, sides):
        word = {row: spell[side] for side, rows in sides.items() for row in rows}
        lines = [(*(f"q{row}" for _ in first), *pair, word[row]) for row, pair in enumerate(pairs)]
        write(folder / "pairs.csv", lines, (*first, *header))
        return ["--split-column", column]

    return pytest.param(form, id=name)


def _fold_file(name, spell):
    def form(folder, pairs, sides):
        word = {row: spell[side] for side, rows in sides.items() for row in rows}
        write(folder / "pairs.csv", pairs, ("a", "b"))
        write(folder / "folds.csv", [(r, word[r]) for r in range(len(pairs))], ("row", "fold"))
        return ["--folds", folder / "folds.csv"]

    return pytest.param(form, id=name)


WORDS = {"train": "train", "test": "test"}
FORMS = [
    _rows("row numbers", ["row"]),
    _rows("row numbers without a header", None),
    _rows("row numbers with --no-header", None, "--no-header"),
    _pairs("pairs", ("a", "b")),
    _pairs("pairs without a header", None, "--no-header"),
    _pairs("pairs by tabs", ("a", "b"), delimiter="\t"),
    _pairs("pairs by spaces", ("a", "b"), delimiter=" "),
    _pairs("pairs with --ids", ("n", "code", "p", "q"), "--ids", "p,q", wide=True),
    _pairs("pairs with numbers for --ids", ("n", "code", "p", "q"), "--ids", "2,3", wide=True),
    _pairs("ids with space around", ("a", "b"), space=" "),
    _column("split column", WORDS),
    _column("split column, other words", {"train": "Training", "test": "hold-out"}),
    _column("split column after a pair_id", WORDS, first=("pair_id",)),
    _column("split column after an id", WORDS, first=("id",)),
    _column("split column by number", WORDS, column="2"),
    _fold_file("folds in words", WORDS),
]


@pytest.mark.parametrize("form", FORMS)
@given(problems())
@settings(max_examples=10)
def test_planted_leaks_are_found(form, problem):
    pairs, words = problem
    sides = {side: [r for r, w in enumerate(words) if w == side] for side in WORDS}
    counts, leaked = truth(pairs, sides["train"], sides["test"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options = form(folder, pairs, sides)
        code, found = run(folder / "pairs.csv", *options, "--require", "BB")
    assert "audits" in found, found
    (audit,) = found["audits"].values()
    assert audit["counts"] == counts
    assert audit["n_duplicates"] + audit["n_mirrored"] == leaked
    assert code == (1 if counts["AA"] or counts["AB"] else 0)


@given(problems())
@settings(max_examples=10)
def test_split_column_of_fold_numbers(problem):
    pairs, words = problem
    folds = {str(n): [r for r, w in enumerate(words) if w == side] for n, side in enumerate(WORDS)}
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "pairs.csv")
        number = {row: fold for fold, rows in folds.items() for row in rows}
        lines = [(*pair, number[row]) for row, pair in enumerate(pairs)]
        write(file, lines, ("a", "b", "part"))
        _, found = run(file, "--split-column", "part")
    for fold, other in (("0", "1"), ("1", "0")):
        counts, _ = truth(pairs, folds[other], folds[fold])
        assert found["audits"][f"fold {fold}"]["counts"] == counts


def test_three_words_and_rows_left_out(tmp_path):
    file = tmp_path / "pairs.csv"
    rows = [("a", "b", "train"), ("c", "d", "val"), ("a", "e", "test"), ("a", "b", "")]
    write(file, rows, ("p", "q", "split"))
    _, found = run(file, "--split-column", "split")
    assert found["audits"]["val"]["counts"] == {"AA": 0, "AB": 0, "BB": 1}
    assert found["audits"]["test"]["counts"] == {"AA": 0, "AB": 1, "BB": 0}
    write(file, [*rows, ("x", "y", "other")], ("p", "q", "split"))
    code, found = run(file, "--split-column", "split")
    assert code == 1
    assert "'other' is none of train, valid, test" in found["error"]["message"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("n,row\n0,0\n1,1\n", "not among the given pairs"),  # row numbers with an index
        ("a,b\nP9,P8\n", "not among the given pairs"),
        ("row\n0\n1.5\n", "not a whole number"),
        ("row\n99\n", "beyond the 3 pairs"),
    ],
)
def test_a_side_that_is_something_else_is_refused(tmp_path, content, message):
    write(tmp_path / "pairs.csv", [("P1", "P2"), ("P3", "P4"), ("P1", "P5")], ("a", "b"))
    for side in ("train", "test"):
        (tmp_path / f"{side}.csv").write_text(content)
    code, found = run(tmp_path / "pairs.csv", *both(tmp_path))
    assert code == 1
    assert message in found["error"]["message"]


def test_columns_that_are_not_used_are_said(tmp_path):
    file = tmp_path / "pairs.csv"
    rows = [("d1", "d2", "c1", "train"), ("d3", "d4", "c1", "test")]
    write(file, rows, ("drug_1", "drug_2", "protein", "split"))
    _, found = run(file, "--split-column", "split")
    (warning,) = found["warnings"]
    assert "'protein' may hold objects too" in warning
    assert found["read"][str(file)]["unused"] == ["protein"]
    result = CliRunner().invoke(cli, ["audit", str(file), "--split-column", "split"])
    said = " ".join(result.stdout.split())
    assert "objects in columns 'drug_1' and 'drug_2', no label. Not used: 'protein'" in said


def test_a_pair_id_and_one_object_is_refused(tmp_path):
    file = tmp_path / "pairs.csv"
    write(file, [("q1", "P1", 1), ("q2", "P2", 0)], ("pair_id", "protein", "y"))
    code, found = run(file, "--split-column", "y")
    assert code == 1
    assert "names rows, not objects" in found["error"]["message"]


def test_clusters_are_shown_without_require(tmp_path):
    file, near = tmp_path / "pairs.csv", tmp_path / "clusters.csv"
    write(file, [("a", "b", "train"), ("c", "d", "test")], ("p", "q", "split"))
    for header in (("object", "cluster"), None):
        write(near, [("a", 1), ("b", 2), ("c", 1), ("d", 4)], header)
        result = CliRunner().invoke(
            cli, ["audit", str(file), "--split-column", "split", "--clusters", str(near)]
        )
        assert result.exit_code == 0
        assert "shared clusters" in result.stdout
        assert "1 of 1 have an object whose cluster was seen" in " ".join(result.stdout.split())


def test_shares_that_are_rescaled_are_said(tmp_path):
    file = tmp_path / "labels.csv"
    write(file, [(f"p{n}", n % 2, 1) for n in range(30)], ("id", "x", "y"))
    arguments = ["split", str(file), "--parts"]
    result = CliRunner().invoke(cli, [*arguments, "80,10,20"])
    assert "sum to 110: read as 72.7%, 9.1%, 18.2%." in result.stderr
    for parts in ("80,10,10", "0.8,0.1,0.1", "33.3,33.3,33.4"):
        assert CliRunner().invoke(cli, [*arguments, parts]).stderr == ""


def test_encoding(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_bytes("id,labels\np1,größe;b\np2,b\n".encode("latin-1"))
    result = CliRunner().invoke(cli, ["split", str(file), "-k", "2"])
    assert result.exit_code == 1
    assert "Pass --encoding latin-1" in result.stderr
    result = CliRunner().invoke(cli, ["split", str(file), "-k", "2", "--encoding", "latin-1"])
    assert result.exit_code == 0
    assert "'größe'" in result.stdout
    result = CliRunner().invoke(cli, ["split", str(file), "--encoding", "utf-16"])
    assert result.exit_code == 2
    assert "keeps ASCII" in result.stderr


def test_what_is_not_read_of_pairs_is_said_once(tmp_path):
    file = tmp_path / "pairs.csv"
    rows = [("1", "c1", "q1", "train"), ("0", "c2", "q2", "test")]
    write(file, rows, ("label", "smiles", "sequence", "split"))
    _, found = run(file, "--split-column", "split")
    assert found["warnings"] == []
    assert found["read"][str(file)]["columns"] == ["smiles", "sequence"]
    assert found["read"][str(file)]["label"] == "label"
