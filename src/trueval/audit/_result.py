"""``RowAudit``: what an audit of rows says, check by check."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError
from trueval.core.presentable import Presentable, text_of

__all__ = ["CHECKS", "LEAKS", "Check", "RowAudit", "RowLeakError", "check_names"]

#: Checks in the order in which they are reported.
CHECKS = (
    "ids",
    "groups",
    "time",
    "similarity",
    "duplicates",
    "near_duplicates",
    "nearness",
    "target",
    "order",
    "shift",
)
#: Those of them whose alarm means that test rows are known; a shift makes a test harder.
LEAKS = tuple(name for name in CHECKS if name != "shift")


class RowLeakError(ValueError):
    """A split of rows fails a check that was required; the message says how."""


@dataclass(frozen=True, eq=False, repr=False)
class Check(Presentable):
    """One check of a split.

    Attributes
    ----------
    name : str
        One of ``ids``, ``groups``, ``time``, ``similarity``, ``duplicates``,
        ``near_duplicates``, ``nearness``, ``target``, ``order``, ``shift``.
    alarm : bool
        Whether the value is beyond the limit.
    value, limit : float
        What was measured, and where the alarm begins; the guide says in which sense.
    n_rows : int
        Test rows concerned; 0 for checks of columns or of the whole split.
    rows : ndarray of int
        These rows.
    detail : dict
        What else is known, as JSON can hold it.
    """

    name: str
    alarm: bool
    value: float
    limit: float
    n_rows: int = 0
    rows: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    detail: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON can hold them, with the first hundred rows."""
        return {
            "name": self.name,
            "alarm": self.alarm,
            "value": self.value,
            "limit": self.limit,
            "n_rows": self.n_rows,
            "rows": self.rows[:100].tolist(),
            "detail": self.detail,
        }


@dataclass(frozen=True, eq=False, repr=False)
class RowAudit(Presentable):
    """What a split of rows gives away.

    Attributes
    ----------
    n_train, n_test : int
        Rows on either side.
    n_shared_rows : int
        Rows that are on both.
    checks : tuple of Check
        In a fixed order; those without their data are in ``skipped``.
    skipped : dict of str to str
        Checks that were not made, and why.
    alpha : float
        Probability at most of an alarm of any check by chance, where its null holds.
    n_queries : int
        Test rows whose nearest training rows were looked up.
    distances : dict of str to dict of str to float
        Quantiles of the distance to the nearest training row: of ``test`` rows, and of ``train``
        rows to another one; of standardised columns, or of directions of sparse rows.
    baseline : dict of str to float or None
        What copying the target of the nearest training row scores, ``score``, next to copying
        that of a random one, ``chance``; ``measure`` is its name. None without y.
    categories : list of str
        Columns that were read as categories, since they hold text.
    """

    n_train: int
    n_test: int
    n_shared_rows: int
    checks: tuple[Check, ...]
    skipped: dict[str, str]
    alpha: float
    n_queries: int = 0
    distances: dict[str, dict[str, float]] = field(default_factory=dict)
    baseline: dict[str, Any] | None = None
    categories: list[str] = field(default_factory=list)

    @property
    def alarms(self) -> tuple[Check, ...]:
        """The checks that alarm."""
        return tuple(check for check in self.checks if check.alarm)

    def check(self, name: str) -> Check:
        """The check of a name.

        Parameters
        ----------
        name : str

        Returns
        -------
        Check
        """
        for check in self.checks:
            if check.name == name:
                return check
        why = self.skipped.get(name, f"there is no such check; there are {', '.join(CHECKS)}")
        raise InputError(f"the audit has no check {name!r}: {why}.")

    def require(self, checks: str | Collection[str] = "leaks") -> "RowAudit":
        """Raise unless checks pass.

        Parameters
        ----------
        checks : str or collection of str, default="leaks"
            Names of checks; ``"leaks"`` for all that were made but ``shift``, ``"all"`` for these
            too. A check that is named must have been made.

        Returns
        -------
        RowAudit
            Itself.
        """
        names = check_names(checks)
        failed = [
            check
            for check in (self.checks if isinstance(names, str) else map(self.check, names))
            if check.alarm and (names != "leaks" or check.name in LEAKS)
        ]
        if failed:
            raise RowLeakError(" ".join(text_of(check) for check in failed))
        return self

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        return {
            "n_train": self.n_train,
            "n_test": self.n_test,
            "n_shared_rows": self.n_shared_rows,
            "alarms": [check.name for check in self.alarms],
            "checks": {check.name: check.to_dict() for check in self.checks},
            "skipped": self.skipped,
            "alpha": self.alpha,
            "n_queries": self.n_queries,
            "distances": self.distances,
            "baseline": self.baseline,
            "categories": self.categories,
        }


def check_names(checks: str | Collection[str]) -> str | list[str]:
    """Names of checks, or the word for several of them.

    >>> check_names("leaks"), check_names("ids,groups"), check_names("near-duplicates")
    ('leaks', ['ids', 'groups'], ['near_duplicates'])
    """
    listed = checks.split(",") if isinstance(checks, str) else list(checks)
    names = [str(name).strip().replace("-", "_") for name in listed]
    if names in (["leaks"], ["all"]):
        return names[0]
    unknown = [name for name in names if name not in CHECKS]
    if unknown or not names:
        raise InputError(
            f"there is no check {unknown[0]!r}." if unknown else "no check is named.",
            fix=f"Use leaks, all, or some of {', '.join(CHECKS)}.",
        )
    return names
