"""Arrays of closures: the rows of all joints that close loops, and the curves that points run along."""
import numpy as np

from robotphi.kernels.mechanism.columns import CLOSED_DENSE, WORLD, Closures
from robotphi.kernels.mechanism.kinds import ABOVE, ACROSS, BESIDE, DISTANCE, JOINTS, RELATED, SCREWED
from robotphi.model.arrays import aligned
from robotphi.scene.checks import refuse
from robotphi.scene.curves import spline, upright

WHOLE = ("kind", "joint", "relation", "one", "other", "curve")
WIDE = ("at_one", "at_other", "axis", "beside", "across")


def build_closures(scene, pose, mechanisms, closures, related):
    """Closures of the joints that close the loops of each mechanism, as they are drawn, and relations within loops."""
    rows = {name: [] for name in (*WHOLE, *WIDE, "size")}
    curves, start, extents = [], [0], []
    for m, joints in enumerate(closures):
        extents.append(_extent(pose, mechanisms, m, joints))
        for joint in joints:
            _add_rows(scene, pose, mechanisms, joint, rows, curves, extents[-1])
        for relation in related[m]:
            _add_relation(mechanisms, relation, rows, extents[-1])
        start.append(len(rows["kind"]))
    knots = [len(knot) for knot, _, _ in curves]
    pieces = [np.vstack((piece, np.zeros((1, 12)))) for _, piece, _ in curves]
    return Closures(
        start=aligned(start, np.int32), extent=aligned(extents), dense=aligned(np.diff(start) <= CLOSED_DENSE, np.int32),
        **{name: aligned(rows[name], np.int32) for name in WHOLE},
        **{name: aligned(np.reshape(rows[name], (-1, 3))) for name in WIDE}, size=aligned(rows["size"]),
        knot_start=aligned(np.concatenate(([0], np.cumsum(knots))), np.int32),
        closed=aligned([closed for _, _, closed in curves], np.int32),
        knot=aligned(np.concatenate([[], *(knot for knot, _, _ in curves)])),
        piece=aligned(np.reshape(np.concatenate([np.zeros((0, 12)), *pieces]), (-1, 12))))


def _extent(pose, mechanisms, m, joints):
    """Size of a mechanism, by its centres and the points of what closes it [m]."""
    rigids = mechanisms.rigid[mechanisms.start[m]:mechanisms.start[m + 1]]
    points = [pose.rigid_position[rigid] for rigid in rigids if rigid >= 0]
    points += [point for joint in joints for point in (joint.at, joint.at_child)]
    spread = np.ptp(np.array(points), axis=0) if len(points) else np.zeros(3)
    return max(float(np.linalg.norm(spread)), 1e-300)


def _add_rows(scene, pose, mechanisms, joint, rows, curves, extent):
    one, centre, axes = _body(pose, mechanisms, joint.parent)
    other, other_centre, other_axes = _body(pose, mechanisms, joint.child)
    frame, other_frame = axes.T @ joint.frame, other_axes.T @ joint.frame_child
    curve, lift = -1, None
    if joint.curve is not None:
        knot, piece = spline(joint.curve - joint.at, joint.closed)
        piece = (piece.reshape(-1, 4, 3) @ axes).reshape(-1, 12)
        lift = upright(knot, piece, joint.closed)
        if lift is None:
            refuse(f"joint {joint.name!r}", "its curve goes in all directions", "make two joints of two shorter curves")
        curve, _ = len(curves), curves.append((knot, piece, joint.closed))
    for row in JOINTS[joint.kind].rows:
        rows["kind"].append(row.kind)
        rows["relation"].append(-1)
        rows["joint"].append(scene.joints.index(joint))
        rows["one"].append(one)
        rows["other"].append(other)
        rows["at_one"].append(axes.T @ (joint.at - centre))
        rows["at_other"].append(other_axes.T @ (joint.at_child - other_centre))
        rows["axis"].append(lift if row.kind in (BESIDE, ABOVE) else frame @ np.array(row.axis))
        rows["beside"].append(frame[:, 1])
        rows["across"].append(other_frame @ np.array(row.across))
        rows["size"].append({ACROSS: extent, SCREWED: joint.pitch, DISTANCE: joint.size}.get(row.kind, 0.0))
        rows["curve"].append(curve if row.kind in (BESIDE, ABOVE) else -1)


def _add_relation(mechanisms, relation, rows, extent):
    """A row for coordinates that are related: as a length, where any of them is an angle."""
    terms = mechanisms.term[mechanisms.term_start[relation]:mechanisms.term_start[relation + 1]]
    whole = {"kind": RELATED, "joint": -1, "relation": relation, "one": WORLD, "other": WORLD, "curve": -1}
    for name in (*WHOLE, *WIDE):
        rows[name].append(whole.get(name, np.zeros(3)))
    rows["size"].append(extent if (mechanisms.turn[terms] != 0.0).any() else 1.0)


def _body(pose, mechanisms, rigid):
    """What a closure hangs on, as parents of links are said, and its centre and axes as drawn."""
    if rigid is None:
        return WORLD, np.zeros(3), np.eye(3)
    link = mechanisms.link_of_rigid[rigid.index]
    return (link if link >= 0 else -2 - rigid.index, pose.rigid_position[rigid.index],
            matrix_of(pose.rigid_orientation[rigid.index]))


def matrix_of(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
