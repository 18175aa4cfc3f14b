"""Scripted and hand-made forces on a picture: drag, drag and vibration, waves, a flag in the wind, a hand.

After A. Joukhadar, INRIA RR-3072 (1996), figures 5.18 and 5.19.
"""
import numpy as np

from robotphi.applications.picture.grid import Rubber, lay_grid
from robotphi.discretise import Material, sheet
from robotphi.geometry import Mesh
from robotphi.scene.drive import Drive
from robotphi.scene.scene import Scene
from robotphi.scene.stepping import Stepping

GRABBED = (0.35, 0.55)             # of the sides, where a script takes hold
DRAG = (0.16, 0.10, 0.06)          # N
SHAKE, SHAKEN = (-0.05, 0.08, 0.08), 3.0   # N, Hz
LET_GO = 0.55                      # of the duration
HEIGHT, BEAT, STARTING = 0.04, 2.0, 1.0   # m, Hz, s: of the edge from which waves come, until it beats steadily
PULLED = (2.0, 0.02)               # N/m, N·s/m, of the hand
BREEZE, GUST, TURNS = 7.0, 1.5, 0.8       # m/s, m/s across, Hz
DRAG_OF_CLOTH = 1.2
USUAL = Rubber()


def _begin(name, duration, frames, budget, gravity=(0.0, 0.0, 0.0)):
    return Scene(name, duration=duration, frames=frames, gravity=gravity, stepping=Stepping(budget=budget))


def _framed(scene, rubber):
    """The grid in a frame that holds its border, in something viscous; its particles."""
    p, inner = lay_grid(scene, rubber, np.where(rubber.border, "xyz", "")), ~rubber.border
    if rubber.fading:
        scene.add_pull("fading", p[inner], rubber.places[inner], damping=rubber.fading * rubber.mass)
    return p


def forces_of(vibration, duration):
    """(vector [N], frequency [Hz], until [s]) of a script: constant where the frequency is 0, else a sine."""
    return [(DRAG, 0.0, LET_GO * duration)] + ([(SHAKE, SHAKEN, np.inf)] if vibration else [])


def drag_scene(rubber=USUAL, vibration=False, duration=4.0, frames=100, budget=1e-4):
    """One place is pulled and let go; with a vibration it is shaken as well."""
    scene = _begin("drag and vibration" if vibration else "drag", duration, frames, budget)
    who = int(_framed(scene, rubber)[rubber.at(*GRABBED)])
    for number, (vector, frequency, until) in enumerate(forces_of(vibration, duration)):
        drive = Drive.sine(1.0, frequency) if frequency else Drive.steps([0.0, until], [1.0, 0.0])
        scene.add_force(f"force {number}", who, vector, drive=drive)
    return scene


def waves_scene(rubber=USUAL, duration=5.0, frames=200, budget=1e-4):
    """The left edge beats up and down, the right one swallows what arrives.

    Its half masses have dampers k sin q/Ω, just the force that a grid going on for ever would have there at this beat.
    """
    scene = _begin("waves", duration, frames, budget)
    support = np.full(rubber.shape, "", dtype="<U3")
    support[:, [0, -1]], support[[0, -1]] = "xy", "xy"
    beat = Drive.from_function(lambda t: HEIGHT * np.sin(2 * np.pi * BEAT * t) * min(1.0, t / STARTING) ** 2, duration,
                               samples=int(200 * BEAT * duration) + 1)
    p = lay_grid(scene, rubber, support, beat)
    scene.add_pull("shore", p[-1], rubber.places[-1], axes="z",
                   damping=rubber.stiffness * np.sin(rubber.turned(BEAT)) / (2 * np.pi * BEAT))
    return scene


def hand_scene(rubber=USUAL, duration=120.0, frames=3000, budget=1e-3):
    """A grid any inner particle of which can be held, by commands "hold 0", "hold 1" …, and led, by "hand x", "y", "z"."""
    scene = _begin("by hand", duration, frames, budget)
    p = _framed(scene, rubber)
    goal = [scene.add_command(f"hand {axis}", 0.0) for axis in "xyz"]
    for who in p[~rubber.border].tolist():
        held = scene.add_command(f"hold {who}", 0.0, 0.0, 1.0)
        scene.add_pull(f"hand on {who}", who, goal, *PULLED, active=held)
    return scene


def flag_scene(shape=(25, 17), spacing=0.05, wind=BREEZE, duration=4.0, frames=160, budget=1e-3):
    """A flag on a mast, in a wind that turns: a sheet of light cloth with a drag of 1.2 on its facets."""
    scene = _begin("flag", duration, frames, budget, (0.0, 0.0, -9.81))
    nu, nv = shape
    places = np.zeros((nu, nv, 3))
    places[..., 0], places[..., 2] = np.meshgrid(np.arange(nu) * spacing, np.arange(nv) * spacing, indexing="ij")
    number = np.arange(nu * nv).reshape(nu, nv)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    mesh = Mesh(places.reshape(-1, 3), {"quad": quads}, {"mast": number[0]})
    cloth = sheet(mesh, Material(young=1e5, density=300.0, damping_ratio=0.1), 5e-4, bending_stiffness=2e-5)
    scene.add_object("flag", cloth, support={"mast": "xyz"})
    scene.set_medium(density=1.2, drag=DRAG_OF_CLOTH,
                     wind=(wind, Drive.sine(GUST, TURNS), Drive.sine(0.5 * GUST, 1.7 * TURNS, 1.0)))
    return scene


EFFECTS = {"drag": drag_scene, "drag and vibration": lambda *args, **how: drag_scene(*args, vibration=True, **how),
           "waves": waves_scene, "flag": flag_scene}
