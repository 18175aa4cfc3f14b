"""What a check finds."""
from typing import NamedTuple

LISTED = 5   # findings of one check, names in one


class Finding(NamedTuple):
    """One thing that is likely to be wrong, or worth to know."""
    text: str              # what there is, with names and numbers
    do: str                # what to do about it
    serious: bool = True   # False: it may well be meant


def first_of(found, what):
    """The first of many findings, and how many more there are."""
    if len(found) <= LISTED:
        return found
    return [*found[:LISTED], Finding(f"{len(found) - LISTED} more {what}", "see to those above first",
                                     any(each.serious for each in found[LISTED:]))]


def split(sentence):
    """A warning of `run/advice`, "what there is; what to do", as a Finding."""
    text, _, do = sentence.partition("; ")
    return Finding(text, do or "look at it")
