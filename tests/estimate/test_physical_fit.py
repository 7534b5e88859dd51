"""Fits of rows of one's own: the same problem written out in CVXPY, bounds that hold, weights that blocks choose."""

from __future__ import annotations

import cvxpy
import numpy as np
import pytest

from freefloat.errors import ShapeError
from freefloat.estimate.physical.bounds import Box
from freefloat.estimate.physical.own_rows import physical_fit
from freefloat.estimate.physical.pseudo_inertia_program import NotSolved
from freefloat.estimate.physical.regularisers import InvalidTradeOff
from freefloat.estimate.prior import CadSpread
from freefloat.robot.parameters import parameters_from_pseudo_inertia, pseudo_inertia
from freefloat.robot.shapes import Ellipsoid

SPREAD = CadSpread(0.2, 0.3, 0.4)
UNITS = np.array([pseudo_inertia(unit) for unit in np.eye(10)])


def points_in(box, rng, count=6):
    """Parameters of random points with mass in a box, (10,)."""
    places = box.centre + (rng.uniform(-1.0, 1.0, (count, 3)) * box.half_sides) @ box.rotation.T
    one = np.column_stack([places, np.ones(count)])
    return parameters_from_pseudo_inertia(one.T @ (rng.uniform(0.1, 1.0, count)[:, None] * one))


def random_fit(seed, bodies=3, rows=80, extra=2, noise=0.3):
    """A, b, weights, extra columns and prior, which some of the bodies are far from."""
    rng = np.random.default_rng([seed, 7])
    box = Box([0.1, -0.2, 0.3], [0.3, 0.2, 0.4])
    prior, truth = (np.concatenate([points_in(box, rng) for _ in range(bodies)]) for _ in range(2))
    A, E = rng.normal(size=(rows, 10 * bodies)), rng.normal(size=(rows, extra))
    b = A @ truth + E @ rng.normal(size=extra) + noise * rng.normal(size=rows)
    return A, b, rng.uniform(0.5, 2.0, rows), E, prior


def written_out(A, b, weights, E, prior, regulariser, weight, total=None, inside=(), not_negative=()):
    """The value of the sum at its least, by CVXPY, and where that is."""
    phi, extra = cvxpy.Variable(prior.size), cvxpy.Variable(E.shape[1])
    bodies = [(prior[k : k + 10], phi[k : k + 10]) for k in range(0, prior.size, 10)]
    J = [sum(x[i] * UNITS[i] for i in range(10)) for _, x in bodies]
    limits = [each >> 0 for each in J] + [extra[k] >= 0 for k in not_negative]
    names = tuple(f"body{k + 1}" for k in range(len(bodies)))
    covariance, away = SPREAD.of_parameters(prior, names), 0.0
    for k, ((before, after), each) in enumerate(zip(bodies, J, strict=True)):
        own = covariance[10 * k : 10 * k + 10, 10 * k : 10 * k + 10]
        inverse, s = np.linalg.inv(pseudo_inertia(before)), np.sqrt(own[0, 0]) / before[0]
        if regulariser == "euclidean":
            scale = np.sqrt(np.diagonal(own))
            root = np.linalg.inv(np.linalg.cholesky(own / np.outer(scale, scale)))
            away += cvxpy.sum_squares(root @ cvxpy.multiply(1.0 / scale, after - before))
        elif regulariser == "entropic":
            constant = np.linalg.slogdet(pseudo_inertia(before))[1] - 4.0
            away += (cvxpy.trace(inverse @ each) - cvxpy.log_det(each) + constant) / (2.0 * s**2)
        else:
            root = np.linalg.inv(np.linalg.cholesky(pseudo_inertia(before)))
            away += cvxpy.sum_squares(root @ (each - pseudo_inertia(before)) @ root.T) / (4.0 * s**2)
    if total is not None:
        limits.append(sum(after[0] for _, after in bodies) == total)
    limits += [cvxpy.trace(J[body] @ Q) >= 0 for body, Q in inside]
    squares = cvxpy.sum_squares(cvxpy.multiply(np.sqrt(weights), A @ phi + E @ extra - b))
    program = cvxpy.Problem(cvxpy.Minimize(squares + weight * away), limits)
    program.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    return program.value, phi.value, extra.value


def least(fit, weights, A, b):
    """The sum at a fit."""
    return fit.residual**2 * len(b) + fit.weight * fit.distance**2


@pytest.mark.parametrize("regulariser", ["euclidean", "entropic", "pull-back"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weight", [0.1, 1.0])
@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")  # of CVXPY, asked for more than it promises
def test_the_same_problem_written_out_has_the_same_answer(regulariser, seed, weight):
    A, b, weights, E, prior = random_fit(seed)
    given = {"spread": SPREAD, "weights": weights, "extra": E}
    fit = physical_fit(A, b, prior=prior, regulariser=regulariser, weight=weight, **given)
    value, phi, extra = written_out(A, b, weights, E, prior, regulariser, weight)
    assert least(fit, weights, A, b) == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(fit.parameters, phi, rtol=0, atol=1e-6 * np.abs(phi).max())
    np.testing.assert_allclose(fit.extra, extra, rtol=0, atol=1e-6)


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
def test_bounds_are_those_written_out():
    A, b, weights, E, prior = random_fit(4)
    ball = Ellipsoid(np.array([0.1, -0.2, 0.3]), np.array([0.2, 0.2, 0.2]))
    Q = np.diag([-25.0, -25.0, -25.0, 1.0 - 25.0 * 0.14])
    Q[:3, 3] = Q[3, :3] = 25.0 * ball.centre
    total = 0.9 * prior[::10].sum()
    free = physical_fit(A, b, prior=prior, spread=SPREAD, weights=weights, extra=E, weight=0.1)
    wanted = int(np.argmin(free.extra))
    sign = np.where(np.arange(2) == wanted, -np.sign(free.extra[wanted]), 1.0)  # so that the bound counts
    fit = physical_fit(
        A,
        b,
        prior=prior,
        spread=SPREAD,
        weights=weights,
        extra=E * sign,
        weight=0.1,
        total_mass=total,
        inside={"body2": ball},
        not_negative=[wanted],
    )
    value, phi, extra = written_out(A, b, weights, E * sign, prior, "euclidean", 0.1, total, [(1, Q)], [wanted])
    assert least(fit, weights, A, b) == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(fit.parameters, phi, rtol=0, atol=1e-5 * np.abs(phi).max())
    assert fit.parameters[::10].sum() == pytest.approx(total, rel=1e-6)
    assert fit.extra[wanted] == pytest.approx(extra[wanted], abs=1e-6)
    assert fit.extra[wanted] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_bodies_in_a_box_meet_its_conditions_and_those_that_stick_out_do_not(seed):
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    box = Box(rng.normal(size=3), rng.uniform(0.1, 1.0, 3), turn)
    inner, smaller = points_in(box, rng), Box(box.centre, 0.5 * box.half_sides, turn)
    corner = np.append(box.centre + turn @ box.half_sides, 1.0)
    corner_body = parameters_from_pseudo_inertia(np.outer(corner, corner) + 1e-9 * np.eye(4))
    A, spread = np.eye(10), CadSpread(1.0, 1.0, 1.0)
    for body, bound, stays in ((inner, box, True), (corner_body, smaller, False)):
        fit = physical_fit(A, body, prior=inner, spread=spread, weight=1e-6, inside={"body1": bound})
        assert (np.abs(fit.parameters - body).max() < 1e-4) == stays


def test_a_mass_known_or_bounded_is_kept():
    A, b, _, E, prior = random_fit(5)
    total = prior[::10].sum()
    for asked in ((None, 0.8 * total), (1.5 * total, None), (1.4 * total, 1.5 * total)):
        found = physical_fit(A, b, prior=prior, extra=E, weight=1.0, total_mass=asked).parameters[::10].sum()
        low, high = (0.0 if asked[0] is None else asked[0]), (np.inf if asked[1] is None else asked[1])
        assert low * (1 - 1e-6) <= found <= high * (1 + 1e-6)
    near = physical_fit(A, b, prior=prior, extra=E, weight=1e-3, mass_factor=1.1).parameters[::10] / prior[::10]
    assert ((near > 1 / 1.1 - 1e-6) & (near < 1.1 + 1e-6)).all()
    assert (np.abs(near - 1.0) > 0.05).any()


def test_what_no_bodies_fulfil_is_said_in_one_sentence():
    A, b, _, E, prior = random_fit(6)
    with pytest.raises(NotSolved, match="every body can exist; the total mass is 1000 kg; masses are within a factor"):
        physical_fit(A, b, prior=prior, extra=E, weight=1.0, total_mass=1000.0, mass_factor=2.0)
    with pytest.raises(InvalidTradeOff, match="regulariser is 'manhattan'; allowed: euclidean, entropic, pull-back"):
        physical_fit(A, b, prior=prior, regulariser="manhattan")
    with pytest.raises(InvalidTradeOff, match="weight is 0"):
        physical_fit(A, b, prior=prior, weight=0.0)
    with pytest.raises(InvalidTradeOff, match="total_mass is -1"):
        physical_fit(A, b, prior=prior, total_mass=-1.0)
    with pytest.raises(ShapeError, match=r"A has 30 columns and there are 2 names"):
        physical_fit(A, b, prior=prior, bodies=("one", "two"))
    with pytest.raises(ShapeError, match=r"not_negative is \(2,\); allowed: numbers of the 2 columns"):
        physical_fit(A, b, prior=prior, extra=E, not_negative=[2])
    with pytest.raises(ShapeError, match="not finite"):
        physical_fit(A, np.full_like(b, np.nan), prior=prior)


def test_blocks_choose_a_strong_weight_where_the_cad_model_is_right_and_a_weak_one_where_it_is_not():
    A, _, _, E, prior = random_fit(8, rows=160)
    rng = np.random.default_rng(9)
    chosen = []
    for factor in (1.0, 3.0):
        b = A @ (factor * prior) + 0.5 * rng.normal(size=160)
        fit = physical_fit(A, b, prior=prior, extra=E, blocks=4)
        assert fit.weight in fit.tried[:, 0]
        chosen.append(fit.weight)
        assert np.abs(fit.parameters / factor - prior).max() < 0.3
    assert chosen[0] > 30.0 * chosen[1]


@pytest.mark.parametrize("regulariser", ["euclidean", "entropic", "pull-back"])
def test_thirteen_bodies_that_hardly_any_row_shows_can_exist(regulariser):
    A, b, weights, E, prior = random_fit(10, bodies=13, rows=60, extra=12)
    fit = physical_fit(A, b, prior=prior, weights=weights, extra=E, weight=1.0, regulariser=regulariser)
    for body in fit.parameters.reshape(-1, 10):
        assert np.linalg.eigvalsh(pseudo_inertia(body))[0] > 0.0
