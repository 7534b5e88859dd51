"""A flight by Basilisk, in an environment of its own: settings as JSON from the standard input, states to the output.

This file is not imported by tests: `test_basilisk.py` has the interpreter run it that has `bsk`. Lengths are metres,
angles radians; places and directions are in base axes, those of an orbit in inertial ones.
"""

import json
import math
import sys

import numpy as np
from Basilisk.architecture import messaging
from Basilisk.simulation import (
    GravityGradientEffector,
    hingedRigidBodyStateEffector,
    linearSpringMassDamper,
    reactionWheelStateEffector,
    spacecraft,
)
from Basilisk.utilities import SimulationBaseClass, macros, simIncludeGravBody, simIncludeRW

SLOWEST_RPM = 60.0 / (2.0 * math.pi)


def column(values):
    return [[float(value)] for value in values]


def hub_of(asked):
    craft = spacecraft.Spacecraft()
    craft.ModelTag = "craft"
    x, y, z, w = asked["attitude"]
    craft.hub.mHub = asked["mass"]
    craft.hub.r_BcB_B = column(asked["com"])
    craft.hub.IHubPntBc_B = asked["inertia"]
    craft.hub.sigma_BNInit = column([x / (1.0 + w), y / (1.0 + w), z / (1.0 + w)])
    craft.hub.omega_BN_BInit = column(asked["rate"])
    return craft


def panel_of(asked):
    panel = hingedRigidBodyStateEffector.HingedRigidBodyStateEffector()
    panel.mass, panel.d, panel.k, panel.c = (asked[name] for name in ("mass", "d", "stiffness", "damping"))
    panel.IPntS_S = asked["inertia"]
    panel.r_HB_B = column(asked["place"])
    panel.dcm_HB = asked["axes"]
    panel.thetaInit, panel.thetaDotInit = asked["swing"]
    panel.nameOfThetaState, panel.nameOfThetaDotState = asked["name"], f"{asked['name']} rate"
    return panel


def slosh_of(asked):
    slosh = linearSpringMassDamper.LinearSpringMassDamper()
    slosh.massInit, slosh.k, slosh.c = (asked[name] for name in ("mass", "stiffness", "damping"))
    slosh.r_PB_B, slosh.pHat_B = column(asked["place"]), column(asked["axis"])
    slosh.rhoInit, slosh.rhoDotInit = asked["swing"]
    slosh.nameOfRhoState, slosh.nameOfRhoDotState = asked["name"], f"{asked['name']} rate"
    slosh.nameOfMassState = f"{asked['name']} mass"
    return slosh


def put_wheels(craft, asked):
    factory = simIncludeRW.rwFactory()
    for wheel in asked:
        own = {"Js": wheel["spin"], "Omega": wheel["rate"] * SLOWEST_RPM, "RWModel": messaging.BalancedWheels}
        factory.create("custom", wheel["axis"], **own, useMaxTorque=False)
    effector = reactionWheelStateEffector.ReactionWheelStateEffector()
    effector.ModelTag = "wheels"
    factory.addToSpacecraft("craft", effector, craft)
    return factory, effector


def put_orbit(craft, asked):
    """The planet, and where the craft's centre of mass flies about it."""
    factory = simIncludeGravBody.gravBodyFactory()
    planet = factory.createCustomGravObject("planet", asked["mu"])
    planet.isCentralBody = True
    factory.addBodiesTo(craft)
    nadir, normal = np.array(asked["nadir"]), np.array(asked["normal"])
    place, rate = -asked["radius"] * nadir, math.sqrt(asked["mu"] / asked["radius"] ** 3)
    craft.hub.r_CN_NInit, craft.hub.v_CN_NInit = column(place), column(rate * np.cross(normal, place))
    gradient = GravityGradientEffector.GravityGradientEffector()
    gradient.ModelTag = "gradient"
    gradient.addPlanetName(planet.planetName)
    craft.addDynamicEffector(gradient)
    return factory, gradient


def fly(asked):
    """States at the instants asked for."""
    simulation = SimulationBaseClass.SimBaseClass()
    step = macros.sec2nano(asked["step"])
    simulation.CreateNewProcess("process").addTask(simulation.CreateNewTask("task", step))
    craft = hub_of(asked)
    held = [*map(panel_of, asked["panels"]), *map(slosh_of, asked["slosh"])]
    for each in held:
        craft.addStateEffector(each)
    _, wheels = put_wheels(craft, asked["wheels"]) if asked["wheels"] else (None, None)
    _, gradient = put_orbit(craft, asked["orbit"]) if asked["orbit"] else (None, None)
    for model in (wheels, gradient, craft):
        if model is not None:
            simulation.AddModelToTask("task", model)
    state = craft.scStateOutMsg.recorder(macros.sec2nano(asked["every"]))
    simulation.AddModelToTask("task", state)
    names = [each["name"] for each in (*asked["panels"], *asked["slosh"])]
    simulation.InitializeSimulation()
    swings, count = [], round(asked["duration"] / asked["every"])
    for k in range(count + 1):
        simulation.ConfigureStopTime(macros.sec2nano(k * asked["every"]))
        simulation.ExecuteSimulation()
        swings.append([craft.dynManager.getStateObject(name).getState()[0][0] for name in names])
    return {
        "t": (1e-9 * state.times()).tolist(),
        "mrp": state.sigma_BN.tolist(),
        "rate": state.omega_BN_B.tolist(),
        "swing": swings,
    }


if __name__ == "__main__":
    json.dump(fly(json.load(sys.stdin)), sys.stdout)
