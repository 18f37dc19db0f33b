"""One bar at a time, also where work is inside other work."""

import io
import sys

from trueval.cli.meter import Meter


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_work_inside_other_work_draws_no_second_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Meter("outer") as outer:
        outer._appear()
        with Meter("inner") as inner:
            inner._appear()
        assert (outer.shown, inner.shown) == (True, False)
    with Meter("next") as after:
        after._appear()
    assert after.shown
