"""omega.json: the penalty Omega(w, s; gamma) of imputed ridge regression, by semidefinite programming.

    Omega = min  sum_k v_k' S_k^-1 v_k,   v_k = (w_k, u_k),  |u_k| = s_k,   S_k = [ 1    m_k' ]
            s.t. sum_k |m_k|^2 <= gamma^2,   sum_k |N_k|^2 <= gamma^4,            [ m_k  N_k  ] >= 0

Solved twice: with vectors u_k in the plane and full matrices N_k (Schur complements, one 4 x 4 block per k), and
with scalars mu_k, nu_k along u_k (second-order cones). Their difference is part of the stated accuracy, and a
check that only the length of u_k matters.
"""

import cvxpy as cp
import numpy as np

from conic import decades, disagreement, short, solve, trusted, write


def omega_matrix(w, s, gamma, rng):
    """Omega as defined, u_k in a random direction of the plane; m in units of gamma, N of gamma^2."""
    d = len(w)
    angle = rng.uniform(0, 2 * np.pi, d)
    u = (s / gamma)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    t, m = cp.Variable(d), cp.Variable((d, 2))
    n = [cp.Variable((2, 2), symmetric=True) for _ in range(d)]
    constraints = [cp.norm(m, "fro") <= 1, cp.norm(cp.hstack([cp.vec(n_k, order="F") for n_k in n])) <= 1]
    for k in range(d):
        v, m_k = np.concatenate([[w[k]], u[k]])[:, None], m[k : k + 1, :]
        s_k = cp.bmat([[np.ones((1, 1)), m_k], [m_k.T, n[k]]])
        constraints.append(cp.bmat([[cp.reshape(t[k], (1, 1), order="F"), v.T], [v, s_k]]) >> 0)
    return solve(cp.Problem(cp.Minimize(cp.sum(t)), constraints))


def omega_scalar(w, s, gamma):
    """Omega over the two scalars per feature: sum w^2 + (s - |w| mu)^2 / (nu - mu^2), in the same units."""
    d = len(w)
    mu, nu, slack = cp.Variable(d), cp.Variable(d), cp.Variable(d)
    excess = [cp.quad_over_lin(s[k] / gamma - abs(w[k]) * mu[k], slack[k]) for k in range(d)]
    constraints = [cp.square(mu) + slack <= nu, cp.norm(mu) <= 1, cp.norm(nu) <= 1]
    value, gap = solve(cp.Problem(cp.Minimize(cp.sum(cp.hstack(excess))), constraints))
    total = value + float(w @ w)
    return total, gap * abs(value) / total


def inputs(rng):
    """Yields (kind, w, s, gamma)."""
    for i in range(16):
        d, gamma = 1 + i % 6, 2.0 ** (-6 + 12 * i / 15)
        sign = rng.choice([-1.0, 1.0], d)
        yield "spread", sign * decades(rng, d, -1, 1), gamma * decades(rng, d, -1, 1), gamma
    for i in range(3):
        yield "wide", decades(rng, 4, -2, 2), decades(rng, 4, -2, 2), 2.0 ** (2 * i - 2)
    for i in range(4):
        d, gamma = 3 + i, 2.0 ** (3 * i - 5)
        w, s = rng.normal(size=d), gamma * decades(rng, d, -1, 0.5)
        w[: 1 + i % 2] = 0
        yield "zeros in w", w, s, gamma
    for i in range(4):
        d, gamma = 3 + i, 2.0 ** (3 * i - 4)
        w, s = rng.normal(size=d), gamma * decades(rng, d, -1, 0.5)
        s[-1 - i % 2 :] = 0
        yield "zeros in s", w, s, gamma
    for i in range(3):
        w, s = rng.normal(size=5), decades(rng, 5, -1, 0.5)
        w[[0, 1]], s[[1, 2]] = 0, 0  # one feature has both
        yield "zeros in both", w, s, 2.0 ** (2 * i - 2)
    yield "w = 0", np.zeros(4), decades(rng, 4, -1, 1), 0.5
    yield "s = 0", rng.normal(size=4), np.zeros(4), 2.0
    for i, (d, factor) in enumerate([(1, 1.0), (3, 1.0), (3, 0.75), (3, 1.5), (5, 1.0)]):
        w, s, gamma = short(rng.normal(size=d)), np.zeros(d), 2.0 ** (2 * i - 4)
        s[0] = factor * gamma * abs(w[0])  # the kink at factor 1, to the last bit
        yield "single s", w, s, gamma
    for i, factor in enumerate([0.5, 0.9, 1.0, 1.0, 1.1]):
        d, gamma = 2 + i, 2.0 ** (i - 2)
        w, rho = short(rng.normal(size=d)), rng.uniform(0.1, 1, d)
        yield f"s/w at {factor} gamma", w, np.abs(w) * rho * gamma * factor / np.linalg.norm(rho), gamma


def main():
    rng = np.random.default_rng(20110714)
    cases = []
    for kind, w, s, gamma in inputs(rng):
        exact = kind.startswith(("single", "s/w"))  # rounding would move these off their edge
        w, s = (w, s) if exact else (short(w), short(s))
        matrix, gap = omega_matrix(w, s, gamma, rng)
        scalar, scalar_gap = omega_scalar(w, s, gamma)
        accuracy = trusted(gap, scalar_gap, disagreement(matrix, scalar))
        value = matrix if gap < scalar_gap else scalar
        print(f"{kind:18} d={len(w)} gamma={gamma:<9.4g} omega={value:<14.8g} accuracy {accuracy:.1e}")
        case = {"kind": kind, "w": w.tolist(), "s": s.tolist(), "gamma": gamma}
        cases.append(case | {"value": value, "accuracy": accuracy})
    write("omega.json", "Omega(w, s; gamma), accuracy relative", cases)


if __name__ == "__main__":
    main()
