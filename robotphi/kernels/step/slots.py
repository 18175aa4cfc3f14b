"""Names for the places of the two arrays of single values that the step keeps: `numbers` (float64) and `counters` (int64).

They are part of the state: a run that is continued from them gives the same bits as one that never stopped. A new one is one
line anywhere; nothing else knows the places by number.
"""
from robotphi.kernels.step.codes import (  # noqa: F401  kernels know places and codes by one name
    AIMED,
    APART,
    ATTEMPTS_USED,
    BY_BUDGET,
    BY_CONTACT,
    BY_EVENT,
    BY_PATH,
    BY_STABILITY,
    BY_USER,
    ENERGY,
    EXACT,
    FIXED,
    FLOOR,
    FRAME_DONE,
    HISTORY_FULL,
    IN_FORCE,
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
DRIVEN_WEIGHT = number()      # N, of what is put where it is: along driven axes, led, links
STAGES_PAY = number()         # times longer steps that pay for the stages of dampers apart
TERMS = number()              # √ of how many terms the sums of energies have
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
RELIEVED_SQUARE = number()    # 1/s², … of what dampers apart leave of it, see `relief`
SPRING_DAMPING = number()     # 1/s, bound of the damping rate without contact
ACT_DAMPING = number()        # 1/s, what of it acts bring
ROW_DAMPING = number()        # 1/s, … of dampers of contact as rows, where they go apart
SPRING_STEP = number()        # s, bound by the turns of rigids
RELIEF = number()             # 1/s, times their dampers that springs are less in this bound
TOUCH_RELIEF = number()       # 1/s, the same where pairs in touch were entered last
RELIEVED_STEP = number()      # s, that they allow
RELIEF_BEFORE = number()      # s, … that they allowed the time before
RELIEF_WAY = number()         # by which relief is changed
JOINT_SQUARE = number()       # 1/s², bound of ω² of what is in touch, springs and contacts
JOINT_DAMPING = number()      # 1/s, … of the damping rate
ASKED = number()              # 1/s², the most that a pair asked of a body when they were entered
ASKED_DAMPING = number()      # 1/s
CONTACT_STEP = number()       # s, bound by what comes near
TOUCH_STIFFEST = number()     # N/m, largest stiffness of a contact at the last accepted step
# numbers: the ledger beside its entries
RESIDUAL = number(2)          # J, compensated sum
LARGEST_RESIDUAL = number()   # J
REFERENCE = number()          # J, E_ref
POTENTIAL = number()          # J, of virtual forces, where the control counts it
STEP_RESIDUAL = number()      # J, of the last attempt
STEP_NOISE = number()         # J, what rounding alone can make of it
STEP_GRAVITY = number()       # J, what driven axes add to the potential energy in an attempt
# numbers: control
DENSITY = number()            # residual per τ³ (taylor: τ²), fading
SCALE = number()              # J, scale of the energies before anything has moved
SCALE_END = number()          # s, until when it counts
SPENT = number()              # J, what steps left so far, without what the reserve paid, see `promise`
SWUNG = number()              # J, of it since its residuals changed sign
SWUNG_BEFORE = number()       # J, of it between the two changes of sign before
RESERVE_SPENT = number()      # J
ROUNDED = number()            # Σ residual τ³ (taylor: τ²) of late that rounding may explain, fading
ROUNDED_SQUARE = number()     # … Σ of the squares
ROUNDED_WEIGHT = number()     # … Σ τ⁶
PATH_DENSITY = number()       # error of the path per τ⁴, fading, see `path`
ACT_SIZE = number()           # J, what the energies of acts are differences of, see `acts/act.cancel`
# numbers: of steps that end where a gate turns, see `crossing`
LANDING = number()            # s, length of the attempt that is to end there, 0: none is
GATE_LOW = number()           # s, longest attempt behind which it does not turn …
GATE_HIGH = number()          # s, … and shortest behind which it does
GATE_BELOW = number()         # how far what it looks at is from its threshold behind the one …
GATE_ABOVE = number()         # … and beyond it behind the other
GATE_FIRST = number()         # s, the attempt by which it was seen
TURNED = number()             # s, when a gate turned last
NUMBER_COUNT = number.count

# counters: what the user asks
SCHEME = counter()
CONTROL = counter()
ACCEPT_FLOOR = counter()      # whether a step at the floor stands
COUNT_POTENTIAL = counter()   # whether virtual forces count as potential
PATH = counter()              # whether the budget governs the path as well
ATTEMPT_LIMIT = counter()
# counters: facts of the model
HAS_VISCOSITY = counter()     # whether forces follow velocities; BY_TURNS where they do with all dampers apart
HAS_DAMPERS = counter()       # whether springs have viscosity, or contact dampers
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
RENEW_AFTER = counter()       # … and after how many it is taken again
FITTED = counter()            # whether the weights of the bodies are known, see `stability`
BLOCKS = counter()            # of springs: 0 where they are to be taken at a frame, BLOCKS_TAKEN where contact has them
SINCE_TOUCH = counter()       # accepted steps since pairs in touch were entered into the bounds
STIFF_BODY = counter()        # body with the largest bound of ω², see `bodies`
DAMP_BODY = counter()         # … of the damping rate
TURN_BODY = counter()         # rigid that turns fastest
STIFF_CAUSE = counter()       # spring that asks most of the body with the largest bound of ω², see `causes`
DAMP_CAUSE = counter()        # … of the damping rate
TOUCH_STIFF_CAUSE = counter() # pair in touch that asks most of ω²
TOUCH_DAMP_CAUSE = counter()  # … of the damping rate
APPROACH_CAUSE = counter()    # pair that may come no nearer in one step
STEP_CAUSE = counter()        # of the attempt
IN_A_ROW = counter()          # refusals
VISCOSITY = counter()         # how that of springs, and the damping of contact, is integrated
DAMPED = counter()            # plans in a row behind steps that stood in which dampers alone kept the next short; apart: in
                              # which they would not have
WAIT = counter()              # so many of them before dampers go apart
EVENTFUL = counter()          # 1 where a step with dampers apart met something: they come back; 2 until one stands
SIDE = counter()              # sign of the last residual beyond rounding
SWING = counter()             # steps from one change of its sign to the next, the longest of late
SWING_SO_FAR = counter()
QUIET = counter()             # attempts since one left as much as the largest of late, about
CHUNK = counter()             # attempts left in this call
HISTORY_COUNT = counter()
PARITY = counter()            # whether the buffers have exchanged roles in this call
WHOLE = counter()             # whether forces that were evaluated anew have dampers in them that go apart, see `reactions`
GATE = counter()              # row of the state of the gate that is looked for, −1: none
GATE_TRIES = counter()        # attempts for it
GATE_SIDE = counter()         # on which side the last one ended
GATE_REST = counter()         # attempts in which none is looked for
CHATTERED = counter()         # how often one turned back at once
BEGIN_CONTACT = counter()     # whether pairs are to be found before the forces are evaluated
COUNTER_COUNT = counter.count

BY_TURNS = 2                 # of stiff objects: what turning brings along
NO_BODY = -2**31             # where nothing moves
BLOCKS_RENEWED, BLOCKS_TAKEN = 1, 2

# columns of the partial sums of a group of springs
SUM_LINEAR, SUM_ANGULAR, SUM_ARTICULAR, SUM_LOSS, SUM_PLASTIC, SUM_POTENTIAL, SUM_TENSION = range(7)
SUM_COLUMNS = 16  # two cache lines, so that members do not share one
# columns of the partial sums of a block of particles or of a rigid
PART_POTENTIAL, PART_KINETIC, PART_SCALE, PART_PATH = range(4)
PART_COLUMNS = 8
# columns of the partial sums of a block or rigid in the dampers: integral of f·(v − v₀) up to the present stage and the one
# before, its rate at the present stage; what dampers took; of a rigid whether it is an end of a row
PASSED, PASSED_BEFORE, POWER, TAKEN, HAS_ROW = range(5)
DAMPING_COLUMNS = 8
# columns of the stiffness bound of a particle, and what acts say of its damping; of a rigid what they say of its centre and
# about it
STIFF_BASE, STIFF, DAMP = range(3)
RIGID_STIFF, RIGID_DAMP, TURN_STIFF, TURN_DAMP = range(4)
