"""A study: equilibria along a path, as arrays with one row for each pose, and as a table."""
import csv
from os import PathLike

import numpy as np

from robotphi.errors import RobotphiError
from robotphi.kernels.springs.table import KINDS
from robotphi.record import measure
from robotphi.record.springs import springs
from robotphi.scene.blocks import ParticleBlock, Rigid, SpringBlock
from robotphi.scene.checks import refuse

STABLE, LOOSE, UNSTABLE = "stable", "loose", "unstable"


class Study:
    """Equilibria along a path of m poses. All arrays have one row for each.

    Attributes:
        over: name → what was given for each pose.
        time: s, of the drives.
        position: (m, n, 3) m; `rigid_position` (m, r, 3) and `rigid_orientation` (m, r, 4).
        residual: (m,) N, largest force left on a free axis; moments count over the arm of their rigid.
        load: (m,) N, what it is a share of.
        rounding: (m,) N, what rounding of the places alone may make of the forces: no residual is below it for long.
        stability: (m,) words: "stable", with contact, acts or joints by the stiffness or where small pushes are withstood;
            "loose", where something may move without a force, such as slack cables; "unstable", where these were to be kept.
        left: (m,) how many unstable equilibria were come to on the way, and left.
        steps: (m,) of Newton's method, of kinetic damping or of the loop.
        shares: (m,) in how many shares the way to it was gone, so that friction that holds need not slip: with 200 or more it
            may have slipped where it would have held; give more poses there.
        recording: with contact or joints a `Recording` whose frames are the poses, for contacts, joints and sensors; else None.
    """

    def __init__(self, model, over, rows, recording=None):
        self.model, self.over, self.recording, self._rows = model, over, recording, rows
        for name in ("time", "position", "rigid_position", "rigid_orientation", "residual", "load", "rounding", "left",
                     "steps", "shares"):
            setattr(self, name, np.array([getattr(row, name) for row in rows]))
        self.stability = np.array([row.stability for row in rows])

    def __len__(self):
        return len(self._rows)

    def __repr__(self):
        words = ", ".join(f"{np.sum(self.stability == word)} {word}" for word in dict.fromkeys(self.stability.tolist()))
        return (f"<Study of {self.model.scene.name!r} over {', '.join(self.over)}: {len(self)} poses, {words}, "
                f"residual ≤ {self.residual.max():.3g} N>")

    def tension(self, springs):
        """Pull of linear springs [N], moment of angular and articular ones [N·m]: (m, s); by their handle or name."""
        kind, which = self._springs(springs)
        return np.array([self._reading(row, kind, which).elastic for row in self._rows])

    def strain(self, springs):
        """Length [m] or angle [rad] of springs beyond their rest values: (m, s)."""
        kind, which = self._springs(springs)
        return np.array([self._reading(row, kind, which).strain for row in self._rows])

    def _springs(self, given):
        block = self.model.scene.things.get(given if isinstance(given, str) else getattr(given, "name", None))
        if not isinstance(block, SpringBlock):
            refuse("study", f"there are no springs {given!r:.60}", "give the handle or name of springs of the scene")
        return block.kind, block.indices

    def _reading(self, row, kind, which):
        chosen = self._chosen(row.model, kind, which)
        still = np.zeros_like(row.position)
        return measure.readings(row.model, chosen, row.position, still, row.time, row.laws[KINDS[kind].own])

    def _chosen(self, model, kind, which):
        key = id(model), kind, which[0], len(which)
        known = self.__dict__.setdefault("_known", {})
        if key not in known:
            known[key] = model, springs(model, kind, which)
        return known[key][1]

    def reaction(self, thing):
        """What supports, drives and what leads it bear of a thing: force on a rigid and couple about its centre (m, 6), forces
        on particles (m, k, 3); nought on axes that may move. Its weight is in it; of joints ask the recording.
        """
        scene = self.model.scene
        thing = scene.things.get(thing if isinstance(thing, str) else getattr(thing, "name", None))
        if isinstance(thing, Rigid):
            held = np.concatenate([self.model.arrays.rigids.inverse_mass[thing.index] == 0.0,
                                   (self.model.arrays.rigids.rotation[thing.index] == 2)
                                   | (self.model.arrays.rigids.support[thing.index] > 0.0)])
            return np.array([np.where(held, -row.load_on[thing.index], 0.0) for row in self._rows])
        if not isinstance(thing, ParticleBlock):
            refuse("study", f"there is no rigid nor particles {thing!r:.60}", "give the handle of a rigid or a name")
        particles = self.model.arrays.particles
        held = particles.moves[particles.axes[thing.indices], :3] == 0.0
        return np.array([np.where(held, -row.force_on[thing.indices], 0.0) for row in self._rows])

    def table(self, *of_springs):
        """A `Table` of poses: what was given, residual, stability, and the tension of each spring asked for."""
        columns = {}
        for name, values in self.over.items():
            if np.ndim(values) == 1:
                columns[name] = np.asarray(values)
        columns |= {"residual": self.residual, "load": self.load, "stability": self.stability, "left": self.left,
                    "steps": self.steps}
        for given in of_springs:
            pull, name = self.tension(given), given if isinstance(given, str) else given.name
            columns |= {name if pull.shape[1] == 1 else f"{name}[{i}]": pull[:, i] for i in range(pull.shape[1])}
        return PoseTable(columns)


class PoseTable(dict):
    """Name of a column → its values, one for each pose."""

    def to_csv(self, path):
        """Write it, with a line of names."""
        if not isinstance(path, (str, PathLike)):
            raise RobotphiError(f"{path!r:.60} is no path; give one such as \"poses.csv\"")
        try:
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(["pose", *self])
                for k, row in enumerate(zip(*self.values(), strict=True)):
                    writer.writerow([k, *(each if isinstance(each, str) else repr(each.item()) for each in row)])
        except OSError as error:
            raise RobotphiError(f"{path} cannot be written: {error}") from None
