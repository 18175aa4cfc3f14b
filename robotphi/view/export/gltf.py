"""A recording as glTF, an animated scene that viewers, browsers and editors open: one .glb file.

What rigids carry are meshes of nodes that move and turn; what is soft, springs and dots are meshes that morph, with one target
a frame: at a frame its weight is one and all others nothing, between two frames both fade over, which is a straight line. glTF
has y up, so that all hangs in a node that is turned. Numbers are single precision.
"""
import math

import numpy as np
from matplotlib.colors import to_rgb

from robotphi.errors import RecordingError
from robotphi.view.cast import Cast, smooth_groups
from robotphi.view.export.binary import Document
from robotphi.view.page import steady
from robotphi.view.style import GREY, INK

UPRIGHT = [-math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]   # (x, y, z, w): z up becomes y up
TRIANGLES, LINES, POINTS = 4, 1, 0                      # of a primitive's mode
MOST_VALUES = 20_000_000   # vertices × frames of what morphs, beyond which frames are left out unless they are asked for
AT_ONCE = 1 << 20          # numbers
RINGS, SECTORS = 8, 16     # of a ball


def write_gltf(stage, path, frames=None):
    """Write the .glb of a recording; returns (path, numbers of the frames it has).

    Args:
        stage: of the recording.
        frames: numbers of those to show; all, or every so many of a large recording, unless told.
    """
    if not len(stage.recording):
        raise RecordingError("this recording has no frame: there is nothing to show")
    return _Writer(Cast(stage), frames).write(path)


class _Writer:
    def __init__(self, cast, frames):
        self.cast, self.record, self.document = cast, cast.stage.recording, Document()
        self.carrier, self.first, self.local = cast.carrier, None, cast.local
        if frames is None:
            soft = int((self.carrier == -2).sum())
            frames = np.arange(0, len(self.record), max(1, math.ceil(len(self.record) * soft / MOST_VALUES)))
        self.frames = np.asarray(frames, int)
        self.first = cast.points(int(self.frames[0]))
        self.top, self.weights = [], None
        self.rigids = {}

    def write(self, path):
        times = (self.record.time[self.frames] - self.record.time[self.frames[0]]).astype("<f4")
        if len(times) > 1 and (np.diff(times) <= 0.0).any():
            raise RecordingError("two frames are nearer to each other than single precision tells; export fewer of them")
        self.times = self.document.numbers([times], bounds=True)
        for surface in (*self.cast.surfaces, *self.cast.scenery):
            self._add_surface(surface)
        self._add_small()
        self._add_balls()
        self._move_rigids()
        root = self.document.add("nodes", {"name": "z up", "rotation": UPRIGHT, "children": self.top})
        self.document.write(path, [root], str(self.record.info.get("scene", "")))
        return path, self.frames

    def _material(self, colour):
        """A material of one colour, by which those of vertices are multiplied."""
        look = {"baseColorFactor": [*map(float, colour), 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8}
        known = self.document.parts["materials"]
        made = {"pbrMetallicRoughness": look, "doubleSided": True}
        return known.index(made) if made in known else self.document.add("materials", made)

    def _add_surface(self, surface):
        number, vertex = smooth_groups(surface.facets, surface.colours, self.first)
        tint = np.zeros((len(vertex), 3), "<f4")
        tint[number.ravel()] = np.repeat(surface.colours, 3, axis=0)
        self._add_mesh(str(surface.name), vertex, number, TRIANGLES, self._material((1.0, 1.0, 1.0)),
                       {"COLOR_0": self.document.numbers([tint])})

    def _add_small(self):
        springs = self.cast.springs[~self.cast.inside]
        for name, ends, colour, mode in (("springs", springs, GREY, LINES), ("bars", self.cast.bars, INK, LINES),
                                         ("dots", np.union1d(self.cast.dots, self.cast.held), INK, POINTS)):
            if len(ends):
                vertex, number = np.unique(ends, return_inverse=True)
                self._add_mesh(name, vertex, number, mode, self._material(to_rgb(colour)), {})

    def _add_mesh(self, name, vertex, indices, mode, material, attributes):
        """A mesh on vertices of the cast: carried as a whole where one rigid, or nothing, takes all of them along."""
        carriers = np.unique(self.carrier[vertex])
        whole = carriers[0] if len(carriers) == 1 and carriers[0] != -2 else None
        places = (self.local if whole is not None else self.first)[vertex]
        primitive = {"attributes": {"POSITION": self.document.numbers([places.astype("<f4")], bounds=True), **attributes},
                     "indices": self.document.numbers([indices.ravel().astype("<u4")]), "mode": mode, "material": material}
        mesh, node = {"name": name, "primitives": [primitive]}, {"name": name}
        moves = whole is None and len(self.frames) > 1
        if moves:
            primitive["targets"] = [{"POSITION": self.document.numbers(
                [(self._places(vertex, frame) - places).astype("<f4")], bounds=True)} for frame in self.frames[1:]]
            mesh["weights"] = [0.0] * (len(self.frames) - 1)
        node["mesh"] = self.document.add("meshes", mesh)
        node = self.document.add("nodes", node)
        if moves:
            self._fade(node)
        if whole is not None and whole >= 0:
            self.rigids.setdefault(int(whole), []).append(node)
        else:
            self.top.append(node)

    def _places(self, vertex, frame):
        """(k, 3) m of vertices at a frame."""
        rigid, found = self.carrier[vertex], self.local[vertex]
        free = np.flatnonzero(rigid == -2)
        found[free] = self.record.position[frame][vertex[free]]
        own = np.flatnonzero(rigid >= 0)
        if len(own):
            found[own] = self.cast.points(int(frame))[vertex[own]]
        return found

    def _fade(self, node):
        """Weights over time, the same for all that morphs: at frame k that of target k − 1 is one."""
        channels, document = self.document.channels, self.document
        if self.weights is None:
            count = len(self.frames) - 1
            rows = max(1, AT_ONCE // count)
            pieces = (np.eye(min(rows, count + 1 - begin), count, begin - 1, "<f4").ravel()
                      for begin in range(0, count + 1, rows))
            document.animate(node, "weights", self.times, pieces)
            self.weights = channels[-1]["sampler"]
        else:
            channels.append({"sampler": self.weights, "target": {"node": node, "path": "weights"}})

    def _add_balls(self):
        """Particles with a size: one ball for all, as large as each is."""
        ids, record = self.cast.spheres, self.record
        if not len(ids):
            return
        points, facets = unit_ball()
        shape = {"POSITION": self.document.numbers([points], bounds=True), "NORMAL": self.document.numbers([points])}
        corners, meshes = self.document.numbers([facets.ravel()]), {}
        for i, (particle, radius, colour) in enumerate(zip(ids.tolist(), self.cast.sphere_radius.tolist(),
                                                           map(tuple, self.cast.sphere_colour.tolist()), strict=True)):
            if colour not in meshes:
                primitive = {"attributes": shape, "indices": corners, "mode": TRIANGLES, "material": self._material(colour)}
                meshes[colour] = self.document.add("meshes", {"name": "ball", "primitives": [primitive]})
            node = self.document.add("nodes", {"name": f"{self.cast.sphere_names[i]} {particle}", "mesh": meshes[colour],
                                               "translation": record.position[self.frames[0], particle].tolist(),
                                               "scale": [radius] * 3})
            self.top.append(node)
            if len(self.frames) > 1:
                self.document.animate(node, "translation", self.times, [record.position[self.frames, particle].astype("<f4")])

    def _move_rigids(self):
        """Nodes of rigids, which carry their meshes."""
        record, names = self.record, [rigid.name for rigid in self.cast.stage.scene.rigids]
        for rigid, children in self.rigids.items():
            centre = record.rigid_position[self.frames, rigid]
            turn = steady(record.rigid_orientation[self.frames, rigid][:, None])[:, 0][:, [1, 2, 3, 0]]
            turn = turn / np.linalg.norm(turn, axis=1, keepdims=True)
            node = self.document.add("nodes", {"name": str(names[rigid]), "children": children,
                                               "translation": centre[0].tolist(), "rotation": turn[0].tolist()})
            self.top.append(node)
            if len(self.frames) > 1:
                self.document.animate(node, "translation", self.times, [centre.astype("<f4")])
                self.document.animate(node, "rotation", self.times, [turn.astype("<f4")])


def unit_ball():
    """(points, facets) of a ball of radius one."""
    polar, around = np.meshgrid(np.linspace(0.0, np.pi, RINGS + 1), np.arange(SECTORS) * 2.0 * np.pi / SECTORS, indexing="ij")
    points = np.stack([np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], axis=-1).reshape(-1, 3)
    ring, sector = (each.ravel() for each in np.meshgrid(np.arange(RINGS), np.arange(SECTORS), indexing="ij"))
    a, b = ring * SECTORS + sector, ring * SECTORS + (sector + 1) % SECTORS
    facets = np.concatenate([np.stack([a, a + SECTORS, b], axis=1)[ring > 0],
                             np.stack([b, a + SECTORS, b + SECTORS], axis=1)[ring < RINGS - 1]])
    return points.astype("<f4"), facets.astype("<u4")

