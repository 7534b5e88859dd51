"""Matrices of a robot with all its parameters, by Pinocchio, in our order of joints and in base axes."""

import numpy as np
import pinocchio as pin
from authorities.pinocchio_model import ROOT, build_model


class FullRobot:
    """A robot on a free base, its parameters complete, in Pinocchio."""

    def __init__(self, robot, model=None):
        self.robot, self.model = robot, build_model(robot) if model is None else model
        joints = [self.model.joints[self.model.getJointId(name)] for name in robot.joint_names]
        self.q_places = [(joint.idx_q, joint.nq) for joint in joints]
        self.order = np.r_[np.arange(6), [joint.idx_v for joint in joints]]

    def configuration(self, q):
        """In Pinocchio's coordinates, the base at the origin of the world."""
        full = pin.neutral(self.model)
        for (place, count), position in zip(self.q_places, q, strict=True):
            full[place : place + count] = (np.cos(position), np.sin(position)) if count == 2 else position
        return full

    def mass_matrix(self, q):
        """H, shape (n, 6 + joints, 6 + joints)."""
        found = []
        for each in q:
            upper = np.triu(pin.crba(self.model, self.model.createData(), self.configuration(each)))
            found.append((upper + upper.T - np.diag(np.diag(upper)))[np.ix_(self.order, self.order)])
        return np.array(found)

    def bias(self, samples):
        """c without weight, shape (n, 6 + joints)."""
        found = []
        for q, dq, v, w in zip(samples.q, samples.dq, samples.v, samples.w, strict=True):
            velocity = np.zeros(self.model.nv)
            velocity[self.order] = *v, *w, *dq
            data = self.model.createData()
            found.append(pin.nonLinearEffects(self.model, data, self.configuration(q), velocity)[self.order])
        return np.array(found)

    def jacobian(self, q, point):
        """Twist of a point per unit of base twist and joint rates, shape (n, 6, 6 + joints)."""
        place = self.robot.with_separate(()).point(point)
        joint = self.robot.body(place.body).joint
        carrier = self.model.getJointId(ROOT if joint is None else joint.name)
        frame = self.model.addFrame(
            pin.Frame(f"{point} frame", carrier, 0, pin.SE3(np.eye(3), place.xyz), pin.OP_FRAME)
        )
        found = []
        for each in q:
            data, full = self.model.createData(), self.configuration(each)
            aligned = pin.LOCAL_WORLD_ALIGNED
            found.append(pin.computeFrameJacobian(self.model, data, full, frame, aligned)[:, self.order])
        return np.array(found)
