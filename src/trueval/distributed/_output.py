"""Results as one Parquet file, written whole or not at all, with provenance beside."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from trueval.core.errors import InputError, Place
from trueval.core.files import atomic_write
from trueval.data._side import check_side, write_facts
from trueval.distributed._rows import arrow

__all__ = ["checked_output", "write_tables"]


def checked_output(out: Any, *sources: Any) -> Path:
    """Refuse an output that cannot be written or would be read as data, before the work."""
    target = Path(os.fsdecode(out))
    if target.suffix not in (".parquet", ".pq"):
        raise InputError(
            "the result is a Parquet file.", place=Place(str(target)), fix="Name it .parquet."
        )
    if not target.parent.is_dir():
        raise InputError(
            f"the folder {str(target.parent)!r} is not there.",
            place=Place(str(target)),
            fix="Make it first.",
        )
    for source in sources:
        if not isinstance(source, str | bytes | os.PathLike):
            continue
        data = Path(os.fsdecode(source)).resolve()
        if data == target.resolve() or (data.is_dir() and data in target.resolve().parents):
            raise InputError(
                "the result would lie among the data and be read as such the next time.",
                place=Place(str(target)),
                fix="Write it to another folder.",
            )
    check_side(target)
    return target


def write_tables(target: Path, tables: Iterable[Any], facts: dict[str, Any], what: str) -> None:
    """Write tables to one file and, beside it, how ``what`` is in them was made."""
    text = json.dumps(facts, sort_keys=True, allow_nan=False)
    with atomic_write(target, compress=False) as file:
        writer: Any = None
        for table in tables:
            named = table.replace_schema_metadata({f"trueval_{what}": text})
            if writer is None:
                writer = arrow(".parquet").ParquetWriter(file, named.schema, compression="zstd")
            writer.write_table(named)
        writer.close()
    write_facts(target, facts)
