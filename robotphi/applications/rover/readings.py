"""What frames tell of one wheel, and of the places on which a vehicle rests."""
import numpy as np

from robotphi.record.contacts import Names, contact_signs, parts_of

LEAST_SPEED = 0.01        # m/s of rim or wheel, below which slip says nothing
LINE = 1e-9               # of the size squared: three places so near to one line are on it


def touched(recording, name, up):
    """Of one wheel (f,) pressures and friction [N], depth [m], (f, 3) force, centre of pressure, mean direction."""
    table, names, frames = recording.rows["contacts"], Names(recording), len(recording)
    sign = contact_signs(table["first"], table["second"], *parts_of(names, name, None))
    rows = np.flatnonzero(sign)
    frame = np.repeat(np.arange(frames), np.diff(table["start"]))[rows]
    normal, rubbed = (sign[rows, None] * table[what][rows] for what in ("normal", "friction"))
    size = np.linalg.norm(normal, axis=1)
    depth = np.zeros(frames)
    np.maximum.at(depth, frame, table["depth"][rows])

    def total(values):
        found = np.zeros((frames, *values.shape[1:]))
        np.add.at(found, frame, values)
        return found

    pressed, pushed = total(size), total(normal)
    away = np.linalg.norm(pushed, axis=1)[:, None]
    bears = (pressed > 0.0)[:, None]
    centre = np.where(bears, total(size[:, None] * table["point"][rows]) / np.where(bears, pressed[:, None], 1.0), np.nan)
    direction = np.where(away > 0.0, pushed / np.where(away > 0.0, away, 1.0), up)
    return pressed, np.linalg.norm(total(rubbed), axis=1), depth, pushed + total(rubbed), centre, direction


def slip(recording, rigid, normal, radius):
    """(f,) slip of a wheel of this radius, see `RoverReport`; `normal`: (f, 3) mean direction of its contacts."""
    w, x, y, z = recording.rigid_orientation[:, rigid].T
    axle = np.stack([2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)], axis=1)   # its y as drawn
    ahead = np.cross(axle, normal)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    rim = radius * np.sum(recording.rigid_spin[:, rigid] * axle, axis=1)
    speed = np.sum(recording.rigid_velocity[:, rigid] * ahead, axis=1)
    largest = np.maximum(np.abs(rim), np.abs(speed))
    way = np.sign(np.where(np.abs(rim) > np.abs(speed), rim, speed))
    return np.where(largest > LEAST_SPEED, way * (rim - speed) / np.maximum(largest, LEAST_SPEED), np.nan)


def margin(places, centre, up):
    """rad by which what rests on these places may turn about an edge of their outline before its weight points beyond it."""
    if len(places) < 3:
        return np.nan
    side = np.cross(up, np.eye(3)[np.argmin(np.abs(up))])
    side /= np.linalg.norm(side)
    plan = (places - centre) @ np.stack([side, np.cross(up, side)], axis=1)
    least = np.inf
    for i, j in _outline(plan):
        edge = (places[j] - places[i]) / np.linalg.norm(places[j] - places[i])
        to = places[i] - centre
        to = to - (to @ edge) * edge                      # from the centre to the edge, across it
        down = -up + (up @ edge) * edge
        angle = np.arctan2(edge @ np.cross(to, down), to @ down)
        least = min(least, angle)
    return least


def _outline(plan):
    """Edges (i, j) of the convex outline of points in the plane, counter-clockwise."""
    n, found = len(plan), []
    for i in range(n):
        for j in range(n):
            way = plan[j] - plan[i]
            beside = way[0] * (plan[:, 1] - plan[i, 1]) - way[1] * (plan[:, 0] - plan[i, 0])
            others = np.delete(np.arange(n), [i, j]) if i != j else []
            if i != j and np.any(way) and np.all(beside[others] >= -LINE * np.abs(plan).max() ** 2):
                found.append((i, j))
    return found
