"""What contact writes: made with room for pairs, handed over when it grows, kept with a frame and taken from one."""
import numpy as np

from robotphi.errors import RecordingError
from robotphi.kernels.contact import columns
from robotphi.kernels.contact.find.broad import scratch_sizes
from robotphi.kernels.contact.press.ball_soft import PATCH_COLUMNS
from robotphi.kernels.contact.press.clip import CORNER_ROWS
from robotphi.kernels.step.buffers import Touch


def aligned_zeros(shape):
    """Zeros that start on a cache line: rows of four doubles then never cross one."""
    count = int(np.prod(shape))
    raw = np.zeros(8 * count + 64, np.uint8)
    offset = -raw.ctypes.data % 64
    return raw[offset:offset + 8 * count].view(np.float64).reshape(shape)


def make_touch(arrays, rigids, pairs, known=None):
    """What contact writes, with room for a number of pairs; `known` buffers hand over what they hold."""
    parts = arrays.contact.parts
    count, places, facets = len(parts.kind), len(parts.vertex), len(parts.facet)
    pairs = max(pairs, 8 + 4 * count) if count else 0
    whole, real = scratch_sizes(count, pairs) if count else (0, 0)
    touch = Touch(
        np.zeros((pairs, columns.PAIR_WHOLES), np.int32), aligned_zeros((pairs, columns.PAIR_NUMBERS)),
        aligned_zeros((pairs, columns.PAIR_SUMS)),
        np.zeros((pairs, columns.PAIR_WHOLES), np.int32), aligned_zeros((pairs, columns.PAIR_NUMBERS)),
        aligned_zeros((pairs, columns.PAIR_SUMS)), np.zeros((pairs, 2), np.int32),
        np.zeros((places, columns.SLOTS), np.int32), aligned_zeros((places, columns.SLOTS * columns.SLOT_NUMBERS)),
        np.zeros(places), np.zeros(places, np.int32), aligned_zeros((rigids, 6)), aligned_zeros((rigids, 2)),
        aligned_zeros((count, 6)), np.full((count, 6), np.inf), aligned_zeros((count, 6)), np.zeros(count, np.int32),
        aligned_zeros(columns.TOTALS), np.zeros(columns.SIZES, np.int64), np.zeros(whole, np.int64), np.zeros(real),
        np.zeros(2 * facets + 2, np.int32), np.zeros((facets, 6)), np.zeros((CORNER_ROWS, 2)), np.zeros(places),
        np.zeros((len(arrays.contact.tree.behind), 6)), np.zeros(count, np.int32), np.zeros((8, 8)), np.zeros(PATCH_COLUMNS))
    touch.sizes[columns.MATERIALS] = round(np.sqrt(len(arrays.contact.law)))
    if known is not None:
        for old, new in zip(known, touch, strict=True):
            if old.dtype == new.dtype and old.shape[1:] == new.shape[1:] and old.ndim <= new.ndim and len(old) <= len(new):
                new[:len(old)] = old
        touch.sizes[columns.LACKING] = 0
    return touch


def contact_rows(buffers):
    """What a continued run needs of contact: of pairs that touch or overlap, and of vertices with friction in use."""
    touch = buffers.touch
    count = touch.sizes[columns.PAIR_COUNT]
    pairs = touch.pairs[:count]
    kept = (pairs[:, columns.TOUCHING] == 1) | (pairs[:, columns.OVERLAPS] == 1)
    vertices = touch.slots.reshape(-1, columns.SLOTS, columns.SLOT_NUMBERS)
    place, slot = np.nonzero((touch.node > 0) & (vertices[:, :, columns.SLOT_USED] > 0.0))
    return {
        "contact_state": {"whole": pairs[kept, :columns.KEPT_WHOLES],
                          "number": touch.numbers[:count][kept, :columns.KEPT_NUMBERS]},
        "vertex_state": {"place": place.astype(np.int32), "slot": slot.astype(np.int32),
                         "node": touch.node[place, slot], "number": vertices[place, slot, :columns.SLOT_KEPT]}}


def restore_contacts(model, buffers, recording, frame):
    """The buffers with the contacts of a recorded frame, in more room where they need it."""
    if not {"contact_state", "vertex_state"} <= recording.rows.keys():
        raise RecordingError("this recording holds no state of contact to continue from; a new run is needed")
    pairs, vertices = (recording.frame_rows(name, frame) for name in ("contact_state", "vertex_state"))
    if not ({"whole", "number"} <= pairs.keys() and {"place", "slot", "node", "number"} <= vertices.keys()):
        raise RecordingError("this recording holds only a part of the state of contact; a new run is needed")
    count, touch = len(pairs["whole"]), buffers.touch
    if count > len(touch.pairs):
        touch = make_touch(model.arrays, len(touch.load), count, touch)
    touch.pairs[:count, :columns.KEPT_WHOLES] = pairs["whole"]
    touch.numbers[:count, :columns.KEPT_NUMBERS] = pairs["number"]
    touch.sizes[columns.PAIR_COUNT] = count
    place, slot = vertices["place"], vertices["slot"]
    touch.node[place, slot] = vertices["node"]
    held = touch.slots.reshape(-1, columns.SLOTS, columns.SLOT_NUMBERS)
    held[place, slot, :columns.SLOT_KEPT] = vertices["number"]
    return buffers._replace(touch=touch)
