"""The public names of `freefloat.robot` and where they live."""

from .carried import carried_inertia as carried_inertia
from .drive import Drive as Drive
from .parameters import PARAMETER_NAMES as PARAMETER_NAMES
from .physicality import Finding as Finding, check_physicality as check_physicality
from .shapes import Capsule as Capsule, Ellipsoid as Ellipsoid, Sphere as Sphere
from .spring import Spring as Spring
from .standing import standing_on as standing_on
from .urdf_read import read_urdf as read_urdf
from .urdf_update import update_urdf as update_urdf

__all__: list[str]
