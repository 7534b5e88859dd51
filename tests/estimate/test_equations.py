"""The linear view of a problem: rows that hold for the truth, and what errors of the samples do to them."""

from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_agree
from estimate.problems import MODELS, MOMENTA, fly, make_case, true_clusters, with_noise
from scipy.integrate import cumulative_simpson
from scipy.spatial.transform import Rotation

from freefloat.errors import ShapeError
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.linear.system import plain_roots
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.rows.equations import stack_equations
from freefloat.estimate.rows.model_rows import NoisyChannel
from freefloat.models.model import NotApplicable
from freefloat.models.summary import UnknownModel
from freefloat.robot.rotations import rotations

RATES = ("momentum", "angular-momentum", "base-velocity")
STACKS = [*((model,) for model in MODELS), ("momentum", "torque"), ("angular-momentum", "base-velocity")]


def with_nuisances(case, equations):
    """Clusters of the robot that flew, and the nuisances that fit its exact rows best."""
    truth, c = case.truth(equations), len(equations.minimal)
    rest = equations.right - equations.matrix[:, :c] @ truth
    return np.append(truth, np.linalg.lstsq(equations.matrix[:, c:], rest, rcond=None)[0])


def misfit(case):
    """Largest error of any row at the truth, over the largest term of its kind; nuisances as they fit best."""
    equations = case.problem.equations()
    truth, c = case.truth(equations), len(equations.minimal)
    rest = equations.right - equations.matrix @ with_nuisances(case, equations)
    sizes = np.abs(equations.matrix[:, :c] * truth).max(axis=1)
    worst = [np.abs(rest[block.rows]).max() / sizes[block.rows].max() for block in equations.blocks]
    return max(worst)


# ---------------------------------------------------------------------- rows


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("models", STACKS, ids="+".join)
def test_the_truth_satisfies_the_rows_whatever_the_momentum(models, seed):
    momentum = MOMENTA[seed % 3] if set(models) & set(RATES) else "zero"
    case = make_case(models, seed, momentum=momentum, scale=("wheels", "known")[seed // 3])
    assert misfit(case) < 1e-8 if "energy" in models else misfit(case) < 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_an_unknown_momentum_comes_out_in_inertial_axes(seed):
    case = make_case("angular-momentum", seed, momentum="unknown", base="free")
    samples = case.exact[0]
    equations = case.problem.equations()
    c = len(equations.minimal)
    h = np.linalg.lstsq(
        equations.matrix[:, c:], equations.right - equations.matrix[:, :c] @ case.truth(equations), rcond=None
    )[0]
    known = make_case("angular-momentum", seed, momentum="known", base="free").problem.flights[0].momentum.vector
    assert equations.nuisances == ("momentum x", "momentum y", "momentum z")
    np.testing.assert_allclose(h, rotations(samples.attitude)[0] @ known, rtol=0, atol=1e-9)


def test_velocity_that_is_an_integrated_acceleration_gets_columns_for_its_constant_error():
    case = make_case("base-velocity", 5, base="free", n=3000)
    samples = case.exact[0]
    R, bias = rotations(samples.attitude), np.array([1e-3, -2e-3, 3e-3])
    drift = np.einsum("kji,kjl,l->ki", R, cumulative_simpson(R, x=samples.t, axis=0, initial=0.0), bias)
    flight = Flight(replace(samples, v=samples.v + drift), walks={"v": 1e-5})
    problem = replace(case.problem, flights=(flight,), nuisances=Nuisances())
    equations = problem.equations()
    solution = np.linalg.lstsq(equations.matrix, equations.right, rcond=None)[0]
    assert equations.nuisances[-3:] == ("velocity bias x", "velocity bias y", "velocity bias z")
    np.testing.assert_allclose(solution[-3:], bias, rtol=1e-6)
    np.testing.assert_allclose(solution[: len(equations.minimal)], case.truth(equations), rtol=0, atol=1e-7)


def test_models_over_the_same_clusters_share_columns_and_others_stand_side_by_side():
    shared = make_case(("momentum", "torque"), 3).problem
    assert len(shared.equations().minimal) == len(shared.minimal)
    apart = make_case(("angular-momentum", "base-velocity"), 3).problem
    both = apart.equations()
    alone = [apart.equations((model,)).minimal for model in apart.models]
    assert both.minimal.leaders == alone[0].leaders + alone[1].leaders
    assert both.minimal.formulas == alone[0].formulas + alone[1].formulas
    own = [both.matrix[block.rows].any(axis=0)[: len(both.minimal)] for block in both.blocks]
    assert not (own[0] & own[1]).any()


def test_each_flight_has_its_own_momentum():
    case = make_case("momentum", 4, momentum="unknown", flights=2, base="free")
    equations = case.problem.equations()
    assert len(equations.nuisances) == 12
    assert equations.nuisances[6] == "linear momentum x flight 2"
    assert misfit(case) < 1e-12


def test_blocks_say_which_rows_are_which():
    equations = make_case(("momentum", "torque"), 3, flights=2).problem.equations()
    assert [(block.model, block.flight) for block in equations.blocks] == [
        ("momentum", 0),
        ("torque", 0),
        ("momentum", 1),
        ("torque", 1),
    ]
    stops = [block.rows.stop for block in equations.blocks]
    assert [block.rows.start for block in equations.blocks] == [0, *stops[:-1]]
    assert stops[-1] == len(equations.right)


@pytest.mark.parametrize("seed", range(4))
def test_a_body_that_was_not_there_leaves_rows_of_the_robot_without_it(seed):
    """The load is a fixed body of its own: present in the second flight only."""
    whole = make_case("momentum", seed, base="free", scale="wheels")
    robot = whole.robot
    load = robot.body_names[-1]
    bare = robot.with_parameters(
        np.where(np.arange(robot.parameters.size) // 10 == len(robot.body_names) - 1, 0.0, robot.parameters)
    )
    first = replace(make_flight(bare, seed), without=(load,))
    problem = Problem(robot, (first, make_flight(robot, seed + 50)), models=("momentum",))
    equations = problem.equations()
    rest = equations.matrix @ true_clusters(problem, robot, equations) - equations.right
    assert np.abs(rest).max() < 1e-10 * np.abs(equations.matrix * robot.mass).max()
    leads = np.array([name.endswith(f"_{load}") for name in equations.minimal.leaders])
    assert leads.any()
    assert not equations.matrix[equations.blocks[0].rows][:, leads].any()


def make_flight(robot, seed):
    return Flight(fly(robot, seed, 80, "zero")[0])


# ---------------------------------------------------------------------- errors


CHANNELS = {
    "momentum": ("v", "w", "dq", "q", "wheel_rates", "attitude", "position"),
    "angular-momentum": ("w", "dq", "q", "wheel_rates", "attitude"),
    "base-velocity": ("v", "w", "dq", "q", "attitude"),
    "torque": ("v", "w", "dq", "wheel_rates", "ddq", "dv", "dw", "torques", "base_wrench"),
}


def residual(problem, samples, x):
    """Rows at x of the same problem with other samples, shape (n, rows)."""
    (stack,) = replace(problem, flights=(replace(problem.flights[0], samples=samples, curves=None),)).equations().stacks
    return stack.matrix @ x - stack.right[..., 0]


def moved(samples, name, index, by):
    """The samples with one column moved; an attitude by a rotation about a base axis."""
    values = np.array(getattr(samples, name))
    if name == "attitude":
        turn = Rotation.from_rotvec(by * np.eye(3)[index])
        values[1:] = (Rotation.from_quat(values[1:]) * turn).as_quat()  # what counts is the turn since the first
        return replace(samples, attitude=values)
    values[1:, index] += by
    return replace(samples, **{name: values})


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model", CHANNELS)
def test_slopes_are_the_derivatives_of_the_rows_by_the_measured_numbers(model, seed):
    momentum = ("unknown", "known")[seed % 2] if model in RATES else "zero"
    case = make_case(model, seed, momentum=momentum, base="planar" if seed == 2 else "free", cad_error=0.0, n=60)
    (stack,) = case.problem.equations().stacks
    (source,) = stack.sources
    rng = np.random.default_rng(seed)
    x = np.append(case.truth(), rng.normal(size=len(source.columns)))
    for name in CHANNELS[model]:
        width = 3 if name == "attitude" else getattr(case.exact[0], name).shape[1]
        if case.robot.base == "planar" and name in ("v", "w", "attitude", "dv", "dw", "position", "base_wrench"):
            continue
        for index in range(width):
            slope = source.slopes(x, [NoisyChannel(name, index, 1.0)])[..., 0]
            ahead, behind = (residual(case.problem, moved(case.exact[0], name, index, by), x) for by in (1e-5, -1e-5))
            assert_agree(slope[1:], ((ahead - behind) / 2e-5)[1:], 1e-5, floor=1e-3)


@pytest.mark.parametrize("model", RATES)
def test_a_unit_error_of_a_rate_adds_exactly_what_it_is_said_to_add(model):
    case = make_case(model, 1, scale="known", known={"body1.m": 0.1, "body1.mx": 0.1}, base="free", bodies=3)
    (stack,) = case.problem.equations().stacks
    for name in {"v", "w", "dq"} & set(CHANNELS[model]):
        (other,) = replace(case.problem, flights=(Flight(moved(case.exact[0], name, 0, 1.0)),)).equations().stacks
        added = stack.sources[0].unit(NoisyChannel(name, 0, 1.0))
        assert_agree(added.matrix[1:], (other.matrix - stack.matrix)[1:], 1e-12, floor=1e-3)
        np.testing.assert_allclose(added.right[1:], (other.right - stack.right)[1:], rtol=0, atol=1e-11)


NOISE = {
    "momentum": {"v": 1e-6, "w": 1e-6, "dq": 2e-6},
    "angular-momentum": {"w": 1e-6, "dq": 2e-6, "q": 1e-6},
    "base-velocity": {"v": 1e-6, "w": 1e-6, "dq": 2e-6},
    "energy": {"dq": 2e-6, "torques": 1e-5},
    "torque": {"w": 1e-6, "dq": 2e-6, "torques": 1e-5},
    "base-wrench": {"dq": 2e-6, "ddq": 1e-6, "base_wrench": 1e-5},
}


@pytest.mark.parametrize("model", MODELS)
def test_rows_scatter_as_their_standard_deviations_say(model):
    case = make_case(model, 3, declared=NOISE[model], cad_error=0.0, n=300)
    (flight,), equations = case.problem.flights, case.problem.equations()
    x = with_nuisances(case, equations)
    exact, squares, rng = residual(case.problem, flight.samples, x), 0.0, np.random.default_rng(7)
    draws = 20
    for _ in range(draws):
        noisy = with_noise(flight.samples, NOISE[model], rng)
        squares = squares + (residual(case.problem, noisy, x) - exact) ** 2
    found = np.sqrt(squares.mean(axis=0) / draws)
    np.testing.assert_allclose(found, equations.sd.reshape(300, -1)[0], rtol=0.06)


@pytest.mark.parametrize("noise", [{"torques": 1e-5}, {"dq": 2e-6}, {"dq": 2e-7, "torques": 1e-4}], ids="+".join)
def test_energy_rows_err_independently_of_each_other(noise):
    case = make_case("energy", 3, declared=noise, cad_error=0.0, n=300)
    (flight,), equations, rng = case.problem.flights, case.problem.equations(), np.random.default_rng(7)
    (stack,), x = equations.stacks, with_nuisances(case, equations)
    sd = np.linalg.norm(stack.errors(x)[:, 0], axis=1)
    exact, draws = residual(case.problem, flight.samples, x), 40
    errors = np.array([residual(case.problem, with_noise(flight.samples, noise, rng), x) - exact for _ in range(draws)])
    white = (errors[:, 1:, 0] / sd[1:]).T  # nearly: the integral of a step holds some noise of instants farther off
    for lag in (1, 2, 10, 100):
        together = (white[lag:] * white[: len(white) - lag]).mean()
        assert abs(together) < 0.2, f"errors {lag} instants apart go together by {together:.2f}"
    sums = white.sum(axis=0) / np.sqrt(len(white))
    assert 0.5 < (sums**2).mean() < 1.6, "what an error does to smooth columns is their sum"


def test_models_side_by_side_count_by_the_size_of_their_errors():
    noise = {"w": 1e-6, "dq": 1e-6, "torques": 1e-2}
    equations = make_case(("momentum", "torque"), 3, declared=noise, base="free").problem.equations()
    (stack,), (root,) = equations.stacks, plain_roots(equations)
    squares = ((root @ stack.errors(equations.start)) ** 2).sum(axis=2)
    for start, stop in zip(stack.starts, stack.starts[1:], strict=False):
        assert squares[:, start:stop].mean() == pytest.approx(1.0, rel=1e-3)
    assert root[0, 0, 0] > 10.0 * root[0, -1, -1]


@pytest.mark.parametrize("model", ["momentum", "angular-momentum", "base-velocity"])
def test_the_cad_model_s_clusters_spread_as_its_parameters_do(model):
    case = make_case(model, 4, scale="known", bodies=3, base="free", cad_error=0.0)
    problem, equations = case.problem, case.problem.equations()
    phi, slopes = problem.robot.parameters, np.zeros((len(equations.minimal), problem.robot.parameters.size))
    for column in problem.unknown:
        step = 1e-6 * np.eye(phi.size)[column]
        ahead, behind = (
            true_clusters(problem, problem.robot.with_parameters(phi + by), equations) for by in (step, -step)
        )
        slopes[:, column] = (ahead - behind) / 2e-6
    expected = slopes @ problem.prior.covariance(problem.robot) @ slopes.T
    sd = np.sqrt(np.diagonal(expected))
    np.testing.assert_allclose(equations.cad_covariance / np.outer(sd, sd), expected / np.outer(sd, sd), atol=1e-5)
    np.testing.assert_allclose(equations.cad, case.truth(equations), rtol=1e-12)


def test_without_known_noise_rows_count_alike():
    equations = make_case("momentum", 0).problem.equations()
    assert not equations.noise_known
    assert (equations.sd == 1.0).all()


# ---------------------------------------------------------------------- what is said


def test_the_summary_names_rank_conditioning_and_silent_columns():
    case = make_case("momentum", 1, base="free", bodies=3)
    still = case.exact[0]
    still = replace(still, q=np.zeros_like(still.q), dq=np.zeros_like(still.dq), v=np.zeros_like(still.v))
    problem = replace(case.problem, flights=(Flight(replace(still, w=np.zeros_like(still.w))),))
    text = str(problem.equations())
    assert f"rank 0 of {len(problem.minimal)}" in text
    assert "never touch m_base" in text
    assert "condition number" in str(case.problem.equations())


def refused(case, error, sentence, models=None, **samples):
    problem = case.problem
    if samples:
        flight = replace(problem.flights[0], samples=replace(problem.flights[0].samples, **samples), curves=None)
        problem = replace(problem, flights=(flight,))
    with pytest.raises(error, match=sentence):
        stack_equations(problem, problem.models if models is None else models)


def test_what_is_missing_is_said_in_a_sentence():
    unknown = make_case("momentum", 0, momentum="unknown", base="free")
    refused(unknown, InvalidProblem, "need `position`", position=None)
    refused(unknown, ShapeError, "needs `attitude`", attitude=None)
    refused(
        make_case("angular-momentum", 0, momentum="known", base="free"), ShapeError, "needs `attitude`", attitude=None
    )
    refused(make_case("base-velocity", 0, momentum="unknown"), InvalidProblem, "need `attitude`", attitude=None)
    refused(make_case("torque", 0, base="fixed"), InvalidProblem, "need `torques`", torques=None)
    refused(unknown, InvalidProblem, "at least one model", models=())
    refused(unknown, UnknownModel, "no model named", models=("power",))
    refused(make_case("torque", 0, base="fixed"), NotApplicable, "fixed base", models=("momentum",))


def test_zero_momentum_needs_no_attitude():
    case = make_case("base-velocity", 1, base="free")
    samples = replace(case.exact[0], attitude=None, position=None)
    problem = replace(case.problem, flights=(Flight(samples),))
    for models in (("base-velocity",), ("angular-momentum",), ("momentum",)):
        equations = problem.equations(models)
        assert equations.nuisances == ()
        assert np.abs(equations.matrix @ true_clusters(problem, case.robot, equations) - equations.right).max() < 1e-10


def test_a_sample_that_is_not_a_number_is_named():
    case = make_case("momentum", 0)
    w = np.array(case.exact[0].w)
    w[17, 2] = np.nan
    refused(case, InvalidProblem, "sample 17 holds a number that is not finite", w=w)


def test_clusters_about_the_centre_of_mass_need_the_same_bodies_in_all_flights():
    case = make_case("angular-momentum", 0, flights=2)
    first, second = case.problem.flights
    flights = (replace(first, without=(case.robot.body_names[-1],)), second)
    with pytest.raises(NotApplicable, match="use momentum"):
        replace(case.problem, flights=flights).equations()
