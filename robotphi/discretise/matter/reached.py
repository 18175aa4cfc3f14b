"""Reached: what the springs of a material make of it, in plain values, with a warning where that is something else."""
import warnings

import numpy as np

from robotphi.discretise.matter.elasticity import moduli, rotated
from robotphi.geometry.cells import KINDS
from robotphi.scene.checks import user_level

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
