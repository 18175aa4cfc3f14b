"""The way of things through the code, from a scene to its picture: how many files must one read to follow it?

    python tests/way/way.py [spring] [box] [pad] [--list | --json]

Three ways, written as a user would write them:

* spring: a linear spring between two particles, with a sensor of its tension → simulate → the sensor → `view.scenes`
* box: a rigid box that presses on a plane → simulate → the contacts of the last frame → `view.touching`
* pad: a soft pad on a plane, under a rigid block → the same

What counts:

* A *file* is visited where at least one of its functions is called between the first line of the scene and the saved picture.
  Module level code (imports, class bodies, tables) does not count: all of robotphi is imported before.
* An *edge* is an ordered pair (caller's file, callee's file) of two different files, however often and by whatever functions
  the one calls the other. Of a call that comes back through a library (a constructor that `dataclass` made, numpy, matplotlib),
  the caller is the function of ours that is nearest on the stack. What the user calls has no caller and makes no edge.
* Lambdas, comprehensions, generators and properties belong to the file in which they are written. Constructors that `dataclass`
  and `NamedTuple` make are written in no file, so they are not visits by themselves; a `__post_init__` is.
* Kernels run as plain Python (NUMBA_DISABLE_JIT), so that calls between them are calls like others. Pictures are drawn by
  matplotlib, also where pyvista could.

Each way has a process of its own: what one leaves in a cache would hide calls of the next.
"""
import argparse
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = str(ROOT / "robotphi") + os.sep
ATTEMPTS = 12   # steps are slow in plain Python; more of them visit nothing new


# The three ways ----------------------------------------------------------------------------------------------------

def spring(folder):
    """Two particles joined by a linear spring."""
    from robotphi import Scene, build_model, simulate
    from robotphi.view import scenes

    scene = Scene("spring", duration=0.02, frames=2)
    top = scene.add_particle("top", (0, 0, 0), mass=1.0, support="xyz")
    bob = scene.add_particle("bob", (0, 0, -1), mass=1.0)
    thread = scene.add_linear("thread", top, bob, stiffness=100.0, viscosity=0.5)
    scene.add_sensor("pull", "tension", thread)
    recording = simulate(scene)
    assert recording.sensors["pull"][-1] > 0.0
    scenes.picture_frames(recording, build_model(scene), folder / "spring.png", frames=2)


def box(folder):
    """A rigid box on a plane, 0.1 mm deep in it."""
    scene, rubber = ground("box")
    scene.add_object("box", block(0.1, 0.0499), contact=rubber)
    recording = touched(scene, pairs=1)
    picture(recording, scene, folder)


def pad(folder):
    """A soft pad on a plane and a rigid block on the pad, each 0.1 mm deep in what is below."""
    from robotphi.discretise import Material, deformable, discretise
    from robotphi.geometry import shapes

    scene, rubber = ground("pad")
    mesh = discretise(shapes.box((0.1, 0.1, 0.05), (0, 0, 0.0249)), size=0.05)
    soft = deformable(mesh, Material(young=2e5, damping_ratio=0.1))
    scene.add_object("pad", soft, contact=rubber)
    scene.add_object("block", block(0.08, 0.0898), contact=rubber)
    recording = touched(scene, pairs=2)
    picture(recording, scene, folder)


def ground(name):
    """A scene with a plane, and what everything in it is made of on the outside."""
    from robotphi import ContactMaterial, Scene, Stepping

    rubber = ContactMaterial(young=1e6, thickness=0.02, restitution=0.6, speed=1.0, friction=0.8)
    scene = Scene(name, duration=0.01, frames=1, stepping=Stepping(attempt_limit=ATTEMPTS))
    scene.add_plane("ground", contact=rubber)
    return scene, rubber


def block(size, height):
    """A rigid cube."""
    from robotphi.discretise import rigid
    from robotphi.geometry import shapes

    return rigid(shapes.box(size, (0, 0, height)), density=900)


def touched(scene, pairs):
    """The recording of a scene, in whose last frame so many pairs touch."""
    from robotphi import simulate

    recording = simulate(scene)
    assert len(recording.contacts().first) == pairs
    return recording


def picture(recording, scene, folder):
    from robotphi.view.touching import picture_touching

    picture_touching(recording, scene, folder / "touching.png", frames=1)


WAYS = {"spring": spring, "box": box, "pad": pad}


# Following one -----------------------------------------------------------------------------------------------------

class Tracer:
    """A profile function that notes which functions of ours are called, and from which other files of ours."""

    def __init__(self):
        self.functions = defaultdict(dict)      # file → name of a visited function → its number of lines
        self.edges = defaultdict(set)           # (caller's file, callee's file) → names of the functions called

    def __call__(self, frame, event, argument):
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(PACKAGE):
            return
        file = code.co_filename[len(PACKAGE):]
        name = full_name(code)
        self.functions[file][name] = max(length(code), self.functions[file].get(name, 0))
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(PACKAGE):
            caller = caller.f_back
        if caller is not None and caller.f_code.co_filename != code.co_filename:
            self.edges[caller.f_code.co_filename[len(PACKAGE):], file].add(name)


def full_name(code):
    """Class and function; of what is written within a function, that function."""
    return getattr(code, "co_qualname", code.co_name).split(".<locals>")[0]


def length(code):
    """Lines of a function, without those of functions within it."""
    return max(line for *_, line in code.co_lines() if line) - code.co_firstlineno + 1


def import_everything():
    """Import every module of the package, so that imports within functions find it done; the entry point would run."""
    import robotphi

    for module in pkgutil.walk_packages(robotphi.__path__, "robotphi."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def follow(name):
    """Plain data about one way, from this process."""
    sys.path.insert(0, str(ROOT))
    import_everything()
    from robotphi.view import style

    style.TRIAL = "raise SystemExit(1)"  # no window to draw in: on every machine the same way
    tracer = Tracer()
    with tempfile.TemporaryDirectory() as folder:
        sys.setprofile(tracer)
        try:
            WAYS[name](Path(folder))
        finally:
            sys.setprofile(None)
    return {"way": name, "files": len(tracer.functions), "edges": len(tracer.edges),
            "visited": {file: {"lines": len(Path(PACKAGE, file).read_text(encoding="utf-8").splitlines()),
                               "functions": dict(sorted(tracer.functions[file].items()))} for file in sorted(tracer.functions)},
            "calls": [[*pair, sorted(tracer.edges[pair])] for pair in sorted(tracer.edges)]}


def followed(name):
    """What `follow` finds in a process of its own, where kernels are plain Python."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "MPLBACKEND": "Agg"}
    done = subprocess.run([sys.executable, __file__, name, "--here"], env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


# Telling -----------------------------------------------------------------------------------------------------------

def room(file):
    """The folder of a file."""
    return str(Path("robotphi", file).parent)


def table(found):
    """One line a way."""
    lines = ["way      files  edges"]
    return lines + [f"{one['way']:8} {one['files']:5}  {one['edges']:5}" for one in found]


def listing(one):
    """Files and edges of a way, room by room."""
    calls = one["calls"]
    lines = [f"{one['way']}: {one['files']} files, {one['edges']} edges", "",
             "Files: their lines, the functions visited and the lines of these; how many files call it, how many it calls"]
    for folder in sorted({room(file) for file in one["visited"]}):
        own = {file: seen for file, seen in one["visited"].items() if room(file) == folder}
        lines.append(f"  {folder}: {len(own)} files")
        for file, seen in own.items():
            functions = seen["functions"]
            callers, called = (sum(pair[end] == file for pair in calls) for end in (1, 0))
            lines.append(f"    {Path(file).name:22}{seen['lines']:4} lines, visited {len(functions):3} functions of "
                         f"{sum(functions.values()):4} lines; in {callers:2}, out {called:2}")
    lines += ["", "Edges: who calls what"]
    rooms = sorted({(room(caller), room(callee)) for caller, callee, _ in calls})
    for start, end in rooms:
        own = [pair for pair in calls if (room(pair[0]), room(pair[1])) == (start, end)]
        lines.append(f"  {start} → {end}: {len(own)}" if start != end else f"  within {start}: {len(own)}")
        lines += [f"    {Path(caller).name} → {Path(callee).name}: {', '.join(names)}" for caller, callee, names in own]
    return [*lines, ""]


def main():
    parser = argparse.ArgumentParser(description="Count the files and the calls between files from a scene to its picture.")
    parser.add_argument("ways", nargs="*", metavar="way", help=f"{', '.join(WAYS)}; all where left out")
    parser.add_argument("--list", action="store_true", help="print the files and edges, room by room")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := [name for name in options.ways if name not in WAYS]:
        parser.error(f"there is no way {unknown[0]!r}; choose from {', '.join(WAYS)}")
    if options.here:
        print(json.dumps(follow(options.ways[0])))
        return
    found = [followed(name) for name in options.ways or WAYS]
    if options.json:
        print(json.dumps(found, indent=1))
        return
    print("\n".join([line for one in found for line in listing(one)] if options.list else table(found)))


if __name__ == "__main__":
    main()
