"""Long tables with more than ids and labels: no 0 and no NOT becomes a positive."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from trueval import InputError, InputWarning
from trueval.cli.app import cli
from trueval.data import read_labels, read_scores
from trueval.data._values.labels import read_labels_with_reading

# p1 has a and not b, p2 has b and not a.
WIDE = pd.DataFrame({"id": ["p1", "p2"], "a": [1, 0], "b": [0, 1]})
LONG = WIDE.melt("id", var_name="label").sort_values(["id", "label"], ignore_index=True)
EYE = [[1, 0], [0, 1]]


def csv(frame):
    return frame.to_csv(index=False).encode()


def parquet(frame):
    file = io.BytesIO()
    frame.to_parquet(file, index=False)
    return file.getvalue()


def named(name, values=None):
    frame = LONG.rename(columns={"value": name})
    return frame if values is None else frame.assign(**{name: values})


@pytest.mark.parametrize("form", [csv, parquet])
@pytest.mark.parametrize(
    "name", ["value", "y", "y_true", "Present", "is_positive", "truth", "annotated", "label_value"]
)
def test_a_column_named_so_says_whether_the_label_is_there(form, name):
    for frame in (named(name), named(name, LONG.value.astype(bool)), named(name, LONG.value * 1.0)):
        labels, reading = read_labels_with_reading(form(frame))
        assert labels.toarray().tolist() == EYE
        assert (labels.index.tolist(), labels.classes.tolist()) == (["p1", "p2"], ["a", "b"])
        assert (reading.layout, reading.value, reading.unused) == ("long", name, ())
        read_labels(form(frame))  # warnings are errors


@pytest.mark.parametrize(
    "values", [["yes", "no", "no", "yes"], ["True", "FALSE", "false", "TRUE"], list("1001")]
)
def test_words_for_yes_and_no(values):
    assert read_labels(csv(named("present", values))).toarray().tolist() == EYE


def test_a_melted_table_is_the_wide_one():
    """Rows and classes without a positive stay, as pandas.melt writes zeros for them."""
    rng = np.random.default_rng(0)
    y = pd.DataFrame(rng.integers(0, 2, (20, 6)), columns=list("abcdef"))
    y.iloc[3], y["e"] = 0, 0
    wide = y.assign(id=[f"r{n:02}" for n in range(20)])
    labels = read_labels(csv(wide.melt("id", var_name="label")))
    assert labels.index.tolist() == wide.id.tolist()
    assert labels.classes.tolist() == list("abcdef")
    assert (labels.toarray() == y.to_numpy()).all()


@pytest.mark.parametrize("form", [csv, parquet])
@pytest.mark.parametrize("name", ["reviewed", "score", "weight", "count", "x", "prediction"])
def test_zeros_in_any_other_column_are_refused_with_both_ways_out(form, name):
    for frame in (named(name), named(name, LONG.value.astype(bool))):
        with pytest.raises(InputError, match=r"does '\w+' mean that the label is absent") as caught:
            read_labels(form(frame))
        fix = caught.value.fix
        assert (fix.parameter, fix.value) == ("value_column", name)
        assert fix.more == (("ignore", name),)
        assert caught.value.place.column == name
        assert read_labels(form(frame), value_column=name).toarray().tolist() == EYE
        assert read_labels(form(frame), ignore=name).toarray().tolist() == [[1, 1], [1, 1]]


def test_a_zero_far_below_counts():
    rows = "".join(f"p{n},a,1\n" for n in range(5000))
    with pytest.raises(InputError, match="line 5002, column 'flagged'"):
        read_labels(f"id,label,flagged\n{rows}q,a,0\n".encode())


def test_scores_and_counts():
    with pytest.raises(InputError, match=r"line 3.*holds scores such as 0.1: which lines are pos"):
        read_labels(csv(named("score", [0.9, 0.1, 0.2, 0.8])))
    with pytest.raises(InputError, match=r"line 3.*holds numbers such as 0: which lines are pos"):
        read_labels(csv(named("n", [3, 0, 1, 2])))
    frame = named("count", [3, 2, 1, 2])
    with pytest.warns(InputWarning, match="not read: 'count'"):
        assert read_labels(csv(frame)).toarray().tolist() == [[1, 1], [1, 1]]


def test_columns_that_are_not_read_are_named_once():
    frame = LONG[LONG.value == 1].drop(columns="value").assign(year=[1999, 2000], note="x", fold=0)
    with pytest.warns(InputWarning) as said:
        labels = read_labels(csv(frame))
    (warning,) = said
    assert "not read: 'year', 'note', 'fold'." in str(warning.message)
    assert warning.message.fix.value == ["year", "note", "fold"]
    assert labels.toarray().tolist() == EYE
    read_labels(csv(frame), ignore=warning.message.fix.value)  # without a word
    assert read_labels_with_reading(csv(frame))[1].unused == ("year", "note", "fold")


def test_folds_of_lines_are_not_labels():
    with pytest.warns(InputWarning, match="not read: 'is_test'"):
        labels = read_labels(csv(named("is_test")))
    assert labels.nnz == 4


@pytest.mark.parametrize("name", ["qualifier", "Qualifiers"])
def test_not_is_no_positive(name):
    values = ["enables", "NOT|enables", "not|located_in", "involved_in"]
    with pytest.warns(InputWarning, match=f"2 labels with NOT in '{name}' are no positives"):
        labels = read_labels(csv(named(name, values)))
    assert labels.toarray().tolist() == EYE
    with pytest.raises(InputError, match=r"does 'NOT.enables' mean that the label is negated"):
        read_labels(csv(named("note", values)))
    with pytest.warns(InputWarning, match="2 labels with NOT"):
        labels = read_labels(csv(named("note", values)), value_column="note")
    assert labels.toarray().tolist() == EYE
    # A word that begins so is none.
    with pytest.warns(InputWarning, match="not read: 'note'"):
        read_labels(csv(named("note", ["notable", "note", "knot", "nothing"])))


def test_contradictions():
    """As in GAF files, a label with and without NOT is dropped; with 1 and 0 it is an error."""
    twice = b"id,label,%s\np1,a,%s\np1,a,%s\np2,a,%s\np1,b,%s\n"
    with pytest.raises(InputError, match=r"line 2: the label 'a' of 'p1' is there.* and absent"):
        read_labels(twice % (b"value", b"1", b"0", b"1", b"1"))
    with pytest.warns(InputWarning, match="2 labels with NOT"):
        labels = read_labels(twice % (b"qualifier", b"x", b"NOT", b"x", b"x"))
    assert labels.toarray().tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        (b"id,label,value\np,a,1\np,b,\n", {}, "line 3, column 'value': the value is missing"),
        (b"id,label,x\np,a,1\np,b,2\n", {"value_column": "x"}, "line 3.*'2' is not 0 or 1"),
        (b"id,label,value,y\np,a,1,1\np,b,0,1\n", {}, "'value' and 'y' could both say"),
        (b"id,label,x\np,a,1\n", {"value_column": "z"}, "no column is named 'z'"),
        (b"id,label,x\np,a,1\n", {"ignore": ["z"]}, "no column is named 'z'"),
        (b"id,labels,value\np,a;b,1\nq,b,0\n", {}, "needs one label a line, but 'labels' holds"),
        (b"p,a,1\np,b,0\n", {"id_column": 0, "label_column": 1}, "line 2, column 2: does '0'"),
        (b"id,label,value\np,1,1\nq,0,0\n", {}, "'label' holds only 0 and 1"),
    ],
)
def test_refused(file, options, message):
    with pytest.raises(InputError, match=message):
        read_labels(file, **options)


def test_a_plural_is_no_list_where_a_column_says_it():
    labels = read_labels(b"id,labels,value\np,a,1\nq,b,0\n")
    assert labels.toarray().tolist() == [[1, 0], [0, 0]]


def test_labels_that_are_numbers():
    file = b"id,label,value\np,1,1\nq,0,0\n"
    labels = read_labels(file, layout="long")
    assert (labels.classes.tolist(), labels.toarray().tolist()) == (["0", "1"], [[0, 1], [0, 0]])
    assert read_labels(file, layout="wide").classes.tolist() == ["label", "value"]
    frame = LONG.assign(label=[3, 7, 3, 7])
    labels = read_labels(parquet(frame))
    assert (labels.classes.tolist(), labels.toarray().tolist()) == ([3, 7], EYE)


def test_ids_behind_labels():
    labels = read_labels(b"label,id\na,p1\nb,p1\n")
    assert (labels.index.tolist(), labels.classes.tolist()) == (["p1"], ["a", "b"])
    labels = read_labels(b"term,protein\na,p1\nb,p1\n")
    assert (labels.index.tolist(), labels.classes.tolist()) == (["p1"], ["a", "b"])


def test_the_command_line_says_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "y.csv").write_bytes(csv(LONG.assign(year=[1, 2, 3, 4], x=LONG.value)))

    def split(*more):
        return CliRunner().invoke(cli, ["split", "y.csv", "-k", "2", "--json", *more])

    result = split()
    assert result.exit_code == 1
    assert "Pass --value-column x if it does, --ignore x if" in result.stderr
    for more, value, unused in (
        (("--ignore", "x,3"), "value", []),
        (("--ignore", "value", "--value-column", "x"), "x", ["year"]),
        (("--ignore", "value,x"), None, ["year"]),
    ):
        read = json.loads(split(*more).stdout)["read"]["y.csv"]
        assert (read["value"], read["unused"]) == (value, unused)
    result = CliRunner().invoke(cli, ["split", "y.csv", "-k", "2", "--ignore", "x"])
    text = " ".join(result.output.split())
    assert "(column 'label'; 'value' says whether the label is positive)" in text
    assert "Not used: 'year'." in text


# --- as pandas.melt names them; missing labels; lists in text ---------------------------------


@pytest.mark.parametrize("form", [csv, parquet, lambda frame: frame.to_csv().encode()])
def test_melt_with_its_own_names(form):
    long = WIDE.melt("id")
    assert long.columns.tolist() == ["id", "variable", "value"]
    labels = read_labels(form(long))
    assert (labels.classes.tolist(), labels.toarray().tolist()) == (["a", "b"], EYE)
    scores = read_scores(form(long.assign(value=[0.5, 0.25, 0.125, 1.0])))
    assert (scores.index.tolist(), scores.classes.tolist()) == (["p1", "p2"], ["a", "b"])
    assert scores.matrix.toarray().tolist() == [[0.5, 0.125], [0.25, 1.0]]


@pytest.mark.parametrize("word", ["NA", "nan", "NaN", "None", "null", "-", "N/A", "<NA>"])
def test_a_word_for_a_missing_label_is_said(word):
    for text, layout in (
        (f'"id","labels"\n"p1","a;b"\n"p2",{word}\n"p3",{word}\n', None),
        (f"id,label\np1,a\np2,{word}\np2,b\np3,{word}\n", None),
        (f"id,label\np1,a\np2,{word}\np3,{word}\n", "long"),
    ):
        with pytest.warns(InputWarning, match=r"is read as a class \(2 cells\)") as said:
            assert word in read_labels(text.encode(), layout=layout).classes.tolist()
        (warning,) = said
        assert repr(word) in str(warning.message)
        assert warning.message.place.line == 3
    read_labels(f"id,labels\np1,a;{word}\np2,b\n".encode())  # in a list it is a name


def test_a_missing_label_of_parquet_is_none_as_in_text():
    for missing in (None, ""):
        frame = pd.DataFrame({"id": ["x", "y", "x"], "label": ["a", missing, "b"]})
        for kind in (object, "category"):
            labels = read_labels(parquet(frame.astype({"label": kind})))
            assert (labels.index.tolist(), labels.classes.tolist()) == (["x", "y"], ["a", "b"])
            assert labels.toarray().tolist() == [[1, 1], [0, 0]]
    frame["label"] = pd.array([3, None, 17], dtype="Int64")
    labels = read_labels(parquet(frame))
    assert (labels.classes.tolist(), labels.toarray().tolist()) == ([3, 17], [[1, 1], [0, 0]])
    lists = pd.DataFrame({"id": ["x", "y"], "labels": ["a;b", None]})
    assert read_labels(parquet(lists)).toarray().tolist() == [[1, 1], [0, 0]]
    with pytest.raises(InputError, match="row 1, column 'id': the value is missing"):
        read_labels(parquet(pd.DataFrame({"id": ["x", None], "label": ["a", "b"]})))


@pytest.mark.parametrize(
    "cell", ["<python><pandas>", "{a|b}", '"{a,b}"', "[a;b]", "\"('a', 'b')\"", "\"['a', 'b']\""]
)
def test_lists_of_other_programs_are_refused(cell):
    text = f"Id,Tags\n1,{cell}\n2,<numpy>\n".encode()
    for layout in (None, "list"):
        with pytest.raises(InputError, match=r"line 2: .* is a list written as text"):
            read_labels(text, layout=layout)
    assert read_labels(text, layout="long").n_classes == 2


def test_names_in_brackets_stay_names():
    labels = read_labels(b"id,labels\np,[2Fe-2S];[4Fe-4S]\nq,<b>\nr,(R)-x;(S)-y\n")
    assert labels.classes.tolist() == ["(R)-x", "(S)-y", "<b>", "[2Fe-2S]", "[4Fe-4S]"]


@pytest.mark.parametrize("cells", ["0;1;0 1;0;0", "0;1 1;0", "1|1|1 0|1|0"])
def test_rows_of_zeros_and_ones_in_text_are_refused(cells):
    one, two = cells.split()
    text = f"id,labels\np,{one}\nq,{two}\n".encode()
    with pytest.raises(InputError, match="all 0 or 1: rows of a 0/1 matrix, or labels") as caught:
        read_labels(text)
    assert (caught.value.fix.parameter, caught.value.fix.value) == ("layout", "list")
    assert read_labels(text, layout="list").classes.tolist() == ["0", "1"]
    assert read_labels(b"id,labels\np,0;1\nq,0\n").toarray().tolist() == [[1, 1], [1, 0]]


# --- long scores ------------------------------------------------------------------------------

SCORES = pd.DataFrame(
    {"id": ["p1", "p1", "p2"], "label": ["kinase", "ion", "ion"], "score": [0.75, 0.25, 0.5]}
)


def check_scores(scores):
    assert (scores.index.tolist(), scores.classes.tolist()) == (["p1", "p2"], ["kinase", "ion"])
    assert scores.matrix.toarray().tolist() == [[0.75, 0.25], [0, 0.5]]


@pytest.mark.parametrize("index", [[0, 1, 2], [1, 2, 3], [4, 9, 2], [0, 0, 1]])
def test_long_scores_with_an_index(index):
    frame = SCORES.set_axis(index)
    file = io.BytesIO()
    frame.to_parquet(file)
    for data in (frame.to_csv().encode(), file.getvalue()):
        check_scores(read_scores(data))
        check_scores(read_scores(data, layout="long"))
    check_scores(read_scores(frame.rename(columns={"id": "user"}).to_csv().encode()))


@pytest.mark.parametrize("name", ["rank", "y_true", "fold"])
def test_long_scores_with_another_column(name):
    frame = SCORES.assign(**{name: 1})
    for data in (csv(frame), frame.to_csv().encode(), csv(frame[[name, "score", "label", "id"]])):
        with pytest.warns(InputWarning, match=f"not read: '{name}'.*those of the column 'score'"):
            check_scores(read_scores(data))


def test_long_scores_by_their_names_wherever_they_are():
    check_scores(read_scores(csv(SCORES[["score", "label", "id"]])))
    check_scores(read_scores(csv(SCORES[["id", "score", "label"]])))
    check_scores(read_scores(csv(SCORES).split(b"\n", 1)[1]))  # without a header
    assert read_scores(b"tag,p1,0.5\ntag,p2,0.25\n").index.tolist() == ["tag"]


@pytest.mark.parametrize(
    ("file", "message", "parameter"),
    [
        (b"id,label,score,confidence\np,a,.5,1\n", "are: 'score', 'confidence'", "score_column"),
        (b"id,label,score,rank\np,1,.5,1\nq,2,.5,2\n", "classes named 'label', 'score'", "layout"),
        (b"a_id,b_id,label,score\np,q,x,.5\n", "which column holds the ids", "id_column"),
    ],
)  # fmt: skip
def test_long_scores_that_are_refused(file, message, parameter):
    with pytest.raises(InputError, match=message) as caught:
        read_scores(file)
    assert caught.value.fix.parameter == parameter


def test_long_scores_of_numbered_labels():
    file = b"id,label,score,rank\np,1,.5,1\n%b,2,.25,2\n"
    with pytest.warns(InputWarning, match="not read: 'rank'"):
        assert read_scores(file % b"p").matrix.toarray().tolist() == [[0.5, 0.25]]
    with pytest.warns(InputWarning, match="not read: 'rank'"):
        assert read_scores(file % b"q", layout="long").matrix.shape == (2, 2)
    assert read_scores(file % b"q", layout="wide").classes.tolist() == ["label", "score", "rank"]
