"""A movie of a knee that is bent and extended: bones one sees through, fibres as tubes in the colour of what they bear."""
import numpy as np

from robotphi.view import movies, style
from robotphi.view.ligaments import PULLS

EYE = np.array([0.55, 0.28, 1.0])   # from the lateral side, a little from the front and above; y is up
BONE, THICK = "#e9dfc7", 1e-3       # m, radius of the tubes
SECONDS = 4.0                       # of one bending; it is extended again in as many
SEEN = 1.15                         # room around what is shown
SIDES = 10


def write_knee_movie(study, bones, path):
    """A movie, .webp, .gif or .mp4, of ligaments along a motion; returns the path.

    Args:
        study: of `applications.ligament.passive_study`.
        bones: "femur" and "tibia" → Compound, in axes of their bones; what is missing is not drawn.
    """
    path = movies.checked(path, movies.MOVIES)
    shown = np.unique(np.linspace(0, len(study.flexion) - 1, round(SECONDS * movies.RATE)).round().astype(int))
    plotter = movies.plotter_of(True)
    plotter.disable_anti_aliasing()   # a movie is drawn twice as large as webp and gif are kept; samples double what it takes
    try:
        moved, fibres = _put_in(plotter, study, bones)
        movies.write_images(_images(plotter, study, [*shown, *shown[::-1]], moved, fibres), path)
    finally:
        plotter.close()
    return path


def _put_in(plotter, study, bones):
    """Bones and fibres at the first pose, and the camera; the femur's actors, the meshes of the fibres."""
    import pyvista

    plotter.set_background(style.PAPER)
    moved = []
    for name, bone in bones.items():
        for part in bone.parts:
            points, triangles, _ = part.triangulated()
            mesh = pyvista.PolyData(points, faces=np.column_stack([np.full(len(triangles), 3), triangles]).ravel())
            actor = plotter.add_mesh(mesh, color=BONE, opacity=0.55, reset_camera=False)
            moved += [actor] if name == "femur" else []
    most = max(float(study.tension.max()), 1e-9)
    fibres = []
    for line, pull in zip(study.places[0], study.tension[0], strict=True):
        mesh = tube(line)
        mesh.point_data["tension [N]"] = np.full(mesh.n_points, pull)
        plotter.add_mesh(mesh, cmap=PULLS, clim=(0.0, most), scalars="tension [N]", smooth_shading=True, reset_camera=False,
                         scalar_bar_args={"color": style.INK, "title_font_size": 22, "label_font_size": 20, "vertical": True,
                                          "fmt": "%.0f", "position_x": 0.86, "position_y": 0.2, "height": 0.6})
        fibres.append(mesh)
    ends = study.places.reshape(-1, 3)
    eye, middle = EYE / np.linalg.norm(EYE), (ends.min(axis=0) + ends.max(axis=0)) / 2
    camera = plotter.camera
    camera.focal_point, camera.position, camera.up = middle, middle + eye, (0.0, 1.0, 0.0)
    camera.parallel_projection, camera.parallel_scale = True, SEEN * max(0.045, np.ptp(ends, axis=0).max())
    return moved, fibres


def tube(line):
    """A tube round a line of places, as PolyData whose points follow from it (`around`)."""
    import pyvista

    number = np.arange(len(line) * SIDES).reshape(-1, SIDES)
    behind = np.roll(number, -1, axis=1)
    quads = np.stack([number[:-1], behind[:-1], behind[1:], number[1:]], axis=-1).reshape(-1, 4)
    return pyvista.PolyData(around(line), faces=np.column_stack([np.full(len(quads), 4), quads]).ravel())


def around(line):
    """(k · SIDES, 3) places on circles about each place of a line."""
    along = np.gradient(line, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    first = np.cross(along, (0.0, 0.0, 1.0))
    first /= np.maximum(np.linalg.norm(first, axis=1, keepdims=True), 1e-12)
    second = np.cross(along, first)
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    circle = np.cos(angle)[None, :, None] * first[:, None] + np.sin(angle)[None, :, None] * second[:, None]
    return (line[:, None] + THICK * circle).reshape(-1, 3)


def _images(plotter, study, shown, moved, fibres):
    for k in shown:
        for actor in moved:
            actor.user_matrix = study.flexion.poses[k]
        for mesh, line, pull in zip(fibres, study.places[k], study.tension[k], strict=True):
            mesh.points = around(line)
            mesh.point_data["tension [N]"][:] = pull
            mesh.compute_normals(cell_normals=False, split_vertices=False, inplace=True)
        plotter.add_text(f"{study.flexion.degrees[k]:.0f}° of flexion", position="upper_left", font_size=14, color=style.INK,
                         name="when")
        plotter.renderer.ResetCameraClippingRange()
        plotter.render()
        yield plotter.screenshot(return_img=True)
