"""The free-flying matrices of an estimate at one posture, as a file: `format: freefloat/free-flying@1`.

Everything is that of `FreeFlyingModel`: mass matrix with wheel rows, the terms of the motion, and of every named point
both Jacobians, each entry with its standard deviation; null where the data say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.errors import UnknownName
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.uncertain import Uncertain
from freefloat.exact_json import finite_or_none, save_json
from freefloat.export.free_flying_model import FreeFlyingModel
from freefloat.files import FilePath
from freefloat.robot.model import Robot

FORMAT = "freefloat/free-flying@1"


def free_flying_document(estimate: Estimate, at: Mapping[str, float], rates: Mapping[str, float]) -> dict[str, Any]:
    """The matrices as plain data.

    at, rates: positions and rates of joints by name [rad or m, per s]; zero unless given. Wheels are at rest, and the
    base moves as the joints ask of it where there is no momentum.
    """
    model, robot = FreeFlyingModel(estimate), estimate.robot
    q, dq = joint_values(robot, at), joint_values(robot, rates)
    moving = Samples(q=q, dq=dq, wheel_rates=np.zeros((1, len(robot.wheels))))
    twist = model.base_motion(moving).value
    moving = replace(moving, v=twist[:, :3], w=twist[:, 3:])
    speeds = [*(f"v_cm_{axis}" for axis in "xyz"), *(f"w_{axis}" for axis in "xyz"), *robot.joint_names]
    return {
        "format": FORMAT,
        "robot": robot.name,
        "speeds": [*speeds, *(wheel.name for wheel in robot.wheels)],
        "q": dict(zip(robot.joint_names, q[0].tolist(), strict=True)),
        "dq": dict(zip(robot.joint_names, dq[0].tolist(), strict=True)),
        "base_twist": _plain(twist[0]),
        "total_mass_kg": _entries(model.total_mass()),
        "mass_matrix": _entries(_first(model.mass_matrix(q))),
        "bias": _entries(_first(model.bias(moving))),
        "points": {
            point.name: {
                "jacobian": _entries(_first(model.jacobian(q, point.name))),
                "floating_jacobian": _entries(_first(model.floating_jacobian(q, point.name))),
            }
            for point in robot.points
        },
    }


def write_free_flying(
    estimate: Estimate, path: FilePath, at: Mapping[str, float] | None = None, rates: Mapping[str, float] | None = None
) -> None:
    """Write the matrices, whole or not at all; at, rates: as for `free_flying_document`."""
    save_json(path, free_flying_document(estimate, at or {}, rates or {}))


def joint_values(robot: Robot, given: Mapping[str, float]) -> Array:
    """Values of all joints in their order, (1, joints)."""
    for name in given:
        if name not in robot.joint_names:
            raise UnknownName("joint", name, robot.joint_names)
    return np.array([[given.get(name, 0.0) for name in robot.joint_names]])


def _first(found: Uncertain) -> Uncertain:
    return Uncertain(found.value[0], found.sd[0])


def _entries(found: Uncertain) -> dict[str, Any]:
    """Values and standard deviations as nested lists."""
    return {"value": _plain(found.value), "sd": _plain(found.sd)}


def _plain(values: Array) -> Any:
    return finite_or_none(float(values)) if values.ndim == 0 else [_plain(each) for each in values]
