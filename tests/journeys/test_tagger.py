"""Somebody with tagged documents: the same tags in four layouts, and scores of a model."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

TAGS = ["c#", "data frame", "numpy", "pandas", "python"]
LAYOUTS = ("wide.csv", "long.tsv", "list.csv", "commas.csv --separator ,")


@pytest.fixture
def tags(write):
    rng = np.random.default_rng(0)
    y = (rng.random((80, len(TAGS))) < [0.1, 0.2, 0.3, 0.4, 0.6]).astype(int)
    y[~y.any(axis=1), 4] = 1
    rows = [[tag for tag, has in zip(TAGS, row, strict=True) if has] for row in y.tolist()]
    docs = [f"d{n}" for n in range(80)]
    write("wide.csv", [",".join(["doc", *TAGS])] + [
        ",".join([doc, *map(str, row)]) for doc, row in zip(docs, y.tolist(), strict=True)
    ])  # fmt: skip
    write("long.tsv", ["doc\ttag"] + [
        f"{doc}\t{tag}" for doc, own in zip(docs, rows, strict=True) for tag in own
    ])  # fmt: skip
    write("list.csv", ["doc;tags"] + [
        f"{doc};{'|'.join(own)}" for doc, own in zip(docs, rows, strict=True)
    ])  # fmt: skip
    write("commas.csv", ["doc,tags"] + [
        f'{doc},"{",".join(own)}"' for doc, own in zip(docs, rows, strict=True)
    ])  # fmt: skip
    scores = np.round(y + rng.normal(size=y.shape), 4)
    write("scores.csv", [",".join(["doc", *TAGS])] + [
        ",".join([doc, *map(str, row)]) for doc, row in zip(docs, scores.tolist(), strict=True)
    ])  # fmt: skip
    return y, scores


@pytest.mark.parametrize("file", LAYOUTS)
def test_the_layout_changes_neither_the_counts_nor_the_number(tags, trueval, file):
    y, scores = tags
    split = trueval(f"split {file} -k 4 --json")
    assert (split["rows"], split["classes"], split["positives"]) == (80, len(TAGS), y.sum())
    folds = np.array(split["folds"])
    # Every tag has a quarter of its documents in each fold, to within one.
    for tag in range(len(TAGS)):
        counts = np.bincount(folds[y[:, tag] == 1], minlength=4)
        assert np.abs(counts - y[:, tag].sum() / 4).max() <= 1
    ranked = trueval(f"rank scores.csv {file} --ranker raw --json")
    expected = average_precision_score(y.ravel(), scores.ravel())
    assert ranked["average_precision"]["raw"] == pytest.approx(expected, abs=1e-9)


def test_spaces_that_may_separate_are_refused_with_both_ways_out(write, trueval):
    write("spaces.csv", ["doc,tags", "d1,python pandas", "d2,python numpy", "d3,c#"])
    error = trueval("split spaces.csv -k 2", code=1)
    assert "--separator ' '" in error
    assert "--layout long" in error
    assert trueval("split spaces.csv -k 2 --separator ' ' --json")["classes"] == 4
    assert trueval("split spaces.csv -k 2 --layout long --json")["classes"] == 3
