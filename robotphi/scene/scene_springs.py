"""The part of a Scene that holds particles together: springs, rods and cloths."""
from robotphi.scene import springs, structures
from robotphi.scene.blocks import Springs
from robotphi.scene.saying import said


class SceneSprings:
    """Springs between the particles of a `Scene`."""

    @said
    def add_linear(self, name, first, second, stiffness=0.0, viscosity=0.0, rest_length=None, yield_force=None,
                   hardening=0.0, tension_only=False, table=None, drive=None, toe_strain=None, break_force=None,
                   break_strain=None):
        """Add linear springs between particles; returns their handle.

        Args:
            name: of the block.
            first, second: particle indices, one or (m,).
            stiffness: [N/m], one or (m,); 0 beside a table.
            viscosity: [N·s/m].
            rest_length: [m]; the current length unless told.
            yield_force: [N] past which the rest length flows.
            hardening: [N/m] growth of the yield force per metre of flow.
            tension_only: no elastic force below the rest length.
            table: force over elongation instead of a stiffness.
            drive: Drive, number or function of time, added to the rest length.
            toe_strain: ε_l of fibres that straighten one after the other: with e the elongation and t = ε_l × rest length, the
                force is stiffness × e²/(4 t) up to e = 2 t, then stiffness × (e − t); none when slack; damped while it
                lengthens only. A ligament of k [N] per strain has the stiffness k/rest length.
            break_force: [N] of the strain alone, beyond which it breaks for good; what it has stored is lost.
            break_strain: elongation over rest length, likewise.
        """
        self._new_name("linear springs", name)
        return self._keep_springs(springs.linear_block(
            self, name, first, second, rest_length, stiffness=stiffness, viscosity=viscosity, yield_force=yield_force,
            hardening=hardening, tension_only=tension_only, table=table, drive=drive, toe_strain=toe_strain,
            break_force=break_force, break_strain=break_strain))

    @said
    def add_angular(self, name, first, centre, second, stiffness=0.0, viscosity=0.0, rest_angle=None, yield_moment=None,
                    hardening=0.0, normal=None, drive=None):
        """Add angular springs; returns their handle.

        Args:
            name: of the block.
            first, centre, second: particle indices, one or (m,); the angle is at centre.
            stiffness: [N·m/rad], one or (m,).
            viscosity: [N·m·s/rad].
            rest_angle: in [0, pi]; the current angle unless told.
            yield_moment: [N·m] past which the rest angle flows.
            hardening: [N·m/rad] growth of the yield moment per radian of flow.
            normal: direction of (first − centre) × (second − centre) when the bend is positive, (3,) or (m, 3).
            drive: Drive, number or function of time, added to the rest angle.
        """
        self._new_name("angular springs", name)
        return self._keep_springs(springs.angular_block(
            self, name, first, centre, second, rest_angle, normal, stiffness=stiffness, viscosity=viscosity,
            yield_moment=yield_moment, hardening=hardening, drive=drive))

    @said
    def add_articular(self, name, first, centre, end, second, stiffness=0.0, viscosity=0.0, rest_angle=None,
                      yield_moment=None, hardening=0.0, drive=None):
        """Add articular springs: the signed angle from first to second about the axis centre → end.

        Args:
            name: of the block.
            first, centre, end, second: particle indices, one or (m,).
            stiffness: [N·m/rad], one or (m,).
            viscosity: [N·m·s/rad].
            rest_angle: any number of turns; the current angle in (−pi, pi] unless told.
            yield_moment: [N·m] past which the rest angle flows.
            hardening: [N·m/rad] growth of the yield moment per radian of flow.
            drive: Drive, number or function of time, added to the rest angle.
        """
        self._new_name("articular springs", name)
        return self._keep_springs(springs.articular_block(
            self, name, first, centre, end, second, rest_angle, stiffness=stiffness, viscosity=viscosity,
            yield_moment=yield_moment, hardening=hardening, drive=drive))

    @said
    def add_rod(self, name, start, end, segments, axial_stiffness, bending_stiffness, mass_per_length,
                axial_viscosity=0.0, bending_viscosity=0.0, clamp_start=None, clamp_end=None):
        """Add a straight rod as a chain of equal segments l; returns its handle (particles, linear, angular).

        Linear springs EA/l, angular springs EI/l at 180° on inner nodes, half masses at the ends.

        Args:
            name: of the particles; the springs are name.linear and name.angular.
            start, end: [m], (3,).
            segments: number of segments.
            axial_stiffness: EA [N].
            bending_stiffness: EI [N·m²]; 0 for none.
            mass_per_length: [kg/m].
            axial_viscosity: [N·s], divided by l.
            bending_viscosity: [N·m²·s], divided by l.
            clamp_start, clamp_end: None free, "pin" holds the end, "clamp" also its direction by a fixed particle one
                segment behind and an angular spring of 2 EI/l.
        """
        self._handles[name] = structures.rod(
            self, name, start, end, segments, axial_stiffness, bending_stiffness, mass_per_length, axial_viscosity,
            bending_viscosity, clamp_start, clamp_end)
        return self._handles[name]

    @said
    def add_grid(self, name, origin, edge_u, edge_v, shape, mass, structural=None, shear=None, bending=None,
                 structural_viscosity=0.0, shear_viscosity=0.0, bending_viscosity=0.0, velocity=(0.0, 0.0, 0.0),
                 support=""):
        """Add a cloth; returns its handle (particles (nu, nv), structural, shear, bending).

        Args:
            name: of the particles; the springs are name.structural, name.shear and name.bending.
            origin: the corner [m]; edge_u, edge_v: the two sides [m].
            shape: (nu, nv) particles along the sides.
            mass: total [kg], shared by area: half on the border, a quarter at the corners.
            structural: [N/m] along the grid lines; shear: [N/m] both diagonals of each cell;
            bending: [N·m/rad] every three neighbours of a grid line, at 180°. Each one number, or two: along edge_u
                and edge_v (for shear: the two diagonals). None or 0 without viscosity: no such springs.
            structural_viscosity, shear_viscosity, bending_viscosity: likewise.
            velocity: initial [m/s].
            support: axes held, one word for all or (nu, nv) words.
        """
        self._handles[name] = structures.grid(
            self, name, origin, edge_u, edge_v, shape, mass, structural, shear, bending, structural_viscosity, shear_viscosity,
            bending_viscosity, velocity, support)
        return self._handles[name]

    def _keep_springs(self, block):
        self.springs[block.kind].append(block)
        self.things[block.name] = block
        return Springs(block.name, block.kind, block.start, block.count)
