"""The digest under which machine code is kept changes with what the code is made from, and with nothing else."""
import enum
import importlib
import json
import math
import pkgutil
import shutil
import subprocess
import sys
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core import types

import robotphi.kernels
from robotphi.kernels.compiling.compiled import PLAIN, inlined, kernel
from robotphi.kernels.compiling.reach import Unknown, digest, reached_functions, type_digest
from robotphi.kernels.step import slots
from robotphi.kernels.step.advance import advance_on
from robotphi.kernels.step.relax import relax_on
from tests import ROOT

pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled")

ASK = """
import enum
import json
from robotphi.kernels.compiling.reach import digest
from numba import types
from robotphi.kernels.step.advance import advance_on
from robotphi.kernels.step.relax import relax_on
kinds = (types.int64, types.float64)  # nothing is compiled: any will do
loops = advance_on(*kinds, False, False), advance_on(*kinds, True, False), relax_on(*kinds)
print(json.dumps([digest(each.py_func) for each in loops]))
"""


def digests(package):
    """Of the loop without and with contact and of relax, for a package in a folder."""
    asked = subprocess.run([sys.executable, "-c", ASK], cwd=package, capture_output=True, text=True, check=True)
    return json.loads(asked.stdout)


@pytest.fixture(scope="module")
def before():
    return digests(ROOT)


@pytest.fixture
def package(tmp_path):
    shutil.copytree(ROOT / "robotphi", tmp_path / "robotphi", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def edit(package, name, old, new):
    path = package / "robotphi" / "kernels" / name
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{name} no longer has {old!r}: take another line for this test"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(("name", "old", "new", "changed"), [
    ("contact/press/balls.py", "power * stiffness * depth", "stiffness * power * depth", [False, True, False]),  # a kernel
    ("contact/press/balls.py", "power == 1.5", "power == 2.5", [False, True, False]),  # an inlined kernel
    ("contact/columns.py", "ASKED, LACKING", "LACKING, ASKED", [True, True, False]),  # a constant of another module
    ("step/relax.py", "BOLDNESS = 2.0", "BOLDNESS = 2.5", [False, False, True]),
    ("springs/plain.py", "stiffness * stretch", "stretch * stiffness", [True, True, True]),
    ("compiling/lanes.py", '(operator.mul, "fmul")', '(operator.mul, "fadd")', [True, True, True])])
def test_an_edit_changes_the_digests_of_what_reaches_it(before, package, name, old, new, changed):
    edit(package, name, old, new)
    after = digests(package)
    assert [one != other for one, other in zip(before, after, strict=True)] == changed


def test_comments_docstrings_and_the_folder_are_not_in_a_digest(before, package):
    for path in (package / "robotphi" / "kernels").rglob("*.py"):
        path.write_text("# a line before all others\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    edit(package, "step/relax.py", '"""½ Σ v²/gain over what may move."""', '"""Other words."""')
    edit(package, "step/relax.py", '    """v ← v + share · gain · f"""\n', "    # none\n")
    edit(package, "springs/plain.py", "    energy = splat(0.0)\n", "    # a comment\n\n    energy = splat(0.0)\n")
    edit(package, "compiling/team.py", "Wait until all members are here", "Wait for all")
    assert digests(package) == before


def test_the_loop_without_contact_reaches_no_contact():
    def rooms(entry):
        return {function.__module__.split(".")[2] for function in reached_functions(entry.py_func)}
    kinds = (types.int64, types.float64)
    assert "contact" not in rooms(advance_on(*kinds, False, False)) | rooms(relax_on(*kinds))
    assert "contact" in rooms(advance_on(*kinds, True, False))


SCALE = 2.0


def made(scale=3.0, step=lambda x: x + 1.0, choice=None):
    @inlined
    def inner(x, factor=scale):
        return step(x) * factor

    @kernel
    def outer(x):
        return inner(x) + slots.STOP * SCALE + math.sqrt(x) if choice is None else x
    return outer.py_func


def test_defaults_closures_options_and_constants_are_in_a_digest(monkeypatch):
    variants = [digest(made()), digest(made(scale=4.0)), digest(made(step=lambda x: x - 1.0)), digest(made(choice=()))]
    variants += [digest(made(step=kernel(lambda x: x + 1.0))), digest(made(step=inlined(lambda x: x + 1.0)))]
    for place, name, other in ((sys.modules[__name__], "SCALE", -0.0), (sys.modules[__name__], "SCALE", 0.0),
                               (slots, "STOP", 77), (sys.modules[__name__], "math", np)):
        with monkeypatch.context() as changed:
            changed.setattr(place, name, other)
            variants.append(digest(remade()))
    assert len(set(variants)) == len(variants)
    assert digest(remade()) == digest(made())


def remade():
    """The same function, looked at anew: what was told of one is remembered."""
    return made()


def test_code_is_not_kept_once_a_global_was_exchanged_after_it_was_told(monkeypatch):
    function = made()
    before = digest(function)
    with monkeypatch.context() as changed:
        changed.setattr(slots, "STOP", 78)
        with pytest.raises(Unknown, match="exchanged"):
            digest(function)
    with pytest.raises(Unknown, match="exchanged"):   # what was compiled between may have the other number in it
        digest(function)
    assert digest(remade()) == before


def test_the_members_of_an_enum_and_what_is_named_of_a_class_are_in_a_digest():
    def told(member, row):
        class Kind(enum.Enum):
            SOFT = member

        class Rows:
            FIRST = row
        return digest(lambda: (Kind.SOFT, Rows.FIRST))
    assert told(1, (1, 2)) == told(1, (1, 2))
    assert len({told(1, (1, 2)), told(2, (1, 2)), told(1, (1, 3))}) == 3


def test_kernels_that_call_each_other_have_a_digest():
    @kernel
    def even(n):
        return True if n == 0 else odd(n - 1)

    @kernel
    def odd(n):
        return False if n == 0 else even(n - 1)
    assert digest(even.py_func) != digest(odd.py_func)


def test_what_cannot_be_told_apart_is_refused():
    thing = object()
    with pytest.raises(Unknown):
        digest(lambda x: (x, thing))


def test_the_order_of_fields_is_in_the_digest_of_types():
    def named(*fields):
        return types.NamedTuple((types.float64, types.float64), NamedTuple("Pair", [(field, float) for field in fields]))
    one, other = named("a", "b"), named("b", "a")
    assert str(one) == str(other)
    assert type_digest([one]) != type_digest([other])
    assert type_digest([one]) == type_digest([named("a", "b")])


def test_arrays_that_may_be_written_have_another_type():
    array = np.zeros(3)
    locked = array.copy()
    locked.flags.writeable = False
    assert type_digest([numba.typeof(array)]) != type_digest([numba.typeof(locked)])


def test_every_kernel_has_a_digest_so_that_its_machine_code_is_kept():
    """A word of theirs that is also a global of their module, such as a decorator, would be told as well and have none."""
    count = 0
    for found in pkgutil.walk_packages(robotphi.kernels.__path__, "robotphi.kernels."):
        module = importlib.import_module(found.name)
        for made in vars(module).values():
            if hasattr(made, "py_func") and made.py_func.__module__ == found.name:
                assert digest(made.py_func)
                count += 1
    assert count > 1000
