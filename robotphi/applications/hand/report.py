"""What a recording tells of a grasp: held or dropped, how far it slipped, contacts, use of friction, quality."""
from dataclasses import dataclass

import numpy as np

from robotphi.applications.data import write_json
from robotphi.applications.hand.grasping import GRAVITY, LOWERED
from robotphi.applications.hand.quality import Quality, grasp_quality
from robotphi.errors import RobotphiError
from robotphi.run.study import PoseTable
from robotphi.scene.turns import matrix_of

LATE = 0.1      # share of the time over which creep is told
DROPPED = 0.5   # of the size of a thing: what went farther is not held


@dataclass(frozen=True, eq=False)
class Grasp:
    """A grasp at the end of a recording; the thing's ways are as seen from the palm, since it was let go.

    Attributes:
        held: whether the hand alone touches the thing, and it went less than half its size.
        moved: m; creep: m, in the last tenth of the time.
        slip: m, the farthest that any contact went along the surfaces while it slipped.
        pads: names of what touches it; points: (n, 3) m; inwards: (n, 3) unit normals into the thing.
        normal: (n,) N; rubbing: (n, 3) N, friction on the thing; sticks: (n,).
        use: (n,) friction over what there could be, 1 where it slips.
        quality: of the contacts, moments over the size of the thing.
    """
    held: bool
    moved: float
    creep: float
    slip: float
    pads: tuple
    points: np.ndarray
    inwards: np.ndarray
    normal: np.ndarray
    rubbing: np.ndarray
    sticks: np.ndarray
    use: np.ndarray
    quality: Quality

    def table(self):
        """Contact by contact, as a table with `to_csv`."""
        columns = {"pad": np.array(self.pads, object)}
        for what, values, factor in (("point {} [mm]", self.points, 1e3), ("normal {}", self.inwards, 1.0),
                                     ("friction {} [N]", self.rubbing, 1.0)):
            columns |= {what.format(axis): factor * values[:, k] for k, axis in enumerate("xyz")}
        return PoseTable(columns | {"normal force [N]": self.normal, "use of friction": self.use, "sticks": self.sticks})

    def unbalance(self, mass, gravity=GRAVITY):
        """What all forces of the hand differ from the weight by, over the weight."""
        weight = np.array([0.0, 0.0, mass * gravity])
        forces = (self.normal[:, None] * self.inwards + self.rubbing).sum(axis=0)
        return float(np.linalg.norm(forces - weight) / weight[2])

    def figures(self):
        """Numbers by name with unit."""
        return {"held": self.held, "moved [mm]": 1e3 * self.moved, "creep in the end [m]": self.creep,
                "slip [mm]": 1e3 * self.slip, "contacts": len(self.pads), "normal forces [N]": float(self.normal.sum()),
                "largest use of friction": float(self.use.max(initial=0.0)), "epsilon": self.quality.epsilon,
                "volume of the wrench space": self.quality.volume}


def grasp_report(recording, friction, size, thing="thing", hand="hand", since=LOWERED[0], frame=-1):
    """The `Grasp` of a thing by a hand at a frame of a recording.

    Args:
        recording: of a scene with a `Hand`; slips are known where there are sensors as those of `grasp_scene`.
        friction: kinetic coefficient between thing and hand.
        size: [m] by which moments are divided, such as the largest distance of the thing's points from its centre.
        thing, hand: names.
        since: instant at which the thing was let go [s].
    """
    frame, start = recording.frame_index(frame), recording.frame_at(since)
    if frame <= start:
        raise RobotphiError(f"the grasp is asked for at {recording.time[frame]:g} s, and the thing is let go at {since:g} s")
    seen, centre = seen_from_palm(recording, thing, hand)
    late = recording.frame_at(recording.time[frame] - LATE * (recording.time[-1] - recording.time[0]))
    moved, creep = (float(np.linalg.norm(seen[frame] - seen[begin])) for begin in (start, late))
    found = recording.contacts(frame)
    ours, theirs = found.first_owner == thing, found.second_owner == thing
    other = np.where(ours, found.second_owner, found.first_owner)
    sign = ours.astype(float) - theirs
    by_hand = (sign != 0.0) & np.char.startswith(other, f"{hand} ")
    normal, rubbing = (sign[by_hand, None] * each[by_hand] for each in (found.normal, found.friction))
    size_of = np.linalg.norm(normal, axis=1)
    inwards = sign[by_hand, None] * found.direction[by_hand]
    most = friction * size_of
    use = np.divide(np.linalg.norm(rubbing, axis=1), most, out=np.zeros(len(most)), where=most > 0.0)
    alone = bool(by_hand.any() and by_hand.sum() == (sign != 0.0).sum())
    return Grasp(alone and moved < DROPPED * size, moved, creep, _slip(recording, thing, hand, start, frame),
                 tuple(other[by_hand].tolist()), found.point[by_hand], inwards, size_of, rubbing, found.sticks[by_hand], use,
                 grasp_quality(found.point[by_hand], inwards, friction, centre[frame], size))


def seen_from_palm(recording, thing="thing", hand="hand"):
    """((f, 3), (f, 3)) m: places of a thing's centre in the axes of the palm, and in those of the world."""
    rigids = {rigid.name: rigid.index for rigid in recording.scene.rigids}
    body, palm = (next(i for name, i in rigids.items() if name == one or name.startswith(f"{one}."))
                  for one in (thing, f"{hand} palm"))
    centre = recording.rigid_position[:, body]
    turns = matrix_of(recording.rigid_orientation[:, palm])
    return np.einsum("fji,fj->fi", turns, centre - recording.rigid_position[:, palm]), centre


def falls(recordings):
    """Name → (time [s], way [m] of the thing's centre as the palm sees it), since it was let go."""
    found = {}
    for name, recording in recordings.items():
        seen, start = seen_from_palm(recording)[0], recording.frame_at(LOWERED[0])
        found[name] = recording.time[start:], np.linalg.norm(seen[start:] - seen[start], axis=1)
    return found


def _slip(recording, thing, hand, start, frame):
    """The farthest way along the surfaces of a pad while its contact slips [m], by trapezoids of the speed at the frames."""
    time, farthest = recording.time[start:frame + 1], 0.0
    for name in (name for name in recording.sensors if name.startswith(f"slip on {hand} ")):
        pad, slips = name.removeprefix("slip on "), np.zeros(len(recording), bool)
        for k in range(start, frame + 1):
            found = recording.contacts(k)
            own = ((found.first_owner == thing) & (found.second_owner == pad)
                   | (found.second_owner == thing) & (found.first_owner == pad))
            slips[k] = np.any(own & ~found.sticks)
        speed = np.where(slips, recording.sensors[name], 0.0)[start:frame + 1]
        farthest = max(farthest, float(np.sum((speed[1:] + speed[:-1]) * np.diff(time)) / 2.0))
    return farthest


def save_grasps(grasps, recordings, folder):
    """Write what grasps by name tell: all as grasps.json, figures as grasps.csv; contacts and joints of each as CSV."""
    figures = {name: {**one.figures(), "x real time": real_time(recordings[name])} for name, one in grasps.items()}
    write_json(folder / "grasps.json", {name: {"figures": figures[name], "contacts": one.table()}
                                        for name, one in grasps.items()})
    heads = list(next(iter(figures.values())))
    PoseTable({"grasp": np.array(list(figures), object)}
              | {head: np.array([row[head] for row in figures.values()]) for head in heads}).to_csv(folder / "grasps.csv")
    for name, one in grasps.items():
        file = name.replace(": ", "_").replace(", ", "_")
        one.table().to_csv(folder / f"contacts_{file}.csv")
        recordings[name].motion().save(folder / f"joints_{file}.csv")


def real_time(recording):
    """Simulated time over that of the run, as it was on its machine; compilation counts where it was due."""
    spent = recording.info.get("wall_time", 0.0)
    return float((recording.time[-1] - recording.time[0]) / spent) if spent > 0.0 else 0.0
