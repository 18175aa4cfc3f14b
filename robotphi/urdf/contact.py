"""Links that touch: the collision shapes of a robot as rigid polyhedra, carried by the rigid primitives of its bodies."""
import numpy as np

from robotphi.geometry.hull import hull
from robotphi.geometry.polyhedron import Compound, Polyhedron
from robotphi.scene.blocks import Rigid
from robotphi.scene.checks import frozen, refuse
from robotphi.scene.contact import contact_material
from robotphi.scene.object_parts import Surface
from robotphi.scene.objects import Object, Placed
from robotphi.scene.touching import TouchingObject, TouchingRound
from robotphi.urdf.names import plain
from robotphi.urdf.robot import MOVING

JOINING = (*MOVING, "planar")


class Skin:
    """Corners and triangles of a link in the world, and where the particles of its corners stand in its body."""

    def __init__(self, link, pose, body):
        self.polyhedra, points, facets = [], [], []
        for shape in link.collisions:
            at = pose @ shape.pose
            for solid in _convex(shape.shape):
                start, first = sum(map(len, points)), sum(map(len, facets))
                points.append(solid.vertices @ at[:3, :3].T + at[:3, 3])
                facets.append(solid.triangles + start)
                self.polyhedra.append(np.arange(first, first + len(facets[-1]), dtype=np.int32))
        self.points, self.facets = np.concatenate(points), np.concatenate(facets).astype(np.int32)
        self.body, self.first = body, len(body.points)
        body.points += list(self.points)

    def touching(self, name, rigid, contact, group):
        """What touches, once the rigid primitive of the body is in the scene."""
        names = [f"shape {i}" if len(self.polyhedra) > 1 else "shape" for i in range(len(self.polyhedra))]
        thing = Object(frozen(self.points), np.zeros(len(self.points)), facets=self.facets,
                       polyhedra=dict(zip(names, self.polyhedra, strict=True)))
        rows = rigid.particles[self.first:self.first + len(self.points)]
        placed = Placed(name, thing, rows, {}, (rigid,), rows[self.facets])
        surfaces = tuple(Surface(one, facets, 0, None) for one, facets in zip(names, self.polyhedra, strict=True))
        return TouchingObject(name, contact, group, False, placed, surfaces)


class RoundSkin:
    """The same of a link that touches as a cylinder or ball: the ends of its axis, or its middle."""

    def __init__(self, shape, pose, body):
        self.word, self.radius, *length = shape.round
        self.length = length[0] if length else 0.0
        at = pose @ shape.pose
        ends = (-0.5 * self.length, 0.5 * self.length) if length else (0.0,)
        self.first, self.count = len(body.points), len(ends)
        body.points += [at[:3, 3] + end * at[:3, 2] for end in ends]

    def touching(self, name, rigid, contact, group):
        rows = rigid.particles[self.first:self.first + self.count]
        return TouchingRound(name, contact, group, False, self.word, rows, self.radius, self.length, rigid.index)


def skin_of(link, pose, body, round_shapes):
    """The skin of a link that touches."""
    if round_shapes and len(link.collisions) == 1 and link.collisions[0].round:
        return RoundSkin(link.collisions[0], pose, body)
    return Skin(link, pose, body)


def _convex(shape):
    """Convex polyhedra for a shape of a URDF: of a mesh the hull, as collision shapes are meant."""
    if isinstance(shape, Compound):
        return shape.parts
    if isinstance(shape, Polyhedron) and shape.is_convex:
        return (shape,)
    return (hull(shape.vertices if isinstance(shape, Polyhedron) else shape.points),)


def link_materials(where, robot, contact):
    """{link: ContactMaterial} of the links that touch, from None, one material or {link: material}."""
    if contact is None:
        return {}
    named = isinstance(contact, dict)
    given = contact if named else {name: contact for name, link in robot.links.items() if link.collisions}
    for name, material in given.items():
        contact_material(f"{where}, link {name!r}", material)
        if name not in robot.links or not robot.links[name].collisions:
            able = ", ".join(one for one, link in robot.links.items() if link.collisions) or "none has one"
            refuse(where, f"contact is given for {name!r}, which is no link with a collision shape", f"name some of: {able}")
    if not given and not named:
        refuse(where, "contact is given and no link has a collision shape", "leave it out, or add <collision> to the URDF")
    return given


def add_skins(scene, robot, name, skins, rigids, materials):
    """Let the links touch; those of one body, and of bodies that a joint joins, never touch each other."""
    for link, skin in skins.items():
        rigid: Rigid = rigids[robot.body_of[link]]
        scene._keep_touching(skin.touching(f"{name}.{plain(link)}", rigid, materials[link], name))
    above = {}
    for joint in robot.joints.values():   # parents before children
        if joint.type in JOINING:
            parent, child = robot.body_of[joint.parent], robot.body_of[joint.child]
            if rigids[parent].mass == 0.0:
                parent = above.get(parent, parent)   # beyond what has no mass: at a joint of several
            above[child] = parent
            pair = [[link for link in robot.bodies[body] if link in skins] for body in (parent, child)]
            for first in pair[0]:
                for second in pair[1]:
                    scene.exclude_contact(f"{name}.{plain(first)}", f"{name}.{plain(second)}")
    return tuple(f"{name}.{plain(link)}" for link in skins)
