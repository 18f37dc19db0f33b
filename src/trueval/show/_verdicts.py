"""What to conclude from results: the only place with thresholds of good and poor.

Each function takes the numbers it judges; the modules named after the packages
(``_stratify.py``, ``_pairs.py``, ``_rank.py``) hand them over.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from trueval.pairs._settings import BASELINE
from trueval.show import _advice as advice
from trueval.show._numbers import count, number, percent
from trueval.show._summary import Level, Verdict

if TYPE_CHECKING:
    from trueval.audit import RowAudit
    from trueval.pairs import Coverage, PairAudit, PairScores, Scheme
    from trueval.stratify import SplitQuality

__all__ = [
    "audits_verdict",
    "coverage_verdict",
    "deviation_verdict",
    "rows_verdict",
    "schemes_verdict",
    "scores_verdict",
    "splits_verdict",
]

#: Ratios to the lower bound: below the first the bound is reached to all digits shown.
AT_BOUND, NEAR_BOUND, FAR_FROM_BOUND = 1.0005, 1.1, 2.0
#: Differences of AUC that are not worth a word.
SAME_AUC = 0.02
#: AUC of object identity above which it predicts the labels, and below which it misleads.
IDENTITY_PREDICTS, IDENTITY_MISLEADS = 0.6, 0.4
#: AUC of degrees in the test set above which they tell its labels; below 1 minus it, reversed.
DEGREE_PREDICTS = 0.6
#: Differences of average precision, and of precision or recall, not worth a word.
SAME_AVERAGE_PRECISION = 0.005
SAME_RATE = 0.02


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- splits --------------------------------------------------------------------------


def splits_verdict(
    quality: "SplitQuality", others: Mapping[str, "SplitQuality"], method: str = ""
) -> Verdict:
    """On a split, next to other splits of the same labels."""
    ratio, k, unit = quality.rld_ratio, quality.n_parts, unit_of(quality)
    together = quality.group_ratio is not None and not quality.crossing_edges
    if quality.group_ratio is not None and together:
        ratio = quality.group_ratio  # of splits that keep groups or similar rows together
    if math.isnan(ratio):
        text = "No class has positives and negatives both, so there is nothing to balance."
        return Verdict(text, "", "poor")
    text = f"{_balance(ratio, quality.rld_wanted)}; {_gaps(quality, unit)}."
    if quality.leakage is not None:
        text += f" {_similar_rows(quality, unit)}"
    if quality.groups_split:
        text += (
            f" {count(quality.groups_split, 'group has', 'groups have')} rows in several {unit}s."
        )
    reason = (
        f"{count(quality.n_rows, 'row')} and {count(quality.n_classes, 'class', 'classes')} in "
        f"{k} {unit}s{f' ({method})' if method else ''}. The mean relative deviation of class "
        f"counts (rLD) is {number(quality.rld_wanted, 4)}; counts are integers, so no split can "
        f"reach less than {number(quality.rld_bound, 4)}."
    )
    if together and quality.group_bound is not None:
        whole = "groups" if quality.leakage is None else "similar rows"
        reason += (
            f" Splits that keep {whole} together cannot reach less than "
            f"{number(quality.group_bound, 4)}."
        )
    if others:
        best = min(others, key=lambda name: others[name].rld_wanted)
        reason += (
            f" The best of the other splits, {best}, has {number(others[best].rld_wanted, 4)}."
        )
    if ratio >= FAR_FROM_BOUND:
        reason += " Groups or fixed rows can be the cause; otherwise use a stratified split."
        return Verdict(text, reason, "poor", advice.SPLIT_AGAIN)
    if quality.groups_split:
        return Verdict(text, reason, "fair", advice.KEEP_GROUPS)
    if ratio >= NEAR_BOUND or quality.avoidable or quality.crossing_edges:
        return Verdict(text, reason, "fair", advice.SPLIT_AGAIN)
    return Verdict(text, reason, "good", advice.KEEP_SPLIT)


def _similar_rows(quality: "SplitQuality", unit: str) -> str:
    if not quality.crossing_edges:
        return f"No similar rows are in different {unit}s."
    return f"{count(quality.crossing_edges, 'pair')} of similar rows are in different {unit}s."


def unit_of(quality: "SplitQuality") -> str:
    """Equal parts are folds."""
    wanted = quality.wanted_sizes
    return "fold" if wanted.max() - wanted.min() < 1e-9 * max(wanted.max(), 1) else "part"


def _balance(ratio: float, rld: float) -> str:
    if math.isinf(ratio):
        return f"Class counts deviate by {number(rld, 4)} (rLD), although a perfect split exists"
    if ratio < AT_BOUND:
        return "Class counts reach the lower bound: no split is better balanced"
    if ratio < FAR_FROM_BOUND:
        return f"Class counts are {100 * (ratio - 1):.1f} % above the lower bound"
    return f"Class counts deviate {ratio:.1f} times as much as the lower bound"


def _gaps(quality: "SplitQuality", unit: str) -> str:
    k = quality.n_parts
    enough = f"at least {k} positives"
    if quality.groups_split is not None:
        enough = f"positives in at least {k} groups"
    if quality.avoidable:
        gaps = count(quality.avoidable, "avoidable gap")
        return f"{gaps} (a {unit} lacks a class that has {enough})"
    if quality.n_classes == quality.n_empty + quality.n_rare:
        return f"no class has the {k} positives it needs to appear in every {unit}"
    return f"every class with {enough} appears in every {unit}"


# --- audits of rows ------------------------------------------------------------------


def rows_verdict(audits: Sequence["RowAudit"]) -> Verdict:
    """On what splits of rows give away, over one or several."""
    alarms = list(dict.fromkeys(check.name for audit in audits for check in audit.alarms))
    leaks = [name for name in alarms if name != "shift"]
    names = list(dict.fromkeys(check.name for audit in audits for check in audit.checks))
    reason = f"Checks: {', '.join(names)}; at a level of {number(audits[0].alpha)} together."
    if leaks:
        where = ""
        if len(audits) > 1:
            n = sum(any(c.name in leaks for c in audit.alarms) for audit in audits)
            where = f" in {n:,} of {len(audits):,} splits"
        text = f"Leak{where}: {', '.join(leaks).replace('_', ' ')}."
        return Verdict(text, reason, "poor", advice.REMOVE_ROWS)
    if alarms:
        text = "No leak was found, but test rows differ from training rows (shift)."
        return Verdict(text, reason, "fair", advice.SHIFT)
    return Verdict("No leak was found.", reason, "good", advice.STATE_CHECKS)


# --- pairs ---------------------------------------------------------------------------


def audits_verdict(audits: Sequence["PairAudit"]) -> Verdict:
    """On what test pairs test, over one or several splits."""
    counts = {role: sum(a.counts[role] for a in audits) for role in ("AA", "AB", "BB")}
    total = max(sum(counts.values()), 1)
    leaked = sum(a.n_leaked for a in audits)
    shares = ", ".join(f"{role} {percent(n / total)}" for role, n in counts.items())
    reason = (
        f"Test pairs by objects seen in training: {shares} (AA: all objects seen, AB: some, "
        "BB: none)."
    )
    if leaked:
        are = "occurs" if leaked == 1 else "occur"
        text = f"Leak: {leaked:,} of {count(total, 'test pair')} {are} in training too."
        return Verdict(text, reason, "poor", advice.REMOVE_LEAK)
    text, level = _settings(counts, total)
    next_step = advice.AUDIT[level]
    near = sum(a.cluster_counts[r] for a in audits if a.cluster_counts for r in ("AA", "AB"))
    if near > counts["AA"] + counts["AB"]:
        text += f" But {near:,} of {total:,} have an object whose cluster was seen in training."
        level, next_step = "fair", advice.CLUSTERS
    known = [a.identity_auc for a in audits if a.identity_auc is not None]
    if known and max(known) > IDENTITY_PREDICTS:
        text += " Object identity alone predicts the labels."
        reason += (
            f" Scored by how often their objects were positive in training, without features, "
            f"the test pairs have an AUC of {number(max(known))}."
        )
        level, next_step = "fair", advice.IDENTITY
    elif known and min(known) < IDENTITY_MISLEADS:
        reason += (
            f" Object identity alone has an AUC of {number(min(known))}: below one half it "
            "misleads, as where negatives were balanced for each object, so it is no baseline to "
            "beat."
        )
    degree = max((a.degree_auc for a in audits if a.degree_auc is not None), key=_bias, default=0.5)
    if _bias(degree) > DEGREE_PREDICTS:
        text += " Degrees in the test set alone predict its labels."
        reason += (
            f" Scored by how many test pairs their objects have, without features or training, "
            f"the test pairs have an AUC of {number(degree)}: positives and negatives were chosen "
            "differently."
        )
        level, next_step = "fair", advice.DEGREES
    for audit in audits:
        if audit.score_auc is None or audit.rewired_auc is None:
            continue
        reason += (
            f" A model trained on rewired pairs, which has seen nothing but degrees, has an AUC of "
            f"{number(audit.rewired_auc)}, the model itself {number(audit.score_auc)}."
        )
        if audit.rewired_auc >= audit.score_auc - SAME_AUC and audit.score_auc > 0.5 + SAME_AUC:
            text += " The scores are no better than those of a model trained on rewired pairs."
            level, next_step = "fair", advice.DEGREES
    return Verdict(text, reason, level, next_step)


def _bias(auc: float) -> float:
    return max(auc, 1 - auc)


def _settings(counts: Mapping[str, int], total: int) -> tuple[str, Level]:
    settings = [role for role, n in counts.items() if n]
    if settings == ["BB"]:
        return "The test pairs consist of held-out objects only.", "good"
    if settings == ["AB"]:
        return "Every test pair has objects seen in training and a held-out object.", "good"
    if settings == ["AA"]:
        return (
            "All objects of the test pairs were seen in training: this says nothing about "
            "held-out objects.",
            "fair",
        )
    seen = percent((counts["AA"] + counts["AB"]) / total)
    return (
        f"{seen} of the test pairs have an object seen in training: report AA, AB and BB "
        "separately.",
        "fair",
    )


def coverage_verdict(coverage: "Coverage", unit: str = "pair") -> Verdict:
    """On what folds of pairs validate and lose; rows are counted where pairs repeat."""
    dropped = percent(coverage.share_dropped)
    reason = f"No fold leaves out a {unit}."
    if coverage.share_dropped:
        reason = (
            f"A fold leaves out {dropped} of the {unit}s on average: those of held-out objects."
        )
    if not coverage.share_never:
        return Verdict(f"Every {unit} is validated.", reason, "good")
    never = percent(coverage.share_never)
    text = f"{never} of the {unit}s are never validated: no fold holds out their objects together."
    return Verdict(text, reason, "fair", advice.OVERLAP)


def schemes_verdict(schemes: Sequence["Scheme"]) -> Verdict | None:
    """On one or more models validated by rows, relaxed and strict; None without AUCs."""
    # Averages need no comparison with a model without skill; pooled AUCs do.
    kind = "averaged" if all(s.averaged is not None for s in schemes) else "pooled"
    auc: dict[str, dict[str, float]] = {}
    for scheme in schemes:
        value = getattr(scheme, kind)
        if value is not None:
            auc.setdefault(scheme.model or "", {})[scheme.scheme or ""] = value
    strict = {model: by["strict"] for model, by in auc.items() if "strict" in by}
    if not any(_WAYS.keys() & auc[model].keys() for model in strict):
        return None
    model = max(strict, key=lambda name: (name != BASELINE, strict[name]))
    baseline = _identity(auc.get(BASELINE, {}), kind)
    easier = {s: value for s, value in auc[model].items() if s in ("row-wise", "relaxed")}
    if model == BASELINE:
        return Verdict(
            "Object identity alone predicts nothing about held-out objects.",
            f"{baseline} Features show what a model learns beyond it.".strip(),
            "fair",
            advice.ADD_FEATURES,
        )
    of = f" ({model})" if model else ""
    text = f"On pairs of held-out objects expect an AUC of {number(strict[model])}{of}"
    said = " and ".join(f"{_WAYS[s]} gives {number(value)}" for s, value in easier.items())
    reason = f"{sentence(said)} ({kind} AUC)"
    highest = max(easier, key=lambda s: easier[s])
    if easier[highest] - strict[model] > SAME_AUC:
        text += f", not the {number(easier[highest])} of {_WAYS[highest]}."
        reason += ", because their models have seen the objects in training"
        return Verdict(text, f"{reason}. {baseline}".strip(), "fair", advice.REPORT_STRICT)
    text += f", about the same as {_WAYS[highest]}."
    return Verdict(text, f"{reason}. {baseline}".strip(), "good", advice.REPORT_STRICT)


_WAYS = {"row-wise": "validation by rows", "relaxed": "the relaxed scheme"}


def _identity(auc: Mapping[str, float], kind: str) -> str:
    """What object identity alone scores; far below one half it misleads."""
    easier = {s: value for s, value in auc.items() if s in _WAYS}
    if not easier:
        return ""
    said = " and ".join(f"{number(value)} ({_WAYS[s]})" for s, value in easier.items())
    text = f"Object identity alone, without features, scores {said}"
    if min(easier.values()) < IDENTITY_MISLEADS:
        text += "; below one half it misleads, as where negatives were balanced for each object"
    return f"{text}."


def scores_verdict(scores: "PairScores") -> Verdict | None:
    """On held-out scores of pairs; None where no setting has an AUC."""
    settings = scores.to_dict()["settings"]
    # Averages need no comparison with a model without skill, but folds with both classes.
    averaged = any(of["averaged"]["auc"] is not None for of in settings.values())
    kind = "averaged" if averaged else "pooled"
    by_role = {name: settings[name][kind] for name in ("BB", "AB", "AA") if name in settings}
    by_role = {name: of for name, of in by_role.items() if of["auc"] is not None}
    if not by_role:
        return None
    hardest, of = next(iter(by_role.items()))
    text = f"{_PAIRS_OF[hardest]}: AUC {number(of['auc'])}"
    if of["low"] is not None:
        text += f" ({number(of['low'])} to {number(of['high'])})"
    others = [f"{name} {number(by_role[name]['auc'])}" for name in by_role if name != hardest]
    reason = f"{sentence(kind)} AUC; {', '.join(others)}." if others else f"{sentence(kind)} AUC."
    level: Level = "good"
    if of["low"] is not None and of["low"] <= 0.5 <= of["high"]:
        text += ", not distinguishable from chance"
        level = "fair"
    text += "."
    if hardest == "AA":
        text += " This says nothing about held-out objects."
        level = "fair"
    if scores.n_leaked:
        total = settings["all"]["pairs"]
        leak = f"Leak: {scores.n_leaked:,} of {count(total, 'test pair')} occur in training too."
        return Verdict(leak, f"{text} {reason}".strip(), "poor", advice.REMOVE_LEAK)
    next_step = advice.AUDIT["good" if hardest == "BB" else "fair"]
    return Verdict(text, reason, level, next_step)


_PAIRS_OF = {
    "BB": "Pairs of held-out objects",
    "AB": "Pairs with a held-out object",
    "AA": "Pairs of objects seen in training",
}


def deviation_verdict(estimate: str, means: Mapping[str, float]) -> Verdict:
    """On how far cross-validation is from the truth, by scheme."""
    said = [
        f"the {scheme} scheme {'over' if mean > 0 else 'under'}estimates it by {number(abs(mean))}"
        for scheme, mean in means.items()
    ]
    level: Level = "good" if all(abs(m) <= SAME_AUC for m in means.values()) else "fair"
    text = f"Of the {estimate} AUC on held-out objects, {' and '.join(said)}."
    return Verdict(text, "Means over all draws.", level)
