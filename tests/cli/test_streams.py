"""Standard streams, interrupts, JSON, quiet: behaviour in real processes."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import environment
from trueval.data import write_labels

posix = pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")


def test_standard_input_and_output(home, call):
    text = Path("trueval-demo/labels.csv").read_text(encoding="utf-8")
    code, out, err = call("split", "-", "-k", 3, "-o", "-", data=text)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "id,fold"
    assert len(lines) == 501
    assert "Class counts reach the lower bound" in " ".join(err.split())
    code, again, _ = call("split", "trueval-demo/labels.csv", "-k", 3, "-o", "-")
    assert again == out


def test_only_one_input_is_standard_input(home, call):
    code, _, err = call("rank", "-", "-", data="id,label\na,b\n")
    assert code == 2
    assert "Only one input" in err


def test_json_is_one_object_and_nothing_else(home, call_json):
    found = call_json("split", "trueval-demo/labels.csv", "-k", 4, "--save", "s.json")
    assert found["parts"] == 4
    assert np.bincount(found["folds"]).tolist() == [125] * 4
    assert found["outputs"] == ["s.json"]
    facts = found["provenance"]
    assert facts["command"] == "trueval split trueval-demo/labels.csv -k 4 --save s.json"
    assert facts["seed"] == 0
    assert {"trueval", "python", "numpy", "scipy", "scikit-learn"} <= set(facts["versions"])
    import hashlib

    content = Path("trueval-demo/labels.csv").read_bytes()
    assert facts["inputs"] == [
        {
            "path": "trueval-demo/labels.csv",
            "sha256": hashlib.sha256(content).hexdigest(),
            "bytes": len(content),
            "shape": [500, 76],
        }
    ]


def test_quiet_prints_nothing(home, call):
    code, out, err = call("split", "trueval-demo/labels.csv", "-o", "f.csv", "--quiet")
    assert (code, out, err) == (0, "", "")
    assert Path("f.csv").exists()


def test_seed_and_jobs(home, call_json):
    one = call_json("split", "trueval-demo/labels.csv", "--seed", 3)["folds"]
    assert call_json("split", "trueval-demo/labels.csv", "--seed", 3, "--jobs", 2)["folds"] == one
    assert call_json("split", "trueval-demo/labels.csv", "--seed", 4)["folds"] != one


def test_warnings_are_one_line_each(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("y.csv").write_text("id,labels\n" + "".join(f"{i},a\n" for i in range(9)) + "9,rare\n")
    code, _, err = call("split", "y.csv")
    assert code == 0
    assert len([line for line in err.splitlines() if line.startswith("Warning: ")]) == 1
    assert ".py" not in err
    code, _, err = call("split", "y.csv", "--quiet")
    assert err == ""


def test_groups_fixed_parts_and_ontology(home, call_json, call):
    labels = "trueval-demo/labels.csv"
    found = call_json("split", labels, "--groups", "trueval-demo/families.csv")
    lines = Path("trueval-demo/families.csv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split(",") for line in lines]
    parts = {}
    for (_, family), fold in zip(rows, found["folds"], strict=True):
        parts.setdefault(family, set()).add(fold)
    assert all(len(own) == 1 for own in parts.values())

    Path("fixed.csv").write_text(f"id,part\n{rows[0][0]},2\n{rows[5][0]},1\n", encoding="utf-8")
    found = call_json("split", labels, "--parts", "80,10,10", "--fixed", "fixed.csv")
    assert (found["folds"][0], found["folds"][5]) == (2, 1)
    assert np.bincount(found["folds"]).tolist() == [400, 50, 50]

    Path("y.csv").write_text("id,labels\nr0,T:2\nr1,T:1\nr2,T:2\nr3,T:1\n", encoding="utf-8")
    Path("t.obo").write_text(
        "format-version: 1.2\n\n[Term]\nid: T:1\nname: up\n\n[Term]\nid: T:2\nname: down\n"
        "is_a: T:1\n",
        encoding="utf-8",
    )
    assert call_json("split", "y.csv", "-k", 2)["positives"] == 4
    found = call_json("split", "y.csv", "-k", 2, "--ontology", "t.obo")
    assert found["positives"] == 6  # two rows of T:2 also get its parent
    assert [i["path"] for i in found["provenance"]["inputs"]] == ["y.csv", "t.obo"]


def test_rank_and_decide_on_new_scores(home, call, call_json):
    from trueval.data import read_scores

    scores, labels = "trueval-demo/scores.npz", "trueval-demo/labels.csv"
    call_json("rank", scores, labels, "--ranker", "isotonic", "--new", scores, "-o", "v.npz")
    from sklearn.isotonic import IsotonicRegression

    from trueval.data import read_labels

    y = read_labels(labels)
    matrix = np.asarray(read_scores(scores, y).matrix)
    values = np.asarray(read_scores("v.npz", y).matrix)
    curve = IsotonicRegression(out_of_bounds="clip").fit(matrix[:, 0], y.toarray()[:, 0])
    np.testing.assert_allclose(values[:, 0], curve.predict(matrix[:, 0]), atol=1e-6)
    found = call_json("decide", scores, labels, "--recall", 0.5, "--new", scores, "-o", "c.csv")
    lines = Path("c.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "id,label,score"
    assert ", ".join(lines[0].split(",")) in call("decide", "--help")[1]
    assert len(lines) - 1 == found["calls"]
    assert all(float(line.split(",")[2]) >= found["threshold"] for line in lines[1:])


def test_audit_counts_and_requirement(call, call_json, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("a,b,y\nA,B,1\nB,C,0\nB,A,1\nA,D,0\nE,F,1\n", encoding="utf-8")
    Path("train.csv").write_text("row\n0\n1\n")
    Path("test.csv").write_text("row\n2\n3\n4\n")
    audit = call_json("audit", "p.csv", "--train", "train.csv", "--test", "test.csv")
    found = audit["audits"]["the split"]
    assert found["counts"] == {"AA": 1, "AB": 1, "BB": 1}
    assert (found["n_mirrored"], found["n_shared_objects"]) == (1, 2)
    rows = Path("p.csv").read_text().splitlines()
    Path("left.csv").write_text("\n".join(rows[:3]) + "\n")
    Path("right.csv").write_text("\n".join([rows[0], *rows[3:]]) + "\n")
    again = call_json("audit", "p.csv", "--train", "left.csv", "--test", "right.csv")
    assert again["audits"]["the split"]["counts"] == found["counts"]
    code, out, _ = call(
        "audit", "p.csv", "--train", "train.csv", "--test", "test.csv", "--require", "BB"
    )
    assert code == 1
    assert "Leak in 1 of 1" in out
    code, out, _ = call("pairs", "p.csv", "-k", 2, "-o", "f.csv", "--setting", "AA")
    assert code == 0
    Path("rows.csv").write_text("row,fold\n0,0\n1,1\n2,0\n3,1\n4,0\n")
    found = call_json("audit", "p.csv", "--folds", "rows.csv")["audits"]
    # Testing on rows 0, 2 and 4 after training on B-C and A-D: both A-B rows know both.
    assert found["fold 0"]["counts"] == {"AA": 2, "AB": 0, "BB": 1}


def test_pairs_folds_hold_out_objects(home, call_json):
    call_json("pairs", "trueval-demo/pairs.csv", "-k", 4, "-o", "f.csv")
    lines = Path("f.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "row,a,b,fold_0,fold_1,fold_2,fold_3"
    rows = [line.split(",") for line in lines[1:]]
    for fold in range(3, 7):
        sides = {
            role: {name for row in rows if row[fold] == role for name in row[1:3]}
            for role in ("train", "test")
        }
        assert sides["test"]
        assert not sides["train"] & sides["test"]
    found = call_json("audit", "trueval-demo/pairs.csv", "--folds", "f.csv", "--require", "BB")
    assert found["leaks"] == {}


def test_no_escape_codes_without_a_terminal(home, shell):
    result = shell("trueval quality trueval-demo/labels.csv trueval-demo/folds.csv")
    assert result.returncode == 0
    assert "\x1b" not in result.stdout + result.stderr
    assert "Classes farthest from their lower bound" in result.stdout


def test_a_reader_that_leaves_is_no_error(home, shell):
    for line in (
        "trueval split trueval-demo/labels.csv -o - --quiet | head -1",
        "trueval data list | true",
        "trueval split trueval-demo/labels.csv --json | head -c 10",
    ):
        result = shell(line)
        assert result.stderr == ""
        assert result.returncode == 0


def test_debug_shows_the_traceback(home):
    Path("bad.csv").write_text("id,labels\n")
    line = [sys.executable, "-m", "trueval", "split", "bad.csv"]
    quiet = subprocess.run(line, capture_output=True, text=True, check=False)
    assert quiet.returncode == 1
    assert "Traceback" not in quiet.stderr
    loud = subprocess.run([*line, "--debug"], capture_output=True, text=True, check=False)
    assert "Traceback" in loud.stderr


# --- interrupts --------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Labels whose classes cannot all be divided evenly, so that a search does not end early."""
    path = tmp_path_factory.mktemp("large") / "large.npz"
    y = np.random.default_rng(0).random((20_000, 200)) < 0.2
    write_labels(path, y.astype(np.int8))
    return path


# A shell makes its background jobs, perhaps these tests, deaf to Ctrl-C; this undoes it.
HEED = [
    sys.executable,
    "-c",
    "import os, signal, sys\n"
    "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
    "os.execvp(sys.argv[1], sys.argv[1:])",
]


def _interrupted(folder, options, before, after):
    """Split on a terminal, press Ctrl-C at some words: what was on it, stdout, the exit code."""
    import pty

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*HEED, "trueval", "split", "large.npz", "-k", "10", *options, "-o", "folds.csv"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=follower,
        env=environment(),
    )
    os.close(follower)
    seen = _read_until(leader, before)
    process.send_signal(signal.SIGINT)
    seen += _read_until(leader, after)
    out, _ = process.communicate()
    os.close(leader)
    return seen, out, process.returncode


@posix
def test_ctrl_c_while_splitting_leaves_nothing(large):
    """On a terminal: the bar appears, Ctrl-C ends it with 130, and no file is there."""
    folder = large.parent
    seen, out, code = _interrupted(
        folder, ["--effort", "1000"], b"Splitting by anneal", b"Interrupted"
    )
    assert b"Interrupted. No file is half-written." in seen
    assert (code, out) == (130, b"")
    assert sorted(p.name for p in folder.iterdir()) == ["large.npz"]


@posix
def test_ctrl_c_with_json_prints_one_object(large):
    options = ["--effort", "1000", "--json"]
    seen, out, code = _interrupted(large.parent, options, b"Splitting by anneal", b"Interrupted")
    assert b"Interrupted. No file is half-written." in seen
    assert code == 130
    assert json.loads(out) == {
        "error": {
            "type": "KeyboardInterrupt",
            "message": "Interrupted. No file is half-written.",
            "exit_code": 130,
        }
    }


@posix
def test_ctrl_c_in_a_timed_search_keeps_the_best_folds(large):
    folder, timed = large.parent, ["--effort", "best", "--seconds", "60"]
    # The bar has begun, so there are folds.
    seen, out, code = _interrupted(folder, timed, "╸".encode(), b"so far")
    assert b"best folds found so far" in seen
    assert code == 0
    assert b"anneal" in out
    assert (folder / "folds.csv").exists()


def _read_until(descriptor, wanted):
    seen, last = b"", time.monotonic() + 300
    while wanted not in seen and time.monotonic() < last:
        if select.select([descriptor], [], [], 1.0)[0]:
            try:
                block = os.read(descriptor, 4096)
            except OSError:
                break
            seen += block
    # The rest of the line.
    while select.select([descriptor], [], [], 0.5)[0]:
        try:
            seen += os.read(descriptor, 4096)
        except OSError:
            break
        if b"half-written" in seen or wanted != b"Interrupted":
            break
    return seen


def test_ctrl_c_while_modules_are_loaded(tmp_path):
    said = "Interrupted. No file is half-written.\n"
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n")
    done = subprocess.run(
        [sys.executable, "-m", "trueval", "--help"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)
    done = subprocess.run(
        [sys.executable, "-m", "trueval", "split", "y.csv", "--json"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, said)
    error = {"type": "KeyboardInterrupt", "message": said.strip(), "exit_code": 130}
    assert json.loads(done.stdout) == {"error": error}


def test_little_is_loaded_before_ctrl_c_is_heeded():
    """Nothing of the command line, and none of the slower modules of Python."""
    code = (
        "import sys; before = set(sys.modules); import trueval.cli\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    ours = {name for name in loaded if name.startswith("trueval")}
    assert ours <= {"trueval", "trueval._version", "trueval.core", "trueval.core.lazy",
                    "trueval.cli"}  # fmt: skip
    assert not loaded & {"typing", "click", "numpy", "json", "pathlib", "inspect"}


@posix
def test_ctrl_c_while_a_kernel_runs():
    """A C call of many seconds cannot be interrupted by Python, but the process ends."""
    code = (
        "import hashlib, sys\n"
        "from trueval.cli.interrupt import interruptible\n"
        "try:\n"
        "    with interruptible(as_json=True):\n"
        "        print('started', flush=True)\n"
        "        hashlib.pbkdf2_hmac('sha256', b'x', b'y', 2_000_000_000)\n"
        "        print('not reached')\n"
        "except KeyboardInterrupt:\n"  # the signal came before the call began
        "    print('Interrupted', file=sys.stderr)\n"
        "    print('{\"error\": {}}')\n"
        "    sys.exit(130)\n"
    )
    process = subprocess.Popen(
        [*HEED, sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "started\n"
    time.sleep(0.5)  # most likely in the call by then
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert "Interrupted" in err
    assert json.loads(out).keys() == {"error"}


@posix
def test_a_failed_write_keeps_the_old_file(home, call):
    Path("folds.csv").write_text("mine")
    code, _, err = call("split", "trueval-demo/labels.csv", "-o", "folds.xyz")
    assert code == 2
    assert "folds.xyz" in err
    assert Path("folds.csv").read_text() == "mine"
    assert json.loads(call("split", "trueval-demo/labels.csv", "--json")[1])["outputs"] == []
