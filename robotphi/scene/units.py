"""Units that files may have in their heads, by kind, and what they are in SI."""
import math

DEGREE = math.pi / 180.0
# kind → (what it is in SI, unit as it is written → factor)
KINDS = {
    "time": ("s", {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "min": 60.0, "sec": 1.0, "seconds": 1.0}),
    "length": ("m", {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "µm": 1e-6, "in": 0.0254}),
    "angle": ("rad", {"rad": 1.0, "deg": DEGREE, "°": DEGREE, "degrees": DEGREE, "radians": 1.0}),
    "number": ("1", {"": 1.0, "1": 1.0}),
    "strain": ("1", {"1": 1.0, "": 1.0, "%": 1e-2}),
    "force": ("N", {"N": 1.0, "kN": 1e3, "mN": 1e-3}),
    "stiffness": ("N/m", {"N/m": 1.0, "N/mm": 1e3, "kN/m": 1e3}),
    "strain stiffness": ("N", {"N/strain": 1.0, "N": 1.0, "kN/strain": 1e3, "kN": 1e3}),
    "moment": ("N m", {"N m": 1.0, "N·m": 1.0, "N*m": 1.0, "Nm": 1.0, "N mm": 1e-3, "N·mm": 1e-3, "Nmm": 1e-3}),
    "speed": ("m/s", {"m/s": 1.0, "mm/s": 1e-3, "cm/s": 1e-2, "km/h": 1.0 / 3.6}),
    "spin": ("rad/s", {"rad/s": 1.0, "deg/s": DEGREE, "°/s": DEGREE, "rpm": math.pi / 30.0}),
    "acceleration": ("m/s^2", {"m/s^2": 1.0, "m/s2": 1.0, "m/s²": 1.0, "mm/s^2": 1e-3, "mm/s2": 1e-3, "mm/s²": 1e-3}),
    "angular acceleration": ("rad/s^2", {"rad/s^2": 1.0, "rad/s²": 1.0, "deg/s^2": DEGREE, "deg/s²": DEGREE}),
    "pressure": ("Pa", {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "N/mm2": 1e6, "N/mm²": 1e6, "bar": 1e5, "mbar": 1e2}),
    "mass": ("kg", {"kg": 1.0, "g": 1e-3}),
    "energy": ("J", {"J": 1.0, "mJ": 1e-3, "kJ": 1e3}),
    "power": ("W", {"W": 1.0, "mW": 1e-3, "kW": 1e3}),
    "voltage": ("V", {"V": 1.0, "mV": 1e-3, "uV": 1e-6, "µV": 1e-6}),
    "frequency": ("Hz", {"Hz": 1.0, "kHz": 1e3}),
}
UNITS = {kind: units for kind, (_, units) in KINDS.items()}
# unit → (SI, factor); of two kinds that have it the first
TO_SI = {unit: (si, factor) for si, units in reversed(list(KINDS.values())) for unit, factor in units.items()}
