"""Rigid form: the fewest particles that a rigid polyhedron needs: vertices, centres of facets, centre of inertia.

Facets become triangles about their centres, and each triangle a tetrahedron with the centre of inertia (RR-3072, 2.3.3).
"""
import numpy as np

from robotphi.discretise.cells.facets import polygon_centre
from robotphi.discretise.cells.quality import refuse_folded
from robotphi.geometry.mesh import Mesh


def rigid_mesh(polyhedron):
    """Mesh of tetrahedra; points are the vertices, then one per facet, then the centre; a region per facet name.

    Regions "vertices", "facet centres" and "centre" tell the three sorts of points.
    """
    corners = polyhedron.vertices
    count, facets = len(corners), len(polyhedron.facets)
    centres = np.array([polygon_centre(corners[loop]) for loop in polyhedron.facets])
    points = np.concatenate([corners, centres, polyhedron.properties().centre[None]])
    _, triangles, _ = polyhedron.triangulated(centres=True)
    cells = np.concatenate([triangles[:, ::-1], np.full((len(triangles), 1), len(points) - 1, np.int32)], axis=1)
    regions = {name: np.append(np.sort(loop), count + index).astype(np.int32)
               for index, (name, loop) in enumerate(zip(polyhedron.names, polyhedron.facets, strict=True))}
    regions |= {"vertices": np.arange(count), "facet centres": np.arange(count, count + facets), "centre": [count + facets]}
    return refuse_folded("rigid form", Mesh(points, {"tetrahedron": cells}, regions),
                         "its centre of inertia must see every facet: split it into convex parts")
