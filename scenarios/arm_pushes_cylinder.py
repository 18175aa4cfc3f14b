"""A robot with passive joints pushes a cylinder off its place on an inclined track, led by a virtual force on its tool alone.

After A. Joukhadar, INRIA RR-3072 (1996), section 5.3 and figure 5.4: 160 particles, three horizontal joints and a vertical one;
a rigid cylinder of 36 particles stands on the track by static friction. The PD force F = −k d − μ v draws the tool to where the
cylinder stands; the joints have viscosity alone and follow. The hit breaks the cylinder loose, and it slides away. The report
tells a mean step of 0.0003 s, without run time and gain (mean over smallest step); these stand beside it.

Weights of the links are borne by a field, as by counterpoises, and a couple keeps the hand upright. Exact: the tool is where
the joint angles lead it; up to the hit the cylinder stands, m g sin α ≤ s m g cos α; once the hand has let go of it, its
acceleration is g (sin α − c cos α).
"""
import numpy as np

from robotphi import CheckFailed, ContactMaterial, Scene, Stepping
from robotphi.discretise import moved, rigid, turned
from robotphi.geometry.shapes import cylinder
from robotphi.scenario import run_scenario

GRAVITY, SLOPE = 9.81, np.radians(15.0)
RADIUS, HEIGHT, SIDES = 0.06, 0.18, 11                 # m, of the cylinder: 36 particles
PLACE = np.array([0.75, 0.0, 0.0])                     # m, where its foot stands
DOWN, UP = np.array([np.cos(SLOPE), 0.0, -np.sin(SLOPE)]), np.array([np.sin(SLOPE), 0.0, np.cos(SLOPE)])
STATIC, KINETIC = 0.4, 0.2                             # tan α is 0.268
FOOT = 0.75 * np.tan(SLOPE)                            # m, height of the track under the robot
LINKS = {"turret": (0.30, 0.05), "upper": (0.45, 0.035), "fore": (0.45, 0.03), "hand": (0.22, 0.025)}   # m, length and radius
START = {"turret": 0.5, "upper": 0.5, "fore": 1.9}     # rad: about the vertical; from it; from the upper arm on
SUNK = 0.7                                             # s after which what letting it go shook has died away
AWAY = 0.01                                            # m between hand and cylinder from which it is on its own
REPORT_STEP = 0.0003                                   # s
QUICK = {"duration": 0.2, "frames": 40}


def build(stiffness=80.0, damping=25.0, limit=15.0, viscosity=0.3, contact=1e8, duration=2.0, frames=400, budget=1e-4):
    scene = Scene("arm pushes cylinder", duration=duration, frames=frames, gravity=(0, 0, -GRAVITY),
                  stepping=Stepping(budget=budget))
    surface = ContactMaterial(stiffness=contact, restitution=0.4, speed=0.5, friction=KINETIC, static_friction=STATIC)
    scene.add_plane("track", PLACE, UP, contact=surface)
    hand, links = add_arm(scene, viscosity, surface)
    stood = moved(turned(rigid(cylinder(RADIUS, HEIGHT, SIDES), density=1500.0), (0, 1, 0), SLOPE), PLACE + 0.5 * HEIGHT * UP)
    # m g cos α = λ × area × depth
    depth = HEIGHT * 1500.0 * GRAVITY * np.cos(SLOPE) / (contact)
    body = scene.add_object("cylinder", moved(stood, -depth * UP), contact=surface)
    scene.exclude_contact("hand", "track")
    for other in ("track", "hand"):
        scene.set_contact("cylinder", other, surface)
    scene.add_field("counterpoise", links, "uniform", GRAVITY, axis=(0, 0, 1), per_mass=True)
    scene.add_pull("lead", (hand, "tool"), PLACE + 0.4 * HEIGHT * UP, stiffness, damping=damping, limit=limit)
    scene.add_attitude("upright", hand.rigids[0], stiffness=8.0, damping=0.8, axis=(0, 0, 1))
    for name in ("turret", "upper", "fore", "hand"):
        scene.add_sensor(f"q {name}", "coordinate", f"{name} joint")
    scene.add_sensor("tool", "position", (hand, "tool"))
    scene.add_sensor("lead", "force", "lead")
    scene.add_sensor("upright", "couple", "upright")
    scene.add_sensor("hit", "contact_force", ("cylinder", "hand"))
    scene.add_sensor("place", "position", body.rigids[0])
    scene.add_sensor("speed", "velocity", body.rigids[0])
    return scene


def add_arm(scene, viscosity, surface):
    """The hand, and all links; each is a cylinder of 40 particles."""
    ways = directions(*(START[name] for name in ("turret", "upper", "fore")), 0.0)
    across, begin, parent, placed = np.array([-np.sin(START["turret"]), np.cos(START["turret"]), 0.0]), (0, 0, FOOT), None, []
    for name, (length, radius) in LINKS.items():
        way = np.array(ways[name])
        tilt = np.arctan2(np.linalg.norm(np.cross((0, 0, 1), way)), way[2])
        body = turned(rigid(cylinder(radius, length, 12), density=700.0, points={"tool": (0, 0, 0.5 * length)}), across, tilt)
        end = begin + length * way
        body = scene.add_object(name, moved(body, 0.5 * (begin + end)), contact=surface if name == "hand" else None)
        scene.add_joint(f"{name} joint", "revolute", parent, body.rigids[0], at=begin,
                        axis=(0, 0, 1) if name == "turret" else across, viscosity=viscosity)
        begin, parent = end, body.rigids[0]
        placed.append(body)
    return placed[-1], [body.rigids[0] for body in placed]


def directions(turret, upper, fore, hand):
    """Name → (…, 3) directions of the links, from begin to end, at angles from the vertical that add up but for the hand."""
    def way(tilt):
        across = np.sin(tilt)
        return np.stack(np.broadcast_arrays(across * np.cos(turret), across * np.sin(turret), np.cos(tilt)), axis=-1)
    return {"turret": way(0.0), "upper": way(upper), "fore": way(fore), "hand": way(np.pi + hand)}


def tool_of(recording):
    """(f, 3) m, the end of the hand by the joint angles alone; those of the joints count from how the arm is drawn."""
    q = {name: recording.sensors[f"q {name}"] for name in LINKS}
    turn = np.cumsum([q["upper"], q["fore"], q["hand"]], axis=0)
    ways = directions(START["turret"] + q["turret"], START["upper"] + turn[0], START["fore"] + turn[1], turn[2])
    return np.array((0, 0, FOOT)) + sum(length * ways[name] for name, (length, _) in LINKS.items())


def moments(recording):
    """Frames of the first touch, and of the first from which the cylinder is on its own; the last one where there is none."""
    touches = np.linalg.norm(recording.sensors["hit"], axis=1) > 0.0
    if not touches.any():
        return len(recording), len(recording)
    gap = (recording.sensors["place"] - recording.sensors["tool"]) @ DOWN - RADIUS - LINKS["hand"][1]
    behind = np.arange(len(gap)) > np.flatnonzero(touches)[-1]
    return int(np.argmax(touches)), int(np.argmax(behind & (gap > AWAY))) or len(recording)


def check(recording):
    mean = recording.time[-1] / recording.counts["accepted"]
    smallest = float(recording.steps["dt"].min())
    first, alone = moments(recording)
    along = (recording.sensors["place"] - recording.sensors["place"][0]) @ DOWN
    off = float(np.abs(recording.sensors["tool"] - tool_of(recording)).max())
    stands = (recording.time >= SUNK) & (np.arange(len(along)) < first)
    crept = float(np.ptp(along[stands])) if stands.any() else 0.0
    share = float(recording.ledger["largest_residual"][-1] / recording.ledger["reference_energy"][-1])
    counts = {name: len(thing.particles) for name, thing in recording.scene.objects.items()}
    figures = {"particles of the robot (report: 160)": sum(counts[name] for name in LINKS),
               "particles of the cylinder (report: 36)": counts["cylinder"],
               "mean step [s]": mean, "mean step of the report [s]": REPORT_STEP, "smallest step [s]": smallest,
               "gain, mean over smallest step (the report tells none here, elsewhere 50 to 1e6)": mean / smallest,
               "run time over simulated time (the report tells none)": recording.info["wall_time"] / recording.time[-1],
               "tool off where the joint angles lead [m]": off, "cylinder crept before the hit [m]": crept,
               "energy residual over largest energy": share}
    if off > 1e-12 or crept > 1e-6 or share > recording.info["budget"]:
        raise CheckFailed(f"the tool is {off:.1e} m off, the cylinder crept {crept:.1e} m, the residual is {share:.1e}")
    if recording.time[-1] < 2.0:
        return figures
    if alone > len(recording) - 10:
        raise CheckFailed("the hand should push the cylinder loose, and it should slide away")
    time, speed = recording.time[alone:], recording.sensors["speed"][alone:] @ DOWN
    gain, wanted = float(np.polyfit(time, speed, 1)[0]), GRAVITY * (np.sin(SLOPE) - KINETIC * np.cos(SLOPE))
    figures |= {"first touch [s]": float(recording.time[first]), "on its own from [s]": float(time[0]),
                "largest force of the hand [N]": float(np.linalg.norm(recording.sensors["hit"], axis=1).max()),
                "slides with [m/s²]": gain, "g (sin a - c cos a) [m/s²]": wanted, "slid [m]": float(along[-1])}
    if abs(gain - wanted) > 0.01 * wanted:
        raise CheckFailed(f"it slides with {gain:.4f} m/s², not {wanted:.4f}")
    return figures


def draw(recording, folder):
    from robotphi.view import graphs, touching
    first, alone = moments(recording)
    last = len(recording) - 1
    frames = sorted({0, min(first, last), min(alone, last), last})
    pictures = [touching.picture_touching(recording, build(), folder / "push.png", frames, {
        "cylinder": "#e7a33e", "hand": "#7fa8d6"}, view=(0.5, -1.6, 0.45), columns=2, floor=((-0.3, -0.4), (1.6, 0.4)))]
    angles = {name: recording.sensors[f"q {name}"] for name in LINKS}
    pictures.append(graphs.draw_series(folder / "angles.png", recording.time, angles, "coordinate [rad]",
                                       "Passive joints follow the tool"))
    forces = {"lead on the tool": np.linalg.norm(recording.sensors["lead"], axis=1),
              "hand on the cylinder": np.linalg.norm(recording.sensors["hit"], axis=1)}
    pictures.append(graphs.draw_series(folder / "forces.png", recording.time, forces, "force [N]", "What leads, and what hits"))
    pictures.append(graphs.draw_steps(recording, folder / "steps.png"))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
