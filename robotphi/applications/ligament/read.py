"""Tables of strands: comma-separated values with units in their heads."""
from pathlib import Path

import numpy as np

from robotphi.applications.ligament.strands import TRANSITION, Strands
from robotphi.scene.checks import AXES, number, refuse
from robotphi.scene.csv_file import read_csv
from robotphi.scene.units import UNITS

SLACK = {"slack length": "length", "reference strain": "strain", "reference force": "force"}
# Other names of columns, in small letters
ALIASES = {"strand": ("name", "fibre", "fiber", "bundle name", "id", "strand name"), "ligament": ("group", "lig"),
           "slack length": ("slack", "l0", "rest length", "resting length", "zero load length", "length at zero load"),
           "reference strain": ("strain", "reference strain at", "initial strain"),
           "reference force": ("force", "tension", "pretension", "initial tension", "preload", "reference tension"),
           "stiffness": ("k", "linear stiffness", "spring constant"), "toe strain": ("toe", "transition strain")}


def aliases_of(bones):
    """Other names of columns, those of ends among them: femur_x, x femur for femur x."""
    ends = {f"{bone} {axis}": (f"{axis} {bone}", f"{bone}{axis}") for bone in bones for axis in AXES}
    return ALIASES | ends


EXAMPLE = "strand,ligament,slack length [mm],stiffness [N/strain],femur x [mm],…,tibia z [mm]"


def read_strands(path, bones=("femur", "tibia"), toe=TRANSITION):
    """The `Strands` of a table, a row for each.

    Columns: strand, its name; ligament and bundle, words that may be missing; the ends, femur x [mm] … tibia z [mm], in axes of
    the bones; stiffness [N/strain] or [N/mm]; of slack length [mm], reference strain [%] and reference force [N] one in every
    row, others empty or not there; toe strain [%], of the transition, may be missing. Others are not looked at.

    Args:
        path: of the file.
        bones: names of the two in the heads, the one that is moved first.
        toe: strain of the transition of strands that do not tell it.
    """
    where = f"strands {Path(path).name!r}" if isinstance(path, (str, Path)) else "strands"
    table = read_csv(where, path, 1, EXAMPLE).known_as(aliases_of(bones))
    names = table.words("strand")
    for k, name in enumerate(names):
        if not name or name in names[:k]:
            table.refuse(k, "strand", f"it is called {name!r}", "give each strand a name of its own")
    ligaments = table.words("ligament") if "ligament" in table.heads else [name.rstrip("0123456789") or name for name in names]
    bundles = table.words("bundle") if "bundle" in table.heads else ligaments
    ends = [np.stack([table.column(f"{bone} {axis}", "length") for axis in AXES], axis=1) for bone in bones]
    stiffness, pitch = _stiffness(table)
    slack = _slack(table)
    bends = np.full(len(names), number(where, "toe", toe, above=0.0))
    if "toe strain" in table.heads:
        told = table.column("toe strain", "strain", True)
        _check(table, "toe strain", ~(told <= 0.0), "give the strain from which on all fibres pull, such as 6 %")
        bends = np.where(np.isnan(told), bends, told)
    return Strands(tuple(names), tuple(ligaments), tuple(bundles), *ends, stiffness, pitch, *slack, bends)


def _stiffness(table):
    """N per strain, and N/m times slack length, NaN each where it is the other."""
    _, unit = table.head("stiffness")
    kind = next((kind for kind in ("stiffness", "strain stiffness") if unit in UNITS[kind]), None)
    if kind is None:
        refuse(table.where, f"column 'stiffness' is in {unit!r}", "write stiffness [N/strain] or [N/mm] into the head")
    told = table.column("stiffness", kind)
    _check(table, "stiffness", told > 0.0, "give one above 0")
    nothing = np.full(len(told), np.nan)
    return (nothing, told) if kind == "stiffness" else (told, nothing)


def _slack(table):
    """Slack lengths, strains and forces of reference; just one of them in every row."""
    there = [name for name in SLACK if name in table.heads]
    if not there:
        refuse(table.where, f"there is none of the columns {', '.join(SLACK)}", f"its heads are {', '.join(table.heads)}")
    found = {name: table.column(name, kind, True) if name in there else np.full(len(table.rows), np.nan)
             for name, kind in SLACK.items()}
    told = sum(np.isfinite(values).astype(int) for values in found.values())
    for k in np.flatnonzero(told != 1):
        table.refuse(k, there[-1], f"{told[k]} of {', '.join(there)} are told", "tell one of them in each row")
    for name, least in (("slack length", 0.0), ("reference strain", -1.0), ("reference force", 0.0)):
        if name in there:
            _check(table, name, ~(found[name] <= least), f"give one above {least:g}")
    return tuple(found.values())


def _check(table, name, holds, remedy):
    bad = np.flatnonzero(~holds)
    if len(bad):
        table.refuse(int(bad[0]), name, f"it is {table.words(name)[bad[0]]}", remedy)
