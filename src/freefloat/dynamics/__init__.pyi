"""The public names of `freefloat.dynamics` and where they live."""

from .about_rest import SmallMotion as SmallMotion, small_motion as small_motion
from .drive_torques import driven_dynamics as driven_dynamics
from .energy import (
    friction_energy_regressor as friction_energy_regressor,
    kinetic_energy_regressor as kinetic_energy_regressor,
    potential_energy_regressor as potential_energy_regressor,
    wheel_energy_regressor as wheel_energy_regressor,
)
from .mass_centre import (
    base_velocity_regressor as base_velocity_regressor,
    centre_of_mass as centre_of_mass,
    first_moment_regressor as first_moment_regressor,
)
from .modes import SystemMode as SystemMode, system_modes as system_modes
from .momentum_rows import (
    momentum as momentum,
    momentum_adjoint as momentum_adjoint,
    momentum_gram as momentum_gram,
    momentum_matrix as momentum_matrix,
    momentum_regressor as momentum_regressor,
    wheel_columns as wheel_columns,
)
from .orbit import InvalidOrbit as InvalidOrbit, Orbit as Orbit, earth_orbit_rate as earth_orbit_rate
from .reaction import base_reaction as base_reaction
from .rotors import rotor_columns as rotor_columns
from .states import random_states as random_states
from .torque import (
    friction_columns as friction_columns,
    inverse_dynamics as inverse_dynamics,
    mass_matrix as mass_matrix,
    torque_regressor as torque_regressor,
    wheel_wrench_columns as wheel_wrench_columns,
)

__all__: list[str]
