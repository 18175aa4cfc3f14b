"""Sizes: more cells than can be held are refused before they are made, with what would do."""
import re

import numpy as np
import pytest

from robotphi.discretise.cells.division import Division
from robotphi.discretise.cells.facets import polygon_mesh, quad_mesh
from robotphi.discretise.cells.hexahedra import hexahedron_mesh
from robotphi.discretise.cells.layers import layers_mesh
from robotphi.discretise.cells.parts import _expected, plan
from robotphi.discretise.cells.sizes import MOST, fractions, spaced
from robotphi.discretise.cells.sweep import path_mesh, swept_mesh
from robotphi.discretise.shape import discretise
from robotphi.errors import SceneError
from robotphi.geometry.rounds import sphere
from robotphi.geometry.shapes import box, cone, cylinder
from robotphi.geometry.swept import torus

SQUARE, ABOVE = box(1).vertices[:4], box(1).vertices[4:]
SHAPES = {"box": box((1, 2, 3)), "plate": box((1, 1, 1e-4)), "bar": box((1, 1e-4, 1e-4)), "cylinder": cylinder(1, 2, 9),
          "cone": cone(1, 2, 8), "ball": sphere(1, 1), "torus": torus(2, 0.7, 12, 6)}


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_a_size_that_is_too_small_is_refused_with_one_that_does(name):
    for size in (1e-7, 1e-300):
        with pytest.raises(SceneError, match=f"asks for .* cells; there can be {MOST}") as refused:
            discretise(SHAPES[name], size=size)
        enough = float(re.search("at least ([0-9.e-]+) ", str(refused.value)).group(1))
        parts = getattr(SHAPES[name], "parts", [SHAPES[name]])
        division = Division(parts)
        division.count_by_size(1.01 * enough)    # three digits are said
        assert 0.2 * MOST < _expected(parts, [plan(part) for part in parts], division, None) <= MOST


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_the_cells_expected_are_about_those_that_come(name):
    shape = SHAPES[name]
    parts = getattr(shape, "parts", [shape])
    for counts in (3, 6):
        division = Division(parts)
        plans = [plan(part) for part in parts]
        division.count_by_number({(i, int(a), int(b)): counts for i, part in enumerate(parts) for a, b in part.edges})
        made = sum(map(len, discretise(shape, counts=counts).cells.values()))
        assert 0.4 * made <= _expected(parts, plans, division, counts) <= 2.5 * made


@pytest.mark.parametrize("make", [
    lambda: discretise(box(1), counts=10 ** 9), lambda: discretise(sphere(1, 1), counts=(2, 10 ** 9)),
    lambda: discretise(box(1), size=0.1, refine={"top": 1e6}), lambda: discretise(box(1), size=0.1, refine={"top": 1e12}),
    lambda: discretise(box(1), size=1e-4, way="tetgen"), lambda: discretise(box(1), size=1e-4, way="gmsh"),
    lambda: hexahedron_mesh(box(1).vertices, 10 ** 9), lambda: quad_mesh(SQUARE, 10 ** 5),
    lambda: polygon_mesh(SQUARE, 10 ** 5), lambda: polygon_mesh(SQUARE, 4, rings=10 ** 7),
    lambda: swept_mesh(SQUARE, ABOVE, 10 ** 4), lambda: swept_mesh(SQUARE, ABOVE, (10, 10 ** 6)),
    lambda: path_mesh([(0, 0), (1, 0), (0, 1)], [(0, 0, 0), (0, 0, 1)], 10 ** 4),
    lambda: layers_mesh(sphere(1, 1), counts=(2, 10 ** 7)), lambda: layers_mesh(sphere(1, 1), size=1e-5),
    lambda: fractions(10 ** 9), lambda: spaced(lambda s: np.full(len(s), 1e-12))])
def test_counts_beyond_the_limit_are_refused_at_once(make):
    with pytest.raises(SceneError, match=f"that asks for .* cells; there can be {MOST}: "):
        make()


def test_a_refinement_that_takes_no_points_is_refused():
    with pytest.raises(SceneError, match=r"cannot be called with points.*such as lambda points"):
        discretise(box(1), size=0.3, refine=lambda: 1)
