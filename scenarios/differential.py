"""A differential drives two wheels, one of which a brake holds: it stands, slides, and stops when the motor rests.

Two halves of an axle turn by l and r, the shaft of the cage by s, and the gear says l + r = 2 s: a relation. It does no work,
so its torque D along the shaft is D/2 on either wheel, whatever they do. With inertias I of a wheel and J of the shaft, the
torque T of the motor, the brake's static torque B₀ and its kinetic one B,
    held       (2 I + J/2) l̈ = T,  r̈ = 0,  D = 2 I l̈,  up to D/2 = B₀        s = l/2
    sliding    (1 + J/2I) D = T + B J/2I,  I l̈ = D/2,  I r̈ = D/2 − B
T rises and falls evenly: all angles are cubics of time, from one change to the next.
"""
import numpy as np

from robotphi import CheckFailed, Drive, Scene, Stepping
from robotphi.scenario import run_scenario

RADIUS, MASS, TRACK = 0.3, 10.0, 0.8          # m, kg of a wheel, m between both
SHAFT, SHAFT_MASS = 0.2, 5.0                  # m radius of the cage with all that goes with the shaft, kg
BRAKE = (6.0, 5.0)                            # N·m static, kinetic
TIMES, TORQUES = (0.0, 1.5, 2.5), (0.0, 30.0, 0.0)          # s, N·m of the motor
WHEEL_INERTIA, SHAFT_INERTIA = 0.5 * MASS * RADIUS**2, 0.5 * SHAFT_MASS * SHAFT**2
QUICK = {"duration": 1.0, "frames": 100}


def build(duration=4.5, frames=450, budget=1e-6):
    scene = Scene("differential", duration=duration, frames=frames, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    for name, side in (("left", 1.0), ("right", -1.0)):
        wheel = _wheel(scene, f"{name} wheel", (0.0, side * TRACK / 2.0, 0.0), RADIUS, MASS)
        scene.add_joint(name, "revolute", None, wheel, (0, side * TRACK / 2.0, 0), axis=(0, 1, 0),
                        friction=BRAKE if name == "right" else 0.0)
    cage = _wheel(scene, "cage", (0, 0, 0), SHAFT, SHAFT_MASS)
    shaft = scene.add_joint("shaft", "revolute", None, cage, (0, 0, 0), axis=(0, 1, 0))
    scene.relate("gear", {"left": 1.0, "right": 1.0, "shaft": -2.0})
    scene.add_motor("motor", shaft, torque=Drive.table(TIMES, TORQUES))
    for name in ("left", "right", "shaft"):
        for quantity in ("coordinate", "rate", "effort"):
            scene.add_sensor(f"{quantity} {name}", quantity, name)
    return scene


def _wheel(scene, name, centre, radius, mass):
    turns = 2.0 * np.pi * np.arange(12) / 12
    rim = centre + radius * np.column_stack((np.cos(turns), np.zeros(12), np.sin(turns)))
    across = 0.25 * mass * radius**2
    return scene.add_rigid(name, rim, mass=mass, centre=centre, inertia=(across, 0.5 * mass * radius**2, across))


def accelerations(torque, sliding):
    """(l̈, r̈ [rad/s²], D [N·m])"""
    if not sliding:
        left = torque / (2.0 * WHEEL_INERTIA + SHAFT_INERTIA / 2.0)
        return np.array([left, 0.0, 2.0 * WHEEL_INERTIA * left])
    share = SHAFT_INERTIA / (2.0 * WHEEL_INERTIA)
    driven = (torque + BRAKE[1] * share) / (1.0 + share)
    return np.array([driven / (2.0 * WHEEL_INERTIA), (driven / 2.0 - BRAKE[1]) / WHEEL_INERTIA, driven])


def exact(time):
    """(f, 2) l, r [rad], (f, 2) their rates, (f,) D [N·m], and when the brake gives way and holds again [s]."""
    _, top, rest = TIMES
    rise = TORQUES[1] / top
    slips = BRAKE[0] * (2.0 + SHAFT_INERTIA / (2.0 * WHEEL_INERTIA)) / rise
    phases = [(0.0, slips, False, 0.0, rise * slips), (slips, top, True, rise * slips, TORQUES[1]),
              (top, rest, True, TORQUES[1], 0.0), (rest, None, True, 0.0, 0.0), (None, np.inf, False, 0.0, 0.0)]
    angle, rate, found, stops = np.zeros(2), np.zeros(2), np.zeros((len(time), 5)), None
    for begin, end, sliding, first, last in phases:
        if end is None:
            end = stops = begin - rate[1] / accelerations(first, sliding)[1]
        begin = stops if begin is None else begin
        now = accelerations(first, sliding)
        end = min(end, max(time[-1], begin) + 1.0) if first == last else end
        jerk = (accelerations(last, sliding) - now) / (end - begin)
        inside = (time >= begin) & (time <= end)
        t = np.append(time[inside], end)[:, None] - begin
        angles = angle + rate * t + now[:2] * t**2 / 2.0 + jerk[:2] * t**3 / 6.0
        rates = rate + now[:2] * t + jerk[:2] * t**2 / 2.0
        found[inside] = np.hstack((angles, rates, now[2] + jerk[2] * t))[:-1]
        angle, rate = angles[-1], rates[-1]
    return found[:, :2], found[:, 2:4], found[:, 4], slips, stops


def check(recording, duration=4.5, budget=1e-6):
    seen, ledger = recording.sensors, {name: values[-1] - values[0] for name, values in recording.ledger.items()}
    angle, rate, torque = (np.column_stack([seen[f"{what} {name}"] for name in ("left", "right", "shaft")])
                           for what in ("coordinate", "rate", "effort"))
    angles, rates, driven, slips, stops = exact(recording.time)
    torque_in = np.interp(recording.time, TIMES, TORQUES) - torque[:, 2]     # D: what of the motor's torque the shaft leaves
    slides = rate[:, 1] > 0.0
    half = np.column_stack((torque[:, 0], np.where(slides, torque[:, 1] + BRAKE[1], torque_in / 2.0)))
    figures = {"brake gives way at [s]": slips, "brake holds again at [s]": stops,
               "speed of the free wheel over the shaft's at first": rate[1:][~slides[1:]][0, 0] / rate[1:][~slides[1:]][0, 2],
               "mean of the wheels off the shaft [rad]": np.abs(angle[:, :2].mean(axis=1) - angle[:, 2]).max(),
               "mean of their rates off it [rad/s]": np.abs(rate[:, :2].mean(axis=1) - rate[:, 2]).max(),
               "halves off each other [N·m]": np.abs(half - torque_in[:, None] / 2.0).max(),
               "torque off the closed form [N·m]": np.abs(torque_in - driven)[_clear(recording.time, slips, stops)].max(),
               "angles off the closed form [rad]": np.abs(angle[:, :2] - angles).max(),
               "rates off the closed form [rad/s]": np.abs(rate[:, :2] - rates).max(),
               "work of the motor [J]": ledger["work:motor"], "lost in the brake [J]": ledger["joint_friction"]}
    # rounding of 120 rad and 28 N·m; the ledger holds energy to the budget, motion is so far ahead as its root
    most_of = {"mean of the wheels": 1e-12, "mean of their rates": 1e-12, "halves off": 1e-12, "torque off": 1e-12,
               "angles off": np.sqrt(budget), "rates off": np.sqrt(budget)}
    for what in figures:
        most = next((most for begin, most in most_of.items() if what.startswith(begin)), np.inf)
        if figures[what] > most:
            raise CheckFailed(f"{what}: {figures[what]:.1e}, at most {most:.0e} is left by rounding and budget")
    if duration > stops and np.ptp(angle[recording.time > stops + 0.05, 1]) > 0.0:
        raise CheckFailed("the brake should hold its wheel in the end")
    paid = ledger["kinetic"] + ledger["joint_friction"]
    if abs(paid - ledger["work:motor"]) > budget * recording.ledger["reference_energy"][-1]:
        raise CheckFailed(f"the motor gave {ledger['work:motor']:.6f} J, wheels and brake took {paid:.6f} J")
    return {name: float(value) for name, value in figures.items()}


def _clear(time, *changes, near=0.02):
    """Frames that no change of phase is near: there the torque jumps."""
    return np.all([np.abs(time - change) > near for change in changes], axis=0)


def draw(recording, folder):
    from robotphi.view import graphs, style
    seen, time = recording.sensors, recording.time
    _, rates, driven, slips, stops = exact(time)
    figure, (left, right) = style.new_figure(9.6, 3.8, 1, 2)
    for name, colour in (("left", style.BLUE), ("shaft", style.TEAL), ("right", style.AMBER)):
        left.plot(time, seen[f"rate {name}"], color=colour, linewidth=1.8, label={"right": "right wheel, braked",
                                                                                "left": "left wheel"}.get(name, name))
    given = np.interp(time, TIMES, TORQUES)
    right.plot(time, given, color=style.GREY, linewidth=1.4, label="motor")
    right.plot(time, seen["effort left"], color=style.BLUE, linewidth=2.6, label="on the left wheel")
    sliding = seen["rate right"] > 0.0
    right.plot(time, np.where(sliding, seen["effort right"] + BRAKE[1], np.nan), color=style.AMBER, linewidth=1.4,
               label="on the right wheel, as it slides")
    right.plot(time, driven / 2.0, color=style.INK, linewidth=1.0, linestyle=(0, (4, 3)), label="closed form")
    left.plot(time, rates, color=style.INK, linewidth=1.0, linestyle=(0, (4, 3)))
    for axes in (left, right):
        for change in (slips, stops):
            if change < time[-1]:
                axes.axvline(change, color=style.GREY, linewidth=0.8, linestyle=(0, (1, 2)))
    style.quiet(left, "time [s]", "rate [rad/s]", "wheels and shaft")
    style.quiet(right, "time [s]", "torque [N·m]", "the torque is shared out in halves")
    for axes in (left, right):
        style.legend(axes, loc="upper left" if axes is left else "upper right")
    pictures = [style.save(figure, folder / "differential.png")]
    pictures.append(graphs.draw_ledger(recording, folder / "ledger.png"))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
