"""From a file to the checks of a solid: bad surfaces get the clear error, of a million facets as well."""

import numpy as np
import pytest

from robotphi.errors import RobotphiError
from robotphi.geometry.checks_solid import check_surface
from robotphi.geometry.files import read_mesh, write_mesh
from robotphi.geometry.mesh import Mesh


def ball(sides, rings):
    """Points and outward triangles of a sphere of meridians and parallels: 2 × sides × (rings − 1) of them."""
    down, round_ = np.linspace(0.0, np.pi, rings + 1)[1:-1, None], np.arange(sides) * 2.0 * np.pi / sides
    points = np.stack(np.broadcast_arrays(np.sin(down) * np.cos(round_), np.sin(down) * np.sin(round_), np.cos(down)), axis=-1)
    here = np.arange((rings - 1) * sides).reshape(rings - 1, sides)
    beside, count = np.roll(here, -1, axis=1), here.size
    triangles = [np.stack([here[:-1], here[1:], beside[1:]], axis=-1), np.stack([here[:-1], beside[1:], beside[:-1]], axis=-1),
                 np.stack([np.full(sides, count), here[0], beside[0]], axis=-1),
                 np.stack([np.full(sides, count + 1), beside[-1], here[-1]], axis=-1)]
    return (np.concatenate([points.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]]),
            np.concatenate([some.reshape(-1, 3) for some in triangles]))


def moved(points, row, place):
    result = points.copy()
    result[row] = place
    return result


def turned(triangles, row):
    result = triangles.copy()
    result[row] = result[row, ::-1]
    return result


FLAWS = {
    "open": (lambda points, triangles: (points, triangles[1:]), "open"),
    "inverted": (lambda points, triangles: (points, triangles[:, ::-1]), "inside out"),
    "one facet turned": (lambda points, triangles: (points, turned(triangles, 5)), "turned against"),
    "given twice": (lambda points, triangles: (points, np.concatenate([triangles, triangles[3:4]])), "given twice"),
    "cuts itself": (lambda points, triangles: (moved(points, len(points) // 2, (0.0, 0.0, 3.0)), triangles), "touch or cut"),
    "not a number": (lambda points, triangles: (moved(points, 7, (0.0, np.nan, 0.0)), triangles), "finite"),
    "empty": (lambda points, triangles: (points, triangles[:0]), "holds no cells|0 lines of|no facets"),
}


def stl(path, points, triangles):
    """Written by hand: a mesh of ours cannot hold what is not finite, or nothing at all."""
    facets = np.zeros(len(triangles), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    facets["corners"] = points[triangles]
    path.write_bytes(b"\0" * 80 + len(facets).to_bytes(4, "little") + facets.tobytes())


def checked(path):
    mesh = read_mesh(path)
    check_surface(mesh.points, mesh.triangles)
    return mesh


@pytest.mark.parametrize("flaw", list(FLAWS))
def test_a_bad_surface_in_a_file_gets_the_clear_error(tmp_path, flaw):
    spoil, message = FLAWS[flaw]
    stl(tmp_path / "mesh.stl", *spoil(*ball(12, 7)))
    with pytest.raises(RobotphiError, match=message):
        checked(tmp_path / "mesh.stl")


@pytest.mark.parametrize("format", ["stl", "obj", "ply", "vtu", "msh"])
def test_a_good_surface_passes_in_every_format(tmp_path, format):
    points, triangles = ball(12, 7)
    write_mesh(tmp_path / f"mesh.{format}", Mesh(points, {"triangle": triangles}))
    assert len(checked(tmp_path / f"mesh.{format}").triangles) == 2 * 12 * 6


@pytest.mark.slow
def test_a_million_facets_are_answered(tmp_path):
    """The one that takes longest: it cuts itself, so that every check before that one passes."""
    points, triangles = ball(1000, 501)
    assert len(triangles) == 1_000_000
    stl(tmp_path / "mesh.stl", *FLAWS["cuts itself"][0](points, triangles))
    with pytest.raises(RobotphiError, match="touch or cut"):
        checked(tmp_path / "mesh.stl")
