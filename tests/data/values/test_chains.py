"""Chains of writing, reading, converting and writing again: the value stays, or is refused."""

import os
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from trueval import InputError, Labels, align, as_labels, stratified_folds
from trueval import data as data_io
from trueval.cafa import (
    read_accretion,
    read_predictions,
    read_truth,
    write_accretion,
    write_predictions,
    write_truth,
)
from trueval.core.pairs import Pairs
from trueval.core.scores import Scores
from trueval.data._values.pair_folds import read_pair_folds, write_pair_folds
from trueval.report import Stage, read_stage, write_stage

NAMES = st.lists(
    st.text(alphabet="abAB019 .-_;,|é\"'#\n", min_size=1, max_size=4).filter(
        lambda text: text == text.strip()
    ),
    min_size=2,
    max_size=5,
    unique=True,
)
LAYOUTS = st.sampled_from([None, "wide", "long", "list"])
SUFFIXES = st.sampled_from(
    ["npz", "parquet", "csv", "tsv", "csv.gz", "tsv.zst", "csv.xz", "tsv.bz2"]
)
PACKED = st.sampled_from(["", ".gz", ".zst", ".xz", ".bz2"])
CONTAINERS = {
    "dense": lambda y: pd.DataFrame(y.toarray(), y.index, y.classes),
    "bool": lambda y: pd.DataFrame(y.toarray().astype(bool), y.index, y.classes),
    "sparse": lambda y: Labels(sp.coo_array(y.matrix), y.classes, y.index),
    "csc": lambda y: Labels(sp.csc_matrix(y.matrix), y.classes.tolist(), y.index.tolist()),
    "polars": lambda y: Labels(
        as_labels(pl.DataFrame(y.toarray(), y.classes.tolist())).matrix, y.classes, y.index
    ),
}


def through(path, write, read):
    """What a file gives back; None where it is refused at writing, the old file kept."""
    before = path.read_bytes() if path.exists() else None
    try:
        write(path)
    except InputError:
        assert (path.read_bytes() if path.exists() else None) == before
        return None
    return read(path)


class InFolder(RuleBasedStateMachine):
    """A machine with a folder of its own."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()

    def path(self, name):
        return Path(self.folder.name, name)

    def teardown(self):
        self.folder.cleanup()


class Chains(InFolder):
    """One table that goes through files and containers, and what it must be."""

    @initialize(rows=NAMES, classes=NAMES, seed=st.integers(0, 2**32 - 1))
    def begin(self, rows, classes, seed):
        rng = np.random.default_rng(seed)
        self.rows, self.classes = rows, classes
        self.y = (rng.random((len(rows), len(classes))) < 0.5).astype(int)
        self.y[np.arange(len(rows)), rng.integers(0, len(classes), len(rows))] = 1
        self.y[rng.integers(0, len(rows), len(classes)), np.arange(len(classes))] = 1
        self.values = np.round(rng.normal(size=self.y.shape), 3) + self.y
        self.folds = rng.integers(0, 2, len(rows))
        self.labels = Labels(self.y, classes, rows)
        self.scores = Scores(self.values, np.array(classes), np.array(rows))
        self.parts = None

    @rule(suffix=SUFFIXES, layout=LAYOUTS)
    def labels_through_a_file(self, suffix, layout):
        layout = layout if "sv" in suffix else None
        read = through(
            self.path(f"y.{suffix}"),
            lambda path: data_io.write_labels(path, self.labels, layout=layout),
            lambda path: data_io.read_labels(path, layout=layout),
        )
        self.labels = read or self.labels

    @rule(suffix=SUFFIXES)
    def scores_through_a_file(self, suffix):
        read = through(
            self.path(f"s.{suffix}"),
            lambda path: data_io.write_scores(path, self.scores),
            data_io.read_scores,
        )
        self.scores = read or self.scores

    @rule(suffix=SUFFIXES)
    def folds_through_a_file(self, suffix):
        read = through(
            self.path(f"f.{suffix}"),
            lambda path: data_io.write_folds(path, self.folds, labels=self.labels),
            lambda path: data_io.read_folds(path, self.labels),
        )
        if read is not None:
            assert read.folds.tolist() == self.folds.tolist()

    @rule(container=st.sampled_from(sorted(CONTAINERS)))
    def another_container(self, container):
        self.labels = as_labels(CONTAINERS[container](self.labels))

    @rule()
    def sparse_scores(self):
        dense = self.scores.matrix.toarray() if self.scores.is_sparse else self.scores.matrix
        if (dense != 0).all():
            other = dense if self.scores.is_sparse else sp.csr_array(dense)
            self.scores = Scores(other, self.scores.classes, self.scores.index)

    @rule(data=st.data())
    def another_order(self, data):
        classes = data.draw(st.permutations(self.labels.classes.tolist()))
        self.labels = align(self.labels, classes=classes)
        self.scores = align(self.scores, classes=classes)

    @invariant()
    def the_value_is_the_same(self):
        labels = align(self.labels, rows=self.rows, classes=self.classes)
        assert labels.toarray().tolist() == self.y.tolist()
        scores = align(self.scores, rows=self.rows, classes=self.classes)
        matrix = scores.matrix.toarray() if scores.is_sparse else scores.matrix
        assert matrix.tolist() == self.values.tolist()

    @invariant()
    def the_folds_are_the_same(self):
        """Folds follow from the value, not from the container or the order of the classes."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # tiny data
            labels = align(self.labels, rows=self.rows)
            parts = stratified_folds(labels, 2, random_state=0).tolist()
        assert self.parts is None or parts == self.parts
        self.parts = parts


TERMS = st.lists(
    st.text(alphabet="GO:0123ab_-.", min_size=1, max_size=6), min_size=2, max_size=5, unique=True
)


class OtherChains(InFolder):
    """Folds of pairs, an ontology, CAFA's files and a saved result, each through its files."""

    @initialize(proteins=TERMS, terms=TERMS, seed=st.integers(0, 2**32 - 1))
    def begin(self, proteins, terms, seed):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, (len(proteins), len(terms)))
        y[np.arange(len(proteins)), rng.integers(0, len(terms), len(proteins))] = 1
        y[rng.integers(0, len(proteins), len(terms)), np.arange(len(terms))] = 1
        self.truth = Labels(y, terms, proteins)
        self.positives = positives(self.truth)
        self.scores = {
            t: {term: round(float(rng.uniform(0.001, 1)), 3) for term in terms} for t in proteins
        }
        self.predictions = self.scores
        self.accretion = {term: float(rng.random()) for term in terms}
        self.ia = self.accretion
        self.edges = {
            (terms[i], terms[j], str(rng.choice(["is_a", "part_of"])))
            for i in range(len(terms))
            for j in range(i)
            if rng.random() < 0.6
        }
        self.ontology = data_io.Ontology(terms, self.edges)
        order = rng.permutation(4)
        self.pair_folds = [(order[:k], order[k:]) for k in (1, 2, 3)]
        self.pairs = rng.choice(proteins, (4, 2)).tolist()
        rows = [[str(rng.choice(terms)), float(rng.normal())] for _ in range(3)]
        data = {"title": terms[0], "columns": ["a", "b"], "rows": rows, "notes": proteins}
        self.stage = self.first_stage = Stage("study", data, {"seed": int(seed)})

    @rule(packed=PACKED)
    def truth_through_a_file(self, packed):
        path = self.path(f"truth.tsv{packed}")
        self.truth = through(path, lambda p: write_truth(p, self.truth), read_truth) or self.truth

    @rule(packed=PACKED)
    def predictions_through_a_file(self, packed):
        path = self.path(f"team.txt{packed}")
        read = through(path, lambda p: write_predictions(p, self.predictions), read_predictions)
        self.predictions = self.predictions if read is None else read

    @rule(packed=PACKED)
    def accretion_through_a_file(self, packed):
        path = self.path(f"ia.txt{packed}")
        read = through(path, lambda p: write_accretion(p, self.ia), read_accretion)
        self.ia = self.ia if read is None else read

    @rule(packed=PACKED)
    def ontology_through_a_file(self, packed):
        path = self.path(f"o.obo{packed}")
        write, read = data_io.write_ontology, data_io.read_ontology
        self.ontology = through(path, lambda p: write(p, self.ontology), read) or self.ontology

    @rule(suffix=SUFFIXES)
    def folds_of_pairs_through_a_file(self, suffix):
        path = self.path(f"p.{suffix}")
        read = through(
            path,
            lambda p: write_pair_folds(p, self.pairs, self.pair_folds),
            lambda p: read_pair_folds(p, Pairs(self.pairs)),
        )
        if read is not None:
            assert [[sorted(rows) for rows in fold] for fold in read.values()] == [
                [sorted(rows.tolist()) for rows in fold] for fold in self.pair_folds
            ]

    @rule()
    def result_through_a_file(self):
        self.stage = through(self.path("s.json"), lambda p: write_stage(p, self.stage), read_stage)

    @invariant()
    def the_values_are_the_same(self):
        assert positives(self.truth) == self.positives
        if isinstance(self.predictions, dict):
            made = self.predictions
        else:
            matrix, found = self.predictions.matrix.toarray(), self.predictions
            made = {
                str(t): dict(zip(map(str, found.terms), row, strict=True))
                for t, row in zip(found.targets, matrix.tolist(), strict=True)
            }
        assert made == self.scores
        ia = self.ia
        if not isinstance(ia, dict):
            ia = dict(zip(ia["term"].tolist(), ia["ia"].tolist(), strict=True))
        assert ia == self.accretion
        assert {*self.ontology.edges} == self.edges
        assert self.stage == self.first_stage


def positives(labels):
    """The (row, class) pairs of labels."""
    rows, columns = labels.matrix.nonzero()
    return {*zip(labels.index[rows].tolist(), labels.classes[columns].tolist(), strict=True)}


for machine in (Chains, OtherChains):
    machine.TestCase.settings = settings(
        max_examples=int(os.environ.get("TRUEVAL_CHAINS", "15")), stateful_step_count=12
    )
TestChains, TestOtherChains = Chains.TestCase, OtherChains.TestCase
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*the classes are not in sorted order"),
    pytest.mark.filterwarnings("ignore:.*is read as a class"),  # one that is named '-'
]
