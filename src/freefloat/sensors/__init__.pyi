"""The public names of `freefloat.sensors` and where they live."""

from .accelerometer import Accelerometer as Accelerometer
from .encoder import Encoder as Encoder
from .gyro import Gyro as Gyro
from .joint_rate_sensor import JointRateSensor as JointRateSensor
from .kinds import make_sensor as make_sensor
from .measured import Measured as Measured
from .noise import Noise as Noise
from .pose_sensor import PoseSensor as PoseSensor
from .sensor import Output as Output
from .star_tracker import StarTracker as StarTracker
from .tachometer import Tachometer as Tachometer
from .torque_sensor import TorqueSensor as TorqueSensor
from .truth import Layout as Layout, Truth as Truth
from .velocity_sensor import VelocitySensor as VelocitySensor
from .wrench_sensor import WrenchSensor as WrenchSensor

__all__: list[str]
