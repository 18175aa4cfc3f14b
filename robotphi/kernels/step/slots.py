"""Names for the places of the two arrays of single values that the step keeps: `numbers` (float64) and `counters` (int64).

They are part of the state: a run that is continued from them gives the same bits as one that never stopped. A new one is one
line anywhere; nothing else knows the places by number.
"""
from robotphi.kernels.step.codes import (  # noqa: F401  kernels know places and codes by one name
    ATTEMPTS_USED,
    BY_BUDGET,
    BY_CONTACT,
    BY_EVENT,
    BY_STABILITY,
    BY_USER,
    ENERGY,
    EXACT,
    FIXED,
    FLOOR,
    FRAME_DONE,
    HISTORY_FULL,
    LEDGER,
    LIMITS,
    NOT_FINITE,
    PAIRS_FULL,
    PAIRS_KNOWN,
    PAIRS_TO_FIND,
    PAIRS_TO_FIND_AGAIN,
    PAUSED,
    PREDICTED,
    REFRESH,
    RUNNING,
    STALE,
    STEP,
    STOP,
    TAYLOR,
    VERLET,
)


class _Places:
    """Hands out places one after the other."""

    def __init__(self):
        self.count = 0

    def __call__(self, width=1):
        self.count += width
        return self.count - width


number, counter = _Places(), _Places()

# numbers: what the user asks
DURATION = number()           # s
BUDGET = number()             # share of the reference energy that may stay unexplained
TOLERANCE = number()          # J, of the energy control
DT_MIN = number()             # s
DT_MAX = number()             # s
SAFETY = number()             # share of the stability bound that a step may take
# numbers: facts of the scene
EXTENT = number()             # m, largest coordinate
STIFFEST = number()           # N/m, largest bound of any particle
DRIVEN_WEIGHT = number()      # N, along driven axes
# numbers: time and step
TIME = number()               # s, of the last accepted step
TAU = number()                # s, proposed step
FRAME_END = number()          # s
STEP_TAU = number()           # s, of the attempt
STEP_END = number()           # s
INSIDE = number()             # s, instant in whose piece drives are evaluated
STABLE = number()             # s, bound of the next step by stability
FIRST_STABLE = number()       # s, the same at the start
SPRING_SQUARE = number()      # 1/s², bound of ω² without contact
SPRING_DAMPING = number()     # 1/s, bound of the damping rate without contact
SPRING_STEP = number()        # s, bound by the turns of rigids
CONTACT_STEP = number()       # s, bound by what comes near
# numbers: the ledger beside its entries
RESIDUAL = number(2)          # J, compensated sum
LARGEST_RESIDUAL = number()   # J
REFERENCE = number()          # J, E_ref
WORK_DONE = number()          # J, Σ |work|
POTENTIAL = number()          # J, of virtual forces, where the control counts it
STEP_RESIDUAL = number()      # J, of the last attempt
STEP_GRAVITY = number()       # J, what driven axes add to the potential energy in an attempt
# numbers: control
DENSITY = number()            # residual per τ³ (taylor: τ²), fading
SCALE = number()              # J, scale of the energies before anything has moved
SCALE_END = number()          # s, until when it counts
RESERVE_SPENT = number()      # J
NUMBER_COUNT = number.count

# counters: what the user asks
SCHEME = counter()
CONTROL = counter()
ACCEPT_FLOOR = counter()      # whether a step at the floor stands
COUNT_POTENTIAL = counter()   # whether virtual forces count as potential
ATTEMPT_LIMIT = counter()
# counters: facts of the model
HAS_VISCOSITY = counter()
HAS_LAWS = counter()
VARIABLE_STIFFNESS = counter()
HAS_CONTACT = counter()
HAS_ACTS = counter()          # whether the stage of acts has anything to do
# counters: what happened
ATTEMPTS = counter()
ACCEPTED = counter()
REFUSED = counter()
EVALUATIONS = counter()
FLOOR_HITS = counter()
ON_RESERVE = counter()
ON_ROUNDING = counter()
LIMITED = counter(len(LIMITS))
# counters: how the loop goes on
ORDER = counter()
VERDICT = counter()           # 1 where the attempt stands
STATUS = counter()
FRESH = counter()             # what the present forces belong to
STARTED = counter()
EVENT_PASSED = counter()
BREAKPOINT = counter()        # the next one
LIMIT = counter()             # of the proposed step
STEP_LIMIT = counter()        # of the attempt
SINCE_STABLE = counter()      # accepted steps since the stability bound was taken
IN_A_ROW = counter()          # refusals
CHUNK = counter()             # attempts left in this call
HISTORY_COUNT = counter()
PARITY = counter()            # whether the buffers have exchanged roles in this call
BEGIN_CONTACT = counter()     # whether pairs are to be found before the forces are evaluated
COUNTER_COUNT = counter.count

# columns of the partial sums of a group of springs
SUM_LINEAR, SUM_ANGULAR, SUM_ARTICULAR, SUM_LOSS, SUM_PLASTIC, SUM_POTENTIAL, SUM_TENSION = range(7)
SUM_COLUMNS = 16  # two cache lines, so that members do not share one
# columns of the partial sums of a block of particles or of a rigid
PART_POTENTIAL, PART_KINETIC, PART_SCALE = range(3)
PART_COLUMNS = 8
# columns of the bounds of stiffness and damping of a particle; of a rigid those of its centre and about it
STIFF_BASE, DAMP_BASE, STIFF, DAMP = range(4)
RIGID_STIFF, RIGID_DAMP, TURN_STIFF, TURN_DAMP = range(4)
