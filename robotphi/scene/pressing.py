"""Pressure and fields at the door: which facets close a chamber, how much gas is in it, what a field needs to be said."""
import numpy as np

from robotphi.scene.acts import Ends, check_apart, check_once, end_places, ends_of
from robotphi.scene.checks import number, numbers, refuse, vector, word, yes_or_no
from robotphi.scene.object_parts import is_closed
from robotphi.scene.objects import Placed

GAS_CONSTANT = 8.314462618     # J/(mol·K)
EXPONENT = {"isothermal": 1.0, "adiabatic": 1.4}
FLAT = 1e-12           # of the cube of its size: a volume below this is none
CENTRAL = ("power", "well", "ball")            # laws whose force is along the line to the centre
NEEDS = {"uniform": ("axis",), "power": ("power",), "well": ("width",), "ball": ("radius", "width"), "plane": ("axis", "width"),
         "vortex": ("axis",)}
ALLOWED = {"uniform": ("axis",), "power": ("power", "soft"), "well": ("width",), "ball": ("radius", "width"),
           "plane": ("axis", "width"), "vortex": ("axis", "width")}


def pressure_fields(scene, where, thing, pressure, gas, amount, temperature, inside, outside, filling, exponent, facets):
    """Fields of the act `pressure`; see `Scene.add_pressure`."""
    if isinstance(thing, str):
        thing = scene.objects[word(where, "object", thing, tuple(scene.objects))]
    if not isinstance(thing, Placed):
        refuse(where, f"thing is {thing!r:.60}", "give the object that add_object returned, or its name")
    rows = thing.facets if facets is None else thing.facets[_chosen(where, thing.object, facets)]
    if not len(rows):
        refuse(where, f"{thing.name!r} has no facets", "give an object with a closed surface, such as deformable or sheet make")
    if not is_closed(rows):
        regions = ", ".join(map(repr, thing.object.facet_regions)) or "none so far, see name_facets"
        refuse(where, "the facets do not close a volume", f"give facets=, a region of facets that do: {regions}")
    corners = scene.position[rows] - scene.position[rows[0, 0]]
    volume = float(np.linalg.det(corners).sum() / 6.0)
    if abs(volume) <= FLAT * np.ptp(corners.reshape(-1, 3), axis=0).max()**3:
        refuse(where, "the facets enclose no volume", "give those of a chamber")
    found = {"a": rows[:, 0], "b": rows[:, 1], "c": rows[:, 2], "side": 1.0 if volume > 0.0 else -1.0, "volume": abs(volume)}
    if pressure is not None:
        found["pressure"] = pressure
    if gas is None:
        of_gas = {"amount": amount, "inside": inside, "exponent": exponent}
        if given := [what for what, value in of_gas.items() if value is not None]:
            refuse(where, f"{' and '.join(given)} without a gas", 'give gas="isothermal" or gas="adiabatic"')
        if pressure is None:
            refuse(where, "neither pressure nor gas is given", 'give a pressure [Pa], or gas="isothermal"')
        return found
    word(where, "gas", gas, tuple(EXPONENT))
    outside = number(where, "outside", outside, low=0.0)
    if amount is not None and inside is not None:
        refuse(where, "both amount and inside are given", "give one of them")
    if amount is not None:
        warmth = GAS_CONSTANT * number(where, "temperature", temperature, above=0.0)
        inside = number(where, "amount", amount, above=0.0) * warmth / abs(volume)
    inside = outside if inside is None else number(where, "inside", inside, above=0.0)
    if not inside > 0.0:
        refuse(where, "the gas has no pressure", "give inside [Pa], absolute, or amount [mol]")
    return found | {"gas": inside, "outside": outside, "filling": filling,
                    "exponent": EXPONENT[gas] if exponent is None else number(where, "exponent", exponent, low=1.0)}


def _chosen(where, thing, facets):
    if isinstance(facets, str):
        return thing.facet_regions[word(where, "region of facets", facets, tuple(thing.facet_regions))]
    if not isinstance(facets, (tuple, list)) or not facets:
        refuse(where, f"facets is {facets!r:.60}", "give the name of a region of facets, or several")
    return np.concatenate([_chosen(where, thing, one) for one in facets])


def field_fields(scene, where, target, law, amount, around, active, per_mass, given):
    """Fields of the act `field`; see `Scene.add_field`."""
    word(where, "law", law, tuple(NEEDS))
    given = {what: value for what, value in given.items() if value is not None}
    for what in NEEDS[law]:
        if what not in given and what != "radius":
            refuse(where, f"{what} of a {law} field is missing", f"give {what}=")
    for what in given.keys() - {"centre", "low", "high", "edge"}:
        if what not in ALLOWED[law]:
            refuse(where, f"{what} of a {law} field", f"it has {', '.join(ALLOWED[law])}")
    if "edge" not in given and ("low" in given or "high" in given):
        refuse(where, "a box without an edge", "give edge=, how far in from its sides the field fades [m]")
    if "axis" in given:
        axis = vector(where, "axis", given["axis"])
        if not axis.any():
            refuse(where, "axis is zero", "give three numbers that are not all 0")
        given["axis"] = axis / np.linalg.norm(axis)
    if "edge" in given:
        _check_box(where, given)
    ends = check_once(scene, where, all_ends(scene, where, target))
    fields = {"target": Ends(ends), "law": law, "amount": amount, **given}
    if around is not None:
        if law not in CENTRAL or "edge" in given:
            refuse(where, f"a {law} field around another thing" + (" in a box" if "edge" in given else ""),
                   f"only {', '.join(CENTRAL)} act along the line of the two, and without a box")
        fields["around"] = Ends(ends_of(scene, where, "around", around))
        check_apart(scene, where, "around", ends, fields["around"].rows)
    _check_pole(scene, where, law, fields, ends)
    if yes_or_no(where, "per_mass", per_mass):
        masses = np.array([_mass_of(scene, end) for end in ends.tolist()])
        fields["amount"] = numbers(where, "amount", amount, len(ends)) * masses
    if active is not None:
        fields["share"] = active
    return fields


def _check_pole(scene, where, law, fields, ends):
    """Refuse a power law that has no bound at the centre where one of its targets stands there."""
    if law != "power" or number(where, "power", fields["power"]) >= 0.0 or number(where, "soft", fields.get("soft", 0.0)) > 0.0:
        return
    at = end_places(scene, ends)
    centre = end_places(scene, fields["around"].rows) if "around" in fields else vector(
        where, "centre", fields.get("centre", (0.0, 0.0, 0.0)))
    if (np.linalg.norm(at - centre, axis=1) == 0.0).any():
        refuse(where, f"a target stands at the centre, where a force of power {fields['power']:g} has no bound",
               "give soft= [m], within which it fades, or move the two apart")


def _check_box(where, given):
    """Refuse a box inside out, or all edge, in which the field would nowhere be what it is told to be."""
    edge = number(where, "edge", given["edge"], above=0.0)
    low, high = (np.asarray(vector(where, what, given[what])) if what in given else np.full(3, end)
                 for what, end in (("low", -np.inf), ("high", np.inf)))
    if (high - low < 2.0 * edge).any():
        refuse(where, f"low {low.tolist()} and high {high.tolist()} leave no room for an edge of {edge:g} m on both sides",
               "give low below high, and an edge of at most half of that")


def all_ends(scene, where, target):
    """Ends of all that is named: of an object its free particles and the centres of its rigid parts."""
    if isinstance(target, str) and target in scene.objects:
        target = scene.objects[target]
    if isinstance(target, Placed):
        free = target.particles[target.object.rigid_of_particle < 0]
        return np.array([*free.tolist(), *(-1 - rigid.index for rigid in target.rigids)], np.int32)
    if isinstance(target, (tuple, list)) and len(target) == 2 and isinstance(target[1], str):
        thing = scene.objects.get(target[0], target[0]) if isinstance(target[0], str) else target[0]
        if isinstance(thing, Placed) and target[1] in thing.object.regions:
            return thing.region(target[1])
    return ends_of(scene, where, "target", target)


def _mass_of(scene, end):
    if end < 0:
        return scene.rigids[-1 - end].mass
    block = next(block for block in scene.particle_blocks if block.start <= end < block.start + block.count)
    return float(block.mass[end - block.start])
