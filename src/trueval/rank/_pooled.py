"""A pooled precision-recall curve and what can be read off it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueval.core.params import STRING, Interval, Many, constrained
from trueval.core.presentable import card_html, draw
from trueval.core.table import Table

__all__ = ["PrecisionRecallCurve"]

Float = NDArray[np.float64]

#: One number or several, each above 0 and at most 1.
_SHARE = Interval(float, 0, 1, "right")
SHARES = (_SHARE, Many(_SHARE, "several"))


class PrecisionRecallCurve(NamedTuple):
    """Precision and recall at each threshold, as scikit-learn orders them.

    Attributes
    ----------
    precision, recall : ndarray of float64
        At each threshold, then 1 and 0 for no calls.
    thresholds : ndarray of float64
        Distinct scores, rising; −∞ first if some pairs have no score.
    """

    precision: Float
    recall: Float
    thresholds: Float

    @property
    def average_precision(self) -> float:
        """Area under the curve, as a sum of steps."""
        return -float(np.sum(np.diff(self.recall) * self.precision[:-1]))

    @constrained(recall=SHARES)
    def precision_at(self, recall: Any) -> Any:
        """Precision of the fewest calls that reach a recall.

        Parameters
        ----------
        recall : float or array of float
            Above 0 and at most 1.

        Returns
        -------
        float or ndarray of float64

        Notes
        -----
        Equal scores are called together, so that the recall reached may be larger than
        the one asked for; :meth:`at_recalls` says which it is.

        Examples
        --------
        >>> import numpy as np
        >>> from trueval.rank import pooled_precision_recall_curve
        >>> scores = np.array([[0.9], [0.8], [0.7], [0.6]])
        >>> curve = pooled_precision_recall_curve(scores, [[1], [0], [1], [0]])
        >>> curve.precision_at(0.5), curve.precision_at([0.6, 1.0]).round(3).tolist()
        (1.0, [0.667, 0.667])
        """
        wanted = np.asarray(recall, dtype=np.float64)
        precision = self.precision[self._first_with_recall(wanted)]
        return float(precision) if wanted.ndim == 0 else precision

    @constrained(precision=SHARES)
    def recall_at(self, precision: Any) -> Any:
        """Largest recall of any threshold whose precision is high enough.

        Parameters
        ----------
        precision : float or array of float
            Above 0 and at most 1.

        Returns
        -------
        float or ndarray of float64
            0 where only calling nothing is so precise.

        Examples
        --------
        >>> import numpy as np
        >>> from trueval.rank import pooled_precision_recall_curve
        >>> scores = np.array([[0.9], [0.8], [0.7], [0.6]])
        >>> curve = pooled_precision_recall_curve(scores, [[1], [0], [1], [0]])
        >>> curve.recall_at(0.6), curve.recall_at([0.7, 1.0]).tolist()
        (1.0, [0.5, 0.5])
        """
        wanted = np.asarray(precision, dtype=np.float64)
        # Recall falls along the curve, so the first place that is precise enough has most.
        best = np.maximum.accumulate(self.precision)
        recall = self.recall[np.searchsorted(best, wanted - 1e-12)]
        return float(recall) if wanted.ndim == 0 else recall

    @constrained(recalls=SHARES)
    def at_recalls(self, recalls: Any) -> Table:
        """Precision at given recalls as a table, in the form of the paper's Table 6.

        Parameters
        ----------
        recalls : array of float
            Above 0 and at most 1.

        Returns
        -------
        Table
            Columns ``recall``, ``reached`` (the recall of the fewest calls that have at
            least this one), ``precision`` and ``threshold``. Where the highest score of
            all already calls more, as in the cells that the paper leaves without a
            figure, ``reached`` lies well above ``recall``.

        Examples
        --------
        >>> import numpy as np
        >>> from trueval.rank import pooled_precision_recall_curve
        >>> scores = np.array([[0.9], [0.9], [0.7], [0.6]])
        >>> curve = pooled_precision_recall_curve(scores, [[1], [1], [0], [0]])
        >>> curve.at_recalls([0.2, 1.0])
        recall  reached  precision  threshold
        0.2000   1.0000     1.0000     0.9000
        1.0000   1.0000     1.0000     0.9000
        """
        wanted = np.atleast_1d(np.asarray(recalls, dtype=np.float64))
        at = self._first_with_recall(wanted)
        columns = (self.recall[at], self.precision[at], self.thresholds[at])
        names = ("reached", "precision", "threshold")
        return Table({"recall": wanted, **dict(zip(names, columns, strict=True))})

    def _first_with_recall(self, wanted: Float) -> NDArray[np.int64]:
        """Place of the highest threshold that has at least the recall."""
        # Negated, recall rises along the curve: the last place that is not below.
        return np.searchsorted(-self.recall, -(wanted - 1e-12), side="right") - 1

    @constrained(name=STRING)
    def plot(self, name: str = "these scores", ax: Any = None) -> Any:
        """Draw precision against recall.

        Parameters
        ----------
        name : str, default="these scores"
            What was ranked.
        ax : matplotlib Axes, optional
            A new figure if not given.

        Returns
        -------
        trueval.displays.PrecisionRecallDisplay
        """
        return draw("PrecisionRecallDisplay.from_curves", {name: self}, ax=ax)

    def _repr_html_(self) -> str:
        return card_html(self)
