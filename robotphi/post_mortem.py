"""Post-mortem: which spring or rigid brought in most energy before a run stopped, when, and what would help."""
from typing import NamedTuple

import numpy as np

from robotphi.kernels import slots


class PostMortem(NamedTuple):
    """What is known about a failed run."""
    time: float       # s
    dt: float         # s, the step that was refused last
    culprit: str      # name of the spring or rigid
    energy: float     # J, what it gained since the last frame
    suggestion: str
    text: str


def examine(simulator, code):
    """Compare the last frame with the state now, spring by spring and rigid by rigid."""
    state, model = simulator.state, simulator.model
    numbers = state.buffers.numbers
    time, dt = float(numbers[slots.TIME]), float(numbers[slots.STEP_TAU])
    culprit, energy, suggestion = find_culprit(simulator)
    why = (f"the step fell below its floor of {numbers[slots.DT_MIN]:.3g} s" if code == slots.FLOOR
           else "a position, velocity or energy is no longer a finite number")
    text = (f"scene {model.scene.name!r} stopped at t = {time:.6g} s: {why} (last step tried {dt:.3g} s, its residual "
            f"{numbers[slots.STEP_RESIDUAL]:.3g} J). Most energy since the last frame came in through {culprit} "
            f"({energy:+.3g} J). {suggestion}")
    return PostMortem(time, dt, culprit, energy, suggestion, text)


def spring_energies(model, buffers, position):
    """Elastic energies of all springs by kind, in the user's order, at a position."""
    from robotphi import measure
    from robotphi.spring_set import springs

    energies = {}
    for kind in ("linear", "angular", "articular"):
        chosen = springs(model, kind)
        if len(chosen.first):
            if kind == "linear":
                strain = measure.elongations(model, position, float(buffers.numbers[slots.TIME]), chosen)
            elif kind == "angular":
                strain = measure.bends(model, position, buffers.angular_law, chosen) - chosen.rest
            else:
                strain = measure.angles(model, position, buffers.articular, chosen) - chosen.rest
            energies[kind] = 0.5 * chosen.stiffness * strain**2
    return energies


def find_culprit(simulator):
    """Name, gain [J] and a suggestion for the spring or rigid that gained most since the last frame."""
    model, state = simulator.model, simulator.state
    buffers = state.buffers
    recording = simulator.recorder.recording()
    before, now = recording.position[-1], state.buffers.next_position[:model.particle_count, :3]
    with np.errstate(all="ignore"):
        old, new = (spring_energies(model, buffers, position) for position in (before, now))
    best = ("no spring", 0.0, "")
    for kind in new:
        gain = np.where(np.isfinite(new[kind] - old[kind]), new[kind] - old[kind], np.inf)
        k = int(np.argmax(gain))
        if gain[k] > best[1]:
            best = (f"{kind} spring {model.scene.spring_name(kind, k)}", float(gain[k]),
                    suggest_spring(model, kind, k, float(buffers.numbers[slots.STABLE])))
    kinetic = 0.5 * model.arrays.rigids.mass * (np.sum(state.rigid(3)**2, 1) - np.sum(recording.rigid_velocity[-1]**2, 1))
    if len(kinetic) and np.nanmax(kinetic) > best[1]:
        k = int(np.nanargmax(kinetic))
        best = (f"rigid {model.scene.rigids[k].name!r}", float(kinetic[k]),
                "Check the forces and springs on it, or give a larger mass.")
    return best if best[2] else (*best[:2], "Give a larger budget, or a smaller dt_min to go on in smaller steps.")


def suggest_spring(model, kind, index, stable):
    from robotphi.spring_set import springs

    chosen = springs(model, kind, np.array([index]))
    stiffness, viscosity = float(chosen.stiffness[0]), float(chosen.viscosity[0])
    unit = {"linear": ("N/m", "N·s/m")}.get(kind, ("N·m/rad", "N·m·s/rad"))
    parts = [f"Its stiffness is {stiffness:.3g} {unit[0]}, its viscosity {viscosity:.3g} {unit[1]}; the stable step is "
             f"{stable:.3g} s."]
    if stiffness > 0:
        parts.append(f"A stiffness of {stiffness / 4:.3g} {unit[0]} or four times the mass on its ends doubles that step")
    if viscosity > 0:
        parts.append(f"{'; a' if stiffness > 0 else 'A'} viscosity of {viscosity / 4:.3g} {unit[1]} eases it further")
    return "".join(parts).rstrip(".") + ". A smaller dt_min lets the run go on in smaller steps."
