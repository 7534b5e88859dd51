"""From a problem to the arrays of the compiled Kalman filter, and back: passes through all flights."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array, read_only
from freefloat.dynamics.reaction import NotPossible
from freefloat.estimate.flight import Flight
from freefloat.estimate.kalman import kernel as compiled
from freefloat.estimate.kalman.prediction_kernel import BodyArrays, FilterReadings, Places
from freefloat.estimate.likelihood.likelihood import FlightLikelihood, Likelihood
from freefloat.estimate.predicted_motion import Grid
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.uncertain import covariance_root
from freefloat.estimate.unknowns import JOINT_ZEROS, MOMENTUM
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import rotations
from freefloat.sensors.gyro import BIAS as GYRO_BIAS
from freefloat.sensors.reading import FIRST_ATTITUDE

_USED = ("w", "attitude", "q", "dq", "wheel_rates")
_RATE_SD, _RATE_FACTOR = 0.1, 10.0  # the momentum to begin with is that of a base that turns by this [rad/s], or so
_FIRST_SD = 30.0  # times a star tracker's: of the first attitude, for which its first reading is taken


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """One pass through all flights.

    shared: states that never change, at the end, shape (s,); root: L of their covariance, (s, s); noise: the part of
    that covariance that is the sensors' noise, (s, s).
    values, sd: of all unknowns after each sample, shape (n, unknowns); NaN outside the flight they belong to.
    innovations: over their standard deviations, gyro, then star tracker, shape (n, 2 axes); NaN where nothing was read.
    follows: whether derivatives were at the estimate of the moment.
    """

    follows: bool
    shared: Array
    root: Array
    noise: Array
    values: Array
    sd: Array
    innovations: Array


class KalmanRun:
    """A problem as the filter sees it.

    States that all flights share: parameters, joint zeros, both as in the vector of unknowns, momenta of all flights.
    """

    def __init__(self, problem: Problem) -> None:
        self.likelihood = Likelihood(_restricted(problem))
        self.problem, self.unknowns = self.likelihood.problem, self.likelihood.unknowns
        zeros = self.unknowns.find(JOINT_ZEROS)
        self.shared_parts = tuple(part for part in self.unknowns.parts if part.flight is None)
        self.constants = self.likelihood.columns.size if zeros is None else zeros.stop
        momenta = [flight.place(MOMENTUM) for flight in self.likelihood.flights]
        self.places = np.concatenate(
            [np.arange(self.constants), *(np.r_[place] for place in momenta if place is not None)]
        )
        walks = [flight.walks.get("w", np.zeros(3)) for flight in problem.flights]
        pairs = zip(self.likelihood.flights, walks, strict=True)
        self.flights = tuple(_FlightFilter(self, flight, walk) for flight, walk in pairs)
        self.mean, self.root = self._start()

    def _start(self) -> tuple[Array, Array]:
        """Shared states before any data, shape (s,), and the root of their covariance, (s, s)."""
        point, sd = np.array(self.unknowns.mean), np.zeros(len(self.unknowns))
        for flight in self.flights:
            flight.start(point, sd)
        root, clusters = np.diag(sd[self.places]), self.shared_parts[0].place
        for part in self.shared_parts[1:]:
            inverse = np.linalg.inv(np.linalg.cholesky(part.information))
            root[part.place, part.place] = _triangle(inverse)
        root[clusters, clusters] = _triangle(covariance_root(self.problem.cad_covariance).T)
        return point[self.places], root

    def first(self) -> Pass:
        """The extended filter: derivatives at the estimate of the moment."""
        return self._through(self.mean, np.zeros_like(self.mean), self.root, follow=True)

    def again(self, at: Array) -> Pass:
        """The filter with derivatives at these shared states."""
        return self._through(at, self.mean - at, self.root, follow=False)

    def check(self, at: Array) -> Array:
        """Innovations with shared states that are certain: what these leave unexplained, shape (n, 2 axes)."""
        return self._through(at, np.zeros_like(at), np.zeros_like(self.root), follow=False).innovations

    def _through(self, x: Array, d: Array, L: Array, follow: bool) -> Pass:
        point = np.zeros(len(self.unknowns))
        point[self.places] = x
        self.likelihood.reweigh(point)
        size, N, found = x.size, np.zeros_like(L), list[tuple[Array, Array, Array]]()
        for flight in self.flights:
            state = flight.state(x, d, L, N)
            found.append(flight.run(state, follow))
            x, d, L, N = state.x[:size], state.d[:size, 0], state.L[:size, :size], state.N[:size, :size]
        values, sd, innovations = (np.concatenate(each) for each in zip(*found, strict=True))
        return Pass(follow, x + d, L, N, values, sd, innovations)


class _FlightFilter:
    """One flight: its own states follow the shared ones."""

    def __init__(self, whole: KalmanRun, flight: FlightLikelihood, walk: Array) -> None:
        self.whole, self.flight, self.walk = whole, flight, walk
        self.axes = flight.turning.size
        self.own = self._own()
        shared, momentum = whole.places.size, flight.place(MOMENTUM)
        begin = dict(zip(self.own, range(shared, shared + 3 * self.axes, self.axes), strict=False))
        where = -1 if momentum is None else whole.places.tolist().index(momentum.start)
        self.places = Places(
            own=np.r_[: whole.constants, where : where + self.axes] if where >= 0 else np.arange(whole.constants),
            zeros=-1 if whole.unknowns.find(JOINT_ZEROS) is None else whole.likelihood.columns.size,
            momentum=where,
            first=begin.get(FIRST_ATTITUDE, -1),
            bias=begin.get(GYRO_BIAS, -1),
            attitude=begin.get("attitude", -1),
        )

    def _own(self) -> dict[str, Array]:
        """The flight's own states and their standard deviations to begin with."""
        flight, own = self.flight, dict[str, Array]()
        if "attitude" in flight.channels:
            own[FIRST_ATTITUDE] = _FIRST_SD * flight.flight.noise["attitude"][flight.turning]
        bias = flight.problem.nuisances.gyro_bias_rad_s
        if bias is not None and "w" in flight.channels:
            own[GYRO_BIAS] = np.full(self.axes, bias)
        if flight.turns:
            own["attitude"] = np.zeros(self.axes)
        return own

    def start(self, point: Array, sd: Array) -> None:
        """Put the momentum that the first sample and the CAD model make likely, and how sure that is, into these."""
        place = self.flight.place(MOMENTUM)
        if place is None:
            return
        motion = self.flight.motion(point, self.whole.likelihood.phi(point), self.flight.instants(point))
        gain = motion.B[0, self.flight.sliding.size :][:, self.flight.turning]
        w = self.flight.samples.w
        missing = np.zeros(self.axes) if w is None else (w[0] - motion.w[0])[self.flight.turning]
        point[place] = np.linalg.solve(gain, missing)
        rate = _RATE_SD + _RATE_FACTOR * float(np.linalg.norm(missing))
        sd[place] = rate / float(np.linalg.svd(gain, compute_uv=False)[-1])

    def state(self, x: Array, d: Array, L: Array, N: Array) -> compiled.State:
        """States at the first sample, given the shared ones."""
        sds = np.concatenate([np.zeros(0), *self.own.values()])
        shared, n = x.size, x.size + sds.size
        state = compiled.State(
            x=np.zeros(n),
            d=np.zeros((n, 1)),
            L=np.zeros((n, n)),
            N=np.zeros((n, n)),
            R=np.eye(3),
            gain=np.zeros(n),
            h=np.zeros(n),
        )
        state.x[:shared], state.d[:shared, 0], state.L[:shared, :shared], state.N[:shared, :shared] = x, d, L, N
        state.L[range(shared, n), range(shared, n)] = sds
        return state

    def run(self, state: compiled.State, follow: bool) -> tuple[Array, Array, Array]:
        """Run through the flight: values, standard deviations, innovations as in `Pass`."""
        n, width = self.flight.flight.t.size, state.x.size
        values, sd = np.empty((n, width)), np.empty((n, width))
        read = np.full((n, len(self.flight.channels) * self.axes), np.nan)
        tree = self.flight.robot.tree.arrays
        sensed = self._body(), self.places, self._readings()
        failed, _ = compiled.run(tree, *sensed, state, follow, values, sd, read)
        if failed >= 0:
            raise NotPossible(
                f"{self.flight.flight.name}: the estimate at sample {failed} has no positive inertia; allowed: noise "
                "and a prior that keep the filter near the CAD model"
            )
        innovations = np.full((n, 2 * self.axes), np.nan)
        first = 0 if "w" in self.flight.channels else self.axes
        innovations[:, first : first + read.shape[1]] = read
        return self._as_unknowns(values), self._as_unknowns(sd), innovations

    def _as_unknowns(self, states: Array) -> Array:
        """States as unknowns, shape (n, unknowns)."""
        unknowns, shared = np.full((len(states), len(self.whole.unknowns)), np.nan), self.whole.places.size
        unknowns[:, self.whole.places] = states[:, :shared]
        for kind, begin in ((FIRST_ATTITUDE, self.places.first), (GYRO_BIAS, self.places.bias)):
            if begin >= 0:
                unknowns[:, self.flight.place(kind)] = states[:, begin : begin + self.axes]
        return unknowns

    def _body(self) -> BodyArrays:
        flight, columns = self.flight, self.whole.likelihood.columns
        return BodyArrays(
            fixed=np.where(flight.present, flight.problem.fixed, 0.0).reshape(-1, PER_BODY),
            columns=columns,
            there=flight.present[columns].astype(float),
            allowed=flight.allowed,
            turning=flight.turning,
            given=np.array(flight.flight.momentum.vector),
        )

    def _readings(self) -> FilterReadings:
        flight, samples = self.flight, self.flight.samples
        grid = Grid.of(flight.robot, flight.flight, flight.turns)
        motion, noise = flight.flight.joints.at(grid.t), flight.flight.noise
        gyro, tracker = "w" in flight.channels, "attitude" in flight.channels
        weight = np.zeros((0, self.axes, self.axes))
        if gyro:
            weight = flight.weights.get("w", np.diag(1.0 / noise["w"][flight.turning])[None])
            if len(weight) > 1:  # one for each reading: one for each sample
                weight = np.repeat(weight, flight.flight.every.get("w", 1), axis=0)[: len(samples)]
        return FilterReadings(
            t=read_only(grid.t),
            q=read_only(motion.position),
            dq=read_only(motion.rate),
            spin=read_only(grid.spin),
            step=grid.step,
            w=read_only(samples.w if gyro and samples.w is not None else np.zeros((0, 3))),
            weight=read_only(weight),
            attitude=read_only(
                rotations(samples.attitude) if tracker and samples.attitude is not None else np.zeros((0, 3, 3))
            ),
            attitude_sd=read_only(noise["attitude"][flight.turning] if tracker else np.zeros(0)),
            gyro_every=flight.flight.every.get("w", 1),
            tracker_every=flight.flight.every.get("attitude", 1),
            walk=read_only(self.walk[flight.turning] ** 2),
        )


def _triangle(factor: Array) -> Array:
    """The lower triangle L with L L^T = factor^T factor, however singular."""
    return np.asarray(np.linalg.qr(factor)[1].T)


def _restricted(problem: Problem) -> Problem:
    """The problem with those unknowns and channels that the filter knows, and a CAD model that is trusted somewhat."""
    given = problem.nuisances
    nuisances = replace(
        Nuisances.none(),
        gyro_bias_rad_s=given.gyro_bias_rad_s,
        joint_zero_rad=given.joint_zero_rad,
        joint_zero_m=given.joint_zero_m,
    )
    flights = tuple(_used(flight) for flight in problem.flights)
    wheels = tuple(replace(wheel, relative_sd=0.0) for wheel in problem.robot.wheels)
    robot, prior = replace(problem.robot, wheels=wheels), problem.prior or CadSpread()
    return replace(problem, robot=robot, flights=flights, nuisances=nuisances, prior=prior)


def _used(flight: Flight) -> Flight:
    noise = {name: flight.noise[name] for name in _USED if name in flight.noise}
    return replace(flight, noise=noise, walks={}, curves=None, own_instants=None, wheels=None)
