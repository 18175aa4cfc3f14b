"""What a vehicle and a wheel can do at most by closed forms, beside scenes that stand a little below and above: a slope with
wheels held, a step with a wheel towed or driven."""
import numpy as np

from robotphi import ContactMaterial, Drive, Scene, Simulator, Stepping, build_model, settle
from robotphi.applications.rover.climbing import climbing_ratio, wheel_at_step
from robotphi.applications.rover.vehicle import add_rover

GRAVITY = 9.81
LOAD = 98.1               # N on the wheel
HARD = {"stiffness": 2e10, "speed": 1.0}
RISEN = 0.9               # of a step: what is up
SURPLUS = 1.05            # of a driven wheel's torque, so that friction is what it lacks


def slope_scene(dimensions, tyre, share, friction, duration=1.0, frames=20, budget=1e-3):
    """The Scene of a vehicle on rockers, wheels held, uphill along x, on a plane at a share of the angle of friction."""
    angle = share * np.arctan(friction)
    down = -np.array([np.sin(angle), 0.0, np.cos(angle)])
    scene = Scene(f"rover on {np.degrees(angle):.2f} degrees", duration=duration, frames=frames, gravity=GRAVITY * down,
                  stepping=Stepping(budget=budget))
    scene.add_plane("ground", contact=tyre)
    add_rover(scene, dimensions, tyre, locked=True)
    return scene


def slide(recording):
    """m/s², mean downhill acceleration over the second half of a recording of a slope; it is g (sin θ − μ cos θ) or 0."""
    time, speed = recording.time, -recording.rigid_velocity[:, 0, 0]
    half = len(time) // 2
    return float((speed[-1] - speed[half]) / (time[-1] - time[half]))


def towed_wheel(height, share, radius=0.12, restitution=0.3, duration=1.5, frames=30, budget=1e-3):
    """The Scene of a wheel that is towed at a step by a share of what the closed form asks for; friction 1."""
    hard = ContactMaterial(restitution=restitution, friction=1.0, **HARD)
    tow = Drive.table([0.0, 1.0], [0.0, share * climbing_ratio(radius, height) * LOAD])
    return wheel_at_step(height, hard, tow=tow, radius=radius, load=LOAD, duration=duration, frames=frames, budget=budget)


def driven_wheel(height, share, radius=0.12, restitution=0.3, duration=1.5, frames=30, budget=1e-3):
    """The Scene of a wheel that is driven at a step, its friction a share of what the closed form asks for."""
    ratio = climbing_ratio(radius, height)
    hard = ContactMaterial(restitution=restitution, friction=share * ratio, **HARD)
    torque = Drive.table([0.0, 1.0], [0.0, SURPLUS * LOAD * radius * np.sin(np.arctan(ratio))])
    return wheel_at_step(height, hard, torque=torque, radius=radius, load=LOAD, duration=duration, frames=frames, budget=budget)


def climbs(recording, height):
    """Whether the wheel is up on the step of this height in the end."""
    axle = recording.sensors["axle"][:, 2]
    return bool(axle[-1] - axle[0] > RISEN * height)


def loads_at_rest(dimensions, tyre, budget=1e-3):
    """Upward force of a level plane on each wheel of a vehicle on rockers at rest [N], by name; to be held against
    `level_loads`."""
    scene = Scene("rover at rest", duration=1.0, frames=1, gravity=(0.0, 0.0, -GRAVITY), stepping=Stepping(budget=budget))
    scene.add_plane("ground", contact=tyre)
    add_rover(scene, dimensions, tyre)
    simulator = Simulator(build_model(scene))
    settle(simulator)
    return {wheel: float(simulator.read(f"load of {wheel}")[2]) for wheel in dimensions.wheel_names}
