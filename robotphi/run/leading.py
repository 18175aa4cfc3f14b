"""What leads a scene from pose to pose: times of its drives, values by address, and poses of what is held."""
import numpy as np

from robotphi.errors import SceneError
from robotphi.kernels.step import slots
from robotphi.kernels.step.rigids import CENTRE, ORIENTATION
from robotphi.scene.blocks import ParticleBlock, Rigid
from robotphi.scene.checks import floats, refuse
from robotphi.scene.objects import Placed
from robotphi.scene.poses import pose_matrix
from robotphi.scene.turns import matrix_of, quaternion_of
from robotphi.scene.values import address_of

WHERE = "equilibria"
TIME = "time"


class Leading:
    """What is different in each pose.

    Attributes:
        count: poses.
        given: name → values, one for each pose.
        values: address → values.
    """

    def __init__(self, model, over):
        self.model, self.given, self.values, self._moves, self._times = model, {}, {}, [], None
        over = over if isinstance(over, dict) else {TIME: over}
        if not over:
            refuse(WHERE, "over is empty", 'give times, or {"time": times, ("spring", "stiffness"): values, rigid: poses}')
        for key, rows in over.items():
            if not hasattr(rows, "__len__") or isinstance(rows, str) or not len(rows):
                refuse(WHERE, f"over {key!r:.60} is {rows!r:.60}", "give one entry for each pose")
            self._take(key, rows)
        counts = {str(key): len(rows) for key, rows in self.given.items()}
        if len(set(counts.values())) > 1:
            refuse(WHERE, f"over has {counts} entries", "give as many of each: one for each pose")
        self.count = next(iter(counts.values()))

    def _take(self, key, rows):
        if key == TIME:
            times = floats(WHERE, "time", rows)
            if times.ndim != 1 or times.min() < 0.0:
                refuse(WHERE, f"times are {times.tolist()!s:.60}", "give a list of seconds, from 0 on")
            self._times = self.given[TIME] = times
        elif isinstance(key, tuple):
            address = address_of(key)
            self.values[address] = rows
            self.given[str(address)] = np.asarray(rows)
        else:
            thing = self._thing(key)
            self.given[thing.name] = self._led(thing, rows)

    def _thing(self, key):
        scene = self.model.scene
        if isinstance(key, (Rigid, Placed, ParticleBlock)):
            key = key.name
        found = scene.objects.get(key) or scene.things.get(key) if isinstance(key, str) else None
        if not isinstance(found, (Rigid, Placed, ParticleBlock)):
            refuse(WHERE, f"over has the key {key!r:.60}",
                   'give "time", an address such as ("spring", "stiffness"), or a held rigid, object or particles by name')
        return found

    def _led(self, thing, rows):
        if isinstance(thing, ParticleBlock) and shape_of(rows)[1:] == (thing.count, 3):
            return self._lead_particles(thing.name, thing.indices, floats(WHERE, f"places of {thing.name!r}", rows))
        poses = np.array([one_pose(f"pose of {thing.name!r}", row) for row in rows])
        if isinstance(thing, ParticleBlock):
            self._lead_particles(thing.name, thing.indices, moved(self.model.position[thing.indices], poses))
        elif isinstance(thing, Rigid):
            self._lead_rigid(thing, poses)
        else:
            for rigid in thing.rigids:
                self._lead_rigid(self.model.scene.rigids[rigid.index], poses)
            carried = np.concatenate([np.zeros(0, int), *(rigid.particles for rigid in thing.rigids)])
            own = np.setdiff1d(thing.particles, carried)
            own = own[~self._may_move(own).any(axis=1)]
            if len(own):
                self._lead_particles(thing.name, own, moved(self.model.position[own], poses))
            elif not thing.rigids:
                refuse(WHERE, f"nothing of {thing.name!r} is held", "support what is to be led")
        return poses

    def _may_move(self, rows):
        particles = self.model.arrays.particles
        return particles.moves[particles.axes[rows], :3] > 0.0

    def _lead_particles(self, name, rows, places):
        motions = self.model.arrays.motions
        if self._may_move(rows).any() or np.isin(rows, [*motions.particle, *motions.led.particle]).any():
            refuse(WHERE, f"{name!r} is to be led, and may move or has a drive", 'hold all its axes: support="xyz"')
        def lead(buffers, k, share):
            buffers.position[rows, :3] = between(places, k, share)
        self._moves.append(lead)
        return places

    def _lead_rigid(self, rigid, poses):
        if not (rigid.support.all() and rigid.rotation_support.all()) or rigid.drive or rigid.motion:
            refuse(WHERE, f"rigid {rigid.name!r} is to be led, and may move or has a drive",
                   'hold all of it: support="xyz", rotation_support="xyz"')
        i, model = rigid.index, self.model
        first = matrix_of(model.rigid_orientation[i][None])[0]
        centre = moved(model.rigid_position[i][None], poses)[:, 0]
        turn = np.array([quaternion_of(pose[:3, :3] @ first) for pose in poses])
        turn[1:] *= np.cumprod(np.where((turn[1:] * turn[:-1]).sum(axis=1) < 0.0, -1.0, 1.0))[:, None]   # the shorter way

        def lead(buffers, k, share):
            buffers.rigid[i, CENTRE:CENTRE + 3] = between(centre, k, share)
            turned = between(turn, k, share)
            buffers.rigid[i, ORIENTATION:ORIENTATION + 4] = turned if share == 1.0 else turned / np.linalg.norm(turned)
        self._moves.append(lead)

    @property
    def moves(self):
        """Whether anything held is led."""
        return bool(self._moves)

    def model_at(self, model, k):
        """The model with the values of a pose."""
        try:
            return model.with_values({address: rows[k] for address, rows in self.values.items()}) if self.values else model
        except SceneError as error:
            raise SceneError(f"pose {k}: {error}") from None

    def lead(self, state, k, share=1.0):
        """Time and what is held as in a pose, or a share of the way there from the one before."""
        b = state.buffers
        if self._times is not None:
            b.numbers[slots.TIME] = time = between(self._times, k, share)
            b.numbers[slots.INSIDE] = np.nextafter(time, np.inf)
        for move in self._moves:
            move(b, k, share)


def between(rows, k, share):
    """Row k, or what is a share of the way there from the row before."""
    return rows[k] if share == 1.0 else rows[k - 1] + share * (rows[k] - rows[k - 1])


def one_pose(what, row):
    """(4, 4) of a pose: a matrix, (position, quaternion), the seven numbers of these, or a shift."""
    if shape_of(row) == (7,):
        return pose_matrix(WHERE, what, (tuple(row[:3]), tuple(row[3:])))
    if shape_of(row) == (3,):
        matrix = np.eye(4)
        matrix[:3, 3] = floats(WHERE, what, row)
        return matrix
    return pose_matrix(WHERE, what, row)


def shape_of(given):
    """The shape of numbers; () where rows differ, as in (position, quaternion)."""
    try:
        return np.shape(given)
    except ValueError:
        return ()


def moved(points, poses):
    """(m, n, 3) points in each pose: R x + t."""
    return np.einsum("mij,nj->mni", poses[:, :3, :3], points) + poses[:, None, :3, 3]
