"""The part of a Scene that pushes with acts: pulls towards goals, fields, tendons, pressure."""
import numpy as np

from robotphi.scene.acts import Ends, check_apart, check_once, end_places, ends_of, placed_act
from robotphi.scene.attitudes import attitude_fields
from robotphi.scene.checks import refuse
from robotphi.scene.gates import gate_of, share_of
from robotphi.scene.pressing import all_ends, field_fields, pressure_fields
from robotphi.scene.pulls import led_turn, pull_fields
from robotphi.scene.saying import said


class SceneActs:
    """Virtual forces, tendons and pressure of a `Scene`. Each returns the act, which the ledger tells as "stored:name",
    "lost:name" and "work:name"; all its numbers have addresses, such as ("name", "stiffness")."""

    @said
    def add_act(self, kind, name, **fields):
        """Add what pushes from outside in a way of its own; returns it.

        Its ledger is told as "stored:name", "lost:name" and "work:name", whichever of these it has.

        Args:
            kind: a word of the table of acts, `robotphi/kernels/acts/table.py`.
            name: not used before in this scene.
            fields: what this kind declares. Where it pushes several particles, numbers and vectors may be given for each.
        """
        where = self._new_name("act", name)
        return self._keep_act(placed_act(self, where, name, kind, fields))

    @said
    def add_pull(self, name, target, towards, stiffness=0.0, damping=0.0, integral=0.0, limit=None, integral_limit=None,
                 axes="xyz", frame=None, active=None, when=None, speed=None, whole=None):
        """Add a virtual force that pulls things to a goal, −s (k d + κ ∫ d dt + μ v) of their distance and speed from it.

        Args:
            name: of the act.
            target: a particle, several, a block, a mark as (thing, mark), a region as (object, region), each particle of which
                is pulled by itself; a rigid at its centre; an object at its centre of mass.
            towards: a place [m] of three numbers, Drives or functions of time, or a place for each target; a Path; a rigid, a
                mark as (thing, mark) or a particle, which is pulled towards the target in turn; particles, one for each target.
            stiffness: k [N/m]; damping: μ [N·s/m], against the speed of the goal; integral: κ [N/(m·s)].
            limit: largest force on each target [N]; integral_limit: largest force of the integral [N].
            axes: letters of the axes along which it pulls, of the world or of the frame.
            frame: a rigid, or a frame marked on it as (rigid, mark), whose axes turn with it.
            active: (begin, end) in seconds, end None for good; or the share s as a Drive, number or function of time.
            when: ("since", thing), ("until", thing) or ("while", thing): it pulls since the thing, of those that touch, first
                touched something, until it does, or while it touches; of something else alone by its name as a third. Or
                ("since", sensor, "above", value), "until", "while" and "below" likewise: by a sensor of a coordinate, a rate,
                a speed or a distance, or (sensor, "z") of a position or velocity. It turns between two steps.
            speed: along a Path [m/s], or a Drive of the distance along it [m].
            whole: whether several particles are pulled at their mean instead of each; objects are, unless told.
        """
        where = self._new_name("pull", name)
        laws = {"stiffness": stiffness, "damping": damping, "integral": integral, "limit": limit,
                "integral_limit": integral_limit}
        fields = pull_fields(self, where, target, towards, speed, axes, frame, active, when, whole, laws)
        placed = placed_act(self, where, name, "pull", fields)
        if not any(np.any(placed.fields[what]) for what in ("stiffness", "damping", "integral")):
            refuse(where, "stiffness, damping and integral are all zero", "give one of them")
        return self._keep_act(placed)

    @said
    def add_attitude(self, name, target, towards=None, stiffness=0.0, damping=0.0, limit=None, axis=None, active=None,
                     when=None):
        """Add a couple that turns a rigid towards an attitude, −s (k θ n + μ ω): n and θ axis and angle of the turn that is
        left, ω the spin as the goal sees it. Beyond 150° it fades, to nothing at half a turn, where no way is the nearer one.

        Args:
            name: of the act.
            target: a rigid, an object with one rigid part, or a frame marked on a rigid as (thing, mark).
            towards: a quaternion (w, x, y, z) or rotation matrix, from the axes of the world or, of a frame, its axes in the
                world; a Motion, whose turn it follows; another rigid or frame, which is turned in turn; None for the attitude
                in which it is drawn. A rigid has the axes of the world when it is drawn.
            stiffness: k [N·m] for each radian; damping: μ [N·m·s], against the spin of the goal.
            limit: largest couple [N·m].
            axis: direction in the target's frame that alone is to point along the same direction of the goal; about it the
                target is free.
            active, when: as in `add_pull`.
        """
        where = self._new_name("attitude", name)
        fields = attitude_fields(self, where, target, towards, axis, active, when,
                                 {"stiffness": stiffness, "damping": damping, "limit": limit})
        placed = placed_act(self, where, name, "attitude", fields)
        if not (np.any(placed.fields["stiffness"]) or np.any(placed.fields["damping"])):
            refuse(where, "stiffness and damping are both zero", "give one of them")
        return self._keep_act(placed)

    @said
    def add_tendon(self, name, through, stiffness=0.0, viscosity=0.0, rest_length=None, drive=None, tension=None):
        """Add one cable over several points, with one tension T = k max(L − L₀, 0) + tension + μ L̇ that never pushes.

        Args:
            name: of the act.
            through: two points or more in their order, the ends and the pulleys or eyes between them, without friction:
                particles, marks as (thing, mark), rigids at their centre. A point may come twice.
            stiffness: k [N/m].
            viscosity: μ [N·s/m].
            rest_length: L₀ [m]; the length as drawn unless told.
            drive: Drive, number or function of time [m], added to the rest length: negative where it winds the cable up.
            tension: Drive, number or function of time [N], on top of what the stiffness makes.
        """
        where = self._new_name("tendon", name)
        ends = ends_of(self, where, "through", through)
        if len(ends) < 2:
            refuse(where, f"it goes through {len(ends)} point", "give two or more")
        again = np.flatnonzero(np.diff(ends) == 0)
        if len(again):
            refuse(where, f"points {again[0]} and {again[0] + 1} of its way are the same", "leave one of them out")
        if len(set(ends.tolist())) == 2:
            check_apart(self, where, "its other end", ends[:1], ends[1:2])
        places = end_places(self, ends)
        if rest_length is None:
            rest_length = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
        placed = placed_act(self, where, name, "tendon", {
            "through": Ends(ends), "stiffness": stiffness, "viscosity": viscosity, "rest_length": rest_length, "drive": drive,
            "tension": tension})
        if placed.fields["stiffness"] == 0.0 and tension is None:
            refuse(where, "neither stiffness nor tension is given, so that it would never pull", "give one of them")
        if drive is not None and placed.fields["stiffness"] == 0.0:
            refuse(where, "a driven rest length without stiffness", "give a stiffness")
        return self._keep_act(placed)

    @said
    def add_pressure(self, name, thing, pressure=None, gas=None, amount=None, temperature=293.15, inside=None,
                     outside=101325.0, filling=1.0, exponent=None, facets=None):
        """Add pressure inside a closed surface: one that is asked for, a gas of given amount, or both.

        Args:
            name: of the act.
            thing: an object, whose facets close a volume.
            pressure: above that outside, a Drive, number or function of time [Pa].
            gas: "isothermal" (p V = n R T) or "adiabatic" (p Vᵞ stays).
            amount: of the gas [mol], at a temperature [K]; or inside: its absolute pressure at the start [Pa], that outside
                unless told.
            outside: absolute pressure [Pa], of gas alone.
            filling: share of the amount that is there, a Drive, number or function of time, where a pump changes it.
            exponent: γ, 1.4 of air that is adiabatic.
            facets: region of facets, or several, that close the chamber; all facets unless told.
        """
        where = self._new_name("pressure", name)
        return self._keep_act(placed_act(self, where, name, "pressure", pressure_fields(
            self, where, thing, pressure, gas, amount, temperature, inside, outside, filling, exponent, facets)))

    @said
    def add_field(self, name, target, law, amount, centre=None, around=None, axis=None, power=None, width=None, radius=None,
                  soft=None, low=None, high=None, edge=None, per_mass=False, active=None, when=None):
        """Add a virtual force by place on each of several things.

        Args:
            name: of the act.
            target: a particle, several, a block, a mark, a rigid, a region as (object, region), or an object: its particles and
                the centres of its rigid parts.
            law: "uniform": amount [N] along axis.
                "power": amount × rⁿ [N] towards the centre, n = power; away from it where the amount is negative.
                "well": of depth amount [J] and width [m], negative for a hill.
                "ball", "plane": amount × (1/d − 1/width)/d² [N] away from what is nearer than width [m]: a ball of a radius
                    around the centre, or all below the plane through the centre, whose normal is the axis.
                "vortex": amount [N/m] × r around the axis through the centre, fading over the width.
            amount: one, or one for each target.
            centre: [m]; around: a rigid, mark or particle instead, which is pushed in turn.
            axis: direction; it is made a unit vector.
            power, width, radius: see the laws; soft: ε of a power law, by which r is √(r² + ε²).
            low, high: corners of a box [m] that the field is limited to; edge: how far in from its sides it fades.
            per_mass: whether the amount is for each kilogram.
            active: (begin, end) in seconds, end None for good; or its share as a Drive, number or function of time.
            when: as in `add_pull`.
        """
        where = self._new_name("field", name)
        if law in ("radial", "attraction", "repulsion", "gravity"):
            refuse(where, f"law is {law!r}",
                   'give "power": amount × rⁿ towards the centre, n = power, or away from it where the amount is negative')
        active = None if active is None else share_of(self, where, active)
        return self._keep_act(placed_act(self, where, name, "field", field_fields(
            self, where, target, law, amount, around, active, per_mass, {
                "centre": centre, "axis": axis, "power": power, "width": width, "radius": radius, "soft": soft, "low": low,
                "high": high, "edge": edge}) | gate_of(self, where, when)))

    @said
    def add_duplicate(self, name, target, stiffness, damping=0.0, x=None, y=None, z=None, rotation=None, about=None,
                      limit=None, active=None):
        """Tie things to a virtual duplicate of them that is led by a motion; returns the act.

        The duplicate stands where the things stand now, and moves as one body: each of them is tied to its own place on it by
        a spring of length zero, alike in all directions, and damped against the speed of that place.

        Args:
            name: of the act.
            target: particles, a block, a region as (object, region), or an object, each particle of it.
            stiffness: of each tie [N/m]; damping: [N·s/m].
            x, y, z: shift of the duplicate, Drives, numbers or functions of time [m].
            rotation: (axis, Drive, number or function of time [rad]), before the shift.
            about: place that it turns about [m]; the mean of the things unless told.
            limit: largest force of each tie [N].
            active: as in `add_pull`.
        """
        where = self._new_name("duplicate", name)
        ends = check_once(self, where, all_ends(self, where, target))
        places = end_places(self, ends)
        fields = {"target": Ends(ends), "anchor": places, "stiffness": stiffness, "damping": damping, "goal_x": x, "goal_y": y,
                  "goal_z": z, "limit": limit, **led_turn(where, rotation, places.mean(axis=0) if about is None else about)}
        if active is not None:
            fields["share"] = share_of(self, where, active)
        given = {what: value for what, value in fields.items() if value is not None}
        return self._keep_act(placed_act(self, where, name, "pull", given))

    def _keep_act(self, placed):
        self.acts.append(placed)
        self.things[placed.name] = placed
        return placed
