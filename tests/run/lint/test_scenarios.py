"""What is told before a run of the project's own scenarios: nothing that is likely to be wrong, and few things to know."""
import warnings

import pytest

from robotphi.run.lint.report import lint
from robotphi.scenario import list_scenarios, load_scenario

# scenario → checks that speak of it, rightly: block_slide shows blocks that slide; jelly hangs on a heavy cube; a cable and a
# table top of two cells across are somewhat stiff; and one block of springs sets the step of a rod along it, a cloth, a jelly
NOTES = {"block_slide": {"too steep"}, "cable": {"locking"}, "cantilever": {"lone setter"}, "cloth_on_sphere": {"lone setter"},
         "discretisations": {"locking"}, "jelly_cube": {"lone setter", "mass ratio"}, "sphere_into_soft": {"locking"}}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(list_scenarios()))
def test_a_scenario_is_clean_but_for_what_is_known_of_it(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = lint(load_scenario(name).module.build())
    assert [each.text for each in report.serious] == []
    assert set(report.found) == NOTES.get(name, set())
    assert report.steps >= report.frames
