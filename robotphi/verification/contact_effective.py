"""Group "contact", effective restitution: what the reading of hits says of rigid things, where the rest goes in soft ones."""
import numpy as np

from robotphi import ContactMaterial, Scene, Stepping, build_model, simulate
from robotphi.discretise import Material, deformable, discretise
from robotphi.geometry import shapes
from robotphi.geometry.rounds import sphere
from robotphi.record.measure import momentum
from robotphi.verification import contact_reference as exact
from robotphi.verification.contact_hits import BUDGET, HIT_LIMIT, SIZE, flights, hit_scene, leaving
from robotphi.verification.registry import Figure, case

GROUP = "contact"


def only_hit(recording, scene, first, second):
    [hit] = recording.hits(first, second, scene)
    return hit


@case(GROUP, "restitution read", "effective e that the reading of hits gives of rigid things, beside the one set",
      "d v₀ (1 + e) = ln[(1 + d v₀)/(1 − e d v₀)]")
def restitution_read():
    figures = []
    for kind, restitution, other in (("ball", 0.6, None), ("box", 0.3, None), ("point", 0.9, None), ("ball", 0.75, 5.0)):
        scene = hit_scene(kind, restitution, other=other, frames=90)
        found = only_hit(simulate(scene), scene, "above", "below").restitution
        figures.append(Figure(restitution, found, HIT_LIMIT, f"{kind} on {'the ground' if other is None else 'another'}"))
    return figures


@case(GROUP, "restitution read in a fall", "effective e of a ball that falls on soft ground, from frames 1 ms apart",
      "m ẍ = −m g + k x² (1 + d ẋ), DOP853 at 1e-13")
def restitution_read_in_a_fall():
    height, mass, stiffness = 0.05, 1.0, 1e6
    contact = ContactMaterial(stiffness=1e6, restitution=0.75, speed=1.0, ball_law="volume", ball_stiffness=stiffness)
    scene = Scene("fall", duration=0.35, frames=350, stepping=Stepping(budget=BUDGET))
    scene.add_plane("ground", contact=contact)
    scene.add_ball("ball", (0, 0, SIZE + height), SIZE, mass=mass, contact=contact)
    scene.set_contact("ball", "ground", contact)
    recording = simulate(scene)
    truth = exact.bouncing(recording.time, height, 0.0, mass, stiffness, exact.POWERS["volume"], contact.damping)
    speeds = [leaving(truth[(begin + end) // 2]) for begin, end in flights(truth[:, 0])]
    return [Figure(after / before, hit.restitution, (2 * i + 1) * HIT_LIMIT, f"hit {i + 1}") for i, (hit, before, after) in
            enumerate(zip(recording.hits("ball", "ground", scene), speeds, speeds[1:], strict=False))]


def soft_drop(shape, young, damping=0.0, restitution=1.0, speed=1.0, budget=1e-5, duration=0.06):
    """A soft body that has fallen onto the ground, as it meets it at about a speed; its contact elastic unless told."""
    contact = ContactMaterial(stiffness=1e7, restitution=restitution, speed=speed)
    scene = Scene("soft drop", duration=duration, frames=500, stepping=Stepping(budget=budget))
    scene.add_plane("ground", contact=contact)
    body = deformable(discretise(shape, size=0.05), Material(young=young, density=1000.0, damping_ratio=damping))
    scene.add_object("body", body, contact=contact, velocity=(0, 0, -speed))
    scene.set_contact("body", "ground", contact)
    return scene


def soft_bodies():
    """Name → (shape, Young's modulus [Pa]): the corners of a ball of few facets give way more than the face of a block."""
    return {"block": (shapes.box((0.1, 0.1, 0.1), centre=(0, 0, 0.055)), 1e6),
            "ball": (sphere(0.05, level=1).transformed(shift=(0, 0, 0.055)), 2e7)}


def whereabouts(scene, hit, recording):
    """Joules of a hit by place, from the frame before it to the frame after: kinetic about the mass centre, stored, lost."""
    model = build_model(scene)
    mass = model.arrays.particles.mass.sum() + model.arrays.rigids.mass.sum()
    ends = [hit.frames[0] - 1, hit.frames[1] + 1]
    centre = momentum(model, recording.velocity[ends], recording.rigid_velocity[ends]) / mass
    inner = hit.ledger["kinetic"] - 0.5 * mass * float(np.sum(centre[1] ** 2) - np.sum(centre[0] ** 2))
    stored = sum(hit.ledger[name] for name in ("elastic_linear", "elastic_angular", "elastic_articular", "contact"))
    return {"kinetic": inner, "stored": stored, "lost": hit.ledger["spring_dissipation"] + hit.ledger["contact_dissipation"]}


@case(GROUP, "energy that a soft hit misses", "½ m v² (1 − e²) of the effective e of a soft thing on the ground, over ½ m v², "
      "beside what vibrates, is stored and was lost", "the centre moves by the impulse and the weight alone; the ledger")
def energy_that_a_soft_hit_misses():
    figures = []
    for name, (shape, young) in soft_bodies().items():
        for matter, options in (("elastic", {}), ("damped", {"damping": 0.05, "restitution": 0.7})):
            scene = soft_drop(shape, young, **options)
            recording = simulate(scene)
            hit = only_hit(recording, scene, "body", "ground")
            model = build_model(scene)
            before = 0.5 * model.arrays.particles.mass.sum() * hit.approach ** 2
            gone = sum(whereabouts(scene, hit, recording).values())
            # whatever the frames: both sides miss what the ledger does, no more than its budget of the energies it knows
            limit = scene.stepping.budget * recording.ledger["reference_energy"][-1] / before
            what = f"{matter} {name}, e = {hit.restitution:.4f}"
            figures.append(Figure(gone / before, 1.0 - hit.restitution ** 2, limit, what))
    return figures
