"""Controllers at the door: a function that is called at a fixed rate, and what it may see and set."""
from dataclasses import dataclass
from typing import Any

from robotphi.scene.checks import refuse, word


@dataclass(frozen=True, eq=False)
class Controller:
    """What is called at a fixed rate while a scene runs.

    Attributes:
        name: by which its function is handed in where a scene is said again.
        rate: calls per second.
        sensors, commands: names of those that it may use; None for all.
        memory: numbers that it keeps from call to call.
        function: function(view); None where the scene has been said again and nobody has handed it in.
    """
    name: str
    rate: float
    sensors: tuple | None
    commands: tuple | None
    memory: int
    function: Any = None


def names_of(where, what, given, known):
    """The names of some sensors or commands of a scene; None for all."""
    if given is None:
        return None
    given = (given,) if isinstance(given, str) or not hasattr(given, "__iter__") else tuple(given)
    names = [getattr(one, "name", one) for one in given]
    return tuple(word(where, what, name, tuple(known)) for name in names)


def checked_function(where, function):
    """What is to be called of a function or an object."""
    called = getattr(function, "control", function)
    if not callable(called) or isinstance(function, type):
        refuse(where, f"{function!r:.60} cannot be called",
               "give a function of a view, or an object with a method control(view)")
    return called


def with_functions(scene, functions):
    """The controllers of a scene, {name: Controller}, with the functions that were handed in; what lacks one is refused."""
    if functions is not None and not isinstance(functions, dict):
        refuse(f"scene {scene.name!r}", f"controllers is {functions!r:.60}", "give {name: function}")
    functions, found = functions or {}, {}
    for name in functions:
        word(f"scene {scene.name!r}", "controller", name, tuple(scene.controllers))
    for name, known in scene.controllers.items():
        function = functions.get(name, known.function)
        if function is None:
            refuse(f"controller {name!r}", "a scene that is said again knows its name and rate, not its function",
                   f'hand it in as controllers={{"{name}": function}}, or run the commands of a recording again with '
                   "Simulator.replayed(recording)")
        found[name] = (known, checked_function(f"controller {name!r}", function))
    return found
