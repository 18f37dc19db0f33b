"""What Section 5 of the object-level cross-validation paper says of means, variances and K."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.table import Table
from trueval.pairs import DeviationStudy
from trueval.show._vega._study import lines_figure
from trueval.study import _published_001 as published
from trueval.study._cells import Done, Outcome
from trueval.study._pair_deviations import SCHEMES, WAYS, K, data_notes, studies_of, study, work
from trueval.study._tables import columns_of

__all__ = ["STUDIES"]

_ORDER = 5.0  # "approximately an order of magnitude" is read as at least five times


class _Moments:
    """Moments of a study as arrays by way and K."""

    def __init__(self, of: DeviationStudy) -> None:
        self.at = of.values.index(K)
        self.truths = np.nanmean(of.truths, axis=0)
        names = ("mean", "variance", "second_moment")
        self.by = {
            (name, scheme): np.array(
                [[of.moment(name, scheme, way, k) for k in of.values] for way in WAYS.values()]
            )
            for name in names
            for scheme in SCHEMES
        }

    def __getitem__(self, key: tuple[str, str]) -> NDArray[np.float64]:
        return self.by[key]

    def trend(self, name: str, scheme: str) -> NDArray[np.float64]:
        """From the smallest K to the largest, mean over ways."""
        return np.asarray(self[name, scheme][:, [0, -1]].mean(axis=0))


_Answer = tuple[bool, str]


def _count(cases: Any) -> _Answer:
    """Whether all cases hold, and how many."""
    array = np.asarray(cases)
    return bool(array.all()), f"{int(array.sum())} of {array.size}"


def _change(ends: NDArray[np.float64], rises: bool) -> _Answer:
    return bool((ends[1] > ends[0]) == rises), f"{ends[0]:.4f} to {ends[1]:.4f}"


def _times(larger: NDArray[np.float64], smaller: NDArray[np.float64]) -> _Answer:
    ratio = float(np.median(np.abs(larger) / np.abs(smaller)))
    return ratio >= _ORDER, f"{ratio:.1f} times"


def _ordered(m: _Moments) -> _Answer:
    """A-10x above P-10x above LTO, under either scheme."""
    columns = [m["variance", scheme][:, m.at] for scheme in SCHEMES]
    return _count([np.diff(column) < 0 for column in columns])


def _pooled(m: _Moments) -> _Answer:
    means = [np.abs(m["mean", scheme][:2, m.at]) for scheme in SCHEMES]
    return _count([mean[1] > mean[0] for mean in means])


def _peak(m: _Moments) -> _Answer:
    best = int(np.argmax(m.truths))
    return 0 < best < len(m.truths) - 1, f"highest at K = {10 * (best + 1)}"


def _crossing(m: _Moments) -> _Answer:
    worse = m["second_moment", "strict"] > m["second_moment", "relaxed"]
    return bool(worse.any()), f"{int(worse.any(axis=1).sum())} of {len(worse)} ways"


# Each statement, the sets of which the paper says it does not hold, and how it is asked.
_STATEMENTS: dict[str, tuple[tuple[str, ...], Callable[[_Moments], _Answer]]] = {
    "relaxed means are positive": ((), lambda m: _count(m["mean", "relaxed"] > 0)),
    "strict means are negative": ((), lambda m: _count(m["mean", "strict"] < 0)),
    "strict variances are higher": (
        (),
        lambda m: _count(m["variance", "strict"] > m["variance", "relaxed"]),
    ),
    "relaxed means fall with K": ((), lambda m: _change(m.trend("mean", "relaxed"), False)),
    "strict means fall with K": ((), lambda m: _change(m.trend("mean", "strict"), False)),
    "the fall is smaller in the strict scheme": (
        (),
        lambda m: (
            bool(np.ptp(m.trend("mean", "strict")) < np.ptp(m.trend("mean", "relaxed"))),
            f"{np.ptp(m.trend('mean', 'strict')):.4f}, {np.ptp(m.trend('mean', 'relaxed')):.4f}",
        ),
    ),
    "relaxed variances fall with K": ((), lambda m: _change(m.trend("variance", "relaxed"), False)),
    "strict variances rise with K": ((), lambda m: _change(m.trend("variance", "strict"), True)),
    "the AUC on new objects peaks inside the range of K": (("MF", "BP"), _peak),
    "strict means are an order of magnitude smaller": (
        ("BP",),
        lambda m: _times(m["mean", "relaxed"][:, m.at], m["mean", "strict"][:, m.at]),
    ),
    "strict second moments are an order of magnitude smaller": (
        ("BP",),
        lambda m: _times(
            m["second_moment", "relaxed"][:, m.at], m["second_moment", "strict"][:, m.at]
        ),
    ),
    "pooled means are larger than averaged ones": ((), _pooled),
    "variances: A-10x above P-10x above LTO": (("Union", "CC"), _ordered),
    "second moments of the schemes cross": (("Union", "MF", "CC"), _crossing),
}


def trends(done: Sequence[Done]) -> Outcome:
    studies = studies_of(done)
    lines = []
    for (domain, reading), of in studies.items():
        moments = _Moments(of)
        for statement, (fails, ask) in _STATEMENTS.items():
            holds, values = ask(moments)
            line = {"statement": statement, "data": domain, "reading": reading}
            line["holds"] = "yes" if holds else "no"
            in_paper = domain in published.GENERALIZATION
            line["holds paper"] = ("no" if domain in fails else "yes") if in_paper else "–"
            lines.append(line | {"values": values})
    agree = {key: [ln for ln in lines if (ln["data"], ln["reading"]) == key] for key in studies}
    notes = [
        f"{domain}, {reading}: {sum(ln['holds'] == ln['holds paper'] for ln in of_set)} of "
        f"{len(of_set)} as in the paper; not: "
        + (
            ", ".join(ln["statement"] for ln in of_set if ln["holds"] != ln["holds paper"])
            or "none"
        )
        + "."
        for (domain, reading), of_set in agree.items()
        if domain in published.GENERALIZATION
    ]
    notes += [
        "Read of the text: the order of variances is that of Table 2 (equal counts as not "
        "above); an order of magnitude is at least five times; trends compare K = 10 with "
        "K = 100, mean over the three ways. No test of significance is made.",
        *data_notes(studies)[:2],
    ]
    rows = _figure_rows(studies)
    figure = lines_figure(
        rows, "K", "value", colour="data", dash="scheme", panel="moment",
        title="Mean and variance of the deviation, leave-two-out",
    )  # fmt: skip
    return Outcome(Table(columns_of(lines)), figure, notes)


def _figure_rows(studies: Mapping[tuple[str, str], DeviationStudy]) -> list[dict[str, Any]]:
    return [
        {"K": k, "value": of.moment(moment, scheme, WAYS["LTO"], k), "moment": moment,
         "scheme": scheme, "data": f"{domain}, {reading}"}
        for moment in ("mean", "variance")
        for (domain, reading), of in studies.items()
        for scheme in SCHEMES
        for k in of.values
    ]  # fmt: skip


STUDIES = (
    study(
        name="001-trends",
        title="What the paper says of means, variances and K, statement by statement",
        about="The same repeats as 001-table1. Section 5 of the paper, each sentence as yes or no.",
        work=work,
        conclude=trends,
    ),
)
