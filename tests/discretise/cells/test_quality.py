"""Quality: volumes and determinants by hand, and every fault of a mesh is seen."""
import numpy as np
import pytest

from robotphi.discretise.cells.quality import (
    cell_volumes,
    conformity,
    corner_volumes,
    dihedral_angles,
    euler_characteristic,
    refuse_folded,
    volume,
)
from robotphi.discretise.shape import discretise
from robotphi.errors import SceneError
from robotphi.geometry.cells import KINDS, UNIT
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.shapes import box

TURNED = [4, 5, 6, 7, 0, 1, 2, 3]    # a hexahedron inside out
WANTED = {"tetrahedron": 1 / 6, "pyramid": 1 / 3, "wedge": 1 / 2, "hexahedron": 1.0}


@pytest.mark.parametrize("kind", sorted(UNIT))
def test_volumes_of_the_unit_cells(kind):
    far = np.array([1e3, 0, 0])
    mesh = Mesh(UNIT[kind] + far, {kind: np.arange(len(UNIT[kind]))[None]})
    assert cell_volumes(mesh)[kind][0] == pytest.approx(WANTED[kind], rel=1e-12)
    assert np.all(corner_volumes(mesh)[kind] > 0)
    assert conformity(mesh) == []
    assert euler_characteristic(mesh) == (2, 1)


def test_a_warped_hexahedron_has_the_volume_of_its_trilinear_map():
    points = UNIT["hexahedron"].copy()
    points[6] += (0.3, -0.2, 0.4)
    # ∫ det J over the unit cube by 3 × 3 × 3 Gauss points, exact for its degree of 2 a direction
    nodes, weights = np.polynomial.legendre.leggauss(3)
    total = 0.0
    for (x, a), (y, b), (z, c) in ((i, j, k) for i in zip(nodes, weights, strict=True) for j in zip(nodes, weights, strict=True)
                                   for k in zip(nodes, weights, strict=True)):
        place, unit = np.array([x, y, z]) / 2 + 0.5, UNIT["hexahedron"].copy()
        shape = np.where(unit == 1, place, 1 - place)
        gradient = np.stack([np.where(unit[:, d] == 1, 1, -1) * np.delete(shape, d, axis=1).prod(axis=1) for d in range(3)])
        total += a * b * c / 8 * np.linalg.det(gradient @ points)
    assert volume(Mesh(points, {"hexahedron": np.arange(8)[None]})) == pytest.approx(total, rel=1e-13)


def test_the_regular_tetrahedron_has_one_dihedral_angle():
    points = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], float)
    for cell in ([0, 1, 2, 3], [0, 2, 1, 3]):
        angles = dihedral_angles(Mesh(points, {"tetrahedron": [cell]}))
        np.testing.assert_allclose(angles, np.degrees(np.arccos(1 / 3)), rtol=1e-12)


def broken(change):
    mesh = discretise(box(1), counts=2)
    points, cells = mesh.points.copy(), mesh.cells["hexahedron"].copy()
    return Mesh(*change(points, cells))


def split_off(points, cells):
    copy = cells.copy()
    copy[0, 6] = len(points)       # the middle of the box once more, for one cell
    return np.concatenate([points, points[cells[0, 6]][None]]), {"hexahedron": copy}


@pytest.mark.parametrize(("change", "said"), [
    (split_off, "stand where another"), (lambda points, cells: (points, {"hexahedron": cells[[0, 0, 1]]}), "same side"),
    (lambda points, cells: (points, {"hexahedron": cells[:4]}), "belong to no cell"),
    (lambda points, cells: (points, {"hexahedron": np.concatenate([cells[:7], cells[7:, TURNED]])}), "same side")])
def test_faults_between_cells_are_seen(change, said):
    assert any(said in problem for problem in conformity(broken(change)))


def test_triangles_against_a_quadrilateral_are_seen():
    five = KINDS["hexahedron"].tetrahedra
    mesh = broken(lambda points, cells: (points, {"hexahedron": cells[1:], "tetrahedron": cells[0][five]}))
    assert volume(mesh) == pytest.approx(1, rel=1e-12)
    assert any("6 triangles lie against halves" in problem for problem in conformity(mesh))


def test_turned_and_flat_cells_are_refused_with_their_place():
    points = UNIT["hexahedron"].copy()
    for wrong in (points[[4, 5, 6, 7, 0, 1, 2, 3]], points * (1, 1, 0)):
        with pytest.raises(SceneError, match="1 cells of kind hexahedron"):
            refuse_folded("here", Mesh(wrong, {"hexahedron": np.arange(8)[None]}), "try again")
