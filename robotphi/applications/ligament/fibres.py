"""Strands as fibres of particles in a scene, and a knee that is led through a motion."""
from typing import NamedTuple

import numpy as np

from robotphi.scene.blocks import Springs
from robotphi.scene.checks import refuse, whole
from robotphi.scene.scene import Scene
from robotphi.scene.stepping import Stepping

HELD = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0), "support": "xyz", "rotation_support": "xyz"}
RATIO = 0.1   # of critical damping, along fibres
FOLDS = 0.75  # of its slack length: a fibre that becomes shorter is folded up
POSES = 61    # of a motion that are asked how short fibres become


class Fibres(NamedTuple):
    """Handles of what `add_fibres` made.

    Attributes:
        beads: (n, p) particles between the ends.
        lines: (n, p + 2) particles from the first bone to the second.
        springs: linear ones, p + 1 for each strand in turn.
    """
    beads: np.ndarray
    lines: np.ndarray
    springs: Springs


def add_fibres(scene, name, strands, first, second, particles=20, mass=1e-3, across=0.0, bending=0.0, ratio=RATIO,
               radius=None, contact=None, clear=None):
    """Strands with known slack lengths as fibres of particles from bone to bone; returns `Fibres`.

    Each of p + 1 linear springs of a fibre has the law of the strand in strain, so that the fibre has it as a whole.

    Args:
        scene: that has both bones, as they stand in the first pose.
        name: of the particles; springs are name.fibres, dampers name.across and name.bending.
        strands: whose ends the particles are.
        first, second: (n,) particles of the bones.
        particles: between the ends of each fibre.
        mass: of each fibre [kg].
        across: viscosity of dampers between fibres that are neighbours [N·s/m], bead by bead.
        bending: viscosity of angular springs along the fibres [N·m·s/rad], which have no stiffness.
        ratio: of critical damping along the fibres, where they lengthen.
        radius: of the beads [m], which then touch whatever in the scene has a contact, such as bones, and slide on it: fibres
            wrap round it, their middles a radius above it; None for beads that touch nothing. They are called name.beads.
        contact: ContactMaterial of the beads.
        clear: function of (k, 3) places of beads on the straight lines that gives where they are put instead, out of bones.
    """
    where, count = f"ligament {name!r}", whole(f"ligament {name!r}", "particles", particles, 0)
    if not np.isfinite(strands.slack).all() or not np.isfinite(strands.stiffness).all():
        refuse(where, "slack lengths are told by strain or force", "fix them: strands.slack_in(pose)")
    first, second = np.asarray(first), np.asarray(second)
    start, end = scene.position[first], scene.position[second]
    share = np.arange(1, count + 1)[None, :, None] / (count + 1)
    lines = [first[:, None], second[:, None]]
    if count:
        places = (start[:, None] + share * (end - start)[:, None]).reshape(-1, 3)
        beads = scene.add_particles(name, places if clear is None else clear(places), mass / count)
        lines.insert(1, np.asarray(beads).reshape(len(strands), count))
    lines = np.concatenate(lines, axis=1)
    rest = strands.slack / (count + 1)
    stiffness = strands.stiffness / rest
    viscosity = 2.0 * ratio * np.sqrt(stiffness * mass / max(count, 1))
    springs = scene.add_linear(f"{name}.fibres", lines[:, :-1].ravel(), lines[:, 1:].ravel(),
                               *(np.repeat(values, count + 1) for values in (stiffness, viscosity, rest)),
                               toe_strain=np.repeat(0.5 * strands.toe, count + 1))
    if count and across > 0.0 and len(strands) > 1:
        one, other = neighbours(0.5 * (start + end))
        apart = np.linalg.norm(scene.position[lines[one, 1:-1]] - scene.position[lines[other, 1:-1]], axis=-1) > 0.0
        scene.add_linear(f"{name}.across", lines[one, 1:-1][apart], lines[other, 1:-1][apart], viscosity=across)
    if count and bending > 0.0:
        scene.add_angular(f"{name}.bending", *(lines[:, k:k + count].ravel() for k in range(3)), viscosity=bending)
    if count and radius is not None:
        scene.add_contact_balls(f"{name}.beads", lines[:, 1:-1].ravel(), radius, contact=contact, self_contact=False)
    return Fibres(lines[:, 1:-1], lines, springs)


def neighbours(middles):
    """(one, other): pairs of fibres, each with the two that are nearest to it."""
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=-1)
    near = np.argsort(apart + np.where(np.eye(len(apart), dtype=bool), np.inf, 0.0), axis=1, kind="stable")[:, :2]
    pairs = {(min(i, int(j)), max(i, int(j))) for i in range(len(apart)) for j in near[i] if i != j}
    return np.array(sorted(pairs)).T


def knee_scene(strands, motion, particles=20, mass=0.3, across=1.0, bending=1e-5, duration=10.0, frames=60, budget=1e-4):
    """(Scene, Fibres): a tibia that stands, its axes those of the world, and a femur that follows a motion in them.

    Masses [kg] of fibres are not those of a ligament: slow motion does not ask for them, and heavy fibres take long steps. What
    comes taut is late by its swing across, sqrt(mass × length/tension)/π: a motion of 10 s is then within 0.1 % of rest.

    Where a strand `folds` along the motion there are no angular dampers: slack springs do not keep beads apart, the bone runs
    over those that are next to it, and the turn of arms a that vanish is damped by bending/a², without bound.
    """
    scene = Scene("knee", duration=duration, frames=frames, gravity=(0.0, 0.0, 0.0), stepping=Stepping(budget=budget))
    tibia = scene.add_rigid("tibia", strands.tibia, **HELD)
    start = motion.pose()
    if bending > 0.0 and folds(strands, motion, duration):
        bending = 0.0
    femur = scene.add_rigid("femur", strands.femur @ start[:3, :3].T + start[:3, 3], mass=1.0, inertia=(1.0, 1.0, 1.0),
                            motion=motion)
    fibres = add_fibres(scene, "ligament", strands, femur.particles, tibia.particles, particles, mass, across, bending)
    scene.add_sensor("tension", "tension", fibres.springs)
    return scene, fibres


def folds(strands, motion, duration):
    """Whether any strand becomes shorter than FOLDS of its slack length within a duration [s] of a motion of the femur."""
    poses = np.array([motion.pose(time) for time in np.linspace(0.0, duration, POSES)])
    return bool((strands.lengths(poses) < FOLDS * strands.slack).any())
