"""A knee is bent, and its ligaments pull: lengths, strains, tensions, forces on both bones; drawer, tension test, graft maps.

After A. Joukhadar, INRIA RR-3072 (1996), section 5: fibres of 20 particles with springs along and dampers across, and a bone
that is drawn slowly through a passive flexion. Strands of cruciate and collateral ligaments after Lenhart et al. (2015), with
the law of Blankevoort et al. (1991); the way by Walker et al. (1988), or any other, `--set motion=poses.csv`, and strands of
any other knee, `--set table=strands.csv`: docs/knee_ligament.md says what these files hold. Rest along the way comes from
equilibria, slow dynamics stands beside it.

Exact: where nothing is in the way the tension of a fibre is its law at the straight line from end to end; pulled along itself a
ligament has Σ k/L0 cos². Woo et al. (1991) measured 242 ± 28 N/mm between two bones: the table gives more, and is not changed.
"""
from typing import NamedTuple

import numpy as np

from robotphi import CheckFailed, NoEquilibrium
from robotphi.applications.data import data_file
from robotphi.applications.ligament import (
    Flexion,
    Strands,
    drawer,
    graft_map,
    knee_scene,
    passive_study,
    read_strands,
    tension_test,
)
from robotphi.applications.ligament.flexion import READINGS
from robotphi.record.measure import tensions
from robotphi.scenario import run_scenario

WALKER, TABLE = "walker", "knee/ligaments.csv"
PUSH = 134.0                                # N, of the drawer
WOO, WOO_SPREAD = 242e3, 28e3               # N/m, at 30°, age 22–35 (Am. J. Sports Med. 19, 1991)
KOMZAK = {"intact": 5.8e-3, "cut": 10.8e-3}   # m, both ways by a KT-1000 at 30° (The Knee 20, 2013, 551–555)
LAW, SLOW, PULLED, JUMP = 1e-6, 2e-3, 1e-2, 1e-2   # of the peak; of the peak; of the sum; of the volume, a degree
QUICK = {"frames": 20}


class Knee(NamedTuple):
    everything: Strands
    strands: Strands
    flexion: Flexion
    name: str        # of the ligament
    at: float        # deg, of the tests
    walked: bool     # on Walker's path


def knee(motion=WALKER, table="", ligament="", reading="source", of="tibia", axes="", smoothing=0.0, slack="table",
         reference=0.02, at=30.0, fibres=0):
    """What is studied: the strands of one ligament, all strands, the motion."""
    flexion = Flexion.walker(reading=reading) if motion == WALKER else Flexion.read(motion, of, axes, smoothing)
    at = flexion.nearest(at)
    everything = read_strands(table or data_file(TABLE)).told_by(slack, reference).slack_in(flexion.pose_at(at))
    name = ligament or ("ACL" if "ACL" in everything.ligaments else everything.ligaments[0])
    strands = everything.of(name)
    return Knee(everything, strands.thinned(fibres) if fibres else strands, flexion, name, at, motion == WALKER)


def build(motion=WALKER, table="", ligament="", reading="source", of="tibia", axes="", smoothing=0.0, slack="table",
          reference=0.02, at=30.0, fibres=0, particles=20, duration=10.0, frames=60, budget=1e-4):
    """The femur drawn slowly through the motion.

    Args:
        motion: "walker", or a file of poses; of: whose they are; axes: convention of their turns; smoothing: above [Hz].
        table: a file of strands; ligament: which of them, the ACL unless told.
        reading: of Walker's polynomials.
        slack: by the "table", or so that all strands have a "strain" or a "force" [N], `reference`, at a flexion `at` [deg].
        fibres: how many strands are taken, 0 for all; the report has 9.
        particles: of a fibre.
    """
    it = knee(motion, table, ligament, reading, of, axes, smoothing, slack, reference, at, fibres)
    return knee_scene(it.strands, it.flexion.slowly(duration)[0], particles, duration=duration, frames=frames, budget=budget)[0]


def studied(particles=20, duration=10.0, frames=60, budget=1e-4, **knobs):
    it = knee(**knobs)
    return it, passive_study(it.strands, it.flexion, particles)


def check(recording, **knobs):
    it, study = studied(**knobs)
    peak, total = study.tension.max(), study.tension.sum(axis=1).max()
    law = float(np.abs(study.tension - study.law_at_chord()).max() / max(peak, 1e-3))
    slow = beside(recording, it, study)
    volume, turned = study.volume(it.name), np.maximum(np.abs(np.diff(it.flexion.degrees)), 1.0)
    jump = float((np.abs(np.diff(volume)) / np.maximum(volume[1:], 1e-12) / turned).max())
    figures = {"least flexion [deg]": it.flexion.degrees.min(), "most flexion [deg]": it.flexion.degrees.max(),
               f"largest tension of a strand of the {it.name} [N]": peak, f"largest tension of the {it.name} [N]": total,
               "least strain [%]": 100 * study.strain.min(), "most strain [%]": 100 * study.strain.max(),
               "tension off its law at the chord, over the peak": law, "slow dynamics off equilibria, over the peak": slow,
               "least volume [mm3]": 1e9 * volume.min(), "most volume [mm3]": 1e9 * volume.max(),
               "largest change of volume a degree": jump, "flexion of the tests [deg]": it.at}
    figures |= {f"largest tension [N], read as: {said}": passive_peak(it, reading) for reading, said in READINGS.items()
                if it.walked}
    figures |= pulled(it) | pushed(it) | grafted(it)
    if law > LAW or (it.walked and (slow > SLOW or jump > JUMP)):
        raise CheckFailed(f"tension is {law:.1e} off its law, dynamics {slow:.1e} off rest, the volume jumps by {jump:.1e}")
    return figures


def passive_peak(it, reading):
    return it.strands.tension(it.strands.lengths(Flexion.walker(reading=reading).poses)).sum(axis=1).max()


def beside(recording, it, study):
    """Largest difference of the tension of any fibre between slow dynamics and equilibria at its frames, over the peak."""
    n, springs = len(it.strands), recording.scene.things["ligament.fibres"].indices
    moved = np.array([tensions(recording.model, recording.position[k], recording.velocity[k], recording.time[k], None, springs)
                      for k in range(len(recording))]).reshape(len(recording), n, -1)
    motion = recording.scene.things["femur"].motion
    still = passive_study(it.strands, Flexion(motion, recording.time, it.flexion.said), moved.shape[2] - 1)
    return float(np.abs(moved[..., [0, -1]] - still.pull).max() / max(still.pull.max(), 1e-3))


def pulled(it):
    test = tension_test(it.strands, it.flexion.pose_at(it.at))
    if abs(test.stiffness - test.by_cosines) > PULLED * test.by_cosines:
        raise CheckFailed(f"pulled along itself it has {test.stiffness:.4g} N/m, not {test.by_cosines:.4g}")
    figures = {"pulled along itself, straight part [N/mm]": 1e-3 * test.stiffness,
               "sum of k/L0 cos^2 [N/mm]": 1e-3 * test.by_cosines, "sum of k/L0 [N/mm]": 1e-3 * test.by_table}
    if test.force[-1] > 500.0:
        figures["secant from 50 to 500 N [N/mm]"] = 1e-3 * test.secant()
    if it.name == "ACL":
        figures |= {"Woo 1991, bone to bone, 242 +- 28 [N/mm]": 1e-3 * WOO,
                    "what in series would join the two [N/mm]": 1e-3 / (1 / WOO - 1 / test.stiffness)}
    return figures


def drawers(it):
    """What there is: name → Drawer."""
    cases = {"intact": it.everything}
    if set(it.everything.names) - set(it.everything.of(it.name).names):
        cases["cut"] = it.everything.without(it.name)
    found = {}
    for case, strands in cases.items():
        try:
            found[case] = drawer(strands, it.flexion.pose_at(it.at), PUSH)
        except NoEquilibrium:
            continue
    return found


def pushed(it):
    figures = {}
    for case, test in drawers(it).items():
        figures |= {f"drawer of {PUSH:g} N, {it.name} {case}: {what} [mm]": 1e3 * getattr(test, what)
                    for what in ("anterior", "posterior", "total")}
        if it.name == "ACL":
            figures[f"Komzak 2013, whole knees, {case}: total [mm]"] = 1e3 * KOMZAK[case]
    return figures


def grafted(it):
    figures = {}
    for reading in READINGS if it.walked else ("",):
        found = graft_map(it.strands, Flexion.walker(reading=reading) if reading else it.flexion, at=it.at)
        said = READINGS[reading] if reading else found.said
        figures |= {f"best place on the femur, {axis} from the middle [mm] ({said})": 1e3 * shift
                    for axis, shift in zip(found.axes, found.best(), strict=True)}
    return figures


def draw(recording, folder, **knobs):
    from robotphi.view import ligaments

    it, study = studied(**knobs)
    study.strand_table().to_csv(folder / "strands.csv")
    study.group_table().to_csv(folder / "ligaments.csv")
    study.to_json(folder / "knee.json", flexion_of_tests=it.at)
    ways = {said: Flexion.walker(reading=reading) for reading, said in READINGS.items()} if it.walked else {}
    test = tension_test(it.strands, it.flexion.pose_at(it.at))
    return [ligaments.draw_fibres(study, folder / "fibres.png"), ligaments.draw_passive(study, folder / "passive.png"),
            ligaments.draw_lengths(it.strands, ways or {it.flexion.said: it.flexion}, folder / "lengths.png"),
            ligaments.draw_tests(test, drawers(it), it.at, folder / "tests.png",
                                 (WOO, WOO_SPREAD, "Woo 1991") if it.name == "ACL" else None),
            ligaments.draw_graft_maps(graft_map(it.strands, it.flexion, at=it.at), folder / "grafts.png")]


if __name__ == "__main__":
    run_scenario(__file__)
