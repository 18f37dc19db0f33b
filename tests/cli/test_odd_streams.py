"""Standard streams that are closed, full, or of another encoding; descriptors as outputs."""

import json
import os

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="descriptors of POSIX")
LABELS = "a,b\n1,0\n0,1\n1,1\n0,1\n"
FULL = "Error: standard output: No space left on device.\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "y.csv").write_text(LABELS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("split y.csv -k 2", 1, FULL),
        ("split y.csv -k 2 -o -", 1, FULL),
        ("split y.csv -k 2 --json", 1, FULL),
        ("quality y.csv nothere.csv --json", 1, "nothere.csv: no such file"),
    ],
)
def test_a_full_output_is_one_line(folder, shell, line, code, message):
    result = shell(f"trueval {line} > /dev/full")
    assert result.returncode == code
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_closed_streams_are_no_error(folder, shell):
    line = "trueval split y.csv -k 2 -o"
    result = shell(f"{line} 1.csv >&- && {line} 2.csv 2>&- && {line} 3.csv -q <&- >&- 2>&-")
    assert (result.returncode, result.stderr) == (0, "")
    contents = [(folder / f"{number}.csv").read_text() for number in (1, 2, 3)]
    assert len(contents[0].splitlines()) == len(LABELS.splitlines())
    assert contents[1:] == contents[:1] * 2


def test_a_closed_input_is_an_empty_one(folder, shell):
    result = shell("trueval split - <&-")
    assert result.returncode == 1
    assert "<stdin>: the file is empty" in result.stderr


def test_what_an_encoding_lacks_is_escaped(folder, shell):
    name = os.fsdecode("nö\N{GRINNING FACE}".encode() + b"\xff.csv")
    (folder / "y.csv").rename(folder / name)
    line = f"PYTHONIOENCODING=ascii trueval split '{name}' -k 2"
    assert r"n\xf6\U0001f600\udcff.csv read as csv" in shell(line).stdout
    told = json.loads(shell(f"{line} --json").stdout)
    assert told["provenance"]["inputs"][0]["path"] == "nö\N{GRINNING FACE}\\udcff.csv"


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "link"])
def test_a_descriptor_is_written_into(folder, shell, name):
    os.symlink("/dev/stdout", "link")
    line = f"trueval split y.csv -k 2 -q --save {name}"
    assert json.loads(shell(f"{line} | cat").stdout)["trueval"] == "stage"
    (folder / "log.txt").write_text("before\n")
    shell(f"{line} >> log.txt")
    before, stage = (folder / "log.txt").read_text().splitlines()
    assert (before, json.loads(stage)["trueval"]) == ("before", "stage")


def test_a_descriptor_that_is_not_open_is_named(folder, shell):
    result = shell("trueval split y.csv -k 2 -q --save /dev/fd/9")
    assert result.returncode == 1
    assert result.stderr.startswith("Error: /dev/fd/9: Bad file descriptor")


def test_a_deleted_folder_is_named(folder, shell):
    result = shell("mkdir gone && cd gone && rmdir ../gone && trueval split y.csv")
    assert result.stderr == "Error: the current folder was deleted: No such file or directory.\n"
