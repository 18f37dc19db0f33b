"""One bar at a time, also where work is inside other work; warnings above it, once a cause."""

import io
import re
import sys
import warnings

import numpy as np

from trueval import pick_threshold
from trueval.cli.meter import Meter, say
from trueval.cli.run import Outcome, Run
from trueval.data import read_labels
from trueval.data._source import Source
from trueval.rank import IsotonicRanker, cross_fit


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_work_inside_other_work_draws_no_second_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Meter("outer") as outer:
        outer._appear()
        with Meter("inner") as inner:
            inner._appear()
        assert (outer.appeared, inner.appeared) == (True, False)
    with Meter("next") as after:
        after._appear()
    assert after.appeared


def shown(terminal):
    """What a terminal shows in the end, line by line, without colours."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())
    return text.replace("\r", "\n").splitlines()


def open_terminal(monkeypatch):
    """A terminal as stderr; made in the test, as pytest sets stderr after its fixtures."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    return stream


def test_a_bar_has_the_share_done_and_the_time_left(monkeypatch):
    terminal = open_terminal(monkeypatch)
    with Meter("Working") as meter:
        meter._appear()
        meter(1, 4)
        meter._bar.refresh()
        assert any("Working" in line and "25%" in line for line in shown(terminal))
        assert any("left" in line for line in shown(terminal))


def test_a_warning_has_a_line_of_its_own_above_the_bar(monkeypatch):
    terminal = open_terminal(monkeypatch)
    with Meter("Working") as meter:
        meter._appear()
        say("Warning: one thing")
        meter._bar.refresh()
    lines = shown(terminal)
    assert "Warning: one thing" in [line.strip() for line in lines]
    assert not any("Working" in line and "Warning" in line for line in lines)
    say("Warning: another")  # the bar is gone
    assert terminal.getvalue().endswith("Warning: another\n")


def test_the_same_warning_in_other_numbers_is_said_once(capsys):
    run = Run([], {}, seed=0, jobs=None, as_json=False, quiet=False)
    with run.collecting_warnings():
        for n in (3, 1_200, 3):
            warnings.warn(f"without fold {n}, {n:,} classes are lost.", UserWarning, stacklevel=1)
        warnings.warn("something else.", UserWarning, stacklevel=1)
    run.finish(Outcome({}))
    err = capsys.readouterr().err.splitlines()
    assert err[:2] == ["Warning: without fold 3, 3 classes are lost.", "Warning: something else."]
    assert err[2].startswith("1 more warning of the same kind")
    assert len(run.warnings) == 3


def test_reading_and_ranking_tell_how_far_they_are():
    source = Source(b"id,a\n" + b"".join(b"%d,1\n" % n for n in range(300_000)), name="x.csv")
    told = []
    source.progress = lambda done, total: told.append(done / total)
    read_labels(source, "csv", layout="wide")
    assert len(told) > 1
    assert sorted(told)[-1] == 1
    y = np.arange(60).reshape(-1, 1) % 2
    steps = []
    scores = y + np.random.default_rng(0).normal(size=(60, 1))
    cross_fit(IsotonicRanker(), scores, y, cv=3, progress=lambda *step: steps.append(step))
    assert steps == [(1, 3), (2, 3), (3, 3)]
    steps.clear()
    options = {"ranker": IsotonicRanker(), "cv": 3, "progress": lambda *step: steps.append(step)}
    pick_threshold(scores, y, precision=0.5, **options)
    assert steps == [(1, 3), (2, 3), (3, 3)]
