"""What a mission assumes before any data: of the CAD model, of nuisances, of the momentum."""

from __future__ import annotations

from dataclasses import replace

from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.estimate.physical.regularisers import TradeOff
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem_data import Nuisances
from freefloat.mission.mission_file import Mission
from freefloat.sensors.torque_sensor import TorqueSensor


def known_of(mission: Mission) -> dict[str, float]:
    """Relative standard deviation of everything that is declared known."""
    return {name: trust.relative_sd for name, trust in mission.settings.known.items()}


def prior_of(mission: Mission) -> CadSpread | None:
    """Spread of the CAD model; None where the data are to speak alone."""
    said = mission.settings.prior
    if isinstance(said, str):
        return CadSpread.usual(mission.robot.base) if said == "cad" else None
    return said.spread(mission.robot.base)


def trade_off_of(mission: Mission) -> TradeOff:
    """What bodies near the CAD model are worth against the data, and what else is known of them."""
    return mission.settings.identify.physical.trade_off(mission.robot)


def nuisances_of(mission: Mission) -> Nuisances:
    """What else the data may hold."""
    wanted = mission.settings.identify.nuisances
    if isinstance(wanted, str):
        return Nuisances.none()
    torques = [sensor for sensor in mission.sensors.values() if isinstance(sensor, TorqueSensor)]
    gains = torques[0].gain_spreads(mission.robot.joint_names) if torques else None
    usual = Nuisances() if mission.orbit is None else Nuisances().in_orbit
    return replace(replace(usual, torque_gain=gains), **wanted.given)


def momentum_of(mission: Mission) -> TotalMomentum:
    """What is known of the total angular momentum."""
    said = mission.settings.momentum
    return TotalMomentum.of(said if isinstance(said, str) else mission.total_momentum)
