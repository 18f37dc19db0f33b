"""Tables 6 and 7 of the local-precision-rate paper, in their form."""

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve

from trueval.study import _published_002 as published
from trueval.study._cells import Done, stream
from trueval.study._rank_hierarchy import TREE, draw_scores
from trueval.study._rank_recalls import at_recalls, table_6, table_7

RECALLS = (0.2, 0.3, 0.4, 0.5, 0.6)


def test_precisions_of_raw_scores_are_those_of_scikit_learn():
    result = at_recalls(3, TREE, 0, 400)
    _, _, new, new_y, _ = draw_scores(TREE, 400, stream(3, "recalls", TREE, 0))
    precision, recall, _ = precision_recall_curve(np.ravel(new_y), np.ravel(new))
    expected = [precision[np.flatnonzero(recall >= r)[-1]] for r in RECALLS]
    np.testing.assert_allclose(result["first stage"], expected, atol=1e-6)
    f, p, r = result["F of OT"]
    assert f == pytest.approx(2 * p * r / (p + r), abs=1e-5)


def test_a_recall_that_ties_jump_over_has_no_figure():
    names = ("first stage", "two stage", "LPR", "ltdr", "p-value", "FDR", "LPR ours", "ours")
    result = {name: [0.5] * 5 for name in names} | {"p-value": [None, 0.4, 0.3, 0.2, 0.1]}
    result |= {"LPR": [0.9, 0.8, 0.7, 0.6, 0.5], "F of LPR": [0.5] * 3, "F of OT": [0.6] * 3}
    done = [Done({"data": "x", "run": 0, "n": 10}, result, 0.0)]
    outcome = table_6(done)
    assert np.isnan(outcome.table["p-value"][0])
    notes = " ".join(outcome.notes)
    assert "x: LPR outperforms p-values at almost all recalls: yes, LPR less it +0.400" in notes
    assert "LPR outperforms the first stage: no, LPR less it +0.000 to +0.400" in notes
    assert "p-value yes (none), FDR yes (0.500), against 0.900 of LPR at a recall of 0.2" in notes
    assert "slightly better in terms of F”: yes, OT less LPR +0.100" in table_7(done).notes[0]


def test_published_tables_agree_with_the_text():
    for row in published.GEO_F.values():
        f = 2 * row["precision"] * row["recall"] / (row["precision"] + row["recall"])
        assert row["F"] == pytest.approx(f, abs=5e-4)
    for row in published.GEO_PRECISION.values():
        assert row["LPR"] > row["two stage"] > row["first stage"]
