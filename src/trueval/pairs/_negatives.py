"""``sample_negatives``: pairs that are not known to be positive, drawn without giving them away.

Negatives drawn uniformly have other objects than positives: hubs are in many positives and few
negatives, so the degree of an object alone predicts the label. Here the negatives of every part are
drawn among the objects of its positives. With ``strategy="degree"`` each object gets as many
negatives as positives, times the ratio (:mod:`trueval.pairs._negative_draw`). Where a small dense
part does not allow that, what is left is said in a warning.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, InputWarning, quote, warn_user
from trueval.core.folds import as_folds
from trueval.core.ids import PairIndex, names_of
from trueval.core.pairs import Pairs
from trueval.core.params import RANDOM_STATE, Choice, Interval, constrained
from trueval.core.random import as_generator
from trueval.core.similarity import as_similarity
from trueval.pairs._degree_products import Products
from trueval.pairs._exchanges import Codes, distinct
from trueval.pairs._kinds import KINDS, numbered_by_kind
from trueval.pairs._negative_draw import FAR, NegativeDraw

__all__ = ["SampledPairs", "sample_negatives"]


@dataclass(frozen=True, eq=False)
class SampledPairs:
    """Positives and the negatives drawn for them.

    Attributes
    ----------
    pairs : Pairs
        The positives in their order, then the negatives; ``y`` is 1 and 0.
    folds : ndarray of int32 or None
        Part of each row, where parts were given.
    """

    pairs: Pairs
    folds: NDArray[np.int32] | None

    @property
    def n_negatives(self) -> int:
        """Negatives drawn."""
        return int((np.asarray(self.pairs.y) == 0).sum())


@constrained(
    ratio=Interval(float, 0, 1e4, "right"),
    strategy=Choice(("degree", "uniform", "same-objects")),
    symmetric=KINDS,
    random_state=RANDOM_STATE,
)
def sample_negatives(
    pairs: Any,
    *,
    ratio: float = 1.0,
    strategy: str = "degree",
    folds: Any = None,
    similarity: Any = None,
    symmetric: Any = None,
    random_state: Any = None,
) -> SampledPairs:
    """Draw negatives for pairs that are known to be positive.

    Parameters
    ----------
    pairs : Pairs or array-like of shape (n_pairs, 2)
        Positives. Of ``Pairs`` with labels only the positives are used, and no known negative
        is avoided.
    ratio : float, default=1.0
        Negatives for each positive.
    strategy : {"degree", "uniform", "same-objects"}, default="degree"
        "degree": every object has its share of negatives, and degrees do not predict the label.
        "uniform": any two objects, for models whose negatives are that in use. "same-objects":
        the first object of each positive with any other.
    folds : array-like of int of shape (n_pairs,), optional
        Part of each positive, made before by holding out objects; −1 for pairs between parts.
        Negatives of a part join objects of its positives, so no object occurs in negatives only,
        and no negative is in two parts.
    similarity : Similarity, sparse matrix or list of edges, optional
        Similar objects, numbered as :func:`as_pairs` does. A pair is not drawn if it is a known
        positive with one object replaced by a similar one.
    symmetric : bool or sequence, optional
        Whether both columns hold objects of one kind; see :class:`ObjectKFold`. By default they
        do if an object occurs in both; columns without a common object, such as drugs and targets,
        hold two kinds, and objects keep their column. Give ``symmetric=False`` where numbers of
        both kinds begin at 0, and with ``similarity``, whose numbers depend on it.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    SampledPairs

    Warns
    -----
    InputWarning
        If a part has fewer pairs that are allowed than negatives are wanted, or if its degrees
        cannot be levelled: with "degree", the AUC of degrees alone is farther than 0.02 from 0.5.

    Examples
    --------
    >>> from trueval.pairs import sample_negatives
    >>> positives = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]
    >>> drawn = sample_negatives(positives, random_state=0)
    >>> drawn.n_negatives, {tuple(p) for p in drawn.pairs.pairs[4:]} & set(positives)
    (4, set())
    """
    value = pairs if isinstance(pairs, Pairs) else Pairs(pairs)
    rows = np.arange(len(value)) if value.y is None else np.flatnonzero(np.asarray(value.y) > 0)
    if not len(rows):
        raise InputError("there is no positive pair.", fix="Give pairs with the label 1.")
    positives = Pairs(value.pairs[rows])
    index = numbered_by_kind(positives, symmetric)
    if index.arity != 2:
        raise InputError(f"rows have {index.arity} objects; negatives are drawn for pairs only.")
    if similarity is not None and symmetric is None and index.n_kinds > 1:
        raise InputError(
            "the columns have no object in common, so the numbers of objects in similarity can be "
            "read in two ways.",
            fix=Fix("Pass {} as to as_pairs, where the numbers come from.", "symmetric"),
        )
    part = np.zeros(len(value), np.int32)
    if folds is not None:
        part = as_folds(folds, len(value), free=True)
    part = part[rows]
    generator = as_generator(random_state)
    draw = NegativeDraw(
        index.n_objects, index.n_kinds == 1, _forbidden(index, similarity), generator
    )
    codes, parts = [index.codes], [part]
    numbers = np.unique(part[part >= 0])
    apart = len(numbers) < 2 or not _shared_objects(index.codes, part)
    for number in numbers:
        inside = index.codes[part == number]
        n_wanted = round(ratio * len(inside))
        negatives = draw.negatives(inside, n_wanted, ratio, strategy)
        where = "" if folds is None else f"part {number}: "
        if len(negatives) < n_wanted:
            warn_user(
                f"{where}{len(negatives):,} negatives where {n_wanted:,} were wanted; more pairs "
                "of these objects are not allowed.",
                InputWarning,
                fix="Lower the ratio.",
            )
        if strategy == "degree" and len(negatives):
            auc = Products(inside, negatives, index.n_objects).auc(negatives)
            if abs(auc - 0.5) > FAR:
                _tell_degrees(auc, where, ratio, *_scarcest(draw, inside, index))
        if not apart:  # one negative must not be in two parts
            draw.forbid(negatives)
        codes.append(negatives)
        parts.append(np.full(len(negatives), number, np.int32))
    return _result(index, positives, codes, parts if folds is not None else None)


def _shared_objects(codes: Codes, part: NDArray[np.int32]) -> bool:
    """Whether an object is in pairs of several parts."""
    inside = np.flatnonzero(part >= 0)
    of_object = np.full(int(codes.max()) + 1, -1, np.int32)
    of_object[codes[inside]] = part[inside, None]
    return bool((of_object[codes[inside]] != part[inside, None]).any())


def _scarcest(draw: NegativeDraw, inside: Codes, index: PairIndex) -> tuple[Any, int, int]:
    number, n_positives, n_left = draw.scarcest(inside)
    return index.names[number], n_positives, n_left


def _tell_degrees(
    auc: float, where: str, ratio: float, name: Any, n_positives: int, n_left: int
) -> None:
    """Warn that degrees still predict the label, and name the object that cannot have its share."""
    text = f"{where}degrees of objects alone have an AUC of {auc:.3f} where 0.5 is wanted"
    fix = "Lower the ratio, make the parts larger, or report this AUC next to the score."
    if n_left >= ratio * n_positives:
        text += "; too few pairs of these objects are allowed to level them."
    else:
        text += (
            f": object {quote(str(name), 40)} has {n_positives:,} positives, and {n_left:,} other "
            "pairs are left for its negatives."
        )
        fix = (
            f"Lower the ratio (above {n_left / n_positives:.2g} it cannot have its share), leave "
            "out pairs of this object, or report this AUC next to the score."
        )
    warn_user(text, InputWarning, fix=fix)


def _result(
    index: PairIndex,
    positives: Pairs,
    codes: list[Codes],
    parts: list[NDArray[np.int32]] | None,
) -> SampledPairs:
    drawn = np.concatenate(codes[1:]) if len(codes) > 1 else codes[0][:0]
    ids = names_of(index, drawn).astype(positives.pairs.dtype)
    y = np.repeat([1, 0], [len(positives), len(drawn)])
    everything = Pairs(np.concatenate([positives.pairs, ids]), y)
    return SampledPairs(everything, None if parts is None else np.concatenate(parts))


def _forbidden(index: PairIndex, similarity: Any) -> Codes:
    """Sorted keys of pairs that are not drawn."""
    n = index.n_objects
    a, b = index.canonical.T
    if similarity is None:
        return distinct(a * n + b)
    near = as_similarity(similarity, n).matrix
    known = sp.csr_array((np.ones(len(a)), (a, b)), shape=(n, n))
    known = known + known.T
    spread = sp.coo_array(known + known @ near)
    left, right = spread.row.astype(np.int64), spread.col.astype(np.int64)
    if index.n_kinds > 1:  # the first column has the smaller numbers
        return distinct(np.minimum(left, right) * n + np.maximum(left, right))
    near_keys = np.minimum(left, right) * n + np.maximum(left, right)
    return distinct(np.concatenate([a * n + b, near_keys]))
