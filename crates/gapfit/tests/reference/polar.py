"""polar.json: the polar of the penalty, Omega_polar(a, beta; gamma), by semidefinite programming.

    Omega_polar = max  sum_k g_k' S_k g_k,   g_k = (a_k, b_k),  |b_k| = beta_k,   over the S_k of omega.py

Solved twice, as Omega is: with vectors b_k in the plane and full matrices N_k, and with two scalars per k.
"""

import cvxpy as cp
import numpy as np

from conic import decades, disagreement, short, solve, trusted, write


def polar_matrix(a, beta, gamma, rng):
    """The maximum as defined, with b_k of length beta_k in a random direction of the plane."""
    d = len(a)
    angle = rng.uniform(0, 2 * np.pi, d)
    b = (beta * gamma)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    blocks = [cp.Variable((3, 3), PSD=True) for _ in range(d)]
    m = cp.hstack([block[0, 1:] for block in blocks])
    n = cp.hstack([cp.vec(block[1:, 1:], order="F") for block in blocks])
    constraints = [cp.norm(m) <= 1, cp.norm(n) <= 1] + [block[0, 0] == 1 for block in blocks]
    rows = [np.concatenate([[a[k]], b[k]]) for k in range(d)]
    value = sum(cp.sum(cp.multiply(np.outer(g, g), block)) for g, block in zip(rows, blocks))
    return solve(cp.Problem(cp.Maximize(value), constraints))


def polar_scalar(a, beta, gamma):
    """|a|^2 + max sum 2 |a| beta mu + beta^2 nu with nu >= mu^2, beta in units of 1 / gamma."""
    d, beta = len(a), beta * gamma
    mu, nu = cp.Variable(d), cp.Variable(d)
    constraints = [cp.square(mu) <= nu, cp.norm(mu) <= 1, cp.norm(nu) <= 1]
    value, gap = solve(cp.Problem(cp.Maximize((2 * np.abs(a) * beta) @ mu + beta**2 @ nu), constraints))
    total = value + float(a @ a)
    return total, gap * abs(value) / total


def inputs(rng):
    """Yields (kind, a, beta, gamma)."""
    for i in range(12):
        d, gamma = 1 + i % 6, 2.0 ** (-6 + 12 * i / 11)
        sign = rng.choice([-1.0, 1.0], d)
        yield "spread", sign * decades(rng, d, -1, 1), decades(rng, d, -1, 1) / gamma, gamma
    for i in range(3):
        yield "wide", decades(rng, 4, -2, 2), decades(rng, 4, -2, 2), 2.0 ** (2 * i - 2)
    for i in range(3):  # every feature alike: the two balls alone decide
        d, gamma = 2 + 2 * i, 2.0 ** (i - 1)
        yield "alike", rng.uniform(0.9, 1.1, d), rng.uniform(0.9, 1.1, d) / gamma, gamma
    for i in range(3):
        a, beta, gamma = rng.normal(size=4 + i), decades(rng, 4 + i, -1, 0.5), 2.0 ** (3 * i - 3)
        a[[0, 1]], beta[[1, 2]] = 0, 0  # one feature has both
        yield "zeros", a, beta / gamma, gamma
    yield "a = 0", np.zeros(4), decades(rng, 4, -1, 1), 0.5
    yield "beta = 0", rng.normal(size=3), np.zeros(3), 2.0
    for i in range(3):
        beta = np.zeros(4)
        beta[i] = 10.0 ** (i - 1)
        yield "single beta", rng.normal(size=4), beta, 2.0 ** (2 * i - 2)


def main():
    rng = np.random.default_rng(20110715)
    cases = []
    for kind, a, beta, gamma in inputs(rng):
        a, beta = short(a), short(beta)
        matrix, gap = polar_matrix(a, beta, gamma, rng)
        scalar, scalar_gap = polar_scalar(a, beta, gamma)
        value = matrix if gap < scalar_gap else scalar
        accuracy = trusted(gap, scalar_gap, disagreement(matrix, scalar))
        print(f"{kind:12} d={len(a)} gamma={gamma:<9.4g} polar={value:<14.8g} accuracy {accuracy:.1e}")
        case = {"kind": kind, "a": a.tolist(), "beta": beta.tolist(), "gamma": gamma}
        cases.append(case | {"value": value, "accuracy": accuracy})
    write("polar.json", "polar of Omega at (a, beta; gamma), accuracy relative", cases)


if __name__ == "__main__":
    main()
