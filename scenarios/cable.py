"""A cable: a square section swept along an arc, held at both ends, swings down and hangs as the catenary.

The cable lies in a horizontal plane as an arc of given length between two points at the distance 1, without tension, and is
let go. What hangs in the end is the elastic catenary, s along the unstretched cable of length L and weight W, V = W/2
(Irvine, Cable Structures, 1981, § 1.3):

    x(s) = H s/(E A) + (H L/W) [asinh(V/H) − asinh((V − W s/L)/H)]
    z(s) = −(W s/(E A)) (½ − s/(2 L)) − (H L/W) [√(1 + (V/H)²) − √(1 + ((V − W s/L)/H)²)]

with H from x(L) = span. Without stretch length 1.05 sags by 0.13930421 and pulls with 0.875847 W, length 1.2 by 0.29234380
and 0.391285 W; this cable stretches by 1 to 2 %. Its section resists the change of curvature from the arc κ0 to the catenary κ
within about √(E I/H) of its ends: a shallow cable of span 1 that was straight pulls by 12 E I/H of the pull less and sags by
4 E I/H of the sag more (H y″ − E I y⁗ = w with y″ = 0 at its ends). This one has to bend by |κ − κ0|/κ of that at most.
"""
from functools import cache

import numpy as np
from scipy.optimize import brentq

from robotphi import CheckFailed, Scene, Simulator, Stepping, relax, simulate
from robotphi.discretise import Material, bending, deformable, discretise, name_region, nearest, tension
from robotphi.geometry.shapes import box, swept
from robotphi.scenario import run_scenario

GRAVITY, LENGTHS = 9.81, (1.05, 1.2)                           # m/s², m of the arc over a span of 1
# little damping: of the cable's sound, not of its swinging
RUBBER = Material(young=6e5, density=1000.0, damping_ratio=0.02, damping_frequency=300.0)
CELL, REACH = 1e5, 0.1                                         # N/m, m: the load cell at one end, which gives by 1e-5
OF_ENDS = 0.3                                                  # times the width: the particle held at each end gives a little
KNOWN = {1.05: (0.13930421, 0.875847), 1.2: (0.29234380, 0.391285)}   # sag and pull over weight without stretch
QUICK = {"width": 0.02, "duration": 0.2, "frames": 20}


def half_angle(length, pieces=10_000):
    """rad: sin(angle/pieces) pieces/sin(angle) = length."""
    return brentq(lambda angle: pieces * np.sin(angle / pieces) / np.sin(angle) - length, 1e-3, 3.0)


def radius(length):
    """m, of the arc."""
    return 0.5 / np.sin(half_angle(length))


def arc(length, pieces):
    """(pieces + 1, 3) points of an arc from x = −½ to x = ½, bent to −y, whose straight pieces have that length together."""
    half = half_angle(length, pieces)
    angle = np.linspace(-half, half, pieces + 1)
    return 0.5 / np.sin(half) * np.column_stack([np.sin(angle), np.cos(half) - np.cos(angle), 0 * angle])


@cache
def cable(length, width):
    """The Object, two cubic cells across."""
    square = width / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    thing = deformable(discretise(swept(square, arc(length, round(length / width))), counts=2), RUBBER)
    lowest = (0, -radius(length) * (1 - np.cos(half_angle(length))), 0)
    picked = {"held": (-0.5, 0, 0), "measured": (0.5, 0, 0), "middle": lowest}
    for name, place in picked.items():
        thing = name_region(thing, name, nearest(thing, place))
    return thing


def build(length=1.05, width=0.01, duration=0.6, frames=60, budget=1e-4):
    """The cable let go: one end held in the middle of its section, the other held across and by a load cell along x."""
    scene = Scene(f"cable of length {length:g}", duration=duration, frames=frames, gravity=(0, 0, -GRAVITY),
                  stepping=Stepping(budget=budget))
    placed = scene.add_object("cable", cable(length, width), support={"held": "xyz", "measured": "yz"})
    anchor = scene.add_particle("anchor", (0.5 + REACH, 0, 0), 0.0, support="xyz")
    scene.add_linear("load cell", anchor, placed.region("measured"), CELL)
    return scene


def run(width=0.01, duration=0.6, frames=60):
    return {name_of(length): simulate(build(length, width, duration, frames)) for length in LENGTHS}


def name_of(length):
    return f"length {length:g}"


def rested(recording, length, width):
    """(n, 3) m, where all comes to rest in the end."""
    simulator = Simulator.continued(recording)
    return relax(simulator, tolerance=1e-6).position


def catenary(length, weight, stretch_stiffness, span=1.0):
    """Pull H [N], and s → (x, z) [m] from the left end, of an elastic cable of that E A."""
    def place(pull, s):
        up = (weight / 2 - weight * s / length) / pull
        x = pull * s / stretch_stiffness + pull * length / weight * (np.arcsinh(weight / 2 / pull) - np.arcsinh(up))
        z = weight * s / stretch_stiffness * (0.5 - s / (2 * length)) + pull * length / weight * (
            np.hypot(1, weight / 2 / pull) - np.hypot(1, up))
        return x, -z

    pull = brentq(lambda pull: place(pull, length)[0] - span, 1e-3 * weight, 1e3 * weight, xtol=1e-15)
    return pull, lambda s: place(pull, s)


@cache
def reached(width):
    """E A [N] and E I [N·m²] of a straight piece by virtual tests."""
    piece = deformable(discretise(box((width, width, 12 * width)), counts=(2, 24), way="sweep"), RUBBER)
    young = tension(piece)["young"]
    return young * width ** 2, bending(piece)["ratio"]["x"] * young * width ** 4 / 12


def check(recordings, width=0.01):
    figures = {}
    stretch_stiffness, bending_stiffness = reached(width)
    for length in LENGTHS:
        name, thing = name_of(length), cable(length, width)
        pull, place = catenary(length, 1.0, 1e12)
        if abs(-place(length / 2)[1] - KNOWN[length][0]) > 1e-8 or abs(pull - KNOWN[length][1]) > 1e-6:
            raise CheckFailed(f"{name}: the closed form gives a sag of {-place(length / 2)[1]:.8f} and a pull of {pull:.6f}")
        position, weight = rested(recordings[name], length, width), GRAVITY * thing.mass.sum()
        end = position[thing.regions["measured"][0]]
        measured_pull = CELL * (0.5 + REACH - end[0] - REACH)
        pull, place = catenary(length, weight, stretch_stiffness, end[0] + 0.5)
        sag, exact_sag = -position[thing.regions["middle"][0], 2], -place(length / 2)[1]
        curvature = weight / length / pull              # in the middle, where it differs most from the arc
        bent = abs(1 - 1 / (curvature * radius(length)))
        allowed = OF_ENDS * width + bent * bending_stiffness / pull * np.array([4, 12])
        for what, value, exact, most in (("sag [m]", sag, exact_sag, allowed[0]),
                                         ("pull over weight", measured_pull / weight, pull / weight, allowed[1])):
            figures |= {f"{name}: {what}": value, f"{name}: {what}, catenary": exact,
                        f"{name}: {what}, error": value / exact - 1, f"{name}: {what}, allowed": most}
            if abs(value / exact - 1) > most:
                raise CheckFailed(f"{name}: {what} is {value:.6g}, of the catenary {exact:.6g}: off by more than {most:.1e}")
    return figures


def strobe(recording, length, width):
    """One panel with several instants of the cable swinging down."""
    from robotphi.view.bodies import body_of, elongation
    from robotphi.view.solids import Panel
    thing = cable(length, width)
    count, body = len(thing.position), body_of(thing)
    low = int(recording.position[:, thing.regions["middle"][0], 2].argmin())
    frames = np.unique(np.linspace(0, low, 6).round().astype(int))
    places = [recording.position[frame, :count] for frame in frames]
    many = {part: np.concatenate([getattr(body, part) + count * i for i in range(len(frames))])
            for part in ("facets", "edges")}
    held = np.concatenate([thing.regions["held"], thing.regions["measured"]])
    springs = sum(len(group) for group in thing.springs.values())
    return Panel(body._replace(held=held, **many), np.concatenate(places),
                 100 * np.concatenate([elongation(thing, place) for place in places]),
                 f"length {length:g}: swings down in {recording.time[low]:.2f} s,\n{count} particles, {springs} springs")


def draw(recordings, folder, width=0.01):
    from robotphi.view import solids, style
    figure, axes = style.new_figure(7.2, 3.2)
    for length, colour in zip(LENGTHS, (style.BLUE, style.AMBER), strict=True):
        recording, thing = recordings[name_of(length)], cable(length, width)
        position = rested(recording, length, width)[:len(thing.position)]
        _, place = catenary(length, GRAVITY * thing.mass.sum(), reached(width)[0])
        x, z = place(np.linspace(0, length, 200))
        axes.plot(position[:, 0], position[:, 2], ".", color=colour, markersize=2, alpha=0.5,
                  label=f"particles, length {length:g}")
        axes.plot(x - 0.5, z, color=style.INK, linewidth=1.2, label="elastic catenary" if length == LENGTHS[-1] else None)
    axes.set_aspect("equal")
    style.quiet(axes, "x [m]", "z [m]", "Two cables at rest")
    style.legend(axes, loc="upper center")
    panels = [strobe(recordings[name_of(length)], length, width) for length in LENGTHS]
    return [solids.picture_solids(panels, folder / "swing.png", "mean elongation of the springs at each particle [%]",
                                  width=12.0, view=(-0.55, -1.0, 0.45)), style.save(figure, folder / "catenary.png")]


if __name__ == "__main__":
    run_scenario(__file__)
