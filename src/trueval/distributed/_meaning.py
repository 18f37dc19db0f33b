"""Records that are no positives though they have the columns of positives."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, Place, quote
from trueval.data._values._presence import says_presence
from trueval.distributed._rows import arrow

__all__ = ["refuse_matrix_rows", "refuse_values"]


def refuse_values(schema: Any, names: tuple[str, str], path: str) -> None:
    """Refuse (row, class) records beside a column that says whether the row has the class."""
    t = arrow().types
    for field in schema:
        numeric = t.is_boolean(field.type) or t.is_integer(field.type) or t.is_floating(field.type)
        if field.name not in names and says_presence(field.name, numeric=numeric):
            raise InputError(
                f"the column {quote(field.name, 40)} may say which records are positives, and all "
                "would be.",
                place=Place(path),
                fix="Write the positives alone, without this column.",
            )


def refuse_matrix_rows(
    values: Any, indptr: NDArray[np.int64], name: str | None, column: str
) -> None:
    """Refuse lists of 0 and 1 that have one of them twice: labels of a row are different."""
    if not arrow().types.is_integer(values.type) or np.diff(indptr).max(initial=0) < 3:
        return
    ends = arrow(".compute").min_max(values)
    if ends["min"].as_py() >= 0 and ends["max"].as_py() <= 1:
        raise InputError(
            "the lists have 0 or 1 twice, as rows of a 0/1 matrix do and classes do not.",
            place=Place(name, column=column),
            fix=Fix("Write the classes that are 1; read_labels reads such lists."),
        )
