"""The stages on a Dask cluster: every result is a future that can be made again.

Nothing is put on workers by ``scatter``, which could not be made again after a worker is lost:
shared values are results of tasks too. Rows travel as lists, cut in pieces by the task that reads
them.
"""

import logging
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from trueval.core.errors import InputError, need_extra
from trueval.core.labels import Labels
from trueval.distributed._engine import Progress, pieces_joined
from trueval.distributed._interrupt import Interrupts, undisturbed
from trueval.distributed._rows import arrow
from trueval.distributed._source import NAMING, Dataset, Fragment, Naming, frame_layout

__all__ = ["Dask"]

_FIRST = 1000  # records of a frame that tell its types
_FEW = 8  # results that one task adds up
_SHARE = 0.8  # of the memory of this machine that a cluster of ours may use
#: Settings of a cluster of ours. Workers keep freed memory: Dask has them give back each block at
#: once, and ask for it anew. And nobody looks at profiles, so none are made.
_SETTINGS = {
    "distributed.nanny.pre-spawn-environ": {
        "OMP_NUM_THREADS": 1,
        "MKL_NUM_THREADS": 1,
        "OPENBLAS_NUM_THREADS": 1,
    },
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "2s",
}


class Dask(Progress):
    """Workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client or None
        None starts a cluster on this machine, with a process for each core, and closes it.
    progress : callable or None
    """

    def __init__(self, client: Any, progress: Callable[[int, int], None] | None) -> None:
        super().__init__(progress)
        self._distributed = need_extra("distributed", "dask", "engine='dask'")
        self._client: Any = client
        self._cluster: Any = None
        self._interrupts = Interrupts()

    def __enter__(self) -> "Dask":
        self._interrupts.__enter__()
        if self._client is None:
            try:
                with undisturbed():
                    self._cluster = self._started()
                    self._client = self._distributed.Client(self._cluster)
            except BaseException:
                self.__exit__()
                raise
        return self

    def _started(self) -> Any:
        """A cluster on this machine."""
        n_workers = os.cpu_count() or 1
        total = self._distributed.system.MEMORY_LIMIT
        config = need_extra("dask", "dask", "engine='dask'").config
        try:
            with config.set(_SETTINGS), warnings.catch_warnings():
                # Of another run at the same time, of which nobody needs to know.
                warnings.filterwarnings("ignore", "Port .* is already in use")
                return self._distributed.LocalCluster(
                    n_workers=n_workers,
                    threads_per_worker=1,
                    memory_limit=int(_SHARE * total / n_workers),
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,  # a task that fails raises here, too
                )
        except (RuntimeError, OSError) as error:  # a worker died or did not answer
            raise InputError(
                f"no Dask cluster could be started on this machine: {str(error).rstrip('.')}.",
                fix="Try again, stream the data without a cluster, or use one that runs.",
            ) from error

    def __exit__(self, *error: Any) -> None:
        self._interrupts.__exit__()
        if self._cluster is not None:
            with undisturbed():
                if self._client is not None:
                    self._client.close()
                self._cluster.close()

    def dataset(
        self, source: Any, row: str | None, classes: str | None, parameters: Naming = NAMING
    ) -> Dataset:
        """Open a path, which every worker must see, a dask.dataframe or a dask.array."""
        if not hasattr(source, "to_delayed"):
            return super().dataset(source, row, classes, parameters)
        if hasattr(source, "chunks"):
            return self._of_array(source)
        first = source.head(_FIRST, npartitions=-1)
        if len(first) == 0:
            raise InputError("the frame has no rows.")
        names, schema, long = frame_layout(first, row, classes, parameters)
        parts = self._client.compute(source.to_delayed())
        lengths = [self._submit(len, part) for part in parts]
        filled = [
            (part, length)
            for part, length in zip(parts, self._client.gather(lengths), strict=True)
            if length
        ]
        fragments = [self._submit(Fragment, part, 0, *names, schema) for part, _ in filled]
        return Dataset(fragments, long, sum(length for _, length in filled), 0, names)

    def _of_array(self, source: Any) -> Dataset:
        """Chunks of rows, dense or sparse, as frames; rows and classes are numbered."""
        rows, *columns = source.chunks
        if len(columns) != 1 or len(columns[0]) != 1 or np.isnan(rows).any():
            raise InputError(
                f"an array with chunks {source.chunks!r} cannot be split.",
                fix="It needs two dimensions, chunks of known lengths, and all classes in each: "
                "rechunk it with array.compute_chunk_sizes().rechunk({1: -1}).",
            )
        chunks = self._client.compute(list(source.to_delayed().ravel()))
        starts = (np.cumsum(rows) - rows).tolist()
        fragments = [
            self._submit(_labels_of_chunk, chunk, start)
            for chunk, start, length in zip(chunks, starts, rows, strict=True)
            if length
        ]
        return Dataset(fragments, False, int(sum(rows)), 0)

    def share(self, value: Any) -> Any:
        """A value that many calls take, as the result of a task."""
        return self._submit(_same, value)

    def shuffle(
        self,
        function: Callable[..., Iterable[Sequence[Any]]],
        inputs: Iterable[Any],
        n: int,
        joined: Callable[[list[Any]], Any],
        *common: Any,
    ) -> list[Any]:
        """Futures of the joined pieces."""
        whole = [self._work(_cut, function, n, joined, item, *common) for item in inputs]
        return [
            self._submit(_join, joined, [self._submit(itemgetter(number), w) for w in whole])
            for number in range(n)
        ]

    def map(self, function: Callable[..., Any], *inputs: Iterable[Any]) -> list[Any]:
        """Futures of the results of a function, one for each input."""
        return [self._work(function, *items) for items in zip(*inputs, strict=True)]

    def total(self, function: Callable[..., Any], *inputs: Iterable[Any]) -> Any:
        """Sum of the results, in the order of the inputs, as a tree."""
        level = self.map(function, *inputs)
        while len(level) > 1:
            level = [self._submit(_sum, level[at : at + _FEW]) for at in range(0, len(level), _FEW)]
        return next(self.values(level))

    def apply(self, function: Callable[..., Any], n: int, *lists: Any) -> list[Any]:
        """Futures of the ``n`` results of a function of all inputs."""
        results = self._work(function, *map(list, lists))
        return [self._submit(itemgetter(number), results) for number in range(n)]

    def chain(
        self, function: Callable[..., tuple[Any, Any]], state: Any, *inputs: Iterable[Any]
    ) -> tuple[list[Any], Any]:
        """Futures of the results of ``function(*items, state)``, and the last state."""
        handles = []
        state = self.share(state)
        for items in zip(*inputs, strict=True):
            pair = self._work(function, *items, state)
            handles.append(self._submit(itemgetter(0), pair))
            state = self._submit(itemgetter(1), pair)
        return handles, next(self.values([state]))

    def values(self, handles: Iterable[Any]) -> Iterator[Any]:
        """What is behind futures, one after the other."""
        return map(self._result, handles)

    def _result(self, handle: Any) -> Any:
        self._interrupts.check()
        try:
            return handle.result()
        except self._distributed.KilledWorker:
            raise InputError(
                "one task ended several workers, most likely for lack of memory.",
                fix="Write smaller row groups, or give the workers more memory.",
            ) from None
        except CancelledError as error:
            raise InputError(
                f"the Dask cluster gave up: {error}",
                fix="It may have been closed, or lost all its workers; see its logs.",
            ) from None

    def release(self, handles: Iterable[Any]) -> None:
        """Futures are forgotten when nobody holds them."""

    def _work(self, function: Callable[..., Any], *values: Any) -> Any:
        """A task that is seen in the progress."""
        future = self._submit(function, *values)
        if self._report is not None:
            future.add_done_callback(lambda _: self.tick())
        return future

    def _submit(self, function: Callable[..., Any], *values: Any) -> Any:
        self._interrupts.check()
        return self._client.submit(function, *values, pure=False)


def _labels_of_chunk(chunk: Any, start: int) -> Fragment:
    """A chunk of labels as a table of rows and lists of classes."""
    try:
        pa, matrix = arrow(), Labels(chunk).matrix
    except InputError as error:  # its row is that of the chunk
        place = error.place
        if place is not None and place.row is not None:
            place = replace(place, row=start + place.row)
        raise InputError(error.problem, place=place, fix=error.fix) from None
    lists = pa.LargeListArray.from_arrays(matrix.indptr.astype(np.int64), matrix.indices)
    table = pa.table({"row": np.arange(start, start + matrix.shape[0]), "class": lists})
    return Fragment(table, 0, "row", "class")


def _same(value: Any) -> Any:
    return value


def _sum(parts: list[Any]) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _cut(
    function: Callable[..., Iterable[Sequence[Any]]],
    n: int,
    joined: Callable[[list[Any]], Any],
    item: Any,
    *common: Any,
) -> list[Any]:
    return pieces_joined(function(item, *common), n, joined)


def _join(joined: Callable[[list[Any]], Any], pieces: list[Any]) -> Any:
    return joined(pieces)
