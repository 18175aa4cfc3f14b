"""All acts, in the order in which they push. A new one is its file and a line of ACTS."""
from collections import namedtuple

from robotphi.kernels.acts import attitude, field, forces, medium, pressure, pull, tendon
from robotphi.kernels.acts.act import no_energy, nothing
from robotphi.kernels.acts.gates import look_at_gates, turn_gates
from robotphi.kernels.compiling.compiled import kernel, kernel_unless
from robotphi.kernels.compiling.reference import value

ACTS = (
    forces.ACT,
    medium.ACT,
    field.ACT,
    pressure.ACT,
    pull.ACT,
    tendon.ACT,
    attitude.ACT,
)

Acts = namedtuple("Acts", [act.name for act in ACTS], module=__name__)   # the rows of each, as kernels get them


class NoActs(Acts):
    """The same of a scene without any but virtual forces: by this type the compiler knows it, see `kernel_unless`."""
    __slots__ = ()


OPEN = {act.name: act for act in ACTS if act.rows is not None}           # those for `Scene.add_act`


def _then(before, do, k):
    """A kernel that calls one and then another on the rows of act k."""
    @kernel
    def both(acts, drives, buffers, now, time, inside):
        before(acts, drives, buffers, now, time, inside)
        do(value(acts)[k], drives, buffers, now, time, inside)
    return both


def _plus(before, do, k):
    """The same for what gives a number."""
    @kernel
    def both(acts, drives, buffers, now, time, inside):
        return (before(acts, drives, buffers, now, time, inside)
                + do(value(acts)[k], drives, buffers, now, time, inside))
    return both


def _all(what, join, idle):
    """One kernel for all acts that have one of their own: nothing is compiled, and nothing called, for the others."""
    chain = of_forces = idle
    for k, act in enumerate(ACTS):
        own = getattr(act, what)
        if own is not idle:
            chain = join(chain, own, k)
        if act is forces.ACT:
            of_forces = chain
    return kernel_unless(NoActs, lambda acts, drives, buffers, now, time, inside: of_forces(
        acts, drives, buffers, now, time, inside))(lambda acts, drives, buffers, now, time, inside: chain(
            acts, drives, buffers, now, time, inside))


push_acts = _all("push", _then, nothing)
power_acts = _all("power", _then, nothing)
bound_acts = _all("bound", _then, nothing)
potential_acts = _all("potential", _plus, no_energy)


def _turned(before, k):
    @kernel_unless(NoActs, lambda acts, owner, buffers, now, joints: False)
    def either(acts, owner, buffers, now, joints):
        earlier = before(acts, owner, buffers, now, joints)
        return turn_gates(value(acts)[k], owner, buffers, now, joints) or earlier
    return either


@kernel
def turn_acts(acts, owner, buffers, now, joints):
    """Open and shut the gates of all acts; returns whether one of them turned."""
    return False


def _looked(before, k):
    @kernel_unless(NoActs, lambda acts, buffers, ahead, joints: None)
    def both(acts, buffers, ahead, joints):
        before(acts, buffers, ahead, joints)
        look_at_gates(value(acts)[k], buffers, ahead, joints)
    return both


@kernel
def look_acts(acts, buffers, ahead, joints):
    """Look for the first gate that turns at the end of a step, of all acts."""


for _k, _act in enumerate(ACTS):
    if _act.rows is not None and "gate" in _act.rows._fields:
        turn_acts, look_acts = _turned(turn_acts, _k), _looked(look_acts, _k)


@kernel
def keep_acts(buffers):
    """What acts remember of the attempt that stands, or of the instant that was looked at anew."""
    for i in range(buffers.act_state.shape[0]):
        for column in range(buffers.act_state.shape[1]):
            buffers.act_state[i, column] = buffers.act_ahead[i, column]
