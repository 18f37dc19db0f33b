"""Errors that name what is really wrong."""

import os
import shutil
from pathlib import Path

import pytest

from trueval.core.errors import InputError, exact
from trueval.core.folders import files_in, make_folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("labels.csv").write_text("id,a,b\nr0,0,1\nr1,1,0\nr2,1,1\nr3,0,1\n")
    Path("closed").mkdir()
    shutil.copy("labels.csv", "closed/labels.csv")
    return tmp_path


@pytest.fixture
def no_permission(monkeypatch):
    """Refuse calls of the system for names in the folder ``closed``, also for root."""

    def refused(function):
        def wrapper(path=".", *arguments, **options):
            if not isinstance(path, int) and "closed" in Path(os.fsdecode(path)).parts:
                raise PermissionError(13, "Permission denied", str(path))
            return function(path, *arguments, **options)

        return wrapper

    for name in ("lstat", "scandir", "listdir"):
        monkeypatch.setattr(os, name, refused(getattr(os, name)))


def test_a_folder_without_permission_is_called_so(folder, no_permission, call):
    code, _, err = call("split", "closed/labels.csv")
    assert code == 1
    assert "closed/labels.csv: the file cannot be looked up: Permission denied." in err
    assert "is not there" not in err


@pytest.mark.parametrize(
    "line",
    [
        "report closed",
        "cafa closed --truth labels.csv --ontology labels.csv",
        "split closed --engine stream -o out.parquet",
    ],
)
def test_a_folder_that_cannot_be_listed_is_called_so(folder, monkeypatch, call, line):
    real = os.scandir

    def scandir(path="."):
        if not isinstance(path, int) and "closed" in Path(os.fsdecode(path)).parts:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    code, _, err = call(*line.split())
    assert code == 1
    assert "closed: the folder cannot be read: Permission denied. Check its permissions." in err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do all")
def test_permissions_of_the_system(folder, call):
    os.chmod("closed", 0)
    try:
        _, _, of_file = call("split", "closed/labels.csv")
        _, _, of_folder = call("report", "closed")
    finally:
        os.chmod("closed", 0o700)
    assert "cannot be looked up: Permission denied" in of_file
    assert "closed: the folder cannot be read: Permission denied" in of_folder


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("split labels.csv/x.csv", "no such file. 'labels.csv' is a file, not a folder."),
        ("split nowhere/x.csv", "no such file. The folder 'nowhere' is not there either."),
        ("study measures-by-class-size --quick --out labels.csv", "labels.csv: this is a file, "),
        ("demo --out labels.csv", "labels.csv: this is a file, not a folder. Name a folder."),
        ("demo --out labels.csv/x", "labels.csv/x: the folder cannot be made: Not a directory."),
        ("split labels.csv -k 2 --ontology edges.csv", "edges.csv, line 1: the columns are "),
        ("split labels.csv -k 2 --ontology semi.csv", "separated by semicolons; a table of edges"),
    ],
)
def test_what_is_wrong_is_named(folder, call, line, words):
    Path("edges.csv").write_text('"child","parent"\na,r\n')
    Path("semi.csv").write_text("source;target\na;r\n")
    code, _, err = call(*line.split())
    assert code == 1
    assert words in err


@pytest.mark.parametrize(
    "words",
    [
        ["split", "labels.csv", "-o", ""],
        ["split", "labels.csv", "--save", ""],
        ["split", ""],
        ["split", "labels.csv", "--groups", ""],
        ["demo", "--out", ""],
        ["study", "measures-by-class-size", "--out", ""],
    ],
)
def test_an_empty_name_is_called_so(folder, call, words):
    code, _, err = call(*words)
    assert code == 2
    assert "the name is empty." in err
    assert sorted(os.listdir()) == ["closed", "labels.csv"]


def test_classes_without_negatives_have_positives(folder, call):
    Path("all.csv").write_text("id,a\nr0,1\nr1,1\n")
    _, out, _ = call("split", "all.csv", "-k", 2)
    assert "2 positives" in out
    assert "No class has positives and negatives both, so there is nothing to balance." in out


def test_a_score_just_above_1_is_shown_as_it_is(folder, call):
    Path("p.tsv").write_text("P1\tX:1\t1.0000001\n")
    Path("o.obo").write_text("[Term]\nid: X:1\n")
    Path("t.tsv").write_text("P1\tX:1\n")
    _, _, err = call("cafa", "p.tsv", "--truth", "t.tsv", "--ontology", "o.obo")
    assert "the score is 1.0000001. A score is above 0 and at most 1." in err
    assert [exact(value) for value in (2, 1e300, 1 + 2**-52, float("nan"))] == [
        "2",
        "1e+300",
        "1.0000000000000002",
        "nan",
    ]


def test_folders(tmp_path):
    inside = make_folder(tmp_path / "a" / "b")
    (inside / "x").touch()
    (tmp_path / "a" / "y").touch()
    assert sorted(files_in(tmp_path)) == [inside / "x", tmp_path / "a" / "y"]
    assert list(files_in(tmp_path / "a", below=False)) == [tmp_path / "a" / "y"]
    assert make_folder(str(inside)) == inside
    with pytest.raises(InputError, match="this is a file, not a folder"):
        make_folder(inside / "x")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        list(files_in(tmp_path / "nowhere"))
