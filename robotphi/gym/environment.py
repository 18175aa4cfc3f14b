"""An environment over a scene: a step sets commands, goes on for one period of control and reads sensors."""
import gymnasium
import numpy as np

from robotphi.errors import SceneError
from robotphi.gym.noise import Noise
from robotphi.model.build import build_model
from robotphi.run.limits import SAME
from robotphi.run.simulator import Simulator
from robotphi.scene.checks import number, refuse, word

WHERE = "environment"


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
        self.scene, self._reward, self._ended = scene, _called("reward", reward), ended and _called("ended", ended)
        known = tuple(sensor.name for sensor in scene.sensors)
        self._names = tuple(word(WHERE, "sensor", name, known) for name in (*observations, *sensors))
        self._observed = tuple(observations)
        if not self._observed or not actions:
            refuse(WHERE, "it has no observations or no actions", "give names of sensors and of commands of its scene")
        self._commands = [scene.commands[word(WHERE, "command", name, tuple(scene.commands))] for name in actions]
        for command in self._commands:
            if command.low is None or command.high is None:
                refuse(WHERE, f"the command {command.name!r} has no bounds", "give low and high to add_command")
        if scene.controllers:
            refuse(WHERE, "its scene has controllers of its own", "let the agent set its commands")
        rate, seconds = number(WHERE, "rate", rate, above=0.0), scene.duration if seconds is None else seconds
        self._steps = int(number(WHERE, "seconds", seconds, above=0.0, high=scene.duration) * rate * (1.0 + SAME))
        if self._steps < 1:
            refuse(WHERE, f"an episode of {seconds:g} s has no step at {rate:g} steps per second", "give more of either")
        self._times = (np.arange(self._steps + 1) / rate).tolist()
        self._simulator = Simulator(build_model(scene), threads)
        self._numbers = [self._simulator.commands.number(command.name, WHERE) for command in self._commands]
        self._noise = Noise(self._simulator.model, noise or {})
        self._step = None
        low, high = (np.array([getattr(command, side) for command in self._commands]) for side in ("low", "high"))
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        size = len(self._vector(self._simulator.read(self._names)))
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64)

    @property
    def simulator(self):
        """The Simulator of the present episode."""
        return self._simulator

    def reset(self, *, seed=None, options=None):
        """The start of an episode; a seed makes all that follows the same."""
        super().reset(seed=seed)
        self._simulator = self._noise.begin(self._simulator, self.np_random)
        self._step = 0
        seen = self._simulator.read(self._names)
        return self._vector(seen), {}

    def step(self, action):
        """One period of control."""
        if self._step is None or self._step >= self._steps:
            raise SceneError("environment: the episode has not begun or is over; call reset() first")
        simulator, values = self._simulator, np.asarray(action, np.float64).tolist()
        if np.shape(values) != self.action_space.shape:
            refuse(WHERE, f"the action is {action!r:.60}", f"give {len(self._numbers)} numbers")
        simulator.give([(number, value if command.takes(value) else command.checked(
            f"{WHERE}, command {command.name!r}", value))
            for number, command, value in zip(self._numbers, self._commands, values, strict=True)])
        self._step += 1
        time = self._times[self._step]
        if not simulator.advance_to(time):
            raise SceneError("environment: the attempts of its scene are used up; give more, or leave attempt_limit out")
        seen = simulator.read(self._names)
        seen["time"] = time
        ended = bool(self._ended(seen)) if self._ended else False
        return self._vector(seen), float(self._reward(seen, action)), ended, self._step >= self._steps and not ended, {}

    def _vector(self, seen):
        """The observation."""
        found = []
        for name in self._observed:
            value = seen[name]
            if isinstance(value, float):
                found.append(value)
            else:
                found.extend(np.ravel(value).tolist())
        return np.array(found)


def _called(what, function):
    if not callable(function):
        refuse(WHERE, f"{what} is {function!r:.60}", "give a function")
    return function
