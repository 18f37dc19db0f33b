"""What a result says, as data: every surface renders the same :class:`Summary`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar

from trueval.core.errors import InputError
from trueval.show._numbers import number, percent, times
from trueval.show._plain import plain

__all__ = ["Column", "Fact", "Level", "Summary", "SummaryTable", "Verdict", "columns_of"]

Level = Literal["good", "fair", "poor"]
Cell = str | float | int | bool | None
MAX_DIGITS = 10
_Part = TypeVar("_Part")


@dataclass(frozen=True)
class Verdict:
    """What to conclude from a result."""

    text: str  # one sentence that needs no paper to be understood
    reason: str  # the numbers it rests on
    level: Level  # {"good", "fair", "poor"}
    advice: str = ""  # what to do next; empty where nothing follows


def _formatted(value: Cell, unit: str, digits: int) -> str:
    # Counts stay counts where a column also holds shares.
    if unit == "%" and (value is None or isinstance(value, float)):
        return percent(value)
    if unit == "×":
        return value if isinstance(value, str) else times(value)
    text = number(value, min(max(digits, 0), MAX_DIGITS))
    return f"{text} {unit}" if unit not in ("", "%") else text


@dataclass(frozen=True)
class Fact:
    """A number with what it is and what to compare it with."""

    name: str
    value: Cell
    unit: str = ""  # ``"%"`` for a share, ``"×"`` for a ratio to the lower bound, or a noun
    note: str = ""  # A comparison, such as what would be best
    digits: int = 3  # decimals shown

    @property
    def text(self) -> str:
        """The value with its unit."""
        return _formatted(self.value, self.unit, self.digits)


@dataclass(frozen=True)
class Column:
    """A column of a table: its name, and how its cells are shown."""

    name: str
    unit: str = ""
    digits: int = 3
    text: bool = False

    def show(self, value: Cell) -> str:
        """A cell as text."""
        return _formatted(value, self.unit, self.digits)


def columns_of(*names: str) -> list[Column]:
    """Columns with these names; ``<`` before a name makes a column of text.

    >>> columns_of("<class", "positives")[0]
    Column(name='class', unit='', digits=3, text=True)
    """
    return [Column(name.removeprefix("<"), text=name.startswith("<")) for name in names]


@dataclass(frozen=True)
class SummaryTable:
    """Rows of cells under columns; ``strong`` are the rows to emphasise."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    strong: Sequence[int] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise InputError(
                    f"a table has {len(self.columns)} columns, but a row {len(row)} cells."
                )

    def cells(self) -> list[list[str]]:
        """All cells as text."""
        return [
            [column.show(cell) for column, cell in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]


@dataclass(frozen=True)
class Summary:
    """A result in words and numbers."""

    title: str
    verdict: Verdict | None = None  # none where there is nothing to judge
    facts: Sequence[Fact] = ()
    tables: Sequence[SummaryTable] = ()
    notes: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON can hold them."""
        fields: dict[str, Any] = plain(asdict(self))
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "Summary":
        """From the fields of :meth:`to_dict`; others are ignored."""
        verdict = fields["verdict"]
        return cls(
            fields["title"],
            None if verdict is None else _of(Verdict, verdict),
            [_of(Fact, fact) for fact in fields["facts"]],
            [
                _of(SummaryTable, {**t, "columns": [_of(Column, c) for c in t["columns"]]})
                for t in fields["tables"]
            ],
            fields["notes"],
        )


def _of(kind: type[_Part], content: Mapping[str, Any]) -> _Part:
    """A record of its fields; one that an older trueval did not save has its default."""
    names = kind.__dataclass_fields__  # type: ignore[attr-defined]
    return kind(**{name: content[name] for name in names if name in content})
