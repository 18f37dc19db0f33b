"""The parts of a study: pure cells, what makes a table of them, and the data they need.

A study is a list of cells and a function that makes a table of their results. A cell is
a module-level function with plain parameters and a seed, so that it can run anywhere, in
any order, and be found again in a file.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trueval.core.errors import Fix, InputError
from trueval.core.table import Table
from trueval.study._code import code_digest
from trueval.study._names import NAMES

__all__ = ["Cell", "Done", "Outcome", "Plan", "Study", "Work", "stream"]


@dataclass(frozen=True)
class Cell:
    """One piece of work."""

    # A module-level ``function(seed, **parameters)`` that gives a JSON-able dict
    function: Callable[..., dict[str, Any]]
    parameters: Mapping[str, Any]  # JSON-able
    reads: Sequence[str] = ()  # digests of the files it reads

    def key(self, seed: int) -> str:
        """What names the result of this cell: function, parameters, seed, data and code.

        >>> from trueval.study._cells import Cell
        >>> Cell(dict, {"a": 1}).key(0) == Cell(dict, {"a": 2}).key(0)
        False
        """
        digests = [code_digest(), *self.reads]
        return json.dumps(
            [digests, seed, self.function.__name__, dict(self.parameters)], sort_keys=True
        )

    def run(self, seed: int) -> dict[str, Any]:
        """Do the work."""
        return self.function(seed, **self.parameters)


@dataclass(frozen=True)
class Done:
    """A finished cell."""

    parameters: Mapping[str, Any]
    result: Mapping[str, Any]  # what the cell's function gave
    seconds: float  # CPU time it took


@dataclass(frozen=True)
class Plan:
    """What was asked for."""

    quick: bool = False  # whether it should end within two minutes
    # runs of each setting; None for those of the paper, or few when quick
    repeats: int | None = None

    def n(self, paper: int, quick: int, least: int = 2) -> int:
        """Number of repeats, from the paper's and the quick ones; a spread needs two at ``least``.

        >>> from trueval.study._cells import Plan
        >>> Plan().n(100, 2), Plan(quick=True).n(100, 2), Plan(repeats=7).n(100, 2)
        (100, 2, 7)
        """
        if self.repeats is None:
            return quick if self.quick else paper
        if self.repeats < least:
            raise InputError(
                f"this study measures a spread over repeats; {self.repeats} of them has none.",
                fix=Fix("Give at least {}.", "repeats", least),
            )
        return self.repeats


@dataclass(frozen=True)
class Work:
    """The cells of a study, the data they read, and what must be said of them."""

    cells: Sequence[Cell]
    # one for each data set or file used: ``name``, and what is known of it
    data: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()  # what was left out, and why
    repeats: int | None = None  # runs of each setting, where the study has runs


@dataclass(frozen=True)
class Outcome:
    """What a study found."""

    # A quantity X stands in the column ``X``, its standard error in ``X se``, the paper's value in
    # ``X paper``
    table: Table
    figure: dict[str, Any] | None = None  # A Vega-Lite specification
    notes: Sequence[str] = field(default_factory=list)  # one line on each difference


@dataclass(frozen=True)
class Study:
    """A table or figure of a paper.

    Attributes
    ----------
    name : str
        The number of the paper and of its table or figure; names files.
    paper : str
        Its citation.
    title : str
    data : str
        What it runs on.
    about : str
        What the table or figure shows.
    work : callable
        From a :class:`Plan` to the :class:`Work`.
    conclude : callable
        From the finished cells to the :class:`Outcome`.
    """

    name: str
    paper: str
    title: str
    data: str
    about: str
    work: Callable[[Plan], Work] = field(repr=False)
    conclude: Callable[[Sequence[Done]], Outcome] = field(repr=False)

    @property
    def called(self) -> str:
        """A name that says what it shows; taken wherever ``name`` is."""
        return NAMES.get(self.name, "")


def stream(seed: int, *names: Any) -> np.random.Generator:
    """A random stream of its own for everything that has a name.

    >>> from trueval.study._cells import stream
    >>> a, b, c = (stream(0, *n).random() for n in (("x", 1), ("x", 2), ("x", 1)))
    >>> bool(a == c), bool(a == b)
    (True, False)
    """
    digest = hashlib.sha256(json.dumps([seed, *names]).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "little"))
