"""Small scenes in which things touch, for tests of what is recorded and of runs that are continued."""
import numpy as np

from robotphi import Scene, Stepping
from robotphi.discretise import Material, deformable, discretise, moved, rigid, sheet, turned
from robotphi.geometry import shapes
from robotphi.geometry.mesh import Mesh
from robotphi.scene.contact import ContactMaterial

HARD = ContactMaterial(stiffness=1e7, restitution=0.3, speed=1.0, friction=0.5)


def tilted(angle):
    return (9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle))


def rolling_ball(duration=0.3, frames=6):
    """A ball that is thrown along the ground: it slides, then rolls."""
    scene = Scene("rolling", duration=duration, frames=frames, stepping=Stepping(budget=1e-5))
    scene.add_plane("ground", contact=HARD)
    scene.add_ball("ball", (0, 0, 0.1), 0.1, mass=1.0, contact=HARD, velocity=(1.0, 0.2, -0.1), spin=(0.0, 0.0, 3.0))
    return scene


def stack(duration=0.2, frames=5, slope=0.6):
    """Two boxes on each other on a slope that is too steep for them."""
    scene = Scene("stack", duration=duration, frames=frames, gravity=tilted(slope), stepping=Stepping(budget=1e-4))
    scene.add_plane("ground", contact=HARD)
    for i in range(2):
        box = rigid(shapes.box((0.2, 0.2, 0.1)).transformed(shift=(0.01 * i, 0.005 * i, 0.0499 + 0.1 * i)), density=1000.0)
        scene.add_object(f"box {i}", box, contact=HARD, spin=(0.0, 0.0, 0.3 * i))
    return scene


def soft_block(duration=0.05, frames=5, slope=0.3):
    """A soft block on a slope, with a rigid box on top."""
    scene = Scene("soft", duration=duration, frames=frames, gravity=tilted(slope), stepping=Stepping(budget=1e-4))
    material = Material(density=1000.0, young=2e5, damping_ratio=0.1)
    contact = ContactMaterial(stiffness=2e7, restitution=0.5, speed=1.0, friction=0.6)
    block = deformable(discretise(shapes.box((0.2, 0.2, 0.1)).transformed(shift=(0, 0, 0.0499)), size=0.1), material)
    scene.add_plane("ground", contact=contact)
    scene.add_object("block", block, contact=contact)
    lid = rigid(shapes.box((0.1, 0.1, 0.05)).transformed(shift=(0.01, 0.0, 0.1245)), density=1000.0)
    scene.add_object("lid", lid, contact=contact, velocity=(0.3, 0.0, -0.2))
    return scene


def ball_on_box(duration=0.2, frames=5):
    """A ball that falls onto the edge of a box that spins on a height field, and small balls as particles."""
    scene = Scene("ball on box", duration=duration, frames=frames, stepping=Stepping(budget=1e-4))
    u, w = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 9), indexing="ij")
    scene.add_height_field("land", 0.05 * u * u + 0.02 * w, (0.25, 0.25), (-1, -1, 0), contact=HARD)
    scene.add_object("box", rigid(shapes.box((0.3, 0.2, 0.1)).transformed(shift=(0.0, 0.0, 0.055)), density=1000.0),
                     contact=HARD, spin=(0.0, 0.0, 2.0))
    scene.add_ball("ball", (0.13, 0.02, 0.16), 0.05, mass=0.5, contact=HARD, velocity=(0.0, 0.5, -0.5))
    grains = scene.add_particles("grains", [(0.03 * i - 0.1, 0.01 * i, 0.13 + 0.05 * i) for i in range(3)], mass=0.1)
    scene.add_contact_balls("sand", grains, 0.02, contact=HARD)
    return scene


def gathering(duration=0.06, frames=6):
    """Balls that fly together from all sides: in the middle there are more pairs than there was room for at the start."""
    scene = Scene("gathering", duration=duration, frames=frames, gravity=(0, 0, 0), stepping=Stepping(budget=1e-3))
    i = np.arange(30)
    height, turn = 1.0 - (2 * i + 1) / 30, i * np.pi * (3 - np.sqrt(5))
    out = np.stack([np.sqrt(1 - height**2) * np.cos(turn), np.sqrt(1 - height**2) * np.sin(turn), height], axis=1)
    contact = ContactMaterial(stiffness=1e7, restitution=0.5, speed=4.0, friction=0.3)
    grains = scene.add_particles("grains", 0.15 * out, mass=0.1, velocity=-4.0 * out)
    scene.add_contact_balls("sand", grains, 0.02, contact=contact)
    return scene


def cloth(duration=0.06, frames=5):
    """A cloth that falls on a ball and then on the ground."""
    scene = Scene("cloth", duration=duration, frames=frames, stepping=Stepping(budget=1e-3))
    contact = ContactMaterial(stiffness=1e7, restitution=0.5, speed=1.0, friction=0.4)
    piece = sheet(square(0.3, 6, 0.101), Material(density=500.0, young=1e5, damping_ratio=0.1), 0.004)
    scene.add_plane("ground", contact=contact)
    scene.add_object("cloth", piece, contact=contact, self_contact=True, velocity=(0.2, 0, -1.0))
    scene.add_ball("ball", (0.03, 0.01, 0.047), 0.05, mass=0.2, contact=contact)
    return scene


def square(side, cells, height):
    """A square of triangles about the z axis."""
    u = np.linspace(-0.5 * side, 0.5 * side, cells + 1)
    points = np.stack([*np.meshgrid(u, u, [height], indexing="ij")], axis=-1).reshape(-1, 3)
    i, j = (each.reshape(-1) for each in np.meshgrid(range(cells), range(cells), indexing="ij"))
    low = i * (cells + 1) + j
    first, second = (np.stack(rows, axis=1) for rows in ((low, low + cells + 1, low + cells + 2),
                                                         (low, low + cells + 2, low + 1)))
    return Mesh(points, {"triangle": np.concatenate([first, second])})


def two_soft(duration=0.04, frames=4):
    """A soft block that falls with an edge on the edge of another one."""
    scene = Scene("two soft", duration=duration, frames=frames, stepping=Stepping(budget=1e-3))
    contact = ContactMaterial(stiffness=2e7, restitution=0.5, speed=1.0, friction=0.5)
    material = Material(density=1000.0, young=3e5, damping_ratio=0.1)
    block = deformable(discretise(shapes.box((0.2, 0.1, 0.1)), counts=(2, 1, 1)), material)
    scene.add_plane("ground", contact=contact)
    scene.add_object("lower", moved(block, (0, 0, 0.0499)), contact=contact)
    scene.add_object("upper", moved(turned(block, (0.1, 1.0, 0.3), 0.6), (0.02, 0.01, 0.21)), contact=contact,
                     velocity=(0.0, 0.1, -0.8))
    return scene


def on_soft(duration=0.06, frames=5):
    """A ball and a particle with a size roll on a soft block, and a cloth falls over it."""
    scene = Scene("on soft", duration=duration, frames=frames, stepping=Stepping(budget=1e-3))
    contact = ContactMaterial(stiffness=5e6, restitution=0.5, speed=1.0, friction=0.4)
    material = Material(density=1000.0, young=2e5, damping_ratio=0.1)
    block = deformable(discretise(shapes.box((0.2, 0.2, 0.1), centre=(0, 0, 0.05)), counts=(2, 2, 1)), material)
    scene.add_object("block", block, contact=contact, support={"bottom": "xyz"})
    scene.add_ball("ball", (-0.05, 0.01, 0.131), 0.03, mass=0.2, contact=contact, velocity=(0.5, 0, -0.5))
    grain = scene.add_particle("grain", (0.05, 0.02, 0.1205), 0.1, velocity=(0.0, 0.3, -0.3))
    scene.add_contact_balls("sand", grain, 0.02, contact=contact)
    piece = sheet(square(0.1, 3, 0.103), Material(density=500.0, young=1e5, damping_ratio=0.1), 0.004)
    scene.add_object("cloth", moved(piece, (0.07, -0.06, 0)), contact=contact, velocity=(0.2, 0, -0.5))
    return scene


def through(duration=0.3, frames=6):
    """A ball and an icosphere, pressed through a plate that is too soft for them and out on its other side."""
    scene = Scene("through", duration=duration, frames=frames, stepping=Stepping(budget=1e-4))
    contact = ContactMaterial(stiffness=2e4, restitution=0.5, speed=1.0, friction=0.3)
    plate = rigid(shapes.box((0.6, 0.6, 0.05), (0, 0, -0.025)), mass=10.0)
    scene.add_object("plate", plate, contact=contact, support="xyz")
    scene.add_ball("ball", (-0.15, 0.02, 0.07), 0.06, mass=5.0, contact=contact, velocity=(0.1, 0, -2.0))
    scene.add_object("icosphere", rigid(shapes.sphere(0.06, 1, (0.15, 0.02, 0.07)), mass=5.0), contact=contact,
                     velocity=(-0.1, 0, -2.0), spin=(0.3, 0.2, 0))
    return scene


SCENES = {"rolling": rolling_ball, "stack": stack, "soft": soft_block, "ball on box": ball_on_box, "gathering": gathering,
          "cloth": cloth, "two soft": two_soft, "on soft": on_soft,
          "through": through}
