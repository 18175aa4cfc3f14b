"""Distance queries timed against C, coal and FCL on the same polyhedra: `python tests/speed/collision.py [--json]`.

One part turns and moves about another, apart from it: in poses of both at random (cold), and in steps of 1 mm and 0.002 rad
(warm: each query starts with the last simplex). C and our kernel run their loops inside; coal and FCL are called from Python,
once per query. Where coal or FCL is not installed its columns are left out.
"""
import argparse
import ctypes
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numba
import numpy as np
from scipy.spatial import ConvexHull

from robotphi.kernels.compiling.store import keep
from robotphi.kernels.contact.find.gjk import nearest
from robotphi.kernels.contact.find.simplex import NONE

from .native import FLAGS, CompilerMissing
from .timing import sample, slope, summary

SOURCE = Path(__file__).with_name("gjk.c")
COUNTS = (8, 36, 100, 500)
AXES = (0.1, 0.07, 0.05)        # m, half axes
POSES = 16
STEP, TURN = 1e-3, 2e-3         # m and rad between coherent poses
QUERIES = 4_000     # of one timing …
PIECES = 5          # … of which so many are taken and the least counts: a millisecond is easily disturbed
REPEATS = 7
SEED = 1988
COLD_LIMIT, WARM_LIMIT, PEER_LIMIT, SLOPE_LIMIT = 1.5, 2.2, 4.0, 1.1


def shape(count, generator):
    """Corners and triangles of a box, or of points on an ellipsoid."""
    if count == 8:
        points = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.array(AXES)
    else:
        points = generator.normal(size=(count, 3))
        points *= np.array(AXES) / np.linalg.norm(points, axis=1, keepdims=True)
    return points, ConvexHull(points).simplices


def turned(vector):
    """Rotation matrix of a rotation vector (Rodrigues)."""
    angle = np.linalg.norm(vector)
    x, y, z = vector / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def poses_of(coherent, generator):
    """Rotations and places of the moving part, apart from the other."""
    rotation, place = turned(generator.normal(size=3) * 2), np.array([0.25, 0.02, 0.03])
    if coherent:
        drift, spin = generator.normal(size=(2, 3))
        drift, spin = STEP * drift / np.linalg.norm(drift), TURN * spin / np.linalg.norm(spin)
        return [(turned(spin * (k + 1)) @ rotation, place + k * drift) for k in range(POSES)]
    found = []
    for _ in range(POSES):
        direction = generator.normal(size=3)
        found.append((turned(generator.normal(size=3) * 2),
                      generator.uniform(0.21, 0.3) * direction / np.linalg.norm(direction)))
    return found


class Polyhedra:
    """All poses of A one after the other and then B, as the kernels read them."""

    def __init__(self, count, coherent, climbed, seed):
        generator = np.random.default_rng(seed)
        self.a, self.b = shape(count, generator), shape(count, generator)
        self.count, self.poses = count, poses_of(coherent, generator)
        self.turns = [np.eye(3)] if coherent else [turned(generator.normal(size=3) * 2) for _ in range(POSES)]
        sets = [self.a[0] @ r.T + p for r, p in self.poses] + [self.b[0] @ r.T for r in self.turns]
        self.position = np.zeros((len(sets) * count, 4))
        self.position[:, :3] = np.concatenate(sets)
        self.vertex = np.arange(len(self.position), dtype=np.int32)
        joined = [set() for _ in self.vertex]
        for k in range(len(sets)) if climbed else ():
            for triangle in (self.a if k < POSES else self.b)[1] + k * count:
                for i in range(3):
                    joined[triangle[i]] |= {int(triangle[i - 1]), int(triangle[i - 2])}
        self.neighbour_start = np.cumsum([0] + [len(j) for j in joined]).astype(np.int32)
        self.neighbour = np.array([k for j in joined for k in sorted(j)] + [0], np.int32)
        self.out = np.zeros(POSES + 1)

    def arguments(self, warm, queries):
        """Number of queries, and the arguments of `queries`: whole rounds over all poses of B."""
        rounds = len(self.turns) * max(1, queries // (2 * (POSES - 1) * len(self.turns)))
        return rounds * 2 * (POSES - 1), (self.position, self.vertex, self.neighbour_start, self.neighbour, POSES, self.count,
                                          len(self.turns), rounds, warm, self.out)

    def path(self):
        """Poses of A and B in the order of `queries`."""
        return [(k, j) for j in range(len(self.turns)) for k in (*range(POSES), *range(POSES - 2, 0, -1))]


@keep
@numba.njit(error_model="numpy", nogil=True)
def queries_of_ours(position, vertex, neighbour_start, neighbour, poses, count, turns, rounds, warm, out):
    """As `queries` of gjk.c."""
    pose, way, iterations = 0, 1, 0
    total = 0.0
    kept = NONE
    for q in range(2 * rounds * (poses - 1)):
        b_first = (poses + q // (2 * (poses - 1)) % turns) * count
        if not warm:
            kept = NONE
        distance, n, (k, a0, a1, a2, a3, b0, b1, b2, b3), weights, done = nearest(
            position, vertex, pose * count, (pose + 1) * count, b_first, b_first + count, neighbour_start, neighbour,
            (0.0, 0.0, 0.0), kept)
        total += distance + 1e-30 * (n[0] + weights[0])
        iterations += done
        out[pose] = distance
        if pose + way < 0 or pose + way >= poses:
            way = -way
        pose += way
        by = way * count
        kept = (k, a0 + by, a1 + by, a2 + by, a3 + by, b0, b1, b2, b3)
    out[poses] = iterations / (2 * rounds * (poses - 1))
    return total


def build_queries(folder):
    """Compile gjk.c into `folder`; its function `queries`."""
    compiler = shutil.which("gcc")
    if compiler is None:
        raise CompilerMissing("no C compiler: the measure is C code, built when it is needed; "
                              "install gcc (Debian and Ubuntu: apt install gcc libc6-dev) and run this again")
    library = Path(folder) / "gjk.so"
    done = subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(library), "-lm"], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise CompilerMissing(f"{compiler} cannot build {SOURCE.name}:\n{done.stderr.strip()}")
    function = ctypes.CDLL(str(library)).queries
    function.restype = ctypes.c_double
    return function


def least(run, number):
    """A case: the least cost of one query [s] over PIECES calls of `run`, each of `number` queries."""
    def case():
        costs = []
        for _ in range(PIECES):
            start = time.perf_counter()
            run()
            costs.append((time.perf_counter() - start) / number)
        return min(costs)
    return case


def of_c(function, polyhedra, warm, queries):
    """A case in C."""
    number, (*arrays, poses, count, turns, rounds, _, out) = polyhedra.arguments(warm, queries)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    numbers = [ctypes.c_int64(value) for value in (poses, count, turns, rounds, int(warm))]
    return least(lambda: function(*pointers, *numbers, ctypes.c_void_p(out.ctypes.data)), number)


def of_ours(polyhedra, warm, queries):
    """A case on our kernel."""
    number, arguments = polyhedra.arguments(warm, queries)
    return least(lambda: queries_of_ours(*arguments), number)


def of_coal(coal, polyhedra, cached, queries):
    """Coal called from Python; its guess kept between queries, or not."""
    def convex(points, triangles):
        points_list = coal.StdVec_Vec3s()
        points_list.extend([np.array(p) for p in points])
        facets = coal.StdVec_Triangle()
        facets.extend([coal.Triangle(*map(int, t)) for t in triangles])
        return coal.Convex(points_list, facets)

    a, b = convex(*polyhedra.a), convex(*polyhedra.b)
    places = [coal.Transform3s(r, p) for r, p in polyhedra.poses]
    turns = [coal.Transform3s(r, np.zeros(3)) for r in polyhedra.turns]
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    if cached:
        request.gjk_initial_guess = coal.GJKInitialGuess.CachedGuess
    path = polyhedra.path()

    rounds = max(1, queries // len(path))

    def run():
        for _ in range(rounds):
            for k, j in path:
                result.clear()
                coal.distance(a, places[k], b, turns[j], request, result)
                if cached:
                    request.updateGuess(result)
    return least(run, rounds * len(path))


def of_fcl(fcl, polyhedra, queries):
    """FCL called from Python."""
    def convex(points, triangles):
        facets = np.concatenate([np.full((len(triangles), 1), 3), triangles], axis=1).flatten()
        return fcl.CollisionObject(fcl.Convex(points, len(triangles), facets), fcl.Transform())

    def outward(points, triangles):
        a, b, c = points[triangles[:, 0]], points[triangles[:, 1]], points[triangles[:, 2]]
        flip = np.einsum("ij,ij->i", np.cross(b - a, c - a), a) < 0
        return np.where(flip[:, None], triangles[:, ::-1], triangles)

    a, b = (convex(points, outward(points, triangles)) for points, triangles in (polyhedra.a, polyhedra.b))
    places = [fcl.Transform(r, p) for r, p in polyhedra.poses]
    turns = [fcl.Transform(r, np.zeros(3)) for r in polyhedra.turns]
    request = fcl.DistanceRequest(enable_nearest_points=True)
    path = polyhedra.path()

    rounds = max(1, queries // len(path))

    def run():
        for _ in range(rounds):
            for k, j in path:
                a.setTransform(places[k])
                b.setTransform(turns[j])
                fcl.distance(a, b, request, fcl.DistanceResult())
    return least(run, rounds * len(path))


def peers():
    """coal and fcl, as far as they are installed."""
    found = {}
    for name in ("coal", "fcl"):
        try:
            found[name] = __import__(name)
        except ImportError:
            continue
    return found


def measure(queries=QUERIES, repeats=REPEATS, counts=COUNTS):
    """Costs of one query [s], ratios and iterations for every number of corners, and the slope of the warm cost."""
    generator, found = np.random.default_rng(SEED), peers()
    figures = {}
    with tempfile.TemporaryDirectory(prefix="robotphi-bench-") as folder:
        function = build_queries(folder)
        for count in counts:
            figures[count] = measure_count(function, found, count, queries, repeats, generator)
    slopes = {}
    for case in ("c warm climb", "warm climb"):
        costs = [figures[count]["cost"][case]["median"] for count in counts]
        slopes[case] = slope(counts, costs)
    return {"counts": figures, "slopes": slopes}


def measure_collision(quick=False):
    """All figures; `quick` with short and few repeats."""
    return measure(QUERIES // 4, 3) if quick else measure()


def measure_count(function, found, count, queries, repeats, generator):
    cases, answers = {}, {}
    for climbed, way in ((True, "climb"), (False, "scan")):
        at_random, coherent = (Polyhedra(count, together, climbed, SEED + count) for together in (False, True))
        for warm, polyhedra in ((False, at_random), (True, coherent)):
            name = f"{'warm' if warm else 'cold'} {way}"
            cases["c " + name] = of_c(function, polyhedra, warm, queries)
            cases[name] = of_ours(polyhedra, warm, queries)
            answers["c " + name] = answers[name] = polyhedra
        cases[f"coherent cold {way}"] = of_ours(coherent, False, queries)
        cases[f"c coherent cold {way}"] = of_c(function, coherent, False, queries)
    if "coal" in found:
        cases["coal"] = of_coal(found["coal"], at_random, False, queries // 5)
        cases["coal coherent"] = of_coal(found["coal"], coherent, False, queries // 5)
        cases["coal cached"] = of_coal(found["coal"], coherent, True, queries // 5)
    if "fcl" in found:
        cases["fcl"] = of_fcl(found["fcl"], at_random, queries // 5)
        cases["fcl coherent"] = of_fcl(found["fcl"], coherent, queries // 5)
    iterations, distance = {}, {}
    for name, case in cases.items():      # compiled and in the caches before the clock runs
        case()
        if name in answers:
            iterations[name] = float(answers[name].out[-1])
            distance[name] = answers[name].out[:-1].copy()
    apart = max(float(abs(distance[name] - distance["c " + name]).max()) for name in distance if not name.startswith("c "))
    samples = sample(cases, repeats, generator)
    cost = {name: summary(values) for name, values in samples.cost.items()}

    def best(prefix):
        return min((prefix + " climb", prefix + " scan"), key=lambda name: cost[name]["median"])

    pairs = {"cold / C": (best("cold"), best("c cold")), "warm / C": (best("warm"), best("c warm"))}
    if "coal" in found:
        pairs |= {"coal / cold": ("coal", best("cold")), "coal coherent / warm": ("coal coherent", best("warm")),
                  "coal cached / warm": ("coal cached", best("warm"))}
    return {"cost": cost, "iterations": iterations, "disagreement": apart, "disturbed": samples.disturbed,
            "ratio": {name: summary(samples.ratio(*pair)) for name, pair in pairs.items()}}


def judge_collision(results):
    """The budgets: what, particles (here corners), found, allowed, met."""
    budgets = []

    def add(what, count, found, limit, least=False):
        value = found["median"] if isinstance(found, dict) else found
        budgets.append({"what": what, "particles": count, "found": found, "allowed": f"{'≥' if least else '≤'} {limit}",
                        "met": bool(value >= limit if least else value <= limit)})

    for count, figures in results["counts"].items():
        ratio = figures["ratio"]
        add("distance, cold / C", count, ratio["cold / C"], COLD_LIMIT)
        add("distance, warm / C", count, ratio["warm / C"], WARM_LIMIT)
        for name in ("coal / cold", "coal coherent / warm"):
            if name in ratio:
                add("distance, " + name, count, ratio[name], PEER_LIMIT, least=True)
    add("log–log slope, distance, warm", None, results["slopes"]["warm climb"], SLOPE_LIMIT)
    return budgets


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else")
    parser.add_argument("--quick", action="store_true", help="3 short repeats")
    options = parser.parse_args(arguments)
    try:
        results = measure_collision(options.quick)
    except CompilerMissing as missing:
        print(f"collision: {missing}", file=sys.stderr)
        return 2
    document = {**results, "budgets": judge_collision(results)}
    if options.json:
        print(json.dumps(document))
        return 0
    for count, figures in results["counts"].items():
        print(f"{count} corners, ns per query; C and ours apart by {figures['disagreement']:.1e} m")
        for name, cost in figures["cost"].items():
            print(f"    {name:24s}{cost['median'] * 1e9:9.1f} ({cost['min'] * 1e9:.1f} … {cost['max'] * 1e9:.1f})"
                  + (f"   {figures['iterations'][name]:.2f} iterations" if name in figures["iterations"] else ""))
        for name, ratio in figures["ratio"].items():
            print(f"    {name:24s}{ratio['median']:9.2f} ({ratio['min']:.2f} … {ratio['max']:.2f})")
    print("slopes", results["slopes"])
    for budget in document["budgets"]:
        if not budget["met"]:
            print("missed:", budget["what"], budget["particles"], budget["allowed"])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
