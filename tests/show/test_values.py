"""Values in a notebook: a card that says what they are, and one line of text."""

import html
import re

import numpy as np
import pytest
import scipy.sparse as sp

from trueval import Labels
from trueval.core.folds import Folds
from trueval.core.pairs import Pairs
from trueval.core.scores import Scores
from trueval.data import Ontology
from trueval.data.ontology import Annotations
from trueval.pairs import ObjectKFold
from trueval.show import summary

HOSTILE = "<script>alert(1)</script>"
TERMS = ["GO:1", "GO:2", "GO:3"]


def ontology():
    edges = [("GO:2", "GO:1", "is_a"), ("GO:3", "GO:1", "part_of")]
    names = ["root", HOSTILE, "leaf"]
    return Ontology(TERMS, edges, names=names, namespaces=["x"] * 3, obsolete=["GO:3"])


def values():
    y = np.array([[1, 0], [1, 1], [0, 0]])
    pairs = Pairs([("a", HOSTILE), ("b", "c"), ("a", "c"), ("d", "e")], [1, 0, 0, 1])
    return {
        "labels": Labels(y, [HOSTILE, "b"], ["P1", "P2", "P3"]),
        "dense": Scores(y / 2),
        "sparse": Scores(sp.csr_array(y / 2), [HOSTILE, "b"]),
        "folds": Folds(
            [0, 1, 0], [HOSTILE, "P2", "P3"], {"seed": 3, "parameters": {"method": "a"}}
        ),
        "annotations": Annotations(y, [HOSTILE, "b"], counts={"lines": 9}),
        "ontology": ontology(),
        "pairs": pairs,
        "fold": next(ObjectKFold(2, random_state=0).folds(groups=pairs)),
    }


def rows_of(card):
    """The cells of each line of the table of a card."""
    lines = re.findall(r"<tr.*?>(.*?)</tr>", card)
    return [tuple(html.unescape(c) for c in re.findall(r"<td.*?>(.*?)</td>", x)) for x in lines]


@pytest.mark.parametrize("name", values())
def test_a_card_is_escaped_and_the_text_is_one_line(name):
    value = values()[name]
    card = value._repr_html_()
    assert "<script" not in card
    assert "<thead" not in card
    assert html.escape(repr(value)) in card
    assert "\n" not in repr(value)
    assert all(len(row) == 3 for row in rows_of(card))
    assert summary(value).title == repr(value)


def test_what_cards_say():
    rows = {name: rows_of(value._repr_html_()) for name, value in values().items()}
    assert rows["labels"] == [
        ("rows", "3", "P1, P2, P3"),
        ("classes", "2", f"{HOSTILE}, b"),
        ("positives", "3", "1 a row"),
        ("positives of a class", "1 to 2", "median 1.5"),
    ]
    assert rows["sparse"][2:] == [
        ("scores", "3", "50 % of all pairs"),
        ("range of the scores", "0.500", ""),
    ]
    assert rows["folds"] == [
        ("rows", "3", f"{HOSTILE}, P2, P3"),
        ("folds", "2", "1 to 2 rows each"),
        ("made by", "", "method a, seed 3"),
    ]
    assert rows["annotations"][-2:] == [
        ("known negatives", "0", "NOT lines of the file"),
        ("lines", "9", "of the file"),
    ]
    assert rows["ontology"] == [
        ("terms", "3", f"GO:1 root, GO:2 {HOSTILE}"),
        ("roots", "1", "GO:1 root"),
        ("is_a", "1", "relations"),
        ("part_of", "1", "relations"),
        ("namespaces", "1", "x"),
        ("obsolete terms", "1", "GO:3 leaf"),
    ]
    assert rows["pairs"] == [
        ("pairs", "4", f"(a, {HOSTILE}), (b, c), (a, c), (d, e)"),
        ("ids", "6", f"{HOSTILE}, a, b, c, d, …"),
        ("labels", "4", "0: 2, 1: 2"),
    ]
    assert rows["fold"][0][2] == "of 6"
    assert sum(int(n) for what, n, _ in rows["fold"] if what != "objects held out") == 4


def test_many_names_are_cut():
    labels = Labels(np.ones((4, 9), dtype=int), [f"class {'x' * 50} {k}" for k in range(9)])
    (_, _, names) = rows_of(labels._repr_html_())[1]
    assert names.endswith(", …")
    assert len(names) < 250
