"""Elasticity: responses of springs, stiffnesses of materials, and the fit of a cell."""
import numpy as np
import pytest

from robotphi.discretise.matter.elasticity import (
    angular_response,
    fit,
    isotropic,
    linear_response,
    mandel,
    moduli,
    nearest_isotropic,
    orthotropic,
    rotated,
    unmandel,
    whitening,
)

SEED = np.random.default_rng(7)


def random_strain():
    strain = SEED.standard_normal((3, 3))
    return strain + strain.T


def angle(p, q):
    return np.arctan2(np.linalg.norm(np.cross(p, q)), p @ q)


def test_mandel_keeps_scalar_products_and_comes_back():
    a, b = random_strain(), random_strain()
    assert mandel(a) @ mandel(b) == pytest.approx(np.sum(a * b), rel=1e-14)
    assert np.allclose(unmandel(mandel(a)), a, rtol=0, atol=1e-15)


def test_responses_are_the_derivatives_of_lengths_and_angles():
    strain, step = random_strain(), 1e-6
    p, q = SEED.standard_normal((2, 3))

    def both(sign):
        moved = np.eye(3) + sign * step * strain
        return np.array([np.linalg.norm(moved @ p), angle(moved @ p, moved @ q)])

    wanted = (both(1) - both(-1)) / (2 * step)  # central differences: error step² times a third derivative of order 10
    got = [linear_response(p) @ mandel(strain), angular_response(p, q) @ mandel(strain)]
    assert np.allclose(got, wanted, rtol=0, atol=1e-9)


@pytest.mark.parametrize("poisson", [0.0, 0.1, 0.25, 0.4])
def test_an_isotropic_stiffness_has_its_moduli(poisson):
    found = moduli(isotropic(3e5, poisson))
    assert np.allclose(found["young"], 3e5)
    assert np.allclose(list(found["poisson"].values()), poisson)
    assert np.allclose(list(found["shear"].values()), 3e5 / (2 * (1 + poisson)))
    assert found["anisotropy"] < 1e-15
    assert nearest_isotropic(isotropic(3e5, poisson)) == pytest.approx((3e5, poisson))


def test_an_orthotropic_stiffness_has_the_moduli_asked_for_and_all_indices_alike():
    young = np.array([1e6, 2e5, 4e4])
    stiffness = orthotropic(young)
    found = moduli(stiffness)
    assert np.allclose(found["young"], young)
    assert found["poisson"]["xy"] == pytest.approx(0.25 * np.sqrt(young[0] / young[1]))
    assert found["shear"]["xy"] == pytest.approx(np.sqrt(young[0] * young[1]) / 2.5)
    assert np.linalg.eigvalsh(stiffness)[0] > 0
    # C_xxyy = C_xyxy; Mandel's last diagonal terms count twice
    assert np.allclose(np.diag(stiffness)[3:] / 2, [stiffness[1, 2], stiffness[2, 0], stiffness[0, 1]])


def test_a_stiffness_turns_with_its_frame():
    frame, _ = np.linalg.qr(SEED.standard_normal((3, 3)))
    young = (1e6, 2e5, 4e4)
    turned = rotated(orthotropic(young), frame)
    for axis, modulus in zip(frame.T, young, strict=True):
        stretch = mandel(np.outer(axis, axis))
        assert 1 / (stretch @ np.linalg.inv(turned) @ stretch) == pytest.approx(modulus)


def test_whitening_makes_a_stiffness_one():
    white = whitening(isotropic(2e5, 0.25))
    assert np.allclose(white @ isotropic(2e5, 0.25) @ white, np.eye(6))


def test_a_fit_of_many_springs_reaches_its_stiffness_without_a_negative_one():
    arms = SEED.standard_normal((1, 60, 3))
    response, volume = linear_response(arms), np.array([2.0])
    stiffness, left = fit(response, np.ones((1, 60)), volume, isotropic(5.0, 0.25)[None], whitening(isotropic(5.0, 0.25)))
    made = np.einsum("si,s,sj->ij", response[0], stiffness[0], response[0]) / volume[0]
    assert (stiffness > 0).all()
    assert left[0] < 1e-12
    assert np.allclose(made, isotropic(5.0, 0.25), rtol=0, atol=1e-11)


def test_what_central_springs_cannot_reach_is_told_as_mismatch():
    arms = SEED.standard_normal((1, 60, 3))
    target = isotropic(5.0, 0.4)
    stiffness, left = fit(linear_response(arms), np.ones((1, 60)), np.array([1.0]), target[None], whitening(target))
    assert (stiffness > 0).all()
    assert left[0] > 0.1
