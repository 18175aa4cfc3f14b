"""Contact at one instant, as the compiled loop finds it."""
import numpy as np

from robotphi.kernels.contact import columns as c
from robotphi.kernels.step import slots
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY


def evaluate(simulator):
    """Contact energy, forces on the particles and load on the rigids where they now are."""
    simulator.state.begin_frame(simulator.state.time)
    simulator._drive(None, None, None)
    touch, n = simulator.state.buffers.touch, simulator.model.particle_count
    return float(touch.totals[c.TOTAL_ENERGY]), simulator.state.buffers.force[:n, :3].copy(), touch.load.copy()


def set_moving(simulator, i, velocity, spin):
    """Rigid i where it is, with another velocity of its centre and another spin."""
    b = simulator.state.buffers
    b.rigid[i, VELOCITY:VELOCITY + 3], b.rigid[i, SPIN:SPIN + 3] = velocity, spin
    rows = np.asarray(simulator.model.scene.rigids[i].particles)
    arm = b.position[rows, :3] - b.rigid[i, CENTRE:CENTRE + 3]
    b.velocity[rows, :3] = np.asarray(velocity) + np.cross(spin, arm)


def loads_now(simulator):
    """Force and moment of contact on each rigid at what the buffers hold, and the loss [W]."""
    b = simulator.state.buffers
    b.counters[slots.FRESH], b.counters[slots.STATUS], b.counters[slots.CHUNK] = slots.STALE, slots.RUNNING, 0
    simulator._loop.advance(simulator.state)
    b = simulator.state.buffers
    load = b.touch.load.copy()
    for i, known in enumerate(simulator.model.scene.rigids):
        rows = np.asarray(known.particles)   # on which facets press
        load[i, :3] += b.force[rows, :3].sum(axis=0)
        load[i, 3:] += np.cross(b.position[rows, :3] - b.rigid[i, CENTRE:CENTRE + 3], b.force[rows, :3]).sum(axis=0)
    return load, float(b.touch.totals[c.TOTAL_LOSS])
