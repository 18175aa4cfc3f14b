"""Following a run that is still writing: what a window and a page know of it, and that they see its end."""
import numpy as np
import pytest

from robotphi import RecordingError, Scene, Simulator, build_model
from robotphi.commands import view as command
from robotphi.record.choice import Choice
from robotphi.record.files import running
from robotphi.record.recording import Recording
from robotphi.run import filing
from robotphi.view import follow, movies, style, window
from robotphi.view.follow import Followed
from robotphi.view.page import content, page
from robotphi.view.stage import Stage

FRAMES = 12


class Run:
    """A run that goes on when it is told, and hands on every frame at once."""

    def __init__(self, path):
        scene = Scene("rope", duration=0.6, frames=FRAMES)
        beads = scene.add_particles("beads", [(0.1 * i, 0, 0) for i in range(4)], 0.1, support=["xyz", "", "", ""])
        scene.add_linear("threads", beads[:-1], beads[1:], stiffness=200.0, viscosity=0.1)
        self.simulator = Simulator(build_model(scene))
        self.simulator.begin()
        self.filing = filing.Filing(path, self.simulator, FRAMES, always=True, choice=Choice())

    def go_on(self, frames):
        for _ in range(frames):
            assert self.simulator.advance_frame()
            self.filing.look()

    def end(self):
        return self.filing.end(self.simulator.recording())


@pytest.fixture
def path(tmp_path, monkeypatch):
    pytest.importorskip("fcntl", reason="files are not claimed here, so that nobody knows who writes them")
    for module in (filing, running):
        monkeypatch.setattr(module, "EACH", -1.0)
    return tmp_path / "rope.vtkhdf"


@pytest.fixture
def run(path):
    made = Run(path)
    made.go_on(3)
    return made


def test_what_is_followed_has_the_frames_so_far_and_sees_the_end(path, run):
    followed = Followed(path)
    assert (len(followed.recording), followed.total) == (4, FRAMES + 1)
    assert followed.words == f"4 of {FRAMES + 1} frames so far"
    assert not followed.look()
    model = followed.recording.model
    run.go_on(5)
    assert followed.look()
    assert len(followed.recording) == 9
    assert followed.recording.model is model
    run.go_on(FRAMES - 8)
    recording = run.end()
    assert followed.look()
    assert (followed.total, followed.words, followed.recording.status) == (None, "", "done")
    assert followed.recording.position.tobytes() == recording.position.tobytes()
    assert not followed.look()


def test_a_file_that_is_being_finished_is_waited_for(path, run, monkeypatch):
    followed = Followed(path)
    monkeypatch.setattr(follow, "going", lambda path: None)
    monkeypatch.setattr(follow.Recording, "load", refuse)
    assert not followed.look()
    monkeypatch.setattr(follow, "PATIENCE", 1)
    with pytest.raises(RecordingError, match="finished"):
        followed.look()
    run.end()


def refuse(path):
    raise RecordingError("it is being finished")


def test_a_page_of_a_run_that_goes_on_says_so_and_one_of_an_ended_one_does_not(path, run):
    followed = Followed(path)
    header, _ = content(Stage(followed.recording), total=followed.total)
    assert header["going"]
    assert header["about"].endswith(f"the run goes on, to {FRAMES + 1} frames")
    run.end()
    assert not content(Stage(Recording.load(path)))[0]["going"]


def test_the_command_writes_the_page_until_the_run_is_over(path, run, tmp_path, monkeypatch):
    left = [2, 3, FRAMES - 8]

    def sleep(seconds):
        run.go_on(left.pop(0)) if left else run.end()
    monkeypatch.setattr(command.clock, "sleep", sleep)
    followed = Followed(path)
    made = command._write_pages(followed.recording, followed, tmp_path / "page.html", {})
    assert made.read_text(encoding="utf-8") == page(Recording.load(path))


@pytest.mark.skipif(style.off_screen_window() is None, reason="no graphics library for pyvista here")
def test_a_window_takes_in_new_frames_and_stays_at_the_last_or_where_it_was(path, run, monkeypatch):
    monkeypatch.setattr(movies, "SIZE", (320, 180))
    followed = Followed(path)
    shown = window.Window(Stage(followed.recording), movies.plotter_of(True), colour="strain", followed=followed)
    shown.connect()
    assert shown.player.frame == 3
    run.go_on(4)
    shown.tick(2.0)
    assert (shown.player.frame, shown.slider.GetRepresentation().GetMaximumValue()) == (7, 7)
    np.testing.assert_array_equal(shown.player._points[:4], Recording.load(path).position[7])
    shown.keys["Home"]()
    run.go_on(FRAMES - 7)
    run.end()
    shown.tick(2.0)
    assert (shown.player.frame, len(shown.record), followed.total) == (0, FRAMES + 1, None)
    shown.keys["End"]()
    assert shown.player.frame == FRAMES
    shown.player.plotter.close()
