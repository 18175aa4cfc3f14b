"""Pictures of scenes in which things touch: objects, balls, capsules and cylinders on planes and height fields, with shadows.

Round things have sectors in two tones, so that their turning can be seen; the ground is a chequered patch below what is shown.
"""
from typing import NamedTuple

import numpy as np
from matplotlib.colors import to_rgb

from robotphi.geometry import shapes
from robotphi.geometry.rounds import revolve
from robotphi.scene.rounds import outline_of
from robotphi.view.bodies import bare_facets, body_of_scene
from robotphi.view.solids import SKIN, Panel, Scenery, picture_solids
from robotphi.view.stage import Stage, staged
from robotphi.view.strokes import strokes_of

TONES = (SKIN, "#e7c393", "#a5cdc7", "#dda5a0", "#c4b5e0", "#c3cb97")
GROUND, SECOND, SHADOW = "#eef1f4", "#e2e7ec", "#c3cbd4"
DARKER = 0.74                   # of every second sector
SIDES, RINGS, SECTORS = 48, 24, 8
SUN = (0.25, 0.15, -1.0)        # the way of the light that casts shadows
CELLS = 16                      # of the ground along its longer side
UPRIGHT = 0.1                   # height of the normal: planes that are steeper are seen as walls
LIFT = 2e-3                     # of a cell, by which shadows lie above the ground


class RoundSkin(NamedTuple):
    """The surface of a round thing where it was described."""
    points: np.ndarray          # (n, 3) m
    facets: np.ndarray          # (f, 3)
    tone: np.ndarray            # (f,) 0 or 1
    rigid: int                  # it goes with, −1 with a particle
    particle: int


@staged
def picture_touching(stage, path=None, frames=4, colours=None, together=False, ground=True, titles=None, floor=None, **options):
    """Draw what a scene holds at several frames, as `solids.picture_solids` does with its other options.

    Args:
        stage: the recording, or a Stage of it.
        frames: their number, evenly spread over the run, or their indices.
        colours: {name of an object or of a round thing: colour}; they take turns where left out.
        together: all frames in one panel, as a stroboscope shows them.
        ground: whether planes and height fields are drawn, as far as things go.
        titles: one per panel; the instants where left out.
        floor: (low, high), each (2,) m, of the patch of ground that is shown; what things need where left out.
    """
    chosen, stage = stage.chosen(frames), TouchingStage(stage.recording, stage.scene, colours)
    panels = [stage.panel(index) for index in chosen]
    titles = titles or ([""] if together else stage.titles(chosen))
    panels = [merged(panels)] if together else panels
    if ground:
        panels = stage.on_ground(panels, floor)
    panels = [panel._replace(title=title) for panel, title in zip(panels, titles, strict=True)]
    return picture_solids(panels, path, **options)


def merged(panels):
    """All panels as one."""
    starts = np.cumsum([0, *(len(panel.position) for panel in panels)])
    moved = [type(panel.body)(*(rows if name == "rest" else rows + start for name, rows in panel.body._asdict().items()))
             for panel, start in zip(panels, starts, strict=False)]
    body = type(moved[0])(*(np.concatenate(parts) for parts in zip(*moved, strict=True)))
    return panels[0]._replace(body=body, position=np.concatenate([panel.position for panel in panels]),
                              colours=np.concatenate([panel.colours for panel in panels]),
                              scenery=tuple(each for panel in panels for each in panel.scenery),
                              joints=np.concatenate([panel.joints for panel in panels]),
                              strokes=tuple(each for panel in panels for each in panel.strokes))


class TouchingStage(Stage):
    """A stage with the surfaces of round things, and with the colours of all of them."""

    def __init__(self, recording, scene=None, colours=None):
        super().__init__(recording, scene)
        scene, self.given = self.scene, dict(colours or {})
        body, rigid, rounds, balls = body_of_scene(scene), bare_facets(scene), self.rounds, self.balls
        names = list(dict.fromkeys([*self.surfaces, *rigid, *(thing.name for thing in [*rounds, *balls])]))
        self.tone = {name: to_rgb(self.given.get(name, TONES[i % len(TONES)])) for i, name in enumerate(names)}
        colour = [np.tile(self.tone[name], (len(placed.object.facets), 1)) for name, placed in self.surfaces.items()]
        colour += [np.tile(self.tone[name], (len(facets), 1)) for name, facets in rigid.items()]
        self.skins = [skin_of(scene, thing) for thing in rounds]
        colour += [shaded(self.tone[thing.name], skin.tone) for thing, skin in zip(rounds, self.skins, strict=True)]
        for thing in balls:
            own = [ball_skin(scene.position[p], r, -1, int(p)) for p, r in zip(thing.particles, thing.radius, strict=True)]
            self.skins += own
            colour += [shaded(self.tone[thing.name], skin.tone) for skin in own]
        self.colours = np.concatenate([np.empty((0, 3)), *colour])
        starts = scene.particle_count + np.cumsum([0, *(len(skin.points) for skin in self.skins)])
        facets = [body.facets, *(skin.facets + start for skin, start in zip(self.skins, starts, strict=False))]
        shown = np.concatenate([np.empty(0, int), *(thing.particles for thing in balls)])
        self.body = body._replace(facets=np.concatenate(facets), dots=np.setdiff1d(body.dots, shown), edges=bare(scene, body))

    def panel(self, frame):
        """Everything but the ground at a frame."""
        points = [self.position(frame)]
        for skin in self.skins:
            if skin.rigid < 0:
                points.append(skin.points + self.position(frame)[skin.particle] - self.position(0)[skin.particle])
            else:
                points.append(self.carried(skin.points, skin.rigid, frame))
        return Panel(self.body, np.concatenate(points), colours=self.colours, scenery=self.carried_planes(frame),
                     joints=self.joints(frame), strokes=strokes_of(self, frame))

    def carried_planes(self, frame):
        """Patches of the planes that rigids carry, as large as the scene is wide."""
        half = 0.5 * float(np.ptp(self.scene.position, axis=0).max(initial=0.0))
        found = []
        for plane in self.planes:
            if plane.rigid >= 0 and half > 0.0:
                upright = abs(plane.normal[2]) <= UPRIGHT
                middle = np.zeros(2) if upright else plane.point[:2]
                patch = plane_patch(plane, middle - half, middle + half)
                found.append(patch._replace(points=self.carried(patch.points, plane.rigid, frame)))
        return tuple(found)

    def on_ground(self, panels, floor=None):
        """The panels with the ground below what they show and the shadows that it catches."""
        used = np.concatenate([panel.position[np.unique(panel.body.facets)] for panel in panels])
        low, high = used.min(axis=0), used.max(axis=0)
        margin = 0.12 * float(np.max(high - low))
        low, high = (low[:2] - margin, high[:2] + margin) if floor is None else map(np.asarray, floor)
        for thing in self.scene.touching.values():
            if thing in self.planes and thing.rigid < 0:
                patch, drop = plane_patch(thing, low, high), shadow_on_plane(thing)
            elif thing in self.fields:
                patch, drop = field_patch(thing, low, high), None
            else:
                continue
            panels = [panel._replace(scenery=(*panel.scenery, patch, *([drop(panel, low, high)] if drop else [])))
                      for panel in panels]
        return panels


def bare(scene, body):
    """Edges of what is soft: rigid things are drawn without the triangles they are made of."""
    return body.edges[scene.rigid_of_particle[body.edges].min(axis=1) < 0]


def shaded(colour, tone):
    """(f, 3) colours of facets of two tones."""
    return np.where(tone[:, None] > 0, DARKER, 1.0) * np.asarray(colour)


def skin_of(scene, thing):
    """The RoundSkin of a solid ball, capsule, cylinder, … on a rigid."""
    ends = scene.position[thing.particles]
    if thing.length == 0.0:
        return ball_skin(ends[0], thing.radius, thing.rigid, -1)
    radii, heights = outline_of(thing, RINGS // 2)
    solid, axis = revolve(radii, heights, SIDES, np.zeros(3)), (ends[1] - ends[0]) / thing.length
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across /= np.linalg.norm(across)
    return sectored(solid, np.stack([across, np.cross(axis, across), axis]), ends.mean(axis=0), thing.rigid, -1, halves=False)


def ball_skin(centre, radius, rigid, particle):
    return sectored(shapes.uv_sphere(radius, SIDES, RINGS), np.eye(3), centre, rigid, particle, halves=True)


def sectored(solid, frame, centre, rigid, particle, halves):
    """A solid of revolution about z, turned and moved; its sectors take turns in tone, those of the other half too."""
    points, triangles = _parted(solid)
    middle = points[triangles].mean(axis=1)
    sector = np.floor(np.arctan2(middle[:, 1], middle[:, 0]) / (2 * np.pi / SECTORS) + 1e-9).astype(int)
    tone = (sector + (middle[:, 2] > 0) * halves) % 2
    return RoundSkin(points @ frame + centre, triangles, tone, rigid, particle)


def _parted(solid):
    """(points, triangles) of a solid of revolution: two of each side, and of flat ends wedges about their middle."""
    points, wedges, facet = solid.triangulated(centres=True)
    flat = solid.loops.sizes > 4
    used, triangles = np.unique(np.concatenate([solid.triangles[~flat[solid.triangle_facet]], wedges[flat[facet]]]),
                                return_inverse=True)
    return points[used], triangles.reshape(-1, 3)


# Ground ------------------------------------------------------------------------------------------------------------

def plane_patch(plane, low, high):
    """A chequered piece of a plane over a rectangle seen from above (of an upright plane, around its point)."""
    return chequered(grid_points(low, high, lambda p: on_plane(plane, p)))


def on_plane(plane, points):
    """Points (…, 2) seen from above → (…, 3) on the plane; (u, v) across its normal where it stands upright."""
    n = plane.normal
    if abs(n[2]) > UPRIGHT:
        height = plane.point[2] - ((points - plane.point[:2]) @ n[:2]) / n[2]
        return np.concatenate([points, height[..., None]], axis=-1)
    aside = np.cross((0.0, 0.0, 1.0), n)
    aside /= np.linalg.norm(aside)
    return plane.point + points[..., :1] * aside + points[..., 1:] * np.array((0.0, 0.0, 1.0))


def grid_points(low, high, lift):
    """(nu, nv, 3) points of a grid of nearly square cells over a rectangle."""
    span = np.asarray(high) - low
    cell = span.max() / CELLS
    count = np.maximum(np.ceil(span / cell - 1e-9).astype(int), 1)
    u, v = (np.linspace(low[i], high[i], count[i] + 1) for i in range(2))
    return lift(np.stack(np.meshgrid(u, v, indexing="ij"), axis=-1))


def field_patch(field, low, high):
    """The cells of a height field within a rectangle, chequered."""
    first, last = (np.clip((np.asarray(end) - field.origin[:2]) / field.spacing, 0, np.array(field.heights.shape) - 1)
                   for end in (low, high))
    u, v = (np.arange(int(np.floor(a)), int(np.ceil(b)) + 1) for a, b in zip(first, last, strict=True))
    places = np.stack(np.meshgrid(u * field.spacing[0], v * field.spacing[1], indexing="ij"), axis=-1)
    return chequered(field.origin + np.concatenate([places, field.heights[np.ix_(u, v)][..., None]], axis=-1))


def chequered(points):
    """Scenery of a grid of points (nu, nv, 3), two triangles a cell."""
    nu, nv = points.shape[:2]
    number = np.arange(nu * nv).reshape(nu, nv)
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    facets = np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)], axis=2).reshape(-1, 3)
    tone = np.add.outer(np.arange(nu - 1), np.arange(nv - 1)).repeat(2, axis=1).reshape(-1) % 2
    return Scenery(points.reshape(-1, 3), facets, np.where(tone[:, None] > 0, to_rgb(SECOND), to_rgb(GROUND)))


def shadow_on_plane(plane):
    """A function that makes the shadows of a panel on a plane, cut off where the patch ends."""
    def drop(panel, low, high):
        points = panel.position
        gap = (points - plane.point) @ plane.normal
        sun = np.array(SUN) if plane.normal[2] > 0.1 else -plane.normal
        foot = points - (gap / (sun @ plane.normal))[:, None] * sun
        foot += LIFT * float(np.max(np.asarray(high) - low)) / CELLS * plane.normal
        facets = panel.body.facets
        inside = ((foot[:, :2] >= low) & (foot[:, :2] <= high)).all(axis=1) & (gap > -1e-2 * np.abs(points).max())
        kept = facets[inside[facets].all(axis=1)]
        return Scenery(foot, kept, np.tile(to_rgb(SHADOW), (len(kept), 1)))
    return drop
