"""Readers of functions of time: numbers, expressions in t, drives and commands."""
from robotphi.language.expressions import TIME, ExpressionError, evaluate, is_expression, names_in
from robotphi.language.nodes import fail
from robotphi.language.scope import Defined, nearest, plain_value, worked_out
from robotphi.language.values import named, read_numbers, read_vector


def read_drive(node, field, context):
    if node.is_map or node.is_list:
        return context.thing_of("drive", node)
    if node.is_text and is_expression(node.value) and (function := read_of_time(node, context)) is not None:
        return function
    value = worked_out(node, context)
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        fail(node, f"{named(field)} is {node.told()}", "give a number, = an expression in t, a drive, or a command")
    if not isinstance(value, str):
        return value
    if isinstance(context.scope.find(value), Defined):
        return context.thing_of("drive", node)
    for prefix in context.scope.prefixes():
        if context.scene is not None and prefix + value in context.scene.commands:
            return context.scene.commands[prefix + value]
    known = [name for name in context.scope.names() if isinstance(context.scope.find(name), Defined)]
    return fail(node, f"there is no drive and no command called {value!r}",
                nearest(value, [*known, *(context.scene.commands if context.scene else ())]))


def read_of_time(node, context):
    """The function of time that an expression in t is, None where t is a name of the file."""
    text, scope = node.value[1:], context.scope
    try:
        names = names_in(text)
        if TIME not in names or scope.find(TIME) is not None:
            return None
        known = {name: plain_value(found, context) if isinstance(found := scope.find(name), Defined) else found
                 for name in names - {TIME}}

        def look_up(name):
            if known.get(name) is None:
                raise ExpressionError(f"there is no {name!r} here; {nearest(name, [TIME, *scope.names()])}")
            return known[name]

        def function(time):
            try:
                return evaluate(text, lambda name: float(time) if name == TIME else look_up(name))
            except ExpressionError as error:
                return fail(node, f"{error} (at t = {time:g} s)")
        function(0.0)
        return function
    except ExpressionError as error:
        return fail(node, str(error))


def read_drives(node, field, context):
    return [read_drives(each, field, context) for each in node.value] if node.is_list else \
        None if node.value is None else read_drive(node, field, context)


def read_rotation(node, field, context):
    if not node.is_list or len(node.value) != 2:
        fail(node, f"a rotation is {node.told()}", "give [[x, y, z] of the axis, drive in rad]")
    return read_vector(node.value[0], None, context), read_drive(node.value[1], field, context)


def read_axis_drives(node, field, context):
    if not node.is_map:
        fail(node, f"{named(field)} is {node.told()}", "give drives by axis, such as {z: …, rotation: [[0, 0, 1], …]}")
    return {name: (read_rotation if name == "rotation" else read_drive)(each, field, context)
            for name, each in node.value.items()}


def read_active(node, field, context):
    return read_numbers(node, None, context) if node.is_list else read_drive(node, field, context)
