"""How every picture looks: a few colours with fixed meanings, quiet axes, the unit on each of them."""
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

INK, GREY, PALE, PAPER = "#1f2933", "#7b8794", "#e4e7eb", "#ffffff"
BLUE, RED, TEAL, AMBER, VIOLET, OLIVE = "#2b6cb0", "#c53030", "#2c8c84", "#d98a1f", "#7c5cbf", "#7a8b2f"
CYCLE = (BLUE, AMBER, TEAL, RED, VIOLET, OLIVE, INK, GREY)

# Short springs blue, springs at rest grey, long springs red.
ELONGATION = LinearSegmentedColormap.from_list("elongation", ["#1f5fa8", "#6f9bd1", "#a8b0b8", "#e0876a", "#b3201f"])

DPI = 144


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


def save(figure, path):
    """Write the picture and return its path."""
    figure.savefig(path, dpi=DPI, facecolor=PAPER)
    return path
