"""A cube of jelly on a plate falls, is caught by elastic cords and comes to rest; how it wobbles follows from its material.

* "fall": plate and jelly fall freely while the cords are slack, z = z0 − g t²/2, are caught, and hang in the end where their
  weight and the cords balance: the cords' pulls sum up to m g, and the shape is that of the static equilibrium.
* "wobble": the plate is held, the jelly pulled aside and let go. It swings with the lowest root of
  K v = ω² M v of its springs and masses, and its amplitude falls by 2π ζ/√(1 − ζ²) a period (logarithmic decrement), with
  ζ = β ω/2 since all its viscosities are β times the stiffnesses.

Cords only pull: their tension is zero below their length. Contact with a floor is not needed here.
"""
from functools import cache

import numpy as np
from scipy.sparse.linalg import eigsh

from robotphi import CheckFailed, Drive, Scene, Simulator, Stepping, build_model, relax, simulate
from robotphi.discretise import Material, corner_volumes, deformable, discretise, glue, rigid, stiffness_matrix
from robotphi.geometry import Mesh
from robotphi.geometry.shapes import box
from robotphi.scenario import run_scenario

SIDE, GRAVITY = 0.2, 9.81                          # m, m/s²
JELLY = Material(young=3e4, density=1000.0, damping_ratio=0.05)
PLATE, PLATE_MASS = (0.26, 0.26, 0.02), 2.0        # m, kg
POSTS = 0.24 * np.array([[x, y, 0.0] for x in (-1, 1) for y in (-1, 1)])   # level with the plate at first
DROP = 0.25                                        # m, until the cords are taut
CORD, CORD_TIME = 500.0, 0.03                      # N/m; s, viscosity over stiffness
PULL, LET_GO = 0.5, 0.05                           # N over the top; s
FALL, WOBBLE = VARIANTS = ("fall", "wobble")
QUICK = {"cells": 4}


@cache
def cube(cells):
    """The Object: the jelly, whose bottom lies at z = 0, glued to the rigid plate below."""
    jelly = deformable(discretise(box(SIDE, centre=(0, 0, SIDE / 2)), counts=cells), JELLY)
    return glue({"jelly": jelly, "plate": rigid(box(PLATE, centre=(0, 0, -PLATE[2] / 2)), mass=PLATE_MASS, name="plate")})


def build(variant=FALL, cells=8, duration=None, frames=None, budget=1e-4):
    """The cube in the air, or on the ground, pulled aside until it is let go."""
    duration = duration or {FALL: 5.0, WOBBLE: 1.5}[variant]
    scene = Scene(f"jelly cube: {variant}", duration=duration, frames=frames or 300, stepping=Stepping(budget=budget),
                  gravity=(0, 0, -GRAVITY if variant == FALL else 0.0))
    if variant == FALL:
        placed = scene.add_object("cube", cube(cells))
        add_sling(scene, placed)
    else:
        placed = scene.add_object("cube", cube(cells), support={"plate": "xyz"})
        let_go = Drive.steps([0.0, LET_GO], [1.0, 0.0])
        top = placed.region("jelly.top")
        for particle in top:
            scene.add_force(f"pull on {particle}", int(particle), (PULL / len(top), 0, 0), let_go)
    return scene


def add_sling(scene, placed):
    """A cord from each of four posts to the nearest corner of the plate, all taut after the same fall."""
    corners = placed.region("plate.top")
    away = np.linalg.norm(POSTS[:, None] - scene.position[corners], axis=2)
    posts = scene.add_particles("posts", POSTS, 0.0, support="xyz")
    scene.add_linear("cords", posts, corners[away.argmin(axis=1)], CORD, CORD_TIME * CORD, tension_only=True,
                     rest_length=np.hypot(away.min(axis=1), DROP))


def run(cells=8):
    wobbling = Simulator(build_model(build(WOBBLE, cells)))
    relax(wobbling, tolerance=1e-6)
    return {FALL: simulate(build(FALL, cells)), WOBBLE: wobbling.run()}


def of_cube(position, cells):
    """Positions of one frame (n, 3) or several (f, n, 3) in the order of the particles of the Object, plate and jelly."""
    return position[..., build(FALL, cells).objects["cube"].particles, :]


def centre_height(position, cells):
    """m, of plate and jelly together, in one frame or several."""
    mass = cube(cells).mass     # that of the plate lies on its particles so that its centre comes out
    return of_cube(position, cells)[..., 2] @ mass / mass.sum()


def cord_pull(position, scene):
    """(3,) N, what the cords pull at the resting plate with."""
    block = next(block for block in scene.springs["linear"] if block.name == "cords")
    arm = position[block.first] - position[block.second]
    length = np.linalg.norm(arm, axis=1)
    pull = block.stiffness * np.maximum(length - block.rest_length, 0.0)
    return (pull / length) @ arm


def least_cell(recording, cells):
    """Smallest volume at a corner of a cell in any frame over that at rest; negative where one is turned inside out."""
    rows = cube(cells).cells["hexahedron"][:, :8]
    return min(float(corner_volumes(Mesh(position, {"hexahedron": rows}))["hexahedron"].min())
               for position in of_cube(recording.position, cells)) / (SIDE / cells) ** 3


@cache
def first_modes(cells):
    """Lowest frequency [rad/s], its share of critical damping, and both modes that have it, (n, 3, 2), as M v.

    A cube sways alike along x and y; along which two directions the solver finds its modes is chance.
    """
    thing = cube(cells)
    free = np.repeat(thing.rigid_of_particle < 0, 3)
    root = np.sqrt(np.repeat(thing.mass, 3)[free])
    matrix = stiffness_matrix(thing)[free][:, free].multiply(1 / root[:, None]).multiply(1 / root[None])
    values, vectors = eigsh(matrix.tocsc(), 2, sigma=0, which="LM", v0=np.ones(len(root)))
    modes = np.zeros((len(free), 2))
    modes[free] = vectors * root[:, None]
    rate = float(np.sqrt(values.mean()))
    return rate, 0.5 * rate * JELLY.damping_time(SIDE), modes.reshape(-1, 3, 2)


def sway(recording, cells):
    """Time after the cube was let go, and by how much it then sways in its lowest mode."""
    after = recording.time > LET_GO + 1e-9
    shift = of_cube(recording.position[after], cells) - cube(cells).position
    amount = np.einsum("fnx,nxm->fm", shift, first_modes(cells)[2])
    return recording.time[after], amount @ (amount[0] / np.linalg.norm(amount[0]))


def swing(recording, cells):
    """Frequency [rad/s] and share of critical damping of the wobble.

    q(t + Δ) = b q(t) − c q(t − Δ) holds at every sample of a damped oscillation; its poles are the roots of z² − b z + c.
    """
    time, amount = sway(recording, cells)
    (b, c), *_ = np.linalg.lstsq(np.column_stack([amount[1:-1], -amount[:-2]]), amount[2:], rcond=None)
    pole = np.log((b + np.sqrt(complex(b * b - 4 * c))) / 2) / (time[1] - time[0])
    return float(abs(pole)), float(-pole.real / abs(pole))


def check(recordings, cells=8):
    fall, scene = recordings[FALL], build(FALL, cells)
    up, weight = centre_height(fall.position, cells), GRAVITY * cube(cells).mass.sum()
    until_taut = np.sqrt(2 * DROP / GRAVITY)
    free = fall.time < until_taut
    error = np.abs(up - (centre_height(scene.position, cells) - GRAVITY / 2 * fall.time ** 2))[free].max()
    resting = Simulator.continued(fall)
    level = centre_height(relax(resting, tolerance=1e-6).position, cells)
    pull = cord_pull(fall.position[-1], scene)
    rate, damping, _ = first_modes(cells)
    seen_rate, seen_damping = swing(recordings[WOBBLE], cells)
    least = least_cell(fall, cells)
    figures = {"free fall, error [m]": error, "caught after [s]": until_taut, "lowest point of the centre [m]": up.min(),
               "height at the end [m]": up[-1], "height in equilibrium [m]": level,
               "pull of the cords over the weight": pull[2] / weight,
               "sideways pull over the weight": np.abs(pull[:2]).max() / weight,
               "least volume at a corner of a cell over that at rest": least,
               "energy lost to viscosity [J]": fall.ledger["spring_dissipation"][-1],
               "wobble [Hz]": seen_rate / (2 * np.pi), "first mode [Hz]": rate / (2 * np.pi),
               "damping of the wobble": seen_damping, "damping of the first mode": damping}
    if error > 1e-12:     # a constant force is exact in every step; what is left is rounding
        raise CheckFailed(f"the cube falls {error:.1e} m off z = z0 - g t^2/2 while its cords are slack")
    if not least > 0:
        raise CheckFailed(f"a cell was turned inside out: {least:.2f} of its volume at a corner")
    # what is left of the bouncing at the end
    if abs(up[-1] - level) > 1e-3 * SIDE or abs(pull[2] / weight - 1) > 5e-3:
        raise CheckFailed(f"the cube should hang at {level:.5f} m with its weight of {weight:.4g} N on the cords; it is at "
                          f"{up[-1]:.5f} m, and they pull {pull[2]:.4g} N")
    # strains of 0.3 % change the frequency by about their square, 1e-5, and the damping by as much of critical
    if abs(seen_rate / rate - 1) > 1e-4 or abs(seen_damping - damping) > 1e-4:
        raise CheckFailed(f"the cube wobbles with {seen_rate:.4f} rad/s and damping {seen_damping:.5f}, "
                          f"its first mode has {rate:.4f} rad/s and {damping:.5f}")
    return figures


def draw(recordings, folder, cells=8):
    from robotphi.view import graphs, solids
    from robotphi.view.bodies import elongation
    fall, wobble = recordings[FALL], recordings[WOBBLE]
    up, scene, thing = centre_height(fall.position, cells), build(FALL, cells), cube(cells)
    low = int(up.argmin())
    high = low + int(up[low:np.searchsorted(fall.time, 1.0)].argmax())
    falling = int(np.searchsorted(fall.time, 0.75 * np.sqrt(2 * DROP / GRAVITY)))
    says = ("held", "falling, cords slack", "caught", "thrown back", "at rest")
    frames = [0, falling, low, high, len(fall) - 1]
    titles = [f"{word}, t = {fall.time[frame]:.2f} s" for word, frame in zip(says, frames, strict=True)]

    def strained(position):
        value = np.zeros(len(position))
        value[scene.objects["cube"].particles] = 100 * elongation(thing, of_cube(position, cells))
        return value

    most = np.quantile(strained(fall.position[low])[scene.objects["cube"].facets], 0.98)
    count, springs = len(thing.regions["jelly"]), len(thing.springs["jelly.linear"])
    pictures = [solids.picture_frames(
        fall, scene, folder / "fall.png", frames, strained, titles, columns=5, width=13.0, view=(-0.5, -1.0, 0.35),
        limits=(0, most), label="mean elongation of the springs at each particle [%]",
        heading=f"A jelly of {count} particles and {springs} springs on a rigid plate falls into four cords")]
    taut = np.sqrt(2 * DROP / GRAVITY)
    early = np.linspace(0, 1.3 * taut, 60)
    pictures.append(graphs.draw_series(folder / "height.png", fall.time, {"centre of the cube": up}, "height [m]",
                                       f"Free fall until {taut:.3f} s, then the cords pull",
                                       references={"z0 − g t²/2": (early, up[0] - GRAVITY / 2 * early ** 2)}))
    pictures.append(graphs.draw_ledger(fall, folder / "ledger.png"))
    rate, damping, _ = first_modes(cells)
    time, amount = sway(wobble, cells)
    amount = amount / np.abs(amount).max()
    envelope = np.exp(-damping * rate * (time - LET_GO))
    pictures.append(graphs.draw_series(folder / "wobble.png", time, {"sway": amount}, "sway over its first value",
                                       f"The standing cube, let go: {rate / 2 / np.pi:.2f} Hz, damping {damping:.4f}",
                                       references={"exp(−ζ ω t)": (time, envelope)}))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
