"""An act: what pushes from outside, by where things are and how fast they move at an instant.

Each act is one file of this folder, listed in `table.py`. It declares its rows, one for each thing it pushes, and kernels of
one form, `f(rows, drives, buffers, now, time, inside)`, `now` being an `Instant`:

* `push` adds to the forces on particles, `now.force`, and to what pushes rigids, `now.load` (force on the centre, moment about
  it), books what it stores and loses, and may tell what it pushes with, for sensors. In an attempt it sees the places and the
  predicted velocities of its end, as springs and contact do.
* `power` books the work it gives, at the velocities themselves, so that a constant force gives just F·Δx.
* `bound` adds to the bounds of stiffness and damping, from which the stable step follows.
* `potential` is what the control by energy may count as if it were stored; what an act stores counts without it.

Rows that are built by `Scene.add_act` end with the field `entry`: the first of the three rows of `books` of their name.
"""
from collections.abc import Callable
from typing import NamedTuple

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.step.entries import LOST_ROW, NEXT, NEXT_RATE, WORK_ROW
from robotphi.kernels.step.slots import DAMP, RIGID_DAMP, RIGID_STIFF, STIFF, TURN_DAMP, TURN_STIFF

STORED, LOST, WORK = "stored", "lost", "work"   # what an act books, see `entries.OF_ACT`


@kernel
def nothing(rows, drives, buffers, now, time, inside):
    pass


@kernel
def no_energy(rows, drives, buffers, now, time, inside):
    return 0.0


class Act(NamedTuple):
    """One kind of act."""
    name: str                     # of the kind
    rows: type | None = None      # named tuple of arrays, its annotations from `fields`; None: the model builds it its own way
    books: tuple = ()             # of STORED, LOST, WORK; of acts with rows
    push: Callable = nothing
    power: Callable = nothing
    bound: Callable = nothing
    potential: Callable = no_energy


@inlined
def store(buffers, entry, energy):
    """Book energy that an act holds now [J]."""
    buffers.books[entry, NEXT] += energy


@inlined
def tell(buffers, entry, column, vector):
    """Tell what an act pushes with all in all: from column 0 on a force [N], from 3 on a couple [N·m]."""
    for axis in range(3):
        buffers.act_push[entry, column + axis] += vector[axis]


@inlined
def lose(buffers, entry, rate):
    """Book what an act takes for good [W]."""
    buffers.books[entry + LOST_ROW, NEXT_RATE] += rate


@inlined
def work(buffers, entry, rate):
    """Book what an act gives [W]."""
    buffers.books[entry + WORK_ROW, NEXT_RATE] += rate


@inlined
def stiffen(buffers, particle, stiffness, damping):
    """Bounds of the stiffness [N/m] and damping [N·s/m] that an act brings to a particle."""
    buffers.stiffness_bound[particle, STIFF] += stiffness
    buffers.stiffness_bound[particle, DAMP] += damping


@inlined
def stiffen_rigid(buffers, i, stiffness, damping, turning, turning_damping):
    """The same for a rigid: of its centre [N/m, N·s/m] and about it [N·m, N·m·s]."""
    buffers.rigid_bound[i, RIGID_STIFF] += stiffness
    buffers.rigid_bound[i, RIGID_DAMP] += damping
    buffers.rigid_bound[i, TURN_STIFF] += turning
    buffers.rigid_bound[i, TURN_DAMP] += turning_damping
