"""Columns of the arrays in which contact keeps what it found: pairs of parts, and vertices of soft parts in touch."""

# a pair, whole numbers: the parts, what the pair is, and how its contact direction is carried
FIRST, SECOND, CASE, TOUCHING, STICKS, CARRIER, OVERLAPS = range(7)
CARRIER_ROW = 7    # four columns: rows of particles whose motion turns the contact direction
KEPT_WHOLES = 11   # columns before this one, of pairs that touch or overlap, belong to the state; the others are made anew
SIMPLEX = 11       # nine columns, see `gjk`
TRIAL_STICKS, TRIAL_TOUCHING = 20, 21
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
FRICTION = 27      # N, three columns, and the twisting moment over the gyration radius of the pressure
GYRATION = 31      # m, gyration radius of the pressure
NOW = 32           # contact direction at the end of the attempt, three columns
DEPTH = 35         # m, at the end of the attempt: what the law of a ball sees
RUB_DAMPING = 36   # N·s/m of the damper of friction
PAIR_NUMBERS = 37

# kinds of pairs: first part on second
SOLID_PLANE, SOLID_FIELD, SOLID_SOLID, BALL_PLANE, BALL_FIELD, BALL_BALL, BALL_SOLID, ROLLER_PLANE = range(8)
SHEET_PLANE, SHEET_FIELD, SHEET_SOLID, SHEET_BALL, SHEET_SHEET, SELF = range(8, 14)
BALL_SOFT, SHEET_SOFT, NOTHING = range(14, 17)   # a soft polyhedron as the second

# how the contact direction of two polyhedra is carried from one accepted step to the next
FREE, BY_FIRST, BY_SECOND, BY_TRIANGLE, BY_EDGES = range(5)

# a vertex of a soft part in touch: slots for a few other parts, numbers of each
SLOTS = 4
SLOT_ANCHOR, SLOT_NORMAL, SLOT_STICKS, SLOT_USED = 0, 3, 6, 7
SLOT_KEPT = 8      # columns before this one, of slots in use, belong to the state
SLOT_TRIAL, SLOT_SLIDE, SLOT_TRIAL_STICKS, SLOT_FORCE, SLOT_FRICTION, SLOT_TRIAL_NORMAL = 8, 11, 14, 15, 16, 19
SLOT_FACET = 22
SLOT_NUMBERS = 23

# what all contacts add up to
TOTAL_ENERGY, TOTAL_LOSS, TOTAL_STRETCH, TOTAL_SLIP, TOTAL_NORMAL, TOTAL_STIFFEST, TOTAL_SQUARE, TOTAL_DAMPING = range(8)
TOTAL_RATE = 8     # W, loss of the dampers of friction
TOTALS = 12

# sizes of the tables
PAIR_COUNT, MATERIALS, REBUILD, ASKS, ASKED, LACKING = range(6)
SIZES = 8
