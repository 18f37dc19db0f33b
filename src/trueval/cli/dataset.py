"""Datasets that are not read into memory: ``--engine``, ``--memory``, ``--scheduler``."""

import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

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

__all__ = ["engine_of", "engine_options", "measure_dataset", "split_dataset"]

_TIMES = 4  # what reading and splitting take, in bytes of the columns
#: Options of the labels that a dataset understands.
_COLUMNS = {"id_column": "row", "label_column": "classes"}


def engine_options(function: Function) -> Function:
    """Options that say what carries a split."""
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


def engine_of(path: str, engine: str | None, memory: str | None, scheduler: str | None) -> str:
    """Name of the engine, said where the data decide it."""
    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler needs --engine dask.")
    limit = None if memory is None else _limit(memory)
    if engine is not None:
        return engine
    if path == STANDARD or not os.path.isdir(path):
        needed = _needed(path)
        free = _free_memory() if limit is None else limit
        if free is None or needed <= free:
            return "memory"
        reason = f"needs about {needed / 1e9:.1f} GB in memory, and {free / 1e9:.1f} GB are free"
    else:
        reason = "is a folder"
    warn_user(f"{path} {reason}: it is split by --engine stream.", InputWarning)
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
    from trueval.data._guards import declared_bytes

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


def _refuse(engine: str, options: Options) -> None:
    """Refuse options that only labels in memory have."""
    for name, value in options.items():
        if value not in (None, False, ()):
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} does not work with --engine {engine}.")


@contextmanager
def _client(engine: str, scheduler: str | None) -> "Iterator[object]":
    if engine != "dask" or scheduler is None:
        yield None
        return
    from trueval.core.errors import need_extra

    with need_extra("distributed", "dask", "--engine dask").Client(scheduler) as client:
        yield client


def _reading(run: Run, engine: str, reading: Options) -> Options:
    columns = {name: reading.pop(option) for option, name in _COLUMNS.items()}
    _refuse(engine, reading | {"save": run.save, "report": run.report})
    return columns


def split_dataset(
    run: Run,
    path: str,
    parts: Parts,
    engine: str,
    *,
    output: str | None,
    memory: str | None,
    scheduler: str | None,
    groups: str | None,
    others: Options,
    reading: Options,
) -> Outcome:
    """Split a dataset; ``others`` are options that need labels in memory."""
    from trueval.cli.interrupt import left_to_the_search
    from trueval.distributed import split

    _refuse(engine, others)
    columns = _reading(run, engine, reading)
    if output in (None, STANDARD):
        raise click.UsageError(f"--engine {engine} needs -o FILE.parquet.")
    started = time.perf_counter()
    with (
        _client(engine, scheduler) as client,
        left_to_the_search(),
        run.meter(f"Splitting by {engine}") as meter,
    ):

        def write(target: Path) -> None:
            measured.append(
                split(
                    path,
                    parts,
                    out=target,
                    groups=groups,
                    engine=engine,
                    client=client,
                    memory=memory,
                    random_state=run.seed,
                    progress=meter,
                    **columns,
                )
            )

        measured: list[SplitQuality] = []
        run.write(output, write)
    return _outcome({engine: measured[0]}, {engine: time.perf_counter() - started})


def measure_dataset(
    run: Run, path: str, folds: tuple[str, ...], parts: Parts | None, engine: str, reading: Options
) -> Outcome:
    """Measure splits of a dataset, made by any tool."""
    from trueval.distributed import quality

    columns = _reading(run, engine, reading)
    qualities = {}
    for name in folds:
        with run.meter(f"Measuring {name}") as meter:
            qualities[name] = quality(
                path, name, parts=parts, engine=engine, progress=meter, **columns
            )
    return _outcome(qualities, {})


def _outcome(qualities: "dict[str, SplitQuality]", seconds: dict[str, float]) -> Outcome:
    from trueval.cli.split import comparison_data
    from trueval.show import summary
    from trueval.show._stratify import SplitComparison

    first = next(iter(qualities.values()))
    splits = SplitComparison(qualities, int(first.per_class["size"].sum()), seconds)
    return Outcome(comparison_data(splits), summary=summary(splits))
