"""Poses and marks at the door: where things stand, and points and frames by name that go with them.

A mark is a particle without mass of what carries it, or three for a frame: its origin, and one along its x and y each. So marks
go where matter goes, through whatever is done with it; the image of a frame in a mirror is right-handed again, its z turned.
"""
import numpy as np

from robotphi.scene.blocks import ParticleBlock, Rigid
from robotphi.scene.checks import floats, frozen, refuse, vector, word
from robotphi.scene.objects import Placed
from robotphi.scene.rigid import given_inertia
from robotphi.scene.turns import matrix_of

SQUARE = 1e-9   # of its length: what rounding leaves between the axes of a frame, and between a matrix and a rotation


def pose_matrix(where, what, pose):
    """(4, 4) from one, or from (position, quaternion)."""
    if isinstance(pose, (tuple, list)) and len(pose) == 2:
        position, turn = vector(where, f"position of {what}", pose[0]), floats(where, f"quaternion of {what}", pose[1])
        if turn.shape != (4,) or abs(np.linalg.norm(turn) - 1.0) > SQUARE:
            refuse(where, f"quaternion of {what} is {turn.tolist()!s:.60}", "give (w, x, y, z) of length one")
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = matrix_of(turn / np.linalg.norm(turn)), position
        return matrix
    matrix = floats(where, what, pose)
    if matrix.shape != (4, 4) or not np.allclose(matrix[:3, :3] @ matrix[:3, :3].T, np.eye(3), atol=SQUARE) or \
            np.linalg.det(matrix[:3, :3]) < 0.0 or not np.array_equal(matrix[3], (0.0, 0.0, 0.0, 1.0)):
        refuse(where, f"{what} is {matrix.tolist()!s:.80}",
               "give a (4, 4) matrix, rotation and shift, last row 0 0 0 1, or (position, quaternion)")
    return matrix


def mark_places(where, points, frames, arm):
    """Name → (1, 3) of a point, (3, 3) of a frame: origin, ends of x and y `arm` m away."""
    found = {}
    for what, given in (("points", points), ("frames", frames)):
        if given is not None and not isinstance(given, dict):
            refuse(where, f"{what} is {given!r:.60}", f'give {what} by name, such as {{"tip": …}}')
        for name, value in (given or {}).items():
            if not isinstance(name, str) or not name or set(name) & set(":/.") or name in found:
                refuse(where, f"a mark is called {name!r}", 'give each a word of its own, without ":", "/" and "."')
            if what == "points":
                found[name] = vector(where, f"point {name!r}", value)[None]
            else:
                matrix = pose_matrix(where, f"frame {name!r}", value)
                found[name] = matrix[:3, 3] + arm * np.array([np.zeros(3), matrix[:3, 0], matrix[:3, 1]])
    return found


def frame_of(where, name, places):
    """(4, 4) of the particles of a frame."""
    x, y = places[1:] - places[0]
    sizes = np.linalg.norm(x), np.linalg.norm(y)
    if len(places) != 3 or abs(x @ y) > SQUARE * sizes[0] * sizes[1] or abs(sizes[0] - sizes[1]) > SQUARE * sizes[0]:
        refuse(where, f"{name!r} is no frame", "mark it by frames=")
    axes = np.stack([x / sizes[0], y / sizes[1]], axis=1)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = np.column_stack((axes, np.cross(axes[:, 0], axes[:, 1]))), places[0]
    return matrix


def posed_rigid(where, pose, position, centre, inertia, points, frames):
    """What a rigid is made of, in a pose."""
    matrix = pose_matrix(where, "pose", pose)
    turn, shift = matrix[:3, :3], matrix[:3, 3]
    if centre is not None:
        centre = turn @ vector(where, "centre", centre) + shift
    if inertia is not None:
        inertia = turn @ given_inertia(where, inertia) @ turn.T
    marks = mark_places(where, points, frames, 1.0)   # checked: names and numbers
    points = {name: turn @ marks[name][0] + shift for name in points or {}}
    frames = {name: matrix @ pose_matrix(where, "frame", frame) for name, frame in (frames or {}).items()}
    return frozen(position @ turn.T + shift), centre, inertia, points, frames


def mark_rigid(scene, where, rigid, points, frames):
    """Put marks on a rigid of the scene: blocks of particles called <rigid>.<mark>."""
    far = scene.position[rigid.particles] - rigid.centre
    marks = mark_places(where, points, frames, float(np.linalg.norm(far, axis=1).max()) or 1.0)
    for name in marks:
        scene._new_name("mark", f"{rigid.name}.{name}")
    for name, places in marks.items():
        nothing = np.broadcast_to(0.0, places.shape)
        block = ParticleBlock(f"{rigid.name}.{name}", scene.particle_count, frozen(places), nothing, nothing[:, 0],
                              np.broadcast_to(False, places.shape), rigid=rigid.index)
        scene._carry(rigid.index, scene._keep_particles(block))
    return scene.rigids[rigid.index]


def mark_rows(scene, where, thing, name):
    """Particles of a mark of a rigid or an object."""
    if isinstance(thing, Placed):
        known = {label: rows for label, rows in thing.object.regions.items() if len(rows) in (1, 3)}
        return thing.particles[known[word(where, f"mark of {thing.name!r}", name, tuple(known))]]
    ahead = f"{thing.name}."
    known = {label[len(ahead):]: block for label, block in scene.things.items() if label.startswith(ahead)
             and isinstance(block, ParticleBlock) and block.rigid == thing.index}
    return known[word(where, f"mark of {thing.name!r}", name, tuple(known))].indices


def marked(scene, where, at):
    """(point, axis, across) that `at` means: a place, or a mark as (thing, name); a frame has axes, else they are None."""
    if isinstance(at, str):
        refuse(where, f"at is {at!r}", f"give a place, or a mark of one of the two as (thing, {at!r})")
    if not _is_mark(at):
        if isinstance(at, (tuple, list)) and any(_is_mark(one) for one in at):   # of two ends
            at = [marked(scene, where, one)[0] for one in at]
        return at, None, None
    places = scene.position[mark_rows(scene, where, *at)]
    if len(places) == 1:
        return frozen(places[0]), None, None
    matrix = frame_of(where, at[1], places)
    return frozen(matrix[:3, 3]), matrix[:3, 0], matrix[:3, 1]


def _is_mark(at):
    return isinstance(at, (tuple, list)) and len(at) == 2 and isinstance(at[0], (Rigid, Placed)) and isinstance(at[1], str)
