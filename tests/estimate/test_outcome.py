"""What good, doubtful and failed mean: the rule over plain numbers."""

from dataclasses import replace

import numpy as np
import pytest

from freefloat.estimate.causes.outcome import FitFigures, explained_part, outcome_by, reasons_to_fail
from freefloat.estimate.estimate_parts import ChannelResidual, in_percent


@pytest.mark.parametrize(
    "figures",
    [
        FitFigures(),
        FitFigures(ratio=1.2, white=True, explained=0.99, away=0.0, size=1.1),
        FitFigures(ratio=30.0, white=False, explained=0.97),
        FitFigures(ratio=500.0, white=True, explained=0.9),
        FitFigures(explained=0.51, away=9.0),
    ],
)
def test_numbers_that_may_still_be_of_use_do_not_fail(figures):
    assert reasons_to_fail(figures) == ()


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        (FitFigures(ratio=6.5e24, white=False), "6.5e+24 times the sensors' noise"),
        (FitFigures(explained=0.06), "explains 6 %"),
        (FitFigures(explained=-3.0), "explains 0 %"),
        (FitFigures(away=25200.0), "2.52e+04 of the estimate's standard deviations"),
        (FitFigures(size=1e18), "beyond any physical size"),
        (FitFigures(finite=False), "no finite values"),
        (FitFigures(nothing_seen=True), "none of the clusters"),
    ],
)
def test_numbers_that_describe_a_mistake_fail_with_a_reason(figures, said):
    (reason,) = reasons_to_fail(figures)
    assert said in reason
    assert outcome_by((reason,), warned=True) == "failed"


def test_without_reasons_warnings_decide():
    assert outcome_by((), warned=False) == "good"
    assert outcome_by((), warned=True) == "doubtful"


def test_what_a_fit_explains_is_counted_beyond_the_noise_and_of_signals_only():
    rng, t = np.random.default_rng(0), np.arange(2000.0)
    signal, noise = np.sin(0.05 * t)[:, None], 0.01 * rng.normal(size=(2000, 1))

    def part(residual, moved):
        left = ChannelResidual("a", "w", ("x",), "rad/s", t, residual, np.array([0.01]), signal=moved.std(axis=0))
        return explained_part((left,))

    assert part(noise, signal) == pytest.approx(1.0, abs=1e-3)
    assert part(0.5 * signal + noise, signal) == pytest.approx(0.75, abs=1e-2)
    assert np.isnan(part(noise, noise)), "a base that hardly moves has nothing to explain"


def test_what_is_left_is_a_part_of_the_signal_where_there_is_one():
    t = np.arange(4.0)
    left = ChannelResidual(
        "a", "w", ("x", "y"), "rad/s", t, np.full((4, 2), 0.3), np.full(2, 0.1), signal=np.array([3.0, 4.0])
    )
    assert left.of_signal == pytest.approx(0.3 * np.sqrt(2.0) / 5.0)
    assert np.isnan(replace(left, signal=np.full(2, 0.2)).of_signal), "hardly more than noise"
    assert np.isnan(replace(left, signal=None).of_signal)


@pytest.mark.parametrize(
    ("part", "said"), [(0.00123, "0.12 %"), (0.5, "50 %"), (1.2, "120 %"), (1e20, "more than 1000 %")]
)
def test_parts_of_a_signal_are_said_to_two_digits(part, said):
    assert in_percent(part) == said
