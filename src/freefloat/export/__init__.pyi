"""The public names of `freefloat.export` and where they live."""

from .c_code import controller_c as controller_c
from .casadi_code import controller_casadi as controller_casadi
from .export import (
    Exported as Exported,
    export_free_flying as export_free_flying,
    export_mjcf as export_mjcf,
    export_small_motion as export_small_motion,
)
from .floating_angular_model import FloatingAngularModel as FloatingAngularModel
from .free_flying_model import FreeFlyingModel as FreeFlyingModel
from .state_matrices import StateSpace as StateSpace, state_space as state_space

__all__: list[str]
