"""Everything the compiled loop writes, as one named tuple of arrays; and what of it belongs to one instant."""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.mechanism.columns import Joints, Links


class Instant(NamedTuple):
    """The present state, or that at the end of an attempt; the loop exchanges the two when an attempt stands."""
    position: np.ndarray          # (rows, 4) m
    velocity: np.ndarray          # (rows, 4) m/s
    force: np.ndarray             # (rows, 4) N
    rigid: np.ndarray             # (r, 16) see `rigids`
    load: np.ndarray              # (r, 6) N, N·m


class Touch(NamedTuple):
    """What contact writes; columns in `contact/columns`."""
    pairs: np.ndarray             # (c, 24) int32 pairs of parts, in order
    numbers: np.ndarray           # (c, 48) what is known of them
    sums: np.ndarray              # (c, 26) what the forces of a pair add up to
    spare_pairs: np.ndarray       # the same three, while the table is made anew
    spare_numbers: np.ndarray
    spare_sums: np.ndarray
    found: np.ndarray             # (c, 2) int32 pairs of parts whose boxes meet
    node: np.ndarray              # (v, 4) int32 other part of each slot of a vertex, plus one
    slots: np.ndarray             # (v, 4 · 24) friction of vertices, and of balls on fields
    share: np.ndarray             # (v,) N share of a vertex in the normal force of the pair at hand
    below: np.ndarray             # (v,) int32 facet under it
    load: np.ndarray              # (r, 6) force and moment of contact on rigids
    hard: np.ndarray              # (v, 2) 1/s², 1/s: what contact asks of a vertex
    particle_block: np.ndarray    # (rows, 16) bounds by springs and contacts, see `step/bodies`; of balls and vertices
    box: np.ndarray               # (p, 6) m
    fat: np.ndarray               # (p, 6) m, enlarged
    motion: np.ndarray            # (p, 6) mean velocity, speed about it, acceleration, size
    active: np.ndarray            # (p,) int32
    totals: np.ndarray            # (16,)
    sizes: np.ndarray             # (12,) int64
    scratch_whole: np.ndarray     # int64, of `broad`
    scratch_real: np.ndarray
    facet_index: np.ndarray       # int32, of `facets`
    facet_box: np.ndarray
    facet_corner: np.ndarray
    facet_most: np.ndarray
    tree_box: np.ndarray          # (m, 6) m, boxes of the trees over facets
    fresh: np.ndarray             # (p,) int32 1 where they are around the facets as they are now
    points: np.ndarray            # (9, 8) contacts of a ball, or of what has an axis, with a field
    breaks: np.ndarray            # (64, 3) directions, of `contact/press/round_facet`
    patch: np.ndarray             # (26,) surface of a soft part within a ball, see `contact/press/ball_soft`
    cut_facet: np.ndarray         # (f,) int32 facets that the last ball cut, those of each part from its first facet on
    cut: np.ndarray               # (f, 9) m² and m: areas and rims of their corners; a normal (`on_stiff`)
    cut_by: np.ndarray            # (p, 2) int32 row of that ball's centre, plus one, 0 where others came after; how many facets
    stiff: np.ndarray             # (o, 6) 1/s², 1/s of stiff objects: bounds without contact, what contact asks by their
                                  # vertices, what it asks of them by pairs as a whole (`on_stiff`)
    row: np.ndarray               # (2 n, 22) dampers as rows, of the present instant and of the end of the attempt
    row_body: np.ndarray          # (2 e,) int32 their ends: row of a particle, or −1 − rigid
    row_way: np.ndarray           # (2 e, 12) gradient of the rate: by the velocity, and by the spin of a rigid; M⁻¹ × it
    row_size: np.ndarray          # (2 e,) |g| over the root of the inertia, scratch
    row_counts: np.ndarray         # (8,) int64, how many there are
    row_bound: np.ndarray         # (2,) 1/s, bound of the damping rate of the rows of each half
    row_taken: np.ndarray         # (17, 45) few rows as their bound was taken last, see `contact/row_faces`
    row_load: np.ndarray          # (rows + r + o,) 1/s, of each body
    ease: np.ndarray              # (r,) how much joints leave of what a rigid by itself would give way, see `mechanism/bounds`
    pushed: np.ndarray            # (c, 33) what each pair leaves to add up, where members share the pairs
    span: np.ndarray              # (c, 6) int32 where its dampers go, its colour, whether soft
    order: np.ndarray             # (c,) int32 pairs by colours
    colour: np.ndarray            # (63,) int64 where each colour begins in it
    local: np.ndarray             # (k,) 1/kg, how particles of stiff objects give way, as joints leave it (`contact/gives_way`)


class Members(NamedTuple):
    """Scratch of each member of a team where they share the pairs, as in `Touch`; m the members, none in small scenes."""
    force: np.ndarray             # (m, rows, 4) N, nought between pairs
    load: np.ndarray              # (m, r, 6) N, N·m, nought between pairs
    totals: np.ndarray            # (m, 21) nought between pairs
    share: np.ndarray             # (m, v)
    below: np.ndarray             # (m, v) int32
    facet_index: np.ndarray       # (m, …) int32
    facet_box: np.ndarray         # (m, …, 6)
    facet_corner: np.ndarray
    facet_most: np.ndarray        # (m, v)
    points: np.ndarray            # (m, 9, 8)
    breaks: np.ndarray            # (m, 64, 3)
    patch: np.ndarray             # (m, 26)
    row_counts: np.ndarray        # (m, 8) int64
    sizes: np.ndarray             # (m, 12) int64
    seen: np.ndarray              # (m, 8) int64 what it found at an accepted step, see `renewed`
    soonest: np.ndarray           # (m, 8) s
    weight: np.ndarray            # (16,) int64 how much work a pair of each case is
    worth: np.ndarray             # (1,) int64 from how much on members share it
    taken: np.ndarray             # (2 p,) int64 colours that an owner, and then a part, has: a bit each
    coloured: np.ndarray          # (1,) int64 whether there are pairs that write to what others write to
    row_start: np.ndarray         # (p + 1,) int32 into row
    row: np.ndarray               # int32 rows of particles that a part's forces act on


class Damping(NamedTuple):
    """What dampers write that are integrated apart from the rest of the step; without rows where springs have no viscosity."""
    middle: np.ndarray            # (rows, 4) m/s, velocity of the drift
    middle_rigid: np.ndarray      # (r, 16)
    first: np.ndarray             # (rows, 4) N, what dampers push with before the first stage, and before the present one
    pushed: np.ndarray
    impulse: np.ndarray           # (rows, 4) N·s, of the present stage and the one before
    impulse_before: np.ndarray
    angular_way: np.ndarray       # (6 m/4, 4) of four plain springs √μ × gradient of the bend, x, y, z of first and of second
    angular_kind: np.ndarray      # (m/4,) int32, see `kernels/springs/dampers`
    block_sums: np.ndarray        # (b, 8)
    rigid_sums: np.ndarray        # (r, 8)
    rigid_first: np.ndarray       # (r, 6) N, N·m, what contact pushes with before the first stage, the present one
    rigid_pushed: np.ndarray
    rigid_impulse: np.ndarray     # (r, 6) N·s, N·m·s, of the present stage and the one before
    rigid_impulse_before: np.ndarray


class Slow(NamedTuple):
    """What stiff objects write, see `stiff`."""
    given: np.ndarray             # (p,) a vector of each, in its frame, at `first`
    got: np.ndarray               # (p,) a matrix times it
    motion: np.ndarray            # (o, 28)
    glue: np.ndarray              # (o, 72) of glued ones, see `stiff_glued`
    outer: np.ndarray             # (3 o, 4) scratch
    away: np.ndarray              # (k, 4) m off the rest, in the frame
    followed: np.ndarray          # (k, 4) N by which particles follow the acceleration of their rigid …
    lead: np.ndarray              # (o, 6) … and that acceleration, in the frame
    behind: np.ndarray            # (k, 4) scratch, likewise
    change: np.ndarray            # (o, 6) of a rigid in a half of the step: of its velocity, beside that by `lead`
    calm: np.ndarray              # (k, 4) m/s² of the dampers apart, see `damp_stiff`
    going: np.ndarray             # (k, 4) m/s²
    reaction: np.ndarray          # (o, 6) N·s, N·m·s on a link by what hangs on it, in a stage
    solve: np.ndarray             # (6 o, 7) six equations
    load: np.ndarray              # (o, 6) N, N·m of its rigid, or N·s, N·m·s
    sums: np.ndarray              # (o, 3) J, W, J
    damping: np.ndarray           # (o, 8) of the dampers apart, as of blocks and rigids
    extra: np.ndarray             # (o, 5) 1/s², 1/s, see `stiff_bounds`


class Buffers(NamedTuple):
    position: np.ndarray          # (rows, 4) m
    velocity: np.ndarray          # (rows, 4) m/s
    force: np.ndarray             # (rows, 4) N
    rigid: np.ndarray             # (r, 16) see `rigids`
    load: np.ndarray              # (r, 6) N, N·m
    next_position: np.ndarray     # the same at the end of the attempted step
    next_velocity: np.ndarray
    next_force: np.ndarray
    next_rigid: np.ndarray
    next_load: np.ndarray
    joints: Joints                # coordinates of mechanisms
    next_joints: Joints
    links: Links                  # worked out for one instant at a time
    linear_law: np.ndarray        # (m, 5) columns in `kernels/springs/table`
    angular_law: np.ndarray       # (m, 8)
    articular: np.ndarray         # (m, 6)
    group_sums: np.ndarray        # (g, 16)
    block_sums: np.ndarray        # (b, 8)
    rigid_sums: np.ndarray        # (r, 8)
    books: np.ndarray             # (e, 8) the ledger, see `entries`
    book_kind: np.ndarray         # (e,) int32
    book_of_drive: np.ndarray     # (d,) int32 row of the work of a drive, −1 where it has none of its own
    book_of_force: np.ndarray     # (f,) int32
    book_of_motor: np.ndarray     # (n,) int32
    rigid_first: np.ndarray       # (r, 4) orientation at the start, from which driven turns count
    force_origin: np.ndarray      # (f, 3) m: where the potential of a force is zero
    stiffness_bound: np.ndarray   # (rows, 4) N/m: constant and present bound of the stiffness; N·s/m: damping by acts
    rigid_bound: np.ndarray       # (r, 4) N/m, N·s/m, N·m, N·m·s: bounds of what acts on rigids themselves
    act_load: np.ndarray          # (r, 6) N, N·m: what acts push on rigids with
    act_push: np.ndarray          # (e, 6) N, N·m: what acts push with, in their first row of the ledger
    act_state: np.ndarray         # (a, 6) what acts remember, see `acts/pull`; and the same at the end of the attempt
    act_ahead: np.ndarray
    gates: np.ndarray             # (8,) of one that is looked for, see `acts/gates`
    carrier: np.ndarray           # (rows,) int32 rigid that carries a row, −1 for free particles
    particle_block: np.ndarray    # (rows, 16) 1/s², 1/s: what bounds frequencies and damping rates, see `bodies`
    rigid_block: np.ndarray       # (r, 128)
    term: np.ndarray              # (4, 42) ends of the term at hand
    block_square: np.ndarray      # (2, 400) scratch
    history: np.ndarray           # (h, 5) time, dt, residual, limit, cause
    causes: np.ndarray            # (64, 3) steps by what set their length, see `causes`
    touch: Touch
    members: Members
    damping: Damping
    slow: Slow
    still: np.ndarray             # (rows, 4) and (r, 6) zeros: forces that are not known yet
    still_load: np.ndarray
    numbers: np.ndarray
    counters: np.ndarray
    sync: np.ndarray              # int64, see `compiling/team`
