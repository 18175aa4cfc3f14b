"""Springs at the door: arguments of the three kinds in, checked blocks out."""
import numpy as np

from robotphi.scene.angles import bends, dihedrals, lengths
from robotphi.scene.blocks import AngularBlock, ArticularBlock, LinearBlock
from robotphi.scene.checks import first_true, frozen, index_columns, numbers, refuse, vectors
from robotphi.scene.drive import as_drive
from robotphi.scene.table import Table

NEAR_STRAIGHT = 1e-9  # rad: smaller bends are the rounding of collinear positions and become exactly straight
PARALLEL = 1e-9       # sine of the angle below which an arm counts as parallel to its axis


def linear_block(scene, name, start, first, second, stiffness, viscosity, rest_length, yield_force, hardening,
                 tension_only, table, drive):
    where = f"linear springs {name!r}"
    ends = _particles(where, scene, {"first": first, "second": second})
    count = len(ends["first"])
    length = _arm_lengths(where, scene, ends, (("first", "second"),))[0]
    drive = _drive(where, scene, drive)
    common = _coefficients(where, count, stiffness, viscosity, hardening, yield_force, "yield_force", drive, table)
    if rest_length is not None:
        length = numbers(where, "rest_length", rest_length, count, low=0.0, advice="; leave it out for the current one")
    yield_force = _yield(where, count, "yield_force", yield_force)
    _check_linear_law(where, common["stiffness"], yield_force, tension_only, table)
    return LinearBlock(name=name, start=start, **ends, **common, drive=drive, rest_length=frozen(length),
                       yield_force=yield_force, tension_only=tension_only, table=table)


def angular_block(scene, name, start, first, centre, second, stiffness, viscosity, rest_angle, yield_moment, hardening,
                  normal, drive):
    where = f"angular springs {name!r}"
    ends = _particles(where, scene, {"first": first, "centre": centre, "second": second})
    count = len(ends["first"])
    _arm_lengths(where, scene, ends, (("centre", "first"), ("centre", "second")))
    drive = _drive(where, scene, drive)
    common = _coefficients(where, count, stiffness, viscosity, hardening, yield_moment, "yield_moment", drive)
    bend, across = bends(scene.position, **ends)
    bend[bend < NEAR_STRAIGHT] = 0.0
    if normal is not None:
        normal = _unit_normals(where, scene.position, ends, normal)
        bend = np.where(np.einsum("ij,ij->i", across, normal) < 0.0, -bend, bend)
    rest_bend = bend
    if rest_angle is not None:
        angle = numbers(where, "rest_angle", rest_angle, count, low=0.0, high=np.pi,
                        advice=" (0 folded, pi straight)")
        rest_bend = np.pi - angle
        rest_bend[rest_bend < NEAR_STRAIGHT] = 0.0
    if drive is not None and normal is None and (bad := first_true(bend == 0.0)) is not None:
        refuse(where, "a driven angle starts from a straight line, and could bend to any side",
               "give normal, the direction about which first turns away from second", bad)
    return AngularBlock(name=name, start=start, **ends, **common, drive=drive, rest_bend=frozen(rest_bend),
                        yield_moment=_yield(where, count, "yield_moment", yield_moment), normal=normal)


def articular_block(scene, name, start, first, centre, end, second, stiffness, viscosity, rest_angle, yield_moment,
                    hardening, drive):
    where = f"articular springs {name!r}"
    ends = _particles(where, scene, {"first": first, "centre": centre, "end": end, "second": second})
    count = len(ends["first"])
    _arm_lengths(where, scene, ends, (("centre", "end"), ("centre", "first"), ("end", "second")))
    drive = _drive(where, scene, drive)
    common = _coefficients(where, count, stiffness, viscosity, hardening, yield_moment, "yield_moment", drive)
    angle, sine = dihedrals(scene.position, **ends)
    bad = first_true(sine <= PARALLEL)
    if bad is not None:
        refuse(where, f"an arm is parallel to the axis from {_particle(scene, ends['centre'][bad])} to "
               f"{_particle(scene, ends['end'][bad])}", "choose arms that stand off the axis", bad)
    if rest_angle is not None:
        angle = numbers(where, "rest_angle", rest_angle, count)
    return ArticularBlock(name=name, start=start, **ends, **common, drive=drive, rest_angle=frozen(angle),
                          yield_moment=_yield(where, count, "yield_moment", yield_moment))


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


def _arm_lengths(where, scene, ends, pairs):
    """Length of each pair of columns; positions that coincide within rounding are refused."""
    result = []
    position = scene.position
    for one, other in pairs:
        length = lengths(position, ends[one], ends[other])
        bad = first_true(length <= 1e-15 * scene.extent)
        if bad is not None:
            a, b = ends[one][bad], ends[other][bad]
            refuse(where, f"{one} (particle {a}) and {other} (particle {b}) are both at {position[a].tolist()}, "
                   "a length of zero", "move them apart", bad)
        result.append(length)
    return result


def _coefficients(where, count, stiffness, viscosity, hardening, yields, yield_word, drive, table=None):
    """Stiffness, viscosity and hardening; springs, hardenings and drives that do nothing are refused."""
    stiffness = numbers(where, "stiffness", stiffness, count, low=0.0)
    viscosity = numbers(where, "viscosity", viscosity, count, low=0.0)
    hardening = numbers(where, "hardening", hardening, count, low=0.0)
    if table is not None:
        if not isinstance(table, Table):
            refuse(where, f"table is {table!r:.60}", "give a Table(elongations, forces)")
        if (bad := first_true(stiffness > 0.0)) is not None:
            refuse(where, f"stiffness {stiffness[bad]:g} beside a table, which replaces it", "give stiffness=0", bad)
    elif (bad := first_true((stiffness == 0.0) & (viscosity == 0.0))) is not None:
        refuse(where, "stiffness and viscosity are both zero: the spring does nothing",
               "give one of them, or leave the spring out", bad)
    needs = [what for what, given in ((yield_word, yields), ("drive", drive)) if given is not None]
    bad = first_true(stiffness == 0.0)
    if table is None and needs and bad is not None:
        refuse(where, f"{needs[0]} with zero stiffness does nothing", f"give a stiffness or leave {needs[0]} out", bad)
    if yields is None and (bad := first_true(hardening > 0.0)) is not None:
        refuse(where, f"hardening {hardening[bad]:g} without {yield_word}", f"give {yield_word} or leave it out", bad)
    return {"stiffness": stiffness, "viscosity": viscosity, "hardening": hardening}


def _drive(where, scene, drive):
    return None if drive is None else as_drive(where, "drive", drive, scene.duration)


def _yield(where, count, what, value):
    advice = "; leave it out for springs that stay elastic"
    return None if value is None else numbers(where, what, value, count, above=0.0, advice=advice)


def _check_linear_law(where, stiffness, yield_force, tension_only, table):
    if not isinstance(tension_only, (bool, np.bool_)):
        refuse(where, f"tension_only is {tension_only!r:.60}", "give True or False for the whole block")
    if yield_force is not None and table is not None:
        refuse(where, "yield_force beside a table", "give stiffness and yield_force, or a table alone")
    if tension_only and table is not None:
        refuse(where, "tension_only beside a table", "let the table be zero below zero elongation, as Table.toe is")
    if tension_only and yield_force is not None:
        refuse(where, "tension_only beside yield_force", "use one of the two")
    if tension_only and (bad := first_true(stiffness == 0.0)) is not None:
        refuse(where, "tension_only with zero stiffness", "give a stiffness or leave tension_only out", bad)


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
