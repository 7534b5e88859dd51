"""Torques and joints in one band: the same zero-phase low-pass of both, then fewer samples.

Rows of torques compare what was measured with what the joints' motion asks for. Filtered differently they would differ
by what only one of them still holds. M. Gautier, "Dynamic identification of robots with power model", IEEE
International Conference on Robotics and Automation, 1997.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from freefloat.data.processing.cutoffs import propose_cutoff
from freefloat.data.processing.derivative_band_limited import BandLimited
from freefloat.data.processing.filtering import LowPass, LowPassBySpectrum
from freefloat.data.processing.processed import ProcessSettings
from freefloat.data.processing.resampling import evenly
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.sensors.channel import Channel


def in_one_band(
    settings: ProcessSettings, channels: Mapping[str, Channel], robot: Robot, command: Trajectory | None
) -> ProcessSettings:
    """The settings with one low-pass for torques and joints, where torques are to be filtered and both were recorded.

    Joints that may be projected on a command are left to that, and torques then to be resampled.
    """
    asked = settings.torques
    if asked is None or not {"q", "tau"} <= set(channels) or (settings.joints is None and command is not None):
        return replace(settings, torques=None)
    if isinstance(asked, LowPassBySpectrum):
        found = _of_joints(settings, channels["q"], robot, asked, command)
    else:
        found = asked
    by_spectrum = settings.joints is None or isinstance(settings.joints, LowPassBySpectrum)
    joints = BandLimited(found) if by_spectrum and found is not None else settings.joints
    return replace(settings, torques=found, joints=joints)


def _of_joints(
    settings: ProcessSettings, encoder: Channel, robot: Robot, asked: LowPassBySpectrum, command: Trajectory | None
) -> LowPass | None:
    """The joints' low-pass as asked for, else as their spectrum has it; None if there is no room for one."""
    if isinstance(settings.joints, BandLimited):
        return settings.joints.low_pass
    even = evenly(encoder.t, encoder.of(robot.joint_names))
    return propose_cutoff(even.values, even.rate_Hz, command, asked.order)


def decimated_rate(settings: ProcessSettings, channels: Mapping[str, Channel]) -> float | None:
    """Samples per second that are enough for what is left below the cut-off; None to leave them as they are."""
    if not isinstance(settings.torques, LowPass) or not {"q", "tau"} <= set(channels):
        return None
    enough = settings.per_cutoff * settings.torques.cutoff_Hz
    return enough if enough < channels["q"].rate_Hz else None
