"""Strands: their law and its inverse, tables in several units, slack told in three ways, and errors with line and column."""
import numpy as np
import pytest

from robotphi import Scene, SceneError, equilibria
from robotphi.applications.data import data_file
from robotphi.applications.ligament import read_strands
from robotphi.applications.ligament.fibres import HELD, add_fibres
from robotphi.applications.ligament.strands import law, slack_of_force, strain_of

HEADS = "strand,femur x [mm],femur y [mm],femur z [mm],tibia x [mm],tibia y [mm],tibia z [mm]"
PLACES = "0,30,0,0,0,0"


def written(folder, text):
    path = folder / "strands.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_law_is_smooth_quadratic_then_straight():
    stiffness, toe = 820.0, 0.06
    strain = np.array([-0.05, 0.0, 0.03, 0.06, 0.10])
    wanted = [0.0, 0.0, 820 * 0.03**2 / 0.12, 820 * 0.03, 820 * 0.07]
    np.testing.assert_allclose(law(strain, stiffness, toe), wanted, rtol=1e-14)
    slopes = np.diff(law(np.array([0.06 - 1e-7, 0.06, 0.06 + 1e-7]), stiffness, toe)) / 1e-7
    np.testing.assert_allclose(slopes, stiffness, rtol=1e-5)


@pytest.mark.parametrize("force", [0.5, 20.0, 24.6, 300.0])
def test_a_strain_and_a_slack_length_of_a_force_give_that_force(force):
    stiffness, toe, length = 820.0, 0.06, 0.031
    assert law(strain_of(force, stiffness, toe), stiffness, toe) == pytest.approx(force, rel=1e-13)
    slack = slack_of_force(length, force, stiffness, np.nan, toe)
    assert law(length / slack - 1.0, stiffness, toe) == pytest.approx(force, rel=1e-10)
    pitch = 3e4
    slack = float(slack_of_force(length, force, np.nan, pitch, toe))
    assert law(length / slack - 1.0, pitch * slack, toe) == pytest.approx(force, rel=1e-10)


def test_a_fibre_of_particles_has_the_law_of_its_strand(tmp_path):
    """21 springs in series, slack, in the toe and beyond it, each by the strain of the whole."""
    path = written(tmp_path, f"{HEADS},stiffness [N/strain],slack length [mm]\na,{PLACES},820,30\nb,{PLACES},500,29")
    strands = read_strands(path)
    scene = Scene("pulled", gravity=(0, 0, 0))
    femur, tibia = (scene.add_rigid(name, getattr(strands, name), **HELD) for name in ("femur", "tibia"))
    fibres = add_fibres(scene, "both", strands, femur.particles, tibia.particles)
    ways = np.linspace(-1e-3, 4e-3, 11)
    study = equilibria(scene, {"femur": [(0.0, way, 0.0) for way in ways]})
    wanted = strands.tension((0.03 + ways)[:, None])
    assert wanted[0, 0] == 0.0
    assert wanted[-1].min() > 60.0
    found = study.tension(fibres.springs).reshape(len(ways), 2, 21)
    np.testing.assert_allclose(found, np.broadcast_to(wanted[:, :, None], found.shape), atol=1e-6 * wanted.max())


def test_stiffness_and_slack_may_be_told_in_several_ways(tmp_path):
    """820 N per strain at 30 mm are 27.333 N/mm; drawn to 31.5 mm, 5 %, they pull with 820 × 0.05²/0.12 N."""
    pose = np.eye(4)
    pose[1, 3] = 1.5e-3
    found = []
    for told, values in (("stiffness [N/strain],slack length [mm]", "820,30"),
                         ("stiffness [N/mm],slack length [cm]", "27.33333333333,3"),
                         ("stiffness [N],reference strain [%]", "820,5"),
                         ("stiffness [N/mm],reference force [N]", f"27.33333333333,{820 * 0.05**2 / 0.12}")):
        strands = read_strands(written(tmp_path, f"{HEADS},{told}\na,{PLACES},{values}")).slack_in(pose)
        found.append([strands.slack[0], strands.stiffness[0], strands.tension(strands.lengths(pose[None]))[0, 0]])
    np.testing.assert_allclose(found, np.broadcast_to([0.03, 820.0, 820 * 0.05**2 / 0.12], (4, 3)), rtol=1e-9)


def test_the_table_that_ships_has_the_stiffness_of_its_source():
    """Σ k/L0 of 347 N/mm for the cruciate (151 and 196 of its bundles), 39 and 45 of collaterals."""
    strands = read_strands(data_file("knee/ligaments.csv"))
    assert len(strands) == 42
    sums = {name: (strands.of(name).stiffness / strands.of(name).slack).sum() * 1e-3
            for name in ("ACL", "ACLam", "ACLpl", "PCL", "MCLs", "LCL")}
    wanted = {"ACL": 347, "ACLam": 151, "ACLpl": 196, "PCL": 180, "MCLs": 39, "LCL": 45}
    assert {name: round(value) for name, value in sums.items()} == wanted
    assert strands.of("ACL").names[0] == "ACLpl1"
    assert len(strands.without("ACL")) == 30


def test_fewer_strands_are_as_stiff_together():
    strands = read_strands(data_file("knee/ligaments.csv")).of("ACL")
    fewer = strands.thinned(9)
    assert len(fewer) == 9
    assert fewer.stiffness.sum() == pytest.approx(strands.stiffness.sum(), rel=1e-14)
    assert {name[:5] for name in fewer.names} == {"ACLam", "ACLpl"}


@pytest.mark.parametrize(("told", "row", "words"), [
    ("stiffness [N/strain],slack length [mm]", f"a,{PLACES},82o,30", r"line 4, column 'stiffness \[N/strain\]': '82o'"),
    ("stiffness [N/strain],slack length [mm]", f"a,{PLACES},-1,30", r"line 4, column 'stiffness \[N/strain\]': it is -1"),
    ("stiffness [lb],slack length [mm]", f"a,{PLACES},1,30", r"'lb'; write stiffness \[N/strain\] or"),
    ("stiffness [N/mm]", f"a,{PLACES},1", "none of the columns slack length"),
    ("stiffness [N/mm],slack length [mm],reference force [N]", f"a,{PLACES},1,30,40", "line 4, column 'reference force"),
    ("stiffness [N/mm],slack length [mm],reference force [N]", f"a,{PLACES},1,,", "line 4, .* 0 of slack length"),
    ("stiffness [N/mm],slack length [mm]", f"a,{PLACES},1,0", r"line 4, column 'slack length \[mm\]': it is 0"),
    ("stiffness [N/mm],slack length [mm]", f",{PLACES},1,30", "line 4, column 'strand': it is called ''"),
    ("stiffness [N/mm],slack length [mm]", f"a,{PLACES},1", "line 4 has 8 columns, the heads 9"),
    ("stiffness [N/mm],slack length [mm],toe strain [%]", f"a,{PLACES},1,30,0", r"line 4, column 'toe strain \[%\]': it is 0"),
    ("stiffness [N/mm],slack length [mm],femur x [mm]", f"a,{PLACES},1,30,0", "two columns"),
])
def test_what_is_wrong_in_a_table_is_told_with_line_and_column(tmp_path, told, row, words):
    with pytest.raises(SceneError, match=words):
        read_strands(written(tmp_path, f"{HEADS},{told}\n\n\n{row}\n"))


def test_what_cannot_be_is_refused(tmp_path):
    strands = read_strands(written(tmp_path, f"{HEADS},stiffness [N/mm],reference force [N]\na,{PLACES},10,700"))
    on_each_other = np.eye(4)
    on_each_other[1, 3] = -0.03
    with pytest.raises(SceneError, match="no slack length gives 700 N at 0 m"):
        strands.slack_in(on_each_other)
    with pytest.raises(SceneError, match="unknown ligament 'ACl'"):
        read_strands(data_file("knee/ligaments.csv")).of("ACl")
    scene = Scene("knee")
    bones = [scene.add_rigid(name, getattr(strands, name), **HELD) for name in ("femur", "tibia")]
    with pytest.raises(SceneError, match="fix them"):
        add_fibres(scene, "acl", strands, bones[0].particles, bones[1].particles)
