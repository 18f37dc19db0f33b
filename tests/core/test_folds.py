"""Part numbers as users give them: how they are counted."""

import warnings

import numpy as np
import pytest

from trueval import InputWarning
from trueval.core.folds import as_folds


@pytest.mark.parametrize("numbers", [[1, 2, 2, 1], [3, 1, 2], [1, -1, 2], np.array([2.0, 1.0])])
def test_parts_that_seem_counted_from_1_are_said_to_be_counted_from_0(numbers):
    with pytest.warns(InputWarning, match=r"parts 1 to \d; .* part 0 is empty\. .*subtract"):
        assert as_folds(numbers, free=True).tolist() == list(numbers)


@pytest.mark.parametrize("numbers", [[1, 1], [0, 2], [1, 3], [0, 1], [2**31 - 1, 1], [-1, -1]])
def test_other_parts_are_not(numbers):
    assert as_folds(numbers, free=True).tolist() == numbers


def test_parts_are_taken_as_given_where_their_number_is_known():
    assert as_folds([1, 2], n_parts=3).tolist() == [1, 2]


def test_parts_of_half_precision_are_read_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert as_folds(np.array([0, 1, 1], "f2")).tolist() == [0, 1, 1]
