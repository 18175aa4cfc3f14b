"""Forces and energies of a scene at chosen positions, by the kernels themselves."""
import numpy as np

from robotphi.kernels.springs.forces import add_spring_forces
from robotphi.kernels.step import slots
from robotphi.run.state import State


def evaluate(model, position, velocity=None, state=None):
    """Spring forces (n, 3) and the sums of the group: elastic energies, dissipation [W], plastic loss [J]."""
    state = State(model) if state is None else state
    n = model.particle_count
    b = state.buffers
    b.position[:n, :3] = position
    b.velocity[:n, :3] = 0.0 if velocity is None else velocity
    b.force[:] = 0.0
    add_spring_forces(model.arrays, b, b.position, b.velocity, b.force, 0.0, 0.0, 0, 0, 1, 0)
    sums = b.group_sums.sum(axis=0)
    return b.force[:n, :3].copy(), {
        "elastic": sums[slots.SUM_LINEAR] + sums[slots.SUM_ANGULAR] + sums[slots.SUM_ARTICULAR],
        "loss": sums[slots.SUM_LOSS], "plastic": sums[slots.SUM_PLASTIC]}


def numeric_gradient(model, position, step=1e-6, state=None):
    """Central differences of the elastic energy, (n, 3)."""
    gradient = np.zeros_like(position)
    for index in np.ndindex(position.shape):
        shifted = position.copy()
        shifted[index] += step
        up = evaluate(model, shifted, state=state)[1]
        shifted[index] -= 2 * step
        down = evaluate(model, shifted, state=state)[1]
        gradient[index] = (up["elastic"] + up["plastic"] - down["elastic"] - down["plastic"]) / (2 * step)
    return gradient
