"""Tests that surgeons and laboratories do: the drawer, with ligaments intact or cut, and a ligament pulled along itself."""
from typing import NamedTuple

import numpy as np

from robotphi.applications.ligament.fibres import HELD, add_fibres
from robotphi.run.equilibria import equilibria
from robotphi.scene.checks import number, refuse, whole, word
from robotphi.scene.scene import Scene

WAYS = ("x", "xy", "xyz")


class Drawer(NamedTuple):
    """A drawer test.

    Attributes:
        force: (k,) N on the tibia, anterior; from the largest backwards to the largest forwards.
        place: (k,) m, of the tibia's origin along its anterior axis, from where the motion has it.
        anterior, posterior: m, from where it rests without force.
    """
    force: np.ndarray
    place: np.ndarray

    @property
    def anterior(self):
        return float(self.place[-1] - self.place[len(self.place) // 2])

    @property
    def posterior(self):
        return float(self.place[0] - self.place[len(self.place) // 2])

    @property
    def total(self):
        return self.anterior - self.posterior


def drawer(strands, pose, force=134.0, free="x", steps=20):
    """The tibia pushed along its own anterior axis by forces up to ± force [N], the femur held in a pose, as a `Drawer`.

    Args:
        strands: that are not cut.
        pose: (4, 4) of the femur in axes of the tibia.
        force: [N].
        free: axes of the tibia along which it may move. Without bones that touch, only ligaments bear it along y and z.
        steps: to either side.
    """
    force, steps = number("drawer", "force [N]", force, above=0.0), whole("drawer", "steps", steps)
    word("drawer", "free axes", free, WAYS)
    scene, femur, tibia = bones(strands, pose, "".join(axis for axis in "xyz" if axis not in free))
    add_fibres(scene, "ligament", strands, femur.particles, tibia.particles, particles=0)
    scene.add_force("push", tibia, (0.0, 0.0, 0.0))
    start, found = tibia.centre[0], {}
    for sign in (1.0, -1.0):
        pushes = sign * force * np.arange(steps + 1) / steps
        study = equilibria(scene, {("push", "vector"): [(push, 0.0, 0.0) for push in pushes]})
        found |= dict(zip(pushes, study.rigid_position[:, tibia.index, 0] - start, strict=True))
    order = sorted(found)
    return Drawer(np.array(order), np.array([found[push] for push in order]))


def bones(strands, pose, held="xyz"):
    """(Scene, femur, tibia): both stand, the femur in a pose in axes of the tibia, which is held along some of its axes."""
    scene, pose = Scene("knee test", gravity=(0.0, 0.0, 0.0)), np.asarray(pose, float)
    femur = scene.add_rigid("femur", strands.femur @ pose[:3, :3].T + pose[:3, 3], **HELD)
    return scene, femur, scene.add_rigid("tibia", strands.tibia, **(HELD | {"support": held}))


class TensionTest(NamedTuple):
    """A ligament that is pulled along itself.

    Attributes:
        way: (k,) m, by which the femur is drawn off.
        force: (k,) N, along the way.
        stiffness: N/m, slope where all strands are straight.
        by_table: N/m, Σ k/L0 of the strands.
        by_cosines: N/m, Σ k/L0 cos² of their angles to the way, with what their tension adds as they turn, at the end.
    """
    way: np.ndarray
    force: np.ndarray
    stiffness: float
    by_table: float
    by_cosines: float

    def secant(self, low=50.0, high=500.0):
        """N/m between two forces [N]."""
        if self.force[-1] < high:
            refuse("tension test", f"it ends at {self.force[-1]:g} N", "ask for lesser forces")
        return float((high - low) / np.diff(np.interp((low, high), self.force, self.way))[0])


def tension_test(strands, pose, particles=20, steps=60):
    """The femur drawn off the tibia along the mean direction of a ligament, from a (4, 4) pose on, as a `TensionTest`."""
    scene, femur, tibia = bones(strands, pose)
    add_fibres(scene, "ligament", strands, femur.particles, tibia.particles, particles)
    ends, foot = scene.position[femur.particles], scene.position[tibia.particles]
    along = (ends - foot).mean(axis=0)
    along = along / np.linalg.norm(along)
    wanted = strands.slack * (1.0 + 1.5 * strands.toe)   # m, where the law is straight for good
    shorter = np.linalg.norm(ends - foot, axis=1)
    most = 1.2 * max(float((wanted - shorter).max()), 1e-3)
    way = np.linspace(0.0, most, steps + 1)
    study = equilibria(scene, {"femur": way[:, None] * along})
    force = study.reaction(femur)[:, :3] @ along
    pulled = ends + most * along - foot
    length = np.linalg.norm(pulled, axis=1)
    cosine, tension = pulled @ along / length, strands.tension(length)
    by_cosines = strands.tangent(length) * cosine**2 + tension / length * (1.0 - cosine**2)
    return TensionTest(way, force, float((force[-1] - force[-2]) / (way[-1] - way[-2])),
                       float((strands.stiffness / strands.slack).sum()), float(by_cosines.sum()))
