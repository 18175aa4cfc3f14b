"""The medium: drag and pressure on facets, its balance of power, its bounds, and which facets feel it."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial import ConvexHull

from robotphi import Drive, Scene, SceneError
from robotphi.discretise import Material, deformable, discretise, rigid, sheet, turned
from robotphi.discretise.cells.facets import quad_mesh
from robotphi.geometry.polyhedron import Compound
from robotphi.geometry.rounds import sphere
from robotphi.geometry.shapes import box, cylinder
from robotphi.kernels.acts.medium import add_medium_bound, add_medium_forces
from robotphi.model import arrays as m
from robotphi.model.medium import closed, hidden, medium_arrays

EPSILON = np.finfo(float).eps
RHO, C, K, G = 1.2, 1.1, 0.7, 9.81
SQUARE = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)
CLOTH = Material(young=1e5, density=300.0)


def surrounded(thing, gravity=(0.0, 0.0, -G), **medium):
    """Medium and drives of a scene with one object "it"."""
    scene = Scene("medium", gravity=gravity)
    scene.add_object("it", thing)
    wind = scene.set_medium(**medium).wind
    start = np.concatenate(([0], np.cumsum([len(drive.piece) for drive in wind]))).astype(np.int32)
    drives = m.Drives(start, np.concatenate([drive.piece for drive in wind]))
    return medium_arrays(scene, {drive: i for i, drive in enumerate(wind)}), drives


def forces(around, position, velocity, time=0.0):
    """Forces (n, 3), power lost, power of the wind, energy."""
    force = np.zeros((len(position), 4))
    velocity = np.broadcast_to(np.asarray(velocity, float), position.shape)
    lost, given, energy = add_medium_forces(*around, np.ascontiguousarray(position), np.ascontiguousarray(velocity), force,
                                            time, time)
    return force[:, :3], lost, given, energy


def moment(position, force, centre=(0.0, 0.0, 0.0)):
    return np.cross(position - centre, force).sum(axis=0)


def silhouette(points, direction):
    """Area of the projection of a convex body along a direction [m²]."""
    direction = np.asarray(direction) / np.linalg.norm(direction)
    across = np.linalg.svd(direction[None])[2][1:]
    return ConvexHull(points @ across.T).volume


def tilted_plate(angle, counts=(0.4, 0.3, 0.02)):
    return turned(rigid(box(counts), density=500.0), (0, 1, 0), angle)


# --- drag ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [box((0.4, 0.3, 0.02)), sphere(0.2, 2), cylinder(0.1, 0.5)])
def test_a_convex_body_meets_its_silhouette(shape):
    thing = rigid(shape, density=500.0)
    around = surrounded(thing, density=RHO, drag=C, linear_drag=K)
    for v in ((0.0, 0.0, -3.0), (1.0, -2.0, 0.5), (1e-9, 0.0, 2e-9)):
        force, lost, _, _ = forces(around, thing.position, v)
        speed = np.linalg.norm(v)
        exact = -silhouette(thing.position, v) * (K + 0.5 * RHO * C * speed) * np.array(v)
        # sums of some 500 products: rounding of each, in the worst case all one way, of the sum of their sizes
        np.testing.assert_allclose(force.sum(axis=0), exact, rtol=0, atol=500 * EPSILON * np.abs(exact).max())
        assert lost == pytest.approx(-exact @ v, rel=500 * EPSILON)


@pytest.mark.parametrize("shape", [box((0.4, 0.3, 0.02)), sphere(0.2, 2)])
def test_a_falling_body_reaches_its_terminal_speed(shape):
    thing = rigid(shape, density=500.0)
    around, mass = surrounded(thing, density=RHO, drag=C), thing.properties[0]
    terminal = np.sqrt(2 * mass * G / (RHO * C * silhouette(thing.position, (0, 0, 1))))

    def fall(_, state):
        return [-G + forces(around, thing.position, (0, 0, state[0]))[0][:, 2].sum() / mass]

    reach = 3 * terminal / G
    solved = solve_ivp(fall, (0, reach), [0.0], method="DOP853", rtol=1e-10, atol=1e-10 * terminal)
    # v = −v∞ tanh(g t/v∞); ten times the tolerance of the integrator
    assert solved.y[0, -1] == pytest.approx(-terminal * np.tanh(G * reach / terminal), rel=1e-9)
    assert forces(around, thing.position, (0, 0, -terminal))[0][:, 2].sum() == pytest.approx(mass * G, rel=500 * EPSILON)


def test_linear_drag_lets_a_speed_decay_exponentially():
    thing = rigid(box((0.4, 0.3, 0.02)), density=500.0)
    around, mass = surrounded(thing, linear_drag=K), thing.properties[0]
    rate = K * 0.4 * 0.3 / mass

    def slow(_, state):
        return forces(around, thing.position, (0, 0, state[0]))[0][:, 2].sum(keepdims=True) / mass

    solved = solve_ivp(slow, (0, 2 / rate), [3.0], method="DOP853", rtol=1e-10, atol=1e-10)
    assert solved.y[0, -1] == pytest.approx(3.0 * np.exp(-2.0), rel=1e-9)


def test_what_moves_with_the_medium_feels_nothing():
    thing = rigid(sphere(0.2, 1), density=500.0)
    around = surrounded(thing, density=RHO, drag=C, linear_drag=K, wind=(1.5, -2.0, 0.25))
    force, lost, given, _ = forces(around, thing.position, (1.5, -2.0, 0.25))
    # thirds of three equal numbers and their sum back are off by an ε of them
    assert np.abs(force).max() < 1e-15
    assert 0.0 <= lost < 1e-29
    assert abs(given) < 1e-14
    assert not forces(surrounded(thing, density=RHO, drag=C, linear_drag=K), thing.position, (0, 0, 0))[0].any()


def test_wind_is_the_same_as_moving_the_other_way():
    thing = rigid(cylinder(0.1, 0.5), density=500.0)
    still = surrounded(thing, density=RHO, drag=C, linear_drag=K)
    wind = (Drive.sine(4.0, 0.5), lambda t: 3.0 * t, Drive.table([0, 2], [0.0, -4.0]))
    windy = surrounded(thing, density=RHO, drag=C, linear_drag=K, wind=wind)
    now = np.array([4.0 * np.sin(np.pi * 0.7), 3.0 * 0.7, -1.4])
    v = np.array([0.5, 0.2, -1.0])
    pushed, lost, given, _ = forces(windy, thing.position, v, time=0.7)
    moved, lost_still, given_still, _ = forces(still, thing.position, v - now)
    np.testing.assert_allclose(pushed, moved, rtol=0, atol=1e-12 * np.abs(moved).max())
    assert lost == pytest.approx(lost_still, rel=1e-12)
    assert given == pytest.approx(pushed.sum(axis=0) @ now, rel=1e-12)
    assert given_still == 0.0


@pytest.mark.parametrize("level", [None, 0.03])
def test_the_power_of_the_forces_is_that_of_the_wind_less_what_is_lost(level):
    rng = np.random.default_rng(7)
    thing = deformable(discretise(box((0.4, 0.3, 0.2)), size=0.1), CLOTH)
    around = surrounded(thing, density=RHO, drag=C, linear_drag=K, wind=(1, 2, -1), level=level, buoyancy=False)
    for _ in range(5):
        position = thing.position + rng.normal(0, 0.02, thing.position.shape)
        velocity = rng.normal(0, 2.0, thing.position.shape)
        force, lost, given, energy = forces(around, position, velocity)
        power = np.abs(force * velocity).sum()
        assert (force * velocity).sum() == pytest.approx(given - lost, abs=100 * EPSILON * power)
        assert lost > 0.0
        assert given == pytest.approx(force.sum(axis=0) @ (1, 2, -1), abs=100 * EPSILON * power)
        assert energy == 0.0


def test_the_force_acts_at_the_centre_of_a_facet_with_the_velocity_there():
    """Moment and momentum of one facet among particles that move as they like."""
    thing = sheet(quad_mesh(SQUARE, (1, 1)), CLOTH, 1e-3)
    around = surrounded(thing, density=RHO, drag=C, linear_drag=K)
    velocity = np.random.default_rng(3).normal(0, 1, thing.position.shape)
    force = forces(around, thing.position, velocity)[0]
    exact, turning = np.zeros(3), np.zeros(3)
    for rows in thing.facets:
        corners, v = thing.position[rows], velocity[rows].mean(axis=0)
        area = 0.5 * np.cross(corners[1] - corners[0], corners[2] - corners[0])
        f = -abs(v @ area) * (K / np.linalg.norm(v) + 0.5 * RHO * C) * v
        exact += f
        turning += np.cross(corners.mean(axis=0), f)
    np.testing.assert_allclose(force.sum(axis=0), exact, rtol=0, atol=1e-15)
    np.testing.assert_allclose(moment(thing.position, force), turning, rtol=0, atol=1e-15)


def test_both_sides_of_a_sheet_feel_the_flow():
    thing = sheet(quad_mesh(SQUARE, (4, 4)), CLOTH, 1e-3)
    around = surrounded(thing, density=RHO, drag=C, linear_drag=K)
    assert around[0].two_sided.all()
    for v in (np.array([0.5, 0.0, 2.0]), np.array([0.5, 0.0, -2.0])):
        force = forces(around, thing.position, v)[0].sum(axis=0)
        np.testing.assert_allclose(force, -2.0 * (K / np.linalg.norm(v) + 0.5 * RHO * C) * v, rtol=1e-14)
    assert not forces(around, thing.position, (3.0, -1.0, 0.0))[0].any()


# --- what turns a falling body -------------------------------------------------------------------------------------
@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2])
def test_a_symmetric_body_that_does_not_spin_is_not_turned(angle):
    """Drag per area seen along the flow is the same everywhere, so that it acts in the middle of the silhouette."""
    thing = tilted_plate(angle)
    around = surrounded(thing, density=RHO, drag=C, linear_drag=K)
    force = forces(around, thing.position, (0, 0, -2.0))[0]
    assert np.abs(moment(thing.position, force)).max() < 1e-14 * np.abs(force).sum()
    np.testing.assert_allclose(force.sum(axis=0)[:2], 0.0, atol=1e-14 * np.abs(force).sum())   # no lift either


def test_a_body_is_turned_until_its_heavy_end_goes_first():
    """The moment about a centre of mass at −d along x, with x tilted down by θ, is that of the drag at the middle."""
    thing, heavy = tilted_plate(0.3), 0.05
    around = surrounded(thing, density=RHO, drag=C)
    along = np.array([np.cos(0.3), 0.0, -np.sin(0.3)])
    force = forces(around, thing.position, (0, 0, -2.0))[0]
    total = force.sum(axis=0)
    assert total[2] > 0.0
    for side in (1.0, -1.0):
        centre = side * heavy * along
        turning = moment(thing.position, force, centre)
        np.testing.assert_allclose(turning, np.cross(-centre, total), rtol=0, atol=1e-14 * np.abs(force).sum())
        # it turns the centre of mass downwards: the rate of its height relative to the middle is negative
        assert np.cross(turning, centre)[2] < 0.0


def test_spin_is_slowed_by_facets_that_move_faster_and_finer_ones_see_more_of_it():
    """A plate of sides 1 spins about an axis in it: moment −½ ρ c ∫ |ω x|³ dA/… = −½ ρ c ω² 1/32, order 2 in the facets."""
    errors = []
    for count in (4, 8, 16):
        thing = sheet(quad_mesh(SQUARE - [0.5, 0.5, 0], (count, count)), CLOTH, 1e-3)
        around = surrounded(thing, density=RHO, drag=C)
        spin = np.array([0.0, 3.0, 0.0])
        force, lost, _, _ = forces(around, thing.position, np.cross(spin, thing.position))
        exact = 0.5 * RHO * C * 9.0 * 2 * 0.5 ** 4 / 4
        turning = moment(thing.position, force)
        assert lost == pytest.approx(-turning @ spin, rel=1e-12)
        errors.append(1.0 - -turning[1] / exact)
    assert 0 < errors[-1] < 0.01
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.1)


# --- liquids with a surface ----------------------------------------------------------------------------------------
def clipped(corners, level):
    """Polygon of a triangle below z = level, by cutting it edge by edge."""
    kept = []
    for i in range(3):
        p, q = corners[i], corners[(i + 1) % 3]
        if p[2] < level:
            kept.append(p)
        if (p[2] < level) != (q[2] < level):
            kept.append(p + (q - p) * (level - p[2]) / (q[2] - p[2]))
    return np.array(kept)


@pytest.mark.parametrize("level", [-0.3, -0.05, 0.02, 0.11, 0.4])
def test_of_a_facet_that_crosses_the_level_the_part_below_feels_drag_at_its_centre(level):
    thing = turned(rigid(cylinder(0.1, 0.5), density=500.0), (0.3, 1, 0.2), 0.8)
    around = surrounded(thing, density=1000.0, drag=C, level=level, buoyancy=False)
    spin, drift = np.array([0.4, -1.0, 2.0]), np.array([0.3, 0.1, -0.6])
    force, lost, _, _ = forces(around, thing.position, drift + np.cross(spin, thing.position))
    exact, turning = np.zeros(3), np.zeros(3)
    for rows in thing.facets:
        polygon = clipped(thing.position[rows], level)
        if len(polygon) < 3:
            continue
        fan = [polygon[[0, j, j + 1]] for j in range(1, len(polygon) - 1)]
        areas = np.array([0.5 * np.cross(t[1] - t[0], t[2] - t[0]) for t in fan])
        sizes = np.linalg.norm(areas, axis=1)
        if sizes.sum() == 0.0:
            continue
        centre = sum(t.mean(axis=0) * size for t, size in zip(fan, sizes, strict=True)) / sizes.sum()
        v = drift + np.cross(spin, centre)
        f = -max(v @ areas.sum(axis=0), 0.0) * 500.0 * C * v
        exact += f
        turning += np.cross(centre, f)
    scale = 1e-12 * max(np.abs(force).sum(), 1e-300)
    np.testing.assert_allclose(force.sum(axis=0), exact, rtol=0, atol=scale)
    np.testing.assert_allclose(moment(thing.position, force), turning, rtol=0, atol=scale)
    assert lost == pytest.approx(-(exact @ drift + turning @ spin), abs=scale)


@pytest.mark.parametrize(("level", "below"), [(-0.2, 0.0), (0.05, 0.75), (0.3, 1.0)])
def test_a_box_is_pushed_up_by_the_weight_of_what_it_moves_aside(level, below):
    thing = rigid(box((0.4, 0.3, 0.2)), density=500.0)
    around = surrounded(thing, density=1000.0, level=level)
    position = thing.position + np.array([5.0, -3.0, 0.0])     # pressure on the sides must cancel
    force, lost, given, energy = forces(around, position, (0, 0, 0))
    volume = 0.4 * 0.3 * 0.2 * below
    scale = 1e-13 * np.abs(force).sum() + 1e-300
    np.testing.assert_allclose(force.sum(axis=0), [0, 0, 1000.0 * G * volume], rtol=0, atol=scale)
    turning = np.cross([5, -3, 0], [0, 0, 1000.0 * G * volume])
    np.testing.assert_allclose(moment(position, force), turning, rtol=0, atol=10 * scale)
    middle = level - (-0.1 + 0.1 * below)            # depth of the centre of the part below
    assert energy == pytest.approx(1000.0 * G * volume * middle, rel=1e-12, abs=1e-12)
    assert lost == given == 0.0


def test_up_is_against_gravity():
    thing = rigid(box((0.4, 0.3, 0.2)), density=500.0)
    gravity = np.array([6.0, 0.0, -8.0])
    for level, below in ((1.0, 1.0), (0.0, 0.5), (-1.0, 0.0)):
        force = forces(surrounded(thing, gravity=gravity, density=1000.0, level=level), thing.position, (0, 0, 0))[0]
        # products of some 100 N that cancel
        np.testing.assert_allclose(force.sum(axis=0), -1000.0 * 0.024 * below * gravity, rtol=0, atol=1e-11)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -G), (3.0, -2.0, -6.0)])
def test_pressure_is_the_gradient_of_the_energy_of_the_liquid_moved_aside(gravity):
    rng = np.random.default_rng(11)
    thing = deformable(discretise(box((0.4, 0.3, 0.2)), size=0.15), CLOTH)
    around = surrounded(thing, gravity=gravity, density=1000.0, level=0.03)
    position = thing.position + rng.normal(0, 0.02, thing.position.shape)
    force = forces(around, position, (0, 0, 0))[0]
    step = 1e-5      # energies of 100 J: rounding 1e-14/1e-5 J/m, and the third derivative 1e5 N/m³ × h²
    for row in np.unique(thing.facets)[::3]:
        for axis in range(3):
            there, back = position.copy(), position.copy()
            there[row, axis] += step
            back[row, axis] -= step
            slope = (forces(around, there, (0, 0, 0))[3] - forces(around, back, (0, 0, 0))[3]) / (2 * step)
            assert force[row, axis] == pytest.approx(-slope, abs=1e-6)
    assert np.abs(force).max() > 1.0


def test_everything_changes_continuously_through_the_level():
    thing = turned(rigid(box((0.4, 0.3, 0.2)), density=500.0), (1, 0.4, 0.2), 0.5)
    around = surrounded(thing, density=1000.0, drag=C, level=0.0)
    lowest = thing.position[:, 2].min()
    shifts = np.concatenate([[-lowest, 0.0], -thing.position[:, 2]])
    for shift in shifts:     # a corner exactly in the level, a hair below, a hair above
        results = [forces(around, thing.position + np.array([0, 0, shift + hair]), (0.2, 0, -1))
                   for hair in (-1e-9, 0.0, 1e-9)]
        for one, other in ((0, 1), (1, 2)):
            # 1e-9 m times the slopes: ρ g and ½ ρ c V² times a width of 0.5 m, on few facets
            np.testing.assert_allclose(results[one][0], results[other][0], rtol=0, atol=1e-5)
            assert results[one][3] == pytest.approx(results[other][3], abs=1e-6)


def test_open_surfaces_are_not_pressed_on():
    thing = sheet(quad_mesh(SQUARE, (2, 2)), CLOTH, 1e-3)
    force, _, _, energy = forces(surrounded(thing, density=1000.0, drag=C, level=2.0), thing.position, (0, 0, 0))
    assert not force.any()
    assert energy == 0.0


# --- the bounds of the step ----------------------------------------------------------------------------------------
def slopes(around, position, velocity, in_velocity):
    """(3n, 3n) numeric derivative of the forces."""
    size, step = position.size, 1e-6
    matrix = np.zeros((size, size))
    for column in range(size):
        shift = np.zeros(size)
        shift[column] = step
        shift = shift.reshape(position.shape)
        there, back = ((position, velocity + s * shift) if in_velocity else (position + s * shift, velocity) for s in (1, -1))
        matrix[:, column] = ((forces(around, *there)[0] - forces(around, *back)[0]) / (2 * step)).ravel()
    return matrix


def bounds(around, position, velocity):
    bound = np.zeros((len(position), 4))
    add_medium_bound(*around, position, velocity, bound, 0.0, 0.0, 2, 3)
    return bound[:, 2], bound[:, 3]


@pytest.mark.parametrize("coefficients", [{"density": RHO, "drag": C}, {"linear_drag": K},
                                          {"density": RHO, "drag": C, "linear_drag": K, "wind": (2.0, 0.0, 1.0)}])
def test_the_damping_bound_holds_and_is_not_idle(coefficients):
    rng = np.random.default_rng(5)
    thing = sheet(quad_mesh(SQUARE, (2, 2)), CLOTH, 1e-3)
    around = surrounded(thing, **coefficients)
    tightest = np.inf
    for _ in range(10):
        position = thing.position + rng.normal(0, 0.1, thing.position.shape)
        velocity = rng.normal(0, 0.1, thing.position.shape) + rng.normal(0, 3, 3)
        damping = bounds(around, position, velocity)[1]
        matrix = -slopes(around, position, velocity, in_velocity=True)
        weighed = matrix / np.sqrt(np.outer(*[np.repeat(damping, 3)] * 2))
        largest = np.linalg.norm(weighed, 2)
        assert largest <= 1.0 + 1e-6       # of the numeric derivative
        tightest = min(tightest, 1.0 / largest)
    assert tightest < 1.25


def test_the_stiffness_bound_of_pressure_holds():
    rng = np.random.default_rng(6)
    thing = deformable(discretise(box((0.4, 0.3, 0.2)), size=0.2), CLOTH)
    around = surrounded(thing, density=1000.0, level=0.5)
    position = thing.position + rng.normal(0, 0.01, thing.position.shape)
    still = np.zeros_like(position)
    stiffness = bounds(around, position, still)[0]
    seen = np.unique(thing.facets)
    assert np.flatnonzero(stiffness).tolist() == seen.tolist()
    matrix = -slopes(around, position, still, in_velocity=False).reshape(len(position), 3, -1, 3)[seen][:, :, seen]
    weighed = matrix / np.sqrt(np.outer(stiffness[seen], stiffness[seen]))[:, None, :, None]
    largest = np.linalg.norm(weighed.reshape(3 * len(seen), -1), 2)
    assert 0.1 < largest <= 1.0


# --- which facets ------------------------------------------------------------------------------------------------
def test_facets_of_two_parts_back_to_back_are_hidden():
    shape = Compound([box((1, 1, 1)), box((1, 1, 1), (1, 0, 0))])
    thing = rigid(shape, density=500.0)
    assert hidden(thing).sum() == 8      # four triangles of either facet
    assert closed(thing).all()
    around = surrounded(thing, density=RHO, drag=C)
    force = forces(around, thing.position, (2.0, 0, 0))[0].sum(axis=0)
    np.testing.assert_allclose(force, [-0.5 * RHO * C * 4.0, 0, 0], atol=1e-14)
    assert forces(surrounded(thing, density=1000.0, level=5.0), thing.position, (0, 0, 0))[0].sum(axis=0)[2] == \
        pytest.approx(1000.0 * G * 2.0, rel=1e-13)


def test_soft_parts_that_close_each_other_bound_a_volume():
    shape = Compound([box((1, 1, 1)), box((1, 1, 1), (1, 0, 0))])
    thing = deformable(discretise(shape, size=0.5), CLOTH)
    assert closed(thing).all()
    assert not hidden(thing).any()


def test_objects_may_have_coefficients_of_their_own():
    scene = Scene("two")
    scene.add_object("chute", sheet(quad_mesh(SQUARE, (2, 2)), CLOTH, 1e-3))
    scene.add_object("load", rigid(box((1, 1, 1)), density=500.0))
    scene.add_object("ball", rigid(sphere(0.2, 1), density=500.0))
    scene.set_medium(density=RHO, drag={"chute": 1.4, "load": 0.8}, linear_drag={"chute": 0.2})
    made = medium_arrays(scene, {})
    assert set(made.facet.ravel()) == set(range(9)) | set(9 + np.unique(scene.objects["load"].object.facets))
    np.testing.assert_array_equal(made.two_sided, [1] * 8 + [0] * 24)
    np.testing.assert_array_equal(made.quadratic, [0.5 * RHO * 1.4] * 8 + [0.5 * RHO * 0.8] * 24)
    np.testing.assert_array_equal(made.linear, [0.2] * 8 + [0.0] * 24)
    scene.set_medium(density=1000.0, level=0.0)
    assert not medium_arrays(scene, {}).two_sided.any()      # pressure acts on all that is closed, and on nothing else
    assert len(medium_arrays(scene, {}).facet) == 24 + 3 * 80


def test_without_a_medium_there_are_no_facets():
    scene = Scene("empty")
    scene.add_object("load", rigid(box((1, 1, 1)), density=500.0))
    made = medium_arrays(scene, {})
    assert made.facet.shape == (0, 3)
    assert made.wind.tolist() == [-1, -1, -1]
    assert all(not each.flags.writeable for each in made)


@pytest.mark.parametrize(("given", "says"), [
    ({}, "it would do nothing"), ({"drag": 1.0}, "without a density"), ({"density": 1.2, "drag": -1.0}, ">= 0"),
    ({"density": 0.0, "drag": 1.0}, "> 0"), ({"linear_drag": 1.0, "wind": 3.0}, "three"),
    ({"linear_drag": 1.0, "wind": (1, "x", 0)}, "wind along y"), ({"linear_drag": 1.0, "level": np.nan}, "finite"),
    ({"linear_drag": 1.0, "buoyancy": True}, "without a density"),
    ({"density": 1.2, "drag": 1.0, "buoyancy": True}, "without a level"),
    ({"density": 1.2, "drag": 1.0, "buoyancy": 1}, "True or False"), ({"linear_drag": {"a": -2}}, ">= 0")])
def test_what_makes_no_sense_is_refused(given, says):
    with pytest.raises(SceneError, match=says):
        Scene("refused").set_medium(**given)


def test_an_unknown_object_is_refused_with_a_suggestion():
    scene = Scene("names")
    scene.add_object("chute", sheet(quad_mesh(SQUARE, (1, 1)), CLOTH, 1e-3))
    scene.set_medium(density=RHO, drag={"shute": 1.0})
    with pytest.raises(SceneError, match="did you mean 'chute'"):
        medium_arrays(scene, {})


def test_buoyancy_without_gravity_is_refused_when_asked_for_and_left_out_otherwise():
    scene = Scene("weightless", gravity=(0, 0, 0))
    with pytest.raises(SceneError, match="without gravity"):
        scene.set_medium(density=1000.0, level=0.0, buoyancy=True)
    assert not scene.set_medium(density=1000.0, drag=1.0, level=0.0).buoyancy


def test_a_wind_made_of_a_function_tells_its_sampling_error():
    scene = Scene("wind", duration=1.0)
    scene.set_medium(linear_drag=1.0, wind=(lambda t: np.sin(t), 0.0, 0.0))
    assert list(scene.sampling_errors) == ["medium:x"]
