"""Certificates: mass, centre and inertia of an object as they should be and as its particles have them, as plain JSON values.

What should be is the inertia of the solid: of the volume cells with the mass that they have at rest, and of the rigid parts.
Under a deformation that is known everywhere (a function, a named one) it is that of the continuum that follows it, curved
between the particles; where only the places of particles are known, cells keep their mass, straight edges and an even density.
Particles keep their mass, inner ones go with their cells.
"""
import numpy as np

from robotphi.discretise.masses.deformation import deformation_of, deformed_positions
from robotphi.discretise.masses.moments import CHUNK, PAIRS, determinants, fan, framed, solids
from robotphi.discretise.masses.spread import Spread, soft_cells
from robotphi.discretise.masses.ways import CENTROID, CORNER
from robotphi.geometry.cells import KINDS, VOLUME_KINDS
from robotphi.scene.checks import AXES, floats, refuse, word
from robotphi.scene.objects import Object
from robotphi.scene.rigid import mass_properties

TERMS = ("Ixx", "Iyy", "Izz", "Ixy", "Iyz", "Izx")


def certificate(thing, position=None, displacement=None):
    """Plain dict: `rest`, and `deformed` where a deformation is asked about; see `_state` for what is in each.

    Args:
        thing: Object or Spread.
        position: deformed places of all its particles, such as a frame of a recording, (n, 3).
        displacement: instead of them a function, deformed places of the mesh's points, or a named deformation such as
            {"bend": 0.3, "axis": "x"}; see `deformation`.
    """
    if not isinstance(thing, (Object, Spread)):
        refuse("certificate", f"it is {thing!r:.60}", "give an Object or a Spread")
    if position is not None and displacement is not None:
        refuse("certificate", "both position and displacement are given", "give one of them")
    cells, density = _own_cells(thing) if thing.cells else ({}, {})
    # what was glued or merged to rigid parts is in cells
    rigids = tuple(part.own(thing.position) for part in getattr(thing, "rigids", ()))
    if not cells and not rigids:
        refuse("certificate", f"{thing!r:.60} has neither cells with a volume nor rigid parts",
               "a sheet has no solid to compare with")
    way = getattr(thing, "way", None) or thing.notes.get("way", "")
    at_rest = {kind: _cells(thing.position, rows, kind, way) for kind, rows in cells.items()}

    def state(places, shapes, motions):
        parts = [(density[kind] * at_rest[kind][0], *shape) for kind, shape in shapes.items()]
        return _state(_together(parts, [_moved(part, *motion) for part, motion in zip(rigids, motions, strict=True)]),
                      mass_properties(places, thing.mass))

    still = (np.eye(3), np.zeros(3))
    result = {"particles": len(thing.position), "way": way,
              "cells": {kind: len(rows) for kind, rows in cells.items()}, "rigid parts": len(rigids),
              "rest": state(thing.position, at_rest, [still] * len(rigids))}
    if position is None and displacement is None:
        return result
    if position is not None:
        places = floats("certificate", "position", position)
        if places.shape != thing.position.shape:
            refuse("certificate", f"position has shape {places.shape}", f"give {thing.position.shape}")
    else:
        places = deformed_positions(thing.position, cells, displacement)
    motions = [_motion(thing.position[part.particles], places[part.particles]) for part in rigids]
    for part, (turn, shift) in zip(rigids, motions, strict=True):
        places[part.particles] = thing.position[part.particles] @ turn.T + shift
    given = displacement if isinstance(displacement, dict) else "given"
    known = callable(displacement) or isinstance(displacement, dict)
    if known:
        move = deformation_of(thing.position, displacement)
        shapes = {kind: _continuum(thing.position, rows, kind, way, move) for kind, rows in cells.items()}
    else:
        shapes = {kind: _cells(places, rows, kind, way) for kind, rows in cells.items()}
    return {**result, "deformation": given, "deformed": state(places, shapes, motions)}


def certified_notes(thing):
    """The notes of an Object with its certificate, made anew where moving or joining took it away; of a sheet, as they are."""
    notes = thing.notes
    parts = notes.get("parts", {}).values()
    if "certificate" in notes or not (thing.cells or thing.rigids) or any("thickness" in each for each in parts):
        return notes
    return {**notes, "certificate": certificate(thing)}


def largest_error(document):
    """The largest relative error of the inertia in a certificate, at rest or deformed."""
    return max(document[state]["inertia error"] for state in ("rest", "deformed") if state in document)


def describe(document):
    """Lines of text for people."""
    parts = [f"{document['particles']} particles", *(f"{count} {kind}" for kind, count in document["cells"].items())]
    parts += [f"{document['rigid parts']} rigid parts"] * bool(document["rigid parts"])
    parts += [f"way {document['way']}"] * bool(document["way"])
    lines = [", ".join(parts)]
    for name, title in (("rest", "at rest"), ("deformed", f"deformed, {document.get('deformation')}")):
        if name not in document:
            continue
        state = document[name]
        rows = {"mass [kg]": state["mass"]}
        rows |= {f"centre {axis} [m]": {key: value[i] for key, value in state["centre"].items()}
                 for i, axis in enumerate(AXES)}
        rows |= {f"{term} [kg m²]": row for term, row in state["inertia"].items()}
        lines += ["", title, f"{'':16s}{'wanted':>18s}{'reached':>18s}{'error':>12s}{'relative':>12s}"]
        lines += [_line(what, row) for what, row in rows.items()]
        lines.append(f"relative error of the whole inertia matrix: {state['inertia error']:.2e}")
    return "\n".join(lines)


def _line(what, row):
    return f"{what:16s}{row['wanted']:18.10g}{row['reached']:18.10g}{row['error']:12.2e}{row['relative']:12.2e}"


def _state(wanted, reached):
    """{"mass", "centre", "inertia": {"Ixx" …}: each with wanted, reached, error and relative; "inertia error"}.

    Errors of the centre are relative to the radius of gyration, those of the inertia to the norm of the whole matrix
    (Frobenius), so that terms that should be zero have one as well. Terms are entries of the matrix, Ixy = −Σ m x y, about
    the centre of each.
    """
    def row(want, have, scale):
        error = have - want
        return {"wanted": _plain(want), "reached": _plain(have), "error": _plain(error), "relative": _plain(error / scale)}

    size = np.linalg.norm(wanted[2])
    radius = np.sqrt(np.trace(wanted[2]) / 2 / wanted[0])
    return {"mass": row(wanted[0], reached[0], wanted[0]), "centre": row(wanted[1], reached[1], radius),
            "inertia": {term: row(wanted[2][pair], reached[2][pair], size) for term, pair in zip(TERMS, PAIRS, strict=True)},
            "inertia error": _plain(np.linalg.norm(reached[2] - wanted[2]) / size)}


def _plain(value):
    return np.asarray(value, float).tolist()


def _own_cells(thing):
    """Cells of the deformable parts and their densities."""
    for kind in thing.cells:
        word("certificate", "kind of cells with a volume", kind, VOLUME_KINDS)
        if kind not in thing.density:
            refuse("certificate", f"cells of kind {kind!r} have no density", f"give the object density={{{kind!r}: [kg/m³]}}")
    soft = {kind: own for kind, own in soft_cells(thing).items() if own.any()}
    return ({kind: thing.cells[kind][own] for kind, own in soft.items()},
            {kind: np.broadcast_to(thing.density[kind], len(own))[own] for kind, own in soft.items()})


def _cells(position, rows, kind, way):
    """Volumes (c,), centres (c, 3) and second moments about them per volume (c, 3, 3) of the solids of cells."""
    done = []
    for first in range(0, len(rows), CHUNK):
        corners = position[rows[first:first + CHUNK, :KINDS[kind].corners]].transpose(2, 1, 0)
        volume, centre, moments = _diagonal_solids(corners, kind) if way == "tetrahedra" else _fan_solids(corners, kind)
        if not (volume > 0.0).all():
            cell = int(np.argmin(volume > 0.0))
            refuse("certificate", f"{kind} {first + cell} has a volume of {volume[cell]:g}", "ask about a smaller deformation")
        done.append((volume, centre, moments))
    return tuple(np.concatenate(each) for each in zip(*done, strict=True))


def _continuum(position, rows, kind, way, move):
    """Volumes, centres and second moments as `_cells`, of cells every point of which moves: by quadrature at rest.

    Four points in each tetrahedron, exact to the second degree (Hammer and Stroud 1956).
    """
    near, far = (5.0 - np.sqrt(5.0)) / 20.0, (5.0 + 3.0 * np.sqrt(5.0)) / 20.0
    spots = np.full((4, 4), near) + (far - near) * np.eye(4)
    done = []
    for first in range(0, len(rows), CHUNK):
        pieces = _pieces(position[rows[first:first + CHUNK, :KINDS[kind].corners]], kind, way)      # (c, t, 4, 3)
        edges = pieces[:, :, 1:] - pieces[:, :, :1]
        volumes = np.linalg.det(edges) / 6.0
        places = np.einsum("qk,ctkx->ctqx", spots, pieces)
        moved = np.asarray(move(places.reshape(-1, 3)), float).reshape(places.shape)
        folded = ~(np.linalg.det(moved[:, :, 1:] - moved[:, :, :1]) > 0.0).all(axis=1)
        if folded.any():
            cell = first + int(np.argmax(folded))
            refuse("certificate", f"{kind} {cell} has a volume of 0 or less somewhere", "ask about a smaller deformation")
        moved = moved.reshape(len(pieces), -1, 3)
        share = np.repeat(volumes / volumes.sum(axis=1, keepdims=True) / 4.0, 4, axis=1)
        centre = np.einsum("cq,cqx->cx", share, moved)
        r = moved - centre[:, None]
        done.append((volumes.sum(axis=1), centre, np.einsum("cq,cqx,cqy->cxy", share, r, r)))
    return tuple(np.concatenate(each) for each in zip(*done, strict=True))


def _pieces(corners, kind, way):
    """(c, t, 4, 3) positive tetrahedra that fill cells, as the way of spreading their mass cuts them."""
    if way == "tetrahedra":
        return corners[:, KINDS[kind].tetrahedra]
    surface = fan(kind)
    middles = [corners[:, quad].mean(axis=1, keepdims=True) for quad in surface.quads]
    places = np.concatenate([corners, *middles, corners.mean(axis=1, keepdims=True)], axis=1)
    apex = np.full((len(surface.triangles), 1), places.shape[1] - 1)
    return places[:, np.concatenate([apex, surface.triangles], axis=1)]


def _fan_solids(corners, kind):
    solid = solids(corners, kind)
    return solid.volume, solid.centre.T, solid.frame.back_moments(solid.moments).transpose(2, 0, 1)


def _diagonal_solids(corners, kind):
    """Of cells cut along diagonals into the tetrahedra of their kind: corners with 1/20 and centroids with 4/5 of each."""
    middle, frame, scaled = framed(corners)
    places = scaled[:, KINDS[kind].tetrahedra]                        # (3, t, 4, c)
    pieces = determinants(*(places[:, :, i] - places[:, :, 0] for i in (1, 2, 3))) / 6.0
    volume = pieces.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = pieces / volume
    centroid = places.mean(axis=2)
    offset = np.einsum("tc,xtc->xc", part, centroid)
    places, centroid = frame.back(places - offset[:, None, None]), frame.back(centroid - offset[:, None])
    outer, inner = np.einsum("tc,xtkc,ytkc->cxy", part, places, places), np.einsum("tc,xtc,ytc->cxy", part, centroid, centroid)
    return volume * frame.volume, (middle + frame.back(offset)).T, CORNER * outer + CENTROID * inner


def _motion(before, after):
    """Rotation (3, 3) and shift of the rigid motion nearest to what particles did (Kabsch 1976)."""
    middle, there = before.mean(axis=0), after.mean(axis=0)
    left, _, right = np.linalg.svd((after - there).T @ (before - middle))
    turn = left @ np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right))]) @ right
    return turn, there - turn @ middle


def _moved(part, turn, shift):
    """Mass, centre and second moments about it of a rigid part after a motion."""
    second = np.trace(part.inertia) / 2 * np.eye(3) - part.inertia
    return part.mass, turn @ part.centre + shift, turn @ second @ turn.T


def _together(cells, rigids):
    """Mass, centre and inertia about it of cells [(masses, volumes, centres, second moments per volume), …] and rigid parts."""
    mass = np.concatenate([*(each[0] for each in cells), [part[0] for part in rigids]])
    centre = np.concatenate([*(each[2] for each in cells), np.reshape([part[1] for part in rigids], (-1, 3))])
    second = sum((np.einsum("c,cxy->xy", each[0], each[3]) for each in cells), np.zeros((3, 3)))
    second = second + sum((part[2] for part in rigids), np.zeros((3, 3)))
    middle = mass @ centre / mass.sum()
    r = centre - middle
    second = second + np.einsum("c,cx,cy->xy", mass, r, r)
    return float(mass.sum()), middle, np.trace(second) * np.eye(3) - second
