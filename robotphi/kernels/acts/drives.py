"""Quantities over time and laws over elongation, in pieces."""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel

SINE_PARTS = 16.0  # steps in a period at least


@inlined
def find_piece(pieces, begin, end, at):
    """The last piece from begin … end that starts at or before `at` (the first one where none does)."""
    low, high = begin, end - 1
    while low < high:
        middle = (low + high + 1) // 2
        if pieces[middle, 0] <= at:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def drive_value(drives, drive, time, inside):
    """Value and rate of a drive at `time`, from the piece in which `inside` lies.

    At a breakpoint the piece on either side can so be asked for.
    value = c0 + c1 s + c2 s² + c3 s³ + A sin(ω s + ϕ), s = time − from.
    """
    k = find_piece(drives.piece, drives.start[drive], drives.start[drive + 1], inside)
    piece = drives.piece
    s = time - piece[k, 0]
    value = piece[k, 1] + s * (piece[k, 2] + s * (piece[k, 3] + s * piece[k, 4]))
    rate = piece[k, 2] + s * (2.0 * piece[k, 3] + s * (3.0 * piece[k, 4]))
    if piece[k, 5] != 0.0:
        phase = piece[k, 6] * s + piece[k, 7]
        value += piece[k, 5] * math.sin(phase)
        rate += piece[k, 5] * piece[k, 6] * math.cos(phase)
    return value, rate


@kernel
def drive_acceleration(drives, drive, time, inside):
    """The second derivative of a drive, likewise."""
    k = find_piece(drives.piece, drives.start[drive], drives.start[drive + 1], inside)
    piece = drives.piece
    s = time - piece[k, 0]
    gain = 2.0 * piece[k, 3] + 6.0 * s * piece[k, 4]
    if piece[k, 5] != 0.0:
        gain -= piece[k, 5] * piece[k, 6] * piece[k, 6] * math.sin(piece[k, 6] * s + piece[k, 7])
    return gain


@inlined
def has_drives(drives):
    return len(drives.start) > 1


@kernel
def drive_scale(drives, time):
    """Longest step that cannot leap over what a drive does: a sixteenth of a sine's period, and of a curved table not more
    than the rest of the present piece and the next one. Without it a step of just one period sees a constant force."""
    longest = math.inf
    for drive in range(len(drives.start) - 1):
        longest = min(longest, scale_of_drive(drives, drive, time))
    return longest


@inlined
def scale_of_drive(drives, drive, time):
    """The same of one drive."""
    longest, end = math.inf, drives.start[drive + 1]
    k = find_piece(drives.piece, drives.start[drive], end, time)
    piece = drives.piece
    if piece[k, 5] != 0.0 and piece[k, 6] != 0.0:
        longest = 2.0 * math.pi / (SINE_PARTS * abs(piece[k, 6]))
    here = piece[k, 3] != 0.0 or piece[k, 4] != 0.0
    ahead = k + 1 < end and (piece[k + 1, 3] != 0.0 or piece[k + 1, 4] != 0.0)
    if (here or ahead) and k + 1 < end:
        longest = min(longest, piece[min(k + 2, end - 1), 0] - time if k + 2 < end else piece[k + 1, 0] - time)
    return longest


@kernel
def table_value(tables, table, elongation):
    """Force and energy of a tabulated law; the energy is the integral of the force from zero elongation."""
    k = find_piece(tables.piece, tables.start[table], tables.start[table + 1], elongation)
    piece = tables.piece
    s = elongation - piece[k, 1]
    force = piece[k, 2] + s * (piece[k, 3] + s * (piece[k, 4] + s * piece[k, 5]))
    energy = piece[k, 6] + s * (piece[k, 2] + s * (piece[k, 3] / 2 + s * (piece[k, 4] / 3 + s * piece[k, 5] / 4)))
    return force, energy
