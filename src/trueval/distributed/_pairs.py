"""``pairs``: folds that hold out objects; only the objects are in memory."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.params import BOOL, PATH, RANDOM_STATE, Choice, Interval, constrained
from trueval.core.provenance import record, versions
from trueval.core.random import as_generator
from trueval.distributed._engine import engine_of
from trueval.distributed._objects import PAIRS, Objects, gather_objects, open_pairs
from trueval.distributed._output import checked_output, write_tables
from trueval.distributed._rows import arrow, stacked
from trueval.distributed._source import Fragment
from trueval.pairs._folding import check_train, warn_of_empty
from trueval.pairs._kfold import ObjectKFold, kfold_parts

__all__ = ["PairSplit", "pairs"]

_ROLES = ("drop", "train", "test")


@dataclass(frozen=True, eq=False)
class PairSplit:
    """What folds of pairs train on and validate.

    Attributes
    ----------
    n_pairs, n_objects : int
    train, test : ndarray of int64
        Pairs of each fold; the others are dropped.
    share_dropped : float
        Mean share of the pairs that a fold drops.
    """

    n_pairs: int
    n_objects: int
    train: NDArray[np.int64]
    test: NDArray[np.int64]

    @property
    def share_dropped(self) -> float:
        """Mean share of the pairs that a fold drops."""
        return 1.0 - float(np.mean((self.train + self.test) / self.n_pairs))


@constrained(
    **PAIRS,
    out=PATH,
    n_splits=Interval(int, 2),
    scheme=Choice(("strict", "relaxed")),
    setting=Choice(("BB", "AB", "C3", "C2")),
    overlapping=BOOL,
    random_state=RANDOM_STATE,
)
def pairs(
    source: Any,
    n_splits: int = 5,
    *,
    out: Any,
    scheme: str = "strict",
    setting: str = "BB",
    overlapping: bool = False,
    columns: Sequence[str] = ("a", "b"),
    symmetric: bool = True,
    engine: str = "stream",
    client: Any = None,
    random_state: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> PairSplit:
    """Hold out objects, not rows, of a Parquet dataset of pairs.

    The folds are those of ``ObjectKFold(n_splits, balance="objects")`` with the same parameters.
    Only the objects are in memory; the role of a pair in each fold is computed where it is stored.

    Parameters
    ----------
    source : path
        Parquet file or folder with two columns of ids.
    n_splits, scheme, setting, overlapping, symmetric, random_state
        As for :class:`~trueval.pairs.ObjectKFold`.
    out : path
        Parquet file to write, pairs in the order of the files: ``row`` (their number), ``a``,
        ``b``, and ``fold_0``, ``fold_1``, … with train, test or drop.
    columns : sequence of two str, default=("a", "b")
        Columns of the ids.
    engine, client, progress
        As for :func:`split`.

    Returns
    -------
    PairSplit

    Warns
    -----
    UnscorableFoldWarning
        If some folds have no pair to validate on.

    Examples
    --------
    >>> import tempfile
    >>> from itertools import combinations
    >>> from pathlib import Path
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from trueval.distributed import pairs
    >>> first, second = zip(*combinations("abcdef", 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(pa.table({"a": first, "b": second}), Path(folder, "pairs.parquet"))
    ...     result = pairs(
    ...         Path(folder, "pairs.parquet"), 3, out=Path(folder, "folds.parquet"), random_state=0
    ...     )
    ...     folds = pq.read_table(Path(folder, "folds.parquet"))
    >>> result.train.tolist(), result.test.tolist(), folds.column_names
    ([6, 6, 6], [1, 1, 1], ['row', 'a', 'b', 'fold_0', 'fold_1', 'fold_2'])
    """
    target = checked_output(out, source)
    cv = ObjectKFold(
        n_splits,
        scheme=scheme,
        setting=setting,
        symmetric=symmetric,
        overlapping=overlapping,
        balance="objects",
        random_state=random_state,
    )
    with engine_of(engine, client, target, progress) as carrier:
        dataset = open_pairs(source, columns, None)
        carrier.expect(4 * len(dataset.fragments))
        objects = gather_objects(carrier, dataset, symmetric)
        index = objects.index()
        parts = kfold_parts(cv, index, None, as_generator(random_state))
        held_out = np.array(list(cv._choices(index, parts)))
        n, rule = len(dataset.fragments), _Rule(scheme, cv.setting_name)
        shared = carrier.share(_Held(objects, held_out, rule))
        seen = carrier.total(_seen, dataset.fragments, [shared] * n)
        for number, trained in enumerate(seen.any(axis=1)):
            check_train(cv, np.array([trained]), number)
        known = carrier.share(seen | held_out if rule.setting == "AB" else None)
        tables = carrier.map(_fold_table, dataset.fragments, [shared] * n, [known] * n)
        counts = carrier.total(_role_counts, tables)
        if not counts[2].all():
            warn_of_empty(np.flatnonzero(counts[2] == 0).tolist(), len(counts[2]), rule.setting)
        facts = record(
            parameters={"n_splits": n_splits, "scheme": scheme, "setting": cv.setting_name}
            | {"overlapping": overlapping, "symmetric": symmetric, "engine": engine},
            seed=random_state if isinstance(random_state, int) else None,
            versions=versions(("numpy", "pyarrow")),
        )
        write_tables(target, _numbered(carrier.values(tables)), facts, "pair_folds")
        carrier.finish()
    return PairSplit(dataset.n_records, index.n_objects, counts[1], counts[2])


@dataclass(frozen=True)
class _Rule:
    scheme: str
    setting: str


@dataclass(frozen=True, eq=False)
class _Held:
    """Objects that each fold holds out, shape (n_folds, n_objects)."""

    objects: Objects
    held_out: NDArray[np.bool_]
    rule: _Rule

    def roles(self, codes: NDArray[np.int64], known: NDArray[np.bool_] | None) -> NDArray[np.int8]:
        """Place in ``_ROLES`` of each pair in each fold, shape (n_folds, n_pairs).

        ``known`` are the objects of each fold that are held out or in training: where only some
        members are new, the others must be seen.
        """
        roles = np.zeros((len(self.held_out), len(codes)), np.int8)
        for fold, held_out in enumerate(self.held_out):
            new = held_out[codes].sum(axis=1)
            valid = new == 2 if self.rule.setting == "BB" else new == 1
            train = new == 0 if self.rule.scheme == "strict" else ~valid
            if known is not None:
                valid &= known[fold][codes].all(axis=1)
            roles[fold, train], roles[fold, valid] = 1, 2
        return roles


def _seen(fragment: Fragment, held: _Held) -> NDArray[np.bool_]:
    """Objects that occur in training, in each fold."""
    seen = np.zeros(held.held_out.shape, bool)
    for _, codes in held.objects.batches(fragment):
        for fold, roles in enumerate(held.roles(codes, None)):
            seen[fold, codes[roles == 1].reshape(-1)] = True
    return seen


def _fold_table(fragment: Fragment, held: _Held, known: NDArray[np.bool_] | None) -> Any:
    """Ids and roles of the pairs of a fragment, in its order."""
    tables = []
    for batch, codes in held.objects.batches(fragment):
        columns: dict[str, Any] = {"a": batch.column(0), "b": batch.column(1)}
        for fold, roles in enumerate(held.roles(codes, known)):
            columns[f"fold_{fold}"] = arrow().DictionaryArray.from_arrays(roles, list(_ROLES))
        tables.append(arrow().table(columns))
    return stacked(tables)


def _role_counts(table: Any) -> NDArray[np.int64]:
    """Pairs of each role in each fold, shape (3, n_folds)."""
    folds = [table[name].combine_chunks().indices for name in table.column_names[2:]]
    return np.column_stack([np.bincount(roles, minlength=len(_ROLES)) for roles in folds])


def _numbered(tables: Iterable[Any]) -> Iterator[Any]:
    """Tables with the number of each pair."""
    first = 0
    for table in tables:
        number = arrow().array(np.arange(first, first + len(table)))
        yield table.add_column(0, "row", number)
        first += len(table)
