"""Limits: what a file asks for is counted before it is made, so that a few words cannot fill the memory."""
import numpy as np

from robotphi.language.nodes import fail

MOST_PARTICLES = 1_000_000   # of a scene, and points of one shape or mesh
MOST_STATEMENTS = 100_000
MOST_REPEATED = 100_000      # of all repetitions together


class Counts:
    """What has been made so far."""

    def __init__(self):
        self.particles = self.statements = self.repeated = 0

    def made(self, word, given, node):
        """A function is going to be called."""
        count = POINTS.get(word, _none)(given)
        if not count <= MOST_PARTICLES:
            fail(node, f"{word} would make {count:.3g} points, more than {MOST_PARTICLES:,}", "make it coarser")

    def said(self, verb, given, node):
        """A verb is going to be called."""
        self.statements += 1
        if self.statements > MOST_STATEMENTS:
            fail(node, f"more than {MOST_STATEMENTS:,} things", "put many particles into one block")
        self.particles += ADDED.get(verb, _none)(given)
        if not self.particles <= MOST_PARTICLES:
            fail(node, f"the scene would have {self.particles:.3g} particles, more than {MOST_PARTICLES:,}", "make it coarser")

    def repeat(self, count, node):
        """Something is going to be repeated."""
        self.repeated += count
        if self.repeated > MOST_REPEATED:
            fail(node, f"{self.repeated:,} repetitions, over {MOST_REPEATED:,}", "repeat less: a block has many particles")


def _none(given):
    return 0


def _product(*numbers):
    """A product of what may be no numbers; those Python refuses later."""
    found = 1.0
    for number in numbers:
        values = _floats(number)
        found *= float(np.prod(np.maximum(values, 1.0)))
    return found


def _floats(value):
    try:
        found = np.asarray(value, dtype=float).reshape(-1)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)
    return np.where(np.isfinite(found), found, np.inf)


def points_of(thing):
    """The points of a shape, mesh or object, None of what has none."""
    for name in ("vertices", "points", "position"):
        found = getattr(thing, name, None)
        if isinstance(found, np.ndarray):
            return found
    parts = [points_of(part) for part in getattr(thing, "parts", ())]
    parts = [part for part in parts if part is not None and len(part)]
    return np.concatenate(parts) if parts else None


def _count(thing):
    points = points_of(thing)
    return 0 if points is None else len(points)


def _cells(given):
    """Points of a shape cut into cells."""
    points, counts, size = points_of(given.get("shape")), given.get("counts"), given.get("size")
    refine = given.get("refine")
    finer = max([1.0, *_floats(list(refine.values()))]) ** 3 if isinstance(refine, dict) else 1.0
    if counts is not None:
        values = _floats(counts)
        return float(np.prod(values + 1.0) if len(values) > 1 else np.prod(values + 1.0) ** 3) * finer
    if size is None or points is None:
        return 0
    size = float(size)
    if not size > 0.0:
        return 0
    with np.errstate(all="ignore"):
        return float(np.prod(np.ptp(points, axis=0) / size + 2.0)) * finer


def _faces(given):
    counts, corners = _floats(given.get("counts")), len(_floats(given.get("corners"))) / 3
    each = max(counts.max(initial=1.0), 1.0)
    return corners * each * float(_floats(given.get("rings") or each).max(initial=1.0))


POINTS = {
    "sphere": lambda given: 10 * 4.0 ** min(given["level"], 100) if given.get("level") else 0,
    "uv_sphere": lambda given: _product(given.get("sides", 24), given.get("rings", 12)),
    "capsule": lambda given: 2 * _product(given.get("sides", 24), given.get("rings", 6)),
    "cylinder": lambda given: 2 * _product(given.get("sides", 1)), "cone": lambda given: 2 * _product(given.get("sides", 1)),
    "regular_polygon": lambda given: _product(given.get("sides", 1)),
    "torus": lambda given: _product(given.get("sections", 24), given.get("sides", 12)),
    "tube": lambda given: 8 * _product(given.get("sides", 24)),
    "swept": lambda given: 4 * _product(len(_floats(given.get("path"))) / 3, len(_floats(given.get("profile"))) / 2),
    "height_field": lambda given: len(_floats(given.get("heights"))),
    "height_field_parts": lambda given: 12 * len(_floats(given.get("heights"))),
    "discretise": _cells,
    "quad_mesh": lambda given: _product(given.get("counts")) ** (1 if np.ndim(given.get("counts")) else 2),
    "polygon_mesh": _faces,
    "in_ring": lambda given: _product(given.get("count")) * max(_count(given.get("thing")), 1),
}
ADDED = {
    "add_particle": lambda given: 1, "add_particles": lambda given: len(_floats(given.get("positions"))) / 3,
    "add_rigid": lambda given: len(_floats(given.get("positions"))) / 3, "add_ball": lambda given: 1,
    "add_capsule": lambda given: 2, "add_cylinder": lambda given: 2, "add_wheel": lambda given: 2,
    "add_object": lambda given: _count(given.get("thing")),
    "add_grid": lambda given: _product(given.get("shape")), "add_rod": lambda given: _product(given.get("segments")),
    "add_height_field": lambda given: len(_floats(given.get("heights"))),
}
