"""The page that plays a recording: what it is told, that it says no more, and what a browser makes of it."""
import html
import json
import re

import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, simulate
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.errors import RecordingError, RobotphiError
from robotphi.geometry import shapes
from robotphi.scene.turns import matrix_of
from robotphi.view.cast import Cast, smooth_groups
from robotphi.view.coding import Grid, off_grid, unpacked
from robotphi.view.curves import marked_causes
from robotphi.view.page import SPANS, content, page, write_page
from robotphi.view.quantities import QUANTITIES
from robotphi.view.stage import Stage
from tests.view import played
from tests.view.browser import CHROMIUM, Browser

BLOCK = re.compile(r'<script type="text/plain" id="data">([A-Za-z0-9+/=]*)</script>')


@pytest.fixture(scope="module")
def recording():
    return played.recording()[0]


@pytest.fixture(scope="module")
def file(recording, tmp_path_factory):
    return write_page(recording, tmp_path_factory.mktemp("page") / "played.html")


def told(text):
    """Header and arrays of a page."""
    import base64
    return unpacked(base64.b64decode(BLOCK.search(text)[1]))


def grid(header, name):
    return Grid(**header["grids"][name])


def places(header, arrays):
    """(f, v, 3) m, all vertices as the page finds them."""
    frames = len(header["time"])
    found = np.zeros((frames, header["vertices"], 3))
    found[:, arrays["free"][:, 0]] = off_grid(arrays["place"], grid(header, "place")._replace(low=[0.0])).reshape(
        frames, -1, 3) + header["grids"]["place"]["low"]
    carried, rigid = arrays["carried"].view(np.int32).T
    local = off_grid(arrays["local"], grid(header, "local"))
    centre = off_grid(arrays["centre"].reshape(frames, -1, 3), grid(header, "centre"))
    turn = off_grid(arrays["turn"].reshape(frames, -1, 4), grid(header, "turn"))
    matrix = matrix_of(turn / np.linalg.norm(turn, axis=-1, keepdims=True))
    moved = centre[:, rigid] + np.einsum("fvij,vj->fvi", matrix[:, rigid], local)
    found[:, carried] = np.where(rigid[:, None] < 0, local, moved)
    return found


def rounding(header):
    """m, by how much a place may be off: half a step each of centre, local place and four numbers of the turn."""
    reach = np.linalg.norm([65534 * header["grids"]["local"]["step"]] * 3)
    return (0.5 * np.sqrt(3) * (header["grids"]["centre"]["step"] + header["grids"]["local"]["step"])
            + 2.0 * reach * header["grids"]["turn"]["step"])


def test_a_page_holds_where_everything_is(recording, file):
    header, arrays = told(file.read_text(encoding="utf-8"))
    cast = Cast(recording)
    off = np.abs(places(header, arrays) - [cast.points(frame) for frame in range(len(recording))]).max(axis=(0, 2))
    free = arrays["free"][:, 0]
    assert off[free].max() <= 0.51 * header["grids"]["place"]["step"]
    assert off.max() <= rounding(header)
    assert len(arrays["carried"]) > 1000


def test_a_page_holds_the_quantities(recording, file):
    header, arrays = told(file.read_text(encoding="utf-8"))
    stage = Stage(recording)
    assert {"speed", "strain", "energy density"} <= {each["name"] for each in header["quantities"]}
    for each in header["quantities"]:
        if "grid" in each:
            known = np.array([QUANTITIES[each["name"]].values(stage, frame) for frame in range(len(recording))])
            found = off_grid(arrays["value " + each["name"]], Grid(**each["grid"])._replace(low=each["grid"]["low"][0]))
            np.testing.assert_allclose(found, known, rtol=0, atol=0.501 * each["grid"]["step"])


@pytest.mark.slow
def test_the_page_of_the_drop_of_the_readme_is_small(tmp_path):
    surface = ContactMaterial(young=1e6, thickness=0.02, restitution=0.6, speed=1.0, friction=0.8)
    scene = Scene("drop", duration=0.6, frames=60)
    scene.add_plane("ground", contact=surface)
    mesh = discretise(shapes.box((0.3, 0.2, 0.1), (0, 0, 0.051)), size=0.05)
    scene.add_object("pad", deformable(mesh, Material(young=2e5, damping_ratio=0.1)), contact=surface)
    block = rigid(shapes.box((0.08, 0.08, 0.08), (-0.06, 0, 0.25)), density=900)
    scene.add_object("block", block, spin=(1, 6, 2), contact=surface)
    scene.add_ball("ball", (0.08, 0, 0.3), 0.05, density=900, contact=surface)
    assert write_page(simulate(scene), tmp_path / "drop.html").stat().st_size <= 150_000


def test_a_page_follows_from_the_recording_alone(recording, file, tmp_path):
    again = type(recording).load(recording.save(tmp_path / "recording.vtkhdf"))
    assert page(again) == file.read_text(encoding="utf-8")


def test_names_are_text_and_nothing_else(file):
    text = file.read_text(encoding="utf-8")
    assert played.NAME not in text
    assert text.count("<script") == text.count("</script>") == 2
    assert "<img" not in text
    assert html.escape(played.NAME) in text


def test_a_page_asks_nobody_for_anything(file):
    text = file.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.search(r"https?:|\bfetch\(|XMLHttp|WebSocket|import\(|\beval\(|new Function|innerHTML", text)


def test_a_pull_is_an_arrow_to_its_goal(recording):
    header, arrays = content(Stage(recording))
    assert "pulls" in [layer["group"] for layer in header["layers"]]
    goal = np.array([4.0, 4.0, 2.0])
    known = np.column_stack([recording.position[:, 15], np.tile(goal, (len(recording), 1))])
    np.testing.assert_allclose(arrays["layer pulls"][::4], known, rtol=1e-6)   # behind each its head
    assert (np.array(header["bounds"])[1] >= goal - 1e-12).all()


@pytest.fixture(scope="module")
def stepped():
    """A mass that a weak spring holds falls on a stiff one, which sets steps once it is drawn out."""
    scene = Scene("stepped", duration=1.0, frames=20)
    hook, low = scene.add_particles("hooks", [(0, 0, 1), (0, 0, 0)], 0.0, support="xyz")
    mass = scene.add_particle("mass", (0, 0, 0.1), 0.1)
    scene.add_linear("weak", hook, mass, stiffness=5.0, viscosity=0.1)
    scene.add_linear("stiff", low, mass, stiffness=2e4, viscosity=1.0)
    return simulate(scene)


def test_a_page_has_the_shortest_and_longest_steps_and_what_set_them(stepped):
    header, arrays = content(Stage(stepped))
    known, steps = header["steps"], stepped.steps
    named, of_step = marked_causes(stepped)
    assert known["causes"] == [list(cause) for cause in named]
    assert sum(cause.share for cause in named) == pytest.approx(1.0)
    size = 10 ** off_grid(arrays["steps size"], Grid(**known["size grid"]))[:, 0]
    time = off_grid(arrays["steps time"], Grid(**known["time grid"]))[:, 0]
    assert 2 < len(time) <= 2 * SPANS < len(steps["time"])
    assert (np.diff(time) >= 0).all()
    ends = size.min(), size.max()
    np.testing.assert_allclose(ends, (steps["dt"].min(), steps["dt"].max()), rtol=2e-3)   # 12 bits over the decades there are
    for row in (0, len(time) // 2, len(time) - 1):
        near = np.abs(steps["time"] - time[row]) <= 0.51 * known["time grid"]["step"]
        near &= np.isclose(steps["dt"], size[row], rtol=2e-3)
        assert arrays["steps cause"][row, 0] in of_step[near]


def test_a_recording_without_history_of_steps_has_no_panel_of_them(recording):
    assert content(Stage(recording))[0]["steps"] is None


def test_frames_are_left_out_where_told(recording):
    header, _ = content(Stage(recording), every=5)
    np.testing.assert_array_equal(header["time"], recording.time[::5])
    assert "every 5th" in header["about"]
    assert len(content(Stage(recording), most=4 * recording.position.shape[1])[0]["time"]) == 4


def test_quantities_are_those_asked_for(recording):
    assert [each["name"] for each in content(Stage(recording), ["tension"])[0]["quantities"]] == ["tension"]
    with pytest.raises(RecordingError, match="contact pressure"):
        page(recording, ["contact pressure"])


def test_a_place_that_cannot_be_written_is_told(recording, tmp_path):
    for folder in ("/", "."):
        with pytest.raises(RecordingError, match="it is a folder"):
            write_page(recording, folder)
    with pytest.raises(RecordingError, match="there is no folder"):
        write_page(recording, tmp_path / "none" / "page.html")


def test_a_notebook_shows_the_page(recording):
    shown = recording._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts"')
    inner = html.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])
    assert told(inner)[0]["title"] == played.NAME


def test_smooth_corners_are_one_and_sharp_ones_are_not():
    cast = Cast(played.recording()[0])
    box = cast.surfaces[0]
    number, vertex = smooth_groups(box.facets, box.colours, cast.points(0))
    assert len(vertex) == 6 * 5   # each of six sides by itself, with a particle in its middle
    np.testing.assert_array_equal(vertex[number], box.facets)


# In a browser ----------------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip("no Chromium here: nothing plays the page")
    made = Browser(tmp_path_factory.mktemp("browser"))
    yield made
    made.close()


@pytest.fixture
def shown(browser, file):
    browser.asked.clear()
    assert browser.open(file) == "yes"
    yield browser
    assert browser.complaints == []
    assert {url for url in browser.asked if not url.startswith(("data:", "blob:"))} <= {f"file://{file}", "about:blank"}


def test_the_page_says_who_it_is(shown):
    assert shown.evaluate("document.getElementById('title').textContent") == played.NAME
    assert shown.evaluate("document.images.length") == 0


def test_two_times_and_two_colours_look_different(shown):
    seen = [shown.picture()]
    for order in ("player.show(12)", "player.colour('speed')", "player.look('top')"):
        shown.evaluate(f"{order}, null")
        seen.append(shown.picture())
    assert len(set(seen)) == 4
    shown.evaluate("player.colour(''), player.look('oblique'), player.show(0)")
    assert shown.picture() == seen[0]


def test_the_panel_of_steps_follows_the_time_and_names_what_set_them(browser, stepped, tmp_path):
    file = write_page(stepped, tmp_path / "stepped.html")
    assert browser.open(file, "#panel=steps&time=0.5") == "yes"
    assert browser.evaluate("document.getElementById('curves').value") == "steps"
    graph = "document.getElementById('graph').toDataURL()"
    seen = [browser.evaluate(graph)]
    for order in ("player.show(3)", "player.panel('ledger')"):
        browser.evaluate(f"{order}, null")
        seen.append(browser.evaluate(graph))
    assert len(set(seen)) == 3
    named, of_step = marked_causes(stepped)
    told = browser.evaluate("player.stepAt(0.5)")
    after = np.flatnonzero((stepped.steps["time"] > 0.5) & (stepped.steps["time"] < 0.5 + 2.0 / SPANS))
    assert told["cause"] in {named[of_step[k]].name for k in after}
    assert min(abs(stepped.steps["dt"][after] / told["size"] - 1.0)) < 2e-3
    assert browser.complaints == []


def test_a_page_of_a_run_that_goes_on_loads_itself_again_and_shows_what_it_showed(browser, recording, tmp_path):
    file = write_page(recording, tmp_path / "going.html", total=40)
    assert browser.open(file) == "yes"
    assert browser.evaluate("player.state.frame") == len(recording) - 1   # the newest
    browser.evaluate("player.colour('speed'), player.look('top'), player.show(4)")
    browser.evaluate("document.getElementById('show edges').click()")
    write_page(recording, file, total=41)
    browser.evaluate("player.again(), null")
    browser.wait_for("document.documentElement?.dataset.ready && window.player?.header.about.endsWith('41 frames')")
    kept = browser.evaluate("[player.state.quantity, player.camera.look, player.state.frame, player.state.show.edges]")
    assert kept == ["speed", "top", 4, False]


def test_the_slider_goes_to_its_frame(shown):
    shown.evaluate("""(slider => { slider.value = 7; slider.dispatchEvent(new Event('input')); })(
        document.getElementById('time'))""")
    assert shown.evaluate("player.state.frame") == 7
    assert "0.7" in shown.evaluate("document.getElementById('clock').textContent")


def test_it_plays_until_it_is_told_to_pause(shown):
    shown.evaluate("document.getElementById('play').click()")
    shown.evaluate("""new Promise(done => {
        const look = () => player.state.frame > 2 ? done() : setTimeout(look, 20); look(); })""")
    shown.evaluate("document.getElementById('play').click()")
    assert shown.evaluate("player.state.playing") is False
    assert shown.evaluate("player.state.frame") > 2


def test_what_is_picked_is_what_the_recording_says(recording, shown):
    stage, header = Stage(recording), told(page(recording))[0]
    for frame, particle in ((0, 5), (9, 10), (12, 3)):
        shown.evaluate(f"player.show({frame}), null")
        x, y = shown.evaluate(f"player.project({particle})")[:2]
        found = shown.evaluate(f"player.pick({x}, {y})")
        assert (found["what"], found["name"], found["particle"]) == ("particle", "net", particle)
        np.testing.assert_allclose(found["position"], recording.position[frame, particle], rtol=1e-6,
                                   atol=0.51 * header["grids"]["place"]["step"])
        for each in header["quantities"]:
            step = each["grid"]["step"] if "grid" in each else 4 * header["grids"]["place"]["step"]
            known = QUANTITIES[each["name"]].values(stage, frame)[particle]
            np.testing.assert_allclose(found["values"][each["name"]][0], known, rtol=1e-6, atol=0.51 * step)


def test_a_facet_a_spring_and_a_contact_can_be_picked(recording, shown):
    shown.evaluate("player.show(12), null")
    first = recording.model.particle_count - 7   # the ball's own particles are its last
    x, y = shown.evaluate(f"player.project({first})")[:2]
    assert shown.evaluate(f"player.pick({x}, {y})")["name"] == "ball"
    ends = shown.evaluate("[player.project(0), player.project(4)]")
    x, y = (0.5 * (ends[0][i] + ends[1][i]) for i in (0, 1))
    found = shown.evaluate(f"player.pick({x}, {y})")
    assert (found["what"], found["name"], found["spring"]) == ("spring", "threads", 0)
    length = np.linalg.norm(recording.position[12, 0] - recording.position[12, 4])
    assert found["values"]["length"][0] == pytest.approx(length, abs=2 * told(page(recording))[0]["grids"]["place"]["step"])
    known = QUANTITIES["tension"].of_lines(Stage(recording), 12)[0]
    assert found["values"]["tension"][0] == pytest.approx(known, rel=1e-3)
    at = shown.evaluate("player.project([2, 6, -1.5])")
    found = shown.evaluate(f"player.pick({at[0]}, {at[1]})")
    assert (found["name"], found["values"]) == ("ball on ground", {found["what"]: found["values"][found["what"]]})


def test_a_click_keeps_its_numbers_as_time_goes_on(shown):
    box = shown.evaluate("(b => [b.left, b.top])(document.getElementById('scene').getBoundingClientRect())")
    x, y = shown.evaluate("player.project(5)")[:2]
    shown.press(box[0] + x, box[1] + y)
    kept = shown.evaluate("document.getElementById('picked').textContent")
    assert "particle 5" in kept
    shown.evaluate("player.show(8), null")
    assert shown.evaluate("document.getElementById('picked').textContent") != kept


def test_a_page_begins_where_it_was_told_to_unless_the_address_says_otherwise(browser, recording, tmp_path):
    file = write_page(recording, tmp_path / "begun.html", time=0.52, colour="speed", look="top")
    seen = "JSON.stringify([player.state.frame, player.state.quantity, player.camera.look])"
    assert browser.open(file) == "yes"
    assert json.loads(browser.evaluate(seen)) == [5, "speed", "top"]
    assert browser.open(file, "#time=0.3&view=front") == "yes"
    assert json.loads(browser.evaluate(seen)) == [3, "speed", "front"]


@pytest.mark.parametrize("begin", [{"time": float("nan")}, {"colour": "colour"}, {"look": "up"}])
def test_a_page_cannot_begin_with_what_there_is_not(recording, tmp_path, begin):
    with pytest.raises(RobotphiError, match=r"nan|colour|up"):
        write_page(recording, tmp_path / "begun.html", **begin)


def test_the_address_says_where_to_begin(browser, file):
    assert browser.open(file, "#time=0.52&colour=strain&view=front") == "yes"
    assert json.loads(browser.evaluate("JSON.stringify([player.state.frame, player.state.quantity])")) == [5, "strain"]
