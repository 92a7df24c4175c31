"""What every test may count on: eight CPU devices, and property tests that draw the same examples each time."""
import hypothesis
import pytest

from gnomon.base.settings import config

DEVICES = 8

config.update("num_cpu_devices", DEVICES)

hypothesis.settings.register_profile("gnomon", derandomize=True, deadline=None, max_examples=50, database=None)
hypothesis.settings.load_profile("gnomon")


@pytest.fixture(scope="session")
def peer():
    """JAX, with as many devices, for tests marked `peer`; they run in a process of their own (`pytest -m peer`)."""
    import jax

    jax.config.update("jax_num_cpu_devices", DEVICES)
    return jax


def pytest_addoption(parser):
    parser.addoption("--update-snapshots", action="store_true", help="write the kept texts anew instead of comparing with them")
