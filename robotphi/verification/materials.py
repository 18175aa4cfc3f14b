"""Group "materials": solids made of a Material against the theory of elastic bars."""
import numpy as np

from robotphi import Scene, Stepping, build_model, relax, simulate
from robotphi.discretise import Material, deformable, sheet
from robotphi.discretise.cells.hexahedra import hexahedron_mesh
from robotphi.discretise.matter.stiffness import solve, stiffness_matrix
from robotphi.discretise.matter.virtual_tests import bending, tension
from robotphi.geometry.mesh import Mesh
from robotphi.verification.estimate import SAFETY, extrapolated, observed_order, richardson, sampled_frequency
from robotphi.verification.registry import Figure, case

GROUP = "materials"
YOUNG, DENSITY = 1e5, 1000.0
THICKNESS = 0.01         # m, of the sheet
STRAIN = 1e-4            # of the pulled bar: what is left beside linear theory is of this order
CUBE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], float)


def bar(length, across, poisson=None, way="centre"):
    """An elastic bar length × 1 × 1 along x, of cubes with the given number of them across."""
    mesh = hexahedron_mesh(CUBE * (length, 1.0, 1.0), (length * across, across, across))
    return deformable(mesh, Material(YOUNG, poisson=poisson, density=DENSITY), way=way)


def pulled(thing, length, across):
    """Places of a bar at rest under a uniform stress E × STRAIN on both ends, in the simulator."""
    scene = Scene("pulled bar", duration=1.0, frames=1, gravity=(0, 0, 0))
    placed = scene.add_object("bar", thing)
    at = thing.position
    inside = np.stack([np.abs(2 * at[:, i] - 1) < 1 - 1e-9 for i in (1, 2)], axis=1).sum(axis=1)
    for end, sign in ((0.0, -1.0), (float(length), 1.0)):
        for particle in np.flatnonzero(np.abs(at[:, 0] - end) < 1e-9):
            share = 0.25 * 2.0 ** inside[particle] / across ** 2  # a quarter of each facet of a cell that meets there
            scene.add_force(f"pull {particle}", int(placed.particles[particle]), (sign * share * YOUNG * STRAIN, 0, 0))
    return relax(build_model(scene), tolerance=1e-9).position[placed.particles]


@case(GROUP, "bar under tension", "elongation and contraction of a bar of E = 1e5 Pa at rest in the simulator",
      "Hooke's law")
def bar_under_tension():
    figures = []
    for poisson in (0.25, 0.1):
        for across in (1, 2):
            thing = bar(4, across, poisson)
            at = pulled(thing, 4, across)
            box, rest = np.ptp(at, axis=0), np.ptp(thing.position, axis=0)
            strain = box / rest - 1
            what = f"nu = {poisson:g}, {across} cells across"
            # linear springs are not linear in the strain: their own second order, 3/2 ε at most, and residual forces
            figures.append(Figure(1.0, strain[0] / STRAIN, 3 * STRAIN, f"{what}, elongation E/σ"))
            figures.append(Figure(poisson, -strain[1] / strain[0], 3 * STRAIN, f"{what}, contraction"))
    return figures


@case(GROUP, "bar in pure bending", "bending stiffness over E I of the section, from 2, 4, 8 cells across",
      "Saint-Venant: a bar with plane turned ends bends with E I whatever its length")
def bar_in_pure_bending():
    figures = []
    for way in ("corners", "centre"):
        things = [bar(2, across, way=way) for across in (2, 4, 8)]
        coarse, middle, fine = (bending(thing)["ratio"]["y"] for thing in things)
        first, second = extrapolated(coarse, middle), extrapolated(middle, fine)
        # the next term is of the fourth order: what the second extrapolation still holds
        figures.append(Figure(1.0, second, SAFETY * richardson(first, second, order=4), f"way {way!r}, extrapolated"))
        figures.append(Figure(2.0, observed_order(coarse, middle, fine), 0.1, f"way {way!r}, order"))
        figures.append(Figure(YOUNG, tension(things[-1])["young"], 1e-8 * YOUNG, f"way {way!r}, E by virtual tension [Pa]"))
    return figures


def plate_deflection(cells):
    """Deflection over q b⁴/D in the middle of a plate 2 × 1, simply supported, of cells × cells/2 quadrilaterals."""
    x, y = np.meshgrid(np.linspace(0, 2, 2 * cells + 1), np.linspace(0, 1, cells + 1), indexing="ij")
    p = np.arange(x.size).reshape(x.shape)
    quads = np.stack([p[:-1, :-1], p[1:, :-1], p[1:, 1:], p[:-1, 1:]], axis=-1).reshape(-1, 4)
    made = sheet(Mesh(np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1), {"quad": quads}),
                 Material(YOUNG, density=DENSITY), THICKNESS)
    at = made.position
    held = np.ones((len(at), 3), bool)
    held[:, 2] = (np.abs(at[:, :2] - (1.0, 0.5)) > (1 - 1e-9, 0.5 - 1e-9)).any(axis=1)
    load = np.zeros((len(at), 3))
    load[:, 2] = made.mass / (DENSITY * THICKNESS)
    plate = YOUNG * THICKNESS ** 3 / 12 / (1 - 1 / 9)
    return float(solve(stiffness_matrix(made), load.reshape(-1, 1), held.ravel()).max() * plate)


@case(GROUP, "supported plate", "deflection of a sheet 2 × 1 on four supports under an even load, from 16, 32, 64 cells across",
      "Navier 1820: 16 q/(π⁶ D) Σ Σ sin sin/(m n (m²/a² + n²/b²)²)")
def supported_plate():
    odd = np.arange(1, 400, 2)
    m, n = odd[:, None], odd[None]
    exact = 16 / np.pi ** 6 * np.sum((-1.0) ** ((m + n) // 2 - 1) / (m * n * (m ** 2 / 4 + n ** 2) ** 2))
    coarse, middle, fine = (plate_deflection(cells) for cells in (16, 32, 64))
    # lines end at the corners, where the plate twists: terms of higher order still show at 1/16, as 1.78 for an order of 2
    return [Figure(exact, extrapolated(middle, fine), SAFETY * richardson(middle, fine), "over q b⁴/D"),
            Figure(2.0, observed_order(coarse, middle, fine), 0.3, "order")]


def first_frequency(across, length=8):
    """Angular frequency [rad/s] of the first lengthwise vibration of a free bar, from its motion."""
    thing = bar(length, across)
    shape = np.cos(np.pi * thing.position[:, 0] / length)
    speed = np.sqrt(YOUNG / DENSITY)
    period = 2 * length / speed
    scene = Scene("lengthwise", duration=period, frames=32, gravity=(0, 0, 0), stepping=Stepping(budget=1e-5))
    velocity = np.zeros(thing.position.shape)
    velocity[:, 0] = 1e-4 * speed * shape
    particles = scene.add_particles("bar", thing.position, thing.mass, velocity=velocity)
    group = thing.springs["linear"]
    scene.add_linear("springs", *particles[group.particles].T, group.stiffness)
    recording = simulate(scene)
    signal = (recording.velocity[:, :, 0] * (thing.mass * shape)).sum(axis=1)
    return sampled_frequency(signal, period / 32)


@case(GROUP, "bar vibrating lengthwise", "first frequency of a free bar 8 × 1 × 1, from 1 and 2 cells across",
      "Rayleigh and Love: ω = π c/L (1 − (ν π r/L)²/2), r² = (a² + b²)/12")
def bar_vibrating_lengthwise():
    length, poisson = 8, 0.25
    speed = np.sqrt(YOUNG / DENSITY)
    slender = (poisson * np.pi / length) ** 2 / 6
    coarse, fine = first_frequency(1, length), first_frequency(2, length)
    wanted = np.pi * speed / length * (1 - slender / 2)
    # Love's theory is itself of the next order, slender²; the mode is met by its first shape only: twice its correction
    tolerance = SAFETY * richardson(coarse, fine) + wanted * slender
    return Figure(wanted, extrapolated(coarse, fine), tolerance, "ω [rad/s]")
