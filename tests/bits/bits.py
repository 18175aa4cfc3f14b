"""Digests of what the simulator computes: a change that is to change no bit of any result is held against them.

An entry is one simulation: of the scene that a scenario builds, or of one that a verification case runs or relaxes. It is run
for a few hundred attempts, long enough to meet contact, and has two digests. That of the model covers the arrays of the
built model as a sorted bag of their bytes, that of the state all that the run came to: state, ledger, counts, frames, steps,
contacts. Neither knows names, shapes or order of arrays inside the package, so that fields may be renamed, moved and regrouped;
an array that is cut in two or has another width of numbers is another model, and `--leaves` tells which one it is.

Kernels are strict IEEE and give the same bits on every processor. Building uses numpy, OpenBLAS and the C library, and these
choose other code on another processor. So `--renew` computes all entries once more under each of `variants`, as if on
processors that can do less. Entries that never differ are compared bit by bit everywhere. For the others the file holds the
pair (model, state) of each variant that differs, and any of these pairs passes. A probe of the libraries, stored as well, says
whether this machine computes like one of the variants; only where it does not, and the model is an unknown one, the figures of
the state are compared instead, within ten times what the variants differ by.

    python tests/bits/bits.py --check               compare, and say what differs: the model or only the state
    python tests/bits/bits.py --renew               compute digests.json anew and say what changed; takes some minutes
    python tests/bits/bits.py --leaves "scenario table"   digest of every array of its model, by name
    --only TEXT     entries whose name contains TEXT
    --threads N     members of the team; the digests do not depend on it
"""
import argparse
import json
import math
import os
import subprocess
import sys
import warnings
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import scipy.linalg

if __name__ == "__main__":  # digests are of the clone in which this file stands, whatever is installed
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

# all that this file knows of the inside of the package is imported here and listed below
from robotphi import relax as relax_function
from robotphi.errors import NoEquilibrium
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, SPIN, VELOCITY
from robotphi.model.build import build_model
from robotphi.run.simulator import Simulator
from robotphi.scenario.file import list_scenarios, load_scenario
from robotphi.verification import all_cases

MODEL_PARTS = ("arrays", "position", "velocity", "rigid_position", "rigid_orientation", "rigid_velocity", "rigid_spin")
RIGID_COLUMNS = {"centre": (CENTRE, 3), "orientation": (ORIENTATION, 4), "velocity": (VELOCITY, 3), "spin": (SPIN, 3),
                 "momentum": (MOMENTUM, 3)}
FRAMES = ("time", "position", "velocity", "rigid_position", "rigid_orientation", "rigid_velocity", "rigid_spin",
          "rigid_momentum")
COUNTS = ("attempts", "accepted", "refused")

FILE = Path(__file__).with_name("digests.json")
DIGITS = 24             # of a digest: 96 bits
ATTEMPTS = 400          # of a run
LONGER = {"scenario cloth_on_sphere": 3000, "scenario cradle": 6000}   # attempts of those that touch nothing before
RELAX_STEPS = 1         # looks at the limit come after 2000 steps: that many are done
SILENT = ("exact cells", "rigid solids", "nine masses", "displacement", "bar in pure bending", "supported plate",
          "restitution and damping", "restitution of nothing", "distance",   # cases that start no simulation
          "explicit limit")                                                  # … or step one themselves, beyond where a run ends
SMALL = 1e-12           # SI: figures below are rounding and are not compared
# What another rounding of the model makes of a figure is 1e-9 of it at most, or what one other step makes of the whole run
# where it turns a decision of the step control. The variants show which figures those are: ten times what they differ by.
LEAST_TOLERANCE, TIMES_SPREAD = 1e-6, 10.0


# --- digests -------------------------------------------------------------------------------------------------------
def leaves(thing, name=""):
    """(name, array) of all arrays with something in them in nested tuples."""
    if isinstance(thing, tuple):
        names = getattr(thing, "_fields", range(len(thing)))
        for part, value in zip(names, thing, strict=True):
            yield from leaves(value, f"{name}.{part}")
    elif np.size(thing):
        yield name.removeprefix("."), np.ascontiguousarray(thing)


def leaf_digests(model):
    """(digest, name) of every array of a model, sorted by digest."""
    return sorted((digest_of([array]), name) for part in MODEL_PARTS for name, array in leaves(getattr(model, part), part))


def digest_of(values):
    """Kind and bytes of arrays and numbers, text as it is, one after the other."""
    digest = sha256()
    for value in values:
        if isinstance(value, str):
            digest.update(value.encode())
        else:
            array = np.ascontiguousarray(value)
            digest.update(array.dtype.kind.encode() + array.tobytes())
    return digest.hexdigest()[:DIGITS]


def model_digest(model):
    """Independent of names, shapes and order of the arrays."""
    return digest_of(digest for digest, _ in leaf_digests(model))


def state_parts(simulator, recording):
    """Names and values that say where a run has come to and how."""
    state, counts = simulator.state, simulator.counts()
    yield from ("time", state.time, "position", state.position, "velocity", state.velocity)
    for name, (column, width) in RIGID_COLUMNS.items():
        yield from (name, state.rigid(column, width))
    tables = {"ledger": state.ledger(), "counts": {name: counts[name] for name in COUNTS}}
    if recording is not None:
        tables |= {"frames": {name: getattr(recording, name) for name in FRAMES}, "frames of the ledger": recording.ledger,
                   "sensors": recording.sensors, "steps": recording.steps}
        contacts = recording.rows.get("contacts", {})   # a bag, as its columns are named inside the package
        yield from sorted(digest_of([column]) for column in contacts.values())
    for table, columns in tables.items():
        for name in sorted(columns):
            yield from (f"{table}: {name}", columns[name])


def figures(simulator):
    """A few numbers of model and state, for machines whose libraries round otherwise."""
    model, state, ledger = simulator.model, simulator.state, simulator.state.ledger()
    numbers = [np.abs(array) for part in MODEL_PARTS for _, array in leaves(getattr(model, part)) if array.dtype.kind == "f"]
    found = {"model": sum(np.log1p(array[np.isfinite(array)]).sum() for array in numbers), "time": state.time,
             "kinetic": ledger["kinetic"], "contact": ledger.get("contact", 0.0), "position": np.linalg.norm(state.position),
             "velocity": np.linalg.norm(state.velocity)}
    return {name: float(f"{value:.10g}") for name, value in found.items()}


def met_contact(simulator):
    """Whether anything has touched; None where nothing can."""
    ledger = simulator.state.ledger()
    return bool(ledger["contact"] or ledger["contact_dissipation"]) if "contact" in ledger else None


# --- simulations ---------------------------------------------------------------------------------------------------
class Short:
    """Simulations that stop after some attempts and leave an entry each in `entries`, whoever starts them."""

    def __init__(self, attempts, threads):
        self.attempts, self.threads, self.entries = attempts, threads, []

    def note(self, simulator, recording=None):
        self.entries.append({"model": model_digest(simulator.model),
                             "state": digest_of(state_parts(simulator, recording)),
                             "figures": figures(simulator), "met contact": met_contact(simulator)})

    def relax(self, thing, tolerance=1e-8, **_):
        """Some steps of `relax` from the start; the caller gets the shape so far."""
        simulator = thing if isinstance(thing, Simulator) else Simulator(thing)
        with suppress(NoEquilibrium):
            relax_function(simulator, tolerance, step_limit=RELAX_STEPS)
        self.note(simulator)
        state = simulator.state
        return SimpleNamespace(position=state.position.copy(), rigid_position=state.rigid(CENTRE).copy(),
                               rigid_orientation=state.rigid(ORIENTATION, 4).copy(), residual=0.0, load=1.0, rounding=0.0)

    @contextmanager
    def patched(self):
        """Within, every simulation is short."""
        begin, run = Simulator.__init__, Simulator.run
        callers = [module for module in list(sys.modules.values()) if module.__name__.startswith("robotphi.verification.")
                   and getattr(module, "relax", None) is relax_function]

        def limited_begin(simulator, model, threads=None, controllers=None):
            model.scene.stepping = replace(model.scene.stepping, attempt_limit=self.attempts)
            begin(simulator, model, self.threads, controllers)

        def noted_run(simulator, **_):
            recording = run(simulator)
            self.note(simulator, recording)
            return lengthened(recording, simulator.frame_times)

        Simulator.__init__, Simulator.run = limited_begin, noted_run
        for module in callers:
            module.relax = self.relax
        try:
            yield
        finally:
            Simulator.__init__, Simulator.run = begin, run
            for module in callers:
                module.relax = relax_function


def lengthened(recording, times):
    """A recording with all its frames, those that lack like the last one: most cases then go on to their next simulation."""
    lacking = len(times) - len(recording)

    def longer(array):
        return np.concatenate([array, np.repeat(array[-1:], lacking, axis=0)])

    rows = {table: {**columns, "start": longer(columns["start"])} for table, columns in recording.rows.items()}
    arrays = {name: longer(getattr(recording, name)) for name in FRAMES}
    groups = {group: {name: longer(values) for name, values in getattr(recording, group).items()}
              for group in ("ledger", "sensors")}
    return replace(recording, **{**arrays, "time": np.array(times)}, **groups, rows=rows)


def sources():
    """What has entries: "scenario …" and "case …"."""
    return [f"scenario {name}" for name in list_scenarios()] + [f"case {name}" for name in all_cases() if name not in SILENT]


@cache
def entries_of(source, threads):
    """Name → entry of the simulations that a scenario or a case starts."""
    kind, _, name = source.partition(" ")
    short, cases = Short(LONGER.get(source, ATTEMPTS), threads), all_cases()
    with short.patched(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if kind == "scenario":
            Simulator(build_model(load_scenario(name).module.build())).run()
            return {source: short.entries[0]}
        with suppress(Exception):  # a case may stumble over runs cut short: its simulations up to there are what is wanted
            cases[name].run()
    return {f"{source}, run {place:02}": entry for place, entry in enumerate(short.entries, 1)}


def source_of(name):
    """The scenario or case of an entry."""
    return name.partition(", run ")[0]


# --- libraries -----------------------------------------------------------------------------------------------------
def libraries():
    """Versions of the libraries that building uses, and a digest of bits that depend on the code they choose."""
    random = np.random.default_rng(1)
    a, x = random.normal(size=(24, 24)), random.uniform(0.1, 3.0, 1000)   # too small for OpenBLAS to share out
    symmetric = a @ a.T
    found = [symmetric, np.einsum("ij,kj->ik", a[:7], a[:5]), np.sum(x), np.sum(a, axis=0), np.linalg.norm(a, axis=1),
             a[0] @ a[1], np.linalg.det(a), np.linalg.inv(a), np.linalg.solve(a, x[:24]), np.linalg.qr(a)[0],
             np.linalg.lstsq(a[:, :20], x[:24], rcond=None)[0], *np.linalg.eigh(symmetric), *np.linalg.svd(a),
             scipy.linalg.solve(a, x[:24]), *scipy.linalg.eigh(symmetric), np.arccos(x / 4), np.arcsin(x / 4),
             *(f(x) for f in (np.sin, np.cos, np.tan, np.exp, np.log, np.arctan, np.tanh)), np.arctan2(x[1:], x[:-1]),
             np.hypot(x[1:], x[:-1]), x ** 1.5, x ** -0.3]
    found += [[f(value) for value in x] for f in (math.sin, math.cos, math.tan, math.exp, math.log, math.atan)]
    found += [[value ** 1.3 for value in x.tolist()]]
    return f"numpy {np.__version__}, scipy {scipy.__version__}, bits {digest_of(found)}"


def variants():
    """Name → environment in which the libraries compute as on another processor; the first is this machine as it is."""
    core = getattr(np, "_core", None) or np.core   # before and after numpy 2
    features = core._multiarray_umath.__cpu_features__
    dispatched = " ".join(name for name in core._multiarray_umath.__cpu_dispatch__ if features.get(name))
    plain = {"NPY_DISABLE_CPU_FEATURES": dispatched}
    libm = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX2_Usable,-FMA_Usable,-FMA4_Usable"}
    own = {name: None for name in os.environ if name.startswith("OPENBLAS_")}   # None: taken away
    found = {"here": {}, "OpenBLAS as it chooses": own, "numpy without extensions": plain, "libm without extensions": libm}
    for name in ("Prescott", "Haswell", "SkylakeX"):
        found[f"OpenBLAS for {name}"] = {"OPENBLAS_CORETYPE": name}
    found["OpenBLAS with 1 thread"] = {"OPENBLAS_NUM_THREADS": "1"}
    found["OpenBLAS with 2 threads"] = {"OPENBLAS_NUM_THREADS": "2"}
    found["all without extensions"] = plain | libm | {"OPENBLAS_CORETYPE": "Prescott"}
    return found


# --- the file ------------------------------------------------------------------------------------------------------
@cache
def stored():
    """Of the file: "libraries", variant → probe, and "entries"."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"libraries": {}, "entries": {}}


def write(probes, entries):
    """One line an entry, sorted."""
    def block(table):
        return ",\n".join(f"  {json.dumps(name, ensure_ascii=False)}: {json.dumps(table[name], ensure_ascii=False)}"
                          for name in table)

    text = f'{{"libraries": {{\n{block(probes)}\n }},\n "entries": {{\n{block(dict(sorted(entries.items())))}\n }}}}\n'
    FILE.write_text(text, encoding="utf-8")


def difference(found, known, machine_known):
    """What is wrong with an entry, "" where nothing is."""
    pairs = [(known["model"], known["state"]), *(tuple(pair) for pair in known.get("others", {}).values())]
    if (found["model"], found["state"]) in pairs:
        return ""
    if found["model"] in [model for model, _ in pairs]:
        return "the state differs, the model does not"
    if "others" not in known or machine_known:
        return "the model differs"
    off = [f"{name} is {found['figures'][name]:.10g}, not {value:.10g}" for name, (value, tolerance) in known["figures"].items()
           if not abs(found["figures"][name] - value) <= tolerance]
    return ", ".join(off)


def check_entry(name, threads=1):
    """What is wrong with an entry of the file, computed here; "" where nothing is."""
    found = entries_of(source_of(name), threads).get(name)
    if found is None:
        return "this simulation is not started any more"
    return difference(found, stored()["entries"][name], this_machine() in stored()["libraries"].values())


@cache
def this_machine():
    return libraries()


# --- commands ------------------------------------------------------------------------------------------------------
def chosen_sources(only):
    """Those with an entry whose name contains the text; of a text that names no entry, those whose own name does."""
    known = {source_of(name) for name in stored()["entries"] if only in name}
    return [source for source in sources() if only in source or source in known]


def computed(only, threads):
    """Name → entry of all that is chosen."""
    return {name: entry for source in chosen_sources(only) for name, entry in entries_of(source, threads).items()}


def under(variant, only, threads):
    """The same computed by another process in the environment of a variant."""
    command = [sys.executable, __file__, "--print", "--only", only, "--threads", str(threads)]
    print(f"computing: {variant}", flush=True)
    environment = {name: value for name, value in (os.environ | variants()[variant]).items() if value is not None}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(run.stderr)
    return json.loads(run.stdout)


def merged(results):
    """Entries of all variants as the file holds them."""
    entries = {}
    for name, entry in results["here"]["entries"].items():
        pairs = {}
        for variant, result in results.items():
            other = result["entries"][name]
            pair = [other["model"], other["state"]]
            if pair != [entry["model"], entry["state"]] and pair not in pairs.values():
                pairs[variant] = pair
        more = {"others": pairs, "figures": with_tolerance(results, name)} if pairs else {}
        entries[name] = {"model": entry["model"], "state": entry["state"], **more}
    return entries


def renew(only, threads):
    """Write the file anew, tell what changed, and what depends on the processor."""
    results = {variant: under(variant, only, threads) for variant in variants()}
    before, fresh = stored()["entries"], merged(results)
    kept = {name: entry for name, entry in before.items() if only and source_of(name) not in chosen_sources(only)}
    for name in sorted(before.keys() | fresh.keys()):
        if name in kept:
            continue
        old, new = before.get(name), fresh.get(name)
        words = ["new"] if old is None else ["gone"] if new is None else [p for p in ("model", "state") if old[p] != new[p]]
        if words:
            print(f"{name}: {' and '.join(words)}")
    for name, entry in fresh.items():
        if "others" in entry:
            coarse = [figure for figure, (value, allowed) in entry["figures"].items() if allowed > 1e-3 * abs(value) > SMALL]
            print(f"{name} depends on the processor: {', '.join(entry['others'])}", *coarse)
        if results["here"]["entries"][name]["met contact"] is False:
            print(f"{name} meets no contact")
    probes = {}
    for variant, result in results.items():
        if result["libraries"] not in probes.values():
            probes[variant] = result["libraries"]
    write(probes, kept | fresh)


def with_tolerance(results, name):
    """Figure → its value on this machine and how far from it another machine may be."""
    rows = [result["entries"][name]["figures"] for result in results.values()]
    found = {}
    for figure, value in rows[0].items():
        spread = max(abs(row[figure] - value) for row in rows)
        tolerance = max(LEAST_TOLERANCE * abs(value), TIMES_SPREAD * spread, SMALL)
        found[figure] = [value, float(f"{tolerance:.1e}")]
    return found


def check(only, threads):
    """Tell which entries differ; returns their number."""
    wrong = 0
    found = computed(only, threads)
    known = stored()["entries"]
    for name in sorted(found.keys() | {name for name in known if source_of(name) in chosen_sources(only)}):
        problem = check_entry(name, threads) if name in known else "not in the file; renew it"
        if problem:
            wrong += 1
            print(f"{name}: {problem}")
    print(f"{len(found)} entries, {wrong} of them differ")
    return wrong


def print_leaves(source):
    """Every array of the model of a scenario, by name."""
    model = build_model(load_scenario(source.removeprefix("scenario ")).module.build())
    for digest, name in sorted(leaf_digests(model), key=lambda pair: pair[1]):
        print(digest, name)


def main():
    parser = argparse.ArgumentParser(description="Digests of what the simulator computes.")
    parser.add_argument("--check", action="store_true", help="compare with the file (this is what is done without a command)")
    parser.add_argument("--renew", action="store_true", help="compute the file anew")
    parser.add_argument("--print", action="store_true", help="entries of this process as JSON")
    parser.add_argument("--leaves", metavar="SCENARIO", help="digest of every array of the model of a scenario")
    parser.add_argument("--only", default="", metavar="TEXT", help="entries whose name contains it")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    if given.leaves:
        print_leaves(given.leaves)
    elif given.renew:
        renew(given.only, given.threads)
    elif given.print:
        print(json.dumps({"libraries": libraries(), "entries": computed(given.only, given.threads)}))
    else:
        sys.exit(bool(check(given.only, given.threads)))


if __name__ == "__main__":
    main()
