"""A chain of linear and 180° angular springs, clamped and loaded at its tip, takes the shapes of Euler's elastica.

EI θ'' = −P cos θ, θ(0) = 0, θ'(L) = 0, for a = P L²/EI = 0.25, 1 and 5, solved by elliptic integrals (Bisshopp & Drucker,
Quarterly of Applied Mathematics 3, 1945; robotphi/verification/reference.py). The chain is brought to rest by kinetic damping
and then simulated from there: it stays where it is.
"""
import numpy as np

from robotphi import CheckFailed, Scene, Simulator, Stepping, build_model, relax
from robotphi.scenario import run_scenario
from robotphi.verification import reference
from robotphi.verification.estimate import SAFETY, observed_order, richardson

LOADS = (0.25, 1.0, 5.0)
SLENDER = 1e5            # EA over EI/L² and the load: the rod stretches by 1e-5, which lengthens and loads it by as much
QUICK = {"segments": 8, "duration": 0.05, "frames": 5}


def build(load=5.0, segments=32, duration=0.2, frames=10, budget=1e-4):
    """A rod with EI = L = mass = 1 along x, loaded upwards."""
    scene = Scene("cantilever", duration=duration, frames=frames, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    rod = scene.add_rod("rod", (0, 0, 0), (1, 0, 0), segments, axial_stiffness=SLENDER * load, bending_stiffness=1.0,
                        mass_per_length=1.0, clamp_start="clamp")
    scene.add_force("load", int(rod.particles[-1]), (0, 0, load))
    return scene


def run(segments=32, duration=0.2, frames=10):
    """Each load on three refinements, at rest."""
    return {name_of(load, count): rested(build(load, count, duration, frames))
            for load in LOADS for count in refinements(segments)}


def refinements(segments):
    return segments // 4, segments // 2, segments


def name_of(load, segments):
    return f"a = {load:g}, {segments} segments"


def rested(scene):
    """A recording that starts in the equilibrium."""
    simulator = Simulator(build_model(scene))
    relax(simulator, tolerance=1e-9)
    return simulator.run()


def tip(recording, segments):
    """w/L, u/L and the angle of the last segment, which is the tip's to second order."""
    last, before = recording.position[0, segments], recording.position[0, segments - 1]
    return np.array([last[2], 1 - last[0], np.arctan2(last[2] - before[2], last[0] - before[0])])


def check(recordings, segments=32):
    figures = {}
    for load in LOADS:
        values = [tip(recordings[name_of(load, count)], count) for count in refinements(segments)]
        exact = np.array(reference.elastica(load))
        # Richardson's estimate at order 2, and the stretch: a rod longer by 1e-5 is also loaded 2e-5 more
        bar = SAFETY * richardson(values[-2], values[-1]) + 3 / SLENDER
        order = observed_order(*values)[0]
        for name, value, true, allowed in zip(("w/L", "u/L", "tip angle"), values[-1], exact, bar, strict=True):
            figures[f"a = {load:g}: {name}"] = value
            figures[f"a = {load:g}: {name}, error"] = value - true
            if abs(value - true) > allowed:
                raise CheckFailed(f"{name} at a = {load:g} is {value:.6f}, exact {true:.6f}: off by more than {allowed:.1e}")
        figures[f"a = {load:g}: order of refinement"] = order
        if abs(order - 2) > 0.2:
            raise CheckFailed(f"w/L converges with order {order:.2f} at a = {load:g}, expected 2")
        finest = recordings[name_of(load, segments)]
        moved = np.abs(finest.position - finest.position[0]).max()
        figures[f"a = {load:g}: moved after relaxing [m]"] = moved
        if moved > 1e-7:
            raise CheckFailed(f"the chain at a = {load:g} was not at rest: it moved {moved:.1e} m")
    return figures


def draw(recordings, folder, segments=32):
    from robotphi.view import graphs, style
    figure, axes = style.new_figure(7.2, 5.2)
    arc = np.linspace(0, 1, 200)
    for load, colour in zip(LOADS, (style.BLUE, style.TEAL, style.RED), strict=True):
        x, w, _ = reference.elastica_shape(load, arc)
        axes.plot(x, w, color=style.INK, linewidth=1.0, linestyle=(0, (4, 3)), zorder=3,
                  label="elastica" if load == LOADS[0] else None)
        chain = recordings[name_of(load, segments)].position[0, :segments + 1]
        axes.plot(chain[:, 0], chain[:, 2], "-o", color=colour, markersize=3.5, linewidth=2.5, alpha=0.75,
                  label=f"PL²/EI = {load:g}, {segments} segments")
        axes.annotate("", xytext=chain[-1, [0, 2]], xy=chain[-1, [0, 2]] + [0, 0.09],
                      arrowprops={"arrowstyle": "-|>", "color": colour})
    axes.plot([0, 0], [-0.06, 0.06], color=style.AMBER, linewidth=5, solid_capstyle="butt")
    axes.set_ylim(top=0.85)
    axes.set_aspect("equal")
    style.quiet(axes, "x / L", "w / L", "A clamped chain under a dead tip load")
    style.legend(axes, loc="upper left")
    pictures = [style.save(figure, folder / "shapes.png")]
    errors = {f"a = {load:g}": [abs(tip(recordings[name_of(load, count)], count)[0] / reference.elastica(load)[0] - 1)
                                for count in refinements(segments)] for load in LOADS}
    pictures.append(graphs.draw_convergence(folder / "convergence.png", [1 / count for count in refinements(segments)], errors,
                                            "segment length / L", "relative error of w/L", order=2))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
