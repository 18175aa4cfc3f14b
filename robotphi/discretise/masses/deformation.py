"""Deformations to judge a discretisation by: named ones, functions, deformed points; inner particles go with their cells."""
import numpy as np

from robotphi.discretise.masses.moments import CHUNK
from robotphi.geometry.cells import KINDS, UNIT
from robotphi.scene.checks import AXES, floats, number, refuse, word

WHERE = "deformation"
NAMES = ("stretch", "shear", "twist", "bend")
# every kind as a hexahedron some of whose corners fall together: one trilinear map serves all
AS_HEXAHEDRON = {"tetrahedron": (0, 1, 2, 2, 3, 3, 3, 3), "pyramid": (0, 1, 2, 3, 4, 4, 4, 4),
                 "wedge": (0, 1, 2, 2, 3, 4, 5, 5), "hexahedron": tuple(range(8))}
HIGH = UNIT["hexahedron"] > 0.0    # ends of the cube at its corners, along each axis
ROUNDS = 20        # of Newton; three to five are usual


def deformation_of(points, given):
    """A function x → x' of (n, 3) points from what the user gave.

    Args:
        points: the body at rest, (n, 3); named deformations are about the middle of its box.
        given: a function of (n, 3) points, or one of
            {"stretch": strain, "axis": "x"}       longer by this part of its length
            {"shear": slope, "axis": "x", "across": "y"}    along the axis, in proportion to the place across
            {"twist": angle, "axis": "x"}          [rad] from one end to the other
            {"bend": angle, "axis": "x", "across": "y"}     [rad] from one end to the other, towards `across`
            "across" may be left out: the axis that follows.
    """
    if callable(given):
        return given
    if not isinstance(given, dict):
        refuse(WHERE, f"it is {given!r:.60}", 'give a function, points, or a named one such as {"bend": 0.3, "axis": "x"}')
    names = [name for name in given if name not in ("axis", "across")]
    if len(names) != 1:
        refuse(WHERE, f"it names {names}", f"give one of {', '.join(NAMES)}")
    name = word(WHERE, "name", names[0], NAMES)
    amount = number(WHERE, name, given[name])
    axis = AXES.index(word(WHERE, "axis", given.get("axis", "x"), tuple(AXES)))
    across = AXES.index(word(WHERE, "across", given.get("across", AXES[(axis + 1) % 3]), tuple(AXES)))
    if across == axis:
        refuse(WHERE, f"axis and across are both {AXES[axis]}", "give two axes")
    if name == "stretch" and amount <= -1.0:
        refuse(WHERE, f"stretch is {amount:g}", "it must be > -1")
    low, high = points.min(axis=0), points.max(axis=0)
    return _named(name, amount, axis, across, (low + high) / 2, high[axis] - low[axis])


def _named(name, amount, axis, across, middle, length):
    def stretch(x):
        x[:, axis] *= 1.0 + amount

    def shear(x):
        x[:, axis] += amount * x[:, across]

    def twist(x):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        angle = amount * x[:, axis] / length
        x[:, first], x[:, second] = (np.cos(angle) * x[:, first] - np.sin(angle) * x[:, second],
                                     np.sin(angle) * x[:, first] + np.cos(angle) * x[:, second])

    def bend(x):
        # the line through the middle becomes an arc of its own length, cross sections stay plane and at right angles to it
        angle = amount * x[:, axis] / length
        arc = x[:, axis] * np.sinc(angle / np.pi)
        rise = x[:, axis] * np.sinc(angle / (2 * np.pi)) * np.sin(angle / 2)
        x[:, axis], x[:, across] = arc - x[:, across] * np.sin(angle), rise + x[:, across] * np.cos(angle)

    change = {"stretch": stretch, "shear": shear, "twist": twist, "bend": bend}[name]

    def move(points):
        places = np.array(points, float) - middle
        change(places)
        return places + middle

    return move


def deformed_positions(position, cells, given):
    """(n, 3) positions of all particles: corners and free ones by the deformation, inner ones with their cells.

    Args:
        position: particles at rest, (n, 3).
        cells: kind → (c, corners + inner) rows of particles.
        given: see `deformation_of`; or deformed places of the first particles, the mesh's points at least.
    """
    within = [rows[:, KINDS[kind].corners:].ravel() for kind, rows in cells.items()]
    inner = np.unique(np.concatenate([np.empty(0, np.int32), *within]))
    if callable(given) or isinstance(given, dict):
        moved = floats(WHERE, "deformed places", deformation_of(position, given)(position.copy()))
        if moved.shape != position.shape:
            refuse(WHERE, f"the function gives an array of shape {moved.shape}", f"it must give {position.shape}")
    else:
        places = floats(WHERE, "deformed places", given)
        fewest = len(position) - len(inner)
        if places.ndim != 2 or places.shape[1] != 3 or not fewest <= len(places) <= len(position):
            refuse(WHERE, f"deformed places have shape {places.shape}", f"give rows of three numbers for {fewest} points")
        moved = position.copy()
        moved[:len(places)] = places
        lost = np.setdiff1d(np.arange(len(places), len(position)), inner)
        if len(lost):
            refuse(WHERE, f"particle {lost[0]} is in no cell and no place is given for it", f"give {len(position)} places")
    return carried(position, cells, moved)


def carried(position, cells, moved):
    """`moved` with the inner particles of every cell at the natural coordinates that they have in `position`."""
    moved = moved.copy()
    for kind, rows in cells.items():
        corners, inner = rows[:, :KINDS[kind].corners][:, AS_HEXAHEDRON[kind]], rows[:, KINDS[kind].corners:]
        for column in range(inner.shape[1]):
            for first in range(0, len(rows), CHUNK):
                some = slice(first, first + CHUNK)
                which = inner[some, column]
                moved[which] = _follow(position[corners[some]], position[which], moved[corners[some]])
    return moved


def _follow(corners, places, moved):
    """Places (c, 3) in cells (c, 8, 3) whose corners have moved: Σ N(ξ) x = place, solved for ξ by Newton's way.

    What Newton leaves, which is rounding unless the place lies outside a warped cell, is carried along unchanged.
    """
    natural = np.full(places.shape, 0.5)
    size = np.ptp(corners, axis=1).max()
    for _ in range(ROUNDS):
        weights, slopes = _trilinear(natural)
        missing = places - np.einsum("ck,ckx->cx", weights, corners)
        if np.abs(missing).max() < 1e-15 * size:
            break
        step = np.linalg.solve(np.einsum("ckx,cka->cxa", corners, slopes), missing[..., None])[..., 0]
        natural = np.clip(natural + step, -0.5, 1.5)
    weights, _ = _trilinear(natural)
    return places + np.einsum("ck,ckx->cx", weights, moved - corners)


def _trilinear(natural):
    """Weights (c, 8) and their slopes (c, 8, 3) at natural coordinates within 0 to 1, (c, 3)."""
    factor = np.where(HIGH, natural[:, None], 1.0 - natural[:, None])
    slope = np.where(HIGH, 1.0, -1.0)
    products = [factor[..., 1] * factor[..., 2], factor[..., 2] * factor[..., 0], factor[..., 0] * factor[..., 1]]
    return factor[..., 0] * products[0], np.stack([slope[:, a] * products[a] for a in range(3)], axis=2)
