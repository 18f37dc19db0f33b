"""``run_study``: the one runner, from cells to table."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from joblib import delayed

from trueval.core.errors import InputError
from trueval.core.files import Checkpoint, atomic_write
from trueval.core.folders import make_folder
from trueval.core.params import BOOL, CALLABLE, N_JOBS, NONE, PATH, Interval, constrained
from trueval.core.provenance import versions
from trueval.core.threads import workers
from trueval.study._cells import Cell, Done, Plan, Study
from trueval.study._partial import cells_in
from trueval.study._result import StudyResult

__all__ = ["find", "run", "timed"]


@constrained(
    quick=BOOL,
    n_jobs=N_JOBS,
    out=(NONE, PATH),
    random_state=Interval(int, 0),
    repeats=(NONE, Interval(int, 1)),
    progress=(NONE, CALLABLE),
)
def run(
    studies: Mapping[str, Study],
    name: str,
    *,
    quick: bool = False,
    n_jobs: int | None = None,
    out: Any = None,
    random_state: int = 0,
    repeats: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> StudyResult:
    """Run a study of a mapping; :func:`trueval.study.run_study` does so with ours."""
    study = find(studies, name)
    started, start = datetime.now(UTC), time.perf_counter()
    work = study.work(Plan(quick, repeats))
    folder = None if out is None else make_folder(out)
    partial = _partial(studies, study, folder)
    done = _run_cells(work.cells, int(random_state), n_jobs, partial, progress)
    outcome = study.conclude(done)
    result = StudyResult(
        name=study.name,
        paper=study.paper,
        title=study.title,
        about=study.about,
        table=outcome.table,
        figure=outcome.figure,
        notes=[*outcome.notes, *work.notes],
        provenance={
            "command": _command(study.name, quick, repeats, int(random_state)),
            "seed": int(random_state),
            "quick": bool(quick),
            "size": "quick" if quick else "full" if repeats is None else "partial",
            "repeats": work.repeats,
            "data": [dict(item) for item in work.data],
            "versions": versions(),
            "started": started.isoformat(timespec="seconds"),
            "seconds": round(time.perf_counter() - start, 2),
            "cpu_seconds": round(sum(cell.seconds for cell in done), 2),
        },
    )
    if folder is not None:
        for suffix, text in (("json", result.to_json()), ("md", result.to_markdown())):
            with atomic_write(folder / f"{study.name}.{suffix}") as file:
                file.write(text.encode())
    return result


def timed(cell: Cell, seed: int) -> tuple[dict[str, Any], float]:
    """Result of a cell and the CPU seconds it took."""
    start = time.process_time()
    result = cell.run(seed)
    return result, time.process_time() - start


def _run_cells(
    cells: Sequence[Cell],
    seed: int,
    n_jobs: int | None,
    partial: Checkpoint[str, dict[str, Any]],
    progress: Callable[[int, int], None] | None,
) -> list[Done]:
    keys = [cell.key(seed) for cell in cells]
    missing = [i for i, key in enumerate(keys) if key not in partial.results]
    n_done = len(cells) - len(missing)
    if progress is not None:
        progress(n_done, len(cells))
    # Processes, not threads: each cell's CPU time is then its own.
    parallel = workers(n_jobs, len(missing), return_as="generator")
    finished = parallel(delayed(timed)(cells[i], seed) for i in missing)
    try:
        for i, (result, seconds) in zip(missing, finished, strict=True):
            partial.add(keys[i], {"result": result, "seconds": seconds})
            n_done += 1
            if progress is not None:
                progress(n_done, len(cells))
    finally:
        with warnings.catch_warnings():
            # Whoever stops a study knows that cells were under way.
            warnings.filterwarnings("ignore", message=".* tasks which were still being processed")
            finished.close()
        partial.write()
    out = []
    for cell, key in zip(cells, keys, strict=True):
        record = partial.results[key]
        out.append(Done(cell.parameters, record["result"], record["seconds"]))
    return out


def _partial(
    studies: Mapping[str, Study], study: Study, folder: Path | None
) -> Checkpoint[str, dict[str, Any]]:
    """The study's own file, and those of studies made of the same cells."""
    if folder is None:
        return cells_in(None)
    kin = [s.name for s in studies.values() if s.work is study.work and s is not study]
    return cells_in(_partial_path(folder, study.name), [_partial_path(folder, k) for k in kin])


def _partial_path(folder: Path, name: str) -> Path:
    return folder / f".{name}.partial.json"


def find(studies: Mapping[str, Study], name: str) -> Study:
    """A study by either of its names."""
    named = {study.called: study for study in studies.values() if study.called} | dict(studies)
    if isinstance(name, str) and name in named:
        return named[name]
    near = get_close_matches(str(name), named, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    listed = ", ".join(study.called or study.name for study in studies.values())
    raise InputError(f"there is no study {str(name)[:80]!r}. {hint}There are: {listed}.")


def _command(name: str, quick: bool, repeats: int | None, seed: int) -> str:
    options = ["--quick"] if quick else []
    options += [f"--repeats {repeats}"] if repeats is not None else []
    return " ".join(["trueval study", name, *options, f"--seed {seed}"])
