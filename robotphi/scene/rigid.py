"""Rigid primitives at the door: positions, masses and motion in, a checked Rigid out; mass, centre and inertia of points."""
from itertools import permutations

import numpy as np

from robotphi.scene.blocks import Rigid
from robotphi.scene.checks import AXES, axes, floats, frozen, number, numbers, refuse, vector, word
from robotphi.scene.drive import as_drive
from robotphi.scene.motion import as_motion

LARGEST = 1e300  # kg m²: beyond, moments of inertia have no eigenvalues in the range of floats
THIN = 1e-12  # smallest over largest principal moment: below it the particles count as collinear


def rigid_primitive(name, index, particles, position, mass, inertia, centre, velocity, spin, support, rotation_support,
                    drive, duration, massless=False, motion=None):
    where = f"rigid {name!r}"
    held, held_rotation = axes(where, "support", support), axes(where, "rotation_support", rotation_support)
    drive, drive_axis = rigid_drives(where, drive, held, held_rotation, duration)
    velocity, spin = vector(where, "velocity", velocity), vector(where, "spin", spin)
    if motion is not None:
        check_led(where, motion, velocity.any() or spin.any() or held.any() or held_rotation.any() or drive)
    check_still(where, "velocity", velocity, held, drive)
    turning = held_rotation | ("rotation" in drive)
    if (spin[turning] != 0.0).any():
        refuse(where, f"spin is {spin.tolist()} about an axis that is held or driven",
               "give 0 there: the support or the drive decides")
    fixed = motion is not None or (all(h or axis in drive for h, axis in zip(held, AXES, strict=True)) and turning.all())
    if massless and (fixed or mass is not None or inertia is not None):
        refuse(where, "it is massless and has a mass, an inertia, or a support or drive on all axes", "leave one of them out")
    if mass is None and not fixed and not massless:
        refuse(where, "mass is missing", "give the total mass or one mass a particle; only a rigid that is held or "
               "driven on all axes and rotations does without, and one that joints carry, with massless=True")
    if mass is None:
        total, middle, matrix = 0.0, position.mean(axis=0), np.zeros((3, 3))
    else:
        total, middle, matrix = _mass_properties(where, position, mass, centre)
    if centre is not None:
        middle = vector(where, "centre", centre)
    if inertia is not None:
        matrix = given_inertia(where, inertia)
    elif mass is not None:
        _check_thick(where, matrix)
    return Rigid(name=name, index=index, particles=frozen(particles), mass=total, centre=frozen(middle),
                 inertia=frozen(matrix), velocity=velocity, spin=spin, support=frozen(held),
                 rotation_support=frozen(held_rotation), drive=drive, drive_axis=drive_axis, motion=motion)


def check_led(where, motion, otherwise):
    """A body that follows a motion does nothing else."""
    as_motion(where, motion)
    if otherwise:
        refuse(where, "it follows a motion and has a velocity, a spin, a support or a drive as well", "leave these out")


def _mass_properties(where, position, mass, centre):
    count = len(position)
    if np.ndim(mass) == 0:
        mass = np.full(count, number(where, "mass", mass, above=0.0) / count)
    mass = numbers(where, "mass", mass, count, low=0.0)
    if mass.sum() <= 0.0:
        refuse(where, "the masses of its particles add up to zero", "give at least one of them mass")
    return mass_properties(position, mass, None if centre is None else vector(where, "centre", centre))


def _check_thick(where, inertia):
    if not np.isfinite(inertia).all():
        refuse(where, "its inertia is beyond the range of floats", "give smaller masses, or particles nearer to each other")
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] <= THIN * moments[-1]:
        refuse(where, "it has fewer than three particles with mass that do not lie on one line, so no inertia about it",
               "add a particle beside the line or give inertia=(Ixx, Iyy, Izz)")


def given_inertia(where, value):
    """(3, 3) inertia from three moments or a matrix: symmetric, positive definite, I1 + I2 >= I3."""
    matrix = floats(where, "inertia", value)
    if matrix.shape == (3,):
        matrix = np.diag(matrix)
    if matrix.shape != (3, 3):
        refuse(where, f"inertia has shape {matrix.shape}", "give three moments or a 3 x 3 matrix")
    largest = np.abs(matrix).max()
    if largest > LARGEST:
        refuse(where, f"inertia is up to {largest:g} kg m²", f"give at most {LARGEST:g}")
    skew = np.abs(matrix - matrix.T).max()
    if skew > 1e-9 * largest:
        refuse(where, f"inertia is not symmetric (off by {skew:g})", "give (I + I^T)/2")
    matrix = 0.5 * (matrix + matrix.T)
    low, middle, high = np.linalg.eigvalsh(matrix)
    moments = f"principal moments {low:g}, {middle:g}, {high:g}"
    if low <= 0.0:
        refuse(where, f"inertia is not positive definite: {moments}", "all three must be > 0")
    if low + middle < high * (1.0 - 1e-9):
        refuse(where, f"inertia breaks the triangle inequality: {moments}",
               f"none is larger than the sum of the other two; the largest may be {low + middle:g}")
    return matrix


def axis_drives(where, drive, held, duration, allowed=tuple(AXES)):
    """A checked copy of {axis: Drive}; a rotation keeps the pair it came with."""
    if drive is None:
        return {}
    if not isinstance(drive, dict):
        refuse(where, f"drive is {drive!r:.60}", 'give a dictionary such as {"x": Drive.sine(0.1, 2.0)}')
    drives = dict(drive)
    for axis, value in drive.items():
        word(where, "driven axis", axis, allowed)
        if axis == "rotation":
            continue
        drives[axis] = followed_drive(where, f"drive of {axis}", value, duration)
        if held[AXES.index(axis)]:
            refuse(where, f"axis {axis} is both driven and supported", f"take {axis} out of support or out of drive")
    return drives


def followed_drive(where, what, value, duration):
    """The Drive of a primitive, which cannot follow one that jumps."""
    drive = as_drive(where, what, value, duration)
    if drive.jumps:
        problem, remedy = drive.why_jumps
        refuse(where, f"{what} {problem}, and nothing can follow a jump", remedy)
    return drive


def rigid_drives(where, drive, held, held_rotation, duration):
    """Drives by axis, and the unit axis of the driven rotation or None."""
    drives = axis_drives(where, drive, held, duration, (*AXES, "rotation"))
    if "rotation" not in drives:
        return drives, None
    try:
        axis, turn = drives["rotation"]
    except (TypeError, ValueError):
        refuse(where, f"drive of rotation is {drives['rotation']!r:.60}", "give (axis, Drive)")
    if all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in (axis, turn)):
        refuse(where, "drive of rotation is several pairs", "give one (axis, Drive): a rigid is led about one fixed axis; for "
               "rotations about several, lead three of its points by driven particles and springs")
    turn = followed_drive(where, "drive of rotation", turn, duration)
    axis = vector(where, "axis of the driven rotation", axis)
    size = np.linalg.norm(axis)
    if size == 0.0:
        refuse(where, "axis of the driven rotation is zero", "give a direction such as (0, 0, 1)")
    if held_rotation.any():
        refuse(where, "rotation is both driven and supported",
               "leave rotation_support out: a driven rotation holds the other two")
    drives["rotation"] = turn
    return drives, frozen(axis / size)


def check_still(where, what, velocity, held, drive, index=None):
    """No initial velocity along an axis that a support or a drive decides."""
    for i, axis in enumerate(AXES):
        if velocity[i] != 0.0 and (held[i] or axis in drive):
            problem = f"{what} along {axis} is {velocity[i]:g}, but {axis} is {'supported' if held[i] else 'driven'}"
            refuse(where, problem, f"give 0 along {axis}", index)


def mass_properties(position, mass, centre=None):
    """Total mass, centre (3,) and inertia (3, 3) about it: I = Σ m (|r|² 1 − r rᵀ)."""
    total = mass.sum()
    if centre is None:
        centre = mass @ position / total
    r = position - centre
    inertia = np.einsum("i,ij,ij->", mass, r, r) * np.eye(3) - np.einsum("i,ij,ik->jk", mass, r, r)
    return float(total), centre, inertia


def principal_frame(inertia):
    """Principal moments (3,) and rotation (3, 3), principal frame to world, the nearest to no rotation.

    A diagonal inertia keeps its axes exactly; else eigenvectors take the order and the signs that leave them
    closest to the world axes. That is right-handed by itself: the largest sum of |entries| over the orders is above 1,
    and an orthogonal matrix of determinant −1 has a trace of at most 1.
    """
    off_diagonal = np.abs(inertia - np.diag(np.diag(inertia))).max()
    if off_diagonal <= 1e-14 * np.trace(inertia):  # rounding of a symmetric body
        return np.diag(inertia).copy(), np.eye(3)
    moments, vectors = np.linalg.eigh(0.5 * (inertia + inertia.T))
    order = max(permutations(range(3)), key=lambda p: np.abs(vectors[range(3), p]).sum())
    vectors, moments = vectors[:, order], moments[list(order)]
    return moments, vectors * np.where(np.diag(vectors) < 0.0, -1.0, 1.0)
