"""Surfaces of an object that touch: rigid and soft polyhedra, and sheets."""
from typing import NamedTuple

import numpy as np

from robotphi.scene.checks import refuse


class Surface(NamedTuple):
    """One part of an object that touches."""
    name: str                     # of the polyhedron within the object
    facets: np.ndarray            # (k,) int32 facets of the object
    rigid: int                    # rigid part that carries all of it, −1: (also) free particles
    thickness: float | None       # m of a sheet, None for a closed polyhedron


def surfaces(where, thing, thickness=None):
    """(Surface, …) of an object, in the order of its polyhedra; all facets are one where it has none.

    What is carried by one rigid part is a rigid polyhedron and must be closed. What is not is a sheet where its thickness is
    known, from the notes that `sheet` leaves or from `thickness` for open surfaces and objects without cells; else a soft
    polyhedron. Parts of a soft body that are open where they meet make one polyhedron together.
    """
    if not len(thing.facets):
        refuse(where, "it has no facets, so nothing of it can touch",
               "give an object with a surface, or its particles a size with add_contact_balls")
    polyhedra = thing.polyhedra or {"surface": np.arange(len(thing.facets), dtype=np.int32)}
    found, loose, sheets = [], [], False
    for name, facets in polyhedra.items():
        if not len(facets):
            continue
        rows = thing.facets[facets]
        carried = np.unique(thing.rigid_of_particle[rows])
        noted = _noted_thickness(thing.notes, name)
        if len(carried) == 1 and carried[0] >= 0:
            _check_closed(where, name, rows)
            found.append(Surface(name, facets, int(carried[0]), None))
        elif noted is not None or (thickness is not None and not thing.cells):
            found.append(Surface(name, facets, -1, noted if thickness is None else thickness))
            sheets = True
        elif is_closed(rows):
            found.append(Surface(name, facets, -1, None))
        else:
            loose.append(len(found))
            found.append(Surface(name, facets, -1, None))
    for together in _touching_surfaces(thing, [found[place] for place in loose]):
        places = [loose[i] for i in together]
        whole = _united(where, thing, [found[place] for place in places], thickness)
        sheets |= whole.thickness is not None
        for place in places:
            found[place] = None
        found[places[0]] = whole
    if thickness is not None and not sheets:
        refuse(where, "contact_thickness is given, but it has no sheet", "leave it out: solids are as thick as they are")
    return tuple(surface for surface in found if surface is not None)


def is_closed(triangles):
    """Whether every edge of (t, 3) triangles is run as often one way as the other."""
    corners = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)]).astype(np.int64)
    count = int(corners.max()) + 1
    return np.array_equal(np.sort(corners[:, 0] * count + corners[:, 1]), np.sort(corners[:, 1] * count + corners[:, 0]))


def _noted_thickness(notes, name):
    """Thickness that `sheet` noted [m], of the part of a joined object whose name the polyhedron's begins with; else None."""
    for part, inner in notes.get("parts", {}).items() if isinstance(notes.get("parts"), dict) else ():
        if name.startswith(part + "."):
            return _noted_thickness(inner, name[len(part) + 1:])
    return notes.get("thickness")


def _check_closed(where, name, rows):
    if not is_closed(rows):
        refuse(where, f"the rigid polyhedron {name!r} is open",
               "close its surface with outward facets, or leave it out of the object's polyhedra")


def _touching_surfaces(thing, found):
    """Groups of surfaces that share particles, as lists of places in `found`, by their first."""
    if not found:
        return []
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    sizes = [3 * len(surface.facets) for surface in found]
    of_row = np.repeat(np.arange(len(found)), sizes)
    rows = np.concatenate([thing.facets[surface.facets].reshape(-1) for surface in found])
    count = len(found) + len(thing.position)
    graph = coo_matrix((np.ones(len(rows)), (of_row, len(found) + rows)), shape=(count, count))
    label = connected_components(graph, directed=False)[1][:len(found)]
    return [np.flatnonzero(label == one).tolist() for one in dict.fromkeys(label.tolist())]


def _united(where, thing, found, thickness):
    """One closed polyhedron of several open ones, or a sheet."""
    facets = np.unique(np.concatenate([surface.facets for surface in found])).astype(np.int32)
    name = " + ".join(surface.name for surface in found)
    if not is_closed(thing.facets[facets]) and thickness is None:
        refuse(where, f"its surface {name!r} is open and its thickness unknown", "give contact_thickness [m], or close it")
    return Surface(name, facets, -1, None if is_closed(thing.facets[facets]) else thickness)
