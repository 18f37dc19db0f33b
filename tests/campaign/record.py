"""Counts of the campaign so far, kept in a file after every batch."""

import json
import os
import platform
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.campaign.sources import ROOT as ROOT
from trueval import __version__
from trueval.core.files import atomic_write

RESULTS = Path(__file__).with_name("results.json")


@dataclass
class Outcome:
    """What one batch found.

    Figures of further batches are joined: integers add up, of floats the largest stays, and of
    texts the last.
    """

    cases: int
    failures: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)


def machine() -> str:
    """The machine in general terms."""
    memory = ""
    if hasattr(os, "sysconf"):
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        memory = f", {size / 2**30:.0f} GiB"
    return (
        f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores{memory}, "
        f"Python {platform.python_version()}"
    )


def _here(text: str) -> str:
    """A message without the folder of this machine."""
    return text.replace(f"{ROOT}/", "")


class Record:
    """Results by part. Those of other code begin anew when their part runs again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts = self._stored()
        self._added = set[str]()

    def _stored(self) -> dict[str, dict[str, Any]]:
        return json.loads(self.path.read_bytes())["parts"] if self.path.exists() else {}

    def of(self, name: str, code: str) -> dict[str, Any]:
        """What is known of a part on a code."""
        known = self.parts.get(name)
        if known is None or known["code"] != code:
            known = {"batches": 0, "cases": 0, "failures": [], "figures": {}, "seconds": 0.0}
        return known

    def add(self, name: str, code: str, outcome: Outcome, seconds: float) -> None:
        """Join a batch to what is known."""
        known = self.of(name, code)
        figures = dict(known["figures"])
        self._added.add(name)
        for key, value in outcome.figures.items():
            before = figures.get(key)
            if isinstance(before, int) and isinstance(value, int):
                value = before + value
            elif isinstance(before, float) and isinstance(value, float):
                value = max(before, value)
            figures[key] = value
        self.parts[name] = {
            "batches": known["batches"] + 1,
            "cases": known["cases"] + outcome.cases,
            "failures": [*known["failures"], *(_here(text) for text in outcome.failures)],
            "figures": figures,
            "seconds": round(known["seconds"] + seconds, 1),
            "code": code,
            "version": __version__,
            "machine": machine(),
        }

    def write(self, **told: Any) -> None:
        """Write the results, with what the page says of the parts.

        Of parts that another process runs at the same time, its results stay.
        """
        self.parts = self._stored() | {name: self.parts[name] for name in self._added}
        content = {"parts": self.parts, **told}
        with atomic_write(self.path, compress=False) as file:
            file.write(json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n")
