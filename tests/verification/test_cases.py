"""Every case that users can run, each within its own derived tolerance."""
import numpy as np
import pytest

from robotphi.errors import RobotphiError
from robotphi.verification import Case, Figure, all_cases, registry, run_cases


@pytest.mark.parametrize("name", all_cases())
def test_the_simulator_gives_the_exact_answer(name):
    results = run_cases(names=[name])
    assert results
    wrong = [f"{each.what}: {each.value:.9g}, exact {each.reference:.9g}, off by {each.error:.2g}, allowed {each.tolerance:.2g}"
             for each in results if not each.passed]
    assert not wrong, "\n".join(wrong)


def test_an_unknown_case_is_refused_with_the_nearest_name():
    with pytest.raises(RobotphiError, match="catenary"):
        run_cases(names=["catenry"])
    with pytest.raises(RobotphiError, match="beams and rods"):
        run_cases(groups=["beams"])


def test_cases_are_chosen_by_name_or_group_and_announced():
    seen = []
    results = run_cases(names=["axial"], progress=lambda each, done, total: seen.append((each.name, done, total)))
    assert seen == [("axial", 0, 1)]
    assert {each.group for each in results} == {"beams and rods"}
    assert results[0].seconds > 0


def test_a_wrong_number_fails_and_an_error_does_not_stop_the_rest():
    wrong = Case("wrong", "group", "what", "source", lambda: Figure(1.0, 1.2, 0.1))
    [result] = registry.run_case(wrong)
    assert not result.passed
    np.testing.assert_allclose(result.error, 0.2, rtol=1e-12)
    broken = Case("broken", "group", "what", "source", lambda: 1 / 0)
    [result] = registry.run_case(broken)
    assert not result.passed
    assert "ZeroDivisionError" in result.what


def test_a_value_that_is_not_a_number_fails():
    [result] = registry.run_case(Case("nan", "group", "what", "source", lambda: Figure(1.0, float("nan"), 0.1)))
    assert not result.passed
