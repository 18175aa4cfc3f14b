"""The reference of the language, from the table of fields: docs/scene_language.md, and the help for single words."""
from robotphi.language.fields import fields_of, summary_of
from robotphi.language.functions import CLASS_OF, FUNCTION_OF, GIVES, kinds, snake
from robotphi.language.recorded import table

HEAD = """# The scene language: reference

Made by `robotphi schema --reference`; how the language works is told in [scene_files.md](scene_files.md). A field in
**bold** has to be given. *numbers* are one number or a list, or `{file: arrays.npz#name}`; a *drive* is a number, an
expression in `t`, a function of drives, or the name of a command; whatever functions make may be named in `define:` and
used by that name.

"""


def reference():
    """The whole page."""
    parts = [HEAD, "## The scene\n\n", _table(_without("Scene", "name")), "\n## Kinds of things\n"]
    parts += [f"\n### {kind}\n\n{summary_of(verb)}\n\n{_table(fields_of(verb))}" for kind, verb in kinds().items()]
    parts += ["\n## Other sections\n"]
    for section, verb in (("commands", "add_command"), ("contact: between, law", "set_contact"),
                          ("medium", "set_medium"), ("values", "set_value"), ("sensors", "add_sensor"),
                          ("controllers", "add_controller")):
        parts.append(f"\n### {section}\n\n{summary_of(verb)}\n\n{_table(fields_of(verb))}")
    parts.append(f"\n### record\n\nWhat of a run is to stay in its recording, unless --keep tells otherwise.\n\n{table()}")
    parts += ["\n## Functions\n", "\nA function of a class may leave out the class where the class is what is asked for: "
              "`drive: {sine: …}`. Where one class alone fits, its arguments may stand without it: ",
              ", ".join(f"`{kind}: {{…}}` of `{FUNCTION_OF[name]}`" for kind, name in CLASS_OF.items() if kind != "drive"),
              ".\n"]
    for gives in dict.fromkeys(GIVES.values()):
        parts.append(f"\n### gives {gives}\n")
        parts += [f"\n**{word}**: {summary_of(word)}\n\n{_table(fields_of(word))}" for word in GIVES if GIVES[word] == gives]
    return "".join(parts)


def _without(owner, name):
    return {each: field for each, field in fields_of(owner).items() if each != name}


def _table(fields):
    if not fields:
        return "It has no fields.\n"
    rows = ["| field | what | meaning |", "|---|---|---|"]
    for name, field in fields.items():
        told = field.told().replace("|", "\\|")
        rows.append(f"| {f'**{name}**' if field.required else name} | {told} | {field.meaning.replace('|', chr(92) + '|')} |")
    return "\n".join(rows) + "\n"


def owners_of(word):
    """What a word means: (title, verb or function), several where it is a kind and a function."""
    found = [(f"kind {word}", kinds()[word])] if word in kinds() else []
    found += [(f"function {word}, gives {GIVES[word]}", word)] if word in GIVES else []
    if not found:   # drive.sine by its last part
        found = [(f"function {name}, gives {GIVES[name]}", name) for name in GIVES if name.rpartition(".")[2] == word]
    if word in CLASS_OF and snake(CLASS_OF[word]) != word:
        found.append((f"function {FUNCTION_OF[CLASS_OF[word]]}, gives {word}", FUNCTION_OF[CLASS_OF[word]]))
    others = {"scene": "Scene", "sensors": "add_sensor", "commands": "add_command", "controllers": "add_controller",
              "medium": "set_medium", "values": "set_value", "contact": "set_contact"}
    return found + ([(word, others[word])] if word in others else [])
