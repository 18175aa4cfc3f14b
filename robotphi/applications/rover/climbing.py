"""One wheel at a step: what it takes to climb it, by statics and as a scene."""
import numpy as np

from robotphi import Scene, Stepping
from robotphi.applications.rover.ground import add_step
from robotphi.applications.rover.wheel import Wheel, add_round
from robotphi.discretise import rigid
from robotphi.geometry import shapes
from robotphi.scene.checks import number, refuse

CARRIAGE = 0.02       # m, size of what bears the load at the axle


def climbing_ratio(radius, height):
    """√(r² − (r − h)²)/(r − h) = tan α, with the edge of the step at α from below the axle.

    Just before it leaves the ground a wheel has its load, what drives it and one force of the edge. Towed at the axle, that
    force goes through the axle: the tow over the load is tan α. Driven by a torque alone, it is upright: the friction that the
    edge needs is tan α, the torque load × r sin α. A step as high as the radius or more is climbed by neither. A polyhedron of
    n sides that slips on the edge finds directions up to π/n off, so that a driven one climbs from tan (α − π/n) on; towed it
    rolls, and its friction makes up for its sides. A round wheel finds none.
    """
    radius, height = number("step", "radius", radius, above=0.0), number("step", "height", height, above=0.0)
    if height >= radius:
        refuse("step", f"height is {height:g} and the radius {radius:g}", "give a step lower than the axle")
    return float(np.sqrt(radius**2 - (radius - height) ** 2) / (radius - height))


def wheel_at_step(height, contact, tow=0.0, torque=0.0, radius=0.12, width=0.1, sides=None, mass=2.0, load=98.1, duration=1.0,
                  frames=50, budget=1e-3):
    """The Scene of a wheel that stands against a step and may go ahead and up, and turn; sensor "axle" is its place.

    Args:
        contact: ContactMaterial of wheel, ground and step.
        tow: force ahead at the axle [N]; torque: on the wheel, that turns it ahead [N·m]: numbers, Drives or functions of time.
        load: on the ground [N], of which the wheel's mass [kg] is a part.
        sides: of a wheel that is a polyhedron; a round one where left out.
    """
    down = 9.81
    if not load > mass * down:
        refuse("wheel at a step", f"the load of {load:g} N is less than the weight of the wheel", "give a larger one")
    scene = Scene("wheel at a step", duration=duration, frames=frames, gravity=(0.0, 0.0, -down),
                  stepping=Stepping(budget=budget))
    scene.add_plane("ground", contact=contact)
    ahead = radius * np.sin(np.arccos(1.0 - height / radius))
    add_step(scene, "step", ahead, height, contact, depth=1.0, width=2.0 * width)
    axle = np.array([0.0, 0.0, radius * (np.cos(np.pi / sides) if sides else 1.0)])
    slider = rigid(shapes.box(CARRIAGE, axle), mass=0.01)
    carriage = rigid(shapes.box(CARRIAGE, axle), mass=load / down - mass - 0.01)
    slider = scene.add_object("slider", slider).rigids[0]
    carriage = scene.add_object("carriage", carriage).rigids[0]
    shape = Wheel(radius, width, mass, "polyhedron", sides) if sides else Wheel(radius, width, mass)
    wheel = add_round(scene, "wheel", shape, axle, contact)
    scene.add_joint("up", "prismatic", None, slider, axle, axis=(0.0, 0.0, 1.0))
    scene.add_joint("ahead", "prismatic", slider, carriage, axle, axis=(1.0, 0.0, 0.0), torque=tow)
    scene.add_joint("axle", "revolute", carriage, wheel, axle, axis=(0.0, 1.0, 0.0), torque=torque)
    scene.add_sensor("axle", "position", "wheel")
    return scene
