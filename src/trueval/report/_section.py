"""``Section``: everything the report knows of one kind of result; a folder holds one.

A section is a folder of ``sections/`` with a module that defines ``SECTION``, and beside it
``section.html.j2``, the body below the verdict, and scripts, if it needs any. Nothing else
lists the kinds.
"""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueval.report._schema import Among, Each, Map, Maybe, Shape
from trueval.show._summary import Fact

if TYPE_CHECKING:
    from trueval.show._vega._chart import Chart

__all__ = ["PROVENANCE", "SUMMARY", "Data", "Section", "sections"]

#: What a page or a saved result holds: anything that JSON can.
Data = dict[str, Any]


@dataclass(frozen=True)
class Section:
    """One kind of result in the report."""

    kind: str  # name in saved files
    order: int  # place among the sections when a folder of results becomes a page
    build: Callable[..., Any]  # makes a :class:`~trueval.report.Stage` from results
    schema: Mapping[str, Shape]  # what the data must hold, as :mod:`trueval.report._schema` says it
    title: str = ""  # heading on the page; the kind if left out
    # For the front of the page, from the data: what was evaluated, and the main figure or None
    front: tuple[Callable[[Data], str], Callable[[Data], Fact | None]] = (
        lambda data: "",
        lambda data: None,
    )
    # From the data to charts by name
    charts: Callable[[Data], Mapping[str, "Chart"]] = lambda data: {}
    live: tuple[str, ...] = ()  # keys of the data that the scripts need
    packed: tuple[str, ...] = ()  # the same, compressed on the page
    scripts: tuple[str, ...] = ()  # files of the folder; each registers itself in ``SECTIONS``
    # Names in :data:`trueval.show._measures.MEASURES`, defined at the end of the page
    measures: tuple[str, ...] = ()
    folder: Path = Path()  # where it is; set when it is found

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.kind.capitalize())

    @property
    def has_template(self) -> bool:
        """Whether there is more to show than the summary."""
        return (self.folder / "section.html.j2").is_file()


@cache
def sections() -> dict[str, Section]:
    """All sections by kind, in their order."""
    package = import_module("trueval.report.sections")
    records = []
    for module in pkgutil.iter_modules(package.__path__):
        loaded = import_module(f"{package.__name__}.{module.name}")
        records.append(replace(loaded.SECTION, folder=Path(str(loaded.__file__)).parent))
    return {section.kind: section for section in sorted(records, key=lambda s: s.order)}


_CELL = Maybe((str, float, bool))
#: Of every section: what the result says.
SUMMARY: Shape = Maybe(
    {
        "title": str,
        "verdict": Maybe(
            {
                "text": str,
                "reason": str,
                "level": Among(("good", "fair", "poor")),
                "advice?": str,
            }
        ),
        "facts": Each({"name": str, "value": _CELL, "unit": str, "note": str, "digits": int}),
        "tables": Each(
            {
                "columns": Each({"name": str, "unit": str, "digits": int, "text": bool}),
                "rows": Each(Each(_CELL)),
                "caption": str,
                "strong": Each(int),
            }
        ),
        "notes": Each(str),
    }
)
#: Of every section: how the result came about.
PROVENANCE: Shape = {
    "command?": Maybe(str),
    "inputs?": Maybe(Each(Map(object))),
    "parameters?": Maybe(Map(object)),
    "versions?": Maybe(Map(object)),
}
