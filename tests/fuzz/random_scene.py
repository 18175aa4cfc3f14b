"""Random scenes that are valid by construction: one whole number makes the same scene everywhere and always.

Masses over six decades, stiffness over nine, damping ratios from 0 to 10; particles and rigids; linear, angular and
articular springs with every law; supports, drives, forces, spins; with and without gravity; all schemes and controls.
"""
from dataclasses import dataclass, field

import numpy as np

from robotphi import Drive, Scene, Stepping, Table
from tests.fuzz.drawing import Drawer

CELLS = np.array([(i, j, k) for i in range(3) for j in range(3) for k in range(3)], dtype=float)
ATTEMPTS = 2000


@dataclass
class Maker(Drawer):
    """Draws a scene, and keeps the stiffness and damping on every particle to choose a duration that is worth its steps."""
    size: float = 1.0                            # m, distance of neighbours
    cells: list = field(default_factory=list)
    points: list = field(default_factory=list)   # (3,) m each
    mass: list = field(default_factory=list)     # kg each; of a rigid's particle, the mass of the rigid
    body: list = field(default_factory=list)     # each particle's body: springs join different ones
    calls: list = field(default_factory=list)    # what to tell the scene once its duration is known
    stiff: dict = field(default_factory=dict)    # N/m on each particle
    damp: dict = field(default_factory=dict)     # N·s/m
    free: bool = True                            # nothing outside acts on the scene
    jumps: bool = True                           # whether drives may jump

    # bodies

    def place(self):
        return (self.cells.pop() + self.random.uniform(-0.25, 0.25, 3)) * self.size

    def add_particle(self, number, mass, duration):
        point = self.place()
        support, drive = "", None
        if self.chance(0.15):
            support = self.pick("x", "y", "z", "xy", "yz", "xyz", "xyz")
        if self.chance(0.05):
            axis = self.pick("x", "y", "z")
            if axis not in support:
                drive = {axis: self.smooth_drive(0.3 * self.size, duration)}
        held = [axis in support or axis in (drive or ()) for axis in "xyz"]
        speed = np.where(held, 0.0, self.velocity(duration))
        self.free &= not any(held)
        self.points.append(point)
        self.mass.append(np.inf if all(held) else mass)
        self.body.append(number)
        self.calls.append(("add_particle", (f"p{number}", point, mass), dict(velocity=speed, support=support, drive=drive)))

    def add_rigid(self, number, index, mass, duration):
        centre = self.place()
        count = int(self.random.integers(1, 6))
        points = centre + self.random.uniform(-0.2, 0.2, (count, 3)) * self.size
        inertia = None
        if count < 4 or self.chance(0.3):
            moments = np.sort(mass * (0.3 * self.size) ** 2 * self.random.uniform(0.1, 1.0, 3))
            moments[2] = min(moments[2], moments[0] + moments[1])
            inertia = tuple(self.random.permutation(moments))
        support = self.pick("", "", "", "", "z", "xy", "xyz")
        turning = self.pick("", "", "", "x", "yz", "xyz")
        drive = {}
        if self.chance(0.15):
            axis = self.pick(*(a for a in "xyz" if a not in support), "rotation")
            if axis != "rotation":
                drive[axis] = self.smooth_drive(0.3 * self.size, duration)
            elif not turning:
                drive[axis] = (self.direction(), self.smooth_drive(1.0, duration))
        held = [a in support or a in drive for a in "xyz"]
        locked = [a in turning or "rotation" in drive for a in "xyz"]
        self.free &= not any(held + locked)
        spin = np.where(locked, 0.0, self.direction() * self.power(-1, 1.5) / duration * self.chance(0.6))
        speed = np.where(held, 0.0, self.velocity(duration))
        kwargs = dict(mass=mass, inertia=inertia, velocity=speed, spin=spin, support=support, rotation_support=turning,
                      drive=drive or None)
        for point in points:
            self.points.append(point)
            self.mass.append(mass / 10.0)  # what a force far from the centre feels
            self.body.append(number)
        self.calls.append(("add_rigid", (f"r{index}", points), kwargs))

    def velocity(self, duration):
        return self.direction() * self.size * self.power(-2, 1) / duration * self.chance(0.7)

    # drives

    def smooth_drive(self, amplitude, duration):
        """A drive without jumps that starts from zero."""
        kind = self.pick("sine", "linear", "cubic", "constant")
        if kind == "sine":
            return Drive.sine(amplitude * self.power(-2, 0), self.power(-1, 1) / duration)
        if kind == "constant":
            return Drive.constant(0.0)
        count = int(self.random.integers(4, 8))
        times = np.sort(self.random.uniform(0.0, duration, count)) + np.arange(count) * 1e-3 * duration
        values = amplitude * self.power(-2, 0) * np.concatenate(([0.0], self.random.uniform(-1, 1, count - 1)))
        return Drive.table(times, values, kind=kind)

    def drive(self, amplitude, duration, jumps=True):
        if jumps and self.chance(0.3):
            count = int(self.random.integers(1, 6))
            times = np.sort(self.random.uniform(0.0, duration, count)) + np.arange(count) * 1e-3 * duration
            return Drive.steps(times, amplitude * self.random.uniform(-1, 1, count))
        return self.smooth_drive(amplitude, duration)

    # springs

    def pair_mass(self, *particles):
        inverse = sum(1.0 / self.mass[p] for p in particles)
        return 1.0 / inverse if inverse > 0.0 else 1.0

    def ratio(self):
        """Damping ratio, none to strongly overdamped."""
        return 0.0 if self.chance(0.4) else self.power(-3, 1)

    def load(self, particles, stiffness, viscosity):
        for p in particles:
            self.stiff[p] = self.stiff.get(p, 0.0) + 2.0 * stiffness
            self.damp[p] = self.damp.get(p, 0.0) + 2.0 * viscosity

    def others(self, count):
        """Distinct particles that do not all belong to one rigid; None where there are too few."""
        n = len(self.points)
        if n < count:
            return None
        for _ in range(20):
            chosen = [int(p) for p in self.random.choice(n, count, replace=False)]
            if len({self.body[p] for p in chosen}) > 1:
                return chosen
        return None

    def add_linear(self, name, first, second, decades, duration):
        length = float(np.linalg.norm(self.points[first] - self.points[second]))
        stiffness = self.power(*decades)
        viscosity = 2.0 * self.ratio() * np.sqrt(stiffness * self.pair_mass(first, second))
        kwargs = {}
        law = self.pick(*["plain"] * 6, "plastic", "driven", "cable", "table", "toe", "damper")
        if self.chance(0.5):
            kwargs["rest_length"] = length * self.random.uniform(0.7, 1.3)
        if law in ("plastic", "driven") and self.chance(0.5):
            kwargs["yield_force"] = stiffness * length * self.power(-3, -0.5)
            kwargs["hardening"] = self.pick(0.0, stiffness * self.power(-3, 0))
        if law == "driven":
            kwargs["drive"] = self.drive(0.2 * length, duration, self.jumps)
        elif law == "cable":
            kwargs["tension_only"] = True
        elif law == "table":
            knots = np.cumsum(self.random.uniform(0.05, 0.3, 5)) * length - 0.4 * length
            forces = np.cumsum(self.random.uniform(0.05, 1.0, 5)) * stiffness * length * 0.2
            kwargs["table"] = Table(knots, forces - forces[2], kind=self.pick("linear", "cubic"))
        elif law == "toe":
            kwargs["table"] = Table.toe(stiffness, length * self.power(-3, -0.5))
        slope = kwargs["table"].largest_slope if "table" in kwargs else stiffness
        self.load((first, second), slope, viscosity)
        given = 0.0 if "table" in kwargs else stiffness
        if law == "damper":
            given, viscosity = 0.0, max(viscosity, 1e-3 * np.sqrt(stiffness * self.pair_mass(first, second)))
        self.calls.append(("add_linear", (name, first, second, given), dict(viscosity=viscosity, **kwargs)))

    def arms(self, centre, *ends):
        return [self.points[e] - self.points[centre] for e in ends]

    def add_bend(self, name, kind, chosen, decades, duration):
        """An angular (three particles) or articular spring (four)."""
        stiffness = self.power(*decades) * self.size**2
        viscosity = 2.0 * self.ratio() * np.sqrt(stiffness * self.pair_mass(*chosen)) * self.size
        kwargs = {}
        law = self.pick(*["plain"] * 6, "plastic", "driven")
        if self.chance(0.6):
            kwargs["rest_angle"] = np.pi if self.chance(0.3) else self.random.uniform(0.0, np.pi)
        if law == "plastic":
            kwargs.update(yield_moment=stiffness * self.power(-3, 0), hardening=self.pick(0.0, stiffness * self.power(-3, 0)))
        elif law == "driven":
            kwargs["drive"] = self.drive(0.7, duration, self.jumps)
        if kind == "angular":
            p, q = self.arms(chosen[1], chosen[0], chosen[2])
            if self.chance(0.2):
                kwargs["normal"] = np.cross(p, q) * self.pick(-1.0, 1.0)
            reach = min(np.linalg.norm(p), np.linalg.norm(q))
        else:
            g = self.points[chosen[2]] - self.points[chosen[1]]
            p, q = self.arms(chosen[1], chosen[0], chosen[3])
            reach = min(np.linalg.norm(np.cross(a, g)) for a in (p, q)) / np.linalg.norm(g)
            if reach < 0.05 * self.size:
                return
        self.load(chosen, 4.0 * stiffness / reach**2, 4.0 * viscosity / reach**2)
        self.calls.append((f"add_{kind}", (name, *chosen, stiffness), dict(viscosity=viscosity, **kwargs)))

    # the whole

    def finite_mass(self):
        return [m for m in self.mass if np.isfinite(m)] or [1.0]

    def shortest(self):
        """s: about the largest stable step."""
        rates = [np.sqrt(self.stiff[p] / self.mass[p]) + self.damp[p] / self.mass[p] for p in self.stiff]
        return 2.0 / max([*rates, 1e-3])


def random_scene(seed, dt_min=None, attempts=ATTEMPTS):
    """The scene of a seed, and whether it is free (nothing outside acts on it)."""
    # a first pass finds out how stiff the scene is, the second draws the same scene with a duration that fits
    return _draw(seed, _draw(seed, 1.0, dt_min, attempts)[1], dt_min, attempts)[0]


def _draw(seed, duration, dt_min, attempts):
    random = np.random.default_rng(seed)
    maker = Maker(random, cells=list(random.permutation(CELLS)))
    maker.size = maker.power(-1.5, 1)
    control = maker.pick(*["ledger"] * 8, "energy", "fixed")
    scheme = maker.pick(*["verlet"] * 6, "taylor")
    maker.jumps = control != "energy"  # the report's rule stops at its floor where energy jumps
    middle, spread = random.uniform(-2, 2), maker.pick(0.0, 1.0, 3.0)
    masses = np.clip(middle + random.uniform(-spread, spread, 24), -3.0, 3.0)
    bodies = int(random.integers(2, 4 if maker.chance(0.3) else 14))
    kinds = [maker.chance(0.2) for _ in range(bodies)]
    for number, rigid in enumerate(kinds):
        if rigid:
            maker.add_rigid(number, sum(kinds[:number]), 10.0 ** masses[number], duration)
        else:
            maker.add_particle(number, 10.0 ** masses[number], duration)
    low = random.uniform(-3, 6)
    decades = (low, low) if maker.chance(0.3) else (-3.0, 6.0) if maker.chance(0.3) else (max(low - 1.5, -3), min(low + 1.5, 6))
    add_springs(maker, decades, duration)
    reach = add_loads(maker, duration)
    gravity = (0.0, 0.0, 0.0)
    if maker.chance(0.5):
        gravity = maker.direction() * maker.size * maker.power(-1, 2) / duration**2
        maker.free = False
    step = maker.shortest()
    wanted = step * maker.power(0.7, 2.7)
    stepping = dict(scheme=scheme, control=control, budget=maker.power(-6, -2), attempt_limit=attempts, dt_min=dt_min)
    if control == "fixed":
        stepping["dt"] = step * maker.power(-2, -0.7)
    elif control == "energy":
        # joules: a share of what moves and what gravity and forces may give
        energy = sum(maker.finite_mass()) * (maker.size / duration) ** 2 + reach
        stepping.update(energy_tolerance=energy * maker.power(-4, -1), at_floor="accept",
                        count_force_potential=maker.chance(0.3))
    elif maker.chance(0.1):
        stepping["dt_max"] = step * maker.power(-1.5, 0)
    scene = Scene(f"random {seed}", duration=duration, frames=int(random.integers(1, 12)), gravity=gravity,
                  stepping=Stepping(**stepping))
    handles = {}
    for what, arguments, kwargs in maker.calls:
        arguments = [handles.get(a, a) if isinstance(a, str) and what in ("add_force", "add_torque") else a for a in arguments]
        made = getattr(scene, what)(*arguments, **kwargs)
        if what in ("add_particle", "add_rigid"):
            handles[f"@{arguments[0]}"] = made
    return (scene, maker.free), wanted


def add_springs(maker, decades, duration):
    n = len(maker.points)
    for k in range(int(maker.random.integers(1, 2 * n + 1))):
        if (chosen := maker.others(2)) is not None:
            maker.add_linear(f"linear{k}", *chosen, decades, duration)
    for kind, count in (("angular", 3), ("articular", 4)):
        if maker.chance(0.4):
            for k in range(int(maker.random.integers(1, n + 1))):
                if (chosen := maker.others(count)) is not None:
                    maker.add_bend(f"{kind}{k}", kind, chosen, decades, duration)


def add_loads(maker, duration):
    """Forces and torques; returns the energy [J] that they may give."""
    total = 0.0
    names = [arguments[0] for what, arguments, _ in maker.calls if what in ("add_particle", "add_rigid")]
    for k in range(int(maker.pick(0, 0, 1, 2))):
        name = maker.pick(*names)
        force = maker.direction() * maker.size / duration**2 * maker.power(-1, 2) * maker.pick(*maker.finite_mass())
        drive = maker.drive(1.0, duration, maker.jumps) if maker.chance(0.6) else None
        twist = name.startswith("r") and maker.chance(0.4)
        vector = force * (maker.size if twist else 1.0)
        maker.calls.append(("add_torque" if twist else "add_force", (f"force{k}", f"@{name}", vector), dict(drive=drive)))
        maker.free = False
        total += float(np.linalg.norm(force)) * maker.size
    return total
