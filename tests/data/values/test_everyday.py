"""Files as people have them: Kaggle's headers, spaces between columns, words for parts."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from trueval import stratified_folds
from trueval.cli.app import cli
from trueval.core.errors import InputError, InputWarning
from trueval.data import read_labels, read_pairs, simulate


def test_text_beside_the_classes_is_left_out_and_said():
    file = b'id,comment_text,toxic,obscene\na,"you, there",1,0\nb,hello,0,1\n'
    with pytest.warns(InputWarning, match="text, not 0 and 1, is in 'comment_text'"):
        labels = read_labels(file, "csv")
    assert labels.classes.tolist() == ["toxic", "obscene"]
    assert labels.toarray().tolist() == [[1, 0], [0, 1]]
    assert labels.index.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "file",
    [
        b"id,age,toxic,obscene\na,34,1,0\nb,20,0,1\n",  # numbers may be labels written wrong
        b"text,words,toxic,obscene\na,x,1,0\nb,y,0,1\n",  # which are the ids?
        b"id,words,toxic\na,x,1\nb,y,0\n",  # one column of 0 and 1 may be anything
    ],
)
def test_other_columns_are_not_guessed_to_be_text(file):
    with pytest.raises(InputError, match="which columns hold ids and labels"):
        read_labels(file, "csv")


def test_a_column_named_as_labels_beside_columns_of_zeros_and_ones_is_refused():
    file = b"id,label,toxic,obscene\na,x,1,0\nb,y,0,1\n"
    with pytest.raises(InputError, match="'toxic': does '0' mean that the label is absent"):
        read_labels(file, "csv")
    labels = read_labels(file, "csv", ignore=["toxic", "obscene"])
    assert labels.classes.tolist() == ["x", "y"]
    assert read_labels(file, "csv", ignore="label").classes.tolist() == ["toxic", "obscene"]


def test_ids_in_one_word():
    file = b"EntryID\tterm\taspect\nQ1\tGO:1\tBPO\nQ1\tGO:2\tCCO\n"
    with pytest.warns(InputWarning, match=r"not read: 'aspect'\. .* pass ignore=\['aspect'\]"):
        labels = read_labels(file, "tsv")
    assert (labels.index.tolist(), labels.classes.tolist()) == (["Q1"], ["GO:1", "GO:2"])


def test_pairs_with_one_space_are_read_and_with_several_refused():
    pairs = read_pairs(b"P1 P2 1\nP1 P3 0\n", "csv")
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == ([["P1", "P2"], ["P1", "P3"]], [1, 0])
    for file in (b"P1  P2 1\nP1  P3 0\n", b"P1 P2 1 \nP1 P3 0 \n"):
        with pytest.raises(InputError, match="several spaces separate columns"):
            read_pairs(file, "csv")


def test_labelled_train_and_test_files_with_spaces_are_audited(tmp_path):
    lines = ["a b 1", "a c 0", "d e 1", "d f 0"]
    for name, rows in (("all", lines), ("train", lines[:2]), ("test", lines[2:])):
        (tmp_path / f"{name}.txt").write_text("\n".join(rows) + "\n")
    names = [str(tmp_path / f"{name}.txt") for name in ("all", "train", "test")]
    arguments = ["audit", names[0], "--train", names[1], "--test", names[2], "--json"]
    result = CliRunner().invoke(cli, arguments)
    audit = json.loads(result.stdout)["audits"]["the split"]
    assert audit["counts"] == {"AA": 0, "AB": 0, "BB": 2}
    assert (audit["n_train"], audit["n_test"], audit["degree_auc"]) == (2, 2, 0.5)


# --- parts ---------------------------------------------------------------------------


@pytest.fixture
def labels(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y = simulate.label_matrix(40, 4, random_state=0).toarray()
    rows = [f"r{n}," + ",".join(map(str, row)) for n, row in enumerate(y.tolist())]
    (tmp_path / "labels.csv").write_text("\n".join(["id,a,b,c,d", *rows]) + "\n")
    return tmp_path


def split(*arguments):
    return CliRunner().invoke(cli, ["split", "labels.csv", *arguments, "-o", "folds.csv"])


@pytest.mark.parametrize(
    ("parts", "words", "numbers"),
    [
        ("60,20,20", ["train", "valid", "test"], [0, 1, 2]),
        ("80,20", ["Training", "test", "NA"], [0, 1, None]),
        ("80,10,10", ["0", "2", "-1"], [0, 2, None]),
    ],
)
def test_fixed_parts_may_be_words(labels, parts, words, numbers):
    rows = [f"r{n},{word}" for n, word in enumerate(words)]
    (labels / "fixed.csv").write_text("\n".join(["id,part", *rows]) + "\n")
    result = split("--parts", parts, "--fixed", "fixed.csv")
    assert result.exit_code == 0, result.output
    lines = (labels / "folds.csv").read_text().splitlines()[1:]
    for line, number in zip(lines, numbers, strict=False):
        assert number is None or int(line.split(",")[1]) == number


@pytest.mark.parametrize(
    ("arguments", "word", "said"),
    [
        (("-k", "5"), "train", "pass --parts 80,10,10"),
        (("--parts", "80,20"), "valid", "'valid' is none of train and test"),
        (("--parts", "80,10,10"), "trained", "'trained' is none of train and valid and test"),
    ],
)
def test_words_that_name_no_part_are_refused(labels, arguments, word, said):
    (labels / "fixed.csv").write_text(f"id,part\nr0,{word}\nr1,{word}\n")
    result = split(*arguments, "--fixed", "fixed.csv")
    assert result.exit_code == 1
    assert said in result.stderr


def test_shares_that_sum_to_something_else_are_said_in_python():
    y = simulate.label_matrix(50, 3, random_state=0)
    with pytest.warns(InputWarning, match=r"parts 80, 10, 20 sum to 110: read as 72.7%, 9.1%, 18"):
        folds = stratified_folds(y, [80, 10, 20], random_state=0)
    assert np.bincount(folds).tolist() == [36, 5, 9]
    for parts in ([0.8, 0.1, 0.1], [80, 10, 10], [2, 2, 2], [30, 15, 5], 3):
        stratified_folds(y, parts, random_state=0)  # without a word: warnings are errors
