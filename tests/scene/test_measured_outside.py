"""C3D files and ROS bags, written by the libraries that also read them; damaged ones are told."""
import numpy as np
import pytest

from robotphi import SceneError
from robotphi.scene.measured import outside, read_measured
from tests.scene.test_measured import mutated


@pytest.fixture
def markers(tmp_path):
    ezc3d = pytest.importorskip("ezc3d")
    points = np.random.default_rng(0).normal(size=(3, 2, 5))
    points[:, 1, 2] = np.nan
    file = ezc3d.c3d()
    for group, name, value in (("POINT", "RATE", [100]), ("POINT", "LABELS", ("A", "B")), ("POINT", "UNITS", ["mm"]),
                               ("ANALOG", "RATE", [1000]), ("ANALOG", "LABELS", ("Fx", "Fy"))):
        file["parameters"][group][name]["value"] = value
    file["data"]["points"] = np.concatenate([points, np.ones((1, 2, 5))])
    file["data"]["analogs"] = np.arange(100.0).reshape(1, 2, 50)
    path = tmp_path / "a.c3d"
    file.write(str(path))
    return path, points


@pytest.fixture
def bag(tmp_path):
    rosbag1 = pytest.importorskip("rosbags.rosbag1")
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC)
    a = {name.rpartition("/")[2]: store.types[name] for name in (
        "geometry_msgs/msg/PoseStamped", "geometry_msgs/msg/Pose", "geometry_msgs/msg/Point", "geometry_msgs/msg/Quaternion",
        "std_msgs/msg/Header", "builtin_interfaces/msg/Time", "sensor_msgs/msg/JointState")}
    path = tmp_path / "a.bag"
    with rosbag1.Writer(path) as writer:
        places, joints = (writer.add_connection(topic, a[kind].__msgtype__, typestore=store)
                          for topic, kind in (("/pose", "PoseStamped"), ("/joints", "JointState")))
        for k in range(4):
            head = a["Header"](k, a["Time"](5, k * 10**7), "world")
            pose = a["PoseStamped"](head, a["Pose"](a["Point"](0.1 * k, 2.0, 3.0), a["Quaternion"](0.0, 0.0, 0.6, 0.8)))
            writer.write(places, 9 * 10**9 + k, store.serialize_ros1(pose, places.msgtype))
            state = a["JointState"](head, ["hip", "knee"], np.array([1.0, 0.5 * k]), np.array([]), np.array([]))
            writer.write(joints, 9 * 10**9 + k, store.serialize_ros1(state, joints.msgtype))
    return path


def test_markers_of_c3d_are_metres_and_analog_channels_have_their_own_rate(markers):
    path, points = markers
    found = read_measured(path)
    assert found.markers == ("A", "B")
    # single precision in the file
    np.testing.assert_allclose(found.points(), 1e-3 * points.transpose(2, 1, 0), rtol=1e-6)
    np.testing.assert_allclose(np.diff(found.times), 0.01)
    analog = read_measured(path, topic="analog")
    np.testing.assert_allclose(analog.column("Fy"), np.arange(50.0, 100.0))
    np.testing.assert_allclose(np.diff(analog.times), 0.001)
    with pytest.raises(SceneError, match="the topics points and analog, not 'forces'"):
        read_measured(path, topic="forces")


def test_messages_of_a_bag_are_columns_by_their_own_stamps(bag):
    with pytest.raises(SceneError, match="it has the topics /joints, /pose: name one by topic="):
        read_measured(bag)
    found = read_measured(bag, topic="/pose")
    np.testing.assert_allclose(found.times, [0.0, 0.01, 0.02, 0.03])
    np.testing.assert_allclose(found.column("pose.position.x", "length"), [0.0, 0.1, 0.2, 0.3])
    np.testing.assert_allclose(found.column("pose.orientation.w", "number"), 0.8)
    np.testing.assert_allclose(read_measured(bag, topic="/joints").column("knee.position"), [0.0, 0.5, 1.0, 1.5])


def test_a_library_that_is_missing_is_named_with_its_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(outside, "find_spec", lambda name: None)
    for name, extra in (("a.c3d", "mocap"), ("a.mcap", "rosbag")):
        (tmp_path / name).write_bytes(b"x")
        with pytest.raises(SceneError, match=rf"robotphi\[{extra}\]"):
            read_measured(tmp_path / name)


@pytest.mark.slow
@pytest.mark.parametrize("which", ["c3d", "bag"])
def test_damaged_files_of_libraries_are_read_or_refused(request, which, tmp_path):
    path = request.getfixturevalue("markers")[0] if which == "c3d" else request.getfixturevalue("bag")
    random, data, refused = np.random.default_rng(3), path.read_bytes(), 0
    for _ in range(15):
        other = tmp_path / f"b.{which}"
        other.write_bytes(mutated(random, data))
        try:
            read_measured(other, topic=None if which == "c3d" else "/pose")
        except SceneError:
            refused += 1
    assert refused
