"""``audit``: what a split of pairs tests, from counts and a join by hash."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, Place
from trueval.core.params import STRING, constrained
from trueval.distributed._engine import engine_of
from trueval.distributed._flow import n_buckets
from trueval.distributed._objects import PAIRS, Objects, gather_objects, open_pairs
from trueval.distributed._rows import arrow, cut_table, id_keys, stacked
from trueval.distributed._source import Fragment, plain
from trueval.pairs._audit import PairAudit

__all__ = ["audit"]


@constrained(**PAIRS, split=STRING, train=STRING, test=STRING)
def audit(
    source: Any,
    *,
    split: str,
    train: str = "train",
    test: str = "test",
    columns: Sequence[str] = ("a", "b"),
    symmetric: bool = True,
    engine: str = "stream",
    client: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> PairAudit:
    """Say what a split of a Parquet dataset of pairs tests.

    Counts are those of :func:`trueval.pairs.audit_pairs`, without labels; objects are in memory,
    and pairs that occur on both sides meet by a hash. The role of each row is left out.

    Parameters
    ----------
    source : path
        Parquet file or folder, such as :func:`pairs` writes it.
    split : str
        Column with the role of each pair in words.
    train, test : str
        The words for the two sides; pairs with others, or null, are on neither.
    columns, symmetric, engine, client, progress
        As for :func:`pairs`.

    Returns
    -------
    PairAudit
        Without ``roles`` of rows and what needs labels.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from trueval.distributed import audit
    >>> roles = ["train", "train", "test", "test", "test"]
    >>> rows = pa.table({"a": list("abbae"), "b": list("bcadf"), "role": roles})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(rows, Path(folder, "pairs.parquet"))
    ...     result = audit(Path(folder, "pairs.parquet"), split="role")
    >>> result.counts, result.n_mirrored
    ({'AA': 1, 'AB': 1, 'BB': 1}, 1)
    """
    with (
        tempfile.TemporaryDirectory(prefix="trueval-") as folder,
        engine_of(engine, client, Path(folder, "audit"), progress) as carrier,
    ):
        dataset = open_pairs(source, columns, split)
        carrier.expect(4 * len(dataset.fragments))
        objects = gather_objects(carrier, dataset, symmetric)
        n, shared = n_buckets(dataset.n_records), carrier.share(_Split(objects, train, test))
        of_all = [shared] * len(dataset.fragments)
        sides = carrier.total(_sides, dataset.fragments, of_all)
        for name, n_rows in ((train, sides.n_train), (test, sides.n_test)):
            if not n_rows:
                raise InputError(
                    f"no pair has the role {name!r}; an audit needs pairs on both sides.",
                    place=Place(str(source), column=split),
                )
        seen = carrier.share(sides.seen)
        facts = carrier.total(_facts, dataset.fragments, of_all, [seen] * len(of_all))
        keys = carrier.shuffle(_cut_keys, dataset.fragments, n, stacked, shared, n)
        twice = carrier.total(_repeated, keys)
        carrier.finish()
    index = objects.index()
    return PairAudit(
        counts=dict(zip(("AA", "AB", "BB"), facts[2::-1].tolist(), strict=True)),
        roles=np.empty(0, dtype="U2"),
        new_by_column=facts[3:5].tolist(),
        n_train=sides.n_train,
        n_test=sides.n_test,
        n_objects_train=int(sides.seen.sum()),
        n_objects_test=int(sides.tested.sum()),
        shared_objects=[index.ids[at] for at in np.flatnonzero(sides.seen & sides.tested)],
        cluster_counts=None,
        n_shared_clusters=None,
        n_shared_rows=0,
        n_duplicates=int(twice[0]),
        n_mirrored=int(twice[1]),
        n_self=int(facts[5]),
        only_positive=None,
        only_negative=None,
        n_conflicts=None,
        n_leaked_conflicts=None,
        identity_auc=None,
        identity_auc_by_role={},
        degree_auc=None,
    )


@dataclass(frozen=True, eq=False)
class _Split:
    """Pairs with the side of each."""

    objects: Objects
    train: str
    test: str

    def batches(
        self, fragment: Fragment
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]]:
        """Object numbers, and which pairs are in train and in test."""
        equal = arrow(".compute").equal
        for batch, codes in self.objects.batches(fragment):
            words = plain(batch.column(2))
            train, test = (
                equal(words, word).fill_null(False).to_numpy(zero_copy_only=False)
                for word in (self.train, self.test)
            )
            yield codes, train, test


@dataclass(frozen=True, eq=False)
class _Sides:
    """Rows and objects of either side, which add up."""

    n_train: int
    n_test: int
    seen: NDArray[np.bool_]
    tested: NDArray[np.bool_]

    def __add__(self, other: "_Sides") -> "_Sides":
        return _Sides(
            self.n_train + other.n_train,
            self.n_test + other.n_test,
            self.seen | other.seen,
            self.tested | other.tested,
        )


def _sides(fragment: Fragment, split: _Split) -> _Sides:
    n_objects = sum(map(len, split.objects.names))
    total = _Sides(0, 0, np.zeros(n_objects, bool), np.zeros(n_objects, bool))
    for codes, train, test in split.batches(fragment):
        total.seen[codes[train].reshape(-1)] = True
        total.tested[codes[test].reshape(-1)] = True
        part = _Sides(int(train.sum()), int(test.sum()), total.seen, total.tested)
        total = total + part
    return total


def _facts(fragment: Fragment, split: _Split, seen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Test pairs with 0, 1 and 2 seen members, with a new one in each column; self pairs."""
    facts = np.zeros(6, np.int64)
    for codes, train, test in split.batches(fragment):
        known = seen[codes[test]]
        facts[:3] += np.bincount(known.sum(axis=1), minlength=3)
        facts[3:5] += (~known).sum(axis=0)
        facts[5] += int((codes[:, 0] == codes[:, 1])[train | test].sum())
    return facts


def _cut_keys(fragment: Fragment, split: _Split, n: int) -> Iterator[list[Any]]:
    """Numbers of pairs in their order and without it, cut by a hash of the second."""
    n_objects = sum(map(len, split.objects.names))
    for codes, train, test in split.batches(fragment):
        used = train | test
        either = np.sort(codes[used], axis=1) @ [n_objects, 1]
        ordered = codes[used] @ [n_objects, 1]
        table = arrow().table({"pair": either, "ordered": ordered, "train": train[used]})
        yield cut_table(table, id_keys(arrow().array(either)) % np.uint64(n), n)


def _repeated(keys: Any) -> NDArray[np.int64]:
    """Test pairs that training has in the same order, and only the other way round."""
    pair, ordered, train = (keys[name].to_numpy(zero_copy_only=False) for name in keys.column_names)
    same = np.isin(ordered[~train], ordered[train])
    either = np.isin(pair[~train], pair[train])
    return np.array([same.sum(), (either & ~same).sum()])
