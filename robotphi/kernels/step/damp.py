"""The dampers by themselves: the flow of v̇ = M⁻¹ (f − C v) for a time h at held positions, f all other forces, C v viscous.

Runge–Kutta–Legendre of second order in s stages (Meyer, Balsara & Aslam 2014), stable for
c h ≤ (s² + s − 2)/2: its stages cost what grows like the root of the damping rate c. With w = 4/(s² + s − 2),
b_j = (j² + j − 2)/(2 j (j + 1)), b_0 = b_1 = b_2 = 1/3, and D_j what dampers push with at the velocity v_j of stage j:
    J_1 = b_1 w h D_0,     J_j = μ J_j₋₁ + ν J_j₋₂ + μ̃ h D_j₋₁ + γ̃ h D_0,     v_j = v_0 + M⁻¹ (t_j f + J_j),
    μ = (2j − 1)/j · b_j/b_j₋₁,   ν = −(j − 1)/j · b_j/b_j₋₂,   μ̃ = μ w,   γ̃ = −(1 − b_j₋₁) μ̃,
and t_j by the same recursion, t_s = h. Impulses J are sums of pairs, so both momenta are exact. Stiff modes keep a positive
share of at most about 0.7 of what they were off f = C v.

What dampers took is −J·(v_0 + v_s)/2 + ∫ f·(v − v_0) dt − ½ h f·(v_s − v_0), the integral by the recursion of the stages: for
every linear damper ½ (1 − R²) m w² + 2 (1 − R) m w g + h c m g² with g = f/(m c), w = v_0 − g and R the share that is
kept, which is exact for R = exp(−c h) and positive for every R of a stable mode. Where it comes out negative dampers have
pushed up what they should have taken: nothing is booked, and the ledger sees what they made.
"""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.compiling.team import meet
from robotphi.kernels.mechanism.stages import stage_mechanisms
from robotphi.kernels.springs.dampers import add_damper_forces
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.damp_rows import clear_rows, first_stage, impulse_on_way, later_stage, rigid_stage, stays
from robotphi.kernels.step.damp_stiff import end_stiff, open_stiff, push_stiff, stage_stiff
from robotphi.kernels.step.damp_touch import rigid_impulse, rigid_on_way, row_damping, stage_of_rows
from robotphi.kernels.step.relief import stages_for
from robotphi.kernels.step.slots import PASSED, PASSED_BEFORE, POWER, TAKEN


class Mobile(NamedTuple):
    """What `particles.mobility` reads."""
    inverse_mass: np.ndarray
    axes: np.ndarray
    moves: np.ndarray


@inlined
def share_of(j):
    """b_j"""
    return (j * j + j - 2.0) / (2.0 * j * (j + 1.0)) if j > 2 else 1.0 / 3.0


@inlined
def pass_on(sums, i, power, on_last, on_before, on_power):
    """Recursion of the integral of f·(v − v₀) over the stages, with the power before this stage."""
    passed = on_last * sums[i, PASSED] + on_before * sums[i, PASSED_BEFORE] + on_power * sums[i, POWER]
    sums[i, PASSED_BEFORE], sums[i, PASSED], sums[i, POWER] = sums[i, PASSED], passed, power


@kernel
def damp(arrays, buffers, place, bound, start, start_rigid, found, found_rigid, h, time, ahead, member, team, generation):
    """Take the velocities `start` of particles and rigids at `place` to those after h, `found`. Returns the generation.

    `ahead`: whether the place is that of the end of the attempt; `bound`: how closures of mechanisms pull there.
    """
    particles, rigids, damping, stiff = value(arrays.particles), arrays.rigids, buffers.damping, len(arrays.stiff.way) > 0
    inside = buffers.numbers[at.INSIDE]
    loose = Mobile(arrays.stiff.loose if stiff else particles.inverse_mass, particles.axes, particles.moves)
    if stiff:
        open_stiff(arrays, buffers, place, ahead, member, team)
    first, pushed, last, before = damping.first, damping.pushed, damping.impulse, damping.impulse_before
    block = particles.damped
    blocks = len(block)
    from_block, to_block = blocks * member // team, blocks * (member + 1) // team
    for k in range(from_block, to_block):
        clear_rows(first, block[k, 0], block[k, 1])
    generation = meet(buffers.sync, team, generation)
    generation = add_damper_forces(arrays, buffers, place.position, start, first, time, inside, True, member, team,
                                   generation)
    touching = buffers.counters[at.HAS_CONTACT] == 1
    stages = stages_for(h * (buffers.numbers[at.SPRING_DAMPING] + row_damping(buffers.touch, ahead)))
    if stages % 2 == 0:
        last, before = before, last  # so that the impulses of the last stage are those that stay
    reach = 4.0 / (stages * stages + stages - 2.0)
    spent_before, spent = 0.0, 0.0
    if touching:
        generation = stage_of_rows(buffers.touch, damping.rigid_sums, ahead, start, start_rigid, first, damping.rigid_first,
                                   (0.0, 0.0, 0.0, share_of(1) * reach * h), True, buffers.sync, member, team, generation)
    for j in range(1, stages + 1):
        if j == 1:
            on_last, on_before, on_pushed, on_first = 0.0, 0.0, 0.0, share_of(1) * reach * h
            spent = on_first
            for k in range(from_block, to_block):
                damping.block_sums[k, PASSED] = damping.block_sums[k, PASSED_BEFORE] = damping.block_sums[k, POWER] = 0.0
                power = first_stage(loose, block[k, 0], block[k, 1], place.force, start, found, first,
                                    pushed, last, before, on_first)
                pass_on(damping.block_sums, k, power, on_last, on_before, on_pushed)
        else:
            generation = add_damper_forces(arrays, buffers, place.position, found, pushed, time, inside, False,
                                           member, team, generation)
            on_last = (2.0 * j - 1.0) / j * share_of(j) / share_of(j - 1)
            on_before = -(j - 1.0) / j * share_of(j) / share_of(j - 2)
            on_pushed = on_last * reach * h
            on_first = -(1.0 - share_of(j - 1)) * on_pushed
            if touching:
                generation = stage_of_rows(buffers.touch, damping.rigid_sums, ahead, found, found_rigid, pushed,
                                           damping.rigid_pushed, (on_last, on_before, on_pushed, on_first), False, buffers.sync,
                                           member, team, generation)
            spent_before, spent = spent, on_last * spent + on_before * spent_before + on_pushed + on_first
            for k in range(from_block, to_block):
                power = later_stage(loose, block[k, 0], block[k, 1], place.force, start, found, first,
                                    pushed, last, before, (on_last, on_before, on_pushed, on_first), spent)
                pass_on(damping.block_sums, k, power, on_last, on_before, on_pushed)
            last, before = before, last
        generation = meet(buffers.sync, team, generation)
        if stiff:
            push_stiff(arrays, buffers, last, member, team)
            generation = meet(buffers.sync, team, generation)
        if len(rigids.mass) > 0:
            if member == 0 and len(arrays.mechanisms.free) > 0:
                stage_mechanisms(arrays, buffers, place, bound, start_rigid, found_rigid, found, last,
                                 (on_last, on_before, on_pushed, on_first), j, spent)
            for i in range(member, len(rigids.mass), team):
                if arrays.mechanisms.link_of_rigid[i] >= 0 or (stiff and arrays.stiff.of_rigid[i] >= 0):
                    continue
                if j == 1:
                    damping.rigid_sums[i, PASSED] = damping.rigid_sums[i, PASSED_BEFORE] = damping.rigid_sums[i, POWER] = 0.0
                of_rows = rigid_impulse(damping, i, j, (on_last, on_before, on_pushed, on_first))
                if j > 1 and stays(rigids, i):
                    continue
                power = rigid_stage(rigids, i, place.position, place.rigid, place.load, start_rigid, found_rigid, found, last,
                                    of_rows, spent)
                pass_on(damping.rigid_sums, i, power, on_last, on_before, on_pushed)
            generation = meet(buffers.sync, team, generation)
        if stiff:
            stage_stiff(arrays, buffers, place, start, start_rigid, found, found_rigid, last, j,
                        (on_last, on_before, on_pushed, on_first), spent, member, team)
            generation = meet(buffers.sync, team, generation)
    for k in range(from_block, to_block):
        damping.block_sums[k, TAKEN] = (damping.block_sums[k, PASSED] - 0.5 * h * damping.block_sums[k, POWER]
                                        - impulse_on_way(block[k, 0], block[k, 1], start, found, last))
    for i in range(member, len(rigids.mass), team):
        damping.rigid_sums[i, TAKEN] = (damping.rigid_sums[i, PASSED] - 0.5 * h * damping.rigid_sums[i, POWER]
                                        - rigid_on_way(damping, i, start_rigid, found_rigid))
    if stiff:
        end_stiff(arrays, buffers, start, start_rigid, found, found_rigid, h, member, team)
    return meet(buffers.sync, team, generation)
