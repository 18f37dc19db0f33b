"""Datasets that are not read into memory: ``--engine``, ``--memory``, ``--scheduler``."""

import os
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import click

from trueval.cli.files import STANDARD
from trueval.cli.options import ChoiceOf
from trueval.cli.parameters import with_options
from trueval.cli.run import Outcome, Run
from trueval.cli.types import Function, Options, Parts
from trueval.core.errors import InputWarning, warn_user

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueval.stratify import SplitQuality

__all__ = ["Carrier", "engine_options", "measure_dataset", "split_dataset"]

_Result = TypeVar("_Result")
_TIMES = 4  # what reading and splitting take, in bytes of the columns
#: Options of the labels that a dataset understands.
_COLUMNS = {"id_column": "row", "label_column": "classes"}


def engine_options(function: Function) -> Function:
    """Options that say what carries the work."""
    return with_options(
        function,
        click.option(
            "--engine",
            type=ChoiceOf(("memory", "stream", "dask")),
            help="Read all, stream a Parquet file or folder, or use Dask [by size].",
        ),
        click.option(
            "--memory", metavar="4G", help="Memory to use; larger Parquet data are streamed."
        ),
        click.option(
            "--scheduler", metavar="ADDRESS", help="Dask cluster to use with --engine dask."
        ),
    )


@dataclass(frozen=True)
class Carrier:
    """What carries a command: ``engine`` is "memory", "stream" or "dask"."""

    engine: str
    memory: str | None
    scheduler: str | None

    @classmethod
    def of(cls, options: Options, *paths: str | None) -> "Carrier":
        """By the options, which are taken out, and the size of files; said where these decide."""
        engine, memory, scheduler = (options.pop(k) for k in ("engine", "memory", "scheduler"))
        if scheduler is not None and engine != "dask":
            raise click.UsageError("--scheduler needs --engine dask.")
        limit = None if memory is None else _limit(memory)
        if engine is None:
            engine = _by_size([path for path in paths if path is not None], limit)
        return cls(engine, memory, scheduler)

    @property
    def in_memory(self) -> bool:
        """Whether the files are read whole."""
        return self.engine == "memory"

    def refuse(self, options: Options) -> None:
        """Refuse options that only data in memory have."""
        for name, value in options.items():
            if value not in (None, False, ()):
                option = f"--{name.replace('_', '-')}"
                raise click.UsageError(f"{option} does not work with --engine {self.engine}.")

    def columns(self, run: Run, reading: Options) -> Options:
        """Names of columns among options of reading; the others are refused."""
        columns = {name: reading.pop(option) for option, name in _COLUMNS.items()}
        self.refuse(reading | {"save": run.save, "report": run.report})
        return columns

    @contextmanager
    def work(self, run: Run, text: str) -> "Iterator[Options]":
        """What the library takes to be carried: the engine, a client, and progress."""
        from trueval.cli.interrupt import left_to_the_search

        with self._client() as client, left_to_the_search(), run.meter(text) as meter:
            yield {"engine": self.engine, "client": client, "progress": meter}

    def write(
        self, run: Run, output: str | None, text: str, work: Callable[[Options], _Result]
    ) -> _Result:
        """Let the library write a file: its function gets ``out`` and what carries it."""
        if output is None or output == STANDARD:
            raise click.UsageError(f"--engine {self.engine} needs -o FILE.parquet.")
        run.files.writes_beside(output)
        results: list[_Result] = []
        with self.work(run, text) as carried:
            run.write(output, lambda path: results.append(work(carried | {"out": path})))
        return results[0]

    @contextmanager
    def _client(self) -> "Iterator[object]":
        if self.scheduler is None:
            yield None
            return
        from trueval.core.errors import InputError, need_extra

        distributed = need_extra("distributed", "dask", "--engine dask")
        try:
            client = distributed.Client(self.scheduler, timeout=_PATIENCE)
        except (OSError, ValueError) as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"no Dask scheduler answers at {self.scheduler}: {why}",
                fix="Check the address of --scheduler, such as tcp://host:8786.",
            ) from None
        with client:
            yield client


_PATIENCE = 10  # seconds that a scheduler may take to answer


def _by_size(paths: list[str], limit: int | None) -> str:
    """The engine of some files; a folder, or what is too large for memory, is streamed."""
    folders = [path for path in paths if path != STANDARD and os.path.isdir(path)]
    if folders:
        reason = f"{folders[0]} is a folder"
    else:
        needed = sum(_needed(path) for path in paths)
        free = _free_memory() if limit is None else limit
        if free is None or needed <= free:
            return "memory"
        what = " and ".join(paths)
        many = "need" if len(paths) > 1 else "needs"
        reason = f"{what} {many} about {needed / 1e9:.1f} GB in memory, and "
        reason += f"{free / 1e9:.1f} GB are free"
    warn_user(f"{reason}: --engine stream is used.", InputWarning)
    return "stream"


def _limit(memory: str) -> int:
    from trueval.distributed._split import MEMORY, as_bytes

    if not MEMORY.accepts(memory):
        raise click.BadParameter(f"must be {MEMORY}. Got {memory!r}.", param_hint="--memory")
    return as_bytes(memory)


def _needed(path: str) -> int:
    """Memory that a Parquet file would take; 0 for others, which are read whole."""
    if not path.endswith((".parquet", ".pq")):
        return 0
    from trueval.data._parquet_footer import declared_bytes

    try:
        with open(path, "rb") as file:
            return _TIMES * declared_bytes(file)
    except (OSError, ValueError):
        return 0  # the reader says what is wrong with it


def _free_memory() -> int | None:
    """Bytes that can be had without swapping; None where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            fields = dict(line.split(":") for line in file)
        return int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None


# --- split and quality ---------------------------------------------------------------------------


def split_dataset(
    run: Run,
    path: str,
    parts: Parts,
    carrier: Carrier,
    *,
    output: str | None,
    groups: str | None,
    others: Options,
    reading: Options,
) -> Outcome:
    """Split a dataset; ``others`` are options that need labels in memory."""
    from trueval.distributed import split

    carrier.refuse(others)
    layout = _layout(carrier, reading)
    columns = carrier.columns(run, reading) | {"layout": layout}
    columns |= {"groups": groups, "memory": carrier.memory, "random_state": run.seed}
    started = time.perf_counter()
    quality = carrier.write(
        run,
        output,
        f"Splitting by {carrier.engine}",
        lambda carried: split(path, parts, **columns, **carried),
    )
    return _outcome({carrier.engine: quality}, {carrier.engine: time.perf_counter() - started})


def _layout(carrier: Carrier, reading: Options) -> str | None:
    """The layout among options of reading; a wide one is refused."""
    layout = reading.pop("layout")
    if layout == "wide":
        raise click.UsageError(f"--layout wide does not work with --engine {carrier.engine}.")
    return str(layout) if layout is not None else None


def measure_dataset(
    run: Run,
    path: str,
    folds: tuple[str, ...],
    parts: Parts | None,
    carrier: Carrier,
    reading: Options,
) -> Outcome:
    """Measure splits of a dataset, made by any tool."""
    from trueval.distributed import quality

    layout = _layout(carrier, reading)
    columns = carrier.columns(run, reading) | {"layout": layout}
    qualities = {}
    for name in folds:
        with carrier.work(run, f"Measuring {name}") as carried:
            qualities[name] = quality(path, name, parts=parts, **carried, **columns)
    return _outcome(qualities, {})


def _outcome(qualities: "dict[str, SplitQuality]", seconds: dict[str, float]) -> Outcome:
    from trueval.cli.split import comparison_data
    from trueval.show import summary
    from trueval.show._stratify import SplitComparison

    first = next(iter(qualities.values()))
    splits = SplitComparison(qualities, int(first.per_class["size"].sum()), seconds)
    return Outcome(comparison_data(splits), summary=summary(splits))
