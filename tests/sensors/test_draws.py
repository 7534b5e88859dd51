"""Draws depend on seed, run, name and place alone, and are what they say they are."""

import hashlib
import math
import multiprocessing

import numpy as np
import pytest
from scipy import stats

from freefloat.errors import FreefloatError, ShapeError
from freefloat.sensors.draws import Stream, draw_normal
from freefloat.sensors.draws_kernel import GROUP


def draw_uniform(seed, runs, name, shape):
    return Stream(seed, runs, name).uniform("", shape)


# ---------------------------------------------------------------------- an independent implementation

_MASK = 0xFFFFFFFF


def philox(counter, key):
    """Philox4x32-10 in whole numbers, straight from the paper."""
    (a, b, c, d), (k0, k1) = counter, key
    for _ in range(10):
        left, right = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (right >> 32) ^ b ^ k0, right & _MASK, (left >> 32) ^ d ^ k1, left & _MASK
        k0, k1 = (k0 + 0x9E3779B9) & _MASK, (k1 + 0xBB67AE85) & _MASK
    return a, b, c, d


def words(seed, run, kind, name, block):
    text = f"{kind}\0{name}\0".encode()
    key = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")
    return philox((block, run, key & _MASK, key >> 32), (seed & _MASK, seed >> 32))


def normal_number(seed, run, name, index):
    """Number `index` of a stream, with the mathematics of the standard library."""
    group, place = divmod(index, GROUP)
    block = group * GROUP // 2 + place % (GROUP // 2)
    w0, w1, w2, w3 = words(seed, run, "normal", name, block)
    radius = math.sqrt(-2.0 * math.log(((((w0 << 32) | w1) >> 12) + 0.5) / 2**52))
    bits = (w2 << 32) | w3
    angle = ((bits % 2**52) / 2**52 - 0.5) * math.pi / 2.0
    pair = [radius * math.cos(angle) * (-1 if bits >> 63 else 1), radius * math.sin(angle)]
    if bits >> 62 & 1:
        pair.reverse()
    return pair[place >= GROUP // 2]


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [  # the known answers published with Random123
        ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([_MASK] * 4, [_MASK] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            [0xA4093822, 0x299F31D0],
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ],
)
def test_the_independent_philox_gives_the_published_answers(counter, key, expected):
    assert list(philox(counter, key)) == expected


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_normal_numbers_are_those_of_box_and_muller(seed):
    runs = [0, 3, 2**32 - 1]
    drawn = draw_normal(seed, runs, "gyro/white", (100,))
    expected = [[normal_number(seed, run, "gyro/white", i) for i in range(100)] for run in runs]
    np.testing.assert_allclose(drawn, expected, rtol=4e-15, atol=1e-15)


def test_a_seed_means_the_same_on_every_machine():
    # To the last bit: these numbers were drawn once, and must never change.
    assert draw_normal(1, [0], "gyro", (3,)).tolist() == [SEED_1[:3]]
    assert draw_uniform(1, [0], "gyro", (3,)).tolist() == [SEED_1[3:]]


def test_uniform_numbers_are_the_words_of_philox():
    drawn = draw_uniform(2**64 - 1, [3], "dropouts", (100,))[0]
    for i, found in enumerate(drawn):
        group, place = divmod(i, GROUP)
        second, lane = divmod(place, GROUP // 2)
        high, low = words(2**64 - 1, 3, "uniform", "dropouts", group * GROUP // 2 + lane)[2 * second :][:2]
        assert found == ((((high << 32) | low) >> 12) + 0.5) / 2**52


SEED_1 = [
    0.12618029568747563,
    0.1133265188217516,
    -1.27327622904091,
    0.6342157219718946,
    0.14536679412986053,
    0.5148225318732483,
]


# ---------------------------------------------------------------------- however batched


def test_runs_are_the_same_drawn_singly_or_together():
    together = draw_normal(7, range(20), "joints", (451, 7))
    for run in range(20):
        assert np.array_equal(draw_normal(7, [run], "joints", (451, 7))[0], together[run])
    assert np.array_equal(draw_normal(7, [13, 2], "joints", (451, 7)), together[[13, 2]])


@pytest.mark.parametrize("draw", [draw_normal, draw_uniform])
@pytest.mark.parametrize("length", [1, GROUP - 1, GROUP, GROUP + 1, 3 * GROUP + 5])
def test_a_longer_draw_begins_with_the_shorter(draw, length):
    long = draw(7, range(3), "joints", (5 * GROUP,))
    assert np.array_equal(draw(7, range(3), "joints", (length,)), long[:, :length])


def _digest(runs):
    return [hashlib.sha256(row.tobytes()).hexdigest() for row in draw_normal(3, runs, "gyro", (451, 3))]


def test_one_process_and_four_draw_the_same():
    quarters = [range(10 * part, 10 * part + 10) for part in range(4)]
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        parts = pool.map(_digest, quarters)
    assert [each for part in parts for each in part] == _digest(range(40))


def test_noisy_is_mean_plus_spread_times_normal():
    stream, rng = Stream(3, range(4), "q"), np.random.default_rng(0)
    normal = stream.normal("white", (50, 2))
    sd = np.array([0.5, 2.0])
    for mean in (rng.normal(size=(1, 50, 2)), rng.normal(size=(4, 50, 2))):
        assert np.array_equal(stream.noisy("white", mean, sd), mean + sd * normal)


# ---------------------------------------------------------------------- what they are

MANY = 2_000_000


def test_normal_numbers_have_the_moments_and_tails_of_the_normal_law():
    x = draw_normal(5, [1], "moments", (MANY,))[0]
    for power, moment in ((1, 0.0), (2, 1.0), (3, 0.0), (4, 3.0), (6, 15.0)):
        spread = math.sqrt(stats.norm.moment(2 * power) - moment**2)
        assert abs((x**power).mean() - moment) < 4.0 * spread / math.sqrt(MANY)
    for limit in (3.0, 4.0):
        expected = 2.0 * MANY * stats.norm.sf(limit)
        assert abs((abs(x) > limit).sum() - expected) < 4.0 * math.sqrt(expected)
    assert stats.kstest(x, "norm").pvalue > 1e-3


def test_uniform_numbers_are_uniform():
    u = draw_uniform(5, [1], "uniform", (MANY,))[0]
    assert 0.0 < u.min() < u.max() < 1.0
    assert stats.kstest(u, "uniform").pvalue > 1e-3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((1, [0], "gyro"), (2, [0], "gyro")),
        ((1, [0], "gyro"), (2**32 + 1, [0], "gyro")),
        ((1, [0], "gyro"), (1, [1], "gyro")),
        ((1, [0], "gyro"), (1, [0], "gyra")),
    ],
    ids=["seed", "high word of the seed", "run", "name"],
)
def test_each_part_of_the_key_matters(one, other):
    x, y = (draw_normal(*key, (100_000,))[0] for key in (one, other))
    assert abs(np.corrcoef(x, y)[0, 1]) < 4.0 / math.sqrt(100_000)


def test_neighbours_in_a_stream_are_not_related():
    x = draw_normal(9, [0], "neighbours", (500_000,))[0]
    for values in (x, abs(x), x**2):
        centred = (values - values.mean()) / values.std()
        for lag in (1, 2, GROUP // 2, GROUP):  # half a group apart sit the two numbers of a block
            assert abs((centred[lag:] * centred[:-lag]).mean()) < 4.0 / math.sqrt(x.size)


def test_normal_and_uniform_draws_of_one_name_are_not_related():
    x, u = draw_normal(9, [0], "both", (100_000,))[0], draw_uniform(9, [0], "both", (100_000,))[0]
    assert abs(np.corrcoef(abs(x), u)[0, 1]) < 4.0 / math.sqrt(100_000)


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5])
def test_a_seed_is_a_whole_number_of_64_bits(seed):
    with pytest.raises(FreefloatError, match=r"the seed is .*; allowed: a whole number from 0 to 2\^64 - 1"):
        draw_normal(seed, [0], "gyro", (1,))


@pytest.mark.parametrize("runs", [[-1], [2**32], [0.5], 3, [[1, 2]]])
def test_runs_are_a_list_of_whole_numbers(runs):
    with pytest.raises(FreefloatError, match="run numbers are whole numbers"):
        draw_normal(0, runs, "gyro", (1,))


def test_means_are_for_one_run_or_for_all():
    with pytest.raises(ShapeError, match="mean is given for 2 runs; allowed: 1 or 3"):
        Stream(0, range(3), "gyro").noisy("white", np.zeros((2, 5)), np.ones(5))


def test_without_a_seed_nothing_is_drawn():
    still = Stream(None, [0, 1], "gyro")
    mean = np.arange(6.0).reshape(1, 3, 2)
    np.testing.assert_array_equal(still.noisy("white", mean, np.ones(2)), np.broadcast_to(mean, (2, 3, 2)))
    assert not still.normal("bias", (4,)).any()
    assert (still.uniform("dropouts", (5,)) == 1.0).all()
