"""What ligaments bear while a knee is led through a motion: by equilibria of their fibres, as tables."""
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robotphi.applications.data import write_json
from robotphi.applications.ligament.fibres import knee_scene
from robotphi.applications.ligament.flexion import Flexion
from robotphi.applications.ligament.sections import sections
from robotphi.applications.ligament.strands import Strands
from robotphi.applications.ligament.wrapping import Wound, wound
from robotphi.run.equilibria import equilibria
from robotphi.run.study import PoseTable, Study

BONES = ("femur", "tibia")
RADIUS = 1e-3   # m


@dataclass(frozen=True, eq=False)
class Passive:
    """Ligaments over the m poses of a motion; all in SI, places in axes of the tibia.

    Attributes:
        strands: with known slack lengths.
        flexion: the motion.
        study: the equilibria; None round bones.
        places: (m, n, p + 2, 3) m, of all particles of the fibres, from femur to tibia.
        pull: (m, n, 2) N, of each fibre at the femur and at the tibia.
        wound: how fibres lie round bones; None without bones.
    """
    strands: Strands
    flexion: Flexion
    study: Study | None
    places: np.ndarray
    pull: np.ndarray
    wound: Wound | None = None

    @cached_property
    def length(self):
        """(m, n) m, along the fibres."""
        return np.linalg.norm(np.diff(self.places, axis=2), axis=-1).sum(axis=-1)

    @property
    def strain(self):
        """(m, n) from the slack length on; negative when slack."""
        return self.length / self.strands.slack - 1.0

    @property
    def tension(self):
        """(m, n) N."""
        return self.pull.mean(axis=2)

    @property
    def slipped(self):
        """(m − 1, n) m, by which a fibre moves from pose to pose more than its ends: much where it slips off an edge."""
        moved = np.linalg.norm(np.diff(self.places, axis=0), axis=-1)
        return np.maximum(moved.max(axis=2) - moved[..., [0, -1]].max(axis=2), 0.0)

    def law_at_chord(self):
        """(m, n) N: what the law gives at the straight line from end to end, and the fibres where nothing is in their way."""
        return self.strands.tension(self.strands.lengths(self.flexion.poses))

    def on(self, bone, which=slice(None)):
        """(m, 6): force [N] of fibres on the "femur" or "tibia", moment [N·m] about the bone's origin, in the bone's axes."""
        k, near, side = (0, 0, 1) if bone == "femur" else (1, -1, -2)
        ends, inner = self.places[:, which, near], self.places[:, which, side]
        away = inner - ends
        force = self.pull[:, which, k, None] * away / np.linalg.norm(away, axis=-1, keepdims=True)
        if bone == "femur":
            turn, shift = self.flexion.poses[:, :3, :3], self.flexion.poses[:, None, :3, 3]
            force, ends = np.einsum("mji,mnj->mni", turn, force), np.einsum("mji,mnj->mni", turn, ends - shift)
        return np.concatenate([force.sum(axis=1), np.cross(ends, force).sum(axis=1)], axis=1)

    def rows(self, name):
        """Places in the table of the strands of a ligament or bundle."""
        s = self.strands
        s.of(name)   # known
        return np.array([i for i in range(len(s)) if name in (s.ligaments[i], s.bundles[i])])

    @property
    def groups(self):
        """Names of ligaments, and of bundles where a ligament has several."""
        s = self.strands
        return tuple(dict.fromkeys((*s.ligaments, *(bundle for bundle in s.bundles if s.bundles.count(bundle) > 1))))

    @cached_property
    def _sections(self):
        return {name: sections(self.places[:, self.rows(name)]) for name in self.groups}

    def section(self, name):
        """(m,) m²: half-way, of the hull of the fibres of a ligament or bundle across its direction."""
        return self._sections[name][0]

    def volume(self, name):
        """(m,) m³ within the hull of its fibres."""
        return self._sections[name][1]

    def strand_table(self):
        """Pose by pose, length, strain and tension of every strand."""
        return PoseTable(self._path() | {f"{name} {what}": values[:, i] for i, name in enumerate(self.strands.names)
                         for what, values in (("length [mm]", 1e3 * self.length), ("strain [%]", 1e2 * self.strain),
                                              ("tension [N]", self.tension))})

    def group_table(self):
        """Pose by pose, of ligaments and bundles: tension, forces and moments on both bones in their axes, section, volume."""
        columns = self._path()
        for name in self.groups:
            rows = self.rows(name)
            columns |= {f"{name} mean length [mm]": 1e3 * self.length[:, rows].mean(axis=1),
                        f"{name} tension [N]": self.tension[:, rows].sum(axis=1)}
            for bone in BONES:
                for value, head in zip(self.on(bone, rows).T, ("force x [N]", "force y [N]", "force z [N]", "moment x [N m]",
                                                               "moment y [N m]", "moment z [N m]"), strict=True):
                    columns[f"{name} {bone} {head}"] = value
            columns |= {f"{name} section [mm2]": 1e6 * self.section(name), f"{name} volume [mm3]": 1e9 * self.volume(name)}
        return PoseTable(columns)

    def _path(self):
        angles = self.flexion.angles
        return {"time [s]": self.flexion.instants} | {f"{what} [deg]": angles[:, k] for k, what in enumerate(
            ("flexion", "varus", "internal"))}

    def to_json(self, path, **more):
        """Write both tables as lists, with how the motion was read and more of what belongs to it."""
        write_json(path, {"motion": self.flexion.said, **more, "ligaments": self.group_table(), "strands": self.strand_table()})


def passive_study(strands, flexion, particles=20, bones=None, radius=RADIUS):
    """Ligaments along a motion as a `Passive`: equilibria of fibres with so many particles; slack lengths are known.

    Args:
        bones: {"femur": Compound, "tibia": Compound}, or one of them, round which fibres lie without friction; see `bone_of`.
        radius: of the fibres then [m]: their middles keep it from the bones.
    """
    if bones:
        found = wound(*strands.places(flexion.poses), flexion.poses, bones, particles, radius)
        length = np.linalg.norm(np.diff(found.places, axis=2), axis=-1).sum(axis=-1)
        return Passive(strands, flexion, None, found.places, np.repeat(strands.tension(length)[..., None], 2, axis=2), found)
    motion = flexion.motion
    scene, fibres = knee_scene(strands, motion, particles, across=0.0, bending=0.0, duration=max(flexion.instants[-1], 1e-3))
    study = equilibria(scene, flexion.instants)
    pull = study.tension(fibres.springs).reshape(len(study), len(strands), -1)
    return Passive(strands, flexion, study, study.position[:, fibres.lines], pull[:, :, [0, -1]])
