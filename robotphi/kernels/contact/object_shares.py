"""How a stiff object and a ball that touches it share the springs behind the pair, and what all balls on an object ask of it.

Of a share θ the object feels K/θ and the ball K/(1 − θ) (`step/bodies`); the best share has both ask for as much.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.gives_way import of_both
from robotphi.kernels.mechanism.as_body import TREE_DAMP_LIMIT, TREE_JOINT, TREE_STIFF_LIMIT
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.bodies import JOINT, OWNER, RIGID_DAMP_LIMIT, RIGID_STIFF_LIMIT
from robotphi.kernels.step.stiff_bounds import DAMP_EXTRA, STIFF_EXTRA

LEAST_SHARE = 0.02    # of either side of a pair
HALVINGS = 24         # until shares are known


@inlined
def shared_out(ball, own, base):
    """One over the shares θ, 1 − θ of the object and of the ball with which base + own/θ = ball/(1 − θ).

    With x = 1/(1 − θ): ball x² − (ball + base + own) x + base = 0.
    """
    if not ball > 0.0 or not own > 0.0:
        return 2.0, 2.0
    total = ball + base + own
    x = (total + math.sqrt(max(total * total - 4.0 * ball * base, 0.0))) / (2.0 * ball)
    x = min(max(x, 1.0 / (1.0 - LEAST_SHARE)), 1.0 / LEAST_SHARE)
    return x / (x - 1.0), x


@kernel
def shared_out_strained(slow, numbers, k, o, ball, own, base):
    """The same for stiffnesses, where own/θ is less with the springs within the object, which are part of the base."""
    if not ball > 0.0 or not own > 0.0:
        return 2.0, 2.0
    beside, rest = numbers[k, c.BESIDE], base - slow.extra[o, STIFF_EXTRA]
    along, least, most = own - beside, LEAST_SHARE, 1.0 - LEAST_SHARE
    for _ in range(HALVINGS):
        share = 0.5 * (least + most)
        asked = rest + of_both(slow, o, along / share, along * numbers[k, c.STRAINING] / share) + beside / share
        if asked * (1.0 - share) > ball:
            least = share
        else:
            most = share
    share = 0.5 * (least + most)
    return 1.0 / share, 1.0 / (1.0 - share)


@inlined
def all_by_balls(touch, slow, o):
    """What all balls on object o ask for beside what its springs do."""
    if not touch.stiff[o, c.BALLS_ALL] > 0.0:
        return 0.0
    along = touch.stiff[o, c.BALLS_ALONG]
    return (of_both(slow, o, along, touch.stiff[o, c.BALLS_STRAIN]) - slow.extra[o, STIFF_EXTRA]
            + touch.stiff[o, c.BALLS_ALL] - along)


@kernel
def ball_alone(arrays, buffers, k, own, lossy, asked):
    """The bound of the ball of pair k, were nothing laid on it for other sides; `asked`: by this pair alone."""
    i, ease = arrays.contact.parts.rigid[buffers.touch.pairs[k, c.FIRST]], own
    if i < 0 or arrays.mechanisms.link_of_rigid[i] >= 0 or not ease > 1.0:
        return asked
    limit = buffers.rigid_block[i, JOINT + (RIGID_DAMP_LIMIT if lossy else RIGID_STIFF_LIMIT)]
    return max(limit * (ease - 1.0) / ease, asked)   # over x of then


@kernel
def base_of_object(arrays, buffers, o, lossy):
    """What the springs of object o ask, and all that its rigid feels, contacts too."""
    base, i = buffers.touch.stiff[o, 1 if lossy else 0], arrays.stiff.rigid[o]
    if lossy and buffers.counters[at.VISCOSITY] == at.APART:
        return 0.0
    if i >= 0 and arrays.mechanisms.link_of_rigid[i] >= 0:   # those that move by themselves have it in their own bound
        extra = buffers.slow.extra[o, DAMP_EXTRA if lossy else STIFF_EXTRA]
        base = max(base, extra + limit_of_rigid(buffers, i, lossy))
    return base


@kernel
def limit_of_rigid(buffers, i, lossy):
    """The bound of rigid i with contacts; that of its mechanism where it belongs to one that is one body."""
    from_tree = int(buffers.rigid_block[i, OWNER]) - 1
    if from_tree >= 0:
        return buffers.links.tree[from_tree, TREE_JOINT + (TREE_DAMP_LIMIT if lossy else TREE_STIFF_LIMIT)]
    return buffers.rigid_block[i, JOINT + (RIGID_DAMP_LIMIT if lossy else RIGID_STIFF_LIMIT)]
