"""The public names of `freefloat.data` and where they live."""

from .bag_mapping import BagMapping as BagMapping, load_bag_mapping as load_bag_mapping
from .description import describe as describe
from .origin import Origin as Origin
from .processing.derivative_band_limited import BandLimited as BandLimited
from .processing.derivative_savitzky_golay import SavitzkyGolay as SavitzkyGolay
from .processing.derivative_through_samples import ThroughSamples as ThroughSamples
from .processing.filtering import LowPass as LowPass, LowPassBySpectrum as LowPassBySpectrum
from .processing.imu_accelerometer import FittedCalibration as FittedCalibration
from .processing.imu_calibration import ImuCalibration as ImuCalibration, calibrate_imu as calibrate_imu
from .processing.imu_model import Calibration as Calibration
from .processing.process import process as process
from .processing.processed import Processed as Processed, ProcessSettings as ProcessSettings

__all__: list[str]
