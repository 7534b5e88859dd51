"""How an identified robot swings about a posture, as a file: `format: freefloat/small-motion@1`.

M, D, K of small motion, the same as a state space, and the modes: for scipy, python-control and the like.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from freefloat.dynamics.about_rest import small_motion
from freefloat.dynamics.modes import modes_summary
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_springs import estimated_springs
from freefloat.estimate.structured.as_standard import standard_estimate
from freefloat.exact_json import save_json
from freefloat.export.free_flying_file import joint_values
from freefloat.export.state_matrices import state_space
from freefloat.files import FilePath
from freefloat.models.model import NotApplicable

FORMAT = "freefloat/small-motion@1"


def small_motion_document(estimate: Estimate, at: Mapping[str, float]) -> dict[str, Any]:
    """Small motion as plain data; at: positions of joints by name [rad or m], zero unless given."""
    estimate = standard_estimate(estimate)
    robot = estimate.robot.with_parameters(estimate.parameters).with_springs(estimated_springs(estimate))
    if not robot.passive.size:
        raise NotApplicable(f"{robot.name} has no passive joints, so nothing swings; allowed: at least one")
    (q,) = joint_values(robot, at)
    model = small_motion(robot, q)
    space = state_space(model)
    return {
        "format": FORMAT,
        "robot": robot.name,
        "q": dict(zip(robot.joint_names, q.tolist(), strict=True)),
        "coordinates": list(model.coordinates),
        **{name: getattr(model, name).tolist() for name in ("M", "D", "K")},
        "state_space": {name: getattr(space, name).tolist() for name in ("A", "B", "C", "D")},
        **modes_summary(robot, q),
    }


def write_small_motion(estimate: Estimate, path: FilePath, at: Mapping[str, float] | None = None) -> None:
    """Write small motion, whole or not at all; at: as for `small_motion_document`."""
    save_json(path, small_motion_document(estimate, at or {}))
