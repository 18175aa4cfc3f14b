"""Shape: the front door chooses the way, touching parts agree, regions have names, refinement goes where it is asked."""
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial import cKDTree

from robotphi.discretise.cells.quality import conformity, corner_volumes, euler_characteristic, volume
from robotphi.discretise.shape import discretise
from robotphi.errors import SceneError
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.polyhedron import Compound, Polyhedron
from robotphi.geometry.rounds import capsule, sphere, uv_sphere
from robotphi.geometry.shapes import box, cone, cylinder, prism
from robotphi.geometry.swept import swept, torus, tube
from robotphi.geometry.terrain import height_field_parts

GROUND = height_field_parts(np.random.default_rng(0).uniform(1, 2, (4, 5)), (3, 4), 0)
BENT = swept([(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)], [(0, 0, 0), (1, 0, 0), (1.5, 0.5, 0), (1.5, 0.5, 1)])
SHAPES = {"box": box((1, 2, 3)), "prism": prism([(0, 0), (2, 0), (0, 1)], 1), "cylinder": cylinder(1, 2, 9),
          "frustum": cone(1, 2, 8, top_radius=0.5), "cone": cone(1, 2, 8), "icosphere": sphere(1, 1),
          "uv sphere": uv_sphere(1, 8, 6), "capsule": capsule(0.5, 1, 8, 4), "torus": torus(2, 0.7, 12, 6),
          "tube": tube(1, 0.5, 2, 8), "ground": GROUND, "bent": BENT,
          "two boxes": Compound((box((1, 2, 3)), box((1, 2, 1), (0, 0, 2)))),
          "mixed": Compound((cylinder(1, 2, 6), cone(1, 1, 6, 0.0, (0, 0, 1.5))))}
HOLED = ("torus", "tube")
KINDS = {"box": {"hexahedron"}, "cylinder": {"wedge", "hexahedron"}, "tube": {"hexahedron"}, "torus": {"wedge", "hexahedron"},
         "icosphere": {"wedge", "tetrahedron"}, "ground": {"wedge", "hexahedron"}}


@pytest.mark.parametrize("more", [{"size": 0.6}, {"counts": 2}, {"way": "rigid"}, {"way": "layers", "size": 0.8}], ids=str)
@pytest.mark.parametrize("name", sorted(SHAPES))
def test_every_shape_is_filled_without_gaps_and_doubled_points(name, more):
    shape = SHAPES[name]
    mesh = discretise(shape, **more)
    assert conformity(mesh) == []
    assert min(each.min() for each in corner_volumes(mesh).values()) > 0
    assert volume(mesh) == pytest.approx(shape.volume, rel=1e-12)
    assert euler_characteristic(mesh) == ((0, 0) if name in HOLED else (2, 1))


@pytest.mark.parametrize("name", sorted(KINDS))
def test_the_way_follows_from_the_shape(name):
    assert set(discretise(SHAPES[name], size=0.8).cells) <= KINDS[name]


@pytest.mark.parametrize("name", ["torus", "tube"])
def test_compounds_keep_their_symmetry(name):
    points = discretise(SHAPES[name], size=0.6).points
    for mirror in ((1, 1, -1), (1, -1, 1), (-1, 1, 1)):
        assert cKDTree(points).query(points * mirror)[0].max() < 1e-13


def test_parts_of_a_compound_keep_their_cells_and_inner_facets_have_no_region():
    mesh = discretise(SHAPES["two boxes"], size=0.5)
    assert sorted(mesh.cell_regions) == ["part 0", "part 1"]
    for index, part in enumerate(SHAPES["two boxes"].parts):
        rows = mesh.cells["hexahedron"][mesh.cell_regions[f"part {index}"]["hexahedron"]]
        assert volume(Mesh(mesh.points, {"hexahedron": rows})) == pytest.approx(part.volume, rel=1e-12)
    # the shared facet at z = 1.5 is the top of one and the bottom of the other: not a region any more
    np.testing.assert_allclose(mesh.points[mesh.regions["top"], 2], 2.5, atol=1e-12)
    np.testing.assert_allclose(mesh.points[mesh.regions["bottom"], 2], -1.5, atol=1e-12)
    assert len(mesh.regions["left"]) == 5 * 9


def test_groups_of_facets_are_regions_too():
    mesh = discretise(cylinder(1, 2, 6), counts=(2, 3))
    assert set(mesh.regions) == {"top", "bottom", "side", *(f"side {i}" for i in range(6))}
    assert np.array_equal(mesh.regions["side"], np.unique(np.concatenate([mesh.regions[f"side {i}"] for i in range(6)])))
    assert len(mesh.regions["side"]) == 12 * 4


def test_sizes_agree_where_large_and_small_parts_touch():
    # the longest edge of a family decides: 3 m of the frustum's bottom give the cells of its short top, too
    parts = Compound((cone(1.5, 1, 6, 0.5), cylinder(0.5, 1, 6, (0, 0, 1))))
    mesh = discretise(parts, size=0.5)
    assert conformity(mesh) == []
    assert volume(mesh) == pytest.approx(parts.volume, rel=1e-12)


def test_parts_that_touch_but_share_no_whole_facet_are_refused():
    with pytest.raises(SceneError, match="not the same facet"):
        discretise(Compound((box(2), box(1, (0, 0, 1.5)))), size=0.5)


def test_parts_that_only_lie_in_one_plane_or_meet_in_an_edge_are_taken():
    apart = discretise(Compound((box(1), box(1, (3, 0, 1)))), size=0.5)
    assert conformity(apart) == []
    assert volume(apart) == pytest.approx(2, rel=1e-12)


def test_counts_that_contradict_each_other_where_parts_touch_are_refused():
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]], float)
    turned = box(1).transformed(turn, (1, 0, 0))
    with pytest.raises(SceneError, match=r"counts (3 and 2|2 and 3)"):
        discretise(Compound((box(1), turned)), counts=(2, 3, 4))


def test_gradings_that_contradict_each_other_where_parts_touch_are_refused():
    turned = box(1).transformed(np.diag([-1.0, -1.0, 1.0]), (1, 0, 0))
    with pytest.raises(SceneError, match="divided differently"):
        discretise(Compound((box(1), turned)), counts=3, grading={"y": 2})


@pytest.mark.parametrize("name", ["box", "cylinder", "tube", "two boxes"])
def test_a_region_is_refined_and_the_mesh_still_conforms(name):
    shape = SHAPES[name]
    plain, fine = discretise(shape, size=0.8), discretise(shape, size=0.8, refine={"top": 4})
    assert conformity(fine) == []
    assert volume(fine) == pytest.approx(shape.volume, rel=1e-12)
    steps = np.diff(np.unique(np.round(fine.points[:, 2], 9)))
    assert steps[-1] < 0.3
    assert steps[-1] < 0.5 * steps[0]
    assert len(fine.points) > len(plain.points)


def test_a_box_inside_and_a_size_function_refine_a_hexahedron():
    for refine in ({((-0.1, -0.1, -0.1), (0.1, 0.1, 0.1)): 5}, lambda points: 0.1 + 0.5 * np.linalg.norm(points, axis=1)):
        mesh = discretise(box(2), size=0.5, refine=refine)
        assert conformity(mesh) == []
        steps = np.diff(np.unique(np.round(mesh.points[:, 0], 9)))
        assert np.argmin(steps) in (len(steps) // 2, len(steps) // 2 - 1)
        assert steps.min() < 0.13
        assert steps.max() > 0.3
        assert cKDTree(mesh.points).query(mesh.points * (-1, 1, 1))[0].max() < 1e-13


@pytest.mark.parametrize("seed", range(8))
def test_refinement_does_not_depend_on_the_numbering_of_vertices(seed):
    # edges of one family run either way in the numbering: the dense end must be the same of all
    order = np.random.default_rng(seed).permutation(16)
    parts = [box((1, 2, 3)), box((1, 2, 1), (0, 0, 2))]
    shuffled = []
    for part, keys in zip(parts, np.split(order, 2), strict=True):
        place = np.argsort(np.argsort(keys))
        vertices = np.empty((8, 3))
        vertices[place] = part.vertices
        facets = keys % 8 if seed % 2 else np.arange(8)
        facets = facets[facets < 6]
        facets = [*dict.fromkeys(facets.tolist() + list(range(6)))]
        loops = [np.roll(place[part.facets[i]], seed) for i in facets]
        shuffled.append(Polyhedron(vertices, loops, [part.names[i] for i in facets]))
    refine = {((-0.5, -1, -1.5), (-0.4, -0.9, -1.4)): 4}
    one, other = (discretise(Compound(each), size=0.8, refine=refine) for each in (parts, shuffled))
    assert conformity(other) == []
    assert cKDTree(one.points).query(other.points)[0].max() < 1e-12
    assert np.argmin(np.diff(np.unique(np.round(one.points[:, 0], 9)))) == 0


def test_a_mesh_of_volume_cells_passes_through_checked():
    mesh = discretise(sphere(1, 1), counts=(1, 1))
    assert discretise(mesh) is mesh
    cells = mesh.cells["tetrahedron"].copy()
    cells[3] = cells[3, [0, 2, 1, 3]]
    for wrong, said in ((Mesh(mesh.points, {"tetrahedron": cells}), "does not conform"),
                        (Mesh(-mesh.points, mesh.cells), "folded or flat")):
        with pytest.raises(SceneError, match=said):
            discretise(wrong)
    with pytest.raises(SceneError, match="already has volume cells"):
        discretise(mesh, size=0.1)


def test_the_surface_of_a_mesh_is_filled_and_its_named_facets_become_regions():
    mesh = discretise(box((1, 2, 1.5)).as_mesh(), size=0.5)
    assert set(mesh.cells) == {"tetrahedron"}
    np.testing.assert_allclose(mesh.points[mesh.regions["top"], 2], 0.75, atol=1e-12)
    assert len(mesh.regions["top"]) == 23


@pytest.mark.parametrize(("make", "said"), [
    (lambda: discretise("box", size=1), "give a Polyhedron"),
    (lambda: discretise(box(1), size=1, way="hexes"), "did you mean 'hexahedra'"),
    (lambda: discretise(sphere(1, 1), size=1, way="hexahedra"), "six quadrilateral"),
    (lambda: discretise(box(1).as_mesh(), size=1, way="sweep"), "for polyhedra"),
    (lambda: discretise(box(1), counts=3, way="lattice"), "no counts"),
    (lambda: discretise(box(1), size=0.5, way="rigid"), "leave them out"),
    (lambda: discretise(box(1), size=0.3, way="lattice", refine={"top": 2}), "one size of cells everywhere"),
    (lambda: discretise(sphere(1, 1), size=1, refine={((0, 0, 0), (1, 1, 1)): 2}), "follow its edges"),
    (lambda: discretise(box(1), counts=2, refine={"top": 2}), "give a size"),
    (lambda: discretise(box(1), size=1, refine={"topp": 2}), "did you mean 'top'"),
    (lambda: discretise(box(1), size=1, refine={"top": 0.5}), ">= 1"),
    (lambda: discretise(box(1), size=1, refine={((1, 1, 1), (0, 0, 0)): 2}), "lowest and its highest"),
    (lambda: discretise(box(1), size=1, refine=lambda points: -1.0), "sizes above 0")])
def test_what_cannot_be_done_is_refused_with_what_can(make, said):
    with pytest.raises(SceneError, match=said):
        make()


def surface_of(shape, change):
    mesh = shape.as_mesh()
    return Mesh(mesh.points, {"triangle": change(mesh.triangles)})


@pytest.mark.parametrize(("change", "said"), [
    (lambda rows: np.concatenate([rows, rows[8:]]), "4 triangles given twice"),
    (lambda rows: rows[:, ::-1], "inside out"),
    (lambda rows: rows[1:], "it is open"),
    (lambda rows: np.concatenate([rows[:1, ::-1], rows[1:]]), "turned against")])
def test_a_faulty_surface_is_refused_before_it_is_filled(change, said):
    with pytest.raises(SceneError, match=said):
        discretise(surface_of(box(1), change), size=0.3)


def test_surfaces_that_cross_are_refused():
    one, other = box(1).as_mesh(), box(1, (0.5, 0.3, 0.2)).as_mesh()
    crossing = Mesh(np.concatenate([one.points, other.points]), {"quad": np.concatenate([one.cells["quad"],
                                                                                         other.cells["quad"] + 8])})
    with pytest.raises(SceneError, match="touch or cut each other"):
        discretise(crossing, size=0.3)


OVERLAPPING = Compound((box(1), box(1, (0.45, 0.1, 0.05))))


@pytest.mark.parametrize("more", [{"size": 0.3}, {"counts": 2}, {"size": 0.3, "way": "tetgen"}, {"way": "rigid"}], ids=str)
def test_parts_that_overlap_are_named_and_refused(more):
    with pytest.raises(SceneError, match="parts 0 and 1 overlap"):
        discretise(OVERLAPPING, **more)


def test_a_lattice_fills_what_any_of_overlapping_parts_holds():
    mesh = discretise(OVERLAPPING, size=0.05, way="lattice")
    assert conformity(mesh) == []
    assert volume(mesh) == pytest.approx(2 - 0.55 * 0.9 * 0.95, rel=1e-2)  # by parity 1.06; edges are cut off by part of a cell


def test_a_lattice_coarser_than_the_solid_is_refused_or_warned_of():
    with pytest.raises(SceneError, match="no cell inside"):
        discretise(cylinder(0.01, 1, 8), size=0.1, way="lattice")
    with pytest.raises(SceneError, match="of the solid, the rest is thinner"):
        discretise(torus(1, 0.05), size=0.12, way="lattice")
    with pytest.warns(UserWarning, match="fills 7.% of the solid"):
        discretise(box((1, 1, 0.05)), size=0.1, way="lattice")


def test_the_order_of_regions_is_the_same_in_every_process():
    code = ("from robotphi.geometry.shapes import cylinder; from robotphi.discretise.shape import discretise;"
            "print(list(discretise(cylinder(1, 2, 7), size=0.7, way='lattice').regions))")
    said = {subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": str(seed)}, check=True,
                           capture_output=True, text=True, timeout=600).stdout for seed in (1, 2)}
    assert said == {str(["bottom", "top", *["side 0", "side"], *(f"side {i}" for i in range(1, 7))]) + "\n"}


@pytest.mark.parametrize("noise", [-1e-12, 0.0, 1e-12])
@pytest.mark.parametrize("height", [1.0, 1.000002])    # the plane at a millionth of the size, and between two of them
def test_facets_that_touch_in_part_are_found_wherever_their_plane_lies(height, noise):
    below, above = box((4, 1, height), (0, 0, height / 2)), box(1, (0.25, 0, height + 0.5 + noise))
    with pytest.raises(SceneError, match="not the same facet"):
        discretise(Compound((below, above)), size=0.5)
