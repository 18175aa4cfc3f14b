"""Pictures of fruits lifted by soft fingers: where they are in the end, and what their skin bears over time."""
from robotphi.view import solids, style
from robotphi.view.page import write_page
from robotphi.view.touching import TouchingStage

TONES = {"left finger": "#a9c4e4", "right finger": "#a9c4e4", "fruit": "#d9534f"}


def draw_lifts(recordings, lifts, path):
    """Each recording at its end."""
    panels = []
    for name, recording in recordings.items():
        stage, lift = TouchingStage(recording, colours=TONES), lifts[name]
        told = f"{'lifted' if lift.lifted else 'left lying'}, {'bruised' if lift.bruised else 'not bruised'}"
        panels.append(stage.panel(len(recording) - 1)._replace(title=f"{name}: {told}"))
    return solids.picture_solids(panels, path, view=(0.25, -1.0, 0.2), width=3.4 * len(panels))


def draw_window(lifts, path):
    """What the skin bears, beside what bruises it, and how high the fruit goes, over time."""
    figure, (pressed, raised) = style.new_figure(9.6, 4.1, 1, 2)
    for (name, lift), colour in zip(lifts.items(), style.CYCLE * len(lifts), strict=False):
        pressed.plot(lift.time, 1e-3 * lift.pressure, color=colour, linewidth=1.6, label=name)
        raised.plot(lift.time, 1e3 * (lift.height - lift.height[0]), color=colour, linewidth=1.6, label=name)
    bruise = next(iter(lifts.values())).bruise
    pressed.axhline(1e-3 * bruise, color=style.RED, linewidth=1.0, linestyle=(0, (4, 3)), label="bruises")
    style.quiet(pressed, "time [s]", "largest pressure on the skin [kPa]")
    style.quiet(raised, "time [s]", "rise of the fruit's lowest point [mm]")
    style.legend_below(figure, pressed)
    return style.save(figure, path)


def play(recording, path):
    """A page that plays a recording; its path."""
    write_page(recording, path)
    return path
