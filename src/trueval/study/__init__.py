"""Every table and figure of the three papers, *paper* beside *measured*.

How a study runs::

    STUDIES[name].work(plan) ─► cells ─┬─► run in any order, any process, each with its own
                                       │   random stream; finished ones are kept in a file
    STUDIES[name].conclude(done) ◄─────┘
             │
             └─► StudyResult: table, figure, notes, provenance ─► JSON, Markdown

``_cells.py`` has the parts, ``_runner.py`` the one runner, ``_partial.py`` the file of
finished cells, ``_result.py`` the result. ``_published_*.py`` hold the papers' numbers,
typed once; ``_sources.py`` finds the data. The studies: ``_split_overview.py``,
``_split_measures.py``, ``_split_methods.py`` with ``_sentences.py``, and ``_split_models.py``
(OptiSplit paper), ``_pair_deviations.py``, ``_pair_trends.py``, ``_pair_variants.py``,
``_pair_schemes.py`` and ``_pair_coverage.py`` (object-level cross-validation paper),
``_rank_simulations.py``, ``_rank_benchmarks.py``, ``_rank_bandwidth.py``, ``_rank_optimal.py``,
``_rank_asymptotics.py``, ``_rank_densities.py``, ``_rank_rivals.py``, ``_rank_hierarchy.py`` and
``_rank_recalls.py`` (local-precision-rate paper).
"""

from collections.abc import Callable
from typing import Any

from trueval.core.params import constrained
from trueval.study import (
    _pair_coverage,
    _pair_deviations,
    _pair_schemes,
    _pair_trends,
    _pair_variants,
    _rank_asymptotics,
    _rank_bandwidth,
    _rank_benchmarks,
    _rank_densities,
    _rank_hierarchy,
    _rank_optimal,
    _rank_recalls,
    _rank_rivals,
    _rank_simulations,
    _split_measures,
    _split_methods,
    _split_models,
    _split_overview,
)
from trueval.study._cells import Study
from trueval.study._result import StudyResult
from trueval.study._runner import run

__all__ = ["STUDIES", "Study", "StudyResult", "run_study"]

_FILES = (
    _split_overview,
    _split_measures,
    _split_methods,
    _split_models,
    _pair_coverage,
    _pair_deviations,
    _pair_schemes,
    _pair_trends,
    _pair_variants,
    _rank_simulations,
    _rank_benchmarks,
    _rank_bandwidth,
    _rank_optimal,
    _rank_asymptotics,
    _rank_densities,
    _rank_hierarchy,
    _rank_recalls,
    _rank_rivals,
)
STUDIES: dict[str, Study] = {
    study.name: study
    for study in sorted((s for file in _FILES for s in file.STUDIES), key=lambda s: s.name)
}
"""All studies by the number of the paper and of its table or figure."""


@constrained(**run.parameter_constraints)  # type: ignore[attr-defined]
def run_study(
    name: str,
    *,
    quick: bool = False,
    n_jobs: int | None = None,
    out: Any = None,
    random_state: int = 0,
    repeats: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> StudyResult:
    """Run a study: a table or figure of a paper, with the paper's values beside.

    Parameters
    ----------
    name : str
        One of :data:`STUDIES`, such as ``"000-table3"``, or what the study is called:
        ``"split-methods"``.
    quick : bool, default=False
        Whether to end within two minutes, on fewer repeats and smaller or simulated
        data.
    n_jobs : int, optional
        Processes. Never changes the result, but for times.
    out : path, optional
        Folder for ``NUMBER.json`` and ``NUMBER.md``. Finished cells are kept there in
        ``.NUMBER.partial.json``: an interrupted study goes on from them, and studies
        made of the same cells share them.
    random_state : int, default=0
    repeats : int, optional
        Runs of each setting, in place of the paper's number.
    progress : callable, optional
        Called as ``progress(done, total)`` after every cell.

    Returns
    -------
    StudyResult

    Raises
    ------
    InputError
        When there is no such study, or its data are not on this machine; the message
        says which files go where.

    Examples
    --------
    >>> from trueval.study import run_study
    >>> result = run_study("000-figure2", quick=True)
    >>> result.notes
    ['The figure has no numbers in print; ... 18 of 18 curves do as it says.']
    """
    return run(
        STUDIES,
        name,
        quick=quick,
        n_jobs=n_jobs,
        out=out,
        random_state=random_state,
        repeats=repeats,
        progress=progress,
    )
