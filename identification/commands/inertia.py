"""`robotphi-identify inertia`: the mass distribution of a real object, as particles of a scene file."""
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from identification.errors import FitError
from identification.inertia import inertia_of, points_within, six_particles, within
from robotphi.commands.output import AsJson, answer, console, exit_codes, table
from robotphi.geometry.files import read_mesh
from robotphi.language.write import write_scene
from robotphi.scene.scene import Scene


def inertia_command(
    mass: Annotated[float, typer.Option(metavar="KG", help="Measured mass [kg].")],
    inertia: Annotated[str, typer.Option(metavar="JXX,JYY,JZZ[,JXY,JXZ,JYZ]",
                                         help="Measured about the centre of mass [kg·m²]: entries of the matrix.")],
    centre: Annotated[str, typer.Option(metavar="X,Y,Z", help="Centre of mass [m].")] = "0,0,0",
    shape: Annotated[Path | None, typer.Option(metavar="FILE.stl", help="A closed surface [m] around the mass.")] = None,
    distance: Annotated[float | None, typer.Option(metavar="M", help="Between points of the shape [m]; its size over 12 unless "
                                                                     "told.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE.yaml", help="A scene file of one rigid, to be written.")] = None,
    as_json: AsJson = False,
):
    """Say by which particles an object of measured mass, centre and inertia can stand in a scene: six on its principal axes, or
    many within its shape, as evenly as the ten numbers allow.

    Example: robotphi-identify inertia --mass 0.81 --centre 0,0,0.012 --inertia 1.1e-3,1.2e-3,4e-4 --out object.yaml
    """
    with exit_codes(as_json):
        matrix, place = inertia_of(_numbers("--inertia", inertia, (3, 6))), _numbers("--centre", centre, (3,))
        found = six_particles(mass, place, matrix) if shape is None else _in_shape(shape, distance, mass, place, matrix)
        reached = found.properties()
        if out is not None:
            scene = Scene(out.stem)
            scene.add_rigid("object", found.position, mass=found.mass)
            write_scene(scene, out, about=f"A rigid of {mass:g} kg with a measured centre and inertia.")
        told = {"particles": len(found.mass), "mass": reached[0], "centre": reached[1].tolist(), "inertia": reached[2].tolist(),
                "wanted": {"mass": mass, "centre": place.tolist(), "inertia": matrix.tolist()},
                "unevenness": None if np.isnan(found.unevenness) else found.unevenness,
                "file": None if out is None else str(out)}
        if as_json:
            answer(told)
        else:
            _show(told)


def _numbers(name, said, counts):
    try:
        found = np.array([float(word) for word in said.split(",")])
    except ValueError:
        found = np.empty(0)
    if len(found) not in counts or not np.isfinite(found).all():
        raise FitError(f"{name} {said!r}; give {' or '.join(map(str, counts))} numbers with commas between them")
    return found


def _in_shape(path, distance, mass, centre, matrix):
    mesh = read_mesh(path)
    size = float(np.ptp(mesh.points, axis=0).max())
    if distance is not None and not 0 < distance <= size:
        raise FitError(f"--distance {distance:g}; give a number of metres above 0, at most the {size:g} m of the shape")
    return within(points_within(mesh, distance or size / 12), mass, centre, matrix)


def _show(told):
    rows = table(f"{told['particles']} particles", "", "wanted>", "reached>")
    rows.add_row("mass [kg]", f"{told['wanted']['mass']:.6g}", f"{told['mass']:.6g}")
    for axis, wanted, reached in zip("xyz", told["wanted"]["centre"], told["centre"], strict=True):
        rows.add_row(f"centre {axis} [m]", f"{wanted:.6g}", f"{reached:.6g}")
    for row, column in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        rows.add_row(f"J{'xyz'[row]}{'xyz'[column]} [kg·m²]", f"{told['wanted']['inertia'][row][column]:.6g}",
                     f"{told['inertia'][row][column]:.6g}")
    console().print(rows)
    if told["unevenness"] is not None:
        console().print(f"the density differs from an even one by {100 * told['unevenness']:.3g} % (root of the mean square)")
    if told["file"]:
        console().print(told["file"], markup=False, highlight=False)
