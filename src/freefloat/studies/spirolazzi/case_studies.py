"""Case Studies 1 and 2 of M. Spirolazzi's thesis: a servicer with three joints that has momentum at the start.

"Free-floating robot inertial parameter identification towards in orbit servicing", master thesis, Politecnico di
Milano, 2022, Chapter 4: least squares on noisy rows of a momentum that is known,

    Y pi = R^T H - h         (Eqs. 4.3 and 4.9; h the wheels' momentum, none in Case Study 1)

in base axes, attitude R integrated from the gyro's rates, joint rates from the encoders' angles. The robot is deduced;
what else the thesis leaves to earlier work is `assumed` in `thesis_cs1_servicer_published.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.estimate.flight import Flight
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.motion.fourier import Fourier
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations
from freefloat.simulation.simulate import Start, simulate_motion
from freefloat.studies.catalogue import published
from freefloat.studies.check import Check, Effort, Robots, Watch
from freefloat.studies.christidi.clusters import ZERO, ServicerClusters, printed_values
from freefloat.studies.christidi.servicer import BIAS_RAD_S, GYRO_RAD_S, STEP_S, STUDY as EARLIER
from freefloat.studies.christidi.two_steps import FIVE_SAMPLES
from freefloat.studies.simulated import ON_PAPER, read_angles, read_encoders, read_gyro
from freefloat.studies.spirolazzi import n1
from freefloat.studies.spirolazzi.n1 import held_noise

STUDY = "thesis_cs1_servicer"
RUNS: dict[Effort, int] = {"glance": 3, "usual": 100, "full": 2500}
FEW_RUNS: dict[Effort, int] = {"glance": 3, "usual": 40, "full": 100}
LIKELY_RUNS: dict[Effort, int] = {"glance": 1, "usual": 10, "full": 100}
_FASTER_NMS = 22.0  # OURS: in each wheel, with which the printed condition number of Case Study 2 comes out
_SHORTEST, _LONGEST_S = 7, 3.0  # windows of exact data: samples that give as many rows as unknowns; how far they go
_SHORTEST_NOISY = 40  # samples: before, squares of the rows are singular


@dataclass(frozen=True, eq=False)
class CaseStudy:
    """One experiment.

    number: which. robot: the one that flies, like `thesis_cs1_servicer`, with its wheels if any.
    wheel_Nms: momentum of each wheel in Case Study 2, as assumed unless given [N m s].
    """

    number: Literal[1, 2]
    robot: Robot
    wheel_Nms: float | None = None

    @classmethod
    def of(cls, number: Literal[1, 2], robots: Robots) -> CaseStudy:
        """With wheels in Case Study 2: those of the earlier work, as the thesis describes none."""
        robot = robots(STUDY)
        return cls(number, replace(robot, wheels=robots(EARLIER).wheels) if number == 2 else robot)

    @property
    def group(self) -> str:
        """The table of its results."""
        return "pi" if self.number == 1 else "pi_case_study_2"

    @cached_property
    def clusters(self) -> ServicerClusters:
        """What is to be identified; true values."""
        return ServicerClusters(self.robot)

    @cached_property
    def motion(self) -> Fourier:
        """Table 4.1 or 4.3, over the assumed duration."""
        said = published(STUDY)
        table = said["trajectory" if self.number == 1 else "trajectory_case_study_2"]
        duration = said["assumed"]["duration_s"]
        return Fourier.from_harmonics(self.robot.joint_names, table["a_rad_s"], table["b_rad_s"], duration)

    @cached_property
    def wheel_momentum(self) -> Array:
        """Of all wheels, base axes, shape (3,) [N m s]."""
        if self.number == 1:
            return np.zeros(3)
        assumed = np.array(published(STUDY)["assumed"]["wheel_momentum_Nms"])
        return assumed if self.wheel_Nms is None else np.sign(assumed) * self.wheel_Nms

    @cached_property
    def exact(self) -> Samples:
        """The flight without noise: turning at the start (1), or at rest with turning wheels (2)."""
        rate = np.array(published(EARLIER)["initial"]["angular_rate_rad_s"]) if self.number == 1 else np.zeros(3)
        spin = self.wheel_momentum / self.robot.wheel_inertias if self.number == 2 else None
        t = np.arange(round(self.motion.duration_s / STEP_S) + 1) * STEP_S
        return simulate_motion(self.robot, self.motion, t, Start(rate=rate), wheel_rates=spin)

    @cached_property
    def momentum(self) -> Array:
        """The whole momentum H at the start, base axes, shape (3,) [N m s]; the thesis takes it for known."""
        angular = self.clusters.angular
        return np.asarray(angular.rows(self.exact[:1])[0] @ angular.values() + self.wheel_momentum)

    def rows(self, samples: Samples) -> tuple[Array, Array]:
        """Matrix and right-hand side of each sample, shape (n, 3, 19) and (n, 3), in our clusters."""
        R = rotations(samples.need("attitude", "a momentum that is not zero"))
        turned = R.transpose(0, 2, 1) @ (R[0] @ self.momentum)
        return self.clusters.angular.rows(samples), turned - self.wheel_momentum

    @property
    def condition(self) -> float:
        """Condition number of the rows without noise."""
        Y = self.rows(self.exact)[0]
        return float(np.linalg.cond(Y.reshape(-1, Y.shape[2])))

    # ------------------------------------------------------------------ one run

    def noisy(self, run: int) -> Samples:
        """What the thesis fills its rows with: encoders, their derivative, a gyro and its integral."""
        rng, exact = np.random.default_rng([run, self.number]), self.exact
        t, q = exact.need("t", "a run"), read_angles(exact.q, rng)
        read = self._gyro(rng)
        dq = FIVE_SAMPLES.motion(t, q).rate
        return Samples(q=q, dq=dq, w=read, attitude=integrate_rates(t, read, exact.need("attitude", "a run")[0]), t=t)

    def _gyro(self, rng: np.random.Generator) -> Array:
        """Its readings, with the noise and the bias of earlier work, shape (n, 3) [rad/s]."""
        return read_gyro(self.exact.need("w", "a run"), GYRO_RAD_S, rng) + BIAS_RAD_S * rng.normal(size=3)

    def noisy_as_n1(self, run: int) -> Samples:
        """The same with the noise that case study N1 implies: of the gyro alone, held over samples, and a bias."""
        rng, exact = np.random.default_rng([run, self.number]), self.exact
        t, w = exact.need("t", "a run"), exact.need("w", "a run")
        read = w + held_noise(rng, t.size) + n1.BIAS_RAD_S
        return replace(exact, w=read, attitude=integrate_rates(t, read, exact.need("attitude", "a run")[0]))

    def noisy_gyro(self, run: int, gyro_rad_s: float) -> Samples:
        """The same with white noise of the gyro alone, joints exact."""
        rng, exact = np.random.default_rng([run, self.number]), self.exact
        t, read = exact.need("t", "a run"), read_gyro(exact.need("w", "a run"), gyro_rad_s, rng)
        return replace(exact, w=read, attitude=integrate_rates(t, read, exact.need("attitude", "a run")[0]))

    def windows(self, run: int) -> Array:
        """Estimates of pi from the first samples, more and more up to all of them, shape (windows, 19).

        By normal equations, as printed (Eq. 4.3); the last row is the thesis' estimate of this run.
        """
        Y, right = self.rows(self.noisy(run))
        squares, sides = Y.transpose(0, 2, 1) @ Y, Y.transpose(0, 2, 1) @ right[..., None]
        some = slice(_SHORTEST_NOISY - 1, None)
        found = np.linalg.solve(np.cumsum(squares, axis=0)[some], np.cumsum(sides, axis=0)[some])
        return self.clusters.pi_of(found[..., 0])

    def relative_errors(self, samples: Samples) -> Array:
        """Of pi by least squares over all samples, shape (19,)."""
        Y, right = self.rows(samples)
        found = np.linalg.lstsq(Y.reshape(-1, Y.shape[2]), right.ravel())[0]
        return np.asarray(self.clusters.pi_of(found) / self.clusters.pi - 1.0)

    def exact_windows(self) -> tuple[Array, Array]:
        """The same without noise over the first seconds: times, shape (m,), and estimates of pi, (m, 19)."""
        last = round(_LONGEST_S / STEP_S) + 1
        Y, right = self.rows(self.exact[:last])
        counts = np.arange(_SHORTEST, last + 1)
        within = np.repeat(np.arange(last) < counts[:, None], 3, axis=1)
        matrix = within[..., None] * Y.reshape(-1, Y.shape[2])
        size = np.linalg.norm(matrix, axis=1, keepdims=True)
        U, s, Vt = np.linalg.svd(matrix / size, full_matrices=False)  # rows are nearly dependent: no squares here
        z = (U.transpose(0, 2, 1) @ right.ravel()) / np.maximum(s, np.finfo(float).tiny)
        found = (Vt.transpose(0, 2, 1) @ z[..., None])[..., 0] / size[:, 0]
        return self.exact.need("t", "windows")[counts - 1], self.clusters.pi_of(found)

    def likely(self, run: int) -> Array:
        """Pi by maximum likelihood from such a run, shape (19,); the CAD model is as far off as the prior says."""
        rng, exact = np.random.default_rng([run, self.number, 53]), self.exact
        cad = CadSpread().drawn(self.robot, rng, ZERO)
        t, read = exact.need("t", "a run"), self._gyro(rng)
        curves, fitted = read_encoders(self.motion, self.robot, t, rng)
        joints = {"q": fitted.position, "dq": fitted.rate, "ddq": fitted.acceleration}
        samples = Samples(w=read, t=t, wheel_rates=exact.wheel_rates, **joints)
        flight = Flight(
            samples, {"w": np.full(3, GYRO_RAD_S)}, momentum=TotalMomentum.known(self.momentum), curves=curves
        )
        estimate = MaximumLikelihood().estimate(Problem(cad, (flight,), zero=ZERO, nuisances=ON_PAPER))
        return self.clusters.pi_of(self.clusters.angular.values(estimate.parameters))


def settled(t: Array, error: Array, limit: float) -> float:
    """The time after which an error stays below a limit, exponential between samples; infinite if it does not."""
    above = np.flatnonzero(~(error <= limit))
    if not above.size:
        return float(t[0])
    k = int(above[-1])
    if k + 1 == t.size:
        return float(np.inf)
    share = np.log(error[k] / limit) / np.log(error[k] / error[k + 1])
    return float(t[k] + share * (t[k + 1] - t[k]))


# ---------------------------------------------------------------------- figures


def case_checks(robots: Robots, effort: Effort, watch: Watch) -> Iterator[Check]:
    """All figures of Chapter 4."""
    numbers: tuple[Literal[1, 2], ...] = (1, 2)
    for number in numbers:
        case = CaseStudy.of(number, robots)
        yield _condition_number(case)
        if number == 2:
            yield _printed_condition_number(case)
        runs, whole, squares = RUNS[effort], list[Array](), np.zeros(1)
        for run in range(runs):
            if run % 20 == 0:
                watch(f"case study {number}, least squares, run {run + 1} of {runs}")
            errors = case.windows(run) / case.clusters.pi - 1.0
            whole.append(errors[-1])
            squares = squares + errors**2 / runs
        other = [case.relative_errors(case.noisy_as_n1(run)) for run in range(FEW_RUNS[effort])]
        yield from _spread(case, np.array(whole), np.array(other))
        watch(f"case study {number}, maximum likelihood")
        yield _likely(case, LIKELY_RUNS[effort])
        if number == 2:
            yield from _moving_window(case, np.sqrt(squares))


_ASSUMED = "duration, sampling, momentum and noise are not printed; assumed: 40 s, and what earlier work prints"


def _condition_number(case: CaseStudy) -> Check:
    results = published(STUDY)["results"]
    printed = results["condition_number" if case.number == 1 else "condition_number_case_study_2"]
    note = {
        1: "the duration, 40 s, is deduced: of all whole tens up to 120 s only this one gives the printed figure",
        2: "at 40 s, and with wheels that give the robot the momentum of 17 N m s which the thesis names; cause: the "
        "wheels, see the next row",
    }
    return Check(
        f"spirolazzi.case{case.number}.condition_number",
        f"case study {case.number}: condition number",
        printed,
        case.condition,
        tolerance=0.5 / printed,
        comparable=False,
        note=note[case.number],
    )


def _printed_condition_number(case: CaseStudy) -> Check:
    """Of Case Study 2, with wheels that turn faster."""
    printed = published(STUDY)["results"]["condition_number_case_study_2"]
    return Check(
        "spirolazzi.case2.cause.wheel_momentum.condition_number",
        f"case study 2: condition number with {_FASTER_NMS:g} N m s in each wheel",
        printed,
        replace(case, wheel_Nms=_FASTER_NMS).condition,
        tolerance=0.5 / printed,
        comparable=False,
        note="the thesis prints no momentum of its wheels, only about 17 N m s of the robot, which 19 in each make",
    )


def _spread(case: CaseStudy, errors: Array, as_n1: Array) -> Iterator[Check]:
    """Mean error and spread over runs, from relative errors of shape (runs, 19), the second with the noise of N1."""
    true, sd = (printed_values(STUDY, case.group, column) for column in ("true_value", "sd"))
    yield Check(
        f"spirolazzi.case{case.number}.max_mean_relative_error",
        f"case study {case.number}: largest mean error of a pi",
        _printed_error(case),
        float(np.abs(errors.mean(axis=0)).max()),
        better="lower",
        comparable=False,
        note=f"{len(errors)} runs; {_ASSUMED}. Rates by parabolas through five samples: the thesis does not say which "
        "differences it takes; with those that look back, and lag, this would not hold",
    )
    printed = float((sd / np.abs(true)).max())
    for name, words, found in (("", "earlier work", errors), (".n1_noise", "N1", as_n1)):
        ours = float(found.std(axis=0, ddof=1).max())
        yield Check(
            f"spirolazzi.case{case.number}.max_relative_spread{name}",
            f"case study {case.number}: largest spread of a pi, noise of {words}",
            printed,
            ours,
            tolerance=0.1,
            comparable=False,
            note=f"the thesis' spread is {printed / ours:.0f} times ours. It says that noise is that of earlier work, "
            "and the same in N1: neither what earlier work prints nor what N1 implies fits. Cause: "
            f"the noise, see spirolazzi.case{case.number}.fitted_noise. Tolerance: the scatter of "
            f"such a figure over 100 runs; here {len(found)}",
        )


def _printed_error(case: CaseStudy) -> float:
    return 0.01 * float(np.abs(printed_values(STUDY, case.group, "mean_error_pct")).max())


def _likely(case: CaseStudy, runs: int) -> Check:
    found = np.array([case.likely(run) for run in range(runs)])
    return Check(
        f"spirolazzi.case{case.number}.default.max_mean_relative_error",
        f"case study {case.number}: largest mean error of a pi",
        _printed_error(case),
        float(np.abs(found.mean(axis=0) / case.clusters.pi - 1.0).max()),
        better="lower",
        way="default",
        comparable=False,
        note=f"{runs} runs",
    )


def _moving_window(case: CaseStudy, errors: Array) -> Iterator[Check]:
    """Figure 4.8; errors: relative, of growing windows, root mean square over noisy runs, shape (windows, 19)."""
    said = published(STUDY)["results"]["window_case_study_2"]
    limit, times = said["relative_error"], case.exact.need("t", "windows")[_SHORTEST_NOISY - 1 :]
    t, exact = case.exact_windows()
    found = {
        "window_s": settled(t, np.abs(exact / case.clusters.pi - 1.0).max(axis=1), limit),
        "noisy_window_s": settled(times, errors.max(axis=1), limit),
    }
    words = {"window_s": "without noise", "noisy_window_s": "with noise"}
    notes = {
        "window_s": f"rounding is all that errs here; {_ASSUMED}",
        "noisy_window_s": "the thesis shows this without noise only; ours: root mean square over runs; cause: noise, "
        "see the row without it, which holds",
    }
    for name, ours in found.items():
        yield Check(
            f"spirolazzi.case2.{name}",
            f"case study 2: time to a worst error of 5 %, {words[name]}",
            said["less_than_s"],
            ours,
            "s",
            "lower",
            comparable=False,
            note=notes[name],
        )
