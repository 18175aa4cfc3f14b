"""Arrays of mechanisms: what the loop reads, what changes, and what is worked out on the way.

A link is a rigid of a mechanism, or one without mass between two turns of a joint. Links stand parents first, each with the
freedoms by which it moves on its parent.
"""
from typing import NamedTuple

import numpy as np

BOUND_DENSE = 20   # freedoms, up to which a mechanism's bound is made of its whole matrix
WORLD = -1   # parent of a link that hangs on nothing; −2 − i: on rigid i, which is held or driven


class Mechanisms(NamedTuple):
    """All that stays."""
    start: np.ndarray          # (m + 1,) int32 into the links
    free: np.ndarray           # (m,) int32 1 where the first link is the base of a mechanism that hangs on nothing
    mass: np.ndarray           # (m,) kg
    rigid: np.ndarray          # (l,) int32 what the link moves, −1: nothing, it has no mass
    parent: np.ndarray         # (l,) int32 link, or WORLD, or −2 − rigid
    rotation: np.ndarray       # (l,) int32 how its turn is kept, see `kinds`
    on_parent: np.ndarray      # (l, 3) m from the parent's centre to the joint, where its coordinates are those drawn
    on_child: np.ndarray       # (l, 3) m from the joint to the child's centre, in the child's frame
    drawn: np.ndarray          # (l, 4) orientation of the child in the parent's frame, where its coordinates are those drawn
    freedom_start: np.ndarray  # (l + 1,) int32 into the freedoms
    axis: np.ndarray           # (f, 3) unit axis in the parent's frame
    turn: np.ndarray           # (f,) rad per unit
    slide: np.ndarray          # (f,) m per unit
    drawn_at: np.ndarray       # (f,) coordinate that was drawn
    armature: np.ndarray       # (f,) kg·m² or kg, of what turns with the coordinate alone
    stiffness: np.ndarray      # (f,) N·m/rad or N/m
    rest: np.ndarray           # (f,) rad or m
    viscosity: np.ndarray      # (f,) N·m·s/rad or N·s/m
    link_of_rigid: np.ndarray  # (r,) int32, −1 for rigids that move by themselves


class Joints(NamedTuple):
    """What changes; it belongs to one instant."""
    place: np.ndarray          # (f, 1) coordinates
    rate: np.ndarray           # (f, 1) and their rates
    gain: np.ndarray           # (f, 1) and accelerations, by the forces of this instant
    turn: np.ndarray           # (l, 4) orientation of balls, in the parent's frame


class Links(NamedTuple):
    """What is worked out for one instant at a time."""
    pose: np.ndarray           # (l, 16) as rows of rigids
    reach: np.ndarray          # (l, 6) m: from the parent's centre to this one's, from the joint to this one's
    base: np.ndarray           # (l, 12) acceleration, then velocity of the driven rigid that a link hangs on, else 0
    swing: np.ndarray          # (l, 6) acceleration that the velocities and a driven base bring along
    inertia: np.ndarray        # (l, 27) articulated inertia: mass-like, mixed, moment-like, row by row
    push: np.ndarray           # (l, 6) force and couple that keep it in its motion
    acceleration: np.ndarray   # (l, 6)
    way: np.ndarray            # (f, 6) velocity and spin of the child's centre per unit of rate
    hold: np.ndarray           # (f, 6) force and couple per unit of acceleration
    share: np.ndarray          # (f, 2) 1/inertia along the way, effort that accelerates it
    middle: np.ndarray         # (f, 1) rates of the middle of the step
    effort: np.ndarray         # (f, 1) N·m or N, along each freedom by what acts on the coordinate itself
    trial: np.ndarray          # (f, 1) rates, and what springs answer to them, of `bounds`
    answer: np.ndarray         # (f, 1)
    matrix: np.ndarray         # (2, n²) of the largest mechanism of at most BOUND_DENSE freedoms
    start: np.ndarray          # (f, 1) of dampers apart: rates before a half of them, accelerations by all but them
    pull: np.ndarray           # (f, 1)
    impulse: np.ndarray        # (m, 12) what they have pushed a mechanism with: N·s, N·m·s about the origin, of both halves
    reaction: np.ndarray       # (l, 6) of a frame: force and couple on the link, at its joint in axes of the world
    exerted: np.ndarray        # (f, 1) of a frame: N·m or N, along each freedom by all that acts on its coordinate
    sums: np.ndarray           # (m, 4) what comes to the ledger, see below


FIRST_HALF, SECOND_HALF = 0, 6   # columns of `impulse`
# Columns of `sums`
OF_ARMATURE, OF_PATH, STORED, LOSS = range(4)   # J kinetic energy; J of the path; J stored in springs; W lost
SUM_COLUMNS = 4
