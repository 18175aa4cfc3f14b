"""The reference of experiment files, from the table of their words: a part of docs/identification.md."""
from dataclasses import fields

from identification.experiment.words import WORDS
from identification.search import METHODS


def page():
    """All of it as Markdown."""
    lines = []
    for section, known in WORDS.items():
        lines += [f"Keys of {section}:" if section != "fit" else "Keys of `fit`:", "", "| key | what it says |", "|---|---|",
                  *(f"| `{name}` | {told} |" for name, told in known.items()), ""]
    lines += ["Settings of each method, as they are where left out:", "", "| method | settings |", "|---|---|"]
    for name, method in METHODS.items():
        told = ", ".join(f"`{each.name}: {str(each.default).lower()}`" for each in fields(method.settings))
        lines.append(f"| `{name}` | {told} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
