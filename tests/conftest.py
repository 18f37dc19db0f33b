import functools
import inspect
import ipaddress
import os
import socket

import click.testing
import pytest
from hypothesis import HealthCheck, Phase, settings
from threadpoolctl import threadpool_limits

from tests.browser import browser, open_page  # noqa: F401

# Tests run beside each other, and threads of linear algebra would wait for each other: on two cores
# some tests then take five times as long. For libraries and processes to come, and for those here.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
threadpool_limits(1)

# Deterministic everywhere: a failure in CI is a failure here. More examples by
# choice: TRUEVAL_HYPOTHESIS=thorough.
common = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("quick", max_examples=40, **common)
settings.register_profile("thorough", max_examples=2000, **common)
# For mutants: that a test fails is enough.
brief = (Phase.explicit, Phase.generate)
settings.register_profile("brief", max_examples=40, phases=brief, **common)
settings.register_profile("random", **{**common, "derandomize": False})
settings.load_profile(os.environ.get("TRUEVAL_HYPOTHESIS", "quick"))


# Nothing but this machine may be reached: a test that asks for another fails.
_connect = socket.socket.connect


def _connect_here(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6) and self.type == socket.SOCK_STREAM:
        host = address[0]
        if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
            raise AssertionError(f"a test connects to {host}")
    return _connect(self, address)


socket.socket.connect = _connect_here


# Before click 8.2, runners mix what goes to the two streams unless they are told not to.
if "mix_stderr" in inspect.signature(click.testing.CliRunner).parameters:
    click.testing.CliRunner = functools.partial(click.testing.CliRunner, mix_stderr=False)


def pytest_collection_modifyitems(items):
    """Random labels of a few rows may leave a part empty, of which methods warn."""
    for item in items:
        if getattr(getattr(item, "function", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.filterwarnings("ignore:part .* has no rows"))


@pytest.fixture(scope="module")
def scored():
    """Scores and labels of 400 rows and five classes."""
    from trueval.data import simulate

    return simulate.simulation_one(400, 0.2, random_state=0)
