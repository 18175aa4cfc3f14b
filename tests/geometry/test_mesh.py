"""Mesh: lists of points and cells are whole numbers or masks."""
import numpy as np
import pytest

from robotphi.errors import SceneError
from robotphi.geometry.cells import UNIT
from robotphi.geometry.mesh import Mesh

CELLS = {"hexahedron": [np.arange(8)]}


def test_a_mask_names_the_points_and_cells_where_it_holds():
    mesh = Mesh(UNIT["hexahedron"], CELLS, {"top": UNIT["hexahedron"][:, 2] > 0.5}, {"all": {"hexahedron": np.array([True])}})
    assert mesh.regions["top"].tolist() == [4, 5, 6, 7]
    assert mesh.cell_regions["all"]["hexahedron"].tolist() == [0]
    assert mesh.regions["top"].dtype == np.int32


@pytest.mark.parametrize("rows", [[0.5], [0.0, 1.0], ["a"], [True, False], [[0, 1]], [8], [-1]], ids=str)
def test_lists_of_anything_else_are_refused(rows):
    with pytest.raises(SceneError, match="give whole numbers from 0 to 7"):
        Mesh(UNIT["hexahedron"], CELLS, {"some": rows})
