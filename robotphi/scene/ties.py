"""Ties: a point of a rigid held to a point in the same place, alike in all directions, and damped in all of them.

A spring of length zero has a direction for its pull, −k d, and none for its damper where its ends meet. Six springs of half the
stiffness, from ± r along three axes of the rigid to the point, add up to −k d − μ ḋ for d ≪ r, d and its rate as the rigid sees
them: Σ u uᵀ = 2 over their directions u, and what each is bent by, of the order of d²/r, goes out between opposite ones. Their
forces are those of linear springs: gradients, and both momenta exact.
"""
import numpy as np

from robotphi.scene.blocks import Rigid
from robotphi.scene.checks import indices, number, refuse
from robotphi.scene.joints import rigid_end
from robotphi.scene.objects import Placed
from robotphi.scene.poses import mark_rows
from robotphi.scene.spring_joints import SHARE, add_points


def tie(scene, name, rigid, point, stiffness, viscosity, reach):
    """See `Scene.add_tie`."""
    where = f"tie {name!r}"
    rigid = None if rigid is None else rigid_end(scene, where, "rigid", rigid)
    row = _row(scene, where, point)
    if rigid is not None and scene.rigid_of_particle[row] == rigid.index:
        refuse(where, f"the point belongs to {rigid.name!r} itself", "give a point of something else")
    stiffness, viscosity = number(where, "stiffness", stiffness, low=0.0), number(where, "viscosity", viscosity, low=0.0)
    if stiffness == 0.0 and viscosity == 0.0:
        refuse(where, "stiffness and viscosity are both zero", "give one of them")
    at = scene.position[row]
    if reach is None:
        if rigid is None:
            refuse(where, "a tie to the world without reach", "give reach, well above what it may be pulled apart [m]")
        reach = SHARE * float(np.linalg.norm(scene.position[rigid.particles] - at, axis=1).max())
        if not reach > 0.0:
            refuse(where, f"all particles of {rigid.name!r} are at the point, which tells nothing of its size",
                   "give reach, well above what it may be pulled apart [m]")
    reach = number(where, "reach", reach, above=0.0)
    for part in ("springs", "ends"):
        scene._new_name("tie", f"{name}.{part}")
    ends = add_points(scene, f"{name}.ends", rigid, at + reach * np.concatenate((np.eye(3), -np.eye(3))))
    return scene.add_linear(f"{name}.springs", ends, np.full(6, row), 0.5 * stiffness, viscosity=0.5 * viscosity)


def _row(scene, where, point):
    """The particle that is tied."""
    if isinstance(point, (tuple, list)) and len(point) == 2 and isinstance(point[0], (Rigid, Placed)):
        return int(mark_rows(scene, where, *point)[0])
    return int(np.atleast_1d(indices(where, "point", point, scene.particle_count))[0])
