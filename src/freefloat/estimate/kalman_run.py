"""From a problem to the arrays of the compiled Kalman filter, and back: one pass through all flights."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.estimate import kalman_kernel as compiled
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.likelihood import FlightLikelihood, Likelihood
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Nuisances, Problem
from freefloat.estimate.reaction import NotPossible
from freefloat.estimate.uncertain import covariance_root
from freefloat.regressor.samples import read_only, rotations
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.transform import Array

_USED = ("w", "attitude", "q", "dq")
_RATE_SD, _RATE_FACTOR = 0.1, 10.0  # of the momentum to begin with: of a base that turns so fast [rad/s], or so much
_FIRST_SD = 30.0  # times a star tracker's: of the first attitude, which one reading of it is taken for


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """One pass. unknowns are those of the run, samples those of all flights.

    shared: constant states at the end, shape (s,); root: L of their covariance, (s, s); noise: what of their covariance
    the sensors' noise is, (s, s). values, sd: after each sample, (n, unknowns), NaN outside a flight.
    innovations: (n, 2 turning axes), gyro then star tracker; NaN where nothing was read.
    """

    shared: Array
    root: Array
    noise: Array
    values: Array
    sd: Array
    innovations: Array


class KalmanRun:
    """A problem as the filter sees it.

    States that all flights share come first: parameters and joint zeros as in the vector of unknowns, then the momenta
    of all flights.
    """

    def __init__(self, problem: Problem) -> None:
        self.walks = tuple(flight.walks.get("w", np.zeros(3)) for flight in problem.flights)
        self.likelihood = Likelihood(_restricted(problem))
        for flight in self.likelihood.flights:
            _check_finite(flight.flight)
        self.problem, self.unknowns = self.likelihood.problem, self.likelihood.unknowns
        zeros = self.unknowns.find("joint zeros")
        self.columns, self.has_zeros = self.likelihood.columns, zeros is not None
        constants = self.columns.size if zeros is None else zeros.stop
        momenta = [flight.place("momentum") for flight in self.likelihood.flights]
        self.places = np.concatenate(
            [np.arange(constants), *(np.arange(place.start, place.stop) for place in momenta if place is not None)]
        )
        self.mean, self.start_root = self._start()

    def _start(self) -> tuple[Array, Array]:
        """Shared states before any data, shape (s,), and the root of their covariance, (s, s)."""
        clusters, information = len(self.problem.minimal), np.diagonal(self.unknowns.information)
        point, sd = _first_momenta(self.likelihood)
        given = np.where(information > 0.0, 1.0 / np.sqrt(np.where(information > 0.0, information, 1.0)), sd)
        root = np.diag(given[self.places])
        prior = covariance_root(self.problem.cad_covariance)
        root[:clusters, :clusters] = np.linalg.qr(prior.T)[1].T  # triangular, however singular
        return point[self.places], root

    def point(self, shared: Array) -> Array:
        """All unknowns: shared states, the rest zero."""
        point = np.zeros(len(self.unknowns))
        point[self.places] = shared
        return point

    # ------------------------------------------------------------------ passes

    def first(self, caution: float) -> Pass:
        """The extended filter: the point follows the estimate."""
        return self._through(self.mean, np.zeros_like(self.mean), follow=True, caution=caution)

    def again(self, at: Array) -> Pass:
        """A filter about the shared states `at`."""
        return self._through(at, self.mean - at, follow=False, caution=0.0)

    def _through(self, x: Array, d: Array, follow: bool, caution: float) -> Pass:
        size, L, N = x.size, self.start_root, np.zeros((x.size, x.size))
        self.likelihood.reweigh(self.point(x))
        parts = list[tuple[Array, Array, Array]]()
        for index, flight in enumerate(self.likelihood.flights):
            state, places = self._state(flight, x, d, L, N)
            parts.append(self._fly(index, flight, state, places, follow, caution))
            x, d, L, N = state.x[:size], state.d[:size], state.L[:size, :size], state.N[:size, :size]
        values, sd, innovations = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Pass(x + d, L, N, values, sd, innovations)

    def _state(
        self, flight: FlightLikelihood, x: Array, d: Array, L: Array, N: Array
    ) -> tuple[compiled.State, compiled.Places]:
        """States at the first sample of a flight, its own after the shared ones."""
        k, size, sds = flight.turning.size, x.size, list[Array]()
        begin = dict.fromkeys(("first", "bias", "attitude"), -1)
        bias = self.problem.nuisances.gyro_bias_rad_s
        for name, there, sd in (
            ("first", "attitude" in flight.channels, lambda: _FIRST_SD * flight.flight.noise["attitude"][flight.turning]),
            ("bias", flight.place("gyro bias") is not None, lambda: np.full(k, bias)),
            ("attitude", flight.grid.step == 2, lambda: np.zeros(k)),
        ):
            if there:
                begin[name] = size + sum(each.size for each in sds)
                sds.append(sd())
        own = np.concatenate([*sds, np.zeros(0)])
        n = size + own.size
        state = compiled.State(np.zeros(n), np.zeros(n), np.zeros((n, n)), np.zeros((n, n)), np.eye(3))
        state.x[:size], state.d[:size], state.L[:size, :size], state.N[:size, :size] = x, d, L, N
        state.L[np.arange(size, n), np.arange(size, n)] = own
        momentum = flight.place("momentum")
        places = compiled.Places(
            self.columns.size if self.has_zeros else -1,
            -1 if momentum is None else int(np.flatnonzero(self.places == momentum.start)[0]),
            **begin,
        )
        return state, places

    def _fly(
        self,
        index: int,
        flight: FlightLikelihood,
        state: compiled.State,
        places: compiled.Places,
        follow: bool,
        caution: float,
    ) -> tuple[Array, Array, Array]:
        """Values, standard deviations and innovations of one flight."""
        n, k = flight.flight.t.size, flight.turning.size
        values, sds, readings = np.empty((n, state.x.size)), np.empty((n, state.x.size)), self._readings(index, flight)
        innovations = np.empty((n, k * len(flight.channels)))
        tree, body = self.problem.robot.tree.arrays, self._body(flight)
        failed = compiled.run(tree, body, places, readings, state, follow, caution, values, sds, innovations)
        if failed >= 0:
            raise NotPossible(
                f"{flight.flight.name}: the estimate before sample {failed} has no positive inertia; allowed: a prior or "
                "noise that keep it near the CAD model"
            )
        told = np.full((n, len(self.unknowns)), np.nan), np.full((n, len(self.unknowns)), np.nan)
        for where, what in zip(told, (values, sds), strict=True):
            where[:, self.places] = what[:, : self.places.size]
            for begin, kind in ((places.bias, "gyro bias"), (places.first, "first attitude")):
                if begin >= 0:
                    where[:, flight.place(kind)] = what[:, begin : begin + k]
        every = np.full((n, 2 * k), np.nan)
        every[:, slice(0, None) if len(flight.channels) == 2 else slice(0, k) if "w" in flight.channels else slice(k, None)] = (
            innovations
        )
        return *told, every
