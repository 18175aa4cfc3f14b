"""Loops: closures hold to rounding, do no work, keep momenta, and give the motion of the mechanism without the loop's surplus.

A fixed step of second order errs by c τ² + d τ⁴ …: from two steps one extrapolates, from three one reads the order. What is
compared to 1e-10 and below follows from the same numbers with other roundings, some 1e-16 × (steps) apart.
"""
from itertools import pairwise

import numpy as np
import pytest

from robotphi.model.build import build_model
from robotphi.model.chain import rotation
from robotphi.run.simulator import Simulator, simulate
from tests.kernels.mechanism.loops import (
    add_ball,
    add_bar,
    bricard,
    carried_four_bar,
    four_bar,
    gap_of,
    lattice,
    places,
    run_to,
    scene_of,
    slider_crank,
    two_four_bars,
)

GAP = 1e-12          # of the extent: what closures may be open by
EPSILON = np.finfo(float).eps


def bound_of(simulator):
    return simulator.state.buffers.joints.bound


def order_of(scene, steps, time=1.0):
    """Slope of the differences of three runs, each with half the step of the one before, and the last."""
    ends = [places(run_to(scene(dt), time)) for dt in (steps, steps / 2, steps / 4)]
    first, second = (np.abs(a - b).max() for a, b in pairwise(ends))
    return np.log2(first / second)


# Closed forms --------------------------------------------------------------------------------------------------------

def crank_time(start, end, radius=0.3, length=0.8, masses=(1.0, 2.0, 1.5), rate=8.0):
    """Time [s] a slider-crank without loads takes from one crank angle to another: its kinetic energy ½ J(θ) θ̇² is constant."""
    def inertia(theta):
        rod = np.sqrt(length**2 - (radius * np.sin(theta))**2)
        turn = -radius * np.cos(theta) / rod                                   # dβ/dθ, sin β = −(r/l) sin θ
        slide = -radius * np.sin(theta) - radius**2 * np.sin(theta) * np.cos(theta) / rod
        middle = (-radius * np.sin(theta) + slide)**2 / 4 + (radius * np.cos(theta))**2 / 4
        crank, bar, slider = masses
        return (crank * radius**2 / 3 + bar * (middle + length**2 / 12 * turn**2) + slider * slide**2)

    nodes, weights = np.polynomial.legendre.leggauss(200)
    angles = 0.5 * (end - start) * nodes + 0.5 * (end + start)
    return np.sum(weights * np.sqrt(inertia(angles) / inertia(start))) * 0.5 * (end - start) / rate


def test_slider_crank_takes_the_time_of_its_closed_form():
    """The time by quadrature errs by rounding; that of the run by c τ² at steps of 1 and ½ ms, and 1e-9 s once extrapolated
    (τ⁴ ω⁴ with ω of some 10/s)."""
    off = []
    for dt in (1e-3, 5e-4):
        simulator = run_to(slider_crank(dt), 1.0)
        angle = simulator.state.buffers.joints.place[0, 0]
        off.append(crank_time(np.pi / 2, np.pi / 2 + angle) - 1.0)
        crank, rod, slider = places(simulator)
        pin = 2.0 * crank[:2]
        assert abs(slider[0] - pin[0] - np.sqrt(0.8**2 - pin[1]**2)) < 1e-12
        assert gap_of(simulator) < GAP
    assert abs(off[0] / off[1] - 4.0) < 0.05
    assert abs((4.0 * off[1] - off[0]) / 3.0) < 1e-8


def hanging(dt, way):
    """A ball at 1 m from the origin that swings in the plane: by a rod, on a circle, on a line of another mechanism."""
    scene = scene_of("ball", dt, 1.0, (0.0, 0.0, -9.81))
    at = np.array([0.6, 0.0, -0.8])
    ball = add_ball(scene, "ball", at, mass=2.0, velocity=(0.8, 0.0, 0.6))
    if way == "rod":
        scene.add_joint("hold", "rod", None, ball, ((0, 0, 0), at))
    elif way == "circle":
        scene.add_joint("hold", "on_circle", None, ball, at, axis=(0, 1, 0), centre=(0, 0, 0))
    else:
        angles = np.linspace(0.0, 2.0 * np.pi, way, endpoint=False)
        scene.add_joint("hold", "on_curve", None, ball, at, closed=True, assemble=1e-2,
                        points=np.column_stack((np.cos(angles), 0.0 * angles, np.sin(angles))))
    return scene


def pendulum_angle(time):
    """Angle from the downward vertical of the same pendulum, by Taylor's series of order 12 in steps of 10 ms: to rounding."""
    angle, rate = np.arctan2(0.6, 0.8), 1.0
    for _ in range(round(time / 0.01)):
        a, s, c = [angle, rate], [np.sin(angle)], [np.cos(angle)]
        for n in range(12):
            a.append(-9.81 * s[n] / ((n + 1) * (n + 2)))
            s.append(sum((k + 1) * a[k + 1] * c[n - k] for k in range(n + 1)) / (n + 1))
            c.append(-sum((k + 1) * a[k + 1] * s[n - k] for k in range(n + 1)) / (n + 1))
        powers = 0.01 ** np.arange(len(a))
        angle, rate = np.dot(a, powers), np.dot(np.arange(1, len(a)) * a[1:], powers[:-1])
    return angle, rate


@pytest.mark.parametrize("way", ["rod", "circle"])
def test_rod_is_a_pendulum(way):
    """Extrapolated to 1e-9, τ⁴ ω⁴ of some 1e-10 with τ of 2 and 1 ms; and the pull is that of the closed form."""
    angle, rate = pendulum_angle(1.0)
    at = {}
    for dt in (2e-3, 1e-3):
        simulator = run_to(hanging(dt, way), 1.0)
        ball = places(simulator)[0]
        at[dt] = np.arctan2(ball[0], -ball[2])
        own = simulator.state.buffers.rigid[0]
        pull = 2.0 * (9.81 * np.cos(at[dt]) + own[3:6] @ own[3:6])             # m (g cos θ + v²/L)
        assert abs(np.linalg.norm(bound_of(simulator).pull) - pull) < 1e-11 * pull
        assert gap_of(simulator) < GAP
    assert abs((4.0 * at[1e-3] - at[2e-3]) / 3.0 - angle) < 1e-9


def test_curve_through_points_of_a_circle_comes_near_the_circle():
    """A spline errs like h⁴, more or less within each piece: with eight times the points the path is 4096 times as near."""
    circle = places(run_to(hanging(1e-3, "circle"), 1.0))
    off = [np.abs(places(run_to(hanging(1e-3, count), 1.0)) - circle).max() for count in (20, 160)]
    assert 1000.0 < off[0] / off[1] < 16000.0
    simulator = run_to(hanging(1e-3, 160), 1.0)
    assert gap_of(simulator) < GAP
    at, speed = np.split(simulator.state.buffers.rigid[0, :6], 2)
    pull = 2.0 * (-9.81 * at[2] + speed @ speed)          # curvature errs like h², (2π/160)²/12
    assert abs(np.linalg.norm(bound_of(simulator).pull) - pull) < 2e-4 * pull


def test_bead_on_a_straight_line_slides_like_a_block():
    scene = scene_of("bead", 1e-2, 1.0, (0.0, 0.0, -9.81))
    bead, along = add_ball(scene, "bead", (0, 0, 0)), np.array([3.0, 0.0, -4.0]) / 5.0
    scene.add_joint("wire", "on_line", None, bead, (0, 0, 0), axis=along)
    assert np.abs(places(run_to(scene, 1.0))[0] - along * 0.5 * 9.81 * 0.8).max() < 1e-12


# The same mechanism, said otherwise ----------------------------------------------------------------------------------

@pytest.mark.parametrize("closing", ["ball", "universal", "cylindrical"])
def test_planar_four_bar_has_three_rows_too_many(closing):
    """Five rows of a revolute joint, of which three follow from the others: the motion is that of two rows, and the least
    multipliers have nothing across the plane."""
    whole, less = run_to(four_bar(), 1.0), run_to(four_bar(closing=closing), 1.0)
    assert bound_of(whole).rank[0, 0] == bound_of(less).rank[0, 0] == 2
    assert len(bound_of(whole).pull) == 5
    assert np.abs(places(whole) - places(less)).max() < 1e-12
    force = np.sum(bound_of(whole).pull * bound_of(whole).wrench[:, :3], axis=0)
    other = np.sum(bound_of(less).pull * bound_of(less).wrench[:, :3], axis=0)
    assert np.abs(force - other).max() < 1e-10 * np.abs(force).max()
    assert max(gap_of(whole), gap_of(less)) < GAP


def test_surplus_rows_of_a_tilted_plane_are_found_at_every_step():
    """What is surplus is so up to rounding alone: the motion is that in the plane, turned; 200 steps of some 1e-15 each."""
    tilt = rotation(np.array([2.0, -1.0, 2.0]) / 3.0, 0.7)
    level, tilted = run_to(four_bar(), 0.2), Simulator(build_model(four_bar(tilt=tilt)), threads=1)
    for n in range(1, 21):
        tilted.advance_to(0.01 * n)
        assert bound_of(tilted).rank[0, 0] == 2
    assert np.abs(places(level) @ tilt.T - places(tilted)).max() < 1e-12
    assert gap_of(tilted) < GAP


def test_parents_and_children_may_be_exchanged():
    one, other = run_to(four_bar(), 1.0), run_to(four_bar(swap=True), 1.0)
    assert np.abs(places(one) - places(other)).max() < 1e-12
    turns = [simulator.state.buffers.joints.place[:, 0] for simulator in (one, other)]
    assert np.abs(turns[0] * (1, 1, -1) - turns[1]).max() < 1e-12


def test_two_rods_share_what_one_carries():
    """Twice the same row: the least norm is half for each (Faure E0c)."""
    scene = hanging(1e-3, "rod")
    scene.add_joint("again", "rod", None, scene.rigids[0], ((0, 0, 0), (0.6, 0.0, -0.8)))
    both, one = run_to(scene, 0.5), run_to(hanging(1e-3, "rod"), 0.5)
    assert bound_of(both).rank[0, 0] == 1
    assert np.abs(places(both) - places(one)).max() < 1e-12
    assert np.abs(bound_of(both).pull - 0.5 * bound_of(one).pull[0]).max() < 1e-10 * abs(bound_of(one).pull[0, 0])


def with_matrix(model, dense):
    closures = model.arrays.closures
    chosen = np.full_like(closures.dense, dense)
    chosen.setflags(write=False)   # of its own kind else, for which all would be compiled anew
    return model._replace(arrays=model.arrays._replace(closures=closures._replace(dense=chosen)))


@pytest.mark.parametrize(("cells", "rows"), [(10, 1), (40, 1), (4, 4)])
def test_a_lattice_by_iteration_is_the_lattice_by_its_matrix(cells, rows):
    """Velocities are met to 1e-14 and places to 1e-13 of the size either way; 20 steps and 12 cells' lengths of lever apart."""
    model = build_model(lattice(cells, rows))
    assert len(model.arrays.closures.kind) == 3 * cells * rows
    ends = [run_to(None, 0.02, with_matrix(model, dense)) for dense in (1, 0)]
    assert np.abs(places(ends[0]) - places(ends[1])).max() < 1e-11
    assert max(map(gap_of, ends)) < GAP
    pulls = [bound_of(end).pull for end in ends]
    assert np.abs(pulls[0] - pulls[1]).max() < 1e-7 * np.abs(pulls[0]).max()


# Energy, momenta, order ----------------------------------------------------------------------------------------------

def energy_error(scene):
    recording = simulate(scene)
    return np.abs(recording.ledger["residual"]).max(), recording.ledger["kinetic"].max()


def test_bricard_moves_and_keeps_its_energy():
    """Six revolute joints of which counting says that they do not move: rank 4 of 5 rows. E errs like τ²."""
    simulator = run_to(bricard(), 1.0)
    assert bound_of(simulator).rank[0, 0] == 4
    assert gap_of(simulator) < GAP
    errors = [energy_error(bricard(dt, 10.0, frames=10))[0] for dt in (4e-3, 2e-3)]
    assert errors[1] < 1e-4
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_double_four_bar_passes_its_singular_places():
    """IFToMM's benchmark: 10 s, through places where rows follow from others; E may be off by 0.1 J of 70 there."""
    error, kinetic = energy_error(two_four_bars(1e-3, 10.0))
    assert kinetic > 30.0
    assert error < 1e-3


def ring(dt, duration, bars=6):
    """A ring of bars and ball joints in space, free."""
    scene, angles = scene_of("ring", dt, duration), np.linspace(0.0, 2.0 * np.pi, bars, endpoint=False)
    nodes = np.column_stack((np.cos(angles), np.sin(angles), 0.2 * np.sin(2.0 * angles)))
    motion = {"velocity": (0.1, 0.2, 0.3), "spin": (0.3, 0.5, -2.0)}
    made = [add_bar(scene, f"bar{n}", nodes[n], nodes[(n + 1) % bars], 1.0 + 0.2 * n, **(motion if n == 0 else {}))
            for n in range(bars)]
    for n in range(bars):
        scene.add_joint(f"joint{n}", "ball", made[n - 1], made[n], nodes[n])
    return scene


@pytest.mark.parametrize("build", [lambda: ring(1e-3, 20.0), lambda: lattice(3, 3, 1e-3, 2.0)], ids=["ring", "lattice"])
def test_free_loops_keep_both_momenta(build):
    """To rounding of 20 000 sums: 1e-12 of Σ m |v| and of the moments, about the moving centre."""
    scene = build()
    recording = simulate(scene)
    mass = np.array([rigid.mass for rigid in scene.rigids])[:, None]
    momenta = mass * recording.rigid_velocity
    centre = (mass * recording.rigid_position).sum(1) / mass.sum()
    spins = recording.rigid_momentum + np.cross(recording.rigid_position - centre[:, None], momenta)
    for each in (momenta, spins):
        total = each.sum(axis=1)
        assert np.abs(total - total[0]).max() < 1e-12 * np.linalg.norm(each, axis=2).sum(axis=1).max()
    assert np.abs(recording.ledger["residual"]).max() < 1e-5 * recording.ledger["kinetic"][0]


def test_gap_after_many_steps():
    """1e5 of them, 84 turns of the crank: angles of 500 rad are known to 1e-13."""
    assert gap_of(run_to(four_bar(1e-3, 100.0, frames=1), 100.0)) < GAP


SCENES = {"plane": four_bar, "ring": lambda dt: ring(dt, 1.0), "curve": lambda dt: hanging(dt, 40), "space": bricard,
          "lattice": lambda dt: lattice(3, 3, dt, 1.0)}


@pytest.mark.parametrize("scene", SCENES)
def test_order_is_two(scene):
    """With steps of which frames are whole numbers: a rest of a step would be shared out otherwise."""
    assert abs(order_of(SCENES[scene], 5e-3, 0.5) - 2.0) < 0.1


def test_ledger_closes_within_its_budget():
    for budget in (1e-4, 1e-8):
        recording = simulate(four_bar(duration=0.2, budget=budget))
        reference = max(recording.ledger["kinetic"].max(), 1.0) + 40.0
        assert np.abs(recording.ledger["residual"]).max() < budget * reference


def test_continued_from_a_frame_with_the_same_bits():
    model = build_model(hanging(1e-3, 40))
    straight = Simulator(model)
    straight.run()
    recording = straight.recording()
    later = Simulator.continued(model, recording, frame=2)
    later.run()
    assert np.array_equal(later.recording().rigid_position[-1], recording.rigid_position[-1])
    assert np.array_equal(later.state.buffers.joints.bound.pull, straight.state.buffers.joints.bound.pull)


# Readings ------------------------------------------------------------------------------------------------------------

def test_joints_that_close_are_read_like_others():
    """The same mechanism with another joint in the tree: what all joints do and transmit is the same, but for errors of second
    order, which are others in other coordinates: (τ ω)² of some 4e-6."""
    closing = [simulate(four_bar(duration=0.2, last=last)) for last in "cd"]
    closes = [recording.model.scene.joints[recording.model.arrays.closures.joint[0]].name for recording in closing]
    assert len(set(closes)) == 2
    for name in "abcd":
        one, other = (recording.joint(name) for recording in closing)
        for quantity in ("coordinate", "rate", "reaction_force", "reaction_couple"):
            a, b = getattr(one, quantity), getattr(other, quantity)
            assert np.abs(a - b).max() < 4e-6 * (1.0 + np.abs(a).max()), (name, quantity)
        assert np.abs(one.effort).max() < 1e-9


def test_joints_on_driven_rigids_feel_how_these_speed_up():
    """At 4 m/s² along x as in a field of gravity that way; and the drives' work closes the ledger, like τ²."""
    one = run_to(carried_four_bar(drive={"x": lambda time: 2.0 * time**2}), 0.3)
    other = run_to(carried_four_bar(gravity=(-4.0, -9.81, 0.0)), 0.3)
    apart = [places(simulator) - places(simulator)[0] for simulator in (one, other)]
    assert np.abs(apart[0] - apart[1]).max() < 1e-10
    assert np.abs(bound_of(one).pull - bound_of(other).pull).max() < 1e-8
    turned = {"rotation": ((0, 0, 1), lambda time: 0.5 * np.sin(5.0 * time))}
    errors = [energy_error(carried_four_bar(dt, drive=turned))[0] for dt in (2e-3, 1e-3)]
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert errors[1] < 1e-3
