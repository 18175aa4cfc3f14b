"""Contact at one instant, as the compiled loop finds it."""
from robotphi.kernels.contact import columns as c


def evaluate(simulator):
    """Contact energy, forces on the particles and load on the rigids where they now are."""
    simulator.state.begin_frame(simulator.state.time)
    simulator._drive(None, None, None)
    touch, n = simulator.state.buffers.touch, simulator.model.particle_count
    return float(touch.totals[c.TOTAL_ENERGY]), simulator.state.buffers.force[:n, :3].copy(), touch.load.copy()
