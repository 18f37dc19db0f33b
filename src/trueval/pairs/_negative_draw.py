"""Draw the negatives of one part: by degree, uniformly, or with the objects of positives.

By degree, stubs of objects are joined at random, pairs that are not allowed exchange their
members with others, and further exchanges, which keep every degree, move the products of degrees
until positives rank as high as negatives. In small parts single members are replaced at last.
"""

import numpy as np

from trueval.pairs._degree_products import Products, degrees
from trueval.pairs._exchanges import Codes, Exchanges, KeyCounts, distinct

__all__ = ["FAR", "NegativeDraw"]

FAR = 0.02  # distance of the AUC of degrees from one half that is told
_ROUNDS = 200  # of mending and of exchanges at most
_FEW, _MANY_ROUNDS = 2000, 1000  # negatives that are searched longer
_CLOSE = 0.002  # distance of the AUC that is good enough
_SHIFTS, _TRIALS = 40, 100  # single members replaced, and tried for each
_LARGE = 1_000_000  # numbers of which some are drawn without shuffling all


class NegativeDraw(Exchanges):
    """Negatives of one part after the other."""

    def negatives(self, positives: Codes, n: int, ratio: float, strategy: str) -> Codes:
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
            drawn = drawn[self.allowed(drawn)][:n]
        return drawn

    def scarcest(self, positives: Codes) -> tuple[int, int, int]:
        """The object with the fewest pairs left for each positive, its positives, its pairs."""
        sides = self._objects(positives)
        inside = np.zeros((2, self._n), dtype=bool)
        for side, objects in enumerate(sides):
            inside[side, objects] = True
        a, b = np.divmod(self._forbidden, self._n)
        between = (inside[0][a] & inside[1][b]) | (inside[1][a] & inside[0][b])
        a, b = a[between & (a != b)], b[between & (a != b)]
        taken = np.bincount(a, minlength=self._n) + np.bincount(b, minlength=self._n)
        left = np.where(inside[0], len(sides[1]), len(sides[0])) - self._one_kind - taken
        degree = degrees(positives, self._n)
        share = np.where(degree > 0, left / np.maximum(degree, 1), np.inf)
        scarce = int(np.argmin(share))
        return scarce, int(degree[scarce]), int(left[scarce])

    def _objects(self, positives: Codes) -> tuple[Codes, Codes]:
        if self._one_kind:
            objects = distinct(positives.ravel())
            return objects, objects
        return distinct(positives[:, 0]), distinct(positives[:, 1])

    def _by_degree(self, positives: Codes, n: int, ratio: float) -> Codes:
        if self._one_kind:
            stubs = self._generator.permutation(self._stubs(positives.ravel(), 2 * n, ratio))
            codes = stubs.reshape(-1, 2)
        else:
            sides = [self._stubs(positives[:, side], n, ratio) for side in (0, 1)]
            codes = np.column_stack([self._generator.permutation(side) for side in sides])
        self._mend(codes)
        codes = codes[self.allowed(codes)]
        self._level(codes, positives)
        self._shift(codes, positives)
        return codes

    def _stubs(self, members: Codes, n: int, ratio: float) -> Codes:
        """Every object as often as it should be in negatives, n altogether."""
        degree = np.bincount(members, minlength=self._n)
        share = ratio * degree
        times = np.floor(share).astype(np.int64)
        rest = share - times + self._generator.random(len(share)) * (degree > 0)
        times[np.argsort(-rest, kind="stable")[: max(n - int(times.sum()), 0)]] += 1
        return np.repeat(np.arange(self._n), times)[:n]

    def _mend(self, codes: Codes) -> None:
        """Let pairs that are not allowed exchange members with others, in place."""
        bad, there = np.flatnonzero(~self.allowed(codes)), KeyCounts(self.keys(codes))
        for _ in range(_ROUNDS):
            if not len(bad) or len(codes) < 2:
                return
            if self._one_kind:  # either member may go
                flip = bad[self._generator.random(len(bad)) < 0.5]
                codes[flip] = codes[flip, ::-1]
            others = np.setdiff1d(self._some(len(codes), 2 * len(bad) + 8), bad)
            others = self._generator.permutation(others)
            m = min(len(bad), len(others))
            one, two = self._generator.permutation(bad)[:m], others[:m]
            self.apply(codes, one, two, np.ones(m, dtype=bool), there)
            bad = self._still_bad(codes, bad, there)

    def _some(self, n: int, m: int) -> Codes:
        """At most m different numbers below n, in random order."""
        if n <= _LARGE:
            return self._generator.permutation(n)[:m]
        return self._generator.choice(n, min(m, n), replace=False)

    def _still_bad(self, codes: Codes, bad: Codes, there: KeyCounts) -> Codes:
        """Those of the pairs that were not allowed (rising numbers) that are not allowed now.

        Exchanges give allowed pairs only, so none of the others becomes bad. A pair that was bad
        is allowed if no other than bad ones has its key, and it is the first of these.
        """
        keys = self.keys(codes[bad])
        _, at, of_key, times = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        first = np.zeros(len(bad), dtype=bool)
        first[at] = True
        alone = there.count(keys) == times[of_key.reshape(-1)]
        return bad[~(first & alone & self.free(codes[bad]))]

    def _level(self, codes: Codes, positives: Codes) -> None:
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
            new = self.exchanged(codes, one, two)
            moved = products.place(new)
            change = moved[:half] + moved[half:] - place[one] - place[two]
            possible = self.accept(new, KeyCounts(self.keys(codes)))
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

    def _shift(self, codes: Codes, positives: Codes) -> None:
        """Replace single members where exchanges were not enough, in place.

        An object that has a negative keeps one, and as many as its share but for one or a tenth.
        """
        if not 1 < len(codes) <= _FEW:
            return
        share = degrees(codes, self._n)
        objects = self._objects(positives)
        for _ in range(_SHIFTS):
            off = abs(Products(positives, codes, self._n).auc(codes) - 0.5)
            degree = degrees(codes, self._n)
            trials: list[tuple[float, int, Codes]] = []
            for _ in range(_TRIALS if off > FAR / 2 else 0):
                row, side = self._generator.integers(len(codes)), self._generator.integers(2)
                old, new = codes[row, side], self._generator.choice(objects[side])
                spare = np.maximum(1, 0.1 * share)
                if degree[old] - 1 < max(1, share[old] - spare[old]):
                    continue
                if degree[new] + 1 > share[new] + spare[new]:
                    continue
                changed = codes.copy()
                changed[row, side] = new
                if self.allowed(changed).all():
                    away = abs(Products(positives, changed, self._n).auc(changed) - 0.5)
                    trials.append((away, len(trials), changed))
            if not trials or min(trials)[0] >= off:
                return
            codes[:] = min(trials)[2]
