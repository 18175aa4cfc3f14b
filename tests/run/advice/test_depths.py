"""What is too deep in each other: at the start of a run, and where a surface was too soft during it."""
import re

import pytest

from robotphi import ContactMaterial, Drive, Scene, SceneError, SimulationDiverged, Simulator, Stepping, build_model, simulate
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry import shapes

HARD = ContactMaterial(stiffness=1e8)


def box(height):
    return rigid(shapes.box((0.1, 0.1, 0.1), (0, 0, height)), density=1000.0)


def soft(height):
    return deformable(discretise(shapes.box((0.1, 0.1, 0.1), (0, 0, height)), size=0.05), Material(young=1e5, density=1000.0))


def overlapping(kind, depth, duration=0.002, contact=HARD, **options):
    """Two things that are `depth` in each other at the start."""
    scene = Scene("overlap", duration=duration, frames=2, **options)
    if kind == "boxes":
        scene.add_object("low", box(0.05), contact=contact)
        scene.add_object("high", box(0.15 - depth), contact=contact)
    elif kind == "soft":
        scene.add_plane("low", contact=contact)
        scene.add_object("high", soft(0.05 - depth), contact=contact)
    else:
        scene.add_ball("low", (0, 0, 0.1), 0.1, mass=1.0, contact=contact)
        scene.add_ball("high", (0, 0, 0.3 - depth), 0.1, mass=1.0, contact=contact)
    return scene


def warned(scene):
    return [text for text in Simulator(build_model(scene)).warnings() if "overlap at the start" in text]


@pytest.mark.parametrize("kind", ["boxes", "soft", "balls"])
def test_what_lies_in_each_other_deeply_is_named(kind):
    [text] = warned(overlapping(kind, 0.02))
    one = "'(low|high)'"
    assert re.match(f"{one} and {one} overlap at the start by 0.02 m, [12]0% of the thickness of {one}: their contact", text)
    assert re.search(r"throw them apart at \S+ m/s; move the first by at least that along \(0, 0, -?1\)", text)
    assert "exclude_contact(" in text


@pytest.mark.parametrize("kind", ["boxes", "soft", "balls"])
def test_what_has_settled_is_not(kind):
    assert warned(overlapping(kind, 1e-4)) == []


def test_balls_that_a_soft_body_swallows_are_named():
    scene = Scene("within", duration=0.002, frames=2)
    scene.add_object("jelly", soft(0.0), contact=HARD)
    for name, height in (("inside", 0.01), ("outside", 0.08)):
        scene.add_ball(name, (0.002, 0.003, height), 0.02, mass=0.1, contact=HARD)
    [text] = Simulator(build_model(scene)).warnings()
    assert text.startswith("'inside' start wholly within 'jelly'")
    scene.exclude_contact("inside", "jelly")
    assert Simulator(build_model(scene)).warnings() == []


def test_how_far_what_is_buried_has_to_move():
    scene = Scene("buried", duration=0.002, frames=2)
    scene.add_plane("ground", contact=HARD)
    scene.add_object("box", box(-3.0), contact=HARD)
    [text] = warned(scene)
    assert text.startswith("'box' and 'ground' overlap at the start by 3.05 m")


def test_a_stiffness_that_would_do_does():
    [text] = warned(overlapping("boxes", 0.02))
    enough = float(re.search(r"give the pair a stiffness of (\S+) N/m³ or less", text)[1])
    # two materials in series; the number is told to one digit
    assert warned(overlapping("boxes", 0.02, contact=ContactMaterial(stiffness=1.9 * enough / 1.5))) == []
    assert warned(overlapping("boxes", 0.02, contact=ContactMaterial(stiffness=4.0 * enough)))


def test_what_moves_as_told_or_never_meets_is_not_thrown():
    scene = overlapping("boxes", 0.02)
    scene.exclude_contact("low", "high")
    assert warned(scene) == []


def test_beyond_the_middle_is_told_however_soft_it_is():
    [text] = warned(overlapping("boxes", 0.06, contact=ContactMaterial(stiffness=10.0)))
    assert "60% of the thickness" in text


def test_what_would_fly_out_of_the_scene_is_refused():
    scene = overlapping("boxes", 0.06, duration=1.0)
    with pytest.raises(SceneError, match=r"scene 'overlap': '(low|high)' and .* overlap at the start by 0.06 m"):
        simulate(scene)
    with pytest.raises(SceneError, match="overlap at the start"):
        Simulator(build_model(scene)).warnings()


def test_warnings_are_kept_with_the_run_and_a_continued_one_is_not_at_its_start():
    scene = overlapping("balls", 0.02)
    recording = simulate(scene)
    assert sum("overlap at the start" in text for text in recording.info["warnings"]) == 1
    on = Simulator.continued(recording, frame=0)
    assert not any("overlap at the start" in text for text in on.run().info["warnings"])


def test_two_balls_in_one_place_are_refused_when_they_are_built():
    scene = Scene("same place")
    scene.add_ball("one", (1.0, 0.5, 0), 0.1, mass=1.0, contact=HARD)
    scene.add_ball("apart", (1.0, 0.5, 0.1), 0.1, mass=1.0, contact=HARD)
    grains = scene.add_particles("grains", [(0, 0, 0), (1.0, 0.5, 0)], 1.0)
    scene.add_contact_balls("sand", grains, 0.05, contact=HARD)
    with pytest.raises(SceneError, match=r"'one' and 'sand:1': both balls have their centre at \(1, 0.5, 0\); move one"):
        build_model(scene)
    scene.exclude_contact("one", "sand")
    build_model(scene)


# during a run --------------------------------------------------------------------------------------------------------

def pressed_through(thing, ground, stiffness=2e4):
    """A thing that falls onto a plane or a thin plate; it ends while what goes through is still inside."""
    contact = ContactMaterial(stiffness=stiffness, restitution=0.8, speed=1.0)
    scene = Scene("soft", duration=0.28, frames=56, stepping=Stepping(budget=1e-3))
    if ground == "plane":
        scene.add_plane("ground", (0, 0, 0.025), contact=contact)
    else:
        plate = rigid(shapes.box((0.6, 0.6, 0.05), (0, 0, 0)), density=500.0)
        scene.add_object("ground", plate, contact=contact, support="xyz")
    if thing == "block":
        scene.add_object("thing", rigid(shapes.box((0.1, 0.1, 0.2), (0.01, 0.02, 0.3)), mass=5.0), contact=contact)
    elif thing == "soft":
        scene.add_object("thing", soft(0.3), contact=contact)
    else:
        scene.add_ball("thing", (0.01, 0.02, 0.3), 0.06, mass=5.0, contact=contact)
    return scene


def passed(recording):
    return [text for text in recording.info["warnings"] if "deep in each other" in text]


CASES = [("block", "plane", "thing"), ("block", "plate", "ground"), ("soft", "plane", "thing"), ("soft", "plate", "ground"),
         ("ball", "plane", "thing"), ("ball", "plate", "ground")]


@pytest.mark.parametrize(("thing", "ground", "thin"), CASES)
def test_what_passes_through_is_told_with_a_stiffness_that_holds(thing, ground, thin):
    [text] = passed(simulate(pressed_through(thing, ground)))
    assert re.match(rf"'\w+' and '\w+' are \S+ m deep in each other at t = 0.\d+ s, through '{thin}', which is", text)
    stiffness = float(re.search(r"a stiffness of the pair of (\S+) N/m³ instead of 1e\+04", text)[1])
    # two materials in series
    recording = simulate(pressed_through(thing, ground, stiffness=2.0 * stiffness))
    assert passed(recording) == []
    thickness = {"thing": 0.12 if thing == "ball" else 0.1, "ground": 0.05}[thin]
    assert recording.rows["contacts"]["depth"].max() < 0.5 * thickness


def test_nothing_is_said_of_what_holds():
    assert passed(simulate(pressed_through("block", "plate", stiffness=1e8))) == []


def test_a_run_that_stops_while_something_passes_through_says_so():
    scene = pressed_through("ball", "plate")
    scene.add_force("blow", scene.rigids[1], (1.0, 0, 0), Drive.steps([0.0, 0.27], [0.0, 1e308]))
    with pytest.raises(SimulationDiverged, match=r"'thing' and 'ground' are \S+ m deep in each other.*would hold it") as caught:
        simulate(scene)
    assert passed(caught.value.recording)
    assert caught.value.post_mortem.text == str(caught.value)
