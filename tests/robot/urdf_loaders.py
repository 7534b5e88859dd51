"""URDF texts in the programs they are written for."""

import mujoco
import numpy as np
import pinocchio as pin

from freefloat.robot.parameters import parameters_from_com


def load_in_pinocchio(text):
    """The model with a free base, or None if Pinocchio refuses the file."""
    try:
        return pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    except ValueError:
        return None


def load_in_mujoco(text):
    """The model with a free base, or None if MuJoCo refuses the file.

    MuJoCo welds the root of a URDF to the world; in an MjSpec it is still a body that can be given a free
    joint. Links on fixed joints stay bodies, for fusing them loses an inertia that comes without a mass.
    Shapes go, for their meshes need not be there, and a link without <inertial> would get its mass from them.
    """
    spec = mujoco.MjSpec.from_string(text)
    spec.compiler.fusestatic = False
    for part in [*spec.geoms, *spec.meshes]:
        spec.delete(part)
    spec.worldbody.first_body().add_freejoint()
    try:
        return spec.compile()
    except ValueError:
        return None


def parameters_in_pinocchio(model):
    """Standard parameters of the bodies that move, by the name of their joint; `root_joint` is the base."""
    return {
        name: inertia.toDynamicParameters()
        for name, inertia in zip(model.names, model.inertias, strict=True)
        if name != "universe"
    }


def parameters_in_mujoco(model):
    """Standard parameters of all bodies, those on fixed joints included, by the name of the body."""
    found = {}
    for index in range(1, model.nbody):
        axes = np.zeros(9)
        mujoco.mju_quat2Mat(axes, model.body_iquat[index])
        axes = axes.reshape(3, 3)
        inertia = axes @ np.diag(model.body_inertia[index]) @ axes.T
        found[model.body(index).name] = parameters_from_com(model.body_mass[index], model.body_ipos[index], inertia)
    return found
