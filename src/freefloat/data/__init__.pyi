"""The public names of `freefloat.data` and where they live."""

from .bag_mapping import BagMapping as BagMapping, load_bag_mapping as load_bag_mapping
from .description import describe as describe
from .origin import Origin as Origin
from .processing.process import process as process
from .processing.processed import Processed as Processed, ProcessSettings as ProcessSettings

__all__: list[str]
