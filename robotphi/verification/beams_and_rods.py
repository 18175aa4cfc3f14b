"""Group "beams and rods": chains of linear springs EA/l and 180° angular springs EI/l, clamped by 2EI/l over half a length."""
import numpy as np

from robotphi import Scene, Stepping, build_model, relax, simulate
from robotphi.verification import reference
from robotphi.verification.estimate import SAFETY, extrapolated, observed_order, richardson, sampled_frequency
from robotphi.verification.registry import Figure, case

GROUP = "beams and rods"
RELAX_TOLERANCE = 1e-10  # residual force over load asked of `relax`


def add_cantilever(scene, shape, axial, bending, mass):
    """A clamped rod through the points `shape` (n + 1, 3), unit length at rest along x; gives its particles.

    The clamp is an angular spring 2EI/l between a held particle before the root and the first segment: half a length
    of rod bends there. Masses are lumped, half a segment at the tip, and the last half segment bears no moment.
    """
    segments = len(shape) - 1
    masses = np.full(segments + 1, mass / segments)
    masses[[0, -1]] /= 2
    guide = scene.add_particle("guide", (-1.0 / segments, 0, 0), mass / segments, support="xyz")
    nodes = scene.add_particles("node", shape, masses, support=["xyz", *[""] * segments])
    line = np.concatenate([[guide], nodes])
    scene.add_linear("stretch", nodes[:-1], nodes[1:], axial * segments, rest_length=1.0 / segments)
    stiffness = np.full(segments, bending * segments)
    stiffness[0] *= 2
    scene.add_angular("bend", line[:-2], line[1:-1], line[2:], stiffness, rest_angle=np.pi)
    return nodes


# --- statics -------------------------------------------------------------------------------------------------------
def tip_at_rest(load, segments, axial):
    """(w/L, u/L, tip angle) of a chain with EI = L = 1 under a dead tip load, stretched by P/EA at most."""
    scene = Scene("cantilever", duration=1.0, frames=1, gravity=(0, 0, 0))
    straight = np.zeros((segments + 1, 3))
    straight[:, 0] = np.linspace(0, 1, segments + 1)
    nodes = add_cantilever(scene, straight, axial, 1.0, 1.0)
    scene.add_force("tip", int(nodes[-1]), (0, 0, load))
    found = relax(build_model(scene), tolerance=RELAX_TOLERANCE).position[nodes]
    last = found[-1] - found[-2]
    # the angle of the last segment is the one half a segment before the tip, where the moment is nearly zero:
    # θ(L) − θ(L − l/2) = a l²/8 cos θ + …, second order like the rest
    return np.array([found[-1, 2], 1 - found[-1, 0], np.arctan2(last[2], last[0])])


@case(GROUP, "cantilever", "tip of a clamped chain under a dead load a = PL²/EI, from 8, 16, 32 segments",
      "elastica by elliptic integrals, Bisshopp & Drucker 1945")
def cantilever():
    figures = []
    for load in (0.25, 1.0, 5.0):
        stiff = 1e4 * load                       # EA over EI/L²: the load stretches by 1e-4 at most
        coarse, middle, fine = [tip_at_rest(load, segments, stiff) for segments in (8, 16, 32)]
        # What is left of the stretch is of first order in P/EA: half of it goes with twice EA. Measured at 16 segments,
        # where it is within 1/16² of that of the rod, its own second order (1e-4)² being far less.
        stretch = 2 * (middle - tip_at_rest(load, 16, 2 * stiff))
        first, second = extrapolated(coarse, middle), extrapolated(middle, fine)
        value = second - stretch
        # The chain's errors are even in 1/segments: once extrapolated they are of the fourth order. Residual forces on
        # every node add up to at most 32 parts RELAX_TOLERANCE of the load.
        bar = SAFETY * (richardson(first, second, order=4) + np.abs(stretch) / 16 ** 2 + 32 * RELAX_TOLERANCE * value)
        exact = reference.elastica(load)
        for i, name in enumerate(("w/L", "u/L", "tip angle")):
            figures.append(Figure(exact[i], value[i], bar[i], f"{name} at a = {load:g}"))
        figures.append(Figure(2.0, observed_order(coarse, middle, fine)[0], 0.1, f"order of refinement of w/L at a = {load:g}"))
        if load == 5.0:
            figures.append(Figure(exact[0], fine[0], 1e-3 * exact[0], "w/L at a = 5, 32 segments as they are, within 0.1 %"))
    return figures


@case(GROUP, "axial", "stretch [m] of a rod pulled at its end, L = 1, r = 0.025, E = 1e4, F = 1", "F L/E A")
def axial():
    segments, stiffness = 10, 1e4 * np.pi * 0.025 ** 2
    scene = Scene("axial", duration=1.0, frames=1, gravity=(0, 0, 0))
    positions = np.zeros((segments + 1, 3))
    positions[:, 0] = np.linspace(0, 1, segments + 1)
    nodes = scene.add_particles("node", positions, 0.1, support=["xyz", *[""] * segments])
    scene.add_linear("stretch", nodes[:-1], nodes[1:], stiffness * segments)
    scene.add_force("pull", int(nodes[-1]), (1.0, 0, 0))
    found = relax(build_model(scene), tolerance=RELAX_TOLERANCE)
    # a residual force r on each node stretches the springs by at most r (N + 1)/2 · L/EA
    bar = found.residual * (segments + 1) / 2 / stiffness + 1e-14
    return Figure(reference.axial_stretch(1.0, 1.0, 1e4, 0.025), found.position[nodes[-1], 0] - 1, bar)


# --- small vibrations ----------------------------------------------------------------------------------------------
AMPLITUDE = 1e-5  # m, over a length of 1: the largest slope of mode 3 is 1e-4, frequencies shift by its square
DENSITY, MODULUS, RADIUS = 2000.0, 1e5, 0.02
AREA = np.pi * RADIUS ** 2
BENDING, AXIAL, LINE_MASS = MODULUS * AREA * RADIUS ** 2 / 4, MODULUS * AREA, DENSITY * AREA


def chain_modes(segments, count):
    """Frequencies and shapes of the chain across its line, from its energy ½ Σ k_i κ_i² with κ_i the bend at node i.

    For small w the bend is κ_i = (w_{i−1} − 2 w_i + w_{i+1})/l with w_{−1} = w_0 = 0: a matrix B, stiffness Bᵀ k B.
    """
    from scipy.linalg import eigh
    length = 1.0 / segments
    bend = np.zeros((segments, segments))        # of nodes 0 … n−1, by the deflections of nodes 1 … n
    for i in range(segments):
        for j, weight in ((i - 1, 1.0), (i, -2.0), (i + 1, 1.0)):
            if j >= 1:
                bend[i, j - 1] += weight / length
    spring = np.full(segments, BENDING / length)
    spring[0] *= 2
    mass = np.full(segments, LINE_MASS * length)
    mass[-1] /= 2
    squares, shapes = eigh(bend.T @ (spring[:, None] * bend), np.diag(mass))
    return np.sqrt(squares[:count]), shapes[:, :count], mass


def simulated_frequency(segments, mode):
    """Frequency of a free vibration of the chain, small enough to be linear, by its projection on the mode."""
    frequencies, shapes, mass = chain_modes(segments, 3)
    shape = shapes[:, mode] / np.abs(shapes[:, mode]).max()
    # The fastest motion is 2 √(EA/ρA)/l along the rod or 4 √(EI/ρA)/l² across: a step of a quarter of the limit
    fastest = max(2 * segments * np.sqrt(AXIAL / LINE_MASS), 4 * segments ** 2 * np.sqrt(BENDING / LINE_MASS))
    interval = 1.0 / frequencies[mode]           # a sample per radian
    dt = interval / np.ceil(interval * fastest / 0.5)
    samples = 20
    scene = Scene("free vibration", duration=samples * interval, frames=samples, gravity=(0, 0, 0),
                  stepping=Stepping(control="fixed", dt=dt))
    start = np.zeros((segments + 1, 3))
    start[:, 0] = np.linspace(0, 1, segments + 1)
    start[1:, 2] = AMPLITUDE * shape
    nodes = add_cantilever(scene, start, AXIAL, BENDING, LINE_MASS)
    recording = simulate(scene)
    signal = recording.position[:, nodes[1:], 2] @ (mass * shape)
    measured = sampled_frequency(signal, interval)
    return 2 / dt * np.sin(measured * dt / 2)    # verlet runs at (2/τ) asin(ωτ/2), exactly


@case(GROUP, "cantilever modes", "frequency [rad/s], ρ = 2000, E = 1e5, r = 0.02, L = 1",
      "Euler–Bernoulli, cos β cosh β = −1")
def cantilever_modes():
    exact = reference.cantilever_frequencies(3, 1.0, MODULUS, RADIUS, DENSITY)
    figures = []
    for mode, segments in enumerate((8, 16, 32)):  # about as many to a wave in every mode
        counts = (segments, 2 * segments, 4 * segments)
        for kind, values in (("of the chain's matrices", [chain_modes(n, 3)[0][mode] for n in counts]),
                             ("simulated", [simulated_frequency(n, mode) for n in counts])):
            coarse, middle, fine = values
            first, second = extrapolated(coarse, middle), extrapolated(middle, fine)
            # even in 1/segments, so of the fourth order once extrapolated; 1e-8 for the squares of the slopes
            bar = SAFETY * richardson(first, second, order=4) + 1e-8 * exact[mode]
            name = f"mode {mode + 1} {kind}, {counts[0]}, {counts[1]}, {counts[2]} segments"
            figures.append(Figure(exact[mode], second, bar, name))
            figures.append(Figure(2.0, observed_order(*values), 0.1, f"{name}: order of refinement"))
    return figures
