"""The reference of experiment files, from the table of their words: a part of docs/identification.md."""
from dataclasses import fields

from identification.experiment.words import WORDS
from identification.search import METHODS


def page():
    """All of it as Markdown."""
    lines = []
    for section, known in WORDS.items():
        lines += [f"Keys of {section}:" if section != "fit" else "Keys of `fit`:", "",
                  "| key | what it says | where left out |", "|---|---|---|",
                  *(f"| `{name}` | {word.says} | {_default(word)} |" for name, word in known.items()), ""]
    lines += ["Settings of each method, as they are where left out:", "", "| method | settings |", "|---|---|"]
    for name, method in METHODS.items():
        told = ", ".join(f"`{each.name}: {str(each.default).lower()}`" for each in fields(method.settings))
        lines.append(f"| `{name}` | {told} |")
    return "\n".join(lines) + "\n"


def _default(word):
    """What holds where a word is left out, as the file would say it."""
    if word.told or word.default is None:
        return word.told
    return f"{word.default:g}" if type(word.default) is float else str(word.default).lower()


if __name__ == "__main__":
    print(page(), end="")
