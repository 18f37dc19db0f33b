"""What separates columns, and headers that NumPy writes as comments: read right, or refused."""

import io

import numpy as np
import pytest

from trueval import InputError, InputWarning
from trueval.data import read_folds, read_labels, read_pairs, read_scores, read_similarity
from trueval.data._values.columns import read_column, read_table
from trueval.data._values.rows import read_feature_rows


def columns(text, delimiter=None):
    table = read_table(text.encode(), delimiter=delimiter)
    return [[table.names[at], *table.cells(at)] for at in range(table.width)]


ONE_WAY = {
    "p1,a;b\np2,a\n": [["p1", "p2"], ["a;b", "a"]],  # lists of other lengths
    "p1,a;b\np2,b;c\n": [["p1", "p2"], ["a;b", "b;c"]],  # labels in the last column
    "id;name\np1;Smith, J.\n": [["id", "p1"], ["name", "Smith, J."]],  # the header has no comma
    "id,labels\np1,a;b\n": [["id", "p1"], ["labels", "a;b"]],
    "p1;p2;1,0\np1;p3;0,5\n": [["p1", "p1"], ["p2", "p3"], ["1,0", "0,5"]],  # decimal commas
    "p1;p2;1,0\np1;p3;0\n": [["p1", "p1"], ["p2", "p3"], ["1,0", "0"]],
    "p1;a,b\np2;c\n": [["p1", "p2"], ["a,b", "c"]],  # commas give lines of other widths
    "p1\ta,b;c\np2\ta,d;e\n": [["p1", "p2"], ["a,b;c", "a,d;e"]],  # a tab goes first
    'p1,"a;b"\np2,"c;d"\n': [["p1", "p2"], ["a;b", "c;d"]],
    '"p1;x",a\n"p2;x",b\n': [["p1;x", "p2;x"], ["a", "b"]],  # in quotes, it is no delimiter
}


@pytest.mark.parametrize("text", ONE_WAY)
def test_what_can_be_told(text):
    assert columns(text) == ONE_WAY[text]


@pytest.mark.parametrize(
    "text",
    [
        "p1;a,b\np2;b,c\n",  # or ids "p1;a"
        "0,5;0,25\n0,1;0,9\n",  # two decimals, or three columns
        "17,3;5\n18,4;9\n",  # labels 3 and 5, or 17.3
        "Smith, J.;P1\nMiller, K.;P2\n",  # or labels "J." and "P1"
    ],
)
def test_what_cannot_be_told_is_refused_with_the_ways_out(text):
    for read in (columns, lambda t: read_similarity(t.encode()), lambda t: read_pairs(t.encode())):
        with pytest.raises(InputError, match="line 1: what separates the columns") as caught:
            read(text)
    assert caught.value.fix.parameter == "delimiter"
    assert (caught.value.fix.value, caught.value.fix.more) == (";", (("delimiter", ","),))
    for delimiter in ",;":
        cells = [line.split(delimiter) for line in text.splitlines()]
        rows = [[cell.lstrip() for cell in row] for row in cells]  # a blank follows every comma
        assert columns(text, delimiter) == [list(column) for column in zip(*rows, strict=True)]
    named = columns("a;b\n" + text)
    assert [column[0] for column in named] == ["a", "b"]


@pytest.mark.parametrize("text", ["p1;p2;1,0\np1;p3;0,5\n", "p1 p2 1,0\np1 p3 0,5\n"])
def test_decimal_commas_of_pairs_are_refused_as_numbers(text):
    with pytest.raises(InputError, match=r"the label is '1,0'.*Write decimals with a point") as e:
        read_pairs(text.encode())
    assert (e.value.place.line, e.value.place.column) == (1, 2)


def test_names_with_spaces_are_no_decimal_commas():
    pairs = read_pairs(b"alpha 1,beta 2,1\nalpha 1,beta 3,0\n")
    assert pairs.pairs.tolist() == [["alpha 1", "beta 2"], ["alpha 1", "beta 3"]]


# --- headers in comments -------------------------------------------------------------


def savetxt(array, **options):
    file = io.BytesIO()
    np.savetxt(file, array, **options)
    return file.getvalue()


@pytest.mark.parametrize("head", ["kinase,ion", "made by hand\nkinase,ion"])
def test_a_header_as_numpy_writes_it(head):
    y = np.array([[1, 0], [0, 1], [0, 0]])
    line = head.count("\n") + 1
    text = savetxt(y, fmt="%d", delimiter=",", header=head)
    with pytest.warns(InputWarning, match=r"comment '# kinase,ion' is taken as the header") as said:
        labels = read_labels(text)
    assert [warning.message.place.line for warning in said] == [line]
    assert labels.classes.tolist() == ["kinase", "ion"]
    assert (labels.toarray() == y).all()
    assert read_labels(text, header=False).classes.tolist() == ["0", "1"]
    with pytest.warns(InputWarning, match="header"):
        scores = read_scores(savetxt(y / 4, delimiter=",", header=head))
    assert scores.classes.tolist() == ["kinase", "ion"]
    assert (scores.matrix == y / 4).all()


def test_lines_of_errors_count_the_comment():
    text = savetxt(np.array([[1, 0], [0, 7]]), fmt="%d", delimiter=",", header="kinase,ion")
    with (
        pytest.warns(InputWarning, match="header"),
        pytest.raises(InputError, match="line 3, column 'ion': the value '7'"),
    ):
        read_labels(text, layout="wide")


def test_pairs_of_numpy():
    text = savetxt(np.array([[7, 8, 1], [8, 9, 0]]), fmt="%d", header="y a b")
    with pytest.warns(InputWarning, match="'# y a b' is taken as the header"):
        pairs = read_pairs(text, columns=("a", "b"))
    assert pairs.pairs.tolist() == [["8", "1"], ["9", "0"]]
    assert pairs.y.tolist() == [7, 8]
    bare = read_pairs(text, header=False)
    assert (bare.pairs.tolist(), bare.y.tolist()) == ([["7", "8"], ["8", "9"]], [1, 0])


@pytest.mark.parametrize(
    "comment",
    ["# of proteins, by hand", "# proteins", "# a,b,c", "# a,", "#kinase,ion", "# trueval x,y"],
)
def test_other_comments_are_none(comment):
    if not comment.startswith("#kinase"):
        labels = read_labels(f"{comment}\nid,kinase\np1,1\np2,0\n".encode())
        assert (labels.classes.tolist(), labels.index.tolist()) == (["kinase"], ["p1", "p2"])
    if comment.count(",") == 1 and "trueval" not in comment and not comment.endswith(","):
        return  # over numbers, these name two columns
    labels = read_labels(f"{comment}\n1,0\n0,1\n".encode())
    assert labels.classes.tolist() == ["0", "1"]


# --- numbers as a header, as pandas writes it ---------------------------------------------


PLACES = "so their places say what they are"


def test_numbers_over_words_are_the_header():
    labels = read_labels(b"0,1\np1,kinase\np2,ion\n")
    assert (labels.index.tolist(), labels.classes.tolist()) == (["p1", "p2"], ["ion", "kinase"])
    assert labels.toarray().tolist() == [[0, 1], [1, 0]]
    for text in (b"0,1,2\np1,p2,1\np1,p3,0\n", b",0,1,2\n0,p1,p2,1\n1,p1,p3,0\n"):
        with pytest.warns(InputWarning, match=PLACES):
            pairs = read_pairs(text)
        assert pairs.pairs.tolist() == [["p1", "p2"], ["p1", "p3"]]
        assert pairs.y.tolist() == [1, 0]
    assert read_similarity(b"0,1,2\np1,p2,0.5\np1,p3,0.25\n").index.tolist() == ["p1", "p2", "p3"]
    assert read_column(b"0,1\nP1,f1\nP2,f1\n", (), "groups").names.tolist() == ["P1", "P2"]


def test_numbers_over_a_matrix_of_three_columns_are_the_header():
    for text in (b"0,1,2\n1,0,1\n", b"0,1,2\n1.0,0.0,1.0\n", b",0,1,2\n0,1,0,1\n"):
        labels = read_labels(text)
        assert labels.classes.tolist() == ["0", "1", "2"]
        assert labels.toarray().tolist() == [[1, 0, 1]]
    rows, _ = read_feature_rows(b"0,1,2\n0.5,0.25,4.0\n")
    assert {name: column.tolist() for name, column in rows.features.items()} == {
        "0": [0.5],
        "1": [0.25],
        "2": [4.0],
    }


@pytest.mark.filterwarnings(f"ignore:.*{PLACES}")
@pytest.mark.parametrize(
    ("read", "text", "taken", "n_rows", "n_with_header"),
    [
        (read_labels, "0,1\n1,0\n1,1\n0,1\n", "data", 4, 3),
        (read_labels, "0,1\n5,17\n6,18\n", "data", 3, 2),
        (read_labels, "0,1\n1.0,0.0\n", "the header", 2, 1),
        (read_labels, "0,1\n1,A01\n2,7\n", "the header", 3, 2),  # or labels 1, A01, 7
        (read_pairs, "0,1\n0,2\n1,2\n", "data", 3, 2),
        (read_pairs, "0,1,2\n0,2,5\n1,2,3\n", "data", 3, 2),
        (read_pairs, "0,1,2\n7,8,1\n8,9,0\n", "the header", 3, 2),
    ],
)
def test_numbers_that_may_be_a_row_are_said(read, text, taken, n_rows, n_with_header):
    with pytest.warns(InputWarning, match=f"may be the header.*it is taken as {taken}") as said:
        got = read(text.encode())
    said = [warning.message for warning in said if PLACES not in str(warning.message)]
    assert (len(said), said[0].place.line) == (1, 1)
    assert n_of(got) == (n_rows if taken == "data" else n_with_header)
    assert n_of(read(text.encode(), header=False)) == n_rows
    assert n_of(read(text.encode(), header=True)) == n_with_header


def n_of(value):
    return len(value.pairs) if hasattr(value, "pairs") else value.n_rows


@pytest.mark.parametrize("text", ["1,0\n0,1\n", "0,1\n", "0,2\n1,2\n"])
def test_other_numbers_are_rows(text):
    assert read_labels(text.encode(), header=None).n_rows == text.count("\n")


# --- scores as pandas and NumPy write arrays ----------------------------------------------

P = np.array([[0.2, 0.8, 0.5], [0.5, 0.4, 0.25]])
BY_PANDAS = b"0,1,2\n0.2,0.8,0.5\n0.5,0.4,0.25\n"
WITH_INDEX = b",0,1,2\n0,0.2,0.8,0.5\n1,0.5,0.4,0.25\n"
OTHER_ORDER = b",0,1,2\n1,0.5,0.4,0.25\n0,0.2,0.8,0.5\n"
NAMED = b"kinase,ion,pore\n1,0,0\n0,1,1\n"


@pytest.mark.parametrize("text", [BY_PANDAS, WITH_INDEX, savetxt(P, delimiter=",")])
@pytest.mark.parametrize(
    "labels", [NAMED, b"id,kinase,ion,pore\np1,1,0,0\np2,0,1,1\n", b"0,1,2\n1,0,0\n0,1,1\n"]
)
def test_scores_of_arrays_in_the_order_of_the_labels(text, labels):
    labels = read_labels(labels)
    scores = read_scores(text, labels, same_order=True)
    assert (scores.matrix == P).all()
    assert scores.classes.tolist() == labels.classes.tolist()
    assert (scores.index is None) == (labels.index is None)
    if labels.classes[0] == "kinase":
        with pytest.raises(InputError, match=r"same_order=True"):
            read_scores(text, labels)
    elif text != savetxt(P, delimiter=","):
        assert (read_scores(text, labels).matrix == P).all()


def test_row_numbers_in_another_order_are_read_in_one_way_or_not_at_all():
    labels = read_labels(b"id,kinase,ion,pore\np1,1,0,0\np2,0,1,1\n")
    with pytest.raises(InputError, match="the row numbers of the scores are not in order"):
        read_scores(OTHER_ORDER, labels, same_order=True)
    scores = read_scores(OTHER_ORDER, read_labels(NAMED), same_order=True)
    assert (scores.matrix == P).all()


def test_numbers_of_classes_and_rows_can_be_named():
    scores = read_scores(BY_PANDAS, classes=["a", "b", "c"], index=["p", "q"])
    assert (scores.classes.tolist(), scores.index.tolist()) == (["a", "b", "c"], ["p", "q"])


def test_row_numbers_order_scores_of_labels_without_ids():
    scores = read_scores(b",kinase,ion,pore\n1,5,6,7\n0,2,3,4\n", read_labels(NAMED))
    assert (scores.index, scores.matrix.tolist()) == (None, [[2, 3, 4], [5, 6, 7]])
    with pytest.raises(InputError, match="Write the labels with these ids"):
        read_scores(b",kinase,ion,pore\n1,5,6,7\n2,2,3,4\n", read_labels(NAMED))


def test_rows_too_many_without_a_header_are_refused():
    text = b"3,17,21\n" + savetxt(P, delimiter=",")  # classes, not scores
    with pytest.raises(InputError, match="3 rows of scores for 2 rows of labels"):
        read_scores(text, read_labels(NAMED), same_order=True)


def test_two_columns_of_scores_below_numbers_are_said():
    with pytest.warns(InputWarning, match=r"it is taken as the header\. Name the columns\.$"):
        assert read_scores(b"0,1\n0.2,0.8\n").n_rows == 1
    with pytest.raises(InputError, match="the first line must name the classes"):
        read_scores(b"0,1\n1,0\n")


def test_scores_of_numbered_columns_in_lines():
    scores = read_scores(b"0,1,2\np1,kinase,0.5\np2,ion,0.25\n")
    assert scores.index.tolist() == ["p1", "p2"]
    assert scores.matrix.toarray().tolist() == [[0.5, 0.0], [0.0, 0.25]]


# --- comments without a blank, and Excel's separator -----------------------------------------


@pytest.mark.parametrize(
    "comment",
    [
        "#downloaded 2024,from",
        "#downloaded 2024, from X",
        "#Format: a b",
        "##x",
        "#x\n#y,z",
        "# made by\n#hand",
        "sep=,",
        "#by me\nsep=,",
    ],
)
@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_comments_above_the_header_are_no_rows(comment, delimiter):
    comment = comment.replace("sep=,", f"sep={delimiter}")
    table = "id,label\nx,a\ny,b\n".replace(",", delimiter)
    labels = read_labels(f"{comment}\n{table}".encode())
    assert (labels.index.tolist(), labels.classes.tolist()) == (["x", "y"], ["a", "b"])


def test_the_separator_of_excel_goes_before_what_is_found():
    assert columns("sep=;\nid;a,b\nx;1,2\n") == [["id", "x"], ["a,b", "1,2"]]
    assert columns("sep=;\np1;a,b\np2;b,c\n") == [["p1", "p2"], ["a,b", "b,c"]]
    assert columns("sep=;\np1;a,b\n", ",") == [["p1;a"], ["b"]]


def test_a_header_may_begin_with_the_mark_of_comments():
    labels = read_labels(b"#downloaded\n#id,label\nx,a\ny,b\n")
    assert (labels.index.tolist(), labels.classes.tolist()) == (["x", "y"], ["a", "b"])
    pairs = read_pairs(b"#protein1 protein2 combined_score\nA B 490\nA C 200\n", label_column=2)
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == ([["A", "B"], ["A", "C"]], [490, 200])
    assert columns("#chrom\tstart\nc1\t5\n") == [["#chrom", "c1"], ["start", "5"]]


def test_a_comment_that_may_be_the_header_is_said():
    with pytest.warns(InputWarning, match=r"'#patient,icd10' is taken as the header.*its '#'"):
        labels = read_labels(b"#patient,icd10\nx,a\ny,b\n")
    assert labels.index.tolist() == ["x", "y"]
    assert read_labels(b"#patient,icd10\nx,a\ny,b\n", header=False).index.tolist() == ["x", "y"]


@pytest.mark.parametrize("text", ["#love,1\nhate,0\n", "#love,good\n#hate,bad\nx,bad\n"])
def test_hashtags_are_rows(text):
    assert columns(text)[0] == [line.split(",")[0] for line in text.splitlines()]


# --- R, blanks after delimiters, and lists that end with a separator ----------------------------


@pytest.mark.parametrize("d", ["\t", ",", " "])
def test_a_header_without_row_names_as_r_writes_it(d):
    text = '"kinase" "ion"\n"P1" 1 0\n"P2" 0 1\n'.replace(" ", d)
    with pytest.warns(InputWarning, match="no name for the first, which is read as row names"):
        labels = read_labels(text.encode(), delimiter=d)
    assert (labels.index.tolist(), labels.classes.tolist()) == (["P1", "P2"], ["kinase", "ion"])
    assert labels.toarray().tolist() == [[1, 0], [0, 1]]


def test_a_delimiter_goes_before_the_format_of_numbers():
    text = b"0 1 1\n1 0 0\n"
    assert read_labels(text, delimiter=" ").toarray().tolist() == [[0, 1, 1], [1, 0, 0]]
    scores = read_scores(text, np.array([[0, 1, 1], [1, 0, 0]]), delimiter=" ", same_order=True)
    assert scores.matrix.tolist() == [[0, 1, 1], [1, 0, 0]]


@pytest.mark.parametrize("d", [",", ";", "\t"])
def test_a_blank_after_every_delimiter_is_part_of_it(d):
    def spaced(text):
        return text.replace(",", f"{d} ").encode()

    labels = read_labels(spaced("id,a,b\nx,1,0\ny,0,1\n"))
    assert (labels.classes.tolist(), labels.toarray().tolist()) == (["a", "b"], [[1, 0], [0, 1]])
    assert read_scores(spaced("id,a,b\nx,0.5,2\n")).matrix.tolist() == [[0.5, 2.0]]
    assert read_labels(spaced("label,id\na,p1\nb,p2\n")).index.tolist() == ["p1", "p2"]
    assert columns(spaced('id,"n,m",c\nx,y,1\n').decode()) == [
        ["id", "x"],
        [f"n{d} m", "y"],
        ["c", "1"],
    ]


def test_blanks_after_some_delimiters_are_kept():
    assert columns("id, name\nx,y\nz, w\n")[1] == [" name", "y", " w"]


def test_blanks_in_all_blocks():
    rows = "".join(f"p{n}, q{n}, {n % 2}\n" for n in range(100_000))  # 1.7 MB
    pairs = read_pairs(f"a, b, y\n{rows}".encode())
    assert pairs.pairs[[0, -1]].tolist() == [["p0", "q0"], ["p99999", "q99999"]]
    assert pairs.y.sum() == 50_000


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("id,labels\nx,a;b;\ny,b;\nz,\n", {}),
        ("id,labels\nx,a; b; \ny,b\nz,\n", {}),
        ("id,labels\nx,a|b|\ny,b|\nz,\n", {}),
        ("id,labels\nx,a::b::\ny,b\nz,\n", {"separator": "::"}),
    ],
)
def test_a_separator_at_the_end_is_no_label(text, options):
    labels = read_labels(text.encode(), **options)
    assert labels.classes.tolist() == ["a", "b"]
    assert labels.toarray().tolist() == [[1, 1], [0, 1], [0, 0]]


def test_folds_and_groups_of_pandas():
    for text in (b"id,fold\np1,0.0\np2,1.0\n", b"ID,Fold\np1,0\np2,1\n"):
        folds = read_folds(text)
        assert (folds.folds.tolist(), folds.index.tolist()) == ([0, 1], ["p1", "p2"])
    with pytest.raises(InputError, match=r"the fold is '0\.5'"):
        read_folds(b"id,fold\np1,0.5\n")
    groups = read_column(b",protein,family\n0,P1,7\n1,P2,8\n", ("group",), "the groups")
    assert (groups.names.tolist(), groups.values.tolist()) == (["P1", "P2"], ["7", "8"])
    parts = read_column(b"id,part\nP1,2.0\n", ("part",), "the parts")
    assert parts.whole_numbers(parts.values, 0).tolist() == [2]


def test_errors_of_similarities_name_the_cause():
    with pytest.raises(InputError, match=r"line 2.*'0,875'.*Write decimals with a point"):
        read_similarity(b"a;b;similarity\np1;p2;0,875\n")
    with pytest.raises(InputError, match=r"1 / \(1 \+ distance\)\.$"):
        read_similarity(b"a,b,distance\np1,p2,1\n")
    with pytest.raises(InputError, match=r"pass column='share'"):
        read_similarity(b"a,b,distance,word,share\np1,p2,1,x,0.5\n")
