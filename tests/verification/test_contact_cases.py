"""The cases about contact find what is a little wrong."""
import pytest

from robotphi.kernels.contact import columns
from robotphi.model import laws as contact_laws
from robotphi.verification import run_cases


@pytest.mark.parametrize(("column", "share", "name"), [
    (columns.DAMPING, 1e-5, "bouncing ball"), (columns.KINETIC_FRICTION, 1e-6, "block that slides"),
    (columns.TANGENTIAL, 0.02, "stretch of friction"), (columns.BALL_POWER, 1e-3, "balls in line")])
def test_a_law_that_is_a_little_off_fails(monkeypatch, column, share, name):
    rows = contact_laws.contact_laws

    def slightly_off(*arguments):
        of_owner, law = rows(*arguments)
        law[:, column] *= 1 + share
        return of_owner, law

    assert all(result.passed for result in run_cases(names=[name]))
    monkeypatch.setattr("robotphi.model.contact.contact_laws", slightly_off)
    assert not all(result.passed for result in run_cases(names=[name]))
