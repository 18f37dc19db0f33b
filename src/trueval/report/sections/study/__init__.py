"""The section of studies: a table of a paper next to what was measured here."""

from typing import Any, Protocol

from trueval.core.errors import InputError
from trueval.core.table import Table
from trueval.report._schema import Each, Map, Maybe
from trueval.report._section import Data, Section
from trueval.report._stage import Stage
from trueval.show._vega._chart import Chart

__all__ = ["SECTION", "study_stage"]


class _Result(Protocol):
    """What a :class:`~trueval.study.StudyResult` has."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def table(self) -> Table: ...
    @property
    def figure(self) -> dict[str, Any] | None: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def provenance(self) -> dict[str, Any]: ...


def study_stage(result: _Result) -> Stage:
    """Condense the result of a study for the report.

    Parameters
    ----------
    result : StudyResult
        Or anything with ``name``, ``title``, ``table`` (a :class:`~trueval.table.Table`),
        ``figure`` (a Vega-Lite spec or None), ``notes`` and ``provenance``.

    Returns
    -------
    Stage
        For :func:`write_report` and :func:`write_stage`, as those of other sections.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from trueval.report import study_stage
    >>> from trueval.core.table import Table
    >>> table = Table({"paper": [0.51], "measured": [0.52]})
    >>> result = SimpleNamespace(
    ...     name="one", title="Table 1", table=table, figure=None, notes=[], provenance={}
    ... )
    >>> study_stage(result).data["columns"]
    ['paper', 'measured']
    """
    names = ("name", "title", "table", "figure", "notes", "provenance")
    lacks = [name for name in names if not hasattr(result, name)]
    if lacks:
        raise InputError(
            f"study_stage needs a result with {', '.join(names)}. Got a "
            f"{type(result).__name__} without {lacks[0]}."
        )
    columns = result.table.to_dict()
    data = {
        "name": result.name,
        "title": result.title,
        "columns": list(columns),
        "rows": [list(row) for row in zip(*columns.values(), strict=True)],
        "figure": result.figure,
        "notes": list(result.notes),
    }
    return Stage("study", data, dict(result.provenance or {}))


def _charts(data: Data) -> dict[str, Chart]:
    return {"figure": Chart(data["figure"])} if data.get("figure") else {}


SECTION = Section(
    kind="study",
    order=40,
    build=study_stage,
    schema={
        "title": str,
        "columns": Each(str),
        "rows": Each(Each(Maybe((str, float, bool)))),
        "figure?": Maybe(Map(object)),
        "notes": Each(str),
    },
    charts=_charts,
)
