"""The part of a Scene that can touch: objects, ground, round things, and what holds between them."""
from robotphi.scene import objects, rounds, touching
from robotphi.scene.checks import number, vector
from robotphi.scene.saying import said


class SceneTouching:
    """Objects and all else that can touch in a `Scene`."""

    @said
    def add_object(self, name, thing, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), support="", contact=None,
                   contact_group=None, self_contact=False, contact_thickness=None, stiff=False, motion=None):
        """Add an object that `discretise` made (or that was put together by hand); returns its handle.

        Args:
            name: of the object; its springs are name.<group>, its rigid parts name.<part>.
            thing: the Object.
            velocity: of its centre [m/s].
            spin: angular velocity about its centre [rad/s].
            support: axes held, one word for all, or {region: word} (overlapping ones add up); a rigid part is held as a whole.
            contact: a ContactMaterial: each of its polyhedra and sheets can touch other things.
            contact_group: a word under which several things can be named in `set_contact` and `exclude_contact`.
            self_contact: whether its parts touch each other, and the facets of soft ones and sheets those of the same part;
                parts that share a rigid or a particle never do.
            contact_thickness: of its sheets [m]; else what `sheet` was told.
            stiff: a step [s] that the object is to allow however stiff it is, or True: vibrations that are too fast for such a
                step are slowed down, rests and momenta stay exact. A frequency ω [rad/s] is right to 1 % below 0.67 over the
                step; True takes the step 0.5/ω of the sixth mode. Pays for objects of few particles among what is dear:
                "auto" takes True where it allows much longer steps and no drive swings faster; the advice tells why.
            motion: a Motion that all of it follows, or {region: Motion}; it is drawn where the motion starts. A rigid part
                follows as a whole.
        """
        where = self._new_name("object", name)
        velocity, spin = vector(where, "velocity", velocity), vector(where, "spin", spin)
        surfaces = touching.prepare_object(where, thing, contact, contact_group, self_contact, contact_thickness)
        step = stiff if isinstance(stiff, bool) or stiff == "auto" else number(where, "stiff", stiff, above=0.0)
        self.objects[name] = objects.place(self, name, thing, velocity, spin, support, motion)
        if step:
            self.stiff[name] = step
        if surfaces is not None:
            self._keep_touching(touching.TouchingObject(name, contact, contact_group, bool(self_contact), self.objects[name],
                                                        surfaces))
        return self.objects[name]

    @said
    def add_plane(self, name, point=(0.0, 0.0, 0.0), normal=(0.0, 0.0, 1.0), contact=None, rigid=None, contact_group=None):
        """Add the half space below a plane, which other things touch; returns its description.

        Args:
            name: not used before in this scene.
            point: on the plane [m], world frame.
            normal: out of the half space.
            contact: its ContactMaterial.
            rigid: handle or name of the rigid that carries it; fixed in the world where left out.
            contact_group: a word for several things, as in `add_object`.
        """
        where = self._new_name("plane", name)
        return self._keep_touching(touching.plane(self, where, name, point, normal, contact, rigid, contact_group))

    @said
    def add_height_field(self, name, heights, spacing, origin=(0.0, 0.0, 0.0), contact=None, contact_group=None):
        """Add all that lies below a surface of heights, fixed in the world; returns its description.

        Args:
            name: not used before in this scene.
            heights: [m] above the z of the origin, (nu, nv), at x = i du and y = j dv from it; each cell is two triangles along
                the diagonal from its lowest i and j to its highest.
            spacing: du and dv [m], or one for both.
            origin: of the grid [m].
            contact: its ContactMaterial.
            contact_group: a word for several things, as in `add_object`.
        """
        where = self._new_name("height field", name)
        return self._keep_touching(touching.height_field(where, name, heights, spacing, origin, contact, contact_group))

    @said
    def add_ball(self, name, position, radius, mass=None, density=None, contact=None, velocity=(0.0, 0.0, 0.0),
                 spin=(0.0, 0.0, 0.0), support="", rotation_support="", drive=None, contact_group=None):
        """Add a solid ball as a rigid primitive; returns its handle, whose first particle is the centre.

        Args:
            name: not used before in this scene.
            position: of its centre [m].
            radius: [m].
            mass: [kg], or density: [kg/m³]; neither where everything is held or driven.
            contact: its ContactMaterial; without one it touches nothing.
            velocity, spin, support, rotation_support, drive: as in `add_rigid`.
            contact_group: a word for several things, as in `add_object`.
        """
        return rounds.ball(self, name, position, radius, mass, density, contact, contact_group,
                           {"velocity": velocity, "spin": spin, "support": support, "rotation_support": rotation_support,
                            "drive": drive})

    @said
    def add_capsule(self, name, start, end, radius, mass=None, density=None, contact=None, velocity=(0.0, 0.0, 0.0),
                    spin=(0.0, 0.0, 0.0), support="", rotation_support="", drive=None, contact_group=None):
        """Add a solid cylinder with half balls on its ends as a rigid primitive; returns its handle.

        Args:
            name: not used before in this scene.
            start, end: of its axis, the centres of the half balls [m]; its first two particles.
            radius: [m]; the rest as in `add_ball`.
        """
        return rounds.along_axis(self, name, "capsule", start, end, radius, mass, density, contact, contact_group,
                                 {"velocity": velocity, "spin": spin, "support": support,
                                  "rotation_support": rotation_support, "drive": drive})

    @said
    def add_cylinder(self, name, start, end, radius, mass=None, density=None, contact=None, velocity=(0.0, 0.0, 0.0),
                     spin=(0.0, 0.0, 0.0), support="", rotation_support="", drive=None, contact_group=None):
        """Add a solid cylinder with flat ends as a rigid primitive; returns its handle.

        Args:
            name: not used before in this scene.
            start, end: of its axis, the centres of the flat ends [m]; its first two particles.
            radius: [m]; the rest as in `add_ball`.
        """
        return rounds.along_axis(self, name, "cylinder", start, end, radius, mass, density, contact, contact_group,
                                 {"velocity": velocity, "spin": spin, "support": support,
                                  "rotation_support": rotation_support, "drive": drive})

    @said
    def add_wheel(self, name, start, end, profile, mass=None, density=None, contact=None, velocity=(0.0, 0.0, 0.0),
                  spin=(0.0, 0.0, 0.0), support="", rotation_support="", drive=None, contact_group=None):
        """Add a solid of revolution about an axis, such as a wheel, as a rigid primitive; returns its handle.

        Args:
            name: not used before in this scene.
            start, end: of its axis, the middles of its flat sides [m]; its first two particles.
            profile: its outline [m]: a radius, radii evenly over the width from start to end, or rows of a place along the axis
                from `start` on and the radius there; straight in between. The rest as in `add_ball`.
        """
        return rounds.wheel(self, name, start, end, profile, mass, density, contact, contact_group,
                            {"velocity": velocity, "spin": spin, "support": support,
                             "rotation_support": rotation_support, "drive": drive})

    @said
    def add_contact_balls(self, name, particles, radius, contact=None, contact_group=None, self_contact=True):
        """Give particles a size, so that they touch other things; returns the description.

        Args:
            name: not used before in this scene.
            particles: indices, or the name of a block of particles.
            radius: [m], one or one a particle.
            contact: their ContactMaterial.
            contact_group: a word for several things, as in `add_object`.
            self_contact: whether they touch each other; False for beads that overlap on a string.
        """
        where = self._new_name("contact balls", name)
        return self._keep_touching(touching.balls(self, where, name, particles, radius, contact, contact_group, self_contact))

    @said
    def set_contact(self, first, second, contact):
        """Give two things a law of their own, whatever their materials; a later call counts before an earlier one.

        Args:
            first, second: names of things that touch, or contact groups; the same twice for a group among itself.
            contact: ContactMaterial of the pair: here its stiffness, damping and friction are those of both together.
        """
        self.between.append(touching.between(self, first, second, contact, law=True))

    @said
    def exclude_contact(self, first, second):
        """Let two things never touch: names of things that touch, or contact groups, as in `set_contact`."""
        self.between.append(touching.between(self, first, second, None, law=False))

    def _keep_touching(self, thing):
        self.touching[thing.name] = thing
        return thing
