"""Torque-level flight, compiled: base, joints, motors and wheels from step to step.

At every instant the accelerations solve

    H(q) (dv, dw, ddq) = (wrench from outside, motor torques - friction) - bias(q, dq, v, w, gravity, wheels, rotors).

Joints may be prescribed instead: they are where the course has them, their ddq is known, and only the other rows are
solved. The spring and the damper of a passive joint are those of a motor that is to keep it at zero.

The state advances by the classical Runge-Kutta method of order four or, where springs swing on for many periods, by
one of order six (J. C. Butcher, J. Austral. Math. Soc. 4, 1964); attitude does so on the rotation group,
R -> R exp(phi), phi' = w + phi x w / 2 + phi x (phi x w) / 12 (Bortz, IEEE T-AES 1971), as in `attitude_kernels`.

`fly` encloses a checksum of the files that it calls into (`compile_stamp` says why), and is the only function here
that is cached: the others are compiled into it, whenever it is compiled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.compile_stamp import text_stamp
from freefloat.dynamics import attitude_kernels, forward_kernels as dynamics_kernels, friction_kernels
from freefloat.dynamics.attitude_kernels import rotate, turned_quaternion, vector_rate
from freefloat.dynamics.forward_kernels import add_rotors, dynamics, solve, workspace
from freefloat.robot.tree import TreeArrays

_FAST = {"nogil": True, "fastmath": {"contract"}}
_friction = njit(cache=True, **_FAST)(friction_kernels.friction)

# The state: rotation since the step began, base origin, base velocities v and w; then joint positions, joint
# rates, motor torques, wheel rates.
_P, _V, _W, _Q = 3, 6, 9, 12

# Order six: where in a step it looks, the end apart; at which of these points its stages are; its coefficients.
POINTS_OF_SIX = (0.0, 1.0 / 3.0, 1.0 / 2.0, 2.0 / 3.0)
_SIX_AT = (0, 1, 3, 1, 2, 2, 4)
_SIX = np.zeros((7, 6))
_SIX[1, :1] = 1.0 / 3.0
_SIX[2, :2] = 0.0, 2.0 / 3.0
_SIX[3, :3] = 1.0 / 12.0, 1.0 / 3.0, -1.0 / 12.0
_SIX[4, :4] = -1.0 / 16.0, 9.0 / 8.0, -3.0 / 16.0, -3.0 / 8.0
_SIX[5, :5] = 0.0, 9.0 / 8.0, -3.0 / 8.0, -3.0 / 4.0, 1.0 / 2.0
_SIX[6, :6] = 9.0 / 44.0, -9.0 / 11.0, 63.0 / 44.0, 18.0 / 11.0, 0.0, -16.0 / 11.0
_SIX_WEIGHTS = np.array([11.0 / 120.0, 0.0, 27.0 / 40.0, 27.0 / 40.0, -4.0 / 15.0, -4.0 / 15.0, 11.0 / 120.0])


class Mechanism(NamedTuple):
    """What flies.

    phi: standard parameters (bodies, 10). rows: which accelerations are solved, of the base's six and the joints'
    (6 + joint), increasing. prescribed: joints that are where the course has them. gravity: inertial axes (3,).
    axes (wheels, 3), spins (wheels,): of the wheels, free or not.
    """

    tree: TreeArrays
    phi: Array
    rows: NDArray[np.int64]
    prescribed: NDArray[np.int64]
    gravity: Array
    axes: Array
    spins: Array
    free: bool


class Motors(NamedTuple):
    """What drives the joints; all of shape (joints,).

    friction: as `dynamics/friction_kernels.py` takes it, (joints,) each. smooth: rate at which its sign has three
    quarters of its size. rotor: inertia that the joint feels; spin: momentum per unit of its rate. lag: zero for none.
    """

    stiffness: Array
    damping: Array
    friction: tuple[Array, ...]
    smooth: Array
    rotor: Array
    spin: Array
    lag: Array
    limit: Array


class Course(NamedTuple):
    """What is commanded and what acts from outside.

    t: samples (n,); between them `every` steps. six: whether of order six, or four. q, dq, ddq, feed (joints) and
    wheel_rates, wheel_rises (wheels), nadir (3): at the begin of every step and at the points inside that its method
    looks at (half-way; POINTS_OF_SIX), and at the end. held: torques of the joints over each interval between
    samples (n - 1, joints); wrench likewise (n - 1, 6), base axes. outside: constant force and torque at the centre
    of mass (6,), inertial axes; gradient: three times the orbital rate squared.
    """

    t: Array
    every: int
    six: bool
    q: Array
    dq: Array
    ddq: Array
    feed: Array
    held: Array
    wheel_rates: Array
    wheel_rises: Array
    wrench: Array
    outside: Array
    nadir: Array
    gradient: float


# ---------------------------------------------------------------------- what acts, and what follows


@njit(**_FAST)
def _motor_torques(motors, course, i, k, x, torque, d):
    """Torques that the motors give, and the rates of those that lag behind the command."""
    nj = torque.size
    for j in range(nj):
        wanted = course.feed[i, j] + course.held[k, j]
        wanted += motors.stiffness[j] * (course.q[i, j] - x[_Q + j])
        wanted += motors.damping[j] * (course.dq[i, j] - x[_Q + nj + j])
        wanted = min(max(wanted, -motors.limit[j]), motors.limit[j])
        at = _Q + 2 * nj + j
        if motors.lag[j] > 0.0:
            torque[j], d[at] = x[at], (wanted - x[at]) / motors.lag[j]
        else:
            torque[j], d[at] = wanted, 0.0


@njit(**_FAST)
def _outside_wrench(course, H, i, k, quaternion, out):
    """Force and moment about the base origin from outside, but for gravity, base axes, into out (6,)."""
    mass = H[0, 0]
    c0, c1, c2 = H[5, 1] / mass, H[3, 2] / mass, H[4, 0] / mass  # H[3:, :3] is mass times [c x]
    f0, f1, f2 = rotate(quaternion, course.outside[0], course.outside[1], course.outside[2], True)
    t0, t1, t2 = rotate(quaternion, course.outside[3], course.outside[4], course.outside[5], True)
    if course.gradient != 0.0:
        nadir = course.nadir[i]
        n0, n1, n2 = rotate(quaternion, nadir[0], nadir[1], nadir[2], True)
        square, along = c0 * c0 + c1 * c1 + c2 * c2, c0 * n0 + c1 * n1 + c2 * n2
        i0 = H[3, 3] * n0 + H[3, 4] * n1 + H[3, 5] * n2 - mass * (square * n0 - along * c0)
        i1 = H[4, 3] * n0 + H[4, 4] * n1 + H[4, 5] * n2 - mass * (square * n1 - along * c1)
        i2 = H[5, 3] * n0 + H[5, 4] * n1 + H[5, 5] * n2 - mass * (square * n2 - along * c2)
        t0 += course.gradient * (n1 * i2 - n2 * i1)
        t1 += course.gradient * (n2 * i0 - n0 * i2)
        t2 += course.gradient * (n0 * i1 - n1 * i0)
    wrench = course.wrench[k]
    out[0], out[1], out[2] = wrench[0] + f0, wrench[1] + f1, wrench[2] + f2
    out[3] = wrench[3] + t0 + c1 * f2 - c2 * f1
    out[4] = wrench[4] + t1 + c2 * f0 - c0 * f2
    out[5] = wrench[5] + t2 + c0 * f1 - c1 * f0


@njit(**_FAST)
def _wheel_load(mechanism, course, i, nj, x, H, load):
    """Take what the wheels' spin needs off the moments in load, and free wheels off the inertia in H."""
    w0, w1, w2 = x[_W], x[_W + 1], x[_W + 2]
    for m in range(mechanism.spins.size):
        a, spin = mechanism.axes[m], mechanism.spins[m]
        rate = x[_Q + 3 * nj + m] if mechanism.free else course.wheel_rates[i, m]
        rise = 0.0 if mechanism.free else course.wheel_rises[i, m]
        load[3] -= spin * (a[0] * rise + rate * (w1 * a[2] - w2 * a[1]))
        load[4] -= spin * (a[1] * rise + rate * (w2 * a[0] - w0 * a[2]))
        load[5] -= spin * (a[2] * rise + rate * (w0 * a[1] - w1 * a[0]))
        if mechanism.free:
            for r in range(3):
                for c in range(3):
                    H[3 + r, 3 + c] -= spin * a[r] * a[c]


@njit(**_FAST)
def _accelerations(mechanism, motors, course, i, k, quaternion, x, work, torque, d):
    """Rates of the base's and the joints' velocities into d, with those of motors that lag; motor torques."""
    nj, H, load, rows, g = torque.size, work.H, work.load, mechanism.rows, mechanism.gravity
    g0, g1, g2 = rotate(quaternion, g[0], g[1], g[2], True)
    work.twist[0, :] = x[_V : _V + 6]
    work.rise[0, 0], work.rise[0, 1], work.rise[0, 2] = -g0, -g1, -g2
    dynamics(mechanism.tree, mechanism.phi, x[_Q : _Q + nj], x[_Q + nj : _Q + 2 * nj], work)
    _outside_wrench(course, H, i, k, quaternion, load)
    _motor_torques(motors, course, i, k, x, torque, d)
    add_rotors(mechanism.tree, motors.rotor, motors.spin, x[_Q + nj : _Q + 2 * nj], work)
    coulomb, viscous, offset, asymmetric, stribeck, slow = motors.friction
    for j in range(nj):
        rate = x[_Q + nj + j]
        sign = np.tanh(rate / motors.smooth[j])
        terms = coulomb[j], viscous[j], offset[j], asymmetric[j], stribeck[j], slow[j]
        load[6 + j] = torque[j] - _friction(rate, sign, terms)
    _wheel_load(mechanism, course, i, nj, x, H, load)
    n = rows.size
    left, right = work.left[:n, :n], work.right[:n]
    for r in range(n):
        row = rows[r]
        right[r] = load[row] - work.bias[row]
        for j in mechanism.prescribed:
            right[r] -= H[6 + j, row] * course.ddq[i, j]
        for c in range(r + 1):
            left[r, c] = H[row, rows[c]]
    solve(left, right)
    d[_V : _V + 6] = 0.0
    for r in range(n):
        d[_V + rows[r] if rows[r] < 6 else _Q + nj + rows[r] - 6] = right[r]
    for j in mechanism.prescribed:
        d[_Q + nj + j] = course.ddq[i, j]


@njit(**_FAST)
def _rates(mechanism, motors, course, i, k, quaternion, x, work, torque, d):
    """Rates d of the state x, whose attitude is the quaternion, at point i, in interval k; sets prescribed joints."""
    nj = torque.size
    for j in mechanism.prescribed:
        x[_Q + j], x[_Q + nj + j] = course.q[i, j], course.dq[i, j]
    _accelerations(mechanism, motors, course, i, k, quaternion, x, work, torque, d)
    d[0], d[1], d[2] = vector_rate(x[0], x[1], x[2], x[_W], x[_W + 1], x[_W + 2])
    d[_P], d[_P + 1], d[_P + 2] = rotate(quaternion, x[_V], x[_V + 1], x[_V + 2], False)
    for j in range(nj):
        d[_Q + j] = x[_Q + nj + j]
    for m in range(mechanism.spins.size):
        axis = mechanism.axes[m]
        along = axis[0] * d[_W] + axis[1] * d[_W + 1] + axis[2] * d[_W + 2]
        d[_Q + 3 * nj + m] = -along if mechanism.free else 0.0


# ---------------------------------------------------------------------- flying


@njit(**_FAST)
def _step(mechanism, motors, course, i, k, h, quaternion, x, d, work, torque):
    """One step of order four and length h from point i on, in interval k; d already holds the first rates."""
    size, scratch, turned = x.size, work.scratch, work.turned
    for stage in range(1, 4):
        ahead = h if stage == 3 else 0.5 * h
        for m in range(size):
            scratch[m] = x[m] + ahead * d[stage - 1, m]
        turned_quaternion(quaternion, scratch[0], scratch[1], scratch[2], turned)
        at = i + 2 if stage == 3 else i + 1
        _rates(mechanism, motors, course, at, k, turned, scratch, work, torque, d[stage])
    for m in range(size):
        x[m] += h / 6.0 * (d[0, m] + 2.0 * (d[1, m] + d[2, m]) + d[3, m])
    turned_quaternion(quaternion, x[0], x[1], x[2], turned)
    quaternion[:] = turned
    x[:3] = 0.0


@njit(**_FAST)
def _step_of_six(mechanism, motors, course, i, k, h, quaternion, x, d, work, torque):
    """The same of order six."""
    scratch, turned = work.scratch, work.turned
    for stage in range(1, 7):
        for m in range(x.size):
            rise = 0.0
            for earlier in range(stage):
                rise += _SIX[stage, earlier] * d[earlier, m]
            scratch[m] = x[m] + h * rise
        turned_quaternion(quaternion, scratch[0], scratch[1], scratch[2], turned)
        _rates(mechanism, motors, course, i + _SIX_AT[stage], k, turned, scratch, work, torque, d[stage])
    for stage in range(7):
        x += h * _SIX_WEIGHTS[stage] * d[stage]
    turned_quaternion(quaternion, x[0], x[1], x[2], turned)
    quaternion[:] = turned
    x[:3] = 0.0


def compiled_flight(stamp: int):
    """The flight, compiled, with a cache entry of its own for every stamp."""

    @njit(cache=True, **_FAST)
    def fly(mechanism, motors, course, attitude, state, rates, torques):
        """Fly one run: fill attitude (n, 4), state and rates (n, size) and motor torques (n, joints).

        The first sample of attitude and state holds the start. Returns the stamp.
        """
        n, size, nj, every = course.t.size, state.shape[1], torques.shape[1], course.every
        work, d, points = workspace(mechanism.tree.parent.size, nj, size), np.zeros((7, size)), 4 if course.six else 2
        x, torque, quaternion = state[0].copy(), np.zeros(nj), attitude[0].copy()
        for k in range(n):
            last = min(k, n - 2)
            i = points * every * k
            _rates(mechanism, motors, course, i, last, quaternion, x, work, torque, d[0])
            attitude[k], state[k], rates[k], torques[k] = quaternion, x, d[0], torque
            if k == n - 1:
                break
            h = (course.t[k + 1] - course.t[k]) / every
            for step in range(every):
                if step > 0:
                    _rates(mechanism, motors, course, i, k, quaternion, x, work, torque, d[0])
                if course.six:
                    _step_of_six(mechanism, motors, course, i, k, h, quaternion, x, d, work, torque)
                else:
                    _step(mechanism, motors, course, i, k, h, quaternion, x, d, work, torque)
                i += points
        return stamp

    return fly


fly = compiled_flight(text_stamp(attitude_kernels, dynamics_kernels, friction_kernels))
