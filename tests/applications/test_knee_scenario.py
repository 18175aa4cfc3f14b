"""The scenario of the knee with files that others made: poses and strands of their own, and files that are wrong."""
import csv
import json

import numpy as np
import pytest

from robotphi import ScenarioError, SceneError
from robotphi.scenario import load_scenario, perform

HEADS = ("strand,stiffness [N/mm],reference force [N],femur x [mm],femur y [mm],femur z [mm],tibia x [mm],tibia y [mm],"
         "tibia z [mm]")
STRANDS = (f"{HEADS}\nfront 1,60,20,0,4,3,16,-20,-4\nfront 2,60,20,1,3,4,18,-21,-2\nback 1,70,10,-4,0,7,10,-21,0\n"
           "back 2,70,10,-3,-3,7,12,-22,4\n")


@pytest.fixture
def files(tmp_path):
    """A tibia that is bent from 40° to 70° in 2 s, as quaternions, and four strands without names of ligaments."""
    (tmp_path / "strands.csv").write_text(STRANDS, encoding="utf-8")
    lines = ["time [ms],x [mm],y [mm],z [mm],qw,qx,qy,qz"]
    for share in np.linspace(0.0, 1.0, 31):
        half = -0.5 * np.radians(40.0 + 30.0 * share)
        row = 2000 * share, -2 * share, share, 0, np.cos(half), 0, 0, np.sin(half)
        lines.append(",".join(repr(float(each)) for each in row))
    (tmp_path / "poses.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def knobs(folder, **more):
    return {"motion": str(folder / "poses.csv"), "table": str(folder / "strands.csv"), "frames": 10, "duration": 4.0, **more}


def test_files_of_others_run_alone(files):
    outcome = perform(load_scenario("knee_ligament"), knobs(files), files / "out")
    assert outcome.passed, outcome.error
    assert outcome.checked
    assert outcome.figures["least flexion [deg]"] == pytest.approx(40.0, abs=1e-6)
    assert outcome.figures["flexion of the tests [deg]"] == pytest.approx(40.0, abs=1e-6)   # 30° is not there
    with (files / "out" / "strands.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[0]["front 1 tension [N]"]) == pytest.approx(20.0, rel=1e-6)
    assert json.loads((files / "out" / "knee.json").read_text(encoding="utf-8"))["motion"] == "poses.csv, poses of the tibia"
    assert len(outcome.pictures) == 7


def test_what_is_wrong_in_files_of_others_names_file_line_and_column(files):
    scenario = load_scenario("knee_ligament")
    (files / "strands.csv").write_text(STRANDS.replace("70,10,-4", "70,ten,-4"), encoding="utf-8")
    with pytest.raises(SceneError, match=r"'strands\.csv': line 4, column 'reference force \[N\]': 'ten' is no number"):
        scenario.module.build(**knobs(files))
    with pytest.raises(SceneError, match="cannot be read"):
        scenario.module.build(**knobs(files, table=str(files / "none.csv")))
    with pytest.raises(ScenarioError, match="'frame'"):
        perform(scenario, {"frame": 3}, files / "out", view=False)


def test_slack_may_be_told_for_all_strands():
    module = load_scenario("knee_ligament").module
    it = module.read_knee(slack="strain", reference=0.03, at=20.0, fibres=9)
    assert len(it.strands) == 9
    strain = it.strands.lengths(it.flexion.pose_at(20.0)[None]) / it.strands.slack - 1.0
    np.testing.assert_allclose(strain, 0.03, rtol=1e-12)
