"""``study_stage``: a table of a paper beside what was measured here."""

from typing import Any

from trueval.core.errors import InputError
from trueval.report.stage import Stage

__all__ = ["study_stage"]


def study_stage(result: Any) -> Stage:
    """Condense the result of a study for the report.

    Parameters
    ----------
    result : object
        With ``name``, ``title``, ``table`` (a :class:`~trueval.table.Table`), ``figure`` (a
        Vega-Lite spec or None), ``notes`` and ``provenance``, as ``run_study`` returns it.

    Returns
    -------
    Stage

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
    table = result.table
    data = {
        "name": result.name,
        "title": result.title,
        "columns": table.columns,
        "rows": [[table[name][i].item() if hasattr(table[name][i], "item") else table[name][i]
                  for name in table.columns] for i in range(table.n_rows)],
        "figure": result.figure,
        "notes": list(result.notes),
    }  # fmt: skip
    return Stage("study", data, dict(result.provenance or {}))
