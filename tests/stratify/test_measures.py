import inspect
import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.strategies import label_arrays
from trueval.core.errors import InputError, ParameterError
from trueval.core.labels import as_labels
from trueval.data import simulate
from trueval.stratify import measures, split_quality
from trueval.stratify._parts import as_parts


@pytest.mark.filterwarnings("ignore:folds has the parts 1 to")
@given(label_arrays(), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_measures_equal_the_formulas(y, k, seed):
    folds = np.random.default_rng(seed).integers(k, size=len(y))
    if len(y) < k:
        return
    quality = split_quality(y, folds, parts=k)
    counted = y[:, y.any(axis=0) & ~y.all(axis=0)]
    for name in ("ld", "rld", "dcp") if counted.shape[1] else ():
        expected = getattr(naive, name)(counted, folds, k)
        np.testing.assert_allclose(getattr(quality, name), expected, rtol=1e-12, atol=1e-12)
    sizes = [(folds == j).sum() for j in range(k)]
    assert quality.ed == pytest.approx(sum(abs(s - len(y) / k) for s in sizes) / k)
    table = naive.counts(y, folds, k)
    np.testing.assert_array_equal(measures.class_part_counts(as_labels(y), folds, k), table)
    assert quality.missing == (table[y.any(axis=0)] == 0).sum()
    assert quality.avoidable == (table[y.sum(axis=0) >= k] == 0).sum()


def test_by_hand():
    # 10 rows in folds of 5; class a: 3 and 1 members, class b: 1 and 1.
    y = np.zeros((10, 2), dtype=int)
    y[[0, 1, 2, 5], 0] = 1
    y[[0, 9], 1] = 1
    quality = split_quality(y, [0] * 5 + [1] * 5)
    a_ld = (abs(3 / 2 - 4 / 6) + abs(1 / 4 - 4 / 6)) / 2
    assert quality.ld == pytest.approx((a_ld + 0) / 2)
    assert quality.rld == pytest.approx(((0.2 / 0.4 + 0.2 / 0.4) / 2 + 0) / 2)
    assert quality.dcp == pytest.approx((3 / 4 - 1 / 2 + 0) / 2)
    assert quality.ed == 0
    assert quality.per_class["rld"].tolist() == pytest.approx([0.5, 0.0])
    assert quality.per_class["dcp"].tolist() == pytest.approx([0.25, 0.0])


def test_ld_where_all_rows_have_the_class():
    counts, sizes = np.array([[4, 6], [4, 2]]), np.array([4, 6])
    everywhere, full_part = measures.ld(counts, sizes)
    assert everywhere == 0  # d = 1: nothing can be wrong
    # p = 1 in part 0: odds 4 over half a negative; 2/4 in part 1; 6/4 overall.
    assert full_part == pytest.approx((abs(8 - 1.5) + abs(0.5 - 1.5)) / 2)


def test_empty_classes_are_left_out_and_counted():
    y = np.array([[1, 0], [1, 0], [0, 0], [0, 0]])
    quality = split_quality(y, [0, 1, 0, 1])
    assert quality.n_empty == 1
    assert quality.rld == 0
    assert np.isnan(quality.per_class["rld"][1])
    assert "1 class has no positive" in repr(quality)


@given(st.integers(1, 60), st.integers(2, 12))
def test_equal_bounds_follow_the_closed_form(size, k):
    r = size % k
    shares = np.full(k, 1 / k)
    rld = measures.rld_bound(np.array([size]), shares)[0]
    dcp = measures.dcp_bound(np.array([size]), shares)[0]
    assert rld == pytest.approx(2 * r * (k - r) / (k * size), abs=1e-9)
    assert dcp == pytest.approx((k - r) / (k * size) if r else 0, abs=1e-9)


@given(
    st.integers(1, 9),
    st.lists(st.sampled_from([1, 2, 3, 5, 8, 30]), min_size=2, max_size=4),
)
def test_bounds_equal_the_best_of_all_divisions(size, weights):
    shares = np.array(weights) / sum(weights)
    rld = measures.rld_bound(np.array([size]), shares)[0]
    assert rld == pytest.approx(naive.least_rld(size, shares), abs=1e-9)
    dcp = measures.dcp_bound(np.array([size]), shares)[0]
    assert dcp == pytest.approx(naive.least_dcp(size, shares), abs=1e-9)


def test_classes_that_can_be_divided_exactly_have_bounds_of_exactly_zero():
    """Their shares of all members are integers, which floats do not say."""
    assert measures.rld_bound(np.array([5]), np.array([1, 2, 2]) / 5)[0] == 0
    assert measures.dcp_bound(np.array([110]), np.array([3, 8]) / 11)[0] == 0


@pytest.mark.filterwarnings("ignore:folds has the parts 1 to")
@given(label_arrays(), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_no_split_passes_the_bounds(y, k, seed):
    if len(y) < k:
        return
    quality = split_quality(y, np.random.default_rng(seed).integers(k, size=len(y)), parts=k)
    has = y.any(axis=0)
    table = quality.per_class
    assert (table["rld_wanted"][has] >= table["rld_bound"][has] - 1e-12).all()
    assert (table["dcp"][has] >= table["dcp_bound"][has] - 1e-12).all()


def test_printed_rld_can_pass_the_bound_but_rld_wanted_cannot():
    # 3 members, folds of 2 and 1 members: in folds of 8 and 4 rows p = d exactly.
    y = np.zeros((12, 1), dtype=int)
    y[[0, 1, 8]] = 1
    quality = split_quality(y, [0] * 8 + [1] * 4)
    assert quality.rld == 0
    assert quality.rld_bound == pytest.approx(2 * 1 * 1 / (2 * 3))
    assert quality.rld_wanted >= quality.rld_bound - 1e-12
    assert quality.ed == 2


SHARES = np.full(10, 0.1)


@pytest.mark.parametrize(
    ("kind", "rld", "dcp"),
    [
        ("equal", 0.0, 0.0),
        ("difference", 2 * 0.2 / 10, 0.02),
        # nine folds have 1/9 each: (1 + 9·(10/9 − 1)) / 10, and 1/9 − 1/10
        ("one missing", 0.2, 1 / 90),
    ],
)
def test_section_5_1(kind, rld, dcp):
    """LD grows with class size on SYNTHETIC, rLD and DCP are the same for all."""
    counts, sizes = simulate.synthetic_folds(kind)
    class_size = counts.sum(axis=1)
    assert class_size.min() == 20
    assert class_size.max() == 50_000
    assert sizes.sum() == 100_000
    # Whole members: shares are exact to one member in a fold of the smallest class.
    tolerance = 10 / class_size
    assert (np.abs(measures.rld(counts, sizes) - rld) <= tolerance).all()
    assert (np.abs(measures.dcp(counts, SHARES) - dcp) <= tolerance).all()
    ld = measures.ld(counts, sizes)
    if kind == "equal":
        assert (ld == 0).all()
    else:
        assert (np.diff(ld) > 0).mean() > 0.95
        assert ld[-1] > 100 * ld[0]


def test_synthetic_matrix_has_the_paper_class_sizes():
    y = simulate.synthetic()
    assert y.shape == (100_000, 100)
    assert y.nnz / (100_000 * 100) == pytest.approx(0.2500, abs=1e-4)  # Table 2
    quartiles = np.quantile(y.sum(axis=0), [0, 0.25, 0.5, 0.75, 1])
    assert np.floor(quartiles).tolist() == [20, 12512, 25005, 37497, 50000]


# --- what the sizes of the parts force -------------------------------------------------


def least_and_bound(y, shares):
    """Least sum of rLD of all splits with the wanted sizes, and what the bounds say."""
    sizes = as_parts(list(shares), len(y)).sizes()
    start = np.repeat(np.arange(len(sizes)), sizes).tolist()
    least = min(
        np.nansum(measures.rld_wanted(naive.counts(y, np.array(folds), len(sizes)), shares))
        for folds in set(itertools.permutations(start))
    )
    single = np.nansum(measures.rld_bound(y.sum(axis=0), shares))
    forced = measures.forced_rld(y.sum(axis=0), y.sum(axis=1), shares, sizes)
    assert forced >= 0
    return least, single + forced


UNEQUAL = st.sampled_from([(2, 1), (3, 1), (4, 2, 1)]).map(lambda w: np.array(w) / sum(w))


@given(label_arrays(min_rows=7, max_rows=7, max_classes=4), UNEQUAL)
def test_no_split_of_the_wanted_sizes_is_below_the_bound(y, shares):
    least, bound = least_and_bound(y, shares)
    assert bound <= least + 1e-9


@given(st.lists(st.integers(0, 3), min_size=4, max_size=7), st.sampled_from([(2, 1), (3, 1)]))
def test_sizes_alone_force_it_where_rows_have_one_label(classes, weights):
    """With two parts only the positives of each class are free, so the bound is reached."""
    least, bound = least_and_bound(np.eye(4, dtype=int)[classes], np.array(weights) / sum(weights))
    assert bound == pytest.approx(least)


def naive_forced(class_sizes, row_lengths, shares, part_sizes):
    """What one part forces at least: all numbers of positives that its classes may have there."""
    forced = 0.0
    for part, n_rows in enumerate(part_sizes):
        lengths = np.sort(row_lengths)
        fewest, most = lengths[:n_rows].sum(), lengths[len(lengths) - n_rows :].sum()
        least = {0: 0.0}  # cost by positives in the part, class after class
        for size in class_sizes:
            costs = dict(enumerate(naive.rld_by_positives(size, shares, part)))
            above = min(costs.values())
            following = {}
            for (had, cost), (more, price) in itertools.product(least.items(), costs.items()):
                total = cost + price - above
                following[had + more] = min(following.get(had + more, np.inf), total)
            least = following
        forced = max(forced, min(c for n, c in least.items() if fewest <= n <= most))
    return forced


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=4),
    st.sampled_from([(2, 1), (7, 3), (1, 9), (4, 2, 1), (6, 2, 2), (8, 1, 23), (5, 17, 1)]),
    st.data(),
)
def test_what_sizes_force_equals_the_twin(class_sizes, weights, data):
    shares = np.array(weights) / sum(weights)
    n_rows = data.draw(st.integers(max(class_sizes), 9), "rows")
    lengths = np.zeros(n_rows, int)
    for size in class_sizes:
        lengths[data.draw(st.permutations(range(n_rows)))[:size]] += 1
    cuts = sorted(data.draw(st.integers(0, n_rows)) for _ in weights[1:])
    part_sizes = np.diff([0, *cuts, n_rows])
    forced = measures.forced_rld(np.array(class_sizes), lengths, shares, part_sizes)
    assert forced == pytest.approx(naive_forced(class_sizes, lengths, shares, part_sizes), abs=1e-9)


@pytest.mark.parametrize(
    ("weights", "class_sizes", "part_sizes"),
    [((6, 2, 19), [3], [1, 2, 0]), ((1, 29, 9), [1, 3], [2, 1, 0]), ((4, 11, 15), [8], [4, 4, 0])],
)
def test_what_sizes_force_where_a_small_part_is_filled_before_a_large_one(
    weights, class_sizes, part_sizes
):
    shares, lengths = np.array(weights) / sum(weights), np.zeros(sum(part_sizes), int)
    for size in class_sizes:
        lengths[-size:] += 1
    forced = measures.forced_rld(np.array(class_sizes), lengths, shares, np.array(part_sizes))
    assert forced == pytest.approx(naive_forced(class_sizes, lengths, shares, part_sizes))


@pytest.mark.parametrize(("k", "forces"), [(20, True), (21, False)])
def test_many_parts_are_not_looked_at(k, forces):
    """All rows in the first part, which is to have one of 210 or so."""
    shares = np.arange(1, k + 1) / (k * (k + 1) / 2)
    sizes = np.array([30] + [0] * (k - 1))
    forced = measures.forced_rld(np.array([30]), np.ones(30, int), shares, sizes)
    assert (forced > 1) == forces
    assert (forced == 0) != forces


def test_equal_parts_are_not_looked_at():
    """Three of seven rows have nine positives at least, of four classes with two each at best."""
    lengths, sizes = np.array([4, 3, 3, 4, 3, 4, 3]), np.array([3, 2, 2])
    assert naive_forced([6] * 4, lengths, [1 / 3] * 3, sizes) == pytest.approx(1 / 3)
    assert measures.forced_rld(np.full(4, 6), lengths, np.full(3, 1 / 3), sizes) == 0


def test_a_single_part_forces_nothing():
    assert measures.forced_rld(np.array([3]), np.ones(3, int), np.array([1.0]), np.array([3])) == 0


def test_a_part_without_rows_forces_nothing_where_another_is_as_good():
    """3 positives at .2, .6, .2 are best divided 1, 2, 0 or 0, 2, 1; floats alone differ."""
    lengths, sizes = np.array([1, 1, 1] + [0] * 7), np.array([1, 9, 0])
    assert measures.forced_rld(np.array([3]), lengths, np.array([2, 6, 2]) / 10, sizes) == 0


def test_sizes_force_more_than_single_classes():
    """1,000 classes of 7 rows in parts of .7 and .3: by hand, 100 of them are 4 + 3."""
    y = np.repeat(np.eye(1000, dtype=np.int8), 7, axis=0)
    folds = np.tile([0, 0, 0, 0, 0, 1, 1], 1000)
    folds[4 : 7 * 100 : 7] = 1
    quality = split_quality(y, folds, parts=[0.7, 0.3])
    five_two, four_three = 0.5 * (0.1 / 4.9 + 0.1 / 2.1), 0.5 * (0.9 / 4.9 + 0.9 / 2.1)
    assert quality.rld_wanted == pytest.approx(0.9 * five_two + 0.1 * four_three)
    assert quality.rld_ratio == pytest.approx(1.0)
    assert quality.per_class["rld_bound"].mean() == pytest.approx(five_two)
    other_sizes = np.tile([0, 0, 0, 0, 0, 1, 1], 1000)
    assert split_quality(y, other_sizes, parts=[0.7, 0.3]).rld_ratio == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([0, 1, 2, 10**8], "folds has part 100000000, but there are 2 parts"),
        ([0, 1, 2, 0], "folds has part 2, but there are 2 parts"),
        ([0, 1], "one whole number for each of the 4 rows"),
        ([0, 1, 0, 1, 0], "one whole number for each of the 4 rows"),
        ([0.0, 1.0, 0.0, 1.0], "one whole number"),
    ],
)
def test_counts_of_broken_folds_are_refused(folds, message):
    """The kernel writes where a part number says, so that none may be outside."""
    with pytest.raises(InputError, match=message):
        measures.class_part_counts(np.ones((4, 2), dtype=int), folds, 2)


def test_rows_with_a_negative_part_are_not_counted():
    y = np.ones((4, 2), dtype=int)
    assert measures.class_part_counts(y, [0, -1, 1, -(2**40)], 2).tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int8])
def test_part_numbers_of_any_integer_type_are_counted(dtype):
    folds = np.array([0, 0, 0, 0], dtype=dtype)
    assert measures.class_part_counts(np.eye(4, 2, dtype=int), folds, 1).tolist() == [[1], [1]]


@pytest.mark.parametrize("n_parts", [0, 1.5, 2**31])
def test_there_is_a_whole_number_of_parts(n_parts):
    with pytest.raises(ParameterError, match=r"'n_parts' .* an int from 1 to 2147483647"):
        measures.class_part_counts(np.ones((2, 1), dtype=int), [-1, -1], n_parts)


@pytest.mark.parametrize("name", measures.__all__)
def test_measures_name_their_arguments_and_result(name):
    function = getattr(measures, name)
    headed = re.findall(r"^ *(\w+) : |^ *(Returns)$", inspect.getdoc(function), re.MULTILINE)
    assert ["".join(one) for one in headed] == [*inspect.signature(function).parameters, "Returns"]
