"""The cast: what a player shows of a stage, vertices and what is drawn on them, the same in every frame but for where it is.

Vertices are the particles of the scene, then those of the skins of round things, of what stands around and of carried planes.
"""
from functools import cached_property
from typing import NamedTuple

import numpy as np
from matplotlib.colors import to_rgb

from robotphi.scene.turns import matrix_of
from robotphi.view.bodies import SHARP, bare_facets, body_of_scene, strong_edges
from robotphi.view.scenes import MANY_PARTICLES, bare_edges
from robotphi.view.stage import Stage
from robotphi.view.strokes import strokes_of
from robotphi.view.touching import TONES, UPRIGHT, bare, field_patch, plane_patch, shaded, skin_of

WORLD = -1          # in place of a rigid: what does not move
FEW = 20            # frames that tell how far joints go
LEAST, MOST = 0.006, 0.025   # of the scene's radius: that of a particle's ball
LONGEST = 0.35      # of the scene's radius: the longest arrow
PATHS = 60          # of rigids and bare particles that are drawn
MARGIN = 0.12       # of the widest extent, by which the ground goes on beyond things


class Surface(NamedTuple):
    """Facets that belong together."""
    name: str
    facets: np.ndarray        # (f, 3) vertices
    colours: np.ndarray       # (f, 3) from 0 to 1
    values: np.ndarray        # (k,) particle that tells the value of each of its vertices, in the order of np.unique(facets)


class Cast:
    """What a player shows.

    Attributes:
        stage: of the recording.
        surfaces: Surfaces of things, which quantities colour; `scenery`: Surfaces of what stands around.
        carrier: (v,) the rigid that takes a vertex along, WORLD, or −2 of free particles.
        local: (v, 3) m, where carried vertices are in the axes of their rigid.
        edges, strong: (e, 2) vertices: of the mesh on surfaces; those that are drawn stronger.
        springs: (m, 2) particles, rows as `Stage.lines`; `bars`: (b, 2) particles of rigids without surface.
        inside: (m,) whether a spring belongs to something with facets.
        dots, held: particles drawn as small balls; those that are held.
        spheres: (s,) particles with a size, `sphere_radius` (s,) m, `sphere_colour` (s, 3).
    """

    def __init__(self, recording, scene=None):
        self.stage = recording if isinstance(recording, Stage) else Stage(recording, scene)
        self._local, self._carrier = [], []
        scene, body, rigid = self.stage.scene, body_of_scene(self.stage.scene), bare_facets(self.stage.scene)
        self._add_particles(scene)
        names = dict.fromkeys([*self.stage.surfaces, *rigid, *(one.name for one in (*self.stage.rounds, *self.stage.balls))])
        tone = {name: np.array(to_rgb(TONES[index % len(TONES)])) for index, name in enumerate(names)}
        found = {**{name: placed.facets for name, placed in self.stage.surfaces.items()}, **rigid}
        self.surfaces = [Surface(name, facets, np.tile(tone[name], (len(facets), 1)), np.unique(facets))
                         for name, facets in found.items() if len(facets)]
        for thing in self.stage.rounds:
            skin = skin_of(scene, thing)
            start = self._carry(skin.points, thing.rigid)
            self.surfaces.append(Surface(thing.name, skin.facets + start, shaded(tone[thing.name], skin.tone),
                                         np.full(len(np.unique(skin.facets)), thing.particles[0])))
        self._add_balls(tone)
        self._add_small(scene, body, rigid)
        whole = body._replace(facets=np.concatenate([np.empty((0, 3), int), *(one.facets for one in self.surfaces)]))
        first = np.concatenate(self._at_start)
        self.edges, self.strong = bare(scene, body), strong_edges(whole, first)
        self.scenery = self._scenery()

    @property
    def carrier(self):
        return np.concatenate(self._carrier)

    @property
    def local(self):
        return np.concatenate(self._local)

    def _add_particles(self, scene):
        """All particles, and where those of rigids are in the axes of these."""
        record, owner = self.stage.recording, np.asarray(scene.rigid_of_particle)
        position = np.array(self.stage.position(0), float)
        local, owned = np.zeros_like(position), np.flatnonzero(owner >= 0)
        turn = matrix_of(record.rigid_orientation[0, owner[owned]])
        local[owned] = np.einsum("pji,pj->pi", turn, position[owned] - record.rigid_position[0, owner[owned]])
        self._carrier.append(np.where(owner >= 0, owner, -2))
        self._local.append(local)
        self._at_start = [position]

    def _carry(self, points, rigid):
        """Vertices that a rigid takes along from where they are at first; returns the number of the first of them."""
        record, start = self.stage.recording, sum(map(len, self._local))
        local = points if rigid < 0 else (points - record.rigid_position[0, rigid]) @ matrix_of(
            record.rigid_orientation[0, rigid])
        self._local.append(local)
        self._carrier.append(np.full(len(points), rigid if rigid >= 0 else WORLD))
        self._at_start.append(points)
        return start

    def _add_balls(self, tone):
        balls = self.stage.balls
        self.spheres = np.concatenate([np.empty(0, int), *(thing.particles for thing in balls)])
        self.sphere_radius = np.concatenate([np.empty(0), *(thing.radius for thing in balls)])
        self.sphere_colour = np.concatenate([np.empty((0, 3)), *(np.tile(tone[thing.name], (len(thing.particles), 1))
                                                                for thing in balls)])
        self.sphere_names = [thing.name for thing in balls for _ in thing.particles]

    def _add_small(self, scene, body, rigid):
        """Springs, bars and dots."""
        self.springs = self.stage.lines
        within = np.zeros(scene.particle_count, int)
        for number, placed in enumerate(self.stage.surfaces.values(), 1):
            if len(placed.facets):
                within[placed.particles] = number
        self.inside = (within[self.springs] > 0).all(axis=1) & (within[self.springs[:, 0]] == within[self.springs[:, 1]])
        skins = {rigid.index for placed in self.stage.surfaces.values() for rigid in placed.rigids}
        skins |= {thing.rigid for thing in self.stage.rounds}
        bars = [one for one in scene.rigids if one.index not in skins and not len(rigid.get(one.name, ()))]
        self.bars = np.concatenate([np.empty((0, 2), int), *(part for one in bars for part in (
            one.particles[bare_edges(scene.position[one.particles])], self._arms(one)))])
        self.held = np.setdiff1d(body.held, self.spheres)
        dots = np.setdiff1d(body.dots, self.spheres)
        self.dots = np.setdiff1d(dots, self.springs) if len(dots) > MANY_PARTICLES else dots

    def _arms(self, rigid):
        """Lines from the centre of a rigid without surface to its joints."""
        first = self.stage.joints(0).mean(axis=1)
        own = [number for number, joint in enumerate(self.stage.all_joints)
               if rigid.index in (joint.child.index, getattr(joint.parent, "index", None))]
        if not own:
            return np.empty((0, 2), int)
        start = self._carry(np.vstack((self.stage.recording.rigid_position[0, rigid.index], first[own])), rigid.index)
        return np.stack([np.full(len(own), start), start + 1 + np.arange(len(own))], axis=1)

    @cached_property
    def bounds(self):
        """(2, 3) m, lowest and highest place of all that is drawn, in any frame."""
        record, stage, count = self.stage.recording, self.stage, self.stage.scene.particle_count
        drawn = np.unique(np.concatenate([np.ravel(part).astype(int) for part in (
            self.springs, self.bars, self.dots, self.held, *(one.facets for one in self.surfaces))]))
        reach = [(record.position[:, drawn[drawn < count]], 0.0)]
        reach += [(record.position[:, one.particles], float(np.max(one.radius))) for one in (*stage.rounds, *stage.balls)]
        arms = np.setdiff1d(self.bars, np.arange(count))
        for frame in stage.chosen(FEW):
            reach += [(stroke.points[None], 0.0) for stroke in strokes_of(stage, frame)]
            reach += [(stage.joints(frame), 0.0)] + ([(self.points(frame)[None, arms], 0.0)] if len(arms) else [])
        reach = [(places, size) for places, size in reach if places.size] or [(record.rigid_position, 0.0)]
        low = [places.min(axis=(0, 1), initial=np.inf) - size for places, size in reach]
        high = [places.max(axis=(0, 1), initial=-np.inf) + size for places, size in reach]
        found = np.array([np.min(low, axis=0), np.max(high, axis=0)])
        return found if np.isfinite(found).all() else np.array([-np.ones(3), np.ones(3)])

    @property
    def middle(self):
        return self.bounds.mean(axis=0)

    @property
    def radius(self):
        return max(float(np.linalg.norm(np.diff(self.bounds, axis=0))) / 2, 1e-9)

    @cached_property
    def dot(self):
        """m, radius of the small balls that stand for particles: small beside the mesh, never lost in the scene."""
        pairs, first = self.edges if len(self.edges) else self.springs, self.points(0)
        apart = np.linalg.norm(first[pairs[:, 0]] - first[pairs[:, 1]], axis=1)
        typical = float(np.median(apart)) if len(apart) else self.radius
        return min(max(0.11 * typical, LEAST * self.radius), MOST * self.radius)

    @cached_property
    def arrow(self):
        """m, the longest arrow of a group: no longer than things are, in a scene in which they go far."""
        first = self.points(0)
        sizes = [float(np.linalg.norm(np.ptp(first[np.unique(one.facets)], axis=0))) for one in self.surfaces]
        sizes += (2.0 * self.sphere_radius).tolist()
        longest = LONGEST * self.radius
        return min(longest, float(np.median(sizes))) if sizes else longest

    @property
    def paths(self):
        """What trajectories are drawn of, so many: −1 − its number of a rigid, a particle that is drawn as a small ball."""
        rigids = -1 - np.arange(self.stage.recording.rigid_position.shape[1])
        return np.concatenate([rigids, self.dots])[:PATHS].astype(np.int32)

    def _scenery(self):
        """Planes and height fields, as far as things go, and planes that rigids carry."""
        low, high = self.bounds[:, :2]
        margin = MARGIN * max(float(np.max(high - low)), 1e-9)
        low, high = low - margin, high + margin
        self.floor, found = (low, high), []
        for thing in self.stage.planes:
            upright = abs(thing.normal[2]) <= UPRIGHT
            half = 0.5 * float(np.max(high - low))
            middle = np.zeros(2) if upright or thing.rigid < 0 else thing.point[:2]
            within = (middle - half, middle + half) if upright or thing.rigid >= 0 else (low, high)
            found.append((thing, plane_patch(thing, *within), thing.rigid))
        found += [(thing, field_patch(thing, low, high), WORLD) for thing in self.stage.fields]
        return [Surface(thing.name, patch.facets + self._carry(patch.points, rigid), patch.colours, np.empty(0, int))
                for thing, patch, rigid in found if len(patch.facets)]

    def points(self, frame):
        """(v, 3) m, all vertices at a frame."""
        record, found, carrier = self.stage.recording, self.local, self.carrier
        particles = self.stage.scene.particle_count
        found[:particles] = record.position[frame]
        rows = particles + np.flatnonzero(carrier[particles:] >= 0)
        rigid = carrier[rows]
        turn = matrix_of(record.rigid_orientation[frame, rigid])
        found[rows] = record.rigid_position[frame, rigid] + np.einsum("vij,vj->vi", turn, found[rows])
        return found


def smooth_groups(facets, colours, points):
    """Vertices to be shaded smoothly: (f, 3) numbers of facets' corners, and the vertex of each number, (k,).

    Corners at a vertex are one where their facets meet smoothly there and have one colour.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    corner = points[facets]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    pairs = np.concatenate([facets[:, list(ends)] for ends in ((0, 1), (1, 2), (2, 0))])
    corners = np.arange(facets.size).reshape(-1, 3)
    ends = np.concatenate([corners[:, list(each)] for each in ((0, 1), (1, 2), (2, 0))])
    turned = pairs[:, 0] > pairs[:, 1]
    pairs, ends = np.where(turned[:, None], pairs[:, ::-1], pairs), np.where(turned[:, None], ends[:, ::-1], ends)
    facet = np.tile(np.arange(len(facets)), 3)
    order = np.lexsort(pairs.T)
    same = np.flatnonzero((pairs[order[1:]] == pairs[order[:-1]]).all(axis=1))
    first, second = order[same], order[same + 1]
    smooth = np.einsum("ex,ex->e", normal[facet[first]], normal[facet[second]]) >= SHARP
    smooth &= (colours[facet[first]] == colours[facet[second]]).all(axis=1)
    a, b = ends[first[smooth]].ravel(), ends[second[smooth]].ravel()
    roots = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(facets.size, facets.size)), directed=False)[1]
    _, kept, number = np.unique(roots, return_index=True, return_inverse=True)
    return number.reshape(facets.shape), facets.ravel()[kept]
