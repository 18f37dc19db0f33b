"""Summaries of what is validated in pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trueval.core.arrays import is_binary
from trueval.core.errors import InputError
from trueval.core.table import Table
from trueval.pairs import (
    Coverage,
    DeviationStudy,
    PairAudit,
    PairScores,
    PooledScores,
    Scheme,
    SchemeComparison,
)
from trueval.pairs._folding import PairFold
from trueval.pairs._settings import BASELINE, MEANING, SETTINGS
from trueval.show._core import index_notes, index_title, table_block
from trueval.show._numbers import count, number, percent
from trueval.show._pair_scores import scores_summary
from trueval.show._present import summarise
from trueval.show._summary import Cell, Column, Fact, Summary, SummaryTable
from trueval.show._values import value_summary
from trueval.show._verdicts import (
    IDENTITY_MISLEADS,
    audits_verdict,
    coverage_verdict,
    deviation_verdict,
    schemes_verdict,
)

__all__ = ["Audits", "PairValidation", "audit_notes", "scheme_names"]

MOST_SPLITS = 20  # lines of a table of audits


@dataclass(frozen=True)
class Audits:
    """Audits of one or several splits by name."""

    audits: Mapping[str, PairAudit]


@dataclass(frozen=True)
class PairValidation:
    """How a model of pairs is validated: what folds do, what they test and estimate."""

    coverage: Coverage | None = None
    schemes: Sequence[Scheme] = ()
    audits: Mapping[str, PairAudit] = field(default_factory=dict)


# --- audits --------------------------------------------------------------------------


@summarise.register
def _(audit: PairAudit) -> Summary:
    title = f"Audit of {count(audit.n_train, 'training pair')} and "
    title += count(audit.n_test, "test pair")
    columns = [
        Column("setting", text=True),
        Column("objects of the test pair", text=True),
        Column("pairs"),
        Column("share", "%"),
        Column("identity AUC"),
    ]
    rows: list[list[Cell]] = [
        [
            role,
            MEANING[role],
            n,
            n / max(audit.n_test, 1),
            _float(audit.identity_auc_by_role.get(role)),
        ]
        for role, n in audit.counts.items()
    ]
    verdict = audits_verdict([audit])
    return Summary(title, verdict, (), [SummaryTable(columns, rows)], audit_notes(audit))


def audit_notes(audit: PairAudit) -> list[str]:
    """What else is known of a split, in sentences."""
    notes = [
        f"objects: {audit.n_shared_objects:,} shared by training ({audit.n_objects_train:,}) and "
        f"test ({audit.n_objects_test:,})"
    ]
    if audit.cluster_counts is not None:
        by = ", ".join(f"{role} {n:,}" for role, n in audit.cluster_counts.items())
        notes.append(
            f"clusters: {audit.n_shared_clusters:,} shared; with clusters instead of objects {by}"
        )
    notes.append(
        f"test pairs that occur in training: {audit.n_duplicates:,} as they are, "
        f"{audit.n_mirrored:,} mirrored; rows on both sides: {audit.n_shared_rows:,}"
    )
    if audit.n_self:
        notes.append(f"self pairs: {audit.n_self:,}")
    if audit.only_positive is not None and audit.only_negative is not None:
        notes.append(
            f"objects only in positives: {len(audit.only_positive):,}, only in negatives: "
            f"{len(audit.only_negative):,}"
        )
        notes.append(
            f"pairs with conflicting labels: {audit.n_conflicts:,}, "
            f"{audit.n_leaked_conflicts:,} of them across the split"
        )
        notes.append(_identity(audit))
        if audit.degree_auc is not None:
            notes.append(
                "degrees in the test set alone, without features or training: AUC "
                f"{number(audit.degree_auc)} (about 0.5 where negatives are chosen as positives)"
            )
    for what, auc, of_objects in (
        ("given scores", audit.score_auc, audit.object_auc),
        ("scores after training on rewired pairs", audit.rewired_auc, audit.rewired_object_auc),
    ):
        if auc is not None:
            notes.append(f"{what}: AUC {number(auc)}, mean over objects {number(of_objects)}")
    return notes


def _identity(audit: PairAudit) -> str:
    if audit.identity_auc is None:
        return "object identity alone: no AUC, the test pairs are of one class"
    by = ", ".join(f"{role} {number(auc)}" for role, auc in audit.identity_auc_by_role.items())
    text = f"object identity alone, without features: AUC {number(audit.identity_auc)} ({by})"
    if audit.identity_auc < IDENTITY_MISLEADS:
        text += "; below one half it misleads, as where negatives were balanced for each object"
    return text


@summarise.register
def _(audits: Audits) -> Summary:
    verdict = audits_verdict(list(audits.audits.values()))
    left_out = len(audits.audits) - MOST_SPLITS
    notes = [f"… and {left_out:,} more splits."] if left_out > 0 else []
    title = "Objects of the test pairs seen in training: all (AA, C1), some (AB, C2), none (BB, C3)"
    tables = [audits_table(audits.audits)]
    if any(audit.cluster_counts is not None for audit in audits.audits.values()):
        tables.append(_clusters_table(audits.audits))
    return Summary(title, verdict, (), tables, notes)


def audits_table(audits: Mapping[str, PairAudit]) -> SummaryTable:
    """One line for each split."""
    names = ["train", "test", *SETTINGS, "shared objects", "same pairs"]
    names += ["identity AUC", "degree AUC"]
    columns = [Column("split", text=True), *(Column(name) for name in names)]
    rows: list[list[Cell]] = [
        [
            name,
            audit.n_train,
            audit.n_test,
            *(audit.counts[role] for role in SETTINGS),
            audit.n_shared_objects,
            audit.n_leaked,
            _float(audit.identity_auc),
            _float(audit.degree_auc),
        ]
        for name, audit in list(audits.items())[:MOST_SPLITS]
    ]
    return SummaryTable(columns, rows, "Test pairs by objects seen in training")


def _clusters_table(audits: Mapping[str, PairAudit]) -> SummaryTable:
    """The same where an object counts as seen if its cluster is."""
    columns = [Column("split, by clusters", text=True), *(Column(name) for name in SETTINGS)]
    columns.append(Column("shared clusters"))
    rows: list[list[Cell]] = [
        [name, *(audit.cluster_counts[role] for role in SETTINGS), audit.n_shared_clusters]
        for name, audit in list(audits.items())[:MOST_SPLITS]
        if audit.cluster_counts is not None
    ]
    return SummaryTable(columns, rows, "Test pairs by clusters seen in training")


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


# --- folds and schemes ---------------------------------------------------------------


@summarise.register
def _(coverage: Coverage) -> Summary:
    title = f"Coverage of {index_title(coverage.index)} by {count(len(coverage.folds), 'fold')}"
    notes = [f"{fact.name}: {fact.text}{fact.note and f' {fact.note}'}" for fact in _uses(coverage)]
    notes += index_notes(coverage.index)
    return Summary(title, coverage_verdict(coverage, _unit(coverage)), (), (), notes)


def _unit(coverage: Coverage) -> str:
    """What is counted: rows, which are pairs unless pairs repeat."""
    return "pair" if coverage.index.n_rows == coverage.index.n_pairs else "row"


def _uses(coverage: Coverage) -> list[Fact]:
    unit = f"{_unit(coverage)}s"
    times, n = coverage.counts, len(coverage.counts)
    train = coverage.folds["train"] / n
    low, high = percent(float(train.min())), percent(float(train.max()))
    validated, never, again = (int(mask.sum()) for mask in (times > 0, times == 0, times > 1))
    facts = [
        Fact("validated", validated, unit, f"({percent(validated / n)})"),
        Fact("never validated", never, unit, f"({percent(never / n)})"),
        Fact(
            "validated more than once",
            again,
            unit,
            f"(at most {count(int(times.max()), 'time')})",
        ),
        Fact("trained on in a fold", low if low == high else f"{low} to {high}"),
        Fact("left out of a fold", percent(coverage.share_dropped), "", "on average"),
    ]
    if coverage.n_unscorable is not None:
        note = f"of {len(coverage.folds):,} (validation set empty or of one class)"
        facts.append(Fact("folds without an AUC", coverage.n_unscorable, "", note))
    return facts


_KEY_FIGURES = ("validated", "never validated", "left out of a fold")


@summarise.register
def _(validation: PairValidation) -> Summary:
    coverage, schemes = validation.coverage, validation.schemes
    if coverage is None and not schemes and validation.audits:
        return summarise(Audits(validation.audits))
    tables, facts = [], []
    title = "Validation of pairs"
    if coverage is not None:
        title = f"{count(coverage.index.n_rows, _unit(coverage))} of "
        title += f"{count(coverage.index.n_objects, 'object')} in {len(coverage.folds):,} folds"
        uses = _uses(coverage)
        facts = [fact for fact in uses if fact.name in _KEY_FIGURES]
        rows = [(fact.name, fact.text, fact.note) for fact in uses]
        columns = (Column("", text=True), Column(""), Column("", text=True))
        tables.append(SummaryTable(columns, rows, "What the folds do with pairs"))
    if any(scheme.averaged is not None or scheme.pooled is not None for scheme in schemes):
        tables.append(_schemes_table(schemes))
    verdict = None
    if any(audit.n_leaked for audit in validation.audits.values()):
        leaking = [audit for audit in validation.audits.values() if audit.n_leaked]
        if coverage is None:  # with folds of ours, pairs repeat only in the split by rows
            verdict = audits_verdict(leaking)
    verdict = verdict or schemes_verdict(schemes)
    notes: list[str] = []
    if coverage is not None:
        covered = coverage_verdict(coverage, _unit(coverage))
        if verdict is None:
            verdict = covered
        else:
            notes += [covered.text, f"{covered.reason} {covered.advice}".rstrip()]
    elif verdict is None and validation.audits:
        verdict = audits_verdict(list(validation.audits.values()))
    return Summary(title, verdict, facts, tables, notes)


@summarise.register
def _(comparison: SchemeComparison) -> Summary:
    return summarise(PairValidation(None, comparison.schemes))


#: Which pairs the relaxed scheme validates. It has seen their objects in training, so that
#: none of them is BB of an audit, whatever the setting is called.
_RELAXED = {"AA": "pairs at random", "AB": "pairs across parts", "BB": "pairs inside a part"}


def scheme_names(schemes: Sequence[Scheme]) -> list[str]:
    """Name each way of validating by what tells it from the others.

    >>> scheme_names([Scheme("relaxed", "BB"), Scheme("strict", "BB"), Scheme("row-wise")])
    ['relaxed', 'strict', 'row-wise']
    >>> scheme_names([Scheme("relaxed", "BB"), Scheme("strict", "AB")])
    ['relaxed, pairs inside a part', 'strict, AB']
    """
    keys = ("model", "scheme", "setting", "overlapping")
    values = {k: {str(getattr(s, k)) for s in schemes} for k in keys}
    for key in ("setting", "overlapping"):  # validation by rows has none
        values[key].discard("None")
    differ = [k for k in keys if len(values[k]) > 1] or list(keys)
    names = []
    for place, scheme in enumerate(schemes):
        words = {key: getattr(scheme, key) for key in differ}
        if scheme.scheme == "relaxed" and "setting" in words:
            words["setting"] = _RELAXED.get(str(scheme.setting), scheme.setting)
        if words.get("overlapping") is not None:
            words["overlapping"] = "overlapping" if scheme.overlapping else "disjoint"
        said = ", ".join(str(word) for word in words.values() if word is not None)
        names.append(said or f"scheme {place + 1}")
    # Charts tell lines apart by name.
    return [name if names.count(name) == 1 else f"{name} ({i + 1})" for i, name in enumerate(names)]


def _schemes_table(schemes: Sequence[Scheme]) -> SummaryTable:
    ordered = sorted(schemes, key=lambda scheme: scheme.model == BASELINE)
    columns = [
        Column("validation", text=True),
        Column("model", text=True),
        Column("averaged AUC"),
        Column("pooled AUC"),
        Column("pooled, no skill"),
        Column("left out", "%"),
    ]
    rows: list[list[Cell]] = [
        [s.scheme, s.model, s.averaged, s.pooled, s.null_pooled, s.dropped] for s in ordered
    ]
    strong = [place for place, scheme in enumerate(ordered) if scheme.scheme == "strict"]
    return SummaryTable(columns, rows, "AUC by validation and model", strong)


# --- scores and studies --------------------------------------------------------------


@summarise.register
def _(scores: PooledScores) -> Summary:
    title = (
        f"PooledScores: {count(len(scores.table), 'score')} of {int((scores.times > 0).sum()):,} "
        f"of {count(scores.n_rows, 'row')} from {len(scores.used):,} of "
        f"{count(scores.n_folds, 'fold')}"
    )
    notes = []
    if scores.skipped:
        fold, why = next(iter(scores.skipped.items()))
        skipped = count(len(scores.skipped), "fold")
        notes.append(f"{skipped} without scores; fold {fold}: {why}")
    return Summary(title, notes=[*notes, *_aucs(scores)])


def _aucs(scores: PooledScores) -> list[str]:
    if not is_binary(scores.y):
        return []
    notes = []
    for role in sorted(set(scores.table["setting"].tolist())):
        part = scores.only(role)
        for name, make in (("averaged", part.averaged_auc), ("pooled", part.pooled_auc)):
            try:
                notes.append(f"{role} {name} AUC: {make()}")
            except InputError:
                notes.append(f"{role} {name} AUC: not defined, no fold has both classes")
    return notes


summarise.register(PairScores, scores_summary)


@summarise.register
def _(study: DeviationStudy) -> Summary:
    title = (
        f"DeviationStudy: {count(study.n_repeats, 'repeat')}, {count(study.n_splits, 'fold')}, "
        f"positive rate {number(study.rates.mean())}, {int(study.excluded.sum())} of "
        f"{study.n_repeats * study.n_splits} folds excluded from averages (one class only)"
    )
    table = study.table
    middle = study.values[len(study.values) // 2 - (len(study.values) % 2 == 0)]
    of_value = table.take(table["value"] == middle)
    names = ("scheme", "estimate", "value", "mean", "mean_se", "variance", "second_moment", "null")
    columns = Table({name: of_value[name] for name in names})
    if not len(columns):
        return Summary(title, notes=["No estimate was defined in any repeat."])
    first = columns.take(columns["estimate"] == columns["estimate"][0])
    means = dict(zip(first["scheme"].tolist(), first["mean"].tolist(), strict=True))
    verdict = deviation_verdict(str(first["estimate"][0]), means)
    return Summary(title, verdict, (), [table_block(columns)])


@summarise.register
def _(fold: PairFold) -> Summary:
    lines: list[tuple[str, Cell, str]] = [
        ("objects held out", int(fold.held_out.sum()), f"of {len(fold.held_out):,}"),
        ("trained on", len(fold.train), "rows"),
        *((f"validated, {name}", len(rows), "rows") for name, rows in fold.validation.items()),
        ("left out", fold.n_dropped, f"of {fold.n_rows:,} rows"),
    ]
    return value_summary(fold, lines)
