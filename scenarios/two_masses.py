"""Two free masses and a damped spring: the adaptive step against a fixed one, and what its tolerance buys.

The stretch of two masses m1, m2 released at rest obeys x'' + (μ x' + λ x)/m = 0, m = m1 m2/(m1 + m2) (closed form in
robotphi/verification/reference.py). The study repeats two experiments of A. Joukhadar, INRIA RR-3072 (1996):

* figure 3.8, λ = 100, μ = 5: the position error of the report's scheme at a fixed step, the same with its energy rule, and
  verlet under the ledger, all with the same number of force evaluations. The report, which does not give the masses,
  found 0.003 against 0.00006.
* figure 3.9: the position error summed over 10 s is proportional to the energy tolerance. That holds as long as the
  energy lost to damping sets the step, |ΔE| ≈ μ x'² τ, from the first second to the last: with light damping and small
  tolerances. With μ = 5 the energy falls below the tolerance within a second; what then remains of the motion, √ε, is no
  longer followed, and the slope is near one half.
"""
import numpy as np

from robotphi import CheckFailed, Scene, Stepping, simulate
from robotphi.scenario import run_scenario
from robotphi.verification import reference

MASS, STRETCH = 1.0, 0.1
COMPARED = ("taylor fixed", "taylor energy", "verlet ledger")
REPORT_GAIN = 0.003 / 0.00006
SWEEP_TOLERANCES = 5e-5 / 2.0 ** np.arange(4)
SWEPT = {0.1: 1.0, 0.2: 1.0, 5.0: 0.5}                     # viscosity → slope expected
QUICK = {"duration": 2.0, "frames": 20}


def build(stiffness=100.0, viscosity=5.0, duration=10.0, frames=100, scheme="verlet", control="ledger", budget=1e-4,
          energy_tolerance=0.01, dt=0.05):
    stepping = {"ledger": {"budget": budget}, "energy": {"energy_tolerance": energy_tolerance}, "fixed": {"dt": dt}}[control]
    scene = Scene("two masses", duration=duration, frames=frames, gravity=(0, 0, 0),
                  stepping=Stepping(scheme=scheme, control=control, **stepping))
    left = scene.add_particle("left", (0, 0, 0), MASS)
    right = scene.add_particle("right", (1 + STRETCH, 0, 0), MASS)
    scene.add_linear("spring", left, right, stiffness, viscosity, rest_length=1.0)
    scene.add_sensor("length", "length", "spring")
    return scene


def run(energy_tolerance=0.01, duration=10.0, frames=100, sweep=True):
    """The three ways at equal numbers of force evaluations, then the sweep of the energy tolerance."""
    common = {"duration": duration, "frames": frames}
    energy = simulate(build(scheme="taylor", control="energy", energy_tolerance=energy_tolerance, **common))
    wanted = energy.counts["evaluations"]

    def fixed(steps):  # steps to a frame
        return simulate(build(scheme="taylor", control="fixed", dt=duration / frames / steps, **common))

    candidates = [fixed(steps) for steps in range(1, 1 + wanted // frames)]
    recordings = {
        "taylor fixed": min(candidates, key=lambda each: abs(each.counts["evaluations"] - wanted)),
        "taylor energy": energy,
        "verlet ledger": with_evaluations(wanted, lambda budget: simulate(build(budget=budget, **common))),
    }
    if sweep:
        rule = {"scheme": "taylor", "control": "energy"}
        recordings |= {sweep_name(viscosity, tolerance):
                       simulate(build(viscosity=viscosity, energy_tolerance=tolerance, **rule, **common))
                       for viscosity in SWEPT for tolerance in SWEEP_TOLERANCES}
    return recordings


def with_evaluations(wanted, simulated):
    """The run whose number of evaluations is nearest to `wanted`: bisection on the logarithm of the budget."""
    low, high, tried = np.log(1e-7), np.log(0.9), []
    for _ in range(24):
        middle = (low + high) / 2
        tried.append(simulated(float(np.exp(middle))))
        if tried[-1].counts["evaluations"] > wanted:
            low = middle
        else:
            high = middle
    return min(tried, key=lambda each: abs(each.counts["evaluations"] - wanted))


def sweep_name(viscosity, tolerance):
    return f"sweep viscosity {viscosity:g} tolerance {tolerance:.3g}"


def stretch_error(recording, viscosity=5.0, stiffness=100.0):
    """|stretch − exact| at every frame [m]."""
    exact, _ = reference.two_masses(recording.time, STRETCH, stiffness, viscosity, MASS, MASS)
    return np.abs(recording.position[:, 1, 0] - recording.position[:, 0, 0] - 1 - exact)


def sweep_errors(recordings, viscosity):
    """Error summed over the frames for each tolerance [m]."""
    return [stretch_error(recordings[sweep_name(viscosity, tolerance)], viscosity).sum() for tolerance in SWEEP_TOLERANCES]


def check(recordings):
    figures = {}
    errors = {name: stretch_error(recordings[name]) for name in COMPARED}
    counts = {name: recordings[name].counts["evaluations"] for name in COMPARED}
    for name in COMPARED:
        figures |= {f"{name}: evaluations": counts[name], f"{name}: largest error [m]": errors[name].max(),
                    f"{name}: mean error [m]": errors[name].mean()}
        if abs(counts[name] / counts["taylor energy"] - 1) > 0.03:
            raise CheckFailed(f"{name} took {counts[name]} evaluations, not those of taylor energy, "
                              f"{counts['taylor energy']}, within 3 %")
    gains = {"largest": errors["taylor fixed"].max() / errors["verlet ledger"].max(),
             "mean": errors["taylor fixed"].mean() / errors["verlet ledger"].mean()}
    for kind, gain in gains.items():
        figures[f"gain of verlet ledger over taylor fixed, {kind} error"] = gain
        if gain < 20:
            raise CheckFailed(f"verlet ledger has only {gain:.1f} times less {kind} error than taylor fixed, expected 20")
    figures["gain told by the report"] = REPORT_GAIN
    if sweep_name(5.0, SWEEP_TOLERANCES[0]) not in recordings:
        return figures
    for viscosity, expected in SWEPT.items():
        slope = np.polyfit(np.log(SWEEP_TOLERANCES), np.log(sweep_errors(recordings, viscosity)), 1)[0]
        figures[f"slope of summed error over tolerance, viscosity {viscosity:g}"] = slope
        # the turning points of the motion, where nothing is lost, and the pulse of halving and growing leave a tenth
        if abs(slope - expected) > 0.15:
            raise CheckFailed(f"the summed error has slope {slope:.2f} over the tolerance at viscosity {viscosity:g}, "
                              f"expected {expected:g}")
    return figures


def draw(recordings, folder):
    from robotphi.view import graphs
    time = recordings["verlet ledger"].time
    errors = {name: np.where((e := stretch_error(recordings[name])) > 1e-10, e, np.nan) for name in COMPARED}
    counts = recordings["taylor energy"].counts["evaluations"]
    pictures = [graphs.draw_series(folder / "errors.png", time, errors, "error of the stretch [m]",
                                   f"Two masses and a spring: about {counts} force evaluations each", log=True),
                draw_table(recordings, folder / "table.png"),
                graphs.draw_steps(recordings["taylor energy"], folder / "steps_energy.png",
                                  title="taylor + energy: the step and what limited it"),
                graphs.draw_steps(recordings["verlet ledger"], folder / "steps_ledger.png",
                                  title="verlet + ledger: the step and what limited it"),
                graphs.draw_ledger(recordings["verlet ledger"], folder / "ledger.png")]
    if sweep_name(5.0, SWEEP_TOLERANCES[0]) in recordings:
        curves = {f"viscosity {viscosity:g}": sweep_errors(recordings, viscosity) for viscosity in SWEPT}
        pictures.append(graphs.draw_convergence(folder / "sweep.png", SWEEP_TOLERANCES, curves, "energy tolerance [J]",
                                                "summed error of the stretch [m]", order=1,
                                                title="taylor + energy over 10 s"))
    return pictures


def draw_table(recordings, path):
    """Evaluations and errors of the three ways, the report's beside."""
    from robotphi.view import style
    rows = [[name, recordings[name].counts["evaluations"], f"{e.max():.2e}", f"{e.mean():.2e}"]
            for name in COMPARED for e in [stretch_error(recordings[name])]]
    fixed, ledger = stretch_error(recordings["taylor fixed"]), stretch_error(recordings["verlet ledger"])
    gains = [f"{fixed.max() / ledger.max():.0f} ×", f"{fixed.mean() / ledger.mean():.0f} ×"]
    rows.append(["taylor fixed / verlet ledger", "", *gains])
    rows.append(["the report: fixed / adaptive", "", f"{REPORT_GAIN:.0f} ×", ""])
    figure, axes = style.new_figure(7.2, 2.2)
    axes.set_axis_off()
    table = axes.table(rows, colLabels=["", "evaluations", "largest error [m]", "mean error [m]"], loc="center",
                       cellLoc="right", colWidths=[0.36, 0.18, 0.23, 0.23], edges="horizontal")
    table.auto_set_font_size(False)
    table.set_fontsize(10)
    table.scale(1, 1.5)
    for (row, column), cell in table.get_celld().items():
        cell.set_edgecolor(style.PALE)
        cell.get_text().set_color(style.INK)
        if column == 0:
            cell.get_text().set_horizontalalignment("left")
        if row == 0:
            cell.get_text().set_fontweight("bold")
    return style.save(figure, path)


if __name__ == "__main__":
    run_scenario(__file__)
