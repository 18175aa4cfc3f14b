"""Functions and kinds: the words of a scene file, and what of Python each stands for.

A kind is what a verb of Scene adds, `ball` of add_ball. A function is what makes a value: the makers of `scene/makers.py`,
written with small letters and underscores, `contact_material` of ContactMaterial, `drive.sine` of Drive.sine; beside them
what reads files and picks places, which a statement never names because what it gave is said instead.
"""
import re
from functools import cache

from robotphi.scene.makers import MAKERS, VERBS, called
from robotphi.scene.scene import Scene

# What is called of a file and never written into one: its word, where it stands, and what it gives.
SOURCES = {
    "hull": ("robotphi.geometry.hull:hull", "shape"),
    "regular_polygon": ("robotphi.geometry.polygons:regular_polygon", "numbers"),
    "read_mesh": ("robotphi.geometry.files:read_mesh", "shape"),
    "load_urdf": ("robotphi.urdf.read:load_urdf", "robot"),
    "motion.read": ("robotphi.scene.motion:Motion.read", "motion"),
    "nearest": ("robotphi.discretise.joining.picking:nearest", "rows"),
    "in_box": ("robotphi.discretise.joining.picking:in_box", "rows"),
    "in_sphere": ("robotphi.discretise.joining.picking:in_sphere", "rows"),
    "on_plane": ("robotphi.discretise.joining.picking:on_plane", "rows"),
    "facing": ("robotphi.discretise.joining.picking:facing", "rows"),
    "facets_of": ("robotphi.discretise.joining.picking:facets_of", "rows"),
}
# What makers give, by their words; every other one gives what its class is called.
_GIVES = {
    "shape": "Polyhedron Compound Polyhedron.transformed Polyhedron.mirrored Compound.transformed Compound.mirrored box "
             "hexahedron prism cylinder cone sphere uv_sphere capsule swept torus tube height_field height_field_parts",
    "mesh": "Mesh Polyhedron.as_mesh discretise quad_mesh polygon_mesh",
    "object": "Object deformable rigid sheet join merge connect unify glue mark",
    "placed": "moved turned mirrored posed name_region name_facets",   # what they are given
    "material": "Material SectionMaterial",
    "contact": "ContactMaterial",
    "drive": "Drive Drive.constant Drive.sine Drive.steps Drive.table",
    "motion": "Motion Motion.of_drives Motion.spinning",
    "table": "Table Table.toe",
    "several": "in_ring",
    "any": "item",
    "link_shape": "LinkShape",
    "robot_joint": "Joint",
}
# The class whose functions may leave out its name where a kind is asked for, and whose arguments may stand alone.
CLASS_OF = {"contact": "ContactMaterial", "drive": "Drive", "motion": "Motion", "table": "Table", "material": "Material",
            "stepping": "Stepping", "path": "Path"}
SECTIONS_OF = {"add_sensor": "sensors", "add_command": "commands", "add_controller": "controllers", "set_contact": "contact",
               "exclude_contact": "contact", "set_medium": "medium", "set_value": "values", "__init__": ""}


def snake(word):
    """A maker's word as files write it: Drive.sine → drive.sine, ContactMaterial → contact_material."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word).lower()


MAKER_OF = {snake(word): word for word in MAKERS}                       # function → word of a recipe
FUNCTION_OF = {word: name for name, word in MAKER_OF.items()}
_BY_MAKER = {word: gives for gives, words in _GIVES.items() for word in words.split()}
GIVES = {name: _BY_MAKER.get(word, snake(word)) for name, word in MAKER_OF.items()} | {
    name: gives for name, (_, gives) in SOURCES.items()}


def function_called(name):
    """The Python function of a function's word."""
    return called(MAKERS[MAKER_OF[name]] if name in MAKER_OF else SOURCES[name][0])


def function_word(word, wanted=""):
    """The full word of a function that a mapping names, where a kind of value is asked for; None where there is none."""
    owner = CLASS_OF.get(wanted)
    if owner and f"{snake(owner)}.{word}" in GIVES:
        return f"{snake(owner)}.{word}"
    return word if word in GIVES else None


@cache
def kinds():
    """Kind of a thing → the verb that adds it, in the order of the alphabet."""
    verbs = [name for name in dir(Scene) if getattr(getattr(Scene, name), "is_verb", False) and name not in SECTIONS_OF]
    return {name.removeprefix("add_"): name for name in sorted([*verbs, *VERBS])}


def verb_called(verb):
    """The function of a verb, whose first argument is the scene."""
    return called(VERBS[verb]) if verb in VERBS else getattr(Scene, verb)


def called_function(node, wanted=""):
    """The full word of the function that a mapping calls, {function: {arguments}}; "" where it is none."""
    if not node.is_map or len(node.value) != 1:
        return ""
    [(word, inner)] = node.value.items()
    return function_word(word, wanted) or "" if inner.is_map or inner.value is None else ""
