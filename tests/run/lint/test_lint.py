"""What is told of a scene before it runs: each check finds what it looks for and is silent elsewhere; names are right."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Stepping, build_model, simulate
from robotphi.discretise.deform import deformable
from robotphi.discretise.joining.transform import moved, turned
from robotphi.discretise.matter.material import Material
from robotphi.discretise.rigid import rigid
from robotphi.discretise.shape import discretise
from robotphi.geometry import shapes
from robotphi.geometry.mesh import Mesh
from robotphi.kernels.step import slots
from robotphi.run.advice.steps import SHORT
from robotphi.run.lint.report import lint
from robotphi.run.lint.subject import subject_of
from robotphi.run.lint.table import CHECKS
from robotphi.run.simulator import Simulator
from robotphi.run.state import SAFETY

RUBBER = ContactMaterial(stiffness=1e6, restitution=0.6, speed=1.0, friction=0.5)


def spring(stiffness=100.0, mass=1.0, duration=1.0, **stepping):
    scene = Scene("spring", duration=duration, frames=10, stepping=Stepping(**stepping))
    post = scene.add_particle("post", (0, 0, 0), 1.0, support="xyz")
    bob = scene.add_particle("bob", (0, 0, -0.3), mass)
    scene.add_linear("thread", post, bob, stiffness=stiffness)
    return scene


def two_springs(stiffness):
    scene = spring()
    scene.add_linear("stiff", scene.add_particle("a", (1, 0, 0), 1.0), scene.add_particle("b", (2, 0, 0), 1.0),
                     stiffness=stiffness)
    return scene


def box_on(material=RUBBER, height=0.0, box=RUBBER, normal=(0, 0, 1), density=500.0, size=0.1, **plane):
    """A box whose lower face is so far above a plane through the origin."""
    scene = Scene("box", duration=0.2, frames=10)
    normal = np.array(normal) / np.linalg.norm(normal)
    scene.add_plane("ground", (0, 0, 0), normal, contact=material, **plane)
    thing = rigid(shapes.box((size, size, size), (0, 0, 0.5 * size)), density=density)
    if normal[2] < 1.0:
        thing = turned(thing, (0, 1, 0), np.arctan2(normal[0], normal[2]))
    scene.add_object("box", moved(thing, height * normal), contact=box)
    return scene


def soft(size=(0.3, 0.3, 0.3), cells=0.1, young=1e5, density=1000.0, **options):
    scene = Scene("soft", duration=0.1, frames=10)
    scene.add_object("bar", deformable(discretise(shapes.box(size), size=cells), Material(young=young, density=density)),
                     **options)
    return scene


def flat_tetrahedron():
    """A tetrahedron whose fourth corner is all but in the plane of the others."""
    scene = Scene("flat", duration=0.1, frames=10)
    mesh = Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.3, 0.01]]) * 0.1, {"tetrahedron": np.array([[0, 1, 2, 3]])})
    scene.add_object("chip", deformable(mesh, Material(young=1e5, density=1000.0), way="corners"))
    return scene


def roller_beside():
    scene = box_on(height=0.0)
    scene.add_cylinder("roller", (0.5, -0.1, 0.05), (0.5, 0.1, 0.05), 0.05, mass=1.0, contact=RUBBER)
    jelly = deformable(discretise(shapes.box(0.1, (0, 2, 0.06)), counts=(1, 1, 1)), Material(young=1e5, density=1000.0))
    scene.add_object("jelly", jelly, contact=RUBBER)
    return scene


def loose_box(k):
    return box_on(ContactMaterial(stiffness=1e6, restitution=0.6, speed=1.0, friction=0.5, tangential_stiffness=k),
                  box=ContactMaterial(stiffness=1e6, restitution=0.6, speed=1.0, friction=0.5, tangential_stiffness=k))


def heavy_roller(stiffness):
    """5 kg on 0.05 m: k_t = λ × 0.01 × 0.1 m × 0.1 m."""
    scene, law = Scene("roller", duration=0.1, frames=10), ContactMaterial(stiffness=stiffness, friction=0.8)
    scene.add_plane("ground", contact=law)
    scene.add_cylinder("roller", (0, -0.05, 0.05), (0, 0.05, 0.05), 0.05, mass=5.0, contact=law)
    return scene


def millimetres(scale):
    """A box beside another whose sides are so many times those of the first."""
    scene = Scene("mesh", duration=0.1, frames=10)
    scene.add_object("tool", rigid(shapes.box((0.1, 0.1, 0.1)), density=1000.0))
    scene.add_object("part", rigid(shapes.box((0.2 * scale, 0.1 * scale, 0.1 * scale), (2.0 * scale, 0, 0)), density=1000.0))
    return scene


def joined(mass):
    scene = Scene("joined", duration=0.1, frames=10)
    light, heavy = scene.add_particle("light", (0, 0, 0), mass), scene.add_particle("heavy", (1, 0, 0), 10.0)
    scene.add_linear("thread", light, heavy, stiffness=100.0)
    return scene


def many_frames(frames):
    scene = spring()
    scene.frames = frames
    return scene


# check → (scene that it speaks of, one that it does not, a word that it says)
SCENES = {
    "unstable step": (lambda: spring(control="fixed", dt=0.3), lambda: spring(control="fixed", dt=0.1), "the 200 ms that"),
    "short steps": (lambda: spring(1e16), lambda: spring(1e10), "'thread'"),
    "lone setter": (lambda: two_springs(1e6), lambda: two_springs(400.0), "'stiff' alone"),
    "stiff contact": (lambda: box_on(ContactMaterial(stiffness=1e18), 0.2, ContactMaterial(stiffness=1e18)),
                      lambda: box_on(height=0.2), "a stiffness of the pair of"),
    "soft contact": (lambda: box_on(ContactMaterial(stiffness=2e4), 1.0, ContactMaterial(stiffness=2e4)),
                     lambda: box_on(height=1.0), "falls on 'ground'"),
    "deep start": (lambda: box_on(height=-0.07), lambda: box_on(), "overlap at the start"),
    "passed by": (roller_beside, box_on, "touches no sheets and no soft objects"),
    "lost friction": (lambda: box_on(ContactMaterial(stiffness=1e6)), box_on, "geometric mean"),
    "loose friction": (lambda: loose_box(20.0), lambda: loose_box(1e5), "gives way by"),
    "too steep": (lambda: box_on(normal=(0.6, 0, 0.8), height=-1e-4), lambda: box_on(normal=(0.3, 0, 0.95), height=-1e-4),
                  "static_friction of 0.8"),
    "mass ratio": (lambda: joined(1e-3), lambda: joined(0.1), "1e+04 times as much"),
    "units": (lambda: millimetres(1000.0), lambda: millimetres(10.0), "millimetres"),
    "slivers": (flat_tetrahedron, soft, "slivers"),
    "locking": (lambda: soft((0.6, 0.1, 0.1)), lambda: soft((0.6, 0.15, 0.15), 0.03), "1 cells across"),
    "matter": (None, soft, "reach E"),
    "memory": (None, spring, "memory"),
}


def test_friction_of_round_things_that_sink_deep_is_told_though_nobody_said_how_stiff_it_is():
    """0.8 × 49 N over 2e7/2 × 1e-4 m² = 1e3 N/m: 39 mm."""
    found = lint(heavy_roller(2e7)).found["loose friction"]
    assert "gives way by 0.039 m" in found[0].text
    assert found[0].do.startswith("give a tangential_stiffness of ")
    assert "leave it out" not in found[0].do
    assert not lint(heavy_roller(2e9)).found.get("loose friction")


def said(report):
    return " ".join(f"{each.text} {each.do}" for found in report.found.values() for each in found)


def test_every_check_has_a_scene():
    assert set(SCENES) == {check.name for check in CHECKS}
    assert len({check.name for check in CHECKS}) == len(CHECKS)


@pytest.mark.parametrize("check", [check for check in SCENES if SCENES[check][0] is not None])
def test_a_check_speaks_of_what_it_looks_for_and_says_what_to_do(check):
    wrong, _, word = SCENES[check]
    found = lint(wrong()).found.get(check, [])
    assert found, f"{check} found nothing"
    assert word in " ".join(f"{each.text} {each.do}" for each in found)
    assert all(each.text and each.do for each in found)


@pytest.mark.parametrize("check", SCENES)
def test_a_check_is_silent_where_nothing_is_wrong(check):
    assert check not in lint(SCENES[check][1]()).found


def test_cells_that_miss_their_material_are_told():
    mesh = discretise(shapes.box((0.4, 0.1, 0.1)), counts=(2, 2, 2))
    with pytest.warns(UserWarning, match="reach E"):
        thing = deformable(mesh, Material(young=(1e5, 1e7, 1e5), density=1000.0))
    scene = Scene("missed", duration=0.1, frames=10)
    scene.add_object("bar", thing)
    found = lint(scene).found
    assert "is wanted" in found["matter"][0].text


def test_memory_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setattr("robotphi.run.advice.room.free_memory", lambda: 2e5)
    [finding] = lint(many_frames(50)).found["memory"]
    assert "frames" in finding.do


@pytest.mark.parametrize(("make", "word"), [
    (lambda: box_on(density=5e5), "the density of 'box' is 5e+05"), (lambda: soft(young=10.0), "the modulus of 'bar' is 10 Pa"),
    (lambda: Scene("fall", gravity=(0, 0, -9810.0)), "gravity is 9.81e+03 m/s²")])
def test_other_units_are_guessed_of_densities_moduli_and_gravity(make, word):
    scene = make()
    if not scene.particle_count:
        scene.add_particle("stone", (0, 0, 0), 1.0)
    assert word in said(lint(scene))


# The step -------------------------------------------------------------------------------------------------------------------

def test_the_longest_step_is_that_of_the_spring_and_its_share_is_all():
    report = lint(spring(400.0, 4.0))
    assert report.step == pytest.approx(2.0 * SAFETY / 10.0, rel=1e-9)   # ω = √(k/m) of a mass on a post
    assert [(each.name, each.share) for each in report.setters] == [("the stiffness of 'thread'", 1.0)]


def test_blocks_have_the_steps_they_ask_for_by_themselves():
    setters = {each.names: each for each in lint(two_springs(1e4)).setters}
    assert setters["thread",].step == pytest.approx(2.0 * SAFETY / 10.0, rel=1e-9)
    assert setters["stiff",].step == pytest.approx(2.0 * SAFETY / np.sqrt(2e4), rel=1e-9)   # of two free masses
    assert setters["thread",].share == pytest.approx(100.0 / 2e4, rel=1e-9)


def test_joints_acts_and_what_turns_are_named():
    scene = Scene("arm", duration=1.0, frames=10)
    link = scene.add_rigid("link", [(0, 0, 0), (0.4, 0, 0)], mass=1.0, inertia=(0.01, 0.02, 0.02), centre=(0.2, 0, 0))
    scene.add_joint("hinge", "revolute", None, link, at=(0, 0, 0), axis=(0, 1, 0), stiffness=50.0)
    [setter] = lint(scene).setters
    assert (setter.name, setter.thing) == ("the stiffness on joint 'hinge'", "joint")
    assert setter.step == pytest.approx(2.0 * SAFETY / np.sqrt(50.0 / (0.02 + 0.04)), rel=1e-6)
    top = Scene("top", duration=1.0, frames=10)
    top.add_rigid("top", [(0, 0, 0)], mass=1.0, inertia=(0.1, 0.1, 0.1), spin=(0, 0, 50.0))
    [setter] = lint(top).setters
    assert (setter.name, setter.step) == ("the turning of 'top' at 50 rad/s", pytest.approx(0.01))
    pulled = spring()
    pulled.add_pull("lead", pulled.things["bob"], (0, 0, 0), 400.0, damping=1.0)
    assert {"acts", "the damping of the pull 'lead'"} <= {each.name for each in lint(pulled).setters}


def test_a_hit_is_named_with_its_step():
    hit = next(each for each in lint(box_on(height=0.5)).setters if each.what == "hit")
    assert set(hit.names) == {"ground", "box"}
    assert np.isfinite(hit.step)


@pytest.mark.parametrize("make", [spring, lambda: spring(1e5, 0.01), lambda: two_springs(1e6), soft,
                                  lambda: soft((0.6, 0.1, 0.1), support={"left": "xyz"})])
def test_a_run_takes_no_fewer_steps_than_are_told(make):
    report, recording = lint(make()), simulate(make())
    assert len(recording) == report.frames + 1
    assert report.frames <= report.steps <= recording.counts["accepted"]


def test_fixed_steps_are_told_to_the_last():
    scene = spring(control="fixed", dt=0.007)
    assert lint(scene).steps == 10 * 15    # 0.1 s from frame to frame
    assert simulate(spring(control="fixed", dt=0.007)).counts["accepted"] == 10 * 15


def test_the_step_that_is_told_is_the_bound_of_the_simulator():
    model = build_model(two_springs(1e4))
    simulator = Simulator(model)
    simulator.begin()
    assert subject_of(model).step == simulator.state.buffers.numbers[slots.STABLE]


def test_short_is_short_of_the_duration():
    step = lint(spring(1e8)).step
    assert "short steps" not in lint(spring(1e8, duration=0.9 * step / SHORT)).found
    assert "short steps" in lint(spring(1e8, duration=1.1 * step / SHORT)).found


def dashpot(viscosity, **stepping):
    """A gram on a soft spring with a strong damper, which is pushed."""
    scene = Scene("dashpot", duration=0.05, frames=1, gravity=(0, 0, 0), stepping=Stepping(**stepping))
    post = scene.add_particle("post", (0, 0, 0), 1.0, support="xyz")
    bob = scene.add_particle("bob", (1, 0, 0), 1e-3)
    scene.add_linear("pot", post, bob, stiffness=1.0, viscosity=viscosity)
    scene.add_force("push", bob, (1.0, 0, 0))
    return scene


def test_dampers_that_go_apart_bound_the_step_by_their_stages():
    """Some 10⁴/c: of 1e8 1/s 94 µs, where stiffness alone would allow 60 ms."""
    subject = subject_of(build_model(dashpot(1e5)))
    assert subject.setters[0].name == "the viscosity of 'pot'"
    recording = simulate(dashpot(1e5))
    cause = next(each for each in recording.info["causes"] if each["name"] == subject.setters[0].name)
    assert cause["steps"] > 500
    assert recording.steps["dt"].max() == pytest.approx(subject.step, rel=1e-6)
    found = lint(dashpot(1e10)).found["short steps"]
    assert "N·s/m instead of 1e+10" in found[0].do
    assert "lone setter" not in lint(dashpot(1.0)).found   # its own damper is nobody else
    # fixed steps take their stages several times
    fixed = dashpot(1e5, control="fixed", dt=1e-3)
    assert "unstable step" not in lint(fixed).found
    assert abs(simulate(fixed).position[-1, 1, 0] - 1.0) == pytest.approx(5e-7, rel=0.02)   # F t/c
