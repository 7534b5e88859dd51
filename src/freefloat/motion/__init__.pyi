"""The public names of `freefloat.motion` and where they live."""

from .bspline import BSpline as BSpline
from .combined import Combined as Combined
from .consecutive import Consecutive as Consecutive
from .cycloid import Cycloid as Cycloid
from .fourier import Fourier as Fourier, PlainFourier as PlainFourier
from .limits import Limits as Limits, limits_of as limits_of
from .quintic_points import QuinticPoints as QuinticPoints
from .random_motion import random_sines as random_sines, random_trajectory as random_trajectory
from .sampled import Sampled as Sampled
from .wheels import allocate_momentum as allocate_momentum

__all__: list[str]
