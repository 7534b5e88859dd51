"""What campaigns are held against, and what they say: truths, bounds, drawn CAD models, errors, coverage."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from campaign.tiny_mission import METHODS, tiny_mission
from scipy.stats import binomtest

import freefloat as ff
from freefloat.campaign.manifest import ClustersSection
from freefloat.campaign.pictures import pictures
from freefloat.campaign.running import run_campaign
from freefloat.campaign.settings import prepared
from freefloat.campaign.summary import Share, _method
from freefloat.estimate.bound.bound import cramer_rao_bound
from freefloat.estimate.prior import CadSpread
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.report.campaign_page import write_campaign_page
from freefloat.robot.selection import select_parameters


@pytest.fixture(scope="module")
def mission(tmp_path_factory):
    zero = ["link1.Ixy", "link1.mz"]
    return tiny_mission(tmp_path_factory.mktemp("mission"), assume_zero=zero, known={"link1.m": {"relative_sd": 0.0}})


@pytest.fixture(scope="module")
def setting(mission):
    return prepared(mission, 0, {}, mission.trajectory, METHODS, 7, "drawn", 1)


@pytest.fixture(scope="module")
def made(mission, tmp_path_factory):
    directory = tmp_path_factory.mktemp("made") / "campaign"
    return run_campaign(mission, 10, METHODS, directory=directory, workers=1)


# ---------------------------------------------------------------------- truths and bounds


def test_truths_are_clusters_of_the_robot_that_flew(mission, setting):
    _, section = setting
    robot, settled = mission.robot, ("link1.m",)
    angular = AngularMomentum(robot, settled, tuple(mission.settings.assume_zero))
    values = dict(zip(angular.minimal.leaders, angular.values(), strict=True))
    for answer in (section.compared, section.methods["least-squares"]):
        assert answer.model == "angular-momentum"
        np.testing.assert_allclose(answer.truth, [values[name] for name in answer.names], atol=1e-15)
    posed = ff.problem(mission, ff.simulate(mission, seed=7))
    phi = np.zeros(robot.parameters.size)
    phi[posed.unknown] = robot.parameters[posed.unknown]
    standard = section.methods["maximum-likelihood"]
    assert standard.names == list(posed.minimal.leaders)
    np.testing.assert_allclose(standard.truth, posed.minimal.values(phi), atol=1e-15)


def test_units_are_sizes_or_the_spread_of_the_cad_model_where_that_is_larger(mission, setting):
    made, section = setting
    robot, spread = mission.robot, CadSpread()
    settled = (*mission.settings.assume_zero, "link1.m")
    rng = np.random.default_rng(3)
    drawn = [spread.drawn(robot, rng, settled).parameters for _ in range(800)]
    posed, model = ff.problem(mission, ff.simulate(mission, seed=7)), made.view.model
    theta = [posed.minimal.combine @ (phi - robot.parameters) for phi in drawn]
    pi = [model.structured(model.underlying.minimal.values(phi))[made.view.unknown] for phi in drawn]
    for answer, values in ((section.methods["maximum-likelihood"], theta), (section.compared, pi)):
        size, sd, unit = np.abs(answer.truth), np.std(values, axis=0), np.array(answer.unit)
        by_size = unit == size
        assert 0 < by_size.sum() < by_size.size
        assert (sd[by_size] < 1.1 * size[by_size]).all()
        np.testing.assert_allclose(unit[~by_size], sd[~by_size], rtol=0.15)
        assert (unit[~by_size] > size[~by_size]).all()


def test_bounds_follow_from_that_of_maximum_likelihood(mission, setting):
    made, section = setting
    posed = ff.problem(mission, ff.simulate(mission, seed=7))
    bound = cramer_rao_bound(posed)
    np.testing.assert_allclose(section.methods["maximum-likelihood"].bounds, bound.sd, rtol=1e-6)
    # The derivative of the clusters by an independent path: moved by a small part of each standard deviation.
    model, asked = made.view.model, made.view.unknown
    h = 1e-4 * bound.sd

    def clusters(theta):
        return model.structured(model.underlying.minimal.values(posed.standard(theta)))[asked]

    steps = np.diag(h)
    slope = np.array([clusters(posed.cad + step) - clusters(posed.cad - step) for step in steps]).T / (2.0 * h)
    sd = np.sqrt(np.diagonal(slope @ bound.covariance @ slope.T))
    np.testing.assert_allclose(section.compared.bounds, sd, rtol=1e-5)


def test_an_estimate_in_clusters_of_angular_momentum(mission, setting):
    made, section = setting
    view = made.view
    estimate = ff.identify(mission, ff.simulate(mission, seed=7), "maximum-likelihood")
    value, sd = view.seen(estimate)
    theta = view.model.underlying.minimal.values(estimate.parameters)
    np.testing.assert_allclose(value, view.model.structured(theta)[view.unknown], rtol=1e-12)
    exact = replace(estimate, values=np.array(section.methods["maximum-likelihood"].truth))
    np.testing.assert_allclose(view.seen(exact)[0], section.compared.truth, atol=1e-12)
    assert np.isfinite(sd).all()
    linear = ff.identify(mission, ff.simulate(mission, seed=7), "least-squares")
    assert view.seen(linear)[0] is linear.values


def test_intervals_are_not_claimed_where_errors_of_what_is_known_count(tmp_path):
    mission = tiny_mission(tmp_path, known={"link1": {"relative_sd": 0.3}})
    made, section = prepared(mission, 0, {}, mission.trajectory, METHODS, 0, "drawn", 1)
    _, sd = made.view.seen(ff.identify(mission, ff.simulate(mission), "maximum-likelihood"))
    assert np.isnan(sd[section.compared.names.index("[mx_base]*[mx_link1]/M")])
    assert (section.compared.bounds > 0.0).all()


# ---------------------------------------------------------------------- CAD models


def test_cad_models_are_drawn_as_far_as_they_are_trusted(tmp_path):
    trust = {"link1.m": {"relative_sd": 0.01}}
    mission = tiny_mission(tmp_path, assume_zero=["base.products"], known=trust, prior={"mass": 0.2})
    made, _ = prepared(mission, 0, {}, mission.trajectory, ("maximum-likelihood",), 7, "drawn", 1)
    robot = mission.robot
    drawn = np.array([made.mission_of(run).robot.parameters for run in range(1500)])
    assert np.array_equal(drawn[11], made.mission_of(11).robot.parameters)
    zero, known = (select_parameters(robot, each) for each in (("base.products",), ("link1.m",)))
    np.testing.assert_array_equal(drawn[:, zero], np.tile(robot.parameters[zero], (1500, 1)))
    assert drawn[:, known].std() == pytest.approx(0.01 * robot.parameters[known[0]], rel=0.07)
    free = np.setdiff1d(np.arange(robot.parameters.size), [*zero, *known])
    covariance = CadSpread(mass=0.2).covariance(robot)[np.ix_(free, free)]
    np.testing.assert_allclose(drawn[:, free].std(axis=0), np.sqrt(np.diagonal(covariance)), rtol=0.1)
    assert made.mission_of(0).robot.parameters[0] == pytest.approx(20.0, rel=1.0)
    exact = replace(made, cad="exact")
    assert exact.mission_of(3).robot is exact.mission.robot


# ---------------------------------------------------------------------- the summary


def test_a_share_has_the_interval_of_clopper_and_pearson():
    for count, total in ((0, 10), (3, 10), (95, 100), (10, 10)):
        share, other = Share.of(count, total), binomtest(count, total).proportion_ci(0.95, "exact")
        assert (share.value, share.low, share.high) == pytest.approx((count / total, other.low, other.high))
    assert np.isnan(Share.of(0, 0).value)


def test_the_summary_of_numbers_that_are_known():
    answer = ClustersSection(model="m", names=["a", "b"], truth=[2.0, 0.0], unit=[2.0, 0.5], bound=[0.1, None])
    rng = np.random.default_rng(1)
    values = np.array([2.0, 0.0]) + [0.1, 0.2] * rng.normal(size=(400, 2)) + [0.05, 0.0]
    rows = pl.DataFrame(
        {
            "run": range(100, 500),
            "outcome": ["good"] * 390 + ["doubtful"] * 10,
            "residual_ratio": [1.0] * 400,
            "value": values.tolist(),
            "sd": np.tile([0.1, 0.1], (400, 1)).tolist(),
        }
    )
    found = _method("x", answer, rows, "value", "sd")
    a, b = found.clusters
    error = values - [2.0, 0.0]
    assert a.mean == pytest.approx(values[:, 0].mean())
    assert a.bias == pytest.approx(values[:, 0].mean() - 2.0)
    assert a.spread == pytest.approx(values[:, 0].std(ddof=1))
    assert (a.rms, b.rms) == pytest.approx(tuple(np.sqrt((error**2).mean(axis=0))))
    assert (a.relative, b.relative) == pytest.approx((a.rms / 2.0, b.rms / 0.5))
    assert a.efficiency == pytest.approx(a.rms / 0.1)
    assert np.isnan(b.efficiency)
    assert found.efficiency == pytest.approx(a.efficiency)
    assert a.coverage.value == pytest.approx((np.abs(error[:, 0]) <= 0.196).mean(), abs=1e-12)
    assert 0.55 < b.coverage.value < 0.78  # intervals half as long as they should be hold 67 %
    relative = np.abs(error) / [2.0, 0.5]
    assert found.best_run == 100 + relative.mean(axis=1).argmin()
    assert found.best_error == pytest.approx(relative.mean(axis=1).min())
    np.testing.assert_allclose(found.largest, relative.max(axis=1))
    assert found.worst == {"b": (relative[:, 1] > relative[:, 0]).sum(), "a": (relative[:, 1] < relative[:, 0]).sum()}
    assert found.outcomes == {"good": 390, "doubtful": 10}
    for k, mean, spread in zip(found.counts, found.mean_error, found.spread_error, strict=True):
        first = error[:k] / [2.0, 0.5]
        np.testing.assert_allclose(mean, first.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(spread, first.std(axis=0, ddof=1), rtol=1e-9)
    assert (found.counts[0], found.counts[-1]) == (2, 400)


def test_intervals_that_hold_everything_are_counted():
    answer = ClustersSection(model="m", names=["a", "b"], truth=[2.0, 1.0], unit=[2.0, 1.0], bound=[None, None])
    rows = pl.DataFrame(
        {
            "run": range(4),
            "outcome": ["good"] * 4,
            "residual_ratio": [1.0] * 4,
            "value": [[2.0, 9.0]] * 4,
            "sd": [[0.1, np.inf]] * 3 + [[np.nan, 0.1]],
        }
    )
    a, b = _method("x", answer, rows, "value", "sd").clusters
    assert (a.coverage.value, a.open) == (1.0, 0)
    assert (b.coverage.value, b.open) == (0.75, 3)


def test_methods_are_compared_by_the_same_clusters(made):
    setting = made.summary().settings[0]
    own, compared = setting.methods, setting.compared
    assert [each.model for each in own] == ["angular-momentum", "momentum"]
    assert [each.model for each in compared] == ["angular-momentum"] * 2
    assert compared[0].clusters == own[0].clusters
    assert [each.name for each in compared[1].clusters] == [each.name for each in own[0].clusters]


def test_one_run_and_none_are_summarised_too(made):
    for count in (0, 1):
        short = replace(made, table=made.table.head(2 * count)).summary().settings[0].methods[1]
        assert short.runs == len(short.errors) == count
        assert short.best_run == (0 if count else None)
        assert short.counts.size == 0


def test_the_page_shows_every_method_and_works_offline(made, tmp_path):
    rows = pictures(made.summary())
    assert [row.heading for row in rows] == ["compared by angular-momentum", "angular-momentum", "momentum"]
    write_campaign_page(tmp_path / "page.html", rows, "tiny")
    text = (tmp_path / "page.html").read_text()
    for words in (*METHODS, "95 % intervals that hold the truth", "[Ixx_base]"):
        assert words in text
    assert "<script src=" not in text
