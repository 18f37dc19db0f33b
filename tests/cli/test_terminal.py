"""Names cannot control the terminal: what is not text is escaped, wherever it is printed."""

import re
import time
import unicodedata
from pathlib import Path

import pytest

from trueval.cli.meter import Meter
from trueval.cli.streams import visible

#: Colour, cursor, title of the window, a bell, C1 controls, a line end, changes of direction.
HOSTILE = ["a\x1b[31mred", "b\x1b]0;title\x07", "c\x9b2J", "d\u202egnp", "e\u2028f", "g\x7f\x08h"]


def controls(text):
    """Characters of a text that are no text; by the Unicode database."""
    kinds = ("Cc", "Cs", "Zl", "Zp")
    odd = {c for c in text if unicodedata.category(c) in kinds} - {"\n"}
    directions = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")
    return odd | {c for c in text if unicodedata.bidirectional(c) in directions}


def test_what_is_escaped_is_what_the_database_calls_no_text():
    for number in range(0x110000):
        character = chr(number)
        escaped = visible(character) != character
        assert escaped == bool(controls(character) - {"\t"}), hex(number)
    assert visible("é, 蛋白, 👩\u200d🔬, a\tb\nc") == "é, 蛋白, 👩\u200d🔬, a\tb\nc"
    assert visible("\x1b[31m") == r"\x1b[31m"


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """Labels, scores, folds and pairs with hostile names, in hostile files."""
    monkeypatch.chdir(tmp_path)
    names = [name for name in HOSTILE if "\n" not in name]
    rows = [f"{name}{row}" for row in range(4) for name in names]
    values = [[(row + k) % 3 == 0 for k in range(len(names))] for row in range(len(rows))]
    file = "\x1b[32mfile"

    def table(kind, cell):
        lines = [",".join(["id", *names])]
        lines += [
            ",".join([row, *(cell(value, k) for k, value in enumerate(line))])
            for row, line in zip(rows, values, strict=True)
        ]
        Path(f"{file}.{kind}.csv").write_text("\n".join(lines) + "\n", newline="")

    table("labels", lambda value, k: str(int(value)))
    table("scores", lambda value, k: f"{0.5 * value + 0.01 * k:.2f}")
    folds = [f"{row},{place % 2}" for place, row in enumerate(rows)]
    Path(f"{file}.folds.csv").write_text("\n".join(["id,fold", *folds]) + "\n")
    pairs = [f"{a},{b},{(len(a) + i) % 2}" for i, a in enumerate(rows) for b in rows[:i]]
    Path(f"{file}.pairs.csv").write_text("\n".join(["a,b,y", *pairs]) + "\n")
    return file


LINES = [
    "split FILE.labels.csv -k 2 --compare random -o FILE.new.csv --save FILE.json",
    "quality FILE.labels.csv FILE.folds.csv",
    "rank FILE.scores.csv FILE.labels.csv --ranker raw -o FILE.new.tsv",
    "decide FILE.scores.csv FILE.labels.csv --ranker raw --calls 9 --folds FILE.folds.csv",
    "pairs FILE.pairs.csv -k 2 -o FILE.roles.csv",
    "audit FILE.pairs.csv --folds FILE.roles.csv",
    "quality FILE.labels.csv FILE.nowhere.csv",
    "quality FILE.labels.csv FILE.folds.csv --save FILE.labels.csv",
    "rank FILE.labels.csv FILE.pairs.csv",
    "split FILE.labels.csv --initial FILE",
    "report FILE.json -o FILE.html",
    "FILE",
]


@pytest.mark.parametrize("as_json", [False, True])
def test_names_reach_no_terminal_as_they_are(hostile, call, as_json):
    for line in LINES:
        words = [word.replace("FILE", hostile) for word in line.split()]
        _, out, err = call(*words, *(["--json"] if as_json else []))
        assert controls(out) == controls(err) == set(), line


def test_nothing_is_lost_in_json(hostile, call_json):
    written = call_json("split", f"{hostile}.labels.csv", "-o", f"{hostile}.new.csv")["outputs"]
    assert written == [f"{hostile}.new.csv"]


def test_tables_of_hostile_names_are_straight(hostile, call):
    _, out, _ = call("quality", f"{hostile}.labels.csv", f"{hostile}.folds.csv")
    lines = out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("class "))
    block = lines[start : start + 2 + 5]
    width = len(block[0])
    assert block[0].split() == ["class", "positives", "rLD", "lower", "bound", "gaps"]
    assert [len(line) for line in block] == [width] * 7
    assert any(line.startswith(r"a\x1b[31mred ") for line in block)


def test_progress_neither_obeys_names_nor_takes_them_for_markup(capsys, monkeypatch):
    monkeypatch.setattr("trueval.cli.meter._AFTER", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with Meter("Reading [red]\x1b[31mx") as meter:
        for _ in range(100):
            meter(1, 2)
            if meter.appeared:
                break
            time.sleep(0.05)
        assert meter.appeared
    err = capsys.readouterr().err
    assert r"[red]\x1b[31mx" in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", err)
