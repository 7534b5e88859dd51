"""Runs: simulated, identified by every method, held against the truth; rows depend on seed and run alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.campaign.settings import CampaignSetting
from freefloat.data.recording import Recording
from freefloat.errors import FreefloatError
from freefloat.estimate.estimate import Estimate
from freefloat.mission.identifying import identify
from freefloat.mission.mission_file import Mission

_OF_THIS_RUN = (FreefloatError, np.linalg.LinAlgError)  # the others go on


def chunk_rows(setting: CampaignSetting, first: int, stop: int) -> list[dict[str, Any]]:
    """The rows of runs from `first` to before `stop`, by run and method; `parts.py` says what is in them."""
    return [row for run in range(first, stop) for row in _run_rows(setting, run)]


def _run_rows(setting: CampaignSetting, run: int) -> list[dict[str, Any]]:
    try:
        recording = setting.recorded(run)
        mission = setting.mission_of(run)
    except _OF_THIS_RUN as error:
        found = dict.fromkeys(setting.answers, _error(error))
    else:
        found = {method: _identified(setting, mission, recording, method) for method in setting.answers}
    return [{"setting": setting.number, "run": run, "method": method} | row for method, row in found.items()]


def _identified(setting: CampaignSetting, mission: Mission, recording: Recording, method: str) -> dict[str, Any]:
    try:
        return _found(setting, method, identify(mission, recording, method, setting.trajectory))
    except _OF_THIS_RUN as error:
        return _error(error)


def _error(error: Exception) -> dict[str, Any]:
    return {"outcome": "error", "message": " ".join(str(error).split())}


def _found(setting: CampaignSetting, method: str, estimate: Estimate) -> dict[str, Any]:
    if list(estimate.names) != setting.answers[method].names:
        return {"outcome": "error", "message": "the estimate is of other clusters than in the first run"}
    found = {
        "outcome": estimate.outcome,
        "residual_ratio": estimate.residual.ratio,
        "value": estimate.values.tolist(),
        "sd": estimate.sd.tolist(),
    }
    if setting.view is not None:
        value, sd = setting.view.seen(estimate)
        found |= {"compared": value.tolist(), "compared_sd": sd.tolist()}
    return found
