"""A crank that a speed motor turns drives a rocker through a four-bar linkage; the rocker's bearing is viscous.

Ground d, crank a, coupler b and rocker c: the angles θ of the crank and ψ of the rocker obey Freudenstein's equation (1954)
    d/a cos ψ − d/c cos θ + (a² − b² + c² + d²)/2ac = cos (θ − ψ)
whose two roots are the two ways to put the linkage together. With M(θ) the inertia along the crank by the rates of all bars,
U(θ) their weight, v and κ the speed asked of the motor and its gain, μ the viscosity of the rocker,
    M θ̈ + ½ M' θ̇² = κ (v − θ̇) − μ ψ'² θ̇ − U'
is integrated beside it by DOP853 at 1e-11.
"""
import numpy as np
from scipy.integrate import solve_ivp

from robotphi import CheckFailed, Drive, Scene, Stepping
from robotphi.scenario import run_scenario

CRANK, COUPLER, ROCKER, GROUND = 0.15, 0.45, 0.35, 0.5      # m: the crank turns round, 0.15 + 0.5 < 0.45 + 0.35
MASSES, THICK, WEIGHT = (0.4, 1.0, 0.8), 0.02, 9.81         # kg; m; m/s², along −y
START, RISE = 0.5, 0.2                                      # rad; s in which the motor is brought to speed
QUICK = {"duration": 0.6, "frames": 60}


def build(speed=6.0, gain=2.0, viscosity=0.2, duration=3.0, frames=300, budget=1e-6):
    scene = Scene("four-bar linkage", duration=duration, frames=frames, gravity=(0, -WEIGHT, 0),
                  stepping=Stepping(budget=budget))
    a, b, c, d = pins_at(START)
    crank, coupler, rocker = (_bar(scene, *one) for one in (("crank", a, b, MASSES[0]), ("coupler", b, c, MASSES[1]),
                                                            ("rocker", d, c, MASSES[2])))
    turn = {"axis": (0, 0, 1)}
    main = scene.add_joint("main", "revolute", None, crank, (*a, 0), place=START, **turn)
    scene.add_joint("knee", "revolute", crank, coupler, (*b, 0), **turn)
    scene.add_joint("bearing", "revolute", None, rocker, (*d, 0), place=float(rocker_at(START)), viscosity=viscosity, **turn)
    scene.add_joint("pin", "revolute", coupler, rocker, (*c, 0), **turn)
    scene.add_motor("motor", main, speed=Drive.table([0.0, RISE], [0.0, speed]), damping=gain)
    for name, quantity, of in (("crank", "coordinate", "main"), ("rate", "rate", "main"), ("rocker", "coordinate", "bearing"),
                               ("effort", "effort", "main"), ("on the coupler", "position", (coupler, "end")),
                               ("on the rocker", "position", (rocker, "end"))):
        scene.add_sensor(name, quantity, of)
    return scene


def _bar(scene, name, begin, end, mass):
    length = np.linalg.norm(end - begin)
    inertia = mass * (length**2 + THICK**2) / 12.0
    return scene.add_rigid(name, [(*begin, 0), (*end, 0)], mass=mass, centre=(*(begin + end) / 2, 0),
                           inertia=(inertia, inertia, inertia), points={"end": (*end, 0)})


def rocker_at(angle):
    """ψ [rad], with the pin above the ground."""
    cos, sin = GROUND / CRANK - np.cos(angle), -np.sin(angle)
    right = GROUND / ROCKER * np.cos(angle) - (CRANK**2 - COUPLER**2 + ROCKER**2 + GROUND**2) / (2.0 * CRANK * ROCKER)
    return np.arctan2(sin, cos) + np.arccos(right / np.hypot(cos, sin))


def pins_at(angle):
    """(4, …, 2) m: crank's bearing, knee, pin, rocker's bearing."""
    psi = rocker_at(angle)
    knee = CRANK * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    ground = np.broadcast_to((GROUND, 0.0), knee.shape)
    return np.stack([np.zeros_like(knee), knee, ground + ROCKER * np.stack([np.cos(psi), np.sin(psi)], axis=-1), ground])


def shares(angle):
    """(dφ/dθ of the coupler, dψ/dθ): both ends of the coupler go alike along it."""
    _, knee, pin, _ = pins_at(angle)
    psi, phi = rocker_at(angle), np.arctan2(*(pin - knee)[..., ::-1].T)
    return (CRANK * np.sin(psi - angle) / (COUPLER * np.sin(phi - psi)),
            CRANK * np.sin(angle - phi) / (ROCKER * np.sin(psi - phi)))


def inertia(angle):
    """M(θ) [kg·m²]: of crank and rocker about their bearings, of the coupler by its centre and its turning."""
    coupler, rocker = shares(angle)
    about = [mass * (length**2 + THICK**2) / 12.0 for mass, length in zip(MASSES, (CRANK, COUPLER, ROCKER), strict=True)]
    _, knee, pin, ground = pins_at(angle)
    centre = knee / 2.0 + rocker[..., None] * (pin - ground) / 2.0      # its way for a radian of the crank, a quarter turn back
    return (about[0] + MASSES[0] * CRANK**2 / 4 + about[1] * coupler**2 + MASSES[1] * (centre**2).sum(axis=-1)
            + (about[2] + MASSES[2] * ROCKER**2 / 4) * rocker**2)


def weight(angle):
    """U(θ) [J]"""
    _, knee, pin, _ = pins_at(angle)
    return 0.5 * WEIGHT * (MASSES[0] * knee[..., 1] + MASSES[1] * (knee + pin)[..., 1] + MASSES[2] * pin[..., 1])


def exact(time, speed, gain, viscosity, step=1e-5):
    """θ(t) [rad] by integration; slopes by central differences, 1e-10 off."""
    def rates(now, y):
        slope, lift = ((of(y[0] + step) - of(y[0] - step)) / (2 * step) for of in (inertia, weight))
        motor = gain * (speed * min(now / RISE, 1.0) - y[1])
        return y[1], (motor - viscosity * shares(y[0])[1]**2 * y[1] - lift - 0.5 * slope * y[1]**2) / inertia(y[0])
    return solve_ivp(rates, (0.0, time[-1]), (START, 0.0), method="DOP853", rtol=1e-11, atol=1e-12, t_eval=time).y[0]


def check(recording, speed=6.0, gain=2.0, viscosity=0.2, budget=1e-6):
    seen, ledger = recording.sensors, {name: values[-1] - values[0] for name, values in recording.ledger.items()}
    size = CRANK + COUPLER + ROCKER + GROUND
    gap = np.linalg.norm(seen["on the coupler"] - seen["on the rocker"], axis=1).max() / size
    off = np.abs(seen["rocker"] - rocker_at(seen["crank"])).max()
    moved = np.abs(seen["crank"] - exact(recording.time, speed, gain, viscosity)).max()
    paid = ledger["kinetic"] + ledger["gravity"] + ledger["joint_dissipation"]
    missing = abs(ledger["work:motor"] - paid) / recording.ledger["reference_energy"][-1]
    figures = {"turns of the crank": (seen["crank"][-1] - START) / (2.0 * np.pi),
               "swing of the rocker [rad]": np.ptp(seen["rocker"]),
               "gap of the pin, of the size": gap, "rocker off Freudenstein's equation [rad]": off,
               "crank off the integrated equation [rad]": moved,
               "largest torque of the motor [N·m]": np.abs(seen["effort"]).max(),
               "work of the motor [J]": ledger["work:motor"], "lost in the bearing [J]": ledger["joint_dissipation"],
               "work missing, of the reference energy": missing}
    if gap > 1e-12:      # rounding: the closure is met to 1e-13 of the extent
        raise CheckFailed(f"the pin is open by {gap:.1e} of the size of the linkage")
    if off > 1e-9:
        raise CheckFailed(f"the rocker is {off:.1e} rad off the closed form")
    # the ledger holds energy to the budget, motion is so far ahead as its root
    if moved > np.sqrt(budget):
        raise CheckFailed(f"the crank is {moved:.1e} rad off its equation of motion")
    if missing > budget:
        raise CheckFailed(f"the motor gave {ledger['work:motor']:.6f} J, energy and losses took {paid:.6f} J")
    return {name: float(value) for name, value in figures.items()}


def draw(recording, folder):
    from robotphi.view import graphs, style
    seen = recording.sensors
    figure, (left, right) = style.new_figure(9.6, 3.8, 1, 2)
    _, knee, pin, ground = pins_at(START + np.linspace(0.0, 2.0 * np.pi, 200))
    left.plot(*knee.T, color=style.PALE, linewidth=1.2)
    left.plot(*pin.T, color=style.AMBER, linewidth=1.6, label="way of the pin")
    left.plot(*((knee + pin) / 2).T, color=style.TEAL, linewidth=1.6, label="way of the coupler's middle")
    shown = pins_at(START + np.arange(6) * np.pi / 3.0)
    for at, shade in enumerate(np.linspace(0.2, 1.0, shown.shape[1])):
        left.plot(*shown[:, at].T, "-o", color=style.BLUE, alpha=shade, linewidth=2.0, markersize=4)
    left.set(aspect="equal", ylim=(-0.2, 0.55))
    style.quiet(left, "x [m]", "y [m]", "the linkage, a sixth of a turn apart")
    style.legend(left, loc="upper left")
    turn = np.linspace(seen["crank"].min(), seen["crank"].max(), 400)
    right.plot(seen["crank"], seen["rocker"], color=style.BLUE, linewidth=2.4, label="rocker")
    right.plot(turn, rocker_at(turn), color=style.INK, linewidth=1.0, linestyle=(0, (4, 3)), label="Freudenstein")
    style.quiet(right, "angle of the crank [rad]", "angle of the rocker [rad]", "what the rocker does")
    right.set_ylim(top=2.75)
    style.legend(right, loc="upper right")
    pictures = [style.save(figure, folder / "linkage.png")]
    figure, (upper, lower) = style.new_figure(7.2, 4.6, 2, 1, sharex=True)
    upper.plot(recording.time, seen["effort"], color=style.BLUE, linewidth=1.6)
    lower.plot(recording.time, seen["rate"], color=style.AMBER, linewidth=1.6)
    style.quiet(upper, "", "torque [N·m]", "The motor, and the rate of the crank")
    style.quiet(lower, "time [s]", "rate [rad/s]")
    upper.margins(x=0)
    pictures.append(style.save(figure, folder / "motor.png"))
    pictures.append(graphs.draw_ledger(recording, folder / "ledger.png"))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
