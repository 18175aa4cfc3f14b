"""Springs at the door: arguments of the three kinds in, checked blocks out."""
import numpy as np

from robotphi.kernels.springs.table import ANGULAR, ARTICULAR, LINEAR
from robotphi.scene.blocks import BLOCKS
from robotphi.scene.checks import first_true, frozen, index_columns, numbers, refuse, vectors
from robotphi.scene.drive import as_drive
from robotphi.scene.table import Table

NEAR_STRAIGHT = 1e-9  # rad: smaller bends are the rounding of collinear positions and become exactly straight
PARALLEL = 1e-9       # sine of the angle below which an arm counts as parallel to its axis


def linear_block(scene, name, first, second, rest_length, **given):
    where = f"linear springs {name!r}"
    ends = _particles(where, scene, {"first": first, "second": second})
    count = len(ends["first"])
    has = _checked(where, scene, LINEAR, count, given)
    if rest_length is None:
        length = _arm_lengths(where, scene, ends, (("first", "second"),))[0]
    else:
        length = rest_value(where, LINEAR, rest_length, count)
        # ends that are to meet pull from any side; where they are to be apart, ends that meet have no direction
        _arm_lengths(where, scene, ends, (("first", "second"),), (length > 0.0) | (has["drive"] is not None))
    for what in ("toe_strain", "break_strain"):
        if has[what] is not None and (bad := first_true((length == 0.0) & (has[what] < np.inf))) is not None:
            refuse(where, f"{what} of a spring whose rest length is 0", "give a rest length, of which strains are shares", bad)
    return _block(scene, name, LINEAR, ends, length, has)


def angular_block(scene, name, first, centre, second, rest_angle, normal, **given):
    where = f"angular springs {name!r}"
    ends = _particles(where, scene, {"first": first, "centre": centre, "second": second})
    count = len(ends["first"])
    _arm_lengths(where, scene, ends, (("centre", "first"), ("centre", "second")))
    has = _checked(where, scene, ANGULAR, count, given)
    bend, across = bends(scene.position, **ends)
    bend[bend < NEAR_STRAIGHT] = 0.0
    if normal is not None:
        normal = _unit_normals(where, scene.position, ends, normal)
        bend = np.where(np.einsum("ij,ij->i", across, normal) < 0.0, -bend, bend)
    rest_bend = bend
    if rest_angle is not None:
        rest_bend = rest_value(where, ANGULAR, rest_angle, count)
    if has["drive"] is not None and normal is None and (bad := first_true(bend == 0.0)) is not None:
        refuse(where, "a driven angle starts from a straight line, and could bend to any side",
               "give normal, the direction about which first turns away from second", bad)
    return _block(scene, name, ANGULAR, ends, rest_bend, {**has, "normal": normal})


def articular_block(scene, name, first, centre, end, second, rest_angle, **given):
    where = f"articular springs {name!r}"
    ends = _particles(where, scene, {"first": first, "centre": centre, "end": end, "second": second})
    count = len(ends["first"])
    _arm_lengths(where, scene, ends, (("centre", "end"), ("centre", "first"), ("end", "second")))
    has = _checked(where, scene, ARTICULAR, count, given)
    angle, sine = dihedrals(scene.position, **ends)
    bad = first_true(sine <= PARALLEL)
    if bad is not None:
        refuse(where, f"an arm is parallel to the axis from {_particle(scene, ends['centre'][bad])} to "
               f"{_particle(scene, ends['end'][bad])}", "choose arms that stand off the axis", bad)
    if rest_angle is not None:
        angle = rest_value(where, ARTICULAR, rest_angle, count)
    return _block(scene, name, ARTICULAR, ends, angle, has)


def rest_value(where, kind, given, count):
    """Rest values as springs have them from what the user gives: a length, or an angle, of which angular ones keep the bend."""
    if kind is LINEAR:
        return numbers(where, kind.rest_said, given, count, low=0.0, advice="; leave it out for the current one")
    if kind is ARTICULAR:
        return numbers(where, kind.rest_said, given, count)
    rest_bend = np.pi - numbers(where, kind.rest_said, given, count, low=0.0, high=np.pi, advice=" (0 folded, pi straight)")
    rest_bend[rest_bend < NEAR_STRAIGHT] = 0.0
    return rest_bend


def said_rest(kind, rest):
    """What a user would give for rest values."""
    return np.pi - rest if kind is ANGULAR else rest


def _block(scene, name, kind, ends, rest, has):
    return BLOCKS[kind.name](name=name, start=scene.spring_count(kind.name), **ends, **{kind.rest.name: frozen(rest)}, **has)


def _particle(scene, index):
    return f"particle {index} ({scene.particle_name(index)})"


def _particles(where, scene, columns):
    """Index columns that exist, differ within a spring and do not all lie in one rigid primitive."""
    columns = index_columns(where, columns, scene.particle_count)
    names = list(columns)
    for i, one in enumerate(names):
        for other in names[i + 1:]:
            bad = first_true(columns[one] == columns[other])
            if bad is not None:
                refuse(where, f"{one} and {other} are the same {_particle(scene, columns[one][bad])}",
                       "join different particles", bad)
    if scene.rigids:
        rigid = [scene.rigid_of_particle[column] for column in columns.values()]
        inside = rigid[0] >= 0
        for column in rigid[1:]:
            inside &= column == rigid[0]
        bad = first_true(inside)
        if bad is not None:
            refuse(where, f"all its particles belong to the rigid primitive {scene.rigids[rigid[0][bad]].name!r}, "
                   "where nothing can move", "join it to a particle outside, or leave the spring out", bad)
    return columns


def _arm_lengths(where, scene, ends, pairs, directed=True):
    """Length of each pair of columns; positions that coincide within rounding are refused where a direction is needed."""
    result = []
    position = scene.position
    for one, other in pairs:
        length = lengths(position, ends[one], ends[other])
        bad = first_true((length <= 1e-15 * scene.extent) & directed)
        if bad is not None:
            a, b = ends[one][bad], ends[other][bad]
            refuse(where, f"{one} (particle {a}) and {other} (particle {b}) are both at {position[a].tolist()}, "
                   "a length of zero", "move them apart, give linear springs rest_length=0 if they are to meet, or hold them "
                   "together in all directions by add_tie or add_joint", bad)
        result.append(length)
    return result


def _checked(where, scene, kind, count, given):
    """Stiffness, viscosity and what belongs to laws, None where not given; what does nothing or cannot be is refused."""
    has = dict(given)
    advice = {law.fields[0]: f"; leave it out for springs that are not {law.name}" for law in kind.laws}
    for field in (kind.stiffness, kind.viscosity, *kind.law_fields):
        if (field.least is not None or field.above is not None) and has[field.name] is not None:
            has[field.name] = numbers(where, field.name, has[field.name], count, low=field.least, above=field.above,
                                      advice=advice.get(field, ""))
    if has["drive"] is not None:
        has["drive"] = as_drive(where, "drive", has["drive"], scene.duration)
    table = has.get("table")
    if table is not None:
        _check_table(where, table, has["stiffness"])
    elif (bad := first_true((has["stiffness"] == 0.0) & (has["viscosity"] == 0.0))) is not None:
        refuse(where, "stiffness and viscosity are both zero: the spring does nothing",
               "give one of them, or leave the spring out", bad)
    if "tension_only" in has:
        if not isinstance(has["tension_only"], (bool, np.bool_)):
            refuse(where, f"tension_only is {has['tension_only']!r:.60}", "give True or False for the whole block")
        has["tension_only"] = bool(has["tension_only"])
    for law in kind.laws:
        _check_law(where, law, has)
    if table is not None:
        has["tension_only"] = table.only_pulls  # then its damper does not push either
    return has


def _check_table(where, table, stiffness):
    if not isinstance(table, Table):
        refuse(where, f"table is {table!r:.60}", "give a Table(elongations, forces)")
    if (bad := first_true(stiffness > 0.0)) is not None:
        refuse(where, f"stiffness {stiffness[bad]:g} beside a table, which replaces it", "give stiffness=0", bad)


def _check_law(where, law, has):
    """Refuse a law that does nothing, and laws that cannot be together."""
    def is_given(name):
        return has.get(name) is not None and has[name] is not False

    first, *others = (field.name for field in law.fields)
    if not is_given(first):
        for name in others:
            if has[name] is not None and (bad := first_true(has[name] > 0.0)) is not None:
                refuse(where, f"{name} {has[name][bad]:g} without {first}", f"give {first} or leave it out", bad)
        return
    for other, advice in law.beside:
        if is_given(other):
            refuse(where, f"{first} beside {'a table' if other == 'table' else other}", advice)
    if law.needs_stiffness and not is_given("table") and (bad := first_true(has["stiffness"] == 0.0)) is not None:
        refuse(where, f"{first} with zero stiffness does nothing", f"give a stiffness or leave {first} out", bad)


def _unit_normals(where, position, ends, normal):
    """Unit normals; zero ones and those along the first arm are refused."""
    normal = vectors(where, "normal", normal, len(ends["first"]))
    size = np.linalg.norm(normal, axis=1)
    if (bad := first_true(size == 0.0)) is not None:
        refuse(where, "normal is zero", "give the direction about which the angle bends", bad)
    normal = normal / size[:, None]
    arm = position[ends["first"]] - position[ends["centre"]]
    across = np.linalg.norm(np.cross(normal, arm), axis=1)
    if (bad := first_true(across <= PARALLEL * np.linalg.norm(arm, axis=1))) is not None:
        refuse(where, f"normal {normal[bad].tolist()} lies along the arm from centre to first",
               "give a direction across the arms", bad)
    return frozen(normal)


CHUNK = 1 << 18  # springs at a time, so that millions of them need little memory


def lengths(position, first, second):
    """(m,) m, distance of two particles."""
    result = np.empty(len(first))
    for start in range(0, len(first), CHUNK):
        part = slice(start, start + CHUNK)
        d = position[first[part]] - position[second[part]]
        result[part] = np.sqrt(np.einsum("ij,ij->i", d, d))
    return result


def bends(position, first, centre, second):
    """Bend φ = π − θ (m,) and unit normal p × q (m, 3), zero where straight, of arms p, q from the centre."""
    bend, normal = np.empty(len(first)), np.empty((len(first), 3))
    for start in range(0, len(first), CHUNK):
        part = slice(start, start + CHUNK)
        p = position[first[part]] - position[centre[part]]
        q = position[second[part]] - position[centre[part]]
        n = np.cross(p, q)
        size = np.linalg.norm(n, axis=1)
        bend[part] = np.arctan2(size, -np.einsum("ij,ij->i", p, q))
        normal[part] = n / np.where(size > 0.0, size, 1.0)[:, None]
    return bend, normal


def dihedrals(position, first, centre, end, second):
    """Signed angle (m,) in (−π, π] from the first arm to the second, right-handed about the axis centre → end.

    Also the smaller sine (m,) between an arm and the axis; θ = atan2(w · (p × q), p⊥ · q⊥) with p = first − centre,
    q = second − end, w the unit axis and ⊥ the part across it.
    """
    angle, sine = np.empty(len(first)), np.empty(len(first))
    for start in range(0, len(first), CHUNK):
        part = slice(start, start + CHUNK)
        axis = position[end[part]] - position[centre[part]]
        w = axis / np.linalg.norm(axis, axis=1)[:, None]
        p = position[first[part]] - position[centre[part]]
        q = position[second[part]] - position[end[part]]
        p_across = p - np.einsum("ij,ij->i", p, w)[:, None] * w
        q_across = q - np.einsum("ij,ij->i", q, w)[:, None] * w
        turn = np.einsum("ij,ij->i", w, np.cross(p_across, q_across))
        angle[part] = np.arctan2(turn, np.einsum("ij,ij->i", p_across, q_across))
        sine[part] = np.minimum(_ratio(p_across, p), _ratio(q_across, q))
    return angle, sine


def _ratio(across, arm):
    size = np.linalg.norm(arm, axis=1)
    return np.linalg.norm(across, axis=1) / np.where(size > 0.0, size, 1.0)
