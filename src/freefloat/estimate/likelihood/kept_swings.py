"""What an estimate keeps of passive joints, which nobody measured: how they swing by what was found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.arrays import Array, read_only
from freefloat.dynamics.samples import Samples
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.swinging_joints import SwingingJoints

_COLUMNS = ("q", "dq", "ddq")


def with_swings(estimate: Estimate, likelihood: Likelihood, point: Array) -> Estimate:
    """The estimate with passive joints in its flights' motion as they swing at the point that was found."""
    phi = likelihood.phi(point)
    flights = tuple(
        used if flight.swinging is None else replace(used, motion=_swung(used.motion, flight.swinging, point, phi))
        for used, flight in zip(estimate.flights, likelihood.flights, strict=True)
    )
    return replace(estimate, flights=flights)


def _swung(motion: Samples, swinging: SwingingJoints, point: Array, phi: Array) -> Samples:
    present = np.where(swinging.flight.present, phi, 0.0)
    swung = swinging.at_point(point, present).at(motion.need("t", "a swing"))
    moved = dict[str, Array]()
    for name, own in zip(_COLUMNS, swung, strict=True):
        if (column := getattr(motion, name)) is not None:
            whole = np.array(column)
            whole[:, swinging.passive] = own
            moved[name] = read_only(whole)
    return replace(motion, **moved)
