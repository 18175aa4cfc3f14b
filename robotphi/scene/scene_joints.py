"""The verbs of a scene that join rigids exactly."""
from robotphi.kernels.mechanism.kinds import JOINTS
from robotphi.scene.checks import refuse, vector, word
from robotphi.scene.joint_efforts import keep_between_stops, relation
from robotphi.scene.joints import exact_efforts, exact_joint, exact_motion, exact_place, joint_ends, joint_frame, joint_place
from robotphi.scene.motors import motor
from robotphi.scene.saying import said
from robotphi.scene.spring_joints import check_way, spring_joint
from robotphi.scene.ties import tie


class SceneJoints:
    """What a scene is told about joints."""

    @said
    def add_joint(self, name, kind, parent, child, at, axis=None, across=None, place=None, rate=None, pitch=None, armature=0.0,
                  stiffness=0.0, rest=None, viscosity=0.0, friction=0.0, limits=None, restitution=0.0, drive=None, torque=None,
                  table=None, length=None, centre=None, points=None, closed=False, assemble=None, way="exact", gap=None,
                  load=None):
        """Join two rigids; returns the handle of the joint.

        Rigids that are joined form a mechanism: they move by the coordinates of their joints alone, without any gap. It hangs
        on the world, on a rigid that is held or driven, or on nothing. Joints may form loops: the build decides which of them
        close the loops, those on whose coordinates nothing acts; they have no coordinates of their own. Joints by springs part
        by a gap; they are read alike.

        Args:
            name: not used before in this scene.
            kind: "revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "ball" or "fixed"; or what only
                closes: "rod" (two points keep their distance), "on_plane", "on_line", "on_circle", "on_curve" (a point of the
                child stays on what is fixed to the parent).
            parent: a rigid, or None for the world.
            child: a rigid.
            at: a point on the axis, or the centre of the joint [m], or a mark as (rigid or object, name); that of a frame has
                axes as well, x and y for `axis` and `across` where these are left out. Of a rod its two ends. Where parent and
                child are drawn apart, two points, one on each; likewise of `axis` and `across`.
            axis: the axis about which it turns and along which it slides; of a planar joint the normal of the plane, of a
                universal one the axis fixed in the parent; of "on_plane" and "on_circle" the normal, of "on_line" the line.
            across: the second axis, of a universal joint the one fixed in the child, of a planar one the first shift.
            place: coordinates of the joint as it is drawn [rad, m]: one number, or one for each freedom; 0 unless told, or
                where its drive starts.
            rate: their rates at the start [rad/s, m/s]; where loops ask for others, those that are not said follow.
            pitch: of a screw, the way along the axis [m] for each radian.
            armature: inertia that goes with the coordinate alone, such as of a geared rotor [kg·m², kg].
            stiffness: of a spring on the coordinate [N·m/rad, N/m], without force at `rest`; that is as drawn unless told.
            viscosity: of a damper on the coordinate [N·m·s/rad, N·s/m].
            friction: dry friction [N·m, N], static and kinetic, or one number for both: at rest it holds up to the static one.
            limits: (lowest, highest) coordinate, where stops are [rad, m]; None or ±inf where there is none.
            restitution: share of its rate with which the joint comes back from a stop.
            drive: prescribes the coordinate [rad, m]: a Drive or function of time without jumps; of several freedoms a list,
                with None for those that are free. Its work is in the ledger under the name of the joint.
            torque: effort along the coordinate as a law of time [N·m, N]: a Drive, number or function; likewise.
            table: a Table of the effort that resists, over the coordinate less `rest`.
            length: of a rod [m]; as drawn unless told. Of "on_circle" the radius.
            centre: of "on_circle" [m].
            points: (n, 3) of "on_curve": a straight line through two, a cubic spline through more [m].
            closed: whether that curve goes on from its last point to its first.
            assemble: distance [m] by which the joint may be open as drawn: it closes itself before the run.
            way: "exact", or "springs" that hold the two together, of all kinds but screw and planar.
            gap: of springs, how far they may part under the load [m]; a smaller one makes stiffer springs, shorter steps.
            load: that springs are made for [N]; unless told the weight of all that is joined beyond it so far, or where nothing
                holds that either, of the heavier side.
        """
        where = self._new_name("joint", name)
        if check_way(where, kind, way, gap, load):
            at, axis, across = joint_place(self, where, at, axis, across)
            frame = joint_frame(where, kind, axis, across)
            told = {"rate": rate, "armature": armature or None, "pitch": pitch, "friction": friction or None, "limits": limits,
                    "drive": drive, "torque": torque, "table": table, "assemble": assemble}
            if given := [what for what, value in told.items() if value is not None]:
                refuse(where, f"a joint by springs with {' and '.join(given)}", 'leave it out, or give way="exact"')
            parent, child = joint_ends(self, where, parent, child)
            made = spring_joint(self, name, kind, parent, child, vector(where, "at", at), frame,
                                0.0 if place is None else place, gap, load, stiffness, rest, viscosity)
            self.spring_joints.append(made)
            self.things[name] = made
            return made
        if self.stepping.scheme == "taylor":
            refuse(where, 'the scheme "taylor" knows no joints', 'use scheme="verlet"')
        word(where, "kind", kind, tuple(JOINTS))
        parent, child = joint_ends(self, where, parent, child)
        placed = exact_place(self, where, kind, at, axis, across, length, centre, points, closed)
        moving = exact_motion(self, where, kind, place, rate, drive, torque)
        acting = exact_efforts(where, kind, moving["place"], armature, stiffness, rest, viscosity, friction, limits,
                               restitution, table)
        keep_between_stops(where, moving["drive"], acting["limits"], self.duration)
        made = exact_joint(where, name, kind, parent, child, pitch, assemble, **placed, **moving, **acting)
        self.joints.append(made)
        self.things[name] = made
        return made

    @said
    def add_tie(self, name, rigid, point, stiffness, viscosity=0.0, reach=None):
        """Hold a point to a rigid where it is, alike in all directions; returns the handle of the springs, name.springs.

        Args:
            name: not used before in this scene.
            rigid: a rigid, an object of one, or None for the world.
            point: a particle, free or of another rigid, or a mark as (rigid or object, name).
            stiffness: in any direction [N/m], for distances well below the reach.
            viscosity: likewise [N·s/m].
            reach: how far from the point the springs take hold [m]; a quarter of what the rigid reaches from there unless told.
        """
        self._new_name("tie", name)
        return tie(self, name, rigid, point, stiffness, viscosity, reach)

    @said
    def add_motor(self, name, joint, target=None, speed=None, torque=None, stiffness=0.0, damping=0.0, integral=0.0, limit=None,
                  integral_limit=None, ratio=1.0, rotor=0.0, fastest=None):
        """Drive a coordinate of an exact joint by an effort; returns the handle of the motor.

            effort = stiffness (target − q) + damping (speed − q̇) + integral ∫ (target − q) dt + torque, within ± limit

        A target makes it a servo (P, PD, PID), a speed alone a speed motor, a torque alone a motor of given torque. All it
        does is its work in the ledger, "work:name"; its damping is no loss, and shortens no step.

        Args:
            name: not used before in this scene.
            joint: an exact joint of one freedom, or (joint, freedom).
            target: coordinate that is asked for [rad, m]: a Drive, number, function of time or command; it may jump.
            speed: rate that is asked for [rad/s, m/s], likewise; that of the target unless told.
            torque: effort beside the others [N·m, N], likewise.
            stiffness: [N·m/rad, N/m].
            damping: [N·m·s/rad, N·s/m].
            integral: [N·m/(rad·s), N/(m·s)]; it stands still while the motor is at its limit and the error pushes it further.
            limit: of the effort [N·m, N], at the joint.
            integral_limit: of what the integral does [N·m, N].
            ratio: turns of the rotor for each of the joint.
            rotor: inertia of the rotor [kg·m²]: the joint feels ratio² times that, along its coordinate.
            fastest: of the target per second: where it changes faster, or jumps, the servo follows a ramp.
        """
        where = self._new_name("motor", name)
        made = motor(self, where, name, joint, (target, speed, torque), (stiffness, damping, integral), (limit, integral_limit),
                     ratio, rotor, fastest)
        self.motors.append(made)
        self.things[name] = made
        return made

    @said
    def relate(self, name, factors, value=None):
        """Relate coordinates of joints, exactly: Σ factor × coordinate = value. Gears, mimics, differentials.

        Args:
            name: not used before in this scene.
            factors: {joint: factor} by names of joints, of those with several freedoms "joint:freedom"; such as
                {"wheel": 1.0, "pinion": 3.0} of a gear, the first of which follows the others where all come from a start.
            value: of the sum [rad, m]; as drawn unless told.
        """
        self.relations.append(relation(self, self._new_name("relation", name), name, factors, value))
