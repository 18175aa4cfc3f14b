"""Units as people write them, mm, N/m, kg·m²/s or deg: their factor to SI and their dimension."""
import math
import re
from typing import NamedTuple

from robotphi.errors import SceneError

# symbol → (factor to SI, powers of m, kg, s); angles are numbers
BASE = {"m": (1.0, (1, 0, 0)), "g": (1e-3, (0, 1, 0)), "s": (1.0, (0, 0, 1)), "N": (1.0, (1, 1, -2)), "Pa": (1.0, (-1, 1, -2)),
        "J": (1.0, (2, 1, -2)), "W": (1.0, (2, 1, -3)), "Hz": (1.0, (0, 0, -1)), "rad": (1.0, (0, 0, 0))}
PREFIXES = {"": 1.0, "G": 1e9, "M": 1e6, "k": 1e3, "c": 1e-2, "m": 1e-3, "µ": 1e-6, "μ": 1e-6, "u": 1e-6, "n": 1e-9}
NUMBER = (0, 0, 0)
DEGREE = math.pi / 180.0
OTHERS = {"1": (1.0, NUMBER), "": (1.0, NUMBER), "%": (1e-2, NUMBER), "deg": (DEGREE, NUMBER),
          "°": (DEGREE, NUMBER), "degrees": (DEGREE, NUMBER), "rpm": (math.pi / 30.0, (0, 0, -1)), "min": (60.0, (0, 0, 1)),
          "h": (3600.0, (0, 0, 1)), "strain": (1.0, NUMBER),
          "in": (0.0254, (1, 0, 0)), "lb": (0.45359237, (0, 1, 0)), "g0": (9.80665, (1, 0, -2)), "bar": (1e5, (-1, 1, -2))}
SYMBOLS = OTHERS | {prefix + symbol: (factor * scale, powers) for symbol, (scale, powers) in BASE.items()
                    for prefix, factor in PREFIXES.items()}
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
TERM = re.compile(r"([A-Za-zµμ°%]+0?|1)\^?(-?[0-9]+)?")


class Unit(NamedTuple):
    """A unit as it is written, its factor to SI and its dimension."""
    text: str
    factor: float
    powers: tuple

    def __str__(self):
        return self.text or "1"


def unit_of(text, where="unit"):
    """The Unit of a text such as mm, N/m, kg·m²/s or deg."""
    factor, powers, sign = 1.0, NUMBER, 1
    for part in re.split(r"([/·*\s]+)", text.strip().translate(RAISED)):
        if not part.strip("·* \t"):
            continue
        if "/" in part:
            sign = -1
            continue
        found = TERM.fullmatch(part)
        if found is None or found.group(1) not in SYMBOLS:
            raise SceneError(f"{where}: {text!r} is no unit that is known; give one such as s, ms, mm, N, N/m, Pa, rad, deg, "
                             "kg, J, %, m/s or 1 for plain numbers")
        scale, own = SYMBOLS[found.group(1)]
        power = sign * int(found.group(2) or 1)
        factor *= scale**power
        powers = tuple(a + power * b for a, b in zip(powers, own, strict=True))
    return Unit(text.strip(), factor, powers)
