import os

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import browser, open_page  # noqa: F401

# Deterministic everywhere: a failure in CI is a failure here. More examples by
# choice: TRUEVAL_HYPOTHESIS=thorough.
common = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("quick", max_examples=60, **common)
settings.register_profile("thorough", max_examples=2000, **common)
settings.register_profile("random", **{**common, "derandomize": False})
settings.load_profile(os.environ.get("TRUEVAL_HYPOTHESIS", "quick"))


@pytest.fixture(scope="module")
def scored():
    """Scores and labels of 400 rows and five classes."""
    from trueval.data import simulate

    return simulate.simulation_one(400, 0.2, random_state=0)
