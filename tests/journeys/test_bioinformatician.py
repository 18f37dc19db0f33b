"""A bioinformatician: annotations (GAF), an ontology (OBO) and predictions in CAFA's format."""

import logging
import warnings
from pathlib import Path

import numpy as np
import pytest
from cafaeval.evaluation import cafa_eval

PROTEINS = [f"Q{number:05d}" for number in range(60)]
#: Terms with their parents; the first of each aspect is its root.
TERMS = {
    "GO:0008150": (),
    **{f"GO:01000{n:02d}": ("GO:0008150",) for n in range(1, 6)},
    **{f"GO:01001{n:02d}": (f"GO:01000{1 + n % 5:02d}",) for n in range(1, 11)},
    "GO:0003674": (),
    **{f"GO:02000{n:02d}": ("GO:0003674",) for n in range(1, 7)},
}
NAMESPACES = {"GO:0003674": "molecular_function", "GO:02": "molecular_function"}


def namespace(term):
    return next(
        (space for start, space in NAMESPACES.items() if term.startswith(start)),
        "biological_process",
    )


@pytest.fixture
def files(write):
    rng = np.random.default_rng(0)
    obo = ["format-version: 1.2", ""]
    for term, parents in TERMS.items():
        obo += ["[Term]", f"id: {term}", f"name: name of {term}", f"namespace: {namespace(term)}"]
        obo += [f"is_a: {parent}" for parent in parents] + [""]
    write("go.obo", obo)
    specific = [term for term, parents in TERMS.items() if parents]
    truth = {protein: rng.choice(specific, 3, replace=False).tolist() for protein in PROTEINS}
    gaf = ["!gaf-version: 2.2"]
    for protein, terms in truth.items():
        for term in terms:
            aspect = "F" if namespace(term) == "molecular_function" else "P"
            gaf.append(
                f"UniProtKB\t{protein}\tGENE\tenables\t{term}\tPMID:1\tEXP\t\t{aspect}\t\t\tprotein"
                "\ttaxon:9606\t20200101\tUniProt\t\t"
            )
    # A negated annotation is none.
    gaf.append(gaf[1].replace("\tenables\t", "\tNOT|enables\t").replace(PROTEINS[0], PROTEINS[1]))
    write("annotations.gaf", gaf)
    write("truth.tsv", [f"{p}\t{term}" for p, terms in truth.items() for term in terms])
    lines = [
        f"{protein}\t{term}\t{np.clip(0.5 * (term in terms) + 0.5 * rng.random(), 0.01, 1):.3f}"
        for protein, terms in truth.items()
        for term in specific
        if term in terms or rng.random() < 0.3
    ]
    write("predictions.txt", ["AUTHOR ME", "MODEL 1", "KEYWORDS sequence.", *lines, "END"])
    Path("plain").mkdir()
    write("plain/predictions.tsv", lines)
    return truth


def ancestors(term):
    return {term}.union(*(ancestors(parent) for parent in TERMS[term]))


def test_folds_of_annotations_count_every_ancestor(files, trueval):
    trueval("split annotations.gaf --ontology go.obo -k 5 -o folds.csv")
    with open("folds.csv", encoding="utf-8") as file:
        fold_of = dict(line.split(",") for line in file.read().splitlines()[1:])
    assert sorted(fold_of) == PROTEINS
    quality = trueval("quality annotations.gaf folds.csv --ontology go.obo --json")
    terms = {p: set().union(*map(ancestors, own)) for p, own in files.items()}
    assert quality["positives"] == sum(map(len, terms.values()))
    # The relative deviation of class counts from a fifth, by hand.
    shares = []
    for term in set().union(*terms.values()):
        own = [fold for p, fold in fold_of.items() if term in terms[p]]
        if len(own) == len(PROTEINS):
            continue  # a class without negatives is left out of the mean
        counts = np.bincount([int(fold) for fold in own], minlength=5)
        shares.append(np.mean(np.abs(counts / len(own) - 0.2) / 0.2))
    (measured,) = quality["methods"].values()
    assert measured["rld_wanted"] == pytest.approx(np.mean(shares), abs=1e-9)


def test_fmax_is_that_of_cafa_evaluator(files, trueval):
    found = trueval("cafa predictions.txt --truth truth.tsv --ontology go.obo --json")["aspects"]
    logging.getLogger().setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, best = cafa_eval("go.obo", "plain", "truth.tsv", n_cpu=1)
    theirs = best["f"].reset_index().set_index("ns")
    assert set(found) == set(theirs.index) == {"biological_process", "molecular_function"}
    for aspect, values in found.items():
        assert values["fmax"] == pytest.approx(theirs.loc[aspect, "f"], abs=1e-6)
        assert values["threshold"] == pytest.approx(theirs.loc[aspect, "tau"], abs=1e-9)
