"""Overlap: parts that touch are told from parts that share a volume."""
import numpy as np
import pytest

from robotphi.geometry.overlap import overlap
from robotphi.geometry.rounds import sphere
from robotphi.geometry.shapes import box, cylinder
from robotphi.geometry.swept import torus, tube
from robotphi.geometry.terrain import height_field_parts

GROUND = height_field_parts(np.random.default_rng(0).uniform(1, 2, (12, 9)), (3, 4), 0)


@pytest.mark.parametrize("shape", [torus(1, 0.3), tube(1, 0.6, 2, 30), GROUND], ids=["torus", "tube", "ground"])
def test_parts_that_meet_facet_to_facet_do_not_overlap_however_they_are_turned(shape):
    frame = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    for scale in (1e-6, 1.0, 1e6):
        assert overlap(shape.transformed(scale * frame, (scale, 0, 3 * scale)).parts) is None


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_first_pair_that_overlaps_is_named(scale):
    parts = [box(1, (5, 0, 0)), cylinder(1, 1, 9), box(1, (-5, 0, 0)), sphere(1, 1, (0, 0, 1.45))]
    assert overlap([part.transformed(scale * np.eye(3)) for part in parts]) == (1, 3)
    assert overlap(parts[:3]) is None


def test_crossed_bars_overlap_although_no_vertex_lies_in_the_other():
    assert overlap((box((10, 1, 1)), box((1, 10, 1)))) == (0, 1)
    assert overlap((box(1), box(1))) == (0, 1)


def test_edges_that_pass_each_other_need_more_than_planes_of_facets():
    turn = np.linalg.qr(np.array([[1, 1, 0], [-1, 1, 0], [0, 0, 1.0]]))[0]
    bar = box((10, 1, 1)).transformed(np.array([[1, 0, 0], [0, np.sqrt(0.5), -np.sqrt(0.5)], [0, np.sqrt(0.5), np.sqrt(0.5)]]))
    for gap, wanted in ((1e-6, None), (-1e-6, (0, 1))):
        other = bar.transformed(turn @ np.eye(3), (0, 0, np.sqrt(2) + gap))
        assert overlap((bar, other)) == wanted
