"""Types that the commands share."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trueval.core.similarity import Similarity

__all__ = ["Fields", "FoldNumbers", "Function", "Graph", "Matching", "Options", "Parts", "Values"]

#: A command, or a function that decorators turn into one; click goes by the names of parameters.
Function = Callable[..., Any]
#: Parsed options by name, each of the type that its ``click.option`` declares; a command that
#: passes a group of them on takes it as ``**reading: Any``.
Options = dict[str, Any]
#: What ``--json`` prints.
Fields = dict[str, object]
#: Number of equal folds, or shares of unequal parts.
Parts = int | list[float]
#: One value for each row or class: names, groups, numbers.
Values: TypeAlias = "NDArray[Any]"
FoldNumbers: TypeAlias = "NDArray[np.int32]"


class Matching(TypedDict):
    """How scores match labels, as :func:`trueval.data.read_scores` takes it."""

    allow_missing: bool
    allow_unlabelled: bool
    same_order: bool


class Graph(TypedDict, total=False):
    """Rows that belong together, as the library takes them."""

    groups: object
    similarity: "Similarity"
    threshold: float | None
