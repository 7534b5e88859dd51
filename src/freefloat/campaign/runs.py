"""Runs: simulated, identified by every method, held against the truth; rows depend on seed and run alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.campaign.settings import Setting
from freefloat.errors import FreefloatError
from freefloat.estimate.estimate import Estimate
from freefloat.mission.flying import simulate
from freefloat.mission.identifying import identify


def chunk_rows(setting: Setting, first: int, stop: int) -> list[dict[str, Any]]:
    """The rows of runs from `first` to before `stop`, by run and method; `parts.py` says what is in them."""
    return [row for run in range(first, stop) for row in _run_rows(setting, run)]


def _run_rows(setting: Setting, run: int) -> list[dict[str, Any]]:
    recording = simulate(setting.mission, setting.trajectory, setting.seed, run, setting.truth)
    believed = setting.believed(run)
    rows = list[dict[str, Any]]()
    for method in setting.answers:
        which = {"setting": setting.number, "run": run, "method": method}
        try:
            found = _found(setting, method, identify(believed, recording, method, setting.trajectory))
        except (FreefloatError, np.linalg.LinAlgError) as error:  # of this run: the others go on
            found = {"outcome": "error", "message": " ".join(str(error).split())}
        rows.append(which | found)
    return rows


def _found(setting: Setting, method: str, estimate: Estimate) -> dict[str, Any]:
    answer = setting.answers[method]
    if list(estimate.names) != answer.names:
        return {"outcome": "error", "message": "the estimate is of other clusters than in the first run"}
    low, high = estimate.interval(0.95).T
    truth = np.array(answer.truth)
    found = {
        "outcome": estimate.outcome,
        "residual_ratio": estimate.residual.ratio,
        "value": estimate.values.tolist(),
        "sd": estimate.sd.tolist(),
        "covered": ((low <= truth) & (truth <= high)).tolist(),
    }
    if setting.view is not None:
        value, sd = setting.view.seen(estimate)
        found |= {"compared": value.tolist(), "compared_sd": sd.tolist()}
    return found
