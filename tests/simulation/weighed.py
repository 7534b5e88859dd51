"""Flights as Pinocchio sees them, on models built from the robots' data alone, wheels being bodies that turn."""

import numpy as np
import pinocchio as pin
from authorities.pinocchio_model import InPinocchio, build_model, with_real_wheels

from freefloat.robot.parameters import pseudo_inertia


class Weighed(InPinocchio):
    """The robot with its wheels as bodies that turn."""

    def __init__(self, robot):
        super().__init__(robot, build_model(with_real_wheels(robot, np.random.default_rng(5))))
        self.wheels = [wheel.name for wheel in robot.wheels]

    def bodies(self, samples):
        """Momentum of every body about the inertial origin, inertial axes, shape (n, bodies, 6)."""
        inertias, joints = [*self.model.inertias], range(1, self.model.njoints)
        found = np.empty((len(samples), len(joints), 6))
        for k, (q, v, _) in enumerate(self.states(samples, self.wheels)):
            pin.forwardKinematics(self.model, self.data, q, v)
            for j in joints:
                found[k, j - 1] = self.data.oMi[j].act(inertias[j] * self.data.v[j]).vector
        return found

    def whole(self, samples):
        """Momentum about the inertial origin (n, 6), and the sums of the sizes of the bodies' (n, 2)."""
        each = self.bodies(samples)
        sizes = np.linalg.norm(each.reshape(*each.shape[:2], 2, 3), axis=3).sum(axis=1)
        return each.sum(axis=1), sizes

    def wheel_torques(self, samples):
        """Shape (n, wheels)."""
        order = [self.model.joints[self.model.getJointId(name)].idx_v for name in self.wheels]
        states = self.states(samples, self.wheels)
        return np.array([pin.rnea(self.model, self.data, q, v, a)[order] for q, v, a in states])

    def spread(self, samples):
        """Integral of r r^T dm about the centre of mass, inertial axes, shape (n, 3, 3)."""
        found = np.empty((len(samples), 3, 3))
        for k, (q, _, _) in enumerate(self.states(samples, self.wheels)):
            pin.forwardKinematics(self.model, self.data, q)
            J = np.zeros((4, 4))
            for j in range(1, self.model.njoints):
                place = self.data.oMi[j].homogeneous
                J += place @ pseudo_inertia(self.model.inertias[j].toDynamicParameters()) @ place.T
            found[k] = J[:3, :3] - np.outer(J[:3, 3], J[:3, 3]) / J[3, 3]
        return found


def about_centre(momentum, position):
    """Angular momentum about a moving point, from that about the origin."""
    return momentum[:, 3:] - np.cross(position, momentum[:, :3])


def centres(robot, samples):
    """Centre of mass in inertial axes, by Pinocchio, shape (n, 3)."""
    theirs = Weighed(robot)
    states = theirs.states(samples, theirs.wheels)
    return np.array([pin.centerOfMass(theirs.model, theirs.data, q).copy() for q, _, _ in states])


def simpson(values, step):
    """Integral over an odd number of equidistant samples."""
    return step / 3.0 * (values[0] + values[-1] + 4.0 * values[1:-1:2].sum(0) + 2.0 * values[2:-1:2].sum(0))


def slope(values, step):
    """Derivatives by central differences of order eight, without the four samples at either end."""
    weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
    n = len(values) - 8
    return sum(weight * values[i : i + n] for i, weight in enumerate(weights)) / step
