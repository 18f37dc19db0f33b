"""No command replaces what it reads, or one output by another: by name, link, folder or beside."""

import os
import shutil
from pathlib import Path

import pytest

LABELS = "id,a,b\n" + "".join(f"r{row},{row % 2},{(row // 2) % 2}\n" for row in range(12))
OBO = (
    "format-version: 1.2\n\n[Term]\nid: X:F\nnamespace: f\n\n"
    "[Term]\nid: X:1\nnamespace: f\nis_a: X:F\n\n"
    "[Term]\nid: X:2\nnamespace: f\nis_a: X:1\n"
)
CAFA = "cafa --before before.tsv --truth after.tsv --ontology o.obo"


@pytest.fixture
def files(tmp_path, monkeypatch, call):
    """Inputs of several commands, and results that they can read again."""
    monkeypatch.chdir(tmp_path)
    Path("labels.csv").write_text(LABELS)
    Path("o.obo").write_text(OBO)
    Path("before.tsv").write_text("P2\tX:1\n")
    Path("after.tsv").write_text("P1\tX:2\nP2\tX:2\n")
    Path("bench").mkdir()
    shutil.copy("after.tsv", "bench/truth_no.tsv")
    Path("teams").mkdir()
    Path("teams/one.tsv").write_text("P1\tX:2\t0.5\nP2\tX:1\t0.5\n")
    Path("teams/truth_no.tsv").write_text("P1\tX:2\t0.5\nP2\tX:1\t0.5\n")
    Path("results").mkdir()
    line = "split labels.csv -k 2 -o folds.csv --save results/split.json --quiet"
    code, _, err = call(*line.split())
    assert (code, err) == (0, "")
    os.link("labels.csv", "hard.csv")
    os.symlink("labels.csv", "soft.csv")
    os.symlink("results", "linked")
    return tmp_path


def contents():
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        # Files of a folder of results, whatever the folder is called.
        ("report results -o results/split.json", "results/split.json: it is an input"),
        ("report results -o linked/split.json", "linked/split.json: it is an input"),
        ("report linked -o results/split.json", "results/split.json: it is an input"),
        ("report results/split.json -o linked/split.json", "it is an input"),
        # Files that an option names a folder for.
        (CAFA.replace("after.tsv", "bench/truth_no.tsv") + " --benchmarks bench", "an input"),
        (CAFA.replace("before.tsv", "bench/truth_no.tsv") + " --benchmarks bench", "an input"),
        (CAFA.replace("cafa", "cafa teams") + " --benchmarks teams", "teams/truth_no.tsv: it is"),
        (CAFA + " --benchmarks bench -o bench/truth_no.tsv", "another output"),
        # The side file of folds.
        ("quality labels.csv folds.csv --save folds.csv.json", "how the input folds.csv was made"),
        ("quality labels.csv folds.csv --report folds.csv.json", "how the input folds.csv"),
        ("split labels.csv -k 2 --initial folds.csv --save folds.csv.json", "how the input"),
        ("split labels.csv -k 2 -o new.csv --save new.csv.json", "it is written beside new.csv"),
        # Inputs that are not only files, and other names of one file.
        ("split labels.csv -k 2 --initial folds.csv -o folds.csv", "folds.csv: it is an input"),
        ("split labels.csv -k 2 -o hard.csv", "hard.csv: it is an input"),
        ("split hard.csv -k 2 --save soft.csv", "soft.csv: it is an input"),
        ("split labels.csv -k 2 -o results/../labels.csv", "it is an input"),
        ("split labels.csv -k 2 -o new.csv --report results/../new.csv", "another output"),
    ],
)
def test_nothing_that_is_read_is_replaced(files, call, line, words):
    before = contents()
    code, _, err = call(*line.split())
    assert code == 2, err
    assert words in err
    assert "Choose another name." in err
    assert contents() == before


def test_standard_input_is_a_file_too(files, shell):
    before = contents()
    result = shell("trueval split - -k 2 -o labels.csv < labels.csv")
    assert result.returncode == 2
    assert "Cannot write labels.csv: it is an input" in result.stderr
    result = shell("trueval split labels.csv -k 2 -o - >> hard.csv")
    assert result.returncode == 2
    assert "Cannot write -: it is an input" in result.stderr
    assert contents() == before


def test_two_outputs_cannot_share_standard_output(files, call):
    line = "split labels.csv -k 2"
    code, _, err = call(*line.split(), "-o", "-", "--save", "-")
    assert code == 2
    assert "Cannot write -: it is the name of another output too" in err
    code, _, err = call(*line.split(), "--save", "-", "--json")
    assert code == 2
    assert "'--save -' and '--json' both want standard output" in err


@pytest.mark.parametrize(
    "line",
    [
        "report results -o results/report.html",
        "quality labels.csv folds.csv --save labels.csv.json",
        "split labels.csv -k 2 -o folds.csv --save results/split.json",
        f"{CAFA} --benchmarks bench",
        f"{CAFA.replace('cafa', 'cafa teams/one.tsv')} -o teams/all.csv",
    ],
)
def test_old_outputs_are_replaced(files, call, line):
    """Also those in a folder of inputs, or with the name of a side file, that were not read."""
    for _ in range(2):
        code, _, err = call(*line.split(), "--quiet")
        assert (code, err) == (0, "")


def test_what_an_engine_writes_beside_its_table_replaces_nothing(files, call):
    pytest.importorskip("pyarrow")
    import pandas as pd

    rows = [(f"r{row}", "ab"[row % 2]) for row in range(12)]
    pd.DataFrame(rows, columns=["row", "class"]).to_parquet("long.parquet")
    Path("out.parquet.json").write_text('{"mine": 1}')
    line = "split long.parquet -k 2 --engine stream -o out.parquet --quiet"
    code, _, err = call(*line.split())
    assert code == 1
    assert "out.parquet.json: this file is where the provenance goes" in err
    assert Path("out.parquet.json").read_text() == '{"mine": 1}'
    Path("out.parquet.json").unlink()
    for _ in range(2):
        code, _, err = call(*line.split())
        assert (code, err) == (0, "")
