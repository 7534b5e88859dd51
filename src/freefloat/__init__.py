"""freefloat weighs robots where nothing has weight.

It identifies the inertial parameters of space robots (a satellite with arms, wheels, a payload) from
motion alone. What most programs need is here; the rest is in namespaces: `freefloat.robot, dynamics, models, motion,
sensors, data, simulation, estimate, excitation, validation, export, studies`. The public names are those of the
`__init__.pyi` of each; every one is imported when it is first used, so that `import freefloat` costs nothing.
"""

from __future__ import annotations

import lazy_loader

__version__ = "0.2.0"

_imported, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = ["__version__", *_names]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    try:
        return _imported(name)
    except AttributeError as error:
        from freefloat.public_names import place_of

        place = place_of(name)
        if place is None:
            raise
        raise AttributeError(f"freefloat has no {name}; it is freefloat.{place}.{name}", name=name) from error
