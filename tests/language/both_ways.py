"""Scenes as they are said and as their files say them, run a short way side by side: the same model, and the same digest of
every frame.

    python -m tests.language.both_ways                 all scenarios and the variants of their studies, a quarter of an hour
    python -m tests.language.both_ways pinch cradle    some of them
"""
import argparse
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np

from robotphi import Simulator, build_model
from robotphi.language import read_scene, write_scene
from robotphi.model.arrays import model_digest
from robotphi.record.files.names import CHAIN
from robotphi.scenario import list_scenarios, load_scenario
from tests.bits.bits import digest_of, state_parts
from tests.language.test_scene_files_all import variants_of

FRAMES, ATTEMPTS = 5, 3000   # of a run, whichever comes first


class Way(NamedTuple):
    """What came of one way."""
    model: str
    frames: list   # digest of each frame and of all before it
    end: str       # of the state, its ledger, counts and steps, where the run stopped, between two frames as well


def run_short(scene, path):
    """The first frames of a scene."""
    model = build_model(scene)
    digest = model_digest(model)
    model.scene.stepping = replace(scene.stepping, attempt_limit=ATTEMPTS)
    handed = {name: one.function for name, one in scene.controllers.items()}
    simulator = Simulator(model, threads=1, controllers=handed)
    recording = simulator.run(until=float(simulator.frame_times[:FRAMES + 1][-1]))
    with h5py.File(recording.save(path), "r") as file:
        chain = [bytes(link).hex() for link in file[CHAIN][()]]
    return Way(digest, chain, digest_of(state_parts(simulator, recording)))


def both_ways(scene, folder, exact=False):
    """(as said, as its file says) of a scene."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = read_scene(write_scene(scene, folder / "scene.yaml", exact=exact)[0])
        for name, one in scene.controllers.items():   # functions are handed in
            again.controllers[name] = replace(again.controllers[name], function=one.function)
        return run_short(scene, folder / "said.vtkhdf"), run_short(again, folder / "read.vtkhdf")


def difference(said, read):
    """In words; "" where there is none."""
    unlike = [number for number, (one, other) in enumerate(zip(said.frames, read.frames, strict=False)) if one != other]
    if said.model != read.model:
        return "another model"
    if unlike or len(said.frames) != len(read.frames):
        return f"frame {unlike[0] if unlike else min(len(said.frames), len(read.frames))} differs"
    return "" if said.end == read.end else "the end differs"


def scenes_of(name):
    """(scene, whether its numbers are to be written exactly): of a scenario, then the variants of its study."""
    scenario = load_scenario(name)
    yield scenario.module.build(), False
    for scene in variants_of(scenario.module) if scenario.is_study else ():
        yield scene, True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    counts = np.zeros(4, int)
    for name in parser.parse_args().names or list_scenarios():
        for number, (scene, exact) in enumerate(scenes_of(name)):
            with tempfile.TemporaryDirectory() as folder:
                said, read = both_ways(scene, Path(folder), exact)
            told = difference(said, read)
            counts += 1, len(said.frames) > 1, len(said.frames), bool(told)
            print(f"{name}, {f'variant {number}' if number else 'scene'}: {len(said.frames)} frames, {told or 'the same'}",
                  flush=True)
    print("{} scenes, {} of them with more than their first frame, {} frames: {} differ".format(*counts))
    raise SystemExit(1 if counts[3] else 0)


if __name__ == "__main__":
    main()
