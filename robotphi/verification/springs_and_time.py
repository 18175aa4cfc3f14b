"""Group "springs and time": two masses, chains of springs, the rope, and the limit of the explicit step."""
import numpy as np

from robotphi import Scene, Simulator, Stepping, build_model, relax, simulate
from robotphi.verification import reference
from robotphi.verification.estimate import SAFETY, extrapolated, observed_order, richardson, sampled_frequency
from robotphi.verification.registry import Figure, case

GROUP = "springs and time"
RELAX_TOLERANCE = 1e-8  # residual force over load asked of `relax`


# --- two masses ----------------------------------------------------------------------------------------------------
def two_masses_scene(stiffness, viscosity, duration, frames, dt, masses=(1.0, 1.0), stretch=0.1, scheme="verlet"):
    scene = Scene("two masses", duration=duration, frames=frames, gravity=(0, 0, 0),
                  stepping=Stepping(scheme=scheme, control="fixed", dt=dt))
    left = scene.add_particle("left", (0, 0, 0), masses[0])
    right = scene.add_particle("right", (1 + stretch, 0, 0), masses[1])
    scene.add_linear("spring", left, right, stiffness, viscosity, rest_length=1.0)
    return scene


def stretch_and_rate(recording):
    """Of the two masses: (2, frames)."""
    return np.stack([recording.position[:, 1, 0] - recording.position[:, 0, 0] - 1,
                     recording.velocity[:, 1, 0] - recording.velocity[:, 0, 0]])


def two_masses_pair(dt, frequency, **knobs):
    """Stretch over time at dt/2, and its error bar.

    The error of an oscillation passes zero, that of its state does not: the bar is SAFETY times Richardson's estimate
    of stretch and rate/ω together, order 2.
    """
    coarse = simulate(two_masses_scene(dt=dt, **knobs))
    fine = simulate(two_masses_scene(dt=dt / 2, **knobs))
    apart = richardson(stretch_and_rate(coarse), stretch_and_rate(fine))
    return fine.time, stretch_and_rate(fine)[0], SAFETY * np.hypot(apart[0], apart[1] / frequency)


def remaining_stretch(stiffness, viscosity, times, dt, interval):
    frames = round(max(times) / interval)
    frequency = np.sqrt(2 * stiffness)  # of the reduced mass 1/2
    _, value, bar = two_masses_pair(dt, frequency, stiffness=stiffness, viscosity=viscosity, duration=max(times),
                                    frames=frames)
    exact, _ = reference.two_masses(times, 0.1, stiffness, viscosity)
    rows = [round(t / interval) for t in times]
    return [Figure(x, value[i], bar[i], f"t = {t:g} s") for x, i, t in zip(exact, rows, times, strict=False)]


@case(GROUP, "two masses, stiff", "stretch of two free unit masses [m], λ = 100, μ = 5, released at 0.1",
      "closed form of the damped oscillator, reduced mass")
def two_masses_stiff():
    return remaining_stretch(100.0, 5.0, (0.1, 0.5, 1.0, 2.0), dt=1e-3, interval=0.1)


@case(GROUP, "two masses, soft", "stretch of two free unit masses [m], λ = 8.94, μ = 0.6, released at 0.1",
      "closed form of the damped oscillator, reduced mass")
def two_masses_soft():
    return remaining_stretch(8.94, 0.6, (1.0, 2.0, 5.0, 10.0), dt=4e-3, interval=1.0)


@case(GROUP, "two masses, unequal", "largest error of the stretch over 2 s as a part of 0.1 m, masses 0.3 and 2",
      "x'' + (μ x' + λ x)/m = 0, m = m1 m2/(m1 + m2)")
def two_masses_unequal():
    masses, stiffness = (0.3, 2.0), 50.0
    reduced = masses[0] * masses[1] / sum(masses)
    critical = 2 * np.sqrt(stiffness * reduced)
    figures = []
    for damping, name in ((0.1, "damping 0.1 of critical"), (1.0, "critical damping"), (3.0, "damping 3 times critical")):
        time, value, bar = two_masses_pair(1e-3, np.sqrt(stiffness / reduced), stiffness=stiffness,
                                           viscosity=damping * critical, duration=2.0, frames=40, masses=masses)
        exact, _ = reference.two_masses(time, 0.1, stiffness, damping * critical, *masses)
        figures.append(Figure(0.0, np.abs(value - exact).max() / 0.1, bar.max() / 0.1, name))
    return figures


# --- the fixed–fixed chain -----------------------------------------------------------------------------------------
CHAIN_COUNT, CHAIN_MASS, CHAIN_STIFFNESS = 5, 0.2, 40.0


def chain_scene(mode, amplitude, duration, frames, dt):
    """A chain along x between two walls, released from one of its modes; also gives the mode's shape."""
    scene = Scene("fixed–fixed chain", duration=duration, frames=frames, gravity=(0, 0, 0),
                  stepping=Stepping(control="fixed", dt=dt))
    place = np.arange(CHAIN_COUNT + 2)
    shape = np.sin(mode * np.pi * place / (CHAIN_COUNT + 1))
    positions = np.zeros((CHAIN_COUNT + 2, 3))
    positions[:, 0] = place + amplitude * shape
    support = ["xyz", *[""] * CHAIN_COUNT, "xyz"]
    nodes = scene.add_particles("node", positions, CHAIN_MASS, support=support)
    scene.add_linear("spring", nodes[:-1], nodes[1:], CHAIN_STIFFNESS, rest_length=1.0)
    return scene, shape


def modal_amplitude(recording, shape):
    """Projection of the displacement on the mode, over time; the mode itself has amplitude 1."""
    moved = recording.position[:, :, 0] - np.arange(CHAIN_COUNT + 2)
    return moved @ shape / (shape @ shape)


@case(GROUP, "fixed–fixed chain", "frequency [rad/s] of 5 equal masses between walls", "ω_j = 2 √(k/m) sin(jπ/2(N+1))")
def chain_frequencies():
    figures = []
    for mode, exact in enumerate(reference.chain_frequencies(CHAIN_COUNT, CHAIN_MASS, CHAIN_STIFFNESS), 1):
        per_sample, samples = 100, 60
        dt = 1.0 / exact / per_sample                      # a sample per radian
        scene, shape = chain_scene(mode, 1e-3, samples * per_sample * dt, samples, dt)
        recording = simulate(scene)
        value = sampled_frequency(modal_amplitude(recording, shape), scene.duration / samples)
        # verlet runs at (2/τ) asin(ωτ/2) = ω (1 + (ωτ)²/24 + 3 (ωτ)⁴/640 + …); the terms behind the first add less
        # than (ωτ)² of it. The rounding 1e-16 of positions near 1 against a motion of 1e-3 leaves 1e-12.
        phase = (exact * dt) ** 2
        figures.append(Figure(exact, value, exact * (phase / 24 * (1 + phase) + 1e-11), f"mode {mode}"))
    return figures


def followed(scene):
    """The recording of all frames: `simulate` would end where fixed steps make a thousand times the energy there was."""
    simulator = Simulator(build_model(scene))
    while simulator.advance_frame():
        pass
    return simulator.recording()


@case(GROUP, "explicit limit", "the chain's fastest mode stepped near dt = 2/ω_max",
      "verlet on an oscillator: cos φ = 1 − (ωτ)²/2")
def explicit_limit():
    fastest = reference.chain_frequencies(CHAIN_COUNT, CHAIN_MASS, CHAIN_STIFFNESS)[-1]
    limit, steps, seed = 2 / fastest, 40, 1e-8
    below, above = [np.abs(modal_amplitude(followed(scene), shape)) / seed for scene, shape in
                    (chain_scene(CHAIN_COUNT, seed, steps * part * limit, steps, part * limit) for part in (0.99, 1.01))]
    # Below the limit the amplitude is |cos nφ| ≤ 1; above it is cosh nψ with cosh ψ = 2·1.01² − 1, that is ψ = 2 acosh 1.01.
    # Positions near 5 round to 1e-15, 1e-7 of the seed, and that noise runs in both modes of the recursion: each of 40
    # steps adds it with a gain of at most 1/sin φ < 4.
    noise = 40 * 4 * 1e-15 / seed
    growth = np.log(above[-1] / above[-11]) / 10
    # cosh is e^nψ/2 (1 + e^(−2nψ)): at n = 30 the second part is below 1e-7
    return [Figure(1.0, below.max(), noise, "largest amplitude over the first at 0.99 of the limit"),
            Figure(2 * np.arccosh(1.01), growth, noise + 1e-7, "growth exponent per step at 1.01 of the limit")]


# --- statics of chains ---------------------------------------------------------------------------------------------
def hanging_scene(count, mass, stiffness, length=1.0):
    """N springs with a mass under each, hanging from a held particle."""
    scene = Scene("hanging chain", duration=1.0, frames=1)
    positions = np.zeros((count + 1, 3))
    positions[:, 2] = -np.linspace(0, length, count + 1)
    nodes = scene.add_particles("node", positions, mass, support=["xyz", *[""] * count])
    scene.add_linear("spring", nodes[:-1], nodes[1:], stiffness)
    return scene


def hanging_stretch(count, mass, stiffness):
    """Stretch at rest and its error bar: every node may keep a residual force r, so that spring i errs by (N − i + 1) r/k."""
    found = relax(build_model(hanging_scene(count, mass, stiffness)), tolerance=RELAX_TOLERANCE)
    return -found.position[-1, 2] - 1.0, found.residual * count * (count + 1) / (2 * stiffness) + 1e-13


@case(GROUP, "hanging chain", "stretch at rest [m] of 10 springs and masses", "m g N (N + 1)/2k")
def hanging_chain():
    value, bar = hanging_stretch(10, 0.1, 500.0)
    return Figure(reference.hanging_stretch(10, 0.1, 500.0), value, bar)


@case(GROUP, "hanging rod", "stretch at rest [m] of a rod under its own weight, ρ = 2000, E = 1e6, L = 1", "ρ g L²/2E")
def hanging_rod():
    density, modulus = 2000.0, 1e6
    counts = (8, 16, 32)
    # N masses ρL/N under N springs EN/L (unit section): first order in 1/N, and no other term, since the sum is N (N + 1)
    coarse, middle, fine = [hanging_stretch(n, density / n, modulus * n) for n in counts]
    value = extrapolated(middle[0], fine[0], order=1)
    exact = reference.hanging_stretch_continuum(density, modulus, 1.0)
    order = observed_order(coarse[0], middle[0], fine[0])
    bars = coarse[1] + middle[1] + fine[1]
    # d(order) of errors e in the two differences, the smaller of which is the stretch/64: 2 e/(ln 2 · difference)
    return [Figure(exact, value, 2 * fine[1] + middle[1], "extrapolated from 8, 16, 32 springs"),
            Figure(1.0, order, 2 * bars / (np.log(2) * abs(middle[0] - fine[0])), "order of refinement")]


# --- the rope ------------------------------------------------------------------------------------------------------
def rope_scene(length, segments, stiffness):
    """A rope of unit weight and section stiffness EA over a span of 1, laid out along its own catenary."""
    scene = Scene("catenary", duration=1.0, frames=1, gravity=(0, 0, -10.0))
    sag, pull = reference.catenary(1.0, length)
    c = pull * length
    arc = np.linspace(-length / 2, length / 2, segments + 1)
    positions = np.zeros((segments + 1, 3))
    positions[:, 0] = c * np.arcsinh(arc / c)
    positions[:, 2] = np.sqrt(c * c + arc * arc) - np.sqrt(c * c + length * length / 4)
    # start away from the answer: as deep as half the sag
    positions[:, 2] *= 0.5
    mass = np.full(segments + 1, 0.1 / segments)
    nodes = scene.add_particles("node", positions, mass, support=["xyz", *[""] * (segments - 1), "xyz"])
    scene.add_linear("spring", nodes[:-1], nodes[1:], stiffness * segments / length, rest_length=length / segments)
    return scene


def rope_at_rest(length, segments, stiffness):
    """Sag and horizontal pull over weight."""
    found = relax(build_model(rope_scene(length, segments, stiffness)), tolerance=RELAX_TOLERANCE).position
    first = found[1] - found[0]
    reach = np.linalg.norm(first)
    tension = stiffness * segments / length * (reach - length / segments)
    return np.array([-found[segments // 2, 2], tension * first[0] / reach])


def inextensible_rope(length, segments):
    """The two figures for 1/EA → 0 from EA = 2000, 4000 and 8000 weights by Romberg's table, and what its last column moved."""
    soft, middle, stiff = [rope_at_rest(length, segments, ea) for ea in (2000.0, 4000.0, 8000.0)]
    first, second = extrapolated(soft, middle, order=1), extrapolated(middle, stiff, order=1)
    value = extrapolated(first, second, order=2)
    return value, np.abs(value - second)


@case(GROUP, "catenary", "rope over a span of 1, stiff springs, extrapolated to 1/EA → 0 and from 8, 16, 32 segments",
      "y = c cosh(x/c), 2c sinh(1/2c) = length")
def catenary():
    figures = []
    for length in (1.05, 1.2):
        (coarse, _), (middle, _), (fine, left) = [inextensible_rope(length, segments) for segments in (8, 16, 32)]
        value = extrapolated(middle, fine)
        # Once extrapolated, the values converge at the fourth order in 1/segments; in 1/EA what the last extrapolation
        # moved bounds what is left. The residual forces are a part RELAX_TOLERANCE of the weight; the extrapolations
        # multiply what they do by less than 10.
        bar = SAFETY * (richardson(extrapolated(coarse, middle), value, order=4) + left) + 10 * RELAX_TOLERANCE
        order = observed_order(coarse, middle, fine)
        for i, name in enumerate(("sag", "horizontal pull over weight")):
            figures.append(Figure(reference.catenary(1.0, length)[i], value[i], bar[i], f"{name}, length {length:g}"))
        figures.append(Figure(2.0, order[0], 0.1, f"order of refinement of the sag, length {length:g}"))
    return figures
