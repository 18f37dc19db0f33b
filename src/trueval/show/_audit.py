"""Summaries of audits of rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from trueval.audit._result import LEAKS, Check, RowAudit
from trueval.show._numbers import count, number, percent
from trueval.show._present import summarise
from trueval.show._summary import Cell, Column, Summary, SummaryTable
from trueval.show._verdicts import rows_verdict

__all__ = ["RowAudits", "sentence"]

_NAMED = 3  # columns or classes named in a sentence
MOST_SPLITS = 20


@dataclass(frozen=True)
class RowAudits:
    """Audits of one or several splits of the same rows by name."""

    audits: Mapping[str, RowAudit]


def sentence(check: Check) -> str:
    """What a check found, in one sentence."""
    return _SENTENCES[check.name](check)


def _shared(what: str) -> Callable[[Check], str]:
    def say(check: Check) -> str:
        if not check.n_rows:
            return f"No {what} is on both sides."
        verb = "has" if check.n_rows == 1 else "have"
        article = "an" if what == "id" else "a"
        shared = count(int(check.value), f"{what} is", f"{what}s are")
        rows = count(check.n_rows, "test row")
        return f"{rows} {verb} {article} {what} of training: {shared} shared."

    return say


def _time(check: Check) -> str:
    last, first = check.detail["last_train"], check.detail["first_test"]
    if not check.alarm:
        return f"No training row ({last} at the latest) is later than a test row."
    later = count(check.detail["n_train_later"], "training row is", "training rows are")
    return (
        f"{later} later than the first test row ({first}), and "
        f"{count(check.n_rows, 'test row')} earlier than the last training row ({last})."
    )


def _similarity(check: Check) -> str:
    at_least = check.detail["threshold"]
    what = "similar to" if at_least is None else f"at least {number(at_least)} similar to"
    rows = count(check.n_rows, "test row is", "test rows are") if check.alarm else "No test row is"
    return f"{rows} {what} a training row."


def _duplicates(check: Check) -> str:
    if not check.n_rows:
        return "No test row equals a training row in all columns."
    rows = count(check.n_rows, "test row equals", "test rows equal")
    text = f"{rows} a training row in all columns"
    if check.alarm:
        text += ", which chance does not explain."
    else:
        text += "; rows with few or common values do so by chance."
    other = check.detail["other_target"]
    if other is None:
        return text
    return f"{text} {count(other, 'has', 'have')} another target than that row."


def _near(check: Check) -> str:
    rows = count(check.n_rows, "test row is a", "test rows are")
    copies = "near duplicate" if check.n_rows == 1 else "near duplicates"
    text = f"{rows} {copies} of training rows" if check.n_rows else "No near duplicates"
    if check.detail["all_searched"]:
        return f"{text}."
    searched = check.detail["n_searched"]
    return f"{text}, of {count(searched, 'test row')} drawn at random and of all in shared buckets."


def _nearness(check: Check) -> str:
    comparison = "are nearer" if check.alarm else "are not nearer"
    return f"Test rows {comparison} to training rows than these are to each other ({_auc(check)})."


def _target(check: Check) -> str:
    columns = check.detail["columns"]
    if not check.alarm:
        return f"No column alone predicts the target nearly perfectly ({_auc(check)})."
    classes: dict[str, list[str]] = {}
    for of in columns:
        classes.setdefault(of["column"], []).append(repr(of["class"]))
    named = [
        f"{column!r}" + (f" (class {', '.join(names[:_NAMED])})" if names != ["''"] else "")
        for column, names in list(classes.items())[:_NAMED]
    ]
    more = ", …" if len(classes) > _NAMED else ""
    n = count(check.detail["n_columns"], "column predicts", "columns predict")
    return f"{n} the target alone, nearly perfectly: {', '.join(named)}{more}."


def _order(check: Check) -> str:
    if not check.alarm:
        return "No column numbers the rows."
    columns = check.detail["columns"]
    n = count(len(columns), "column numbers", "columns number")
    return f"{n} the rows: {', '.join(map(repr, columns[:_NAMED]))}."


def _shift(check: Check) -> str:
    verb = "tells" if check.alarm else "does not tell"
    return f"A model {verb} test rows from training rows ({_auc(check)})."


def _auc(check: Check) -> str:
    return f"AUC {number(check.value)}, alarm above {number(check.limit)}"


_SENTENCES: dict[str, Callable[[Check], str]] = {
    "ids": _shared("id"),
    "groups": _shared("group"),
    "time": _time,
    "similarity": _similarity,
    "duplicates": _duplicates,
    "near_duplicates": _near,
    "nearness": _nearness,
    "target": _target,
    "order": _order,
    "shift": _shift,
}


@summarise.register
def _(check: Check) -> Summary:
    return Summary(sentence(check))


@summarise.register
def _(audit: RowAudit) -> Summary:
    title = f"Audit of {count(audit.n_train, 'training row')} and "
    title += count(audit.n_test, "test row")
    columns = [Column("check", text=True), Column("alarm"), Column("result", text=True)]
    rows: list[list[Cell]] = [[c.name, c.alarm, sentence(c)] for c in audit.checks]
    strong = [place for place, check in enumerate(audit.checks) if check.alarm]
    table = SummaryTable(columns, rows, "Checks", strong)
    return Summary(title, rows_verdict([audit]), (), [table], _notes(audit))


def _notes(audit: RowAudit) -> list[str]:
    notes = []
    if audit.n_shared_rows:
        notes.append(f"rows on both sides: {audit.n_shared_rows:,}, left out of the other checks")
    for side, values in audit.distances.items():
        middle = ", ".join(f"{percent(float(q))}: {number(v)}" for q, v in values.items())
        notes.append(f"distance of {side} rows to the nearest training row, by share: {middle}")
    if audit.baseline is not None:
        baseline = audit.baseline
        notes.append(
            f"copying the target of the nearest training row: {baseline['measure']} "
            f"{number(baseline['score'])}, of a random one {number(baseline['chance'])}"
        )
    if audit.categories:
        listed = ", ".join(map(repr, audit.categories[:_NAMED]))
        more = ", …" if len(audit.categories) > _NAMED else ""
        notes.append(f"columns of text, read as categories: {listed}{more}")
    by_reason: dict[str, list[str]] = {}
    for name, reason in audit.skipped.items():
        by_reason.setdefault(reason, []).append(name)
    notes += [f"not checked: {', '.join(names)} ({why})" for why, names in by_reason.items()]
    return notes


@summarise.register
def _(audits: RowAudits) -> Summary:
    listed = audits.audits
    if len(listed) == 1:
        return summarise(next(iter(listed.values())))
    columns = [Column("split", text=True), Column("train"), Column("test")]
    columns += [Column("leaks", text=True), Column("shift, AUC")]
    rows: list[list[Cell]] = []
    for name, audit in list(listed.items())[:MOST_SPLITS]:
        leaks = ", ".join(check.name for check in audit.alarms if check.name in LEAKS) or "none"
        shift = next((float(c.value) for c in audit.checks if c.name == "shift"), None)
        rows.append([name, audit.n_train, audit.n_test, leaks, shift])
    left_out = len(listed) - MOST_SPLITS
    notes = [f"… and {left_out:,} more splits."] if left_out > 0 else []
    first = next((audit for audit in listed.values() if audit.alarms), None)
    if first is not None:
        notes += [sentence(check) for check in first.alarms]
    table = SummaryTable(columns, rows, "Splits")
    title = f"Audit of {count(len(listed), 'split')} of rows"
    return Summary(title, rows_verdict(list(listed.values())), (), [table], notes)
