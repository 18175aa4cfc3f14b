"""Assembly: rigids come to stand where their joints hold them, and first rates keep the loops closed.

Tree joints are closed by moving the child; loops by Newton's method on the rows of their closures, in the coordinates of the
joints, with the smallest change of these. A joint may be open by as much as it was told (`assemble`); one that cannot be
closed, or not together with the others, is named.
"""
import numpy as np

from robotphi.kernels.mechanism.kinds import BALL
from robotphi.model.chain import Chain
from robotphi.model.closures import matrix_of
from robotphi.scene.checks import refuse
from robotphi.scene.turns import quaternion_of

SMALL = 1e-6        # of the extent: what a joint may be open by where nothing is told
CLOSED = 1e-13      # of the extent: what counts as closed
ROUGH = 1e-3        # of the speeds: what rates may open a joint by as they are said; all are then changed a little
SINGULAR = 1e-12    # of the largest eigenvalue of A Aᵀ: what is left of rows that follow from others
EXACT = 1e-15       # of the speeds: what counts as nothing
RESTING = CLOSED    # of the extent in the duration: what opens a joint by no more is rounding of drives that start at rest
STUCK = 1e-9        # of a motion: what part in it counts as none
STEPS = 200
LONGEST = 0.3       # rad, and of the extent: the longest step


def assemble(scene, pose, built):
    """Change places, turns and rates of what is built, and the rigids in the pose, so that all joints are closed."""
    chain = Chain(built.mechanisms, built.closures, pose, built.place, built.turn)
    moved = _close_trees(scene, built)
    for m in range(len(built.mechanisms.free)):
        if built.closures.start[m + 1] > built.closures.start[m]:
            moved = _close(scene, chain, built, m) or moved
    if moved:
        _place_rigids(scene, pose, built, chain)
    for m in range(len(built.mechanisms.free)):
        if built.closures.start[m + 1] > built.closures.start[m]:
            _meet_rates(scene, chain, built, m)
    return chain


def _allowed(joint, extent):
    return SMALL * extent if joint.assemble is None else joint.assemble


def _close_trees(scene, built):
    """Whether any joint of a tree is drawn apart."""
    if not built.links:
        return False
    extent = max(float(np.ptp(built.mechanisms.on_parent, axis=0).max(initial=0.0)), 1e-300)
    apart = False
    for link in built.links:
        joint = link.joint
        if joint is None or link.own_at is link.at:
            continue
        gap = np.linalg.norm(joint.at_child - joint.at)
        if gap > _allowed(joint, extent):
            _refuse_open(joint, gap)
        apart = True
    return apart


def _refuse_open(joint, gap):
    refuse(f"joint {joint.name!r}", f"it is open by {gap:.3g} m as drawn",
           f"draw its parts together, or let it close itself over that distance: assemble={gap * 1.01:.2g}")


def _gaps(scene, chain, m):
    """Number of a joint, or −1 less that of a relation → how far it is open [m]."""
    closures, value, gaps = chain.closures, chain.closing(m)[0], {}
    for n, i in enumerate(range(closures.start[m], closures.start[m + 1])):
        number = int(closures.joint[i]) if closures.relation[i] < 0 else -1 - int(closures.relation[i])
        gaps[number] = np.hypot(gaps.get(number, 0.0), value[n])
    return gaps


def _named(scene, built, number):
    return f"joint {scene.joints[number].name!r}" if number >= 0 else f"relation {built.relations[-1 - number]!r}"


def _close(scene, chain, built, m):
    """Newton's method on the closures of a mechanism; whether it had to move."""
    extent = chain.closures.extent[m]
    gaps = _gaps(scene, chain, m)
    if max(gaps.values()) <= CLOSED * extent:
        return False
    for number, gap in gaps.items():
        if number >= 0 and gap > _allowed(scene.joints[number], extent):
            _refuse_open(scene.joints[number], gap)
    scale = _scales(built.mechanisms, m, extent)
    best = np.inf
    for _ in range(STEPS):
        value, slopes = chain.closing(m)
        largest = np.abs(value).max()
        if largest <= 0.1 * CLOSED * extent or (largest <= CLOSED * extent and largest > 0.5 * best):
            break
        best = min(best, largest)
        change = -_least(slopes * scale, value)
        change *= scale * min(1.0, LONGEST / max(np.abs(change).max(), 1e-300))
        _move(built, m, change)
        chain.stand(built.place, built.turn)
    gaps = _gaps(scene, chain, m)
    worst = max(gaps, key=gaps.get)
    if not gaps[worst] <= 10.0 * CLOSED * extent:
        refuse(_named(scene, built, worst), f"it stays open by {gaps[worst]:.3g} m however the mechanism stands",
               "change its lengths and axes so that all its loops can close together")
    return True


def _scales(mechanisms, m, extent):
    """What counts as one for each coordinate: a radian, or the extent."""
    own = slice(mechanisms.freedom_start[mechanisms.start[m]], mechanisms.freedom_start[mechanisms.start[m + 1]])
    return np.where(mechanisms.turn[own] != 0.0, 1.0, extent)


def _move(built, m, change):
    mechanisms = built.mechanisms
    first = mechanisms.freedom_start[mechanisms.start[m]]
    built.place[first:first + len(change)] += change
    for i in range(mechanisms.start[m], mechanisms.start[m + 1]):
        if mechanisms.rotation[i] == BALL:
            own = [k for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]) if mechanisms.turn[k] != 0.0]
            by = sum(mechanisms.turn[k] * change[k - first] * mechanisms.axis[k] for k in own)
            built.turn[i] = turned(built.turn[i], by)
            built.place[own] -= change[[k - first for k in own]]


def turned(q, by):
    """A quaternion turned by a rotation vector."""
    angle = np.linalg.norm(by)
    p = np.concatenate(([np.cos(0.5 * angle)], 0.5 * np.sinc(0.5 * angle / np.pi) * by))
    product = np.concatenate(([p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])))
    return product / np.linalg.norm(product)


def _place_rigids(scene, pose, built, chain):
    """The rigids and their particles go where the links stand."""
    for i, number in enumerate(built.mechanisms.rigid):
        if number >= 0:
            rigid = scene.rigids[number]
            local = (pose.position[rigid.particles] - pose.rigid_position[number]) @ matrix_of(pose.rigid_orientation[number])
            pose.rigid_position[number] = chain.centre[i]
            pose.rigid_orientation[number] = quaternion_of(chain.axes[i])
            pose.position[rigid.particles] = chain.centre[i] + local @ chain.axes[i].T


def _meet_rates(scene, chain, built, m):
    """Rates not said take the smallest values with which the closures stay met; those said stay, up to their digits."""
    mechanisms, closures = built.mechanisms, built.closures
    first, last = (mechanisms.freedom_start[mechanisms.start[m]], mechanisms.freedom_start[mechanisms.start[m + 1]])
    scale, rows = _scales(mechanisms, m, closures.extent[m]), range(closures.start[m], closures.start[m + 1])
    _, slopes = chain.closing(m)
    said = np.array([_is_said(scene, link) for link in built.links[mechanisms.start[m]:mechanisms.start[m + 1]]
                     for _ in link.freedoms], bool)
    speeds = _speeds(chain, built, rows)
    motion = chain.motions(built.rate)[mechanisms.start[m]:mechanisms.start[m + 1]]
    fastest = np.abs(motion[:, :3]).max() + closures.extent[m] * np.abs(motion[:, 3:]).max()
    fastest = max(fastest, RESTING * closures.extent[m] / (CLOSED * scene.duration))
    if not np.abs(speeds).max() > CLOSED * fastest:   # it may all move as one, with a base that moves
        return
    size = max(np.abs(built.rate[first:last] / scale).max(initial=0.0) * closures.extent[m], np.abs(speeds).max())
    for own in (np.flatnonzero(~said), np.arange(last - first)):
        for _ in range(3):   # the later ones make up for rounding
            if len(own) and np.abs(speeds).max() > EXACT * size:
                built.rate[first + own] -= _least((slopes * scale)[:, own], speeds) * scale[own]
                speeds = _speeds(chain, built, rows)
        worst = int(np.argmax(np.abs(speeds)))
        if not np.abs(speeds).max() <= ROUGH * size:
            row = rows[worst]
            number = closures.joint[row] if closures.relation[row] < 0 else -1 - closures.relation[row]
            _refuse_stuck(scene, built, number, slopes * scale, worst, first, m)
            refuse(_named(scene, built, number), f"the rates and velocities said would open it at {abs(speeds[worst]):.3g} m/s",
                   "say fewer of them: those not said follow")


def _refuse_stuck(scene, built, closing, slopes, row, first, m):
    """Where a joint whose drive would open a row has no part in any motion that the loops allow, name it."""
    turns, sizes, motions = np.linalg.svd(slopes)
    free = motions[np.count_nonzero(sizes > STUCK * sizes.max(initial=0.0)):]
    for i in range(built.mechanisms.start[m], built.mechanisms.start[m + 1]):
        for k in range(built.mechanisms.freedom_start[i], built.mechanisms.freedom_start[i + 1]):
            driven = built.mechanisms.drive[k] >= 0 and built.rate[k] * slopes[row, k - first] != 0.0
            if driven and np.linalg.norm(free[:, k - first]) < STUCK:
                refuse(f"joint {built.links[i].joint.name!r}", "it is driven, but the loop that "
                       f"{_named(scene, built, closing)} closes leaves it no way to move as it stands",
                       "take its drive away, draw the loop another way, or give it one more freedom")


def _least(matrix, right):
    """The x of least norm for which A x is nearest to b, by the eigenvectors of A Aᵀ."""
    values, vectors = np.linalg.eigh(matrix @ matrix.T)
    kept = values > SINGULAR * values[-1]
    return matrix.T @ (vectors[:, kept] @ ((vectors[:, kept].T @ right) / values[kept]))


def _is_said(scene, link):
    if link.joint is not None:
        return link.joint.rate_said
    rigid = scene.rigids[link.rigid]
    return bool((rigid.velocity != 0.0).any() or (rigid.spin != 0.0).any())


def _speeds(chain, built, rows):
    """φ̇ of rows."""
    return np.array([chain.rates_of(i, built.rate) for i in rows])
