"""Makers: the words of recipes and what they mean. Nothing outside this table is ever called when a scene is said again."""
from functools import cache
from importlib import import_module

_IN = {
    "robotphi.scene.saying": "item",
    "robotphi.scene.stepping": "Stepping",
    "robotphi.scene.contact": "ContactMaterial",
    "robotphi.scene.drive": "Drive.constant Drive.sine Drive.steps Drive.table",
    "robotphi.scene.motion": "Motion Motion.of_drives Motion.spinning",
    "robotphi.scene.table": "Table Table.toe",
    "robotphi.scene.path": "Path",
    "robotphi.scene.objects": "Object",
    "robotphi.scene.object_parts": "SpringGroup RigidPart",
    "robotphi.geometry.mesh": "Mesh",
    "robotphi.geometry.polyhedron": "Polyhedron Compound Polyhedron.transformed Polyhedron.mirrored Polyhedron.as_mesh "
                                    "Compound.transformed Compound.mirrored",
    "robotphi.geometry.shapes": "box hexahedron prism cylinder cone",
    "robotphi.geometry.rounds": "sphere uv_sphere capsule",
    "robotphi.geometry.swept": "swept torus tube",
    "robotphi.geometry.terrain": "height_field height_field_parts",
    "robotphi.discretise.matter.material": "Material SectionMaterial",
    "robotphi.discretise.shape": "discretise",
    "robotphi.discretise.cells.facets": "quad_mesh polygon_mesh",
    "robotphi.discretise.deform": "deformable",
    "robotphi.discretise.rigid": "rigid",
    "robotphi.discretise.sheet": "sheet",
    "robotphi.discretise.joining.assembly": "join merge connect unify glue",
    "robotphi.discretise.joining.transform": "moved turned mirrored posed in_ring",
    "robotphi.discretise.joining.marking": "mark",
    "robotphi.discretise.joining.picking": "name_region name_facets",
    "robotphi.urdf.robot": "Robot Link LinkShape Joint Mimic Transmission",
}
# Drives put together from pieces enter by a door of their own, since the class itself trusts its arrays.
MAKERS = {word: f"{module}:{word}" for module, words in _IN.items() for word in words.split()} | {
    "Drive": "robotphi.scene.drive:drive_of_pieces"}
# Class of a thing → the word by which its own fields are said.
CLASSES = {f"{module}:{word}": word for module, words in _IN.items() for word in words.split() if word[0].isupper()
           and "." not in word} | {"robotphi.scene.drive:Drive": "Drive"}
# Verbs that are no methods of a Scene, because what they speak of stands in a higher room.
VERBS = {"add_robot": "robotphi.urdf.build:add_robot"}


@cache
def called(place):
    """The function or class at a place of these tables."""
    module, _, path = place.partition(":")
    found = import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found
