"""The verbs of a scene that join rigids exactly."""
from robotphi.scene.checks import refuse
from robotphi.scene.joints import exact_joint, joint_ends, joint_frame, joint_place
from robotphi.scene.saying import said
from robotphi.scene.spring_joints import check_way, spring_joint


class SceneJoints:
    """What a scene is told about joints."""

    @said
    def add_joint(self, name, kind, parent, child, at, axis=None, across=None, place=0.0, rate=0.0, pitch=None, armature=0.0,
                  stiffness=0.0, rest=None, viscosity=0.0, way="exact", gap=None, load=None):
        """Join two rigids; returns the handle of the joint.

        Rigids that are joined form a mechanism: they move by the coordinates of their joints alone, without any gap. It hangs
        on the world, on a rigid that is held or driven, or on nothing. Joints by springs part by a gap; they are read alike.

        Args:
            name: not used before in this scene.
            kind: "revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "ball" or "fixed".
            parent: a rigid, or None for the world.
            child: a rigid.
            at: a point on the axis, or the centre of the joint [m]; or a mark as (rigid or object, name). That of a frame has
                axes as well, x and y for `axis` and `across` where these are left out.
            axis: the axis about which it turns and along which it slides; of a planar joint the normal of the plane, of a
                universal one the axis fixed in the parent.
            across: the second axis, of a universal joint the one fixed in the child, of a planar one the first shift.
            place: coordinates of the joint as it is drawn [rad, m]: one number, or one for each freedom.
            rate: their rates at the start [rad/s, m/s].
            pitch: of a screw, the way along the axis [m] for each radian.
            armature: inertia that goes with the coordinate alone, such as of a geared rotor [kg·m², kg].
            stiffness: of a spring on the coordinate [N·m/rad, N/m], without force at `rest`; that is as drawn unless told.
            viscosity: of a damper on the coordinate [N·m·s/rad, N·s/m].
            way: "exact", or "springs" that hold the two together, of all kinds but screw and planar.
            gap: of springs, how far they may part under the load [m]; a smaller one makes stiffer springs, shorter steps.
            load: that springs are made for [N]; unless told the weight of all that is joined beyond it so far, or where nothing
                holds that either, of the heavier side.
        """
        where = self._new_name("joint", name)
        if check_way(where, kind, way, gap, load):
            at, axis, across = joint_place(self, where, at, axis, across)
            frame = joint_frame(where, kind, axis, across)
            if rate != 0.0 or armature != 0.0 or pitch is not None:
                refuse(where, "a rate, an armature or a pitch of a joint by springs",
                       'give the rigids velocities, or way="exact"')
            parent, child = joint_ends(self, where, parent, child)
            made = spring_joint(self, name, kind, parent, child, at, frame, place, gap, load, stiffness,
                                rest, viscosity)
            self.spring_joints.append(made)
            self.things[name] = made
            return made
        if self.stepping.scheme == "taylor":
            refuse(where, 'the scheme "taylor" knows no joints', 'use scheme="verlet"')
        made = exact_joint(self, where, name, kind, parent, child, at, axis, across, place, rate, pitch, armature, stiffness,
                           rest, viscosity)
        self.joints.append(made)
        self.things[name] = made
        return made
