"""Closest points of segments and ellipsoids, at many instants.

Segment and segment: the closest pair lies inside both lines or has an end of one of them.

Point x and ellipsoid with semi-axes e, in the ellipsoid's axes: the closest point of the surface is
y_i = e_i^2 x_i / (t + e_i^2), t being the largest root of

    sum_i (e_i x_i / (t + e_i^2))^2 = 1,        t > -min(e)^2,

by Newton's iteration on the reciprocal norm, which approaches the root from one side (J. J. Moré, D. C. Sorensen,
"Computing a trust region step", SIAM J. Sci. Stat. Comput. 1983). Distances inside are negative. The distance from a
convex body is convex, so along a segment its slope has one change of sign.

Ellipsoid and ellipsoid, E = R diag(e): the distance is the largest gap that parallel planes can have between them,

    max over unit n of   n . (c_b - c_a) - |E_a^T n| - |E_b^T n|,

by Newton's iteration on the sphere. Where bodies overlap this is minus the depth: the shift, smallest at least among
its neighbours, that parts them. A segment leaves an ellipsoid sideways, as a point leaves an ellipse, or one end last.

Every function fills the distance (n,), the closest points (n, 3) and the unit normal (n, 3) from the first body to
the second. With the points fixed in their bodies, the distance changes by normal . (velocity of the second point -
velocity of the first): what else changes is stationary.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True}
_TOUCHING = 1e-13  # of the lengths at hand: closer than this, the direction between two points is rounding
_PARALLEL = 1e-14  # squared sine of the angle between two segments
_MOST = 100


@njit(**_COMPILE)
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(**_COMPILE)
def _sum(a, s, u, out):
    """A + s u."""
    for i in range(3):
        out[i] = a[i] + s * u[i]


@njit(**_COMPILE)
def _times(A, x, out):
    """A x."""
    for i in range(3):
        out[i] = A[i, 0] * x[0] + A[i, 1] * x[1] + A[i, 2] * x[2]


@njit(**_COMPILE)
def _cross(a, b, out):
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@njit(**_COMPILE)
def _normalise(n):
    """Make n a unit vector; whether it had a length."""
    length = np.sqrt(_dot(n, n))
    if length < 1e-150:
        return False
    for i in range(3):
        n[i] /= length
    return True


@njit(**_COMPILE)
def _across(direction, n):
    """Any unit vector n across a direction, which may be zero."""
    least = 0
    for i in (1, 2):
        if abs(direction[i]) < abs(direction[least]):
            least = i
    axis = np.zeros(3)
    axis[least] = 1.0
    _cross(direction, axis, n)
    if not _normalise(n):
        n[least] = 1.0


# ---------------------------------------------------------------------- segments


@njit(**_COMPILE)
def _along(start, step, x):
    """Where on a segment, from 0 to 1, the point nearest to x lies."""
    square = _dot(step, step)
    if square == 0.0:
        return 0.0
    s = (step[0] * (x[0] - start[0]) + step[1] * (x[1] - start[1]) + step[2] * (x[2] - start[2])) / square
    return min(max(s, 0.0), 1.0)


@njit(**_COMPILE)
def _inside_both(a, u, b, v):
    """Where on segment a the point nearest to the line of b lies; -1 where the two are parallel."""
    uu, uv, vv = _dot(u, u), _dot(u, v), _dot(v, v)
    squared_sine = uu * vv - uv * uv
    if squared_sine <= _PARALLEL * uu * vv:
        return -1.0
    ur, vr = _dot(u, b) - _dot(u, a), _dot(v, b) - _dot(v, a)
    return min(max((vv * ur - uv * vr) / squared_sine, 0.0), 1.0)


@njit(**_COMPILE)
def _gap(a, u, s, b, v, t):
    """Squared distance of a + s u and b + t v."""
    square = 0.0
    for i in range(3):
        square += (b[i] + t * v[i] - a[i] - s * u[i]) ** 2
    return square


@njit(**_COMPILE)
def _closest_places(a, u, b, v):
    """Places s and t, from 0 to 1, of the closest points of two segments: the best of all possible kinds."""
    least, s, t, point = np.inf, 0.0, 0.0, np.empty(3)
    inner = _inside_both(a, u, b, v)
    for kind in range(5):
        x, y = (0.0, 1.0, -1.0, -1.0, inner)[kind], (-1.0, -1.0, 0.0, 1.0, -1.0)[kind]
        if x >= 0.0:
            _sum(a, x, u, point)
            y = _along(b, v, point)
        if y < 0.0:
            continue
        if kind > 1:
            _sum(b, y, v, point)
            x = _along(a, u, point)
        square = _gap(a, u, x, b, v, y)
        if square < least:
            least, s, t = square, x, y
    return s, t


@njit(**_COMPILE)
def segments(a_start, a_end, b_start, b_end, distance, on_a, on_b, normal):
    """Two segments, ends (n, 3)."""
    u, v = np.empty(3), np.empty(3)
    for k in range(distance.size):
        a, b, n = a_start[k], b_start[k], normal[k]
        _sum(a_end[k], -1.0, a, u)
        _sum(b_end[k], -1.0, b, v)
        s, t = _closest_places(a, u, b, v)
        _sum(a, s, u, on_a[k])
        _sum(b, t, v, on_b[k])
        _sum(on_b[k], -1.0, on_a[k], n)
        distance[k] = np.sqrt(_dot(n, n))
        uu, vv = _dot(u, u), _dot(v, v)
        if distance[k] > _TOUCHING * (np.sqrt(uu) + np.sqrt(vv) + np.sqrt(_dot(on_a[k], on_a[k]))):
            _normalise(n)
            continue
        _cross(u, v, n)
        if _dot(n, n) <= _PARALLEL * uu * vv or not _normalise(n):
            _across(u if uu > 0.0 else v, n)


# ---------------------------------------------------------------------- an ellipsoid


@njit(**_COMPILE)
def _norm_and_slope(x, e, wider, s):
    """|e x / (s + wider)| and the sum of its squared terms over (s + wider); wider = e^2 - min(e)^2."""
    square, slope = 0.0, 0.0
    for i in range(3):
        if x[i] != 0.0:
            part = e[i] * x[i] / (s + wider[i])
            square += part * part
            slope += part * part / (s + wider[i])
    return np.sqrt(square), slope


@njit(**_COMPILE)
def point_ellipsoid(x, e, y, n):
    """Signed distance of x from the ellipsoid about zero; closest point y and outward normal n, all (3,)."""
    small = 0
    for i in (1, 2):
        if e[i] < e[small]:
            small = i
    wider, clean = np.empty(3), np.empty(3)
    s = 0.0  # t + min(e)^2, which keeps its precision where t nears its end
    for i in range(3):
        wider[i] = (e[i] - e[small]) * (e[i] + e[small])
        clean[i] = 0.0 if abs(x[i]) < 1e-100 else x[i]
        s = max(s, e[i] * abs(clean[i]) - wider[i])
    norm, slope = _norm_and_slope(clean, e, wider, s)
    for _ in range(_MOST):
        if norm <= 1.0:
            break
        last = s
        s += (norm - 1.0) * norm * norm / slope
        if s == last:
            break
        norm, slope = _norm_and_slope(clean, e, wider, s)
    rest = 1.0
    for i in range(3):
        y[i] = 0.0 if clean[i] == 0.0 else e[i] * e[i] * clean[i] / (s + wider[i])
        rest -= (y[i] / e[i]) ** 2
    if s == 0.0:  # x lies where the surface is as near on either side across the shortest axis
        y[small] = e[small] * np.sqrt(max(rest, 0.0))
    for i in range(3):
        n[i] = y[i] / (e[i] * e[i])
    _normalise(n)
    return _dot(x, n) - _dot(y, n)


@njit(**_COMPILE)
def _slope_along(start, step, s, e, y, n):
    """Change of the distance per step at place s of a segment, and the distance."""
    x = np.empty(3)
    _sum(start, s, step, x)
    distance = point_ellipsoid(x, e, y, n)
    return _dot(n, step), distance


@njit(**_COMPILE)
def _closest_along(start, step, e, y, n):
    """Place on a segment, from 0 to 1, with the smallest distance; that distance, right if not negative; y and n."""
    low, high = 0.0, 1.0
    slope_low, distance = _slope_along(start, step, low, e, y, n)
    if slope_low >= 0.0:
        return low, distance
    slope_high, distance = _slope_along(start, step, high, e, y, n)
    if slope_high <= 0.0:
        return high, distance
    least = 1e-16 * np.sqrt(_dot(step, step))
    side, place = 0, 0.0
    for turn in range(_MOST):
        place = (low * slope_high - high * slope_low) / (slope_high - slope_low)
        if turn % 3 == 2 or not low < place < high:  # regula falsi alone is slow where the slope turns sharply
            place = 0.5 * (low + high)
        slope, distance = _slope_along(start, step, place, e, y, n)
        if abs(slope) <= least or high - low < 4e-16:
            break
        if slope < 0.0:
            low, slope_low, slope_high = place, slope, slope_high * (0.5 if side < 0 else 1.0)
            side = -1
        else:
            high, slope_high, slope_low = place, slope, slope_low * (0.5 if side > 0 else 1.0)
            side = 1
    return place, distance


@njit(**_COMPILE)
def _touching(n, square, y):
    """Where the plane with outward normal n touches the ellipsoid with squared semi-axes."""
    reach = np.sqrt(square[0] * n[0] * n[0] + square[1] * n[1] * n[1] + square[2] * n[2] * n[2])
    for i in range(3):
        y[i] = square[i] * n[i] / reach


@njit(**_COMPILE)
def _sideways(start, step, e, y, n):
    """Distance, negative inside, of an endless line; place on it, in steps, of the point nearest to y."""
    v, w, flat, seen = np.empty(3), np.empty(3), np.empty(3), np.zeros(3)
    _across(step, v)
    _cross(step, v, w)
    _normalise(w)
    vv, vw, ww = 0.0, 0.0, 0.0
    for i in range(3):
        vv, vw, ww = vv + (e[i] * v[i]) ** 2, vw + e[i] * e[i] * v[i] * w[i], ww + (e[i] * w[i]) ** 2
    angle = 0.5 * np.arctan2(2.0 * vw, vv - ww)  # of the axes of the ellipse seen along the line
    c, s = np.cos(angle), np.sin(angle)
    flat[0] = np.sqrt(c * c * vv + 2.0 * c * s * vw + s * s * ww)
    flat[1] = np.sqrt(s * s * vv - 2.0 * c * s * vw + c * c * ww)
    flat[2] = max(flat[0], flat[1])
    x, z = _dot(v, start), _dot(w, start)
    seen[0], seen[1] = c * x + s * z, c * z - s * x
    distance = point_ellipsoid(seen, flat, y, n)
    x, z = c * n[0] - s * n[1], s * n[0] + c * n[1]
    for i in range(3):
        n[i] = x * v[i] + z * w[i]
    _touching(n, e * e, y)
    ahead = _dot(step, y) - _dot(step, start)
    return ahead / _dot(step, step), distance


@njit(**_COMPILE)
def _last_end(x, e, y, n):
    """Distance of a point x that leaves through the slope of the surface to which n, turned for it, points."""
    half, towards = np.zeros((3, 3)), np.empty(3)  # as two ellipsoids of half the size
    for i in range(3):
        half[i, i] = 0.25 * e[i] * e[i]
        towards[i], n[i] = -x[i], -n[i]
    distance = _widest(towards, half, half, n)
    for i in range(3):
        n[i] = -n[i]
    _touching(n, e * e, y)
    return distance


@njit(**_COMPILE)
def _depth(start, step, e, y, n):
    """Place, distance, y and n for a segment that runs through the ellipsoid: the easiest way out."""
    place, distance = _sideways(start, step, e, y, n)
    sideways = 0.0 <= place <= 1.0
    best = distance if sideways else -np.inf
    x, trial_y, trial_n = np.empty(3), np.empty(3), np.empty(3)
    for end in (0.0, 1.0):
        _sum(start, end, step, x)
        distance = point_ellipsoid(x, e, trial_y, trial_n)
        if (1.0 - 2.0 * end) * _dot(trial_n, step) >= 0.0 and distance > best:  # the other end is out already
            place, best, sideways = end, distance, True
            for i in range(3):
                y[i], n[i] = trial_y[i], trial_n[i]
    if not sideways:
        place = 0.0 if place < 0.0 else 1.0
        _sum(start, place, step, x)
        best = _last_end(x, e, y, n)
    return place, best


@njit(**_COMPILE)
def segment_ellipsoid(start, end, centre, R, e, distance, on_a, on_b, normal):
    """A segment, ends (n, 3), and an ellipsoid about centre (n, 3), semi-axes e (3,) along the columns of R."""
    a, step, y, n, world = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(distance.size):
        _sum(start[k], -1.0, centre[k], world)
        _times(R[k].T, world, a)
        _sum(end[k], -1.0, start[k], world)
        _times(R[k].T, world, step)
        place, distance[k] = _closest_along(a, step, e, y, n)
        if distance[k] < 0.0 and _dot(step, step) > 0.0:
            place, distance[k] = _depth(a, step, e, y, n)
        _sum(start[k], place, world, on_a[k])
        _times(R[k], y, world)
        _sum(centre[k], 1.0, world, on_b[k])
        _times(R[k], n, normal[k])
        for i in range(3):
            normal[k, i] = -normal[k, i]


# ---------------------------------------------------------------------- two ellipsoids


@njit(**_COMPILE)
def _reach(A, n, y):
    """How far an ellipsoid with E E^T = A reaches along n, and y = A n / reach, the point that does."""
    _times(A, n, y)
    reach = np.sqrt(_dot(n, y))
    for i in range(3):
        y[i] /= reach
    return reach


@njit(**_COMPILE)
def _separation(c, A, B, n, a, b):
    """Gap between the two planes across n that touch two ellipsoids, at a and b; c from centre to centre."""
    return _dot(n, c) - _reach(A, n, a) - _reach(B, n, b)


@njit(**_COMPILE)
def _bent(A, n, u, v):
    """Minus the second derivative of an ellipsoid's reach along n, for directions u and v."""
    a, image = np.empty(3), np.empty(3)
    reach = _reach(A, n, a)
    _times(A, v, image)
    return (_dot(u, a) * _dot(v, a) - _dot(u, image)) / reach


@njit(**_COMPILE)
def _uphill(c, A, B, n, gap, step):
    """Newton's step on the sphere towards the largest gap, across n; the slope it meets."""
    a, b, u, v = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    _separation(c, A, B, n, a, b)
    _across(n, u)
    _cross(n, u, v)
    gu, gv = _dot(u, c) - _dot(u, a) - _dot(u, b), _dot(v, c) - _dot(v, a) - _dot(v, b)
    # minus the second derivative; where it is not positive, as inside an overlap, enough is added
    uu, vv = gap - _bent(A, n, u, u) - _bent(B, n, u, u), gap - _bent(A, n, v, v) - _bent(B, n, v, v)
    uv = -_bent(A, n, u, v) - _bent(B, n, u, v)
    least = 0.5 * (uu + vv) - np.sqrt(0.25 * (uu - vv) ** 2 + uv * uv)
    size = abs(uu) + abs(vv) + abs(uv)
    if least < 1e-3 * size:
        uu, vv = uu + 1e-2 * size - least, vv + 1e-2 * size - least
    determinant = uu * vv - uv * uv
    x, y = (vv * gu - uv * gv) / determinant, (uu * gv - uv * gu) / determinant
    for i in range(3):
        step[i] = x * u[i] + y * v[i]
    return np.sqrt(gu * gu + gv * gv)


@njit(**_COMPILE)
def _widest(c, A, B, n):
    """Turn n to where the gap is largest; that gap."""
    step, trial, a, b = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    gap = _separation(c, A, B, n, a, b)
    size = np.sqrt(_dot(c, c)) + np.sqrt(A[0, 0] + A[1, 1] + A[2, 2]) + np.sqrt(B[0, 0] + B[1, 1] + B[2, 2])
    for _ in range(_MOST):
        slope = _uphill(c, A, B, n, gap, step)
        if slope < 1e-15 * size:
            break
        part, found = 1.0, gap
        while part > 1e-9:
            _sum(n, part, step, trial)
            _normalise(trial)
            found = _separation(c, A, B, trial, a, b)
            if found > gap or (part == 1.0 and slope < 1e-7 * size):  # rounding hides the last gains
                break
            part *= 0.5
        if part <= 1e-9:
            break
        gap = found
        for i in range(3):
            n[i] = trial[i]
    return gap


@njit(**_COMPILE)
def _squared(R, e, A):
    """A = E E^T, E = R diag(e)."""
    for i in range(3):
        for j in range(3):
            A[i, j] = R[i, 0] * R[j, 0] * e[0] ** 2 + R[i, 1] * R[j, 1] * e[1] ** 2 + R[i, 2] * R[j, 2] * e[2] ** 2


@njit(**_COMPILE)
def ellipsoids(a_centre, R_a, e_a, b_centre, R_b, e_b, distance, on_a, on_b, normal):
    """Two ellipsoids about centres (n, 3), semi-axes (3,) along the columns of R (n, 3, 3)."""
    A, B, c, a, b = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3)
    for k in range(distance.size):
        n = normal[k]
        _squared(R_a[k], e_a, A)
        _squared(R_b[k], e_b, B)
        _sum(b_centre[k], -1.0, a_centre[k], c)
        for i in range(3):
            n[i] = c[i]
        if not _normalise(n):
            small = np.argmin(e_a)
            for i in range(3):
                n[i] = R_a[k, i, small]
        distance[k] = _widest(c, A, B, n)
        _separation(c, A, B, n, a, b)
        _sum(a_centre[k], 1.0, a, on_a[k])
        _sum(b_centre[k], -1.0, b, on_b[k])
