"""The window that plays a recording: keys, a slider, a timer and the pointer of a Player."""
import numpy as np

from robotphi.scene.checks import word
from robotphi.view import style
from robotphi.view.follow import EACH
from robotphi.view.movies import RATE, frame_of, plotter_of
from robotphi.view.player import Player
from robotphi.view.quantities import QUANTITIES
from robotphi.view.scenes import VIEWS
from robotphi.view.stage import Stage

SPEEDS = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
NEAR = 0.006    # of the window's diagonal, by which a click may miss a particle
HELP = """space play or pause      left, right step      Home first
c colour      1 2 3 4 look      , slower      . faster
{groups}
click: numbers of what is there      h: this help      q: close"""


class Window:
    """A Player with keys, a slider and a timer."""

    def __init__(self, recording, plotter, time=None, colour=None, look="oblique", followed=None):
        self.player, self.playing, self.since, self.picked = Player(recording, plotter, colour, look), False, 0.0, None
        self.followed, self.unseen = followed, 0.0
        span = float(self.record.time[-1] - self.record.time[0])
        self.speed = min(SPEEDS, key=lambda each: abs(np.log(max(span, 1e-9) / each / 5.0)))
        groups = [name for name in self.player.shown if name != "ground"]
        self.keys = {"space": self.toggle_play, "Right": lambda: self.step(1), "Left": lambda: self.step(-1),
                     "Home": lambda: self.go(0), "End": lambda: self.go(len(self.record) - 1), "c": self.next_colour,
                     "comma": lambda: self.change_speed(-1), "period": lambda: self.change_speed(1), "h": self.help,
                     **{str(number): (lambda name=name: self.player.look(name)) for number, name in enumerate(VIEWS, 1)},
                     **{f"F{number}": (lambda name=name: self.player.toggle(name)) for number, name in enumerate(groups, 1)}}
        self.groups = groups
        self.go(frame_of(self.record, 0.0 if time is None and followed is None else time))

    @property
    def record(self):
        return self.player.stage.recording

    def connect(self):
        """Keys, slider, timer and pointer of the plotter."""
        self.connected = True
        plotter = self.player.plotter
        for key, act in self.keys.items():
            plotter.add_key_event(key, lambda act=act: (act(), plotter.render()))
        self._add_slider()
        plotter.add_timer_event(max_steps=2**31 - 1, duration=1000 // RATE, callback=lambda _: self.tick(1.0 / RATE))
        plotter.enable_point_picking(self.click, left_clicking=True, show_message=False, show_point=False, picker="cell",
                                     use_picker=True, pickable_window=True, tolerance=NEAR)
        self.help()

    def _add_slider(self):
        if len(self.record) > 1:
            self.slider = self.player.plotter.add_slider_widget(
                self.slide, (0, len(self.record) - 1), value=self.player.frame, title="frame", fmt="%.0f", color=style.INK,
                pointa=(0.04, 0.09), pointb=(0.55, 0.09), style="modern", title_height=0.018, interaction_event="always")

    def look_again(self):
        """Take in what the run has written since; who looks at the last frame sees the new last one."""
        if not self.followed.look():
            return
        last = self.player.frame == len(self.record) - 1 and not self.playing
        self.player.renew(self.followed.recording)
        if hasattr(self, "slider"):
            self.slider.GetRepresentation().SetMaximumValue(len(self.record) - 1)
        elif hasattr(self, "connected"):
            self._add_slider()
        self.go(len(self.record) - 1 if last else self.player.frame)
        self.player.plotter.render()

    def go(self, frame):
        self.player.show(frame)
        self.since = 0.0
        self._tell()
        if hasattr(self, "slider"):
            self.slider.GetRepresentation().SetValue(self.player.frame)

    def slide(self, value):
        """The slider was moved."""
        if round(value) != self.player.frame:
            self.player.show(round(value))
            self._tell()

    def step(self, by):
        self.playing = False
        self.go(self.player.frame + by)

    def toggle_play(self):
        self.playing = not self.playing and len(self.record) > 1
        if self.playing and self.player.frame == len(self.record) - 1:
            self.go(0)

    def tick(self, passed):
        """So much time of the world has passed [s]: where the recording is then."""
        self.unseen += passed
        if self.followed is not None and self.unseen > EACH:
            self.unseen = 0.0
            self.look_again()
        if not self.playing:
            return
        self.since += passed * self.speed
        time, frame = self.record.time, self.player.frame
        reached = int(np.searchsorted(time, time[frame] + self.since + 1e-12, side="right")) - 1
        if reached > frame:
            rest = time[frame] + self.since - time[reached]
            self.go(reached)
            self.since = rest
        elif frame == len(time) - 1:
            self.go(0)
        self.player.plotter.render()

    def change_speed(self, by):
        self.speed = SPEEDS[int(np.clip(SPEEDS.index(self.speed) + by, 0, len(SPEEDS) - 1))]

    def next_colour(self):
        """The next quantity that the recording has; none after the last."""
        names = [None, *(name for name, known in QUANTITIES.items() if known.known(self.player.stage))]
        self.player.paint(names[(names.index(self.player.colour) + 1) % len(names)])

    def click(self, point, picker):
        """The pointer was pressed; the picker knows whether anything is there."""
        self.pick(None if picker.GetActor() is None else point)

    def pick(self, point):
        """The pointer was pressed on something, whose numbers are told from now on, or on nothing."""
        self.picked = None if point is None else self.player.nearest(point)
        self._tell()

    def _tell(self):
        words = [self.followed.words] if self.followed is not None and self.followed.words else []
        words += [] if self.picked is None else [self.player.tell(self.picked)]
        self.player.plotter.add_text("\n".join(words), name="picked", position="upper_right", font_size=9, color=style.INK)

    def help(self):
        """Show or hide the keys."""
        self.helped = not getattr(self, "helped", False)
        rows = "      ".join(f"F{number} {name}" for number, name in enumerate(self.groups, 1))
        self.player.plotter.add_text(HELP.format(groups=rows) if self.helped else "", name="help", position=(20, 110),
                                     font_size=8, color=style.GREY)


def open_window(recording, time=None, colour=None, look="oblique", followed=None):
    """Show a recording in a window and come back when it is closed; `followed` where its run is still at work on it."""
    word("view", "look", look, tuple(VIEWS))
    stage = recording if isinstance(recording, Stage) else Stage(recording)
    window = Window(stage, plotter_of(False), time, colour, look, followed)
    window.connect()
    window.player.plotter.show(title=f"{stage.scene.name} · Robot Φ")
