"""Sheets: stretch exact under uniform strain, bending as plates, mass and centre kept."""
import numpy as np
import pytest

from robotphi.discretise import Material, sheet
from robotphi.discretise.matter.stiffness import solve, stiffness_matrix
from robotphi.errors import SceneError
from robotphi.geometry.mesh import Mesh

THICKNESS, YOUNG = 0.01, 1e6


def grid(nx, ny, triangles=False):
    """Rectangle 2 × 1 of quadrilaterals, or of nearly equilateral triangles."""
    x, y = np.meshgrid(np.linspace(0, 2, nx + 1), np.linspace(0, 1, ny + 1), indexing="ij")
    if triangles:
        x = x + (np.arange(ny + 1) % 2) / nx
    p = np.arange((nx + 1) * (ny + 1)).reshape(nx + 1, ny + 1)
    quads = np.stack([p[:-1, :-1], p[1:, :-1], p[1:, 1:], p[:-1, 1:]], axis=-1)
    points = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    if not triangles:
        return Mesh(points, {"quad": quads.reshape(-1, 4)})
    even, odd = quads[:, ::2].reshape(-1, 4), quads[:, 1::2].reshape(-1, 4)
    rows = np.concatenate([even[:, [0, 1, 3]], even[:, [1, 2, 3]], odd[:, [0, 1, 2]], odd[:, [0, 2, 3]]])
    return Mesh(points, {"triangle": rows})


def twice_energy(thing, displacement):
    return displacement.ravel() @ (stiffness_matrix(thing) @ displacement.ravel())


@pytest.mark.parametrize("poisson", [None, 0.0, 0.2])
@pytest.mark.parametrize("thing", [grid(8, 4), grid(14, 8, triangles=True)], ids=["quads", "triangles"])
def test_a_uniform_stretch_costs_what_plane_stress_says(thing, poisson):
    material = Material(YOUNG, poisson=poisson)
    made = sheet(thing, material, THICKNESS, bending="none")
    ratio = 1 / 3 if poisson is None else poisson
    area = made.mass.sum() / (material.density * THICKNESS)
    # quadrilaterals reach it exactly; triangles, whose sides are not quite equal, within their mismatch
    tolerance = 1e-3 if "quad" in thing.cells else 0.03
    for strain, wanted in ((np.diag([1.0, 0, 0]), 1 / (1 - ratio ** 2)), (np.diag([1.0, 1, 0]), 2 / (1 - ratio)),
                           (np.array([[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]]), 0.5 / (1 + ratio))):
        energy = twice_energy(made, made.position @ strain)
        assert energy == pytest.approx(wanted * YOUNG * THICKNESS * area, rel=tolerance)


@pytest.mark.parametrize("cells", [12, 24])
def test_lines_bend_like_a_plate(cells):
    """Rows at the border carry no line across it: the energy of the inside is short by its share, 1/n along and 1/2n across."""
    made = sheet(grid(cells, cells // 2), Material(YOUNG), THICKNESS)
    x, y = made.position[:, 0], made.position[:, 1]
    plate = YOUNG * THICKNESS ** 3 / 12 / (1 - 1 / 9)
    for height, wanted in ((x * x / 2, plate), (y * y / 2, plate), ((x * x + y * y) / 2, 2 * plate * 4 / 3),
                           (x * y, 2 * plate * 2 / 3)):
        bent = np.zeros_like(made.position)
        bent[:, 2] = height
        assert 1 - 4.5 / cells < twice_energy(made, bent) / (wanted * 2.0) <= 1.0


def test_folds_bend_like_a_plate_when_rolled():
    made = sheet(grid(24, 14, triangles=True), Material(YOUNG, poisson=0.2), THICKNESS, bending="folds")
    bent = np.zeros_like(made.position)
    bent[:, 2] = made.position[:, 0] ** 2 / 2
    plate = YOUNG * THICKNESS ** 3 / 12 / (1 - 0.04)
    assert twice_energy(made, bent) / (plate * 2.0) == pytest.approx(1.0, abs=2 / 24)  # border rows


def test_a_limp_sheet_and_a_given_bending_stiffness():
    mesh = grid(6, 4)
    assert set(sheet(mesh, Material(YOUNG), THICKNESS, bending_stiffness=0.0).springs) == {"linear"}
    plain = sheet(mesh, Material(YOUNG), THICKNESS).springs["lines"].stiffness
    given = sheet(mesh, Material(YOUNG), THICKNESS, bending_stiffness=1e-3).springs["lines"].stiffness
    assert np.allclose(given / plain, 1e-3 / (YOUNG * THICKNESS ** 3 / 12 / (1 - 1 / 9)))


def test_mass_and_centre_of_a_sheet_are_kept():
    mesh = grid(5, 3, triangles=True)
    made = sheet(mesh, Material(YOUNG, density=700.0), THICKNESS)
    corners = mesh.points[mesh.triangles]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    assert made.mass.sum() == pytest.approx(700.0 * THICKNESS * area.sum())
    assert np.allclose(made.mass @ made.position / made.mass.sum(), area @ corners.mean(axis=1) / area.sum())


@pytest.mark.parametrize(("options", "says"), [({"thickness": 0.0}, "thickness"), ({"bending": "maybe"}, "bending"),
                                               ({"bending_stiffness": -1.0}, "bending_stiffness")])
def test_bad_sheets_are_refused(options, says):
    with pytest.raises(SceneError, match=says):
        sheet(grid(2, 2), Material(YOUNG), **{"thickness": THICKNESS, **options})


@pytest.mark.parametrize("poisson", [None, 0.0])
def test_a_supported_plate_bends_as_navier_says(poisson):
    """A plate 2 × 1 under an even load: errors with the square of its square cells, 1/8 to 1/32 of its width."""
    odd = np.arange(1, 200, 2)
    m, n = odd[:, None], odd[None]
    signs = (-1.0) ** ((m - 1) // 2 + (n - 1) // 2)
    exact = 16 / np.pi ** 6 * np.sum(signs / (m * n * (m ** 2 / 4 + n ** 2) ** 2))  # q b⁴/D, Navier 1820
    errors = []
    for cells in (8, 16, 32):
        material = Material(YOUNG, poisson=poisson)
        made = sheet(grid(2 * cells, cells), material, THICKNESS)
        at = made.position
        held = np.ones((len(at), 3), bool)
        held[:, 2] = (np.abs(at[:, :2] - (1.0, 0.5)) > (1 - 1e-9, 0.5 - 1e-9)).any(axis=1)
        load = np.zeros((len(at), 3))
        load[:, 2] = made.mass / (material.density * THICKNESS)
        deflection = solve(stiffness_matrix(made), load.reshape(-1, 1), held.ravel()).max()
        plate = YOUNG * THICKNESS ** 3 / 12 / (1 - (1 / 3 if poisson is None else poisson) ** 2)
        errors.append(deflection * plate / exact - 1)
    slopes = -np.diff(np.log(np.abs(errors))) / np.log(2)
    assert abs(errors[-1]) < 0.01
    assert (slopes > 1.5).all(), (errors, slopes)


def test_the_lines_of_a_sheet_are_damped_like_its_stretch():
    material = Material(YOUNG, damping_ratio=0.1, damping_frequency=5.0)
    for options in ({}, {"bending": "folds"}):
        for group in sheet(grid(4, 2), material, THICKNESS, **options).springs.values():
            assert np.allclose(group.viscosity, material.damping_time(2.0) * group.stiffness)


def test_warped_quadrilaterals_weigh_the_mean_of_their_two_cuts():
    mesh = Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0.4], [0, 1, 0]], {"quad": [[0, 1, 2, 3]]})

    def area(*corners):
        a, b, c = mesh.points[list(corners)]
        return 0.5 * np.linalg.norm(np.cross(b - a, c - a))

    wanted = 0.5 * (area(0, 1, 2) + area(0, 2, 3) + area(0, 1, 3) + area(1, 2, 3))
    assert sheet(mesh, Material(YOUNG, density=1.0), 1.0).mass.sum() == pytest.approx(wanted)


def test_springs_of_a_sheet_yield_at_their_section():
    made = sheet(grid(4, 2), Material(YOUNG, yield_stress=1e3), THICKNESS)
    group = made.springs["linear"]
    ends = made.position[group.particles]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    assert np.allclose(group.limit, 1e3 / YOUNG * group.stiffness * length)


def test_a_facet_without_area_is_named():
    mesh = Mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]], {"triangle": [[0, 1, 3], [0, 1, 2]]})
    with pytest.raises(SceneError, match=r"index 1: a triangle at .* has no area"):
        sheet(mesh, Material(YOUNG), THICKNESS)


def test_a_folded_or_concave_quadrilateral_is_named():
    mesh = Mesh([[0, 0, 0], [1, 0, 0], [0.1, 0.1, 0], [0, 1, 0]], {"quad": [[0, 1, 2, 3]]})
    with pytest.raises(SceneError, match="not convex"):
        sheet(mesh, Material(YOUNG), THICKNESS)
