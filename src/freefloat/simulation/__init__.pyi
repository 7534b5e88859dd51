"""The public names of `freefloat.simulation` and where they live."""

from .batch import simulate_batch as simulate_batch
from .conditions import Disturbance as Disturbance, Pulse as Pulse, Start as Start
from .controlled import simulate_controlled as simulate_controlled, simulate_torques as simulate_torques
from .drives import Drives as Drives
from .recorded import record as record
from .simulate import simulate_motion as simulate_motion

__all__: list[str]
