"""What friction makes of moves without speed: a path of rests puts what is held, pose by pose, where it is to be.

Springs of friction stretch by the speeds of surfaces (`kernels/contact/hold`). Here those of what touches something that was
put elsewhere stretch by its way along the surface, as if it had been pushed there slowly; what is beyond the limit of friction
slips as soon as anything moves.
"""
import numpy as np

from robotphi.kernels.contact import columns as c
from robotphi.kernels.step.rigids import CENTRE, ORIENTATION
from robotphi.run.buffers import make_touch
from robotphi.scene.turns import matrix_of

STRIDE = 0.2    # of the depth by which things press into each other: how far they go at once
MOST = 200      # shares of a way, unless a rest behind one is not found: a longer one slips where friction would have held
FINE = 1e-12    # of the extent: ways that are rounding


def places_of(state):
    """Where all particles and rigids are: copies of their rows."""
    return state.buffers.position[:, :3].copy(), state.buffers.rigid.copy()


def drag(state, ways):
    """Stretch the springs of friction by `Ways`."""
    if ways is not None:
        _drag_pairs(state.buffers.touch, ways)
        _drag_vertices(state.buffers.touch, ways)


def strides(state, ways):
    """In how many shares `Ways` are gone, so that friction that holds need not slip, nor anything be leapt over: 1 where what
    touches has moved as one."""
    if ways is None:
        return 1
    b, parts = state.buffers, state.model.arrays.contact.parts
    rows, numbers, first, second = touching(b.touch)
    point = numbers[:, c.POINT:c.POINT + 3]
    slid = np.linalg.norm(ways.of_parts(first, point) - ways.of_parts(second, point), axis=1)
    deep = b.touch.sums[rows, c.PAIR_ELASTIC] / np.maximum(numbers[:, c.STEEPNESS], 1e-300)
    gone = np.linalg.norm(ways.of_vertices(parts.vertex), axis=1).max(initial=0.0)
    apart = gone / parts.size[:, c.HALF_THICKNESS].min(initial=np.inf, where=parts.size[:, c.HALF_THICKNESS] > 0.0)
    rounding = FINE * np.ptp(state.position, axis=0).max()
    share = (slid / np.maximum(STRIDE * deep, rounding)).max(initial=apart if _apart(ways) else 0.0)
    return int(np.clip(np.ceil(share), 1, MOST))


def _apart(ways):
    """Whether some parts have moved, and not all in the same way."""
    start, stop = ways.parts.vertex_start[:-1], ways.parts.vertex_start[1:]
    rows = ways.parts.vertex[start[stop > start]]
    moves = ways.of_vertices(rows)
    return bool(len(rows) and np.ptp(moves, axis=0).max() > 0.0)


def touching(touch):
    """Rows of the pairs that touch, their numbers, and the parts of each."""
    rows = np.flatnonzero(touch.pairs[:touch.sizes[c.PAIR_COUNT], c.TOUCHING] == 1)
    return rows, touch.numbers[rows], *touch.pairs[rows][:, [c.FIRST, c.SECOND]].T


def take_contacts(state, before):
    """The contacts of another state with the same parts, as a run has them that goes on from a frame."""
    touch, old = state.buffers.touch, before.buffers.touch
    count = old.sizes[c.PAIR_COUNT]
    if not count or len(touch.fat) != len(old.fat) or touch.node.shape != old.node.shape:
        return
    if count > len(touch.pairs):
        touch = make_touch(state.model.arrays, len(touch.load), len(old.pairs), touch)
        state.buffers = state.buffers._replace(touch=touch)
    for name in ("pairs", "numbers", "sums", "node", "slots"):
        getattr(touch, name)[:len(getattr(old, name))] = getattr(old, name)
    touch.sizes[c.PAIR_COUNT] = count


def contacts_of(state):
    """What is kept of contacts from rest to rest, as copies."""
    touch = state.buffers.touch
    return touch.sizes[c.PAIR_COUNT], [getattr(touch, name).copy() for name in ("pairs", "numbers", "sums", "node", "slots")]


def put_contacts(state, kept):
    """Put back what `contacts_of` kept."""
    touch, (count, arrays) = state.buffers.touch, kept
    for name, array in zip(("pairs", "numbers", "sums", "node", "slots"), arrays, strict=True):
        getattr(touch, name)[:len(array)] = array
    touch.sizes[c.PAIR_COUNT] = count


class Ways:
    """How far surfaces have come since `before`, at points where they were: of rigids, and of `loose` soft things as wholes."""

    def __init__(self, state, before, loose=()):
        (self.first, rigid), (last, moved) = before, places_of(state)
        self.parts, self._shift = state.model.arrays.contact.parts, last - self.first
        old, new = (matrix_of(each[:, ORIENTATION:ORIENTATION + 4]) for each in (rigid, moved))
        self.body = self.parts.rigid.copy()
        for row, thing in enumerate(loose, len(rigid)):
            self.body[thing.parts] = row
        self._from = np.array([*rigid[:, CENTRE:CENTRE + 3], *(thing.first for thing in loose)]).reshape(-1, 3)
        self.centre = np.array([*moved[:, CENTRE:CENTRE + 3], *(thing.centre for thing in loose)]).reshape(-1, 3)
        self._turn = np.array([*(new @ np.swapaxes(old, 1, 2)), *(thing.turn for thing in loose)]).reshape(-1, 3, 3)

    def of_parts(self, parts, points):
        """(k, 3) m; other soft ones, of whose surfaces only the vertices may be held, and what is fixed have come nowhere."""
        body = self.body[parts]
        way = self.centre[body] + np.einsum("kij,kj->ki", self._turn[body], points - self._from[body]) - points
        return np.where((body >= 0)[:, None], way, 0.0)

    def turns(self, parts):
        """(k, 3) rad, how far they have turned, as vectors."""
        from scipy.spatial.transform import Rotation

        body, turns = self.body[parts], Rotation.from_matrix(self._turn).as_rotvec()
        return np.where((body >= 0)[:, None], turns[body], 0.0)

    def of_vertices(self, rows):
        """(k, 3) m"""
        return self._shift[rows]


def _drag_pairs(touch, ways):
    rows, numbers, first, second = touching(touch)
    point, n = numbers[:, c.POINT:c.POINT + 3], numbers[:, c.NORMAL_X:c.NORMAL_X + 3]
    way = _across(ways.of_parts(first, point) - ways.of_parts(second, point), n)
    twist = numbers[:, c.GYRATION] * ((ways.turns(first) - ways.turns(second)) * n).sum(axis=1)
    touch.numbers[rows, c.ANCHOR:c.ANCHOR + 4] += np.column_stack([way, twist])


def _drag_vertices(touch, ways):
    """Of soft parts, and of balls and the like on fields, which rub at places of their own."""
    held = touch.slots.reshape(-1, c.SLOTS, c.SLOT_NUMBERS)
    place, slot = np.nonzero((touch.node > 0) & (held[:, :, c.SLOT_USED] > 0.0))
    parts, own, row = ways.parts, held[place, slot], ways.parts.vertex[place]
    part = np.searchsorted(parts.vertex_start, place, side="right") - 1
    hard = (parts.rigid[part] >= 0)[:, None]
    point = np.where(hard, own[:, c.SLOT_POINT:c.SLOT_POINT + 3], ways.first[row])
    way = np.where(hard, ways.of_parts(part, point), ways.of_vertices(row))
    way = way - ways.of_parts(touch.node[place, slot] - 1, point)
    held[place, slot, c.SLOT_ANCHOR:c.SLOT_ANCHOR + 3] += _across(way, own[:, c.SLOT_NORMAL:c.SLOT_NORMAL + 3])


def _across(way, n):
    """What of it is along the surface."""
    return way - (way * n).sum(axis=1)[:, None] * n
