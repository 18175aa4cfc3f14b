"""A table top whose cells are small where it will bend most, with a heap in its middle, bends as a plate.

RR-3072, figure 2.22: the discretisation is dense in the middle. A square top of side a and thickness h is held along its edges
(they may turn, but neither sink nor slide along themselves) and carries p(x, y) = W b(x) b(y), b(s) = (1 + cos 2π s/c)/c within
|s| < c/2. With p = Σ p_mn cos(mπx/a) cos(nπy/a), m and n odd, and λ = π² (m² + n²)/a² its middle sinks by

    w = Σ p_mn (1/(D λ²) + 1/(κ G h λ)),    D = E h³/(12 (1 − ν²)), κ = 5/6

which is Navier's series and the shear of Mindlin's plate (Timoshenko & Woinowsky-Krieger, Theory of Plates and Shells, § 28;
Wang, Reddy & Lee, Shear Deformable Beams and Plates, 2000: exactly this sum for plates with straight, simply supported edges).

* "slices": graded along x and y, so that all cells are boxes, at three refinements: the error falls with order 2, and the
  refinement says how far from the plate the finest may be.
* "upper facet": graded on the upper facet only, as in the figure. Its slanted cells are what springs fit worst, which leaves
  some per cent of the material that refinement does not take away; the object's certificate and its reached E tell.
"""
from functools import cache

import numpy as np

from robotphi import CheckFailed, Drive, Scene, Simulator, Stepping, build_model, relax
from robotphi.discretise import Material, deformable, discretise, moduli, strained_stiffness
from robotphi.geometry import KINDS, Mesh
from robotphi.geometry.shapes import box
from robotphi.scenario import run_scenario
from robotphi.verification.estimate import SAFETY, richardson, slope

SIDE, THICKNESS, YOUNG, POISSON = 1.0, 0.1, 1e7, 0.25    # m, m, Pa
HEAP, WEIGHT = 0.4, 60.0                                 # m, N: w is under a hundredth of the thickness
LAYERS = 6                                               # cells across the top for one through its thickness
DENSE, DENSER = ["middle", 1.3], ["middle", 1.5]
GRADINGS = {"slices": {"x": DENSE, "y": DENSE}, "upper facet": {"top": {"x": DENSER, "y": DENSER}}}
SLICES, FACET = GRADINGS
OF_SLANTED, OF_LAYERS = 0.04, 6.0                        # what slanted cells may be off; times 1/cells², what few layers may
PLATE = 0.01                                             # h²/a²: what a plate theory leaves out of a solid plate
TERMS = 100                                              # of the series; they fall with their fourth power and faster
QUICK = {"finest": 24, "refinements": 2, "facet": 12, "cells": 12}


@cache
def top(kind, cells):
    """The Object; its middle is the origin."""
    mesh = discretise(box((SIDE, SIDE, THICKNESS)), counts=(cells, cells, cells // LAYERS), grading=GRADINGS[kind])
    return deformable(mesh, Material(YOUNG, density=1000.0))


def heap(place):
    """b of the docstring [1/m]."""
    return np.where(np.abs(place) < HEAP / 2, 1 + np.cos(2 * np.pi * place / HEAP), 0.0) / HEAP


def loads(thing):
    """Particles of the upper facet that carry something, and how much [N]."""
    above = thing.regions["top"]
    x, y = thing.position[above, :2].T
    lines = np.unique(np.round(x, 9))
    ends = np.concatenate([lines[:1], (lines[1:] + lines[:-1]) / 2, lines[-1:]])
    share = heap(lines) * np.diff(ends)
    share /= share.sum()
    load = WEIGHT * share[np.searchsorted(lines, x - 1e-8)] * share[np.searchsorted(lines, y - 1e-8)]
    return above[load > 0], load[load > 0]


def build(kind=SLICES, cells=24, duration=0.01, frames=4, budget=1e-4):
    """One top, loaded for half the duration."""
    scene = Scene(f"table, {kind}, {cells} cells", duration=duration, frames=frames, gravity=(0, 0, 0),
                  stepping=Stepping(budget=budget))
    thing = top(kind, cells)
    placed = scene.add_object("top", thing, support={"left": "yz", "right": "yz", "front": "xz", "back": "xz"})
    until_half = Drive.steps([0.0, duration / 2], [1.0, 0.0])
    for particle, load in zip(*loads(thing), strict=True):
        scene.add_force(f"heap on {particle}", int(placed.particles[particle]), (0, 0, -load), until_half)
    return scene


def cases(levels, facet):
    return [*((SLICES, cells) for cells in levels), (FACET, facet)]


def levels_to(finest, refinements):
    """Numbers of cells in even steps, the last the finest."""
    return tuple(max(1, round(finest * step / refinements)) for step in range(1, refinements + 1))


def run(finest=36, refinements=3, facet=24):
    """Slices at all levels and one facet, brought to equilibrium, then let go."""
    found = {}
    for kind, cells in cases(levels_to(finest, refinements), facet):
        simulator = Simulator(build_model(build(kind, cells)))
        relax(simulator, tolerance=1e-5)
        found[name_of(kind, cells)] = simulator.run()
    return found


def name_of(kind, cells):
    return f"{kind}, {cells} cells"


def plate():
    """w in the middle [m]: bending and shear."""
    node, weight = np.polynomial.legendre.leggauss(TERMS)
    place, weight = HEAP / 2 * node, HEAP / 2 * weight
    m = np.arange(1, TERMS, 2)
    part = np.cos(np.outer(m, np.pi * place / SIDE)) @ (heap(place) * weight) * 2 / SIDE
    load, wave = WEIGHT * np.outer(part, part), (np.pi / SIDE) ** 2 * (m[:, None] ** 2 + m ** 2)
    stiffness, shear = YOUNG * THICKNESS ** 3 / (12 * (1 - POISSON ** 2)), 5 / 6 * YOUNG / (2 * (1 + POISSON)) * THICKNESS
    return float((load / (stiffness * wave ** 2)).sum()), float((load / (shear * wave)).sum())


def sinking(recording, kind, cells):
    """m, of the middle of the top."""
    thing = top(kind, cells)
    middle = np.argmin(np.linalg.norm(thing.position, axis=1))
    return thing.position[middle, 2] - recording.position[0, middle, 2]


def check(recordings, finest=36, refinements=3, facet=24):
    exact, levels = sum(plate()), levels_to(finest, refinements)
    depth = [sinking(recordings[name_of(SLICES, cells)], SLICES, cells) for cells in levels]
    figures = {"plate: sinks by [m]": exact, "plate: of which by shear [m]": plate()[1]}
    figures |= {f"{SLICES}, {cells} cells: error": value / exact - 1 for cells, value in zip(levels, depth, strict=True)}
    # Richardson's estimate at order 2, and what the plate leaves out
    allowed = SAFETY * richardson(depth[-2], depth[-1], ratio=levels[-1] / levels[-2]) / exact + PLATE
    order = -slope(levels, np.abs(np.array(depth) / exact - 1))
    figures |= {f"{SLICES}: allowed error": allowed, f"{SLICES}: order": order}
    if abs(depth[-1] / exact - 1) > allowed:
        raise CheckFailed(f"the top sinks by {depth[-1]:.6g} m, the plate by {exact:.6g} m: off by more than {allowed:.1e}")
    if not 1.6 < order < 2.6:
        raise CheckFailed(f"the top converges to the plate with order {order:.2f}, expected about 2")
    error = sinking(recordings[name_of(FACET, facet)], FACET, facet) / exact - 1
    figures[f"{FACET}, {facet} cells: error"] = error
    if abs(error) > OF_SLANTED + OF_LAYERS / facet ** 2:
        raise CheckFailed(f"the top graded on its upper facet is off the plate by {100 * error:.1f} %")
    strained = moduli(strained_stiffness(top(FACET, facet)))
    figures |= {f"{FACET}, {facet} cells: E reached along the plate [Pa]": strained["young"][:2].mean(),
                f"{FACET}, {facet} cells: E reached across it [Pa]": strained["young"][2],
                f"{FACET}, {facet} cells: nu reached": strained["mean_poisson"]}
    for kind, cells in cases(levels_to(finest, refinements), facet):
        rest = top(kind, cells).notes["certificate"]["rest"]
        figures[f"{kind}, {cells} cells: inertia error"] = rest["inertia error"]
        figures[f"{kind}, {cells} cells: mass error"] = abs(rest["mass"]["relative"])
        if rest["inertia error"] > 1e-4 or abs(rest["mass"]["relative"]) > 1e-12:
            raise CheckFailed(f"{kind}, {cells} cells: the certificate says an inertia error of {rest['inertia error']:.1e} "
                              f"and a mass error of {rest['mass']['relative']:.1e}")
    return figures


def draw(recordings, folder, finest=36, refinements=3, facet=24):
    from robotphi.view import graphs, solids
    from robotphi.view.bodies import body_of, cut_open, displacement
    levels = levels_to(finest, refinements)
    thing, recording = top(FACET, facet), recordings[name_of(FACET, facet)]
    mesh = Mesh(thing.position, {kind: rows[:, :KINDS[kind].corners] for kind, rows in thing.cells.items()})
    shift = recording.position[0] - thing.position
    larger = 0.12 * SIDE / np.abs(shift).max()
    held = np.unique(np.concatenate([thing.regions[name] for name in ("left", "right", "front", "back")]))
    held = held[np.abs(thing.position[held, 2]) < 1e-9]     # the line along which the edges turn
    fixed, half = body_of(thing)._replace(held=held), cut_open(mesh, (0, -1, 0), (0, -1e-3, 0))
    sunk = 1e3 * displacement(recording.position[0], thing.position)
    error = 100 * (sinking(recording, FACET, facet) / sum(plate()) - 1)
    counts = f"{len(thing.position)} particles, {sum(map(len, thing.springs.values()))} springs"
    panels = [
        solids.Panel(fixed, thing.position, None, f"dense in the middle of the upper facet\n{counts}"),
        solids.Panel(body_of(half), mesh.points, None, "cut through the middle: even cells\nbelow, slanted ones above"),
        solids.Panel(fixed, thing.position + larger * shift, sunk, f"under the heap, shown {larger:.0f} times as large:\n"
                     f"sinks by {sunk.max():.3f} mm, {error:+.1f} % of the plate")]
    pictures = [solids.picture_solids(panels, folder / "table.png", "displacement [mm]", own_scale=True, width=13.0,
                                      view=[(-0.7, -1.2, 1.3), (-0.25, -1.4, 0.6), (-0.7, -1.4, 0.9)])]
    errors = [abs(sinking(recordings[name_of(SLICES, cells)], SLICES, cells) / sum(plate()) - 1) for cells in levels]
    pictures.append(graphs.draw_convergence(folder / "convergence.png", [1 / cells for cells in levels],
                                            {"graded along x and y": errors}, "1 / cells along an edge",
                                            "relative error against the plate", order=2))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
