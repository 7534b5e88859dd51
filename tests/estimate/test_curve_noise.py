"""The filter that makes errors of curves white, and what curves do to the attitude, against dense algebra."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from freefloat.estimate.likelihood import curve_noise_kernels as kernels
from freefloat.motion.even_splines import ORDER, EvenSpline

COUNT, CURVES, ROWS, NODES = 30, 2, 60, 40


class Drawn:
    """Rows that see a random chain of coefficients, and the same in dense matrices."""

    def __init__(self, seed, window, carried):
        rng = np.random.default_rng(seed)
        weights = 0.3 * rng.normal(size=(COUNT, CURVES, ORDER - 1))
        for i in range(ORDER - 1):
            weights[i, :, i:] = 0.0  # nothing stands before the first
        sd = rng.uniform(0.5, 1.0, (COUNT, CURVES))
        first = np.sort(rng.integers(0, COUNT - window + 1, ROWS))
        H, A = rng.normal(size=(ROWS, window * CURVES)), rng.normal(size=(ROWS, carried))
        node = np.sort(rng.integers(0, NODES, ROWS))
        before = [first[node <= k].max(initial=0) for k in range(NODES - 1)]
        after = [first[node > k].min(initial=COUNT - window) for k in range(NODES - 1)]
        begin = np.minimum(rng.integers(before, np.maximum(before, after) + 1), after)
        begin = np.maximum.accumulate(begin)
        Phi = np.eye(carried) + 0.3 / max(carried, 1) * rng.normal(size=(NODES - 1, carried, carried))
        C = 0.2 * rng.normal(size=(NODES - 1, carried, H.shape[1]))
        if not carried:
            Phi, C, begin = Phi[:0], C[:0], begin[:0]
        self.rows = kernels.CurveRows(weights, sd, window, first, H, A, node, Phi, C, begin)
        self.states = window * CURVES + A.shape[1]

    @property
    def covariance(self):
        """Of all coefficients, those of one number side by side."""
        W = np.eye(COUNT * CURVES)
        for i in range(COUNT):
            for c in range(CURVES):
                for b in range(min(i, ORDER - 1)):
                    W[i * CURVES + c, (i - b - 1) * CURVES + c] = -self.rows.weights[i, c, b]
        root = np.linalg.solve(W, np.diag(self.rows.sd.ravel()))
        return root @ root.T

    @property
    def seen(self):
        """M: the rows' derivative by all coefficients."""
        rows, M, reached = self.rows, np.zeros((ROWS, COUNT * CURVES)), 0
        alpha = np.zeros((rows.A.shape[1], COUNT * CURVES))
        for i in range(ROWS):
            while rows.A.shape[1] and reached < rows.node[i]:
                alpha = rows.Phi[reached] @ alpha
                start = rows.begin[reached] * CURVES
                alpha[:, start : start + rows.C.shape[2]] += rows.C[reached]
                reached += 1
            start = rows.first[i] * CURVES
            M[i, start : start + rows.H.shape[1]] += rows.H[i]
            if rows.A.shape[1]:
                M[i] += rows.A[i] @ alpha
        return M


# what is carried: nothing, the attitude, the attitude and two passive joints
CASES = [(seed, window, carried) for seed in range(3) for window in (ORDER, 9) for carried in (0, 3, 7)]


@pytest.mark.parametrize(("seed", "window", "carried"), CASES)
def test_rows_see_curves_as_a_dense_matrix_does_and_back(seed, window, carried):
    drawn, rng = Drawn(seed, window, carried), np.random.default_rng([seed, 1])
    c, x, M = rng.normal(size=(COUNT, CURVES)), rng.normal(size=ROWS), drawn.seen
    out, back = np.empty(ROWS), np.ones((COUNT, CURVES))
    kernels.by_curves(drawn.rows, c, out)
    kernels.by_curves_back(drawn.rows, x, back)
    np.testing.assert_allclose(out, M @ c.ravel(), atol=1e-12 * np.abs(out).max())
    np.testing.assert_allclose(back.ravel() - 1.0, M.T @ x, atol=1e-12 * np.abs(back).max())


@pytest.mark.parametrize(("seed", "window", "carried"), CASES)
def test_rows_are_made_white(seed, window, carried):
    drawn, rng = Drawn(seed, window, carried), np.random.default_rng([seed, 2])
    M = drawn.seen
    whole = np.eye(ROWS) + M @ drawn.covariance @ M.T
    gains, scales = np.empty((ROWS, drawn.states)), np.empty(ROWS)
    kernels.find_gains(drawn.rows, gains, scales)
    root = np.linalg.cholesky(whole)
    np.testing.assert_allclose(np.sqrt(scales), np.diag(root), rtol=1e-10)
    X = rng.normal(size=(ROWS, 4))
    white = X.copy()
    kernels.whiten(drawn.rows, white, gains, scales)
    np.testing.assert_allclose(white, np.linalg.solve(root, X), atol=1e-11)
    back = X.copy()
    kernels.whiten_back(drawn.rows, back, gains, scales)
    np.testing.assert_allclose(back, np.linalg.solve(root.T, X), atol=1e-11)


# ---------------------------------------------------------------------- what is carried


@pytest.mark.parametrize("size", [3, 5])
def test_what_curves_do_to_what_is_carried_is_the_solution_of_its_equation(size):
    """The attitude alone sees values and slopes of curves; with a passive joint, second slopes count too."""
    rng = np.random.default_rng(4)
    spline = EvenSpline.over(-0.2, 3.2, 14)
    parts = rng.normal(size=(3, size, size)), *(rng.normal(size=(2, size, CURVES)) for _ in range(3))

    def F(t):
        return parts[0][0] + np.sin(t) * parts[0][1] + np.cos(2.0 * t) * parts[0][2]

    def by_value(t):
        return parts[1][0] + np.sin(t) * parts[1][1]

    def by_slope(t):
        return parts[2][0] + np.cos(t) * parts[2][1]

    def by_second(t):
        return 0.1 * (parts[3][0] + np.sin(2.0 * t) * parts[3][1]) * (size > 3)

    def shown(t):
        """Times at which the two curves are looked at: that of wheels has a clock of its own."""
        return t, 1.01 * t + 0.11

    def functions(t):
        """First coefficients, values and two slopes at times t, (n, curves), (n, 6, curves) each."""
        found = [spline.functions(times, 2) for times in shown(t)]
        first = np.stack([each[0].first for each in found], axis=1)
        return first, *(np.stack([each[order].values for each in found], axis=2) for order in range(3))

    nodes = np.concatenate([[0.0], np.cumsum(rng.uniform(0.002, 0.016, 150))])
    t = np.interp(np.arange(2 * nodes.size - 1) / 2.0, np.arange(nodes.size), nodes)
    first, *orders = functions(t)
    window = ORDER + 2
    n = nodes.size - 1
    Phi, C, begin = np.empty((n, size, size)), np.empty((n, size, window * CURVES)), np.empty(n, np.int64)
    kernels.turns_by_curves(
        t,
        np.stack([F(at) for at in t]),
        first,
        *orders,
        np.stack([by_value(at) for at in t]),
        np.stack([by_slope(at) for at in t]),
        np.stack([by_second(at) for at in t])[: t.size if size > 3 else 0],
        window,
        np.full(len(begin), spline.count - window),
        Phi,
        C,
        begin,
    )
    alpha = np.zeros((size, spline.count * CURVES))
    for k in range(n):
        alpha = Phi[k] @ alpha
        alpha[:, begin[k] * CURVES : (begin[k] + window) * CURVES] += C[k]

    def change(at, state):
        first, *orders = functions(np.array([at]))
        G = np.zeros((size, spline.count, CURVES))
        for c in range(CURVES):
            here = slice(first[0, c], first[0, c] + ORDER)
            for does, values in zip((by_value(at), by_slope(at), by_second(at)), orders, strict=True):
                G[:, here, c] += np.outer(does[:, c], values[0, :, c])
        return (F(at) @ state.reshape(size, -1) + G.reshape(size, -1)).ravel()

    start = np.zeros(size * spline.count * CURVES)
    asked = solve_ivp(change, (0.0, nodes[-1]), start, rtol=1e-10, atol=1e-12, max_step=0.02).y[:, -1].reshape(size, -1)
    np.testing.assert_allclose(alpha, asked, atol=1e-6 * np.abs(asked).max())
    assert begin[-1] > begin[0]  # the window moved on the way
