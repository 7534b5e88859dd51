"""The motion that a page draws: that of the first flight, as it was measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.dynamics.mass_centre import centre_of_mass
from freefloat.dynamics.samples import Samples
from freefloat.mission.run_directory import Run
from freefloat.robot.rotations import rotations


def shown_motion(run: Run) -> Samples:
    """Joints and base at a few hundred instants.

    Where the base's position was not measured, it is where the centre of mass of the whole stays in its place: of the
    robot that flew if that is known, else of the identified one, else of the CAD model.
    """
    motion, robot = run.estimate.need_flights()[0].motion, run.truth or run.identified or run.robot
    if motion.attitude is None or motion.position is not None or robot.base == "fixed":
        return motion
    centre = np.einsum("nij,nj->ni", rotations(motion.attitude), centre_of_mass(robot, motion))
    return replace(motion, position=centre[0] - centre)
