"""The front of the report: what was evaluated, verdicts, key figures and next steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from trueval.pairs._settings import BASELINE
from trueval.show._numbers import count, number, percent
from trueval.show._rank_verdicts import target_name
from trueval.show._summary import Fact, Summary

__all__ = [
    "LEVEL_WORDS",
    "Front",
    "Result",
    "front",
    "pairs_about",
    "pairs_headline",
    "rank_about",
    "rank_headline",
    "split_about",
    "split_headline",
]

Data = Mapping[str, Any]

MOST_VERDICTS = 3
MOST_FILES = 4
#: Precision at which recall is shown where nobody asked for another.
USUAL_PRECISION = 0.9
#: What the colours mean.
LEVEL_WORDS = {"good": "Good", "fair": "Caution", "poor": "Problem"}
_ORDER = {"poor": 0, "fair": 1, "good": 2}


@dataclass(frozen=True)
class Result:
    """One result on the page: its place and heading, and what is known of it."""

    key: str
    title: str
    about: str
    summary: Summary
    headline: Fact | None
    provenance: Data


@dataclass(frozen=True)
class Front:
    """What a reader with one minute sees."""

    about: list[tuple[str, list[str]]]  # what was evaluated, on which files, when
    verdicts: list[Result]  # those of the worst level if there are many, in the order of the page
    left_out: int  # verdicts that are only further down
    figures: list[Fact]
    steps: list[tuple[str, str]]  # place on the page, and what to do, the most urgent first


def front(results: Sequence[Result]) -> Front:
    """Condense the results of a page."""
    judged = [r for r in results if r.summary.verdict is not None]
    by_urgency = sorted(judged, key=_urgency)
    urgent = by_urgency[:MOST_VERDICTS]
    steps: dict[str, str] = {}
    for result in by_urgency:
        assert result.summary.verdict is not None
        if result.summary.verdict.advice:
            steps.setdefault(result.summary.verdict.advice, result.key)
    about = [
        ("Evaluated", [r.about or r.summary.title for r in results]),
        ("Data", _files(results)),
        ("Date", _dates(results)),
    ]
    return Front(
        [(name, lines) for name, lines in about if lines],
        [r for r in judged if r in urgent],
        len(judged) - len(urgent),
        [r.headline for r in results if r.headline is not None],
        [(key, step) for step, key in steps.items()],
    )


def _urgency(result: Result) -> int:
    assert result.summary.verdict is not None
    return _ORDER[result.summary.verdict.level]


def _files(results: Sequence[Result]) -> list[str]:
    """Input files of all results, each once, with their shapes."""
    named: dict[str, str] = {}
    for result in results:
        for source in result.provenance.get("inputs") or ():
            path = str(source.get("path") or "")
            shape = source.get("shape")
            size = " × ".join(map(number, shape)) if isinstance(shape, list) else ""
            if path and not named.get(path):
                named[path] = size
    lines = []
    for path, size in named.items():
        name = PurePosixPath(path.replace("\\", "/")).name
        lines.append(f"{name} ({size})" if size else name)
    left_out = len(lines) - MOST_FILES
    return [*lines[:MOST_FILES], f"{left_out:,} more"] if left_out > 0 else lines


def _dates(results: Sequence[Result]) -> list[str]:
    """The day of the results, or the first and the last."""
    days = []
    for result in results:
        try:
            days.append(datetime.fromisoformat(str(result.provenance.get("started"))).date())
        except ValueError:
            continue
    if not days:
        return []
    first, last = (f"{day.day} {day:%B} {day.year}" for day in (min(days), max(days)))
    return [first if first == last else f"{first} to {last}"]


# --- splits --------------------------------------------------------------------------


def split_about(data: Data) -> str:
    """What was split."""
    wanted = data["wanted_sizes"]
    unit = "folds" if max(wanted) - min(wanted) < 1e-9 * max(*wanted, 1) else "parts"
    return (
        f"Split of {count(data['n_rows'], 'row')} and "
        f"{count(data['n_classes'], 'class', 'classes')} into {data['n_parts']} {unit} "
        f"({data['method']})"
    )


def split_headline(data: Data) -> Fact | None:
    """How far the split is above the lower bound."""
    ratio = data["methods"][0]["rld_ratio"]
    if ratio is None:
        return None
    note = "times the lower bound (rLD); 1 is best"
    return Fact("deviation of class counts", float(ratio), "×", note)


# --- pairs ---------------------------------------------------------------------------


def pairs_about(data: Data) -> str:
    """Which pairs were validated or audited."""
    schemes = ", ".join(dict.fromkeys(s["scheme"] for s in data["schemes"] if s.get("scheme")))
    by = f" ({schemes})" if schemes else ""
    if data["blocks"]:
        block = data["blocks"][0]
        n = count(block["n_train"] + block["n_test"] + block["n_dropped"], "pair")
        return f"Validation of {n}{by}"
    if data["audits"]:
        tested = count(sum(a["n_test"] for a in data["audits"]), "test pair")
        return f"Audit of {count(len(data['audits']), 'split')} with {tested}"
    return f"Validation of pairs{by}"


def pairs_headline(data: Data) -> Fact | None:
    """The AUC on held-out objects of the best model, or the share of them in a test set."""
    strict = [
        s for s in data["schemes"] if s.get("scheme") == "strict" and s["averaged"] is not None
    ]
    if strict:
        # As in the verdict: a model, if there is one, and not object identity alone.
        best = max(strict, key=lambda s: (s.get("model") != BASELINE, s["averaged"]))
        model = f"{best['model']}, " if best.get("model") else ""
        note = f"{model}mean over folds; 0.5 is chance"
        return Fact("AUC on pairs of held-out objects", float(best["averaged"]), "", note)
    if data["audits"] and not data["schemes"]:
        tested = sum(a["n_test"] for a in data["audits"])
        unseen = sum(a["counts"]["BB"] for a in data["audits"])
        note = f"{unseen:,} of {count(tested, 'test pair')} (BB)"
        return Fact("test pairs of held-out objects", unseen / max(tested, 1), "%", note)
    return None


# --- rankings ------------------------------------------------------------------------


def rank_about(data: Data) -> str:
    """Which scores were ranked, and for which target."""
    text = (
        f"Scores of {count(data['n_rows'], 'row')} and "
        f"{count(data['n_classes'], 'class', 'classes')}, ranked by “{data['live']}”"
    )
    if not data["choices"]:
        return text
    first = data["choices"][0]
    return f"{text}, for {target_name(first['target'], first['wanted'])}"


#: What a reader asks at each target.
_COUNTERPART = {"precision": "recall", "recall": "precision", "beta": "f"}


def rank_headline(data: Data) -> Fact | None:
    """Recall at the wanted precision, or what the target of another kind costs."""
    if not data["choices"]:
        return _counted(data)
    choice = data["choices"][0]
    key = _COUNTERPART.get(choice["target"], "precision")
    where = target_name(choice["target"], choice["wanted"])
    name = where[4:] if key == "f" else f"{key} at {where}"
    note = "expected on new data"
    if key in choice["intervals"]:
        low, high = (number(float(end)) for end in choice["intervals"][key])
        level = percent(choice["level"]) if "level" in choice else "the"
        note += f", {level} interval {low} to {high}"
    if not choice["met"]:
        name = f"{key} at the threshold closest to {where}"
        note += "; the target is not reached"
    return Fact(name, float(choice[key]), "", note)


def _counted(data: Data) -> Fact:
    """Recall at the usual precision, counted on the data."""
    grid = data["grid"]
    name = f"recall at {target_name('precision', USUAL_PRECISION)}"
    reached = [
        hits
        for calls, hits in zip(grid["calls"], grid["hits"], strict=True)
        if hits >= USUAL_PRECISION * calls - 1e-12
    ]
    if not reached:
        return Fact(name, None, "", "no threshold reaches this precision on these data")
    note = "counted on these data; expect less on new data"
    return Fact(name, reached[-1] / max(data["n_positives"], 1), "", note)
