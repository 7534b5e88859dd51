"""The robot in 3D along its motion: surfaces in the frames of bodies, and where these frames are at every instant.

The page moves the surfaces itself, so that instants cost twelve numbers a body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.samples import Samples
from freefloat.mission.run_directory import Run
from freefloat.report.figures import packed
from freefloat.report.robot_in_3d.body_uncertainty import centre_covariances
from freefloat.report.robot_in_3d.robot_solids import Solid, equal_inertia, robot_solids, without_shapes
from freefloat.report.robot_in_3d.solids import ellipsoid
from freefloat.report.shown_motion import shown_motion
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, com_of
from freefloat.robot.rotations import rotations

_SEEN = 0.05  # of the robot's reach: size of the largest uncertainty that is drawn
_TIMES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # magnifications of uncertainties
_FILM_S = 14.0  # how long the motion should take to look at
_FROM_THE_SIDE, _FROM_ABOVE = 0.3, 0.95  # how high the camera stands [rad]
_INDICES = 2**16  # points that u2 can number
_SPEEDS = (1, 2, 5, 10, 20, 50)


@dataclass(frozen=True, slots=True, eq=False)
class Poses:
    """Of all moving bodies in the inertial frame: R (n, bodies, 3, 3), p (n, bodies, 3) [m]."""

    R: Array
    p: Array


def poses_of(robot: Robot, motion: Samples) -> Poses:
    """Where each body is."""
    still, rest = read_only(np.zeros((len(motion), 3))), read_only(np.zeros_like(motion.q))
    R, p, *_ = kernels.sweep(robot.tree.arrays, motion.q, rest, still, still)
    base = np.tile(np.eye(3), (len(motion), 1, 1)) if motion.attitude is None else rotations(motion.attitude)
    origin = still if motion.position is None else motion.position
    return Poses(np.einsum("nij,nbjk->nbik", base, R), np.einsum("nij,nbj->nbi", base, p) + np.asarray(origin)[:, None])


def scene_of(run: Run) -> dict[str, Any]:
    """Everything the page draws in 3D, as plain data."""
    robot, motion = run.robot, shown_motion(run)
    poses, t = poses_of(robot, motion), motion.need("t", "a scene")
    reach = float(np.ptp(poses.p.reshape(-1, 3), axis=0).max()) or 1.0
    solids = robot_solids(robot, run.estimate.known, reach)
    phi = (run.identified or robot).parameters
    centres, times = _centres(run, phi, reach)
    turned = _turned(poses.R[:, 0])
    flat = np.concatenate([poses.R.reshape(*poses.R.shape[:2], 9), poses.p], axis=2)
    fixed = robot.base == "fixed"
    return {
        "t": packed(t - t[0]),
        "frames": len(motion),
        "bodies": poses.p.shape[1],
        "poses": packed(flat),
        "turned_deg": packed(np.degrees(turned)),
        "start": _telling(motion.q, turned),
        "parts": [
            *_parts(solids, "bodies"),
            *_parts(_inertias(robot, phi), "inertia"),
            *_parts(centres, "centres"),
        ],
        "path": packed(_tip(robot, poses)),
        "times": times,
        "speed": min(_SPEEDS, key=lambda each: abs(np.log(float(t[-1] - t[0]) / each / _FILM_S))),
        "speeds": _SPEEDS,
        "rise": _FROM_ABOVE if robot.base == "planar" else _FROM_THE_SIDE,
        "fixed": fixed,
        "rods": without_shapes(robot),
    }


def _parts(solids: Sequence[Solid], group: str) -> list[dict[str, Any]]:
    return [
        {
            "name": solid.name,
            "group": group,
            "body": solid.body,
            "colour": solid.colour,
            "points": packed(surface.points),
            "normals": packed(surface.normals),
            "triangles": packed(surface.triangles, "u2"),
        }
        for solid in solids
        for surface in solid.surface.pieces(_INDICES)
    ]


def _inertias(robot: Robot, phi: Array) -> list[Solid]:
    bodies = zip(robot.tree.names, phi.reshape(-1, PER_BODY), strict=True)
    return [
        Solid(name, index, equal_inertia(each), "--inertia") for index, (name, each) in enumerate(bodies) if each[0] > 0
    ]


def _centres(run: Run, phi: Array, reach: float) -> tuple[list[Solid], int]:
    """Regions that hold each centre of mass with 95 %, and by how much they are magnified."""
    covariances = centre_covariances(run.estimate, phi)
    if covariances is None:
        return [], 1
    values, vectors = np.linalg.eigh(covariances)
    axes = np.sqrt(chi2.isf(0.05, 3) * np.maximum(values, 0.0))
    largest = float(axes.max(initial=0.0))
    times = max([each for each in _TIMES if each * largest < _SEEN * reach], default=1)
    floor = 0.25 * _SEEN * reach  # a body that is known is a dot
    bodies = zip(run.robot.tree.names, phi.reshape(-1, PER_BODY), strict=True)
    regions = vectors * np.maximum(times * axes, floor)[:, None]
    return [
        Solid(name, body, ellipsoid(com_of(each), regions[body], small=True), "--accent")
        for body, (name, each) in enumerate(bodies)
        if each[0] > 0.0
    ], times


def _tip(robot: Robot, poses: Poses) -> Array:
    """The path of the last body's centre of mass, shape (n, 3)."""
    last = int(poses.p.shape[1] - 1)
    centre = com_of(robot.parameters.reshape(-1, PER_BODY)[last])
    return np.asarray(poses.R[:, last] @ centre + poses.p[:, last])


def _turned(R: Array) -> Array:
    """Angle from the first attitude, shape (n,) [rad]."""
    cosine = 0.5 * (np.einsum("ij,nij->n", R[0], R) - 1.0)
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def _telling(q: Array, turned: Array) -> int:
    """The instant that shows most: base turned and joints far from where they started, both in parts of their most."""
    away = np.linalg.norm(q - q[0], axis=1)
    shares = [each / (float(each.max()) or 1.0) for each in (away, turned)]
    return int(np.sum(shares, axis=0).argmax())
