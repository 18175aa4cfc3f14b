"""The springs: what each kind joins, its numbers and its laws, read by host and kernels alike.

The door, the blocks of a scene, the arrays of the model (in the order given here), the buffers of the state, measures,
post-mortem and pictures all go through this table. A new law is a row here, its formula in `laws.py` and an argument in
`scene/scene_springs.py`: `tests/recipes/test_spring_law.py` does it once. Nothing but names and numbers stands here, so that a
scene may read it as well.
"""
from typing import NamedTuple

import numpy as np

WHOLE = np.int32


class Field(NamedTuple):
    """A number of each spring; one array in the model."""
    name: str
    unit: str
    meaning: str
    missing: float | None = None   # of springs for which it is not given; None where every spring has one
    dtype: type = np.float64
    width: int = 1                 # numbers a spring
    least: float | None = None     # the door takes numbers from here on …
    above: float | None = None     # … or above this; where both are None it has a check of its own


class Law(NamedTuple):
    """What springs do beside pulling with stiffness and viscosity; a spring has the law where its first field is given."""
    name: str
    changes: str                   # "force": what `laws.py` says; "rest": where the force is zero; "sign": of the strain
    fields: tuple
    beside: tuple = ()             # (first field of another law, advice): laws with which it cannot be
    needs_stiffness: bool = False  # nothing comes of it where the stiffness is zero


class Kind(NamedTuple):
    """Springs that join as many particles and have the same strain."""
    name: str
    ends: tuple                    # the particles, as the user gives them
    strain: str                    # what is measured beyond its rest value: "length", "bend", "angle"
    force: str                     # … and the sensor of what works against it
    stiffness: Field
    viscosity: Field
    rest: Field
    laws: tuple
    plain: str | None              # list of springs without a law, four at a time; None: all go one at a time
    own: str                       # list of springs with a law, and of their states
    state: tuple                   # columns of the state of such a spring
    stored: str                    # its entry in the ledger
    fixed_bound: bool              # whether each end feels one stiffness wherever it is; else it depends on the arms
    idle_rest: float = 0.0         # rest value of the idle springs that fill a group
    drawn: bool = False            # whether pictures show it, as a line coloured by strain over rest value

    @property
    def rest_said(self):
        """What a user calls the rest value: of a bend the angle."""
        return self.rest.name.replace("bend", "angle")

    @property
    def lists(self):
        """Names of its lists in the model."""
        return tuple(name for name in (self.plain, self.own) if name)

    @property
    def law_fields(self):
        return tuple(field for law in self.laws for field in law.fields)

    def fields(self, of_list):
        """All fields of one of its lists, in their order; `start` [groups + 1] stands before `identity`."""
        ends = tuple(Field(name, "", "particle", dtype=WHOLE) for name in self.ends)
        own = self.law_fields if of_list == self.own else ()
        return (*ends, self.stiffness, self.viscosity, self.rest, *own, START, IDENTITY)

    def has_law(self, given):
        """Whether one of its laws is among what is given: a function of names."""
        firsts = (given(law.fields[0].name) for law in self.laws)
        return any(first is not None and first is not False for first in firsts)


START = Field("start", "", "first spring of each group, and their number", dtype=WHOLE)
IDENTITY = Field("identity", "", "the user's spring, −1 for idle ones", dtype=WHOLE)

# the state of a spring with a law: flow and accumulated flow at the last accepted step, then what the last evaluation found:
# energy, power of the drive, plastic loss; of linear springs when they broke, 0 of whole ones; of angular springs the bend
# normal, of articular ones the unwrapped angle. Of a broken spring the flow is the energy it had, the accumulated one a mark
STATE = ("flow", "accumulated", "energy", "power", "loss")

DRIVEN = Law("driven", "rest", (
    Field("drive", "", "row of Drives, added to the rest length or angle", -1, WHOLE),), needs_stiffness=True)
PLASTIC = Law("plastic", "force", (
    Field("yield_force", "N", "past which the rest length flows", np.inf, above=0.0),
    Field("hardening", "N/m", "growth of the yield force per metre of flow", 0.0, least=0.0)),
    beside=(("table", "give stiffness and yield_force, or a table alone"),), needs_stiffness=True)
PLASTIC_TURN = Law("plastic", "force", (
    Field("yield_moment", "N·m", "past which the rest angle flows", np.inf, above=0.0),
    Field("hardening", "N·m/rad", "growth of the yield moment per radian of flow", 0.0, least=0.0)), needs_stiffness=True)
CABLE = Law("tension-only", "force", (
    Field("tension_only", "", "1: never pushes, not by its damping either", 0, WHOLE),),
    beside=(("table", "let the table be zero below zero elongation, as Table.toe is"), ("yield_force", "use one of the two")),
    needs_stiffness=True)
TABULATED = Law("tabulated", "force", (
    Field("table", "", "row of Tables, whose force replaces stiffness × elongation", -1, WHOLE),))
TOE = Law("toe", "force", (
    Field("toe_strain", "1", "half the strain at which a fibre is straight, without the drive", 0.0, above=0.0),),
    beside=(("table", "use one of the two"), ("yield_force", "use one of the two"),
            ("tension_only", "leave it out: fibres never push")), needs_stiffness=True)
BREAKING = Law("breaking", "force", (
    Field("break_force", "N", "pull by its strain at which it breaks", np.inf, above=0.0),))
BREAKING_STRAIN = Law("breaking", "force", (
    Field("break_strain", "1", "strain at which it breaks, of the rest length without its drive", np.inf, above=0.0),))
SIGNED = Law("signed", "sign", (
    Field("normal", "", "about which the bend is positive; zero where the first bend decides", 0.0, width=3),))

LINEAR = Kind(
    "linear", ("first", "second"), "length", "tension",
    Field("stiffness", "N/m", "of tabulated springs the largest slope", least=0.0),
    Field("viscosity", "N·s/m", "", least=0.0),
    Field("rest_length", "m", "the drive comes on top"),
    laws=(PLASTIC, CABLE, TABULATED, DRIVEN, TOE, BREAKING, BREAKING_STRAIN),
    plain="linear", own="linear_law", state=(*STATE, "broke"), stored="elastic_linear", fixed_bound=True, idle_rest=1.0,
    drawn=True)
ANGULAR = Kind(
    "angular", ("first", "centre", "second"), "bend", "moment",
    Field("stiffness", "N·m/rad", "", least=0.0),
    Field("viscosity", "N·m·s/rad", "", least=0.0),
    Field("rest_bend", "rad", "π − rest angle; the drive is subtracted"),
    laws=(PLASTIC_TURN, DRIVEN, SIGNED),
    plain="angular", own="angular_law", state=(*STATE, "normal_x", "normal_y", "normal_z"), stored="elastic_angular",
    fixed_bound=False)
ARTICULAR = Kind(
    "articular", ("first", "centre", "end", "second"), "angle", "moment",
    Field("stiffness", "N·m/rad", "", least=0.0),
    Field("viscosity", "N·m·s/rad", "", least=0.0),
    Field("rest_angle", "rad", "any number of turns; the drive comes on top"),
    laws=(PLASTIC_TURN, DRIVEN),
    plain=None, own="articular", state=(*STATE, "angle"), stored="elastic_articular", fixed_bound=False)

KINDS = {kind.name: kind for kind in (LINEAR, ANGULAR, ARTICULAR)}
DRAWN = tuple(name for name, kind in KINDS.items() if kind.drawn)
OF_LIST = {name: kind for kind in KINDS.values() for name in kind.lists}

FLOW, ACCUMULATED, ENERGY, POWER, LOSS = (STATE.index(name) for name in ("flow", "accumulated", "energy", "power", "loss"))
NORMAL = ANGULAR.state.index("normal_x")
ANGLE = ARTICULAR.state.index("angle")
BROKE = LINEAR.state.index("broke")
BREAKS, BROKEN = -1.0, -2.0   # accumulated flow of springs that broke: not booked yet, and booked
