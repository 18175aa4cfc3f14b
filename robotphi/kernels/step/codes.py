"""Codes of the step and the words for them: schemes, controls, what limits a step, why the loop comes back, how a run ends.

A code is a place in its table. A new one is a row here and a name below its table.
"""
from typing import NamedTuple


class Word(NamedTuple):
    """A code in words."""
    name: str
    sentence: str


class Limit(NamedTuple):
    """What sets the length of a step."""
    name: str                     # in counts, "limited_by_…", and in legends
    colour: str                   # of its steps in graphs
    sentence: str


class Cause(NamedTuple):
    """What can be behind a limit, by name."""
    name: str                     # what of the thing it is
    thing: str                    # kind of spring, "rigid", "pair", "drive", "act"; "" for nothing
    limit: str = "stability"      # that it is behind


class Status(NamedTuple):
    """Why the loop comes back."""
    name: str
    end: str                      # how the run ends by it, one of ENDS; "" where it goes on
    sentence: str


SCHEMES = (Word("verlet", "kick, drift, kick; second order"),
           Word("taylor", "the report's scheme; first order"))
VERLET, TAYLOR = range(len(SCHEMES))

CONTROLS = (Word("ledger", "the unexplained energy of a step keeps within its share of the budget"),
            Word("energy", "the report's rule: the mechanical energy changes by no more than a tolerance"),
            Word("fixed", "every finite step stands"))
LEDGER, ENERGY, FIXED = range(len(CONTROLS))

LIMITS = (Limit("budget", "#2b6cb0", "a longer step is not expected to keep within its share of the budget"),
          Limit("stability", "#c53030", "a longer step would not be stable"),
          Limit("event", "#d98a1f", "it lands on a frame or on a breakpoint of a drive"),
          Limit("user", "#2c8c84", "dt_max, a fixed dt, or what a drive does in the meantime"),
          Limit("contact", "#7c5cbf", "what moves towards each other may come no nearer in one step"),
          Limit("path", "#c94f7c", "a longer step is not expected to keep the error of its path within the budget"))
BY_BUDGET, BY_STABILITY, BY_EVENT, BY_USER, BY_CONTACT, BY_PATH = range(len(LIMITS))

CAUSES = (Cause("", ""),
          Cause("stiffness", "linear"), Cause("viscosity", "linear"),
          Cause("stiffness", "angular"), Cause("viscosity", "angular"),
          Cause("stiffness", "articular"), Cause("viscosity", "articular"),
          Cause("turning", "rigid"),
          Cause("stiffness", "pair"), Cause("damping", "pair"), Cause("approach", "pair", "contact"),
          Cause("change", "drive", "user"),
          Cause("force", "act"))
(NO_CAUSE, LINEAR_STIFFNESS, LINEAR_VISCOSITY, ANGULAR_STIFFNESS, ANGULAR_VISCOSITY, ARTICULAR_STIFFNESS, ARTICULAR_VISCOSITY,
 TURNING, PAIR_STIFFNESS, PAIR_DAMPING, APPROACH, DRIVE_CHANGE, ACT_FORCE) = range(len(CAUSES))
CAUSE_KINDS = 16         # a cause and its thing are one number: cause + 16 × index of the thing
PAIR_BASE = 2**20        # … of a pair first + 2²⁰ × second

ENDS = {"done": "it reached its end",
        "wall limit": "the wall time that it was given was over",
        "interrupted": "its user interrupted it",
        "attempt limit": "the attempts that it was given were used up",
        "memory full": "the memory of the machine had no room for another frame",
        "controller failed": "a controller raised an error, or set what cannot be",
        "diverged": "no step was found that its control lets stand"}

STATUSES = (Status("running", "", "it is on its way to the next frame"),
            Status("frame done", "", "it stands on the frame that was asked for"),
            Status("paused", "", "it has made as many attempts as one call may"),
            Status("history full", "", "there is no room for more rows of the history of steps"),
            Status("floor", "diverged", "the step fell below its floor"),
            Status("not finite", "diverged", "a position, velocity or energy is no longer a finite number"),
            Status("attempts used", "attempt limit", "the attempts of the whole run are used up"),
            Status("pairs full", "", "there is no room for all pairs of parts that may touch"),
            Status("unexplained", "diverged", "its fixed steps made a thousand times the energy that there was"),
            Status("aimed", "", "it was told the next frame and has not set out for it"))
(RUNNING, FRAME_DONE, PAUSED, HISTORY_FULL, FLOOR, NOT_FINITE, ATTEMPTS_USED, PAIRS_FULL,
 UNEXPLAINED, AIMED) = range(len(STATUSES))

IN_FORCE, APART = range(2)           # viscosity of springs: part of the force, or integrated by itself (`apart`)
STEP, REFRESH, STOP = range(3)       # order of the plan: an attempt, forces at the present state, back to Python
PAIRS_KNOWN, PAIRS_TO_FIND, PAIRS_TO_FIND_AGAIN = range(3)   # contact at the present state, see `contact/accepted`
STALE, PREDICTED, EXACT = range(3)   # present forces: to be evaluated; at predicted velocities; at the velocities
