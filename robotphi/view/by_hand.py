"""A picture that is pulled about with the mouse: a simulator that runs in real time in a window."""
import os

import numpy as np

from robotphi.errors import RecordingError
from robotphi.run.simulator import Simulator
from robotphi.view import movies, style
from robotphi.view.printed import Printed

NEAR = 1.5       # spacings of particles, as far as the mouse may be from the one it takes hold of
HELP = "press and pull: take hold and let go      v: shake what is held      q: end"
SHAKEN = 3.0     # Hz of "v"
WIDE = 0.25      # of the longer side, free around the picture


class Hand:
    """Takes hold of particles of a scene by the commands of `applications.picture.hand_scene`; knows nothing of windows.

    Attributes:
        simulator: that runs.
        held: particle that is held, None.
        shaking: whether the hand shakes.
    """

    def __init__(self, model, shape, rest):
        self.simulator, self.shape, self.rest, self.held, self.shaking = Simulator(model), shape, rest, None, False
        self.goal = np.zeros(3)
        self.end = float(model.scene.duration)
        inner = np.zeros(shape, bool)
        inner[1:-1, 1:-1] = True
        self._inner = np.flatnonzero(inner)

    @property
    def places(self):
        """(nu, nv, 3) where the grid is now."""
        return self.simulator.state.position[:self.shape[0] * self.shape[1], :3].reshape(*self.shape, 3)

    @property
    def over(self):
        return self.simulator.state.time >= self.end

    def grab(self, point):
        """Take hold of the inner particle nearest to a point; whether there is one near."""
        places = self.places.reshape(-1, 3)[self._inner]
        off = np.linalg.norm((places - point)[:, :2], axis=1)
        if off.min() > NEAR * np.linalg.norm(self.rest[1, 0] - self.rest[0, 0]):
            return False
        self.release()
        self.held = int(self._inner[off.argmin()])
        self.goal = np.array(places[off.argmin()])
        self.simulator.set({f"hold {self.held}": 1.0, **self._towards()})
        return True

    def move(self, point):
        """Pull what is held towards a point [m]."""
        if self.held is not None:
            self.goal[:2] = point[:2]
            self.simulator.set(self._towards())

    def release(self):
        """Let go."""
        if self.held is not None:
            self.simulator.set({f"hold {self.held}": 0.0})
            self.held = None

    def tick(self, span):
        """Go on by so much time [s], to the end of the scene at most."""
        state = self.simulator.state
        if self.shaking and self.held is not None:
            self.simulator.set(self._towards(0.04 * np.sin(2 * np.pi * SHAKEN * state.time)))
        if not self.over:
            self.simulator.advance_to(min(state.time + span, self.end))

    def _towards(self, aside=0.0):
        goal = self.goal + np.array([0.0, aside, aside])
        return {f"hand {axis}": float(value) for axis, value in zip("xyz", goal, strict=True)}


def has_screen():
    """Whether a window can be opened here."""
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) or not movies.is_linux()


def play(model, shape, rest, picture):
    """Open the window and play until it is closed or the scene is over; returns the recording of what was done."""
    if not has_screen():
        raise RecordingError("by hand needs a window, and there is no screen here (DISPLAY is not set); "
                             "leave effect out for the scripted ones, or set it to one of them")
    hand, plotter = Hand(model, shape, rest), movies.plotter_of(False)
    around = WIDE * np.ptp(rest, axis=(0, 1)).max()
    bounds = np.array([rest.min((0, 1)) - around, rest.max((0, 1)) + around])
    printed = Printed(plotter, picture, hand.places, "above", bounds)
    connect(plotter, hand, printed)
    plotter.show(title="robotphi: a picture by hand")
    hand.release()
    return hand.simulator.recording("done" if hand.over else "interrupted")


def connect(plotter, hand, printed):
    """Mouse, keys and timer of a plotter that shows the picture."""
    plotter.add_text(HELP, position="lower_left", font_size=9, color=style.GREY, name="help")
    plotter.iren.interactor.SetInteractorStyle(None)   # the mouse pulls at the picture, not at the camera

    def pointed():
        return on_plane(plotter, *plotter.iren.interactor.GetEventPosition())

    def tick(_):
        hand.tick(1.0 / movies.RATE)
        printed.show(hand.places)
        plotter.render()
        if hand.over:
            plotter.add_text("the recording is full: q ends", position="upper_left", font_size=9, color=style.RED, name="full")

    plotter.iren.add_observer("LeftButtonPressEvent", lambda *_: hand.grab(pointed()))
    plotter.iren.add_observer("MouseMoveEvent", lambda *_: hand.move(pointed()))
    plotter.iren.add_observer("LeftButtonReleaseEvent", lambda *_: hand.release())
    plotter.add_key_event("v", lambda: setattr(hand, "shaking", not hand.shaking))
    plotter.add_key_event("q", plotter.close)
    plotter.add_timer_event(max_steps=2**31 - 1, duration=1000 // movies.RATE, callback=tick)


def on_plane(plotter, right, up):
    """Where the line of sight through a pixel meets the plane z = 0 [m]."""
    ends = []
    for depth in (0.0, 1.0):
        plotter.renderer.SetDisplayPoint(right, up, depth)
        plotter.renderer.DisplayToWorld()
        ends.append(np.array(plotter.renderer.GetWorldPoint()[:3]) / plotter.renderer.GetWorldPoint()[3])
    share = ends[0][2] / (ends[0][2] - ends[1][2])
    return ends[0] + share * (ends[1] - ends[0])
