"""A bar of a material becomes particles and springs, and pulls, bends and twists as beam theory says.

A square bar of Young's modulus E and ν = 1/4 (what springs that push and pull reach), six times as long as wide, is pulled,
bent by a force across its tip, and twisted by a couple, each with 4, 8 and 12 cells across:

    elongation   F L/(E A)
    deflection   F L³/(3 E I) + F L/(κ G A), κ = 10 (1 + ν)/(12 + 11 ν), G = E/(2 (1 + ν))        (Timoshenko; Cowper 1966)
    twist        M x/(G J), J = 0.140577 a⁴                                                         (Saint-Venant)

The root is held as these formulas assume, so that it may contract and warp: pulled or bent, its face stays in its plane and
its two centre lines in theirs; twisted, its face keeps its outline and its centre lines their plane. Forces lie on the other
end face: even along the bar or across it, growing with the distance from the axis for the couple. The twist is read one width
before that face, where only the couple itself counts. Loads are small (strain 1e-4, deflection L/200, twist 0.01), so that
what the linear formulas leave out is of the order of 1e-4.
"""
from functools import cache

import numpy as np

from robotphi import CheckFailed, Drive, Scene, Simulator, Stepping, build_model, relax
from robotphi.discretise import Material, deformable, discretise, name_region, tension
from robotphi.geometry.shapes import box
from robotphi.scenario import run_scenario
from robotphi.verification.estimate import slope

WIDTH, SLENDER, YOUNG, POISSON = 0.1, 6, 1e6, 0.25          # m, length over width, Pa
LENGTH, AREA = SLENDER * WIDTH, WIDTH ** 2
SHEAR, BENDING, TORSION = YOUNG / (2 * (1 + POISSON)), YOUNG * WIDTH ** 4 / 12, 0.140577 * WIDTH ** 4
CORRECTION = 10 * (1 + POISSON) / (12 + 11 * POISSON)       # κ of a square
TENSION, BEND, TWIST = LOADS = ("tension", "bending", "torsion")
STRAIN, DEFLECTION, ANGLE = 1e-4, LENGTH / 200, 0.01        # what theory says for the loads below
FORCE = {TENSION: STRAIN * YOUNG * AREA,                    # N, N, N·m
         BEND: DEFLECTION / (LENGTH ** 3 / (3 * BENDING) + LENGTH / (CORRECTION * SHEAR * AREA)),
         TWIST: ANGLE * SHEAR * TORSION / LENGTH}
ALLOWED, COARSE = 0.02, 2.0                                 # of theory; with n cells across at least 2/n²
EVEN = 5e-4                                                 # of an even pull: relaxed to 1e-5, strained by 1e-4
QUICK = {"finest": 8, "refinements": 2, "cells": 4}


@cache
def bar(cells, slender=SLENDER):
    """The Object, with regions where the root is held."""
    solid = box((slender * WIDTH, WIDTH, WIDTH), centre=(slender * WIDTH / 2, 0, 0))
    thing = deformable(discretise(solid, counts=(slender * cells, cells, cells)), Material(YOUNG, density=1000.0))
    x, y, z = np.abs(thing.position.T) < 1e-9
    return name_region(name_region(thing, "upright", np.flatnonzero(x & y)), "level", np.flatnonzero(x & z))


def held(load):
    """Axes held of the root: its face and its two centre lines."""
    return {"left": "yz", "upright": "x", "level": "x"} if load == TWIST else {"left": "x", "upright": "y", "level": "z"}


def end_shares(thing):
    """The particles of the loaded end face and the share of its area that each stands for."""
    face = thing.regions["right"]
    at_edge = np.isclose(np.abs(thing.position[face, 1:]), WIDTH / 2).sum(axis=1)
    share = 0.5 ** at_edge
    return face, share / share.sum()


def forces(thing, load):
    """The particles of the loaded end face and the force on each, (k, 3) N."""
    face, share = end_shares(thing)
    x, y, z = thing.position[face].T
    if load == TWIST:
        arms = np.column_stack([0 * x, -z, y]) * share[:, None]
        return face, FORCE[TWIST] * arms / (arms[:, 2] @ y - arms[:, 1] @ z)
    return face, FORCE[load] * share[:, None] * np.eye(3)[0 if load == TENSION else 2]


def build(load=BEND, cells=8, duration=0.02, frames=4, budget=1e-4):
    """One bar of `cells` cells across; its load stays for half the duration, then lets go."""
    scene = Scene(f"soft bar, {load}, {cells} cells across", duration=duration, frames=frames, gravity=(0, 0, 0),
                  stepping=Stepping(budget=budget))
    placed = scene.add_object("bar", bar(cells), support=held(load))
    until_half = Drive.steps([0.0, duration / 2], [1.0, 0.0])
    for particle, force in zip(*forces(bar(cells), load), strict=True):
        scene.add_force(f"load on {particle}", int(placed.particles[particle]), force, until_half)
    return scene


def levels_to(finest, refinements):
    """Numbers of cells in even steps, the last the finest."""
    return tuple(max(1, round(finest * step / refinements)) for step in range(1, refinements + 1))


def run(finest=12, refinements=3, duration=0.02, frames=4):
    """Each load on each refinement: brought to its equilibrium, where it stays until it is let go."""
    found = {}
    for load in LOADS:
        for cells in levels_to(finest, refinements):
            simulator = Simulator(build_model(build(load, cells, duration, frames)))
            relax(simulator, tolerance=1e-5)
            found[name_of(load, cells)] = simulator.run()
    return found


def name_of(load, cells):
    return f"{load}, {cells} cells across"


def moved(recording, cells, frame=0):
    return recording.position[frame] - bar(cells).position


def measured(recording, load, cells):
    """Elongation [m], deflection [m] or twist one width before the end [rad]."""
    thing, shift = bar(cells), moved(recording, cells)
    if load == TWIST:
        section = np.isclose(thing.position[:, 0], LENGTH - WIDTH)
        y, z = thing.position[section, 1:].T
        return (y @ shift[section, 2] - z @ shift[section, 1]) / (y @ y + z @ z)
    face, share = end_shares(thing)
    return share @ shift[face, 0 if load == TENSION else 2]


THEORY = {TENSION: STRAIN * LENGTH, BEND: DEFLECTION, TWIST: ANGLE * (LENGTH - WIDTH) / LENGTH}
UNIT = {TENSION: "elongation [m]", BEND: "deflection [m]", TWIST: "twist [rad]"}


def error(recording, load, cells):
    """Relative, of what was measured against theory."""
    return measured(recording, load, cells) / THEORY[load] - 1


def reached(recording, cells):
    """Young's modulus [Pa] and Poisson's ratio of a pulled bar, from its elongation and contraction."""
    x, y, z = bar(cells).position.T
    strain = measured(recording, TENSION, cells) / LENGTH
    shift = moved(recording, cells)
    contraction = -0.5 * (y @ shift[:, 1] / (y @ y) + z @ shift[:, 2] / (z @ z))
    return FORCE[TENSION] / AREA / strain, contraction / strain


def check(recordings, finest=12, refinements=3):
    figures, moduli, levels = {}, [], levels_to(finest, refinements)
    for cells in levels:
        young, poisson = reached(recordings[name_of(TENSION, cells)], cells)
        test = tension(bar(cells, slender=2))
        moduli.append(young)
        for name, values in (("pulled bar", (young, poisson)), ("virtual test", (test["young"], test["poisson"]))):
            figures |= {f"{cells} cells across: {what} of the {name}": value
                        for what, value in zip(("E [Pa]", "nu"), values, strict=True)}
        if abs(young / test["young"] - 1) > EVEN or abs(poisson - test["poisson"]) > EVEN:
            raise CheckFailed(f"the bar of {cells} cells has E = {young:.6g} Pa and nu = {poisson:.5f}, its virtual test "
                              f"{test['young']:.6g} Pa and {test['poisson']:.5f}")
    if np.ptp(moduli) > ALLOWED * YOUNG:
        raise CheckFailed(f"the E reached depends on the refinement: {', '.join(f'{value:.6g}' for value in moduli)} Pa")
    for load in LOADS:
        errors = [error(recordings[name_of(load, cells)], load, cells) for cells in levels]
        figures[f"{load}: {UNIT[load]}"] = measured(recordings[name_of(load, levels[-1])], load, levels[-1])
        figures |= {f"{load}: error with {cells} cells across": value for cells, value in zip(levels, errors, strict=True)}
        # an even pull is exact on any refinement: what relaxing and the strain leave is all
        allowed = EVEN if load == TENSION else max(ALLOWED, COARSE / levels[-1] ** 2)
        if abs(errors[-1]) > allowed:
            raise CheckFailed(f"{load} is off theory by {100 * errors[-1]:.2f} % with {levels[-1]} cells across, "
                              f"allowed are {100 * allowed:.2g} %")
        if load != TENSION:
            order = -slope(levels, np.abs(errors))
            figures[f"{load}: order"] = order
            if not 1.7 < order < 2.7:
                raise CheckFailed(f"{load} converges with order {order:.2f}, expected about 2")
        for cells in levels:
            recording = recordings[name_of(load, cells)]
            waited = recording.position[np.searchsorted(recording.time, 0.5 * recording.time[-1])]
            after = np.abs(waited - recording.position[0]).max() / np.abs(moved(recording, cells)).max()
            if after > 1e-3:
                raise CheckFailed(f"{name_of(load, cells)} was not at rest: it moved on by {after:.1e} of its displacement")
    return figures


def draw(recordings, folder, finest=12, refinements=3):
    from robotphi.view import graphs, solids
    from robotphi.view.bodies import body_of, elongation
    panels, levels = [], levels_to(finest, refinements)
    for load, larger in ((BEND, 40), (TWIST, 90)):     # so that one sees it
        for cells in levels:
            thing, recording = bar(cells), recordings[name_of(load, cells)]
            shift = moved(recording, cells)
            title = (f"{load}, {cells} cells across: {len(thing.position)} particles,\n"
                     f"{len(thing.springs['linear'])} springs, {100 * error(recording, load, cells):+.2f} % of theory")
            panels.append(solids.Panel(body_of(thing), thing.position + larger * shift,
                                       1e3 * elongation(thing, recording.position[0]), title))
    pictures = [solids.picture_solids(panels, folder / "bars.png", "mean elongation of the springs at each particle [‰]",
                                      columns=len(levels), width=12.0,
                                      heading="Bars under a tip force (shown 40 times as large) and a couple (90 times)")]
    errors = {load: [abs(error(recordings[name_of(load, cells)], load, cells)) for cells in levels] for load in (BEND, TWIST)}
    pictures.append(graphs.draw_convergence(folder / "convergence.png", [1 / cells for cells in levels], errors, "cell / width",
                                            "relative error against beam theory", order=2))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
