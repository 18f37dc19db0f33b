"""The section of audits of rows: what splits give away, check by check."""

from typing import Any

from trueval.report._schema import Each
from trueval.report._section import Data, Section
from trueval.report._stage import Stage
from trueval.show._audit import RowAudits
from trueval.show._numbers import count
from trueval.show._present import summary
from trueval.show._summary import Fact

__all__ = ["SECTION", "rows_stage"]


def rows_stage(audits: RowAudits, provenance: dict[str, Any] | None = None) -> Stage:
    """A stage from audits by name."""
    splits = [
        {
            "name": name,
            "n_train": audit.n_train,
            "n_test": audit.n_test,
            "alarms": [check.name for check in audit.alarms],
        }
        for name, audit in audits.audits.items()
    ]
    return Stage("rows", {"summary": summary(audits).to_dict(), "splits": splits}, provenance or {})


def _about(data: Data) -> str:
    tested = count(sum(split["n_test"] for split in data["splits"]), "test row")
    return f"Audit of {count(len(data['splits']), 'split')} with {tested}"


def _headline(data: Data) -> Fact:
    n = sum(bool(split["alarms"]) for split in data["splits"])
    return Fact("splits with an alarm", n, "", f"of {len(data['splits']):,}")


SECTION = Section(
    kind="rows",
    order=15,
    build=rows_stage,
    front=(_about, _headline),
    schema={
        "splits": Each({"name": str, "n_train": int, "n_test": int, "alarms": Each(str)}, least=1)
    },
)
