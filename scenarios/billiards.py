"""A box is pulled over the ground with twenty-five balls on it: box and balls speed up as friction and rolling have it.

The rolling test of the SimBenchmark of rigid-body engines (Robotic Systems Lab, ETH Zurich): a box of 10 kg on the ground
(friction 0.4), 25 solid balls of 1 kg on top of it (0.8), 150 N along x. The balls roll without slip, so that each is pushed by
F = (2/7) m a of the box's acceleration a and follows with 2/7 of it:
```
a = (150 − 0.4 · 35 g)/(10 + 25 · 2/7) = 0.7385 m/s²        balls: (2/7) a = 0.2110 m/s²
```
Balls that sink in by x are pushed halfway down, at an arm of R - x/2: k = 1/(1 + 5/2 (1 - x/2R)²) takes the place of 2/7.
A torque keeps the box from tipping.
"""
import numpy as np

from robotphi import CheckFailed, ContactMaterial, Scene, Stepping
from robotphi.discretise import rigid
from robotphi.geometry.shapes import box
from robotphi.scenario import run_scenario

GRAVITY, PULL = 9.81, 150.0                       # m/s², N
BOX, BOX_MASS = np.array([2.4, 1.3, 0.1]), 10.0   # m, kg
RADIUS, BALL_MASS, ROWS, PITCH = 0.08, 1.0, 5, 0.22   # m, kg; balls side by side, m between them
START = 0.6                                       # m by which the middle of the balls is ahead of that of the box
GROUND, BALLS = 0.4, 0.8                          # friction
QUICK = {"duration": 0.6}


def exact(sunk=0.0):
    """Accelerations of box and balls [m/s²], of balls that sink in by so many metres."""
    count, share = ROWS ** 2, 1 / (1 + 2.5 * (1 - sunk / (2 * RADIUS)) ** 2)
    normal = (BOX_MASS + count * BALL_MASS) * GRAVITY
    fast = (PULL - GROUND * normal) / (BOX_MASS + count * BALL_MASS * share)
    return fast, share * fast


def depth_of_ball(stiffness):
    """m by which a ball sinks in under its weight: π λ R x²."""
    return np.sqrt(BALL_MASS * GRAVITY / (np.pi * stiffness * RADIUS))


def build(stiffness=2e7, duration=2.0, frames=200, budget=1e-4):
    """Stiffness [N/m³] of both pairs; all start where the ground and the box carry them."""
    ground = ContactMaterial(stiffness=stiffness, restitution=0.3, speed=1.0, friction=GROUND)
    # without loss: else what rolls is held back, as `rolling_cylinder_and_cube` shows
    rolling = ContactMaterial(stiffness=stiffness, friction=BALLS)
    scene = Scene("billiards", duration=duration, frames=frames, gravity=(0, 0, -GRAVITY), stepping=Stepping(budget=budget))
    scene.add_plane("ground", contact=ground)
    weight = (BOX_MASS + ROWS ** 2 * BALL_MASS) * GRAVITY
    sunk = weight / (stiffness * BOX[0] * BOX[1])
    body = rigid(box(BOX, (0, 0, BOX[2] / 2 - sunk)), mass=BOX_MASS)
    placed = scene.add_object("box", body, contact=ground)
    top = BOX[2] - sunk - depth_of_ball(stiffness)
    offsets = PITCH * (np.arange(ROWS) - (ROWS - 1) / 2)
    for i, x in enumerate(offsets):
        for j, y in enumerate(offsets):
            scene.add_ball(f"ball {i} {j}", (START + x, y, top + RADIUS), RADIUS, mass=BALL_MASS, contact=rolling,
                           contact_group="balls")
    scene.set_contact("ground", "box", ground)
    scene.set_contact("balls", "box", rolling)
    pull(scene, placed)
    return scene


def pull(scene, placed):
    """150 N, and the torque that keeps the box level: of friction below, of the balls above and of their weight ahead."""
    half = BOX[2] / 2
    count, (_, ball_rate) = ROWS ** 2, exact()
    below = GROUND * (BOX_MASS + count * BALL_MASS) * GRAVITY
    scene.add_force("pull", placed.rigids[0], (PULL, 0, 0))
    friction = below * half - count * BALL_MASS * ball_rate * half
    scene.add_torque("level", placed.rigids[0], (0, -friction - count * BALL_MASS * GRAVITY * START, 0))


def rates(recording):
    """Accelerations from straight lines through the second half: of the box, of each ball."""
    late = recording.time >= 0.5 * recording.time[-1]
    return np.polyfit(recording.time[late], recording.rigid_velocity[late, :, 0], 1)[0]


def check(recording, stiffness=2e7):
    found, sinking = rates(recording), exact(depth_of_ball(stiffness))
    box_rate, ball_rate = exact()
    slip = recording.rigid_velocity[:, 1:, 0] - RADIUS * recording.rigid_spin[:, 1:, 1] - recording.rigid_velocity[:, :1, 0]
    figures = {"box [m/s²]": found[0], "balls, mean [m/s²]": found[1:].mean(), "balls, spread [m/s²]": float(np.ptp(found[1:])),
               "error of the box": abs(found[0] / box_rate - 1), "error of the balls": np.abs(found[1:] / ball_rate - 1).max(),
               "error of the box, balls sunk": abs(found[0] / sinking[0] - 1),
               "error of the balls, sunk": np.abs(found[1:] / sinking[1] - 1).max(),
               "largest slip of a ball [m/s]": np.abs(slip).max(), "attempts": recording.counts["attempts"]}
    if max(figures["error of the box, balls sunk"], figures["error of the balls, sunk"]) > 1e-3:
        raise CheckFailed(f"of sinking balls, the box should speed up by {sinking[0]:.4f} m/s², they by {sinking[1]:.4f}")
    if figures["error of the box"] > 0.01 or figures["error of the balls"] > 0.01:
        raise CheckFailed(f"the box should speed up by {box_rate:.4f} m/s² and balls by {ball_rate:.4f}, they do by "
                          f"{found[0]:.4f} and {found[1:].min():.4f} to {found[1:].max():.4f}")
    return figures


def draw(recording, folder):
    from robotphi.view import graphs, touching
    scene = build()
    frames = [0, len(recording) // 2, len(recording) - 1]
    colours = {"box": "#d8c3a0"} | {f"ball {i} {j}": ("#7fa8d6", "#d9a441", "#7dbcae", "#cf8079", "#a48fd0")[i]
                                    for i in range(ROWS) for j in range(ROWS)}
    pictures = [touching.picture_touching(recording, scene, folder / "balls.png", frames, colours, view=(-0.6, -1.6, 1.0),
                                          columns=1, width=7.0)]
    box_rate, ball_rate = exact()
    speeds = {"box": recording.rigid_velocity[:, 0, 0], "balls, mean": recording.rigid_velocity[:, 1:, 0].mean(axis=1),
              "fastest ball": recording.rigid_velocity[:, 1:, 0].max(axis=1)}
    pictures.append(graphs.draw_series(folder / "speeds.png", recording.time, speeds, "speed [m/s]", "Box and balls speed up",
                                       references={"_box": box_rate * recording.time, "theory": ball_rate * recording.time}))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
