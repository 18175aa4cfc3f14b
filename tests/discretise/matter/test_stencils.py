"""Springs across faces: who stands behind a face, and what tetrahedra and wedges gain by them."""
import numpy as np
import pytest

from robotphi.discretise import Material, deformable, discretise
from robotphi.discretise.matter.elasticity import moduli
from robotphi.discretise.matter.stencils import crossings, neighbour_columns
from robotphi.discretise.matter.virtual_tests import strained_stiffness, tension
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.shapes import box

YOUNG = 1e5
KUHN = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]  # a cube along its diagonal


def cut_block(kind, cells=3):
    """A bar of cubes, each cut into tetrahedra or wedges."""
    mesh = discretise(box((2.0, 1.0, 1.0)), counts=(2 * cells, cells, cells))
    rows = mesh.cells["hexahedron"]
    cuts = KUHN if kind == "tetrahedron" else [(0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7)]
    return Mesh(mesh.points, {kind: np.concatenate([rows[:, list(cut)] for cut in cuts])})


def test_two_tetrahedra_see_each_other_and_nobody_else():
    behind = neighbour_columns(np.array([[0, 1, 2, 3], [2, 1, 0, 4]]), "tetrahedron", 5)
    faces, own, _ = crossings("tetrahedron")
    seen = [sorted(set(one) - {row}) for one, row in zip(behind.tolist(), (3, 4), strict=True)]
    assert 4 in seen[0]
    assert 3 in seen[1]
    # everywhere else stands the own corner opposite to the face, a spring without length
    assert (behind[0] == np.array([0, 1, 2, 3])[own[:, 0]]).sum() == 3
    assert len(faces) == 4


def test_wedges_see_the_edge_behind_their_quadrilaterals():
    behind = neighbour_columns(np.array([[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 6, 7]]), "wedge", 8)
    assert {3, 7} <= set(behind[0].tolist())
    assert {1, 5} <= set(behind[1].tolist())


def test_hexahedra_need_none():
    assert crossings("hexahedron") is None


@pytest.mark.parametrize(("kind", "anisotropy"), [("tetrahedron", 0.05), ("wedge", 0.001)])
def test_halved_blocks_reach_their_material_with_linear_springs_alone(kind, anisotropy):
    """Without springs across, tetrahedra along the cube's diagonal have ν = 0.06 and 20 % of anisotropy (measured)."""
    thing = deformable(cut_block(kind), Material(YOUNG))
    found = moduli(strained_stiffness(thing))
    assert set(thing.springs) == {"linear"}
    assert found["mean_young"] == pytest.approx(YOUNG, rel=1e-3)
    assert found["mean_poisson"] == pytest.approx(0.25, abs=1e-3)
    assert found["anisotropy"] < anisotropy
    assert tension(thing)["young"] == pytest.approx(YOUNG, rel=0.025)


def test_a_lattice_filling_has_its_modulus_in_tension():
    """Cells at the surface have no neighbour to lean on: 1.6 % softer with four cells across (measured), less with more."""
    found = tension(deformable(discretise(box((2.0, 1.0, 1.0)), size=0.25, way="lattice"), Material(YOUNG)))
    assert found["young"] == pytest.approx(YOUNG, rel=0.03)
    assert found["poisson"] == pytest.approx(0.25, abs=0.03)
