"""CPU time of each stage of a split by the stream."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest import mock

from trueval.distributed import _split
from trueval.distributed._engine import Stream

__all__ = ["SERIAL", "STAGES", "timed_stages"]

#: Functions of each stage, in the order of their work; what is left is the writing of the folds.
STAGES = {
    "count": ("count",),
    "block": ("_cut_by_block",),
    "repeated ids": ("_cut_keys", "_repeated"),
    "deal": ("_deal", "_dealt_totals", "_item_rows"),
    "pieces": ("core_piece", "_sizes", "item_lengths", "finish_piece", "_of_piece", "_finished"),
    "core": ("_core",),
    "fill": ("_fill", "class_counts"),
    "chain": ("_chain",),
    "finish": ("_finish",),
    "write": ("_fold_table",),
}
#: Stages that one process does, whatever the number of workers.
SERIAL = ("core", "chain", "finish")
_STAGE_OF = {function: stage for stage, functions in STAGES.items() for function in functions}


class _Timed(Stream):
    """The stream, which adds up the CPU seconds of every stage in ``spent``."""

    def __init__(self, spent: dict[str, float], *values: Any) -> None:
        super().__init__(*values)
        self._spent = spent

    def _carry(self, method: Callable[..., Any], function: Callable[..., Any], *inputs: Any) -> Any:
        start = time.process_time()
        result = method(function, *inputs)
        name = function.func.__name__ if isinstance(function, partial) else function.__name__
        self._spent[_STAGE_OF[name]] += time.process_time() - start
        return result

    def shuffle(self, function: Callable[..., Any], *inputs: Any) -> list[Any]:
        pieces: list[Any] = self._carry(super().shuffle, function, *inputs)
        return pieces

    def map(self, function: Callable[..., Any], *inputs: Any) -> list[Any]:
        results: list[Any] = self._carry(super().map, function, *inputs)
        return results

    def total(self, function: Callable[..., Any], *inputs: Any) -> Any:
        return self._carry(super().total, function, *inputs)

    def apply(self, function: Callable[..., Any], *inputs: Any) -> list[Any]:
        results: list[Any] = self._carry(super().apply, function, *inputs)
        return results

    def chain(self, function: Callable[..., Any], *inputs: Any) -> tuple[list[Any], Any]:
        results: tuple[list[Any], Any] = self._carry(super().chain, function, *inputs)
        return results


@contextmanager
def timed_stages() -> Iterator[dict[str, float]]:
    """CPU seconds of each stage of the split inside; the rest of its time is that of writing."""
    spent = dict.fromkeys(STAGES, 0.0)

    def engine_of(name: str, client: Any, target: Any, progress: Any) -> _Timed:
        assert (name, client) == ("stream", None)
        return _Timed(spent, target, progress)

    start = time.process_time()
    with mock.patch.object(_split, "engine_of", engine_of):
        yield spent
    spent["write"] += time.process_time() - start - sum(spent.values())
