"""Following a thing from the scene to its picture never takes more files, nor more calls between files, than it did."""
import json
import subprocess
import sys
from pathlib import Path

import pytest

# (files, edges) of each way, see `way.py`, beside what is listed in NEWER. Lower them whenever a way has become shorter; never
# raise them in passing. Before any of that was there they were (40, 77), (73, 152), (100, 236).
# Three to five files and eight edges came when each way began to ask for commands, motions, motors and acts with ends.
# One edge came when the loop began the way to the next stop by itself, one more where a run hands back its two sets of buffers.
LIMITS = {"spring": (42, 75), "box": (75, 140), "pad": (102, 212)}
# What simulations have learnt since, a file for each, which a way may visit beside these.
NEWER = {
    "kernels/step/bodies.py": "bounds of bodies as blocks",
    "kernels/step/terms.py": "springs as terms of them",
    "kernels/step/stiffness.py": "bounds of particles, by which rounding is judged",
    "kernels/maths/vectors.py": "sums of vectors",
    "kernels/contact/bounds.py": "contacts in the same blocks",
    "kernels/contact/pair_terms.py": "a pair as terms",
    "kernels/contact/spread.py": "how the pressure of a pair spreads",
    "kernels/contact/hold/mobility.py": "what moves at a point",
    "kernels/step/viscosity.py": "whether dampers go apart",
    "kernels/step/relief.py": "what they take off springs then",
    "kernels/contact/dampers.py": "those of contact, as rows",
    "kernels/step/damp_touch.py": "their part of the step",
    "kernels/step/promise.py": "the budget as a running sum",
    "kernels/step/path.py": "the error of the path",
    "kernels/step/attempt.py": "what an attempt comes to",
    "kernels/step/causes.py": "what set the step",
    "kernels/step/crossing.py": "steps that end where gates turn",
    "record/causes.py": "the same in words",
    "run/advice/slow.py": "and as advice",
    "kernels/step/frames.py": "a frame kept by one call",
    "kernels/contact/tell.py": "contacts of a frame",
    "record/recorder.py": "where frames are kept",
    "run/frames.py": "what follows from them",
    "model/used.py": "particles that are used",
    "run/advice/room.py": "memory that is not there",
    "run/advice/inside_out.py": "cells inside out",
    "run/advice/left.py": "what went over an edge",
    "run/advice/speeds.py": "how fast things may meet",
    "model/mechanisms.py": "rigids that joints hold",
    "model/loops.py": "which joints make trees and which close loops",
    "model/closures.py": "what closes them",
    "model/chain.py": "places and rates by coordinates",
    "model/assembly.py": "scenes that assemble themselves",
    "model/massless.py": "rigids without mass",
    "scene/rigid.py": "turns as matrices, of whatever turns",
    "record/joints.py": "joints over time",
    "view/scenes.py": "axes of joints",
    "model/stiff.py": "objects whose fast modes are slowed",
    "kernels/step/stiff_bounds.py": "what they ask of the step",
    "run/members.py": "scratch of members that share pairs",
    "kernels/contact/shared.py": "all pairs, one after the other or shared over a team",
    "kernels/mechanism/as_body.py": "mechanisms of few freedoms as bodies of the bounds",
    "model/led.py": "what follows a pose over time",
    "model/motors.py": "efforts on coordinates by what they are told",
    "model/moved.py": "what is driven",
    "run/commands.py": "numbers that are set while a scene runs",
    "run/control.py": "who sets them",
    "kernels/step/scales.py": "energies by which starts and rounding are judged",
    "kernels/acts/drives.py": "whether anything is driven",
    "view/strokes.py": "how virtual forces, tendons and joints are drawn",
    "kernels/step/renewal.py": "when bounds of bodies are taken, and with how much relief",
    "run/live.py": "sensors that follow from forces of an instant",
    "run/reading.py": "sensors at an instant",
    "run/standing.py": "what is done where a run stands",
    "run/moving.py": "the simulator's loop around the compiled one",
    "run/last_pieces.py": "drives that end with the run",
    "run/together.py": "small arrays in one block of memory",
    "scene/controllers.py": "functions that are called at a rate",
    "scene/turns.py": "turns as matrices and quaternions",
    "record/rows.py": "rows that grow, and are let go where a file has them",
    "record/steps.py": "the history of steps in 13 bytes a row",
    "record/choice.py": "what of a recording is kept",
}
# Edges at one of these files: two for a file that does one thing for one other, more for what many call, such as `vectors`.
# One edge came when a step that stands began to end the search for the instant at which a gate turns.
# Five came when the loop of the simulator got a file of its own. Two came with what dampers take off the bounds of springs, one
# of them where things touch, three where those are soft; one more when names of causes began to count with it. Four,
# where things touch three: the bounds of the shape that was reached got a file of their own, out of the plan of the step. Three
# came with arrays that are laid side by side, and with targets that are led to the end of a run; two of others went.
NEWER_EDGES = {"spring": 109, "box": 151, "pad": 170}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found():
    """Name of a way → what the script tells of it."""
    script = Path(__file__).with_name("way.py")
    done = subprocess.run([sys.executable, str(script), "--json"], stdout=subprocess.PIPE, check=True)
    return {one["way"]: one for one in json.loads(done.stdout)}


def test_the_three_ways_are_followed(found):
    assert found.keys() == LIMITS.keys()


@pytest.mark.parametrize("way", LIMITS)
def test_no_way_visits_more_files_or_has_more_edges_than_it_may(found, way):
    one = found[way]
    files, edges = LIMITS[way]
    newer = [call for call in one["calls"] if call[0] in NEWER or call[1] in NEWER]
    assert len(one["visited"].keys() - NEWER.keys()) <= files
    assert len(one["calls"]) - len(newer) <= edges
    assert len(newer) <= NEWER_EDGES[way]


def test_what_is_listed_as_newer_is_on_a_way(found):
    """Else it is taken off the list."""
    assert NEWER.keys() <= set().union(*(one["visited"] for one in found.values()))
