"""Newton's cradle: how the first ball's push is shared out depends on the law of the balls, and never all goes to the last.

Balls that touch in line are not hit one after the other: while the first presses, all are pressed. With forces
F = k depth^n the speeds after the hit follow from m v̇ᵢ = Fᵢ₋₁ − Fᵢ alone, whatever k and m are, and depend on n:
n = 1, a linear spring; 3/2, elastic balls after Hertz; 2, force by volume. The higher n, the more goes to the last ball.

* "linear", "hertz", "volume": balls free in line, without gravity, against that equation, integrated by DOP853 at 1e-12.
* "hanging": five balls on strings that only pull, the first one drawn aside. First and last take turns; each hit makes
  the middle ones swing a little more.
"""
import numpy as np
from scipy.integrate import solve_ivp

from robotphi import CheckFailed, ContactMaterial, Scene, Stepping, simulate
from robotphi.scenario import run_scenario

GRAVITY, RADIUS, MASS = 9.81, 0.03, 1.0           # m/s², m, kg
LAWS = {"linear": (1.0, 1e7), "hertz": (1.5, 1e9), "volume": (2.0, None)}   # power, stiffness [N/m, N/m^1.5]
STIFFNESS = 1e11                                  # N/m³, of force by volume: π λ R/2 = 5e9 N/m² between two balls
HANGING = "hanging"
VARIANTS = (*LAWS, HANGING)
GAP = 0.01                                        # m from the first ball to the next
STRING, SPREAD, PULL = 0.3, 0.1, 1e5              # m down, m to either side, N/m
QUICK = {"duration": 0.5, "frames": 250}


def build(variant=HANGING, balls=None, speed=1.0, angle=25.0, duration=2.0, frames=1000, budget=None):
    """Three balls free in line, the first at a speed [m/s], or five that hang, the first at an angle [degrees]."""
    if variant != HANGING:
        return in_line(variant, balls or 3, speed, budget or 1e-7)
    count = balls or 5
    scene = Scene("cradle: hanging", duration=duration, frames=frames, gravity=(0, 0, -GRAVITY),
                  stepping=Stepping(budget=budget or 1e-4))
    contact = ContactMaterial(stiffness=STIFFNESS, ball_law="hertz", ball_stiffness=LAWS["hertz"][1])
    tension = MASS * GRAVITY / 2 / (STRING / np.hypot(STRING, SPREAD))   # of each of two strings at rest
    length = np.hypot(STRING, SPREAD)
    for i in range(count):
        x = 2 * RADIUS * i
        aside = np.radians(angle) if i == 0 else 0.0
        centre = (x - STRING * np.sin(aside), 0, -STRING * np.cos(aside))
        ball = scene.add_ball(f"ball {i}", centre, RADIUS, mass=MASS, contact=contact)
        posts = scene.add_particles(f"posts {i}", [(x, -SPREAD, 0), (x, SPREAD, 0)], 0.0, support="xyz")
        scene.add_linear(f"strings {i}", posts, [ball.particles[0]] * 2, PULL, 0.001 * PULL, tension_only=True,
                         rest_length=length - tension / PULL * (np.cos(aside) if i == 0 else 1.0))
    return scene


def in_line(law, count, speed, budget):
    """Balls without gravity; the first comes."""
    power, stiffness = LAWS[law]
    contact = ContactMaterial(stiffness=STIFFNESS, ball_law=law, ball_stiffness=stiffness)
    scene = Scene(f"cradle: {law}", duration=2 * GAP / speed, frames=400, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    for i in range(count):
        scene.add_ball(f"ball {i}", (2 * RADIUS * i - (GAP if i == 0 else 0.0), 0, 0), RADIUS, mass=MASS, contact=contact,
                       velocity=(speed if i == 0 else 0.0, 0, 0))
    return scene


def run(balls=None, speed=1.0, angle=25.0, duration=2.0, frames=1000):
    return {variant: simulate(build(variant, balls, speed, angle, duration, frames)) for variant in VARIANTS}


def shared(power, count):
    """Speeds after the hit over that of the first ball, from the equation of motion in units where m = k = v = 1."""
    def rate(_, state):
        x, v = state[:count], state[count:]
        force = np.maximum(x[:-1] - x[1:], 0.0) ** power
        return np.concatenate([v, np.append(-force, 0.0) + np.insert(force, 0, 0.0)])

    start = np.zeros(2 * count)
    start[count] = 1.0
    solved = solve_ivp(rate, (0.0, 6.0 + 4.0 * count), start, method="DOP853", rtol=1e-12, atol=1e-14, max_step=0.05)
    return solved.y[count:, -1]


def check(recordings, balls=None, speed=1.0, angle=25.0):
    figures = {}
    for law, (power, _) in LAWS.items():
        wanted = shared(power, balls or 3)
        after = recordings[law].rigid_velocity[-1, :, 0] / speed
        figures |= {f"{law}: ball {i}": float(each) for i, each in enumerate(after)}
        figures[f"{law}: error"] = np.abs(after - wanted).max()
        # the budget of 1e-7 is that of the energy, and so of the speeds
        if figures[f"{law}: error"] > 1e-7:
            raise CheckFailed(f"{law}: speeds after the hit are {figures[f'{law}: error']:.1e} off")
    return figures | check_hanging(recordings[HANGING], angle)


def check_hanging(recording, angle):
    x = recording.rigid_position[:, :, 0] - 2 * RADIUS * np.arange(recording.rigid_position.shape[1])
    far = STRING * np.sin(np.radians(angle))
    last, first = x[:, -1].max() / far, -x[len(x) // 4:, 0].min() / far
    middle = np.abs(x[:, 1:-1]).max() / far
    figures = {"hanging: last ball goes as far as the first started": last, "hanging: middle balls": middle}
    period = 2 * np.pi * np.sqrt(STRING / GRAVITY)
    if recording.time[-1] < 0.4 * period:
        return figures
    if not 0.93 < last < 1.005 or middle > 0.3:
        raise CheckFailed(f"the last ball should swing nearly as far as the first, it does {last:.3f} of it, "
                          f"those between up to {middle:.3f}")
    figures["hanging: the first ball comes back by"] = first
    return figures


def draw(recordings, folder, balls=None, speed=1.0, angle=25.0):
    from robotphi.view import graphs, style, touching
    hanging = recordings[HANGING]
    x = hanging.rigid_position[:, :, 0] - 2 * RADIUS * np.arange(hanging.rigid_position.shape[1])
    turns = [0, int(x[:, -1].argmax())]
    turns.insert(1, turns[1] // 2)
    pictures = [touching.picture_touching(hanging, build(HANGING, balls, speed, angle), folder / "cradle.png", turns,
                                          dict.fromkeys(build(HANGING, balls).touching, "#8fa3b8"), view=(-0.35, -1.6, 0.35),
                                          columns=3)]
    pictures.append(graphs.draw_series(
        folder / "swing.png", hanging.time, {f"ball {i}": 100 * x[:, i] for i in range(x.shape[1])}, "aside [cm]",
        "First and last take turns, the middle ones join in by and by"))
    figure, panels = style.new_figure(9.2, 4.0, 1, 3, sharey=True)
    for axes, law in zip(panels, LAWS, strict=True):
        record, power = recordings[law], LAWS[law][0]
        for i, wanted in enumerate(shared(power, record.rigid_velocity.shape[1])):
            axes.plot(1000 * (record.time - GAP / speed), record.rigid_velocity[:, i, 0] / speed, color=style.CYCLE[i % 8],
                      linewidth=1.6, label=f"ball {i}: {record.rigid_velocity[-1, i, 0] / speed:.5f}")
            axes.axhline(wanted, color=style.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        moving = np.ptp(np.abs(record.rigid_velocity[:, :, 0] - record.rigid_velocity[-1, :, 0]), axis=1) > 1e-3 * speed
        axes.set_xlim(-0.2, 1000 * (record.time[moving][-1] - GAP / speed) + 0.3)
        style.quiet(axes, "time [ms]", "speed over that of the hit" if law == "linear" else "", f"{law}: n = {power:g}")
        style.legend(axes, loc="upper center", bbox_to_anchor=(0.5, -0.18))
    return [*pictures, style.save(figure, folder / "laws.png")]


if __name__ == "__main__":
    run_scenario(__file__)
