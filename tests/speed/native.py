"""The C side of the measurements: `springs.c` in, a loaded library and the scenes that it steps out."""
import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np

from robotphi.kernels.maths import atan

from .cloth import aligned

SOURCE = Path(__file__).with_name("springs.c")
FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared")  # strict IEEE
_ARRAYS = 17


class CompilerMissing(Exception):
    """No C compiler, or one that cannot build the measure."""


class _Scene(ctypes.Structure):
    """`Scene` of springs.c."""
    _fields_ = [(name, ctypes.c_int64) for name in ("rows", "linear_count", "angular_count")]
    _fields_ += [(f"array{i}", ctypes.c_void_p) for i in range(_ARRAYS)]


class NativeScene:
    """A cloth as the C functions see it, with a state of its own; keeps the arrays alive."""

    def __init__(self, cloth):
        self.position, self.velocity, self.force = (aligned(cloth.position.shape) for _ in range(3))
        linear, angular = cloth.linear, cloth.angular
        self._arrays = (self.position, self.velocity, self.force, cloth.mass, cloth.inverse_mass, cloth.gravity,
                        *linear[:5], *angular[:6])
        self._struct = _Scene(len(self.position), len(linear.first), len(angular.first),
                              *[array.ctypes.data for array in self._arrays])
        self.address = ctypes.addressof(self._struct)


def build_library(folder):
    """Compile springs.c into `folder` and load it; CompilerMissing says what is missing."""
    compiler = shutil.which("gcc")
    if compiler is None:
        raise CompilerMissing("no C compiler: the measure is C code, built when it is needed; "
                              "install gcc (Debian and Ubuntu: apt install gcc libc6-dev) and run this again")
    folder = Path(folder)
    (folder / "atan.h").write_text(atan_header())
    library = folder / "springs.so"
    command = [compiler, *FLAGS, "-I", str(folder), str(SOURCE), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompilerMissing(f"{compiler} cannot build {SOURCE.name}:\n{done.stderr.strip()}")
    loaded = ctypes.CDLL(str(library))
    for name in ("steps_scalar", "steps_lanes"):
        getattr(loaded, name).argtypes = (ctypes.c_void_p, ctypes.c_double, ctypes.c_int64)
        getattr(loaded, name).restype = None
    for name in ("forces_scalar", "forces_lanes"):
        getattr(loaded, name).argtypes = (ctypes.c_void_p,)
        getattr(loaded, name).restype = None
    return loaded


def atan_header():
    """The constants of `robotphi.kernels.atan` for C, digit for digit."""
    constants = {"TAN_PI_8": atan.TAN_PI_8, "TAN_3PI_8": atan.TAN_3PI_8}
    constants |= {f"C{k}": value for k, value in enumerate(atan.COEFFICIENTS)}
    return "".join(f"#define {name} ({value!r})\n" for name, value in constants.items())


def reset(scene, cloth):
    """Back to the initial state of the cloth."""
    np.copyto(scene.position, cloth.position)
    np.copyto(scene.velocity, cloth.velocity)
    scene.force[:] = 0
