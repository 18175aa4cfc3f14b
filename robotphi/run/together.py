"""Small arrays of a state lie together in one block of memory, so that one copy takes them back to the start.

A state of a few links has a hundred arrays of some hundred bytes each: copied one by one they take longer than its steps.
"""
import numpy as np

from robotphi.model.arrays import ALIGNMENT, room

SMALL = 2**16   # bytes of an array, up to which finding it takes longer than copying it


def laid_together(buffers):
    """(nested tuples of the same arrays, of which small ones lie in a block; the block)"""
    small = {id(array): array for array in _arrays_of(buffers) if 0 < array.nbytes <= SMALL}
    begin, places = 0, {}
    for key, array in small.items():
        places[key], begin = begin, begin + -(-array.nbytes // ALIGNMENT) * ALIGNMENT
    block = room((begin,), np.uint8)
    block[...] = 0   # between the arrays as well
    moved = {key: block[places[key]:places[key] + array.nbytes].view(array.dtype).reshape(array.shape)
             for key, array in small.items()}
    for key, array in small.items():
        moved[key][...] = array
    return _exchanged(buffers, moved), block


def numbers_around(array, block):
    """(the numbers among which those of an array lie, the place of its first): of the block, or its own."""
    begin = array.ctypes.data - block.ctypes.data
    if 0 <= begin < block.nbytes:
        return block.view(np.float64), begin // 8
    return array.reshape(-1), 0


def _arrays_of(buffers):
    for value in buffers:
        if isinstance(value, tuple):
            yield from _arrays_of(value)
        else:
            yield value


def _exchanged(buffers, moved):
    return type(buffers)(*(_exchanged(value, moved) if isinstance(value, tuple) else moved.get(id(value), value)
                           for value in buffers))
