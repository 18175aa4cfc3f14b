"""Blocks: the sections of a file, a part or a repetition, and how each becomes statements of a Scene.

A block is said in the order commands, things, contact, medium, values, sensors, controllers, whatever their order in the file;
what must be said later stands in further blocks under `then`.
"""
from robotphi.language.acts import act_fields
from robotphi.language.bind import arguments, performed
from robotphi.language.fields import fields_of
from robotphi.language.functions import GIVES, kinds, verb_called
from robotphi.language.kinds import read
from robotphi.language.nodes import Node, fail, text_at
from robotphi.language.parameters import parameters_of
from robotphi.language.repeats import each_entry, each_turn, plain
from robotphi.language.scope import Defined, Scope, nearest, worked_out

NAMED = {"commands": "add_command", "sensors": "add_sensor", "controllers": "add_controller"}   # of one verb each
SECTIONS = ("define", "commands", "things", "contact", "medium", "values", "sensors", "controllers", "then")
VERB_OF = {"contact": "set_contact", "apart": "exclude_contact", "medium": "set_medium", "values": "set_value"}


def checked_keys(node, known, what):
    """Refuse a mapping with other words than those."""
    if not node.is_map:
        fail(node, f"{what} is {node.told()}", f"give a mapping of {', '.join(known)}")
    for name in node.value:
        if name not in known:
            fail(node.key(name), f"{what} has no {name!r}", nearest(name, list(known)))


def defined(node, scope):
    """Put the entries of a define: section into a scope."""
    if not node.is_map:
        fail(node, f"define: is {node.told()}", "give {name: value}")
    for name, inner in node.value.items():
        new_name(node.key(name), name, scope.values, "defined")
        scope.values[name] = Defined(inner, scope)


def new_name(node, name, taken, what):
    """Refuse a name that stands for something here already, or that no expression could speak of."""
    if name in taken:
        fail(node, f"{name!r} is {what} twice here", "call one of them otherwise")


def say(body, context, parts):
    """Say the sections of a block to the scene of the context."""
    if "define" in body.value:
        context = context.within(Scope(parent=context.scope))
        defined(body.value["define"], context.scope)
    for section in SECTIONS[1:]:
        if section in body.value and body.value[section].value is not None:
            _SAY[section](section, body.value[section], context, parts)


def _each_named(section, node, context, parts):
    """Things, sensors, commands and controllers: name → what it is."""
    if not node.is_map:
        fail(node, f"{section}: is {node.told()}", f"give {{name: …}}; in {section}: each has a name of its own")
    for name, inner in node.value.items():
        key = node.key(name)
        if inner.is_map and len(inner.value) == 1 and next(iter(inner.value)) in ("repeat", "use"):
            (_repeat if "repeat" in inner.value else _use)(section, key, name, next(iter(inner.value.values())), context, parts)
            continue
        full = context.scope.prefix + _name(key, name, context)
        if section == "things":
            _thing(full, inner, context)
        else:
            _verb(NAMED[section], inner, context, name=full)


def _name(key, name, context):
    """What a key calls a thing: text, braces filled."""
    called = worked_out(text_at(key, name), context)
    if not isinstance(called, str):
        fail(key, f"the name {name!r} is {called!r:.60}", "give text; == stands for a name that begins with =")
    return called


def _thing(full, node, context):
    if not node.is_map or len(node.value) != 1:
        fail(node, f"{full!r} is {node.told()}", "give one kind and its arguments, such as {ball: {position: …, radius: …}}")
    [(kind, inner)] = node.value.items()
    if kind not in kinds():
        fail(node.key(kind), f"there is no kind {kind!r}", _as_object(kind) or nearest(kind, [*kinds(), "repeat", "use"]))
    _verb(kinds()[kind], inner, context, name=full)


def _as_object(word):
    """How what the function of that word gives becomes a thing; "" where there is no such function."""
    told = {"object": f"{{{word}: …}}", "shape": f"{{rigid: {{shape: {{{word}: …}}, density: …}}}}",
            "mesh": f"{{deformable: {{mesh: {{{word}: …}}, material: …}}}}"}.get(GIVES.get(word))
    return f"it is a function: give {{object: {{thing: {told}}}}}" if told else \
        "it is a function, which stands in define: and in arguments" if word in GIVES else ""


def _verb(verb, node, context, **named):
    """Say one verb."""
    if node.value is None:
        node = Node({}, node.file, node.line, node.column)
    given = _act(node, context) if verb == "add_act" else arguments(verb, node, context)
    context.counts.said(verb, given, node)
    function, scene = verb_called(verb), context.scene
    performed(lambda **values: function(scene, **values), {**named, **given}, node, verb)


def _act(node, context):
    """The arguments of `act`, which its kind declares."""
    if not node.is_map or "kind" not in node.value:
        fail(node, "an act without kind", "give kind, a word of the table of acts")
    kind = read("word", node.value["kind"], None, context)
    fields = act_fields(kind)
    if fields is None:
        fail(node.value["kind"], f"there is no act {kind!r}", "give a word of the table of acts")
    given = {"kind": kind}
    for name, inner in node.value.items():
        if name != "kind":
            if name not in fields:
                fail(node.key(name), f"{kind} has no {name!r}", nearest(name, list(fields)))
            given[name] = read(fields[name].kind, inner, fields[name], context)
    return given


def _contacts(section, node, context, parts):
    """A list of {between: [a, b], law: …} and {apart: [a, b]}."""
    if not node.is_list:
        fail(node, f"contact: is {node.told()}", "give a list of {between: [a, b], law: …} or {apart: [a, b]}")
    for each, inner in each_entry(node, context):
        checked_keys(each, ("between", "law", "apart"), "an entry of contact:")
        pair = each.value.get("apart", each.value.get("between", each))
        if not pair.is_list or len(pair.value) != 2 or ("apart" in each.value) == ("law" in each.value):
            fail(each, "an entry of contact:", "give {between: [a, b], law: …} or {apart: [a, b]}")
        fields = fields_of("set_contact")
        given = {what: read("named", one, fields[what], inner) for what, one in zip(("first", "second"), pair.value,
                                                                                   strict=True)}
        if "law" in each.value:
            given["contact"] = read("contact", each.value["law"], fields["contact"], inner)
        function = verb_called("set_contact" if "law" in each.value else "exclude_contact")
        context.counts.said("set_contact", given, each)
        performed(lambda function=function, **values: function(context.scene, **values), given, each, "contact")


def _medium(section, node, context, parts):
    _verb("set_medium", node, context)


def _values(section, node, context, parts):
    """A list of {thing, quantity, value, where}."""
    if not node.is_list:
        fail(node, f"values: is {node.told()}", "give a list of {thing: …, quantity: …, value: …}")
    for each, inner in each_entry(node, context):
        _verb("set_value", each, inner)


def _then(section, node, context, parts):
    if not node.is_list:
        fail(node, f"then: is {node.told()}", "give a list of blocks, such as [{things: …}, {values: …}]")
    for each in node.value:
        checked_keys(each, SECTIONS, "a block")
        say(each, context, parts)


_SAY = dict.fromkeys(("things", *NAMED), _each_named) | {"contact": _contacts, "medium": _medium, "values": _values,
                                                         "then": _then}


# Repetition and parts ------------------------------------------------------------------------------------------------

def _repeat(section, key, name, node, context, parts):
    """{repeat: {i: 5, things: …}}: the block once for each value of i."""
    if not node.is_map or not set(node.value) & set(SECTIONS):
        fail(node, "repeat: without things", "give {i: 5, things: …}")
    body = _block_of(node)
    for turn, inner in enumerate(each_turn(node, SECTIONS, context)):
        if turn == 1:
            _check_names(body, next(each for each in node.value if each not in SECTIONS))
        say(body, inner, parts)


def _check_names(body, variable):
    """Refuse names that would be the same in each turn of a repetition."""
    for section in ("things", *NAMED):
        node = body.value.get(section)
        for name, inner in node.value.items() if node is not None and node.is_map else ():
            if "{" not in name and "=" not in name and "repeat" not in (inner.value if inner.is_map else ()):
                fail(node.key(name), f"{name!r} would stand for something else in each turn",
                     f"put the variable into its name, such as \"{name} {{{variable}}}\"")


def _block_of(node):
    """The sections at a node."""
    return Node({each: node.value[each] for each in node.value if each in SECTIONS}, node.file, node.line, node.column,
                node.keys)


def _use(section, key, name, node, context, parts):
    """{use: {part: finger, parameters: {side: -1}}}: what the part adds is called name.…"""
    checked_keys(node, ("part", "parameters"), "use:")
    if section != "things" or "part" not in node.value:
        fail(node, "use: without part" if section == "things" else f"use: in {section}:", "in things: give {use: {part: name}}")
    word = worked_out(node.value["part"], context)
    if not isinstance(word, str) or word not in parts:
        fail(node.value["part"], f"there is no part {word!r:.60}", nearest(word, list(parts)))
    part, scope = parts[word]
    if word in context.scope.used:
        fail(node, f"the part {word!r} uses itself", "let parts use others alone")
    prefix = f"{context.scope.prefix}{_name(key, name, context)}."
    inner = Scope(parent=scope, prefix=prefix, used=(*context.scope.used, word), around=context.scope)
    given = node.value.get("parameters", Node({}, node.file, node.line, node.column))
    known = part.value.get("parameters", Node({}, part.file, part.line, part.column))
    checked_keys(given, tuple(known.value), f"part {word}")
    values = {each: (inner_node, plain(inner_node, context)) for each, inner_node in given.value.items()}
    for parameter in parameters_of(known, context.within(inner), values).values():
        inner.values[parameter.name] = parameter.si
    context.counts.repeat(1, node)
    say(_block_of(part), context.within(inner), parts)
