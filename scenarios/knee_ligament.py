"""A knee is bent, and its ligaments pull: lengths, strains, tensions, forces on both bones; drawer, tension test, graft maps.

After A. Joukhadar, INRIA RR-3072 (1996), section 5: fibres of 20 particles with springs along and dampers across, and a bone
that is drawn slowly through a passive flexion. Strands of cruciate and collateral ligaments after Lenhart et al. (2015), with
the law of Blankevoort et al. (1991); the way by Walker et al. (1988), or any other, `--set motion=poses.csv`, and strands of
any other knee, `--set table=strands.csv`: docs/knee_ligament.md says what these files hold. Rest along the way comes from
equilibria, slow dynamics stands beside it.

Exact: where nothing is in the way the tension of a fibre is its law at the straight line from end to end; pulled along itself a
ligament has Σ k/L0 cos². Woo et al. (1991) measured 242 ± 28 N/mm between two bones: the table gives more, and is not changed.
"""
import numpy as np

from robotphi import CheckFailed, ScenarioError
from robotphi.applications.ligament import Flexion, bone_of, graft_map, knee_scene, passive_study, read_knee, tension_test
from robotphi.applications.ligament.bones import NOMINAL
from robotphi.applications.ligament.fibres import FOLDS
from robotphi.applications.ligament.published import FAILURE, LAXITY, STIFFNESS
from robotphi.applications.ligament.scatter import SCATTER, example_scatter, scatter_of
from robotphi.record.measure import tensions
from robotphi.scenario import run_scenario

LAW, SLOW, PULLED, JUMP = 1e-6, 2e-3, 1e-2, 1e-2   # of the peak; of the peak; of the sum; of the volume, a degree
MOVIES = ("", "webp", "gif", "mp4")
QUICK = {"frames": 20}


def build(motion="walker", table="", ligament="", reading="source", of="tibia", axes="", names="", markers="", gap=0.2,
          smoothing=0.0, slack="table", reference=0.02, at=30.0, fibres=0, particles=20, femur="", tibia="", unit="mm",
          parts=16, movie="", bending=1e-5, duration=10.0, frames=60, budget=1e-4):
    """The femur drawn slowly through the motion.

    Args:
        motion: "walker", or a file of poses, joint angles or markers; of: whose poses they are; axes: of their turns;
            names: of columns that are called otherwise; markers: where they are on bones; gap: bridged [s]; smoothing: [Hz].
        table: a file of strands; ligament: which of them, the ACL unless told.
        reading: of Walker's polynomials.
        slack: by the "table", or so that all strands have a "strain" or a "force" [N], `reference`, at a flexion `at` [deg].
        fibres: how many strands are taken, 0 for all; the report has 9.
        particles: of a fibre.
        femur, tibia: bones round which fibres lie in the study, "nominal" or a closed mesh in this unit, cut into so many
            convex parts; what is drawn slowly goes straight.
        movie: "webp", "gif" or (with ffmpeg) "mp4" of the study; bones that are not told are drawn as nominal ones.
        bending: viscosity of the angular springs along slow fibres [N·m·s/rad]; none where they become so slack that they fold.
    """
    if movie not in MOVIES:
        raise ScenarioError(f"movie is {movie!r}; give one of: {', '.join(MOVIES[1:])}")
    it = read_knee(motion, table, ligament, reading, of, axes, names, markers, gap, smoothing, slack, reference, at, fibres)
    return knee_scene(it.strands, it.flexion.slowly(duration)[0], particles, bending=bending, duration=duration, frames=frames,
                      budget=budget)[0]


def studied(particles=20, femur="", tibia="", unit="mm", parts=16, movie="", bending=0.0, duration=10.0, frames=60, budget=1e-4,
            **knobs):
    it = read_knee(**knobs)
    bones = {what: bone_of(what, told, unit, parts) for what, told in (("femur", femur), ("tibia", tibia)) if told}
    return it, passive_study(it.strands, it.flexion, particles, bones)


def check(recording, **knobs):
    it, study = studied(**knobs)
    peak, total = study.tension.max(), study.tension.sum(axis=1).max()
    straight = passive_study(it.strands, it.flexion, study.places.shape[2] - 2) if study.wound else study
    law = float(np.abs(straight.tension - straight.law_at_chord()).max() / max(peak, 1e-3))
    slow = beside(recording, it, study)
    volume, turned = study.volume(it.name), np.maximum(np.abs(np.diff(it.flexion.degrees)), 1.0)
    jump = float((np.abs(np.diff(volume)) / np.maximum(volume[1:], 1e-12) / turned).max())
    figures = {"least flexion [deg]": it.flexion.degrees.min(), "most flexion [deg]": it.flexion.degrees.max(),
               f"largest tension of a strand of the {it.name} [N]": peak, f"largest tension of the {it.name} [N]": total,
               "least strain [%]": 100 * study.strain.min(), "most strain [%]": 100 * study.strain.max(),
               f"shortest strand over its slack length; below {FOLDS:g} slow fibres fold, without angular dampers":
               (it.strands.lengths(it.flexion.poses) / it.strands.slack).min(),
               "tension off its law at the chord, over the peak": law, "slow dynamics off equilibria, over the peak": slow,
               "least volume [mm3]": 1e9 * volume.min(), "most volume [mm3]": 1e9 * volume.max(),
               "largest change of volume a degree": jump, "flexion of the tests [deg]": it.at}
    figures |= {f"largest tension [N], read as: {said}": it.strands.tension(it.strands.lengths(flexion.poses)).sum(axis=1).max()
                for said, flexion in it.readings().items() if it.walked}
    if study.wound:
        figures |= {"longest way round the bones, more than straight [mm]": 1e3 * (study.length - straight.length).max(),
                    "farthest a fibre slips off an edge between two poses [mm]": 1e3 * study.slipped.max(),
                    "deepest end of a strand within its bone [mm]": 1e3 * study.wound.sunk}
    figures |= pulled(it) | pushed(it) | grafted(it) | scattered(it)
    if law > LAW or (it.walked and (slow > SLOW or jump > JUMP)):
        raise CheckFailed(f"tension is {law:.1e} off its law, dynamics {slow:.1e} off rest, the volume jumps by {jump:.1e}")
    return figures


def beside(recording, it, study):
    """Largest difference of the tension of any fibre between slow dynamics and equilibria at its frames, over the peak."""
    n, springs = len(it.strands), recording.scene.things["ligament.fibres"].indices
    moved = np.array([tensions(recording.model, recording.position[k], recording.velocity[k], recording.time[k], None, springs)
                      for k in range(len(recording))]).reshape(len(recording), n, -1)
    motion = recording.scene.things["femur"].motion
    still = passive_study(it.strands, Flexion(motion, recording.time, it.flexion.said), moved.shape[2] - 1)
    return float(np.abs(moved[..., [0, -1]] - still.pull).max() / max(still.pull.max(), 1e-3))


def pulled(it):
    test = tension_test(it.strands, it.flexion.pose_at(it.at))
    if abs(test.stiffness - test.by_cosines) > PULLED * test.by_cosines:
        raise CheckFailed(f"pulled along itself it has {test.stiffness:.4g} N/m, not {test.by_cosines:.4g}")
    figures = {"pulled along itself, straight part [N/mm]": 1e-3 * test.stiffness,
               "sum of k/L0 cos^2 [N/mm]": 1e-3 * test.by_cosines, "sum of k/L0 [N/mm]": 1e-3 * test.by_table}
    if test.force[-1] > 500.0:
        figures["secant from 50 to 500 N [N/mm]"] = 1e-3 * test.secant()
    if it.name == "ACL":
        figures |= {f"published, {STIFFNESS.value / 1e3:g} +- {STIFFNESS.spread / 1e3:g}: {STIFFNESS.source} [N/mm]":
                    1e-3 * STIFFNESS.value}
        if test.stiffness > STIFFNESS.value:
            figures["what in series would join the two [N/mm]"] = 1e-3 / (1 / STIFFNESS.value - 1 / test.stiffness)
    return figures


def pushed(it):
    figures = {}
    for case, test in it.drawers().items():
        figures |= {f"drawer of {test.force[-1]:g} N along x alone, {it.name} {case}: {what} [mm]": 1e3 * getattr(test, what)
                    for what in ("anterior", "posterior", "total")}
        if it.name == "ACL":
            figures[f"published, {case}, {LAXITY[case].of}: {LAXITY[case].source}: total [mm]"] = 1e3 * LAXITY[case].value
    return figures


def grafted(it):
    return {f"best place on the femur, {axis} from the middle [mm] ({said})": 1e3 * shift
            for said, flexion in it.readings().items() for found in [graft_map(it.strands, flexion, at=it.at)]
            for axis, shift in zip(found.axes, found.best(), strict=True)}


def scatter(it):
    return example_scatter(it.strands, it.flexion) if it.walked else scatter_of(it.strands, it.flexion)


def scattered(it):
    figures = {f"scatter of {1e3 * SCATTER:g} mm is a strain of [%]": 100 * np.sqrt(np.mean((SCATTER / it.strands.slack) ** 2))}
    found = scatter(it)
    if found is not None and found.smooth is not None:
        figures[f"strain that a filter at {found.cutoff:g} Hz takes away, rms [%]"] = 100 * found.of_strain
    return figures


def draw(recording, folder, **knobs):
    from robotphi.view import ligament_tests, ligaments

    it, study = studied(**knobs)
    study.strand_table().to_csv(folder / "strands.csv")
    study.group_table().to_csv(folder / "ligaments.csv")
    study.to_json(folder / "knee.json", flexion_of_tests=it.at)
    test, found = tension_test(it.strands, it.flexion.pose_at(it.at)), scatter(it)
    is_acl = it.name == "ACL"
    ligaments.draw_page(study, f"{it.name}: what it bears as the knee is bent", folder / "page.pdf")
    paths = [ligaments.draw_fibres(study, folder / "fibres.png"), ligaments.draw_passive(study, folder / "passive.png"),
             ligaments.draw_lengths(it.strands, it.readings(), folder / "lengths.png"),
             ligament_tests.draw_tests(test, it.drawers(), it.at, folder / "tests.png", STIFFNESS if is_acl else None),
             ligament_tests.draw_laxity(*it.laxity(), it, folder / "laxity.png", LAXITY if is_acl else {})]
    paths += [ligament_tests.draw_scatter(found, it.strands, folder / "scatter.png")] if found is not None else []
    maps = [graft_map(it.strands, it.flexion, bone, at=it.at) for bone in ("femur", "tibia")]
    if knobs.get("movie"):
        from robotphi.view.knee_movie import write_knee_movie
        bones = {what: bone_of(what, NOMINAL) for what in ("femur", "tibia")} | (study.wound.bones if study.wound else {})
        paths.append(write_knee_movie(study, bones, folder / f"knee.{knobs['movie']}"))
    return [*paths, ligament_tests.draw_graft_maps(maps, folder / "grafts.png", FAILURE if is_acl else None)]


if __name__ == "__main__":
    run_scenario(__file__)
