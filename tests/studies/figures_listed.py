"""The figures of studies, a table a study: which hold, which do not, and which cannot be compared."""

from dataclasses import dataclass
from functools import cache

from freefloat.studies.reproducing import reproduce


@dataclass(frozen=True)
class Listed:
    """Names of figures. hold, do_not: whether they do at the usual effort; the latter say why.

    unprinted: what they were made with is not printed; they say so, and some are among the others too.
    """

    hold: frozenset[str]
    do_not: frozenset[str]
    unprinted: frozenset[str] = frozenset()

    @property
    def names(self):
        return self.hold | self.do_not | self.unprinted


@cache
def usual(study):
    """The figures of a study by name, at the usual effort."""
    (found,) = reproduce([study])
    return {check.name: check for check in found.checks}


AYUSAWA = Listed(
    hold=frozenset(
        {
            "ayusawa.gradient.relative_error",
            "ayusawa.gradient.forward_relative_error",
            "ayusawa.gradient.speed_ratio",
            *(
                f"ayusawa.{table}.{figure}"
                for table in ("sequential", "sequential.wrench", "random_selection.wrench")
                for figure in ("condition_numbers", "alone")
            ),
            "ayusawa.random_selection.condition_number",
            "ayusawa.random_selection.condition_numbers",
            "ayusawa.random_selection.fitted",
            "ayusawa.random_selection.fitted_alone",
        }
    ),
    do_not=frozenset({"ayusawa.random_selection.alone"}),
)

_NOISES = {
    "energy": ("energy", "parameters", "bound_over_error"),
    "state": ("regressor", "parameters", "perturbed_condition_number"),
    "both": ("energy", "regressor", "parameters"),
}
GAUTIER = Listed(
    hold=frozenset(
        {
            "gautier.base_parameters",
            "gautier.condition_number.r15",
            "gautier.condition_number.r20",
            "gautier.condition_number.r30",
            "gautier.equilibrium.r30",
            "gautier.equilibrium.r15",
            "gautier.equilibrium.condition_number.r15",
            "gautier.front.r15.w0.1",
            "gautier.front.r15.w0.3",
            "gautier.true.max_relative_deviation",
            "gautier.true.worst_rounding_units",
            "gautier.bound.eq12",
            "gautier.bound.eq13",
            "gautier.cause.other_limits",
            "gautier.cause.law_of_points.random_r15",
            "gautier.cause.law_of_points.random_r30",
            *(f"gautier.cause.limits_of_table_2.r{r}" for r in (15, 100, 500)),
            *(
                f"gautier.cause.{cause}.energy.{points}.{figure}"
                for cause, points in (
                    ("printed_condition_number", "optimum_r15"),
                    ("limits_of_each_joint", "random_r15"),
                    ("limits_of_each_joint", "random_r30"),
                    ("wider_limits", "optimum_r15"),
                    ("wider_limits", "optimum_r30"),
                )
                for figure in ("parameters", "bound_over_error")
            ),
            "gautier.cause.limits_of_each_joint.state.random_r30.parameters",
            *(f"gautier.cause.wider_limits.both.optimum_r30.{figure}" for figure in ("regressor", "parameters")),
            *(f"gautier.cause.wider_limits.state.optimum_r30.{figure}" for figure in _NOISES["state"]),
            *(f"gautier.cause.wider_limits.state.optimum_r15.{figure}" for figure in _NOISES["state"][1:]),
            *(f"gautier.cause.wider_limits.optimum_r{r}.expected_relative_error" for r in (15, 30)),
            *(
                f"gautier.cause.less_position_noise.{noise}.{points}.regressor"
                for noise in ("state", "both")
                for points in ("random_r15", "random_r30", "optimum_r15", "optimum_r30")
            ),
            *(
                f"gautier.cause.less_position_noise.state.{points}.perturbed_condition_number"
                for points in ("random_r30", "optimum_r15", "optimum_r30")
            ),
            *(
                f"gautier.appendix.example{number}.{what}"
                for number in (1, 2)
                for what in ("condition_number", "right", "error", "bound_over_error")
            ),
        }
    ),
    do_not=frozenset(
        {
            "gautier.equilibrium.condition_number.r30",
            "gautier.random.equilibrium.r15",
            "gautier.random.equilibrium.r30",
            *(f"gautier.front.r30.w{weight}" for weight in ("0.05", "0.15", "0.3", "0.45")),
            *(f"gautier.cause.limits_of_each_joint.{noise}.random_r15.parameters" for noise in ("state", "both")),
            "gautier.cause.limits_of_each_joint.both.random_r30.parameters",
            *(f"gautier.cause.wider_limits.{noise}.optimum_r15.regressor" for noise in ("state", "both")),
            "gautier.cause.wider_limits.both.optimum_r15.parameters",
            "gautier.cause.less_position_noise.state.random_r15.perturbed_condition_number",
        }
    ),
    unprinted=frozenset(
        {
            *(
                f"gautier.identification.{points}_r{r}.{what}"
                for points in ("optimum", "random")
                for r in (15, 30)
                for what in ("relative_error", "expected_relative_error", "not_significant", "deviations")
            ),
            *(
                f"gautier.random.{what}.r{r}"
                for what in ("condition_number", "extremes")
                for r in (15, 20, 30, 50, 100, 200, 300, 500)
            ),
            *(
                f"gautier.perturbation.{noise}.{points}_r{r}.{what}"
                for noise, whats in _NOISES.items()
                for points in ("optimum", "random")
                for r in (15, 30)
                for what in whats
            ),
        }
    ),
)

_BY_CHANNEL = ("base_linear_rms", "base_angular_rms", "torque_rms", "by_channel")
_UNPRINTED = {  # of motions or an order that are not printed: whether they hold
    "naveen.significant_singular_values": True,
    "naveen.surrogate.condition_number": True,
    "naveen.pruning.updated_rule.intervals": False,
    "naveen.cause.order.intervals": True,
    "naveen.cause.first_intervals.case3.max_relative_error": True,
    "naveen.ols.case2.median_relative_error": True,
    "naveen.ols.case2.max_relative_error": True,
    "naveen.ols.case3.median_relative_error": True,
    "naveen.ols.case3.max_relative_error": False,
    "naveen.noiseless.euler_steps.max_relative_error": False,
    "naveen.ols.prediction.telling_motion.by_channel": True,
    "naveen.prediction.telling_motion.by_channel": True,
    **{f"naveen.prediction.{name}": True for name in _BY_CHANNEL},
    **{f"naveen.ols.prediction.{name}": False for name in _BY_CHANNEL},
    **{
        f"naveen.prediction.least_squares_over_default.{kind}": True
        for kind in ("base_linear", "base_angular", "torque")
    },
}
NAVEEN = Listed(
    hold=frozenset(
        {
            "naveen.minimal.max_relative_deviation",
            "naveen.minimal.worst_rounding_units",
            "naveen.pruning.intervals",
            "naveen.pruning.condition_number",
            "naveen.noiseless.max_relative_error",
            "naveen.ols.median_relative_error",
            "naveen.ols.max_relative_error",
            "naveen.default.median_relative_error",
            "naveen.default.max_relative_error",
            *(name for name, holds in _UNPRINTED.items() if holds),
        }
    ),
    do_not=frozenset(name for name, holds in _UNPRINTED.items() if not holds),
    unprinted=frozenset(_UNPRINTED),
)

_SWUNG = [f"flexible.{what}.arm_{arm}" for what in ("panels", "tank") for arm in ("known", "unknown")]
_FLEXIBLE = frozenset(
    f"{case}.{figure}"
    for case in _SWUNG
    for figure in ("flexible.residual", "flexible.inertia", "flexible.over_sd", "frequency", "damping")
)
_RIGID = frozenset(
    {
        *(f"{case}.rigid.{figure}" for case in _SWUNG for figure in ("residual", "inertia")),
        *(f"flexible.{what}.printed_motion.residual" for what in ("panels", "tank")),
    }
)
FLEXIBLE = Listed(  # of a rigid fit whose intervals are as wide as they should be, either may be
    hold=_FLEXIBLE,
    do_not=_RIGID,
    unprinted=_FLEXIBLE | _RIGID | {f"{case}.rigid.over_sd" for case in _SWUNG},
)

LISTED = {"ayusawa": AYUSAWA, "gautier": GAUTIER, "naveen": NAVEEN, "flexible": FLEXIBLE}
