"""URDF files read through yourdfpy, after checks that it does not make itself; meshes stay within a folder."""
import io
import os
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from robotphi.errors import MeshError, SceneError
from robotphi.geometry.cells import MIRRORED
from robotphi.geometry.files import read_mesh
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.rounds import sphere
from robotphi.geometry.shapes import box, cylinder
from robotphi.scene.checks import floats, frozen, number
from robotphi.urdf.robot import TYPES, Joint, Link, LinkShape, Mimic, Robot
from robotphi.urdf.transmissions import transmissions_of

LARGEST = 32 << 20     # bytes of a URDF; larger ones are refused
SIDES, LEVEL = 24, 2   # of cylinders and spheres that become polyhedra
BOUND = "revolute", "prismatic"   # joints that have limits
INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def load_urdf(path, mesh_folder=None, visuals=True):
    """Read a URDF into a Robot; needs the extra `urdf`.

    Args:
        path: of the file.
        mesh_folder: where meshes are looked for, also those of package://name/…, as mesh_folder/name/… or mesh_folder/…;
            the folder of the file unless told. Meshes outside both folders are refused, and nothing is fetched.
        visuals: whether shapes for the eye are read as well as those for collisions.

    Raises:
        MeshError: the file or one of its meshes cannot be read, or what it says makes no tree of links and joints.
    """
    if not isinstance(path, str | os.PathLike):
        _fail(f"the path is {path!r:.60}", "give the path of a URDF file")
    path = Path(path)
    try:
        text = _text(path)
        model, root = _parsed(text)
        folders = [path.resolve().parent] + ([] if mesh_folder is None else [Path(mesh_folder).resolve()])
        return _robot(model, root, folders, visuals)
    except (MeshError, SceneError) as error:
        raise MeshError(str(error) if str(error).startswith(f"{path}:") else f"{path}: {error}") from None


def _fail(problem, remedy):
    raise MeshError(f"{problem}; {remedy}")


def _text(path):
    """The text of the file without its XML declaration, so that no other encoding than UTF-8 is believed."""
    try:
        if path.stat().st_size > LARGEST:
            _fail(f"it has {path.stat().st_size} bytes", f"a URDF has at most {LARGEST}")
        if path.exists() and not path.is_file() and not path.is_dir():   # it may have no end
            raise OSError("it is a device or a pipe, not a file")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        _fail("it is not text in UTF-8", "save it as such")
    except (OSError, ValueError) as error:
        _fail(f"it cannot be read ({getattr(error, 'strerror', None) or error})", "give the path of a URDF file")
    text = re.sub(r"\A\s*<\?xml[^>]*\?>", "", text)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        _fail("it declares a DOCTYPE or entities", "take them out: a URDF needs none")
    if not text.strip():
        _fail("it is empty", "give a URDF file")
    return text


def _parsed(text):
    """What yourdfpy makes of the text, and its elements; it takes a missing number of an inertia for 1: that is looked at."""
    try:
        import yourdfpy
    except ImportError:
        _fail("yourdfpy, which reads URDF, is not installed", "pip install robotphi[urdf]")
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, RecursionError) as error:
        _fail(f"it is not well-formed XML ({error})", "mend it there")
    if root.tag != "robot":
        _fail(f"its outermost element is <{root.tag}>", "a URDF has <robot>; run xacro first if it is a xacro file")
    for link in root.iter("link"):
        for inertial in link.findall("inertial"):
            mass, inertia = inertial.find("mass"), inertial.find("inertia")
            missing = [] if mass is not None and "value" in mass.attrib else ["mass value"]
            missing += [name for name in INERTIA if inertia is None or name not in inertia.attrib]
            if missing:
                _fail(f"the inertial of link {link.get('name')!r} has no {', '.join(missing)}", "give it")
    try:
        return yourdfpy.URDF.load(io.BytesIO(text.encode()), build_scene_graph=False, load_meshes=False).robot, root
    except Exception as error:  # a library fails in its own ways: a missing attribute is a KeyError there
        return _fail(f"yourdfpy cannot read it ({type(error).__name__}: {error})", "mend the element that has no such thing")


def _robot(model, root, folders, visuals):
    joints = {}
    for one in model.joints:
        if one.name in joints:
            _fail(f"there are two joints {one.name!r}", "give each its own name")
        joints[one.name] = _joint(one)
    names = [link.name for link in model.links]
    if len(set(names)) != len(names):
        _fail(f"there are two links {next(name for name in names if names.count(name) > 1)!r}", "give each its own name")
    motors, left_out = transmissions_of(root, joints)
    joints = {name: replace(joint, transmission=motors.get(name)) for name, joint in joints.items()}
    root, ordered = _tree(names, joints)
    for joint in joints.values():
        _check_mimic(joint, joints)
    pose = {root: np.eye(4)}
    for joint in ordered.values():
        pose[joint.child] = pose[joint.parent] @ joint.origin
    links = {link.name: _link(link, frozen(pose[link.name]), folders, visuals) for link in model.links}
    free = (f"joint {one!r} has no limits, as the file gives it neither lower nor upper" for one, joint in ordered.items()
            if joint.type in BOUND and np.isinf(joint.lower) and np.isinf(joint.upper))
    return Robot(model.name, root, links, ordered, (*left_out, *free))


def _tree(names, joints):
    """The root, and the joints with parents before children."""
    for joint in joints.values():
        for link in (joint.parent, joint.child):
            if link not in names:
                _fail(f"joint {joint.name!r} names link {link!r}, which is not there", f"links are {', '.join(names[:20])}")
    children = [joint.child for joint in joints.values()]
    if len(set(children)) != len(children):
        twice = next(one for one in children if children.count(one) > 1)
        _fail(f"link {twice!r} is the child of two joints", "a URDF is a tree")
    roots = [name for name in names if name not in children]
    if len(roots) != 1:
        _fail(f"{len(roots)} links have no parent{': ' if roots else ''}{', '.join(roots[:5])}",
              "a URDF is one tree: just one link has none")
    of_parent, ordered, reached = {}, {}, [roots[0]]
    for joint in joints.values():
        of_parent.setdefault(joint.parent, []).append(joint)
    for link in reached:  # grows as it goes
        for joint in of_parent.get(link, ()):
            ordered[joint.name] = joint
            reached.append(joint.child)
    if len(reached) != len(names):
        _fail(f"link {next(name for name in names if name not in reached)!r} hangs on itself", "a URDF is a tree")
    return roots[0], ordered


def _check_mimic(joint, joints):
    seen, at = [joint.name], joint
    while at.mimic is not None:
        if at.mimic.joint in seen or at.mimic.joint not in joints:
            _fail(f"joint {at.name!r} mimics {at.mimic.joint!r}", "that is not there, or follows itself")
        seen.append(at.mimic.joint)
        at = joints[at.mimic.joint]


def _joint(one):
    where = f"joint {one.name!r}"
    if one.type not in TYPES:
        _fail(f"{where} is of type {one.type!r}", f"it may be {', '.join(TYPES)}")
    axis = floats(where, "axis", one.axis)
    if axis.shape != (3,) or np.linalg.norm(axis) == 0.0:
        _fail(f"the axis of {where} is {axis.tolist()}", "give a direction of three numbers")
    limit, dynamics, bound = one.limit, one.dynamics, one.type in BOUND

    def value(of, what, default, **bounds):
        given = None if of is None else getattr(of, what)
        return default if given is None else number(where, what, _float(where, what, given), **bounds)

    # one of them left out is 0; both at 0 would hold it still, which nobody means by leaving them out
    bound = bound and limit is not None and not (limit.lower is None and limit.upper is None)
    lower, upper = (value(limit, "lower", 0.0), value(limit, "upper", 0.0)) if bound else (-np.inf, np.inf)
    if lower > upper:
        _fail(f"{where} has the limits {lower:g} to {upper:g}", "give <limit lower upper effort velocity>")
    mimic = None if one.mimic is None else Mimic(one.mimic.joint, value(one.mimic, "multiplier", 1.0),
                                                 value(one.mimic, "offset", 0.0))
    return Joint(one.name, one.type, one.parent, one.child, _pose(where, one.origin), frozen(axis / np.linalg.norm(axis)),
                 lower, upper, value(limit, "effort", np.inf, low=0.0), value(limit, "velocity", np.inf, low=0.0),
                 value(dynamics, "damping", 0.0, low=0.0), value(dynamics, "friction", 0.0, low=0.0), mimic)


def _float(where, what, text):
    try:
        return float(text)
    except ValueError:
        return _fail(f"{what} of {where} is {text!r}", "give one number")


def _pose(where, matrix):
    return frozen(np.eye(4) if matrix is None else floats(where, "origin", matrix))


def _link(one, pose, folders, visuals):
    where = f"link {one.name!r}"
    mass, centre, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
    if one.inertial is not None:
        mass = number(where, "mass", one.inertial.mass, low=0.0)
        frame = _pose(where, one.inertial.origin)
        centre = frame[:3, 3].copy()
        inertia = frame[:3, :3] @ floats(where, "inertia", one.inertial.inertia) @ frame[:3, :3].T
        inertia = 0.5 * (inertia + inertia.T)
    shapes = [tuple(LinkShape(_shape(where, shape.geometry, folders), _pose(where, shape.origin), _round(shape.geometry))
                    for shape in some)
              for some in (one.collisions, one.visuals if visuals else ())]
    return Link(one.name, mass, frozen(centre), frozen(inertia), *shapes, pose)


def _shape(where, geometry, folders):
    if geometry.box is not None:
        return box(geometry.box.size)
    if geometry.cylinder is not None:
        return cylinder(geometry.cylinder.radius, geometry.cylinder.length, SIDES)
    if geometry.sphere is not None:
        return sphere(geometry.sphere.radius, LEVEL)
    mesh = read_mesh(_inside(where, geometry.mesh.filename or "", folders))
    if geometry.mesh.scale is None:
        return mesh
    scale = floats(where, "scale", geometry.mesh.scale)
    if scale.shape not in ((), (3,)) or (scale == 0.0).any():
        _fail(f"the mesh of {where} has the scale {scale.tolist()}", "give three numbers that are not 0")
    scale = np.broadcast_to(scale, 3)
    cells = {kind: rows[:, MIRRORED[kind]] if np.prod(scale) < 0.0 else rows for kind, rows in mesh.cells.items()}
    return Mesh(mesh.points * scale, cells, mesh.regions, mesh.cell_regions)


def _round(geometry):
    """Of which round shape a polyhedron is made."""
    if geometry.cylinder is not None:
        return ("cylinder", geometry.cylinder.radius, geometry.cylinder.length)
    return () if geometry.sphere is None else ("ball", geometry.sphere.radius)


def _inside(where, name, folders):
    """The path of a mesh file, within one of the folders, links followed."""
    scheme, found, rest = name.partition("://")
    if found and scheme not in ("package", "file"):
        _fail(f"the mesh of {where} is {name!r:.80}", "nothing is fetched: give a file beside the URDF or package://…")
    rest = rest if found else name
    tails = [rest] + ([rest.partition("/")[2]] if scheme == "package" and found else [])
    outside = False
    for path in [folder / tail for folder in reversed(folders) for tail in tails]:
        try:
            path = path.resolve()
            if any(path.is_relative_to(folder) for folder in folders):
                if path.is_file():
                    return path
            else:
                outside = True
        except (OSError, ValueError):  # too long a name, or one with a null
            continue
    places = " or ".join(map(str, folders))
    if outside:
        _fail(f"the mesh of {where} is {name!r:.80}, outside of {places}", "put it inside, or give mesh_folder")
    return _fail(f"the mesh of {where}, {name!r:.80}, is not in {places}", "put it there, or give mesh_folder or visuals=False")
