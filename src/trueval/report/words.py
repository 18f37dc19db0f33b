"""What to conclude, in a sentence or two for each stage and figure."""

from typing import Any

__all__ = [
    "gap",
    "number",
    "pairs_verdict",
    "rank_verdict",
    "ratio",
    "share",
    "split_verdict",
    "target",
]


def number(value: Any, digits: int = 3) -> str:
    """Show a number as text: thousands apart, few digits, a dash for none.

    >>> from trueval.report.words import number
    >>> number(12345), number(0.123456), number(None), number(2.5e-07), number(float(3))
    ('12,345', '0.123', '–', '2.5e-07', '3.000')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        small = value != 0 and abs(value) < 10.0**-digits
        return f"{value:.3g}" if small else f"{value:,.{digits}f}"
    return str(value)


def ratio(value: Any) -> str:
    """Show how many times the bound a measure is."""
    return "∞ ×" if value is None else f"{value:.3f} ×"


def share(value: Any) -> str:
    """Show a share of rows in per cent; counts stay counts."""
    if value is None or isinstance(value, int):
        return number(value)
    return f"{100 * value:.1f} %"


def gap(sizes: list[float], wanted: list[float]) -> float:
    """Return the largest difference of two lists of sizes."""
    return max(abs(a - b) for a, b in zip(sizes, wanted, strict=True))


def target(choice: dict[str, Any]) -> str:
    """Name what a threshold was chosen for."""
    wanted = choice["wanted"]
    said = {
        "precision": f"precision of {wanted:g}",
        "recall": f"recall of {wanted:g}",
        "beta": f"best F{wanted:g}",
        "n_calls": f"{wanted:,.0f} calls",
    }
    return said.get(choice["target"], f"{choice['target']} {wanted:g}")


def split_verdict(data: dict[str, Any]) -> tuple[str, str]:
    """Verdict on a split, and what it rests on."""
    own = data["methods"][0]
    if own["rld_ratio"] is None:
        first = "These folds could be perfect, and are not"
    elif own["rld_ratio"] < 1.0005:
        first = "These folds reach the provable bound"
    elif own["rld_ratio"] < 1.1:
        off = 100 * (own["rld_ratio"] - 1)
        first = f"These folds come within {off:.1f} % of the provable bound"
    else:
        first = f"These folds are {own['rld_ratio']:.2f} × the provable bound"
    if data["avoidable"] == 0:
        second = "no class that could be everywhere is missing anywhere"
    else:
        cells = _plural(data["avoidable"], "place", "places")
        second = f"classes that could be everywhere are missing in {cells}"
    why = (
        f"{number(data['n_rows'])} rows and {number(data['n_classes'])} classes in "
        f"{data['n_parts']} parts by {data['method']}. rLD, the mean relative deviation of class "
        f"counts, is {own['rld_wanted']:.4f}; members are whole, so no split can go below "
        f"{data['rld_bound']:.4f}."
    )
    others = [m for m in data["methods"][1:] if m["rld_wanted"] is not None]
    if others:
        best = min(others, key=lambda m: m["rld_wanted"])
        why += f" The best other split shown, {best['name']}, has {best['rld_wanted']:.4f}."
    return f"{first}; {second}.", why


def pairs_verdict(data: dict[str, Any]) -> tuple[str, str]:
    """Verdict on the validation of pairs, and what it rests on."""
    leaking = [a for a in data["audits"] if a["n_leaked"]]
    schemes = [s for s in data["schemes"] if s["pooled"] is not None or s["averaged"] is not None]
    why = _scheme_words(schemes)
    if leaking:
        worst = max(leaking, key=lambda a: a["n_leaked"])
        pairs = _plural(worst["n_leaked"], "test pair occurs", "test pairs occur")
        return f"This leaks: {pairs} in the training of {worst['name']}.", why
    promise = _promise(schemes)
    if promise:
        return promise, why
    settings = {a["setting"] for a in data["audits"]}
    if settings == {"BB"}:
        return "Every tested pair is of objects that training has never seen; nothing leaks.", why
    if data["audits"]:
        fresh = [a["name"] for a in data["audits"] if a["setting"] == "BB"]
        known = [a for a in data["audits"] if a["setting"] != "BB"]
        worst = min(known, key=lambda a: a["counts"]["BB"] / max(a["n_test"], 1))
        part = 1 - worst["counts"]["BB"] / max(worst["n_test"], 1)
        told = "every test pair" if part == 1 else f"{part:.0%} of the test pairs"
        first = f"In {_quoted([worst['name']])} {told} has an object that training knows"
        if fresh:
            return f"{first}; {_quoted(fresh)} asks about new objects only.", why
        return f"{first}: this does not test new objects.", why
    if schemes:
        return "AUC by scheme, beside what a model without skill would get.", why
    return "What each fold trains on, validates and drops.", why


def _quoted(names: list[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)


def _scheme_words(schemes: list[dict[str, Any]]) -> str:
    """AUCs in one sentence; averaged where all have it, since pooling has a bias."""
    for kind in ("averaged", "pooled"):
        if schemes and all(s[kind] is not None for s in schemes):
            said = "; ".join(f"{s['name']} {s[kind]:.3f}" for s in schemes)
            return f"{kind.capitalize()} AUC: {said}."
    mixed = "; ".join(
        f"{s['name']} {s[kind]:.3f} ({kind})"
        for s in schemes
        for kind in ("averaged", "pooled")
        if s[kind] is not None
    )
    return f"AUC: {mixed}." if mixed else ""


def _promise(schemes: list[dict[str, Any]]) -> str | None:
    """What the relaxed scheme promises too much, for the model best at new objects."""
    best: tuple[float, float, Any] | None = None
    for strict in (s for s in schemes if s["scheme"] == "strict"):
        for relaxed in (s for s in schemes if s["scheme"] == "relaxed"):
            same = all(strict[k] == relaxed[k] for k in ("model", "setting", "overlapping"))
            kinds = [k for k in ("averaged", "pooled") if None not in (strict[k], relaxed[k])]
            if same and kinds:
                found = (strict[kinds[0]], relaxed[kinds[0]], strict["model"])
                best = found if best is None or found[0] > best[0] else best
    if best is None or best[1] - best[0] <= 0.02:
        return None
    of = f" of {best[2]}" if best[2] else ""
    return (
        f"The relaxed scheme promises an AUC{of} of {best[1]:.2f}; with the tested objects held "
        f"out it is {best[0]:.2f}. For new objects report the strict one."
    )


def rank_verdict(data: dict[str, Any]) -> tuple[str, str]:
    """Verdict on the rankers, and what it rests on."""
    by = {line["name"]: line["average_precision"] for line in data["rankers"]}
    best = max(by, key=lambda name: by[name])
    first = f"“{best}” ranks best, with an average precision of {by[best]:.3f}"
    if "raw" in by and best != "raw":
        first += f"; the raw scores have {by['raw']:.3f}"
    elif best == "raw" and len(by) > 1:
        first = (
            f"The raw scores rank best here, with an average precision of {by['raw']:.3f}: "
            "no ranker shown is needed to order these calls"
        )
    top = next(line for line in data["rankers"] if line["name"] == data["live"])
    why = (
        f"{number(data['n_positives'])} members among {number(data['n_rows'])} objects × "
        f"{number(data['n_classes'])} classes. On these data the best F1 of “{data['live']}” is "
        f"{top['best_f1']:.3f}, at {number(top['best_f1_calls'])} calls."
    )
    return f"{first}.", why


def _plural(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}"
