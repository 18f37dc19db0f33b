"""Files beside a table are matched by what they name, never by luck: the order of lines is free."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest

from trueval.core.errors import InputError
from trueval.core.pairs import Pairs
from trueval.data._source import Source
from trueval.data._values.columns import read_column
from trueval.data._values.pair_folds import read_pair_folds, write_pair_folds
from trueval.data._values.pair_scores import read_pair_scores

RNG = np.random.default_rng(0)


# --- folds of pairs -------------------------------------------------------------------------


@pytest.fixture
def pairs():
    """Pairs of 12 objects; those of the last four objects are tested."""
    ids = [f"o{n}" for n in range(12)]
    return pd.DataFrame([*itertools.combinations(ids, 2)], columns=["drug", "other"])


def held_out(frame):
    """The pairs to be tested, by their objects."""
    last = {"o8", "o9", "o10", "o11"}
    return frame["drug"].isin(last) & frame["other"].isin(last)


def as_bytes(frame, **options):
    return frame.to_csv(index=False, **options).encode()


FORMS = {
    "ids of the pairs": lambda f: f[["drug", "other", "fold"]],
    "ids and more": lambda f: f.assign(y=1, note="x"),
    "a and b": lambda f: f.set_axis(["a", "b", "fold"], axis=1),
    "two other columns": lambda f: f.set_axis(["left", "right", "fold"], axis=1),
    "mirrored": lambda f: f.rename(columns={"drug": "other", "other": "drug"}),
    "row": lambda f: f.assign(row=f.index)[["row", "fold"]],
    "an index of pandas": lambda f: f.assign(**{"": f.index})[["", "fold"]],
    "two indices and ids": lambda f: f.assign(**{"": 0, "Unnamed: 0": f.index}),
    "an index, two other columns and a label": lambda f: f.assign(**{"": f.index, "y": 1})[
        ["", "drug", "other", "y", "fold"]
    ],
    "row and more": lambda f: f.assign(row=f.index, y=1, **{"": f.index})[["", "row", "y", "fold"]],
    "an index and ids": lambda f: f.assign(**{"": f.index})[["", "drug", "other", "fold"]],
}


@pytest.mark.parametrize("values", ["numbers", "words"])
@pytest.mark.parametrize("form", FORMS)
def test_lines_of_folds_may_have_any_order(pairs, form, values):
    fold = held_out(pairs).astype(int)
    folds = pairs.assign(fold=fold if values == "numbers" else fold.map({0: "train", 1: "test"}))
    shuffled = folds.sample(frac=1, random_state=1)
    for table in (folds, shuffled):
        sides = read_pair_folds(as_bytes(FORMS[form](table)), Pairs(pairs), ("drug", "other"))
        train, test = sides["fold 1" if values == "numbers" else "test"]
        assert test.tolist() == np.flatnonzero(held_out(pairs)).tolist()
        assert train.tolist() == np.flatnonzero(~held_out(pairs)).tolist()


def test_own_files_are_matched_to_pairs_in_another_order(pairs, tmp_path):
    path = tmp_path / "folds.csv"
    train, test = np.flatnonzero(~held_out(pairs)), np.flatnonzero(held_out(pairs))
    write_pair_folds(path, Pairs(pairs), [(train, test), (test, train)])
    lines = path.read_bytes().splitlines(keepends=True)
    sorted_lines = b"".join([lines[0], *sorted(lines[1:], key=lambda line: line[::-1])])
    other = pairs.sample(frac=1, random_state=2)
    for content, table in itertools.product((path.read_bytes(), sorted_lines), (pairs, other)):
        sides = read_pair_folds(content, Pairs(table), ("drug", "other"))
        expected = np.flatnonzero(held_out(table)).tolist()
        assert sides["fold 0"][1].tolist() == expected
        assert sides["fold 1"][0].tolist() == expected


def test_repeated_pairs_are_told_apart_by_their_row(tmp_path):
    pairs = Pairs([("a", "b"), ("a", "b"), ("c", "d")])
    write_pair_folds(tmp_path / "f.csv", pairs, [([0, 2], [1])])
    assert read_pair_folds(tmp_path / "f.csv", pairs)["fold 0"][1].tolist() == [1]
    with pytest.raises(InputError, match=r"line 3: this pair is in another line with another fold"):
        read_pair_folds(b"a,b,fold\na,b,0\nb,a,1\nc,d,0\n", pairs)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"pair,fold\nx,0\ny,1\n", r"\(.pair.\) are neither the ids of the pairs nor their row"),
        (b"id,name,z,fold\nx,p,1,0\ny,q,1,1\n", "neither the ids of the pairs"),
        (b",p,q,y,fold\n0,c,d,1,0\n1,a,b,1,1\n", r"\(.p., .q., .y.\) are neither the ids"),
        (b",y,fold\n0,1,0\n1,0,1\n", r"\(.y.\) are neither the ids of the pairs nor their row"),
        (b",index,fold\n0,1,0\n1,0,1\n", r"\(.index.\) are neither the ids"),
        (b"row,p,q,fold\n0,x,1,0\n1,y,1,1\n", "2 of 2 lines are not among the pairs"),
        (b"a,b,fold\na,b,0\n", r"1 of 2 pairs have no fold, the first row 1 \(.c. and .d.\)"),
        (b"a,b,fold\na,b,0\nc,d,1\ne,f,1\n", "1 of 3 lines are not among the pairs"),
        (b"row,fold\n0,0\n2,1\n", "row 2 is beyond the 2 pairs"),
        (b"row,fold\n0,0\n0,0\n", "1 of 2 pairs have no fold"),
        (b"fold\n0\n1\n1\n", "3 folds for 2 pairs"),
    ],
)
def test_folds_that_fit_no_pairs_are_refused(content, message):
    with pytest.raises(InputError, match=message):
        read_pair_folds(content, Pairs([("a", "b"), ("c", "d")]))


def test_a_table_of_other_row_numbers_is_matched_by_its_ids():
    """The row numbers are those of the table that the folds were cut from."""
    pairs = Pairs([("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")])
    four = b"e,f,1\n1,g,h,1\n2,a,b,0\n3,c,d,0\n"
    for header in (b",p,q,fold\n0,", b"row,p,q,fold\n0,", b"Unnamed: 0,a,b,fold\n99,"):
        sides = read_pair_folds(header + four, pairs)
        assert sides["fold 1"][1].tolist() == [2, 3]


def score_of(content, pairs, names=("a", "b"), **options):
    scores, reading = read_pair_scores(Source(content), pairs, names, **options)
    return {fold: of.tolist() for fold, of in scores.items()}, reading.ids


ABC = Pairs([("a", "b"), ("c", "d"), ("e", "f")])
LINES = b"e,f,0.9\n1,a,b,0.5\n2,c,d,0.1\n"


@pytest.mark.parametrize("first", [b",", b"Unnamed: 0,", b"index,", b"row,"])
@pytest.mark.parametrize("ids", [("p1", "p2"), ("a", "b")])
def test_scores_with_ids_are_not_matched_by_an_index(first, ids):
    """An index numbers the rows of the table that was written, in its own order."""
    header = first + ",".join(ids).encode() + b",score\n"
    for names in (("a", "b"), ("u", "v")):
        for number in (b"0,", b"70,"):  # 70: cut from a longer table
            scores, by = score_of(header + number + LINES, ABC, names)
            assert (scores, by) == ({None: [0.5, 0.1, 0.9]}, ids)


def test_row_numbers_tell_repeated_pairs_apart_where_the_ids_agree():
    pairs = Pairs([("a", "b"), ("c", "d"), ("a", "b")])
    lines = b"row,a,b,score\n2,a,b,0.3\n1,c,d,0.2\n0,a,b,0.1\n"
    assert score_of(lines, pairs)[0] == {None: [0.1, 0.2, 0.3]}
    with pytest.raises(InputError, match=r"the pair has the score 0\.3 here and 0\.2 in another"):
        score_of(b"row,a,b,score\n0,a,b,0.3\n1,a,b,0.2\n2,c,d,0.1\n", pairs)


def test_row_numbers_of_scores_without_ids():
    expected = {None: [0.5, 0.1, 0.9]}
    assert score_of(b",score\n2,0.9\n0,0.5\n1,0.1\n", ABC) == (expected, ("",))
    more = b",row,y,score\n0,2,1,0.9\n1,0,1,0.5\n2,1,0,0.1\n"
    assert score_of(more, ABC) == (expected, ("row",))
    assert score_of(b"2,0.9\n0,0.5\n1,0.1\n", ABC) == (expected, (0,))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b",y,score\n2,1,0.9\n0,0,0.5\n1,1,0.1\n", r"\(.y.\) are neither the ids"),
        (b"pair,score\n2,0.9\n0,0.5\n1,0.1\n", r"beside the scores \(.pair.\) are neither"),
        (b",p,q,y,score\n0,e,f,1,0.9\n", r"\(.p., .q., .y.\) are neither the ids"),
        (b"e,f,1,1,0.9\na,b,0,0,0.8\n", r"\(.0., .1., .2.\) are neither the ids"),
        (b",p,q,score\n0,x,1,0.9\n", "1 of 1 lines are not among the pairs"),
        (b"a,b,split,part_fold,cv_fold,score\na,b,1,1,1,0.9\n", "which column has the fold"),
    ],
)
def test_scores_that_fit_no_pairs_are_refused(content, message):
    with pytest.raises(InputError, match=message):
        score_of(content, ABC)


@pytest.mark.parametrize(
    ("header", "of_one"),
    [("cv_fold,score", 0.7), ("Fold,score", 0.7), ("fold,test", 0.7), ("test,fold,score", 0.7)],
)
def test_columns_of_folds_are_known_by_the_words_for_folds(header, of_one):
    """As for labels; of several, the one that is named fold."""
    values = {"score": of_one, "fold": "1", "cv_fold": "1", "Fold": "1", "test": "0"}
    if "score" not in header:  # chosen, so that it is no fold whatever its name
        values["test"] = of_one
    cells = ",".join(str(values[name]) for name in header.split(","))
    options = {} if "score" in header else {"score_column": "test"}
    scores, _ = score_of(f"a,b,{header}\nc,d,{cells}\n".encode(), ABC, **options)
    assert list(scores) == ["1"]
    assert scores["1"][1] == of_one


def test_folds_alone_are_in_the_order_of_the_pairs():
    sides = read_pair_folds(b"fold\n1\n0\n", Pairs([("a", "b"), ("c", "d")]))
    assert sides["fold 1"][1].tolist() == [0]


def test_objects_of_two_kinds_have_an_order():
    pairs = Pairs([("x", "y"), ("y", "x")])
    content = b"a,b,fold\ny,x,1\nx,y,0\n"
    sides = read_pair_folds(content, pairs, symmetric=False)
    assert sides["fold 1"][1].tolist() == [1]
    with pytest.raises(InputError, match="in another line"):
        read_pair_folds(content, pairs)


def test_audit_and_score_of_shuffled_folds(pairs, tmp_path, monkeypatch, call):
    """No test pair has an object of training, in whatever order the lines are."""
    monkeypatch.chdir(tmp_path)
    last = {"o8", "o9", "o10", "o11"}
    one = pairs["drug"].isin(last) | pairs["other"].isin(last)
    role = np.where(held_out(pairs), "test", np.where(one, "drop", "train"))
    y = np.arange(len(pairs)) % 2
    pairs.assign(y=y).to_csv("pairs.csv", index=False)
    pairs.assign(score=RNG.random(len(pairs))).to_csv("scores.csv", index=False)
    folds = pairs.assign(fold_0=role).sample(frac=1, random_state=3)
    folds.to_csv("folds.csv", index=False)
    code, out, _ = call("audit", "pairs.csv", "--folds", "folds.csv", "--require", "BB", "--json")
    assert code == 0
    code, out, _ = call("score", "pairs.csv", "scores.csv", "--folds", "folds.csv", "--json")
    assert code == 0
    assert set(json.loads(out)["settings"]) == {"all", "BB"}  # no pair with an object of training


# --- rows ------------------------------------------------------------------------------------


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """Forty patients with two rows each; folds that divide every patient."""
    monkeypatch.chdir(tmp_path)
    ids = [f"r{n}" for n in RNG.permutation(80)]
    table = {"id": ids, "patient": np.arange(80) // 2, "x": RNG.normal(size=80)}
    pd.DataFrame(table).to_csv("rows.csv", index=False)
    return pd.DataFrame({"id": ids, "fold": np.arange(80) % 2})


AUDIT = ("audit", "rows.csv", "--rows", "--group-column", "patient", "--require", "groups")


def test_folds_of_rows_are_matched_by_id(rows, call):
    rows.sort_values("id").to_csv("folds.csv", index=False)
    code, out, _ = call(*AUDIT, "--folds", "folds.csv")
    assert code == 1
    assert "40" in out


def test_folds_without_ids_are_refused_for_rows_with_ids(rows, call):
    rows[["fold"]].to_csv("folds.csv", index=False)
    code, _, err = call(*AUDIT, "--folds", "folds.csv")
    assert code == 1
    assert "the rows have ids, but the folds have none" in " ".join(err.split())
    assert "--ignore id" in err
    code, _, _ = call(*AUDIT, "--folds", "folds.csv", "--ignore", "id")
    assert code == 1  # the leak
    numbered = rows.assign(row=np.arange(80))[["row", "fold"]]
    numbered.to_csv("folds.csv", index=False)  # says itself which row it means
    code, out, _ = call(*AUDIT, "--folds", "folds.csv")
    assert (code, "groups" in out) == (1, True)


def test_labels_without_ids_are_refused_for_rows_with_ids(rows, call):
    rows.to_csv("folds.csv", index=False)
    np.save("y.npy", RNG.integers(0, 2, (80, 3)))
    code, _, err = call(*AUDIT, "--folds", "folds.csv", "--labels", "y.npy")
    assert code == 1
    assert "the rows have ids, but the labels have none" in " ".join(err.split())


# --- one value for each name ---------------------------------------------------------------


@pytest.mark.parametrize("header", ["", "id,part\n", "name,what\n"])
def test_a_first_line_with_an_id_is_data(header):
    """Words alone cannot tell a header from data; the ids can."""
    file = Source(f"{header}p3,test\np4,valid\np5,train\n".encode())
    column = read_column(file, ("part",), "the parts")
    ids = np.array(["p1", "p3", "p4", "p5"])
    assert column.in_order(ids, 4, missing="").tolist() == ["", "test", "valid", "train"]
    assert column.by_name(ids) == {"p3": "test", "p4": "valid", "p5": "train"}


def test_fixed_rows_without_a_header(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y = pd.DataFrame(RNG.integers(0, 2, (60, 3)), columns=["k", "l", "m"])
    y.insert(0, "id", [f"p{n}" for n in range(60)])
    y.to_csv("y.csv", index=False)
    with open("fixed.csv", "w", encoding="utf-8") as file:
        file.write("p3,test\np4,valid\np5,train\n")
    arguments = ("split", "y.csv", "--parts", "60,20,20", "--fixed", "fixed.csv", "-o", "f.csv")
    for seed in range(3):
        code, _, err = call(*arguments, "--seed", seed)
        assert code == 0, err
        fold = pd.read_csv("f.csv").set_index("id")["fold"]
        assert fold[["p3", "p4", "p5"]].tolist() == [2, 1, 0]
