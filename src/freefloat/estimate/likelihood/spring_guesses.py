"""First guesses of springs: which frequencies of passive joints explain what a robot with all of them locked leaves.

Over a minute a panel whose frequency is off by a few per cent swings out of step with its prediction, and a search from
there ends elsewhere. So what the robot of a point leaves of the gyro's readings with passive joints locked is compared
with the swing that the motion drives at each of many frequencies,

    ddq = a(t) - (k q + d dq) / M(t),      what it does to the base's rate = (dw/dq) q + (dw/d(dq)) dq,

a the acceleration that the law asks of the joint at rest (`dynamics/swinging.py`), beside what free swings from the
first instant on and all other unknowns may do; the frequency that leaves least is where the search begins. Joints take
turns, the one that explains most first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics import swing_kernels
from freefloat.dynamics.swinging import Swing
from freefloat.estimate.likelihood.effort import misfit_of
from freefloat.estimate.likelihood.finished import stacked
from freefloat.estimate.likelihood.likelihood import FlightLikelihood, Likelihood
from freefloat.estimate.likelihood.predicted_base import PredictedFlight
from freefloat.estimate.uncertain import root_of
from freefloat.estimate.unknowns import SPRINGS, SWING_START

_LOWEST, _HIGHEST = 0.55, 1.7  # of the frequency that the robot file has
_PER_CYCLE = 3.0  # frequencies tried while a swing gains or loses a cycle over the flight
_DAMPINGS = (0.25, 0.5, 2.0, 4.0)  # of the damping that the robot file has
_ROWS_PER_PERIOD = 8.0  # of means of the gyro's readings, of the fastest swing
_SURE = 30.0  # by how much a guess must explain more than none, in variances of what is left


def guessed_springs(likelihood: Likelihood, point: Array) -> Array:
    """A point with springs by which the search had better begin; the same where no gyro shows any."""
    shown = [flight for flight in likelihood.flights if flight.swinging is not None and "w" in flight.readings]
    if not shown:
        return point
    longest = max(shown, key=lambda flight: float(np.ptp(flight.measured["w"].t)))
    search = _Search.of(likelihood, longest, point)
    springs, swing = longest.shared(SPRINGS), longest.place(SWING_START)
    assert springs is not None
    found = np.array(point)
    guesses = search.guesses(point[springs].reshape(2, -1))
    p = longest.robot.passive.size
    for joint, guess in guesses.items():
        found[springs.start + joint], found[springs.start + p + joint] = guess.stiffness, guess.damping
        if swing is not None:
            found[swing.start + joint], found[swing.start + p + joint] = guess.start
    return min(found, point, key=lambda each: _left(likelihood, each)) if guesses else point


def _left(likelihood: Likelihood, point: Array) -> float:
    """What a point leaves of the readings, over their noise, root mean square."""
    return misfit_of(stacked(likelihood.rows(point, 0))[0])


@dataclass(frozen=True, slots=True)
class _Guess:
    """A spring, where its joint starts and how fast, and by how much less that leaves."""

    stiffness: float
    damping: float
    start: tuple[float, float]
    gain: float


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """Of one flight at a point, with passive joints locked.

    rest: the swing that is none. t: of the gyro's readings, (n,) [s]. weights: what makes rates about all axes rows of
    these, (n, rows, 3). every: readings in a mean. left: what is left of the means, then zeros for what was known
    before. explained: orthonormal columns of what other unknowns explain of that.
    """

    rest: Swing
    t: Array
    weights: Array
    every: int
    left: Array
    explained: Array

    @classmethod
    def of(cls, likelihood: Likelihood, flight: FlightLikelihood, point: Array) -> _Search:
        unknowns, swinging = likelihood.unknowns, flight.swinging
        assert swinging is not None
        count = unknowns.coarse
        phi = np.where(flight.present, likelihood.phi(point), 0.0)
        rest = swinging.at_rest(point, phi)
        swinging.locked = True
        level = max(1.0, _left(likelihood, point))
        whole, reading = PredictedFlight(flight, point, likelihood.phi(point), count), flight.readings["w"]
        base = whole.base("w")
        t = flight.joint_time("w", point)
        fastest = _HIGHEST * float(np.sqrt((rest.springs[0] / rest.law.M[0].diagonal()).max())) / (2.0 * np.pi)
        step = float(np.median(np.diff(t)))
        every = max(1, min(int(1.0 / (_ROWS_PER_PERIOD * fastest * step)), t.size // 100))
        left = _means(reading.whitened(reading.residual(base, point)[:, :, None], base), every)[:, :, 0]
        J = _means(reading.whitened(reading.residual_derivative(base, point)[:, :, :count], base), every)
        swinging.locked = False
        root = root_of(unknowns.information[:count, :count]).T
        known = np.vstack([J.reshape(-1, count), level * root / np.sqrt(every)])  # as if it were all noise
        size = np.sqrt((known**2).sum(axis=0))
        explained = np.linalg.qr(known / np.where(size > 0.0, size, 1.0))[0]
        weights = reading.whitened(np.broadcast_to(np.eye(3), (t.size, 3, 3))[:, reading.axes], base)
        whole_left = np.concatenate([left.ravel(), np.zeros(len(root))])
        return cls(rest, t, weights, every, whole_left - explained @ (explained.T @ whole_left), explained)

    def guesses(self, given: Array) -> dict[int, _Guess]:
        """By number of the passive joint; none of joints that explain nothing."""
        found, columns = dict[int, _Guess](), self.explained
        waiting, left = list(range(given.shape[1])), self.left
        while waiting:
            tried = {joint: self._best(joint, given[:, joint], left, columns) for joint in waiting}
            best = max(tried, key=lambda joint: tried[joint].gain)
            guess = tried[best]
            noise = float(left @ left) / left.size
            if guess.gain < _SURE * noise:
                break
            found[best] = guess
            waiting.remove(best)
            own = self._columns(best, guess.stiffness, guess.damping)
            more = np.linalg.qr(own - columns @ (columns.T @ own))[0]
            left, columns = left - more @ (more.T @ left), np.hstack([columns, more])
        return found

    def _best(self, joint: int, given: Array, left: Array, columns: Array) -> _Guess:
        """The spring of a joint that leaves least; given: stiffness and damping of the robot file, (2,)."""
        stiffness, damping = given
        inertia = float(np.median(self.rest.law.M[:, joint, joint]))
        frequency = np.sqrt(stiffness / inertia) / (2.0 * np.pi)
        cycles = frequency * float(np.ptp(self.t))
        count = int(np.clip((_HIGHEST - _LOWEST) * cycles * _PER_CYCLE, 24, 400))
        best = self._tried(joint, stiffness, damping, left, columns)
        for factor in np.linspace(_LOWEST, _HIGHEST, count):
            # damping goes with frequency, so that the damping ratio stays
            best = max(
                best,
                self._tried(joint, stiffness * factor**2, damping * factor, left, columns),
                key=lambda each: each.gain,
            )
        here = best
        for factor in _DAMPINGS:
            tried = self._tried(joint, here.stiffness, here.damping * factor, left, columns)
            best = max(best, tried, key=lambda each: each.gain)
        return best

    def _tried(self, joint: int, stiffness: float, damping: float, left: Array, columns: Array) -> _Guess:
        own = self._columns(joint, stiffness, damping)
        own = own - columns @ (columns.T @ own)
        size = np.maximum(np.sqrt((own**2).sum(axis=0)), 1e-300)
        values, *_ = np.linalg.lstsq(own / size, left, rcond=1e-10)
        gain = float(left @ (own / size) @ values)
        forced, position, rate = values / size
        scale = forced if 0.2 < forced < 5.0 else 1.0  # of the swing that is driven: inertias are not known either
        return _Guess(stiffness, damping, (position / scale, rate / scale), gain)

    def _columns(self, joint: int, stiffness: float, damping: float) -> Array:
        """What a swing that is driven, and free ones from unit positions and rates, do to readings, (rows, 3)."""
        rest, law, slopes = self.rest, self.rest.law, self.rest.slopes
        m = len(law.M)
        M = law.M[:, joint, joint]
        F, r = np.zeros((m, 2, 2)), np.zeros((m, 2, 3))
        F[:, 0, 1], F[:, 1, 0], F[:, 1, 1] = 1.0, -stiffness / M, -damping / M
        r[:, 1, 0] = law.acceleration[:, joint]
        first, out = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), np.empty((m, 2, 3))
        swing_kernels.solve_along(rest.steps.lengths, F, r, first, out)
        w = (
            slopes.rate_by_position[:, :, joint, None] * out[:, :1]
            + slopes.rate_by_rate[:, :, joint, None] * out[:, 1:]
        )
        places = rest.steps.t
        at = np.stack([np.interp(self.t, places, each) for each in w.reshape(m, 9).T], axis=1).reshape(-1, 3, 3)
        rows = _means(self.weights @ at, self.every).reshape(-1, 3)
        return np.vstack([rows, np.zeros((self.left.size - len(rows), 3))])


def _means(values: Array, every: int) -> Array:
    """Of so many in a row, (n // every, ...); the last few are left out."""
    n = len(values) // every
    return values[: n * every].reshape(n, every, *values.shape[1:]).mean(axis=1)
