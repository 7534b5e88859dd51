"""How passive joints swing along a planned motion, and what its coefficients do to that.

The swing is the true one (`dynamics/swinging.py`), which begins at rest, and so is its derivative. Frequencies may be
those of the file times a factor, damping ratios staying: limits that must hold for springs that are known roughly
look at several.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.about_rest import small_motion
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates, wheel_momentum
from freefloat.dynamics.reaction import NotPossible
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.swinging import Around, Changed, Direct, EvenSteps, Swing, fastest_swing, springs_of
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.motion.trajectory import LinearMap
from freefloat.robot.model import Robot
from freefloat.robot.spring import Spring

_PER_SWING = 3.0  # steps of the fastest swing, of order six: off by less than a thousandth of how far it goes
_AGREED = 1e-8  # rad or m: change of a last round of Newton's method, after which less than 1e-10 is left
_PER_COEFFICIENT = 2.0  # steps for each of the motion's own


def with_frequencies(robot: Robot, factor: float) -> Robot:
    """The robot with all springs so much faster; damping ratios stay."""
    springs = [Spring(factor**2 * each.stiffness, factor * each.damping) for each in robot.springs]
    return robot.with_springs(springs)


def own_frequencies(robot: Robot) -> Array:
    """Of each passive joint alone, all others at zero and locked, the base afloat, (passive,) [rad/s]."""
    model = small_motion(robot)
    stiffness = np.diagonal(model.K)[model.base_rows.size :]
    return np.sqrt(np.maximum(stiffness, 0.0) / np.diagonal(model.felt))


def around(robot: Robot, samples: Samples, momentum: Array) -> Around:
    """What acts on passive joints of the robot.

    samples: of the same robot, its passive joints locked. momentum: in axes of the first instant, (3,) [N m s].
    """
    n, joints = len(samples), len(robot.joints)
    motion = np.zeros((3, n, joints))
    for order, name in enumerate(("q", "dq", "ddq")):
        motion[order][:, robot.driven] = samples.need(name, "a swing")
    spin, rise = (
        wheel_momentum(robot, samples.need(name, "a swing")) for name in ("wheel_rates", "wheel_accelerations")
    )
    q, dq, ddq = motion
    return Around(q, dq, ddq, spin, rise, np.broadcast_to(momentum, (n, 3)), np.zeros((n, 3)))


def by_coefficients(swing: Swing, motion: PlannedMotion, linear: LinearMap) -> Direct:
    """What the flattened coefficients do at once to passive joints, at the instants of a linear map."""
    robot, (m, k) = swing.robot, linear.basis.shape
    joints, wheels = replace(motion.conditions, robot=robot).places(motion.channels)
    channels = len(motion.channels)
    force, rate = np.zeros((m, robot.passive.size, k, channels)), np.zeros((m, 3, k, channels))
    moved, spun = joints >= 0, wheels >= 0
    bases = np.stack([linear.basis, linear.basis_rate, linear.basis_acceleration], axis=2)  # (m, k, 3)
    for found, part in ((force, "force"), (rate, "rate")):
        if part == "force" or swing.around.turns:
            by = np.stack([getattr(direct, part)[:, :, joints[moved]] for direct in swing.by_joints], axis=2)
            found[..., moved] = bases[:, None] @ by  # (m, rows, k, moved)
    if spun.any():
        axes = momentum_by_wheel_rates(robot)[None, :, None, wheels[spun]]
        parts = (basis[:, None, :, None] * axes for basis in (linear.basis_rate, linear.basis_acceleration))
        direct = swing.by_spin(*(each.reshape(m, 3, -1) for each in parts))
        force[..., spun] += direct.force.reshape(m, -1, k, int(spun.sum()))
        rate[..., spun] += direct.rate.reshape(m, 3, k, int(spun.sum()))
    return Direct(force.reshape(m, -1, k * channels), rate.reshape(m, 3, -1))


@dataclass(frozen=True, eq=False)
class PlannedSwing:
    """The swing of a robot along a motion that was planned with its passive joints locked."""

    robot: Robot
    motion: PlannedMotion

    @classmethod
    def of(cls, motion: PlannedMotion, robot: Robot) -> PlannedSwing:
        """Computed once for all limits that read this motion."""
        found: PlannedSwing = motion.remembered.setdefault(("swing", robot), cls(robot, motion))
        return found

    @cached_property
    def _steps(self) -> EvenSteps:
        duration = self.motion.whole.duration_s
        per_s = max(_PER_SWING * fastest_swing(self.robot), _PER_COEFFICIENT * len(self.motion.coefficients) / duration)
        count = max(1, int(np.ceil(per_s * duration)))
        return EvenSteps(0.0, duration / count, count)

    @cached_property
    def _linear(self) -> LinearMap:
        return self.motion.whole.linear_map(np.minimum(self._steps.t, self.motion.whole.duration_s))

    @cached_property
    def _swing(self) -> Swing | None:
        """None where it knows no bounds."""
        robot, steps = self.robot, self._steps
        motion, start = self.motion, np.zeros((2, robot.passive.size))
        samples = motion.conditions.samples(motion.channels, self._linear.motion(motion.coefficients))
        acting = around(robot, samples, motion.conditions.momentum)
        try:
            return Swing.of(
                robot, robot.parameters, springs_of(robot), steps, acting, start, agreed=_AGREED, roughly=True
            )
        except NotPossible:
            return None

    @cached_property
    def _changed(self) -> Changed | None:
        swing = self._swing
        if swing is None:
            return None
        direct = by_coefficients(swing, self.motion, self._linear)
        return swing.derivative(direct, np.zeros((2, self.robot.passive.size, direct.force.shape[2])))

    def at(self, t: Array) -> tuple[Array, Array]:
        """Positions and rates of the passive joints at times t (n,), (n, passive) each; infinite without bounds."""
        if self._swing is None:
            none = np.full((t.size, self.robot.passive.size), np.inf)
            return none, none
        position, rate, _ = self._swing.at(t)
        return position, rate

    def change(self, t: Array, by: Array) -> Array:
        """Of `by` times positions, then rates, at times t (n,), by the flattened coefficients, (n, k * channels).

        by: (n, 2 passive).
        """
        found = np.zeros((t.size, 1, self.motion.coefficients.size))
        if self._changed is not None:
            self._changed.add_to(found, by[:, None], t)
        return found[:, 0]
