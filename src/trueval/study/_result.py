"""``StudyResult``: a study's table, figure, notes and provenance, as JSON and Markdown."""

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trueval.core.errors import InputError
from trueval.core.table import Table
from trueval.show._numbers import NOTHING, number
from trueval.show._plain import plain

__all__ = ["StudyResult"]

SCHEMA = 1


@dataclass(frozen=True, eq=False, repr=False)
class StudyResult:
    """What a study found, with where it comes from.

    Attributes
    ----------
    name, paper, title, about : str
    table : Table
        *Paper* beside *measured*: a quantity X stands in the column ``X``, its
        standard error in ``X se``, the paper's value in ``X paper``; NaN where there
        is none.
    figure : dict or None
        A Vega-Lite specification.
    notes : list of str
        One line on each difference, and on what was left out.
    provenance : dict
        ``command``, ``seed``, ``quick``, ``size`` (full, quick, or partial: repeats given),
        ``repeats``, ``data``, ``versions``,
        ``started``, ``seconds`` (of this call) and ``cpu_seconds`` (of all cells,
        earlier calls included).
    """

    name: str
    paper: str
    title: str
    about: str
    table: Table
    figure: dict[str, Any] | None = None
    notes: list[str] = field(default_factory=list)
    provenance: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """The result as JSON text; NaN becomes null.

        Examples
        --------
        >>> from trueval.study import StudyResult
        >>> from trueval.core.table import Table
        >>> result = StudyResult("x", "p", "t", "a", Table({"F": [0.5], "F paper": [float("nan")]}))
        >>> StudyResult.from_json(result.to_json()).table["F"]
        array([0.5])
        """
        content = {
            "schema": SCHEMA,
            "kind": "study",
            "name": self.name,
            "paper": self.paper,
            "title": self.title,
            "about": self.about,
            "table": self.table.to_dict(),
            "figure": self.figure,
            "notes": self.notes,
            "provenance": self.provenance,
        }
        return json.dumps(plain(content), ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> "StudyResult":
        """A result from the text of :meth:`to_json`.

        Parameters
        ----------
        text : str or bytes

        Returns
        -------
        StudyResult
        """
        try:
            content = json.loads(text)
            kind, schema = content["kind"], content["schema"]
        except (ValueError, KeyError, TypeError):
            kind, schema = None, None
        if (kind, schema) != ("study", SCHEMA):
            raise InputError(
                f"this is not the result of a study (kind {kind!r}, schema {schema!r}); run "
                "run_study again and read the file it writes."
            )
        columns = {name: _column(values) for name, values in content["table"].items()}
        names = ("name", "paper", "title", "about", "figure", "notes", "provenance")
        return cls(table=Table(columns), **{name: content[name] for name in names})

    def to_markdown(self) -> str:
        """Heading, table, notes and provenance as Markdown.

        Examples
        --------
        >>> from trueval.study import StudyResult
        >>> from trueval.core.table import Table
        >>> table = Table({"F": [0.5], "F se": [0.01], "F paper": [0.52]})
        >>> print(StudyResult("x", "A paper.", "A table", "", table).to_markdown())
        # x: A table
        <BLANKLINE>
        A paper.
        <BLANKLINE>
        | F paper | F |
        |---:|---:|
        | 0.52 | 0.5000 ± 0.0100 |
        <BLANKLINE>
        """
        head, rows, right = self.shown()
        lines = [f"# {self.name}: {self.title}", "", self.paper]
        if self.about:
            lines += ["", self.about]
        lines += ["", _line(head), "|" + "|".join("---:" if r else "---" for r in right) + "|"]
        lines += [_line(row) for row in rows]
        if self.notes:
            lines += ["", *(f"- {note}" for note in self.notes)]
        if self.provenance:
            lines += ["", *(f"- {fact}" for fact in self.facts())]
        return "\n".join(lines) + "\n"

    def shown(self) -> tuple[list[str], list[list[str]], list[bool]]:
        """Head, rows of text, and which columns are numbers, for people.

        The paper's value comes before the measured one, the standard error behind it.

        Examples
        --------
        >>> from trueval.study import StudyResult
        >>> from trueval.core.table import Table
        >>> StudyResult("x", "", "", "", Table({"F": [0.5], "F se": [0.01]})).shown()
        (['F'], [['0.5000 ± 0.0100']], [True])
        """
        table = self.table
        beside = {f"{name} {kind}" for name in table for kind in ("se", "paper")}
        head: list[str] = []
        columns: list[list[str]] = []
        right: list[bool] = []
        for name in (name for name in table if name not in beside):
            texts = {name: [_show(v) for v in table[name]]}
            if f"{name} se" in table:
                pairs = zip(table[name], table[f"{name} se"], strict=True)
                texts = {name: [_with_error(*pair) for pair in pairs]}
            if f"{name} paper" in table:
                texts = {f"{name} paper": [_show(v) for v in table[f"{name} paper"]], **texts}
            head += texts
            columns += texts.values()
            right += [table[name].dtype.kind in "biuf"] * len(texts)
        return head, [list(row) for row in zip(*columns, strict=True)], right

    def facts(self) -> list[str]:
        """Provenance as lines of text."""
        p = self.provenance
        lines = []
        for item in p.get("data", []):
            facts = [f"{k} {v}" for k, v in item.items() if k not in ("name", "sha256")]
            lines.append(f"data: {item['name']}" + (f" ({', '.join(facts)})" if facts else ""))
        size = f"a {p.get('size')} run"
        if p.get("repeats") is not None:
            size += f", {p['repeats']} repeats of each setting"
        lines.append(f"{size}, seed {p.get('seed')}, {p.get('cpu_seconds', 0):.0f} s of CPU time")
        versions = ", ".join(f"{k} {v}" for k, v in p.get("versions", {}).items())
        lines.append(f"versions: {versions}")
        lines.append(f"to repeat: `{p.get('command')}`")
        return lines

    def __repr__(self) -> str:
        notes = "".join(f"\n- {note}" for note in self.notes)
        return f"{self.name}: {self.title}\n{self.table!r}{notes}"

    def _repr_markdown_(self) -> str:
        return self.to_markdown()


def _show(value: Any) -> str:
    """A number as a paper would print it."""
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value) if isinstance(value, bool | np.bool_) else number(value)


def _with_error(value: float, error: float) -> str:
    """Value ± error, both with four decimals, more for small values, fewer for large ones."""
    if not math.isfinite(value):
        return NOTHING
    places = 6 if 0 < abs(value) < 0.001 else 4 if abs(value) < 10 else 1
    text = f"{value:,.{places}f}"
    return f"{text} ± {error:,.{places}f}" if math.isfinite(error) else text


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _column(values: list[Any]) -> np.ndarray:
    numbers = [v for v in values if v is not None]
    if len(numbers) < len(values) and all(isinstance(v, int | float) for v in numbers):
        return np.array([np.nan if v is None else v for v in values], dtype=float)
    return np.asarray(values)
