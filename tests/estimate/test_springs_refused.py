"""What no gyro can show of springs is refused, and what data do not show is said."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from estimate.estimates_made import estimate_of
from estimate.swinging_flights import flown

from freefloat.estimate.causes.suspicions import refuse_too_fast
from freefloat.estimate.estimate_parts import Quantity
from freefloat.estimate.estimated_springs import with_untold_springs
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import SPRINGS
from freefloat.robot.spring import Spring
from freefloat.studies.catalogue import study_robot


def test_a_mode_above_half_the_gyro_s_rate_is_refused_in_a_sentence():
    made = flown(1, passive=1, lasts_s=3.0)
    refuse_too_fast(Problem(made.robot, (made.flight,)))
    stiff = made.robot.with_springs([Spring(1e4 * each.stiffness, each.damping) for each in made.robot.springs])
    with pytest.raises(
        InvalidProblem, match=r"swings at .+ Hz \(joint\d\), and the gyro reads .+ times a second; allowed"
    ):
        refuse_too_fast(Problem(stiff, (made.flight,)))


@dataclass(frozen=True)
class Part:
    kind: str
    labels: tuple[str, ...]
    information: np.ndarray


@dataclass(frozen=True)
class Parts:
    parts: tuple[Part, ...]


def test_a_spring_of_which_data_say_hardly_more_than_was_assumed_is_named():
    labels = ("stiffness of hinge", "damping of hinge")
    assumed = Parts((Part(SPRINGS, labels, np.diag([1.0 / 4.0**2, 1.0 / 0.5**2])),))
    estimate = estimate_of(study_robot("servicer"))
    told = replace(estimate, nuisances=(Quantity(labels[0], 10.0, 0.1, "N m/rad"), Quantity(labels[1], 1.0, 0.45, "")))
    [note] = set(with_untold_springs(told, assumed).notes) - set(estimate.notes)
    assert note == "cannot tell damping of hinge: these data say hardly more of that than was assumed"
