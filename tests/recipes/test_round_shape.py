"""How to add a round shape that touches planes: a spheroid, from the scene's method to force, recording, advice and picture."""
import numpy as np
import pytest

from tests.recipes.recipe import Edit, Recipe, cook

KINDS, BELOW, ROUNDS, SCENE = ("kernels/contact/kinds.py", "kernels/contact/press/below.py", "scene/rounds.py",
                               "scene/scene_touching.py")
HALF, RADIUS, STIFFNESS, SUNK = 0.1, 0.05, 1e6, 0.002   # m, m, N/m³, m

SPHEROID = Recipe((
    # its kind: one row, and its number
    Edit(KINDS, "after", 'PartKind("wheel", AXIS, carried=True, of_balls=False, outlined=True),   # with a curve',
         '    PartKind("spheroid", AXIS, carried=True, of_balls=False),          # two rows, the poles, and a radius'),
    Edit(KINDS, "instead", "POLYHEDRON, SHEET, SPHERE, CAPSULE, CYLINDER, PLANE, FIELD, WHEEL = range(len(PART_KINDS))",
         "POLYHEDRON, SHEET, SPHERE, CAPSULE, CYLINDER, PLANE, FIELD, WHEEL, SPHEROID = range(len(PART_KINDS))"),

    # what of it is below a plane: forces, energy and damping follow
    Edit(BELOW, "instead", "from robotphi.kernels.contact.kinds import CAPSULE, CYLINDER",
         "from robotphi.kernels.contact.kinds import CAPSULE, CYLINDER, SPHEROID"),
    Edit(BELOW, "before",
         "# kind → its moments, from the depth of the lower end, length, radius, sine and cosine of the tilt", '''
@kernel
def spheroid_moments(depth, length, radius, sine, cosine):
    """The same for a spheroid: the cap of height s of a ball of radius 1, stretched to a along the axis and to r across it."""
    a, r = 0.5 * length, radius
    reach = math.sqrt(a * a * sine * sine + r * r * cosine * cosine)   # of the lowest point below the centre
    s = min(max(1.0 + (depth - sine * a) / reach, 0.0), 2.0)
    y, size = 1.0 - s, a * r * r
    v, sunk = math.pi * s * s * (3.0 - s) / 3.0, math.pi * s * s * s * (4.0 - s) / 12.0
    if s == 2.0:
        sunk = v * (depth - sine * a) / reach
    down = math.pi * s * s * (1.0 - 0.5 * s) * (1.0 - 0.5 * s)                                   # ∫ c, c from the centre down
    along = math.pi * ((1.0 - y * y * y) / 3.0 - (1.0 - y * y * y * y * y) / 5.0)                # ∫ c²
    across = math.pi / 4.0 * ((1.0 - y) - (1.0 - y * y * y) / 1.5 + (1.0 - y * y * y * y * y) / 5.0)
    lean = sine * cosine * (a * a - r * r) / reach                       # of T along c, once stretched
    square = a * a * cosine * cosine + r * r * sine * sine - lean * lean
    middle = cosine * a
    second = middle * middle * v - 2.0 * middle * lean * down + lean * lean * along + square * across
    return (size * v, size * reach * sunk, size * (middle * v - lean * down), size * second, size * r * r * across,
            size * math.pi * s * (2.0 - s) / reach, 0.0)


'''),
    Edit(BELOW, "instead", "MOMENTS = ((CAPSULE, capsule_moments), (CYLINDER, cylinder_moments))",
         "MOMENTS = ((CAPSULE, capsule_moments), (CYLINDER, cylinder_moments), (SPHEROID, spheroid_moments))"),

    # its mass, its sizes and its outline
    Edit(ROUNDS, "before", "SHAPES = {", '''
def _spheroid_inertia(length, radius):
    return 2.0 / 3.0 * np.pi * length * radius ** 2, 0.4 * radius ** 2, (length ** 2 / 4 + radius ** 2) / 5


def _spheroid_outline(length, radius, rings):
    height = np.linspace(-1.0, 1.0, 4 * rings + 1)
    return radius * np.sqrt(1.0 - height ** 2), length / 2 * height


'''),
    Edit(ROUNDS, "after", "SHAPES = {", '''
    "spheroid": RoundShape(_spheroid_inertia, lambda length, radius: length,
                           lambda length, radius: 4.0 / 3.0 * np.pi * radius * (length + radius), _spheroid_outline),
'''),

    # the scene's method
    Edit(SCENE, "after", '"""Objects and all else that can touch in a `Scene`."""', '''

    def add_spheroid(self, name, start, end, radius, mass=None, density=None, contact=None, contact_group=None, **motion):
        """Add a solid spheroid as a rigid primitive: poles and radius between them [m]; the rest as in `add_ball`."""
        return rounds.along_axis(self, name, "spheroid", start, end, radius, mass, density, contact, contact_group, motion)
'''),
), f"""
    import json
    from pathlib import Path

    import numpy as np

    import robotphi
    from robotphi import ContactMaterial, Scene, Stepping, simulate
    from robotphi.discretise import rigid
    from robotphi.geometry.shapes import box
    from robotphi.kernels.contact import kinds
    from robotphi.kernels.contact.press.rollers import press_roller
    from robotphi.view.touching import picture_touching

    a, r, stiffness, sunk = {HALF}, {RADIUS}, {STIFFNESS}, {SUNK}
    law = ContactMaterial(stiffness=2.0 * stiffness, restitution=0.5, speed=1.0, friction=0.5)
    s = sunk / r
    weight = stiffness * a * r ** 2 * np.pi * s ** 2 * (3.0 - s) / 3.0      # λ × volume of the overlap

    scene = Scene("egg", duration=0.002, frames=2, stepping=Stepping(budget=1e-6))
    scene.add_plane("ground", contact=law)
    scene.add_spheroid("egg", (-a, 0, r - sunk), (a, 0, r - sunk), r, mass=weight / 9.81, contact=law)
    scene.add_object("far", rigid(box(0.1, (1.0, 0, 1.0)), density=100.0), contact=law)
    recording = simulate(scene)
    touched = recording.contacts(2)
    picture_touching(recording, scene, "egg.png", frames=[2])

    def pressed(level, angle):
        half = (a * np.cos(angle), 0.0, a * np.sin(angle))
        return press_roller(kinds.SPHEROID, tuple(-x for x in half), half, r, (0.0, 0.0, 1.0), level, (0.0, 0.0, 0.0),
                            (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), stiffness, 0.0)

    slopes = []
    for level, angle in ((-0.045, 0.2), (-0.02, 0.7), (0.03, 1.2), (0.2, 0.5)):
        h, out = 1e-6, pressed(level, angle)
        slopes.append((out[5][2], (pressed(level + h, angle)[0] - pressed(level - h, angle)[0]) / (2 * h),
                       out[6][1], (pressed(level, angle + h)[0] - pressed(level, angle - h)[0]) / (2 * h)))

    print(json.dumps({{"package": robotphi.__file__, "weight": weight, "normal": touched.normal[0].tolist(),
                      "names": [touched.first[0].item(), touched.second[0].item()], "slopes": slopes,
                      "moved": float(np.abs(recording.rigid_position[:, 0] - recording.rigid_position[0, 0]).max()),
                      "warnings": recording.info["warnings"], "picture": Path("egg.png").is_file()}}))
    """)


def test_a_new_round_shape_touches_planes_is_recorded_advised_on_and_drawn(tmp_path):
    found = cook(SPHEROID, tmp_path)
    assert found["names"] == ["egg", "ground"]
    assert found["normal"] == pytest.approx([0.0, 0.0, found["weight"]], rel=1e-12, abs=1e-12 * found["weight"])
    assert found["moved"] < 1e-14   # m: it lies where its weight is carried, to rounding
    # central differences over h = 1e-6: h² × the third derivative, some λ, and rounding of energies up to λ × 1e-3 m⁴ over h
    for force, force_wanted, moment, moment_wanted in found["slopes"]:
        assert force == pytest.approx(force_wanted, rel=0, abs=1e-9 * STIFFNESS)
        assert moment == pytest.approx(moment_wanted, rel=0, abs=1e-9 * STIFFNESS)
        assert force > 0.0
    assert np.abs([moment for *_, moment in found["slopes"]]).max() > 1e-6 * STIFFNESS   # some lean, so that there is one
    assert any(text.startswith("spheroid 'egg' touches planes only and passes through 'far'") for text in found["warnings"])
    assert found["picture"]


def test_a_new_round_shape_takes_four_files():
    assert SPHEROID.files == sorted((KINDS, BELOW, ROUNDS, SCENE))
    assert SPHEROID.lines < 60
