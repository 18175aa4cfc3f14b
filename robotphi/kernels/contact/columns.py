"""Columns of the arrays of contact: sizes of parts, laws, what is found of pairs of parts and of vertices of soft parts."""
from typing import NamedTuple

import numpy as np

# columns of `size` of a part
RADIUS = 0             # m, how far it reaches beyond its rows: of round things their radius, of sheets half their thickness
HALF_THICKNESS = 1     # m, half its smallest width
REFERENCE_AREA = 2     # m²
MASS = 3               # kg, infinite where nothing of it moves by itself
SURFACE_MASS = 4       # kg/m² of the vertices of a soft part, per area of its surface; 0 of what is not soft
VERTEX_MASS = 5        # kg, mean of those vertices; infinite of what is not soft
SIZE_COLUMNS = 6

# columns of the law of a pair of materials
STIFFNESS, DAMPING, STATIC_FRICTION, KINETIC_FRICTION, TANGENTIAL, BALL_POWER, BALL_STIFFNESS, SETTLING_SPEED = range(8)
LAW_NUMBERS = 8

# columns of the sums of a pair: what the contact of two parts adds up to at one instant
PAIR_ENERGY, PAIR_LOSS, PAIR_NORMAL, PAIR_ELASTIC, PAIR_AREA = range(5)   # J, W, N, N, m²
PAIR_FORCE, PAIR_MOMENT = 5, 8   # N and N·m on the first part, three columns each; moment about the pair's reference point
PAIR_CENTRE = 11      # N·m: elastic force (of sheets normal) × position from the reference point, three columns
PAIR_SPREAD = 14      # N·m²: elastic force × square of the distance from the reference point, across n
PAIR_POINTS = 15      # how many points of pressure there were
PAIR_FACING = 16      # N: elastic force of sides that face each other; more than PAIR_ELASTIC where far sides press back
PAIR_PLACE = 17       # N·m: it × position from the reference point, three columns
PAIR_TENSOR = 20      # N·m²: force × position × position from the reference point, xx yy zz xy xz yz; of facets at corners
PAIR_SUMS = 26

# a pair, whole numbers: the parts, what the pair is, and how its contact direction is carried
FIRST, SECOND, CASE, TOUCHING, STICKS, CARRIER, OVERLAPS = range(7)
CARRIER_ROW = 7    # four columns: rows of particles whose motion turns the contact direction
KEPT_WHOLES = 11   # columns before this one, of pairs that touch or overlap, belong to the state; the others are made anew
SIMPLEX = 11       # nine columns, see `gjk`
TRIAL_STICKS, TRIAL_TOUCHING = 20, 21
HAS_ROWS = 22      # whether its dampers are rows, see below
LEFT = 23          # whether it left something to add up, see `shared`
PAIR_WHOLES = 24

# a pair, numbers
NORMAL_X = 0       # contact direction at the last accepted step, three columns
LOCAL_X = 3        # the same in the frame of its carrier, three columns
GAP = 6            # m, distance, negative: depth
ANCHOR = 7         # m: stretch of the anchored spring of friction, three columns and one for the twist
LOSSY = 11         # s/m, damping of the pressure until the next accepted step
STEEPNESS = 12     # N/m, stiffness of the pressure
LASTING = 13       # half periods of its springs for which the pair has been in touch, breaks of less than that taken off
LASTED = 14        # s, that time
TAKEN = 15         # share of the pressure of facing sides that far sides take back: 0 unless they are deep inside each other
KEPT_NUMBERS = 16  # as KEPT_WHOLES
TRIAL = 16         # the anchored spring at the end of the attempt, four columns
SLIDE = 20         # m/s: sliding and twisting speed at the last accepted step, four columns
POINT = 24         # m: where friction acts, three columns
RUB_FORCE = 27     # N, three columns, and the twisting moment over the gyration radius of the pressure
GYRATION = 31      # m, gyration radius of the pressure
NOW = 32           # contact direction at the end of the attempt, three columns
DEPTH = 35         # m, at the end of the attempt: what the law of a ball sees
RUB_DAMPING = 36   # N·s/m of the damper of friction
PRESS_DAMPING = 37 # N·s/m of the pressure
SIDE, SIDE_DAMPING = 38, 39             # N/m and N·s/m of friction
ENTERED_STIFF, ENTERED_DAMP = 40, 41    # N/m and N·s/m with which the pair was last entered into the bound of the step
ASKED_STIFF, ASKED_DAMP = 42, 43        # 1/s² and 1/s: the most it then asked of a body, all its springs together
EASE_STIFF, EASE_DAMP = 44, 45          # one over the share of its soft part in that, 0 where not known yet
SOFT_STIFF, SOFT_DAMP = 46, 47          # 1/s² and 1/s: the most that it asks of a vertex of its soft part
RUB_HELD = 48       # N·s/m of the damper of friction that acts: none of it where the surfaces slip
RIM = 49            # N/m of STEEPNESS that moving the rim of the surface within a ball makes
GIVES = 50          # 1/kg, 3 × 3: how a stiff object gives way to what pushes that surface, as it was when entered last
BESIDE = 59         # 1/s² of SOFT_STIFF of a stiff object that the rim and what a rigid carries make
STRAINING = 60      # 1/s², at most: by how much the springs within it resist what the rest of SOFT_STIFF moves, see `gives_way`
ROW_PRESS, ROW_SIDE = 61, 62            # N·s/m of those dampers of pressure and of friction that are rows beside these springs
ENTERED_PRESS, ENTERED_SIDE = 63, 64    # N/m with which they were entered last, by …
ENTERED_RELIEF = 65                     # 1/s, this relief, see `step/relief`
PAIR_NUMBERS = 66

# of a stiff object: what its springs and other bodies ask of it, other contacts, and balls, of ω² and of c; of balls the sum of
# all that they ask, the part of it that is not BESIDE, and that times STRAINING
BASE, BASE_DAMP, BY_OTHERS, BY_OTHERS_DAMP, BY_BALLS, BY_BALLS_DAMP, BALLS_ALL, BALLS_ALONG, BALLS_STRAIN = range(9)
BRACED, BRACED_TO = 9, 10   # of a brace, see `braces`: n p·a, 1/s², and Λ
OBJECT_COLUMNS = 11

# how the contact direction of two polyhedra is carried from one accepted step to the next
UNCARRIED, BY_FIRST, BY_SECOND, BY_TRIANGLE, BY_EDGES = range(5)

# a vertex of a soft part in touch: slots for a few other parts, numbers of each; of a ball for its places on a field
SLOTS = 4
SLOT_ANCHOR, SLOT_NORMAL, SLOT_STICKS, SLOT_USED = 0, 3, 6, 7
SLOT_KEPT = 8      # columns before this one, of slots in use, belong to the state
SLOT_TRIAL, SLOT_SLIDE, SLOT_TRIAL_STICKS, SLOT_FORCE, SLOT_FRICTION, SLOT_TRIAL_NORMAL = 8, 11, 14, 15, 16, 19
SLOT_FACET = 22
SLOT_HELD = 23     # N·s/m of the damper of friction that acts
SLOT_POINT = 24    # m, where it rubs, of balls and of what has an axis on fields
SLOT_NUMBERS = 27
FIELD_ROWS = (9, 8)   # scratch for what has one or several places on a field

# what all contacts add up to; what is summed up over the pairs comes first, then what is the largest of them
TOTAL_ENERGY, TOTAL_LOSS, TOTAL_STRETCH, TOTAL_SLIP, TOTAL_NORMAL = range(5)
TOTAL_RATE = 5        # W, loss of the dampers of friction
TOTAL_CANCELLED = 6   # J: what energies of contact are small differences of, so that its ε is theirs
# bounds of the step: by which factor pairs are stiffer than when they were entered, at most, and how much more they ask for in
# all; what new ones ask for; the most that any asks now; then those of vertices of soft parts
TOTAL_MORE, TOTAL_NEW, TOTAL_DAMP_MORE, TOTAL_DAMP_NEW = range(7, 11)                   # 1/s², 1/s
SUMMED_TOTALS = 11
TOTAL_STIFFEST, TOTAL_GROWTH, TOTAL_ASKED, TOTAL_DAMP_GROWTH, TOTAL_DAMP_ASKED = range(11, 16)
PAIR_TOTALS = 16
TOTAL_SQUARE, TOTAL_DAMPING = 16, 17
TOTAL_WORST, TOTAL_DAMP_WORST = 18, 19   # 1/s² and 1/s: the most that a pair asked of anything when they were entered
TOTAL_DAMP_ALONE = 20  # 1/s: the most that a pair without rows of dampers asks for
TOTALS = 21

# sizes of the tables
PAIR_COUNT, MATERIALS, REBUILD, ASKS, ASKED, LACKING = range(6)
# pairs shared over a team, see `shared`: whether they are, how many colours there are; of the list as it is: whether that is
# known, whether there is work enough, whether there is room for the dampers of all as rows
SHARED, COLOURS, PLANNED, WORTH_IT, ROWS_FIT = range(6, 11)
SIZES = 12

MOST_COLOURS = 62    # of pairs that are shared over a team
PUSHED_TOTALS = 12   # of what a pair leaves: force and moment on either side, then its part of the totals
PUSHED_COLUMNS = PUSHED_TOTALS + PAIR_TOTALS
# where rows of dampers of a pair go, how many there are, its colour, whether one of its parts is soft
FIRST_ROW, FIRST_END, ROWS, ENDS, COLOUR, WITH_SOFT = range(6)
SPAN_COLUMNS = 6

# a damper of contact as a row, see `dampers`: coefficient [N·s/m], rate w′ for which it is in the force and what it pushes
# with there [N], what it is part of, its first end and the one behind its last
DAMPER, DAMPER_RATE, DAMPER_PUSH, DAMPER_OF, DAMPER_BEGIN, DAMPER_END = range(6)
DAMPER_START, DAMPER_FIRST, DAMPER_IMPULSE, DAMPER_BEFORE, DAMPER_WAY, DAMPER_WAY_BEFORE = range(6, 12)   # `step/damp_touch`
DAMPER_NOW = 12    # N, what it pushes with in the present stage
# on a stiff object as a whole: 1/√kg, size of its gradient, 0 where not known; its pair plus one; what it pushes with; and
# what it is with all rows in the bound of all, by two scalings
DAMPER_WHOLE, DAMPER_PAIR, DAMPER_PUSHED = 13, 14, 15
DAMPER_BESIDE, DAMPER_SCALED = 18, 19
DAMPER_OBJECT, DAMPER_REST = 20, 21   # the stiff object plus one, or 0; the first end that is none of it
DAMPER_COLUMNS = 22
OF_PRESSURE, OF_FRICTION = 0, 1
# what is known of the rows: which half of them is of the present instant, how many rows and ends each half has, whether
# there are to be any
ROW_HALF, ROW_COUNT, ROW_ENDS, ROWS_KEPT = 0, 1, 3, 5
ROW_SIZES = 8
# of few rows, kept where their bound was taken last (`row_faces`): coefficient, first and last end of each, then body and
# gradient of two ends; behind the last row the bound of all, how many there were, what `row_bounds` said then, and what it says
# of the rows of each half
FEW = 16          # rows that are set against each other
TAKEN_DAMPER, TAKEN_FIRST, TAKEN_LAST, TAKEN_ENDS = range(4)
TAKEN_BOUND, TAKEN_COUNT, TAKEN_SAID, TAKEN_SAYS = range(4)


class Outlines(NamedTuple):
    """What has an axis in a scene in which it touches more than planes."""
    row: np.ndarray    # (q, 2) of each wheel: how many places its outline has, and as many along its axis, with the radius, m


class NoOutlines(Outlines):
    """The same of a scene in which no such thing is: by this type the compiler knows it, see `kernel_unless`."""
