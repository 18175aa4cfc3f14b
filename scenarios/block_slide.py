"""Blocks on a slope stick or slide by Coulomb's law, and blocks shoved on level ground stop where they should.

* "slope": five blocks that differ in friction alone. Static friction s holds where tan θ ≤ s, and it holds for good: a block at
  rest does not creep, and the spring that holds it is stretched by m g sin θ/k. With kinetic friction c they slide at
  g (sin θ − c cos θ). One that static friction holds is given a push: it breaks away and does not stop any more.
* "level": three blocks thrown at v go v²/(2 c g).
"""
import numpy as np

from robotphi import CheckFailed, ContactMaterial, Drive, Scene, Stepping, simulate
from robotphi.discretise import rigid
from robotphi.geometry.shapes import box
from robotphi.scenario import run_scenario

GRAVITY, DENSITY = 9.81, 800.0                    # m/s², kg/m³
SIZE = np.array([0.2, 0.14, 0.08])                # m
MASS = DENSITY * SIZE.prod()
HOLD = 2e5                                        # N/m, tangential stiffness
SLOPE, LEVEL = VARIANTS = ("slope", "level")
FRICTION = {"rough": (0.5, 0.5), "held": (0.2, 0.45), "pushed": (0.2, 0.45), "smooth": (0.2, 0.2), "ice": (0.0, 0.0)}  # c, s
PUSH = (0.5, 0.6, 0.25)                           # s, s, of the weight
THROWN = {"0.2": 0.2, "0.4": 0.4, "0.7": 0.7}     # c
COLOURS = ("#5b8cc4", "#d9a441", "#58a79e", "#c9695c", "#9a83c4")   # of the graphs, lighter
FROM_FRONT = {SLOPE: "from the front", LEVEL: "friction, from the front"}
QUICK = {"duration": 1.2, "frames": 120}


def law(kinetic, static, stiffness):
    return ContactMaterial(stiffness=stiffness, restitution=0.2, speed=1.0, friction=kinetic, static_friction=static,
                           tangential_stiffness=HOLD)


def build(variant=SLOPE, slope=20.0, speed=2.0, stiffness=2e7, duration=2.0, frames=200, budget=1e-5):
    """Blocks side by side; slope in degrees, speed [m/s] of those that are thrown."""
    angle = np.radians(slope) if variant == SLOPE else 0.0
    scene = Scene(f"block slide: {variant}", duration=duration, frames=frames, gravity=(0, 0, -GRAVITY),
                  stepping=Stepping(budget=budget))
    turn = frame(angle)
    scene.add_plane("ground", normal=turn[2], contact=law(0, 0, stiffness))
    depth = MASS * GRAVITY * np.cos(angle) / (stiffness * SIZE[0] * SIZE[1])   # at which the ground carries them
    names = FRICTION if variant == SLOPE else THROWN
    for i, name in enumerate(names):
        shape = box(SIZE, (0.0, 1.8 * SIZE[1] * (i - len(names) / 2 + 0.5), SIZE[2] / 2 - depth)).transformed(turn.T)
        kinetic, static = FRICTION[name] if variant == SLOPE else (THROWN[name],) * 2
        scene.add_object(name, rigid(shape, mass=MASS), contact=law(kinetic, static, stiffness),
                         velocity=(0.0 if variant == SLOPE else speed, 0, 0))
        scene.set_contact("ground", name, law(kinetic, static, stiffness))
    if variant == SLOPE:
        start, end, share = PUSH
        push = Drive.steps([0.0, start, end], [0.0, 1.0, 0.0])
        scene.add_force("push", scene.objects["pushed"].rigids[0], share * MASS * GRAVITY * turn[0], push)
    return scene


def run(slope=20.0, speed=2.0, stiffness=2e7, duration=2.0, frames=200, budget=1e-5):
    return {variant: simulate(build(variant, slope, speed, stiffness, duration, frames, budget)) for variant in VARIANTS}


def frame(angle):
    """Rows: downhill, across, out of the ground."""
    return np.array([[np.cos(angle), 0, -np.sin(angle)], [0, 1, 0], [np.sin(angle), 0, np.cos(angle)]])


def downhill(recording, angle):
    """Ways [m] and speeds [m/s] of the blocks down the slope, (f, blocks)."""
    way = recording.rigid_position - recording.rigid_position[0]
    return way @ frame(angle)[0], recording.rigid_velocity @ frame(angle)[0]


def stretch(recording, variant, slope, name):
    """By how much the bottom of a block has moved at the end [m]."""
    angle = np.radians(slope)
    bottom = build(variant, slope).objects[name].region("bottom")
    return float((recording.position[-1, bottom] - recording.position[0, bottom]).mean(axis=0) @ frame(angle)[0])


def check(recordings, slope=20.0, speed=2.0, budget=1e-5):
    angle, figures = np.radians(slope), {}
    recording = recordings[SLOPE]
    way, rate = downhill(recording, angle)
    late = recording.time >= max(0.5 * recording.time[-1], PUSH[1] + 0.3)
    for i, (name, (kinetic, static)) in enumerate(FRICTION.items()):
        sticks = np.tan(angle) <= static and name != "pushed"
        if sticks:
            drift, fastest = np.ptp(way[late, i]), np.abs(rate[late, i]).max()
            pulled = stretch(recording, SLOPE, slope, name)
            figures |= {f"{name}: drift [m]": drift, f"{name}: fastest [m/s]": fastest,
                        f"{name}: stretch over m g sin θ/k": pulled / (MASS * GRAVITY * np.sin(angle) / HOLD)}
            if drift > 1e-9 or fastest > 1e-8:
                raise CheckFailed(f"{name}: it should stick, it drifts by {drift:.1e} m at {fastest:.1e} m/s")
            if abs(figures[f"{name}: stretch over m g sin θ/k"] - 1) > 0.01:
                raise CheckFailed(f"{name}: what holds it should be stretched by m g sin θ/k, it moved by {pulled:.2e} m")
            continue
        found = np.polyfit(recording.time[late], rate[late, i], 1)[0]
        wanted = GRAVITY * (np.sin(angle) - kinetic * np.cos(angle))
        figures[f"{name}: acceleration [m/s²]"] = found
        figures[f"{name}: error of it"] = abs(found / wanted - 1)
        if abs(found / wanted - 1) > 1e-4:
            raise CheckFailed(f"{name}: it should slide at {wanted:.6g} m/s², not at {found:.6g}")
    way, rate = downhill(recordings[LEVEL], 0.0)
    for i, (name, kinetic) in enumerate(THROWN.items()):
        wanted = speed ** 2 / (2 * kinetic * GRAVITY)
        if recordings[LEVEL].time[-1] < 1.1 * speed / (kinetic * GRAVITY):
            continue
        figures |= {f"thrown, {name}: way [m]": way[-1, i], f"thrown, {name}: error of it": abs(way[-1, i] / wanted - 1)}
        if abs(way[-1, i] / wanted - 1) > 1e-3 or abs(rate[-1, i]) > 1e-9:
            raise CheckFailed(f"thrown with friction {name}: it should stop after {wanted:.5g} m, not after {way[-1, i]:.5g} m")
    return figures


def draw(recordings, folder, slope=20.0, speed=2.0):
    from robotphi.view import graphs, touching
    pictures = []
    for variant, recording in recordings.items():
        scene = build(variant, slope, speed)
        last = recording.frame_at(1.2)
        pictures.append(touching.picture_touching(
            recording, scene, folder / f"{variant}.png", np.linspace(0, last, 4).round().astype(int),
            dict(zip(scene.objects, COLOURS, strict=False)), together=True, view=(-0.6, -1.6, 1.3),
            titles=[f"{FROM_FRONT[variant]}: {', '.join(scene.objects)}; every {recording.time[last] / 3:.2g} s"]))
    time = recordings[SLOPE].time
    rate, angle = downhill(recordings[SLOPE], np.radians(slope))[1], np.radians(slope)
    sliding = {f"_{name}": GRAVITY * (np.sin(angle) - c * np.cos(angle)) * time for name, (c, s) in FRICTION.items()
               if np.tan(angle) > s}
    pictures.append(graphs.draw_series(folder / "speeds.png", time, dict(zip(FRICTION, rate.T, strict=True)),
                                       "downhill [m/s]",
                                       "On the slope: what sticks, what slides, what a push sets going; theory (dashes)",
                                       references=sliding))
    time, rate = recordings[LEVEL].time, downhill(recordings[LEVEL], 0.0)[1]
    pictures.append(graphs.draw_series(
        folder / "stops.png", time, {f"c = {name}": each for name, each in zip(THROWN, rate.T, strict=True)}, "speed [m/s]",
        "On level ground: what is thrown stops after v²/(2 c g) (dashes)",
        references={f"_{c}": np.maximum(speed - c * GRAVITY * time, 0.0) for c in THROWN.values()}))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
