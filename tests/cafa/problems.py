"""Random benchmarks, as plain dictionaries and as files."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from trueval.data import Ontology, simulate, write_ontology

#   R          terms with their information accretion: R 0, A 1, B 2, C 3
#   ├ A ─ C    truth: P1 C, P2 B, P3 A
#   └ B        predictions: P1 C 0.9 and B 0.5, P2 A 0.6, P3 none
SMALL = Ontology(
    ["X:R", "X:A", "X:B", "X:C"],
    [("X:A", "X:R", "is_a"), ("X:B", "X:R", "is_a"), ("X:C", "X:A", "part_of")],
    names=["root", "first", "second", "third"],
    namespaces=["f"] * 4,
    definitions=["Everything.", "The first thing.", "The second thing.", "A part of the first."],
)
SMALL_IA = {"X:R": 0.0, "X:A": 1.0, "X:B": 2.0, "X:C": 3.0}
SMALL_TRUTH = {"P1": ["X:C"], "P2": ["X:B"], "P3": ["X:A"]}
SMALL_PREDICTIONS = {"P1": {"X:C": 0.9, "X:B": 0.5}, "P2": {"X:A": 0.6}}


@dataclass
class Problem:
    ontology: Ontology
    truth: dict
    lines: list
    ia: dict | None

    @property
    def predictions(self):
        """Largest score of each pair."""
        found = {}
        for protein, term, score in self.lines:
            own = found.setdefault(protein, {})
            own[term] = max(own.get(term, 0.0), score)
        return found

    def write(self, folder):
        """Files for both programs: ontology, predictions, truth, accretion."""
        write_ontology(folder / "o.obo", self.ontology)
        (folder / "predictions").mkdir(exist_ok=True)
        lines = [f"{p}\t{t}\t{s!r}\n" for p, t, s in self.lines]
        head = "AUTHOR x\nMODEL 1\nKEYWORDS words, and more words.\n"
        path = folder / "predictions" / "method.txt"
        path.write_text(head + "".join(lines) + "END\n")
        rows = [f"{p}\t{t}\tX\n" for p, own in self.truth.items() for t in own]
        (folder / "truth.tsv").write_text("".join(rows))
        ia = None
        if self.ia is not None:
            ia = folder / "IA.txt"
            ia.write_text("".join(f"{t}\t{v!r}\n" for t, v in self.ia.items()))
        return folder / "o.obo", path, folder / "truth.tsv", ia


def make_problem(seed, *, weighted=None, most_proteins=12, most_terms=25, digits=None):
    """A problem of a few proteins, with proteins that only one side has."""
    rng = np.random.default_rng(seed)
    n_spaces = int(rng.integers(1, 4))
    n_terms = int(rng.integers(n_spaces + 1, most_terms))
    ontology = simulate.random_ontology(n_terms, n_spaces, random_state=seed)
    terms = ontology.terms.tolist()
    digits = int(rng.integers(1, 5)) if digits is None else digits
    truth, lines = {}, []
    n = int(rng.integers(1, most_proteins))
    for i in range(n):
        truth[f"P{i}"] = sorted(set(rng.choice(terms, rng.integers(1, 4)).tolist()))
    for i in range(n + 2):
        if rng.random() < 0.25:
            continue
        for term in rng.choice(terms, rng.integers(1, 8)).tolist():
            score = max(round(float(rng.random()) ** 2, digits), 10.0**-digits)
            lines.append((f"P{i}", term, score))
    if not lines:
        lines.append(("P0", terms[0], 0.5))
    ia = None
    if rng.random() < 0.7 if weighted is None else weighted:
        ia = {t: max(0.0, round(float(rng.normal(1, 1)), 3)) for t in terms}
        ia[terms[-1]] = 1.0
    return Problem(ontology, truth, lines, ia)


@st.composite
def problems(draw, **options):
    return make_problem(draw(st.integers(0, 2**32 - 1)), **options)
