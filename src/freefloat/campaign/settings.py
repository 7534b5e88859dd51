"""A setting of a campaign: what all its runs share. The mission as varied, the motion, the flight, and the answers.

The robot that an estimator is given is not the one that flew. With `cad="drawn"` it is drawn anew for every run around
the true one, as far as the mission's prior says that a CAD model can be trusted, and what is known within the standard
deviation it is known to, and the true one is built anew, its joints as far from where the CAD model has them as the
mission's nuisances say: intervals are honest if they cover the truth in 95 % of such runs. With `cad="exact"` it is
the true one, which flatters every method that has a prior. Without a prior, the usual spread is drawn with: linear
methods take from the CAD model what the data do not show. A robot with a negative mass is drawn again. Numbers are
counted as those of the sensors are (`sensors/draws.py`), by the names `cad/0`, `cad/1` and so on for each draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count

from freefloat.arrays import Array
from freefloat.campaign.clusters import AngularView, answers, comparison
from freefloat.campaign.manifest import CadChoice, ClustersSection, SettingSection
from freefloat.data.recording import Recording
from freefloat.dynamics.samples import Samples
from freefloat.errors import FreefloatError
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.prior import drawn_robot
from freefloat.estimate.problem import Problem
from freefloat.excitation.effort import STARTS
from freefloat.excitation.sweep import stretched
from freefloat.mission.drawing import cad_root, draw_geometry
from freefloat.mission.flying import fly, random_motion, simulate
from freefloat.mission.identifying import identify, problem
from freefloat.mission.mission_file import Mission
from freefloat.mission.sweeping import DESIGN_INTERRUPTED, designed_motion, mission_at
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.geometry import built_with
from freefloat.robot.model import Robot
from freefloat.sensors.draws import draw_normal

_TRIES = 5  # runs in which a method may fail before it is said to do so always


@dataclass(frozen=True, slots=True, eq=False)
class CampaignSetting:
    """All that a run needs but its number.

    mission: as varied; its robot is the true one. truth: its flight. cad_root: a root of the covariance of drawn CAD
    models, shape (10 bodies, k). answers: by method. view: None if methods need no common clusters.
    """

    number: int
    mission: Mission
    trajectory: Trajectory
    truth: Samples
    seed: int
    cad: CadChoice
    cad_root: Array
    answers: Mapping[str, ClustersSection]
    view: AngularView | None

    def mission_of(self, run: int) -> Mission:
        """The mission with the CAD model of a run."""
        return self.mission if self.cad == "exact" else replace(self.mission, robot=self._drawn(run))

    def recorded(self, run: int) -> Recording:
        """What the sensors record in a run."""
        off = draw_geometry(self.mission, self.seed, run)
        if self.cad == "exact" or not off.any():
            return simulate(self.mission, self.trajectory, self.seed, run, self.truth)
        return simulate(self.mission, self.trajectory, self.seed, run, robot=built_with(self.mission.robot, off))

    def _drawn(self, run: int) -> Robot:
        tries = count()

        def normal(size: int) -> Array:
            return draw_normal(self.seed, [run], f"cad/{next(tries)}", (size,))[0]

        return drawn_robot(self.mission.robot, self.cad_root, normal)


def prepared(
    mission: Mission,
    number: int,
    values: Mapping[str, float],
    trajectory: Trajectory | None,
    methods: Sequence[str],
    seed: int,
    cad: CadChoice,
    workers: int | None,
    motion: Trajectory | None = None,
) -> tuple[CampaignSetting, SettingSection]:
    """A setting, and what the manifest says of it.

    trajectory: the motion that is given or the mission's own; None for a random one of the seed, as `fly` has it.
    motion: flown in earlier runs, and so in these; the manifest says what it would be now, unless it is a design,
    whose search need not end at the same numbers elsewhere.
    """
    changed = _whole(mission_at(mission, values))
    made = motion if motion and "harmonics" in values else _motion(changed, values, trajectory, seed, workers)
    motion = motion or made
    truth = fly(changed, motion, seed)
    estimates, posed = _probe(changed, motion, truth, methods, seed)
    view = comparison(estimates, posed)
    by_method, compared = answers(estimates, posed, view)
    setting = CampaignSetting(number, changed, motion, truth, seed, cad, cad_root(changed), by_method, view)
    section = SettingSection(values=dict(values), trajectory=made.document(), methods=by_method, compared=compared)
    return setting, section


def _whole(mission: Mission) -> Mission:
    """Simulated flights are by all bodies, whatever was missing in some recordings."""
    identify = mission.settings.identify.model_copy(update={"without": {}})
    return replace(mission, settings=mission.settings.model_copy(update={"identify": identify}))


def _motion(
    mission: Mission, values: Mapping[str, float], trajectory: Trajectory | None, seed: int, workers: int | None
) -> Trajectory:
    if "harmonics" in values:
        designed = designed_motion(mission, STARTS, seed, workers)
        if designed is None:  # before the first run: there is nothing to keep
            raise KeyboardInterrupt(DESIGN_INTERRUPTED)
        motion = designed
    else:
        motion = trajectory or random_motion(mission, seed)
    return stretched(motion, values["duration_s"]) if "duration_s" in values else motion


def _probe(
    mission: Mission, motion: Trajectory, truth: Samples, methods: Sequence[str], seed: int
) -> tuple[dict[str, Estimate], Problem]:
    """An estimate by each method from the true CAD model, for the clusters it has, and the problem it solves.

    A method that fails in the first runs is taken to fail always, and its sentence is the campaign's. What is
    compiled at first use is compiled here.
    """

    @cache
    def recording(run: int) -> Recording:
        return simulate(mission, motion, seed, run, truth)

    estimates = dict[str, Estimate]()
    for method in methods:
        for run in range(_TRIES):
            flown = recording(run)
            try:
                estimates[method] = identify(mission, flown, method, motion)
            except FreefloatError:
                if run + 1 == _TRIES:
                    raise
            else:
                break
    return estimates, problem(mission, recording(0), motion)
