"""Several scores of one row and class: refused, or merged as asked for."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval.core.errors import InputError
from trueval.data import read_scores

QUICK = settings(derandomize=True, deadline=None, max_examples=40, database=None)
LINES = st.lists(
    st.tuples(st.sampled_from("pqr"), st.sampled_from("abc"), st.integers(-9, 9)), min_size=1
)


@QUICK
@given(lines=LINES, how=st.sampled_from(["max", "mean"]))
def test_scores_are_merged_as_by_a_dictionary(lines, how):
    text = "id,label,score\n" + "".join(f"{i},{k},{s}\n" for i, k, s in lines)
    scores = read_scores(text.encode(), format="csv", duplicates=how)
    seen = defaultdict(list)
    for i, k, s in lines:
        seen[i, k].append(s)
    merge = max if how == "max" else np.mean
    coo = scores.matrix.tocoo()
    found = {
        (str(scores.index[i]), str(scores.classes[k])): s
        for i, k, s in zip(coo.row, coo.col, coo.data, strict=True)
    }
    assert found == pytest.approx({pair: float(merge(values)) for pair, values in seen.items()})


def test_refused_unless_asked_for():
    text = b"id,label,score\np,a,1\np,a,2\n"
    with pytest.raises(InputError, match=r"line 3.*two scores") as error:
        read_scores(text, format="csv")
    assert "duplicates" in str(error.value.fix)
    with pytest.raises(ValueError, match="'duplicates' parameter"):
        read_scores(text, format="csv", duplicates="last")
