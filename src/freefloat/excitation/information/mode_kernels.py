"""Modes that are pulled along a motion, compiled: what they do at even instants, and the way back.

Each mode has six states: how far and how fast it moves, then the derivatives of both by the logarithm of its frequency
and by its damping ratio. Between instants the pull goes in a straight line, for which steps are exact.
"""

from __future__ import annotations

from numba import njit

_COMPILE = {"cache": True, "nogil": True}
STATES = 6


@njit(**_COMPILE)
def respond(step, before, after, pull, states):
    """Fill states (n, modes, 6), at rest at first.

    step: (modes, 6, 6). before, after: what the pull at both ends of a step does, (modes, 6). pull: (n, modes).
    """
    n, modes = pull.shape
    states[0] = 0.0
    for k in range(n - 1):
        for m in range(modes):
            for x in range(STATES):
                value = before[m, x] * pull[k, m] + after[m, x] * pull[k + 1, m]
                for y in range(STATES):
                    value += step[m, x, y] * states[k, m, y]
                states[k + 1, m, x] = value


@njit(**_COMPILE)
def respond_back(step, before, after, by_states, by_pull):
    """From derivatives by the states (n, modes, 6), which are overwritten, to those by the pull, (n, modes)."""
    n, modes = by_pull.shape
    by_pull[:] = 0.0
    for k in range(n - 2, -1, -1):
        for m in range(modes):
            for x in range(STATES):
                bar = by_states[k + 1, m, x]
                by_pull[k, m] += before[m, x] * bar
                by_pull[k + 1, m] += after[m, x] * bar
                for y in range(STATES):
                    by_states[k, m, y] += step[m, x, y] * bar
