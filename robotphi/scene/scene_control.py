"""The part of a Scene that is changed while it runs: commands, and the controllers that set them."""
from robotphi.scene.checks import number, refuse, whole
from robotphi.scene.commands import command
from robotphi.scene.controllers import Controller, checked_function, names_of
from robotphi.scene.saying import said

MOST = 10**7       # instants of a controller in a run
MEMORY = 10**6     # numbers that it keeps, and every frame with it


class SceneControl:
    """The commands and controllers of a `Scene`."""

    @said
    def add_command(self, name, value, low=None, high=None, rate=None):
        """Add a number that is set while the scene runs; returns a handle that is taken wherever a drive is.

        Between two changes it stays constant; what it drives feels a change as a step of `Drive.steps` at that instant.

        Args:
            name: not used by another command; `Simulator.set({name: value})` and controllers set it.
            value: until it is set for the first time, in the unit of what it drives.
            low, high: what it may be set to.
            rate: of its change per second: it goes to what it is set to along a straight line instead of at once. What leads a
                coordinate or an axis needs one, since nothing can follow a jump.
        """
        where = f"command {name!r}"
        if not isinstance(name, str) or not name or name in self.commands:
            refuse(where, "the name is empty or taken", "give every command a name of its own")
        self.commands[name] = command(where, name, value, low, high, rate)
        return self.commands[name]

    @said(without="function")
    def add_controller(self, name, function=None, rate=None, sensors=None, commands=None, memory=0):
        """Add a function that is called at a fixed rate, sees sensors and sets commands; returns its handle.

        It is called as function(view) at times 0, 1/rate, 2/rate …, on which steps land. `view["name"]` is a sensor or a
        command as it stands, `view["name"] = value` sets a command, `view.time` is the time; it may as well return
        {command: value}. Statements keep everything but the function.

        Args:
            name: not used by another controller.
            function: or an object that is called or has a method `control`; where it is left out, as in a scene that is said
                again, it is handed in by name where the scene is run: simulate(scene, controllers={name: function}).
            rate: calls per second.
            sensors, commands: names of those that it may use; all where left out.
            memory: how many numbers it keeps from call to call, in `view.memory`. Frames keep them as well: what a controller
                remembers elsewhere is not known to a run that is continued from a frame.
        """
        where = f"controller {name!r}"
        if not isinstance(name, str) or not name or name in self.controllers:
            refuse(where, "the name is empty or taken", "give every controller a name of its own")
        if rate is None:
            refuse(where, "its rate is missing", "give calls per second, such as rate=500")
        rate = number(where, "rate", rate, above=0.0)
        if rate * self.duration > MOST:
            refuse(where, f"rate is {rate:g}, {rate * self.duration:.3g} calls in {self.duration:g} s",
                   f"give calls per second, at most {MOST / self.duration:g}")
        sensors = names_of(where, "sensor", sensors, [sensor.name for sensor in self.sensors])
        commands = names_of(where, "command", commands, list(self.commands))
        function = None if function is None else checked_function(where, function)
        memory = whole(where, "memory", memory, low=0, high=MEMORY)
        self.controllers[name] = Controller(name, rate, sensors, commands, memory, function)
        return self.controllers[name]

    def controller(self, name=None, rate=None, **options):
        """`@scene.controller(rate=500)`: the function below is a controller of that rate, by its own name unless told."""
        if callable(name) or rate is None:
            refuse("controller", "its rate is missing", "give calls per second, as in @scene.controller(rate=500)")

        def add(function):
            self.add_controller(name or getattr(function, "__name__", None), function, rate, **options)
            return function
        return add
