"""The bars of the project for splitting, each with what this run measured.

Quality, exact sizes, speed beside the peers, identity with
``iterative-stratification``, Swiss-Prot time and memory, OptiSplit's published means.
Nothing is judged that was not measured in this run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import mean, median
from typing import Any

from benchmarks.split_run import Result

__all__ = ["LD_PEER", "LD_ROW", "PAPER", "Bar", "bars"]

DEFAULT = "anneal"
#: Highest rLD / bound of the default method, in the mean of the seeds.
QUALITY = {
    "bibtex": 1.0002,
    "delicious": 1.03,
    "wiki10_31k": 1.028,
    "swissprot_go_2014": 1.06,
}
#: Published: OptiSplit in Table 3 of Tiittanen, Holm and Törönen (2022), each value
#: from the row optimised for that measure.
PAPER = {
    "bibtex": {"rld": 0.0234, "dcp": 0.0068, "ld": 0.0003},
    "delicious": {"rld": 0.0666, "dcp": 0.0215, "ld": 0.0008},
}
IDENTITY_SEEDS = 3
LD_ROW = f"{DEFAULT}, ld"
LD_PEER = "trustcv, groups = rows"
BIG = "swissprot_go_2014"
SPEED_DATA = "delicious"

#: Results by data set and row label.
Results = Mapping[str, Mapping[str, Result]]


@dataclass(frozen=True)
class Bar:
    """One bar: what is wanted, what was measured, and whether that is enough.

    ``passed`` is None where nothing was measured.
    """

    what: str
    wanted: str
    measured: str
    passed: bool | None

    @property
    def verdict(self) -> str:
        """PASS, MISS, or a dash."""
        return {True: "PASS", False: "MISS", None: "-"}[self.passed]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"verdict": self.verdict}


def bars(results: Results) -> list[Bar]:
    """All bars that concern the data sets of this run."""
    return [
        *_quality(results),
        *_sizes(results),
        *_speed(results),
        *_identity(results),
        *_big(results),
        *_paper(results),
        *_ld(results),
    ]


def _found(results: Results, data: str, label: str) -> Result | None:
    """A result with at least one finished seed."""
    result = results.get(data, {}).get(label)
    return result if result is not None and result.rows else None


def _unmeasured(results: Results, data: str, label: str) -> str:
    result = results.get(data, {}).get(label)
    return f"not measured ({result.problem if result else 'not run'})"


def _seeds(result: Result) -> str:
    n = len(result.rows)
    return "seed 0" if n == 1 else f"seeds 0 to {n - 1}"


def _quality(results: Results) -> Iterator[Bar]:
    for data in results:
        if data not in QUALITY:
            continue
        what, wanted = f"{data}: rLD / bound, default method", f"<= {QUALITY[data]}"
        result = _found(results, data, DEFAULT)
        if result is None:
            yield Bar(what, wanted, _unmeasured(results, data, DEFAULT), None)
            continue
        ratios = result.values("rld_ratio")
        said = f"mean {mean(ratios):.4f}, worst {max(ratios):.4f} ({_seeds(result)})"
        yield Bar(what, wanted, said, mean(ratios) <= QUALITY[data])


def _sizes(results: Results) -> Iterator[Bar]:
    for data in results:
        result = _found(results, data, DEFAULT)
        if result is None:
            continue
        smallest, largest = result.values("smallest"), result.values("largest")
        worst = max(b - a for a, b in zip(smallest, largest, strict=True))
        said = f"{min(smallest)} to {max(largest)} ({_seeds(result)})"
        yield Bar(f"{data}: fold sizes, default method", "differ by <= 1", said, worst <= 1)


def _speed(results: Results) -> Iterator[Bar]:
    if SPEED_DATA not in results:
        return
    for ours, peer, least in (
        (DEFAULT, "iterative-stratification", 20),
        (DEFAULT, "optisplit (PyPI)", 200),
        ("iterative", "iterative-stratification", 20),
    ):
        what = f"{SPEED_DATA}: CPU time of {peer} / {ours}"
        a, b = _found(results, SPEED_DATA, ours), _found(results, SPEED_DATA, peer)
        if a is None or b is None:
            missing = ours if a is None else peer
            said = _unmeasured(results, SPEED_DATA, missing)
            yield Bar(what, f">= {least}", said, None)
            continue
        mine, other = median(a.values("cpu")), median(b.values("cpu"))
        said = f"{other / mine:.0f} ({other:.2f} s / {mine:.3f} s)"
        yield Bar(what, f">= {least}", said, other / mine >= least)


def _identity(results: Results) -> Iterator[Bar]:
    peer = "iterative-stratification"
    for data in results:
        a, b = _found(results, data, "iterative"), _found(results, data, peer)
        required = data in PAPER  # bibtex and delicious
        if a is None or b is None:
            if required:
                missing = "iterative" if a is None else peer
                said = _unmeasured(results, data, missing)
                yield Bar(f"{data}: folds of iterative = {peer}", "identical", said, None)
            continue
        pairs = list(zip(a.values("folds"), b.values("folds"), strict=False))[:IDENTITY_SEEDS]
        same = sum(x == y for x, y in pairs)
        said = f"{same} of {len(pairs)} seeds identical (shuffle=True)"
        yield Bar(f"{data}: folds of iterative = {peer}", "identical", said, same == len(pairs))


def _big(results: Results) -> Iterator[Bar]:
    if BIG not in results:
        return
    result = _found(results, BIG, DEFAULT)
    passes = f"{BIG}: CPU time in passes of numpy.bincount(Y.indices)"
    memory = f"{BIG}: peak memory / input arrays"
    if result is None:
        said = _unmeasured(results, BIG, DEFAULT)
        yield Bar(passes, "<= 120", said, None)
        yield Bar(memory, "<= 3", said, None)
        return
    cpu, one = median(result.values("cpu")), median(result.values("pass"))
    yield Bar(passes, "<= 120", f"{cpu / one:.0f} ({cpu:.2f} s / {one:.4f} s)", cpu / one <= 120)
    first = result.rows[0]
    arrays, added = first["arrays_mb"], first["mb"]
    total = first["with_input_mb"]
    said = (
        f"{total / arrays:.2f} with the arrays themselves, {added / arrays:.2f} on top of them "
        f"(arrays {arrays:.0f} MB)"
    )
    yield Bar(memory, "<= 3", said, total <= 3 * arrays)


def _paper(results: Results) -> Iterator[Bar]:
    for data, published in PAPER.items():
        if data not in results:
            continue
        for measure, value in published.items():
            label = f"optisplit, {measure}"
            what = f"{data}: optisplit, mean {measure.upper().replace('RLD', 'rLD')}"
            wanted = f"<= 1.1 x {value:.4f} (paper)"
            result = _found(results, data, label)
            if result is None:
                yield Bar(what, wanted, _unmeasured(results, data, label), None)
                continue
            ours = mean(result.values(measure))
            said = f"{ours:.5f}, {ours / value:.2f} x ({_seeds(result)})"
            yield Bar(what, wanted, said, ours <= 1.1 * value)


def _ld(results: Results) -> Iterator[Bar]:
    """LD when LD is what is lowered, beside the peer that has the lowest of all peers."""
    for data in results:
        what = f"{data}: LD of {LD_ROW} and of trustcv"
        ours, peer = _found(results, data, LD_ROW), _found(results, data, LD_PEER)
        if ours is None or peer is None:
            missing = LD_ROW if ours is None else LD_PEER
            yield Bar(what, "not above", _unmeasured(results, data, missing), None)
            continue
        lowest, others = ours.values("ld"), peer.values("ld")
        ranges = " and ".join(
            f"{mean(values):.7f} ({min(values):.7f} to {max(values):.7f}, {_seeds(result)})"
            for values, result in ((lowest, ours), (others, peer))
        )
        yield Bar(what, "not above", ranges, max(lowest) <= min(others))
