"""Values of a model: the same model with other numbers, without building anew what they do not touch.

What a number becomes in the arrays is worked out by the functions that build them, for the one block that has changed. Where
more depends on it (the mass of what touches, motions of rigids, drives), the model is built anew from the blocks of the scene;
where places or cells do, from its statements. Either way it has the bits of a model that is built of the changed scene.
"""
import numpy as np

from robotphi.kernels.contact import kinds
from robotphi.kernels.springs.table import KINDS
from robotphi.model import arrays as m
from robotphi.model import build
from robotphi.model.acts import force_vectors
from robotphi.model.laws import contact_laws
from robotphi.model.mechanisms import freedom_rows
from robotphi.model.springs import spring_column
from robotphi.scene.blocks import Force, Joint, ParticleBlock, SpringBlock
from robotphi.scene.checks import refuse
from robotphi.scene.held_values import CONTACT, SHORT, STEPPING
from robotphi.scene.values import SCENE, address_of

OF_FREEDOMS = ("armature", "rest")   # of a joint, on which nothing else depends


def model_with_values(model, values):
    """The model with other values; see `Model.with_values`."""
    if not isinstance(values, dict):
        refuse("with_values", f"values is {values!r:.60}", 'give {address: value}, such as {("spring", "stiffness"): 5.0}')
    values = {address_of(address): value for address, value in values.items()}
    scene = model.scene.with_values(values)
    patches = [_patch(model, scene, address) for address in values]
    if None in patches:
        return build.build_model(scene)
    for patch, address in zip(patches, values, strict=True):
        model = patch(model, scene, address)
    return model._replace(scene=scene)


def _patch(model, scene, address):
    """How the arrays of a model follow a value; None where it is to be built anew."""
    if not model.scene.holds(address):
        return None
    thing, quantity, _ = address
    if len(model.arrays.stiff.way) and quantity in ("stiffness", "viscosity", "mass"):
        return None
    known = model.scene.things.get(thing)
    nothing_touches, still = len(model.arrays.contact.parts.kind) == 0, len(model.arrays.acts.medium.facet) == 0
    if thing == SCENE and known is None:
        if quantity in STEPPING:
            return lambda model, scene, address: model
        return _renew_particles if quantity == "gravity" and still else None
    if isinstance(thing, tuple) or quantity in SHORT or quantity.startswith(CONTACT):
        return _renew_laws
    if isinstance(known, SpringBlock) and quantity != "drive":
        return _renew_springs
    if isinstance(known, ParticleBlock) and quantity == "mass" and nothing_touches:
        return _renew_particles
    if isinstance(known, ParticleBlock) and quantity == "velocity" and not known.drive and not known.led:
        return _renew_velocity
    if isinstance(known, Joint) and quantity in OF_FREEDOMS and not model.scene.motors:   # whose rotors joints feel
        return _renew_joint if len(model.arrays.closures.kind) == 0 else None   # which joints close loops may depend on them
    return _renew_forces if isinstance(known, Force) and quantity == "vector" else None


def _renew_springs(model, scene, address):
    block = scene.things[address.thing]
    kind = KINDS[block.kind]
    name = kind.rest.name if address.quantity == kind.rest_said else address.quantity
    of_list = kind.own if kind.plain is None or block.has_law else kind.plain
    springs = getattr(model.arrays, of_list)
    field = next(each for each in kind.fields(of_list) if each.name == name)
    own = np.flatnonzero((springs.identity >= block.start) & (springs.identity < block.start + block.count))
    column = np.array(getattr(springs, name))
    column[own] = spring_column([block], field, {})[springs.identity[own] - block.start]
    return _with_arrays(model, **{of_list: springs._replace(**{name: m.aligned(column)})})


def _renew_particles(model, scene, address):
    known = model.arrays.particles
    return _with_arrays(model, particles=build.particle_arrays(scene, known.block, known.damped))


def _renew_velocity(model, scene, address):
    block, velocity = scene.things[address.thing], np.array(model.velocity)
    velocity[block.indices] = block.velocity
    return model._replace(velocity=m.aligned(velocity))


def _renew_forces(model, scene, address):
    direction = force_vectors(scene)
    acts = model.arrays.acts
    return _with_arrays(model, acts=acts._replace(forces=acts.forces._replace(direction=m.aligned(direction))))


def _renew_joint(model, scene, address):
    number = [joint.name for joint in scene.joints].index(address.thing)
    mechanisms, joint = model.arrays.mechanisms, scene.joints[number]
    column = np.array(getattr(mechanisms, address.quantity))
    column[freedom_rows(model, number)] = getattr(joint, address.quantity)
    return _with_arrays(model, mechanisms=mechanisms._replace(**{address.quantity: m.aligned(column)}))


def _renew_laws(model, scene, address):
    contact = model.arrays.contact
    parts, owners = contact.parts, tuple(scene.touching.values())
    with_balls = np.isin(np.arange(len(owners)), parts.owner[parts.kind == kinds.SPHERE])
    of_owner, law = contact_laws(scene, owners, with_balls)
    parts = parts._replace(material=m.aligned(of_owner[parts.owner], np.int32))
    return _with_arrays(model, contact=contact._replace(parts=parts, law=m.aligned(law)))


def _with_arrays(model, **changes):
    return model._replace(arrays=model.arrays._replace(**changes))
