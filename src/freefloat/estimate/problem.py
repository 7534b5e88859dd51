"""The problem: everything an estimator reads. Estimators have one verb, `estimate(problem)`.

    problem = Problem(robot, (flight,), known={"load": 0.002})
    print(problem.minimal.formulas)          # what is asked for
    print(problem.equations())               # the linear view: rank, conditioning, scaling
    estimate = MaximumLikelihood().estimate(problem)

All but the equations is in `problem_data.py`, which their rows read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from freefloat.estimate.problem_data import ProblemData
from freefloat.estimate.rows.equations import Equations, stack_equations
from freefloat.models.model import NotApplicable
from freefloat.models.names import ModelName


@dataclass(frozen=True, eq=False)
class Problem(ProblemData):
    """Recordings of one robot, and what is known of it.

    robot: its values are the CAD model: prior of what is unknown, truth of what is known.
    known: selectors of trusted standard parameters (`load`, `link2.m`) and the relative standard deviation.
    zero: selectors of parameters declared zero, a hard simplification.
    prior: spread of the CAD model; None to let the data speak alone.
    models: the equations that linear estimators stack; several are stacked one below the other.
    friction: terms of every joint's drive that are unknown, where torques are measured.
    """

    def equations(self, models: Iterable[ModelName] | None = None) -> Equations:
        """The linear view: stacked, weighted rows of the models, to look at before solving."""
        self.refuse_passive("rows of linear methods need positions and rates of all joints")
        return stack_equations(self, tuple(models) if models is not None else self.models)

    def refuse_passive(self, why: str) -> None:
        """Refuse a robot with passive joints.

        why: as a clause, what the method asks for that nobody knows of them.
        """
        if self.robot.passive.size:
            raise NotApplicable(
                f"nobody measures the passive joints of {self.robot.name} ({', '.join(self.robot.passive_names)}), and "
                f"{why}; allowed: maximum-likelihood, which predicts how they swing"
            )
