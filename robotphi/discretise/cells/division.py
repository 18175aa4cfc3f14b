"""Division: polyhedra that may touch in, one division of every edge out, the same for all who share it.

Opposite edges of a quadrilateral facet get as many cells, so that it can be a matrix grid; edges that are linked in this way
form a family. A family takes the count of its longest edge, or the count asked for.
"""
import numpy as np

from robotphi.discretise.cells.quality import doubled_points
from robotphi.discretise.cells.sizes import fractions, spaced
from robotphi.discretise.joining.touching import groups_of
from robotphi.scene.checks import refuse

COUNTLESS = 1e12    # cells along an edge, more than any mesh has: past it they are not told apart


class Division:
    """Families of the edges of one or more polyhedra.

    Attributes:
        vertices: per part (n,) vertex numbers that touching parts share.
        ends: (e, 2) ascending ends of every edge.
        family: (e,) family of each edge; flip: (e,) whether the edge runs against it.
    """

    def __init__(self, parts):
        self.parts = parts
        self.points = np.concatenate([part.vertices for part in parts])
        numbers = shared_numbers(self.points) if len(parts) > 1 else np.arange(len(self.points))
        self.vertices = np.split(numbers, np.cumsum([len(part.vertices) for part in parts])[:-1])
        ends = np.concatenate([np.sort(own[part.edges], axis=1) for part, own in zip(parts, self.vertices, strict=True)])
        self.ends = np.unique(ends, axis=0)
        self._row = {pair: row for row, pair in enumerate(map(tuple, self.ends.tolist()))}
        self._join()
        self.fraction = {}

    def row(self, part, first, last):
        """Edge of a part from vertex to vertex, and whether that runs against the family."""
        row, downwards = self._run(part, first, last)
        return row, bool(self.flip[row]) ^ downwards

    def _run(self, part, first, last):
        """Edge of a part from vertex to vertex, and whether that is downwards."""
        a, b = self.vertices[part][first], self.vertices[part][last]
        return self._row[(min(a, b), max(a, b))], bool(a > b)

    def _join(self):
        """Families by union of opposite edges, each edge with the sense in which it follows its root."""
        root, against = list(range(len(self.ends))), [False] * len(self.ends)

        def find(row):
            turned = False
            while root[row] != row:
                turned ^= against[row]
                row = root[row]
            return row, turned

        for part, polyhedron in enumerate(self.parts):
            for loop in polyhedron.facets:
                if len(loop) != 4:
                    continue
                a, b, c, d = loop.tolist()
                for one, other in (((a, b), (d, c)), ((b, c), (a, d))):
                    (first, turn), (second, back) = self._run(part, *one), self._run(part, *other)
                    (top, way), (low, there) = find(first), find(second)
                    if top != low:
                        root[low], against[low] = top, turn ^ way ^ back ^ there
        found = [find(row) for row in range(len(root))]
        _, self.family = np.unique([row for row, _ in found], return_inverse=True)
        self.flip = np.array([turned for _, turned in found])

    def count_by_size(self, size):
        """Cells of every family: none of its edges has cells longer than `size`."""
        lengths = np.linalg.norm(self.points[self.ends[:, 1]] - self.points[self.ends[:, 0]], axis=1)
        longest = np.zeros(self.family.max() + 1)
        np.maximum.at(longest, self.family, lengths)
        self.counts = np.maximum(1, np.ceil(np.minimum(longest / size, COUNTLESS) - 1e-9)).astype(int)

    def count_by_number(self, wanted):
        """Cells of every family from {(part, first, last): count}; refused where two of one family differ."""
        self.counts = np.zeros(self.family.max() + 1, int)
        for (part, first, last), count in wanted.items():
            family = self.family[self.row(part, first, last)[0]]
            if self.counts[family] not in (0, count):
                refuse("discretise", f"counts {self.counts[family]} and {count} meet on the edges of one family",
                       "edges across a quadrilateral facet need as many cells, also where parts touch: give a size instead")
            self.counts[family] = count

    def space_by_size(self, size, lines):
        """Spacing of every family by size(points): the smallest asked for across all its lines.

        `lines`: {family: [(first, last) points (k, 3) in the family's sense]} beside the edges themselves.
        """
        ends = np.where(self.flip[:, None], self.ends[:, ::-1], self.ends)
        edges = self.points[ends]
        for family in range(self.family.max() + 1):
            own = edges[self.family == family]
            beside = lines.get(family, [])
            first = np.concatenate([own[:, 0], *(pair[0] for pair in beside)])
            last = np.concatenate([own[:, 1], *(pair[1] for pair in beside)])
            lengths = np.linalg.norm(last - first, axis=1)

            def relative(s, first=first, last=last, lengths=lengths):
                places = first + s[:, None, None] * (last - first)
                sizes = np.asarray(size(places.reshape(-1, 3)), float).reshape(len(s), -1)
                return (sizes / lengths).min(axis=1)

            self.fraction[family] = spaced(relative)
        self.counts = np.array([len(self.fraction[family]) - 1 for family in range(len(self.fraction))])

    def count(self, part, first, last):
        """Cells of an edge."""
        return int(self.counts[self.family[self.row(part, first, last)[0]]])

    def side(self, part, first, last, grading=None):
        """Fractions of an edge from vertex to vertex; a grading must look the same from both ends."""
        row, turned = self.row(part, first, last)
        family = int(self.family[row])
        if family not in self.fraction:
            return fractions(int(self.counts[family]), grading)
        return 1 - self.fraction[family][::-1] if turned else self.fraction[family]

    def sides(self, part, loop, grading=None):
        """Fractions of the edges of a loop of vertices, each in the loop's sense."""
        return [self.side(part, a, b, grading) for a, b in zip(loop, np.roll(loop, -1), strict=True)]


def shared_numbers(points):
    """(n,) the lowest number of the points that stand in the same place as each."""
    return groups_of(doubled_points(points), len(points))
