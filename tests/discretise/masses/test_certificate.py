"""Certificates tell what the inertia should be and what particles have, at rest and deformed."""
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robotphi.discretise.masses import certificate as module
from robotphi.discretise.masses.certificate import TERMS, _motion, certificate, describe, largest_error
from robotphi.discretise.masses.deformation import deformation_of, deformed_positions
from robotphi.discretise.masses.rigid_masses import rigid_masses
from robotphi.discretise.masses.spread import spread_mass
from robotphi.discretise.masses.ways import WAYS
from robotphi.discretise.shape import discretise
from robotphi.errors import SceneError
from robotphi.geometry import shapes
from robotphi.geometry.mesh import Mesh
from robotphi.scene.objects import Object, RigidPart
from robotphi.scene.turns import rotation_about
from robotphi.verification.inertia import CUBE
from robotphi.verification.surface_integrals import of_cells

SIDES = np.array([1.0, 0.4, 0.2])
CELLS = {"tetrahedron": CUBE[[0, 1, 3, 4]], "pyramid": np.concatenate([CUBE[:4], [[0.5, 0.5, 1]]]),
         "wedge": CUBE[[0, 1, 3, 4, 5, 7]], "hexahedron": CUBE}
MIXED = Mesh(np.concatenate([CUBE, [[0.5, 0.5, 2.0], [2.0, 0.5, 0.1], [2.0, 0.5, 1.1], [2.5, 1.5, 0.5]]]),
             {"hexahedron": [range(8)], "pyramid": [[4, 5, 6, 7, 8]], "wedge": [[1, 9, 2, 5, 10, 6]],
              "tetrahedron": [[2, 9, 11, 10]]})


def bar(counts=(4, 3, 2)):
    return discretise(shapes.box(SIDES), counts=counts)


def matrix(state, column):
    xx, yy, zz, xy, yz, zx = (state["inertia"][term][column] for term in TERMS)
    return np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])


def box_inertia(mass, sides):
    return np.diag(mass / 12 * ((sides ** 2).sum() - sides ** 2))


@pytest.mark.parametrize("way", [way for way in WAYS if way != "corners"])
def test_a_box_at_rest_has_what_it_should_have(way):
    document = certificate(spread_mass(bar(), 500.0, way))
    state = document["rest"]
    for column in ("wanted", "reached"):
        assert_allclose(state["mass"][column], 500 * SIDES.prod(), rtol=1e-13)
        assert_allclose(matrix(state, column), box_inertia(500 * SIDES.prod(), SIDES), atol=1e-12)
    assert abs(state["inertia error"]) < 1e-13
    assert document["cells"] == {"hexahedron": 24}
    assert "deformed" not in document


def test_corners_alone_have_too_much_inertia_and_the_certificate_says_by_how_much():
    document = certificate(spread_mass(bar(), 500.0, "corners"))
    # along an axis with n cells corners spread (1 + 2/n²) of the second moment
    squares = SIDES ** 2 * (1 + 2 / np.array([4, 3, 2]) ** 2)
    reached = np.diag(40.0 / 12 * (squares.sum() - squares))
    assert_allclose(matrix(document["rest"], "reached"), reached, atol=1e-12)
    exact = box_inertia(40.0, SIDES)
    assert_allclose(document["rest"]["inertia error"], np.linalg.norm(reached - exact) / np.linalg.norm(exact), rtol=1e-12)
    row = document["rest"]["inertia"]["Iyy"]
    assert_allclose([row["error"], row["relative"]],
                    [reached[1, 1] - exact[1, 1], (reached[1, 1] - exact[1, 1]) / np.linalg.norm(exact)], rtol=1e-10)


@pytest.mark.parametrize("way", ["centre", "symmetric", "tetrahedra", "report"])
def test_a_stretched_and_sheared_box_is_an_affine_image(way):
    # affine images keep natural coordinates, shares of volume and second moments: what is exact at rest stays exact
    spread = spread_mass(bar(), 500.0, way)
    stretched = certificate(spread, displacement={"stretch": 0.3, "axis": "x"})
    assert_allclose(matrix(stretched["deformed"], "wanted"), box_inertia(40.0, SIDES * [1.3, 1, 1]), atol=1e-12)
    assert stretched["deformed"]["inertia error"] < 1e-13
    sheared = certificate(spread, displacement={"shear": 0.5, "axis": "y", "across": "x"})
    assert_allclose(sheared["deformed"]["inertia"]["Ixy"]["wanted"], -0.5 * 40 / 12 * SIDES[0] ** 2, rtol=1e-12)
    assert sheared["deformed"]["inertia error"] < 1e-13


@pytest.mark.parametrize("way", WAYS)
def test_the_wanted_inertia_of_twisted_cells_agrees_with_surface_integrals(way):
    mesh, twist = bar((6, 2, 2)), {"twist": 1.0, "axis": "x"}  # which warps facets
    spread = spread_mass(mesh, 2.0, way)
    places = deformed_positions(spread.position, spread.cells, twist)
    state = certificate(spread, displacement=places[:len(mesh.points)])["deformed"]
    cells = Mesh(places[:len(mesh.points)], {"hexahedron": spread.cells["hexahedron"][:, :8]})
    volume, centre, inertia = of_cells(cells, "hexahedron", diagonals=way == "tetrahedra")
    mass = np.full(len(volume), 2.0 * SIDES.prod() / len(volume))  # each cell keeps its own
    middle = mass @ centre / mass.sum()
    r = centre - middle
    exact = np.einsum("c,cij->ij", mass / volume, inertia) + np.einsum("c,ci,ci->", mass, r, r) * np.eye(3)
    exact -= np.einsum("c,ci,cj->ij", mass, r, r)
    assert_allclose(matrix(state, "wanted"), exact, atol=1e-13 * np.linalg.norm(exact))
    assert_allclose(state["centre"]["wanted"], middle, atol=1e-14)
    assert 1e-6 < state["inertia error"] < 0.3


def test_all_ways_of_asking_about_a_deformation_agree():
    spread = spread_mass(bar(), 2.0, "symmetric")
    corners = spread.position[:len(bar().points)]

    def squash(x):
        return x * [0.9, 1.1, 1.0] + 0.2 * x[:, [1, 2, 0]] ** 2

    by_function = certificate(spread, displacement=squash)["deformed"]
    by_points = certificate(spread, displacement=squash(corners))["deformed"]
    by_frame = certificate(spread, position=deformed_positions(spread.position, spread.cells, squash))["deformed"]
    assert by_points["inertia"] == by_frame["inertia"]
    # facet centres go with their cells, not with the function
    assert_allclose(matrix(by_function, "reached"), matrix(by_points, "reached"), rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize("way", WAYS)
def test_inner_particles_keep_their_natural_coordinates_in_every_kind(way):
    spread = spread_mass(MIXED, 1.0, way)
    tilt = np.array([[1.0, 0.2, 0.1], [0.0, 0.8, -0.3], [0.2, 0.0, 1.3]])
    moved = deformed_positions(spread.position, spread.cells, lambda x: x @ tilt.T + 1.0)
    # an affine map keeps natural coordinates, so every particle, inner ones too, lands on its image
    assert_allclose(moved, spread.position @ tilt.T + 1.0, atol=1e-13)
    assert_allclose(deformed_positions(spread.position, spread.cells, MIXED.points), spread.position, atol=1e-14)


@pytest.mark.parametrize(("kind", "corner", "part"), [
    ("hexahedron", 6, 1 / 8), ("wedge", 3, 1 / 6), ("pyramid", 4, 1 / 4), ("pyramid", 0, 3 / 16), ("tetrahedron", 2, 1 / 4)])
def test_the_middle_of_a_cell_follows_each_corner_by_its_natural_part(kind, corner, part):
    # the centre of a pyramid lies at a quarter of its height: a quarter for the apex, the rest shared by four
    points = CELLS[kind].copy()
    mesh = Mesh(points, {kind: [range(len(points))]})
    spread = spread_mass(mesh, 1.0)
    moved, move = points.copy(), np.array([0.1, -0.05, 0.2])
    moved[corner] += move
    places = deformed_positions(spread.position, spread.cells, moved)
    assert_allclose(places[-1] - spread.position[-1], part * move, atol=1e-15)


@pytest.mark.parametrize("name", ["stretch", "shear", "twist", "bend"])
def test_named_deformations_start_from_nothing(name):
    points = bar().points.copy()
    assert_allclose(deformed_positions(points, {}, {name: 0.0, "axis": "y"}), points, atol=1e-16)


def test_bending_keeps_the_middle_line_and_twisting_keeps_distances_from_the_axis():
    line = np.stack([np.linspace(-1, 1, 201), np.zeros(201), np.zeros(201)], axis=1)
    bent = deformed_positions(line, {}, {"bend": 1.5, "axis": "x"})
    # chords of 0.01 on a radius of 4/3 are shorter than their arcs by s²/24 R², 2.3e-6
    assert_allclose(np.linalg.norm(np.diff(bent, axis=0), axis=1), 0.01, rtol=3e-6)
    ends = bent[[1, -1]] - bent[[0, -2]]
    turn = np.arctan2(ends[:, 1], ends[:, 0])
    assert_allclose(turn[1] - turn[0], 1.5 * 199 / 200, rtol=1e-12)
    points = bar().points
    twisted = deformed_positions(points.copy(), {}, {"twist": 1.0, "axis": "x"})
    assert_allclose(np.hypot(*twisted[:, 1:].T), np.hypot(*points[:, 1:].T), atol=1e-15)
    assert_allclose(twisted[:, 0], points[:, 0], atol=1e-16)


def test_rigid_parts_are_wanted_and_reached_and_move_rigidly():
    box = shapes.box(SIDES, centre=(2, 0, 0))
    block = rigid_masses(box, density=3.0)
    _, mass, centre, inertia = box.properties(3.0)
    spread = spread_mass(bar(), 2.0)
    count = len(spread.position)
    part = RigidPart("block", np.arange(count, count + len(block.position), dtype=np.int32), mass, centre, inertia)
    thing = Object(np.concatenate([spread.position, block.position]), np.concatenate([spread.mass, block.mass]),
                   rigids=(part,), cells=spread.cells, density=spread.density, notes={"way": "centre"})
    turn = rotation_about((0, 0, 1), 0.7)
    document = certificate(thing, displacement=lambda x: x @ turn.T)
    assert document["rigid parts"] == 1
    assert_allclose(document["rest"]["mass"]["wanted"], 5 * SIDES.prod(), rtol=1e-13)
    for state in ("rest", "deformed"):
        assert document[state]["inertia error"] < 1e-12
        assert_allclose(document[state]["mass"]["relative"], 0.0, atol=1e-13)
    assert_allclose(matrix(document["deformed"], "wanted"), turn @ matrix(document["rest"], "wanted") @ turn.T, atol=1e-12)
    # a deformation cannot reach into a rigid part
    bent = certificate(thing, displacement={"stretch": 0.5, "axis": "x"})
    assert bent["deformed"]["inertia error"] < 1e-12


def test_cells_inside_a_rigid_part_are_not_counted_twice():
    spread = spread_mass(bar(), 2.0)
    box = shapes.box(SIDES).properties(2.0)
    part = RigidPart("all", np.arange(len(spread.position), dtype=np.int32), *box[1:])
    thing = Object(spread.position, spread.mass, rigids=(part,), cells=spread.cells, density=spread.density)
    document = certificate(thing)
    assert document["cells"] == {}
    assert document["rest"]["inertia error"] < 1e-13


def test_a_certificate_is_plain_json_and_has_lines_for_people():
    document = certificate(spread_mass(MIXED, 2.0), displacement={"twist": 0.3, "axis": "z"})
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    lines = describe(document).splitlines()
    assert lines[0] == "16 particles, 1 hexahedron, 1 pyramid, 1 wedge, 1 tetrahedron, way centre"
    assert sum(line.startswith("Ixy") for line in lines) == 2
    assert f"{document['deformed']['inertia error']:.2e}" in lines[-1]
    assert largest_error(document) == max(document["rest"]["inertia error"], document["deformed"]["inertia error"])


@pytest.mark.parametrize("way", ["centre", "tetrahedra"])
def test_a_known_deformation_is_judged_by_the_curved_continuum(way):
    """Beside a sum over 48 × 16 × 16 points of Gauss (two a direction in 24 × 8 × 8 cells), whose error is of fourth order."""
    bend = {"bend": 0.8, "axis": "x"}
    state = certificate(spread_mass(bar((6, 2, 2)), 2.0, way), displacement=bend)["deformed"]
    nodes = [np.add.outer(np.arange(n), 0.5 + np.array([-0.5, 0.5]) / np.sqrt(3)).ravel() / n for n in (24, 8, 8)]
    points = bar().points
    low, high = points.min(axis=0), points.max(axis=0)
    grid = low + np.stack(np.meshgrid(*nodes, indexing="ij"), axis=-1).reshape(-1, 3) * (high - low)
    moved = deformation_of(points, bend)(grid)
    r = moved - moved.mean(axis=0)
    second = 2.0 * SIDES.prod() * r.T @ r / len(r)
    exact = np.trace(second) * np.eye(3) - second
    assert_allclose(matrix(state, "wanted"), exact, atol=2e-4 * np.linalg.norm(exact))  # four points a tetrahedron of 6 × 2 × 2
    assert state["inertia error"] > 1e-3                                                # which straight cells would not show


def test_what_cannot_be_certified_is_refused():
    spread = spread_mass(bar(), 2.0)
    with pytest.raises(SceneError, match="has a volume of"):
        certificate(spread, displacement=lambda x: x * [1, 1, -1])
    with pytest.raises(SceneError, match="did you mean 'bend'"):
        certificate(spread, displacement={"bent": 0.1})
    with pytest.raises(SceneError, match="two axes"):
        certificate(spread, displacement={"bend": 0.1, "axis": "x", "across": "x"})
    with pytest.raises(SceneError, match="shape"):
        certificate(spread, displacement=np.zeros((3, 3)))
    with pytest.raises(SceneError, match="give one of them"):
        certificate(spread, position=spread.position, displacement={"bend": 0.1})
    with pytest.raises(SceneError, match="Object or a Spread"):
        certificate(bar())
    with pytest.raises(SceneError, match="neither cells"):
        certificate(Object(np.zeros((3, 3)), np.ones(3)))
    tetrahedron = {"tetrahedron": np.array([[0, 1, 2, 3]], np.int32)}
    with pytest.raises(SceneError, match="kind 'tetrahedron' have no density"):
        certificate(Object(CUBE[[0, 1, 3, 4]], np.ones(4), cells=tetrahedron))
    with pytest.raises(SceneError, match="kind of cells"):
        certificate(Object(CUBE, np.ones(8), cells={"brick": np.arange(8, dtype=np.int32)[None]}, density={"brick": 1.0}))


def test_the_motion_of_a_rigid_part_is_a_rotation_even_where_its_particles_were_mirrored():
    before = np.random.default_rng(0).normal(size=(9, 3))
    for after in (before * [1, 1, -1], before * [1, 1, 0], -before):
        turn, _ = _motion(before, after)
        assert_allclose(turn @ turn.T, np.eye(3), atol=1e-14)
        assert_allclose(np.linalg.det(turn), 1.0, rtol=1e-14)


def test_cells_at_rest_are_worked_out_once(monkeypatch):
    asked, cells = [], module._cells
    monkeypatch.setattr(module, "_cells", lambda *given: asked.append(given[2]) or cells(*given))
    spread = spread_mass(MIXED, 1000.0)
    certificate(spread)
    assert sorted(asked) == sorted(MIXED.cells)
    certificate(spread, displacement={"bend": 0.1, "axis": "x"})
    assert sorted(asked) == sorted([*MIXED.cells] * 2)
