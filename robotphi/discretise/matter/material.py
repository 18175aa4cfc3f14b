"""Material: what the user says about matter, in SI, and what springs can make of it."""
from dataclasses import dataclass

import numpy as np

from robotphi.discretise.matter.elasticity import isotropic, orthotropic, rotated
from robotphi.scene.checks import floats, frozen, number, refuse
from robotphi.scene.statements import made

WHERE = "material"
SOFTEST, STIFFEST = 1e-6, 1e15  # Pa; diamond has 1e12
SOLID_POISSON, SHEET_POISSON = 0.25, 1.0 / 3.0  # what linear springs alone reach in space and in a plane


@made
@dataclass(frozen=True, eq=False)
class Material:
    """A homogeneous material.

    Args:
        young: Young's modulus [Pa]; or three, along the axes of `frame` (then ν_ij = ν √(E_i/E_j), G_ij = √(E_i E_j)/2.5).
        poisson: ratio; what linear springs alone reach where left out, 1/4 in a solid and 1/3 in a sheet. Down to 0 angular
            springs at the corners of the cells help; more than that cannot be reached by springs that push and pull.
        density: [kg/m³].
        damping_ratio: share of critical damping at `damping_frequency`; viscosities are β × stiffness, β = ζ/(π f).
        damping_frequency: [Hz]; where left out, that of the object's first lengthwise vibration, √(E/ρ)/(2 × its longest side).
        yield_stress: [Pa] at which its springs begin to flow, each at the force yield_stress × its section.
        hardening: [Pa], slope of the stress over the plastic strain.
        frame: (3, 3) with the material's axes as columns; the world's where left out.
    """
    young: float | tuple
    poisson: float | None = None
    density: float = 1000.0
    damping_ratio: float = 0.0
    damping_frequency: float | None = None
    yield_stress: float | None = None
    hardening: float = 0.0
    frame: np.ndarray | None = None

    def __post_init__(self):
        young = floats(WHERE, "young", self.young)
        if young.shape not in ((), (3,)) or not ((young >= SOFTEST) & (young <= STIFFEST)).all():
            refuse(WHERE, f"young is {self.young!r:.60}",
                   f"give one modulus from {SOFTEST:g} to {STIFFEST:g} Pa, or three, along the axes of the material")
        object.__setattr__(self, "young", float(young) if young.ndim == 0 else tuple(young.tolist()))
        if self.poisson is not None:
            number(WHERE, "poisson", self.poisson, above=-1.0, high=0.5)
        number(WHERE, "density", self.density, above=0.0)
        number(WHERE, "damping_ratio", self.damping_ratio, low=0.0)
        number(WHERE, "hardening", self.hardening, low=0.0)
        for what in ("damping_frequency", "yield_stress"):
            if getattr(self, what) is not None:
                number(WHERE, what, getattr(self, what), above=0.0)
        if self.hardening and self.yield_stress is None:
            refuse(WHERE, f"hardening {self.hardening:g} Pa without a yield_stress", "give one or leave it out")
        if self.frame is not None:
            frame = floats(WHERE, "frame", self.frame)
            if frame.shape != (3, 3) or np.abs(frame.T @ frame - np.eye(3)).max() > 1e-9:
                refuse(WHERE, f"frame is {self.frame!r:.60}", "give three unit vectors at right angles as columns of (3, 3)")
            object.__setattr__(self, "frame", frozen(frame))

    @property
    def mean_young(self):
        """Geometric mean of the moduli [Pa]."""
        return float(np.exp(np.mean(np.log(np.atleast_1d(self.young)))))

    def solid_stiffness(self):
        """(6, 6) Pa, Mandel's, in the world frame."""
        poisson = self._reachable("a solid", SOLID_POISSON)
        if isinstance(self.young, float):
            return isotropic(self.young, poisson)
        if poisson != SOLID_POISSON:
            refuse(WHERE, f"poisson {poisson:g} beside three moduli", "leave poisson out: springs along the axes make 1/4")
        return rotated(orthotropic(self.young), np.eye(3) if self.frame is None else self.frame)

    def sheet_poisson(self):
        """ν of a sheet of this material."""
        if not isinstance(self.young, float):
            refuse(WHERE, f"a sheet with the moduli {self.young}", "give one modulus for a sheet")
        return self._reachable("a sheet", SHEET_POISSON)

    def needs_angles(self, poisson_of_linear):
        """Whether angular springs at the corners of the cells are needed for this ν."""
        return self.poisson is not None and poisson_of_linear - self.poisson > 1e-12

    def damping_time(self, longest):
        """β [s], viscosity over stiffness, in an object with the given longest side [m]."""
        frequency = self.damping_frequency or np.sqrt(self.mean_young / self.density) / (2.0 * longest)
        return self.damping_ratio / (np.pi * frequency)

    def _reachable(self, body, most):
        poisson = most if self.poisson is None else self.poisson
        if not -1e-12 <= poisson <= most + 1e-12:
            shear = ""
            if isinstance(self.young, float):
                young = self.young * (1 + most) / (1 + poisson)
                shear = f"; to keep the shear modulus {self.young / (2 * (1 + poisson)):.6g} Pa, young={young:.6g} with it"
            refuse(WHERE, f"poisson {poisson:g} cannot be reached in {body} by springs of positive stiffness",
                   f"use 0 to {most:.4g}, or leave it out for {most:.4g}{shear}")
        return min(max(poisson, 0.0), most)


@made
@dataclass(frozen=True, eq=False)
class SectionMaterial:
    """The report's way: a spring of length l has the stiffness λ0/l and the viscosity μ0/l, whatever the section around it.

    Args:
        linear_stiffness: λ0 of linear springs [N]; linear_viscosity: μ0 [N·s].
        angular_stiffness: λ0 of angular and articular springs [N·m²/rad]; angular_viscosity: μ0 [N·m²·s/rad].
        density: [kg/m³].
    """
    linear_stiffness: float
    linear_viscosity: float = 0.0
    angular_stiffness: float = 0.0
    angular_viscosity: float = 0.0
    density: float = 1000.0

    def __post_init__(self):
        number(WHERE, "density", self.density, above=0.0)
        number(WHERE, "linear_stiffness", self.linear_stiffness, above=0.0)
        for what in ("linear_viscosity", "angular_stiffness", "angular_viscosity"):
            number(WHERE, what, getattr(self, what), low=0.0)
