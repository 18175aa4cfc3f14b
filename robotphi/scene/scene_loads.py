"""The part of a Scene that acts on it from outside or looks on: forces, a medium, sensors."""
import numpy as np

from robotphi.scene import sensors
from robotphi.scene.acts import check_once
from robotphi.scene.blocks import Force, ParticleBlock, Rigid, Sensor
from robotphi.scene.checks import indices, refuse, vector, vectors
from robotphi.scene.drive import as_drive
from robotphi.scene.medium import medium
from robotphi.scene.saying import said


class SceneLoads:
    """What acts on a `Scene`, and what is measured of it."""

    @said
    def add_force(self, name, target, vector, drive=None):
        """Add a force vector × drive(t) [N] on a particle (index), on each of several, or on the centre of a rigid; returns it.

        Several particles, as an array or a block, may have a vector each; they are one entry of the ledger. The drive is a
        Drive, a number or a function of time; 1 where left out.
        """
        where = self._new_name("force", name)
        if isinstance(target, str):
            target = self.find(target, where)
        if isinstance(target, ParticleBlock):
            target = target.start if target.count == 1 else target.indices
        if isinstance(target, Rigid):
            return self._keep_force(where, name, "rigid", target.index, vector, drive)
        try:
            rows = np.asarray(target)
        except ValueError:   # of several lengths
            rows = np.empty(0, object)
        if rows.dtype.kind not in "iu" or rows.ndim > 1 or not rows.size:
            refuse(where, f"target is {target!r:.60}", "give a particle, several, such as a block or nodes[:3], or a rigid")
        target = indices(where, "target", target, self.particle_count)
        check_once(self, where, target.reshape(-1))
        return self._keep_force(where, name, "particle", target if target.ndim else int(target), vector, drive)

    @said
    def add_torque(self, name, rigid, vector, drive=None):
        """Add a torque vector × drive(t) [N·m], world frame, on a rigid; returns it. The drive is that of `add_force`."""
        where = self._new_name("torque", name)
        if isinstance(rigid, str):
            rigid = self.find(rigid, where)
        if not isinstance(rigid, Rigid):
            refuse(where, f"rigid is {rigid!r:.60}", "give the handle that add_rigid returned, or its name")
        return self._keep_force(where, name, "torque", rigid.index, vector, drive)

    @said
    def set_medium(self, density=None, drag=None, linear_drag=None, wind=(0.0, 0.0, 0.0), level=None, buoyancy=None):
        """Surround all objects that have facets with air or a liquid; returns it. Called again, it takes the place of the last.

        A facet of area S and normal n whose centre moves with V relative to the medium feels −S (V·n) (k + ½ ρ c |V|) V/|V|
        where it faces the flow; of an open surface, such as a sheet, either side may. Facets that stand in the lee of others,
        and those of parts that touch with other facets, count like any.

        Args:
            density: ρ [kg/m³], 1.2 of air, 1000 of water; for drag and buoyancy.
            drag: c, of fast motion and in liquids; a number for all objects, or {name of an object: c}, others feel none.
            linear_drag: k [N·s/m³], of slow motion in air; likewise.
            wind: velocity of the medium [m/s], three numbers, Drives or functions of time.
            level: height of the surface of a liquid [m], measured against gravity (along z without): there is nothing above it.
            buoyancy: whether the liquid presses on closed surfaces, ρ g times the depth; it does below a level. Soft
                bodies are compressed by it, and collapse where it comes near to their bulk modulus.
        """
        self.medium = medium(density, drag, linear_drag, wind, level, buoyancy, self.duration, self.gravity)
        return self.medium

    @said
    def add_sensor(self, name, quantity, of=None):
        """Add a named quantity over time; returns it.

        Args:
            name: not used by another sensor.
            quantity: a word of `robotphi.scene.sensors.QUANTITIES`.
            of: a handle, a name, an index, (handle or name, index within), or None for the whole scene; of contact the name
                of a thing that touches, or two of them: on the first, by the second.
        """
        if not isinstance(name, str) or not name or any(sensor.name == name for sensor in self.sensors):
            refuse(f"sensor {name!r}", "the name is empty or taken", "give every sensor a name of its own")
        self.sensors.append(Sensor(name, quantity, sensors.resolve(self, name, quantity, of)))
        return self.sensors[-1]

    def _keep_force(self, where, name, kind, target, direction, drive):
        drive = None if drive is None else as_drive(where, "drive", drive, self.duration)
        direction = vectors(where, "vector", direction, len(target)) if np.ndim(target) else vector(where, "vector", direction)
        self.forces.append(Force(name, kind, target, direction, drive))
        self.things[name] = self.forces[-1]
        return self.forces[-1]
