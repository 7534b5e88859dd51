"""The robot in 3D along its motion: surfaces in the frames of bodies, and where these frames are at every instant.

The page moves the surfaces itself, so that instants cost twelve numbers a body.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2

from freefloat.regressor import kernels
from freefloat.regressor.samples import Samples, read_only, rotations
from freefloat.report.body_uncertainty import centre_covariances
from freefloat.report.figures import packed
from freefloat.report.run_story import RunStory
from freefloat.report.solids import Surface, capsule, ellipsoid, joined, surface_of
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, com_of, pseudo_inertia
from freefloat.robot.transform import Array

_THIN = 0.02  # of the robot's reach: radius of links that have no shape
_SEEN = 0.06  # of the robot's reach: size of the largest uncertainty that is drawn
_TIMES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # magnifications of uncertainties


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


def scene_of(story: RunStory) -> dict[str, Any]:
    """Everything the page draws in 3D, as plain data."""
    robot, motion = story.robot, story.motion
    poses = poses_of(robot, motion)
    reach = float(np.ptp(poses.p.reshape(-1, 3), axis=0).max()) or 1.0
    solids = _solids(robot, story.estimate.known, reach)
    phi = robot.parameters if story.identified is None else story.identified
    inertias, (uncertain, times) = _inertias(phi), _centres(story, phi, reach)
    parts = [_part(name, "bodies", [(body, surface)], colour) for body, name, surface, colour in solids]
    parts += [_part("inertia", "inertia", inertias, "--inertia")] if inertias else []
    parts += [_part("centre of mass", "centres", uncertain, "--accent")] if uncertain else []
    drawn = [*((body, surface) for body, _, surface, _ in solids), *inertias, *uncertain]
    low, high = _extent(poses, drawn)
    flat = np.concatenate([poses.R.reshape(*poses.R.shape[:2], 9), poses.p], axis=2)
    return {
        "t": packed(motion.need("t", "a scene")),
        "frames": len(motion),
        "bodies": poses.p.shape[1],
        "poses": packed(flat),
        "turned_deg": packed(np.degrees(_turned(poses.R[:, 0]))),
        "parts": parts,
        "path": packed(_tip(robot, poses)),
        "range": [low.tolist(), high.tolist()],
        "times": times,
        "fixed": robot.base == "fixed",
    }


def _extent(poses: Poses, drawn: Sequence[tuple[int, Surface]]) -> tuple[Array, Array]:
    """Lowest and highest coordinates over all instants, shape (3,) each [m]."""
    placed = [np.einsum("nij,vj->nvi", poses.R[:, b], each.points) + poses.p[:, b, None] for b, each in drawn]
    low, high = (np.array([bound(each, axis=(0, 1)) for each in placed]) for bound in (np.min, np.max))
    return low.min(axis=0), high.max(axis=0)


def _part(name: str, group: str, surfaces: Sequence[tuple[int, Surface]], colour: str) -> dict[str, Any]:
    """Surfaces in the frames of bodies as one mesh."""
    whole = joined([surface for _, surface in surfaces])
    bodies = np.repeat([body for body, _ in surfaces], [len(surface.points) for _, surface in surfaces])
    return {
        "name": name,
        "group": group,
        "colour": colour,
        "points": packed(whole.points),
        "body": packed(bodies, "u1"),
        "triangles": packed(whole.triangles, "i4"),
    }


def _solids(robot: Robot, known: Collection[str], reach: float) -> list[tuple[int, str, Surface, str]]:
    """Shapes of all bodies by moving body; sticks to what they carry where there are none. known: names of bodies."""
    names, parent = robot.tree.names, robot.tree.arrays.parent
    found = list[tuple[int, str, Surface, str]]()
    for body, name in enumerate(names):
        surfaces = [
            surface_of(shape).placed(robot.tree.carried[each.name][1])
            for each in robot.bodies
            if robot.tree.carried[each.name][0] == body
            for shape in each.shapes
        ]
        if not surfaces:
            phi = robot.parameters.reshape(-1, PER_BODY)[body]
            children = [robot.tree.arrays.geometry[child, 30:33] for child in np.flatnonzero(parent == body)]
            ends = children or [com_of(phi)]
            surfaces = [capsule(np.zeros(3), end, _THIN * reach) for end in ends]
            if body == 0 and phi[0] > 0.0:
                surfaces.append(_equal_inertia(phi))
        colour = "--base" if body == 0 else ("--link-a" if body % 2 else "--link-b")
        found.append((body, name, joined(surfaces), "--load" if name in known else colour))
    return found


def _equal_inertia(phi: Array) -> Surface:
    """The ellipsoid of even density that has a body's mass, centre and inertia."""
    mass, centre = float(phi[0]), com_of(phi)
    second = pseudo_inertia(phi)[:3, :3] / mass - np.outer(centre, centre)
    values, vectors = np.linalg.eigh(second)
    return ellipsoid(centre, vectors * np.sqrt(5.0 * np.maximum(values, 0.0)))


def _inertias(phi: Array) -> list[tuple[int, Surface]]:
    bodies = phi.reshape(-1, PER_BODY)
    return [(index, _equal_inertia(each)) for index, each in enumerate(bodies) if each[0] > 0.0]


def _centres(story: RunStory, phi: Array, reach: float) -> tuple[list[tuple[int, Surface]], int]:
    """Regions that hold each centre of mass with 95 %, and by how much they are magnified."""
    covariances = centre_covariances(story.estimate, phi)
    if covariances is None:
        return [], 1
    size = np.sqrt(chi2.isf(0.05, 3))
    values, vectors = np.linalg.eigh(covariances)
    axes = size * np.sqrt(np.maximum(values, 0.0))
    largest = float(axes.max(initial=0.0))
    times = max([each for each in _TIMES if each * largest < _SEEN * reach], default=1)
    floor = 0.2 * _SEEN * reach  # a body that is known is a dot
    return [
        (body, ellipsoid(com_of(each), vectors[body] * np.maximum(times * axes[body], floor)))
        for body, each in enumerate(phi.reshape(-1, PER_BODY))
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
