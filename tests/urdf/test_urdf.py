"""URDF: what is read, what is kept, how joints hold, and what bad files are answered."""
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from robotphi import Scene, simulate
from robotphi.discretise.cells.quality import corner_volumes
from robotphi.discretise.shape import discretise
from robotphi.errors import MeshError, SceneError
from robotphi.geometry.files import write_mesh
from robotphi.geometry.mass_properties import solid_properties
from robotphi.geometry.polyhedron import Polyhedron
from robotphi.geometry.shapes import box
from robotphi.record.balance import check_balance
from robotphi.scene.springs import dihedrals
from robotphi.urdf import load_urdf
from tests.urdf.urdf_files import ARM, joint, link, load

pytest.importorskip("yourdfpy")

NAMES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def refused(folder, *parts, **options):
    with pytest.raises(MeshError) as caught:
        load(folder, *parts, **options)
    assert str(caught.value).startswith(str(folder / "robot.urdf"))
    return str(caught.value)


# What is kept

def turn(rpy):
    """Rotation by roll, pitch and yaw about fixed axes, as URDF has it."""
    r, p, y = rpy
    x = np.array([[1, 0, 0], [0, np.cos(r), -np.sin(r)], [0, np.sin(r), np.cos(r)]])
    z = np.array([[np.cos(y), -np.sin(y), 0], [np.sin(y), np.cos(y), 0], [0, 0, 1]])
    return z @ np.array([[np.cos(p), 0, np.sin(p)], [0, 1, 0], [-np.sin(p), 0, np.cos(p)]]) @ x


def frame(element):
    result = np.eye(4)
    if element is not None:
        result[:3, :3] = turn([float(x) for x in element.get("rpy", "0 0 0").split()])
        result[:3, 3] = [float(x) for x in element.get("xyz", "0 0 0").split()]
    return result


def sums_of_the_xml(path):
    """Mass, centre and inertia about it straight from the file, by second moments: Σ m r rᵀ + ½ tr(I) 1 − I."""
    root = ElementTree.parse(path).getroot()
    joints = {one.find("child").get("link"): one for one in root.iter("joint")}

    def pose(name):
        if name not in joints:
            return np.eye(4)
        return pose(joints[name].find("parent").get("link")) @ frame(joints[name].find("origin"))

    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for one in root.iter("link"):
        inertial = one.find("inertial")
        if inertial is None:
            continue
        m, at = float(inertial.find("mass").get("value")), pose(one.get("name")) @ frame(inertial.find("origin"))
        ixx, ixy, ixz, iyy, iyz, izz = (float(inertial.find("inertia").get(name)) for name in NAMES)
        inertia = at[:3, :3] @ np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]) @ at[:3, :3].T
        mass, first = mass + m, first + m * at[:3, 3]
        second += m * np.outer(at[:3, 3], at[:3, 3]) + 0.5 * np.trace(inertia) * np.eye(3) - inertia
    centre = first / mass
    second -= mass * np.outer(centre, centre)
    return mass, centre, np.trace(second) * np.eye(3) - second


def test_a_real_arm_keeps_mass_centre_and_inertia():
    mass, centre, inertia = sums_of_the_xml(ARM)
    robot = load_urdf(ARM)
    scene = Scene("arm")
    rigids = robot.add_to(scene, "arm").rigids.values()
    total = sum(one.mass for one in rigids)
    middle = sum(one.mass * one.centre for one in rigids) / total
    about = sum(one.inertia + one.mass * (np.sum((one.centre - middle) ** 2) * np.eye(3) -
                                          np.outer(one.centre - middle, one.centre - middle)) for one in rigids)
    assert mass == pytest.approx(21.7)  # 4.0 of the base and the six published ones
    for found in ((total, middle, about), robot.inertial()):
        # Only the rounding of a few dozen products stands between the two ways.
        np.testing.assert_allclose(found[0], mass, rtol=1e-14)
        np.testing.assert_allclose(found[1], centre, rtol=0, atol=1e-14)
        np.testing.assert_allclose(found[2], inertia, rtol=0, atol=1e-13)


def test_a_real_arm_has_the_published_reach_and_shapes():
    robot = load_urdf(ARM)
    assert len(robot.links) == 8
    assert [one.type for one in robot.joints.values()].count("revolute") == 6
    # Denavit–Hartenberg: x = −(0.425 + 0.3922), y = −(0.1333 + 0.0996), z = 0.1625 − 0.0997 with all joints at 0.
    np.testing.assert_allclose(robot.links["tool_frame"].pose[:3, 3], [-0.8172, -0.2329, 0.0628], atol=1e-12)
    assert robot.bodies["wrist_3_link"] == ("wrist_3_link", "tool_frame")
    flange = robot.links["wrist_3_link"].collisions[0].shape
    assert len(flange.cells["triangle"]) == 44
    assert all(isinstance(one.shape, Polyhedron) for name in robot.links if name != "wrist_3_link"
               for one in robot.links[name].collisions)


def test_a_pose_of_the_arm_is_where_its_joints_put_it():
    robot = load_urdf(ARM)
    at = robot.poses({"shoulder_pan": np.pi / 2, "elbow": -np.pi / 2})["wrist_1_link"]
    # The upper arm lies along −x at 0; turned by 90° about z it lies along −y. The elbow, about x then, lifts what follows.
    np.testing.assert_allclose(at[:3, 3], [0.1333, -0.425, 0.1625 + 0.3922], atol=1e-12)


def test_fixed_joints_make_one_body_of_exact_inertia(tmp_path):
    robot = load(tmp_path, link("a", 1.0, "1 0 0"), link("b", 3.0, "0 0 0"), link("empty", 0), link("c"),
                 joint("ab", "fixed", "a", "b", xyz="-1 0 0", rpy="0 0 1"), joint("be", "fixed", "b", "empty"),
                 joint("ec", "revolute", "empty", "c"))
    assert robot.bodies == {"a": ("a", "b", "empty"), "c": ("c",)}
    mass, centre, inertia = robot.inertial(robot.bodies["a"])
    assert mass == 4.0
    np.testing.assert_allclose(centre, [-0.5, 0, 0], atol=1e-15)
    # 1 kg at 1.5 m and 3 kg at 0.5 m from the centre, both on the x axis: 2.25 + 0.75 = 3 kg·m² across it.
    np.testing.assert_allclose(inertia, np.diag([0.02, 3.02, 3.02]), atol=1e-15)


# How joints hold

def gap_and_tilt(recording, joint):
    """Largest distance [m] of the middles of the two halves of a revolute joint, and angle [rad] between their axes."""
    outer, inner = recording.position[:, joint.outer], recording.position[:, joint.inner]
    gap = np.linalg.norm(outer.mean(axis=1) - inner.mean(axis=1), axis=1)
    own = inner[:, 1] - inner[:, 0]
    other = np.cross(outer[:, 1] - outer[:, 0], outer[:, 2] - outer[:, 0])
    sine = np.linalg.norm(np.cross(own, other), axis=1) / np.linalg.norm(own, axis=1) / np.linalg.norm(other, axis=1)
    return gap.max(), np.arcsin(sine.max())


def test_the_arm_falls_and_its_joints_hold():
    scene = Scene("fall", duration=0.2, frames=20)
    handle = load_urdf(ARM).add_to(scene, "arm", positions={"shoulder_lift": -0.5, "elbow": 0.8}, way="springs")
    recording = simulate(scene)
    for one in handle.joints.values():
        gap, tilt = gap_and_tilt(recording, one)
        # At rest, what a joint is made for bends it by 1e-4 rad and moves it by reach × 1e-4 / 32 (3 µm at a metre).
        # The sudden start doubles that at most, and a fall loads it less than its weight.
        assert gap < 6e-6
        assert tilt < 2e-4
    tool = recording.position[:, handle.links["tool_frame"], 2]
    assert tool[-1] < tool[0] - 0.15
    assert check_balance(recording)["kept"]


def pendulum(folder, damping, kind="continuous"):
    return load(folder, link("base"), link("bob", 2.0, "0.5 0 0", 0.03),
                joint("hinge", kind, "base", "bob", f'<axis xyz="0 1 0"/><dynamics damping="{damping}"/>'))


@pytest.mark.parametrize("damping", [0.0, 0.4])
def test_a_passive_revolute_joint_is_a_physical_pendulum(tmp_path, damping):
    scene = Scene("pendulum", duration=0.6, frames=6)
    handle = pendulum(tmp_path, damping).add_to(scene, "p", way="springs").joints["hinge"]
    assert (handle.axis is None) == (damping == 0.0)
    recording = simulate(scene)
    # (I + m l²) q̈ = m g l cos q − c q̇ about the horizontal axis y: positive turns x down.
    inertia, moment = 0.03 + 2.0 * 0.25, 2.0 * 9.81 * 0.5
    answer = solve_ivp(lambda t, y: (y[1], (moment * np.cos(y[0]) - damping * y[1]) / inertia), (0, 0.6), (0.0, 0.0),
                       t_eval=recording.time, rtol=1e-10, atol=1e-12).y[0]
    names = ("first", "centre", "end", "second")
    found = [dihedrals(at, **{name: np.array([one]) for name, one in zip(names, handle.particles, strict=True)})[0][0]
             for at in recording.position]
    assert abs(answer[-1]) > 1.5
    # The bend of the joint, 1e-4 rad under its weight, and steps that keep 1e-3 of the energy.
    np.testing.assert_allclose(np.unwrap(found), answer, atol=2e-3)


def test_springs_of_a_revolute_joint_keep_their_lengths_at_any_angle(tmp_path):
    robot = pendulum(tmp_path, 0.1)
    lengths, angles = [], np.linspace(-3.0, 3.0, 7)
    for angle in angles:
        scene = Scene("turned")
        handle = robot.add_to(scene, "p", positions={"hinge": angle}, way="springs").joints["hinge"]
        holding, axis = scene.springs["linear"][0], scene.springs["articular"][0]
        lengths.append(holding.rest_length)
        assert axis.rest_angle[0] == pytest.approx(angle, abs=1e-12)
        assert handle.position == angle
    assert len(lengths[0]) == 6
    np.testing.assert_allclose(lengths, np.broadcast_to(lengths[0], np.shape(lengths)), rtol=1e-13)


def directions_held(handle, scene, body):
    """Rank of the rates of all holding springs over the six motions of a rigid body."""
    particles = body.particles.tolist()

    def rates(motion):
        moved = scene.position.copy()
        turned = np.cross(motion[3:], moved[particles] - body.centre)
        moved[particles] += 1e-6 * (motion[:3] + turned)
        if handle.holding.kind == "linear":
            block = scene.springs["linear"][0]
            return np.linalg.norm(moved[block.first] - moved[block.second], axis=1) - block.rest_length
        block = scene.springs["angular"][0]
        p, q = moved[block.first] - moved[block.centre], moved[block.second] - moved[block.centre]
        return (np.cross(p, q) / np.linalg.norm(p, axis=1)[:, None] / np.linalg.norm(q, axis=1)[:, None]).ravel()

    return np.linalg.matrix_rank(np.array([rates(motion) for motion in np.eye(6)]) / 1e-6, tol=1e-3)


@pytest.mark.parametrize("kind", ["continuous", "prismatic"])
def test_a_joint_holds_five_directions_and_leaves_one(tmp_path, kind):
    scene = Scene("held")
    handle = pendulum(tmp_path, 0.0, kind).add_to(scene, "p", way="springs")
    assert directions_held(handle.joints["hinge"], scene, handle.rigids["bob"]) == 5


@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_a_prismatic_joint_slides_down_its_slope(tmp_path, damping):
    robot = load(tmp_path, link("base"), link("bob", 2.0, "0.1 0.3 0", 0.03),
                 joint("slide", "prismatic", "base", "bob", f'<axis xyz="1 0 -1"/><dynamics damping="{damping}"/>'))
    scene = Scene("slide", duration=0.3, frames=6)
    handle = robot.add_to(scene, "s", positions={"slide": -0.5}, way="springs").joints["slide"]
    recording = simulate(scene)
    first, second = handle.particles
    found = np.linalg.norm(recording.position[:, first] - recording.position[:, second], axis=1) - handle.length_at_zero
    # m v̇ = m g sin 45° − c v.
    rate, pull, t = damping / 2.0, 9.81 / np.sqrt(2.0), recording.time
    answer = -0.5 + (pull * t ** 2 / 2 if rate == 0.0 else pull / rate * (t - (1 - np.exp(-rate * t)) / rate))
    assert answer[-1] > -0.3
    np.testing.assert_allclose(found, answer, atol=2e-4)
    # It stays on its rail: what hangs on it bends it by 1e-4 rad over a reach of half a metre.
    rail = np.diff(recording.position[:, handle.outer[:2]], axis=1)[:, 0]
    off = np.cross(recording.position[:, handle.inner[0]] - recording.position[:, handle.outer[0]], rail)
    assert (np.linalg.norm(off, axis=1) / np.linalg.norm(rail, axis=1)).max() < 1e-4


def test_a_floating_base_falls_freely_with_its_arm(tmp_path):
    scene = Scene("free", duration=0.1, frames=2)
    handle = pendulum(tmp_path, 0.0).add_to(scene, "p", fixed_base=False, pose=np.diag([-1.0, -1.0, 1.0, 1.0]), way="springs")
    recording = simulate(scene)
    assert handle.rigid("bob").centre[0] == -0.5
    fallen = recording.position[-1] - recording.position[0]
    # The frames of both links fall as one: nothing but gravity acts. Second order, steps far below 1 ms.
    np.testing.assert_allclose(fallen[:, 2], -9.81 * 0.1 ** 2 / 2, atol=1e-9)
    np.testing.assert_allclose(fallen[:, :2], 0.0, atol=1e-12)


def test_a_floating_joint_has_no_springs_and_a_mimic_starts_where_it_should(tmp_path):
    robot = load(tmp_path, link("a"), link("b"), link("c"), link("d"), joint("ab", "floating", "a", "b"),
                 joint("bc", "revolute", "b", "c"),
                 joint("cd", "revolute", "c", "d", '<mimic joint="bc" multiplier="-2" offset="0.1"/>', xyz="1 0 0"))
    scene = Scene("loose")
    handle = robot.add_to(scene, "r", positions={"bc": 0.2}, way="springs")
    assert set(handle.joints) == {"bc", "cd"}
    assert handle.joints["cd"].position == pytest.approx(-0.3)


def test_axis_stiffness_holds_the_joint_where_it_is(tmp_path):
    scene = Scene("held", duration=0.5, frames=5)
    handle = pendulum(tmp_path, 2.0).add_to(scene, "p", axis_stiffness={"hinge": 1000.0}, way="springs")
    recording = simulate(scene)
    # Its weight of 9.81 N·m turns it by 0.0098 rad, at most twice that on the way.
    assert np.abs(recording.position[:, handle.rigids["bob"].particles[0], 2]).max() < 0.0098 * 2.1 * 0.5


# What is refused

def test_bodies_without_mass_are_refused_unless_held(tmp_path):
    robot = load(tmp_path, link("world", 0), link("a"), link("ghost", 0), joint("wa", "revolute", "world", "a"),
                 joint("ag", "revolute", "a", "ghost"))
    with pytest.raises(SceneError, match=r"its body ghost has no mass; give one of these links an inertial"):
        robot.add_to(Scene("s"), "r")
    robot = load(tmp_path, link("world", 0), link("a"), link("thin", i=0), joint("wa", "revolute", "world", "a"),
                 joint("at", "revolute", "a", "thin"))
    with pytest.raises(SceneError, match="body thin: inertia is not positive definite"):
        robot.add_to(Scene("s"), "r", way="springs")
    robot = load(tmp_path, link("world", 0), link("a"), joint("wa", "revolute", "world", "a"))
    robot.add_to(Scene("s"), "r")
    with pytest.raises(SceneError, match="body world has no mass"):
        robot.add_to(Scene("s"), "r", fixed_base=False)


def test_positions_and_stiffnesses_are_checked(tmp_path):
    robot = pendulum(tmp_path, 0.0, "revolute")
    for options, message in (({"positions": {"hinge": 2.0}}, "give -1 to 1"),
                             ({"positions": {"hing": 0.0}}, "did you mean 'hinge'"),
                             ({"joint_stiffness": -1.0, "way": "springs"}, "joint_stiffness of joint 'hinge' is -1"),
                             ({"axis_stiffness": {"x": 1.0}}, "unknown moving joint"),
                             ({"pose": np.zeros((4, 4))}, "pose is")):
        with pytest.raises(SceneError, match=message):
            robot.add_to(Scene("s"), "r", **options)


@pytest.mark.parametrize(("parts", "message"), [
    ((), "0 links have no parent"),
    ((link("a"), link("b")), "2 links have no parent: a, b"),
    ((link("a"), link("a")), "two links 'a'"),
    ((link("a"), link("b"), link("c"), joint("x", "fixed", "b", "c"), joint("y", "fixed", "c", "b")), "hangs on itself"),
    ((link("a"), link("b"), joint("x", "fixed", "a", "b"), joint("y", "fixed", "a", "b")), "the child of two joints"),
    ((link("a"), joint("x", "fixed", "a", "z")), "names link 'z'"),
    ((link("a"), link("b"), joint("x", "helical", "a", "b")), "of type 'helical'"),
    ((link("a"), link("b"), joint("x", "continuous", "a", "b", '<axis xyz="0 0 0"/>')), "the axis"),
    ((link("a"), link("b"), joint("x", "continuous", "a", "b", '<axis xyz="0 nan 1"/>')), "finite"),
    ((link("a"), link("b"), joint("x", "continuous", "a", "b", '<axis xyz="0 1"/>')), "the axis"),
    ((link("a"), link("b"), joint("x", "revolute", "a", "b", '<limit lower="2" upper="1" effort="1" velocity="1"/>')),
     "2 to 1"),
    ((link("a"), link("b"), joint("x", "revolute", "a", "b", '<dynamics damping="lots"/>')), "'lots'"),
    ((link("a"), link("b"), joint("x", "revolute", "a", "b", '<dynamics damping="-1"/>')), "damping is -1"),
    ((link("a"), link("b"), joint("x", "revolute", "a", "b", '<mimic joint="x"/>')), "follows itself"),
    ((link("a", mass=-1.0),), "mass is -1"),
    (('<link name="a"><inertial><mass value="1"/></inertial></link>',), "has no ixx, ixy"),
    (("<link/>",), "yourdfpy cannot read it"),
    (('<link name="a"><collision><geometry/></collision></link>',), "yourdfpy cannot read it"),
    (('<link name="a"><collision><geometry><box size="0 1 1"/></geometry></collision></link>',), "size"),
    (("<link",), "not well-formed"),
])
def test_what_makes_no_robot_is_refused(tmp_path, parts, message):
    assert re.search(re.escape(message), refused(tmp_path, *parts))


def test_bad_files_are_refused(tmp_path):
    path = tmp_path / "robot.urdf"
    entities = [f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefghi", "bcdefghij", strict=True)]
    bomb = f'<!DOCTYPE x [<!ENTITY a "ha">{"".join(entities)}]>'
    for data, message in ((b"", "it is empty"), (b"\xff\xfe<\0r\0", "not text in UTF-8"),
                          ((bomb + '<robot name="&j;"/>').encode(), "DOCTYPE"), (b"<html/>", "outermost element is <html>"),
                          (b'<?xml version="1.0" encoding="utf-7"?>+ADw-robot/+AD4-', "not well-formed"),
                          (b"<a>" * 100000, "not well-formed"), (b"solid\n", "not well-formed")):
        path.write_bytes(data)
        with pytest.raises(MeshError, match=message):
            load_urdf(path)
    with pytest.raises(MeshError, match="No such file"):
        load_urdf(tmp_path / "other.urdf")
    with pytest.raises(MeshError, match="cannot be read"):
        load_urdf(tmp_path)


def meshed(name, scale=""):
    return link("a", more=f'<collision><geometry><mesh filename="{name}"{scale}/></geometry></collision>')


def test_meshes_stay_inside_the_folders_and_nothing_is_fetched(tmp_path):
    inside, flange = tmp_path / "robot", ARM.parent / "meshes" / "flange.stl"
    (inside / "urdf").mkdir(parents=True)
    (inside / "meshes").mkdir()
    for place in (tmp_path / "secret.stl", inside / "meshes" / "flange.stl"):
        place.write_bytes(flange.read_bytes())
    (inside / "urdf" / "link.stl").symlink_to(tmp_path / "secret.stl")
    folder = inside / "urdf"
    for name in ("../../secret.stl", str(tmp_path / "secret.stl"), f"file://{tmp_path}/secret.stl", "link.stl",
                 "package://../../secret.stl", "package://robot/../../secret.stl"):
        assert "outside of" in refused(folder, meshed(name)), name
    for name in ("https://example.org/flange.stl", "ftp://x/y.stl"):
        assert "nothing is fetched" in refused(folder, meshed(name))
    for name in ("flange.stl", "", "a" * 5000):
        assert "is not in" in refused(folder, meshed(name))
    for name in ("package://robot/meshes/flange.stl", "package://other/meshes/flange.stl", "../meshes/flange.stl",
                 "meshes/flange.stl", f"file://{inside}/meshes/flange.stl"):
        robot = load(folder, meshed(name), mesh_folder=inside)
        assert len(robot.links["a"].collisions[0].shape.triangles) == 44, name


def test_a_scaled_mesh_stays_outward(tmp_path):
    (tmp_path / "flange.stl").write_bytes((ARM.parent / "meshes" / "flange.stl").read_bytes())
    volumes = [solid_properties(shape.points, shape.triangles).volume for scale in ("", ' scale="2 2 2"', ' scale="-1 1 1"')
               for shape in [load(tmp_path, meshed("flange.stl", scale)).links["a"].collisions[0].shape]]
    np.testing.assert_allclose(volumes, [volumes[0], 8.0 * volumes[0], volumes[0]], rtol=1e-12)
    assert "scale" in refused(tmp_path, meshed("flange.stl", ' scale="0 1 1"'))
    (tmp_path / "flange.stl").write_bytes(b"solid x\nfacet")
    assert "cut short" in refused(tmp_path, meshed("flange.stl"))


def test_a_scaled_mesh_keeps_its_cells_and_regions(tmp_path):
    solid = discretise(box(1.0), counts=2)
    write_mesh(tmp_path / "solid.vtu", solid)
    for scale, sign in (("2 2 2", 1.0), ("-2 1 4", -1.0)):
        mesh = load(tmp_path, meshed("solid.vtu", f' scale="{scale}"')).links["a"].collisions[0].shape
        assert len(mesh.cells["hexahedron"]) == 8
        assert min(each.min() for each in corner_volumes(mesh).values()) > 0.0
        assert set(mesh.points[mesh.regions["right"], 0]) == {sign}
        assert sorted(mesh.regions) == sorted(solid.regions)


@pytest.mark.parametrize("said", ['multiplier="nan"', 'offset="inf"'])
def test_a_mimic_with_numbers_that_are_not_finite_is_refused(tmp_path, said):
    text = (link("a"), link("b"), link("c"), joint("x", "revolute", "a", "b"),
            joint("y", "revolute", "b", "c", f'<mimic joint="x" {said}/>'))
    assert "give a finite number" in refused(tmp_path, *text)


def test_what_is_no_path_and_what_are_no_positions_is_refused(tmp_path):
    with pytest.raises(MeshError, match="give the path"):
        load_urdf(None)
    with pytest.raises(SceneError, match="give a dict of joints"):
        load(tmp_path, link("a")).poses([0.0] * 6)


def test_a_missing_library_is_named_with_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "yourdfpy", None)
    assert "pip install robotphi[urdf]" in refused(tmp_path, link("a"))


def test_joints_of_a_free_robot_bear_what_may_stand_on_them(tmp_path):
    """A wheel of 2 kg under a body of 50 kg: hung up it bends its joint by its own weight, on the ground by the body's."""
    robot = load(tmp_path, link("body", 50.0), link("wheel", 2.0),
                 joint("axle", "continuous", "body", "wheel", '<axis xyz="0 1 0"/>'))
    stiffness = {}
    for fixed in (True, False):
        scene = Scene("rover")
        robot.add_to(scene, "r", fixed_base=fixed, way="springs")
        stiffness[fixed] = scene.springs["linear"][0].stiffness
    np.testing.assert_allclose(stiffness[False] / stiffness[True], 50.0 / 2.0, rtol=1e-12)
