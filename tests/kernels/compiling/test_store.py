"""Machine code is kept between runs; what is damaged is made anew, and where nothing can be kept the run goes on."""
import os
import warnings

import numba
import numpy as np
import pytest

from robotphi.kernels.compiling import store
from robotphi.kernels.compiling.compiled import PLAIN, entry, kernel
from robotphi.kernels.compiling.store import FILES, KNOWN, keep

pytestmark = pytest.mark.skipif(PLAIN or not KNOWN, reason="nothing is compiled, or nothing is kept")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    return tmp_path / "kept"


def make(added=1.0):
    @kernel
    def inner(x):
        return x + added

    def plus(x):
        return inner(x)
    return plus


def made(added=1.0):
    """A new dispatcher, as in a new run: whether its code came from a file is told by `came_from_file`."""
    return entry(make, added)


def came_from_file(function):
    return sum(function._cache_hits.values()) == 1


def files(folder):
    return sorted(folder.rglob("*.nbc"))


def test_the_second_run_compiles_nothing(folder):
    first, second = made(), made()
    assert (first(2.0), second(2.0)) == (3.0, 3.0)
    assert not came_from_file(first)
    assert came_from_file(second)
    assert len(files(folder)) == 1


def test_inner_kernels_called_from_python_are_kept(folder):
    for expected in (False, True):
        @kernel
        def twice(x):
            return 2 * x
        assert twice(4) == 8
        assert came_from_file(twice) == expected


def test_a_kernel_from_a_file_may_be_called_by_one_that_is_compiled(folder):
    for added in (1.0, 2.0):  # the same names in both
        assert made(added)(0.0) == added
    one, two = made(1.0), made(2.0)
    assert (one(0.0), two(0.0)) == (1.0, 2.0)
    assert came_from_file(one)
    assert came_from_file(two)

    @kernel
    def both(x):
        return 10.0 * one(x) + two(x)
    assert both(0.0) == 12.0
    assert (one(0.0), two(0.0)) == (1.0, 2.0)


def test_functions_of_numba_itself_are_kept(folder):
    for expected in (False, True):
        @keep
        @numba.njit
        def counted(n):
            return np.arange(n).sum()
        assert counted(4) == 6
        assert came_from_file(counted) == expected


@pytest.mark.parametrize("damage", [lambda old: b"", lambda old: old[:len(old) // 2], lambda old: b"x" * len(old),
                                    lambda old: old[:-9] + b"#" + old[-8:]], ids=["empty", "cut", "overwritten", "one byte"])
def test_a_damaged_file_is_made_anew(folder, damage):
    assert made()(2.0) == 3.0
    (path,) = files(folder)
    path.write_bytes(damage(path.read_bytes()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again, third = made(), made()
        assert (again(2.0), third(2.0)) == (3.0, 3.0)
    assert not came_from_file(again)
    assert came_from_file(third)
    assert len(files(folder)) == 1


def test_a_file_of_another_version_is_not_taken(folder, monkeypatch):
    assert made()(2.0) == 3.0
    monkeypatch.setattr(store, "versions", lambda: "another")
    again = made()
    assert again(2.0) == 3.0
    assert not came_from_file(again)


def test_only_the_last_used_files_of_a_function_stay(folder):
    for k in range(FILES + 3):
        assert made(float(k))(0.0) == k
        for age, path in enumerate(sorted(files(folder), key=lambda each: each.stat().st_mtime, reverse=True)):
            os.utime(path, (1e9 - age, 1e9 - age))  # so that no two have one age
    assert len(files(folder)) == FILES
    assert [came_from_file(each) for each in (made(0.0), made(FILES + 2.0)) if each(0.0) >= 0.0] == [False, True]


def test_where_no_folder_can_be_written_the_run_goes_on_with_one_warning(folder, monkeypatch):
    folder.write_text("a file where the folder should be")
    locators = store.CompileResultCacheImpl._locator_classes
    monkeypatch.setattr(store.CompileResultCacheImpl, "_locator_classes", locators[:1])
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR") as seen:
        assert made()(2.0) == 3.0
    assert len(seen) == 1


def test_a_folder_that_can_no_longer_be_written_does_not_end_a_run(folder):
    function = made()
    assert function(2.0) == 3.0
    (path,) = files(folder)
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("a file where the folder was")
    with pytest.warns(RuntimeWarning, match="every run compiles anew"):
        assert function(2) == 3
