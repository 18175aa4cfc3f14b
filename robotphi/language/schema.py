"""The JSON schema of scene files, from the table of fields: editors complete and check by it."""
from robotphi.language.acts import act_fields
from robotphi.language.bind import ALSO
from robotphi.language.blocks import NAMED
from robotphi.language.fields import REQUIRED, fields_of, summary_of
from robotphi.language.figures import TAKEN
from robotphi.language.functions import CLASS_OF, FUNCTION_OF, GIVES, kinds, snake
from robotphi.language.kinds import READERS
from robotphi.language.load import OF_SCENE, VERSION
from robotphi.language.parameters import WORDS as OF_PARAMETER
from robotphi.language.recorded import schema_of

EXPRESSION = {"type": "string", "pattern": "^="}
NAME = {"type": "string"}
LIMITS = {">": "exclusiveMinimum", ">=": "minimum", "<": "exclusiveMaximum", "<=": "maximum"}
ARRAY = {"type": "object", "anyOf": [{"required": ["file"]}, {"required": ["all"]}, {"required": ["repeat"]}]}
ANY = {}
NUMBERS = {"anyOf": [{"type": "number"}, {"type": "null"}, {"type": "boolean"}, NAME, ARRAY,
                     {"type": "array", "items": {"$ref": "#/$defs/numbers"}}]}
END = {"anyOf": [NAME, {"type": "integer"}, {"type": "object", "maxProperties": 1}, ARRAY]}
# What may stand where a kind is asked for; kinds that functions make are put together by `_made`.
PLAIN = {
    "number": {"anyOf": [{"type": "number"}, EXPRESSION]}, "numbers": {"$ref": "#/$defs/numbers"},
    "array": {"$ref": "#/$defs/numbers"}, "whole": {"anyOf": [{"type": "integer"}, EXPRESSION]},
    "flag": {"anyOf": [{"type": "boolean"}, EXPRESSION]}, "text": NAME, "word": NAME, "file": NAME,
    "words": {"anyOf": [NAME, ARRAY, {"type": "array"}]},
    "vector": {"anyOf": [{"type": "array", "minItems": 3, "maxItems": 3}, NAME, ARRAY]}, "data": ANY,
    "rotation": {"type": "array", "minItems": 2, "maxItems": 2}, "particles": {"anyOf": [END, {"type": "array"}]},
    "target": {"anyOf": [END, {"type": "array"}]}, "pulled": {"anyOf": [END, {"type": "array"}]},
    "through": {"anyOf": [ARRAY, {"type": "array", "items": END}]},
    "towards": {"anyOf": [END, {"type": "array"}, {"type": "object"}]},
    "attitude": {"anyOf": [END, {"type": "array", "minItems": 3, "maxItems": 4}, {"$ref": "#/$defs/motion"}]},
    "rigid": END, "joint": END, "ref": END, "whole_thing": END, "at": {"anyOf": [END, {"type": "array"}]}, "point": END,
    "of": {"anyOf": [END, {"type": "array"}]}, "named": {"anyOf": [NAME, {"type": "array", "items": NAME}]},
    "factors": {"type": "object"}, "when": {"type": "array", "minItems": 2, "maxItems": 4}, "rows": ANY, "value": ANY,
    "where": {"anyOf": [NAME, {"type": "integer"}, {"type": "array"}]},
    "drives": {"anyOf": [{"$ref": "#/$defs/drive"}, {"type": "array"}]}, "axis_drives": {"type": "object"},
    "active": {"anyOf": [{"$ref": "#/$defs/drive"}, {"type": "array", "minItems": 2, "maxItems": 2}]},
}


def schema():
    """The schema, as plain data."""
    made = sorted({*GIVES.values(), *CLASS_OF} - {"any", "numbers", "rows"})
    definitions = {"numbers": NUMBERS} | {kind: _made(kind) for kind in made}
    definitions |= {f"function {word}": _mapping(word) for word in GIVES}
    definitions["thing"] = _thing()
    definitions["parameters"] = {"type": "object", "additionalProperties": {"anyOf": [
        {"type": ["number", "string", "boolean", "array"]},
        {"type": "object", "required": ["default"], "additionalProperties": False,
         "properties": dict.fromkeys(OF_PARAMETER, ANY)}]}}
    definitions["block"] = {"type": "object", "properties": _sections(), "additionalProperties": False}
    part = {"about": NAME, "parameters": {"$ref": "#/$defs/parameters"}, **_sections()}
    whole = {"robotphi": {"const": VERSION}, "scene": NAME, "about": NAME,
             "include": {"anyOf": [NAME, {"type": "array", "items": NAME}]}, "parameters": {"$ref": "#/$defs/parameters"},
             "parts": {"type": "object", "additionalProperties": {"type": "object", "properties": part,
                                                                  "additionalProperties": False}},
             **{name: _field(fields_of("Scene")[name]) for name in OF_SCENE}, **_sections(),
             "figures": {"type": "object", "additionalProperties": {
                 "type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": False,
                 "properties": dict.fromkeys(TAKEN, NAME)}}, "record": {"anyOf": [schema_of(), {"type": "null"}]}}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A scene of Robot Φ", "type": "object",
            "required": ["robotphi"], "properties": whole, "additionalProperties": False, "$defs": definitions}


def _sections():
    found = {"define": {"type": "object"}, "things": {"type": "object", "additionalProperties": {"$ref": "#/$defs/thing"}}}
    for section, verb in NAMED.items():
        found[section] = {"type": "object", "additionalProperties": {"anyOf": [_mapping(verb), {"required": ["repeat"]}]}}
    pair = {"type": "array", "items": NAME, "minItems": 2, "maxItems": 2}
    repeated = {"type": "object", "required": ["repeat"], "additionalProperties": False,
                "properties": {"repeat": {"type": "object"}}}
    found["contact"] = {"type": "array", "items": {"anyOf": [repeated,
        {"type": "object", "required": ["between", "law"], "additionalProperties": False,
         "properties": {"between": pair, "law": {"$ref": "#/$defs/contact"}}},
        {"type": "object", "required": ["apart"], "additionalProperties": False, "properties": {"apart": pair}}]}}
    found["medium"] = _mapping("set_medium")
    found["values"] = {"type": "array", "items": {"anyOf": [_mapping("set_value"), repeated]}}
    found["then"] = {"type": "array", "items": {"$ref": "#/$defs/block"}}
    return {name: {"anyOf": [each, {"type": "null"}]} for name, each in found.items()}


def _thing():
    """One kind with its arguments, a repetition or a part."""
    properties = {kind: _mapping(verb) for kind, verb in kinds().items()}
    properties["act"] = {"type": "object", "required": ["kind"]}
    repeat = {"type": "object", "minProperties": 2}
    use = {"type": "object", "required": ["part"], "additionalProperties": False,
           "properties": {"part": NAME, "parameters": {"type": "object"}}}
    return {"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": False,
            "properties": properties | {"repeat": repeat, "use": use}}


def _mapping(owner):
    """The arguments of a verb or function."""
    fields = fields_of(owner)
    found = {"type": "object", "description": summary_of(owner), "additionalProperties": False,
             "properties": {name: _field(field) for name, field in fields.items()},
             "required": [name for name, field in fields.items() if field.default is REQUIRED]}
    return {"anyOf": [found, {"type": "null"}]} if not found["required"] else found


def _field(field):
    found = {"anyOf": [*(_kind(each) for each in field.kind.split("|")), {"type": "null"}]}
    if field.words:
        found = {"anyOf": [{"enum": [*field.words, None, ""]}, EXPRESSION, {"type": "string", "pattern": "[{]"}]}
    elif field.kind in ("number", "whole") and field.bounds:
        wanted = {"type": "integer" if field.kind == "whole" else "number"}
        found = {"anyOf": [wanted | {LIMITS[sign]: bound for sign, bound in field.bounds}, EXPRESSION, {"type": "null"}]}
    if field.meaning or field.unit:
        found["description"] = " ".join(filter(None, (f"[{field.unit.replace('|', ' or ')}]" if field.unit else "",
                                                      field.meaning)))
    return found


def _kind(kind):
    if kind[0] == "[":
        return {"anyOf": [{"type": "array", "items": _kind(kind[1:-1])}, {"type": "object", "required": ["repeat"]}]}
    if kind[0] == "{":
        return {"type": "object", "additionalProperties": _kind(kind[1:-1])}
    return PLAIN.get(kind, {"$ref": f"#/$defs/{kind}"})


def _made(kind):
    """A kind of value that functions make: a name of define:, {function: {arguments}}, or the usual arguments alone."""
    found = [NAME]
    if kind == "drive":
        found.append({"type": "number"})
    if kind in CLASS_OF and kind != "drive":
        found.append(_mapping(FUNCTION_OF[CLASS_OF[kind]]))
    words = {}
    for word, gives in GIVES.items():
        if gives in (kind, "any", *ALSO.get(kind, ())):
            words[word] = {"$ref": f"#/$defs/function {word}"}
            short = word.removeprefix(f"{snake(CLASS_OF[kind])}.") if kind in CLASS_OF else word
            words.setdefault(short, words[word])
    if words:
        found.append({"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": False,
                      "properties": words})
    return {"anyOf": found}


def unknown_kinds():
    """Kinds of the table that no reader and no function knows: there must be none."""
    from robotphi.kernels.acts.table import OPEN
    from robotphi.language.fields import ROWS

    named = {name.strip("[]{}") for kind, _, _ in ROWS.values() for name in kind.split("|")}
    acts = {field.kind for word in OPEN for field in act_fields(word).values()}
    return (named | acts) - {*READERS} - {*GIVES.values()} - {*CLASS_OF}
