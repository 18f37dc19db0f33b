"""The O(M) local quadratic fit against a plain least-squares one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval import _kernels
from trueval.core.errors import InputError
from trueval.rank._smoother import KERNELS, choose_bandwidth, local_quadratic

QUICK = settings(derandomize=True, deadline=None, max_examples=60, database=None)


def weight(kernel, t):
    if kernel == "gaussian":
        return np.where(np.abs(t) < 8, np.exp(-0.5 * t * t), 0.0)
    inside = np.abs(t) < 1
    if kernel == "tricube":
        return np.where(inside, (1 - np.abs(t) ** 3) ** 3, 0.0)
    return np.where(inside, 1 - t * t, 0.0)


def naive_fit(u, v, h, kernel):
    """QR least squares at each point, of the degree its distinct points can carry."""
    out = np.empty((3, len(u)))
    for i, x in enumerate(u):
        t = (u - x) / h
        w = weight(kernel, t)
        near = w > 0
        degree = min(len(np.unique(u[near])) - 1, 2)
        design = np.vander(t[near], degree + 1, increasing=True) * np.sqrt(w[near])[:, None]
        q, r = np.linalg.qr(design)
        inverse = np.linalg.inv(r)
        coef = inverse @ (q.T @ (np.sqrt(w[near]) * v[near]))
        out[:, i] = coef[0], (coef[1] / h if degree else 0.0), (inverse @ inverse.T)[0, 0]
    return out


def places(rng, n, kind):
    if kind == "even":
        return np.arange(1, n + 1) / n
    if kind == "ties":
        return np.sort(rng.integers(0, max(2, n // 4), size=n) / max(2, n // 4))
    return np.sort(rng.random(n))


def assert_close(fit, expected, h):
    scale = np.maximum(1.0, np.abs(expected))
    assert np.abs(fit.value - expected[0]).max() < 1e-8
    assert (np.abs(fit.slope - expected[1]) * h / scale[1]).max() < 1e-8
    assert (np.abs(fit.hat - expected[2]) / scale[2]).max() < 1e-8


@QUICK
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 120),
    kind=st.sampled_from(["even", "ties", "any"]),
    kernel=st.sampled_from(sorted(KERNELS)),
    h=st.floats(0.01, 1.5),
)
def test_equals_naive_fit(seed, n, kind, kernel, h):
    rng = np.random.default_rng(seed)
    u, v = places(rng, n, kind), rng.random(n)
    if kind == "any" and n > 1:
        u = np.round(u, 4)  # points apart by less make either answer meaningless
    assert_close(
        local_quadratic(u, v, h, kernel=kernel, even=kind == "even"), naive_fit(u, v, h, kernel), h
    )


@pytest.mark.parametrize("kernel", ["epanechnikov", "tricube"])
@pytest.mark.parametrize("kind", ["even", "ties", "any"])
@pytest.mark.parametrize("h", [0.01, 0.1, 0.6])
def test_equals_naive_fit_at_two_thousand_points(kernel, kind, h):
    rng = np.random.default_rng(5)
    u, v = places(rng, 2000, kind), rng.random(2000)
    got = local_quadratic(u, v, h, kernel=kernel, even=kind == "even")
    some = np.unique(
        np.concatenate([np.arange(12), np.arange(1988, 2000), rng.integers(0, 2000, 60)])
    )
    expected = np.stack([naive_at(u, v, h, kernel, i) for i in some], axis=1)
    assert np.abs(got.value[some] - expected[0]).max() < 1e-8
    assert (np.abs(got.slope[some] - expected[1]) * h).max() < 1e-8
    assert np.abs(got.hat[some] - expected[2]).max() < 1e-8


def naive_at(u, v, h, kernel, i):
    t = (u - u[i]) / h
    w = weight(kernel, t)
    near = w > 0
    degree = min(len(np.unique(u[near])) - 1, 2)
    root = np.sqrt(w[near])
    q, r = np.linalg.qr(np.vander(t[near], degree + 1, increasing=True) * root[:, None])
    inverse = np.linalg.inv(r)
    coef = inverse @ (q.T @ (root * v[near]))
    return coef[0], (coef[1] / h if degree else 0.0), (inverse @ inverse.T)[0, 0]


@pytest.mark.parametrize("kernel", sorted(KERNELS))
def test_a_quadratic_is_reproduced(kernel):
    u = np.sort(np.random.default_rng(1).random(300))
    fit = local_quadratic(u, 2 - 3 * u + 5 * u**2, 0.2, kernel=kernel)
    np.testing.assert_allclose(fit.value, 2 - 3 * u + 5 * u**2, atol=1e-9)
    np.testing.assert_allclose(fit.slope, -3 + 10 * u, atol=1e-7)


def test_far_blocks_do_not_lose_digits():
    # One prefix sum over the whole sample would be wrong by 0.3 here.
    u = np.arange(1, 200_001) / 200_000
    v = np.sin(3 * u)
    fit = local_quadratic(u, v, 0.001, even=True)
    np.testing.assert_allclose(fit.value, v, atol=1e-9)
    np.testing.assert_allclose(fit.slope, 3 * np.cos(3 * u), atol=1e-4)


@QUICK
@given(seed=st.integers(0, 10**6), n=st.integers(12, 60), h=st.floats(0.3, 1.0))
def test_leave_one_out_is_what_it_says(seed, n, h):
    rng = np.random.default_rng(seed)
    u, v = np.arange(1, n + 1) / n, rng.random(n)
    squares = 0.0
    for i in range(n):
        rest = np.arange(n) != i
        t = (u[rest] - u[i]) / h
        w = weight("epanechnikov", t)
        root = np.sqrt(w)
        design = np.vander(t, 3, increasing=True) * root[:, None]
        coef = np.linalg.lstsq(design, root * v[rest], rcond=None)[0]
        squares += (v[i] - coef[0]) ** 2
    got, freedom = _kernels.leave_one_out(u, v, h, 0, True)
    assert got == pytest.approx(squares, rel=1e-7)
    assert freedom == pytest.approx(local_quadratic(u, v, h).hat.sum(), rel=1e-9)


def test_bandwidth_is_the_best_of_the_grid():
    rng = np.random.default_rng(0)
    u = np.arange(1, 401) / 400
    v = np.sin(20 * u) + 0.1 * rng.normal(size=400)
    grid = np.array([0.004, 0.05, 0.5])
    h, errors, freedoms = choose_bandwidth(u, v, grid, even=True)
    assert h == 0.05
    assert errors[1] < errors[2]
    assert (np.diff(freedoms) < 0).all()
    # A window of a single point cannot do without it.
    assert choose_bandwidth(u, v, np.array([0.001, 0.05]), even=True)[1][0] == np.inf


def test_one_and_two_points():
    one = local_quadratic([0.3], [0.7], 0.1)
    assert (one.value[0], one.slope[0], one.hat[0]) == (0.7, 0.0, 1.0)
    two = local_quadratic([0.3, 0.4], [1.0, 2.0], 0.5)
    np.testing.assert_allclose(two.value, [1.0, 2.0])
    np.testing.assert_allclose(two.slope, [10.0, 10.0])


@pytest.mark.parametrize(
    ("u", "v", "h", "kernel", "said"),
    [
        ([0.2, 0.1], [0, 1], 0.1, "epanechnikov", "must not fall"),
        ([0.1, np.nan], [0, 1], 0.1, "epanechnikov", "finite"),
        ([0.1, 0.2], [0, 1, 2], 0.1, "epanechnikov", "one length"),
        ([0.1, 0.2], [0, 1], 0.0, "epanechnikov", "a number above 0"),
        ([0.1, 0.2], [0, 1], 0.1, "cosine", "kernel"),
    ],
)
def test_refuses(u, v, h, kernel, said):
    with pytest.raises(ValueError, match=said) as caught:
        local_quadratic(u, v, h, kernel=kernel)
    assert isinstance(caught.value, InputError) or said in ("a number above 0", "kernel")
