"""One rule for every ``random_state``: a Generator, with independent children.

Whatever the user gives, results depend on it alone and never on the number of
threads or the order of workers.
"""

from numbers import Integral
from typing import Any

import numpy as np

from trueval.core.errors import ParameterError

__all__ = ["as_generator", "as_random_state", "draw_seed"]


def as_generator(random_state: Any) -> np.random.Generator:
    """Make a Generator of a seed, a Generator, a RandomState or None.

    >>> from trueval.core.random import as_generator
    >>> as_generator(7).integers(100) == as_generator(7).integers(100)
    np.True_
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**32, size=4, dtype=np.uint32))
    if random_state is np.random:  # scikit-learn's spelling of the global state
        return as_generator(np.random.mtrand._rand)
    if random_state is None or isinstance(random_state, np.random.SeedSequence):
        return np.random.default_rng(random_state)
    if isinstance(random_state, Integral) and int(random_state) >= 0:
        return np.random.default_rng(int(random_state))
    raise _bad_seed(random_state)


def as_random_state(random_state: Any) -> np.random.RandomState:
    """Make a legacy RandomState, for methods whose published draws must be repeated.

    >>> from trueval.core.random import as_random_state
    >>> int(as_random_state(0).randint(10))
    5
    """
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if random_state is np.random:
        return np.random.mtrand._rand
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(int(random_state.integers(2**32)))
    if isinstance(random_state, np.random.SeedSequence):
        return np.random.RandomState(random_state.generate_state(4))
    if random_state is None:
        return np.random.RandomState()
    if isinstance(random_state, Integral) and 0 <= int(random_state) < 2**32:
        return np.random.RandomState(int(random_state))
    raise _bad_seed(random_state)


def draw_seed(generator: np.random.Generator) -> int:
    """Draw a 64-bit seed for a kernel."""
    return int(generator.integers(2**64, dtype=np.uint64))


def _bad_seed(random_state: Any) -> ParameterError:
    expected = (
        "None, an int from 0 to 2**32 - 1, a numpy.random.Generator or a numpy.random.RandomState"
    )
    return ParameterError("random_state", expected, random_state)
