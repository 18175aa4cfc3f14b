"""Arrays of mechanisms: what the loop reads, what changes, and what is worked out on the way.

A link is a rigid of a mechanism, or one without mass between two turns of a joint. Links stand parents first, each with the
freedoms by which it moves on its parent.
"""
from typing import NamedTuple

import numpy as np

CLOSED_DENSE = 60   # rows of closures of a mechanism, up to which their matrix is made and factored
BOUND_DENSE = 20   # freedoms, up to which a mechanism is one body of the bounds, see `as_body`
WORLD = -1   # parent of a link that hangs on nothing; −2 − i: on rigid i, which is held or driven

# A mechanism always goes by flow (dry friction, drives, relations, motors with a limit; stops in loops, on led bases or with
# stiff objects), or only in steps that may meet a stop.
EVENTFUL, BY_STOPS = 1, 2


class Motors(NamedTuple):
    """What motors and servos are told, those of one mechanism after those of another; see `motors`."""
    start: np.ndarray          # (m + 1,) int32
    freedom: np.ndarray        # (n,) int32
    target: np.ndarray         # (n,) int32 drive of the place that is asked for, −1 for none
    speed: np.ndarray          # (n,) int32 of the rate, −1: that of the place
    torque: np.ndarray         # (n,) int32 of an effort, −1 for none
    stiffness: np.ndarray      # (n,) N·m/rad or N/m
    damping: np.ndarray        # (n,) N·m·s/rad or N·s/m
    integral: np.ndarray       # (n,) N·m/(rad·s) or N/(m·s)
    limit: np.ndarray          # (n,) N·m or N, ∞ for none
    most_of_integral: np.ndarray   # (n,) likewise, of what the integral does


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
    friction: np.ndarray       # (f, 2) N·m or N, what dry friction holds at rest, and what it takes from what slides
    limits: np.ndarray         # (f, 2) rad or m, the stops; ±∞ where there are none
    restitution: np.ndarray    # (f,) share of its rate that comes back from a stop
    drive: np.ndarray          # (f,) int32 of the coordinate itself, −1 where it moves by forces
    torque: np.ndarray         # (f,) int32 drive of an effort, −1 for none
    table: np.ndarray          # (f,) int32 of the effort that resists over the coordinate less `rest`, −1 for none
    steepest: np.ndarray       # (f,) N·m/rad or N/m, the largest stiffness of spring and table
    forced: np.ndarray         # (f,) N·m·s/rad or N·s/m, viscosity that acts as a force and bounds the step: in loops
    viscous: np.ndarray        # (m,) int32 whether any joint has viscosity, which goes by flow
    eventful: np.ndarray       # (m,) int32 what may happen within a step: 0 nothing, EVENTFUL, BY_STOPS
    led: np.ndarray            # (m,) int32 whether it hangs on rigids that are driven
    loop: np.ndarray           # (f,) int32 the first freedom of those that closures make move together, −1: none does
    relation_start: np.ndarray  # (m + 1,) int32 into the relations of coordinates, but those within loops
    term_start: np.ndarray     # (r + 1,) int32 into their terms
    term: np.ndarray           # (t,) int32 freedoms
    factor: np.ndarray         # (t,) by which their coordinates count
    value: np.ndarray          # (r,) what the sum is
    link_of_rigid: np.ndarray  # (r,) int32, −1 for rigids that move by themselves
    motor: np.ndarray          # (f,) int32 what drives it by efforts, −1 for none
    damping: np.ndarray        # (f,) N·m·s/rad or N·s/m, viscosity and that of its motor
    motors: Motors


class NoMechanisms(Mechanisms):
    """The same of a scene without any: by this type the compiler knows it, see `kernel_unless`."""
    __slots__ = ()


class Closures(NamedTuple):
    """Rows of closures, those of one mechanism after those of another: what is to be nought between `one` and `other`.

    What is fixed in one is said in its principal frame, from its centre; likewise of the other. Angles are multiplied by the
    extent of the mechanism, so that all rows are lengths and all multipliers forces.
    """
    start: np.ndarray          # (m + 1,) int32 into the rows
    extent: np.ndarray         # (m,) m of the mechanism
    dense: np.ndarray          # (m,) int32 1 where the matrix of its rows is factored, 0 where they are solved by iteration
    kind: np.ndarray           # (c,) int32 see `kinds`
    joint: np.ndarray          # (c,) int32 of the scene, −1 for relations
    relation: np.ndarray       # (c,) int32 of the mechanisms, −1 for joints
    one: np.ndarray            # (c,) int32 link, or WORLD, or −2 − rigid, as parents of links
    other: np.ndarray          # (c,) int32
    at_one: np.ndarray         # (c, 3) m point of the joint
    at_other: np.ndarray       # (c, 3) m
    axis: np.ndarray           # (c, 3) fixed in one
    beside: np.ndarray         # (c, 3) fixed in one, across the axis
    across: np.ndarray         # (c, 3) fixed in the other
    size: np.ndarray           # (c,) m of a distance; m for each radian of angles
    curve: np.ndarray          # (c,) int32 of curves, −1: none
    knot_start: np.ndarray     # (curves + 1,) int32 into the knots; the last knot of each begins no piece
    closed: np.ndarray         # (curves,) int32 1 where it goes on at its start
    knot: np.ndarray           # (k,) m along the chords
    piece: np.ndarray          # (k, 12) C = a + b t + c t² + d t³ in the frame of one from its point, t m behind the knot


class Bound(NamedTuple):
    """What the closures of one instant know: how they pull, and how the links answer to it."""
    wrench: np.ndarray         # (c, 12) force and couple on the other for each newton of the multiplier, then on one
    rail: np.ndarray           # (c, 1) m along the curve
    pull: np.ndarray           # (c, 1) N multipliers that keep the accelerations together: the reactions
    order: np.ndarray          # (c, 1) int32 rows as they were taken into the factor
    rank: np.ndarray           # (m, 1) int32 how many were: the others follow from them
    factor: np.ndarray         # (c, rows of a mechanism at most) of G M⁻¹ Gᵀ, column by column as ordered
    answer: np.ndarray         # (c, f at most) rates for each newton second of a multiplier, from the mechanism's first
    way: np.ndarray            # (f, 6) as of the links
    hold: np.ndarray           # (f, 6)
    share: np.ndarray          # (f, 2)
    reach: np.ndarray          # (l, 6)
    push: np.ndarray           # (l, 6) scratch: what is asked of the links
    effort: np.ndarray         # (f, 1) scratch: and of their freedoms
    move: np.ndarray           # (l, 6) scratch: what they do
    gain: np.ndarray           # (f, 1) scratch: and their freedoms
    left: np.ndarray           # (c, 8) scratch: residuals, multipliers and the like, a column each


class Joints(NamedTuple):
    """What changes; it belongs to one instant."""
    place: np.ndarray          # (f, 1) coordinates
    rate: np.ndarray           # (f, 1) and their rates
    gain: np.ndarray           # (f, 1) and accelerations, by the forces of this instant
    ease: np.ndarray           # (f, 1) 1/inertia along each freedom, see `ease`
    turn: np.ndarray           # (l, 4) orientation of balls, in the parent's frame
    motor: np.ndarray          # (n, 3) of motors
    lead: np.ndarray           # (l, 6) accelerations that forces of what hangs on links were taken with; (0, 6) without
    bound: Bound               # of closures


class Links(NamedTuple):
    """What is worked out for one instant at a time."""
    pose: np.ndarray           # (l, 16) as rows of rigids
    axes: np.ndarray           # (l, 9) where the principal axes point, one after the other
    own: np.ndarray            # (l, 6) kg·m² moments of its rigid in axes of the world, the upper triangle row by row
    reach: np.ndarray          # (l, 6) m: from the parent's centre to this one's, from the joint to this one's
    base: np.ndarray           # (r, 12) acceleration, then velocity of rigids that are driven, else 0
    swing: np.ndarray          # (l, 6) acceleration that the velocities and a driven base bring along, summed up outwards
    inertia: np.ndarray        # (l, 24) articulated inertia of the links that hang on it but the next one, see `articulated`
    push: np.ndarray           # (l, 6) force and couple that keep it in its motion
    acceleration: np.ndarray   # (l, 6) by the coordinates alone, `swing` beside
    speeding: np.ndarray       # (l, 6) whole acceleration in the last half of the step, or of the instant, for contact
    half: np.ndarray           # (f, 2) cosine and sine of half its angle
    way: np.ndarray            # (f, 6) velocity and spin of the child's centre per unit of rate
    hold: np.ndarray           # (f, 6) force and couple per unit of acceleration
    lever: np.ndarray          # (l, 6) `hold` of the first freedom of each link, about the parent's centre
    give: np.ndarray           # (l, 27) how a link answers to a wrench on it, see `ease`
    share: np.ndarray          # (f, 2) 1/inertia along the way, effort that accelerates it
    middle: np.ndarray         # (f, 1) rates of the middle of the step
    effort: np.ndarray         # (f, 1) N·m or N, along each freedom by what acts on the coordinate itself
    trial: np.ndarray          # (f, 1) rates, and what springs answer to them, of `bounds`
    answer: np.ndarray         # (f, 1)
    tree: np.ndarray           # (m, 849) 1/s², 1/s: what bounds frequencies and damping rates, see `as_body`
    motion: np.ndarray         # (l, 6 n) motions of the links for each rate, scaled by inertia
    root: np.ndarray           # (m, n²) L of the joint-space inertia
    flow: np.ndarray           # (f, 32) what acts on the coordinates by itself, see below and `by_flow`
    start: np.ndarray          # (f, 1) of dampers apart: rates before a half of them, accelerations by all but them
    pull: np.ndarray           # (f, 1)
    impulse: np.ndarray        # (m, 12) what they have pushed a mechanism with: N·s, N·m·s about the origin, of both halves
    reaction: np.ndarray       # (l, 6) of a frame: force and couple on the link, at its joint in axes of the world
    closing: np.ndarray        # (c, 6) of a frame: likewise on the other, by each row of a closure
    exerted: np.ndarray        # (f, 1) of a frame: N·m or N, along each freedom by all that acts on its coordinate
    related: np.ndarray        # (r, n) of the mechanism with most relations: L Lᵀ = G M⁻¹ Gᵀ
    multiplier: np.ndarray     # (r, 1) N·m or N for each unit of a relation
    then: np.ndarray           # (f, 1) rates where the first half of a step by flow ends
    hung: np.ndarray           # (l, 64) what hangs on links, see below; (0, 64) where nothing does
    sums: np.ndarray           # (m, 22) what comes to the ledger, see below
    lent: np.ndarray           # (l + 2 c, 8) J that a driven rigid gives a link, or the ends of a closure, along x, y, z and
                               # by its turn: so far, and up to where the second half of the step begins


FIRST_HALF, SECOND_HALF = 0, 6   # columns of `impulse`
# Columns of `sums`
OF_ARMATURE, OF_PATH, STORED, LOSS = range(4)   # J kinetic energy; J of the path; J stored in springs; W lost
VISCOUS, RUBBED, STOPPED = range(4, 7)          # J taken along the way by viscosity, dry friction and stops …
KEPT = 7                                        # … and the same three up to where the second half of the step begins
LEFT = 10                                       # s, what is left of the step there
OF_SCALE = 11                                   # W/s, what forces set in motion, see `starting`
OPEN = 12                                       # ∞ where closures could not be met, which refuses the step, else 0
FACTORED = 13                                   # 1 where the links stand factored, see `flow.factor_for`
ELAPSED = 14                                    # s since the instant of the bases, where the flow is
AWAY = 15                                       # s until rates meet the closures; 0: it is accelerations that do
OPENED, OPENED_AT = 16, 17                      # steps in which closures could not be met; s, where the last of them began
SPAN = 18                                       # s, for which they stand factored where the last attempt ended, 0: they do not
CARRIED = 19                                    # J, efforts × coordinates, of which rounding makes work
FORGONE = 20                                    # J that stops had to give back and did not, for too many were hit
EVENTS = 21                                     # how many there were in the step
SUM_COLUMNS = 22

# Columns of `hung`
HUNG_INERTIA = 0    # 27, in the frame of the link, as of `Slow.glue`: what it feels beside its own inertia
HUNG_LOAD = 27      # 6: that × the acceleration `lead`, which its load has less, in the world
HUNG_SHIFT = 33     # 6: of dampers apart, the acceleration that velocities bring along, less `lead`
HUNG_GOING = 39     # 6: likewise, that by the rates
HUNG_FIRST = 45     # 6: of flow, the mean acceleration of the first half, less `lead`
HUNG_WAY = 51       # 6: and that which leads as far as the way of the step
HANGS = 57          # 1 where something does
HUNG_POWER = 58     # W of dampers apart, what dampers push the link with times the acceleration by the rates
HUNG_COLUMNS = 64

# Columns of `flow`
BESIDE = 0      # inertia that goes with the coordinate alone; ∞ where it is held
KNOWN = 1       # acceleration of one that is held
REACTION = 2    # effort that holds it
MODE = 3        # one of the modes below
DIRECTION = 4   # sign of the rate against which friction acts
STOP = 5        # −1, 1: it stands at its lower or upper stop
BASE = 6        # effort by place and time alone
FIT = 7         # share of the change of the rate at which viscosity counts
LEG = 8         # way of the piece of the step at hand
WAY = 9         # … of all so far
PREDICTED = 10  # rate predicted for the end
WORK = 11       # J by what drives it …
KEPT_WORK = 12  # … up to where the second half begins
TRIES = 13      # times it was let go while holds were settled
GIVEN = 14      # acceleration of one that is driven
REBOUND = 15    # s until it would be back at the stop it has come to
PRESS = 16      # acceleration with which it is pushed onto its stop
WANTED = 17     # rate asked of its motor
DAMPER = 18     # how the effort of its motor falls with the rate, nought at the limit …
DAMPING = 19    # … with the viscosity of the joint
MOTOR_WORK = 20   # J by its motor, of what goes by rates …
KEPT_MOTOR = 21   # … up to where the second half begins
SPRINGY = 22    # effort of its motor by place and time alone, …
SPRING = 23     # … at the limit all that it does, …
SPRING_THEN = 24   # … where the step began
ARRIVES = 25    # 1 where it comes to its stop just as the step ends, so that the next one begins with the hit
DAMPER_THEN = 26   # `DAMPER` where a step with the dampers apart began
HOLDING = 27    # effort that holds it, or leads it, through half such a step, of all but the dampers …
BY_DAMPERS = 28   # N·m·s or N·s … and by those, through all of the half
FLOW_COLUMNS = 32
SUMMED, EFFORT, BY_PLACE = range(3)   # columns of motors: rad·s or m·s, the sum of the error; N·m or N; the part of it by place
LOOSE, HELD, DRIVEN = 0.0, 1.0, 2.0   # modes
