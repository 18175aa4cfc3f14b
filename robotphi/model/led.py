"""What is led by motions, as arrays: which body follows which motion, and where it stands in the frame of it."""
import numpy as np

from robotphi.model import arrays as m
from robotphi.model.arrays import aligned
from robotphi.scene.blocks import ParticleBlock
from robotphi.scene.motion import places_in
from robotphi.scene.rigid import principal_frame
from robotphi.scene.turns import quaternion_of


def motions_of(thing):
    """Motions that a block of particles or a rigid follows."""
    if isinstance(thing, ParticleBlock):
        return [motion for motion, _ in thing.led]
    return [] if thing.motion is None else [thing.motion]


def led_arrays(scene, drives):
    """`Led` of a scene; `drives` is its `DriveList`. Particles of one motion stand together."""
    number = {}
    for thing in (*scene.particle_blocks, *scene.rigids):
        for motion in motions_of(thing):
            number.setdefault(motion, len(number))
    rows = [(number[motion], block.start + row, place) for block in scene.particle_blocks for motion, own in block.led
            for row, place in zip(own.tolist(), places_in(motion, block.position[own]), strict=True)]
    rows.sort(key=lambda row: row[:2])
    rigids = [rigid for rigid in scene.rigids if rigid.motion is not None]
    turns = [quaternion_of(rigid.motion.pose()[:3, :3].T @ principal_frame(rigid.inertia)[1]) for rigid in rigids]
    return m.Led(
        aligned(np.reshape([[drives.number[drive] for drive in motion.drives] for motion in number], (-1, 7)), np.int32),
        aligned([row for _, row, _ in rows], np.int32), aligned([k for k, _, _ in rows], np.int32),
        aligned(np.reshape([place for _, _, place in rows], (-1, 3))),
        aligned([rigid.index for rigid in rigids], np.int32), aligned([number[rigid.motion] for rigid in rigids], np.int32),
        aligned(np.reshape([places_in(rigid.motion, rigid.centre) for rigid in rigids], (-1, 3))),
        aligned(np.reshape(turns, (-1, 4))))
