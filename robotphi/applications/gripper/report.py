"""What a recording tells of a lifted fruit: how high, by which forces, how hard its skin is pressed, if that bruises it."""
from dataclasses import dataclass

import numpy as np

from robotphi.applications.data import write_json
from robotphi.applications.gripper.lifting import GRAVITY, SIDES
from robotphi.run.study import PoseTable

LIFTED = 0.5     # of the fingers' way: what rises more is lifted


@dataclass(frozen=True, eq=False)
class Lift:
    """A fruit over time, (f,) frames.

    Attributes:
        time: s; height: of its lowest point [m]; rise: of the fingers' roots in the end [m].
        normal: (f, 2) N, by how much the left and the right finger press; upwards: (f, 2) N, what they bear, friction and all.
        pressure: the largest on its skin [Pa]: at any vertex, force over its share of the surface.
        weight: N; bruise: pressure that bruises it [Pa].
        alone: whether in the end nothing but the fingers touches it.
    """
    time: np.ndarray
    height: np.ndarray
    rise: float
    normal: np.ndarray
    upwards: np.ndarray
    pressure: np.ndarray
    weight: float
    bruise: float
    alone: bool

    @property
    def lifted(self):
        return bool(self.alone and self.height[-1] - self.height[0] > LIFTED * self.rise)

    @property
    def bruised(self):
        return bool(self.pressure.max() > self.bruise)

    def figures(self):
        """Numbers by name with unit."""
        most = float(self.pressure.max())
        return {"lifted": self.lifted, "bruised": self.bruised,
                "rise of its lowest point [mm]": 1e3 * float(self.height[-1] - self.height[0]),
                "largest pressure on its skin [kPa]": 1e-3 * most, "largest pressure over what bruises": most / self.bruise,
                "normal force of a finger in the end [N]": float(self.normal[-1].mean()),
                "what fingers bear over weight - 1": float(self.upwards[-1].sum()) / self.weight - 1.0}

    def table(self):
        """Frame by frame, as a table with `to_csv`."""
        columns = {"time [s]": self.time, "height [mm]": 1e3 * self.height, "largest pressure on the skin [Pa]": self.pressure}
        for k, side in enumerate(SIDES):
            columns |= {f"normal force, {side} [N]": self.normal[:, k], f"upwards, {side} [N]": self.upwards[:, k]}
        return PoseTable(columns)


def lift_report(recording, fruit):
    """The `Lift` of a recording of a `lifting_scene` with a `Fruit`."""
    placed = recording.scene.objects["fruit"]
    rows, share = placed.particles, skin_shares(placed.object)
    count = len(recording)
    normal, upwards, pressure = np.zeros((count, 2)), np.zeros((count, 2)), np.zeros(count)
    for frame in range(count):
        found = recording.contacts(frame)
        for column, side in enumerate(SIDES):
            force, sign = _on_fruit(found, f"{side} finger")
            normal[frame, column] = np.linalg.norm(found.normal[force], axis=1).sum()
            upwards[frame, column] = (sign * (found.friction[force, 2] + found.normal[force, 2])).sum()
        pressure[frame] = _skin_pressure(recording.contact_vertices(frame), rows, share)
    ours, theirs = found.first_owner == "fruit", found.second_owner == "fruit"
    others = set(np.where(ours, found.second_owner, found.first_owner)[ours | theirs])
    roots = recording.position[:, recording.scene.objects[f"{SIDES[0]} finger"].particles, 2].max(axis=1)
    return Lift(recording.time, recording.position[:, rows, 2].min(axis=1), float(roots[-1] - roots[0]), normal, upwards,
                pressure, float(placed.object.mass.sum()) * GRAVITY, fruit.bruise,
                others == {f"{side} finger" for side in SIDES})


def _on_fruit(found, other):
    """Rows of contacts of the fruit with another thing, and the sign by which forces in them are those on the fruit."""
    first = (found.first_owner == "fruit") & (found.second_owner == other)
    second = (found.second_owner == "fruit") & (found.first_owner == other)
    rows = np.flatnonzero(first | second)
    return rows, np.where(first[rows], 1.0, -1.0)


def _skin_pressure(touched, rows, share):
    """The largest pressure on a particle of the skin by fingers [Pa]; `rows`: of the fruit, a run, `share`: of each [m²]."""
    place = touched.particle - rows[0]
    mine = (place >= 0) & (place < len(rows)) & np.char.endswith(touched.other.astype(str), "finger")
    load = np.bincount(place[mine], touched.normal[mine], len(rows))
    return float(np.divide(load, share, out=np.zeros(len(rows)), where=share > 0.0).max())


def skin_shares(thing):
    """(n,) m² of its surface that belong to each particle of an Object, a third of each facet around it."""
    corner = thing.position[thing.facets]
    area = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1) / 2.0
    return np.bincount(thing.facets.ravel(), np.repeat(area / 3.0, 3), len(thing.position))


def save_lifts(lifts, folder):
    """Write lifts by name: figures as lifts.json and lifts.csv, each over time as NAME.csv."""
    figures = {name: one.figures() for name, one in lifts.items()}
    write_json(folder / "lifts.json", figures)
    heads = list(next(iter(figures.values())))
    PoseTable({"case": np.array(list(figures), object)}
              | {head: np.array([row[head] for row in figures.values()]) for head in heads}).to_csv(folder / "lifts.csv")
    for name, one in lifts.items():
        one.table().to_csv(folder / f"{name.replace(' ', '_')}.csv")
