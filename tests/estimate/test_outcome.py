"""What good, doubtful and failed mean: the rule over plain numbers."""

import numpy as np
import pytest

from freefloat.estimate.causes.outcome import FitFigures, explained_part, outcome_by, reasons_to_fail
from freefloat.estimate.estimate_parts import ChannelResidual


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
        left = ChannelResidual("a", "w", ("x",), "rad/s", t, residual, np.array([0.01]))
        return explained_part((left,), {("a", "w"): moved.var(axis=0)})

    assert part(noise, signal) == pytest.approx(1.0, abs=1e-3)
    assert part(0.5 * signal + noise, signal) == pytest.approx(0.75, abs=1e-2)
    assert np.isnan(part(noise, noise)), "a base that hardly moves has nothing to explain"
