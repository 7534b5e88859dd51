"""From a recording to samples, in one call.

    processed = process(recording, robot, command, rate_Hz=3.0, sensors=mission.sensors.values())

Joints are projected on the command where it is known and followed, else they are the curves that encoders measured, or
filtered as torques are where rows compare the two.
Angular rates are those of the gyro, in base axes. Attitude is that of a star tracker (or any pose sensor) where
there is one, else the gyro's rates integrated. Whatever is done to a channel, and what is worth knowing about it,
is said in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.data.measured_joints import passive_joint_measured
from freefloat.data.processing.filtering import LowPass
from freefloat.data.processing.joint_motion import JointMotion, joint_motion, motion_beside_passive, motion_from_rates
from freefloat.data.processing.one_band import decimated_rate, in_one_band
from freefloat.data.processing.process_parts import (
    ProcessedPart,
    ProcessingInputs,
    angular,
    gyro_rates,
    linear,
    loads,
    others,
    wheels,
)
from freefloat.data.processing.processed import Processed, ProcessSettings, known_of, with_gain
from freefloat.data.processing.resampling import CannotProcess, resample
from freefloat.data.processing.time_offset import GyroDelay, estimate_gyro_delay
from freefloat.data.recording import Recording
from freefloat.dynamics.samples import Samples
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.robot.parts import Joint
from freefloat.sensors.channel import Channel
from freefloat.sensors.kinds import sources
from freefloat.sensors.sensor import Sensor

# And what estimators compare with a predicted motion of the base.
_USED = ("q", "dq", "wheel", "tau", "force", "moment", "accelerometer")
_ASIDE = ("dq", "accelerometer")  # compared at their own instants, by methods that predict readings
_COVERED = 3.3  # standard deviations: a start within so many, which 99.9 % are, is covered by the spread
_FEWEST = 16  # samples of a channel from which anything can be made
_LONGEST_DELAY_S = 1.0
_FINE = 15000  # instants at which a delay is sought


def process(
    recording: Recording,
    robot: Robot,
    motion: Trajectory | None = None,
    rate_Hz: float | None = None,
    settings: ProcessSettings | None = None,
    sensors: Iterable[Sensor] = (),
) -> Processed:
    """Make samples of a recording.

    motion: the commanded motion, if known. rate_Hz: of the samples; the gyro's own instants (the encoders',
    without a gyro) unless given. sensors: what is known of noise and mountings, such as a mission's sensors.
    """
    chosen, known = settings or ProcessSettings(), tuple(sensors)
    channels, unused = chosen_channels(recording, robot, chosen, known)
    sampled = {name for names in sources().values() for name in names}
    own = [name for name in _ASIDE if name in channels and name not in sampled and (name != "dq" or "q" in channels)]
    aside = [channels.pop(name) for name in own]
    channels, outside = _together(channels)
    simulated = recording.origin.kind == "simulated"
    chosen = in_one_band(chosen, channels, robot, motion)
    joints = _joints(channels, robot, motion, chosen, known, simulated)
    if joints.projection is not None:  # what was found out holds for wheels too
        chosen = replace(chosen, start_s=joints.projection.start_s)
    channels = {name: _thinned(channel, chosen.most_samples) for name, channel in channels.items()}
    enough = decimated_rate(chosen, channels) if rate_Hz is None else rate_Hz
    t, rate = _time_base(channels, joints.span_s, enough)
    inputs = ProcessingInputs(channels, robot, motion, chosen, known, t, rate, simulated)
    found = _joint_part(channels, joints, t) + wheels(inputs) + angular(inputs)
    found = found + linear(inputs, found) + loads(inputs) + others(inputs)
    words = {channel.name: "not on this time base; methods that predict readings compare it" for channel in aside}
    found = found + ProcessedPart(steps=words, notes=unused, warnings=outside)
    samples = Samples.holding({**found.arrays, "t": t})
    delay, said = _gyro_delay(inputs, joints, samples)
    return Processed(
        samples,
        found.noise,
        found.steps,
        found.notes + said.notes,
        found.warnings + said.warnings,
        joints.projection,
        joints.curves,
        _gaps(channels, t),
        delay,
        _shared(channels, rate),
        _velocity_point(inputs),
        chosen.torques if isinstance(chosen.torques, LowPass) else None,
    )


# ---------------------------------------------------------------------- channels


def chosen_channels(
    recording: Recording, robot: Robot, settings: ProcessSettings, sensors: Sequence[Sensor] = ()
) -> tuple[dict[str, Channel], tuple[str, ...]]:
    """One channel of each quantity, its delay taken off, its gain put on, and a sentence on those left aside."""
    claim = passive_joint_measured(recording, robot)
    if claim is not None:
        raise CannotProcess(claim)
    chosen: dict[str, Channel] = {}
    aside: list[str] = []
    used = {*_USED, *(name for names in sources().values() for name in names)}
    for channel in sorted(recording, key=lambda channel: channel.name):  # those without a label come first
        takes = channel.quantity in used and channel.quantity not in chosen and len(channel) >= _FEWEST
        if channel.quantity in ("q", "dq"):
            takes = takes and bool(robot.driven.size) and set(robot.driven_names) <= set(channel.components)
        if takes:
            late = settings.delays_s.get(channel.name, 0.0)
            timed = replace(channel, t=channel.t - late) if late else channel
            chosen[channel.quantity] = with_gain(timed, robot, sensors)
        else:
            aside.append(channel.name)
    if robot.driven.size and "q" not in chosen and "dq" not in chosen:
        raise CannotProcess(
            f"no channel holds the positions, or the rates, of all joints of {robot.name}: "
            f"{', '.join(robot.driven_names)}"
        )
    if not chosen:
        raise CannotProcess(f"no channel holds {_FEWEST} readings or more of anything that is used")
    return chosen, ((f"not used: {', '.join(aside)}",) if aside else ())


def _together(channels: Mapping[str, Channel]) -> tuple[dict[str, Channel], tuple[str, ...]]:
    """Channels with readings while the joints were recorded (the gyro, without any), and a sentence on each other."""
    leader = next(channels[name] for name in ("q", "dq", "gyro", *channels) if name in channels)
    first, last = float(leader.t[0]), float(leader.t[-1])
    apart = [name for name, each in channels.items() if ((each.t >= first) & (each.t <= last)).sum() < 2]
    said = (f"{channels[name].name} is not used: it has no readings while {leader.name} was recorded" for name in apart)
    return {name: each for name, each in channels.items() if name not in apart}, tuple(said)


def _thinned(channel: Channel, most: int | None) -> Channel:
    """One in so many of a channel's samples that no more than `most` are left."""
    every = 1 if most is None else -(-len(channel) // most)
    return channel if every == 1 else channel.at_rows(slice(None, None, every))


def _time_base(
    channels: Mapping[str, Channel], span_s: tuple[float, float], rate_Hz: float | None
) -> tuple[Array, float]:
    """Instants within the motion at which every channel has samples around, shape (m,) [s], and their rate."""
    start = max(span_s[0], *(float(channel.t[0]) for channel in channels.values()))
    end = min(span_s[1], *(float(channel.t[-1]) for channel in channels.values()))
    leader = next(channels[name] for name in ("gyro", "q", "dq", *channels) if name in channels)
    if rate_Hz is None:
        slack = 1e-9 * (end - start)  # the rounding of stamps
        t, rate = leader.t[(leader.t >= start - slack) & (leader.t <= end + slack)], leader.rate_Hz
    elif rate_Hz > 0.0:
        t, rate = start + np.arange(max(0, int((end - start) * rate_Hz + 1e-9)) + 1) / rate_Hz, rate_Hz
    else:
        raise CannotProcess(f"rate_Hz is {rate_Hz:g}; allowed: greater than zero")
    if t.size < 2 or end <= start:
        raise CannotProcess(
            f"the channels have no time in common: the motion lasts from {span_s[0]:.6g} to {span_s[1]:.6g} s, "
            f"and all channels have samples from {start:.6g} to {end:.6g} s"
        )
    return t, rate


def _gaps(channels: Mapping[str, Channel], t: Array) -> tuple[str, ...]:
    """A sentence for every channel with gaps within the motion."""
    said = []
    for channel in channels.values():
        gaps = channel.gaps()
        inside = gaps[(gaps[:, 1] > t[0]) & (gaps[:, 0] < t[-1])]
        if len(inside):
            first, last = inside[int(np.argmax(inside[:, 1] - inside[:, 0]))].tolist()
            said.append(
                f"{channel.name} has {len(inside)} gap{'s' * (len(inside) > 1)}, the longest from {first:.6g} to "
                f"{last:.6g} s"
            )
    return tuple(said)


def _shared(channels: Mapping[str, Channel], rate_Hz: float) -> dict[str, float]:
    """How many rows of each array of the base's motion, of torques and of the wrench, come from one reading."""
    behind = {**sources(), "torques": ("tau",), "base_wrench": ("force", "moment")}
    found = {array: [channels[name] for name in names if name in channels] for array, names in behind.items()}
    return {array: max(1.0, rate_Hz / given[0].rate_Hz) for array, given in found.items() if given}


def _velocity_point(inputs: ProcessingInputs) -> Array:
    """Where on the base the velocity is measured, shape (3,) [m]."""
    given = [inputs.channels[name] for name in sources()["v"] if name in inputs.channels]
    return inputs.known(given[0]).mounting.p if given else np.zeros(3)


# ---------------------------------------------------------------------- joints and delay


def _joints(
    channels: Mapping[str, Channel],
    robot: Robot,
    command: Trajectory | None,
    settings: ProcessSettings,
    sensors: tuple[Sensor, ...],
    simulated: bool,
) -> JointMotion:
    if not robot.joints:
        return JointMotion.none(next(iter(channels.values())).t)
    channel = joint_channel(channels)
    assert channel is not None
    names = robot.driven_names
    place = [channel.components.index(name) for name in names]
    known, values = known_of(channel, robot, sensors, settings), channel.of(names)
    known = known if simulated else known.of_something_real
    if known.noise_sd is not None and known.rounding is not None:
        known = replace(known, noise_sd=known.noise_sd[place], rounding=known.rounding[place])
    if robot.passive.size:
        if channel.quantity != "q":
            raise CannotProcess(f"{channel.name} holds rates alone; allowed beside passive joints: positions")
        return motion_beside_passive(channel.t, values, robot, known, settings)
    if channel.quantity == "q":
        return joint_motion(channel.t, values, robot, command, known, settings)
    start, guessed = _start_positions(channel, robot, command, settings)
    found = motion_from_rates(channel.t, values, start, robot, known)
    return replace(found, warnings=found.warnings + guessed)


def joint_channel(channels: Mapping[str, Channel]) -> Channel | None:
    """That which says how the joints moved: their positions, else their rates; None without any."""
    return channels.get("q") or channels.get("dq")


def _start_positions(
    channel: Channel, robot: Robot, command: Trajectory | None, settings: ProcessSettings
) -> tuple[Array, tuple[str, ...]]:
    """Of the joints at a channel's first reading, shape (joints,), and a sentence on those that nobody said.

    As given, else as commanded, else as near to zero as the joint can be: that asks for a decision unless the spread
    that is estimated along covers all starts there can be.
    """
    given, names = settings.start_positions, robot.joint_names
    if command is not None:
        since = float(channel.t[0]) - (settings.start_s or 0.0)
        start, guessed = command.samples(robot, np.clip([since], 0.0, command.duration_s)).q[0], list[str]()
    else:
        start = np.array([np.clip(0.0, *joint.position) for joint in robot.joints])
        guessed = [
            joint.name
            for joint, value in zip(robot.joints, start.tolist(), strict=True)
            if joint.name not in given and not _is_covered(joint, value, settings.start_sd.get(joint.name, 0.0))
        ]
    chosen = np.array([given.get(name, value) for name, value in zip(names, start.tolist(), strict=True)])
    if not guessed:
        return chosen, ()
    sentence = f"nobody said where {', '.join(guessed)} started, and only rates were recorded: taken to start at zero"
    return chosen, (
        f"{sentence}, or as near as they can be; say it in identify.start_positions, or how far off that may be "
        "in identify.nuisances (joint_zero_rad, joint_zero_m)",
    )


def _is_covered(joint: Joint, start: float, sd: float) -> bool:
    """Whether a spread about a start [rad or m] covers all there can be; for what turns, half a turn either way."""
    reach = max(abs(end - start) for end in joint.position)
    return _COVERED * sd >= (reach if joint.kind == "prismatic" else min(reach, math.pi))


def _joint_part(channels: Mapping[str, Channel], joints: JointMotion, t: Array) -> ProcessedPart:
    motion, sd = joints.at(t), joints.sd(t)
    return ProcessedPart(
        {"q": motion.position, "dq": motion.rate, "ddq": motion.acceleration},
        {"q": sd[0], "dq": sd[1], "ddq": sd[2]},
        {} if (channel := joint_channel(channels)) is None else {channel.name: joints.step},
        joints.notes,
        joints.warnings,
    )


def _fine(joints: JointMotion, samples: Samples) -> Samples:
    """Joints and wheels closer together than the samples may be: a delay is a small part of an interval."""
    t = samples.need("t", "a gyro's delay")
    fine = joints.t[(joints.t >= t[0]) & (joints.t <= t[-1])]
    fine = fine[:: max(1, fine.size // _FINE)]
    motion = joints.at(fine)
    wheels = None if samples.wheel_rates is None else resample(t, samples.wheel_rates, fine)
    return Samples(q=motion.position, dq=motion.rate, wheel_rates=wheels, t=fine)


def _gyro_delay(
    inputs: ProcessingInputs, joints: JointMotion, samples: Samples
) -> tuple[GyroDelay | None, ProcessedPart]:
    """How late the gyro is against the joints, and what to say of it."""
    rates = gyro_rates(inputs)
    unknown = inputs.robot.base == "fixed" or (inputs.robot.wheels and samples.wheel_rates is None)
    if rates is None or unknown or not inputs.settings.seek_delay:
        return None, ProcessedPart()
    longest = min(_LONGEST_DELAY_S, 0.05 * float(inputs.t[-1] - inputs.t[0]))
    try:
        delay = estimate_gyro_delay(inputs.robot, _fine(joints, samples), rates[0], rates[1], longest)
    except CannotProcess as error:
        return None, ProcessedPart(notes=(str(error),))
    if delay.tells and abs(delay.delay_s) > 4.0 * delay.sd_s:
        channel = inputs.channels["gyro"].name
        cure = f"identify: {{processing: {{delays_s: {{{channel}: {delay.delay_s:.6f}}}}}}}"
        sentence = f"{delay.sentence()}; in the mission, {cure} takes it off"
        return delay, ProcessedPart(warnings=(sentence,))
    return (delay if delay.tells else None), ProcessedPart(notes=(delay.sentence(),))
