"""Keeping a frame: the present instant is copied behind the frames so far, in one call."""
import functools
from typing import NamedTuple

import numpy as np

from robotphi.kernels.compiling.compiled import entry, inlined, kernel
from robotphi.kernels.compiling.reference import taker
from robotphi.kernels.contact.tell import tell_contacts
from robotphi.kernels.mechanism.reactions import tell_reactions
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, SPIN, VELOCITY


class Frames(NamedTuple):
    """Frames so far, f of them in use, with room for more."""
    size: np.ndarray              # (1,) int64: f
    time: np.ndarray              # (f,) s
    position: np.ndarray          # (f, n, 3) m
    velocity: np.ndarray          # (f, n, 3) m/s
    rigid_position: np.ndarray    # (f, r, 3)
    rigid_orientation: np.ndarray  # (f, r, 4)
    rigid_velocity: np.ndarray    # (f, r, 3)
    rigid_spin: np.ndarray        # (f, r, 3)
    rigid_momentum: np.ndarray    # (f, r, 3)
    numbers: np.ndarray           # (f, …) from here on what a continued run needs, as in the buffers
    counters: np.ndarray
    causes: np.ndarray
    books: np.ndarray
    rigid: np.ndarray
    linear_law: np.ndarray
    angular_law: np.ndarray
    articular: np.ndarray
    act_state: np.ndarray
    joint_place: np.ndarray       # (f, j, 1) coordinates of joints, their rates, and (f, l, 4) orientations of balls
    joint_rate: np.ndarray
    joint_turn: np.ndarray
    joint_motor: np.ndarray       # (f, n, 3) of motors
    joint_reaction: np.ndarray    # (f, l, 6), (f, c, 6) and (f, j, 1), see `Links`
    joint_closing: np.ndarray
    joint_exerted: np.ndarray


CHECKPOINT = Frames._fields[Frames._fields.index("numbers"):]
OF_ONE_CALL = (at.CHUNK, at.HISTORY_COUNT, at.PARITY)   # counters that a frame keeps as 0: they belong to one call of the loop


@inlined
def keep_values(kept, frame, values):
    for i in range(len(values)):
        kept[frame, i] = values[i]


@inlined
def keep_columns(kept, frame, rows, column):
    """As many columns of all rows as the frame has, from a column on."""
    for i in range(kept.shape[1]):
        for k in range(kept.shape[2]):
            kept[frame, i, k] = rows[i, column + k]


@kernel
def keep_instant(frames, frame, buffers):
    """Copy everything that a frame has of one size."""
    frames.time[frame] = buffers.numbers[at.TIME]
    keep_columns(frames.position, frame, buffers.position, 0)
    keep_columns(frames.velocity, frame, buffers.velocity, 0)
    keep_columns(frames.rigid_position, frame, buffers.rigid, CENTRE)
    keep_columns(frames.rigid_orientation, frame, buffers.rigid, ORIENTATION)
    keep_columns(frames.rigid_velocity, frame, buffers.rigid, VELOCITY)
    keep_columns(frames.rigid_spin, frame, buffers.rigid, SPIN)
    keep_columns(frames.rigid_momentum, frame, buffers.rigid, MOMENTUM)
    keep_values(frames.numbers, frame, buffers.numbers)
    keep_values(frames.counters, frame, buffers.counters)
    for counter in OF_ONE_CALL:
        frames.counters[frame, counter] = 0
    keep_columns(frames.causes, frame, buffers.causes, 0)
    keep_columns(frames.books, frame, buffers.books, 0)
    keep_columns(frames.rigid, frame, buffers.rigid, 0)
    keep_columns(frames.linear_law, frame, buffers.linear_law, 0)
    keep_columns(frames.angular_law, frame, buffers.angular_law, 0)
    keep_columns(frames.articular, frame, buffers.articular, 0)
    keep_columns(frames.act_state, frame, buffers.act_state, 0)
    keep_columns(frames.joint_place, frame, buffers.joints.place, 0)
    keep_columns(frames.joint_rate, frame, buffers.joints.rate, 0)
    keep_columns(frames.joint_turn, frame, buffers.joints.turn, 0)
    keep_columns(frames.joint_motor, frame, buffers.joints.motor, 0)
    keep_columns(frames.joint_reaction, frame, buffers.links.reaction, 0)
    keep_columns(frames.joint_closing, frame, buffers.links.closing, 0)
    keep_columns(frames.joint_exerted, frame, buffers.links.exerted, 0)


@kernel
def keep_starts(tables):
    """Where the rows of the next frame begin."""
    starts = tables.starts
    frame = starts.size[0]
    starts.contact_state[frame], starts.vertex_state[frame] = tables.contact_state.size[0], tables.vertex_state.size[0]
    starts.contacts[frame], starts.contact_vertices[frame] = tables.contacts.size[0], tables.contact_vertices.size[0]
    starts.size[0] += 1


def make_keep(take_arrays, take_buffers, take_frames, take_tables, touching, jointed, tell_contacts, keep_starts,
              tell_reactions):
    def keep(arrays_address, buffers_address, frames_address, tables_address, tell):
        """Append the present instant to the frames, and with `tell` what contact and joints do now.

        Returns whether there was room; else nothing is written.
        """
        buffers, frames = take_buffers(buffers_address), take_frames(frames_address)
        frame = frames.size[0]
        if frame >= len(frames.time):
            return False
        if touching:
            if tell:
                arrays, tables = take_arrays(arrays_address), take_tables(tables_address)
                if not tell_contacts(arrays.contact, buffers.touch, buffers.position, tables):
                    return False
                keep_starts(tables)
        if jointed:
            if tell:   # else it was restored with the rest of the frame
                tell_reactions(take_arrays(arrays_address), buffers)
        keep_instant(frames, frame, buffers)
        frames.size[0] = frame + 1
        return True
    return keep


@functools.cache
def keep_on(arrays, buffers, frames, tables, touching, jointed):
    """The function that keeps a frame of these types, by addresses; tables count where things can touch."""
    return entry(make_keep, taker(arrays), taker(buffers), taker(frames), taker(tables) if touching else None, touching,
                 jointed,
                 *((tell_contacts, keep_starts) if touching else (None, None)), tell_reactions if jointed else None)
