"""Names for the places of the two arrays of single values that the step keeps: `numbers` (float64) and `counters` (int64).

They are part of the state: a run that is continued from them gives the same bits as one that never stopped.
"""
# numbers: what the user asks
DURATION, BUDGET, TOLERANCE, DT_MIN, DT_MAX, SAFETY, EXTENT, STIFFEST = range(8)
# numbers: time and step
TIME, TAU, FRAME_END, STEP_TAU, STEP_END, INSIDE, STABLE, DENSITY = range(8, 16)
# numbers: energies of the last accepted step, and of the start
KINETIC, LINEAR, ANGULAR, ARTICULAR, LINEAR_START, ANGULAR_START, ARTICULAR_START, POTENTIAL = range(16, 24)
# numbers: compensated sums, each followed by its compensation
GRAVITY, SPRING_LOSS, PLASTIC_LOSS, RESIDUAL = 24, 26, 28, 30
# numbers: control
LARGEST_RESIDUAL, REFERENCE, SCALE, WORK_DONE, LOSS_RATE, STEP_RESIDUAL, STEP_GRAVITY, RESERVE_SPENT = range(32, 40)
FIRST_STABLE, SCALE_END, DRIVEN_WEIGHT = 40, 41, 42
# numbers: contact. Stored now, at the start; rates of loss of contact and medium; bounds of the springs and of the next step
CONTACT, CONTACT_START, CONTACT_RATE, RUB_RATE, SPRING_SQUARE, SPRING_DAMPING, SPRING_STEP, CONTACT_STEP = range(43, 51)
# numbers: medium. Energy of what is displaced now and at the start, rates of drag and wind; the same at the end of an attempt
BUOYANCY, BUOYANCY_START, DRAG_RATE, WIND_RATE, NEXT_BUOYANCY, NEXT_DRAG_RATE, NEXT_WIND_RATE = range(51, 58)
# numbers: compensated sums of both
CONTACT_LOSS, FRICTION, DIRECTION, DRAG, WIND_WORK = 58, 60, 62, 64, 66
NUMBER_COUNT = 72

# counters: what the user asks
SCHEME, CONTROL, ACCEPT_FLOOR, COUNT_POTENTIAL, ATTEMPT_LIMIT = range(5)
# counters: facts of the model
HAS_VISCOSITY, HAS_LAWS, VARIABLE_STIFFNESS = range(5, 8)
# counters: what happened
ATTEMPTS, ACCEPTED, REFUSED, EVALUATIONS, FLOOR_HITS = range(9, 14)
LIMITED = 14  # five places: budget, stability, event, user, contact
# counters: how the loop goes on
ORDER, VERDICT, STATUS, FRESH, STARTED, EVENT_PASSED, BREAKPOINT, LIMIT, STEP_LIMIT, SINCE_STABLE = range(19, 29)
CHUNK, HISTORY_COUNT, PARITY, IN_A_ROW, ON_RESERVE, ON_ROUNDING = range(29, 35)
HAS_CONTACT, HAS_MEDIUM, BEGIN_CONTACT = range(35, 38)
COUNTER_COUNT = 40

VERLET, TAYLOR = 0, 1                           # SCHEME
LEDGER, ENERGY, FIXED = 0, 1, 2                 # CONTROL
STEP, REFRESH, STOP = 0, 1, 2                   # ORDER
STALE, PREDICTED, EXACT = 0, 1, 2               # FRESH: forces to be evaluated; at predicted velocities; at the velocities
BY_BUDGET, BY_STABILITY, BY_EVENT, BY_USER, BY_CONTACT = range(5)
RUNNING, FRAME_DONE, PAUSED, HISTORY_FULL, FLOOR, NOT_FINITE, ATTEMPTS_USED, PAIRS_FULL = range(8)  # STATUS

# columns of the partial sums of a group of springs
SUM_LINEAR, SUM_ANGULAR, SUM_ARTICULAR, SUM_LOSS, SUM_PLASTIC, SUM_POTENTIAL, SUM_TENSION = range(7)
SUM_COLUMNS = 16  # two cache lines, so that members do not share one
# columns of the partial sums of a block of particles or of a rigid
PART_POTENTIAL, PART_KINETIC, PART_SCALE = range(3)
PART_COLUMNS = 8
# columns of a work entry
WORK_SUM, WORK_REST, WORK_RATE, WORK_NEXT_RATE, WORK_EXTRA = range(5)
WORK_COLUMNS = 8
