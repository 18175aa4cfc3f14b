"""Group "contact", balance: momenta through hits, energy of elastic ones, the ledger of lossy ones, legs that share a load."""
import numpy as np

from robotphi import ContactMaterial, Scene, Stepping, simulate
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry import shapes
from robotphi.geometry.rounds import sphere
from robotphi.verification import contact_reference as exact
from robotphi.verification.registry import Figure, case
from robotphi.verification.rigid_primitives import MOMENTUM_LIMIT, momentum_drifts

GROUP = "contact"


# --- momenta -------------------------------------------------------------------------------------------------------
def oblique_scene(first, second, duration=0.1):
    """Two free blocks that spin and hit obliquely, with friction and losses; each "rigid" or "deformable"."""
    contact = ContactMaterial(stiffness=1e7, restitution=0.6, speed=2.0, friction=0.4)
    scene = Scene(f"{first} on {second}", duration=duration, frames=100, gravity=(0, 0, 0), stepping=Stepping(budget=1e-5))
    for name, kind, size, centre, velocity, spin in (
            ("left", first, (0.2, 0.2, 0.1), (0, 0, 0), (1, 0, 0.2), (2, 1, -3)),
            ("right", second, (0.1, 0.2, 0.15), (0.17, 0.06, 0.03), (-1, 0.1, 0), (-1, 3, 0.5))):
        shape = shapes.box(size, centre=centre)
        body = (rigid(shape, density=1000.0) if kind == "rigid" else
                deformable(discretise(shape, size=0.1), Material(young=1e6, damping_ratio=0.1)))
        scene.add_object(name, body, contact=contact, velocity=velocity, spin=spin)
    return scene


@case(GROUP, "momenta through contact", "largest change while two free blocks hit with friction, as a part of its scale",
      "pressure, friction and the couple of a direction that turns come in opposite pairs")
def momenta_through_contact():
    figures = []
    for first, second in (("rigid", "rigid"), ("rigid", "deformable"), ("deformable", "deformable")):
        for kind, drift in zip(("linear", "angular"), momentum_drifts(oblique_scene(first, second)), strict=True):
            figures.append(Figure(0.0, drift, MOMENTUM_LIMIT, f"{kind}, {first} on {second}"))
    return figures


# --- energy --------------------------------------------------------------------------------------------------------
ENERGY_LIMIT = 1e-6


def thrown_scene(shape, ground, contact, budget, duration, spin=(1.0, 2.0, 0.5), height=0.3):
    """A body of 1 kg that falls turning onto a plane or a field of bumps."""
    scene = Scene("thrown", duration=duration, frames=50, stepping=Stepping(budget=budget))
    if ground == "plane":
        scene.add_plane("ground", contact=contact)
    else:
        u = np.arange(-10, 11) * 0.1
        heights = 0.03 * np.sin(4.0 * u)[:, None] * np.cos(3.0 * u)[None]
        scene.add_height_field("ground", heights, (0.1, 0.1), origin=(-1.0, -1.0, 0.0), contact=contact)
    scene.add_object("body", rigid(shape.transformed(shift=(0, 0, height)), mass=1.0), contact=contact, spin=spin)
    scene.set_contact("body", "ground", contact)
    return scene


def solids():
    return {"box": shapes.box((0.2, 0.25, 0.3)), "cone": shapes.cone(0.12, 0.25, sides=12),
            "icosphere": sphere(0.15, level=1)}


@case(GROUP, "elastic energy", "largest change of kinetic, potential and stored energy over the reference energy, 0.6 s",
      "pressure is the gradient of λ × volume")
def elastic_energy():
    contact = ContactMaterial(stiffness=1e6)
    figures = []
    for ground in ("plane", "field"):
        for name, shape in solids().items():
            recording = simulate(thrown_scene(shape, ground, contact, ENERGY_LIMIT, 0.6))
            ledger = recording.ledger
            energy = ledger["kinetic"] + ledger["contact"] + exact.GRAVITY * recording.rigid_position[:, 0, 2]
            figures.append(Figure(0.0, np.abs(energy - energy[0]).max() / ledger["reference_energy"][-1], ENERGY_LIMIT,
                                  f"{name} on a {ground}"))
    return figures


@case(GROUP, "ledger of contact", "what no entry claims, over the reference energy, budget 1e-5",
      "what kinetic, potential and stored energy lose is dissipated")
def ledger_of_contact():
    contact = ContactMaterial(stiffness=1e6, restitution=0.5, speed=1.0, friction=0.5)
    figures = []
    for name, scene in {**{f"{name} on a {ground}": thrown_scene(shape, ground, contact, 1e-5, 0.6)
                           for ground in ("plane", "field") for name, shape in solids().items()},
                        "deformable on rigid": oblique_scene("deformable", "rigid"),
                        "deformable on deformable": oblique_scene("deformable", "deformable")}.items():
        ledger = simulate(scene).ledger
        figures.append(Figure(0.0, ledger["largest_residual"][-1] / ledger["reference_energy"][-1], 1e-5, name))
    return figures


# --- legs ----------------------------------------------------------------------------------------------------------
@case(GROUP, "table on four legs", "force of a leg [N] under 2 kg and 100 N beside the middle", "W/4 (1 + x xᵢ/a² + y yᵢ/b²)")
def table_on_four_legs():
    # Legs are balls with F = k depth. Leaning by φ < 1e-3 shifts the load over them by its height times φ, here nothing, and
    # the legs themselves by φ²/2 of their distance.
    half, place, weight, stiffness, foot = (0.4, 0.3), (0.2, 0.1), 100.0, 1e5, 0.02
    contact = ContactMaterial(stiffness=1e8, restitution=0.3, speed=0.01, ball_law="linear", ball_stiffness=stiffness)
    loads, legs = exact.leg_loads(weight, place, half)
    loads = loads + 2 * exact.GRAVITY / 4
    scene = Scene("table", duration=3.0, frames=30, stepping=Stepping(budget=1e-5))
    points = np.array([[*leg, foot - 5e-4] for leg in legs] + [[*place, foot - 5e-4]])
    top = scene.add_rigid("top", points, mass=2.0, inertia=(0.1, 0.12, 0.2), centre=(0, 0, foot - 5e-4))
    scene.add_plane("floor", contact=contact)
    scene.add_contact_balls("legs", top.particles[:4], foot, contact=contact)
    scene.set_contact("legs", "floor", contact)
    scene.add_force("load", int(top.particles[4]), (0, 0, -weight))
    recording = simulate(scene)
    found = stiffness * (foot - recording.position[-1, top.particles[:4], 2])
    return [Figure(load, mine, 1e-6 * weight, f"leg {i + 1}") for i, (load, mine) in enumerate(zip(loads, found, strict=True))]
