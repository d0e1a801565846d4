"""sdp.json: imputed ridge regression as the paper relaxes it, by semidefinite programming on the rows.

    min t  s.t.  [ K + c I  y ]        K >= 0,   |M|_F <= gamma,   sum_k |N_k|_F^2 <= gamma^4,   c = alpha T,
                 [ y'       t ] >= 0

K is the kernel of x + (1 - z) M'x (x zero-filled) with the products m_k m_k' replaced by N_k. Constraint "rows" is
the paper's: K >= 0 on the training rows; "blocks" asks it for every sample: [1 m_k'; m_k N_k] >= 0 for each k.
With at least d^2 rows in general position the two agree, and only "rows" is stored. Each optimum is compared with
that of the penalised least-squares problem in (w, U), which is "blocks" rewritten; the difference is printed.
"""

import cvxpy as cp
import numpy as np

from conic import disagreement, short, solve, trusted, write


def kernel(x, hidden, m, n):
    """K over the rows: expressions or numbers, as m (columns m_k) and n (a list of N_k) are."""
    total = x @ x.T
    for k in range(x.shape[1]):
        lifted = hidden[:, k : k + 1] * x
        cross = lifted @ m[:, k : k + 1] @ x[:, k : k + 1].T
        total = total + cross + cross.T + lifted @ n[k] @ lifted.T
    return total


def range_basis(x, hidden):
    """Orthonormal columns that span the range of every K.

    K has rank at most d^2, so K >= 0 has no interior when there are more rows, and interior-point methods stall.
    On this basis the same constraint has one, and the rest of y only adds its square over c.
    """
    lifted = np.hstack([x] + [hidden[:, k : k + 1] * x for k in range(x.shape[1])])
    left, size, _ = np.linalg.svd(lifted, full_matrices=False)
    return left[:, size > 1e-10 * size[0]]


def relaxation(x, hidden, y, c, gamma, constraint):
    """Returns the optimum, the predictions at the training rows, and what is known of the optimum's error.

    m and n are in units of gamma and gamma^2.
    """
    d, basis = x.shape[1], range_basis(x, hidden)
    t, m = cp.Variable((1, 1)), cp.Variable((d, d))
    n = [cp.Variable((d, d), symmetric=True) for _ in range(d)]
    k = basis.T @ kernel(x, hidden, gamma * m, [gamma**2 * n_k for n_k in n]) @ basis
    k, inside = (k + k.T) / 2, (basis.T @ y)[:, None]
    constraints = [cp.norm(m, "fro") <= 1, cp.norm(cp.hstack([cp.vec(n_k, order="F") for n_k in n])) <= 1]
    constraints.append(cp.bmat([[k + c * np.eye(len(inside)), inside], [inside.T, t]]) >> 0)
    if constraint == "rows":
        constraints.append(k >> 0)
    else:
        sides = [(m[:, j : j + 1], n[j]) for j in range(d)]
        constraints += [cp.bmat([[np.ones((1, 1)), m_k.T], [m_k, n_k]]) >> 0 for m_k, n_k in sides]
    part, gap = solve(cp.Problem(cp.Minimize(t[0, 0]), constraints))
    value = part + float(y @ y - np.sum(inside**2)) / c
    fitted = kernel(x, hidden, gamma * m.value, [gamma**2 * n_k.value for n_k in n])
    dual = np.linalg.solve(fitted + c * np.eye(len(y)), y)
    return value, fitted @ dual, max(gap, disagreement(value, y @ dual))


def penalised(x, hidden, y, c, gamma):
    """Returns the optimum and the predictions of min (1/c)|y - f|^2 + Omega(w, |u_k|), u in units of 1 / gamma.

    Omega enters as in omega.py with one direction per u_k: 3 x 3 blocks [t w s; w 1 mu; s mu nu] >= 0.
    """
    d = x.shape[1]
    w, u, length = cp.Variable(d), cp.Variable((d, d)), cp.Variable(d)
    blocks = [cp.Variable((3, 3), PSD=True) for _ in range(d)]
    f = x @ w + gamma * cp.sum(cp.multiply(x @ u, hidden), axis=1)
    mu, nu = (cp.hstack([b[i, 2] for b in blocks]) for i in (1, 2))
    constraints = [cp.norm(mu) <= 1, cp.norm(nu) <= 1]
    for k, b in enumerate(blocks):
        constraints += [b[1, 1] == 1, b[0, 1] == w[k], b[0, 2] == length[k], cp.norm(u[:, k]) <= length[k]]
    objective = cp.sum_squares(y - f) / c + sum(b[0, 0] for b in blocks)
    value, gap = solve(cp.Problem(cp.Minimize(objective), constraints))
    return value, f.value, gap


def table(rng, rows, d):
    """A table with a third of its cells hidden, and a target that depends on the hidden cells too."""
    mix = rng.normal(size=(d, d)) / np.sqrt(d)
    x = short(0.5 + rng.normal(size=(rows, d)) @ (np.eye(d) + mix), 3)
    y = short(x @ rng.normal(size=d) + 0.3 * rng.normal(size=rows), 3)
    return x, rng.uniform(size=(rows, d)) < 0.33, y


def prediction_accuracy(ours, others, exact, c, value, accuracy):
    """The relative accuracy to state for predictions f, in the maximum norm.

    Where the penalised form has to give the same f, three times its distance. Elsewhere the objective is
    (1/c)|y - f|^2 plus a convex term, so |f - optimum|^2 is at most c times the error of the value.
    """
    if exact:
        return max(3 * disagreement(ours, others), 1e-7)
    return float(np.sqrt(c * value * accuracy) / np.max(np.abs(ours)))


def case(data, alpha, gamma, constraint):
    """One solved case as it is stored, compared with the penalised form."""
    x, hidden, y = data
    rows, d = x.shape
    shown, mask, c = np.where(hidden, 0.0, x), hidden.astype(float), alpha * rows
    value, f, error = relaxation(shown, mask, y, c, gamma, constraint)
    other, other_f, other_gap = penalised(shown, mask, y, c, gamma)
    exact = constraint == "blocks" or range_basis(shown, mask).shape[1] == d * d
    apart = (value - other) / other
    assert abs(apart) < 1e-8 if exact else apart < 1e-9, f"penalised form gives {other}, the relaxation {value}"
    accuracy = trusted(error)
    spread = prediction_accuracy(f, other_f, exact, c, value, accuracy)
    print(
        f"T={rows} d={d} alpha={alpha:<5} gamma={gamma:<4} {constraint:6} value {value:<12.9g} error {error:.0e}; "
        f"penalised form {apart:+.1e} (its gap {other_gap:.0e}), predictions {disagreement(f, other_f):.0e}"
    )
    cells = [[None if h else float(v) for v, h in zip(*row)] for row in zip(x, hidden)]
    known = {"x": cells, "y": y.tolist(), "alpha": alpha, "gamma": gamma, "constraint": constraint}
    known |= {"value": value, "accuracy": accuracy}
    return known | {"predictions": short(f, 10).tolist(), "prediction_accuracy": float(f"{spread:.1e}")}


def main():
    rng = np.random.default_rng(20110716)
    cases = []
    for rows, d in [(12, 2), (25, 3), (40, 4)]:
        data = table(rng, rows, d)
        cases += [case(data, alpha, gamma, "rows") for alpha, gamma in [(0.01, 0.5), (0.05, 1.0), (0.2, 2.0)]]
    for alpha, gamma in [(0.05, 1.0), (0.05, 2.0)]:
        data = table(rng, 8, 4)  # fewer rows than d^2: the two constraints differ
        cases += [case(data, alpha, gamma, constraint) for constraint in ("rows", "blocks")]
    write("sdp.json", "optimum of y'(K + alpha T I)^-1 y and predictions at its rows, null = hidden", cases)


if __name__ == "__main__":
    main()
