"""Reading sensors at the present instant of a run.

What is a number of the state itself is copied from a view of it that was made before; so a robot is read in some microseconds.
All else goes the way of `record/sensors`, by which sensors of frames are worked out.
"""
import numpy as np

from robotphi.kernels.compiling.reference import Laid
from robotphi.kernels.contact.rows import ROWS, TABLES, Starts, Tables
from robotphi.kernels.springs.present import lengths_and_pulls
from robotphi.kernels.springs.table import KINDS
from robotphi.kernels.step.present import present_on
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, RIGID_COLUMNS, SPIN, VELOCITY
from robotphi.model.mechanisms import freedom_rows
from robotphi.record.rows import Rows
from robotphi.record.sensors import Seen, read_sensor, sensor_sets
from robotphi.run.together import numbers_around
from robotphi.scene.blocks import Sensor
from robotphi.scene.checks import refuse, word
from robotphi.scene.sensors import is_live, resolve

# arrays of the state from which numbers are copied
SOURCES = {"position": lambda b: b.position, "velocity": lambda b: b.velocity, "rigid": lambda b: b.rigid,
           "place": lambda b: b.joints.place, "rate": lambda b: b.joints.rate, "exerted": lambda b: b.links.exerted}
OF_PARTICLES = {"position": "position", "velocity": "velocity"}
OF_RIGIDS = {"position": CENTRE, "velocity": VELOCITY, "spin": SPIN, "angular_momentum": MOMENTUM}
OF_JOINTS = {"coordinate": "place", "rate": "rate", "effort": "exerted"}
OF_STRAIGHT = ("length", "elongation", "strain", "tension")   # of linear springs whose force is stiffness and viscosity alone
TOLD = ("effort", "power", "reaction_force", "reaction_couple")   # of joints: known after they have been told
ROOM = 256   # rows of contact at first


class Views:
    """Of sensors whose numbers stand in arrays of the state: where those are, in each of the two tuples that serve in turn.

    Small arrays of a state lie in one block, so that the numbers of all of them are one selection of it.
    """

    def __init__(self, parts, block, whole):
        self._parts, self._block, self._made = parts, block, ()
        self._places, begin = [], 0
        for name, _, places in parts:
            self._places.append((name, begin, begin + len(places)))
            begin += len(places)
        self._count = begin
        self._names, self.single = [name for name, *_ in self._places], begin == len(parts)   # whether each is one number
        self.whole = whole       # whether nothing else is asked for

    def numbers(self, buffers):
        """All of now, one after the other."""
        chosen = self._chosen(buffers)
        if len(chosen) == 1:
            values, places, _ = chosen[0]
            return values[places]
        found = np.empty(self._count)
        for values, places, into in chosen:
            found[into] = values[places]
        return found

    def told(self, row):
        """{name: value} of such numbers."""
        if self.single:
            return dict(zip(self._names, row.tolist(), strict=True))
        return {name: row.item(begin) if end == begin + 1 else row[begin:end] for name, begin, end in self._places}

    def _chosen(self, buffers):
        """[(numbers, places in them, places in the row)], a row for each memory in which they lie."""
        for given, chosen in self._made:
            if given is buffers:
                return chosen
        found = {}
        for (_, source, places), (_, begin, end) in zip(self._parts, self._places, strict=True):
            values, first = numbers_around(SOURCES[source](buffers), self._block)
            _, own, into = found.setdefault(values.ctypes.data, (values, [], []))
            own += [first + place for place in places]
            into += range(begin, end)
        chosen = [(values, np.array(own, np.intp), np.array(into, np.intp)) for values, own, into in found.values()]
        self._made = (buffers, chosen), *self._made[:1]
        return chosen


class Reader:
    """Reads the sensors of one simulation."""

    def __init__(self, simulator):
        self._simulator = simulator
        self._sensors = {sensor.name: sensor for sensor in simulator.model.scene.sensors}
        self._plans = {}
        self._sets = None
        self._tables = None
        self._present = None

    def read(self, names=None):
        """Value of one sensor, or {name: value} of several."""
        if isinstance(names, str):
            return self.together((names,))[names]
        if not (names is None or hasattr(names, "__iter__")):
            refuse("read", f"names is {names!r:.60}", "give the name of a sensor, or several; all where it is left out")
        return self.together(tuple(self._sensors) if names is None else tuple(names))

    def measure(self, quantity, of):
        """A quantity of a thing that need not be a sensor of the scene."""
        simulator = self._simulator
        sensor = Sensor("measure", quantity, resolve(simulator.model.scene, "measure", quantity, of))
        with simulator.looked_at(anyway=is_live(sensor)):
            self._tell()
            if is_live(sensor):
                found = np.array(simulator.live.value(simulator.state, sensor))
            else:
                found = read_sensor(simulator.commands.model, sensor, self._seen(None))
                found = np.array(found[0] if sensor.of.kind == "contact" else found)
        return float(found) if np.ndim(found) == 0 else found

    def together(self, names):
        """{name: value} of a tuple of names."""
        plan = self._plans.get(names) or self._plan(names)
        views = plan[0]
        if views.whole:
            return views.told(views.numbers(self._simulator.state.buffers))
        if not plan[-1]:
            return self._values(names, *plan)
        with self._simulator.looked_at():
            self._tell()
            return self._values(names, *plan)

    def in_a_row(self, names):
        """A function that gives (all numbers of a tuple of names one after the other, {name: value}) of now."""
        views, state = (self._plans.get(names) or self._plan(names))[0], self._simulator.state

        def of_views():
            row = views.numbers(state.buffers)
            return row, views.told(row if views.single else row.copy())

        def of_all():
            found = self.together(names)
            return np.concatenate([np.ravel(found[name]) for name in names]), found
        return of_views if views.whole else of_all

    def _values(self, names, views, straight, commands, others, told):
        simulator, found = self._simulator, dict.fromkeys(names)
        buffers = simulator.state.buffers
        found.update(views.told(views.numbers(buffers)))
        if straight:
            rows, values, parts = straight
            lengths_and_pulls(rows, buffers.position, buffers.velocity, values)
            for name, column, own, rest in parts:
                value = values.item(own.start, column) if own.stop == own.start + 1 else float(values[own, column].sum())
                found[name] = (value - rest[0]) * rest[1] if rest else value
        for name, number in commands:
            found[name] = simulator.commands.value(number, simulator.state.time)
        if others:
            model, seen = simulator.commands.model, self._seen(simulator.live.told(simulator.state) if told else None)
            for name in others:
                value = read_sensor(model, self._sensors[name], seen, self._sets.get(name))
                found[name] = value[0] if self._sensors[name].of.kind == "contact" else value   # of one frame
        return found

    def _plan(self, names):
        """(views, straight springs, commands, all others, whether anything is told)."""
        if self._sets is None:
            self._sets = sensor_sets(self._simulator.model)
        viewed, straight, commands, others, told = [], [], [], [], False
        for name in names:
            word("read", "sensor", name, tuple(self._sensors))
            sensor = self._sensors[name]
            kind, quantity = sensor.of.kind, sensor.quantity
            told = told or kind in ("contact", "motor") or is_live(sensor) or (kind == "joint" and quantity in TOLD)
            source, places = self._gathered(kind, quantity, sensor.of.indices)
            if kind == "command":
                commands.append((name, int(sensor.of.indices[0])))
            elif source is None:
                (straight if self._is_straight(name, sensor) else others).append(name)
            else:
                viewed.append((name, source, list(places)))
        views = Views(viewed, self._simulator.state.block, len(viewed) == len(names))
        self._plans[names] = views, self._springs(straight), commands, others, told
        return self._plans[names]

    def _is_straight(self, name, sensor):
        chosen = self._sets.get(name)
        return (sensor.of.kind == "linear" and sensor.quantity in OF_STRAIGHT and chosen.is_straight
                and not (chosen.drive >= 0).any())

    def _springs(self, names):
        """(numbers of springs, room for lengths and pulls, [(name, column, own rows, what to take off and to multiply by)])."""
        sets, begin, parts = [self._sets[name] for name in names], 0, []
        for name, chosen in zip(names, sets, strict=True):
            quantity, own = self._sensors[name].quantity, slice(begin, begin + len(chosen.row))
            whole = float(chosen.rest.sum())
            rest = {"elongation": (whole, 1.0), "strain": (whole, 1.0 / whole if whole > 0.0 else np.inf)}.get(quantity)
            parts.append((name, int(quantity == "tension"), own, rest))
            begin = own.stop
        if not parts:
            return None
        rows = np.concatenate([np.stack([one.first, one.second, one.stiffness, one.viscosity, one.rest], 1) for one in sets])
        return rows, np.zeros((len(rows), 2)), parts

    def _gathered(self, kind, quantity, indices):
        """(source, places in it) of a sensor whose numbers stand in one array of the state; (None, ()) of all others."""
        if kind == "particle" and quantity in OF_PARTICLES:
            return OF_PARTICLES[quantity], range(4 * int(indices[0]), 4 * int(indices[0]) + 3)
        if kind == "rigid" and quantity in OF_RIGIDS:
            begin = RIGID_COLUMNS * int(indices[0]) + OF_RIGIDS[quantity]
            return "rigid", range(begin, begin + 3)
        if kind == "joint" and quantity in OF_JOINTS:
            model = self._simulator.model
            number, freedom = map(int, indices)
            ball = model.scene.joints[number].kind == "ball"
            if model.link_of_joint[number, 0] >= 0 and not (ball and quantity == "coordinate"):
                rows = freedom_rows(model, number)
                return OF_JOINTS[quantity], [int(row) for row in (rows if freedom < 0 else rows[freedom:freedom + 1])]
        return None, ()

    def _seen(self, told):
        """The present instant as sensors see it."""
        state = self._simulator.state
        buffers = state.buffers
        joints, links = buffers.joints, buffers.links
        contacts = None
        if self._tables is not None:
            rows = self._tables["contacts"]
            contacts = {name: rows[name] for name in rows.columns} | {"start": np.array([0, rows.count])}
        return Seen(np.float64(state.time), state.position, state.velocity, state.rigid(CENTRE), state.rigid(VELOCITY),
                    state.rigid(SPIN), state.rigid(MOMENTUM), *(getattr(buffers, KINDS[kind].own) for kind in KINDS),
                    state.rigid(ORIENTATION, 4), joints.place, joints.rate, joints.turn, joints.motor, links.reaction,
                    links.closing, links.exerted, self._simulator.commands.table, told, contacts)

    def _tell(self):
        """What joints and contact do now."""
        simulator = self._simulator
        touching = len(simulator.model.arrays.contact.parts.kind) > 0
        arrays, buffers = simulator.laid()
        if touching and self._tables is None:
            self._make_room(ROOM)
        while True:
            tables = self._laid_tables() if touching else None
            if self._present is None:
                jointed = len(simulator.model.arrays.mechanisms.free) > 0
                self._present = present_on(arrays.kind, buffers.kind, tables.kind if touching else None, touching, jointed)
            if self._present(arrays.address, buffers.address, tables.address if touching else 0):
                return
            self._make_room(2 * int(self._needed.max()))

    def _make_room(self, rows):
        self._tables = {table: Rows(columns, rows) for table, columns in TABLES.items()}
        self._needed, self._laid = np.zeros(len(TABLES), np.int64), None

    def _laid_tables(self):
        if self._laid is None:
            starts = Rows(dict.fromkeys(TABLES, ((), np.int64)), 1)
            rows = {table: ROWS[table](each.size, *each.columns.values()) for table, each in self._tables.items()}
            self._laid = Laid(Tables(**rows, starts=Starts(starts.size, *starts.columns.values()), needed=self._needed))
        return self._laid
