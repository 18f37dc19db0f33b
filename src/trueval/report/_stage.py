"""``Stage``: what one step of the work found, small enough for a page, as JSON."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, ClassVar

from trueval.core.errors import InputError, Place
from trueval.core.files import atomic_write
from trueval.core.params import PATH, Constraints, Instance, Where, check_params, constrained
from trueval.report._schema import check, check_depth
from trueval.report._section import PROVENANCE, SUMMARY, Data, Section, sections
from trueval.show._plain import plain
from trueval.show._summary import Summary

__all__ = [
    "MAKES_STAGE",
    "MAPPING",
    "SCHEMA",
    "Stage",
    "read_stage",
    "stage_in",
    "write_stage",
]

SCHEMA = 1
_MAX_BYTES = 64_000_000  # of a saved result; the largest have one million

#: End of the docstrings of functions that make a stage.
MAKES_STAGE = """
provenance : dict, optional
    See :class:`Stage`.

Returns
-------
Stage
    For :func:`write_report` and :func:`write_stage`.
"""
#: A mapping, wherever one is a parameter.
MAPPING = Instance(Mapping, "a mapping")


@dataclass(frozen=True)
class Stage:
    """Results of one step, condensed for the report.

    Parameters
    ----------
    kind : {"split", "rows", "pairs", "rank", "study"}
    data : dict
        What the stage builders make; JSON-able.
    provenance : dict
        How it came about; any of ``command``, ``inputs`` (dicts of ``path``, ``sha256``,
        ``bytes``, ``shape``), ``parameters``, ``seed``, ``versions``, ``started``,
        ``seconds``.

    Raises
    ------
    InputError
        If the data are not those of such a result.

    Examples
    --------
    >>> from trueval.report import Stage
    >>> Stage("study", {"title": "Table 1", "columns": [], "rows": [], "notes": []}).provenance
    {}
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "kind": Where(lambda kind: kind in sections(), "the name of a section of the report"),
        "data": Instance(dict, "a dict"),
        "provenance": Instance(dict, "a dict"),
    }

    kind: str
    data: Data
    provenance: Data = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = {name: getattr(self, name) for name in self._parameter_constraints}
        check_params("Stage", values, self._parameter_constraints)
        for name in ("data", "provenance"):
            check_depth(values[name])
            # The same before writing and after reading.
            object.__setattr__(self, name, plain(values[name]))
        check(self.data, {**self.section.schema, "summary?": SUMMARY}, f"data of {self.kind}")
        check(self.provenance, PROVENANCE, f"provenance of {self.kind}")
        _ = self.summary  # its tables have as many cells as columns

    @property
    def section(self) -> Section:
        """The section that shows it."""
        return sections()[self.kind]

    @property
    def summary(self) -> Summary:
        """What the result says."""
        saved = self.data.get("summary")
        if saved is None:
            return Summary(str(self.data.get("title", self.section.title)))
        return Summary.from_dict(saved)


@constrained(path=PATH, stage=Instance(Stage, "a Stage"))
def write_stage(path: str | os.PathLike[str], stage: Stage) -> Path:
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
    >>> stage = Stage("study", {"title": "Table 1", "columns": [], "rows": [], "notes": []})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_stage(write_stage(Path(folder, "study.json"), stage)) == stage
    True
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
def read_stage(path: str | os.PathLike[str]) -> Stage:
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
        If there is no such file, or it is no stage, one of a newer trueval, or damaged.
    """
    source = Path(os.fsdecode(path))
    try:
        with source.open("rb") as file:
            return stage_in(file, str(source))
    except OSError as error:
        raise _no_stage(f"the file cannot be read: {error.strerror}.", str(source)) from None


def stage_in(file: BinaryIO, name: str) -> Stage:
    """The stage in an open file; ``name`` is for messages."""
    try:
        return _parsed(file.read(_MAX_BYTES + 1))
    except InputError as error:
        raise _no_stage(error.problem, name) from None


def _no_stage(problem: str, name: str) -> InputError:
    return InputError(
        problem,
        place=Place(name),
        fix="Give a file that a trueval command wrote with --save, or write_stage.",
    )


def _parsed(content: bytes) -> Stage:
    if len(content) > _MAX_BYTES:
        raise InputError(f"the file has more than {_MAX_BYTES / 1e6:.0f} MB, as no result has.")
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON ({error}).") from None
    if not isinstance(whole, dict) or whole.get("trueval") != "stage":
        raise InputError("this is JSON but no result of trueval.")
    if whole.get("schema") != SCHEMA:
        raise InputError(f"this has schema {whole.get('schema')!r}; this trueval reads {SCHEMA}.")
    check(whole, {"kind": str, "data": {}, "provenance": {}}, "the result")
    if whole["kind"] not in sections():
        kinds = ", ".join(sections())
        raise InputError(f"this is of kind {whole['kind']!r}; known kinds are {kinds}.")
    return Stage(whole["kind"], whole["data"], whole["provenance"])
