"""What acts do at chosen positions, by the kernels themselves; and runs of two steps of which one is half the other."""
import numpy as np

from robotphi import Simulator, Stepping, build_model, simulate
from robotphi.kernels.acts.table import push_acts
from robotphi.kernels.step import slots
from robotphi.kernels.step.buffers import Instant
from robotphi.kernels.step.entries import FIXED_ENTRIES, NEXT, VALUE
from robotphi.kernels.step.ledger import begin_acts
from robotphi.run.state import State


def pushed(model, position, velocity=None):
    """Forces of all acts on the particles (n, 3), and what they store [J]."""
    b, n = State(model).buffers, model.particle_count
    b.position[:n, :3] = position
    b.velocity[:n, :3] = 0.0 if velocity is None else velocity
    b.force[:] = 0.0
    begin_acts(b)
    now = Instant(b.position, b.velocity, b.force, b.rigid, b.act_load)
    push_acts(model.arrays.acts, model.arrays.drives, b, now, 0.0, 0.0)
    stored = b.books[FIXED_ENTRIES:][b.book_kind[FIXED_ENTRIES:] == VALUE, NEXT].sum()
    return b.force[:n, :3].copy(), float(stored)


def gradient(model, position, step=1e-6):
    """Central differences of what acts store, (n, 3)."""
    found = np.zeros_like(position)
    for index in np.ndindex(position.shape):
        shifted = position.copy()
        shifted[index] += step
        up = pushed(model, shifted)[1]
        shifted[index] -= 2.0 * step
        found[index] = (up - pushed(model, shifted)[1]) / (2.0 * step)
    return found


def frequency_and_bound(scene):
    """ω² of free particles by differences of the forces of acts at the start, and what bounds it."""
    model = build_model(scene)
    simulator = Simulator(model)
    simulator.begin()
    x, n, h = model.position.copy(), model.particle_count, 1e-6
    matrix = np.zeros((3 * n, 3 * n))
    for column, index in enumerate(np.ndindex(x.shape)):
        shifted = x.copy()
        shifted[index] += h
        up = pushed(model, shifted)[0]
        shifted[index] -= 2.0 * h
        matrix[:, column] = (pushed(model, shifted)[0] - up).ravel() / (2.0 * h)
    root = np.repeat(np.sqrt(model.arrays.particles.inverse_mass[:n]), 3)
    matrix = root[:, None] * 0.5 * (matrix + matrix.T) * root
    return np.linalg.eigvalsh(matrix)[-1], simulator.state.buffers.numbers[slots.SPRING_SQUARE]


def halved(build, steps):
    """Two recordings by fixed steps, so many and twice as many; `build(stepping)` gives the scene, which lasts one second."""
    return [simulate(build(Stepping(control="fixed", dt=1.0 / count))) for count in (steps, 2 * steps)]


def residuals(runs):
    return [np.abs(run.ledger["residual"]).max() for run in runs]
