"""Slow and plain versions of the kernels, written from the papers and definitions."""

import itertools
import math

import numpy as np


def counts(y, folds, k):
    table = np.zeros((y.shape[1], k), dtype=int)
    for row, part in enumerate(folds):
        for c in range(y.shape[1]):
            if part >= 0 and y[row, c]:
                table[c, part] += 1
    return table


# --- measures, one formula at a time ---------------------------------------------


def ld(y, folds, k):
    n = len(y)
    values = []
    for c in range(y.shape[1]):
        size = int(y[:, c].sum())
        if size == 0:
            continue
        if size == n:
            values.append(0.0)
            continue
        d = size / n
        total = 0.0
        for j in range(k):
            inside = y[folds == j, c]
            negatives = max(len(inside) - inside.sum(), 0.5)
            total += abs(inside.sum() / negatives - d / (1 - d))
        values.append(total / k)
    return np.mean(values) if values else math.nan


def rld(y, folds, k):
    n, values = len(y), []
    for c in range(y.shape[1]):
        d = y[:, c].sum() / n
        if d == 0:
            continue
        p = [y[folds == j, c].mean() if (folds == j).any() else 0.0 for j in range(k)]
        values.append(sum(abs((d - x) / d) for x in p) / k)
    return np.mean(values) if values else math.nan


def dcp(y, folds, k):
    values = []
    for c in range(y.shape[1]):
        size = y[:, c].sum()
        if size:
            values.append(abs(max(y[folds == j, c].sum() for j in range(k)) / size - 1 / k))
    return np.mean(values) if values else math.nan


def all_divisions(size, k):
    """All ways to divide `size` members among k parts."""
    for bars in itertools.combinations(range(size + k - 1), k - 1):
        edges = (-1, *bars, size + k - 1)
        yield [edges[i + 1] - edges[i] - 1 for i in range(k)]


def least_rld(size, shares):
    k = len(shares)
    return min(
        sum(abs(c / (size * w) - 1) for c, w in zip(division, shares, strict=True)) / k
        for division in all_divisions(size, k)
    )


def least_dcp(size, shares):
    return min(
        max(c / size - w for c, w in zip(division, shares, strict=True))
        for division in all_divisions(size, len(shares))
    )


# --- OptiSplit, Algorithm 1, scores recomputed from scratch --------------------------


def optisplit_scores(y, folds, shares, measure):
    n, k = len(y), len(shares)
    table = counts(y, folds, k)
    scores = np.zeros(y.shape[1])
    for c, size in enumerate(y.sum(axis=0)):
        if size == 0:
            continue
        if measure == "rld":
            scores[c] = sum(abs(table[c, j] / (size * shares[j]) - 1) / k for j in range(k))
        elif measure == "dcp":
            scores[c] = max(table[c, j] / size - shares[j] for j in range(k))
        else:
            scores[c] = sum(
                abs(table[c, j] / max(n * shares[j] - table[c, j], 0.5) - size / max(n - size, 0.5))
                / k
                for j in range(k)
            )
    return scores


def optisplit_balance(y, folds, shares, order, A, looks=4):
    """Folds after balancing class A."""
    n, k = len(y), len(shares)
    table = counts(y, folds, k)
    sizes = np.bincount(folds, minlength=k)
    size = int(y[:, A].sum())
    wanted = [math.floor(size * w + 1e-9) for w in shares]
    filled = [sizes[j] - table[A, j] + wanted[j] - n * shares[j] for j in range(k)]
    emptiest = sorted(range(k), key=lambda j: filled[j])
    for r in range(size - sum(wanted)):
        wanted[emptiest[r % k]] += 1
    missing = [wanted[j] - table[A, j] for j in range(k)]

    def price(row, j, step):
        total = 0.0
        for c in np.flatnonzero(y[row]):
            target = y[:, c].sum() * shares[j]
            x = table[c, j] - target
            total += (abs(x + step) - abs(x)) / target
        return total

    candidates = []
    for j in range(k):
        if missing[j] < 0:
            rows = [r for r in order if folds[r] == j and y[r, A]]
            candidates += rows[: looks * -missing[j] + 8]
    position = {row: i for i, row in enumerate(order)}
    candidates.sort(key=lambda r: position[r])
    candidates = sorted(candidates, key=lambda r: price(r, folds[r], -1))
    new = folds.copy()
    moved = []
    for row in candidates:
        if missing[folds[row]] < 0:
            missing[folds[row]] += 1
            moved.append(row)
    for row in moved:
        open_parts = [j for j in range(k) if missing[j] > 0]
        to = min(open_parts, key=lambda j: price(row, j, 1))
        missing[to] -= 1
        for c in np.flatnonzero(y[row]):
            table[c, new[row]] -= 1
            table[c, to] += 1
        new[row] = to
    return new


def optisplit(y, folds, shares, order, measure, epochs):
    folds = folds.copy()
    classes = np.flatnonzero(y.sum(axis=0) > 0)
    for _ in range(epochs):
        offset, kept = 0, 0
        for _ in range(len(classes)):
            if offset >= len(classes):
                break
            scores = optisplit_scores(y, folds, shares, measure)
            worst = sorted(classes, key=lambda c: (-scores[c], c))
            tried = optisplit_balance(y, folds, shares, order, worst[offset])
            after = optisplit_scores(y, tried, shares, measure)
            if (tried != folds).any() and after.sum() - scores.sum() < -1e-12:
                folds, kept = tried, kept + 1
            else:
                offset += 1
        if kept == 0:
            break
    return folds


# --- the search behind anneal --------------------------------------------------------

MASK = 2**64 - 1


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n):
        return ((self.next() >> 32) * n) >> 32


class AnnealSearch:
    """Vectors dense, prices by the definition |count - target|, one item at a time."""

    f = np.float32

    def __init__(self, vectors, item_size, class_size, shares, base, base_sizes, low, high, noise):
        self.vectors, self.item_size = vectors, item_size
        self.class_size, self.shares = class_size, shares
        self.base, self.base_sizes, self.low, self.high = base, base_sizes, low, high
        self.noise = noise
        self.n, self.q = vectors.shape
        self.k = len(shares)
        self.w = (1.0 / class_size).astype(self.f)
        self.factor = (1.0 / (self.k * shares)).astype(self.f)
        self.log_share = np.log(self.k * shares).astype(self.f)
        self.unit = self.f(item_size.sum() / len(item_size))

    def begin(self, part, seed):
        self.part, self.rng = part, SplitMix64(seed)
        self.block = min(max(self.n // 1024, 1), 64)
        self.order = list(range(-(-self.n // self.block)))
        self.rent = np.zeros(self.k, dtype=self.f)

    def deviations(self, active):
        """Count minus target of each active class and part, from scratch."""
        x = (self.base - self.class_size[:, None] * self.shares).astype(self.f)
        for i in range(self.n):
            if self.part[i] >= 0:
                x[:, self.part[i]] += self.vectors[i].astype(self.f)
        return x[:active]

    def sizes(self):
        sizes = self.base_sizes.copy()
        for i in range(self.n):
            if self.part[i] >= 0:
                sizes[self.part[i]] += self.item_size[i]
        return sizes

    def greedy(self, order):
        self.part[:] = -1
        for i in order:
            x, sizes = self.deviations(self.q), self.sizes()
            price = np.zeros(self.k, dtype=self.f)
            for c in np.flatnonzero(self.vectors[i]):
                v = self.f(self.vectors[i, c])
                price += self.w[c] * v * (x[c] + self.f(0.5) * v)
            best, least = -1, None
            for respect in (True, False):
                for j in range(self.k):
                    if respect and sizes[j] + self.item_size[i] > self.high[j]:
                        continue
                    wanted = self.f(0.5) * self.f(self.low[j] + self.high[j])
                    fill = (self.f(sizes[j]) - wanted) / max(wanted, self.f(1))
                    value = fill
                    if respect:
                        value = self.factor[j] * price[j] + fill * self.f(self.item_size[i])
                    if best < 0 or value < least:
                        best, least = j, value
                if best >= 0:
                    break
            self.part[i] = best

    def misfit(self, j, size):
        items = self.f(max(0, size - self.high[j], self.low[j] - size)) / self.unit
        return items + items * items * self.f(0.3)

    def visited(self):
        """Items in the order of a visit: blocks of neighbours, shuffled anew."""
        for i in range(len(self.order) - 1, 0, -1):
            r = self.rng.below(i + 1)
            self.order[i], self.order[r] = self.order[r], self.order[i]
        for block in self.order:
            yield from range(block * self.block, min(self.n, (block + 1) * self.block))

    def prices(self, x, i):
        """What it costs to add the item to each part, and to take it out of its own."""
        a = self.part[i]
        join, leave = np.zeros(self.k, dtype=self.f), self.f(0)
        for c in np.flatnonzero(self.vectors[i][: len(x)]):
            v = self.f(self.vectors[i, c])
            join += self.w[c] * (np.abs(x[c] + v) - np.abs(x[c]))
            leave += self.w[c] * (np.abs(x[c, a] - v) - np.abs(x[c, a]))
        return self.factor * join, self.factor[a] * leave

    def move(self, x, i, to):
        vector = self.vectors[i][: len(x)].astype(self.f)
        x[:, self.part[i]] -= vector
        x[:, to] += vector
        self.part[i] = to

    def sweep(self, temperature, size_weight, active):
        temperature, size_weight = self.f(temperature), self.f(size_weight)
        moves = 0
        x, sizes = self.deviations(active), self.sizes()
        for i in self.visited():
            a = self.part[i]
            join, leave = self.prices(x, i)
            s = self.item_size[i]
            change = self.misfit(a, sizes[a] - s) - self.misfit(a, sizes[a])
            leave += size_weight * change - self.rent[a] * self.f(s)
            draws = iter(self.draws())
            best = a
            least = (
                self.f(-1e-7)
                if temperature == 0
                else -(temperature * (next(draws) + self.log_share[a]))
            )
            for j in range(self.k):
                if j == a:
                    continue
                change = self.misfit(j, sizes[j] + s) - self.misfit(j, sizes[j])
                value = join[j] + leave + size_weight * change + self.rent[j] * self.f(s)
                if temperature > 0:
                    value = value - temperature * (next(draws) + self.log_share[j])
                if value < least:
                    best, least = j, value
            if best != a:
                self.move(x, i, best)
                sizes[a] -= s
                sizes[best] += s
                moves += 1
        for j in range(self.k):
            off = max(0, sizes[j] - self.high[j]) - max(0, self.low[j] - sizes[j])
            items = self.f(off) / self.unit
            self.rent[j] += self.f(0.03) * temperature * items / self.unit
        return moves

    def cost(self):
        """Sum over classes and parts of |count - target| · factor / size, in full precision."""
        x = self.base - self.class_size[:, None] * self.shares
        for i in range(self.n):
            x[:, self.part[i]] += self.vectors[i]
        return float((np.abs(x) / (self.k * self.shares) / self.class_size[:, None]).sum())

    def exchange(self, partners):
        x = self.deviations(self.q)
        waiting = {}
        exchanges = 0

        def tried(i, to, gone, other):
            a = self.part[i]
            if self.part[other] != to:
                return False
            self.move(x, i, to)
            join, leave = self.prices(x, other)
            if gone + leave + join[a] < self.f(-1e-7):
                self.move(x, other, a)
                return True
            self.move(x, i, a)
            return False

        for i in self.visited():
            a = self.part[i]
            join, leave = self.prices(x, i)
            sums = {
                j: leave + join[j] + waiting[j, a][0]
                for j in range(self.k)
                if j != a and (j, a) in waiting
            }
            best = min(sums, key=sums.get, default=None)
            done = False
            if best is not None and sums[best] < self.f(-1e-7):
                other = waiting.pop((best, a))[1]
                done = tried(i, best, leave + join[best], other)
            for _ in range(partners):
                if done:
                    break
                other = self.rng.below(self.n)
                to = self.part[other]
                done = bool(to != a and tried(i, to, leave + join[to], other))
            exchanges += done
            for j in range(self.k):
                price = leave + join[j]
                if not done and j != a and price < waiting.get((a, j), (np.inf,))[0]:
                    waiting[a, j] = (price, i)
        return exchanges

    def draws(self):
        while True:
            bits = self.rng.next()
            for _ in range(5):
                yield self.noise[bits & 4095]
                bits >>= 12
