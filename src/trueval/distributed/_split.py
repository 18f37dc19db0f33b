"""``split``: folds of a dataset that need not fit in memory."""

import re
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from trueval.core.errors import Fix, InputError
from trueval.core.params import NONE, PATH, RANDOM_STATE, STRING, Interval, Where, constrained
from trueval.core.provenance import record, versions
from trueval.core.random import as_generator, draw_seed
from trueval.distributed._engine import engine_of
from trueval.distributed._flow import Input, collect, split_rows
from trueval.distributed._groups import split_groups
from trueval.distributed._names import check_layout
from trueval.distributed._output import checked_output, write_tables
from trueval.distributed._plan import Plan
from trueval.distributed._quality import SOURCE, measured
from trueval.distributed._source import Naming
from trueval.stratify._folds import warn_of_rare_classes
from trueval.stratify._items import MOST_ROWS
from trueval.stratify._parts import PARTS, as_parts
from trueval.stratify._quality import SplitQuality

__all__ = ["MEMORY", "as_bytes", "split"]

_BLOCK = 2**23  # positives of a block, unless memory is short
_CORE, _CORE_SHARE = 2**23, 16  # least positives of the core, and its part of all
_POSITIVE, _ROW, _FIXED = 40, 120, 2**27  # bytes that a block takes: each, each, and always
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def as_bytes(memory: Any) -> int:
    """A number of bytes, or text such as 500M or 4G.

    >>> as_bytes("4G"), as_bytes("1.5 GB"), as_bytes(2_000_000)
    (4000000000, 1500000000, 2000000)
    """
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?\s*", memory, re.IGNORECASE)
        if match is None:
            raise ValueError(memory)
        return int(float(match.group(1)) * _UNITS[match.group(2).upper()])
    return int(memory)


MEMORY = Where(
    lambda value: not isinstance(value, bool) and as_bytes(value) >= 10**6,
    "bytes, at least a million, or text such as '4G'",
)


@constrained(
    **SOURCE,
    parts=PARTS,
    out=PATH,
    groups=(NONE, *SOURCE["source"]),
    group=(NONE, STRING),
    memory=(NONE, MEMORY),
    blocks=(NONE, Interval(int, 1, 65_536)),
    core=(NONE, Interval(int, 1)),
    random_state=RANDOM_STATE,
)
def split(
    source: Any,
    parts: Any = 5,
    *,
    out: Any,
    groups: Any = None,
    row: str | None = None,
    classes: str | None = None,
    layout: str | None = None,
    group: str | None = None,
    engine: str = "stream",
    client: Any = None,
    memory: Any = None,
    blocks: int | None = None,
    core: int | None = None,
    random_state: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> SplitQuality:
    """Divide the rows of a Parquet dataset into parts in which every class has its share.

    The folds depend on the rows and their ids, ``parts``, ``random_state``, the number of blocks
    and the budget of the core, and on nothing else: not on the order of files and rows, the
    partitions, the engine or its workers. They differ from those of
    :func:`trueval.stratified_folds`.

    Parameters
    ----------
    source : path, dask.dataframe.DataFrame or dask.array.Array
        A Parquet file, or a folder with Parquet files. A record is a row with a list of its
        classes, or one (row, class) pair; a null class then stands for a row without labels. An
        array has a 0/1 column for each class, and chunks of rows, dense or SciPy's CSR; rows and
        classes are then numbered.
    parts : int or sequence of numbers, default=5
        As for :func:`trueval.stratified_folds`.
    out : path
        Parquet file to write, with the columns ``row`` and ``fold``; how it was made goes into
        ``out.json`` beside it. Temporary files, about as large as the positives in 4 bytes each and
        the row ids, are made beside it and removed.
    groups : path or dask.dataframe.DataFrame, optional
        Records of row and group, one or more for each row; the dataset itself may have them. Rows
        of a group are put into one part. Sizes are then only as equal as the groups permit.
    row : str, optional
        Column of row ids; "row" if not given.
    classes : str, optional
        Column of classes, or of lists of them; "class", or the only column of lists, if not given.
    layout : {"list", "long"}, optional
        "long" where a record has one class whose name contains what may separate several, such as
        a semicolon; such names are refused otherwise.
    group : str, optional
        Column of groups; "group", or the only column beside that of row ids, if not given.
    engine : {"stream", "dask"}, default="stream"
        One process, or the workers of a Dask cluster.
    client : distributed.Client, optional
        Of the cluster to use; a cluster on this machine if not given.
    memory : int or str, optional
        Bytes that a block may take, such as ``"4G"``. Only a limit below the usual size makes more
        and smaller blocks.
    blocks : int, optional
        Number of blocks; by the number of positives if not given.
    core : int, optional
        Positives of all blocks that are searched together, an eighth of them those of the rarest
        classes; a sixteenth of all, and at least eight million, if not given.
    random_state : None, int, Generator or RandomState
    progress : callable, optional
        Called as ``progress(done, total)``.

    Returns
    -------
    SplitQuality

    Raises
    ------
    InputError
        For repeated row ids, missing columns or values, rows without a group, or a file that cannot
        be read. Nothing is written then, and temporary files are removed.

    Warns
    -----
    RareClassWarning
        If some classes have fewer positives than there are parts.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from trueval.distributed import split
    >>> rows = pa.table({"row": range(100), "class": [["a"], ["a", "b"], ["b"], []] * 25})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(rows, Path(folder, "labels.parquet"))
    ...     result = split(
    ...         Path(folder, "labels.parquet"), 5, out=Path(folder, "folds.parquet"), random_state=0
    ...     )
    ...     folds = pq.read_table(Path(folder, "folds.parquet"))
    >>> result.sizes, result.rld, folds.column_names
    (array([20, 20, 20, 20, 20]), 0.0, ['row', 'fold'])
    """
    target = checked_output(out, source)
    seed = draw_seed(as_generator(random_state))
    with engine_of(engine, client, target, progress) as carrier:
        dataset = carrier.dataset(source, row, classes)
        check_layout(layout, dataset.long)
        naming = Naming("row", "group", "group")
        grouped = None if groups is None else carrier.dataset(groups, row, group, naming)
        carrier.expect(3 * len(dataset.fragments))
        rows = collect(carrier, dataset, one_class=layout == "long")
        plan = _plan(rows, parts, seed, memory, blocks, core)
        warn_of_rare_classes(plan.class_size.astype(np.int64), plan.parts.n_parts)
        carrier.expect(8 * plan.n_blocks)
        if grouped is None:
            result = split_rows(carrier, rows, plan)
        else:
            size = np.concatenate([[float(plan.parts.n_rows)], plan.class_size])
            by_group = replace(plan, class_size=size, n_leading=1)
            result = split_groups(carrier, rows, grouped, by_group)
        facts = record(
            rows=plan.parts.n_rows,
            ids="row",
            parameters={
                "parts": parts if isinstance(parts, int) else [float(part) for part in parts],
                "blocks": plan.n_blocks,
                "core": plan.core,
                "engine": engine,
            }
            | ({} if grouped is None else {"group": grouped.names[1]}),
            seed=int(random_state) if isinstance(random_state, Integral) else None,
            versions=versions(("numpy", "scipy", "pyarrow")),
        )
        write_tables(target, carrier.values(result.folds), facts, "folds")
        carrier.finish()
    return measured(rows, result.totals, plan.parts)


def _plan(
    rows: Input, parts: Any, seed: int, memory: Any, blocks: int | None, core: int | None
) -> Plan:
    """Numbers of the stages, by the data and the options alone."""
    _, sizes = rows.census.ranked()
    n_rows, positives = rows.census.n_rows, int(sizes.sum())
    if positives == 0:
        raise InputError("no row has a class.")
    if n_rows > MOST_ROWS:
        raise InputError(
            f"the dataset has {n_rows:,} rows; at most {MOST_ROWS:,} can be split.",
            fix="Split a stratified half first.",
        )
    core = max(_CORE, positives // _CORE_SHARE) if core is None else core
    n_blocks = -(-positives // _BLOCK) if blocks is None else blocks
    if memory is not None:
        available = as_bytes(memory) - _FIXED - 200 * len(sizes)
        if available <= 0:
            raise InputError(
                f"memory of {as_bytes(memory) / 1e6:,.0f} MB is too little for "
                f"{len(sizes):,} classes.",
                fix=Fix("Pass {} or more.", "memory", "1G"),
                parameter="memory",
            )
        core = min(core, available // _POSITIVE)
        if blocks is None:
            n_blocks = max(n_blocks, -(-(positives * _POSITIVE + n_rows * _ROW) // available))
    return Plan(
        as_parts(parts, n_rows),
        sizes.astype(np.float64),
        rows.census.n_blank,
        n_blocks,
        core,
        seed,
    )
