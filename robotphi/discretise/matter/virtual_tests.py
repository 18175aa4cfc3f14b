"""Virtual tests: the E, G, ν and bending stiffness that an object's springs make, by static experiments on it.

    uniform strain   energy of all springs when every particle follows: what the fit of the cells aimed at, an upper bound
    strained         its surface follows a uniform strain, inner particles find their rest: six such tests give the moduli
    tension          its two end faces are pulled apart, free to contract: E = F L/(A δ), ν from the contraction
    bending          its end faces are turned against each other: E I = M L/θ, beside E I of the solid section
The last two need a body between two parallel plane ends, such as a bar.
"""
import numpy as np
from scipy import sparse

from robotphi.discretise.matter.cell_springs import CHUNK
from robotphi.discretise.matter.elasticity import angular_response, linear_response, moduli
from robotphi.discretise.matter.stiffness import solve, stiffness_matrix
from robotphi.errors import RobotphiError
from robotphi.geometry.mass_properties import solid_properties
from robotphi.scene.checks import AXES, refuse, word
from robotphi.scene.objects import Object

PLANE = 1e-6   # of the length: particles this near to an end belong to it


def uniform_stiffness(thing):
    """(6, 6) Pa: energy of the springs of an Object under uniform strain, all particles following, per volume."""
    total = np.zeros((6, 6))
    for group in thing.springs.values():
        for start in range(0, len(group), CHUNK):
            corners = group.particles[start:start + CHUNK]
            places = thing.position[corners]
            if group.kind == "linear":
                response = linear_response(places[:, 1] - places[:, 0])
            elif group.kind == "angular":
                p, q = places[:, 0] - places[:, 1], places[:, 2] - places[:, 1]
                bent = np.linalg.norm(np.cross(p, q), axis=1) > 1e-6 * np.linalg.norm(p, axis=1) * np.linalg.norm(q, axis=1)
                response = np.zeros((len(p), 6))
                response[bent] = angular_response(p[bent], q[bent])  # straight ones stay straight
            else:
                continue  # folds of the surface are no part of the material inside
            total += response.T @ (group.stiffness[start:start + CHUNK, None] * response)
    return total / volume(thing)


def volume(thing):
    """Volume of the cells of an Object [m³], as its surface bounds it."""
    if not isinstance(thing, Object):
        refuse("virtual test", f"it is {thing!r:.60}", "give what deformable(...) returned")
    if not thing.cells:
        raise RobotphiError("the object has no volume cells to test; virtual tests are for what deformable(...) makes")
    return solid_properties(thing.position, thing.facets).volume


def strained_stiffness(thing):
    """(6, 6) Pa: the surface follows a uniform strain, the inside comes to rest."""
    count = len(thing.position)
    held = np.zeros(count, bool)
    held[np.unique(thing.facets)] = True
    imposed = np.stack([(thing.position @ strain).ravel() for strain in unit_strains()], axis=1)
    matrix = stiffness_matrix(thing)
    moved = solve(matrix, np.zeros(imposed.shape), np.repeat(held, 3), imposed)
    return moved.T @ (matrix @ moved) / volume(thing)


def unit_strains():
    """Six symmetric (3, 3) strains, Mandel's unit vectors."""
    root = np.sqrt(0.5)
    units = []
    for i, j in ((0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1)):
        unit = np.zeros((3, 3))
        unit[i, j] = unit[j, i] = 1.0 if i == j else root
        units.append(unit)
    return units


class Bar:
    """An object seen as a bar between two plane ends across one axis."""

    def __init__(self, thing, axis=None):
        volume(thing)
        box = np.ptp(thing.position, axis=0)
        letter = AXES[int(np.argmax(box))] if axis is None else word("virtual test", "axis", axis, tuple(AXES))
        self.thing, self.axis = thing, AXES.index(letter)
        self.length = float(box[self.axis])
        along = thing.position[:, self.axis]
        self.ends = [np.flatnonzero(np.abs(along - value) <= PLANE * self.length) for value in (along.min(), along.max())]
        if any(len(end) < 3 for end in self.ends):
            raise RobotphiError(f"the object has no plane end faces across {'xyz'[self.axis]}; test the material on a bar")
        self.across = [i for i in range(3) if i != self.axis]
        self._check_prism(along)
        properties = solid_properties(thing.position, thing.facets)
        self.section = properties.volume / self.length
        self.centre = properties.centre
        # ∫ z² dV of a prism over its length is its second moment of area
        spread = 0.5 * np.trace(properties.inertia) - np.diag(properties.inertia)
        self.second_moment = {i: float(spread[i] / self.length) for i in self.across}
        self.matrix = stiffness_matrix(thing)

    def _check_prism(self, along):
        """The two ends of a prism have the area of its mean section."""
        section = volume(self.thing) / self.length
        for value in (along.min(), along.max()):
            facets = self.thing.facets[(np.abs(along[self.thing.facets] - value) <= PLANE * self.length).all(axis=1)]
            corners = self.thing.position[facets]
            area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()
            if abs(area - section) > 0.01 * section:
                raise RobotphiError(f"the object is no bar along {'xyz'[self.axis]}: an end face has {area:.3g} m², its mean "
                                    f"section {section:.3g} m²; test the material on a bar")

    def solved(self, displacement):
        """Displacements when the ends move along the axis as given (n,), sliding freely across; rigid motion held off.

        One particle is held across the axis. Another, far from it, is tied by one spring against turning about it: since
        nothing turns the body, that spring stays without force whatever its stiffness.
        """
        count = len(self.thing.position)
        held = np.zeros((count, 3), bool)
        held[np.concatenate(self.ends), self.axis] = True
        values = np.zeros((count, 3))
        values[:, self.axis] = displacement
        at = self.thing.position[self.ends[0]][:, self.across]
        low = self.ends[0][0]
        held[low, self.across] = True
        arm = at - at[0]
        far = int(np.argmax(np.einsum("ei,ei->e", arm, arm)))
        against = np.zeros(3 * count)
        turning = np.array([-arm[far, 1], arm[far, 0]]) / np.linalg.norm(arm[far])
        against[3 * self.ends[0][far] + np.array(self.across)] = turning
        tie = sparse.csr_array(against[None])
        matrix = self.matrix + self.matrix.diagonal().mean() * (tie.T @ tie)
        moved = solve(matrix.tocsr(), np.zeros((3 * count, 1)), held.ravel(), values.reshape(-1, 1))[:, 0]
        return moved, float(moved @ (self.matrix @ moved))


def tension(thing, axis=None):
    """{"young", "poisson"} of a bar pulled along its longest axis (or the one given, "x", "y" or "z") by 1 of its length."""
    bar = Bar(thing, axis)
    along = thing.position[:, bar.axis]
    moved, twice_energy = bar.solved(along - along.min())
    strains = []
    for side in bar.across:
        places = np.column_stack((thing.position, np.ones(len(thing.position))))
        strains.append(np.linalg.lstsq(places, moved.reshape(-1, 3)[:, side], rcond=None)[0][side])
    return {"young": twice_energy / (bar.section * bar.length), "poisson": -float(np.mean(strains)),
            "poisson_of_sides": [-float(each) for each in strains], "axis": "xyz"[bar.axis]}


def bending(thing, axis=None):
    """{"ratio"}: bending stiffness of a bar over E I of its solid section with E of its own tension test."""
    bar = Bar(thing, axis)
    young = tension(thing, AXES[bar.axis])["young"]
    found = {}
    for side in bar.across:
        lever = thing.position[:, side] - bar.centre[side]
        along = (thing.position[:, bar.axis] - thing.position[:, bar.axis].min()) / bar.length
        _, twice_energy = bar.solved(lever * (along - 0.5))  # a unit angle between the ends
        found["xyz"[side]] = twice_energy * bar.length / (young * bar.second_moment[side])
    return {"ratio": found, "axis": "xyz"[bar.axis]}


def virtual_tests(thing, axis=None):
    """All tests that an Object allows: plain numbers by name of the test."""
    volume(thing)
    found = {"uniform strain": _plain(moduli(uniform_stiffness(thing))), "strained": _plain(moduli(strained_stiffness(thing)))}
    try:
        found |= {"tension": tension(thing, axis), "bending": bending(thing, axis)}
    except RobotphiError as reason:
        found["not run"] = str(reason)
    return found


def describe_tests(tests, material=None):
    """Lines of text for people: what was wanted, what each test gave."""
    lines = ["test             E [Pa]        nu        G [Pa]        anisotropy"]
    if material is not None and isinstance(material.young, float):
        poisson = 0.25 if material.poisson is None else material.poisson
        shear = material.young / (2 * (1 + poisson))
        lines.append(f"{'wanted':15s}  {material.young:<12.6g}  {poisson:<8.4f}  {shear:<12.6g}")
    for name in ("uniform strain", "strained"):
        one = tests[name]
        shear = np.mean(list(one["shear"].values()))
        lines.append(f"{name:15s}  {one['mean_young']:<12.6g}  {one['mean_poisson']:<8.4f}  {shear:<12.6g}"
                     f"  {one['anisotropy']:.2e}")
    if "tension" in tests:
        lines.append(f"{'tension':15s}  {tests['tension']['young']:<12.6g}  {tests['tension']['poisson']:<8.4f}")
        lines += [f"bending          E I is {ratio:.4f} of the solid section's, bent towards {side}"
                  for side, ratio in tests["bending"]["ratio"].items()]
    return lines


def _plain(values):
    """Numbers of ours as JSON has them."""
    if isinstance(values, dict):
        return {name: _plain(one) for name, one in values.items()}
    return np.asarray(values).tolist()
