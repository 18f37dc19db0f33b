"""Simulations I and II of the local-precision-rate paper, with their true rates.

Jiang, Liu, Zhou and Huang (2014), Section 3: five independent classes whose scores mix
a beta distribution of non-members, divided by 1.25, with one of members (Table 1). In
Simulation II some members sit on a single score value.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.errors import ParameterError
from trueval.core.params import Interval, constrained
from trueval.core.random import as_generator

__all__ = ["simulation_one", "simulation_two", "true_rates"]

# Table 1: beta parameters of non-members and members of the five classes.
NULL = ((0.5, 3.0), (1.0, 1.0), (0.5, 4.0), (0.5, 5.0), (0.5, 0.5))
MEMBER = ((10.0, 10.0), (4.0, 0.9), (10.0, 10.0), (4.0, 0.9), (16.0, 0.1))
# Score of the second subpopulation: 0.5 in classes 1, 3 and 5, else 1.
ATOM = (0.5, 1.0, 0.5, 1.0, 0.5)


_SHARE = Interval(float, 0, 1)
_RETURNS = """
Returns
-------
scores : ndarray of shape (n_rows, 5)
y : scipy.sparse.csr_array of int32, shape (n_rows, 5)
"""


@constrained(n_rows=Interval(int, 1), prevalence=_SHARE)
@shared_sections(returns=_RETURNS)
def simulation_one(
    n_rows: int = 500, prevalence: float = 0.1, *, random_state: Any = None
) -> tuple[NDArray[np.float64], sp.csr_array]:
    """Simulation I: every class a mixture of two beta distributions.

    Parameters
    ----------
    n_rows : int, default=500
        Objects; the paper has 100, 200 and 500.
    prevalence : float, default=0.1
        Chance π1 of an object to be in a class; the paper has 0.05 to 0.2.
    random_state : None, int, Generator or RandomState

    {returns}

    Examples
    --------
    >>> from trueval.data.simulate import simulation_one
    >>> scores, y = simulation_one(1000, 0.2, random_state=0)
    >>> scores.shape, bool(0.15 < y.mean() < 0.25)
    ((1000, 5), True)
    """
    return simulation_two(n_rows, prevalence, 0.0, random_state=random_state)


@constrained(
    n_rows=Interval(int, 1),
    prevalence=_SHARE,
    atom_prevalence=_SHARE,
)
@shared_sections(returns=_RETURNS)
def simulation_two(
    n_rows: int = 500,
    prevalence: float = 0.07,
    atom_prevalence: float = 0.03,
    *,
    random_state: Any = None,
) -> tuple[NDArray[np.float64], sp.csr_array]:
    """Simulation II: a second subpopulation of members, all on one score value.

    Parameters
    ----------
    n_rows : int, default=500
        Objects.
    prevalence : float, default=0.07
        Chance π1 of an object to be in the first subpopulation of a class.
    atom_prevalence : float, default=0.03
        Chance π2 to be in the second; 0 gives Simulation I.
    random_state : None, int, Generator or RandomState

    {returns}

    Examples
    --------
    >>> from trueval.data.simulate import simulation_two
    >>> scores, y = simulation_two(1000, 0.1, 0.1, random_state=0)
    >>> bool(y.toarray()[:, 0][scores[:, 0] == 0.5].all())
    True
    """
    _check(prevalence, atom_prevalence)
    generator = as_generator(random_state)
    scores = np.empty((n_rows, 5))
    members = np.empty((n_rows, 5), dtype=bool)
    for k in range(5):
        draw = generator.random(n_rows)
        first = draw < prevalence
        second = (draw >= prevalence) & (draw < prevalence + atom_prevalence)
        scores[:, k] = generator.beta(*NULL[k], size=n_rows) / 1.25
        scores[first, k] = generator.beta(*MEMBER[k], size=int(first.sum()))
        scores[second, k] = ATOM[k]
        members[:, k] = first | second
    return scores, sp.csr_array(members.astype(np.int32))


@constrained(prevalence=_SHARE, atom_prevalence=_SHARE)
def true_rates(
    scores: NDArray[np.float64], prevalence: float, atom_prevalence: float = 0.0
) -> NDArray[np.float64]:
    """The true local precision rates, P(class | score), of both simulations.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, 5)
    prevalence, atom_prevalence : float
        As the scores were drawn.

    Returns
    -------
    ndarray of shape (n_rows, 5)

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.data.simulate import true_rates
    >>> true_rates(np.full((1, 5), 0.9), 0.1).tolist()
    [[1.0, 1.0, 1.0, 1.0, 1.0]]
    """
    from scipy import stats  # slow to import: every reader of data would pay for it

    _check(prevalence, atom_prevalence)
    rates = np.empty(scores.shape)
    for k in range(5):
        s = scores[:, k]
        null = (1 - prevalence - atom_prevalence) * 1.25 * stats.beta.pdf(1.25 * s, *NULL[k])
        member = prevalence * stats.beta.pdf(s, *MEMBER[k])
        # At a pole of the density of non-members the rate is 0, beyond 0.8 it is 1.
        rates[:, k] = 1.0
        inside = null > 0
        rates[inside, k] = member[inside] / (member[inside] + null[inside])
        if atom_prevalence > 0:
            rates[s == ATOM[k], k] = 1.0
    return rates


def _check(prevalence: float, atom_prevalence: float) -> None:
    if prevalence + atom_prevalence > 1:
        expected = f"at most 1 - prevalence, {1 - prevalence:g}"
        raise ParameterError("atom_prevalence", expected, atom_prevalence)


#: The tree of 25 classes of Ho, Ye, Jiang, Lee and Huang (2018): parent of each class, −1 for none,
#: P(class | parent), and a: scores are Beta(a, 6) of negatives and Beta(6, a) of positives.
_PARENT = (-1, -1, -1, 1, 2, 2, 3, 3, 3, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 11, 12, 12, 12, 13)
_CHANCE = (
    *(0.8, 0.8, 0.8, 0.3, 0.8, 0.1, 0.5, 0.8, 0.1, 0.3, 0.5, 0.5, 0.8),
    *(0.3, 0.1, 0.5, 0.8, 0.5, 0.8, 0.5, 0.05, 0.8, 0.3, 0.3, 0.1),
)
_SHAPE = (
    *(5.5, 5.5, 5.5, 5.5, 4, 4, 2, 2, 2, 4, 2, 5.5, 5.5),
    *(2, 5.5, 4, 5.5, 4, 4, 2, 5.5, 4, 4, 5.5, 4),
)


@constrained(n_rows=Interval(int, 1))
def simulation_tree(
    n_rows: int = 500, *, random_state: Any = None
) -> tuple[NDArray[np.float64], sp.csr_array, NDArray[np.int64]]:
    """Scores of 25 classes on a tree, independent given the labels.

    The synthetic setting of the authors of mLPR: a class is present with a fixed chance
    where its parent is, and its score depends on its own label alone.

    Parameters
    ----------
    n_rows : int, default=500
        Objects.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    scores : ndarray of shape (n_rows, 25)
    y : scipy.sparse.csr_array of shape (n_rows, 25)
    parents : ndarray of shape (25,)
        Parent of each class, −1 for a root.

    References
    ----------
    Ho, Ye, Jiang, Lee and Huang, "HierLPR: Decision making in hierarchical multi-label
    classification with local precision rates", arXiv:1810.07954.

    Examples
    --------
    >>> from trueval.data.simulate import simulation_tree
    >>> scores, y, parents = simulation_tree(1000, random_state=0)
    >>> scores.shape, int((parents < 0).sum())
    ((1000, 25), 3)
    """
    generator = as_generator(random_state)
    parents, shape = np.array(_PARENT), np.array(_SHAPE)
    labels = generator.random((n_rows, len(parents))) < np.array(_CHANCE)
    for k in np.flatnonzero(parents >= 0):  # parents come before their children
        labels[:, k] &= labels[:, parents[k]]
    scores = generator.beta(np.where(labels, 6.0, shape), np.where(labels, shape, 6.0))
    return scores, sp.csr_array(labels.astype(np.int32)), parents
