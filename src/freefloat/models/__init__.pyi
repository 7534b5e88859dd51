"""The public names of `freefloat.models` and where they live."""

from .angular_momentum import AngularMomentum as AngularMomentum, BaseVelocity as BaseVelocity, total_mass as total_mass
from .closed_form_clusters import closed_form as closed_form
from .formula import parse_formula as parse_formula
from .identifiable import Identifiability as Identifiability, identifiability as identifiability
from .measured_rows import Measurement as Measurement
from .minimal import MinimalParameters as MinimalParameters
from .model import (
    BaseWrench as BaseWrench,
    Energy as Energy,
    LinearModel as LinearModel,
    Momentum as Momentum,
    Torque as Torque,
)
from .numerical import independent_columns as independent_columns

__all__: list[str]
