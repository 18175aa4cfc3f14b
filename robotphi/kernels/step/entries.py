"""The entries of the ledger: one table, from which the loop, `State.ledger`, balances and graphs take them.

    residual = Σ change of what is stored + Σ what is lost − Σ work

`books` holds a row for each: first those of this table, then the work of every drive and virtual force by name, then what each
other act stores, loses and gives, three rows a name. Sums over rows are made in this order, so that they have always the same
bits. A new entry is a row here and a line that writes what it comes to, at a row that `places` finds by name.
"""
from typing import NamedTuple

VALUE, CHANGE, LOST, WORK = range(4)   # kinds; the first two are stored: known as a value, or by its changes alone
# scenes in whose ledger an entry shows
ALWAYS, CONTACT, MEDIUM, JOINTED, STIFF, BREAKING, NEVER = ("always", "contact", "medium", "jointed", "stiff", "breaking",
                                                             "never")

# Columns of `books`. What an entry stands at is TOTAL + REST: a value, or a sum and what rounding took from it.
TOTAL, REST = 0, 1
START, NEXT = 2, 3                     # stored: at the start of the run; at the end of the attempt (CHANGE: its change)
RATE, NEXT_RATE, EXTRA = 4, 5, 6       # lost, work: rate now and at the end of the attempt; what comes without a rate
BOOK_COLUMNS = 8


class Entry(NamedTuple):
    """A line of the ledger."""
    name: str                          # in recordings
    kind: int
    shows: str
    colour: str                        # in graphs


ENTRIES = (Entry("kinetic", VALUE, ALWAYS, "#2b6cb0"),
           Entry("elastic_linear", VALUE, ALWAYS, "#2c8c84"),
           Entry("elastic_angular", VALUE, ALWAYS, "#58b4a8"),
           Entry("elastic_articular", VALUE, ALWAYS, "#9ad5cb"),
           Entry("elastic_joint", VALUE, JOINTED, "#c9e4de"),
           Entry("gravity", CHANGE, ALWAYS, "#7c5cbf"),
           Entry("contact", VALUE, CONTACT, "#3d9970"),
           Entry("buoyancy", VALUE, MEDIUM, "#7fb7e6"),
           Entry("added_inertia", VALUE, STIFF, "#4c6a92"),
           Entry("spring_dissipation", LOST, ALWAYS, "#d98a1f"),
           Entry("joint_dissipation", LOST, JOINTED, "#e0a85c"),
           Entry("joint_friction", LOST, JOINTED, "#a9713a"),
           Entry("joint_stops", LOST, JOINTED, "#7d4e2d"),
           Entry("plastic_flow", LOST, ALWAYS, "#c53030"),
           Entry("breaking", LOST, BREAKING, "#8b1e3f"),
           Entry("contact_dissipation", LOST, CONTACT, "#d9822b"),
           Entry("friction", LOST, CONTACT, "#b5651d"),
           Entry("drag", LOST, MEDIUM, "#8fa3ad"),
           Entry("contact_direction", LOST, CONTACT, "#c94f7c"),
           Entry("added_inertia_turning", LOST, STIFF, "#8a6d9b"),
           Entry("work:wind", WORK, MEDIUM, "#7b8794"))
FIXED_ENTRIES = len(ENTRIES)
# Loops over the rows of a kind have constant ranges: they are compiled as so many lines.
_KINDS = [entry.kind for entry in ENTRIES]
CHANGE_FROM, LOST_FROM, WORK_FROM = (_KINDS.index(kind) for kind in (CHANGE, LOST, WORK))
CHANGE_TO = CHANGE_FROM + _KINDS.count(CHANGE)

# What an act of a name may book, in the order of its rows: word in front of the name, kind, colour of all such acts.
OF_ACT = (("stored", VALUE, "#7a8b2f"), ("lost", LOST, "#9c6b4f"), ("work", WORK, "#7b8794"))
LOST_ROW, WORK_ROW = 1, 2   # behind the first of the three


def places(*names):
    """Rows of entries of the table."""
    known = [entry.name for entry in ENTRIES]
    return tuple(known.index(name) for name in names)


def work_entry(name):
    """Entry of a drive or virtual force."""
    return Entry(f"work:{name}", WORK, ALWAYS, "#7b8794")


def act_entries(name, books):
    """The three entries of an act; of those, `books` show."""
    return [Entry(f"{word}:{name}", kind, ALWAYS if word in books else NEVER, colour) for word, kind, colour in OF_ACT]
