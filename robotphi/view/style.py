"""How every picture looks: a few colours with fixed meanings, quiet axes, the unit on each of them.

Pictures in space share a window off screen where the machine has one, and a projection for where it has none.
"""
import io
import os
import subprocess
import sys
from functools import cache

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

INK, GREY, PALE, PAPER = "#1f2933", "#7b8794", "#e4e7eb", "#ffffff"
BLUE, RED, TEAL, AMBER, VIOLET, OLIVE = "#2b6cb0", "#c53030", "#2c8c84", "#d98a1f", "#7c5cbf", "#7a8b2f"
CYCLE = (BLUE, AMBER, TEAL, RED, VIOLET, OLIVE, INK, GREY)

# Short springs blue, springs at rest grey, long springs red.
SIGNED = ("#1f5fa8", "#6f9bd1", "#a8b0b8", "#e0876a", "#b3201f")
MAGNITUDES = ("#4676b5", "#86b6d8", "#dfe9d8", "#f0c26b", "#c8502f")
ELONGATION = LinearSegmentedColormap.from_list("elongation", SIGNED)

DPI = 144
SHOWN = 100                  # of a notebook: pixels of its page in an inch of the figure
LOWEST, HIGHEST = 0.25, 1.3  # height over width of a picture of one frame: a rope stays a picture of usual shape
# VTK without a graphics library does not raise, it takes the process down: so a child process tries first.
TRIAL = """
import pyvista
plotter = pyvista.Plotter(off_screen=True, window_size=(32, 32))
plotter.add_mesh(pyvista.Sphere())
assert plotter.screenshot(return_img=True).std() > 0
"""


def new_figure(width=7.2, height=4.0, rows=1, columns=1, **options):
    """A figure that belongs to nobody's global state, and its axes (an array where there are several)."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor=PAPER)
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, **options)


def quiet(axes, xlabel="", ylabel="", title=""):
    """Two thin spines, a faint grid, labels in ink."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(which="both", colors=GREY, labelcolor=INK, labelsize=9)
    axes.grid(True, color=PALE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(xlabel, color=INK, fontsize=10)
    axes.set_ylabel(ylabel, color=INK, fontsize=10)
    if title:
        axes.set_title(title, color=INK, fontsize=11, loc="left")
    return axes


def legend(axes, **options):
    """A legend without a box; none where there is nothing to tell apart."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(**{"frameon": False, "fontsize": 9, "labelcolor": INK} | options)


def legend_below(figure, axes, most=7):
    """A legend of one of the axes below all of the figure, where no curve goes; in rows of so many entries."""
    told = axes.get_legend_handles_labels()
    rows = -(-len(told[0]) // most)
    figure.legend(*told, loc="outside lower center", ncols=-(-len(told[0]) // rows), frameon=False, fontsize=9, labelcolor=INK)


class Picture:
    """A picture that lies in no file, PNG: what a notebook shows of a figure."""

    def __init__(self, data):
        self.data = data

    def _repr_png_(self):
        wide = int.from_bytes(self.data[16:20], "big")   # pixels, as its head says
        return self.data, {"width": round(wide * SHOWN / DPI)}


def save(figure, path):
    """Write the picture and return its path; a Picture where there is none."""
    if path is None:
        data = io.BytesIO()
        figure.savefig(data, dpi=DPI, facecolor=PAPER, format="png")
        return Picture(data.getvalue())
    figure.savefig(path, dpi=DPI, facecolor=PAPER)
    return path


# Pictures in space ----------------------------------------------------------------------------------------------------

@cache
def off_screen_window():
    """The kind of window in which VTK can draw off screen here, "" for its own choice, None where there is none."""
    choices = [""] if os.environ.get("DISPLAY") or sys.platform != "linux" else []
    for choice in [*choices, "vtkEGLRenderWindow", "vtkOSOpenGLRenderWindow"]:
        environment = os.environ | ({"VTK_DEFAULT_OPENGL_WINDOW": choice} if choice else {})
        try:
            trial = subprocess.run([sys.executable, "-c", TRIAL], env=environment, capture_output=True, timeout=60,
                                   check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if trial.returncode == 0:
            return choice
    return None


def trimmed(images):
    """All images cut alike to the part in which any of them shows something."""
    shown = np.any([np.any(image[..., :3] < 250, axis=-1) for image in images], axis=0)
    rows, columns = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
    if not len(rows):
        return images
    high, wide = rows[-1] - rows[0], columns[-1] - columns[0]
    part_of_rows = _around(rows, max(high, LOWEST * wide), shown.shape[0])
    part_of_columns = _around(columns, max(wide, high / HIGHEST), shown.shape[1])
    return [image[part_of_rows, part_of_columns] for image in images]


def _around(shown, length, whole, margin=12):
    """The slice of at least `length` and a margin about the middle of what is shown."""
    middle, half = (shown[0] + shown[-1]) / 2, length / 2 + margin
    return slice(max(int(middle - half), 0), min(int(middle + half) + 1, whole))


def projected(points, eye):
    """Picture coordinates (right, up) and nearness of points seen from `eye`, z up."""
    towards = eye / np.linalg.norm(eye)
    right = np.cross((0.0, 0.0, 1.0), towards)
    right = right / np.linalg.norm(right)
    return points @ np.stack([right, np.cross(towards, right)], axis=1), points @ towards
