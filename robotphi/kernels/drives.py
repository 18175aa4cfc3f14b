"""Quantities over time and laws over elongation, in pieces."""
import math

from .compiled import inlined, kernel


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
def table_value(tables, table, elongation):
    """Force and energy of a tabulated law; the energy is the integral of the force from zero elongation."""
    k = find_piece(tables.piece, tables.start[table], tables.start[table + 1], elongation)
    piece = tables.piece
    s = elongation - piece[k, 1]
    force = piece[k, 2] + s * (piece[k, 3] + s * (piece[k, 4] + s * piece[k, 5]))
    energy = piece[k, 6] + s * (piece[k, 2] + s * (piece[k, 3] / 2 + s * (piece[k, 4] / 3 + s * piece[k, 5] / 4)))
    return force, energy
