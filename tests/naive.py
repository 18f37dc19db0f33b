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


def rld_by_positives(size, shares, part):
    """Least rLD of a class with 0, 1, … positives in one part."""
    least = [math.inf] * (size + 1)
    for division in all_divisions(size, len(shares)):
        costs = [abs(c / (size * w) - 1) for c, w in zip(division, shares, strict=True)]
        least[division[part]] = min(least[division[part]], sum(costs) / len(shares))
    return least


def least_group_cost(groups, brought, room, shares):
    """Least cost of a class in whole groups (positives, rows), where the largest is in one part.

    Every part takes a sum of some of the other groups, whatever the others take.
    """
    size = sum(brought) + sum(positives for positives, _ in groups)
    rest, k = size - sum(brought), len(shares)
    order = sorted(range(len(groups)), key=lambda g: -groups[g][0])

    def sums(j, first):
        fit = [groups[g][0] for g in order[1:] if groups[g][1] <= room[j]]
        taken = [sum(s) for n in range(len(fit) + 1) for s in itertools.combinations(fit, n)]
        return {first + total for total in taken if first + total <= min(rest, room[j])}

    best = math.inf
    for part in range(k) if groups else [None]:
        if part is not None and groups[order[0]][1] > room[part]:
            continue
        options = [sums(j, groups[order[0]][0] if j == part else 0) for j in range(k)]
        for taken in itertools.product(*options):
            if sum(taken) == rest:
                counts = [b + t for b, t in zip(brought, taken, strict=True)]
                cost = [abs(c / (size * w) - 1) / k for c, w in zip(counts, shares, strict=True)]
                best = min(best, sum(cost))
    return best


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
    """The search on dense vectors: costs by the definition, counts from scratch.

    ``slope``, ``dip``, ``whole`` and ``bend`` are (classes, parts). Groups have floats where
    single rows have integers.
    """

    f = np.float32

    def __init__(self, vectors, item_size, groups, costs, weight, factor, log_share, reach, base,
                 base_sizes, low, high, noise):  # fmt: skip
        self.vectors, self.item_size, self.groups = vectors, item_size, groups
        self.slope, self.dip, self.whole, self.bend, self.fraction = costs
        self.weight, self.factor = weight.astype(self.f), factor.astype(self.f)
        self.log_share, self.reach = log_share, reach
        self.base, self.base_sizes, self.low, self.high = base, base_sizes, low, high
        self.noise = noise
        self.n, self.q = vectors.shape
        self.k = len(factor)
        self.strict = -1.0 if groups else 0
        by_part = bool((self.slope != self.slope[:, :1]).any())
        self.packs = -(-self.k // 4) if groups else -(-(self.k + (0 if by_part else 2)) // 8)

    def begin(self, part, seed, by_part):
        self.packs = -(-self.k // 4) if self.groups else -(-(self.k + 2 * (not by_part)) // 8)
        self.part, self.rng = part, SplitMix64(seed)
        self.block = min(max(self.n // 1024, 1), 64)
        self.order = list(range(-(-self.n // self.block)))
        self.rent = [0.0] * self.k
        self.wait = [0] * self.n

    def counts(self):
        """Members of each class in each part, without items that have none."""
        table = self.base.astype(int).copy()
        for i in range(self.n):
            if self.part[i] >= 0:
                table[:, self.part[i]] += self.vectors[i]
        return table

    def sizes(self):
        sizes = self.base_sizes.copy()
        for i in range(self.n):
            if self.part[i] >= 0:
                sizes[self.part[i]] += self.item_size[i]
        return sizes

    def cost(self, c, j, n):
        d = int(n) - int(self.whole[c, j])
        value = int(self.slope[c, j]) * abs(d) - (int(self.dip[c, j]) if d > 0 else 0)
        return value + self.bend[c, j] * d * d if self.groups else value

    def costs(self):
        table = self.counts()
        return [
            sum(math.trunc(self.cost(c, j, table[c, j])) for j in range(self.k))
            for c in range(self.q)
        ]

    def prices(self, table, i, active):
        """What it costs to have the item in each part, once it is taken out of its own."""
        table = table.copy()
        table[:, self.part[i]] -= self.vectors[i]
        found = []
        for j in range(self.k):
            total = 0
            for c in np.flatnonzero(self.vectors[i][:active]):
                n, v = int(table[c, j]), int(self.vectors[i, c])
                total += self.cost(c, j, n + v) - self.cost(c, j, n)
            found.append(total)
        return found

    def greedy(self, queue):
        for i in queue:
            if self.part[i] >= 0:
                continue
            table, sizes = self.counts(), self.sizes()
            price = np.zeros(self.k, dtype=self.f)
            for c in np.flatnonzero(self.vectors[i]):
                v = self.f(self.vectors[i, c])
                x = (table[c] - self.whole[c]).astype(self.f) - self.fraction[c].astype(self.f)
                price += self.weight[c] * v * (x + self.f(0.5) * v)
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

    def visited(self):
        """Items in the order of a visit, a block of neighbours at a time, shuffled anew."""
        for i in range(len(self.order) - 1, 0, -1):
            r = self.rng.below(i + 1)
            self.order[i], self.order[r] = self.order[r], self.order[i]
        for block in self.order:
            yield range(block * self.block, min(self.n, (block + 1) * self.block))

    def misfit(self, j, size):
        rows = float(max(0, size - self.high[j], self.low[j] - size))
        return rows + rows * rows * 0.3

    def size_price(self, j, size, rows, size_weight):
        """Price of one row more or less; the size of groups is a class like others."""
        if self.groups:
            return 0
        change = size_weight * (self.misfit(j, size + rows) - self.misfit(j, size))
        change += self.rent[j] if rows > 0 else -self.rent[j]
        return math.floor(min(max(change, -(2.0**28)), 2.0**28))

    def anneal(self, temperature, size_weight, work):
        active = int((self.reach >= temperature / 16).sum())
        done = 0
        while done < work:
            for block in self.visited():
                due = [i for i in block if self.wait[i] == 0]
                for i in block:
                    self.wait[i] -= self.wait[i] > 0
                for i in due:
                    done += self.visit(i, temperature, size_weight, active)
            sizes = self.sizes()
            for j in range(self.k if not self.groups else 0):
                over, under = max(0, sizes[j] - self.high[j]), max(0, self.low[j] - sizes[j])
                self.rent[j] += 0.03 * temperature * float(over - under)
        return done

    def values(self, i, size_weight, active):
        """Price of moving the item to each part, its own included."""
        a, sizes = self.part[i], self.sizes()
        price = self.prices(self.counts(), i, active)
        stay = price[a] - self.size_price(a, sizes[a], -1, size_weight)
        return [
            price[j] + (self.size_price(j, sizes[j], 1, size_weight) - stay) for j in range(self.k)
        ]

    def visit(self, i, temperature, size_weight, active):
        """One visit at a temperature above 0; returns the work it took."""
        a, labels = self.part[i], int(np.count_nonzero(self.vectors[i][:active]))
        work = (labels + 12) * self.packs
        value = self.values(i, size_weight, active)
        least = min(value[j] for j in range(self.k) if j != a)
        for limit, sweeps in ((-math.inf, 0), (6, 1), (9, 3), (12, 7)):
            if least >= math.trunc(limit * temperature) if limit > 0 else True:
                self.wait[i] = sweeps
        if labels == 0:
            self.wait[i] = 3
        noise = [math.floor(temperature * float(x) / 65536) for x in self.noise]
        bias = [math.floor(temperature * x) for x in self.log_share]
        if least > noise[-1] - noise[0] + max(0, *bias) - min(0, *bias):
            return work
        work += 3 * self.k
        draws = self.draws(noise)
        drawn = {a: -(next(draws) + bias[a])}
        for j in range(self.k):
            if j != a:
                drawn[j] = value[j] - (next(draws) + bias[j])
        best = min(drawn, key=lambda j: (drawn[j], j != a))
        if best != a:
            work += labels + 8
            self.part[i] = best
        return work

    def improve(self, size_weight):
        moves = 0
        for block in self.visited():
            for i in block:
                a = self.part[i]
                value = self.values(i, size_weight, self.q)
                best = min((j for j in range(self.k) if j != a), key=lambda j: value[j])
                if value[best] < self.strict:
                    self.part[i] = best
                    moves += 1
        return moves

    def draws(self, noise):
        while True:
            bits = self.rng.next()
            for _ in range(6):
                yield noise[bits & 1023]
                bits >>= 10

    def own(self, i):
        """Price of moving the item to each part, classes alone."""
        price = self.prices(self.counts(), i, self.q)
        return [p - price[self.part[i]] for p in price]

    def tried(self, i, to, gone, other):
        a = self.part[i]
        if self.part[other] != to:
            return False
        self.part[i] = to
        if gone + self.own(other)[a] < self.strict:
            self.part[other] = a
            return True
        self.part[i] = a
        return False

    def exchange(self, partners):
        waiting = {}
        exchanges = 0
        for block in self.visited():
            for i in block:
                a, own = self.part[i], self.own(i)
                sums = {j: own[j] + waiting[j, a][0] for j in range(self.k) if (j, a) in waiting}
                best = min(sums, key=sums.get, default=None)
                done = False
                if best is not None and sums[best] < self.strict:
                    done = self.tried(i, best, own[best], waiting.pop((best, a))[1])
                for _ in range(partners):
                    if done:
                        break
                    other = self.rng.below(self.n)
                    to = self.part[other]
                    done = bool(to != a and self.tried(i, to, own[to], other))
                exchanges += done
                for j in range(self.k):
                    if not done and j != a and own[j] < waiting.get((a, j), (math.inf,))[0]:
                        waiting[a, j] = (own[j], i)
        return exchanges

    def exchange_all(self):
        exchanges = 0
        for block in self.visited():
            for i in block:
                for other in range(self.n):
                    to = self.part[other]
                    if to != self.part[i]:
                        exchanges += self.tried(i, to, self.own(i)[to], other)
        return exchanges

    def mend(self, work, reward):
        """Exchanges for one broken class after the other; work is counted as by the kernel."""
        self.left, exchanges, before = work, 0, -1
        pairs = [(a, b) for a in range(self.k) for b in range(self.k) if a != b]
        while exchanges > before and self.left > 0:
            before = exchanges
            self.left -= self.q * self.k // 4
            broken = [c for c in range(self.q) if any(self.gains(c, *pair) for pair in pairs)]
            for x, c in enumerate(broken):
                if self.left <= 0:
                    break
                least = self.left - self.left // (len(broken) - x)
                for a, b in pairs:
                    while self.left > least and self.gains(c, a, b) and self.mended(c, a, b):
                        exchanges += 1
                        self.left += reward
        return exchanges

    def gains(self, c, a, b):
        """Whether a class costs less with one member in part b rather than in a."""
        n = self.counts()[c]
        less = self.cost(c, a, n[a]) - self.cost(c, a, n[a] - 1)
        return self.cost(c, b, n[b] + 1) - self.cost(c, b, n[b]) < less

    def mended(self, c, a, b):
        """The first exchange that gains among the 16 cheapest rows of each kind."""

        def cheapest(has, a, b):
            rows = [i for i in range(self.n) if self.part[i] == a and self.vectors[i, c] == has]
            return sorted((self.seen(i, b), i) for i in rows)[:16]

        going, coming = cheapest(1, a, b), cheapest(0, b, a)
        for price, i in going:
            self.part[i] = b
            for _, other in coming:
                if price + self.seen(other, a) < 0:
                    self.part[other] = a
                    return True
            self.part[i] = a
        return False

    def seen(self, i, to):
        """Price of a move, which takes work."""
        self.left -= 8 * int(np.count_nonzero(self.vectors[i])) + 24
        return self.own(i)[to]


def unit_moments(unit, hit, weight, positives, end):
    """Hits, calls and sums of their products over units among the first ``end`` pairs."""
    weight = [1.0] * len(unit) if weight is None else weight
    first = range(end)
    units = range(len(positives))
    calls = [sum(weight[i] for i in first if unit[i] == u) for u in units]
    hits = [sum(weight[i] for i in first if unit[i] == u and hit[i]) for u in units]

    def products(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True))

    return [
        sum(hits),
        sum(calls),
        products(hits, hits),
        products(hits, calls),
        products(calls, calls),
        products(hits, positives),
        products(calls, positives),
        sum(weight[i] ** 2 for i in first),
    ]
