"""An environment over a scene: a step sets commands, goes on for one period of control and reads sensors."""
import math

import gymnasium
import numpy as np

from robotphi.errors import SceneError
from robotphi.gym.noise import Noise
from robotphi.model.build import build_model
from robotphi.run.limits import SAME
from robotphi.run.simulator import Simulator
from robotphi.scene.checks import number, refuse, whole
from robotphi.scene.controllers import names_of
from robotphi.scene.drive import is_number
from robotphi.scene.scene import Scene

WHERE = "environment"
MOST_STEPS = 10**7   # of an episode


class SceneEnvironment(gymnasium.Env):
    """A gymnasium environment over any scene.

    Observations are the values of sensors, one after the other; actions are what commands are set to, one number each. The
    model is built once: a reset takes back the state of the start, and changes its initial values by their addresses.

    Args:
        scene: with sensors and commands; it lasts at least as long as an episode. Few frames make steps cheap.
        observations: names of sensors.
        actions: names of commands, which need bounds: add_command(…, low=…, high=…).
        reward: function(seen, action) of a step; `seen` is {name: value} of the sensors, and "time".
        ended: function(seen) that tells whether the episode is over; none where left out.
        rate: steps per second of simulated time.
        seconds: how long an episode lasts; as long as the scene unless told.
        sensors: names of further sensors for `reward` and `ended`.
        noise: {address: spread} of initial values: each is moved by a random number within ± spread at every reset, or by
            function(random generator, value) it becomes another. See `noise.py` for what has an address here.
        threads: as of a Simulator.
    """

    metadata = {"render_modes": []}   # noqa: RUF012, gymnasium wants it so

    def __init__(self, scene, observations, actions, reward, ended=None, rate=50.0, seconds=None, sensors=(), noise=None,
                 threads=1):
        if not isinstance(scene, Scene):
            refuse(WHERE, f"{scene!r:.60} is no Scene", "give one with sensors and commands")
        self.scene, self._reward, self._ended = scene, _called("reward", reward), ended and _called("ended", ended)
        self._observed = names_of(WHERE, "sensor", () if observations is None else observations,
                                  [sensor.name for sensor in scene.sensors])
        actions = names_of(WHERE, "command", () if actions is None else actions, scene.commands)
        if not self._observed or not actions:
            refuse(WHERE, "it has no observations or no actions", "give names of sensors and of commands of its scene")
        if len(set(actions)) < len(actions):
            refuse(WHERE, f"actions are {', '.join(actions)}, one of them twice", "name each command once")
        sensors = names_of(WHERE, "sensor", sensors or (), [sensor.name for sensor in scene.sensors])
        self._names = (*self._observed, *sensors)
        self._commands = [scene.commands[name] for name in actions]
        for command in self._commands:
            if command.low is None or command.high is None:
                refuse(WHERE, f"the command {command.name!r} has no bounds", "give low and high to add_command")
        if scene.controllers:
            refuse(WHERE, "its scene has controllers of its own", "let the agent set its commands")
        rate, seconds = number(WHERE, "rate", rate, above=0.0), scene.duration if seconds is None else seconds
        self._steps = int(number(WHERE, "seconds", seconds, above=0.0, high=scene.duration) * rate * (1.0 + SAME))
        if not 1 <= self._steps <= MOST_STEPS:
            refuse(WHERE, f"an episode of {seconds:g} s has {self._steps:.4g} steps at {rate:g} per second",
                   f"give what makes one to {MOST_STEPS:g}")
        self._times = (np.arange(self._steps + 1) / rate).tolist()
        self._simulator = Simulator(build_model(scene), threads)
        self._takes = [(self._simulator.commands.number(command.name, WHERE), *command.range) for command in self._commands]
        self._noise = Noise(self._simulator.model, {} if noise is None else noise)
        self._step = None
        low, high = (np.array([getattr(command, side) for command in self._commands]) for side in ("low", "high"))
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        seen = self._simulator.read(self._names)
        self._size = sum(np.size(seen[name]) for name in self._observed)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (self._size,), np.float64)

    @property
    def simulator(self):
        """The Simulator of the present episode."""
        return self._simulator

    def reset(self, *, seed=None, options=None):
        """The start of an episode; a seed makes all that follows the same."""
        if seed is not None:
            seed = whole(WHERE, "seed", seed, low=0)
        super().reset(seed=seed)
        self._simulator = self._noise.begin(self._simulator, self.np_random)
        self._step = 0
        self._simulator.begin()
        self._read = self._simulator.reader.in_a_row(self._names)
        return self._read()[0][:self._size], {}

    def step(self, action):
        """One period of control."""
        if self._step is None or self._step >= self._steps:
            raise SceneError("environment: the episode has not begun or is over; call reset() first")
        simulator, action = self._simulator, self._numbers_of(action)
        given = []
        for (command, low, high), value in zip(self._takes, action.tolist(), strict=True):
            if not low <= value <= high:
                self._refuse(action)
            given.append((command, value))
        simulator.commands.set(simulator.state, given, simulator.recorder)
        self._step = step = self._step + 1
        time = self._times[step]
        if not simulator.go_to(time):
            raise SceneError("environment: the attempts of its scene are used up; give more, or leave attempt_limit out")
        numbers, seen = self._read()
        seen["time"] = time
        ended = bool(self._ended(seen)) if self._ended else False
        reward = self._reward(seen, action)
        if not (type(reward) is float and -math.inf < reward < math.inf) and not (is_number(reward) and math.isfinite(reward)):
            refuse(WHERE, f"the reward at {time:g} s is {reward!r:.60}", "let it return one finite number")
        return numbers[:self._size], float(reward), ended, step >= self._steps and not ended, {}

    def _numbers_of(self, action):
        """One float for each command, as an array."""
        try:
            values = np.asarray(action, np.float64)
        except (TypeError, ValueError):
            values = np.empty(())
        if values.shape != self.action_space.shape:
            refuse(WHERE, f"the action is {action!r:.60}", f"give {len(self._takes)} numbers")
        return values

    def _refuse(self, action):
        """Say what is wrong with an action that is not within its bounds."""
        for command, value in zip(self._commands, action.tolist(), strict=True):
            command.checked(f"{WHERE}, command {command.name!r}", value)


def _called(what, function):
    if not callable(function):
        refuse(WHERE, f"{what} is {function!r:.60}", "give a function")
    return function
