"""A hand grasps a thing that stands on a post, the post goes down, and the hand is shaken or the thing pulled, if told.

Each finger takes hold where a ray of its plane meets the thing: its pad has a goal `force/stiffness` below the surface there,
marked on the palm. By "servos" motors turn the joints to the angles at which it would be there, by "pulls" a virtual force
draws the pad to its goal (RR-3072, figures 5.9 to 5.11). Whichever, the grasp closes during CLOSED.

| grasp | rays | height of the palm |
|---|---|---|
| "tip" | level, to the middle of the thing | the last links lean inwards by TILTS |
| "pulp" | likewise | likewise, less, and so little that the tips are outside of the thing |
| "palm" | from below, upwards by STEEP, tips hook under it | the thing is at the palm |
"""
from typing import NamedTuple

import numpy as np

from robotphi.applications.hand.dimensions import Dimensions
from robotphi.applications.hand.fingers import Hand, add_hand
from robotphi.applications.hand.things import Thing
from robotphi.applications.moves import smooth_step, swinging
from robotphi.applications.sizes import of_kind
from robotphi.discretise import rigid
from robotphi.geometry import shapes
from robotphi.scene.checks import number, refuse, word
from robotphi.scene.contact import ContactMaterial
from robotphi.scene.drive import Drive
from robotphi.scene.motion import Motion
from robotphi.scene.scene import Scene
from robotphi.scene.stepping import Stepping

GRASPS = {"tip": "tip", "pulp": "pulp", "palm": "tip"}   # and the pads that take hold
TILTS, STEEP = {"tip": 0.6, "pulp": 0.25}, 0.9           # rad
LEANS = 11                                               # that are tried for pulps, down to none
GAP = 1e-3                                               # m between pads and thing at first, where it stands well
CLOSED, LOWERED, FREE = 0.15, (0.3, 0.5, 0.65), 0.7      # s: it is closed; the post goes down; from here on shaken or pulled
SLOWLY, DEPTH = 1e-3, 0.1                                # m: slowly at first, so that what holds is loaded without a jerk
POST = (0.01, 0.01, 0.02)                                # m
LIFTED = 0.4                                             # s
CONTACT = {"rigid": 2e8, "soft": 2e7}                    # N/m³
STIFFNESS = {"rigid": 1000.0, "soft": 200.0}             # N/m, of pads towards their goals
MINDLIN = 0.8                                            # tangential over normal stiffness of round pads, 2 (1 − ν)/(2 − ν)
GRAVITY = 9.81


class Grasping(NamedTuple):
    """A scene of a grasp; `holds`: the pad that takes hold, `goals`: (n, 3) m of the pads' middles."""
    scene: Scene
    hand: Hand
    thing: Thing
    holds: str
    goals: np.ndarray


def grasp_scene(thing=None, grasp="tip", friction=0.8, force=2.0, way="servos", dimensions=None, stiffness=None, damping=0.0,
                contact=None, off=(0.0, 0.0), lift=0.0, shake=None, pull=None, duration=2.0, frames=200, budget=1e-4,
                gravity=GRAVITY):
    """The scene of a grasp, as `Grasping`.

    Args:
        thing: a `Thing`; a sphere unless told.
        grasp: "tip", "pulp" or "palm".
        friction: of everything.
        force: of each finger on a thing that does not give way [N].
        way: "servos" or "pulls".
        dimensions: `Dimensions` of the hand.
        stiffness, damping: of the pads towards their goals [N/m, N·s/m], STIFFNESS of the tips unless told; servos have
            those at the joints that come to it along the normal. That of pulls on light pads makes short steps; what the joints
            damp makes none shorter.
        contact: λ of pads, palm and thing [N/m³]; CONTACT of the dimensions' tips unless told.
        off: by how much the thing stands beside the axis of the hand [m], which opens by so much more.
        lift: [m], from FREE on, within LIFTED.
        shake: (amplitude [m], frequency [Hz]) of the palm along x, from FREE on, or from when it is lifted.
        pull: force on the thing [N], (3,), growing from then to the end.
    """
    d, thing = (Dimensions() if dimensions is None else dimensions), (Thing.sphere() if thing is None else thing)
    of_kind("grasp", "dimensions", d, Dimensions), of_kind("grasp", "thing", thing, Thing)
    word("grasp", "grasp", grasp, tuple(GRASPS)), word("grasp", "way", way, ("pulls", "servos"))
    stiffness = STIFFNESS[d.tips] if stiffness is None else number("grasp", "stiffness", stiffness, above=0.0)
    number("grasp", "force", force, above=0.0)
    number("grasp", "damping", damping, low=0.0)
    pad, contact = GRASPS[grasp], CONTACT[d.tips] if contact is None else number("grasp", "contact", contact, above=0.0)
    opened = GAP + float(np.hypot(*off))
    holds, below = _reached(d, thing, grasp, pad, opened)
    at = np.array([0.0, 0.0, below])
    drawn, closed = ([d.angles(pad, r + away * u, s - away * w) for r, s, u, w in holds]
                     for away in (opened, -force / stiffness))
    scene = Scene(f"{grasp} grasp of a {thing.kind}, friction {friction:g}", duration=duration, frames=frames,
                  gravity=(0.0, 0.0, -gravity), stepping=Stepping(budget=budget))
    vertices = (d.cells + 1) ** 2 if d.tips == "soft" and thing.kind != "sphere" else 1   # that are held, of a pad's face
    skin = surface(d.pad, contact, friction, force, vertices)
    outs = [out_of(turn) for turn in d.turns()]
    inside = [(r - force / stiffness * u, s + force / stiffness * w) for r, s, u, w in holds]
    goals = np.array([at + r * out - np.array([0.0, 0.0, s]) for (r, s), out in zip(inside, outs, strict=True)])
    led = None if shake is None and not lift else _led(shake, number("grasp", "lift", lift), duration)
    hand = add_hand(scene, "hand", d, at, drawn, skin, led, {f"goal {k}": goal for k, goal in enumerate(goals, 1)},
                    (pad, [-u * out - np.array([0.0, 0.0, w]) for (_, _, u, w), out in zip(holds, outs, strict=True)]))
    own = thing.add(scene, "thing", np.array([*off, 0.0]), skin)
    stand(scene, thing, skin, off)
    scene.exclude_contact("post", "hand")
    if way == "pulls":   # a palm that is held feels nothing of them: places then bound the step by half as much
        towards = [(hand.palm, f"goal {k}") for k in range(1, len(goals) + 1)] if led is not None else goals
        _close_by_pulls(scene, hand, pad, towards, stiffness, damping)
    else:
        _close_by_servos(scene, hand, pad, drawn, closed, [(u, -w) for _, _, u, w in holds], stiffness, damping)
    if pull is not None:
        free = FREE + (LIFTED if lift else 0.0)
        scene.add_force("pull", own, pull, Drive.table([0.0, free, max(duration, 2.0 * free)], [0.0, 0.0, 1.0]))
    for name in hand.touching:
        scene.add_sensor(f"slip on {name}", "contact_slip", ("thing", name))
    return Grasping(scene, hand, thing, pad, goals)


def surface(pad, contact, friction, force, springs=1):
    """The surface of pads of a radius [m] and of what they touch.

    Two of it have λ/2, so that a pad gives F = π/2 λ R x² on a flat thing, and dF/dx = √(2π λ R F). `springs`: by so many of
    friction side by side a pad is held, as a soft one by those of its vertices.
    """
    side = 2.0 * MINDLIN * np.sqrt(2.0 * np.pi * contact * pad * force) / springs   # two of which are in series
    return ContactMaterial(stiffness=contact, restitution=0.3, speed=1.0, friction=friction, tangential_stiffness=float(side))


def _reached(d, thing, grasp, pad, opened):
    """(r, s, u, w) of each finger, where its pad touches the thing and the way off it, outwards and upwards; palm's height.

    Fingers that would not reach, opened so far [m], have the palm nearer.
    """
    rise = STEEP if grasp == "palm" else 0.0
    middle, far = 0.5 * (thing.low + thing.high), 3.0 * thing.radius
    met = []
    for turn in d.turns():
        out = out_of(turn)
        off = np.cos(rise) * out - np.array([0.0, 0.0, np.sin(rise)])
        place, normal = thing.met(far * off + np.array([0.0, 0.0, middle]), -off)
        away = np.array([normal @ out, normal[2]])   # what of the normal is in the plane of the finger
        size = np.linalg.norm(away)
        r, z = np.array([place @ out, place[2]]) + d.pad * away / size**2
        met.append((float(r), float(z), *map(float, away / size)))
    if grasp == "palm":
        below = thing.high
    else:
        leans = np.linspace(TILTS[grasp], 0.0, LEANS if grasp == "pulp" else 1)
        lean = next((lean for lean in leans if all(_tip_clears(d, thing, out_of(turn), r, z, lean)
                                                   for turn, (r, z, _, _) in zip(d.turns(), met, strict=True))), leans[-1])
        below = float(np.mean([d.depth(pad, r, lean) + z for r, z, _, _ in met]))
        below = min(below, *(z + opened * w + d.deepest(pad, r + opened * u) for r, z, u, w in met))
        if below < thing.high:
            refuse("grasp", f"the thing would reach {1e3 * (thing.high - below):.1f} mm into the palm",
                   "take a smaller thing, or longer links")
    return [(r, below - z, u, w) for r, z, u, w in met], below


def _tip_clears(d, thing, out, r, z, lean):
    """Whether the tip of a finger is outside of a thing while its pulp is at (r, z), leaning inwards."""
    farther = d.along("tip") - d.along("pulp")
    r, z = r - farther * np.sin(lean), z - farther * np.cos(lean)
    if not thing.low - d.pad < z < thing.high + d.pad:
        return True
    place, _ = thing.met(3.0 * thing.radius * out + np.array([0.0, 0.0, np.clip(z, thing.low, thing.high)]), -out)
    return bool(r >= place @ out + d.pad)


def out_of(turn):
    """Unit vector away from the axis of the hand."""
    return np.array([np.cos(turn), np.sin(turn), 0.0])


def _led(shake, lift, duration):
    """The palm goes up by `lift` and then along x, both beginning softly."""
    up = smooth_step(FREE, FREE + LIFTED, lift, duration) if lift else 0.0
    if shake is None:
        return Motion.of_drives(z=up)
    far, rate = number("grasp", "amplitude", shake[0], above=0.0), number("grasp", "frequency", shake[1], above=0.0)
    since = FREE + (LIFTED if lift else 0.0)
    return Motion.of_drives(x=swinging(since, far, rate, duration), z=up)


def stand(scene, thing, skin, off):
    """The thing stands on a post, into which its weight has pressed it, and which goes down slowly and then fast."""
    weight = -thing.mass * float(scene.gravity[2])
    if thing.kind == "sphere":
        sunk = np.sqrt(max(weight, 0.0) / (0.5 * np.pi * skin.stiffness * thing.radius))
    else:
        sunk = max(weight, 0.0) / (0.5 * skin.stiffness * POST[0] * POST[1])
    post = rigid(shapes.box(POST, (*off, thing.low + sunk - POST[2] / 2)), density=1000.0)
    down = Drive.table([0.0, *LOWERED], [0.0, 0.0, -SLOWLY, -DEPTH])
    scene.add_object("post", post, contact=skin, motion=Motion.of_drives(z=down))
    scene.add_plane("floor", (0.0, 0.0, thing.low - DEPTH), contact=skin)
    scene.exclude_contact("post", "floor")


def _close_by_pulls(scene, hand, pad, towards, stiffness, damping):
    share = Drive.table([0.0, CLOSED], [0.0, 1.0])
    for finger, goal in zip(hand.fingers, towards, strict=True):
        scene.add_pull(f"{finger.name} pull", finger.pads[pad], goal, stiffness, damping, active=share)


def _close_by_servos(scene, hand, pad, drawn, closed, normals, stiffness, damping):
    """Joints whose servos together have the stiffness k along the normal n of where the pad touches.

    With k_j = c k a_j², a_j the distance of joint j from the pad, which goes along t_j as it turns, the pad gives way by
    Σ (t_j·n)²/(c k) for each newton: c = Σ (t_j·n)².
    """
    d = hand.dimensions
    for finger, before, after, normal in zip(hand.fingers, drawn, closed, normals, strict=True):
        arms, along = _ways(d, pad, before)
        shared = float(np.sum((along @ normal)**2))
        for joint, arm, low, high in zip(finger.joints, arms, (0.0, *before), (0.0, *after), strict=True):
            target = Drive.table([0.0, CLOSED], [low, high])
            scene.add_motor(f"{joint.name} servo", joint, target=target, stiffness=shared * stiffness * arm**2,
                            damping=shared * damping * arm**2)


def _ways(d, pad, angles):
    """Distances of a pad from the axes of the three joints [m], and (2, 2) where it goes in (r, s) as the last two turn."""
    first, second = angles
    last, inner = d.along(pad), d.links[1]
    knuckle = np.array([-np.sin(first), np.cos(first)])
    end = inner * knuckle + last * np.array([-np.sin(first + second), np.cos(first + second)])
    arms = np.array([end, end - inner * knuckle])
    far = np.linalg.norm(arms, axis=1)
    return (d.links[0] + end[1], *map(float, far)), np.stack([-arms[:, 1], arms[:, 0]], axis=1) / far[:, None]
