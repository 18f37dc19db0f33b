"""The kernel that reads "labels features" against a naive twin."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueval import _kernels
from trueval.data import _columns

NUMBER = r"\d{1,18}"
VALUE = r"[-+.eEnNaAiIfF\d]+"


def naive(text, n_labels, n_features, svmlight):
    """Counts, labels, and the first line in error: line by line, by regular expressions."""
    label = rf"[-+]?{NUMBER}(?:\.0*)?" if svmlight else NUMBER
    labels_of = re.compile(rf"{label}(?:,{label})*(?=[ \t]|$)")
    feature = re.compile(rf"(?:({NUMBER})|{'qid' if svmlight else '$^'}):({VALUE})")
    counts, labels = [], []
    for at, line in enumerate(text.split("\n")):
        if at == text.count("\n") and not line:
            break
        if svmlight and "#" in line:
            line = line[: line.index("#")]
        line = line.removesuffix("\r")
        if svmlight and not line.strip(" \t"):
            continue
        own, rest = [], line
        if line and line[0] not in " \t":
            first = re.split(r"[ \t]", line, maxsplit=1)[0]
            if not re.match(rf"{NUMBER}:" + (r"|qid:|[-+]\d{1,18}:" if svmlight else ""), first):
                found = labels_of.match(line)
                if found is None or found.group() != first:
                    return counts, labels, at
                own = [int(float(v)) if "." in v else int(v) for v in first.split(",")]
                rest = line[len(first) :]
        if n_labels >= 0 and not all(0 <= v < n_labels for v in own):
            return counts, labels, at
        for token in re.split(r"[ \t]+", rest):
            if not token:
                continue
            found = feature.fullmatch(token)
            if found is None or (n_features >= 0 and int(found.group(1) or 0) >= n_features):
                return counts, labels, at
        counts.append(len(own))
        labels.extend(own)
    return counts, labels, None


TOKENS = st.sampled_from(
    ["0", "1", "2", "12", "7", ",", ",", " ", " ", ":", ":", "\n", "\n", "\t", "1:1", " 3:0.5",
     "1,2", "\r\n", "#", "qid:1", "-", "+", ".0", ".", "x", "e", "9" * 19]
)  # fmt: skip


@given(
    st.lists(TOKENS, max_size=30).map("".join),
    st.sampled_from([-1, 2, 10]),
    st.sampled_from([-1, 2, 10]),
    st.booleans(),
)
def test_label_lines(text, n_labels, n_features, svmlight):
    data = np.frombuffer(text.encode(), np.uint8)
    counts, labels, error, line, offset, _ = _kernels.label_lines(
        data, n_labels, n_features, svmlight
    )
    expected = naive(text, n_labels, n_features, svmlight)
    if expected[2] is not None:
        assert error
        assert line == expected[2]
        assert text[:offset].count("\n") == line
    else:
        assert error == 0
        assert counts.tolist() == expected[0]
        assert labels.tolist() == expected[1]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
def test_numbers_of_ints_are_unique_with_inverse(seed, dtype, monkeypatch):
    monkeypatch.setattr(_columns, "_INTS", 7)
    rng = np.random.default_rng(seed)
    for high in (1, 3, 40, 10**6):
        low = 0 if dtype == np.uint64 else -high
        labels = rng.integers(low, high, rng.integers(1, 60)).astype(dtype)
        expected, inverse = np.unique(labels, return_inverse=True)
        codes = _columns.number_ints(labels.copy())
        assert codes.names.tolist() == expected.tolist()
        assert codes.names.dtype == dtype
        assert codes.codes.tolist() == inverse.tolist()
