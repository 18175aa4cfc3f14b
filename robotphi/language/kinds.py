"""Kinds of fields: how the value of each is read. The words are those of the table; each reader takes node, field, context."""
import numpy as np

from robotphi.errors import SceneError
from robotphi.language.expressions import TIME, ExpressionError, evaluate, is_expression, names_in
from robotphi.language.nodes import fail
from robotphi.language.refs import end_of, found_name, refer, rows_of
from robotphi.language.scope import Defined, nearest, worked_out
from robotphi.scene.blocks import Grid, ParticleBlock, Rigid, Rod
from robotphi.scene.checks import word as known_word
from robotphi.scene.objects import Placed

COMPARE = {">": float.__gt__, ">=": float.__ge__, "<": float.__lt__, "<=": float.__le__}


def read(kind, node, field, context):
    """The value of a kind at a node."""
    if node.value is None:
        return None
    if "|" in kind:
        kind = next((each for each in kind.split("|") if _fits(each, node, context)), kind.split("|")[-1])
    if kind[0] in "[{" and kind[-1] in "]}":
        return _many(kind, node, field, context)
    return READERS.get(kind, _made_by(kind))(node, field, context)


def _many(kind, node, field, context):
    inner = kind[1:-1]
    if kind[0] == "[":
        if not node.is_list:
            fail(node, f"{node.told()} where a list is asked for", f"give [{inner}, …]")
        return [read(inner, each, field, context) for each in node.value]
    if not node.is_map:
        fail(node, f"{node.told()} where {inner} by name is asked for", f"give {{name: {inner}, …}}")
    return {name: read(inner, each, field, context) for name, each in node.value.items()}


def _fits(kind, node, context):
    """Whether a value looks like one of the kind, of several that are allowed."""
    from robotphi.language.bind import is_call
    from robotphi.language.functions import CLASS_OF, GIVES

    called = is_call(node, kind)
    if kind[0] == "{":
        return node.is_map and not (called and (kind[1:-1] == "motion" or len(node.value) == 1))
    if kind[0] == "[":
        return node.is_list
    if kind in ("number", "flag", "word"):
        wanted = {"number": (int, float), "flag": bool, "word": str}[kind]
        value = None if node.is_map or node.is_list else worked_out(node, context)
        return isinstance(value, wanted) and not (kind == "number" and isinstance(value, bool))
    if kind in CLASS_OF:
        return not node.is_map or bool(called) or {"times", "positions"} <= set(node.value)
    if called:
        return GIVES[called] in (kind, "any", "placed") or (kind == "mesh" and GIVES[called] == "shape")
    return node.is_text


def _made_by(kind):
    def reader(node, field, context):
        from robotphi.language.bind import thing_of

        return thing_of(kind, node, context)
    return reader


# Numbers and texts ---------------------------------------------------------------------------------------------------

def _number(node, field, context):
    value = None if node.is_map or node.is_list else worked_out(node, context)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        hint = f"; = {value} is the number of that name" if isinstance(value, str) and value in context.scope.names() else ""
        fail(node, f"{_name(field)} is {node.told() if value is None else repr(value)[:60]}",
             f"give {field.told() if field else 'a number'}{hint}")
    for sign, bound in field.bounds if field else ():
        if not COMPARE[sign](float(value), bound):
            fail(node, f"{_name(field)} is {value:g}", f"it must be {sign} {bound:g}")
    return value


def _whole(node, field, context):
    value = _number(node, field, context)
    if isinstance(value, float) and value == int(value) and is_expression(str(node.value)):
        return int(value)   # = 10/2 is a whole number
    if not isinstance(value, int):
        fail(node, f"{_name(field)} is {value!r}", "give a whole number")
    return value


def _name(field):
    return field.name if field is not None else "it"


def _flag(node, field, context):
    value = None if node.is_map or node.is_list else worked_out(node, context)
    if not isinstance(value, bool):
        fail(node, f"{_name(field)} is {node.told()}", "give true or false")
    return value


def _text(node, field, context):
    value = None if node.is_map or node.is_list else worked_out(node, context)
    if not isinstance(value, str):
        fail(node, f"{_name(field)} is {node.told()}", "give a text; put numbers that are meant as one into quotes")
    if field is not None and field.words and value:
        try:
            known_word("", field.name, value, field.words)
        except SceneError as error:
            fail(node, str(error).removeprefix(": "))
    return value


def _words(node, field, context):
    return [_words(each, field, context) for each in node.value] if node.is_list else _text(node, field, context)


def _numbers(node, field, context):
    if node.is_list:
        return [_numbers(each, field, context) for each in node.value]
    if node.is_map:
        if "file" in node.value:
            return context.files.array(node, context)
        if "all" in node.value:
            return context.files.one_for_all(node, context)
        from robotphi.language.bind import call, is_call

        word = is_call(node)
        if word in ("regular_polygon",):
            return call(word, node.value[word], context)
        fail(node, f"{_name(field)} is {node.told()}", "give numbers, or {file: arrays.npz#name}")
    value = worked_out(node, context)
    if isinstance(value, str):
        found = context.scope.find(value)
        if isinstance(found, Defined):
            from robotphi.language.bind import value_of

            return value_of(found, "numbers", node, context)
        return _number(node, field, context)   # which refuses it
    return value if value is None or isinstance(value, (bool, list)) else _number(node, field, context)


def _vector(node, field, context):
    value = _numbers(node, field._replace(bounds=()) if field else None, context)
    if not isinstance(value, np.ndarray) and (not isinstance(value, list) or len(value) != 3):
        fail(node, f"{_name(field)} is {node.told()}", "give three numbers, [x, y, z]")
    return value


def _data(node, field, context):
    """Whatever stands there, as it stands there."""
    if node.is_list:
        return [_data(each, field, context) for each in node.value]
    if node.is_map:
        if "file" in node.value or "all" in node.value:
            return _numbers(node, field, context)
        if set(node.value) == {"pairs"}:
            return {_hashable(_data(pair.value[0], field, context)): _data(pair.value[1], field, context)
                    for pair in _pairs(node)}
        return {name: _data(each, field, context) for name, each in node.value.items()}
    return worked_out(node, context)


def _pairs(node):
    pairs = node.value["pairs"]
    if not pairs.is_list or not all(pair.is_list and len(pair.value) == 2 for pair in pairs.value):
        fail(pairs, "pairs are no list of pairs", "give [[key, value], …]")
    return pairs.value


def _hashable(value):
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


# Functions of time ---------------------------------------------------------------------------------------------------

def _drive(node, field, context):
    from robotphi.language.bind import thing_of

    if node.is_map or node.is_list:
        return thing_of("drive", node, context)
    if node.is_text and is_expression(node.value) and (function := _of_time(node, context)) is not None:
        return function
    value = worked_out(node, context)
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        fail(node, f"{_name(field)} is {node.told()}", "give a number, = an expression in t, a drive, or a command")
    if not isinstance(value, str):
        return value
    if isinstance(context.scope.find(value), Defined):
        return thing_of("drive", node, context)
    for prefix in context.scope.prefixes():
        if context.scene is not None and prefix + value in context.scene.commands:
            return context.scene.commands[prefix + value]
    known = [name for name in context.scope.names() if isinstance(context.scope.find(name), Defined)]
    return fail(node, f"there is no drive and no command called {value!r}",
                nearest(value, [*known, *(context.scene.commands if context.scene else ())]))


def _of_time(node, context):
    """The function of time that an expression in t is, None where t is a name of the file."""
    from robotphi.language.scope import plain_value

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


def _drives(node, field, context):
    return [_drives(each, field, context) for each in node.value] if node.is_list else \
        None if node.value is None else _drive(node, field, context)


def _rotation(node, field, context):
    if not node.is_list or len(node.value) != 2:
        fail(node, f"a rotation is {node.told()}", "give [[x, y, z] of the axis, drive in rad]")
    return _vector(node.value[0], None, context), _drive(node.value[1], field, context)


def _axis_drives(node, field, context):
    if not node.is_map:
        fail(node, f"{_name(field)} is {node.told()}", "give drives by axis, such as {z: …, rotation: [[0, 0, 1], …]}")
    return {name: (_rotation if name == "rotation" else _drive)(each, field, context) for name, each in node.value.items()}


def _active(node, field, context):
    return _numbers(node, None, context) if node.is_list else _drive(node, field, context)


# Things --------------------------------------------------------------------------------------------------------------

def _particles(node, field, context):
    if node.is_list:
        found = [_particles(each, field, context) for each in node.value]
        return [int(row) for each in found for row in np.atleast_1d(np.asarray(each, object)).reshape(-1)] if all(
            isinstance(each, (int, list, np.ndarray)) for each in found) else fail(node, "these are no particles")
    if node.is_map and "file" in node.value:
        return _numbers(node, field, context)
    if isinstance(node.value, (bool, float)):
        fail(node, f"{_name(field)} is {node.told()}", "name particles, such as cloth[8, 6]")
    return node.value if isinstance(node.value, int) else rows_of(node, context)


def _target(node, field, context):
    """What a force acts on: a rigid, a block, or particles."""
    if node.is_list or (node.is_map and "file" in node.value):
        return _particles(node, field, context) if node.is_map or not _all_rigids(node, context) else \
            [end_of(each, context) for each in node.value]
    found = end_of(node, context)
    return found.particles.reshape(-1) if isinstance(found, (Grid, Rod, Placed)) else found


def _all_rigids(node, context):
    return all(each.is_text and isinstance((found_name(each.value, context) or (0, 0))[1], Rigid) for each in node.value)


def _pulled(node, field, context, order="whole"):
    """What acts take hold of: things, marks, regions, particles, several of them."""
    if node.is_map and "file" in node.value:
        return _numbers(node, field, context)
    if not node.is_list:
        found = end_of(node, context, order)
        return found.particles.reshape(-1) if isinstance(found, (Grid, Rod)) else found
    found = [_pulled(each, None, context, "things") for each in node.value]
    if all(isinstance(each, (int, np.ndarray, ParticleBlock)) for each in found):
        return [int(row) for each in found for row in np.atleast_1d(getattr(each, "indices", each)).reshape(-1)]
    return found


def _through(node, field, context):
    return [_pulled(each, None, context, "things") for each in node.value] if node.is_list else _pulled(node, field, context)


def _towards(node, field, context):
    from robotphi.language.bind import thing_of

    if node.is_map and not set(node.value) & {"file", "all"} and len(node.value) == 1 and "points" not in node.value and \
            next(iter(node.value)) != "path":
        return refer(node, context)[0]
    if node.is_map:
        return _numbers(node, field, context) if "file" in node.value else thing_of("path", node, context)
    if node.is_list:
        if node.value and all(each.is_text and not is_expression(each.value) and found_name(each.value, context)
                              for each in node.value):
            return _pulled(node, None, context)
        return [_towards(each, field, context) if each.is_list else _drive(each, field, context) for each in node.value]
    if node.is_text and isinstance(context.scope.find(node.value), Defined):
        return thing_of("path", node, context)
    return end_of(node, context, "whole")


def _rigid(node, field, context):
    thing, selector = refer(node, context)
    return thing if selector is None else (thing, selector[1])


def _ref(node, field, context):
    return end_of(node, context)


def _whole_thing(node, field, context):
    return end_of(node, context, "whole")


def _at(node, field, context):
    if not node.is_list:
        return end_of(node, context)
    if any(each.is_list or (each.is_text and not is_expression(each.value)) for each in node.value):
        return [_at(each, field, context) for each in node.value]
    return _vector(node, None, context)


def _point(node, field, context):
    found = end_of(node, context)
    return found.indices if isinstance(found, ParticleBlock) else found


def _of(node, field, context):
    return tuple(end_of(each, context) for each in node.value) if node.is_list else end_of(node, context)


def _named(node, field, context):
    """Names as texts, in full; words that name nothing here, such as contact groups, as they are."""
    if node.is_list:
        return tuple(_named(each, field, context) for each in node.value)
    text = _text(node, None, context)
    scene = context.scene
    known = {*scene.things, *scene.touching, *scene.commands, *scene.objects, *(sensor.name for sensor in scene.sensors)}
    return next((prefix + text for prefix in context.scope.prefixes() if prefix + text in known), text)


def _factors(node, field, context):
    if not node.is_map:
        fail(node, f"factors are {node.told()}", "give {joint: factor}")
    found = {}
    for name, each in node.value.items():
        joint, colon, freedom = name.partition(":")
        full = found_name(joint, context)
        found[(full[0] if full else joint) + colon + freedom] = _number(each, None, context)
    return found


def _when(node, field, context):
    if not node.is_list or not node.value:
        fail(node, f"when is {node.told()}", "give [since, thing], [until, thing] or [while, thing]")
    first, *things = node.value
    return (_text(first, None, context), *(_named(each, None, context) if not each.is_map else refer(each, context)[0]
                                           for each in things))


def _rows(node, field, context):
    """Particles or facets of an object: numbers, the name of a region, or what a function picks."""
    if node.is_map and not set(node.value) & {"file", "all"}:
        from robotphi.language.bind import thing_of

        return thing_of("rows", node, context)
    if node.is_text and not is_expression(node.value):
        return _text(node, None, context)
    if node.is_list and any(each.is_text for each in node.value):
        return [_rows(each, field, context) for each in node.value]
    return _numbers(node, field, context)


def _value(node, field, context):
    """Whatever a value by address may be, and what define: holds."""
    if node.is_map:
        from robotphi.language.bind import is_call, thing_of

        if set(node.value) & {"file", "all"}:
            return _numbers(node, None, context)
        word = is_call(node)
        return thing_of("contact", node, context) if not word else _called(word, node, context)
    if node.is_list:
        return [_value(each, field, context) for each in node.value]
    if node.is_text and is_expression(node.value) and (function := _of_time(node, context)) is not None:
        return function
    value = worked_out(node, context)
    if isinstance(value, str) and isinstance(context.scope.find(value), Defined):
        from robotphi.language.bind import value_of

        return value_of(context.scope.find(value), "value", node, context)
    return value


def _called(word, node, context):
    from robotphi.language.bind import call

    return call(word, next(iter(node.value.values())), context)


def _where(node, field, context):
    return _text(node, None, context) if node.is_text else _numbers(node, None, context)


def _file(node, field, context):
    return str(context.files.path(node, _text(node, None, context)))


READERS = {"number": _number, "numbers": _numbers, "whole": _whole, "flag": _flag, "text": _text, "word": _text, "words": _words,
           "vector": _vector, "data": _data, "drive": _drive, "drives": _drives, "rotation": _rotation,
           "axis_drives": _axis_drives, "active": _active, "particles": _particles, "target": _target, "pulled": _pulled, "through": _through,
           "towards": _towards, "rigid": _rigid, "joint": _rigid, "ref": _ref, "whole_thing": _whole_thing, "at": _at,
           "point": _point, "of": _of, "named": _named, "factors": _factors, "when": _when, "rows": _rows, "value": _value,
           "where": _where, "file": _file}
