"""Mass matrix, bias and motion of an identified robot as CasADi functions, for controllers that optimise.

One Newton-Euler recursion in base axes, as symbols: tau(q, dq, twist, acceleration). The bias is tau without
acceleration, the mass matrix its derivative by the acceleration, in which it is linear; rotors are part of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.errors import FreefloatError
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.structured.as_standard import standard_estimate
from freefloat.export.controller_code import ControllerTables, controller_tables
from freefloat.robot.parameters import inertia_matrix
from freefloat.robot.tree import PRISMATIC, REVOLUTE


class CasadiMissing(FreefloatError):
    """CasADi is asked for, but not installed."""


@dataclass(frozen=True, slots=True, eq=False)
class CasadiModel:
    """CasADi functions, of the quantities of `FloatingModel`.

    mass_matrix: q -> H. bias: (q, dq, twist) -> c. both: (q, dq, twist) -> (H, c), and where joints are passive, what
    springs give. friction: (dq, slow) -> what motors give beside, the sign of a rate being tanh(rate / slow).
    springs: (q, dq) -> what springs give, zero for driven joints, (joints,).
    forward: (q, dq, twist, wrench, torque) -> rise, the accelerations (dv, dw, ddq), from the wrench on the base and
    torques of the motors less friction; springs are reckoned with, and torques of passive joints not read.
    swing: (q, dq, twist, wrench, ddq) -> rise where driven joints accelerate as ddq says; that of passive joints is
    not read. joints, driven, passive: names of all joints, and of those.
    """

    name: str
    joints: tuple[str, ...]
    driven: tuple[str, ...]
    passive: tuple[str, ...]
    mass_matrix: Any
    bias: Any
    both: Any
    friction: Any
    springs: Any
    forward: Any
    swing: Any


def controller_casadi(estimate: Estimate, name: str | None = None) -> CasadiModel:
    """CasADi functions of an identified robot: `both` is called `<name>`, others `<name>_mass_matrix` and so on."""
    try:
        import casadi
    except ImportError as error:
        raise CasadiMissing("CasADi is not installed; allowed: after `pip install freefloat[casadi]`") from error
    estimate = standard_estimate(estimate)
    tables, joints = controller_tables(estimate, name), len(estimate.robot.joints)
    q, dq, twist = casadi.SX.sym("q", joints), casadi.SX.sym("dq", joints), casadi.SX.sym("twist", 6)
    wrench, torque = casadi.SX.sym("wrench", 6), casadi.SX.sym("torque", joints)
    ddq, rise, slow = casadi.SX.sym("ddq", joints), casadi.SX.sym("rise", 6 + joints), casadi.SX.sym("slow")
    at_rest = _inverse_dynamics(casadi, tables, q, casadi.SX(joints, 1), casadi.SX(6, 1), rise)
    steady = _inverse_dynamics(casadi, tables, q, dq, twist, casadi.SX(6 + joints, 1))
    H, sprung = casadi.jacobian(at_rest, rise), -tables.stiffness * q - tables.damping * dq
    given = casadi.vertcat(wrench, *(sprung[k] if k in tables.passive else torque[k] for k in range(joints)))
    forward = _accelerations(casadi, tables, H, given - steady, {})
    swing = _accelerations(casadi, tables, H, given - steady, {int(k): ddq[k] for k in tables.driven})

    def function(what: str, arguments: dict[str, Any], results: dict[str, Any]) -> Any:
        said = list(arguments.values()), list(results.values()), list(arguments), list(results)
        return casadi.Function("_".join(filter(None, (tables.name, what))), *said)

    state = {"q": q, "dq": dq, "twist": twist}
    swings = {"springs": sprung} if tables.passive.size else {}
    return CasadiModel(
        tables.name,
        tables.joints,
        estimate.robot.driven_names,
        estimate.robot.passive_names,
        function("mass_matrix", {"q": q}, {"H": H}),
        function("bias", state, {"c": steady}),
        function("", state, {"H": H, "c": steady, **swings}),
        function("friction", {"dq": dq, "slow": slow}, {"torque": _friction(casadi, tables, dq, slow)}),
        function("springs", {"q": q, "dq": dq}, {"torque": sprung}),
        function("forward", {**state, "wrench": wrench, "torque": torque}, {"rise": forward}),
        function("swing", {**state, "wrench": wrench, "ddq": ddq}, {"rise": swing}),
    )


def _accelerations(casadi: Any, tables: ControllerTables, H: Any, load: Any, held: dict[int, Any]) -> Any:
    """(dv, dw, ddq) under a load, less the bias, (6 + joints,); held: accelerations of joints that have them."""
    rise = casadi.SX(H.shape[0], 1)
    for joint, acceleration in held.items():
        rise[6 + joint] = acceleration
    solved = [*tables.allowed.tolist(), *(6 + k for k in range(len(tables.joints)) if k not in held)]
    if solved:
        left = load[solved] - H[solved, :] @ rise
        rise[solved] = casadi.ldl_solve(left, *casadi.ldl(casadi.densify(H[solved, solved])))
    return rise


def _friction(casadi: Any, tables: ControllerTables, dq: Any, slow: Any) -> Any:
    """The law of `dynamics/friction_kernels.py` in symbols."""
    coulomb, viscous, offset, asymmetric, stribeck, which = (casadi.SX(each.tolist()) for each in tables.friction)
    size = coulomb + asymmetric * dq + stribeck * casadi.exp(-((dq / which) ** 2))
    sign = casadi.if_else(slow > 0.0, casadi.tanh(dq / casadi.fmax(slow, 1e-300)), casadi.sign(dq))
    return size * sign + viscous * dq + offset


def _inverse_dynamics(casadi: Any, tables: ControllerTables, q: Any, dq: Any, twist: Any, rise: Any) -> Any:
    """Wrench on the base, then joint torques; rise: (dv, dw, ddq)."""
    tree, cross = tables.tree, casadi.cross
    v, w = twist[:3], twist[3:]
    still = (casadi.SX.eye(3), casadi.SX(3, 1), w, rise[:3] + cross(w, v) + tables.lift, rise[3:6])
    motions, axes = [still], [casadi.SX(3, 1)]
    for body in range(1, tree.parent.size):
        motion, axis = _carried(casadi, tables, body, motions[tree.parent[body]], q, dq, rise)
        motions.append(motion)
        axes.append(axis)
    wrenches = [_wrench(casadi, phi, *motion) for phi, motion in zip(tables.parameters, motions, strict=True)]
    torques = casadi.SX(q.numel(), 1)
    for body, dof in enumerate(tree.dof.tolist()):
        if dof >= 0:  # a rotor spins in the body that carries its joint
            up, spin, axis = tree.parent[body], tables.spin[dof], axes[body]
            moment = spin * (axis * rise[6 + dof] + cross(motions[up][2], axis) * dq[dof])
            wrenches[up] = (wrenches[up][0], wrenches[up][1] + moment)
            torques[dof] = tables.rotor[dof] * rise[6 + dof] + spin * casadi.dot(axis, motions[up][4])
    for body in range(tree.parent.size - 1, 0, -1):
        force, moment = wrenches[body]
        if tree.kind[body] == REVOLUTE:
            torques[tree.dof[body]] += casadi.dot(axes[body], moment - cross(motions[body][1], force))
        elif tree.kind[body] == PRISMATIC:
            torques[tree.dof[body]] += casadi.dot(axes[body], force)
        up = tree.parent[body]
        wrenches[up] = (wrenches[up][0] + force, wrenches[up][1] + moment)
    return casadi.vertcat(*wrenches[0], torques)


def _carried(casadi: Any, tables: ControllerTables, body: int, up: Any, q: Any, dq: Any, rise: Any) -> Any:
    """Rotation, origin, angular velocity, and accelerations of a body, from those of its parent; joint axis."""
    cross, kind, dof = casadi.cross, tables.tree.kind[body], tables.tree.dof[body]
    geometry = tables.tree.geometry[body]
    turn = geometry[:27].reshape(3, 3, 3)
    R, p, w, acceleration, spin_up = up
    axis, step = R @ geometry[27:30], R @ geometry[30:33]
    local = turn[0]
    if kind == REVOLUTE:
        local = turn[0] + casadi.sin(q[dof]) * turn[1] + casadi.cos(q[dof]) * turn[2]
    elif kind == PRISMATIC:
        step = step + axis * q[dof]
    acceleration = acceleration + cross(w, cross(w, step)) + cross(spin_up, step)
    gyration, faster, spin = cross(w, axis), spin_up, w
    if kind == REVOLUTE:
        faster = spin_up + axis * rise[6 + dof] + gyration * dq[dof]
        spin = w + axis * dq[dof]
    elif kind == PRISMATIC:
        acceleration = acceleration + axis * rise[6 + dof] + 2.0 * gyration * dq[dof]
    return (R @ local, p + step, spin, acceleration, faster), axis


def _wrench(casadi: Any, phi: Any, R: Any, p: Any, w: Any, acceleration: Any, faster: Any) -> tuple[Any, Any]:
    """Force, and moment about the base origin, that a body's motion needs."""
    cross, first = casadi.cross, R @ phi[1:4]
    inertia = R @ casadi.SX(np.array(inertia_matrix(phi))) @ R.T
    force = phi[0] * acceleration + cross(faster, first) + cross(w, cross(w, first))
    moment = inertia @ faster + cross(w, inertia @ w) + cross(first, acceleration) + cross(p, force)
    return force, moment
