"""What is installed: every package listed, a light and quick import, a public front that keeps its word."""
import configparser
import re
import subprocess
import sys

import pytest

import robotphi
from tests import ROOT

# numba itself looks at the version of scipy; the parts of scipy that take time must stay away.
HEAVY = ("pyvista", "vtkmodules", "matplotlib", "h5py", "typer", "rich", "deap", "pydantic", "scipy.sparse",
         "scipy.linalg", "scipy.optimize", "scipy.interpolate", "scipy.spatial", "scipy.special", "scipy.integrate")


@pytest.fixture(scope="module")
def settings():
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def test_import_loads_nothing_heavy():
    code = "import sys, robotphi; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT).stdout.split()
    assert "robotphi" in loaded
    assert not set(HEAVY) & set(loaded)


def test_every_package_is_listed(settings):
    listed = set(settings["options"]["packages"].split())
    found = {".".join(path.parent.relative_to(ROOT).parts)
             for folder in ("robotphi", "identification") for path in (ROOT / folder).rglob("*.py")}
    assert listed == found | {"robotphi._scenarios", "robotphi._data"}


def test_every_file_that_is_no_code_is_shipped(settings):
    listed = {(package, name) for package, names in settings["options.package_data"].items() for name in names.split()
              if package != "robotphi._data"}
    found = {(".".join(path.parent.relative_to(ROOT).parts), path.name) for path in (ROOT / "robotphi").rglob("*")
             if path.is_file() and path.suffix != ".py" and path.parent.name != "__pycache__"}
    assert listed == found


def test_the_scenarios_and_data_of_the_wheel_are_those_of_the_clone(settings):
    assert settings["options"]["package_dir"].split("\n")[1:] == ["robotphi._scenarios = scenarios", "robotphi._data = data"]
    assert not (ROOT / "robotphi" / "_scenarios").exists()
    assert not (ROOT / "robotphi" / "_data").exists()
    names = re.split(r"\s*[,\n]\s*", settings["options.package_data"]["robotphi._data"].strip())   # as setuptools splits it
    shipped = sorted(path for name in names for path in (ROOT / "data").glob(name))
    assert shipped == sorted(path for folder in ("knee", "experiments", "urdf") for path in (ROOT / "data" / folder).rglob("*")
                             if path.is_file())


def test_the_version_is_a_literal_that_can_be_read_without_importing(settings):
    assert settings["metadata"]["version"] == "attr: robotphi.__version__"
    source = (ROOT / "robotphi" / "__init__.py").read_text(encoding="utf-8")
    assert re.search(rf'^__version__ = "{re.escape(robotphi.__version__)}"$', source, re.MULTILINE)


def test_the_changelog_speaks_of_this_version():
    assert f"[{robotphi.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_all_public_names_exist():
    assert len(robotphi.__all__) == len(set(robotphi.__all__))
    for name in robotphi.__all__:
        assert getattr(robotphi, name) is not None


def test_every_command_that_is_installed_exists(settings):
    for line in settings["options.entry_points"]["console_scripts"].strip().splitlines():
        name, target = (word.strip() for word in line.split("="))
        module, function = target.split(":")
        code = f"import {module}; assert callable({module}.{function})"
        assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0, name
