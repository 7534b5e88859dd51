"""The public names of `freefloat.validation` and where they live."""

from .checks import FitCheck as FitCheck
from .extent import Sensitivity as Sensitivity, Windows as Windows
from .lines import Line as Line
from .prediction import PredictedReading as PredictedReading
from .random_motions import (
    RandomMotions as RandomMotions,
    predict_random_motions as predict_random_motions,
)
from .validation import ChannelError as ChannelError

__all__: list[str]
