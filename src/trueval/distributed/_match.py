"""Ids of two tables matched, exactly: what is missing on either side is refused."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, quote
from trueval.distributed._rows import arrow

__all__ = ["places_of", "refuse_repeated"]


def refuse_repeated(ids: Any, where: str) -> None:
    """Refuse an id that occurs twice."""
    if len(ids.unique()) < len(ids):
        counted = ids.value_counts().to_pylist()
        repeated = next(entry["values"] for entry in counted if entry["counts"] > 1)
        raise InputError(
            f"the row id {quote(repeated)} occurs more than once in the {where}.",
            fix="Each row needs an id of its own.",
        )


def places_of(rows: Any, others: Any, what: str) -> NDArray[np.int64]:
    """Place of each row id among the ids that have a ``what``, such as "fold"."""
    refuse_repeated(rows, "rows")
    refuse_repeated(others, f"{what}s")
    if rows.type != others.type:
        raise InputError(
            f"row ids are {rows.type} in the dataset and {others.type} in the {what}s.",
            fix="Write both as text, or both as whole numbers.",
        )
    index_in = arrow(".compute").index_in
    for ids, value_set, problem in (
        (rows, others, f"has no {what}"),
        (others, rows, f"has a {what} but is not in the dataset"),
    ):
        places = index_in(ids, value_set=value_set)
        if places.null_count:
            first = int(np.flatnonzero(places.is_null().to_numpy(zero_copy_only=False))[0])
            raise InputError(
                f"the row {quote(ids[first].as_py())} {problem} ({places.null_count:,} such).",
                fix=f"Rows and {what}s must have the same ids.",
            )
    return index_in(rows, value_set=others).to_numpy(zero_copy_only=False).astype(np.int64)
