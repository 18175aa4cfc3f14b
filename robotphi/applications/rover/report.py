"""What a recording tells of a vehicle: loads, slip, friction, margin against tipping, energy, torques, depth, path."""
from dataclasses import dataclass

import numpy as np

from robotphi.applications.data import write_json
from robotphi.applications.rover.readings import margin, slip, touched
from robotphi.applications.rover.vehicle import Vehicle
from robotphi.run.study import PoseTable

PLACES = 4001             # on a path, between which the nearest is looked for


@dataclass(frozen=True, eq=False)
class RoverReport:
    """A vehicle over f frames; w wheels in the order of their names.

    Attributes:
        wheels: names of its wheels.
        time: (f,) s; place: (f, 3) m, the middle of all mass; nose: (f, 3) m, of its mark; wheel: (f, w, 3) m, of the axles.
        load: (f, w) N, upward force of the ground; pressed: (f, w) N, sum of its pressures across their faces.
        rubbed: (f, w) N, size of its friction; force: (f, w, 3) N, all of it.
        slip: (f, w) (ω r − v)/max(|ω r|, |v|) along the wheel and the way it goes, positive where the rim is faster (Wong),
            with r of the wheel without load: pressed in, a wheel that rolls freely has up to a third of depth/r; NaN at rest.
        torque: (f, w) N·m, effort of the axles; depth: (f, w) m, mean over the area pressed, the deepest of the places.
        margin: (f,) rad, angle by which the vehicle may tip about the nearest edge of its support before it goes over
            (Papadopoulos & Rey 1996, of weight alone); NaN with fewer than three wheels on the ground.
        along, across: (f,) m, how far the nose is behind its goal, and beside the path; empty without a path.
        energy: J by guide and motors, what they take back included; weight: N; distance: m in the plane.
    """
    wheels: tuple
    time: np.ndarray
    place: np.ndarray
    nose: np.ndarray
    wheel: np.ndarray
    load: np.ndarray
    pressed: np.ndarray
    rubbed: np.ndarray
    force: np.ndarray
    slip: np.ndarray
    torque: np.ndarray
    depth: np.ndarray
    margin: np.ndarray
    along: np.ndarray
    across: np.ndarray
    energy: float
    weight: float
    distance: float

    @property
    def friction_used(self):
        """(f,) largest friction over pressure of a wheel that bears a hundredth of the weight at least."""
        bears = self.pressed > 0.01 * self.weight
        return np.where(bears, self.rubbed / np.where(bears, self.pressed, 1.0), 0.0).max(axis=1)

    @property
    def friction_needed(self):
        """(f,) friction over pressure were it the same at all wheels (Thüer, Krebs & Siegwart 2006)."""
        total = self.pressed.sum(axis=1)
        return np.where(total > 0.0, self.rubbed.sum(axis=1) / np.where(total > 0.0, total, 1.0), 0.0)

    def figures(self):
        """Name with unit → number, over all frames."""
        touch = self.pressed > 0.0
        found = {"distance [m]": self.distance, "least load of a wheel [N]": self.load.min(),
                 "most load of a wheel [N]": self.load.max(), "spread of the loads over their mean": self.spread(),
                 "wheels on the ground, share of frames": touch.mean(), "slip, mean size": _mean(np.abs(self.slip)),
                 "slip, most": _most(np.abs(self.slip)), "friction used by a wheel, most": self.friction_used.max(),
                 "friction needed were it shared, most": self.friction_needed.max(),
                 "tip-over margin, least [deg]": np.degrees(_least(self.margin)),
                 "energy of guide and motors [J]": self.energy,
                 "torque of an axle, most [N m]": np.abs(self.torque).max(),
                 "contact depth, mean over the area pressed, most [mm]": 1e3 * self.depth.max()}
        if self.distance > 0.0:
            found |= {"energy per metre [J/m]": self.energy / self.distance,
                      "cost of transport": self.energy / (self.weight * self.distance)}
        if len(self.along):
            found |= {"lag along the path, mean [mm]": 1e3 * self.along.mean(), "lag along the path, most [mm]":
                      1e3 * self.along.max(), "beside the path, most [mm]": 1e3 * self.across.max()}
        return {name: float(value) for name, value in found.items()}

    def spread(self):
        """Root mean square of how the loads of a frame differ from their mean, over the mean of all."""
        return float(np.sqrt(np.mean(np.var(self.load, axis=1))) / max(self.load.mean(), 1e-300))

    def reason(self, friction):
        """What kept the vehicle from going on at the end, in words; "" while it moves.

        It stands where its wheels moved by less than a hundredth of a metre in the last tenth of the frames.
        """
        late = slice(-max(len(self.time) // 10, 2), None)
        if np.linalg.norm(np.ptp(self.place[late], axis=0)) > 0.01:
            return ""
        where = "at x = {:.2f} m, y = {:.2f} m".format(*self.place[-1, :2])
        bears = self.pressed[late] > 0.01 * self.weight
        rubs = self.rubbed[late] >= 0.98 * friction * self.pressed[late]
        if np.nanmin(self.margin[late], initial=np.inf) <= 0.0:
            return f"it stands {where}: it has tipped over"
        if np.any(bears) and np.all(rubs[bears]):
            return f"it stands {where}: friction of all wheels is used up"
        low = [wheel for k, wheel in enumerate(self.wheels) if np.any((bears & rubs)[:, k])]
        return f"it stands {where}" + (f": friction is used up at {', '.join(low)}" if low else ": what drives it is too weak")

    def table(self):
        """Frame by frame, with units: a `PoseTable`, which writes itself as CSV."""
        columns = {"time [s]": self.time} | {f"{axis} [m]": self.place[:, k] for k, axis in enumerate("xyz")}
        for k, wheel in enumerate(self.wheels):
            columns |= {f"{wheel} {what}": values[:, k] for what, values in (
                ("load [N]", self.load), ("pressed [N]", self.pressed), ("friction [N]", self.rubbed), ("slip", self.slip),
                ("torque [N m]", self.torque), ("depth [mm]", 1e3 * self.depth))}
        columns |= {"friction used": self.friction_used, "friction needed": self.friction_needed,
                    "tip-over margin [deg]": np.degrees(self.margin)}
        if len(self.along):
            columns |= {"lag along [mm]": 1e3 * self.along, "beside the path [mm]": 1e3 * self.across}
        return PoseTable(columns)

    def to_json(self, path, **more):
        """Write the figures and the table as lists, and more of what belongs to it; what is no number is null."""
        write_json(path, {"figures": self.figures(), **more, "frames": self.table()})


def rover_report(recording, dimensions, path=None, name=""):
    """The `RoverReport` of a vehicle that `add_rover` put into the scene of a recording.

    Args:
        dimensions, name: as `add_rover` was told.
        path: that along which `draw_along` draws it; without it nothing is told of lags.
    """
    scene, weight = recording.scene, dimensions.mass * float(np.linalg.norm(recording.scene.gravity))
    called = Vehicle(dimensions, name, {}, {}).called
    up = -scene.gravity / np.linalg.norm(scene.gravity)
    names = dimensions.wheel_names
    touch = [touched(recording, called(f"{wheel} wheel"), up) for wheel in names]
    pressed, rubbed, depth, force, centre, normal = (np.stack(each, axis=1) for each in zip(*touch, strict=True))
    row = _rigids(scene)
    wheels = [row[called(f"{wheel} wheel")] for wheel in names]
    middle = _middle(recording, row, map(called, dimensions.links))
    radius = dimensions.rolling_radius
    slips = np.stack([slip(recording, rigid, normal[:, k], radius) for k, rigid in enumerate(wheels)], axis=1)
    torque = np.stack([recording.joint(called(f"{wheel} axle")).effort for wheel in names], axis=1)
    bears = pressed > 0.0
    margins = np.array([margin(places[there], c, up) for places, there, c in zip(centre, bears, middle, strict=True)])
    across = middle - (middle @ up)[:, None] * up
    nose, turning = recording.sensors[called("nose")][:, :3], recording.rigid_position[:, wheels]
    return RoverReport(names, recording.time, middle, nose, turning, force @ up, pressed, rubbed, force, slips, torque, depth,
                       margins, *_lags(recording, nose, called("guide"), path), _given(recording, called, dimensions), weight,
                       float(np.linalg.norm(np.diff(across, axis=0), axis=1).sum()))


def _rigids(scene):
    """Name of a thing that is one rigid → its row."""
    row = {id(rigid): k for k, rigid in enumerate(scene.rigids)}
    found = {}
    for name, thing in scene.things.items():
        one = thing.rigids[0] if len(getattr(thing, "rigids", ())) == 1 else thing
        if id(one) in row:
            found[name] = row[id(one)]
    return found


def _middle(recording, row, things):
    """(f, 3) m: where the centre of mass of all things together is."""
    scene, moment, total = recording.scene, 0.0, 0.0
    masses = np.concatenate([block.mass for block in scene.particle_blocks])
    for name in things:
        rigids = [row[name]] if name in row else [handle.index for handle in scene.objects[name].rigids]
        for k in rigids:
            moment, total = moment + scene.rigids[k].mass * recording.rigid_position[:, k], total + scene.rigids[k].mass
        if name not in row:
            held = np.concatenate([np.asarray(scene.rigids[k].particles) for k in rigids])
            free = np.setdiff1d(scene.objects[name].particles, held)
            mass = masses[free]
            moment = moment + np.tensordot(recording.position[:, free], mass, (1, 0))
            total += mass.sum()
    return moment / total


def _lags(recording, nose, guide, path):
    """How far the nose is behind its goal along the path, and beside the path [m], both in the plane."""
    if path is None:
        return np.empty(0), np.empty(0)
    goal = goal_of(recording, guide)
    along = np.linspace(0.0, path.length, PLACES)
    line = np.array([path.at(each) for each in along])[:, :2]
    nearest = np.argmin(np.linalg.norm(line[None] - nose[:, None, :2], axis=2), axis=1)
    of_goal = np.argmin(np.linalg.norm(line[None] - goal[:, None], axis=2), axis=1)
    return along[of_goal] - along[nearest], np.linalg.norm(line[nearest] - nose[:, :2], axis=1)


def goal_of(recording, guide):
    """(f, 2) m: where the goal of a pull along a path is."""
    act, = (each for each in recording.scene.acts if each.name == guide)
    anchor = np.reshape(act.fields["anchor"], (-1, 3))[0]
    return np.stack([anchor[k] + act.fields[f"goal_{axis}"].value(recording.time) for k, axis in enumerate("xy")], axis=1)


def _given(recording, called, dimensions):
    """J that guide and motors give to the vehicle: their work less what they store and lose themselves."""
    names = [called("guide"), *(called(f"{wheel} motor") for wheel in dimensions.wheel_names)]
    total = 0.0
    for entry, values in recording.ledger.items():
        kind, _, name = entry.partition(":")
        if name in names and kind in ("work", "stored", "lost"):
            total += (1.0 if kind == "work" else -1.0) * float(values[-1] - values[0])
    return total


def _mean(values):
    return _of_numbers(np.mean, values)


def _most(values):
    return _of_numbers(np.max, values)


def _least(values):
    return _of_numbers(np.min, values)


def _of_numbers(function, values):
    """Of those that are numbers; NaN where none is."""
    there = values[np.isfinite(values)]
    return function(there) if there.size else np.nan
