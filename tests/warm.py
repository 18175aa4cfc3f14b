"""Compile the loops that tests share before they begin, each of them once.

    python -m tests.warm [--workers N]

Workers that need the same loop at the same time would each compile it. Scenes of the scenarios stand for all kinds of loops;
one of each kind is begun.
"""
import argparse
import multiprocessing
import sys
import warnings

from robotphi import Simulator, build_model
from robotphi.kernels.compiling.reference import Laid
from robotphi.kernels.step import slots
from robotphi.run.state import State
from robotphi.scenario import list_scenarios, load_scenario


def kind_of(model):
    """What the loop of a model is compiled for, the same in all processes."""
    buffers = State(model).buffers
    arrays, around = Laid(model.arrays), Laid(buffers)
    surrounded = bool(buffers.counters[slots.HAS_CONTACT] or buffers.counters[slots.HAS_ACTS])
    return str(arrays.kind), str(around.kind), surrounded, len(model.arrays.mechanisms.free) > 0


def chosen():
    """A scenario for each kind, the kinds that take longest first."""
    found = {}
    for name in list_scenarios():
        found.setdefault(kind_of(build_model(load_scenario(name).module.build())), name)
    return [found[kind] for kind in sorted(found, key=lambda kind: (-kind[2], -kind[3], kind))]


def compile_for(name):
    """The first instant of a scenario."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        simulator = Simulator(build_model(load_scenario(name).module.build()), threads=1)
        simulator.begin()
    return name


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2, help="processes that compile (default 2)")
    workers = parser.parse_args(arguments).workers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = chosen()
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for done, name in enumerate(pool.imap_unordered(compile_for, names), 1):
            print(f"compiled {done} of {len(names)} kinds of loops: that of {name}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
