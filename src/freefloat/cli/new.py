"""`freefloat new`: a commented mission file to start from, for the demo servicer or for a robot of one's own."""

from __future__ import annotations

import math
import os
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from freefloat.cli.options import AsJson, BaseChoice, Quiet
from freefloat.cli.outputs import refuse_output
from freefloat.errors import FileError
from freefloat.excitation.goals.names import GoalName

if TYPE_CHECKING:
    from freefloat.robot.model import Robot
    from freefloat.robot.parts import BaseKind, Joint


_TEMPLATE = """\
format: freefloat/mission@1
mission: {name}
robot: {robot}              # a robot file (.yaml) or a URDF, from this file's folder
{stance}
# Bodies, or single parameters (`link2.m`), whose values you trust, and how far.
{scale}known: {known}
prior: cad                  # cad: the robot file's values as a soft prior | {{mass: 0.1, com: 0.1}} | none
assume_zero: []             # hard simplifications, e.g. ["*.products", "link2.my"]
momentum: zero              # zero | unknown | {{wheels_Nms: {{wx: 5}}}}
{orbit}
sensors:
{sensors}

# The motion: a trajectory of your own (`trajectory: motion.json`), or one to be designed.
excitation:
  shape: {{kind: fourier, harmonics: 4, rest_to_rest: true}}
  duration_s: 60
{channels}  goal: {goal}  # {goals}
{limits}

identify:
  method: {method}
{friction}{torque}"""

_ORBIT = """\
# In orbit, gravity's gradient turns the base: where the planet is, in base axes where a recording begins.
{off}orbit: {{altitude_km: {altitude:g}, nadir: [0, 0, 1], orbit_normal: [0, 1, 0]}}
"""
_USUAL_KM = 500.0
_TORQUE = "  # nuisances: {external_torque_Nm: 1.0e-4}  # what else pushes (magnets, air), as an orbit has it anyway\n"
_FRICTION = "  friction: auto  # or [coulomb, viscous, offset, asymmetric, stribeck, rotor], any of them; [] for none\n"
_STANCE = "stance: {{gravity_m_s2: [0, 0, {0:g}]}}  # along the axes of the base; zeros where nothing has weight\n"
_WHEELS = "  channels: {}  # what moves: there are no joints\n"
_SCALE = "# Without any, or a wheel that spins, a base that floats shows ratios of inertias, not their scale.\n"


def new(
    name: Annotated[str, typer.Argument(help="Name of the mission; the file is NAME.yaml.", show_default=False)],
    urdf: Annotated[
        Path | None, typer.Option(help="Your robot: a URDF or a robot file; a servicer to play with unless given.")
    ] = None,
    base: Annotated[
        BaseChoice | None,
        typer.Option(help="How the base of a URDF moves, if the URDF does not say it; written to a robot file."),
    ] = None,
    orbit_altitude_km: Annotated[
        float | None, typer.Option(help="Altitude of the robot's orbit; in free space unless given.", min=100.0)
    ] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a commented mission file to start from.

    In: a robot, or nothing. Out: NAME.yaml, which says which robot, what is known of it, its sensors and its motion.
    Nothing that is there already is overwritten.
    """
    from freefloat.cli.console import print_result
    from freefloat.mission.mission_file import load_mission

    written = [str(path) for path in write_new_mission(name, urdf, base.value if base else None, orbit_altitude_km)]
    mission = load_mission(written[0])
    remarks = remarks_on(mission.robot)
    if mission.orbit is not None:
        remarks.append(f"say under `orbit` in {written[0]} where the planet is, in base axes where a recording begins")
    lines = [*(f"wrote {path}" for path in written), *(f" ! {remark}" for remark in remarks)]
    print_result(json, quiet, lambda: {"files": written, "remarks": remarks}, lambda: typer.echo("\n".join(lines)))


def write_new_mission(
    name: str, robot_path: Path | None, base: BaseKind | None = None, altitude_km: float | None = None
) -> list[Path]:
    """Write NAME.yaml, and a robot file beside it where one is needed; the files written; none is overwritten.

    base: how the base of a URDF moves, which a robot file then says; as the URDF says unless given. altitude_km: of the
    robot's orbit; free space unless given.
    """
    from freefloat.files import read_bytes, write_bytes, write_text
    from freefloat.robot.load import load_robot
    from freefloat.studies.catalogue import study_path

    path = Path(name if name.endswith((".yaml", ".yml")) else f"{name}.yaml")
    refuse_output(path, (), "missions", (".yaml", ".yml"))
    _refuse_existing(path)
    written = [path]
    if robot_path is None:
        if base is not None:
            raise FileError(path, "--base is for a URDF, and none is given; allowed: --urdf with it")
        robot_path = path.with_name("servicer.yaml" if path.name != "servicer.yaml" else "servicer_robot.yaml")
        if not robot_path.exists():
            write_bytes(robot_path, read_bytes(study_path("servicer")))
            written.append(robot_path)
    robot = load_robot(robot_path, base)
    if altitude_km is not None and robot.base != "free":
        raise FileError(path, f"--orbit-altitude-km is given for a {robot.base} base; allowed: a robot that floats")
    if base is not None:
        robot_path = path.with_name(f"{path.stem}_robot.yaml")
        _refuse_existing(robot_path)
        robot.save(robot_path)
        written.append(robot_path)
    write_text(path, _mission_text(path.stem, os.path.relpath(robot_path, path.parent), robot, altitude_km))
    return written


def remarks_on(robot: Robot) -> list[str]:
    """What a new mission's robot lacks before it can be designed for or identified, a sentence each."""
    from freefloat.robot.physicality import check_physicality

    remarks = []
    free = [joint.name for joint in robot.joints if not math.isfinite(joint.rate) or _has_no_range(joint)]
    if free:
        remarks.append(
            f"nothing limits range or rate of {', '.join(free)}: give limits in the robot file, for a design"
        )
    turned = () if robot.joints else robot.wheels  # by a design and by random motions
    fast = [wheel.name for wheel in turned if not math.isfinite(wheel.max_rate)]
    if fast:
        remarks.append(f"nothing limits the rate of {', '.join(fast)}: give max_rate_rad_s in the robot file")
    if not robot.joints and not turned:
        remarks.append("neither joints nor wheels: there is no motion to design or simulate, only recordings")
    if robot.base != "fixed" and "load" not in robot.body_names and not turned:
        remarks.append(
            "nothing is known yet: without a known body, or a wheel that spins, inertias are found but for scale"
        )
    bodies = dict.fromkeys(finding.body for finding in check_physicality(robot))
    if bodies:
        remarks.append(f"cannot exist as given: {', '.join(bodies)}; `freefloat inspect` says why")
    return remarks


def _has_no_range(joint: Joint) -> bool:
    return joint.kind != "continuous" and not all(map(math.isfinite, joint.position))


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise FileError(path, "is there already; choose another name or remove it first")


def _mission_text(name: str, robot_path: str, robot: Robot, altitude_km: float | None) -> str:
    from freefloat.estimate.methods import default_method
    from freefloat.sensors.quantities import STANDARD_GRAVITY

    fixed = robot.base == "fixed"  # where accuracy cannot be designed for: it is that of a base that reacts
    return _TEMPLATE.format(
        name=dumps(name, ensure_ascii=False),  # JSON's quotes are YAML's
        robot=dumps(robot_path, ensure_ascii=False),
        stance=_STANCE.format(-STANDARD_GRAVITY) if fixed and not robot.gravity.any() else "",
        known="{load: {relative_sd: 0.002}}" if "load" in robot.body_names else "{}",
        scale="" if fixed else _SCALE,
        channels="" if robot.joints or not robot.wheels else _WHEELS.format(dumps([w.name for w in robot.wheels])),
        goal="condition-number" if fixed else "accuracy",
        goals=" | ".join(
            goal for goal in get_args(GoalName) if not (fixed and ("accuracy" in goal or goal == "reveal"))
        ),
        limits="\n".join(f"  # {line}" for line in _limits(robot)),
        method=default_method(robot.base),
        friction=_FRICTION if fixed else "",
        orbit=_orbit(altitude_km) if robot.base == "free" else "",
        torque=_TORQUE if robot.base == "free" else "",
        sensors="\n".join(f"  {line}" for line in _sensors(robot)),
    )


def _orbit(altitude_km: float | None) -> str:
    """The section, as a comment where there is no orbit."""
    if altitude_km is None:
        return _ORBIT.format(off="# ", altitude=_USUAL_KM)
    return _ORBIT.format(off="", altitude=altitude_km)


def _limits(robot: Robot) -> list[str]:
    """Limits that a mission may ask for, as lines to uncomment."""
    from freefloat.excitation.limits.clearance import bodies_to_be_shaped, shaped_pairs

    free = [joint.name for joint in robot.joints if not math.isfinite(joint.rate)]
    said = [f"Nothing limits the rate of {', '.join(free)}: give one in the robot file."] if free else []
    bare, lines = bodies_to_be_shaped(robot), list[str]()
    if bare:
        said.append(f"To have collisions checked (clearance_m), give a `shape` in the robot file to {', '.join(bare)}.")
    if robot.base == "free":
        lines.append("base_attitude_deg: {roll: [-40, 40], pitch: [-20, 20], yaw: [-20, 20]}")
    if robot.base == "planar":
        lines.append("base_attitude_deg: {yaw: [-40, 40]}")
    if robot.base != "fixed":
        lines.append("base_rate_deg_s: 2")
    if not bare and shaped_pairs(robot):
        lines.append("clearance_m: 0.05     # between bodies; without it, collisions are not checked")
    if robot.wheels:
        lines.append(f"wheel_momentum_Nms: {{{robot.wheels[0].name}: 5}}")
    if lines:
        said.append("limits:                 # beside those of joints and wheels, which the robot file has")
    return [*said, *(f"  {line}" for line in lines)]


def _sensors(robot: Robot) -> list[str]:
    """Sensors that suit the robot: sliding joints have noise in metres, a fixed base has torques, no gyro."""
    slides = any(joint.kind == "prismatic" for joint in robot.joints)
    turns = any(joint.kind != "prismatic" for joint in robot.joints)
    noise = ", ".join(part for part, there in (("noise_rad: 2.5e-5", turns), ("noise_m: 1.0e-5", slides)) if there)
    lines = [f"joints: {{kind: encoder, {noise}, rate_Hz: 100}}"] if noise else []
    if robot.base == "fixed":
        return [*lines, "torques: {kind: torque, rate_Hz: 100}  # noise_Nm, if you know it; else recordings show it"]
    lines.append("gyro: {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, bias_deg_per_h: 0.1, rate_Hz: 100}")
    if robot.wheels:
        lines.append("wheels: {kind: tachometer, noise_rad_s: 0.01, rate_Hz: 10}")
    return lines
