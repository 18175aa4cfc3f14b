"""Bends and dihedral angles of the positions given, as the springs define them."""
import numpy as np

CHUNK = 1 << 18  # springs at a time, so that millions of them need little memory


def lengths(position, first, second):
    """(m,) m, distance of two particles."""
    result = np.empty(len(first))
    for start in range(0, len(first), CHUNK):
        part = slice(start, start + CHUNK)
        d = position[first[part]] - position[second[part]]
        result[part] = np.sqrt(np.einsum("ij,ij->i", d, d))
    return result


def bends(position, first, centre, second):
    """Bend φ = π − θ (m,) and unit normal p × q (m, 3), zero where straight, of arms p, q from the centre."""
    bend, normal = np.empty(len(first)), np.empty((len(first), 3))
    for start in range(0, len(first), CHUNK):
        part = slice(start, start + CHUNK)
        p = position[first[part]] - position[centre[part]]
        q = position[second[part]] - position[centre[part]]
        n = np.cross(p, q)
        size = np.linalg.norm(n, axis=1)
        bend[part] = np.arctan2(size, -np.einsum("ij,ij->i", p, q))
        normal[part] = n / np.where(size > 0.0, size, 1.0)[:, None]
    return bend, normal


def dihedrals(position, first, centre, end, second):
    """Signed angle (m,) in (−π, π] from the first arm to the second, right-handed about the axis centre → end.

    Also the smaller sine (m,) between an arm and the axis; θ = atan2(w · (p × q), p⊥ · q⊥) with p = first − centre,
    q = second − end, w the unit axis and ⊥ the part across it.
    """
    angle, sine = np.empty(len(first)), np.empty(len(first))
    for start in range(0, len(first), CHUNK):
        part = slice(start, start + CHUNK)
        axis = position[end[part]] - position[centre[part]]
        w = axis / np.linalg.norm(axis, axis=1)[:, None]
        p = position[first[part]] - position[centre[part]]
        q = position[second[part]] - position[end[part]]
        p_across = p - np.einsum("ij,ij->i", p, w)[:, None] * w
        q_across = q - np.einsum("ij,ij->i", q, w)[:, None] * w
        turn = np.einsum("ij,ij->i", w, np.cross(p_across, q_across))
        angle[part] = np.arctan2(turn, np.einsum("ij,ij->i", p_across, q_across))
        sine[part] = np.minimum(_ratio(p_across, p), _ratio(q_across, q))
    return angle, sine


def _ratio(across, arm):
    size = np.linalg.norm(arm, axis=1)
    return np.linalg.norm(across, axis=1) / np.where(size > 0.0, size, 1.0)
