"""Shared by all tests: pictures are drawn without a screen, and the number of random scenes can be chosen."""
import os

import pytest
from hypothesis import HealthCheck, settings

os.environ["MPLBACKEND"] = "Agg"
os.environ["PYVISTA_OFF_SCREEN"] = "true"

# the same examples on every machine, however slow it is
settings.register_profile("same", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same")


def pytest_addoption(parser):
    parser.addoption("--scenes", type=int, default=200, help="random scenes of the fuzz tests (default 200)")


@pytest.fixture(scope="session")
def scene_count(request):
    return request.config.getoption("--scenes")
