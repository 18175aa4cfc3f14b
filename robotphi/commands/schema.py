"""`robotphi schema`: the language of scene files, as a JSON schema, as a page, or word by word."""
import json
from typing import Annotated

import typer

from robotphi.commands.output import AsJson, answer, console, exit_codes, table
from robotphi.errors import ScenarioError
from robotphi.language.fields import fields_of, summary_of
from robotphi.language.functions import GIVES, kinds
from robotphi.language.reference import owners_of, reference
from robotphi.language.schema import schema
from robotphi.language.scope import nearest


def schema_command(
    word: Annotated[str | None, typer.Argument(metavar="WORD", help="A kind such as ball, a function such as box.")] = None,
    page: Annotated[bool, typer.Option("--reference", help="Print the reference page instead.")] = False,
    as_json: AsJson = False,
):
    """Print the JSON schema of scene files, or what a single word of theirs takes.

    Example: robotphi schema ball; robotphi schema > scene.schema.json, for an editor that completes by it
    """
    with exit_codes(as_json):
        if word is not None:
            _show(word, as_json)
        elif page and not as_json:
            print(reference(), end="")
        else:
            print(json.dumps(schema(), indent=1, ensure_ascii=True))


def _show(word, as_json):
    found = owners_of(word)
    if not found:
        raise ScenarioError(f"the language has no {word!r}; {nearest(word, [*kinds(), *GIVES])}")
    if as_json:
        answer({title: {name: {"kind": each.kind, "unit": each.unit, "bounds": each.bounds, "words": each.words,
                               "required": each.required, "meaning": each.meaning}
                        for name, each in fields_of(owner).items()} for title, owner in found})
        return
    out = console()
    for title, owner in found:
        rows = table(f"{title}: {summary_of(owner)}", "field", "what", "meaning")
        for name, each in fields_of(owner).items():
            rows.add_row(f"{name} *" if each.required else name, each.told(), each.meaning)
        out.print(rows)
    out.print("* has to be given")
