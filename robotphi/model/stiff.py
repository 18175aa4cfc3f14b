"""Stiff objects: the matrices that slow down what is fast in them; equations in `kernels/step/stiff`.

The springs that count are the plain ones within the object, but for angular ones that are straight: those bend to all sides.
With K and C of their stiffness and viscosity at rest, in the modes φ of K + 4 C/T with eigenvalues Λ (M-orthonormal), the
inertia becomes Σ √(1 + (Λ/ω_c²)²) M φ φᵀ M, ω_c = 1.5/T: what the object asks of a step τ ≤ T, (τ/2)² ω² + τ c, is then below
0.57 by its springs and dampers together.
"""
import numpy as np

from robotphi.errors import SceneError
from robotphi.kernels.compiling.lanes import GHOSTS
from robotphi.kernels.mechanism.columns import EVENTFUL
from robotphi.kernels.springs.table import OF_LIST
from robotphi.kernels.step.stiff_frame import FREE, HELD, ON_RIGID, PADDED
from robotphi.kernels.step.terms import STRAIGHT_BEND
from robotphi.model import arrays as m
from robotphi.model.arrays import aligned
from robotphi.scene.drive import Drive
from robotphi.scene.rigid import principal_frame

SHARE = 1.5           # ω_c T; 2 is where a step T is no longer stable
KEPT, RIGHT = 6, 0.5  # so many of the slowest modes stay right where no step is given: ω T of the last of them
EXACT = 0.45          # of ω_c: frequencies up to it are right to 1 %
LOOSE = 1e-9          # of the largest eigenvalue: what no spring holds
MOST = 400            # particles of a stiff object
MOST_AUTO, PAYS = 64, 3.0   # "auto": particles, and times longer steps that pay for the matrix


def stiff_arrays(scene, particles, rigids, springs, built):
    """The Stiff arrays of a scene, from the arrays of its particles, rigids and springs; and a sentence on each object."""

    found, told = [], []
    for name, step in scene.stiff.items():
        try:
            one = _One(scene, name, step, particles, rigids, springs)
            one.join(scene, built, springs, particles, rigids)
            reason = one.against(scene) if step == "auto" else ""
        except SceneError as error:
            if step != "auto":
                raise
            reason = str(error)
        if reason:
            told.append(f"object {name!r} keeps its own inertia: {reason}")
        else:
            found.append(one)
            told.append(one.told())
    return _arrays(found, particles, len(rigids.mass)), tuple(told)


class _One:
    """One stiff object."""

    def __init__(self, scene, name, step, particles, rigids, springs):
        self.where, placed = f"object {name!r}", scene.objects[name]
        rows = placed.particles
        self.free = np.sort(rows[scene.rigid_of_particle[rows] < 0])
        self._check(placed)
        self.carried = np.sort(rows[scene.rigid_of_particle[rows] >= 0])
        self.rigid = placed.rigids[0].index if placed.rigids else -1
        mass, axes = particles.mass[self.free], particles.axes[self.free]
        moves = ((axes[:, None] >> np.arange(3)) & 1).astype(bool).ravel()
        self.way = ON_RIGID if self.rigid >= 0 else FREE if moves.all() else HELD
        if self.way == ON_RIGID and not moves.all():
            self._refuse("it has a rigid part and particles that are held", "hold the rigid part alone")
        self._place(scene, mass, rigids)
        stiffness, viscosity = self._matrices(scene, springs)
        self._slow(mass, moves, stiffness, viscosity, step)
        self.braces = np.zeros((0, 3))
        if self.way == ON_RIGID:
            self._follow(mass, stiffness, viscosity, rigids)

    def _refuse(self, problem, remedy):
        raise SceneError(f"{self.where}: it is to be stiff, but {problem}; {remedy}")

    def against(self, scene):
        """Why an object that may be stiff had better not be; "" where it had."""
        longer = self.step * self.fastest / 2.0
        if longer < PAYS:
            return f"with its {KEPT} slowest modes right it allows steps only {longer:.2g} times as long"
        if len(self.free) > MOST_AUTO:
            return f"its matrix, of {len(self.free)} particles, costs more than short steps unless all else costs much"
        swings = max((float(drive.piece[:, 6].max()) for drive in _drives(scene)), default=0.0)
        if swings * self.step > RIGHT:
            return (f"a drive swings at {swings / 2.0 / np.pi:.3g} Hz, and frequencies above "
                    f"{EXACT * SHARE / self.step / 2.0 / np.pi:.3g} Hz would not be right")
        return ""

    def told(self):
        """Which frequencies are right, and what becomes of the others."""
        cut, modes = SHARE / self.step, len(self.frequencies)
        right = np.count_nonzero(self.frequencies <= EXACT * cut)
        up_to, fastest, slowed = (each / 2.0 / np.pi for each in (EXACT * cut, self.fastest, cut))
        return (f"{self.where} allows steps of {self.step:.3g} s: of its {modes} modes {right} are right to 1 %, those up to "
                f"{up_to:.3g} Hz; faster ones, to {fastest:.3g} Hz, are slowed to at most {slowed:.3g} Hz. Rests and "
                "momenta are exact")

    def _check(self, placed):
        if len(placed.rigids) > 1:
            self._refuse(f"it has {len(placed.rigids)} rigid parts", "let it have one at most, or cut it into several objects")
        if not 2 <= len(self.free) <= MOST:
            self._refuse(f"it has {len(self.free)} free particles, and the matrix for it grows with their square",
                         f"give 2 to {MOST}: coarser cells, or explicit steps, which are cheaper for large objects")

    def join(self, scene, built, springs, particles, rigids):
        """What hangs on a link goes along with the tree; closures, which change rates beside accelerations, do not know it.

        A mechanism with stops looks for them in every step then: what hangs there is led in one way alone."""
        if self.rigid < 0 or built.mechanisms.link_of_rigid[self.rigid] < 0:
            return
        of_link = np.searchsorted(built.mechanisms.start, built.mechanisms.link_of_rigid[self.rigid], side="right") - 1
        if np.diff(built.closures.start)[of_link] > 0:
            self._refuse("its rigid part belongs to a loop of exact joints", "leave out stiff=, or close the loop by springs")
        eventful = np.array(built.mechanisms.eventful)
        eventful[of_link] = EVENTFUL if eventful[of_link] else 0
        built.mechanisms = built.mechanisms._replace(eventful=aligned(eventful, np.int32))
        self.braces = self._braces(scene, built, springs, particles, rigids)

    def _braces(self, scene, built, springs, particles, rigids):
        """Linear springs from its link to what does not move by itself: list index, whether with a law, the end on the link."""
        carrier = np.concatenate([scene.rigid_of_particle, np.full(GHOSTS, -1)])
        alone = built.mechanisms.link_of_rigid < 0
        stands = alone & (rigids.rotation == 2) & ~rigids.inverse_mass.any(axis=1)
        still, found = np.where(carrier < 0, particles.inverse_mass == 0.0, stands[carrier]), []
        for law, name in enumerate(("linear", "linear_law")):
            ends = springs[name].first, springs[name].second
            for end in range(2):
                own = np.flatnonzero((carrier[ends[end]] == self.rigid) & still[ends[1 - end]])
                found.append(np.stack([own, np.full(len(own), law), np.full(len(own), end)], axis=1))
        return np.concatenate(found)

    def _place(self, scene, mass, rigids):
        """Places at rest, in the frame."""
        every = np.concatenate([self.free, self.carried])
        position = scene.position[every]
        self.inverse = np.zeros(9)
        if self.way == ON_RIGID:
            rigid = scene.rigids[self.rigid]
            if rigid.drive or rigid.motion or 0 < np.count_nonzero(rigid.rotation_support) < 3:
                self._refuse("its rigid part is driven, or held about some axes", "hold all its rotations or none")
            self.rest = (position - rigid.centre) @ principal_frame(rigid.inertia)[1]
        elif self.way == HELD:
            self.rest = position
        else:
            self.rest = position - mass @ position[:len(mass)] / mass.sum()
            spread = np.einsum("i,ij,ik->jk", mass, self.rest[:len(mass)], self.rest[:len(mass)])
            if not np.linalg.cond(spread) < 1e8:
                self._refuse("it is flat", "a sheet or a line has no frame of its own: leave it as it is")
            self.inverse = np.linalg.inv(spread).ravel()

    def _matrices(self, scene, springs):
        """K and C of the free particles at rest, the frame standing still."""
        place = np.full(scene.particle_count + GHOSTS, -1)
        place[np.concatenate([self.free, self.carried])] = np.arange(len(self.rest))
        size = 3 * len(self.free)
        found, self.lossy = [np.zeros((size, size)), np.zeros((size, size))], np.inf
        for of_list, gradients in (("linear", self._lines), ("angular", self._bends)):
            each = springs[of_list]
            ends = [place[getattr(each, end)] for end in OF_LIST[of_list].ends]
            own = np.all([end >= 0 for end in ends], axis=0) & ((each.stiffness > 0.0) | (each.viscosity > 0.0))
            if of_list == "angular":
                own &= each.rest_bend >= STRAIGHT_BEND
            else:
                self.lines, self.line_ends = np.flatnonzero(own), [end[own] for end in ends]
            elastic = own & (each.stiffness > 0.0)
            self.lossy = min(self.lossy, np.min(each.viscosity[elastic] / each.stiffness[elastic], initial=np.inf))
            ends = [end[own] for end in ends]
            gradient = np.zeros((np.count_nonzero(own), len(self.rest), 3))
            for end, part in zip(ends, gradients(*ends), strict=True):
                np.add.at(gradient, (np.arange(len(end)), end), part)
            gradient = gradient[:, :len(self.free)].reshape(len(gradient), size)
            for total, factor in zip(found, (each.stiffness, each.viscosity), strict=True):
                total += gradient.T @ (factor[own, None] * gradient)
        return found

    def _lines(self, first, second):
        arm = self.rest[first] - self.rest[second]
        unit = arm / np.linalg.norm(arm, axis=1, keepdims=True)
        return unit, -unit

    def _gives(self, mobility):
        """N of the distance of both ends of each line, how it gives way to a pull on both, from that of the free particles."""
        size = 3 * len(self.free)
        padded = np.zeros((3 * len(self.rest), 3 * len(self.rest)))
        padded[:size, :size] = mobility
        blocks = padded.reshape(len(self.rest), 3, len(self.rest), 3)
        first, second = self.line_ends
        return (blocks[first, :, first] + blocks[second, :, second]) - (blocks[first, :, second] + blocks[second, :, first])

    def _bends(self, first, centre, second):
        from robotphi.discretise.matter.elasticity import angle_gradients

        on_first, on_second = angle_gradients(self.rest[first] - self.rest[centre], self.rest[second] - self.rest[centre])
        return on_first, -(on_first + on_second), on_second

    def _slow(self, mass, moves, stiffness, viscosity, step):
        """(M + A)⁻¹ and A, and the frequencies and damping rates that are left; held axes do not move."""
        root = np.repeat(np.sqrt(mass), 3)[moves]
        scale = 1.0 / np.outer(root, root)
        stiffness, viscosity = stiffness[np.ix_(moves, moves)] * scale, viscosity[np.ix_(moves, moves)] * scale
        own = np.linalg.eigvalsh(stiffness)
        fastest = own[-1]
        loose = np.count_nonzero(own < LOOSE * fastest)
        if not fastest > 0.0 or (self.way != FREE and loose):
            self._refuse("its springs leave a part of it loose", "join it by plain linear springs, or hold more of it")
        self.frequencies = np.sqrt(own[loose:])
        self.step = step if isinstance(step, float) else RIGHT / self.frequencies[:KEPT][-1]
        cut = (SHARE / self.step) ** 2
        value, mode = np.linalg.eigh(stiffness + 4.0 / self.step * viscosity)
        value = np.where(value < LOOSE * value[-1], 0.0, value)
        more = np.sqrt(1.0 + (value / cut) ** 2)
        count = 3 * len(mass)
        self.inverse_matrix, self.added = np.zeros((count, count)), np.zeros((count, count))
        inside = np.ix_(moves, moves)
        self.inverse_matrix[inside] = (mode / more) @ mode.T * scale
        self.added[inside] = (mode * ((value / cut) ** 2 / (more + 1.0))) @ mode.T / scale   # √(1 + s²) − 1, without cancelling
        half = mode / np.sqrt(more)
        self.square = float(np.linalg.eigvalsh(half.T @ stiffness @ half)[-1])
        self.damping = max(float(np.linalg.eigvalsh(half.T @ viscosity @ half)[-1]), 0.0)
        self.fastest = float(np.sqrt(fastest))
        self.mobility, self.least = self.inverse_matrix, float(more.min()) if self.way == HELD else 1.0
        self.line_gives = self._gives(self.inverse_matrix)
        self.local, self.alone = largest_blocks(self.mobility), largest_blocks(self.inverse_matrix)
        self.kept = float(np.mean(1.0 / more))

    def _follow(self, mass, stiffness, viscosity, rigids):
        """How particles follow the rigid, what they are to it, and the bounds with the rigid that moves."""
        from scipy.linalg import eigh

        count, i = len(mass), self.rigid
        motions = np.concatenate([np.broadcast_to(np.eye(3), (count, 3, 3)),
                                  np.cross(np.eye(3)[None], self.rest[:count, None]).swapaxes(1, 2)], axis=2).reshape(-1, 6)
        heavy = np.repeat(mass, 3)
        off = self.rest[:count] - mass @ self.rest[:count] / mass.sum()
        stretch = np.linalg.svd(off, compute_uv=False)
        if not stretch[1] > 1e-6 * stretch[0]:
            self._refuse("its free particles stand in a line", "let them fill a body")
        left = motions - self.inverse_matrix @ (heavy[:, None] * motions)
        self.lag = np.zeros((count, 6, 4))
        self.lag[:, :, :3] = (heavy[:, None] * left).reshape(count, 3, 6).swapaxes(1, 2)
        inertia = motions.T @ (heavy[:, None] * left)
        inertia = 0.5 * (inertia + inertia.T)
        spread = mass[:, None, None] * self.rest[:count, :, None] * self.rest[:count, None]
        self.whole = np.concatenate([inertia[:3, :3].ravel(), inertia[:3, 3:].ravel(), inertia[3:, 3:].ravel(),
                                     mass @ self.rest[:count], spread.sum(axis=0).ravel(), [mass.sum()]])
        relative = np.hstack([np.eye(3 * count), -motions])
        self._carry(left, inertia, rigids)
        inertia = np.diag(np.concatenate([heavy, np.full(3, rigids.mass[i]), rigids.inertia[i]]))
        inertia += relative.T @ self.added @ relative
        moves = np.concatenate([np.full(3 * count, True), np.full(3, (rigids.inverse_mass[i] > 0.0).any()),
                                np.full(3, rigids.rotation[i] == 0)])
        inertia = inertia[np.ix_(moves, moves)]
        self.square, self.damping = (max(float(eigh((relative.T @ each @ relative)[np.ix_(moves, moves)], inertia,
                                                    eigvals_only=True)[-1]), 0.0) for each in (stiffness, viscosity))
        self.least, strained = self._strained(heavy, motions, rigids)
        self.line_gives = self._gives(strained)

    def _carry(self, left, inertia, rigids):
        """The mobility of particles with that of the rigid they follow; joints leave it less."""
        i = self.rigid
        joint = np.diag(np.concatenate([np.full(3, rigids.mass[i]), rigids.inertia[i]])) + inertia
        moves = np.repeat([(rigids.inverse_mass[i] > 0.0).any(), rigids.rotation[i] == 0], 3)
        mobility = np.zeros((6, 6))
        mobility[np.ix_(moves, moves)] = np.linalg.inv(joint[np.ix_(moves, moves)])
        self.mobility = self.inverse_matrix + left @ mobility @ left.T
        self.local, self.alone = largest_blocks(self.mobility), largest_blocks(self.inverse_matrix)

    def _strained(self, heavy, motions, rigids):
        """A + M − M B (M_r + Bᵀ M B)⁻¹ Bᵀ M is what particles move against in the frame of a rigid that gives way as if nothing
        else held it: the least eigenvalue of it over M, and its inverse."""
        i = self.rigid
        moves = np.repeat([(rigids.inverse_mass[i] > 0.0).any(), rigids.rotation[i] == 0], 3)
        along = (np.sqrt(heavy)[:, None] * motions)[:, moves]
        joint = np.diag(np.concatenate([np.full(3, rigids.mass[i]), rigids.inertia[i]])[moves]) + along.T @ along
        left = np.eye(len(heavy)) - along @ np.linalg.solve(joint, along.T)
        scale = 1.0 / np.sqrt(heavy)
        scaled = left + scale[:, None] * self.added * scale
        return float(np.linalg.eigvalsh(scaled)[0]), scale[:, None] * np.linalg.inv(scaled) * scale


def _drives(scene):
    """Of all things: one each, or by axes, or by the freedoms of a joint, which may have torques as well."""
    for thing in scene.things.values():
        for found in (getattr(thing, "drive", None), getattr(thing, "torque", None)):
            several = found.values() if isinstance(found, dict) else found if isinstance(found, tuple) else (found,)
            yield from (drive for drive in several if isinstance(drive, Drive))


def largest_blocks(matrix):
    """Largest eigenvalue of each 3 × 3 block on the diagonal."""
    count = len(matrix) // 3
    blocks = matrix.reshape(count, 3, count, 3)[np.arange(count), :, np.arange(count), :]
    return np.linalg.eigvalsh(blocks)[:, -1]


def panels(matrix, width):
    """A symmetric matrix as panels of columns, each with the rows from its first on, one behind the other."""
    padded = np.pad(matrix, ((0, 0), (0, width - len(matrix))))
    return np.concatenate([padded[column:, column:column + PADDED].ravel() for column in range(0, width, PADDED)])


def whole_matrix(numbers, count):
    """The matrix of `count` rows whose panels begin with the first number."""
    found, begin = np.zeros((count, count)), 0
    for column in range(0, count, PADDED):
        size = PADDED * (count - column)
        panel = np.reshape(numbers[begin:begin + size], (-1, PADDED))[:, :count - column]
        found[column:, column:column + PADDED], begin = panel, begin + size
        found[column:column + PADDED, column:] = panel.T
    return found


def _arrays(found, particles, rigids):
    """Stiff objects side by side; nothing at all where there are none."""
    rows = len(particles.mass) if found else 0
    rigids = rigids if found else 0
    everything = [np.concatenate([one.free, one.carried]) for one in found]
    start = np.concatenate([[0], np.cumsum([len(each) for each in everything], dtype=np.int64)]).astype(np.int64)
    counts = [3 * len(one.free) for one in found]
    widths = [-(-(count + 1) // PADDED) * PADDED for count in counts]   # one to spare: rows are written and read by fours
    loose = particles.inverse_mass[:rows].copy()
    object_of, place, of_rigid = np.full(rows, -1), np.full(rows, -1), np.full(rigids, -1)
    lag, whole = np.zeros((start[-1], 6, 4)), np.zeros((len(found), 40))
    local, alone = np.zeros(start[-1]), np.zeros(start[-1])
    for o, (one, each) in enumerate(zip(found, everything, strict=True)):
        object_of[each], place[each] = o, start[o] + np.arange(len(each))
        loose[one.free] = 0.0
        local[start[o]:start[o] + len(one.free)], alone[start[o]:start[o] + len(one.free)] = one.local, one.alone
        if one.way == ON_RIGID:
            of_rigid[one.rigid] = o
            lag[start[o]:start[o] + len(one.free)], whole[o] = one.lag, one.whole

    def by_panels(which):
        return aligned(np.concatenate([np.empty(0), *(panels(getattr(one, which), width)
                                                      for one, width in zip(found, widths, strict=True))]))

    integer = np.int32
    return m.Stiff(
        way=aligned([one.way for one in found], integer), rigid=aligned([one.rigid for one in found], integer),
        start=aligned(start if found else [], integer),
        free_end=aligned([begin + len(one.free) for begin, one in zip(start, found, strict=False)], integer),
        particle=aligned(np.concatenate([np.empty(0), *everything]), integer),
        rest=aligned(np.pad(np.concatenate([np.empty((0, 3)), *(one.rest for one in found)]), ((0, 0), (0, 1)))),
        inverse=aligned(np.reshape([one.inverse for one in found], (-1, 9))), width=aligned(widths, integer),
        first=aligned(np.concatenate([[0], np.cumsum(widths)])[:len(found)], integer),
        matrix_start=aligned(np.concatenate([[0], np.cumsum([len(panels(one.added, width)) for one, width in
                                                             zip(found, widths, strict=True)])])[:len(found)], np.int64),
        inertia_inverse=by_panels("inverse_matrix"), inertia_added=by_panels("added"), mobility=by_panels("mobility"),
        line=aligned(np.concatenate([np.empty(0), *(one.lines for one in found)]), integer),
        line_start=aligned(np.concatenate([[0], np.cumsum([len(one.lines) for one in found])]) if found else [], integer),
        brace=aligned(np.concatenate([np.empty((0, 3)), *(one.braces for one in found)]), integer),
        brace_start=aligned(np.concatenate([[0], np.cumsum([len(one.braces) for one in found])]) if found else [], integer),
        line_gives=aligned(np.concatenate([np.empty((0, 3, 3)), *(one.line_gives for one in found)]).reshape(-1, 9)),
        lossy=aligned([one.lossy if np.isfinite(one.lossy) else 0.0 for one in found]),
        lag=aligned(lag.reshape(-1, 4)), whole=aligned(whole),
        kept=aligned([one.kept for one in found]), least=aligned([one.least for one in found]),
        square=aligned([one.square for one in found]), damping=aligned([one.damping for one in found]),
        object=aligned(object_of, integer), place=aligned(place, integer), local=aligned(local), alone=aligned(alone),
        loose=aligned(loose), of_rigid=aligned(of_rigid, integer))
