"""``Stage``: what one step of the work found, small enough for a page, as JSON."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from trueval.charts.chart import plain
from trueval.core.errors import InputError
from trueval.core.files import atomic_write
from trueval.core.params import PATH, Choice, Constraints, Instance, check_params, constrained

__all__ = ["KINDS", "MAPPING", "SCHEMA", "Stage", "read_stage", "write_stage"]

KINDS = ("split", "pairs", "rank", "study")
SCHEMA = 1


@dataclass(frozen=True)
class Stage:
    """Results of one step, condensed for the report.

    Parameters
    ----------
    kind : {"split", "pairs", "rank", "study"}
    data : dict
        What the stage builders make; JSON-able.
    provenance : dict
        How it came about; any of ``command``, ``inputs`` (dicts of ``path``, ``sha256``,
        ``bytes``, ``shape``), ``parameters``, ``seed``, ``versions``, ``started``,
        ``seconds``.

    Examples
    --------
    >>> from trueval.report import Stage
    >>> Stage("split", {"n_rows": 3}).provenance
    {}
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "kind": Choice(KINDS),
        "data": Instance(dict, "a dict"),
        "provenance": Instance(dict, "a dict"),
    }

    kind: str
    data: dict[str, Any]
    provenance: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = {name: getattr(self, name) for name in self._parameter_constraints}
        check_params("Stage", values, self._parameter_constraints)
        for name in ("data", "provenance"):
            # The same before writing and after reading.
            object.__setattr__(self, name, plain(getattr(self, name)))


#: A mapping, wherever one is a parameter.
MAPPING = Instance(Mapping, "a mapping")


@constrained(path=PATH, stage=Instance(Stage, "a Stage"))
def write_stage(path: Any, stage: Stage) -> Path:
    """Write a stage as JSON, whole or not at all.

    Parameters
    ----------
    path : str or path-like
    stage : Stage

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from trueval.report import Stage, read_stage, write_stage
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_stage(Path(folder, "split.json"), Stage("split", {"n_rows": 3}))
    ...     read_stage(path).data
    {'n_rows': 3}
    """
    target = Path(os.fsdecode(path))
    whole = {
        "trueval": "stage",
        "schema": SCHEMA,
        "kind": stage.kind,
        "provenance": stage.provenance,
        "data": stage.data,
    }
    text = json.dumps(whole, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    with atomic_write(target, compress=False) as file:
        file.write(text.encode() + b"\n")
    return target


@constrained(path=PATH)
def read_stage(path: Any) -> Stage:
    """Read what :func:`write_stage` wrote.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Stage

    Raises
    ------
    InputError
        If the file is no stage, or one of a newer trueval.
    """
    source = Path(os.fsdecode(path))
    try:
        whole = json.loads(source.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{source.name} is not JSON ({error}); give a file that trueval wrote for a report."
        ) from None
    if not isinstance(whole, dict) or whole.get("trueval") != "stage":
        raise InputError(
            f"{source.name} is JSON but no stage of a trueval report; give a file that "
            "write_stage or a trueval command wrote."
        )
    if whole.get("schema") != SCHEMA:
        raise InputError(
            f"{source.name} has schema {whole.get('schema')!r}, this trueval reads {SCHEMA}; "
            "make the file again with this version."
        )
    kind, data, provenance = (whole.get(name) for name in ("kind", "data", "provenance"))
    if kind not in KINDS or not isinstance(data, dict) or not isinstance(provenance, dict):
        raise InputError(
            f"{source.name} has kind {kind!r}; a stage has one of {KINDS}, with 'data' and "
            "'provenance' as objects."
        )
    return Stage(kind, data, provenance)
