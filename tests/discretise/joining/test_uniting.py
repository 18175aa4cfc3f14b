"""Springs of several materials: sections, yield and hardening of each cell; numbers of particles beyond 21 bits."""
import numpy as np
import pytest

from robotphi.discretise import Material, deformable, discretise
from robotphi.discretise.matter.cell_springs import CellPart, Piece, united
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.shapes import box

SOFT, HARD = 1e5, 1e7


def two_halves():
    """A bar of cubes along x whose right half is a cell region."""
    mesh = discretise(box((4.0, 2.0, 2.0)), counts=(4, 2, 2))
    right = np.flatnonzero(mesh.points[mesh.cells["hexahedron"]].mean(axis=1)[:, 0] > 0)
    return Mesh(mesh.points, mesh.cells, mesh.regions, {"right": {"hexahedron": right}})


def on_side(thing, group, sign):
    """Springs all of whose particles lie on one side of the middle."""
    return (sign * thing.position[group.particles][..., 0] > 1e-9).all(axis=1)


@pytest.mark.parametrize("order", ["soft first", "hard first"])
def test_lines_and_folds_have_the_modulus_of_their_own_cells(order):
    first, second = (SOFT, HARD) if order == "soft first" else (HARD, SOFT)
    thing = deformable(two_halves(), Material(first), materials={"right": Material(second, damping_ratio=0.1)}, angular=True,
                       articular=True)
    for name in ("lines", "folds"):
        group = thing.springs[name]
        left, right = (np.sort(group.stiffness[on_side(thing, group, sign)]) for sign in (-1, 1))
        assert len(left) > 3
        assert np.allclose(right / left, second / first)
        assert (group.viscosity[on_side(thing, group, 1)] > 0).all()
        assert (group.viscosity[on_side(thing, group, -1)] == 0).all()


def test_springs_between_two_materials_yield_with_the_weaker_cell():
    thing = deformable(two_halves(), Material(SOFT, yield_stress=1e3), way="corners",
                       materials={"right": Material(HARD, yield_stress=2e3)})
    group = thing.springs["linear"]
    ends = thing.position[group.particles]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    middle = (np.abs(ends[..., 0]) < 1e-9).all(axis=1)
    strain = group.limit / (group.stiffness * length)
    assert np.allclose(strain[middle], min(1e3 / SOFT, 2e3 / HARD))
    assert np.allclose(strain[on_side(thing, group, -1)], 1e3 / SOFT)


def test_hardening_is_the_slope_of_the_section():
    """σ = σ_y + H ε_p on a section A and a length L: the force grows by H A/L per metre of flow, A = k L/E."""
    thing = deformable(discretise(box((1.0, 1.0, 1.0)), counts=(2, 2, 2)), Material(SOFT, yield_stress=1e3, hardening=2e4))
    group = thing.springs["linear"]
    assert np.allclose(group.hardening, group.stiffness * 2e4 / SOFT)


def test_a_material_of_three_moduli_yields_at_one_stress_along_each_axis():
    thing = deformable(discretise(box((1.0, 1.0, 1.0)), counts=(2, 2, 2)), Material((1e6, 1e6, 4e6), yield_stress=1e4),
                       way="corners")
    group = thing.springs["linear"]
    ends = thing.position[group.particles]
    arm = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(arm, axis=1)
    strain = group.limit / (group.stiffness * length)
    for axis, young in enumerate((1e6, 1e6, 4e6)):
        along = np.abs(arm[:, axis]) > 0.999 * length
        assert np.allclose(strain[along], 1e4 / young)


def test_three_million_particles_keep_their_numbers():
    rows = np.array([[2_999_999, 5, 2_500_000]], np.int32)
    part = CellPart(rows, "triangle", "corners", np.ones(1), np.eye(6), 1.0, None, 0.0)
    piece = Piece(part, np.array([[0, 1, 2], [1, 2, 0]]), np.array([[2.0, 3.0]]), np.zeros(1, int), 1.0)
    made = united(np.zeros((3_000_000, 3)), "angular", [piece])
    found = {(int(c), frozenset((int(a), int(b)))): k for (a, c, b), k in zip(made.particles, made.stiffness, strict=True)}
    assert found == {(5, frozenset((2_999_999, 2_500_000))): 2.0, (2_500_000, frozenset((5, 2_999_999))): 3.0}
