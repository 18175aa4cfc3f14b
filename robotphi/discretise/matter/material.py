"""Material: what the user says about matter, in SI, what springs can make of it, and what they reach of it in the end."""
import warnings
from dataclasses import dataclass

import numpy as np

from robotphi.discretise.matter.elasticity import isotropic, moduli, orthotropic, rotated
from robotphi.geometry.cells import KINDS
from robotphi.scene.checks import floats, frozen, number, refuse, user_level
from robotphi.scene.saying import made

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


LONG = 3.0    # longest over shortest edge from which cells lock in bending: twice the solid and more
FAR_YOUNG, FAR_POISSON = 0.1, 0.05   # relative and absolute misses that a user is told of at once


def tell_reached(parts, material):
    """E, ν and anisotropy that the cells of a material reach under uniform strain, along its own axes; None without cells.

    Args:
        parts: `cell_springs.Reached` of its kinds of cells.
        material: the Material.
    """
    if not parts:
        return None
    volume = sum(part.volume for part in parts)
    frame = np.eye(3) if material.frame is None else material.frame
    mean = moduli(rotated(sum(part.volume * part.stiffness for part in parts) / volume, frame.T))
    _warn(material, mean)
    return {"young": mean["mean_young"], "poisson": mean["mean_poisson"], "young_of_axes": mean["young"].tolist(),
            "anisotropy": mean["anisotropy"], "mismatch": max(part.mismatch for part in parts),
            "factor": max((part.factor for part in parts), key=lambda each: abs(np.log(each)))}


def tell_sheet(parts, material, poisson):
    """E along two directions in the plane that the facets of a sheet reach, and the largest mismatch of one."""
    volume = sum(part.volume for part in parts)
    stiffness = sum(part.volume * part.stiffness for part in parts) / volume
    young = 1.0 / np.diag(np.linalg.inv(stiffness[np.ix_([0, 1], [0, 1])]))
    if np.abs(young / material.young - 1.0).max() > FAR_YOUNG:
        warnings.warn(f"sheet: its facets reach E = {young[0]:.4g} and {young[1]:.4g} Pa in two directions, wanted "
                      f"{material.young:.4g} (nu {poisson:.3g}); use facets about as long as wide", stacklevel=user_level())
    return {"young_of_axes": young.tolist(), "mismatch": max(part.mismatch for part in parts)}


def tell_length(mesh, volumes):
    """Longest over shortest edge of the cells, of which half of the volume has more; a warning where it is large.

    Args:
        volumes: kind → (c,) m³.
    """
    ratios = []
    for kind in volumes:
        ends = mesh.points[mesh.cells[kind][:, KINDS[kind].edges]]
        square = np.einsum("cei,cei->ce", ends[:, :, 1] - ends[:, :, 0], ends[:, :, 1] - ends[:, :, 0])
        ratios.append(np.sqrt(square.max(axis=1) / square.min(axis=1)))
    ratios, weight = np.concatenate(ratios), np.concatenate(list(volumes.values()))
    order = np.argsort(ratios)
    ratio = float(ratios[order][np.searchsorted(np.cumsum(weight[order]), 0.5 * weight.sum())])
    if ratio > LONG:
        warnings.warn(f"material: cells are {ratio:.2g} times as long as wide and resist bending far more than the solid does "
                      "(see virtual_tests); use cells about as long as wide, or sheet(...) for thin plates",
                      stacklevel=user_level())
    return ratio


def _warn(material, mean):
    wanted = np.broadcast_to(material.young, 3)
    text = ""
    if np.abs(mean["young"] / wanted - 1.0).max() > FAR_YOUNG:
        text = f"its cells reach E = {', '.join(f'{each:.4g}' for each in mean['young'])} Pa along the axes of the material, " \
               f"wanted {', '.join(f'{each:.4g}' for each in wanted)}"
    elif material.poisson is not None and abs(mean["mean_poisson"] - material.poisson) > FAR_POISSON:
        text = f"its cells reach nu = {mean['mean_poisson']:.3f}, wanted {material.poisson:g}"
    if text:
        warnings.warn(f"material: {text}; use cells about as long as wide, along the axes of the material, or tetrahedra",
                      stacklevel=user_level())
