"""A robot in Pinocchio, built joint by joint from its data; our URDF writer has no part in it.

Joints are added depth first, as Pinocchio wants them, which is not our order: everything is mapped by name.
A planar base is a free flyer that moves in a plane; a fixed base has no root joint and is in Pinocchio's
"universe", whose inertia Pinocchio keeps but counts nowhere, so that it is added here.
"""

from dataclasses import replace

import numpy as np
import pinocchio as pin

from freefloat.robot.parameters import PER_BODY
from freefloat.robot.parts import Body, Joint
from freefloat.robot.transform import Transform, rotation_about

ROOT = "root_joint"


def inertia_of(phi):
    """The body in Pinocchio. The one place that relies on our parameters being in Pinocchio's order."""
    return pin.Inertia.FromDynamicParameters(np.asarray(phi, float))


def placement_of(transform):
    return pin.SE3(transform.R, transform.p)


def moving_joint(joint):
    kind = pin.JointModelPrismaticUnaligned if joint.kind == "prismatic" else pin.JointModelRevoluteUnaligned
    return kind(joint.axis)


def build_model(robot):
    """The Pinocchio model, gravity included."""
    model = pin.Model()
    model.gravity.linear = robot.gravity
    root, here = 0, pin.SE3.Identity()
    if robot.base != "fixed":
        root = model.addJoint(0, pin.JointModelFreeFlyer(), here, ROOT)
    waiting = [(robot.bodies[0], root, here)]  # body, the joint its parent moves with, the parent's place there
    while waiting:
        body, joint, place = waiting.pop()
        if body.joint is not None:
            joint, place = _carrier(model, body, joint, place)
        model.appendBodyToJoint(joint, inertia_of(body.parameters), place)
        waiting += [(child, joint, place) for child in robot.bodies if child.parent == body.name]
    return model


def _carrier(model, body, joint, place):
    """The joint that a body moves with, added if it is the body's own, and its place there."""
    there = place * placement_of(body.placement)
    if not body.joint.moves:
        return joint, there
    return model.addJoint(joint, moving_joint(body.joint), there, body.joint.name), pin.SE3.Identity()


def with_real_wheels(robot, rng):
    """The same robot whose wheels are bodies that turn, taken out of the base, anywhere in it.

    Their joints have the wheels' names. A wheel is symmetric about its axis; its mass, its place and its
    inertia across the axis are free, for at rest they belong to the base anyhow.
    """
    base, bodies = robot.bodies[0], list(robot.bodies[1:])
    rest = inertia_of(base.parameters).toDynamicParameters()
    for wheel in robot.wheels:
        place = Transform(rotation_about(wheel.axis, rng.uniform(-3, 3)), rng.normal(size=3))
        across = rng.uniform(0.6, 0.9) * wheel.spin_inertia
        inertia = across * np.eye(3) + (wheel.spin_inertia - across) * np.outer(wheel.axis, wheel.axis)
        ring = pin.Inertia(rng.uniform(0.5, 1.0), np.zeros(3), inertia)
        rest = rest - placement_of(place).act(ring).toDynamicParameters()
        joint = Joint(wheel.name, "continuous", wheel.axis)
        bodies.append(Body(f"{wheel.name} ring", base.name, joint, place, ring.toDynamicParameters()))
    return replace(robot, bodies=(replace(base, parameters=rest), *bodies), wheels=())


class InPinocchio:
    """What Pinocchio says about samples of a robot; every answer has the samples first."""

    def __init__(self, robot, model=None):
        self.robot, self.model = robot, build_model(robot) if model is None else model
        self.data, self.floats = self.model.createData(), self.model.existJointName(ROOT)
        self.base = self.model.inertias[0]  # zero unless the base is fixed

    # ------------------------------------------------------------------ states

    def states(self, samples, wheels=()):
        """(q, v, a) of every sample, in Pinocchio's coordinates.

        wheels: names of the joints that the wheels turn on, in the order of the wheels.
        """
        for k in range(len(samples)):
            q, v, a = pin.neutral(self.model), np.zeros(self.model.nv), np.zeros(self.model.nv)
            if self.floats:
                q[:3], q[3:7] = samples.position[k], samples.attitude[k]
                v[:6] = *samples.v[k], *samples.w[k]
                a[:6] = *samples.dv[k], *samples.dw[k]
            for j, name in enumerate(self.robot.joint_names):
                self._set(name, q, v, a, samples.q[k, j], samples.dq[k, j], samples.ddq[k, j])
            for j, name in enumerate(wheels):
                spin, rise = samples.wheel_rates[k, j], samples.wheel_accelerations[k, j]
                self._set(name, q, v, a, 0.3 + k, spin, rise)
            yield q, v, a

    def _set(self, name, q, v, a, position, rate, acceleration):
        joint = self.model.joints[self.model.getJointId(name)]
        turns = joint.nq == 2  # a continuous joint from a URDF, by cosine and sine
        q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(position), np.sin(position)) if turns else (position,)
        v[joint.idx_v], a[joint.idx_v] = rate, acceleration

    def in_base(self, q):
        """Where the base is, for what Pinocchio gives in the world."""
        pin.forwardKinematics(self.model, self.data, q)
        return self.data.oMi[1] if self.floats else pin.SE3.Identity()

    # ------------------------------------------------------------------ quantities

    def momentum(self, samples, wheels=()):
        """Linear, then angular about the base origin, base frame, shape (n, 6)."""
        found = []
        for q, v, _ in self.states(samples, wheels):
            about_com = pin.computeCentroidalMomentum(self.model, self.data, q, v)
            in_world = pin.SE3(np.eye(3), self.data.com[0].copy()).act(about_com)
            found.append(self.in_base(q).actInv(in_world).vector)
        return np.array(found)

    def kinetic_energy(self, samples, wheels=()):
        """Shape (n,) [J]."""
        states = self.states(samples, wheels)
        return np.array([pin.computeKineticEnergy(self.model, self.data, q, v) for q, v, _ in states])

    def potential_energy(self, samples):
        """Shape (n,) [J]."""
        at_rest = -self.model.gravity.linear @ (self.base.mass * self.base.lever)
        return np.array(
            [pin.computePotentialEnergy(self.model, self.data, q) + at_rest for q, _, _ in self.states(samples)]
        )

    def first_moment(self, samples):
        """Mass times centre of mass from the base origin, base frame, shape (n, 3)."""
        found = []
        for q, _, _ in self.states(samples):
            com = pin.centerOfMass(self.model, self.data, q).copy()
            in_base = self.data.mass[0] * self.in_base(q).actInv(com)
            found.append(in_base + self.base.mass * self.base.lever)
        return np.array(found)

    def inverse_dynamics(self, samples, wheels=()):
        """Base wrench, then torques of the robot's joints in the robot's order, shape (n, 6 + joints)."""
        found = []
        order = [self.model.joints[self.model.getJointId(name)].idx_v for name in self.robot.joint_names]
        for q, v, a in self.states(samples, wheels):
            torques = pin.rnea(self.model, self.data, q, v, a).copy()
            wrench = torques[:6] if self.floats else self._wrench_on_fixed_base()
            found.append(np.concatenate([wrench, torques[order]]))
        return np.array(found)

    def _wrench_on_fixed_base(self):
        """What the world must hold: the base's weight and the wrenches on the bodies it carries."""
        whole = self.base * pin.Motion(-self.model.gravity.linear, np.zeros(3))
        for joint in range(1, self.model.njoints):
            if self.model.parents[joint] == 0:
                whole += self.data.liMi[joint].act(self.data.f[joint])
        return whole.vector

    # ------------------------------------------------------------------ regressors

    def columns(self, regressor):
        """A Pinocchio regressor (rows, 10 joints), its columns in our order of bodies."""
        joints = [self._joint_of(name) - 1 for name in self.robot.body_names]
        whole = np.atleast_2d(regressor)
        return np.hstack([whole[:, PER_BODY * joint : PER_BODY * (joint + 1)] for joint in joints])

    def _joint_of(self, body):
        joint = self.robot.body(body).joint
        return self.model.getJointId(ROOT if joint is None else joint.name)
