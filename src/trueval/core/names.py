"""``align``: rows and classes of a value put into a wanted order, by name and never by luck."""

from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, ParameterError, quote
from trueval.core.folds import Folds
from trueval.core.labels import Labels
from trueval.core.named import as_names, as_text, name_array
from trueval.core.params import Choice, Instance, constrained
from trueval.core.scores import Scores

__all__ = ["align", "joined_names", "places", "with_classes", "with_rows"]

_Value = TypeVar("_Value", Labels, Scores, Folds)
_AGREE = "The names must agree: correct one of the two."


@constrained(
    value=Instance((Labels, Scores, Folds), "Labels, Scores or Folds"),
    missing=Choice(("error", "empty")),
    extra=Choice(("error", "drop")),
)
def align(
    value: _Value,
    *,
    rows: Any = None,
    classes: Any = None,
    missing: str = "error",
    extra: str = "error",
) -> _Value:
    """Put the rows and classes of labels, scores or folds into a wanted order, by name.

    Parameters
    ----------
    value : Labels, Scores or Folds
    rows, classes : sequence, optional
        The names wanted, in order, each once. Names of different types are compared as
        text. What is not given stays as it is.
    missing : {"error", "empty"}, default="error"
        What becomes of names that ``value`` lacks: an error that says which, or rows and
        classes without entries. Only labels and sparse scores can have these.
    extra : {"error", "drop"}, default="error"
        What becomes of names beyond those wanted: an error that says which, or left out.

    Returns
    -------
    Labels, Scores or Folds
        Of the type of ``value``, with the names wanted.

    Raises
    ------
    InputError
        Where names do not agree, repeat, or are not there.

    Examples
    --------
    >>> from trueval import align, as_labels
    >>> labels = as_labels([{"b"}, {"a", "b"}])
    >>> align(labels, classes=["b", "a", "c"], missing="empty").toarray()
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    if rows is not None:
        value = with_rows(value, _wanted(rows, "rows"), missing, extra)
    if classes is not None:
        if isinstance(value, Folds):
            raise InputError("folds have no classes to align; leave classes out.")
        value = with_classes(value, _wanted(classes, "classes"), missing, extra)
    return value


def _wanted(names: Any, what: str) -> NDArray[Any]:
    array = name_array(names)
    if array.ndim != 1 or not len(array):
        raise ParameterError(what, "a list of at least one name", names, "align")
    return as_names(array, len(array), what)


def with_rows(
    value: _Value, names: NDArray[Any], missing: str = "error", extra: str = "error", **fixes: Fix
) -> _Value:
    """The value with these rows; ``fixes`` as :func:`places` takes them."""
    if value.index is None:
        raise InputError(
            "the rows have no names, so they cannot be put in order by name.",
            fix="Read or make the data with an index.",
        )
    target = places(value.index, names, "row id", missing=missing, extra=extra, **fixes)
    source = _sources(target, len(names))
    if isinstance(value, Folds):
        if (source < 0).any():
            raise InputError(
                "folds cannot have rows without a part; align them with missing='error'."
            )
        return Folds(value.folds[source], names, value.provenance)  # type: ignore[return-value]
    matrix = value.matrix
    if (source < 0).any():
        _check_sparse(matrix, "rows")
        empty = sp.csr_array((1, matrix.shape[1]), dtype=matrix.dtype)
        matrix = sp.vstack([matrix, empty], format="csr")
    elif len(source) == len(target) and (source == np.arange(len(source))).all():
        return _like(value)._trusted(matrix, value.classes, names)
    return _like(value)._trusted(matrix[source], value.classes, names)


def with_classes(
    value: Any, names: NDArray[Any], missing: str = "error", extra: str = "error", **fixes: Fix
) -> Any:
    """The same with these classes."""
    target = places(value.classes, names, "class", missing=missing, extra=extra, **fixes)
    same = len(target) == len(names) and bool((target == np.arange(len(target))).all())
    matrix = value.matrix
    if not same and not sp.issparse(matrix):
        source = _sources(target, len(names))
        if (source < 0).any():
            _check_sparse(matrix, "classes")
        matrix = matrix[:, source]
    elif not same:
        coo = matrix.tocoo()
        column = target[coo.col]
        inside = column >= 0
        entries = (coo.data[inside], (coo.row[inside], column[inside]))
        matrix = sp.csr_array(entries, shape=(matrix.shape[0], len(names)))
        matrix.sort_indices()
    return _like(value)._trusted(matrix, names, value.index)


def _like(value: Any) -> Any:
    return Labels if isinstance(value, Labels) else Scores


def _sources(target: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Which entry goes to each of ``n`` places; -1 for none."""
    source = np.full(n, -1, dtype=np.int64)
    inside = target >= 0
    source[target[inside]] = np.flatnonzero(inside)
    return source


def _check_sparse(matrix: Any, what: str) -> None:
    if not sp.issparse(matrix):
        raise InputError(
            f"dense scores cannot have {what} without a score.",
            fix="Give sparse scores, or scores for all.",
        )


def places(
    names: NDArray[Any],
    wanted: NDArray[Any],
    what: str,
    *,
    missing: str = "error",
    extra: str = "error",
    if_missing: Fix | None = None,
    if_extra: Fix | None = None,
) -> NDArray[np.int64]:
    """Place in ``wanted`` of every name, -1 for one to drop; a mismatch says which.

    ``if_missing`` and ``if_extra`` are what to do where only names are missing, or only
    too many.
    """
    names, wanted = _alike(names, wanted)
    order = np.argsort(wanted, kind="stable")
    ranked = wanted[order]
    _refuse_repeats(ranked[1:][ranked[1:] == ranked[:-1]], what, "wanted")
    place = np.full(len(names), -1, dtype=np.int64)
    if len(order):
        rank = np.minimum(np.searchsorted(ranked, names), len(order) - 1)
        known = ranked[rank] == names
        place[known] = order[rank[known]]
    times = np.bincount(place[place >= 0], minlength=len(wanted))
    _refuse_repeats(wanted[times > 1], what, "there")
    unknown = names[place < 0] if extra == "error" else names[:0]
    lacking = wanted[times == 0] if missing == "error" else wanted[:0]
    if not len(unknown) and not len(lacking):
        return place
    plural = "classes" if what == "class" else f"{what}s"
    problems = []
    if len(unknown):
        problems.append(
            f"{len(unknown):,} {plural} are not among the {len(wanted):,} expected: "
            f"{_some_of(unknown)}"
        )
    if len(lacking):
        problems.append(
            f"{len(lacking):,} of the {len(wanted):,} {plural} expected are missing: "
            f"{_some_of(lacking)}"
        )
    fix = Fix(_AGREE)
    more = None if len(unknown) and len(lacking) else if_missing if len(lacking) else if_extra
    if more is not None:
        fix = Fix(f"{_AGREE} {more.text}", more.parameter, more.value, more.more)
    raise InputError(f"{'; '.join(problems)}.", fix=fix)


def _alike(names: NDArray[Any], wanted: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Names that can be put in order: as they are, or as text where they are of several types."""
    kinds = {names.dtype.kind, wanted.dtype.kind}
    mixed = len(kinds) > 1 and bool(kinds & {*"UOT"})
    if kinds == {"O"}:
        try:
            sorted([*names.tolist(), *wanted.tolist()])
        except TypeError:
            mixed = True
    return (as_text(names), as_text(wanted)) if mixed else (names, wanted)


def _refuse_repeats(names: NDArray[Any], what: str, where: str) -> None:
    if len(names):
        raise InputError(
            f"the {what} {quote(str(names[0]))} is {where} more than once; every one must be "
            "unique.",
            fix="Rename or merge them.",
        )


def _some_of(names: NDArray[Any]) -> str:
    """The first few names, for a message."""
    return ", ".join(quote(str(name), 60) for name in names[:5]) + (", …" if len(names) > 5 else "")


def joined_names(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """The first names, then those of the second that are not among them, as text."""
    known = set(map(str, first.tolist()))
    more = [name for name in map(str, second.tolist()) if name not in known]
    return np.concatenate([as_text(first), as_text(more)]) if more else first
