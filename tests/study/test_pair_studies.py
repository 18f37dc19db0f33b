"""Studies of object-level cross-validation: what they say, from figures known by hand."""

import numpy as np
import pytest

from trueval.pairs import DeviationStudy
from trueval.study import run_study
from trueval.study._cells import Done
from trueval.study._pair_deviations import READINGS, of_reading, plain_arrays, reading_of
from trueval.study._pair_schemes import dialled, skill
from trueval.study._pair_trends import _STATEMENTS, trends


def study_of(relaxed, strict, truth=0.7, n_values=10, n=4):
    """Deviations whose mean and variance are given, by scheme; falling truths."""
    values = list(range(10, 10 * n_values + 1, 10))
    truths = np.tile(np.linspace(truth, truth - 0.05, n_values), (n, 1))
    wave = np.tile([1.0, -1.0], n // 2)[:, None, None] * np.sqrt((n - 1) / n)
    estimates = np.empty((n, 2, 3, n_values))
    for s, (mean, variance) in enumerate((relaxed, strict)):
        mean, variance = (np.broadcast_to(np.asarray(m), (3, n_values)) for m in (mean, variance))
        estimates[:, s] = truths[:, None, :] + mean + wave * np.sqrt(variance)
    return DeviationStudy(
        estimates=estimates,
        truths=truths,
        nulls=np.full((n, 2, 3), 0.5),
        excluded=np.zeros(n, dtype=int),
        rates=np.full(n, 0.1),
        values=values,
        n_splits=10,
        influence=np.zeros((n, 25, n_values)),
    )


def done_of(study, domain="MF", **more):
    return Done({"domain": domain, "first": 0, **more}, plain_arrays(study), 0.0)


def answers(outcome):
    table = outcome.table
    return dict(zip(table["statement"].tolist(), table["holds"].tolist(), strict=True))


def test_types_of_pairs_are_counted_by_hand():
    """Six of nine objects in the data set, two of them held out."""
    table = run_study("001-figure1").table
    assert table["pairs"].tolist() == [15, 18, 3, 6, 8, 1]
    assert table["members seen"].tolist() == [2, 1, 0, 2, 1, 0]
    assert table["strict trains on"][3:].tolist() == [1, 0, 0]
    assert table["relaxed trains on"][3:].tolist() == [1, 1, 0]
    assert table["validated"].tolist() == [1, 0, 0, 0, 0, 1]


def test_a_study_as_the_paper_describes_it_has_every_statement_of_it():
    """Means and variances of MF at K = 50, with the trends that the text says."""
    fall, rise = np.linspace(1.1, 0.9, 10), np.linspace(0.9, 1.1, 10)
    relaxed = (np.outer([0.1509, 0.1614, 0.1642], fall), np.outer([0.0032, 0.0025, 0.0012], fall))
    strict = (
        np.array([[-0.02], [-0.0282], [-0.0285]]) * np.linspace(0.99, 1.01, 10),
        np.outer([0.0051, 0.0046, 0.0025], rise),
    )
    outcome = trends([done_of(study_of(relaxed, strict))])
    table = outcome.table
    assert (table["holds"] == table["holds paper"]).all()
    assert "14 of 14 as in the paper; not: none" in outcome.notes[0]
    assert len(outcome.figure["data"]["values"]) == 2 * 2 * 10


@pytest.mark.parametrize(
    ("relaxed", "strict", "statement"),
    [
        ((-0.1, 0.001), (-0.01, 0.002), "relaxed means are positive"),
        ((0.1, 0.001), (0.01, 0.002), "strict means are negative"),
        ((0.1, 0.003), (-0.01, 0.002), "strict variances are higher"),
        ((np.linspace(0.1, 0.2, 10), 0.001), (-0.01, 0.002), "relaxed means fall with K"),
        ((0.1, 0.001), (np.linspace(-0.02, -0.01, 10), 0.002), "strict means fall with K"),
        ((0.1, np.linspace(1e-3, 2e-3, 10)), (-0.01, 0.003), "relaxed variances fall with K"),
        ((0.1, 0.001), (-0.01, np.linspace(3e-3, 2e-3, 10)), "strict variances rise with K"),
        ((0.1, 0.001), (-0.05, 0.002), "strict means are an order of magnitude smaller"),
        ((0.1, 0.001), (-0.01, 0.02), "strict second moments are an order of magnitude smaller"),
        ((0.1, 0.001), (-0.01, 0.002), "pooled means are larger than averaged ones"),
        ((0.1, 0.001), (-0.01, 0.002), "variances: A-10x above P-10x above LTO"),
        ((0.1, 0.001), (-0.01, 0.002), "the AUC on new objects peaks inside the range of K"),
    ],
)
def test_statements_that_do_not_hold_are_said(relaxed, strict, statement):
    assert statement in _STATEMENTS
    assert answers(trends([done_of(study_of(relaxed, strict))]))[statement] == "no"


def test_a_crossing_of_second_moments_is_found():
    """0.1² = 0.01 against 0.01² + a variance that passes 0.01 on the way."""
    strict = (-0.01, np.linspace(0.005, 0.02, 10))
    answer = answers(trends([done_of(study_of((0.1, 1e-5), strict), "BP")]))
    assert answer["second moments of the schemes cross"] == "yes"


def test_readings_name_their_cells():
    for name, options in READINGS.items():
        assert reading_of({"domain": "BP", "values": [50], **options}) == name
    assert [d for d in ("Union", "MF", "BP", "CC") if of_reading("specific, 9 terms out", d)] == [
        "BP"
    ]


def test_the_dial_moves_groups_and_nothing_else():
    near, far = (dialled(skill)[0] for skill in (0.0, 2.0))
    terms = dialled(2.0)[1]
    shift, group = far - near, terms.indices
    for g in range(12):
        assert np.ptp(shift[group == g], axis=0).max() < 1e-12
    assert (np.diff(np.bincount(group)) < 0).sum() >= 10
    assert np.isclose(near.std(), 1, atol=0.01)


def test_skill_says_where_the_schemes_change_places():
    cells = [
        done_of(study_of((relaxed, 1e-4), (strict, 1e-4), auc, 1), "simulated", case=case)
        for case, auc, relaxed, strict in (
            ("0", 0.5, 0.12, -0.01),
            ("1", 0.8, 0.06, -0.03),
            ("2", 0.95, 0.01, -0.02),
        )
    ]
    outcome = skill(cells)
    notes = " ".join(outcome.notes)
    assert (
        "averaged: the strict mean is further from zero than the relaxed one from an AUC of 0.95"
        in (notes)
    )
    assert (
        "relaxed, averaged: the size of the mean deviation does not grow with skill: 0.120" in notes
    )
    assert outcome.table["relaxed mean"].tolist()[:3] == pytest.approx([0.12] * 3)
