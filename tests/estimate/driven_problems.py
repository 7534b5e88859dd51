"""Problems of robots on the ground whose joints rub and have rotors."""

from dataclasses import replace

import numpy as np
from estimate.problems import make_case, with_noise

from freefloat.dynamics.drive_torques import drive_torques
from freefloat.estimate.estimated_drives import estimated_drives
from freefloat.robot.drive import DRIVE_TERMS, Drive

EXACT = 1e-12


def driven_case(models, seed, friction, noise=None, has=DRIVE_TERMS, **given):
    """A problem whose joints rub, by these terms, and the robot that moved; the CAD model knows of others."""
    case = make_case(models, seed, base="fixed", scale="nothing", declared=noise or {"torques": EXACT}, **given)
    rng = np.random.default_rng([seed, 41])
    drives = [
        Drive(**{term: rng.uniform(0.2, 1.0) for term in has}, stribeck_rate=0.3, gear_ratio=5.0)
        for _ in case.robot.joints
    ]
    cad = [replace(drive, **dict.fromkeys(friction, 0.0)) for drive in drives]
    driven = case.robot.with_drives(drives)
    flights = []
    for flight in case.problem.flights:
        samples = flight.samples
        torques = samples.torques + drive_torques(driven, samples)
        exact = replace(samples, torques=torques)
        flights.append(replace(flight, samples=with_noise(exact, noise or {}, rng)))
    problem = replace(
        case.problem, robot=case.problem.robot.with_drives(cad), flights=tuple(flights), friction=friction
    )
    return problem, driven


def found_drives(estimate):
    return np.array([[getattr(drive, term) for term in DRIVE_TERMS] for drive in estimated_drives(estimate)])


def true_drives(robot):
    return np.array([[getattr(joint.drive, term) for term in DRIVE_TERMS] for joint in robot.joints])
