"""Held values: what each thing of a scene has of numbers, and how it takes others, checked as at the door."""
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np

from robotphi.kernels.springs.table import KINDS
from robotphi.scene.acts import changed_act, declared
from robotphi.scene.checks import first_true, frozen, number, numbers, refuse, vector, vectors
from robotphi.scene.contact import ContactMaterial
from robotphi.scene.drive import as_drive
from robotphi.scene.rigid import check_still, given_inertia
from robotphi.scene.springs import rest_value, said_rest

STEPPING = ("budget", "dt", "dt_max", "dt_min", "energy_tolerance")
OF_SURFACES = ("drag", "linear_drag")     # of a medium, one for all that it pushes or {name: of one}
OF_MEDIUM = ("density", *OF_SURFACES, "level")
SURFACE = tuple(each.name for each in fields(ContactMaterial) if each.name != "ball_law")
JOINT = {"place": None, "rate": None, "rest": None, "armature": 0.0, "stiffness": 0.0, "viscosity": 0.0}   # least of each
OF_MOTOR = ("stiffness", "damping", "integral", "limit")
CONTACT = "contact."      # before a quantity of a surface
SHORT = ("friction", "static_friction", "restitution")   # of a surface and of nothing else


class Numbers(NamedTuple):
    """What a thing of the scene has of one quantity, and how it takes another value."""
    value: Any                # a number, an array with one row an entry, None where it was left out
    change: Any               # function of scene, place in messages, new value and rows (None: all), which checks the value


def of_springs(block):
    kind = KINDS[block.kind]
    found = {}
    given = [law for law in kind.laws if isinstance(getattr(block, law.fields[0].name), np.ndarray)]
    replaced = getattr(block, "table", None) is not None   # a table stands for the stiffness
    for field in (*(() if replaced else (kind.stiffness,)), kind.viscosity, *(field for law in given for field in law.fields)):
        if field.least is not None or field.above is not None:
            found[field.name] = Numbers(getattr(block, field.name), _spring_change(block, field))
    rest = getattr(block, kind.rest.name)
    found[kind.rest_said] = Numbers(said_rest(kind, rest), _rest_change(block, kind))
    if block.drive is not None:
        found["drive"] = Numbers(block.drive, _drive_change(block))
    return found


def _spring_change(block, field):
    def change(scene, place, value, rows):
        part = numbers(place, "it", value, block.count if rows is None else len(rows), low=field.least, above=field.above)
        changed = replace(block, **{field.name: _filled(getattr(block, field.name), rows, part)})
        nothing = (changed.stiffness == 0.0) & ((changed.viscosity == 0.0) | changed.has_law)
        if getattr(block, "table", None) is None and (bad := first_true(nothing)) is not None:
            refuse(place, "the spring would do nothing",
                   "give a stiffness or a viscosity, and a stiffness to what has a law of its own", bad)
        _put(scene, block, changed)
    return change


def _rest_change(block, kind):
    def change(scene, place, value, rows):
        part = rest_value(place, kind, value, block.count if rows is None else len(rows))
        _put(scene, block, replace(block, **{kind.rest.name: _filled(getattr(block, kind.rest.name), rows, part)}))
    return change


def _drive_change(block):
    def change(scene, place, value, rows):
        _put(scene, block, replace(block, drive=as_drive(place, "it", value, scene.duration)))
    return change


def of_particles(block):
    if block.rigid >= 0:
        return {}

    decided = block.prescribed

    def mass(scene, place, value, rows):
        after = _filled(block.mass, rows, numbers(place, "it", value, block.count if rows is None else len(rows), low=0.0))
        if (bad := first_true((after == 0.0) & ~decided.all(axis=1))) is not None:
            refuse(place, "it is 0", "give a mass > 0, or hold every axis", bad)
        _put(scene, block, replace(block, mass=after))

    def velocity(scene, place, value, rows):
        after = _filled(block.velocity, rows, vectors(place, "it", value, block.count if rows is None else len(rows)))
        if (bad := first_true((after != 0.0) & decided)) is not None:
            check_still(place, "it", after[bad], block.support[bad], block.drive, bad)
        _put(scene, block, replace(block, velocity=after))

    return {"mass": Numbers(block.mass, mass), "velocity": Numbers(block.velocity, velocity)}


def of_rigid(rigid):
    def mass(scene, place, value, _):
        _put(scene, rigid, replace(rigid, mass=float(numbers(place, "it", value, 1, above=0.0)[0])))

    def inertia(scene, place, value, _):
        _put(scene, rigid, replace(rigid, inertia=frozen(given_inertia(place, value))))

    def velocity(scene, place, value, _):
        after = vector(place, "it", value)
        check_still(place, "it", after, rigid.support | (rigid.motion is not None), rigid.drive)
        _put(scene, rigid, replace(rigid, velocity=after))

    def spin(scene, place, value, _):
        after = vector(place, "it", value)
        if (after[rigid.turn_prescribed] != 0.0).any():
            refuse(place, f"spin is {after.tolist()} about an axis that is held or driven", "give 0 there")
        _put(scene, rigid, replace(rigid, spin=after))

    return {"mass": Numbers(rigid.mass, mass), "inertia": Numbers(rigid.inertia, inertia),
            "velocity": Numbers(rigid.velocity, velocity), "spin": Numbers(rigid.spin, spin)}


def of_joint(joint):
    def change(quantity, low):
        def renewed(scene, place, value, rows):
            part = numbers(place, "it", value, len(joint.place) if rows is None else len(rows), low=low)
            if joint.kind == "ball" and quantity in ("place", "stiffness") and part.any():
                refuse(place, f"a ball joint has no {quantity}", "leave it 0")
            _put(scene, joint, replace(joint, **{quantity: _filled(getattr(joint, quantity), rows, part)}))
        return renewed

    def pitch(scene, place, value, _):
        _put(scene, joint, replace(joint, pitch=number(place, "it", value)))

    found = {name: Numbers(getattr(joint, name), change(name, low)) for name, low in JOINT.items()} if len(joint.place) else {}
    return found | ({"pitch": Numbers(joint.pitch, pitch)} if joint.kind == "screw" else {})


def of_motor(motor):
    def change(quantity):
        def renewed(scene, place, value, _):
            low, above = (None, 0.0) if quantity == "limit" else (0.0, None)
            _put(scene, motor, replace(motor, **{quantity: number(place, "it", value, low=low, above=above)}))
        return renewed
    return {quantity: Numbers(getattr(motor, quantity), change(quantity)) for quantity in OF_MOTOR
            if getattr(motor, quantity) not in (0.0, np.inf)}


def of_force(force):
    def vector_change(scene, place, value, _):
        after = vectors(place, "it", value, len(force.target)) if np.ndim(force.target) else vector(place, "it", value)
        _put(scene, force, replace(force, vector=after))

    found = {"vector": Numbers(force.vector, vector_change)}
    return found if force.drive is None else {**found, "drive": Numbers(force.drive, _drive_change(force))}


def of_act(placed):
    def change(what):
        def renewed(scene, place, value, rows):
            _put(scene, placed, changed_act(scene, place, placed, what, value, rows))
        return renewed
    return {what: Numbers(value, change(what)) for what, value in placed.fields.items()
            if declared(placed.kind)[what].kind in ("number", "vector", "drive")}


def of_surface(thing):
    def change(quantity):
        def renewed(scene, place, value, _):
            scene.touching[thing.name] = replace(scene.touching[thing.name],
                                                 contact=changed_material(place, thing.contact, quantity, value))
        return renewed
    found = {quantity: Numbers(getattr(thing.contact, quantity), change(quantity)) for quantity in SURFACE}
    return {CONTACT + quantity: one for quantity, one in found.items()} | {quantity: found[quantity] for quantity in SHORT}


def of_pair(scene, pair):
    found = [one for one in scene.between if one.contact is not None and {one.first, one.second} == set(pair)]
    if not found:
        return {}
    law = found[-1]

    def change(quantity):
        def renewed(scene, place, value, _):
            at = scene.between.index(law)
            scene.between[at] = law._replace(contact=changed_material(place, law.contact, quantity, value))
        return renewed
    return {quantity: Numbers(getattr(law.contact, quantity), change(quantity)) for quantity in SURFACE}


def changed_material(place, material, quantity, value):
    """A ContactMaterial with another value; what it makes superfluous is left out, as the user would."""
    given = {each.name: getattr(material, each.name) for each in fields(material)}
    if material.young is not None:
        given["stiffness"] = None
    if material.restitution is not None:
        given["damping"] = None
    if material.static_friction == material.friction:
        given["static_friction"] = None
    superfluous = {"stiffness": ("young", "thickness"), "young": ("stiffness",), "thickness": ("stiffness",),
                   "damping": ("restitution", "speed"), "restitution": ("damping",), "speed": ("damping",)}
    return ContactMaterial(**{**given, **dict.fromkeys(superfluous.get(quantity, ())), quantity: value})


def of_scene(scene):
    def gravity(scene, place, value, _):
        scene.gravity = vector(place, "it", value)

    def stepping(quantity):
        def change(scene, place, value, _):
            scene.stepping = replace(scene.stepping, **{quantity: value})
        return change
    return {"gravity": Numbers(scene.gravity, gravity)} | {
        name: Numbers(getattr(scene.stepping, name), stepping(name)) for name in STEPPING}


def of_medium(scene):
    def change(quantity):
        def renewed(scene, place, value, _):
            for one in value.values() if isinstance(value, dict) and quantity in OF_SURFACES else (value,):
                number(place, "it", one, low=None if quantity == "level" else 0.0)
            scene.medium = replace(scene.medium, **{quantity: value})
        return renewed
    return {name: Numbers(getattr(scene.medium, name), change(name)) for name in OF_MEDIUM
            if name != "level" or scene.medium.level is not None}


def _put(scene, old, new):
    """Another block in the place of an old one, wherever the scene holds it."""
    for pool in (scene.particle_blocks, scene.rigids, scene.forces, scene.acts, scene.joints, scene.motors,
                 *scene.springs.values()):
        for place, each in enumerate(pool):
            if each is old:
                pool[place] = new
    scene.things[old.name] = new


def _filled(before, rows, part):
    """All rows, some of them with new numbers."""
    if rows is None:
        return part
    after = np.array(before, float)
    after[rows] = part
    return frozen(after)
