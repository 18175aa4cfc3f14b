"""Attitudes at the door: which rigid is turned, towards which frame, and along which axis."""
import numpy as np

from robotphi.scene.blocks import Rigid
from robotphi.scene.checks import floats, refuse, vector
from robotphi.scene.gates import gate_of, share_of
from robotphi.scene.motion import Motion
from robotphi.scene.objects import Placed
from robotphi.scene.poses import SQUARE, frame_of, mark_rows
from robotphi.scene.turns import matrix_of, quaternion_of

LEADS = ("lead_w", "lead_i", "lead_j", "lead_k")
WANTED = ("a quaternion (w, x, y, z), a rotation matrix, a Motion, a rigid, or a frame marked on one as (thing, mark); None "
          "for the attitude it has when drawn")


def attitude_fields(scene, where, target, towards, axis, active, when, laws):
    """Fields of the act `attitude`; see `Scene.add_attitude`."""
    rigid, own = _carried(scene, where, "target", target)
    fields = {"target": rigid, **laws, **gate_of(scene, where, when)}
    goal = np.eye(3) if towards is None and own is None else _frame(own)
    if isinstance(towards, Motion):
        goal, fields = np.eye(3), fields | dict(zip(LEADS, towards.drives[3:], strict=True))
    elif isinstance(towards, (str, Rigid, Placed)) or _is_mark(towards):
        fields["towards"], frame = _carried(scene, where, "towards", towards)
        goal = _frame(frame)
        if fields["towards"] is rigid:
            refuse(where, f"{rigid.name!r} is turned towards itself", "give another rigid, or an attitude")
    elif towards is not None:
        goal = _turn(where, towards)
    fields["offset"] = turn_vector(_frame(own) @ goal.T)
    if axis is not None:
        axis = vector(where, "axis", axis)
        if not axis.any():
            refuse(where, "axis is zero", "give a direction, or leave it out for the whole attitude")
        fields["axis"] = _frame(own) @ axis / np.linalg.norm(axis)
    if active is not None:
        fields["share"] = share_of(scene, where, active)
    return {what: value for what, value in fields.items() if value is not None}


def turn_vector(turn):
    """Axis × angle [rad] of a rotation matrix."""
    quaternion = quaternion_of(turn)
    size = np.linalg.norm(quaternion[1:])
    return quaternion[1:] * (2.0 * np.arctan2(size, quaternion[0]) / size if size > 0.0 else 2.0)


def _frame(axes):
    return np.eye(3) if axes is None else axes


def _turn(where, towards):
    """A rotation matrix from what a user gives as an attitude."""
    given = floats(where, "towards", towards)
    if given.shape == (4,):
        size = np.linalg.norm(given)
        if not abs(size - 1.0) <= SQUARE:
            refuse(where, f"towards is the quaternion {given.tolist()} of length {size:.4g}", "give one of length one")
        return matrix_of(given / size)
    if given.shape != (3, 3) or not np.allclose(given @ given.T, np.eye(3), atol=SQUARE) or np.linalg.det(given) < 0.0:
        refuse(where, f"towards is {given.tolist()!s:.60}", f"give {WANTED}")
    return given


def _is_mark(value):
    return isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[1], str)


def _carried(scene, where, what, value):
    """(rigid, axes of the frame that is meant as they are drawn, None where it is the rigid itself) of a thing."""
    thing, mark = value if _is_mark(value) else (value, None)
    if isinstance(thing, str):
        thing = scene.objects.get(thing) or scene.find(thing, where)
    if mark is not None and isinstance(thing, (Rigid, Placed)):
        rows = mark_rows(scene, where, thing, mark)
        rigid = int(scene.rigid_of_particle[rows[0]])
        if rigid < 0 or len(rows) != 3:
            refuse(where, f"{mark!r} of {thing.name!r} is {'a point' if len(rows) != 3 else 'on what is soft'}",
                   "give a frame that is marked on a rigid, by frames=")
        return scene.rigids[rigid], frame_of(where, mark, scene.position[rows])[:3, :3]
    if isinstance(thing, Placed):
        if len(thing.rigids) != 1:
            refuse(where, f"{what} is the object {thing.name!r} with {len(thing.rigids)} rigid parts",
                   "give one of its rigids, (object, frame), or tie its particles with add_duplicate")
        return thing.rigids[0], None
    if not isinstance(thing, Rigid):
        refuse(where, f"{what} is {value!r:.60}", "give a rigid, an object with one rigid part, or a frame as (thing, mark)")
    return thing, None
