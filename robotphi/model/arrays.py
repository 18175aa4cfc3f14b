"""The model: every fixed array of a simulation, read-only, in the order in which the kernels read it.

`n` particles of the user (those of rigids included) are rows 0 … n−1 of the particle arrays; behind them stand
`GHOSTS` resting rows without mass, to which the idle springs that fill a group up to a multiple of four are tied.
A spring list is sorted by *group*, a node of the tree of `springs.py`: two groups of one level share no particle, so
that threads may share out the groups of a level and every sum has one order whatever their number.
`start` arrays of length g + 1 give the range of each group; in the lane lists (`linear`, `angular`) these are multiples of
four. What the springs of a list have, with units, stands in `kernels/springs/table.py`.
"""
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from robotphi.kernels.contact.columns import Outlines
from robotphi.kernels.mechanism.columns import Closures, Mechanisms
from robotphi.kernels.springs.table import OF_LIST
from robotphi.kernels.step.stiff_frame import NoStiff

ALIGNMENT = 64  # bytes: a cache line, and the widest vector register


class Particles(NamedTuple):
    mass: np.ndarray              # (rows,) kg; 0 for particles of rigids and ghosts
    inverse_mass: np.ndarray      # (rows,) 1/kg; 0 where nothing moves by itself: held on all axes, in a rigid, a ghost
    axes: np.ndarray              # (rows,) uint8 0 … 7: which axes move by themselves, bits x = 1, y = 2, z = 4
    moves: np.ndarray             # (8, 4) what `axes` says as factors 1.0 and 0.0 of x, y, z, pad
    block: np.ndarray             # (blocks, 2) int32 ranges of rows, without those that nothing asks for; fixed, so that sums
                                  # do not depend on threads
    damped: np.ndarray            # (d, 2) int32 … of those that move by themselves, or that springs pull
    gravity: np.ndarray           # (4,) m/s²


class Rigids(NamedTuple):
    mass: np.ndarray              # (r,) kg
    inverse_mass: np.ndarray      # (r, 3) 1/kg per axis; 0 where supported or driven
    inertia: np.ndarray           # (r, 3) principal moments, kg·m²
    inverse_inertia: np.ndarray   # (r, 3)
    support: np.ndarray           # (r, 3) 1.0 where rotation about that world axis is held, else 0.0
    rotation: np.ndarray          # (r,) int32: 0 free, 1 partly supported, 2 held or driven
    start: np.ndarray             # (r + 1,) int32 into particle and local
    used: np.ndarray              # (r,) int32 likewise: before it those that forces ask for, from it on the others
    particle: np.ndarray          # (k,) int32
    local: np.ndarray             # (k, 3) m, in the principal frame, from the centre of mass


def _spring_list(name, of_list, meaning):
    """A list of springs with the fields that the table of springs gives it, (m,) or (m, width) each."""
    made = NamedTuple(name, [(field.name, np.ndarray) for field in OF_LIST[of_list].fields(of_list)])
    made.__doc__, made.__module__ = meaning, __name__
    return made


Linear = _spring_list("Linear", "linear", "Plain linear springs, four at a time.")
Angular = _spring_list("Angular", "angular", "Plain angular springs, four at a time.")
LinearLaw = _spring_list("LinearLaw", "linear_law", "Linear springs with a law of their own, one at a time.")
AngularLaw = _spring_list("AngularLaw", "angular_law", "Angular springs with a law of their own: bends signed by a normal.")
Articular = _spring_list("Articular", "articular", "Articular springs: signed angle about the axis centre → end.")


class Tables(NamedTuple):
    """Force over elongation in cubic pieces; beyond the ends the first and last slopes go on."""
    start: np.ndarray             # (tables + 1,) int32 into piece
    piece: np.ndarray             # (k, 7): from, anchor, c0, c1, c2, c3, energy at anchor; s = e − anchor


class Drives(NamedTuple):
    """Quantities over time in pieces; held before the first and after the last."""
    start: np.ndarray             # (drives + 1,) int32 into piece
    piece: np.ndarray             # (k, 8): from, c0, c1, c2, c3, amplitude, angular frequency, phase; s = t − from


class Led(NamedTuple):
    """Bodies that follow a motion, a pose over time."""
    pose: np.ndarray              # (m, 7) int32 drives of x, y, z [m] and of a quaternion w, x, y, z of any length
    particle: np.ndarray          # (a,) int32, those of one motion after those of another
    particle_motion: np.ndarray   # (a,) int32
    particle_at: np.ndarray       # (a, 3) m in the frame of the motion
    rigid: np.ndarray             # (b,) int32
    rigid_motion: np.ndarray      # (b,) int32
    rigid_at: np.ndarray          # (b, 3) m its centre there
    rigid_turn: np.ndarray        # (b, 4) orientation of its principal frame there


class Motions(NamedTuple):
    """Axes of primitives that follow a drive, and what is led."""
    particle: np.ndarray          # (a,) int32
    particle_axis: np.ndarray     # (a,) int32
    particle_base: np.ndarray     # (a,) m: the coordinate is base + drive
    particle_drive: np.ndarray    # (a,) int32
    rigid: np.ndarray             # (b,) int32
    rigid_axis: np.ndarray        # (b,) int32: 0 1 2 translation, 3 rotation about rigid_direction
    rigid_base: np.ndarray        # (b,) m or rad
    rigid_direction: np.ndarray   # (b, 3) unit axis of a driven rotation, world frame
    rigid_drive: np.ndarray       # (b,) int32
    led: Led


class Forces(NamedTuple):
    """Virtual forces and torques."""
    kind: np.ndarray              # (f,) int32: 0 on a particle, 1 on a rigid's centre, 2 torque on a rigid
    target: np.ndarray            # (f,) int32
    direction: np.ndarray         # (f, 3) N or N·m per unit of the drive
    drive: np.ndarray             # (f,) int32


class Tree(NamedTuple):
    """Levels of groups: `level_start[i] … level_start[i+1]` are the groups of level i, leaves first."""
    level_start: np.ndarray       # (levels + 1,) int32


class Slabs(NamedTuple):
    """Leaves that are one run of rows, cut into slabs: the rows of a slab are moved just before its springs pull on them,
    while they are still in the cache of the core. No entries where leaves are not such runs."""
    start: np.ndarray             # (leaves + 1,) int32 into the others
    row: np.ndarray               # (s,) int32 rows below this one are moved before …
    linear: np.ndarray            # (s,) int32 … the plain linear springs up to here
    angular: np.ndarray           # (s,) int32 … and the plain angular springs up to here
    first_row: np.ndarray         # (leaves,) int32


class Parts(NamedTuple):
    """What can touch, one row a part: convex polyhedra, sheets, round shapes, planes, height fields (`kernels/contact/kinds`).

    A polyhedron has its corners in `vertex` (for the distance) and its triangles in `facet` (for the force); a ball has its
    centre in `vertex`, what has an axis the two ends of it.
    """
    kind: np.ndarray              # (p,) int32
    owner: np.ndarray             # (p,) int32 what it belongs to, for people: an object, ball, plane …
    rigid: np.ndarray             # (p,) int32 the rigid that carries all its rows; −1: free particles, or fixed in the world
    material: np.ndarray          # (p,) int32 row and column of the laws
    size: np.ndarray              # (p, 4) radius m, half the smallest thickness m, reference area m², mass kg (inf: fixed)
    vertex_start: np.ndarray      # (p + 1,) int32 into vertex
    vertex: np.ndarray            # (v,) int32 rows of particles
    vertex_area: np.ndarray       # (v,) m² of the surface around it
    neighbour_start: np.ndarray   # (v + 1,) int32 into neighbour; equal where the corners are to be scanned
    neighbour: np.ndarray         # (e,) int32 places in `vertex`: corners of rigid convex polyhedra joined by an edge
    facet_start: np.ndarray       # (p + 1,) int32 into facet
    facet: np.ndarray             # (f, 3) int32 rows, counterclockwise from outside
    facet_vertex: np.ndarray      # (f, 3) int32 the same as places in `vertex`, −1 for a facet centre that is no corner
    plane: np.ndarray             # (p, 6) m: point and unit normal, in the principal frame of the rigid or in the world
    field: np.ndarray             # (p,) int32 row of the height fields, of wheels their first one of `outline`, else −1
    self_touch: np.ndarray        # (p,) int32 1 where its facets may touch each other
    outline: Outlines             # of what has an axis


class Fields(NamedTuple):
    """Height fields over a grid: heights (nu, nv) at origin + (i du, j dv), each cell two triangles along (0,0)–(1,1)."""
    start: np.ndarray             # (k + 1,) int32 into height
    height: np.ndarray            # m, row by row: i nv + j
    shape: np.ndarray             # (k, 2) int32 nu, nv
    origin: np.ndarray            # (k, 3) m; heights are above its z
    spacing: np.ndarray           # (k, 2) m du, dv


class Immersed(NamedTuple):
    """Air or a liquid around the facets of objects: drag, and pressure below a level (`kernels/acts/medium`)."""
    facet: np.ndarray             # (f, 3) int32 rows, counterclockwise from outside
    two_sided: np.ndarray         # (f,) int32 1 where the surface is open, so that either side may face the flow
    linear: np.ndarray            # (f,) N·s/m³ drag per area and speed
    quadratic: np.ndarray         # (f,) kg/m³ drag per area and square of the speed, ½ ρ c
    wind: np.ndarray              # (3,) int32 into Drives, velocity of the medium along x, y, z; −1 where it is none
    surface: np.ndarray           # (5,) growth of pressure with depth N/m³ (0: none), up (3), level m (inf: no surface)


class Stiff(NamedTuple):
    """Stiff objects, one row each, and their matrices (`kernels/step/stiff`); of their particles those of a rigid come last."""
    way: np.ndarray               # (o,) int32 FREE, HELD or ON_RIGID
    rigid: np.ndarray             # (o,) int32 the rigid it is glued to, −1 where there is none
    start: np.ndarray             # (o + 1,) int32 into particle
    free_end: np.ndarray          # (o,) int32 into particle: the free ones end there
    particle: np.ndarray          # (k,) int32 rows
    rest: np.ndarray              # (k, 4) m at rest in the frame, from its centre
    inverse: np.ndarray           # (o, 9) 1/(kg m²): (Σ m X Xᵀ)⁻¹ of free objects
    width: np.ndarray             # (o,) int32 length of a vector, padded
    first: np.ndarray             # (o,) int32 into scratch vectors
    matrix_start: np.ndarray      # (o,) int64 into the matrices
    inertia_inverse: np.ndarray   # 1/kg: (M + A)⁻¹, panel by panel, see `stiff_frame`
    inertia_added: np.ndarray     # kg: A
    lag: np.ndarray               # (6 k, 4) M Z_0, a row for each motion of its rigid: how a particle follows it
    whole: np.ndarray             # (o, 40) what glued objects are to their rigids at rest, see `stiff_glued`
    kept: np.ndarray              # (o,) κ, mean of D M
    square: np.ndarray            # (o,) 1/s²: largest ω² that is left
    damping: np.ndarray           # (o,) 1/s: largest damping rate
    object: np.ndarray            # (rows,) int32 stiff object of a row, −1 of others
    place: np.ndarray             # (rows,) int32 its place in particle
    lossy: np.ndarray             # (o,) s: of its springs, viscosity over stiffness, at least
    least: np.ndarray             # (o,) of all motions of its particles: their inertia, in the frame, over their mass, at least
    line: np.ndarray              # (·,) int32 linear springs within each object, list index
    line_start: np.ndarray        # (o + 1,) int32 into line
    brace: np.ndarray             # (·, 3) int32 linear springs from the link of each object to what does not move: list …
    brace_start: np.ndarray       # … index, whether it has a law, its end on the link; (o + 1,) int32 into them
    line_gives: np.ndarray        # (·, 9) 1/kg: N of the distance of their ends in the frame, as the rigid gives way by itself
    mobility: np.ndarray          # 1/kg: of its particles, those of its rigid going along, likewise
    local: np.ndarray             # (k,) 1/kg: largest mobility of a free particle, with the inertia that is added …
    alone: np.ndarray             # (k,) … where its rigid does not move
    loose: np.ndarray             # (rows,) 1/kg: inverse masses, 0 of free particles of stiff objects
    of_rigid: np.ndarray          # (r,) int32 stiff object that is glued to a rigid, or −1


class NoStiffObjects(Stiff, NoStiff):
    """The same of a scene without any, which the compiler knows by it."""
    __slots__ = ()


class Contact(NamedTuple):
    """All that contact reads."""
    parts: Parts
    fields: Fields
    tree: Any                     # the FacetTree of `facet_tree`: boxes over the facets of sheets
    law: np.ndarray               # (materials², 8) see `kernels/contact/columns`; row first × materials + second
    excluded: np.ndarray          # (q,) int64 sorted keys first × parts + second (first < second) of parts that never touch


class Arrays(NamedTuple):
    """All that the compiled loop reads and never writes."""
    particles: Particles
    rigids: Rigids
    linear: Linear
    angular: Angular
    linear_law: LinearLaw
    angular_law: AngularLaw
    articular: Articular
    tables: Tables
    drives: Drives
    motions: Motions
    mechanisms: Mechanisms        # see `kernels/mechanism/columns`
    closures: Closures
    acts: Any                     # the Acts of `kernels/acts/table`: Forces, Immersed, and the rows of all others
    contact: Contact
    tree: Tree
    slabs: Slabs
    stiff: Stiff
    breakpoints: np.ndarray       # (k,) s, sorted: instants on which steps must land


SPRING_LISTS = {name: Arrays.__annotations__[name] for name in OF_LIST}


class Model(NamedTuple):
    """Arrays for the kernels, the initial state, and the names for people."""
    arrays: Arrays
    scene: Any                    # the Scene it was built from
    position: np.ndarray          # (n, 3) m, initial
    velocity: np.ndarray          # (n, 3) m/s
    rigid_position: np.ndarray    # (r, 3) m centre of mass
    rigid_orientation: np.ndarray  # (r, 4) principal frame to world
    rigid_velocity: np.ndarray    # (r, 3) m/s
    rigid_spin: np.ndarray        # (r, 3) rad/s, world frame
    joint_place: np.ndarray       # (f,) coordinates of joints
    joint_rate: np.ndarray        # (f,)
    joint_turn: np.ndarray        # (l, 4) orientations of balls in the parent's frame
    link_of_joint: np.ndarray     # (j, 2) int32 the link that each joint of the scene moves, −1 for closures; whether backwards
    freedoms_of_joints: np.ndarray  # (k,) int32 rows of the freedoms of all joints that move links, joint by joint
    particle_count: int
    work_names: tuple             # names of ledger work entries: one per drive that works, one per force
    work_of_drive: np.ndarray     # (drives,) int32 work entry of each drive used by springs or motions, −1 for none
    work_of_force: np.ndarray     # (forces,) int32
    work_of_motor: np.ndarray     # (motors,) int32, in the order of the arrays
    drive_of_command: np.ndarray  # (c,) int32 of each command of the scene, −1 where nothing takes it
    act_books: tuple              # (name, what it books) of every other act of a name, in the order of their entries
    part_names: tuple             # names of the parts that touch: "hand", or "hand:part 0" where a thing has several
    owner_names: tuple            # names of the things they belong to
    stiff_told: tuple             # a sentence on each object that is, or might be, stiff: which frequencies are right

    def with_values(self, values):
        """This model with other numbers, {address: value}; the model itself stays as it is.

        An address is (thing, quantity) or (thing, quantity, index or region), such as ("acl", "stiffness", 3);
        `scene.addresses()` lists them. What concerns no geometry is put in place, to the bits of a model that is built of
        `scene.with_values(values)`.
        """
        from robotphi.model.values import model_with_values

        return model_with_values(self, values)


def model_digest(model):
    """Fingerprint of all numbers of a model."""
    digest, arrays = sha256(), model.arrays
    if not len(arrays.mechanisms.free):
        arrays = arrays._replace(mechanisms=())   # what is not there is nothing to tell by
    for array in _leaves((arrays, model.position, model.velocity, model.joint_place, model.joint_rate)):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _leaves(thing):
    """The arrays of nested tuples, in their order."""
    if isinstance(thing, tuple):
        for part in thing:
            yield from _leaves(part)
    else:
        yield thing


# Making them ----------------------------------------------------------------------------------------------------------

def aligned(values, dtype=np.float64):
    """A read-only C-contiguous copy that starts on a cache line."""
    values = np.asarray(values)
    array = room(values.shape, dtype)
    array[...] = values
    array.flags.writeable = False
    return array


def room(shape, dtype):
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    raw = np.empty(size + ALIGNMENT, dtype=np.uint8)
    offset = -raw.ctypes.data % ALIGNMENT
    return raw[offset:offset + size].view(dtype).reshape(shape)
