"""A finger of three phalanges is bent by one tendon: through eyes below its joints, wound up, pulled, and let go.

One cable without friction has one tension T all along. With L(q) its length over the angles, the work T dL says that it turns
joint i by −T ∂L/∂q_i; springs of the joints turn back, so that at rest (as in Murray, Li and Sastry 1994, section 6.4)
    k_i q_i = −T ∂L/∂q_i        T = κ (L − L₀)  where the cable is wound up, or what it is pulled with.
L follows from the places of the eyes, in closed form; the angles of rest are found from these equations beside the run.
"""
import numpy as np
from scipy.optimize import fsolve

from robotphi import CheckFailed, Drive, Scene, Stepping, simulate
from robotphi.scenario import run_scenario

LENGTHS, MASSES, THICK = (0.045, 0.028, 0.022), (0.02, 0.012, 0.008), 0.008   # m, kg, m
OFFSET, EYES = 0.007, (0.25, 0.75)           # m of the eyes below the axes; shares of a phalanx where they are
ANCHOR = (-0.012, -OFFSET)                   # m, the last eye, in the palm
SPRINGS = (0.04, 0.03, 0.02)                 # N·m/rad
WOUND, PULLED = 0.02, 4.0                    # m, N
BENT, HELD = 0.4, 1.8                        # s: bent until then, let go from then on
QUICK = {"duration": 0.3, "frames": 30}


def build(way="wound", stiffness=4000.0, viscosity=1e-3, duration=2.5, frames=250, budget=1e-5):
    """The tendon is "wound" up and let out again, or "pulled" by a force that comes and goes."""
    scene = Scene(f"tendon finger: {way}", duration=duration, frames=frames, gravity=(0, 0, 0),
                  stepping=Stepping(budget=budget))
    palm = scene.add_particle("palm", (*ANCHOR, 0), 1.0, support="xyz")
    begin, parent, through = 0.0, None, [palm]
    for i, (length, mass) in enumerate(zip(LENGTHS, MASSES, strict=True)):
        along, across = mass * (length**2 + THICK**2) / 12.0, mass * THICK**2 / 6.0
        eyes = {f"eye {k}": (begin + share * length, -OFFSET, 0) for k, share in enumerate(EYES)}
        link = scene.add_rigid(f"phalanx {i}", [(begin, 0, 0), (begin + length, 0, 0)], mass=mass,
                               centre=(begin + length / 2, 0, 0), inertia=(across, along, along), points=eyes)
        scene.add_joint(f"joint {i}", "revolute", parent, link, at=(begin, 0, 0), axis=(0, 0, -1), stiffness=SPRINGS[i],
                        viscosity=viscosity, limits=(-0.2, 1.9))
        scene.add_sensor(f"q {i}", "coordinate", f"joint {i}")
        through += [(link, eye) for eye in eyes]
        begin, parent = begin + length, link
    times = [0.0, BENT, HELD, HELD + BENT]
    if way == "wound":
        scene.add_tendon("tendon", through, stiffness, viscosity=1.0, drive=Drive.table(times, [0.0, -WOUND, -WOUND, 0.0]))
    else:
        scene.add_tendon("tendon", through, tension=Drive.table(times, [0.0, PULLED, PULLED, 0.0]))
    scene.add_sensor("length", "length", "tendon")
    scene.add_sensor("tension", "tension", "tendon")
    return scene


def run(stiffness=4000.0, viscosity=1e-3, duration=2.5, frames=250, budget=1e-5):
    return {way: simulate(build(way, stiffness, viscosity, duration, frames, budget)) for way in ("wound", "pulled")}


def eyes_at(q):
    """(7, 2) m, the points of the tendon, and (4, 2) m, the joints and the tip, at the angles (3,)."""
    at, turn, eyes, joints = np.zeros(2), 0.0, [ANCHOR], [(0.0, 0.0)]
    for length, angle in zip(LENGTHS, q, strict=True):
        turn -= angle
        along, up = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        eyes += [at + share * length * along - OFFSET * up for share in EYES]
        at = at + length * along
        joints.append(at)
    return np.array(eyes), np.array(joints)


def length_of(q):
    """m"""
    return float(np.linalg.norm(np.diff(eyes_at(q)[0], axis=0), axis=1).sum())


def levers(q, step=1e-6):
    """(3,) m, −∂L/∂q, by central differences: 1e-12 of their truncation, 1e-10 of rounding."""
    return -np.array([(length_of(q + e) - length_of(q - e)) / (2 * step) for e in step * np.eye(3)])


def rest(way, stiffness):
    """Angles of rest [rad] and the tension there [N]."""
    straight = length_of(np.zeros(3))

    def tension(q):
        return stiffness * (length_of(q) - straight + WOUND) if way == "wound" else PULLED
    q = fsolve(lambda q: np.array(SPRINGS) * q - tension(q) * levers(q), np.full(3, 0.5), xtol=1e-12)
    return q, tension(q)


def angles(recording):
    return np.column_stack([recording.sensors[f"q {i}"] for i in range(3)])


def check(recordings, stiffness=4000.0, duration=2.5):
    figures = {}
    for way, recording in recordings.items():
        q = angles(recording)
        told = np.array([length_of(one) for one in q])
        off = float(np.abs(told - recording.sensors["length"]).max())
        figures[f"{way}: length off the closed form [m]"] = off
        if off > 1e-13:
            raise CheckFailed(f"{way}: the tendon's length is {off:.1e} m off that of its angles")
        if duration < HELD + BENT:
            continue
        held = recording.frame_at(HELD)
        wanted, tension = rest(way, stiffness)
        figures |= {f"{way}: joint {i + 1} at rest [rad]": float(q[held, i]) for i in range(3)}
        figures |= {f"{way}: off the balance of joints [rad]": float(np.abs(q[held] - wanted).max()),
                    f"{way}: tension off it [N]": float(abs(recording.sensors["tension"][held] - tension))}
        # what is left of the swing after 0.8 s: viscosity over stiffness is 25 to 50 ms of the overdamped joints
        if np.abs(q[held] - wanted).max() > 1e-4:
            raise CheckFailed(f"{way}: held, the joints should stand at {wanted.round(5)} rad, they are at {q[held].round(5)}")
        ledger = {name: values[held] - values[0] for name, values in recording.ledger.items()}
        paid = sum(ledger[name] for name in ("kinetic", "elastic_joint", "joint_dissipation", "joint_friction", "joint_stops",
                                             "stored:tendon", "lost:tendon"))
        figures[f"{way}: work of the tendon [J]"] = float(ledger["work:tendon"])
        if abs(paid - ledger["work:tendon"]) > 1e-4 * abs(paid):
            raise CheckFailed(f"{way}: the tendon gave {ledger['work:tendon']:.6f} J, joints and cable took {paid:.6f} J")
    return figures


def draw(recordings, folder, stiffness=4000.0):
    from robotphi.view import graphs, style
    figure, panels = style.new_figure(9.0, 3.6, 1, 2, sharey=True)
    for axes, (way, recording) in zip(panels, recordings.items(), strict=True):
        q = angles(recording)
        shown = np.linspace(0, recording.frame_at(min(BENT + 0.1, recording.time[-1])), 6).astype(int)
        for at, shade in zip(shown, np.linspace(0.15, 1.0, len(shown)), strict=True):
            eyes, joints = (1e3 * points for points in eyes_at(q[at]))
            axes.plot(*joints.T, "-o", color=style.BLUE, alpha=shade, linewidth=4.0, markersize=6,
                      label="phalanges" if shade == 1.0 else None)
            axes.plot(*eyes.T, "-o", color=style.AMBER, alpha=shade, linewidth=1.2, markersize=3,
                      label="tendon" if shade == 1.0 else None)
        axes.set(aspect="equal", xlim=(-45, 105), ylim=(-85, 10))
        style.quiet(axes, "x [mm]", "y [mm]" if way == "wound" else "", f"the tendon is {way}")
        style.legend(axes, loc="lower right")
    pictures = [style.save(figure, folder / "finger.png")]
    figure, panels = style.new_figure(9.0, 3.6, 1, 2, sharey=True)
    for axes, (way, recording) in zip(panels, recordings.items(), strict=True):
        for i, one in enumerate(angles(recording).T):
            axes.plot(recording.time, one, color=style.CYCLE[i], linewidth=1.6, label=f"joint {i + 1}")
            axes.plot([BENT, HELD], [rest(way, stiffness)[0][i]] * 2, color=style.INK, linewidth=1.0, linestyle=(0, (4, 3)),
                      label="balance of joints" if i == 0 else None)
        style.quiet(axes, "time [s]", "angle [rad]" if way == "wound" else "", f"the tendon is {way}, and let go")
        style.legend(axes, loc="lower center")
    pictures.append(style.save(figure, folder / "angles.png"))
    pictures.append(graphs.draw_ledger(recordings["wound"], folder / "ledger.png"))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
