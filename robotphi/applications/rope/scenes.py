"""A rope round a post whose pull grows until it slips; an overhand knot that is pulled tight and let go."""
from dataclasses import dataclass

import numpy as np

from robotphi.applications.rope.chain import lay_rope
from robotphi.applications.rope.exact import turns_ratio
from robotphi.scene.contact import ContactMaterial
from robotphi.scene.drive import Drive
from robotphi.scene.scene import Scene
from robotphi.scene.stepping import Stepping

TURNED = 20            # links a turn
POST, WEIGHT = 0.015, 0.2      # m, N
WINDING = 1.5          # thicknesses from turn to turn
AROUND = 0.12          # of the ratio that is due, below and above, through which the pull grows slowly
HALF, OFF = 1.0, 1.4   # rad, half the arc of the braid; rope radii that its strands are off its middle
MIDDLE = 7             # links either side of the loop's top that tell its radius
FINE = 4001


@dataclass(frozen=True)
class Rope:
    """What a rope is.

    Attributes:
        radius: r [m]. density: [kg/m³].
        bending: B [N·m²]. viscosity: of it, over B [s].
        link: length of a link, in radii.
    """
    radius: float = 0.002
    density: float = 2000.0
    bending: float = 4.6e-7
    viscosity: float = 0.1
    link: float = 2.4


def turns_points(turns, post=POST, radius=0.002, tail=4):
    """Points of a rope round a post, and the directions in which its ends leave: each link touches with its middle."""
    count, turn = round(TURNED * turns), 2 * np.pi / TURNED
    angle, far, climb = np.arange(count + 1) * turn, (post + radius) / np.cos(turn / 2), WINDING * radius / np.pi
    around = np.stack([far * np.cos(angle), far * np.sin(angle), climb * angle], axis=1)
    length = np.linalg.norm(around[1] - around[0])
    ways = [sign * np.array([-np.sin(at), np.cos(at), climb / far]) for sign, at in ((-1, angle[0]), (1, angle[-1]))]
    first, last = (way / np.linalg.norm(way) for way in ways)
    steps = length * np.arange(1, tail + 1)[:, None]
    return np.concatenate([around[0] + steps[::-1] * first, around, around[-1] + steps * last]), first, last


def turns_scene(turns=0.5, friction=0.2, rope=Rope(viscosity=0.04), duration=1.2, frames=240, budget=1e-3):
    """A weight on one end of a rope round a post; the pull on the other grows slowly through what the turns can hold.

    Nothing resists bending but a little viscosity. Returns the scene and the ratio of pull over weight as a Drive.
    """
    scene = Scene("turns", duration=duration, frames=frames, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    surface = ContactMaterial(stiffness=1e10, friction=friction, damping=1.0)
    points, first, last = turns_points(turns, POST, rope.radius)
    scene.add_cylinder("post", (0, 0, points[:, 2].min() - POST), (0, 0, points[:, 2].max() + POST), POST, density=1000.0,
                       contact=surface, support="xyz", rotation_support="xyz")
    links = lay_rope(scene, "rope", points, rope.radius, rope.density, surface, viscosity=rope.viscosity * rope.bending)
    due = turns_ratio(len(points) - 1 - 2 * 4, 2 * np.pi / TURNED, POST, rope.radius, friction)
    ratio = Drive.table([0.0, 0.1 * duration, 0.4 * duration, duration], [1.0, 1.0, (1 - AROUND) * due, (1 + AROUND) * due])
    scene.add_force("weight", int(links[0].particles[0]), WEIGHT * first)
    scene.add_force("pull", int(links[-1].particles[1]), WEIGHT * last, drive=ratio)
    return scene, ratio, due


def knot_points(rope, loop, tail):
    """An overhand knot: two strands of a braid that cross three times along the lower arc of a circle, which is its loop.

    Args:
        loop: radius of the circle, tail: length of both ends, in radii of the rope.
    """
    angle = np.linspace(-np.pi / 2 - HALF, 1.5 * np.pi + HALF, FINE)
    share = [np.clip(each / (2 * HALF), 0, 1) for each in (angle + np.pi / 2 + HALF, angle - 1.5 * np.pi + HALF)]
    wound = 3 * np.pi * sum(each ** 2 * (3 - 2 * each) for each in share)
    out = loop + OFF * np.cos(wound)
    points = np.stack([out * np.cos(angle), OFF * np.sin(wound), out * np.sin(angle)], axis=1)
    first, last = points[0] - points[1], points[-1] - points[-2]
    steps = np.linspace(0, tail, FINE)[1:, None]
    points = np.concatenate([points[0] + steps[::-1] * first / np.linalg.norm(first), points,
                             points[-1] + steps * last / np.linalg.norm(last)])
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    even = np.linspace(0, way[-1], round(way[-1] / rope.link) + 1)
    return rope.radius * np.stack([np.interp(even, way, points[:, axis]) for axis in range(3)], axis=1)


def knot_scene(friction=0.6, rope=Rope(), pull=0.03, loop=8.0, tail=30.0, duration=6.0, frames=120, budget=1e-3):
    """The knot, pulled tight through the first third, let go through the second, and left to itself.

    Args:
        pull: on both ends, in B/r²; loop, tail: as it is laid, in radii of the rope.
    """
    scene = Scene("overhand knot", duration=duration, frames=frames, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    surface = ContactMaterial(stiffness=6e8, friction=friction, damping=1.0)
    links = lay_rope(scene, "rope", knot_points(rope, loop, tail), rope.radius, rope.density, surface, rope.bending,
                     rope.viscosity * rope.bending)
    drive = Drive.table([0.0, 0.1 * duration, 0.33 * duration, 0.6 * duration, duration], [0.0, 1.0, 1.0, 0.0, 0.0])
    for name, who, sign in (("left", links[0].particles[0], -1), ("right", links[-1].particles[1], 1)):
        scene.add_force(name, int(who), (sign * pull * rope.bending / rope.radius ** 2, 0, 0), drive=drive)
    return scene


def axis_of(recording):
    """(f, n + 1, 3) points of the rope's axis [m]."""
    starts = [int(thing.particles[0]) for name, thing in recording.scene.things.items()
              if name.startswith("rope ") and name[5:].isdigit()]
    return recording.position[:, [*starts, starts[-1] + 1]]


def loop_radius(recording):
    """(f,) radius of the loop about the middle of the rope [m]: length over turn of the links there."""
    axis = axis_of(recording)
    middle = axis.shape[1] // 2
    along = np.diff(axis[:, middle - MIDDLE:middle + MIDDLE + 1], axis=1)
    length = np.linalg.norm(along, axis=2)
    along = along / length[..., None]
    turns = np.arccos(np.clip(np.einsum("flx,flx->fl", along[:, 1:], along[:, :-1]), -1.0, 1.0))
    return length[:, 1:].sum(axis=1) / np.maximum(turns.sum(axis=1), 1e-12)
