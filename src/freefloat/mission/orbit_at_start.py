"""The orbit where a part of a recording begins: the mission says it in base axes at the first instant of the whole."""

from __future__ import annotations

from freefloat.data.processing.processed import ProcessSettings
from freefloat.data.recording import Recording
from freefloat.dynamics.orbit import Orbit
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.mission.momentum_at_start import turn_until

_MOST_RAD = 0.05  # by which the gravity gradient errs by a tenth of its largest at most


def orbit_at_start(mission: Mission, whole: Recording, start_s: float, settings: ProcessSettings) -> Orbit | None:
    """The mission's orbit in base axes at an instant of a recording; None in free space.

    whole: the recording from the instant on at which the mission says where the planet is.
    """
    if mission.orbit is None:
        return None
    first, turn = turn_until(mission, whole, start_s, settings)
    if turn is None or turn.sd > _MOST_RAD:
        why = "no sensor tells" if turn is None else f"{turn.by} tell only within {turn.sd:.2g} rad"
        raise InvalidMission(
            f"orbit says where the planet is in base axes at {first:.4g} s, and {why} how the base turned until "
            f"{start_s:.4g} s, where the recording is read; allowed: a window from the first instant on, or no orbit"
        )
    return mission.orbit.later(start_s - first, turn.R)
