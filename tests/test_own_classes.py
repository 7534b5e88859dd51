"""What users derive from the base classes is taken wherever one of ours is."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from excitation.small_plans import small_plan

import freefloat as ff

KEPT = Path(__file__).parent / "kept_files" / "0.2.0"


@dataclass(frozen=True)
class Doubled(ff.Estimator):
    """Least squares with twice the covariance."""

    name: ClassVar[str] = "doubled"
    factor: float = 2.0

    def estimate(self, problem):
        found = ff.estimate.LeastSquares().estimate(problem)
        return replace(found, method=self.name, covariance=self.factor * found.covariance)


class Largest(ff.Goal):
    """Minus the sum of squares of the rows."""

    name = "largest rows"

    def __call__(self, C):
        return -float((C**2).sum()), -2.0 * C


class Late(ff.Limit):
    """The first joint stays below a bound."""

    name, unit, size, linear = "first joint", "rad", 1.0, True

    def margins(self, motion):
        return 0.05 - motion.samples.q[:, 0]

    def jacobian(self, motion, rows):
        return motion.chain(rows, position=-np.eye(motion.samples.q.shape[1])[[0]].repeat(len(rows), axis=0))

    def instants(self, motion):
        return motion.t


@pytest.fixture(scope="module")
def mission():
    return ff.load_mission(KEPT / "mission.yaml")


def test_an_estimator_of_ones_own(mission):
    flight = ff.load_recording(KEPT / "recording.parquet")
    found, ours = (ff.identify(mission, flight, method) for method in (Doubled(), "least-squares"))
    assert found.method == "doubled"
    assert found.origin["method_settings"] == {"factor": 2.0}
    np.testing.assert_allclose(found.covariance, 2.0 * ours.covariance)
    with pytest.raises(ff.FreefloatError, match="no method named 'doubled'"):
        ff.identify(mission, flight, "doubled")


def test_a_goal_and_a_limit_of_ones_own(mission):
    assert ff.plan_of(mission, Largest()).goal_name == "largest rows"
    plan = small_plan(goal=Largest())
    plan = replace(plan, limits=(*plan.limits, Late()))
    found = ff.find_excitation(plan, starts=1, seed=1, workers=1, most_iterations=5, shakes=0)
    assert found.goal == "largest rows"
    assert "first joint" in [margin.limit for margin in found.margins]
    t = np.linspace(0.0, found.trajectory.duration_s, 500)
    assert found.trajectory.evaluate(t).position[:, 0].max() <= 0.05 + 1e-6
    with pytest.raises(ff.FreefloatError, match="or a Goal"):
        ff.Plan(plan.robot, plan.shape, plan.sensors, goal="largest rows")


def test_a_goal_without_a_name_goes_by_that_of_its_class():
    class Nameless(ff.Goal):
        def __call__(self, C):
            return 0.0, 0.0 * C

    assert Nameless().name == "Nameless"


def test_names_that_have_moved_say_where_they_are():
    with pytest.raises(AttributeError, match=r"it is freefloat\.motion\.Fourier"):
        ff.Fourier  # noqa: B018
    with pytest.raises(AttributeError, match="Furrier"):
        ff.Furrier  # noqa: B018


def test_a_model_of_ones_own(mission):
    class Twice(ff.models.Momentum):
        """Momentum, twice."""

        def standard_rows(self, samples):
            return 2.0 * super().standard_rows(samples)

    samples = ff.dynamics.random_states(mission.robot, 5)
    ours = ff.models.Momentum(mission.robot)
    np.testing.assert_allclose(Twice(mission.robot).rows(samples), 2.0 * ours.rows(samples))
    assert issubclass(Twice, ff.Model)


def test_a_sensor_of_ones_own(mission):
    class Crude(ff.sensors.Gyro):
        """A gyro that reads tenths."""

        def measure_batch(self, truth, seed, runs):
            found = super().measure_batch(truth, seed, runs)
            return tuple(type(each)(each.output, each.t, each.values.round(1), each.kept) for each in found)

    truth = ff.sensors.Truth.of(mission.robot, ff.fly(mission))
    recording = ff.simulation.record([Crude(name="crude", rate_Hz=10.0)], truth, seed=1)
    assert issubclass(Crude, ff.Sensor)
    np.testing.assert_array_equal(recording["gyro"].values, recording["gyro"].values.round(1))
