"""Polyhedron: vertices, edges, facets and their neighbours; Compound: several convex ones that are one solid."""
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robotphi.geometry.inside import contains, convex
from robotphi.geometry.loops import fan, find_edges, flatten, grouped
from robotphi.geometry.mass_properties import join_properties, solid_properties
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.transforms import affine, mirror
from robotphi.scene.checks import first_true, floats, frozen, refuse, word
from robotphi.scene.saying import made

LARGEST = 1e50    # m: inertias go with the fifth power, and numbers end at 1e308


@dataclass(frozen=True, eq=False)
class Polyhedron:
    """A solid with polygonal facets; read-only arrays. Everything but the three arguments is worked out once, when asked for.

    The constructor sees to it that the surface closes and is oriented alike; planes, convexity and cuts are looked at by
    `checks_solid`.

    Attributes:
        vertices: [m], (n, 3).
        facets: loops of vertices, counter-clockwise from outside; tuple of int32 arrays.
        names: one word or phrase per facet, each once; "facet 0" … where none are given.
    """
    vertices: np.ndarray
    facets: tuple
    names: tuple | None = None

    def __post_init__(self):
        vertices = floats("polyhedron", "vertices", self.vertices)
        if vertices.ndim != 2 or vertices.shape[1] != 3:
            refuse("polyhedron", f"vertices has shape {vertices.shape}", "give rows of three numbers")
        bad = first_true(np.abs(vertices) > LARGEST)
        if bad is not None:
            refuse("polyhedron, vertices", f"a vertex at {vertices[bad].tolist()}", f"give metres, at most {LARGEST:g}", bad)
        object.__setattr__(self, "vertices", frozen(vertices))
        loops = flatten(self.facets, len(vertices))
        object.__setattr__(self, "loops", loops)
        object.__setattr__(self, "facets", loops.split(loops.corners))
        names = [f"facet {i}" for i in range(len(loops.sizes))] if self.names is None else list(self.names)
        if len(names) != len(loops.sizes) or not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
            refuse("polyhedron", f"names are {names!s:.60}", f"give {len(loops.sizes)} different names, one per facet")
        object.__setattr__(self, "names", tuple(names))
        object.__setattr__(self, "_edges", find_edges(loops, len(vertices), names))

    def __repr__(self):
        return f"<Polyhedron: {len(self.vertices)} vertices, {len(self.edges)} edges, {len(self.facets)} facets>"

    def facet(self, name):
        """Index of the facet of this name."""
        word("polyhedron", "facet", name, self.names)
        return self._index[name]

    def facets_named(self, start):
        """(k,) int32 facets whose name is `start` or begins with it and a space: "side" gives "side 0", "side 1" …"""
        found = [i for i, name in enumerate(self.names) if name == start or name.startswith(start + " ")]
        if not found:
            word("polyhedron", "facet", start, self.names)
        return np.array(found, np.int32)

    @cached_property
    def _index(self):
        return {name: i for i, name in enumerate(self.names)}

    @property
    def edges(self):
        """(e, 2) int32 vertices, lower first, in ascending order."""
        return self._edges.ends

    @property
    def edge_facets(self):
        """(e, 2) int32: the facet that runs the edge from its lower vertex, and the other one."""
        return self._edges.facets

    @cached_property
    def facet_edges(self):
        """Per facet (k,) int32 edges; entry i joins corners i and i + 1."""
        return self.loops.split(self._edges.of_corner)

    @cached_property
    def facet_neighbours(self):
        """Per facet (k,) int32 facets; entry i lies across the edge from corner i to corner i + 1."""
        pairs = self.edge_facets[self._edges.of_corner]
        return self.loops.split(np.where(pairs[:, 0] == self.loops.facet, pairs[:, 1], pairs[:, 0]))

    @cached_property
    def vertex_facets(self):
        """Per vertex (k,) int32 ascending facets."""
        return grouped(self.loops.corners, self.loops.facet, len(self.vertices))

    @cached_property
    def vertex_neighbours(self):
        """Per vertex (k,) int32 ascending vertices at the other ends of its edges."""
        return grouped(self.edges.T.reshape(-1), self.edges[:, ::-1].T.reshape(-1), len(self.vertices))

    @cached_property
    def _fan(self):
        return tuple(map(frozen, fan(self.loops)))

    @property
    def triangles(self):
        """(t, 3) int32 outward triangles: each facet fanned from its lowest vertex."""
        return self._fan[0]

    @property
    def triangle_facet(self):
        """(t,) int32 facet of each of the `triangles`."""
        return self._fan[1]

    def triangulated(self, centres=False):
        """(points, triangles, triangle_facet); with `centres` around the facet centres, which follow the vertices as points."""
        if not centres:
            return self.vertices, self.triangles, self.triangle_facet
        corners, facet = self.loops.corners, self.loops.facet
        around = np.stack([corners, corners[self.loops.following], facet + len(self.vertices)], axis=1)
        return np.concatenate([self.vertices, self.facet_centres]), around.astype(np.int32), facet

    @cached_property
    def facet_centres(self):
        """(f, 3) mean of the corners of each facet [m]."""
        base = self.vertices[self.loops.corners[self.loops.starts]]  # far from the origin, offsets keep their digits
        offsets = self.vertices[self.loops.corners] - base[self.loops.facet]
        return frozen(base + np.add.reduceat(offsets, self.loops.starts) / self.loops.sizes[:, None])

    @cached_property
    def _area_vectors(self):
        """½ Σ p × p⁺ around each loop (Newell): the area times the normal, also of a warped facet."""
        arms = self.vertices[self.loops.corners] - self.facet_centres[self.loops.facet]
        return np.add.reduceat(np.cross(arms, arms[self.loops.following]), self.loops.starts) / 2

    @cached_property
    def areas(self):
        """(f,) areas of the facets [m²]."""
        return frozen(np.linalg.norm(self._area_vectors, axis=1))

    @cached_property
    def normals(self):
        """(f, 3) outward unit normals; zero where a facet has no area."""
        return frozen(self._area_vectors / np.where(self.areas > 0.0, self.areas, 1.0)[:, None])

    @cached_property
    def offsets(self):
        """(f,) distance of the facets' planes from the origin along their normals [m]."""
        return frozen(np.einsum("ij,ij->i", self.normals, self.facet_centres))

    @cached_property
    def size(self):
        """Length of the diagonal of its box [m]."""
        return float(np.linalg.norm(np.ptp(self.vertices, axis=0)))

    @cached_property
    def is_convex(self):
        """Whether no vertex stands out of any facet's plane, up to rounding."""
        return bool(self.volume > 0.0 and convex(self))

    @property
    def tolerance(self):
        """Distance [m] that counts as none: 1e-10 of the size, and what rounding adds far from the origin.

        Rounding moves a plane by 1e-16 of the coordinates, and more, the smaller its facet, at the far end of the body.
        """
        return 1e-10 * self.size + 1e-13 * float(np.abs(self.vertices).max())

    def contains(self, points):
        """(m,) whether points lie inside a solid of any form; those on a convex one's surface do, up to rounding."""
        return contains(self, floats("polyhedron", "points", points).reshape(-1, 3))

    def properties(self, density=1.0):
        """Volume, mass, centre and inertia about the centre, of the solid bounded by `triangles`; density [kg/m³]."""
        return solid_properties(self.vertices, self.triangles, density)

    @cached_property
    def volume(self):
        """[m³]"""
        return self.properties().volume

    @cached_property
    def centre(self):
        """(3,) centre of mass [m]."""
        return frozen(self.properties().centre)

    @made
    def transformed(self, matrix=None, shift=None):
        """`matrix` x + `shift` of every vertex; loops are turned where the matrix mirrors, so that they stay outward."""
        matrix, shift = affine(matrix, shift)
        loops = self.facets if np.linalg.det(matrix) > 0 else [loop[::-1] for loop in self.facets]
        return Polyhedron(self.vertices @ matrix.T + shift, loops, self.names)

    @made
    def mirrored(self, normal, point=(0.0, 0.0, 0.0)):
        """Its image in the plane through `point` with this normal; names go with their facets."""
        return self.transformed(*mirror(normal, point))

    @made
    def as_mesh(self):
        """Surface mesh of triangles and quadrilaterals, larger facets as fans; a region and a cell region per facet name."""
        sizes = self.loops.sizes
        quads = np.flatnonzero(sizes == 4)
        fans = np.flatnonzero(sizes[self.triangle_facet] != 4)
        cells = {"triangle": self.triangles[fans], "quad": self.loops.corners[self.loops.starts[quads, None] + np.arange(4)]}
        owners = {"triangle": grouped(self.triangle_facet[fans], np.arange(len(fans)), len(sizes)),
                  "quad": grouped(quads, np.arange(len(quads)), len(sizes))}
        regions = {name: np.sort(loop) for name, loop in zip(self.names, self.facets, strict=True)}
        return Mesh(self.vertices, cells, regions, {name: {kind: rows[i] for kind, rows in owners.items() if len(rows[i])}
                                                    for i, name in enumerate(self.names)})


@dataclass(frozen=True, eq=False)
class Compound:
    """One solid made of convex parts, each a Polyhedron, that meet facet to facet; or nearly so, standing for a `solid`.

    Attributes:
        parts: tuple of convex Polyhedra.
        solid: Polyhedron that the parts stand for, whose mass properties are those of the whole: parts may then overlap and
            leave a little out, as those of `convex_parts` do. None where the parts are the solid themselves.
    """
    parts: tuple
    solid: Polyhedron | None = None

    def __post_init__(self):
        if not isinstance(self.solid, Polyhedron | None):
            refuse("compound", f"solid is {self.solid!r:.60}", "give a Polyhedron, or leave it out")
        parts = tuple(self.parts)
        if not parts or not all(isinstance(part, Polyhedron) for part in parts):
            refuse("compound", f"parts are {parts!r:.60}", "give at least one Polyhedron")
        for index, part in enumerate(parts):
            if not part.is_convex:
                refuse("compound, parts", "a part is not convex", "split it into convex ones", index)
        object.__setattr__(self, "parts", parts)

    def __repr__(self):
        return f"<Compound: {len(self.parts)} parts>"

    def properties(self, density=1.0):
        """Volume, mass, centre and inertia about the centre of the solid, or of all parts together; density [kg/m³]."""
        if self.solid is not None:
            return self.solid.properties(density)
        return join_properties(part.properties(density) for part in self.parts)

    @cached_property
    def volume(self):
        """[m³]"""
        return self.properties().volume

    @cached_property
    def centre(self):
        """(3,) centre of mass [m]."""
        return frozen(self.properties().centre)

    def contains(self, points):
        """(m,) whether points lie in any part."""
        return np.any([part.contains(points) for part in self.parts], axis=0)

    @made
    def transformed(self, matrix=None, shift=None):
        """`matrix` x + `shift` of every vertex; facets stay outward."""
        return Compound(tuple(part.transformed(matrix, shift) for part in self.parts),
                        self.solid and self.solid.transformed(matrix, shift))

    @made
    def mirrored(self, normal, point=(0.0, 0.0, 0.0)):
        """Its image in the plane through `point` with this normal."""
        return Compound(tuple(part.mirrored(normal, point) for part in self.parts),
                        self.solid and self.solid.mirrored(normal, point))
