"""Shares of pairs as bars: what test pairs test, and what each fold does with pairs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.params import Instance, constrained
from trueval.displays._base import DRAWN, Display, legend_above, literal, named, one_or_named
from trueval.pairs import Coverage, PairAudit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CoverageDisplay", "PairAuditDisplay"]

MOST_FOLDS = 100
# Trained on (or seen) is blue, validated orange, the rest grey.
_BLUE, _ORANGE, _GREY, _PALE = "#0072b2", "#d55e00", "#bdbdbd", "#8cbbe0"


def _bars(
    ax: "Axes", names: list[str], counts: Mapping[str, NDArray[np.int64]], colours: list[str]
) -> None:
    """Stacked bars, one for each name, the first on top."""
    start, bars = np.zeros(len(names)), [literal(name) for name in names]
    for (kind, n), colour in zip(counts.items(), colours, strict=True):
        ax.barh(bars, n, left=start, color=colour, label=kind, height=0.75)
        start = start + n
    ax.invert_yaxis()
    ax.set_xlabel("pairs")
    legend_above(ax, 3)


@shared_sections(attributes=DRAWN)
class PairAuditDisplay(Display):
    """Test pairs of one or several splits by how many of their objects training has seen.

    Parameters
    ----------
    audits : mapping of str to PairAudit

    {attributes}

    Examples
    --------
    >>> from trueval.displays import PairAuditDisplay
    >>> from trueval.pairs import audit_pairs
    >>> audit = audit_pairs([("a", "b"), ("b", "c"), ("a", "c")], [0, 1], [2])
    >>> PairAuditDisplay.from_audits({"published": audit}).audits["published"].setting
    'AA'
    """

    def __init__(self, audits: Mapping[str, PairAudit]) -> None:
        self.audits = dict(audits)

    @classmethod
    @constrained(audits=one_or_named(PairAudit))
    def from_audits(cls, audits: PairAudit | Mapping[str, PairAudit]) -> Self:
        """From one result of :func:`~trueval.pairs.audit_pairs`, or several by name.

        Parameters
        ----------
        audits : PairAudit, or mapping of str to PairAudit

        Returns
        -------
        PairAuditDisplay
        """
        return cls(named(audits, "split"))

    @property
    def _size(self) -> tuple[float, float]:
        return (6.4, 1.2 + 0.3 * len(self.audits))

    def _draw(self, ax: "Axes") -> None:
        names = {"AA": "AA: all seen", "AB": "AB: some seen", "BB": "BB: none seen"}
        counts = {
            text: np.array([audit.counts[role] for audit in self.audits.values()])
            for role, text in names.items()
        }
        _bars(ax, list(self.audits), counts, [_BLUE, _PALE, _ORANGE])
        ax.set_xlabel("test pairs, by objects seen in training")


@shared_sections(attributes=DRAWN)
class CoverageDisplay(Display):
    """Pairs that each fold trains on, validates and leaves out.

    Parameters
    ----------
    train, validated, dropped : ndarray of int of shape (n_folds,)

    {attributes}

    Examples
    --------
    >>> from itertools import combinations
    >>> from trueval.displays import CoverageDisplay
    >>> from trueval.pairs import ObjectKFold, coverage
    >>> pairs = list(combinations(range(20), 2))
    >>> covered = coverage(ObjectKFold(4, random_state=0), pairs)
    >>> CoverageDisplay.from_coverage(covered).dropped.tolist()
    [75, 75, 75, 75]
    """

    def __init__(
        self,
        train: NDArray[np.int64],
        validated: NDArray[np.int64],
        dropped: NDArray[np.int64],
    ) -> None:
        self.train, self.validated, self.dropped = train, validated, dropped

    @classmethod
    @constrained(coverage=Instance(Coverage, "a Coverage"))
    def from_coverage(cls, coverage: Coverage) -> Self:
        """From a result of :func:`~trueval.pairs.coverage`; its first 100 folds.

        Parameters
        ----------
        coverage : Coverage

        Returns
        -------
        CoverageDisplay
        """
        folds = coverage.folds.head(MOST_FOLDS)
        return cls(folds["train"], folds["validated"], folds["dropped"])

    @property
    def _size(self) -> tuple[float, float]:
        return (6.4, min(1.4 + 0.25 * len(self.train), 12))

    def _draw(self, ax: "Axes") -> None:
        n = len(self.train)
        uses = {"trained on": self.train, "validated": self.validated, "left out": self.dropped}
        _bars(ax, [str(i + 1) for i in range(n)], uses, [_PALE, _ORANGE, _GREY])
        ax.set_ylabel("fold")
