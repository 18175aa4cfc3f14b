"""A new act, in two files: its own in `kernels/acts/`, and the table that lists it.

`tether` pulls particles towards places that stay, with damping: it stores energy and loses some. `stirrer` turns a rigid after
a drive, through a damper: it gives work and loses some. Either is checked against its closed form, on an axis alone.
"""
import numpy as np
import pytest

from tests.recipes.recipe import Edit, Recipe, cook

TABLE = "kernels/acts/table.py"
IMPORTED = "from robotphi.kernels.acts import attitude, field, forces, medium, pressure, pull, tendon"

TETHER = '''
"""A pull of particles towards places that stay, F = −s(t) k (x − anchor) − μ v: the drive s works ½ k |x − anchor|² ds."""
from typing import NamedTuple

from robotphi.kernels.acts import fields
from robotphi.kernels.acts.act import LOST, STORED, WORK, Act, lose, stiffen, store, work
from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.vectors import add_to, dot, minus, read
from robotphi.kernels.step.rigids import row3


class Tether(NamedTuple):
    particle: fields.particles()
    anchor: fields.vector("m")
    stiffness: fields.number("N/m", low=0.0)
    viscosity: fields.number("N·s/m", low=0.0, default=0.0)
    share: fields.drive("1", default=1.0)
    entry: fields.entry()


@kernel
def push(rows, drives, buffers, now, time, inside):
    for i in range(len(rows.particle)):
        p, mu = rows.particle[i], rows.viscosity[i]
        k = rows.stiffness[i] * drive_value(drives, rows.share[i], time, inside)[0]
        away, speed = minus(read(now.position, p), row3(rows.anchor, i)), read(now.velocity, p)
        add_to(now.force, p, away, -k)
        add_to(now.force, p, speed, -mu)
        store(buffers, rows.entry[i], 0.5 * k * dot(away, away))
        lose(buffers, rows.entry[i], mu * dot(speed, speed))


@kernel
def power(rows, drives, buffers, now, time, inside):
    for i in range(len(rows.particle)):
        away = minus(read(now.position, rows.particle[i]), row3(rows.anchor, i))
        growth = drive_value(drives, rows.share[i], time, inside)[1]
        work(buffers, rows.entry[i], 0.5 * rows.stiffness[i] * growth * dot(away, away))


@kernel
def bound(rows, drives, buffers, now, time, inside):
    for i in range(len(rows.particle)):
        stiffness = rows.stiffness[i] * drive_value(drives, rows.share[i], time, inside)[0]
        stiffen(buffers, rows.particle[i], stiffness, rows.viscosity[i])


ACT = Act("tether", Tether, (STORED, LOST, WORK), push=push, power=power, bound=bound)
'''

STIRRER = '''
"""A moment that turns a rigid after a drive through a damper, N = c (Ω(t) e − ω): N·Ω e is given, c |Ω e − ω|² is lost."""
from typing import NamedTuple

from robotphi.kernels.acts import fields
from robotphi.kernels.acts.act import LOST, WORK, Act, lose, stiffen_rigid, work
from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.vectors import dot, minus, scaled
from robotphi.kernels.step.rigids import SPIN, add_rigid_force, get3, row3


class Stirrer(NamedTuple):
    rigid: fields.rigid()
    axis: fields.vector("rad/s per unit of the rate")
    rate: fields.drive("1", default=1.0)
    damping: fields.number("N·m·s", above=0.0)
    entry: fields.entry()


@kernel
def lag(rows, i, drives, now, time, inside):
    wanted = scaled(row3(rows.axis, i), drive_value(drives, rows.rate[i], time, inside)[0])
    return wanted, minus(wanted, get3(now.rigid, rows.rigid[i], SPIN))


@kernel
def push(rows, drives, buffers, now, time, inside):
    for i in range(len(rows.rigid)):
        slip = lag(rows, i, drives, now, time, inside)[1]
        add_rigid_force(now.load, rows.rigid[i], 3, slip, rows.damping[i])
        lose(buffers, rows.entry[i], rows.damping[i] * dot(slip, slip))


@kernel
def power(rows, drives, buffers, now, time, inside):
    for i in range(len(rows.rigid)):
        wanted, slip = lag(rows, i, drives, now, time, inside)
        work(buffers, rows.entry[i], rows.damping[i] * dot(slip, wanted))


@kernel
def bound(rows, drives, buffers, now, time, inside):
    for i in range(len(rows.rigid)):
        stiffen_rigid(buffers, rows.rigid[i], 0.0, 0.0, 0.0, rows.damping[i])


ACT = Act("stirrer", Stirrer, (LOST, WORK), push=push, power=power, bound=bound)
'''

SCENE = """
    import json
    import numpy as np
    import robotphi
    from robotphi import Drive, Recording, Scene, SceneError, Simulator, Stepping, build_model, simulate
    from robotphi.kernels.step import slots

    {constants}

    def build(steps):
        scene = Scene("acts", duration=1.0, frames=4, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=1.0 / steps))
        {parts}
        return scene

    runs = [simulate(build(steps)) for steps in (200, 400)]
    runs[0].save("run.h5")
    model = build_model(build(200))
    again = Simulator.continued(model, Recording.load("run.h5"), frame=2).run()
    refusals = []
    for given in ({wrong}):
        try:
            build(8).add_act("{kind}", "other", **given)
        except SceneError as error:
            refusals.append(str(error))
    print(json.dumps({{
        "package": robotphi.__file__, "refusals": refusals, "time": runs[0].time.tolist(),
        "ledgers": [{{name: values.tolist() for name, values in run.ledger.items()}} for run in runs],
        "values": [np.asarray({value}).tolist() for run in runs],
        "same": all(np.array_equal(again.ledger[name][-1], runs[0].ledger[name][-1]) for name in again.ledger)
                and np.array_equal(again.position[-1], runs[0].position[-1]),
        "bound": runs[0].checkpoint["numbers"][0, [slots.SPRING_SQUARE, slots.SPRING_DAMPING]].tolist(),
    }}))
"""


def recipe(name, text, **scene):
    """The file of an act, its import and its line in the table."""
    return Recipe(edits=(
        Edit(f"kernels/acts/{name}.py", "new", "", text),
        Edit(TABLE, "instead", IMPORTED, f"{IMPORTED}, {name}"),
        Edit(TABLE, "after", "medium.ACT,", f"    {name}.ACT,")), scene=SCENE.format(kind=name, **scene))


K, MU, MASS, AWAY = 90.0, 1.5, 2.0, 0.3
SWING = recipe(
    "tether", TETHER, constants=f"k, mu, mass, away = {K}, {MU}, {MASS}, {AWAY}",
    parts="""p = scene.add_particles("pair", [[away, 0, 0], [5.0, 2.0, 0]], mass)
        q = scene.add_particles("others", [[0, 3.0, 0], [0, 4.0, 0]], mass)
        scene.add_act("tether", "leash", particle=p, anchor=[[0, 0, 0], [5, 2, 0]], stiffness=k, viscosity=mu)
        scene.add_act("tether", "switched", particle=int(q[0]), anchor=(0.2, 3.0, 0), stiffness=k,
                      share=Drive.steps([0.0, 0.5], [1.0, 3.0]))
        scene.add_act("tether", "breathing", particle="others", anchor=[(0, 3.1, 0), (0.2, 4.0, 0)], stiffness=[0, k],
                      share=Drive.sine(0.5, 1.0, offset=1.0))""",
    wrong='dict(anchor=(0, 0, 0), stiffness=k), dict(particle=0, anchor=(0, 0, 0), stiffness=-k), '
          'dict(particle=0, anchor=(0, 0, 0), stiffness=k, vicosity=mu)',
    value="run.position[:, [0, 2], 0]")
C, INERTIA, RATE = 0.6, 0.2, 3.0
TURN = recipe(
    "stirrer", STIRRER, constants=f"c, inertia, rate = {C}, {INERTIA}, {RATE}",
    parts="""body = scene.add_rigid("body", [[0.1, 0, 0], [-0.1, 0, 0], [0, 0.1, 0]], mass=1.0, inertia=(inertia,) * 3)
        scene.add_act("stirrer", "spoon", rigid=body, axis=(0, 0, 1), rate=Drive.constant(rate), damping=c)""",
    wrong='dict(rigid="nobody", axis=(0, 0, 1), damping=c), dict(rigid="body", axis=(0, 0, 1), damping=0.0), '
          'dict(rigid="body", axis=(0, 0), damping=c)',
    value="run.rigid_spin[:, 0, 2]")


def cooked(recipe, folder):
    found = cook(recipe, folder)
    found["ledgers"] = [{name: np.array(values) for name, values in ledger.items()} for ledger in found["ledgers"]]
    return found | {"time": np.array(found["time"]), "values": np.array(found["values"]).reshape(2, len(found["time"]), -1)}


@pytest.fixture(scope="module")
def swing(tmp_path_factory):
    return cooked(SWING, tmp_path_factory.mktemp("swing"))


@pytest.fixture(scope="module")
def turn(tmp_path_factory):
    return cooked(TURN, tmp_path_factory.mktemp("turn"))


@pytest.mark.parametrize("made", [SWING, TURN], ids=["tether", "stirrer"])
def test_a_new_act_takes_its_own_file_and_the_table(made):
    assert made.files == sorted([made.edits[0].file, TABLE])
    assert sum(len(edit.text.strip().split("\n")) for edit in made.edits if edit.file == TABLE) == 2


def order(coarse, fine, floor):
    """Errors of two runs, the second with half the step, differ by 4 where they are of second order, and more than rounding."""
    assert coarse > floor, "nothing is left to take an order from"
    return np.log2(coarse / fine)


def test_a_tether_swings_as_a_damped_oscillator(swing):
    decay = MU / (2.0 * MASS)
    omega = np.sqrt(K / MASS - decay**2)
    t = swing["time"]
    wanted = AWAY * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    errors = np.abs(swing["values"][:, :, 0] - wanted).max(axis=1)
    assert order(*errors, 1e-9) == pytest.approx(2.0, abs=0.05)
    assert errors[0] < AWAY * omega * (omega / 200)**2 / 8  # late by T (ω τ)²/24 at most, at the largest speed; damping as much


def test_a_stirred_body_comes_up_to_the_rate_of_its_drive(turn):
    wanted = RATE * (1.0 - np.exp(-C / INERTIA * turn["time"]))
    errors = np.abs(turn["values"][:, :, 0] - wanted).max(axis=1)
    assert order(*errors, 1e-9) == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize(("which", "lines"), [
    ("swing", {"stored:leash", "lost:leash", "stored:switched", "work:switched", "stored:breathing", "work:breathing"}),
    ("turn", {"lost:spoon", "work:spoon"})])
def test_what_an_act_books_closes_the_ledger_at_second_order(which, lines, request):
    found = request.getfixturevalue(which)
    coarse, fine = found["ledgers"]
    assert {name for name, values in coarse.items() if ":" in name and np.abs(values).max() > 1e-3} == lines
    assert order(*(np.abs(ledger["residual"][1:]).max() for ledger in (coarse, fine)), 1e-11) == pytest.approx(2.0, abs=0.1)


def test_what_a_tether_stores_is_its_energy(swing):
    wanted = 0.5 * K * swing["values"][0, :, 0]**2
    np.testing.assert_allclose(swing["ledgers"][0]["stored:leash"], wanted, rtol=1e-12)


def test_a_drive_that_jumps_does_the_work_by_which_the_stored_energy_jumps(swing):
    """From once to three times the stiffness at 0.5 s, frame 2."""
    away = swing["values"][0, 2, 1] - 0.2
    work = swing["ledgers"][0]["work:switched"]
    np.testing.assert_allclose(work, [0, 0, *[0.5 * 2.0 * K * away**2] * 3], rtol=1e-12)


def test_the_bounds_know_the_acts(swing, turn):
    # alike in three directions: the root of what rounding leaves of their differences, √ε, by the sixteenth root; a rigid that
    # only turns has three of six alike, (½ (1 + √5))^(1/16)
    assert swing["bound"] == pytest.approx([K / MASS, MU / MASS], rel=1e-8)
    assert turn["bound"][0] == 0.0
    assert 1.0 <= turn["bound"][1] / (C / INERTIA) <= 1.0306


@pytest.mark.parametrize("which", ["swing", "turn"])
def test_a_run_with_an_act_goes_on_from_a_frame_with_the_same_bits(which, request):
    assert request.getfixturevalue(which)["same"]


def test_the_door_says_what_a_field_should_be(swing, turn):
    missing, negative, unknown = swing["refusals"]
    assert "particle is missing; give particle=particles" in missing
    assert "stiffness is -90; it must be >= 0" in negative
    assert "unknown field 'vicosity'; did you mean 'viscosity'?" in unknown
    nobody, zero, short = turn["refusals"]
    assert "unknown name 'nobody'" in nobody
    assert "damping is 0; it must be > 0" in zero
    assert "axis has shape (2,)" in short
