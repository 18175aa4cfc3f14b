"""Shared by all tests: pictures are drawn without a screen, and the number of random scenes can be chosen."""
import os

import pytest

os.environ["MPLBACKEND"] = "Agg"
os.environ["PYVISTA_OFF_SCREEN"] = "true"


def pytest_addoption(parser):
    parser.addoption("--scenes", type=int, default=200, help="random scenes of the fuzz tests (default 200)")


@pytest.fixture(scope="session")
def scene_count(request):
    return request.config.getoption("--scenes")
