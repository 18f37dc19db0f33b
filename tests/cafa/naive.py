"""The measures of CAFA from their definitions: sets, dictionaries and loops, nothing shared."""

import math
from collections import defaultdict

import numpy as np


def parents_of(ontology):
    """Parents of each term by is_a and part_of within a namespace; obsolete terms have none."""
    place = {term: i for i, term in enumerate(ontology.terms.tolist())}
    space = {term: ontology.namespaces[i] for term, i in place.items()}
    usable = {term for term, i in place.items() if not ontology.obsolete[i]}
    parents = {term: set() for term in usable}
    for child, parent, relation in ontology.edges:
        counts = relation in ("is_a", "part_of") and {child, parent} <= usable
        if counts and space[child] == space[parent]:
            parents[child].add(parent)
    return parents, space


def ancestors(term, parents):
    """The term and everything above it."""
    found, left = {term}, [term]
    while left:
        for parent in parents[left.pop()]:
            if parent not in found:
                found.add(parent)
                left.append(parent)
    return found


def close(terms, parents):
    return set().union(*(ancestors(term, parents) for term in terms)) if terms else set()


def carry_max(scores, parents):
    """Each ancestor gets the largest score below it."""
    carried = defaultdict(float)
    for term, score in scores.items():
        for above in ancestors(term, parents):
            carried[above] = max(carried[above], score)
    return dict(carried)


def carry_fill(scores, parents):
    """A term keeps its own score; without one it gets the largest of its children."""
    children = defaultdict(set)
    for child, above in parents.items():
        for parent in above:
            children[parent].add(child)

    def value(term):
        if term in scores:
            return scores[term]
        return max((value(child) for child in children[term]), default=0.0)

    return {t: value(t) for t in close(scores, parents)}


def divide(a, b):
    return a / b if b > 0 else 0.0


def harmonic(p, r):
    return divide(2 * p * r, p + r)


def measure(truth, predicted, weight, threshold, normalization):
    """All measures at one threshold.

    truth: protein → set of terms; predicted: protein → {term: score}; weight: term → number,
    only for the terms that count.
    """
    n = tp = fp = fn = precisions = recalls = 0.0
    for protein, true in truth.items():
        own = {t for t, s in predicted.get(protein, {}).items() if s >= threshold and t in weight}
        wanted = {t for t in true if t in weight}
        right = sum(weight[t] for t in own & wanted)
        wrong = sum(weight[t] for t in own - wanted)
        missing = sum(weight[t] for t in wanted - own)
        tp, fp, fn = tp + right, fp + wrong, fn + missing
        if right + wrong > 0:
            n += 1
            precisions += right / (right + wrong)
        recalls += divide(right, sum(weight[t] for t in wanted))
    everyone = len(truth)
    by = n if normalization == "pred" else everyone
    precision = divide(precisions, everyone if normalization == "gt" else n)
    recall = divide(recalls, by)
    ru, mi = divide(fn, by), divide(fp, by)
    return {
        "n": n,
        "coverage": n / everyone,
        "precision": precision,
        "recall": recall,
        "f": harmonic(precision, recall),
        "s": math.hypot(ru, mi),
        "f_micro": harmonic(divide(tp, tp + fp), divide(tp, tp + fn)),
        "precision_micro": divide(tp, tp + fp),
        "recall_micro": divide(tp, tp + fn),
    }


def evaluate(
    truth,
    predictions,
    ontology,
    thresholds=None,
    *,
    ia=None,
    known=None,
    terms=None,
    propagation="max",
    normalization="cafa",
    orphans=True,
):
    """By aspect: the best values and thresholds over some thresholds, or over all scores."""
    parents, space = parents_of(ontology)
    carry = carry_max if propagation == "max" else carry_fill
    found = {}
    for aspect in sorted(set(space.values())):
        inside = {t for t in parents if space[t] == aspect}
        true = {p: close(set(own) & inside, parents) for p, own in truth.items()}
        true = {p: own for p, own in true.items() if own}
        scores = {
            p: carry({t: s for t, s in own.items() if t in inside}, parents)
            for p, own in predictions.items()
            if p in true
        }
        if known is not None:
            before = {p: close(set(known.get(p, ())) & inside, parents) for p in true}
            true = {p: own - before[p] for p, own in true.items()}
            scores = {
                p: {t: s for t, s in own.items() if t not in before[p]} for p, own in scores.items()
            }
        counted = {t for t in inside if terms is None or t in terms}
        unit = {t: 1.0 for t in counted if orphans or parents[t]}
        if known is not None or terms is not None:
            true = {p: own for p, own in true.items() if own & unit.keys()}
        if not true:
            continue
        weights = {"": unit}
        if ia is not None:
            weights["w"] = {t: ia[t] for t in counted if ia.get(t, 0) > 0}
        cuts = thresholds
        if cuts is None:
            pairs = {(t, s) for p in true for t, s in scores.get(p, {}).items()}
            kept = set().union(*weights.values())
            cuts = sorted({s for t, s in pairs if t in kept})
        found[aspect] = best(true, scores, weights, cuts, normalization)
    return found


def best(true, scores, weights, thresholds, normalization):
    """First best value of each measure over the thresholds with a prediction."""
    result = {"n_proteins": len(true)}
    rows = {
        key: [measure(true, scores, weight, t, normalization) for t in thresholds]
        for key, weight in weights.items()
    }
    covered = [i for i, row in enumerate(rows[""]) if row["n"] > 0]
    for key, own in rows.items():
        result[f"{key}fmax"] = max((own[i]["f"] for i in covered), default=0.0)
        result[f"{key}fmax_micro"] = max((own[i]["f_micro"] for i in covered), default=0.0)
        areas = {"aupr": ("precision", "recall")}
        areas["aupr_micro"] = ("precision_micro", "recall_micro")
        for name, (p, r) in areas.items():
            area, last = 0.0, 0.0
            for row in own[::-1]:
                area, last = area + row[p] * (row[r] - last), row[r]
            result[key + name] = area
        s = min((own[i]["s"] for i in covered), default=None)
        result["smin" if key == list(rows)[-1] else "smin_unweighted"] = s
    if covered:
        at = max(covered, key=lambda i: (rows[""][i]["f"], -i))
        result["threshold"] = thresholds[at]
        result["coverage"] = rows[""][at]["coverage"]
    return result


def accretion(annotations, ontology, pseudocount=1):
    """−log₂ of the proteins with a term among those with all its parents."""
    parents, space = parents_of(ontology)
    values = {}
    for aspect in set(space.values()):
        closed = [
            close({t for t in own if t in parents and space[t] == aspect}, parents)
            for own in annotations.values()
        ]
        closed = [own for own in closed if own]
        for term in (t for t in parents if space[t] == aspect):
            with_term = sum(term in own for own in closed) + pseudocount
            with_parents = sum(parents[term] <= own for own in closed) + pseudocount
            values[term] = -math.log2(with_term / with_parents) if with_term else math.inf
    return values


def knowledge(before, after, ontology):
    """Type of each protein in each aspect, with its new terms; from the words of CAFA."""
    parents, space = parents_of(ontology)

    def knows(annotations, protein, aspect):
        own = {t for t in annotations.get(protein, ()) if space[t] == aspect}
        return {t for t in close(own, parents) if parents[t]}  # a root is no knowledge

    aspects = sorted(set(space.values()))
    found = {kind: {a: {} for a in aspects} for kind in ("no", "limited", "partial")}
    for protein in after:
        old = {a: knows(before, protein, a) for a in aspects}
        for aspect in aspects:
            new = knows(after, protein, aspect)
            if old[aspect]:
                if new - old[aspect]:
                    found["partial"][aspect][protein] = new - old[aspect]
            elif new:
                kind = "limited" if any(old.values()) else "no"
                found[kind][aspect][protein] = new
    return found


def first_lines(lines, limit, space):
    """Lines that CAFA-evaluator keeps: while a protein has at most so many terms of an aspect."""
    seen = defaultdict(set)
    kept = []
    for protein, term, score in lines:
        own = seen[protein, space[term]]
        if len(own) <= limit:
            own.add(term)
            kept.append((protein, term, score))
    return kept


def grid(step):
    return np.arange(step, 1, step).tolist()
