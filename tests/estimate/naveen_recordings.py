"""Recordings of the dual-arm robot of Naveen, Shah and Misra, exact ones made once for each sampling step."""

from functools import cache

from freefloat.studies.catalogue import study_robot
from freefloat.studies.naveen.experiment import GUESS, STUDY, Recordings, intervals_motion


@cache
def naveen_recordings(step_s):
    truth = study_robot(STUDY)
    return Recordings(truth, study_robot(GUESS), intervals_motion(truth), step_s)
