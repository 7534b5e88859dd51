"""Case study N1: the printed motion, flown with the noise that the thesis' results imply.

M. Spirolazzi, "Free-floating robot inertial parameter identification towards in orbit servicing", master thesis,
Politecnico di Milano, 2022, section 5.3. Momentum is zero, the load known. The thesis prints no noise.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.flight import Flight
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.robot.model import Robot
from freefloat.robot.parameters import com_of, inertia_about_com, parameters_from_com
from freefloat.studies.catalogue import published
from freefloat.studies.simulated import ON_PAPER, built_anew, read_encoders, read_gyro
from freefloat.studies.spirolazzi.cluster_table import SIMPLE
from freefloat.studies.spirolazzi.printed_flight import KNOWN, PrintedFlight

STUDY = "spirolazzi_n1"
_NOISE = published(STUDY)["noise"]["inferred"]
GYRO_RAD_S = float(_NOISE["gyro_white_rad_s_from_deviations"])
HELD_RAD_S = float(_NOISE["gyro_white_rad_s_from_mean_errors"])
HELD_SAMPLES = int(_NOISE["gyro_hold_samples"])
BIAS_RAD_S = float(np.radians(_NOISE["gyro_bias_deg_per_h"]) / 3600.0)


class N1(PrintedFlight):
    """The experiment, its motion that of Table 5.2. robot: the one that flies, like `spirolazzi_n1`."""

    study = STUDY

    # ------------------------------------------------------------------ as the thesis flies

    def exact(self) -> Problem:
        """The thesis' problem without noise: rates of base and joints alone, linear clusters, nothing else unknown."""
        return self.posed(Flight(replace(self.samples, v=None), {"w": np.full(3, HELD_RAD_S)}))

    def noisy(self, run: int) -> Problem:
        """One run with noise that gives both spread and mean errors of Table 5.3: held over samples, plus a bias."""
        problem, rng = self.exact(), np.random.default_rng(run)
        (flight,) = problem.flights
        w = self.samples.need("w", "a run") + held_noise(rng, len(self.samples)) + BIAS_RAD_S
        return replace(problem, flights=(replace(flight, samples=replace(flight.samples, w=w)),))

    # ------------------------------------------------------------------ as a mission would fly

    def flight(
        self,
        rng: np.random.Generator,
        late_s: float = 0.0,
        drift: float = 0.0,
        zeros: float | Array = 0.0,
        misaligned: Array | None = None,
        bias: float | Array = BIAS_RAD_S,
    ) -> Flight:
        """One run with white gyro noise and noisy encoders.

        late_s, drift: how late the gyro is in the middle [s], and the change of that [s/s]. zeros: what encoders read
        too much [rad]. misaligned: rotation of the gyro (3,) [rad]. bias: of the gyro, one number or (3,) [rad/s].
        """
        t = self.samples.need("t", "a run")
        w = self.rates(t - late_s - drift * (t - 0.5 * self.motion.duration_s))
        read = read_gyro(w, GYRO_RAD_S, rng, misaligned, bias)
        curves, fitted = read_encoders(self.motion, self.robot, t, rng, zeros)
        joints = {"q": fitted.position, "dq": fitted.rate, "ddq": fitted.acceleration}
        return Flight(replace(self.samples, w=read, v=None, **joints), {"w": np.full(3, GYRO_RAD_S)}, curves=curves)

    def drawn(
        self,
        run: int,
        cad: Robot | None = None,
        zero: tuple[str, ...] = SIMPLE,
        late_s: float = 0.0,
        drift: float = 0.0,
        zeros: float = 0.0,
    ) -> Problem:
        """One such run with a CAD model as far off as the prior says, all nuisances but geometry unknown.

        cad: about what the CAD model is drawn; the robot that flies unless given. zero: simplifications of the model.
        late_s, drift, zeros: as of a flight.
        """
        rng = np.random.default_rng([run, 47])
        flight = self.flight(rng, late_s, drift, zeros)
        return Problem(_drawn_cad(cad or self.robot, rng), (flight,), KNOWN, zero, nuisances=ON_PAPER)

    def everything_drawn(self, run: int, on_paper: bool = True) -> tuple[Problem, dict[str, float]]:
        """One run in which CAD model, zeros, misalignment, lag, drift and bias are drawn too; lag and bias by name.

        on_paper: whether geometry is just as printed; else it is drawn too, and estimated along.
        """
        flown = self if on_paper else N1(built_anew(self.robot, run))
        rng = np.random.default_rng([run, 41])
        late, drift = 0.02 * rng.normal(), 1e-4 * rng.normal()
        zeros, misaligned = 1e-3 * rng.normal(size=len(self.robot.joints)), 1e-3 * rng.normal(size=3)
        bias = BIAS_RAD_S * rng.normal(size=3)
        flight = flown.flight(rng, late, drift, zeros, misaligned, bias)
        drawn = {"time offset": late, **{f"gyro bias {axis}": value for axis, value in zip("xyz", bias, strict=True)}}
        nuisances = ON_PAPER if on_paper else Nuisances()
        return Problem(_drawn_cad(self.robot, rng), (flight,), KNOWN, SIMPLE, nuisances=nuisances), drawn


def held_noise(rng: np.random.Generator, n: int) -> Array:
    """Noise of the gyro that stays for some samples, shape (n, 3) [rad/s]."""
    draws = rng.normal(size=(-(-n // HELD_SAMPLES), 3))
    return np.asarray(HELD_RAD_S * np.repeat(draws, HELD_SAMPLES, axis=0)[:n])


def _drawn_cad(robot: Robot, rng: np.random.Generator) -> Robot:
    return CadSpread().drawn(robot, rng, (*SIMPLE, *KNOWN))


def real_arm(robot: Robot) -> Robot:
    """The robot as it would really be: links' centres of mass 3 mm off their axes, products of inertia of 5 %."""
    rng = np.random.default_rng(3)
    phi = np.array(robot.parameters).reshape(-1, 10)
    for row, name in zip(phi, robot.body_names, strict=True):
        if name in ("base", "load"):
            continue
        inertia, off = inertia_about_com(row), 0.003 * rng.choice([-1.0, 1.0], 3)
        along = int(np.argmax(np.abs(com_of(row))))
        off[along] = 0.0
        sizes = np.sqrt(np.outer(np.diagonal(inertia), np.diagonal(inertia)))
        signs = np.triu(rng.choice([-1.0, 1.0], (3, 3)), 1)
        row[:] = parameters_from_com(row[0], com_of(row) + off, inertia + 0.05 * sizes * (signs + signs.T))
    return robot.with_parameters(phi.ravel())
