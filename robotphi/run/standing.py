"""What can be done where a run stands still: commands are set, sensors read, and all begins anew."""
from contextlib import contextmanager

from robotphi.kernels.step import slots
from robotphi.run.buffers import OF_JOINTS, checkpointed
from robotphi.run.control import Controllers
from robotphi.scene.checks import refuse


class Standing:
    """The part of a `Simulator` that its user, a controller or an environment works with between two stretches of a run."""

    @property
    def control(self):
        """What acts at instants of its own: the controllers of the scene, or commands that are given again."""
        if self._control is None:
            self._control = Controllers(self, self._controllers)
            self._control.begin_at(self.state.time)
            self._frames.memory = self._control.memory
        return self._control

    def only_between_calls(self, what):
        """Refuse what moves the run on, or its state, while one of its own controllers is called."""
        if self._control is not None and self._control.calling is not None:
            refuse(what, f"the controller {self._control.calling.name!r} is being called, and the run waits for it",
                   "let controllers read sensors and set commands, and move the run on from outside")

    def restart(self):
        """Back to the start, as a new simulator of the same model, in a fraction of the time."""
        self.only_between_calls("restart")
        self.state.restart()
        self.commands.restart()
        self.recorder.restart(self._handed_out)
        self._frames.restart()
        self.frame, self._wall, self._overlaps = 0, 0.0, []
        self._warnings = self._restored = None
        if self.model.scene.controllers or not isinstance(self._control, Controllers):
            self._control = None   # without controllers, nothing of it has changed
        self._handed_out = self._begun = False

    def set(self, values):
        """Set commands at the present instant, {name: value}; what they drive goes on from there."""
        self.begin()
        self.give(self.commands.checked(values, "set"))

    def read(self, names=None):
        """Sensors at the present instant: the value of one, or {name: value} of several; all of the scene unless told."""
        self.begin()
        return self.reader.read(names)

    def measure(self, quantity, of=None):
        """A quantity of a thing at the present instant, as a sensor of it would tell; the words are those of `add_sensor`."""
        self.begin()
        return self.reader.measure(quantity, of)

    def refresh_forces(self):
        """Forces at the present state itself, where those of the last step do not tell what joints and supports bear.

        Dampers belong to them, also where they are integrated apart; the step behind takes its own forces anew.
        """
        counters = self.state.buffers.counters
        if counters[slots.EVENT_PASSED]:   # what was set is booked as the run itself would
            self._evaluate()
        way = counters[slots.VISCOSITY]
        counters[slots.VISCOSITY] = slots.IN_FORCE
        self._evaluate()
        counters[slots.VISCOSITY] = way
        counters[slots.WHOLE] = 1

    @contextmanager
    def looked_at(self, anyway=False):
        """The same for somebody who reads, where any sensor asks for it, or `anyway`; no trace of it is left in the run.

        Contact would: what damps it follows from the forces of the evaluation before.
        """
        counters = self.state.buffers.counters
        known = counters[slots.WHOLE] and counters[slots.FRESH] != slots.STALE   # as a frame was kept, or by a look before
        if known or not (anyway or self.live):
            yield
            return
        evaluations, touching = counters[slots.EVALUATIONS], counters[slots.HAS_CONTACT]
        kept = [array.copy() for array in _gone_on_from(self.state.buffers)] if touching else ()
        self.refresh_forces()
        yield
        counters[slots.EVALUATIONS] = evaluations
        if touching:
            for array, before in zip(_gone_on_from(self.state.buffers), kept, strict=True):
                array[:len(before)] = before   # contact may have got more room

    @property
    def live(self):
        """What sensors have that follow from the forces of an instant."""
        return self._frames.live

    def laid(self):
        """Arrays and buffers of the loop as they are laid down."""
        return self._loop.laid(self.state.buffers)

    def give(self, values):
        """Set commands by their numbers, [(number, value), …], to what they may be."""
        self.commands.set(self.state, values, self.recorder)


def _gone_on_from(buffers):
    """The arrays that the next step goes on from."""
    touch, told = buffers.touch, {OF_JOINTS + name for name in buffers.links._fields}
    step = [array for name, array in checkpointed(buffers).items() if name not in told]
    return *step, touch.pairs, touch.numbers, touch.node, touch.slots, touch.sizes
