"""Reading sensors at the present instant of a run."""
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, SPIN, VELOCITY
from robotphi.record.sensors import Seen, read_sensor, sensor_sets
from robotphi.scene.checks import word


class Reader:
    """Reads the sensors of one simulation."""

    def __init__(self, simulator):
        self._simulator = simulator
        self._sensors = {sensor.name: sensor for sensor in simulator.model.scene.sensors}
        self._sets = None

    def read(self, names=None):
        """Value of one sensor, or {name: value} of several."""
        if isinstance(names, str):
            return self._read((names,))[names]
        return self._read(tuple(self._sensors) if names is None else tuple(names))

    def _read(self, names):
        simulator, seen = self._simulator, self._seen()
        model = simulator.commands.model
        if self._sets is None:
            self._sets = sensor_sets(simulator.model)
        for name in names:
            if name not in self._sensors:
                word("read", "sensor", name, tuple(self._sensors))
        return {name: read_sensor(model, self._sensors[name], seen, self._sets.get(name)) for name in names}

    def _seen(self):
        """The present instant as sensors see it."""
        state = self._simulator.state
        buffers = state.buffers
        joints, links = buffers.joints, buffers.links
        return Seen(state.time, state.position, state.velocity, state.rigid(CENTRE), state.rigid(VELOCITY), state.rigid(SPIN),
                    state.rigid(MOMENTUM), buffers.linear_law, buffers.angular_law, buffers.articular,
                    state.rigid(ORIENTATION, 4), joints.place, joints.rate, joints.turn, links.reaction, links.closing,
                    links.exerted, self._simulator.commands.table)
