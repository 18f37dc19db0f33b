"""``sample_negatives``: pairs that are not known to be positive, drawn without giving them away.

Negatives drawn uniformly have other objects than positives: hubs are in many positives and few
negatives, so the degree of an object alone predicts the label. Here the negatives of every part are
drawn among the objects of its positives. With ``strategy="degree"`` each object gets as many
negatives as positives (times the ratio): stubs of objects are joined at random, pairs that are not
allowed exchange their members with others, and further exchanges, which keep every degree, move
the products of degrees until positives rank as high as negatives. Where a small dense part does not
allow that, single members are replaced, and what is left is said in a warning.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, InputWarning, warn_user
from trueval.core.folds import as_folds
from trueval.core.ids import PairIndex
from trueval.core.pairs import Pairs
from trueval.core.params import RANDOM_STATE, Choice, Interval, constrained
from trueval.core.random import as_generator
from trueval.core.similarity import as_similarity
from trueval.pairs._degree_products import Products, degrees
from trueval.pairs._kinds import KINDS, numbered_by_kind

__all__ = ["SampledPairs", "sample_negatives"]

_ROUNDS = 200  # of mending and of exchanges at most
_FEW, _MANY_ROUNDS = 2000, 1000  # negatives that are searched longer
_CLOSE = 0.002  # distance of the AUC of degrees from one half that is good enough
_FAR = 0.02  # distance that is told
_SHIFTS, _TRIALS = 40, 100  # single members replaced, and tried for each

_Codes = NDArray[np.int64]


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
    ratio=Interval(float, 0, closed="right"),
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
    draw = _Draw(index, _forbidden(index, similarity), generator)
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
            _tell_degrees(Products(inside, negatives, index.n_objects).auc(negatives), where)
        if not apart:  # one negative must not be in two parts
            draw.forbid(negatives)
        codes.append(negatives)
        parts.append(np.full(len(negatives), number, np.int32))
    return _result(index, positives, codes, parts if folds is not None else None)


def _shared_objects(codes: _Codes, part: NDArray[np.int32]) -> bool:
    """Whether an object is in pairs of several parts."""
    inside = np.flatnonzero(part >= 0)
    of_object = np.full(int(codes.max()) + 1, -1, np.int32)
    of_object[codes[inside]] = part[inside, None]
    return bool((of_object[codes[inside]] != part[inside, None]).any())


def _tell_degrees(auc: float, where: str) -> None:
    """Warn if degrees still predict the label."""
    if abs(auc - 0.5) > _FAR:
        warn_user(
            f"{where}degrees of objects alone have an AUC of {auc:.3f} where 0.5 is wanted; too "
            "few pairs of these objects are allowed to level them.",
            InputWarning,
            fix="Make the parts larger, or compare models with this AUC in mind.",
        )


def _result(
    index: PairIndex,
    positives: Pairs,
    codes: list[_Codes],
    parts: list[NDArray[np.int32]] | None,
) -> SampledPairs:
    drawn = np.concatenate(codes[1:]) if len(codes) > 1 else codes[0][:0]
    names = np.empty(index.n_objects, dtype=object)
    names[:] = index.ids
    ids = names[drawn].astype(positives.pairs.dtype)
    y = np.repeat([1, 0], [len(positives), len(drawn)])
    everything = Pairs(np.concatenate([positives.pairs, ids]), y)
    return SampledPairs(everything, None if parts is None else np.concatenate(parts))


def _forbidden(index: PairIndex, similarity: Any) -> _Codes:
    """Sorted keys of pairs that are not drawn."""
    n = index.n_objects
    a, b = index.canonical.T
    if similarity is None:
        return np.unique(a * n + b)
    near = as_similarity(similarity, n).matrix
    known = sp.csr_array((np.ones(len(a)), (a, b)), shape=(n, n))
    known = known + known.T
    spread = sp.coo_array(known + known @ near)
    left, right = spread.row.astype(np.int64), spread.col.astype(np.int64)
    if index.n_kinds > 1:  # the first column has the smaller numbers
        return np.unique(np.minimum(left, right) * n + np.maximum(left, right))
    return np.unique(np.concatenate([a * n + b, np.minimum(left, right) * n
                                     + np.maximum(left, right)]))  # fmt: skip


class _Draw:
    """Negatives of one part after the other."""

    def __init__(self, index: PairIndex, forbidden: _Codes, generator: np.random.Generator) -> None:
        self._n, self._one_kind = index.n_objects, index.n_kinds == 1
        self._forbidden, self._generator = forbidden, generator

    def forbid(self, codes: _Codes) -> None:
        """Do not draw these pairs again."""
        self._forbidden = np.union1d(self._forbidden, self._keys(codes))

    def negatives(self, positives: _Codes, n: int, ratio: float, strategy: str) -> _Codes:
        """Pairs of objects of these positives, none of them forbidden, none twice."""
        if strategy == "degree":
            return self._by_degree(positives, n, ratio)
        drawn = np.zeros((0, 2), np.int64)
        left, right = self._objects(positives)
        for _ in range(_ROUNDS):
            missing = n - len(drawn)
            if missing <= 0:
                break
            many = missing + missing // 4 + 8
            second = self._generator.choice(right, many)
            if strategy == "uniform":
                first = self._generator.choice(left, many)
            else:
                first = positives[self._generator.integers(len(positives), size=many), 0]
            drawn = np.concatenate([drawn, np.column_stack([first, second])])
            drawn = drawn[self._allowed(drawn)][:n]
        return drawn

    def _objects(self, positives: _Codes) -> tuple[_Codes, _Codes]:
        if self._one_kind:
            objects = np.unique(positives)
            return objects, objects
        return np.unique(positives[:, 0]), np.unique(positives[:, 1])

    def _keys(self, codes: _Codes) -> _Codes:
        if self._one_kind:
            return codes.min(axis=1) * self._n + codes.max(axis=1)
        return np.asarray(codes[:, 0] * self._n + codes[:, 1])

    def _free(self, codes: _Codes) -> NDArray[np.bool_]:
        """Which pairs are of two objects and not forbidden."""
        keys = self._keys(codes)
        at = np.minimum(np.searchsorted(self._forbidden, keys), len(self._forbidden) - 1)
        return (self._forbidden[at] != keys) & (codes[:, 0] != codes[:, 1])

    def _allowed(self, codes: _Codes) -> NDArray[np.bool_]:
        """Of these, the first of equal ones."""
        first = np.zeros(len(codes), dtype=bool)
        first[np.unique(self._keys(codes), return_index=True)[1]] = True
        return first & self._free(codes)

    # --- degrees -----------------------------------------------------------------------

    def _by_degree(self, positives: _Codes, n: int, ratio: float) -> _Codes:
        if self._one_kind:
            stubs = self._generator.permutation(self._stubs(positives.ravel(), 2 * n, ratio))
            codes = stubs.reshape(-1, 2)
        else:
            sides = [self._stubs(positives[:, side], n, ratio) for side in (0, 1)]
            codes = np.column_stack([self._generator.permutation(side) for side in sides])
        self._mend(codes)
        codes = codes[self._allowed(codes)]
        self._level(codes, positives)
        self._shift(codes, positives)
        return codes

    def _stubs(self, members: _Codes, n: int, ratio: float) -> _Codes:
        """Every object as often as it should be in negatives, n altogether."""
        degree = np.bincount(members, minlength=self._n)
        share = ratio * degree
        times = np.floor(share).astype(np.int64)
        rest = share - times + self._generator.random(len(share)) * (degree > 0)
        times[np.argsort(-rest, kind="stable")[: max(n - int(times.sum()), 0)]] += 1
        return np.repeat(np.arange(self._n), times)[:n]

    def _exchanged(self, codes: _Codes, one: _Codes, two: _Codes) -> _Codes:
        """Pairs (a, d) and (c, b) of pairs (a, b) and (c, d), one below the other."""
        a, b, c, d = *codes[one].T, *codes[two].T
        return np.concatenate([np.column_stack([a, d]), np.column_stack([c, b])])

    def _accept(self, codes: _Codes, one: _Codes, two: _Codes, new: _Codes) -> NDArray[np.bool_]:
        """Which exchanges give two pairs that are allowed, and that neither is there already."""
        keys, there = self._keys(new), np.sort(self._keys(codes))
        at = np.minimum(np.searchsorted(there, keys), len(there) - 1)
        _, first, times = np.unique(keys, return_inverse=True, return_counts=True)
        good = self._free(new) & (there[at] != keys) & (times[first.reshape(-1)] == 1)
        return good[: len(one)] & good[len(one) :]

    def _mend(self, codes: _Codes) -> None:
        """Let pairs that are not allowed exchange members with others, in place."""
        for _ in range(_ROUNDS):
            bad = np.flatnonzero(~self._allowed(codes))
            if not len(bad) or len(codes) < 2:
                return
            if self._one_kind:  # either member may go
                flip = bad[self._generator.random(len(bad)) < 0.5]
                codes[flip] = codes[flip, ::-1]
            others = np.setdiff1d(self._generator.permutation(len(codes))[: 2 * len(bad) + 8], bad)
            others = self._generator.permutation(others)
            m = min(len(bad), len(others))
            one, two = self._generator.permutation(bad)[:m], others[:m]
            self._apply(codes, one, two, np.ones(m, dtype=bool))

    def _apply(
        self, codes: _Codes, one: _Codes, two: _Codes, wanted: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Make those of the exchanges that are wanted and possible; gives which."""
        new = self._exchanged(codes, one, two)
        done = wanted & self._accept(codes, one, two, new)
        codes[one[done]] = new[: len(one)][done]
        codes[two[done]] = new[len(one) :][done]
        return done

    def _level(self, codes: _Codes, positives: _Codes) -> None:
        """Exchange members until positives do not rank above or below negatives, in place."""
        if len(codes) < 2:
            return
        products = Products(positives, codes, self._n)
        best, least = codes.copy() if len(codes) <= _FEW else codes, np.inf
        half, n_rounds = len(codes) // 2, _ROUNDS if len(codes) > _FEW else _MANY_ROUNDS
        for _ in range(n_rounds):
            place = products.place(codes)
            off = float(place.sum())
            if abs(off) < least - 1e-9:
                least = abs(off)
                if best is not codes:
                    best[:] = codes
            if least <= _CLOSE * len(codes):
                break
            order = self._generator.permutation(len(codes))
            one, two = order[:half], order[half : 2 * half]
            if self._one_kind:  # either member may go
                flip = one[self._generator.random(half) < 0.5]
                codes[flip] = codes[flip, ::-1]
            new = self._exchanged(codes, one, two)
            moved = products.place(new)
            change = moved[:half] + moved[half:] - place[one] - place[two]
            possible = self._accept(codes, one, two, new)
            wanted = possible & (change * off < -1e-12)
            wanted &= np.cumsum(np.where(wanted, np.abs(change), 0.0)) <= abs(off)
            if not wanted.any() and len(codes) <= _FEW and possible.any():
                # The nearest single exchange, or any one to leave what no single one improves.
                near = np.where(possible, np.abs(off + change), np.inf)
                better = near.min() < abs(off) - 1e-9
                chosen = near.argmin() if better else self._generator.choice(possible.nonzero()[0])
                wanted[chosen] = True
            codes[one[wanted]], codes[two[wanted]] = new[:half][wanted], new[half:][wanted]
        codes[:] = best

    def _shift(self, codes: _Codes, positives: _Codes) -> None:
        """Replace single members where exchanges were not enough, in place.

        An object that has a negative keeps one, and as many as its share but for one or a tenth.
        """
        share = degrees(codes, self._n)
        objects = self._objects(positives)
        for _ in range(_SHIFTS if 1 < len(codes) <= _FEW else 0):
            off = abs(Products(positives, codes, self._n).auc(codes) - 0.5)
            degree = degrees(codes, self._n)
            trials: list[tuple[float, int, _Codes]] = []
            for _ in range(_TRIALS if off > _FAR / 2 else 0):
                row, side = self._generator.integers(len(codes)), self._generator.integers(2)
                old, new = codes[row, side], self._generator.choice(objects[side])
                spare = np.maximum(1, 0.1 * share)
                if degree[old] - 1 < max(1, share[old] - spare[old]):
                    continue
                if degree[new] + 1 > share[new] + spare[new]:
                    continue
                changed = codes.copy()
                changed[row, side] = new
                if self._allowed(changed).all():
                    away = abs(Products(positives, changed, self._n).auc(changed) - 0.5)
                    trials.append((away, len(trials), changed))
            if not trials or min(trials)[0] >= off:
                return
            codes[:] = min(trials)[2]
