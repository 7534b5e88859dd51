"""Random numbers by counting: Philox4x32-10 and, from it, normal numbers, compiled.

Philox (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011) turns a
counter of four 32-bit words and a key of two into four random words, with no state in between. Number i of
a stream therefore depends on its place alone, never on what was drawn before it. A counter here is

    (block, run, low and high word of the checksum of the name), its key the two words of the seed

and a block gives two numbers. Normal numbers come from a block by Box and Muller's formula. Logarithm, sine
and cosine are plain sums and products (Taylor series on a reduced range, to the last bit or two), because the
libraries of different machines differ in the last bits and these must not. For the same reason nothing here
is compiled with relaxed arithmetic.

Blocks are worked on `_LANES` at a time, which the compiler turns into vector instructions: about four times
faster than numpy's sequential generator. Of a group of 2 * _LANES numbers the first half are the blocks' first
numbers, the second half their second ones; this order is part of what a seed means.
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

_COMPILE = {"cache": True, "nogil": True, "error_model": "numpy"}  # a check for 1/0 would stop vectorisation
_INLINE = {"inline": "always", "error_model": "numpy"}
_LANES = 16
GROUP = 2 * _LANES

_LOW, _32, _12, _52 = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(12), np.uint64(52)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)  # multipliers and key steps of Philox4x32
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)

_FRACTION = np.uint64(0xFFFFFFFFFFFFF)  # the 52 bits of a double below its leading one
_ONE = np.uint64(0x3FF0000000000000)  # the bits of 1.0, ...
_ROOT_HALF = np.uint64(0x3FE6A09E667F3BCD)  # ... of sqrt(1/2) ...
_TWO_52 = np.uint64(0x4330000000000000)  # ... and of 2^52, whose last bit is worth one
_SIGN = np.uint64(0x8000000000000000)
_SWAP = np.uint64(0x4000000000000000)
_LN2_HIGH, _LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10  # multiples of the first are exact


@intrinsic
def _as_float(typing_context, bits):
    """The double that these 64 bits are."""

    def build(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), build


@intrinsic
def _as_bits(typing_context, number):
    """The 64 bits of this double."""

    def build(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), build


@njit(**_INLINE)
def _philox(c0, c1, c2, c3, k0, k1):
    for _ in range(10):
        p0, p1 = _M0 * (c0 & _LOW), _M1 * (c2 & _LOW)
        c0, c1 = (p1 >> _32) ^ c1 ^ k0, p1 & _LOW
        c2, c3 = (p0 >> _32) ^ c3 ^ k1, p0 & _LOW
        k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@njit(**_INLINE)
def _uniform(high, low):
    """The middles of 2^52 equal parts of (0, 1); neither end occurs."""
    return _as_float((((high << _32) | low) >> _12) | _ONE) - (1.0 - 2.0**-53)


@njit(**_INLINE)
def _minus_log(u):
    """-ln(u) of a number between 0 and 1: u = 2^k m with m from sqrt(1/2) to sqrt(2), ln m = 2 artanh(s)."""
    offset = _as_bits(u) - _ROOT_HALF
    k = _as_float(((offset + _ONE) >> _52) | _TWO_52) - (2.0**52 + 1023.0)
    m = _as_float((offset & _FRACTION) + _ROOT_HALF)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    tail = 2 / 15 + z * (2 / 17 + z * (2 / 19 + z * (2 / 21)))
    tail = z * (2 / 3 + z * (2 / 5 + z * (2 / 7 + z * (2 / 9 + z * (2 / 11 + z * (2 / 13 + z * tail))))))
    return -(k * _LN2_HIGH + (s * (2.0 + tail) + k * _LN2_LOW))


@njit(**_INLINE)
def _sine(a):
    """Of an angle between -pi/4 and pi/4."""
    z = a * a
    tail = 1 / 362880 + z * (-1 / 39916800 + z * (1 / 6227020800 - z / 1307674368000))
    return a + a * (z * (-1 / 6 + z * (1 / 120 + z * (-1 / 5040 + z * tail))))


@njit(**_INLINE)
def _cosine(a):
    """Of an angle between -pi/4 and pi/4."""
    z = a * a
    tail = 1 / 40320 + z * (-1 / 3628800 + z * (1 / 479001600 + z * (-1 / 87178291200 + z / 20922789888000)))
    return 1.0 - z * (0.5 - z * (1 / 24 + z * (-1 / 720 + z * tail)))


@njit(**_INLINE)
def _normal_pair(w0, w1, w2, w3):
    """Box and Muller: a radius from the first two words, a point of the circle from the others.

    The point is an angle within 45 degrees of zero, then mirrored and its coordinates swapped at random.
    """
    radius = math.sqrt(2.0 * _minus_log(_uniform(w0, w1)))
    bits = (w2 << _32) | w3
    angle = (_as_float((bits & _FRACTION) | _ONE) - 1.5) * (math.pi / 2)
    x = _as_float(_as_bits(_cosine(angle)) | (bits & _SIGN))
    y = _sine(angle)
    swap = (bits & _SWAP) != 0
    return radius * (y if swap else x), radius * (x if swap else y)


@njit(**_COMPILE)
def fill_normal(seed, runs, name, mean, sd, out):
    """out[r, i] = mean[r or 0, i] + sd[i] * (normal number i of the stream of run r).

    seed, name: 64-bit words. runs: run numbers, uint64, shape (r,). mean: shape (1 or r, n).
    sd: shape (n,). out: shape (r, n).
    """
    pair = np.empty(GROUP)
    k0, k1, n0, n1 = seed & _LOW, seed >> _32, name & _LOW, name >> _32
    for r in range(runs.size):
        row = r if mean.shape[0] > 1 else 0
        for group in range((out.shape[1] + GROUP - 1) // GROUP):
            first = np.uint64(group * _LANES)
            for s in range(_LANES):
                w0, w1, w2, w3 = _philox(first + np.uint64(s), runs[r], n0, n1, k0, k1)
                pair[s], pair[s + _LANES] = _normal_pair(w0, w1, w2, w3)
            start = group * GROUP
            for s in range(min(GROUP, out.shape[1] - start)):
                out[r, start + s] = mean[row, start + s] + sd[start + s] * pair[s]


@njit(**_COMPILE)
def fill_uniform(seed, runs, name, out):
    """out[r, i] = number i, uniform between 0 and 1, of the stream of run r; arguments as `fill_normal`."""
    pair = np.empty(GROUP)
    k0, k1, n0, n1 = seed & _LOW, seed >> _32, name & _LOW, name >> _32
    for r in range(runs.size):
        for group in range((out.shape[1] + GROUP - 1) // GROUP):
            first = np.uint64(group * _LANES)
            for s in range(_LANES):
                w0, w1, w2, w3 = _philox(first + np.uint64(s), runs[r], n0, n1, k0, k1)
                pair[s], pair[s + _LANES] = _uniform(w0, w1), _uniform(w2, w3)
            start = group * GROUP
            for s in range(min(GROUP, out.shape[1] - start)):
                out[r, start + s] = pair[s]
