"""The medium of a scene: what air or a liquid is told to do to the facets of objects."""
from dataclasses import dataclass

import numpy as np

from robotphi.scene.checks import AXES, number, refuse, word
from robotphi.scene.drive import as_drive

WHERE = "medium"


@dataclass(frozen=True, eq=False)
class Medium:
    """Air or a liquid, as `Scene.set_medium` took it.

    Attributes:
        density: ρ [kg/m³].
        drag: c of ½ ρ c, for all objects, or name of the object → c.
        linear_drag: k [N·s/m³], likewise.
        wind: three drives, the velocity of the medium [m/s].
        level: height of its surface, against gravity [m]; None where it is everywhere.
        buoyancy: whether it presses on closed surfaces below the level.
    """
    density: float
    drag: float | dict
    linear_drag: float | dict
    wind: tuple
    level: float | None
    buoyancy: bool

    @property
    def drives(self):
        """Label → Drive, for people."""
        return {f"{WHERE}:{axis}": drive for axis, drive in zip(AXES, self.wind, strict=True)}

    def up(self, gravity):
        """Unit vector against gravity, along which the level is measured; z without gravity."""
        size = float(np.linalg.norm(gravity))
        return np.array([0.0, 0.0, 1.0]) if size == 0.0 else -np.asarray(gravity) / size

    def coefficients(self, name):
        """k [N·s/m³] and ½ ρ c [kg/m³] of an object."""
        of = [value.get(name, 0.0) if isinstance(value, dict) else value for value in (self.linear_drag, self.drag)]
        return of[0], 0.5 * self.density * of[1]

    def check_names(self, objects):
        """Refuse coefficients of objects that are not in the scene."""
        for value in (self.drag, self.linear_drag):
            for name in value if isinstance(value, dict) else ():
                word(WHERE, "object", name, tuple(objects))


def medium(density, drag, linear_drag, wind, level, buoyancy, duration, gravity):
    """A checked Medium; see `Scene.set_medium`."""
    if drag is None and linear_drag is None and level is None:
        refuse(WHERE, "neither drag, linear_drag nor level is given, so that it would do nothing",
               "give a drag coefficient such as drag=1.2, or the level of a liquid")
    density = 0.0 if density is None else number(WHERE, "density", density, above=0.0)
    drag = _coefficients("drag", drag)
    if density == 0.0 and np.any(list(drag.values()) if isinstance(drag, dict) else drag):
        refuse(WHERE, "drag is given without a density", "give density=1.2 for air or 1000 for water, or use linear_drag")
    if isinstance(wind, str) or not hasattr(wind, "__len__") or len(wind) != 3:
        refuse(WHERE, f"wind is {wind!r:.60}", "give three of them: numbers [m/s], Drives or functions of time")
    wind = tuple(as_drive(WHERE, f"wind along {axis}", one.item() if isinstance(one, np.generic) else one, duration)
                 for axis, one in zip(AXES, wind, strict=True))
    level = None if level is None else number(WHERE, "level", level)
    if buoyancy is not None and not isinstance(buoyancy, bool):
        refuse(WHERE, f"buoyancy is {buoyancy!r:.60}", "give True or False")
    if buoyancy:
        _check_buoyancy(density, level, gravity)
    floats = level is not None and density > 0.0 and bool(np.any(gravity)) if buoyancy is None else buoyancy
    return Medium(density, drag, _coefficients("linear_drag", linear_drag), wind, level, floats)


def _check_buoyancy(density, level, gravity):
    if density == 0.0:
        refuse(WHERE, "buoyancy is asked for without a density", "give density=1000 for water, for example")
    if level is None:
        refuse(WHERE, "buoyancy is asked for without a level, from which pressure grows downwards",
               "give level, the height of the surface [m]; for air one above everything in the scene")
    if not np.any(gravity):
        refuse(WHERE, "buoyancy is asked for without gravity", "give the scene gravity, or leave buoyancy out")


def _coefficients(what, value):
    if isinstance(value, dict):
        return {name: number(WHERE, f"{what} of {name!r}", one, low=0.0) for name, one in value.items()}
    return 0.0 if value is None else number(WHERE, what, value, low=0.0)
