"""Control of a run: at which instants it stands still for its controllers, and what they see and set there.

A frame is kept before a controller acts at its instant, so that a run continued from any frame calls it first of all.
"""
import numpy as np

from robotphi.errors import ControllerFailed, RecordingError, RobotphiError, SceneError
from robotphi.model.build import MERGED
from robotphi.run.commands import LANDED
from robotphi.scene.checks import floats, refuse, word
from robotphi.scene.controllers import with_functions

NEVER = np.inf
FAILED = "controller failed"   # of `codes.ENDS`


class View:
    """What a controller sees at an instant, and where it leaves what it sets.

    Attributes:
        time: s
        memory: numbers that it keeps from call to call, and frames with them; what is assigned is taken into them.
    """

    __slots__ = ("_asked", "_commands", "_given", "_memory", "_names", "_read", "_seen", "_sensors", "_simulator", "_where",
                 "time")

    def __init__(self, simulator, controller, memory):
        self._simulator, self._where = simulator, f"controller {controller.name!r}"
        self._read = simulator.reader.together
        self._sensors = _allowed(controller.sensors, [sensor.name for sensor in simulator.model.scene.sensors])
        self._commands = _allowed(controller.commands, simulator.model.scene.commands)
        self._names = controller.sensors   # read together at every call; where they are not said, those of the call before
        self.time, self._memory = 0.0, memory
        self._seen, self._given, self._asked = {}, {}, ()

    def __str__(self):
        """Where something went wrong, in words."""
        return f"{self._where} at {self.time:g} s"

    @property
    def memory(self):
        return self._memory

    @memory.setter
    def memory(self, values):
        values, count = floats(self._where, "memory", values), len(self._memory)
        if values.shape not in ((), (count,)):
            refuse(self._where, f"memory is set to numbers of shape {values.shape}, and it was declared for {count}",
                   f"give {count} numbers, or declare it by memory= of add_controller")
        self._memory[:] = values

    def check_memory(self):
        """Refuse what was written into single numbers of the memory, where it is no number."""
        if not np.isfinite(self._memory).all():
            place = int(np.argmin(np.isfinite(self._memory)))
            refuse(str(self), f"memory[{place}] is {self._memory[place]}", "write finite numbers into it")

    def renew(self, time):
        """See the present instant; nothing is set yet."""
        self.time, self._given = time, {}
        if self._names:
            self._seen = self._read(self._names)
        elif self._seen:
            self._asked, self._seen = tuple(self._seen), {}

    def __getitem__(self, name):
        """A sensor, or a command as it stands."""
        if name in self._seen:
            return self._seen[name]
        if name in self._given:
            return self._given[name]
        if name in self._sensors:
            if not self._seen and name in self._asked:
                self._seen = self._read(self._asked)
            else:
                self._seen |= self._read((name,))
            return self._seen[name]
        word(self._where, "sensor or command", name, (*self._sensors, *self._commands))
        commands = self._simulator.commands
        return commands.value(commands.number(name, self._where), self.time)

    def __setitem__(self, name, value):
        """Set a command from this instant on."""
        self._given[name] = value

    def given(self, returned):
        """All that was set, by what was assigned and what was returned: {name: value}."""
        if returned is not None and not isinstance(returned, dict):
            raise SceneError(f"{self._where}: it returned {returned!r:.60}; return {{name of a command: value}}, or nothing")
        values = self._given if returned is None else {**self._given, **returned}
        for name in values:
            if name not in self._commands:
                word(self._where, "command", name, tuple(self._commands))
        return values


def _allowed(names, known):
    return dict.fromkeys(known if names is None else names)


class Controllers:
    """The controllers of one simulation, each with the instants at which it is called.

    Attributes:
        soonest: the next instant on which the run is to stand [s]; NEVER where nobody acts any more.
    """

    def __init__(self, simulator, functions=None):
        scene = simulator.model.scene
        self._simulator, self._near, self.calling = simulator, MERGED * scene.duration, None
        found = with_functions(scene, functions).values()
        self.memory = np.zeros(sum(one.memory for one, _ in found))
        self._calls, begin = [], 0
        for one, function in found:
            own = self.memory[begin:begin + one.memory]
            begin += one.memory
            self._calls.append((one, function, View(simulator, one, own), self._instants(scene, one.rate)))
        self._places, self._next, self.soonest = [0] * len(self._calls), [0.0] * len(self._calls), NEVER

    def _instants(self, scene, rate):
        """0, 1/rate, … moved onto frames where rounding alone is between them; the last is that no more comes."""
        instants = np.arange(int(np.floor(rate * scene.duration * (1.0 + MERGED))) + 1) / rate
        frame = scene.frame_times[np.minimum(np.rint(instants * scene.frames / scene.duration), scene.frames).astype(int)]
        return np.append(np.where(np.abs(instants - frame) <= self._near, frame, instants), NEVER)

    def begin_at(self, time):
        """Go on from a time at which none of them has been called yet."""
        self._places = [int(np.searchsorted(instants, time - self._near)) for *_, instants in self._calls]
        self._next = [call[3].item(place) for call, place in zip(self._calls, self._places, strict=True)]
        self.soonest = min(self._next, default=NEVER)

    def act(self):
        """Call those whose instant has come."""
        time = self._simulator.state.time
        if self.soonest > time + self._near:
            return
        for i, (controller, function, view, instants) in enumerate(self._calls):
            if self._next[i] > time + self._near:
                continue
            self._places[i] += 1
            self._next[i] = instants.item(self._places[i])
            self._call(controller, function, view, time)
        self.soonest = min(self._next)

    def _call(self, controller, function, view, time):
        simulator, self.calling = self._simulator, controller
        try:
            view.renew(time)
            values = view.given(function(view))
        except Exception as error:
            raise ControllerFailed(f"controller {controller.name!r} raised {type(error).__name__} at {time:g} s: {error}",
                                   simulator.recording(FAILED)) from error
        finally:
            self.calling = None
        try:
            if controller.memory:
                view.check_memory()
            if values:
                simulator.give(simulator.commands.checked(values, view))   # in words where it is wrong
        except RobotphiError as error:
            raise ControllerFailed(str(error), simulator.recording(FAILED)) from error


class Replay:
    """In place of the controllers: the commands of a recording, as they were given."""

    memory, calling = np.zeros(0), None

    def __init__(self, simulator, recording):
        rows = recording.rows.get("commands")
        if rows is None:
            raise RecordingError("this recording holds no commands to be given again: its scene has none")
        self._simulator, self._rows, self._place = simulator, rows, 0
        self._times = [*rows["time"].tolist(), NEVER]

    def begin_at(self, time):
        self._place = int(np.searchsorted(self._rows["time"], time))

    @property
    def soonest(self):
        return self._times[self._place]

    def act(self):
        """Give the commands of the present instant."""
        values, time = [], self._simulator.state.time
        while self._times[self._place] <= time:
            number = int(self._rows["command"][self._place])
            if number != LANDED:
                values.append((number, float(self._rows["value"][self._place])))
            self._place += 1
        if values:
            self._simulator.give(values)
