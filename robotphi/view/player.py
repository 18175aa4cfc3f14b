"""The player: the cast of a recording in a pyvista plotter, put where it is at a frame; for the window, pictures and movies."""
import numpy as np

from robotphi.view import style
from robotphi.view.cast import Cast, smooth_groups
from robotphi.view.layers import LAYERS, segments_of
from robotphi.view.quantities import QUANTITIES, colour_limits, quantity
from robotphi.view.scenes import VIEWS
from robotphi.view.solids import EDGE, QUANTITY, SEEN_THROUGH
from robotphi.view.stage import Stage

NOTHING = "#cfd4da"      # where a quantity has nothing to tell
FILLED = 0.9             # of the picture, by all that is ever shown
FEW = 24                 # frames that tell the ends of a colour scale
LEAST = 5                # pixels across a particle's ball
FINE = 20_000            # edges of the mesh beyond which they are too many to be drawn


class Player:
    """What is in a plotter, and where it is.

    Attributes:
        plotter: of pyvista.
        cast: what there is.
        frame: that is shown.
        colour: quantity that colours tell; None.
        shown: name of each group → whether it is shown.
    """

    def __init__(self, recording, plotter, colour=None, look="oblique"):
        import pyvista

        self.cast = Cast(recording if isinstance(recording, Stage) else Stage(recording))
        self.stage, self.plotter, self._pyvista = self.cast.stage, plotter, pyvista
        self.frame, self.colour, self.shown = 0, None, {}
        self._groups, self._moving, self._skins, self._dots = {}, [], [], []
        self._largest = {}
        self.plotter.set_background(style.PAPER)
        self._add_things()
        self.look(look)
        self.paint(colour)

    # what there is

    def _add_things(self):
        cast = self.cast
        self._points = cast.points(0)
        teller = np.full(len(self._points), -1)
        teller[:self.stage.scene.particle_count] = np.arange(self.stage.scene.particle_count)
        for one in cast.surfaces:
            teller[np.unique(one.facets)] = one.values
        for group, surfaces in (("ground", cast.scenery), ("surfaces", cast.surfaces)):
            if surfaces:
                self._add_skin(group, surfaces, teller)
        if len(cast.edges) <= FINE:
            self._add_lines("edges", cast.edges, color=EDGE, line_width=1.5, opacity=0.5)
        self._add_lines("edges", cast.strong, color=style.INK, line_width=2.5)
        self._lines = self._add_lines("springs", cast.springs[~cast.inside], color=style.INK, line_width=4)
        self._inner = self._add_lines("springs inside", cast.springs[cast.inside], shown=False, color=style.GREY, line_width=2)
        self._add_lines("springs", cast.bars, color=style.BLUE, line_width=6)
        for rows, colour, size in ((cast.dots, style.INK, 1.0), (cast.held, style.AMBER, 1.3)):
            if len(rows):
                mesh = self._pyvista.PolyData(self._points[rows])
                self._moving.append((mesh, rows))
                actor = self._add("particles", mesh, color=colour, render_points_as_spheres=True, lighting=False)
                self._dots.append((actor, size))
        self._add_balls()
        for name, layer in LAYERS.items():
            self._add_layer(name, layer)
        self._add_paths()

    def _add(self, group, mesh, shown=True, **how):
        """A mesh of a group that is shown or hidden as a whole."""
        actor = self.plotter.add_mesh(mesh, show_scalar_bar=False, reset_camera=False, **how)
        self._groups.setdefault(group, []).append(actor)
        actor.visibility = self.shown.setdefault(group, shown)
        return actor

    def _add_skin(self, group, surfaces, teller):
        facets = np.concatenate([one.facets for one in surfaces])
        colours = np.concatenate([one.colours for one in surfaces])
        number, vertex = smooth_groups(facets, colours, self._points)
        tint = np.zeros((len(vertex), 3), np.uint8)
        tint[number.ravel()] = np.repeat(np.rint(255 * colours), 3, axis=0)
        mesh = self._pyvista.PolyData(self._points[vertex], faces=np.column_stack([np.full(len(number), 3), number]).ravel())
        mesh.point_data["colour"] = tint
        self._skins.append((mesh, number, vertex))
        if group == "ground":
            self._add(group, mesh, scalars="colour", rgb=True, ambient=0.6, diffuse=0.45, pickable=False)
        else:
            self._skin = (mesh, teller[vertex])
            self._skin_actor = self._add(group, mesh, scalars="colour", rgb=True, ambient=0.4, diffuse=0.7, specular=0.08)
            self._skin_actor.prop.interpolation = "Phong"

    def _add_lines(self, group, pairs, shown=True, **how):
        """Lines between vertices; what is needed to colour them, or None."""
        if not len(pairs):
            return None
        used, ends = np.unique(pairs, return_inverse=True)
        cells = np.column_stack([np.full(len(pairs), 2), ends.reshape(-1, 2)]).ravel()
        mesh = self._pyvista.PolyData(self._points[used], lines=cells)
        self._moving.append((mesh, used))
        actor = self._add(group, mesh, shown=shown, lighting=False, pickable=False, **how)
        actor.mapper.resolve = "polygon_offset"
        return mesh, actor, how.get("color")

    def _add_balls(self):
        cast, ball = self.cast, self._pyvista.Sphere(radius=1.0, theta_resolution=32, phi_resolution=16)
        for row, radius, colour in zip(cast.spheres, cast.sphere_radius, cast.sphere_colour, strict=True):
            actor = self._add("surfaces", ball.scale(radius), color=colour.tolist(), smooth_shading=True)
            self._moving.append((actor, row))

    def _add_layer(self, name, layer, first=0):
        """What a layer needs from a frame on; nothing where it is empty there."""
        rows = segments_of(self.cast, name, range(first, len(self.stage.recording)))[0]
        if not len(rows):
            return
        most = float(np.linalg.norm(rows[:, 3:], axis=1).max()) if layer.arrows else 0.0
        self._largest[layer.group] = max(self._largest.get(layer.group, 0.0), most)
        if any(each[0] == name for each in self._groups.get("layers", ())):
            return
        mesh = self._pyvista.PolyData(np.zeros((2, 3)), lines=[2, 0, 1])
        actor = self._add(layer.group, mesh, layer.shown, color=layer.colour, line_width=4, lighting=False, pickable=False)
        self._groups.setdefault("layers", []).append((name, layer, mesh, actor))

    def renew(self, recording):
        """The same run with more frames."""
        first = len(self.stage.recording)
        self.stage.recording = recording
        vars(self.cast).pop("bounds", None)
        for name, layer in LAYERS.items():
            self._add_layer(name, layer, first)
        for actor in self._groups.pop("trajectories", ()):
            self.plotter.remove_actor(actor, reset_camera=False, render=False)
        self._add_paths()

    def _add_paths(self):
        record = self.stage.recording
        paths = [record.rigid_position[:, -1 - who] if who < 0 else record.position[:, who] for who in self.cast.paths]
        if not paths or len(record) < 2:
            return
        count = len(record)
        cells = np.concatenate([[count, *range(index * count, (index + 1) * count)] for index in range(len(paths))])
        mesh = self._pyvista.PolyData(np.concatenate(paths), lines=cells)
        self._add("trajectories", mesh, shown=False, color=style.TEAL, line_width=2, lighting=False, pickable=False)

    # what is shown of it

    def toggle(self, group):
        """Show or hide a group."""
        self.shown[group] = not self.shown[group]
        for actor in self._groups.get(group, ()):
            actor.visibility = self.shown[group]
        self.paint(self.colour)

    def paint(self, name):
        """Let colours tell a quantity, or None."""
        known = None if name is None else quantity(self.stage, name)
        self.colour = name
        for title in list(self.plotter.scalar_bars.keys()):
            self.plotter.remove_scalar_bar(title)
        if known:
            self._limits = self._ends(name, known)
            colours = style.ELONGATION if known.signed else QUANTITY
            self._table = self._pyvista.LookupTable(colours, scalar_range=self._limits, nan_color=NOTHING)
            self._bar(name, known)
        if hasattr(self, "_skin"):
            self._skin_actor.prop.opacity = SEEN_THROUGH if self.shown.get("springs inside") else 1.0
        self.show(self.frame)

    def _ends(self, name, known):
        """Ends of the colour scale, by some frames of the run."""
        frames = self.stage.chosen(FEW)
        found = [known.values(self.stage, frame) for frame in frames]
        if known.of_lines and not self.cast.inside.all():
            found += [known.of_lines(self.stage, frame)[~self.cast.inside] for frame in frames]
        return colour_limits(name, np.concatenate(found))

    def _bar(self, name, known):
        unit = "" if known.unit == "1" else f" [{known.unit}]"
        mesh = self._pyvista.PolyData(np.zeros((1, 3)))
        actor = self.plotter.add_mesh(mesh, color=style.PAPER, point_size=0.1, reset_camera=False, pickable=False)
        actor.mapper.lookup_table = self._table
        self.plotter.add_scalar_bar(title=f"{name}{unit}\n", mapper=actor.mapper, color=style.INK, n_labels=3, fmt="%.3g",
                                    title_font_size=16, label_font_size=14, width=0.3, height=0.07, position_x=0.67,
                                    position_y=0.04)

    def show(self, frame):
        """Put everything where it is at a frame."""
        self.frame = int(np.clip(frame, 0, len(self.stage.recording) - 1))
        self._points = self.cast.points(self.frame)
        for mesh, number, vertex in self._skins:
            mesh.points = self._points[vertex]
            mesh.point_data.active_normals = normals(number, mesh.points)
        for thing, rows in self._moving:
            if np.ndim(rows):
                thing.points = self._points[rows]
            else:
                thing.position = self._points[rows]
        self._colour_frame()
        for name, layer, mesh, actor in self._groups.get("layers", ()):
            self._fill(name, layer, mesh, actor)
        time = self.stage.recording.time
        self.plotter.add_text(f"{self.stage.scene.name}\n{time[self.frame]:.4g} s of {time[-1]:.4g} s", name="when",
                              font_size=10, color=style.INK)

    def _colour_frame(self):
        known = QUANTITIES.get(self.colour)
        values = known.values(self.stage, self.frame) if known else None
        if hasattr(self, "_skin"):
            mesh, teller = self._skin
            mapper = self._skin_actor.mapper
            if known:
                mesh.point_data["value"] = values[teller]
                mapper.lookup_table = self._table
            mapper.SetScalarModeToUsePointFieldData()
            mapper.SelectColorArray("value" if known else "colour")
            mapper.SetColorModeToMapScalars() if known else mapper.SetColorModeToDirectScalars()
            mapper.scalar_range = self._limits if known else (0, 255)
        for made, own in ((self._lines, ~self.cast.inside), (self._inner, self.cast.inside)):
            if made:
                self._colour_lines(*made, own, known, values)

    def _colour_lines(self, mesh, actor, plain, own, known, values):
        mapper = actor.mapper
        if known is None:
            mapper.scalar_visibility = False
            actor.prop.color = plain
            return
        ends = self.cast.springs[own]
        told = known.of_lines(self.stage, self.frame)[own] if known.of_lines else values[ends].mean(axis=1)
        mesh.cell_data["value"] = told
        mapper.lookup_table, mapper.scalar_visibility = self._table, True
        mapper.SetScalarModeToUseCellFieldData()
        mapper.SelectColorArray("value")
        mapper.SetColorModeToMapScalars()
        mapper.scalar_range = self._limits

    def _fill(self, name, layer, mesh, actor):
        """The lines or arrows of a layer at the frame."""
        rows = segments_of(self.cast, name, [self.frame])[0]
        actor.visibility = bool(len(rows)) and self.shown[layer.group]
        if not len(rows):
            return
        if layer.arrows:
            arrows = self._pyvista.PolyData(rows[:, :3])
            arrows["along"] = rows[:, 3:] * self.cast.arrow / (self._largest[layer.group] or 1.0)
            arrow = self._pyvista.Arrow(tip_length=0.3, tip_radius=0.09, shaft_radius=0.035)
            mesh.copy_from(arrows.glyph(orient="along", scale="along", geom=arrow))
        else:
            cells = np.column_stack([np.full(len(rows), 2), np.arange(2 * len(rows)).reshape(-1, 2)]).ravel()
            mesh.copy_from(self._pyvista.PolyData(rows.reshape(-1, 3), lines=cells))
        actor.mapper.scalar_visibility = False

    # from where

    def look(self, name, bounds=None):
        """From one of `scenes.VIEWS`, as near as `bounds` (2, 3) [m] just fit, unless told all that is ever shown."""
        eye = np.array(VIEWS[name], float)
        eye /= np.linalg.norm(eye)
        right = np.cross((0.0, 0.0, 1.0), eye)
        right /= np.linalg.norm(right)
        bounds, camera = self.cast.bounds if bounds is None else np.asarray(bounds), self.plotter.camera
        middle = bounds.mean(axis=0)
        corners = np.stack(np.meshgrid(*(bounds - middle).T), axis=-1).reshape(-1, 3)
        high = FILLED * np.tan(np.radians(camera.view_angle / 2))
        wide = high * self.plotter.window_size[0] / self.plotter.window_size[1]
        away = corners @ eye + np.maximum(np.abs(corners @ right) / wide, np.abs(corners @ np.cross(eye, right)) / high)
        far = max(away.max(), 1e-9)
        self.plotter.camera_position = [tuple(middle + far * eye), tuple(middle), (0.0, 0.0, 1.0)]
        for actor, size in self._dots:
            pixels = self.cast.dot * FILLED * self.plotter.window_size[1] / (high * far)
            actor.prop.point_size = size * max(pixels, LEAST)
        self.plotter.renderer.reset_camera_clipping_range()

    # what is under a point

    def nearest(self, point):
        """The particle of what is drawn that is nearest to a point [m]; None where there is none."""
        drawn = np.unique(np.concatenate([self.cast.springs.ravel(), self.cast.dots, self.cast.held, self.cast.spheres,
                                          *(np.unique(one.values) for one in self.cast.surfaces)]).astype(int))
        away = np.linalg.norm(self._points[drawn] - np.asarray(point), axis=1)
        return int(drawn[np.argmin(away)]) if len(drawn) else None

    def tell(self, particle):
        """Words about a particle at the frame: who it is, what it has, where it is."""
        rows = [f"{self._name(particle)}, particle {particle}"]
        for name, known in QUANTITIES.items():
            if known.known(self.stage):
                value = known.values(self.stage, self.frame)[particle]
                if np.isfinite(value):
                    rows.append(f"{name} {value:.4g}{'' if known.unit == '1' else ' ' + known.unit}")
        at = ", ".join(f"{each:.4g}" for each in self._points[particle])
        return "\n".join([*rows, f"at ({at}) m"])

    def _name(self, particle):
        for name, placed in self.stage.surfaces.items():
            if particle in placed.particles:
                return name
        return next(block.name for block in self.stage.scene.particle_blocks if particle in block.indices)


def normals(facets, points):
    """(v, 3) unit normals at the vertices of facets, by area."""
    corner = points[facets]
    each = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    total = np.zeros_like(points, dtype=float)
    for column in facets.T:
        np.add.at(total, column, each)
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
