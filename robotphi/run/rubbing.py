"""Springs of friction as functions of where things are: how far they are stretched, how much they bear, and how stiffly.

About a place all stretches are linear in shifts and turns, y = y₀ + D δ, and the forces are −Dᵀ k y: what a row of D says of
the way of surfaces is what a pull there does to bodies. A spring that would bear more than its share of the pressure N bears
c N along y: its stiffness across y is c N/|y|, along y it has none, but c ∂N/∂x.
"""
import numpy as np

from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact import kinds

UNKNOWN = (kinds.SHEET_PLANE, kinds.SHEET_FIELD, kinds.SHEET_SOLID, kinds.SHEET_BALL, kinds.SHEET_SHEET, kinds.SELF,
           kinds.BALL_SOFT, kinds.SHEET_SOFT)   # cases whose surfaces are not told by a few places
FAINT = 1e-6   # of the largest limit: what can bear no more holds nothing


class Rubbing:
    """The springs of friction of a state whose forces have been evaluated, about where it is.

    Attributes:
        ways: (s, 4, u) D; the fourth is the twist times the gyration radius of the pressure.
        stiffness: (s,) N/m; `bears`: whether it holds anything.
        start, start_sticks: how far each is stretched, (s, 4) m, and whether it sticks.

    `columns`: (rows, 3) and (r, 6) unknowns of particles and rigids, −1 where there is none; their number.
    """

    def __init__(self, state, columns, centres):
        self._state, (self._of_particle, self._of_rigid, self._count) = state, columns
        self._centres = centres
        self._parts, self._law = state.model.arrays.contact.parts, state.model.arrays.contact.law
        touch = state.buffers.touch
        self._materials = touch.sizes[c.MATERIALS]
        used = touch.pairs[:touch.sizes[c.PAIR_COUNT]]
        self.known = not np.isin(used[used[:, c.TRIAL_TOUCHING] == 1, c.CASE], UNKNOWN).any()
        self._look_at_pairs(touch)
        self._look_at_slots(touch)
        self.ways = np.concatenate([self._ways_of_pairs(), self._ways_of_slots()])   # (s, 4, u)
        self.stiffness = np.concatenate([self._pair_stiffness, self._slot_stiffness])
        law = np.concatenate([self._pair_law, self._slot_law])
        self.static, self.kinetic = law[:, c.STATIC_FRICTION], law[:, c.KINETIC_FRICTION]
        self.springs = self._names(touch)
        self.start, self.start_sticks = self.stretch(), self.sticks()
        most = self.static * np.maximum(self.pressures(), 0.0)
        self.bears = most > FAINT * most.max(initial=0.0)

    def _look_at_pairs(self, touch):
        pairs, parts = touch.pairs[:touch.sizes[c.PAIR_COUNT]], self._parts
        lone = (parts.rigid >= 0) | (np.diff(parts.vertex_start) < 2)
        first, second = pairs[:, c.FIRST], pairs[:, c.SECOND]
        law = self._law[parts.material[first] * self._materials + parts.material[second]]
        rubs = ((pairs[:, c.TRIAL_TOUCHING] == 1) & lone[first] & lone[second] & (law[:, c.STATIC_FRICTION] > 0.0)
                & ~np.isin(pairs[:, c.CASE], (kinds.BALL_FIELD, kinds.ROUND_FIELD)))
        self.pairs = np.flatnonzero(rubs)
        self._pair_law = law[rubs]
        area = np.minimum(parts.size[first[rubs], c.REFERENCE_AREA], parts.size[second[rubs], c.REFERENCE_AREA])
        self._pair_stiffness = _tangential(self._pair_law, area)

    def _look_at_slots(self, touch):
        parts = self._parts
        place, slot = np.nonzero(touch.node > 0)
        held = touch.slots.reshape(-1, c.SLOTS, c.SLOT_NUMBERS)
        pressed = held[place, slot, c.SLOT_FORCE] > 0.0
        self.slots = place, slot = place[pressed], slot[pressed]
        part, other = np.searchsorted(parts.vertex_start, place, side="right") - 1, touch.node[place, slot] - 1
        self._slot_parts = part, other
        self._slot_law = self._law[parts.material[part] * self._materials + parts.material[other]]
        round_part = (parts.rigid[part] >= 0) | (np.diff(parts.vertex_start)[part] < 2)
        area = np.where(round_part, parts.size[part, c.REFERENCE_AREA], parts.vertex_area[place])
        self._slot_stiffness = _tangential(self._slot_law, np.minimum(area, parts.size[other, c.REFERENCE_AREA]))

    def _ways_of_pairs(self):
        touch, rows = self._state.buffers.touch, self.pairs
        numbers = touch.numbers[rows]
        n, point, wide = numbers[:, c.NOW:c.NOW + 3], numbers[:, c.POINT:c.POINT + 3], numbers[:, c.GYRATION]
        ways = np.zeros((len(rows), 4, self._count + 1))
        for side, sign in ((c.FIRST, 1.0), (c.SECOND, -1.0)):
            part = touch.pairs[rows, side]
            self._add_part(ways[:, :3], part, point, sign)
            body = self._parts.rigid[part]
            turned = np.where((body >= 0)[:, None], self._of_rigid[body, 3:], -1) if len(self._of_rigid) else None
            if turned is not None:
                for axis in range(3):
                    ways[np.arange(len(rows)), 3, turned[:, axis]] += sign * wide * n[:, axis]
        ways[:, :3] -= n[:, :, None] * np.einsum("ki,kiu->ku", n, ways[:, :3])[:, None]
        return ways[:, :, :-1]

    def _ways_of_slots(self):
        state, (place, slot) = self._state, self.slots
        own = state.buffers.touch.slots.reshape(-1, c.SLOTS, c.SLOT_NUMBERS)[place, slot]
        n, row, (part, other) = own[:, c.SLOT_TRIAL_NORMAL:c.SLOT_TRIAL_NORMAL + 3], self._parts.vertex[place], self._slot_parts
        ways = np.zeros((len(place), 4, self._count + 1))
        hard = self._parts.rigid[part] >= 0
        point = np.where(hard[:, None], own[:, c.SLOT_POINT:c.SLOT_POINT + 3], state.buffers.position[row, :3])
        self._add_part(ways[:, :3], part, point, 1.0, hard)
        self._add_particles(ways[:, :3], row, np.where(hard, 0.0, 1.0))
        facet = own[:, c.SLOT_FACET].astype(int)
        on_facet = (facet >= 0) & (self._parts.rigid[other] < 0)
        self._add_part(ways[:, :3], other, point, -1.0, ~on_facet)
        corners = self._parts.facet[np.where(on_facet, facet, 0)] if len(self._parts.facet) else np.zeros((len(place), 3), int)
        weights = _foot(state.buffers.position[corners, :3], point)
        for k in range(3):
            self._add_particles(ways[:, :3], corners[:, k], np.where(on_facet, -weights[:, k], 0.0))
        ways[:, :3] -= n[:, :, None] * np.einsum("ki,kiu->ku", n, ways[:, :3])[:, None]
        return ways[:, :, :-1]

    def _add_part(self, ways, part, point, sign, which=True):
        """The way of the matter of parts at points: of rigids, and of balls that are particles."""
        body = self._parts.rigid[part]
        if len(self._of_rigid):
            own = np.flatnonzero((body >= 0) & which)
            at, arm = self._of_rigid[body[own]], point[own] - self._centres[body[own]]
            for axis in range(3):
                ways[own, axis, at[:, axis]] += sign
                after, before = (axis + 1) % 3, (axis + 2) % 3
                ways[own, axis, at[:, 3 + after]] += sign * arm[:, before]     # w × r
                ways[own, axis, at[:, 3 + before]] -= sign * arm[:, after]
        ball = (body < 0) & (self._parts.kind[part] == kinds.SPHERE) & which
        if ball.any():
            self._add_particles(ways, self._parts.vertex[self._parts.vertex_start[part] % len(self._parts.vertex)],
                                np.where(ball, sign, 0.0))

    def _add_particles(self, ways, row, weight):
        for axis in range(3):
            ways[np.arange(len(row)), axis, self._of_particle[row, axis]] += weight

    def _names(self, touch):
        """Which springs these are, whatever rows they stand in."""
        place, slot = self.slots
        return touch.pairs[self.pairs][:, [c.FIRST, c.SECOND]].tobytes(), place.tobytes(), touch.node[place, slot].tobytes()

    def stretch(self):
        """(s, 4) m, as the springs stand."""
        touch, (place, slot) = self._state.buffers.touch, self.slots
        held = touch.slots.reshape(-1, c.SLOTS, c.SLOT_NUMBERS)[place, slot, c.SLOT_ANCHOR:c.SLOT_ANCHOR + 3]
        return np.concatenate([touch.numbers[self.pairs, c.ANCHOR:c.ANCHOR + 4], np.hstack([held, np.zeros((len(held), 1))])])

    def sticks(self):
        touch, (place, slot) = self._state.buffers.touch, self.slots
        return np.concatenate([touch.pairs[self.pairs, c.STICKS] == 1,
                               touch.slots.reshape(-1, c.SLOTS, c.SLOT_NUMBERS)[place, slot, c.SLOT_STICKS] > 0.0])

    def set(self, stretch, sticks):
        touch, (place, slot), k = self._state.buffers.touch, self.slots, len(self.pairs)
        touch.numbers[self.pairs, c.ANCHOR:c.ANCHOR + 4] = stretch[:k]
        touch.pairs[self.pairs, c.STICKS] = sticks[:k]
        held = touch.slots.reshape(-1, c.SLOTS, c.SLOT_NUMBERS)
        held[place, slot, c.SLOT_ANCHOR:c.SLOT_ANCHOR + 3] = stretch[k:, :3]
        held[place, slot, c.SLOT_STICKS] = sticks[k:]

    def pressures(self):
        """(s,) N, as they were evaluated last."""
        touch, (place, slot) = self._state.buffers.touch, self.slots
        return np.concatenate([touch.sums[self.pairs, c.PAIR_NORMAL],
                               touch.slots.reshape(-1, c.SLOTS, c.SLOT_NUMBERS)[place, slot, c.SLOT_FORCE]])

    def sizes(self, stretch):
        """(s,) N, what they would bear."""
        return self.stiffness * np.sqrt((stretch * stretch).sum(axis=1))

    def limits(self, sticks, pressures):
        """(s,) N"""
        return np.where(sticks, self.static, self.kinetic) * np.maximum(pressures, 0.0)

    def resists(self, way):
        """(u,) N and N·m: what those that hold bear of a small way."""
        stretch = (self.stiffness * self.bears)[:, None] * np.einsum("kiu,u->ki", self.ways, way)
        return np.einsum("kiu,ki->u", self.ways, stretch)

    def holding(self):
        """The same as a matrix."""
        from scipy.sparse import csc_matrix, diags

        ways = csc_matrix(self.ways.reshape(-1, self._count))
        return (ways.T @ diags(np.repeat(self.stiffness * self.bears, 4)) @ ways).tocsc()


def _tangential(law, area):
    return np.where(law[:, c.TANGENTIAL] > 0.0, law[:, c.TANGENTIAL], law[:, c.STIFFNESS] * area)


def _foot(corners, point):
    """(k, 3) weights of the feet of points on triangles, see `kernels/contact/hold/on_facet`."""
    one, other, d = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0], point - corners[:, 0]
    big = np.cross(one, other)
    square = np.maximum((big * big).sum(axis=1), 1e-300)
    second, third = (np.cross(d, other) * big).sum(axis=1) / square, (np.cross(one, d) * big).sum(axis=1) / square
    return np.stack([1.0 - second - third, second, third], axis=1)
