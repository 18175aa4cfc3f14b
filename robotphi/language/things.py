"""Readers of what is in the scene already: particles, rigids, joints, marks and regions, by name."""
import numpy as np

from robotphi.language.expressions import is_expression
from robotphi.language.functions import called_function
from robotphi.language.nodes import fail
from robotphi.language.refs import WORDS, end_of, found_name, refer, rows_of
from robotphi.language.scope import Defined, worked_out
from robotphi.language.times import read_drive, read_of_time
from robotphi.language.values import named, read_number, read_numbers, read_text, read_vector
from robotphi.scene.blocks import Grid, ParticleBlock, Rigid, Rod
from robotphi.scene.objects import Placed

WORLD = "world"   # what a joint hangs on where it hangs on nothing


def read_particles(node, field, context):
    if node.is_list:
        found = [read_particles(each, field, context) for each in node.value]
        return [int(row) for each in found for row in np.atleast_1d(np.asarray(each, object)).reshape(-1)] if all(
            isinstance(each, (int, list, np.ndarray)) for each in found) else fail(node, "these are no particles")
    if node.is_map and "file" in node.value:
        return read_numbers(node, field, context)
    if isinstance(node.value, (bool, float)):
        fail(node, f"{named(field)} is {node.told()}", "name particles, such as cloth[8, 6]")
    return node.value if isinstance(node.value, int) else rows_of(node, context)


def read_target(node, field, context):
    """What a force acts on: a rigid, a block, or particles."""
    if node.is_list or (node.is_map and "file" in node.value):
        return read_particles(node, field, context) if node.is_map or not _all_rigids(node, context) else \
            [end_of(each, context) for each in node.value]
    found = end_of(node, context)
    return found.particles.reshape(-1) if isinstance(found, (Grid, Rod, Placed)) else found


def _all_rigids(node, context):
    return all(each.is_text and isinstance((found_name(each.value, context) or (0, 0))[1], Rigid) for each in node.value)


def read_pulled(node, field, context, order="whole"):
    """What acts take hold of: things, marks, regions, particles, several of them."""
    if node.is_map and "file" in node.value:
        return read_numbers(node, field, context)
    if not node.is_list:
        found = end_of(node, context, order)
        return found.particles.reshape(-1) if isinstance(found, (Grid, Rod)) else found
    found = [read_pulled(each, None, context, "things") for each in node.value]
    if all(isinstance(each, (int, np.ndarray, ParticleBlock)) for each in found):
        return [int(row) for each in found for row in np.atleast_1d(getattr(each, "indices", each)).reshape(-1)]
    return found


def read_through(node, field, context):
    if node.is_list:
        return [read_pulled(each, None, context, "things") for each in node.value]
    return read_pulled(node, field, context)


def read_towards(node, field, context):
    if node.is_map and not set(node.value) & {"file", "all"} and len(node.value) == 1 and "points" not in node.value and \
            next(iter(node.value)) != "path":
        return refer(node, context)[0]
    if node.is_map:
        return read_numbers(node, field, context) if "file" in node.value else context.thing_of("path", node)
    if node.is_list:
        if node.value and all(each.is_text and not is_expression(each.value) and found_name(each.value, context)
                              for each in node.value):
            return read_pulled(node, None, context)
        return [read_towards(each, field, context) if each.is_list else read_drive(each, field, context) for each in node.value]
    if node.is_text and isinstance(context.scope.find(node.value), Defined):
        return context.thing_of("path", node)
    return end_of(node, context, "whole")


def read_attitude(node, field, context):
    """A turn in numbers, a motion, or a rigid or frame by its name."""
    if node.is_map:
        word, inner = next(iter(node.value.items()), ("", None))
        if set(node.value) & {"file", "all"}:
            return read_numbers(node, field, context)
        return end_of(node, context) if word.replace("_", " ") in WORDS and inner.is_text else context.thing_of("motion", node)
    if node.is_text and isinstance(context.scope.find(node.value), Defined):
        return context.thing_of("motion", node)
    return read_numbers(node, field, context) if node.is_list else end_of(node, context)


def read_rigid(node, field, context):
    if node.is_text and worked_out(node, context) == WORLD and found_name(WORLD, context) is None:
        return None
    thing, selector = refer(node, context)
    return thing if selector is None else (thing, selector[1])


def read_ref(node, field, context):
    return end_of(node, context)


def read_whole_thing(node, field, context):
    return end_of(node, context, "whole")


def read_at(node, field, context):
    if not node.is_list:
        return end_of(node, context)
    if any(each.is_list or (each.is_text and not is_expression(each.value)) for each in node.value):
        return [read_at(each, field, context) for each in node.value]
    return read_vector(node, None, context)


def read_point(node, field, context):
    found = end_of(node, context)
    return found.indices if isinstance(found, ParticleBlock) else found


def read_of(node, field, context):
    return tuple(end_of(each, context) for each in node.value) if node.is_list else end_of(node, context)


def read_named(node, field, context):
    """Names as texts, in full; words that name nothing here, such as contact groups, as they are."""
    if node.is_list:
        return tuple(read_named(each, field, context) for each in node.value)
    text = read_text(node, None, context)
    scene = context.scene
    known = {*scene.things, *scene.touching, *scene.commands, *scene.objects, *(sensor.name for sensor in scene.sensors)}
    return next((prefix + text for prefix in context.scope.prefixes() if prefix + text in known), text)


def read_factors(node, field, context):
    if not node.is_map:
        fail(node, f"factors are {node.told()}", "give {joint: factor}")
    found = {}
    for name, each in node.value.items():
        joint, colon, freedom = name.partition(":")
        full = found_name(joint, context)
        found[(full[0] if full else joint) + colon + freedom] = read_number(each, None, context)
    return found


def read_when(node, field, context):
    if not node.is_list or not node.value:
        fail(node, f"when is {node.told()}",
             "give [since, thing], [until, thing], [while, thing] or [while, sensor, above, 0.3]")
    first, *things = node.value
    if len(things) == 3:
        sensor, side, threshold = things
        return (read_text(first, None, context), _seen(sensor, context), read_text(side, None, context),
                read_number(threshold, None, context))
    return (read_text(first, None, context), *(read_named(each, None, context) if not each.is_map else refer(each, context)[0]
                                           for each in things))


def _seen(node, context):
    """A sensor, or one axis of it as [sensor, z]."""
    if node.is_map:
        thing, selector = refer(node, context)
        return thing if selector is None else (thing, selector[1])
    if node.is_list and len(node.value) == 2:
        return read_named(node.value[0], None, context), read_text(node.value[1], None, context)
    return read_named(node, None, context)


def read_rows(node, field, context):
    """Particles or facets of an object: numbers, the name of a region, or what a function picks."""
    if node.is_map and not set(node.value) & {"file", "all"}:
        return context.thing_of("rows", node)
    if node.is_text and not is_expression(node.value):
        return read_text(node, None, context)
    if node.is_list and any(each.is_text for each in node.value):
        return [read_rows(each, field, context) for each in node.value]
    return read_numbers(node, field, context)


def read_value(node, field, context):
    """Whatever a value by address may be, and what define: holds."""
    if node.is_map:
        if set(node.value) & {"file", "all"}:
            return read_numbers(node, None, context)
        word = called_function(node)
        return context.thing_of("contact", node) if not word else _called(word, node, context)
    if node.is_list:
        return [read_value(each, field, context) for each in node.value]
    if node.is_text and is_expression(node.value) and (function := read_of_time(node, context)) is not None:
        return function
    value = worked_out(node, context)
    if isinstance(value, str) and isinstance(context.scope.find(value), Defined):
        return context.value_of(context.scope.find(value), "value", node)
    return value


def _called(word, node, context):
    return context.call(word, next(iter(node.value.values())))


def read_where(node, field, context):
    return read_text(node, None, context) if node.is_text else read_numbers(node, None, context)
