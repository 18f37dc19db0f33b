"""Clusters of objects, as numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import is_missing
from trueval.core.errors import InputError
from trueval.core.ids import PairIndex
from trueval.core.similarity import Similarity

__all__ = ["cluster_codes"]


def cluster_codes(clusters: Any, index: PairIndex, name: str = "clusters") -> NDArray[np.int64]:
    """Cluster number of each object; clusters of different kinds stay apart.

    ``clusters`` is ``{object id: cluster}``, or one such mapping for each column when the
    columns hold different kinds; or an array of the shape of the pairs with the cluster of
    each member; or, when ids are the integers 0, 1, …, an array with the cluster of object i
    at position i. None may be missing. The components of a :class:`Similarity` are clusters.
    """
    if isinstance(clusters, Similarity):
        names, clusters = clusters.index, clusters.components()
        if names is not None:
            clusters = dict(zip(names.tolist(), clusters.tolist(), strict=True))
    if isinstance(clusters, list | tuple) and clusters and _all_mappings(clusters):
        if len(clusters) != index.arity:
            raise InputError(
                f"{name} has {len(clusters)} mappings but rows have {index.arity} members; give "
                "one mapping for each column, or a single one."
            )
        by_kind = {k: clusters[c] for c, k in reversed(list(enumerate(index.kind_of_column)))}
        values = [_lookup(by_kind[int(k)], i, name) for k, i in _objects(index)]
        _refuse_missing(values, range(index.n_objects), index, name)
    elif isinstance(clusters, Mapping) or hasattr(clusters, "to_dict"):
        mapping = clusters if isinstance(clusters, Mapping) else clusters.to_dict()
        values = [_lookup(mapping, object_id, name) for object_id in index.ids]
        _refuse_missing(values, range(index.n_objects), index, name)
    else:
        values = _from_array(clusters, index, name)
    out = np.empty(index.n_objects, dtype=np.int64)
    numbers: dict[Any, int] = {}
    for number, value in enumerate(values):
        out[number] = numbers.setdefault((int(index.kind[number]), value), len(numbers))
    return out


def _all_mappings(clusters: Sequence[Any]) -> bool:
    return all(isinstance(c, Mapping) for c in clusters)


def _objects(index: PairIndex) -> Any:
    return zip(index.kind.tolist(), index.ids, strict=True)


def _lookup(mapping: Mapping[Any, Any], object_id: Any, name: str) -> Any:
    try:
        return mapping[object_id]
    except KeyError:
        if isinstance(object_id, str) and object_id.encode() in mapping:
            return mapping[object_id.encode()]  # ids that were bytes
        raise InputError(
            f"{name} has no entry for object {object_id!r}; every object needs a cluster, be it "
            "one of its own."
        ) from None


def _empty(value: Any) -> bool:
    return is_missing(value) or (isinstance(value, str) and not value)


def _refuse_missing(
    values: Sequence[Any], numbers: Sequence[int], index: PairIndex, name: str
) -> None:
    """Refuse NaN and None, which would be one cluster or many, as the container has it."""
    missing = {n: v for n, v in zip(numbers, values, strict=True) if _empty(v)}
    if missing:
        first = min(missing)
        raise InputError(
            f"{name} is missing for {len(missing):,} of {index.n_objects:,} objects, the first "
            f"{index.ids[first]!r} ({missing[first]!r}).",
            fix="Give each a cluster, be it one of its own, or drop the rows of these objects.",
        )


def _from_array(clusters: Any, index: PairIndex, name: str) -> list[Any]:
    array = clusters.to_numpy() if hasattr(clusters, "to_numpy") else np.asarray(clusters)
    values: list[Any] = [None] * index.n_objects
    if array.ndim == 1 and all(isinstance(i, int) and 0 <= i < len(array) for i in index.ids):
        values = [array[i] if array.dtype == object else array[i].item() for i in index.ids]
        _refuse_missing(values, range(index.n_objects), index, name)
        return values
    if array.shape == index.codes.shape:
        flat, numbers = array.reshape(-1).tolist(), index.codes.reshape(-1).tolist()
        _refuse_missing(flat, numbers, index, name)
        for number, value in zip(numbers, flat, strict=True):
            if values[number] is None:
                values[number] = value
            elif values[number] != value:
                raise InputError(
                    f"{name} puts object {index.ids[number]!r} into {values[number]!r} and into "
                    f"{value!r}; an object belongs to one cluster."
                )
        return values
    raise InputError(
        f"{name} must map object ids to clusters, or have the shape {index.codes.shape} of the "
        f"pairs, or one entry for each object when ids are 0, 1, …. Got shape {array.shape} "
        "instead."
    )
