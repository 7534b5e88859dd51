"""Things that are wrong with a flight, a robot, its files or its recording, each with its right name.

A thing that has a size is tried at several times a base size; one that has none is as it is. What is drawn (which
joint, which axis, which way) follows from the seed and stays the same at all sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from strangers import truth
from strangers.flights import EMPTY, BodyTruth, Panel, Spring, World, parts_of, without
from strangers.readings import Channel, Recorded
from strangers.robots import DEGREE, Body, Stranger
from strangers.truth import CannotExist, Truth, about_frame, body_of

SIZES = (0.3, 1.0, 3.0, 10.0)
AXES = "xyz"
RPM = 2.0 * np.pi / 60.0

Name = tuple[str, str]  # kind of a cause, and of what; an empty second stands for any
Spoil = Callable[[Recorded, np.random.Generator], Recorded]


@dataclass(frozen=True)
class Case:
    """A flight before it is flown.

    said: robot and sensors as files have them. robot: as they are. spoils: what becomes of what was recorded.
    """

    said: Stranger
    robot: Stranger
    true: Truth
    world: World = EMPTY
    spoils: tuple[Spoil, ...] = ()


@dataclass(frozen=True)
class Wrong:
    """A case with something wrong. causes: the right name first, then those that no data could tell from it."""

    case: Case
    causes: tuple[Name, ...]


@dataclass(frozen=True)
class WrongThing:
    """What is wrong, in words, and how a case is made so.

    base: the base size in words, empty for a thing without size. sizes: times the base size; (1,) without. spread: of
    noise or of the CAD model, over what is said of it, at size s: 1 + spread s; zero of things that shift readings.
    """

    name: str
    base: str
    sizes: tuple[float, ...]
    make: Callable[[Case, float, np.random.Generator], Wrong]
    needs: Callable[[Stranger], bool]
    spread: float


THINGS: dict[str, WrongThing] = {}


def _thing(
    base: str = "",
    sizes: tuple[float, ...] = SIZES,
    needs: Callable[[Stranger], bool] = lambda robot: True,
    spread: float = 0.0,
) -> Callable[[Callable[[Case, float, np.random.Generator], Wrong]], None]:
    """List a function under its own name."""

    def listed(make: Callable[[Case, float, np.random.Generator], Wrong]) -> None:
        name = make.__name__.replace("_", " ")
        THINGS[name] = WrongThing(name, base, sizes if base else (1.0,), make, needs, spread)

    return listed


def _has_wheels(robot: Stranger) -> bool:
    return bool(robot.wheels)


def _has_known(robot: Stranger) -> bool:
    return bool(robot.known)


def _is_still(robot: Stranger) -> bool:
    return robot.tumble == 0.0


def _has_attitude(robot: Stranger) -> bool:
    return robot.tracker is not None or robot.camera is not None


# ---------------------------------------------------------------------- pieces


def _spoiled(case: Case, *spoils: Spoil) -> Case:
    return replace(case, spoils=(*case.spoils, *spoils))


def _in_channel(name: str, change: Callable[[Channel, np.random.Generator], Channel]) -> Spoil:
    """What changes one channel and leaves the others."""

    def spoil(said: Recorded, rng: np.random.Generator) -> Recorded:
        return replace(said, channels=tuple(change(each, rng) if each.name == name else each for each in said.channels))

    return spoil


def _times(name: str, factors: object, columns: object = slice(None)) -> Spoil:
    """Values of a channel's columns multiplied."""

    def change(channel: Channel, rng: np.random.Generator) -> Channel:
        values = np.array(channel.values)
        values[:, columns] *= factors
        return replace(channel, values=values)

    return _in_channel(name, change)


def _columns(name: str, order: list[int]) -> Spoil:
    """Values of a channel's columns in another order, under the same names."""
    return _in_channel(name, lambda channel, _: replace(channel, values=channel.values[:, order]))


def _joint(case: Case, rng: np.random.Generator) -> tuple[int, Body]:
    """A joint, not the first, which no gyro alone tells from how the base is turned."""
    place = int(rng.integers(1, len(case.robot.moving)))
    return place, case.robot.moving[place]


def _with_body(robot: Stranger, body: Body) -> Stranger:
    return replace(robot, bodies=tuple(body if each.name == body.name else each for each in robot.bodies))


def _direction(rng: np.random.Generator) -> np.ndarray:
    drawn = rng.standard_normal(3)
    return drawn / np.linalg.norm(drawn)


def _ten(mass: float, com: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """The ten numbers of a body from mass, centre and inertia about it."""
    whole = about_frame(inertia, mass, com)
    return np.array([mass, *(mass * com), *(whole[entry] for entry in truth.ENTRIES)])


def _with_bodies(case: Case, changed: dict[str, np.ndarray]) -> Case:
    return replace(case, true=replace(case.true, bodies={**case.true.bodies, **changed}))


def _with_zero(case: Case, place: int, by: float) -> Case:
    zeros = np.array(case.true.zeros)
    zeros[place] += by
    return replace(case, true=replace(case.true, zeros=zeros))


def _heavier(case: Case, name: str, part: float, rng: np.random.Generator) -> Case:
    """A body with a point mass somewhere on it, so many parts of its own."""
    weighs = case.robot.base if name == "base" else next(b.weighs for b in case.robot.bodies if b.name == name)
    place = np.array(weighs.com) + weighs.radius * _direction(rng)
    return _with_bodies(case, {name: case.true.bodies[name] + _ten(part * weighs.mass_kg, place, np.zeros((3, 3)))})


# ---------------------------------------------------------------------- things with a size: sensors


@_thing("1e-3 of the rate")
def gyro_scale(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    axis = int(rng.integers(3))
    return Wrong(_spoiled(case, _times("gyro", 1.0 + 1e-3 * size, axis)), (("gyro scale", AXES[axis]),))


@_thing("10 mrad")
def gyro_turned(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    turn, first = case.true.misalignment + 0.01 * size * _direction(rng), case.robot.moving[0].joint
    spoiled = replace(case, true=replace(case.true, misalignment=turn))
    return Wrong(spoiled, (("mounting", ""), ("zero", first), ("geometry", first)))


@_thing("1.5 times as noisy", spread=0.5)
def gyro_noise(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    gyro = replace(case.robot.gyro, walk=case.robot.gyro.walk * (1.0 + 0.5 * size))
    return Wrong(replace(case, robot=replace(case.robot, gyro=gyro)), (("noise", "gyro"), ("noise", "w")))


@_thing("1.5 times as noisy", spread=0.5)
def encoder_noise(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    robot, more = case.robot, 1.0 + 0.5 * size
    robot = replace(robot, encoder_noise=more * robot.encoder_noise, slide_noise=more * robot.slide_noise)
    return Wrong(replace(case, robot=robot), (("noise", "q"), ("noise", "joints"), ("noise", "encoders")))


@_thing("1e-3 of the turn")
def encoder_scale(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    place, body = _joint(case, rng)
    return Wrong(_spoiled(case, _times("q", 1.0 + 1e-3 * size, place)), (("joint scale", body.joint),))


@_thing("5 mrad")
def joint_zero(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    place, body = _joint(case, rng)
    return Wrong(_with_zero(case, place, 0.005 * size), (("zero", body.joint),))


@_thing("5 mrad")
def zero_of_the_first_joint(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    first = case.robot.moving[0].joint
    return Wrong(_with_zero(case, 0, 0.005 * size), (("zero", first), ("mounting", ""), ("geometry", first)))


@_thing("1e-3 s/s")
def clock_drift(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    drift = _in_channel("gyro", lambda each, _: replace(each, stamps=each.stamps * (1.0 + 1e-3 * size)))
    return Wrong(_spoiled(case, drift), (("clock", ""),))


@_thing("5 ms, half-way")
def clock_jump(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    def jumped(channel: Channel, _: np.random.Generator) -> Channel:
        late = channel.stamps > 0.5 * channel.stamps[-1]
        return replace(channel, stamps=channel.stamps + 0.005 * size * late)

    return Wrong(_spoiled(case, _in_channel("gyro", jumped)), (("clock", ""),))


@_thing("a tenth of the gyro's noise, about all axes")
def line_in_the_gyro(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    gyro, turns = case.robot.gyro, 2.0 * np.pi * rng.uniform(1.2, 4.0)
    swing = 0.1 * size * gyro.walk * DEGREE / 60.0 * np.sqrt(gyro.rate_Hz) * np.sqrt(2.0)
    phases = rng.uniform(0.0, 2.0 * np.pi, 3)

    def swung(channel: Channel, _: np.random.Generator) -> Channel:
        return replace(channel, values=channel.values + swing * np.sin(turns * channel.stamps[:, None] + phases))

    return Wrong(_spoiled(case, _in_channel("gyro", swung)), (("oscillation", ""),))


# ---------------------------------------------------------------------- things with a size: the robot


@_thing("5 mm")
def link_length(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    _, body = _joint(case, rng)
    along = np.array(body.xyz) / np.linalg.norm(body.xyz)
    longer = replace(body, xyz=tuple(np.array(body.xyz) + 0.005 * size * along))
    return Wrong(replace(case, robot=_with_body(case.robot, longer)), (("geometry", body.joint),))


@_thing("5 mrad")
def axis_tilted(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    _, body = _joint(case, rng)
    across = np.cross(body.unit_axis, _direction(rng))
    tilted = replace(body, turn=tuple(np.array(body.turn) + 0.005 * size * across / np.linalg.norm(across)))
    return Wrong(replace(case, robot=_with_body(case.robot, tilted)), (("geometry", body.joint),))


@_thing("a point of 5 % of a link's mass on it")
def heavier_link(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    unknown = [body.name for body in case.robot.bodies if body.name not in case.robot.known]
    name = unknown[int(rng.integers(len(unknown)))]
    return Wrong(_heavier(case, name, 0.05 * size, rng), (("mass", name), ("prior", "")))


@_thing("a point of 5 % of the base's mass on it")
def heavier_base(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    return Wrong(_heavier(case, "base", 0.05 * size, rng), (("mass", "base"), ("prior", "")))


@_thing("twice the spread that is said of it", sizes=(0.3, 1.0, 2.0), spread=1.0)
def CAD_model_worse_than_said(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    while True:
        bodies = truth.drawn(case.said, rng, 1.0 + size).bodies
        base = without(body_of(bodies["base"]), parts_of(case.robot, case.world))
        try:
            body_of(_ten(base.mass_kg, base.com, base.inertia))
        except CannotExist:
            continue
        return Wrong(_with_bodies(case, bodies), (("prior", ""), ("mass", "")))


@_thing("5 % of all of a known load", needs=_has_known)
def load_heavier_as_a_whole(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    name = next(iter(case.robot.known))
    return Wrong(_with_bodies(case, {name: (1.0 + 0.05 * size) * case.true.bodies[name]}), (("known", name),))


@_thing("centre of a known load off by 5 % of its radius", needs=_has_known)
def load_elsewhere(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    name = next(iter(case.robot.known))
    radius = next(body.weighs.radius for body in case.robot.bodies if body.name == name)
    body = body_of(case.true.bodies[name])
    moved = _ten(body.mass_kg, body.com + 0.05 * size * radius * _direction(rng), body.inertia)
    return Wrong(_with_bodies(case, {name: moved}), (("known", name), ("mass", name)))


@_thing("1 % of a wheel's spin inertia", needs=_has_wheels)
def wheel_inertia(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    place = int(rng.integers(len(case.robot.wheels)))
    wheel = case.robot.wheels[place]
    wheels = list(case.robot.wheels)
    wheels[place] = replace(wheel, spin=wheel.spin * (1.0 + 0.01 * size))
    named = (("wheel inertia", wheel.name), ("known", wheel.name))
    return Wrong(replace(case, robot=replace(case.robot, wheels=tuple(wheels))), named)


@_thing("a spring of 10 Hz under what it moves; as much softer as the size")
def elastic_joint(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    place = len(case.robot.moving) - 1
    body = case.robot.moving[place]
    held = body_of(case.true.bodies[body.name])
    moment = float(body.unit_axis @ about_frame(held.inertia, held.mass_kg, held.com) @ body.unit_axis)
    turns = 2.0 * np.pi * 10.0 / np.sqrt(size)
    spring = Spring(moment * turns**2, 0.1 * moment * turns)
    return Wrong(
        replace(case, world=replace(case.world, soft={body.joint: spring})),
        (("elastic", body.joint), ("oscillation", "")),
    )


# ---------------------------------------------------------------------- things with a size: the flight


@_thing("what turns the base at 1e-4 rad/s after the flight")
def outside_torque(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    mean = float(np.trace(case.robot.base.inertia)) / 3.0
    torque = tuple(1e-4 / 30.0 * size * mean * _direction(rng))
    return Wrong(replace(case, world=replace(case.world, torque=torque)), (("torque", ""),))


@_thing("a tumble of 1e-4 rad/s about each axis, said to be none", needs=_is_still)
def momentum_not_zero(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    return Wrong(replace(case, robot=replace(case.robot, tumble=1e-4 * size)), (("momentum", ""),))


@_thing("0.1 % of the base's mass on a hinge of 0.3 to 1 Hz", sizes=(*SIZES, 50.0))
def swinging_panel(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    base = case.robot.base
    mass, reach, turns = 0.001 * size * base.mass_kg, 0.6 * base.radius, 2.0 * np.pi * rng.uniform(0.3, 1.0)
    along = _direction(rng)
    across = np.cross(along, _direction(rng))
    axis = across / np.linalg.norm(across)
    plate = mass * (0.5 * reach) ** 2 / 3.0 * (np.eye(3) - 0.9 * np.outer(axis, axis))
    about_hinge = float(axis @ about_frame(plate, mass, reach * along) @ axis)
    spring = Spring(about_hinge * turns**2, 0.02 * about_hinge * turns)
    place = np.array(base.com) + 0.5 * base.radius * along
    panel = Panel(tuple(place), tuple(axis), BodyTruth(mass, reach * along, plate), spring)
    return Wrong(replace(case, world=replace(case.world, panel=panel)), (("oscillation", ""),))


# ---------------------------------------------------------------------- things without a size


@_thing()
def gyro_in_degrees(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    return Wrong(_spoiled(case, _times("gyro", 1.0 / DEGREE)), (("units", "gyro"),))


@_thing()
def joints_in_degrees(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    return Wrong(_spoiled(case, _times("q", 1.0 / DEGREE)), (("units", "joints"),))


@_thing()
def joints_and_gyro_in_degrees(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    spoiled = _spoiled(case, _times("q", 1.0 / DEGREE), _times("gyro", 1.0 / DEGREE))
    return Wrong(spoiled, (("units", "joints and gyro"), ("units", "joints"), ("units", "gyro")))


@_thing(needs=_has_wheels)
def wheels_in_rpm(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    return Wrong(_spoiled(case, _times("wheel", 1.0 / RPM)), (("units", "wheels"),))


@_thing()
def joint_reversed(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    place, body = _joint(case, rng)
    return Wrong(_spoiled(case, _times("q", -1.0, place)), (("sign", body.joint),))


@_thing(needs=_has_wheels)
def wheel_reversed(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    place = int(rng.integers(len(case.robot.wheels)))
    return Wrong(_spoiled(case, _times("wheel", -1.0, place)), (("sign", case.robot.wheels[place].name),))


@_thing()
def gyro_axis_reversed(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    axis = int(rng.integers(3))
    return Wrong(_spoiled(case, _times("gyro", -1.0, axis)), (("sign", f"gyro {AXES[axis]}"),))


@_thing()
def two_joints_swapped(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    a, b = sorted(rng.permutation(len(case.robot.moving))[:2].tolist())
    order = [b if k == a else a if k == b else k for k in range(len(case.robot.moving))]
    names = ", ".join(case.robot.moving[k].joint for k in (a, b))
    return Wrong(_spoiled(case, _columns("q", order)), (("order", names),))


@_thing()
def gyro_axes_swapped(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    order = ([1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1])[int(rng.integers(5))]
    return Wrong(_spoiled(case, _columns("gyro", order)), (("axes", ""),))


@_thing()
def dead_gyro_axis(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    axis = int(rng.integers(3))
    return Wrong(_spoiled(case, _times("gyro", 0.0, axis)), (("dead", f"gyro {AXES[axis]}"), ("dead", AXES[axis])))


@_thing(needs=_has_wheels)
def wheel_missing_from_the_file(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    place = int(rng.integers(len(case.said.wheels)))
    left = tuple(wheel for k, wheel in enumerate(case.said.wheels) if k != place)
    return Wrong(replace(case, said=replace(case.said, wheels=left)), (("missing wheel", ""),))


@_thing(needs=_has_attitude)
def quaternion_scalar_first(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    return Wrong(_spoiled(case, _columns("attitude", [3, 0, 1, 2])), (("quaternion order", ""),))


@_thing()
def another_robot(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    """Its joints bear the same names, and are turned as those of this robot's arm from tip to shoulder."""
    turns = [body.rpy_deg for body in reversed(case.said.bodies)]
    bodies = tuple(replace(body, rpy_deg=turn) for body, turn in zip(case.said.bodies, turns, strict=True))
    return Wrong(replace(case, said=replace(case.said, bodies=bodies)), (("robot", ""),))


@_thing(needs=_has_known)
def load_left_behind(case: Case, size: float, rng: np.random.Generator) -> Wrong:
    name = next(iter(case.robot.known))
    causes = ("known", name), ("mass", name), ("robot", "")
    return Wrong(_with_bodies(case, {name: 1e-3 * case.true.bodies[name]}), causes)
