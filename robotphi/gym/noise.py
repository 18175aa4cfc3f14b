"""Initial values that differ from episode to episode, by their addresses.

    ("hinge", "place"), ("hinge", "rate")    coordinates of an exact joint and their rates; of one freedom: ("wrist", "rate", 1)
    ("mass", "position"), ("mass", "velocity")   of free particles, by the name of their block
    ("body", "velocity"), ("body", "spin")   of a free rigid that no joint holds

These are written into the state of the start. Any other address, such as ("acl", "stiffness"), gives the model that value
(`model.with_values`), which takes longer.
"""
import numpy as np

from robotphi.kernels.mechanism.stand import stand_on
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, SPIN, VELOCITY
from robotphi.model.mechanisms import freedom_rows
from robotphi.run.simulator import Simulator
from robotphi.run.together import numbers_around
from robotphi.scene.blocks import Joint, ParticleBlock, Rigid
from robotphi.scene.checks import floats, number, refuse
from robotphi.scene.turns import matrix_of
from robotphi.scene.values import address_of, rows_of


def uniform(spread):
    """Each number of a value moved by a random one within ± spread."""
    return Uniform(number("noise", "spread", spread, low=0.0))


class Uniform:
    """Called with (random generator, value): each number of the value moved by a random one within ± spread."""

    def __init__(self, spread):
        self.spread, self._width = spread, 2.0 * spread

    def __call__(self, random, value):
        return value + (random.random(np.shape(value)) * self._width - self.spread)   # bits of random.uniform, 3 × as fast


class Noise:
    """What changes at the start of an episode."""

    def __init__(self, model, given):
        self._model, self._of_state, self._of_model = model, [], []
        self._stand = None        # places rigids by the coordinates of joints
        if not isinstance(given, dict):
            refuse("noise", f"it is {given!r:.60}", 'give {address: spread}, such as {("hinge", "place"): 0.1}')
        for address, spread in given.items():
            address = address_of(address)
            where = f"noise of {address}"
            if not callable(spread):
                spread = Uniform(number(where, "spread", spread, low=0.0))
            elif not isinstance(spread, Uniform):
                spread = _checked(where, spread)
            change = _change_of(model, where, address)
            if change is None:
                value = model.scene.value(*address)
                if value is None:
                    refuse(where, "it was left out where the thing was made, and has no number of its own", "give it there")
                self._of_model.append((address, np.asarray(value, float), spread))
            else:
                self._of_state.append((*change, spread))
        self._of_state = _joined(self._of_state)

    def begin(self, simulator, random):
        """A simulator at the start, with other initial values; it is the one given wherever the model stays."""
        if self._of_model:
            values = {address: spread(random, value) for address, value, spread in self._of_model}
            model = self._model.with_values({address: value if np.ndim(value) else float(value)
                                             for address, value in values.items()})
            simulator = Simulator(model, simulator.threads)
        else:
            simulator.restart()
        stands = True
        for change, rows, spread in self._of_state:
            stands = change(simulator.state, rows, spread, random) and stands
        if not stands:
            arrays, buffers = simulator.laid()
            self._stand = self._stand or stand_on(arrays.kind, buffers.kind)   # looking it up takes numba 0.1 ms
            self._stand(arrays.address, buffers.address)
        return simulator


def _joined(changes):
    """The same changes, those of coordinates and rates that follow one another as one: a draw of many random numbers is as
    many draws of one, and takes as long as a single one."""
    found, run, known = [], [], set()
    for change in [*changes, None]:
        own = {(change[0], int(row)) for row in change[1]} if change is not None and _is_coordinate(*change) else set()
        if run and (not own or own & known):   # one that is moved twice is moved by two
            found.append((Coordinates(run), None, None))
            run, known = [], set()
        if own:
            run.append(change)
            known |= own
        elif change is not None:
            found.append(change)
    return found


def _is_coordinate(change, rows, spread):
    return change in (_joint_place, _joint_rate) and isinstance(spread, Uniform)


class Coordinates:
    """Coordinates of joints and their rates, all moved by one draw."""

    def __init__(self, changes):
        self._changes, self._state = changes, None
        self._spread = np.concatenate([np.full(len(rows), spread.spread) for _, rows, spread in changes])
        self._width = 2.0 * self._spread

    def __call__(self, state, rows, spread, random):
        if state is not self._state:
            self._state, self._chosen = state, self._chosen_of(state)
        moved = random.random(len(self._width)) * self._width - self._spread
        for values, places, own in self._chosen:
            values[places] += moved[own]
        return False

    def _chosen_of(self, state):
        """[(numbers of the state, places in them, which of the draw they are moved by)] at the start of an episode."""
        found, begin = {}, 0
        for change, rows, _ in self._changes:
            joints = state.buffers.joints
            values, first = numbers_around(joints.place if change is _joint_place else joints.rate, state.block)
            _, places, own = found.setdefault(values.ctypes.data, (values, [], []))
            places += [first + int(row) for row in rows]
            own += range(begin, begin + len(rows))
            begin += len(rows)
        return [(values, np.array(places), slice(None) if len(own) == begin else np.array(own))
                for values, places, own in found.values()]


def _checked(where, spread):
    """The same, whose values are finite numbers of the shape that was there."""
    def moved(random, value):
        found = floats(where, "what its function returns", spread(random, value))
        if found.shape not in ((), np.shape(value)):
            refuse(where, f"its function returns numbers of shape {found.shape}", f"return {np.shape(value)}, as it is given")
        return found
    return moved


def _change_of(model, where, address):
    """(function that changes the state, rows) of an address; None for what belongs to the model."""
    scene, quantity = model.scene, address.quantity
    thing = scene.things.get(address.thing)
    if isinstance(thing, Joint) and quantity in ("place", "rate"):
        if scene.relations or len(model.arrays.closures.kind) or thing.kind == "ball" or any(thing.drive):
            refuse(where, "it is a ball joint or driven, or joints of the scene form loops or are related",
                   "start others elsewhere")
        rows = freedom_rows(model, scene.joints.index(thing))
        chosen = rows if address.where is None else rows[rows_of(scene, address, len(rows))]
        return _joint_place if quantity == "place" else _joint_rate, chosen
    if isinstance(thing, ParticleBlock) and quantity in ("position", "velocity"):
        if thing.rigid >= 0 or thing.support.any() or thing.drive:
            refuse(where, "its particles belong to a rigid, or are held or driven", "start free ones elsewhere")
        rows = thing.indices if address.where is None else rows_of(scene, address, thing.count) + thing.start
        return _particle_position if quantity == "position" else _particle_velocity, rows
    if isinstance(thing, Rigid) and quantity in ("velocity", "spin"):
        if thing.support.any() or thing.rotation_support.any() or thing.drive or (
                model.arrays.mechanisms.link_of_rigid[thing.index] >= 0):
            refuse(where, "it is held, driven, or joined to others", "start a free one otherwise, or the rate of a joint")
        return _rigid_velocity if quantity == "velocity" else _rigid_spin, thing.index
    return None


# Each changes the state, and tells whether all that follows from it has followed.

def _joint_place(state, rows, spread, random):
    array = state.buffers.joints.place[:, 0]
    array[rows] = spread(random, array[rows])
    return False


def _joint_rate(state, rows, spread, random):
    array = state.buffers.joints.rate[:, 0]
    array[rows] = spread(random, array[rows])
    return False


def _particle_position(state, rows, spread, random):
    state.position[rows] = spread(random, state.position[rows])
    return True


def _particle_velocity(state, rows, spread, random):
    state.velocity[rows] = spread(random, state.velocity[rows])
    return True


def _rigid_velocity(state, i, spread, random):
    row = state.buffers.rigid[i]
    row[VELOCITY:VELOCITY + 3] = spread(random, row[VELOCITY:VELOCITY + 3].copy())
    return _carried(state, i)


def _rigid_spin(state, i, spread, random):
    row = state.buffers.rigid[i]
    spin = row[SPIN:SPIN + 3] = spread(random, row[SPIN:SPIN + 3].copy())
    turn = matrix_of(row[ORIENTATION:ORIENTATION + 4])
    row[MOMENTUM:MOMENTUM + 3] = turn @ (state.model.arrays.rigids.inertia[i] * (turn.T @ spin))
    return _carried(state, i)


def _carried(state, i):
    """The velocities of what a rigid carries."""
    rigids, row = state.model.arrays.rigids, state.buffers.rigid[i]
    own = rigids.particle[rigids.start[i]:rigids.start[i + 1]]
    state.velocity[own] = row[VELOCITY:VELOCITY + 3] + np.cross(row[SPIN:SPIN + 3],
                                                                state.position[own] - row[CENTRE:CENTRE + 3])
    return True
