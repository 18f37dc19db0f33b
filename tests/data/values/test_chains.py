"""Chains of writing, reading, converting and writing again: the value stays, or is refused."""

import os
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from trueval import InputError, Labels, align, as_labels, stratified_folds
from trueval import data as data_io
from trueval.core.scores import Scores

NAMES = st.lists(
    st.text(alphabet="abAB019 .-_;,|é\"'#\n", min_size=1, max_size=4).filter(
        lambda text: text == text.strip()
    ),
    min_size=2,
    max_size=5,
    unique=True,
)
LAYOUTS = st.sampled_from([None, "wide", "long", "list"])
SUFFIXES = st.sampled_from(["npz", "parquet", "csv", "tsv", "csv.gz", "tsv.zst", "csv.xz"])
CONTAINERS = {
    "dense": lambda y: pd.DataFrame(y.toarray(), y.index, y.classes),
    "bool": lambda y: pd.DataFrame(y.toarray().astype(bool), y.index, y.classes),
    "sparse": lambda y: Labels(sp.coo_array(y.matrix), y.classes, y.index),
    "csc": lambda y: Labels(sp.csc_matrix(y.matrix), y.classes.tolist(), y.index.tolist()),
    "polars": lambda y: Labels(
        as_labels(pl.DataFrame(y.toarray(), y.classes.tolist())).matrix, y.classes, y.index
    ),
}


class Chains(RuleBasedStateMachine):
    """One table that goes through files and containers, and what it must be."""

    @initialize(rows=NAMES, classes=NAMES, seed=st.integers(0, 2**32 - 1))
    def begin(self, rows, classes, seed):
        rng = np.random.default_rng(seed)
        self.folder = tempfile.TemporaryDirectory()
        self.rows, self.classes = rows, classes
        self.y = (rng.random((len(rows), len(classes))) < 0.5).astype(int)
        self.y[np.arange(len(rows)), rng.integers(0, len(classes), len(rows))] = 1
        self.y[rng.integers(0, len(rows), len(classes)), np.arange(len(classes))] = 1
        self.values = np.round(rng.normal(size=self.y.shape), 3) + self.y
        self.folds = rng.integers(0, 2, len(rows))
        self.labels = Labels(self.y, classes, rows)
        self.scores = Scores(self.values, np.array(classes), np.array(rows))
        self.parts = None

    def path(self, name):
        return Path(self.folder.name, name)

    def through(self, path, write, read):
        """What a file gives back; None where it is refused at writing, the old file kept."""
        before = path.read_bytes() if path.exists() else None
        try:
            write(path)
        except InputError:
            assert (path.read_bytes() if path.exists() else None) == before
            return None
        return read(path)

    @rule(suffix=SUFFIXES, layout=LAYOUTS)
    def labels_through_a_file(self, suffix, layout):
        layout = layout if "sv" in suffix else None
        read = self.through(
            self.path(f"y.{suffix}"),
            lambda path: data_io.write_labels(path, self.labels, layout=layout),
            lambda path: data_io.read_labels(path, layout=layout),
        )
        self.labels = read or self.labels

    @rule(suffix=SUFFIXES)
    def scores_through_a_file(self, suffix):
        read = self.through(
            self.path(f"s.{suffix}"),
            lambda path: data_io.write_scores(path, self.scores),
            data_io.read_scores,
        )
        self.scores = read or self.scores

    @rule(suffix=SUFFIXES)
    def folds_through_a_file(self, suffix):
        read = self.through(
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

    def teardown(self):
        if hasattr(self, "folder"):
            self.folder.cleanup()


Chains.TestCase.settings = settings(
    max_examples=int(os.environ.get("TRUEVAL_CHAINS", "15")), stateful_step_count=12
)
TestChains = Chains.TestCase
