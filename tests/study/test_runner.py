"""One runner: resumes, does not depend on jobs, writes whole files, says what is wrong."""

import gc
import json
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from trueval.core.errors import InputError
from trueval.study import STUDIES, StudyResult, run_study
from trueval.study import _sources as sources
from trueval.study._cells import Cell, Outcome, Study, Work, stream
from trueval.study._code import code_digest
from trueval.study._runner import find, run
from trueval.table import Table

CALLS = []


def draw(seed, number):
    CALLS.append(number)
    return {"value": float(stream(seed, "draw", number).random())}


def toy_work(plan):
    n = plan.n(6, 2, least=1)
    return Work([Cell(draw, {"number": i}) for i in range(n)], [{"name": "none"}], ["A note."], n)


def toy_table(done):
    return Outcome(
        Table(
            {
                "number": [cell.parameters["number"] for cell in done],
                "x": [cell.result["value"] for cell in done],
                "x se": [np.nan for _ in done],
                "x paper": [0.5 for _ in done],
            }
        ),
        {"mark": "point"},
        ["A difference."],
    )


def toy_sum(done):
    return Outcome(Table({"sum": [sum(cell.result["value"] for cell in done)]}))


TOYS = {
    "toy": Study("toy", "A paper.", "A title", "none", "About.", toy_work, toy_table),
    "toy-sum": Study("toy-sum", "A paper.", "A sum", "none", "", toy_work, toy_sum),
}


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


def same(a, b):
    """Equal tables, NaN included."""
    assert a.columns == b.columns
    for name in a:
        np.testing.assert_array_equal(a[name], b[name])


def test_a_stopped_study_goes_on_where_it_stopped(tmp_path):
    whole = run(TOYS, "toy")

    def stop(done, total):
        if done == 3:
            raise KeyboardInterrupt

    CALLS.clear()
    with pytest.raises(KeyboardInterrupt):
        run(TOYS, "toy", out=tmp_path, progress=stop)
    assert CALLS == [0, 1, 2]
    assert not (tmp_path / "toy.json").exists()
    CALLS.clear()
    calls = []
    resumed = run(TOYS, "toy", out=tmp_path, progress=lambda *step: calls.append(step))
    assert CALLS == [3, 4, 5]
    assert calls == [(3, 6), (4, 6), (5, 6), (6, 6)]
    same(resumed.table, whole.table)


def test_stopping_several_jobs_leaves_no_noise(tmp_path, recwarn):
    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(TOYS, "toy", out=tmp_path, n_jobs=2, progress=stop)
    gc.collect()
    assert [str(w.message) for w in recwarn] == []
    same(run(TOYS, "toy", out=tmp_path, n_jobs=2).table, run(TOYS, "toy").table)


def test_a_killed_study_goes_on_where_it_stopped(tmp_path):
    code = (
        "import os\n"
        "from trueval.study import run_study\n"
        "def die(done, total):\n"
        "    if done == 2:\n"
        "        os._exit(7)\n"  # nothing is tidied up, as when a process is killed
        f"run_study('000-figure2', quick=True, out={str(tmp_path)!r}, progress=die)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == 7
    partial = json.loads((tmp_path / ".000-figure2.partial.json").read_text())
    assert len(partial["cells"]) >= 1
    resumed = run_study("000-figure2", quick=True, out=tmp_path)
    same(resumed.table, run_study("000-figure2", quick=True).table)


def test_cells_are_kept_by_seed_and_parameters(tmp_path):
    run(TOYS, "toy", repeats=2, out=tmp_path)
    assert CALLS == [0, 1]
    run(TOYS, "toy", repeats=3, out=tmp_path)
    assert CALLS == [0, 1, 2]
    run(TOYS, "toy", repeats=2, random_state=1, out=tmp_path)
    assert CALLS == [0, 1, 2, 0, 1]


def test_cells_of_other_code_are_done_again(tmp_path, monkeypatch):
    run(TOYS, "toy", repeats=1, out=tmp_path)
    monkeypatch.setattr("trueval.study._cells.code_digest", lambda: "another")
    run(TOYS, "toy", repeats=1, out=tmp_path)
    assert CALLS == [0, 0]


def test_cells_of_other_data_are_done_again(tmp_path, monkeypatch):
    """The very case: a file is replaced between two calls with one folder."""
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("TRUEVAL_DATA", str(data))

    def rows():
        result = run_study("000-table2", out=tmp_path / "out")
        names = result.table["data"].tolist()
        return result.table["rows"][names.index("mediamill")]

    for n in (30, 90):
        sources.label_matrix.cache_clear()  # as in a new process
        y = sp.csr_array(np.eye(n, 5, dtype=np.int8))
        sp.save_npz(data / "mediamill_Y.npz", y)
        assert rows() == n


def test_the_digest_of_the_code_follows_what_computes(tmp_path, monkeypatch):
    def digest(**files):
        for name, text in files.items():
            file = tmp_path / name.replace("__", "/")
            file.parent.mkdir(exist_ok=True)
            file.with_suffix(".py").write_text(text)
        code_digest.cache_clear()
        return code_digest()

    try:
        monkeypatch.setattr("trueval.__file__", str(tmp_path / "__init__.py"))
        first = digest(rank__lpr="a = 1", cli__study="b = 1")
        assert digest(cli__study="b = 2") == first
        assert digest(rank__lpr="a = 2") != first
        assert digest(rank__lpr="a = 1") == first
    finally:
        code_digest.cache_clear()


def test_studies_of_the_same_cells_share_them(tmp_path):
    total = run(TOYS, "toy", out=tmp_path).table["x"].sum()
    CALLS.clear()
    assert run(TOYS, "toy-sum", out=tmp_path).table["sum"][0] == pytest.approx(total)
    assert CALLS == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"cells": 3}', b'{"cells": {"a": {}}}'])
def test_a_broken_file_of_cells_is_done_again(tmp_path, content):
    (tmp_path / ".toy.partial.json").write_bytes(content)
    same(run(TOYS, "toy", out=tmp_path).table, run(TOYS, "toy").table)


def test_jobs_do_not_change_the_result():
    same(run(TOYS, "toy", n_jobs=2).table, run(TOYS, "toy", n_jobs=1).table)
    one = run_study("002-table2", quick=True, repeats=2, n_jobs=1)
    two = run_study("002-table2", quick=True, repeats=2, n_jobs=2)
    same(one.table, two.table)
    assert one.notes == two.notes


def test_repeats_do_not_depend_on_their_number():
    """The first runs of a longer study are those of a shorter one."""
    few, more = (run(TOYS, "toy", repeats=n).table["x"] for n in (2, 5))
    np.testing.assert_array_equal(few, more[:2])


def test_files_hold_the_whole_result(tmp_path):
    result = run(TOYS, "toy", quick=True, out=tmp_path, random_state=3)
    text = (tmp_path / "toy.json").read_text()
    json.loads(text, parse_constant=pytest.fail)  # NaN is not JSON
    again = StudyResult.from_json(text)
    same(again.table, result.table)
    assert again.notes == ["A difference.", "A note."]
    assert again.provenance["seed"] == 3
    assert again.provenance["repeats"] == 2
    assert again.provenance["quick"] is True
    assert {"trueval", "numpy"} <= set(again.provenance["versions"])
    assert (tmp_path / "toy.md").read_text() == result.to_markdown()
    assert "| number | x paper | x |" in result.to_markdown()
    assert not [p for p in tmp_path.iterdir() if "tmp" in p.suffix]


def test_the_command_repeats_the_study():
    result = run(TOYS, "toy", repeats=2, random_state=4)
    assert result.provenance["command"] == "trueval study toy --repeats 2 --seed 4"


def test_wrong_names_and_numbers_are_told():
    with pytest.raises(InputError, match=r"no study '000-tabel3'. Did you mean 000-table3"):
        run_study("000-tabel3")
    with pytest.raises(InputError, match="There are: split-example, measures-by-class"):
        run_study("nothing at all")
    with pytest.raises(ValueError, match="'random_state' parameter of run_study"):
        run_study("000-figure2", random_state=None)
    with pytest.raises(ValueError, match="'repeats' parameter of run_study"):
        run_study("000-figure2", repeats=0)
    with pytest.raises(InputError, match="not the result of a study"):
        StudyResult.from_json('{"kind": "split", "schema": 1}')
    with pytest.raises(InputError, match="not the result of a study"):
        StudyResult.from_json("nonsense")


def test_all_promised_studies_are_there():
    assert list(STUDIES) == [
        "000-figure1", "000-figure2", "000-figure3", "000-models", "000-sentences",
        "000-table1", "000-table2", "000-table3", "001-figure1", "001-figure2",
        "001-figure3", "001-learners", "001-schemes", "001-skill", "001-table1",
        "001-table2", "001-trends", "001-variants", "002-bandwidth", "002-corollary1",
        "002-corollary2", "002-figure1", "002-hierarchy", "002-options", "002-rivals",
        "002-table2", "002-table3", "002-table4", "002-table5", "002-table6", "002-table7",
        "002-table8", "002-theorem1",
    ]  # fmt: skip
    for name, study in STUDIES.items():
        assert study.name == name
        assert find(STUDIES, study.called) is study
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", study.called)
        assert all((study.paper, study.title, study.data, study.about))


def test_one_repeat_has_no_spread():
    with pytest.raises(InputError, match="measures a spread over repeats; 1 of them has none") as e:
        run_study("000-figure1", quick=True, repeats=1)
    assert "repeats=2" in str(e.value)
