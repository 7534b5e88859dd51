"""What is known of the momentum where a part of a recording begins.

A mission says the momentum in base axes at the first instant of a flight. It stays where it is while the base turns: in
base axes at a later instant, where a window begins, it is R_later^T R_first of what was said.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freefloat.data.processing.process import chosen_channels
from freefloat.data.processing.process_parts import ProcessingInputs
from freefloat.data.processing.processed import ProcessSettings, sensor_behind
from freefloat.data.processing.turn_between import GyroErrors, Turn, turn_between
from freefloat.data.recording import Recording
from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.estimate.problem_data import Nuisances
from freefloat.mission.mission_file import Mission
from freefloat.mission.prior_knowledge import momentum_of, nuisances_of
from freefloat.simulation.simulate import Pulse

# The robot's mass errs by about the share by which the momentum does, and intervals do not hold that.
_MOST_RAD = 1e-3


def momentum_at_start(
    mission: Mission, whole: Recording, start_s: float, settings: ProcessSettings, pulses: Sequence[Pulse] = ()
) -> tuple[TotalMomentum, tuple[str, ...]]:
    """What is known of the momentum in base axes at an instant of a recording, and how, in sentences.

    whole: the recording from the instant on at which the mission's momentum is known. pulses: of thrusters.
    """
    said, robot = momentum_of(mission), mission.robot
    if said.is_unknown or robot.base == "fixed":
        return said, ()
    changed = _changed(mission, start_s, pulses)
    if changed:
        return TotalMomentum.unknown(), (f"{changed}: the momentum is taken as unknown there",)
    if not said.vector.any() or robot.base == "planar":
        return said, ()  # nothing turns, or about the momentum itself
    first, turn = turn_until(mission, whole, start_s, settings)
    if turn is None or turn.sd > _MOST_RAD:
        why = (
            "neither gyro nor attitudes reach from there"
            if turn is None
            else f"{turn.by} tell the turn of the base only within {turn.sd:.2g} rad"
        )
        return TotalMomentum.unknown(), (
            f"the momentum is known in base axes at {first:.4g} s, but {why} to {start_s:.4g} s: it is taken as "
            "unknown; a window from the first instant on keeps it",
        )
    sentence = (
        f"the momentum, known in base axes at {first:.4g} s, is turned to those at {start_s:.4g} s by {turn.by} "
        f"(standard deviation {turn.sd:.2g} rad)"
    )
    return TotalMomentum.known(turn.R @ said.vector), (sentence,)


def turn_until(
    mission: Mission, whole: Recording, start_s: float, settings: ProcessSettings
) -> tuple[float, Turn | None]:
    """First instant of a recording [s], and how the base turned from it to another; None where no sensor tells."""
    sensors = tuple(mission.sensors.values())
    channels, _ = chosen_channels(whole, mission.robot, settings, sensors)
    inputs = ProcessingInputs(channels, mission.robot, None, settings, sensors, np.array([start_s]), 1.0)
    first = min(float(channel.t[0]) for channel in channels.values())
    return first, turn_between(inputs, first, start_s, _gyro_errors(mission, inputs))


def _changed(mission: Mission, start_s: float, pulses: Sequence[Pulse]) -> str | None:
    """What has changed the momentum before an instant; None if nothing that is reckoned with."""
    if any(pulse.start_s < start_s for pulse in pulses):
        return f"a thruster pushes before {start_s:.4g} s"
    nuisances = nuisances_of(mission)
    if nuisances.external_torque_Nm is not None:
        return f"a torque from outside acts before {start_s:.4g} s"
    if mission.orbit is not None:
        return f"the gravity gradient acts before {start_s:.4g} s"
    if nuisances.drag_per_s is not None and not mission.robot.joints and momentum_of(mission).vector.any():
        return f"air slows the body before {start_s:.4g} s"
    return None


def _gyro_errors(mission: Mission, inputs: ProcessingInputs) -> GyroErrors:
    """As the gyro's sensor says them; the usual ones of a gyro that nobody declared."""
    asked, channel = nuisances_of(mission), inputs.channels.get("gyro")
    given = None if channel is None else sensor_behind(channel, inputs.robot, inputs.sensors)
    if given is None:
        return GyroErrors(Nuisances().gyro_bias_rad_s or 0.0, asked.misalignment_rad or 0.0)
    noise = given[1].noise
    bias = np.sqrt(noise.bias**2 + noise.bias_sd**2 + noise.flicker**2).max()
    return GyroErrors(float(bias), asked.misalignment_rad or 0.0)
