"""The one table of what is checked of a scene before it is run: a new check is a function and a row here.

A check is a function of a `Subject` that gives a list of `Finding`, none where all is well.
"""
from typing import Any, NamedTuple

from robotphi.run.advice.room import told_room
from robotphi.run.lint.cells import locking, missed_matter, slivers
from robotphi.run.lint.findings import split
from robotphi.run.lint.sizes import light_on_heavy, slipped_units
from robotphi.run.lint.stepping import lone_setter, short_steps, unstable_step
from robotphi.run.lint.touch import deep_start, loose_friction, lost_friction, passed_by, soft_contact, stiff_contact, too_steep


class Check(NamedTuple):
    """Something that is looked at."""
    name: str
    what: str           # what is told, for people
    function: Any       # of a Subject → [Finding]


def too_large(subject):
    """A recording that takes much of the memory."""
    simulator = subject.simulator
    return [split(text) for text in told_room(subject.scene, simulator.frame_bytes(), len(simulator.frame_times))]


CHECKS = (
    Check("unstable step", "a fixed or smallest step longer than what is stable", unstable_step),
    Check("short steps", "springs, acts or joints whose steps are below a ten millionth of the duration", short_steps),
    Check("lone setter", "one block that alone makes steps several times shorter than all else", lone_setter),
    Check("stiff contact", "contact that asks for steps below a ten millionth of the duration", stiff_contact),
    Check("soft contact", "hits that go deeper than half of what is thin", soft_contact),
    Check("deep start", "things too deep in each other at the start", deep_start),
    Check("passed by", "things that others pass through, or that a medium passes by", passed_by),
    Check("lost friction", "friction that the other side takes away", lost_friction),
    Check("loose friction", "friction whose springs give way far before they hold", loose_friction),
    Check("too steep", "slopes on which friction cannot hold what lies there", too_steep),
    Check("mass ratio", "springs from light to heavy ends that set the step", light_on_heavy),
    Check("units", "densities, sizes, moduli, speeds that look like another unit", slipped_units),
    Check("slivers", "cells that are all but flat", slivers),
    Check("locking", "cells that resist bending far more than the solid", locking),
    Check("matter", "cells that do not reach the modulus of their material", missed_matter),
    Check("memory", "recordings that take much of the memory", too_large),
)
