"""What carries the stages: one process and a folder, or anything with the same five methods.

``shuffle`` cuts inputs into numbered pieces and joins those of one number; ``map`` and ``total``
apply a function to each of some inputs; ``apply`` to all of them; ``chain`` to one after the other,
handing a state on. What they return is a handle: here a file that is read when it is needed.
"""

import errno
import os
import pickle
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from trueval.core.errors import ParameterError
from trueval.core.files import temporary_folder
from trueval.distributed._source import NAMING, Dataset, Naming, open_dataset

__all__ = ["ENGINES", "Progress", "Stream", "engine_of", "pieces_joined"]

#: What may carry the stages.
ENGINES = ("stream", "dask")


def engine_of(name: str, client: Any, target: Path, progress: Any) -> Any:
    """An engine by its name, for the work on a file."""
    if name == "stream":
        if client is not None:
            raise ParameterError("client", "None for engine 'stream'", client)
        return Stream(target, progress)
    from trueval.distributed._dask import Dask

    return Dask(client, progress)


class Progress:
    """Pieces of work that are done, of those expected so far."""

    def __init__(self, report: Callable[[int, int], None] | None) -> None:
        self._report, self._done, self._total = report, 0, 0
        self._lock = Lock()

    def expect(self, more: int) -> None:
        """More work is known."""
        self._total += more

    def tick(self) -> None:
        """A piece of work is done, in any thread."""
        with self._lock:
            self._done += 1
            if self._report is not None:
                self._report(min(self._done, self._total), max(self._total, 1))

    def finish(self) -> None:
        """All is done."""
        if self._report is not None:
            self._report(1, 1)

    def dataset(
        self, source: Any, row: str | None, classes: str | None, parameters: Naming = NAMING
    ) -> Dataset:
        """Open a path."""
        if isinstance(source, str | bytes | os.PathLike):
            return open_dataset(source, row, classes, parameters)
        expected = "a path for engine 'stream'; a dask.dataframe needs engine='dask'"
        raise ParameterError("source", expected, source)


@dataclass(frozen=True)
class _Stored:
    """A result in a file; several that are joined when read, for a shuffle."""

    path: Path
    joined: Callable[[list[Any]], Any] | None = None

    def read(self) -> Any:
        with self.path.open("rb") as file:
            if self.joined is None:
                return pickle.load(file)
            return self.joined(list(_pickles(file)))


def _pickles(file: Any) -> Iterator[Any]:
    while True:
        try:
            yield pickle.load(file)
        except EOFError:
            return


def pieces_joined(
    parts: Iterable[Sequence[Any]], n: int, joined: Callable[[list[Any]], Any]
) -> list[Any]:
    """Pieces of several cuts, joined by number."""
    columns: list[list[Any]] = [[] for _ in range(n)]
    for pieces in parts:
        for column, piece in zip(columns, pieces, strict=True):
            column.append(piece)
    return [joined(column) for column in columns]


class Stream(Progress):
    """One process; what does not fit in memory lies in a temporary folder.

    Parameters
    ----------
    beside : path
        The folder is made beside this file, and removed whatever happens.
    progress : callable or None
        Called as ``progress(done, total)``.
    """

    def __init__(self, beside: Any, progress: Callable[[int, int], None] | None) -> None:
        super().__init__(progress)
        self._context = temporary_folder(beside)
        self._number = 0

    def __enter__(self) -> "Stream":
        self._folder = self._context.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._context.__exit__(*error)

    def share(self, value: Any) -> Any:
        """A handle of a value that many calls take."""
        return value

    def shuffle(
        self,
        function: Callable[..., Iterable[Sequence[Any]]],
        inputs: Iterable[Any],
        n: int,
        joined: Callable[[list[Any]], Any],
        *common: Any,
    ) -> list[Any]:
        """Handles of the joined pieces 0 to ``n`` - 1 that a function cuts inputs into."""
        paths = [self._path() for _ in range(n)]
        for item in inputs:
            for pieces in function(_value(item), *common):
                for path, piece in zip(paths, pieces, strict=True):
                    if len(piece) or not path.exists():
                        self._write(path, piece, "ab")
            self.tick()
        return [_Stored(path, joined) for path in paths]

    def map(self, function: Callable[..., Any], *inputs: Iterable[Any]) -> list[Any]:
        """Handles of the results of a function, one for each input."""
        handles = []
        for items in zip(*inputs, strict=True):
            path = self._path()
            self._write(path, function(*map(_value, items)), "wb")
            handles.append(_Stored(path))
            self.tick()
        return handles

    def total(self, function: Callable[..., Any], *inputs: Iterable[Any]) -> Any:
        """Sum of the results."""
        total: Any = None
        for items in zip(*inputs, strict=True):
            part = function(*map(_value, items))
            total = part if total is None else total + part
            self.tick()
        return total

    def apply(self, function: Callable[..., Any], n: int, *lists: Any) -> list[Any]:
        """Handles of the ``n`` results of a function of all inputs."""
        results = function(*([_value(item) for item in inputs] for inputs in lists))
        self.tick()
        return list(results)

    def chain(
        self, function: Callable[..., tuple[Any, Any]], state: Any, *inputs: Iterable[Any]
    ) -> tuple[list[Any], Any]:
        """Handles of the results of ``function(*items, state)``, and the last state."""
        handles = []
        for items in zip(*inputs, strict=True):
            result, state = function(*map(_value, items), state)
            path = self._path()
            self._write(path, result, "wb")
            handles.append(_Stored(path))
            self.tick()
        return handles, state

    def values(self, handles: Iterable[Any]) -> Iterator[Any]:
        """What is behind handles, one after the other."""
        return map(_value, handles)

    def release(self, handles: Iterable[Any]) -> None:
        """Forget results that are not needed any more."""
        for handle in handles:
            if isinstance(handle, _Stored):
                handle.path.unlink(missing_ok=True)

    def _path(self) -> Path:
        self._number += 1
        return self._folder / f"{self._number}.pickle"

    def _write(self, path: Path, value: Any, mode: str) -> None:
        try:
            with path.open(mode) as file:
                pickle.dump(value, file, protocol=5)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            used = sum(file.stat().st_size for file in self._folder.iterdir())
            free = shutil.disk_usage(self._folder).free
            raise OSError(
                error.errno,
                f"{error.strerror}: the temporary files took {used / 1e6:,.0f} MB and "
                f"{free / 1e6:,.0f} MB are free. Nothing was written. Free some space, or write "
                "the result to another disk",
                str(self._folder.parent),
            ) from None


def _value(item: Any) -> Any:
    return item.read() if isinstance(item, _Stored) else item
