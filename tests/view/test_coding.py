"""Numbers as few bytes: what goes in comes out, numbers on a grid within half a step of it."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from robotphi.errors import RecordingError
from robotphi.view.coding import from_planes, grid_of, gridded, off_grid, packed, planes, unpacked

SHAPES = st.tuples(st.integers(0, 7), st.integers(1, 5))


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int32])
@given(data=st.data())
def test_whole_numbers_come_back(kind, data):
    numbers = data.draw(arrays.arrays(kind, SHAPES))
    found = from_planes(planes(numbers), *numbers.shape, numbers.dtype.itemsize)
    np.testing.assert_array_equal(found.astype(kind), numbers)


@given(arrays.arrays(np.float32, SHAPES))
def test_a_block_has_header_and_arrays_bit_for_bit(values):
    whole = np.arange(6, dtype=np.int32).reshape(2, 3) - 3
    header, found = unpacked(packed({"name": "</script> ✓"}, {"values": values, "whole": whole}))
    assert header == {"name": "</script> ✓"}
    assert found["values"].tobytes() == values.tobytes()
    np.testing.assert_array_equal(found["whole"].view(np.int32), whole)


@given(arrays.arrays(float, (5, 4, 3), elements=st.floats(-1e6, 1e6)), st.sampled_from([4094, 65534]))
def test_numbers_on_a_grid_are_within_half_a_step(values, top):
    low, high = values.min(axis=(0, 1)), values.max(axis=(0, 1))
    grid = grid_of(low, high, top)
    assert grid.step == (np.max(high - low) / top or 1.0)
    found = off_grid(gridded(values, grid), grid)
    assert np.abs(found - values).max() <= 0.5 * grid.step + 4 * np.spacing(np.abs(values).max() + top * grid.step)


def test_what_is_no_number_stays_none():
    grid = grid_of([0.0], [1.0])
    found = off_grid(gridded(np.array([[0.0], [np.nan], [1.0]]), grid), grid)
    assert np.isnan(found).ravel().tolist() == [False, True, False]


def test_infinite_extents_are_refused():
    with pytest.raises(RecordingError, match="not finite"):
        grid_of([0.0], [np.inf])
