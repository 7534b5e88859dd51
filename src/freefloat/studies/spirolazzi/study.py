"""Figures of M. Spirolazzi's thesis beside ours: case studies 1 and 2, N1, and the OOS-SIM experiment."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal

import numpy as np

from freefloat.estimate.linear.total_least_squares import TotalLeastSquares
from freefloat.excitation.finding import find_excitation
from freefloat.excitation.influence import influences
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import published
from freefloat.studies.check import Check, Effort, Robots, Watch
from freefloat.studies.spirolazzi import n1, oossim, planar_load
from freefloat.studies.spirolazzi.accuracy import bound_checks, printed_big_rms, run_checks
from freefloat.studies.spirolazzi.case_studies import FEW_RUNS as CASE_RUNS, CaseStudy, case_checks
from freefloat.studies.spirolazzi.cluster_table import SIMPLE, cluster_table, simple_model
from freefloat.studies.spirolazzi.fitted_noise import noise_checks
from freefloat.studies.spirolazzi.handled_imu import imu_checks
from freefloat.studies.spirolazzi.n1 import N1, real_arm
from freefloat.studies.spirolazzi.oossim import OosSim
from freefloat.studies.spirolazzi.oossim_delay import delay_checks
from freefloat.studies.spirolazzi.planar_load import planar_checks
from freefloat.studies.spirolazzi.plans import big_deviations, n1_plan, oossim_plan
from freefloat.studies.spirolazzi.reconstruction import reconstructed_rates
from freefloat.studies.spirolazzi.runs import big_relative_errors, default_estimates, estimated_clusters, median_rms

FREE_OF_MASSES = frozenset(  # of an IMU the robot has no part
    {
        "spirolazzi.influence.least_rows",
        "spirolazzi.imu.accelerometer.max_deviation",
        "spirolazzi.imu.gyro.max_deviation",
    }
)

# Numbers of runs, of starts of a design, and of its iterations.
FEW_RUNS: dict[Effort, int] = {"glance": 2, "usual": 20, "full": 100}
STARTS: dict[Effort, int] = {"glance": 1, "usual": 1, "full": 8}
ITERATIONS: dict[Effort, int] = {"glance": 5, "usual": 300, "full": 300}


def checks(robots: Robots, effort: Effort, watch: Watch) -> Iterator[Check]:
    """All figures, those of case studies 1 and 2 first."""
    yield from case_checks(robots, effort, watch)
    numbers: tuple[Literal[1, 2], ...] = (1, 2)
    for number in numbers:
        watch(f"case study {number}, noise that makes the printed spreads")
        yield from noise_checks(CaseStudy.of(number, robots), CASE_RUNS[effort])
    watch("planar example, IMU")
    yield from planar_checks(robots(planar_load.STUDY))
    yield from imu_checks()
    servicer, facility = robots(n1.STUDY), robots(oossim.STUDY)
    watch("clusters and condition numbers")
    yield from _structure_checks(servicer, facility)
    yield from run_checks(servicer, effort, watch)
    yield from bound_checks(servicer, effort, watch)
    yield from _lag_checks(servicer, facility, effort, watch)
    yield from _real_arm_checks(servicer, effort, watch)
    yield from _design_checks(servicer, facility, effort, watch)


# ---------------------------------------------------------------------- the robots and their printed motions


def _structure_checks(servicer: Robot, facility: Robot) -> Iterator[Check]:
    rounded = "inertias are printed to four decimals, and up to three of them and the printed sum are in a cluster"
    yield Check(
        "spirolazzi.pi.max_deviation",
        "N1: largest deviation of 30 clusters from Table 5.3",
        0.0,
        _deviation(n1.STUDY, servicer),
        "kg m²",
        tolerance=2e-4,
        note=f"{rounded}; b_z of link 1 is 0.0591 m, not 0.591 m as printed, and pi 4 of the Appendix is wrong",
    )
    yield Check(
        "spirolazzi.oossim.pi.max_deviation",
        "OOS-SIM: largest deviation of 30 clusters from Table 6.5",
        0.0,
        _deviation(oossim.STUDY, facility),
        "kg m²",
        tolerance=2e-4,
        note=rounded,
    )
    yield Check(
        "spirolazzi.n1.condition_number",
        "N1: condition number of the printed motion",
        published(n1.STUDY)["results"]["condition_number"],
        N1(servicer).exact().equations().condition,
        tolerance=0.005,
        note="coefficients are printed to four decimals, which moves it by 0.2 %; their unit, rad/s, is not printed",
    )
    yield Check(
        "spirolazzi.oossim.condition_number",
        "OOS-SIM: condition number of the printed motion",
        published(oossim.STUDY)["results"]["condition_number"],
        OosSim(facility).problem().equations().condition,
        tolerance=0.005,
        note="duration and rate are not printed; those of N1 are taken",
    )
    plan, table = n1_plan(servicer), cluster_table(n1.STUDY)
    shares = {each.name: each.rate_rad_s for each in influences(plan, plan.shape)}
    rows = np.argsort([shares[name] for name in table.entries])[: len(_least_rows())] + 1
    yield Check(
        "spirolazzi.influence.least_rows",
        "N1: the six rows of Table 5.3 with the least influence on the base's rate",
        _least_rows(),
        tuple(sorted(float(row) for row in rows)),
    )


def _deviation(study: str, robot: Robot) -> float:
    """Largest deviation of the robot's clusters from those printed as true [kg m²]."""
    model, table = simple_model(robot), cluster_table(study)
    ours = model.values()[table.places(model.minimal.leaders)]
    return float(np.abs(ours - table.clusters("true_value")).max())


def _least_rows() -> tuple[float, ...]:
    return tuple(float(row) for row in published(n1.STUDY)["influence"]["least_rows"])


# ---------------------------------------------------------------------- a late gyro, a real arm


def _lag_checks(servicer: Robot, facility: Robot, effort: Effort, watch: Watch) -> Iterator[Check]:
    injected = published(n1.STUDY)["lag"]["injected_ms"]
    late_s, runs = 1e-3 * injected, range(FEW_RUNS[effort])
    late = default_estimates(partial(N1(servicer).drawn, late_s=late_s), runs, "default, late gyro", watch)
    found = 1e3 * np.array([estimate.value("time offset")[0] for estimate in late])
    yield Check(
        "spirolazzi.lag.recovered_ms",
        "N1: lag of the gyro, recovered",
        injected,
        float(found.mean()),
        "ms",
        tolerance=0.1 / injected,
        way="default",
        comparable=False,
        note=f"injected by us; RMS error of single runs {np.sqrt(np.mean((found - injected) ** 2)):.2f} ms",
    )
    yield from _failed_rows_checks(OosSim(facility), late_s)
    watch("ways of being late")
    yield from delay_checks(OosSim(facility))


def _failed_rows_checks(experiment: OosSim, late_s: float) -> Iterator[Check]:
    """The failed rows of Table 6.5 from a lag alone."""
    problem, model = experiment.problem(late_s), simple_model(experiment.robot)
    table, said = cluster_table(oossim.STUDY), published(oossim.STUDY)["results"]
    estimate, places = TotalLeastSquares("plain").estimate(problem), table.places(model.minimal.leaders)
    pi, true = model.values(), model.values()
    pi[places] = estimate.values[table.places(estimate.names)]
    ours, theirs = pi[places], table.clusters("estimate")
    apart = (ours - true[places], theirs - table.clusters("true_value"))
    note = (
        f"a constant lag of {1e3 * late_s:.0f} ms, chosen so that Table 6.5 comes out, no noise, total least squares: "
    )
    note += "likely, but no proof"
    worst_row = int(np.argmin(theirs * ~table.big))
    yield Check(
        "spirolazzi.oossim.lag.failed_rows_correlation",
        "OOS-SIM: correlation of the errors of the six small rows with those of Table 6.5",
        1.0,
        float(np.asarray(np.corrcoef(np.array(apart)[:, ~table.big]))[0, 1]),
        better="higher",
        tolerance=0.01,
        comparable=False,
        note=note,
    )
    yield Check(
        "spirolazzi.oossim.lag.worst_row",
        f"OOS-SIM: row {worst_row + 1} of Table 6.5, the most wrong",
        float(theirs[worst_row]),
        float(ours[worst_row]),
        "kg m²",
        tolerance=0.05,
        comparable=False,
        note=note,
    )
    (flight,) = problem.flights
    shown = flight.samples.need("w", "a comparison")
    rates = reconstructed_rates(model, flight.samples, pi)
    yield Check(
        "spirolazzi.oossim.lag.rate_error",
        "OOS-SIM: largest error of the base's rate, reconstructed from the failed rows",
        float(np.radians(said["largest_rate_error_deg_s"])),
        float(np.abs(rates - shown).max()),
        "rad/s",
        better="lower",
        comparable=False,
        note=note,
    )


def _real_arm_checks(servicer: Robot, effort: Effort, watch: Watch) -> Iterator[Check]:
    """What simplifications cost that no real arm obeys."""
    real, runs = N1(real_arm(servicer)), range(FEW_RUNS[effort])
    model = AngularMomentum(real.robot)
    said = "links 3 mm off their axes, products of inertia of 5 %: not the published robot"
    cases: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
        ("default", (), "general model, CAD prior", said),
        ("simplified", SIMPLE, "thesis' model", f"{said}, and not what the model takes for granted"),
    )
    for name, zero, words, note in cases:
        make = partial(real.drawn, cad=servicer, zero=zero)
        estimates = default_estimates(make, runs, f"real arm, {words}", watch)
        yield Check(
            f"spirolazzi.real_arm.{name}.big_rms",
            f"real arm, {words}: median of the RMS relative errors",
            printed_big_rms(),
            median_rms(big_relative_errors(model, estimated_clusters(model, estimates))),
            better="lower",
            way="default",
            comparable=False,
            note=note,
        )


# ---------------------------------------------------------------------- designs


def _design_checks(servicer: Robot, facility: Robot, effort: Effort, watch: Watch) -> Iterator[Check]:
    design = partial(find_excitation, starts=STARTS[effort], workers=1, most_iterations=ITERATIONS[effort], shakes=0)
    plan = n1_plan(servicer)
    printed = big_deviations(plan, plan.bound(plan.shape))
    watch("design of N1 by condition number")
    found = design(n1_plan(servicer, goal="condition-number"))
    lost = float(np.median(big_deviations(plan, plan.bound(found.trajectory)) / printed))
    kept = "within the stated limits, which the printed motion leaves"
    yield Check(
        "spirolazzi.design.condition_number",
        "N1: condition number of the printed motion, and of ours",
        published(n1.STUDY)["results"]["condition_number"],
        found.condition_number,
        better="lower",
        way="default",
        note=f"{kept}; it harms: standard deviations are {lost:.1f} times those of the printed motion",
    )
    watch("design of N1 by accuracy")
    better = design(plan)
    yield Check(
        "spirolazzi.design.accuracy_gain",
        "N1: standard deviations of the printed motion over those of ours, median of 24 big clusters",
        1.0,
        float(np.median(printed / big_deviations(plan, plan.bound(better.trajectory)))),
        better="higher",
        way="default",
        note=f"{kept}; predicted; its condition number is {better.condition_number:.0f}",
    )
    watch("design of OOS-SIM by condition number")
    yield Check(
        "spirolazzi.oossim.design.condition_number",
        "OOS-SIM: condition number of the printed motion, and of ours",
        published(oossim.STUDY)["results"]["condition_number"],
        design(oossim_plan(facility)).condition_number,
        better="lower",
        way="default",
        note=f"{kept}, those of the base's attitude included",
    )
