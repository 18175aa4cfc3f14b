"""A knee as it is asked for: strands of a table, a motion, one ligament that is looked at."""
from typing import NamedTuple

import numpy as np

from robotphi.applications.data import data_file
from robotphi.applications.ligament.flexion import READINGS, Flexion
from robotphi.applications.ligament.laxity import drawer
from robotphi.applications.ligament.read import read_strands
from robotphi.applications.ligament.strands import Strands
from robotphi.errors import NoEquilibrium

WALKER, TABLE = "walker", "knee/ligaments.csv"
PUSH = 134.0   # N, of the drawer


class Knee(NamedTuple):
    """Attributes:
        everything: all strands of the table, slack lengths known.
        strands: those of the ligament that is looked at.
        flexion: the motion.
        name: of the ligament.
        at: deg, of the tests and of references of slack lengths.
        walked: whether the motion is Walker's.
    """
    everything: Strands
    strands: Strands
    flexion: Flexion
    name: str
    at: float
    walked: bool

    def cases(self):
        """Name → strands that are not cut: "intact", and "cut" where the table has other ligaments as well."""
        found = {"intact": self.everything}
        if set(self.everything.names) - set(self.everything.of(self.name).names):
            found["cut"] = self.everything.without(self.name)
        return found

    def drawers(self, at=None, force=PUSH, steps=20):
        """Name of a case → `Drawer` at a flexion [deg], of those that find a place to rest."""
        pose, found = self.flexion.pose_at(self.at if at is None else at), {}
        for case, strands in self.cases().items():
            try:
                found[case] = drawer(strands, pose, force, steps=steps)
            except NoEquilibrium:
                continue
        return found

    def laxity(self, count=9, force=PUSH, steps=6):
        """Drawers over the flexion: (degrees, name of a case → (k, 2) m, anterior and posterior, NaN where there is none)."""
        degrees = np.linspace(self.flexion.degrees.min(), self.flexion.degrees.max(), count)
        if np.abs(degrees - self.at).min() > 1e-6:
            degrees = np.sort(np.append(degrees, self.at))
        found = {case: np.full((len(degrees), 2), np.nan) for case in self.cases()}
        for k, at in enumerate(degrees):
            for case, test in self.drawers(at, force, steps).items():
                found[case][k] = test.anterior, test.posterior
        return degrees, found

    def readings(self):
        """What is said of a motion → it: Walker's in all readings, or the one there is."""
        if not self.walked:
            return {self.flexion.said: self.flexion}
        return {said: Flexion.walker(reading=reading) for reading, said in READINGS.items()}


def read_knee(motion=WALKER, table="", ligament="", reading="source", of="tibia", axes="", names="", markers="",
              gap=0.2, smoothing=0.0, slack="table", reference=0.02, at=30.0, fibres=0):
    """A `Knee` of files.

    Args:
        motion: "walker", or a file of poses, joint angles or markers; of, axes, names, markers, gap, smoothing: as of
            `Flexion.read`.
        table: a file of strands, see `read_strands`; that of `data/knee` unless told.
        ligament: which of them, the ACL unless told.
        reading: of Walker's polynomials.
        slack: by the "table", or so that all strands have a "strain" or a "force" [N], `reference`, at a flexion `at` [deg].
        fibres: how many strands are taken, 0 for all.
    """
    flexion = (Flexion.walker(reading=reading) if motion == WALKER
               else Flexion.read(motion, of, axes, smoothing, names, markers, gap))
    at = flexion.nearest(at)
    everything = read_strands(table or data_file(TABLE)).told_by(slack, reference).slack_in(flexion.pose_at(at))
    name = ligament or ("ACL" if "ACL" in everything.ligaments else everything.ligaments[0])
    strands = everything.of(name)
    return Knee(everything, strands.thinned(fibres) if fibres else strands, flexion, name, at, motion == WALKER)
