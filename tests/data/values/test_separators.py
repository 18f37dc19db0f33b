"""Lists of labels in one column: the separator is found by evidence, or the file is refused."""

import csv
import io
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueval.core.errors import InputError
from trueval.data import read_labels, write_labels
from trueval.data._values.labels import read_labels_with_reading


def table(rows, header=("id", "tags"), delimiter=","):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows([header, *rows])
    return out.getvalue().encode()


def sets_of(labels):
    return {
        str(name): {str(labels.classes[c]) for c in labels.indices[start:stop]}
        for name, start, stop in zip(
            labels.index, labels.indptr[:-1], labels.indptr[1:], strict=True
        )
    }


TAGS = {
    "d1": "python,pandas",
    "d2": "pandas,numpy",
    "d3": "numpy,python",
    "d4": "scipy,numpy",
    "d5": "numpy,polars,scipy",
    "d6": "polars",
    "d7": "python",
}


@pytest.mark.parametrize("space", ["", " "])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("layout", [None, "list"])
def test_lists_by_comma_are_found(space, delimiter, layout):
    rows = [(name, tags.replace(",", "," + space)) for name, tags in TAGS.items()]
    labels, reading = read_labels_with_reading(table(rows, delimiter=delimiter), layout=layout)
    assert sets_of(labels) == {name: set(tags.split(",")) for name, tags in TAGS.items()}
    assert (reading.layout, reading.separator, reading.column) == ("list", ",", "tags")


@pytest.mark.parametrize(
    ("cells", "separator"),
    [
        (["python,pandas", "python", "pandas"], ","),  # too little to tell
        (["Portland, OR", "Salem, OR", "Austin, TX", "Portland, ME", "Dallas, TX"] * 3, ","),
        (["2,4-dinitrophenol", "1,2-diol", "1,4-dioxane", "1,2,3-triol"], ","),
        (["python pandas", "pandas numpy", "numpy python"], "' '"),
        (["lipid transport", "ion transport"], "' '"),
        (["a,b", "b,c", "c,d", "d,e", "e,a", "a,,b"], ","),
        (["a,b", "b,c", "c,d", "d,e", "e,a", "a,a"], ","),
        (["a+b", "b+c", "c+d", "d+e", "e+a", "b"], "+"),
        (["go / sql", "sql / c", "c / java", "java / r", "r / go", "sql"], "/"),
    ],
)
@pytest.mark.parametrize("header", [("id", "tags"), ("id", "tag")])
def test_what_may_be_a_list_or_a_name_is_refused(cells, separator, header):
    file = table([(f"d{n}", cell) for n, cell in enumerate(cells)], header)
    with pytest.raises(InputError, match="may be one class with that name or a list") as caught:
        read_labels(file)
    assert caught.value.fix.parameter == "separator"
    assert repr(caught.value.fix.value) == (separator if "'" in separator else repr(separator))
    assert caught.value.fix.more == (("layout", "long"),)
    # Both ways out work.
    assert read_labels(file, layout="long").n_classes == len(set(cells))
    if ",," not in "".join(cells):
        parts = {p.strip() for cell in cells for p in cell.split(separator.strip("'"))}
        found = read_labels(file, separator=separator.strip("'"))
        assert set(found.classes.tolist()) == parts


@pytest.mark.parametrize(
    "cells",
    [
        ["CI/CD", "TCP/IP", "C++", "R&D", "I/O", "C++"],
        ["GO:0008150", "GO:0003674", "EC:1.1.1.1", "GO:0008150"],
        ["A/B", "B/A", "A", "B"],  # two that change places may do so in names
    ],
)
def test_marks_that_keep_their_places_are_part_of_a_name(cells):
    labels = read_labels(table([(f"d{n}", cell) for n, cell in enumerate(cells)]))
    assert set(labels.classes.tolist()) == set(cells)


def test_an_id_that_comes_again_means_one_label_a_line():
    rows = [("p1", "transport, lipid"), ("p1", "lipid binding"), ("p2", "transport, lipid")]
    labels, reading = read_labels_with_reading(table(rows, ("id", "term")))
    assert labels.classes.tolist() == ["lipid binding", "transport, lipid"]
    assert reading.layout == "long"
    assert reading.separator is None
    assert set(reading.examples) == set(labels.classes.tolist())


def test_names_with_commas_and_spaces_in_lists_by_semicolon():
    rows = [("p1", "transport, lipid;ion binding"), ("p2", "ion binding")]
    labels = read_labels(table(rows))
    assert labels.classes.tolist() == ["ion binding", "transport, lipid"]


def test_the_whole_file_is_looked_at():
    """A comma beyond the first thousand rows, and an id that comes again only there."""
    plain = [(f"d{n}", "python") for n in range(1500)]
    with pytest.raises(InputError, match="line 1502"):
        read_labels(table([*plain, ("late", "python,pandas")]))
    names = [(f"d{n}", "lipid transport") for n in range(1500)]
    labels = read_labels(table([*names, ("d0", "ion binding")], ("id", "tag")))
    assert labels.shape == (1500, 2)


@pytest.mark.parametrize("suffix", [".parquet"])
def test_text_of_parquet_is_read_by_the_same_rules(tmp_path, suffix):
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    file = tmp_path / f"tags{suffix}"
    pl.DataFrame({"id": list(TAGS), "tags": list(TAGS.values())}).write_parquet(file)
    assert sets_of(read_labels(file)) == {n: set(t.split(",")) for n, t in TAGS.items()}
    pl.DataFrame({"id": ["a", "b"], "tags": ["x y", "y"]}).write_parquet(file)
    with pytest.raises(InputError, match="may be one class"):
        read_labels(file)


_NAME = st.text("ab, -", min_size=1, max_size=6).filter(lambda s: s == s.strip())


@given(st.lists(st.sets(_NAME, min_size=1, max_size=4), min_size=1, max_size=12))
def test_what_is_written_is_read_back_or_refused(tmp_path_factory, rows):
    file = tmp_path_factory.mktemp("labels") / "labels.csv"
    warnings.filterwarnings("ignore", ".*'-' is read as a class")
    for layout in ("list", "long"):
        try:
            write_labels(file, rows, layout=layout)
        except InputError:
            assert max(map(len, rows)) == 1
            continue
        found = sets_of(read_labels(file))
        assert found == {str(n): names for n, names in enumerate(rows)}
