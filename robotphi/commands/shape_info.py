"""What `robotphi info` says of mesh and robot files: what is in them, whether they bound solids, mass properties."""
import numpy as np

from robotphi.discretise.cells.quality import conformity
from robotphi.discretise.masses.certificate import TERMS
from robotphi.discretise.masses.moments import PAIRS
from robotphi.errors import RobotphiError
from robotphi.geometry.checks_solid import check_surface
from robotphi.geometry.files import READERS, read_mesh
from robotphi.geometry.mass_properties import solid_properties

ROBOTS = ("urdf",)


def is_shape_file(path):
    """Whether a path ends like a mesh or robot file."""
    return path.suffix[1:].lower() in (*READERS, *ROBOTS)


def describe_shape(path):
    return describe_robot(path) if path.suffix[1:].lower() in ROBOTS else describe_mesh(path)


def describe_mesh(path):
    """Counts, box, regions, verdict and properties for a density of one."""
    mesh = read_mesh(path)
    document = {"mesh": path, "points": len(mesh.points), "cells": {kind: len(rows) for kind, rows in mesh.cells.items()},
                "box [m]": np.stack([mesh.points.min(axis=0), mesh.points.max(axis=0)]).tolist() if len(mesh.points) else [],
                "regions": {name: len(points) for name, points in mesh.regions.items()},
                "cell regions": {name: sum(map(len, cells.values())) for name, cells in mesh.cell_regions.items()}}
    problem = _problem(mesh)
    document["bounds a solid"] = not problem
    if problem:
        return document | {"problem": problem}
    solid = solid_properties(mesh.points, mesh.triangles)
    return document | {"mass properties for 1 kg/m³": _properties(solid.mass, solid.centre, solid.inertia)}


def _problem(mesh):
    """What keeps a mesh from being a solid, in words."""
    if mesh.is_solid and (faults := conformity(mesh)):
        return "; ".join(faults)
    try:
        check_surface(mesh.points, mesh.triangles)
    except RobotphiError as error:
        return str(error)
    return ""


def _properties(mass, centre, inertia):
    """One row a number: mass, centre, six terms of the inertia about it."""
    rows = {"mass [kg]": float(mass)} | {f"centre {axis} [m]": float(at) for axis, at in zip("xyz", centre, strict=True)}
    return rows | {f"{term} [kg m²]": float(inertia[pair]) for term, pair in zip(TERMS, PAIRS, strict=True)}


def describe_robot(path):
    """Links, joints, and the mass properties of the whole in its zero pose."""
    from robotphi.urdf import load_urdf

    robot = load_urdf(path)
    return {"robot": path, "links": {link.name: f"{link.mass:g} kg" for link in robot.links.values()},
            "joints": {joint.name: f"{joint.type}, {joint.parent} to {joint.child}" for joint in robot.joints.values()},
            "mass properties in the zero pose": _properties(*robot.inertial())}
