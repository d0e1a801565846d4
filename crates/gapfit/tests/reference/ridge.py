"""ridge.json: scikit-learn's Ridge on complete tables.

    min  (1/W) sum_i s_i (y_i - b - <w, x_i>)^2 + alpha |w|^2,   W = sum_i s_i,   b free or absent

scikit-learn does not divide by W, so its alpha is alpha W. The same minimum by an orthogonal factorisation of the
augmented rows gives the stated accuracy.
"""

import numpy as np
from sklearn.linear_model import Ridge

from conic import disagreement, short, write


def augmented(x, y, weights, alpha, intercept):
    """Coefficients and intercept from least squares on the weighted rows with sqrt(alpha W) I below."""
    rows, d = x.shape
    root = np.sqrt(weights)[:, None]
    penalty = np.sqrt(alpha * weights.sum()) * np.eye(d)
    left = np.vstack([root * x, penalty])
    if intercept:
        left = np.hstack([left, np.vstack([root, np.zeros((d, 1))])])
    right = np.concatenate([root[:, 0] * y, np.zeros(d)])
    solution = np.linalg.lstsq(left, right, rcond=None)[0]
    return solution[:d], float(solution[d]) if intercept else 0.0


def table(rng, rows, d, kind):
    """Features away from the origin, of unequal scale; `collinear` repeats the first column in the last."""
    x = short(rng.normal(1.0, 1.0, (rows, d)) * 10.0 ** rng.uniform(-1, 1, d))
    if kind == "collinear":
        x[:, -1] = x[:, 0]
    return x, short(x @ rng.normal(size=d) + rng.normal(size=rows) + 3.0)


def case(kind, x, y, weights, alpha, intercept):
    """One solved case as it is stored; `weights` of None are all 1."""
    each = np.ones(len(y)) if weights is None else weights
    model = Ridge(alpha=alpha * each.sum(), fit_intercept=intercept, solver="svd").fit(x, y, sample_weight=each)
    found = np.append(model.coef_, model.intercept_)
    accuracy = disagreement(found, np.append(*augmented(x, y, each, alpha, intercept)))
    assert accuracy < 1e-12, f"two ways to the same minimum differ by {accuracy}"
    weighted = weights is not None
    print(f"{kind:10} {x.shape!s:8} weighted={weighted!s:5} intercept={intercept!s:5} accuracy {accuracy:.1e}")
    known = {"kind": kind, "x": x.tolist(), "y": y.tolist(), "weights": weights.tolist() if weighted else None}
    known |= {"alpha": alpha, "free_intercept": intercept}
    known |= {"coefficients": model.coef_.tolist(), "intercept": float(model.intercept_)}
    return known | {"accuracy": float(f"{max(accuracy, 1e-14):.1e}")}


def main():
    rng = np.random.default_rng(20110717)
    cases = []
    kinds = [("plain", 10, 1, 0.1), ("plain", 30, 4, 1e-3), ("collinear", 30, 4, 0.01), ("wide", 6, 9, 0.5)]
    for kind, rows, d, alpha in kinds:
        x, y = table(rng, rows, d, kind)
        weights = short(rng.uniform(0, 3, rows), 3)
        weights[1] = 0.0  # a row without weight counts for nothing
        for given in (None, weights):
            cases += [case(kind, x, y, given, alpha, intercept) for intercept in (False, True)]
    about = "scikit-learn Ridge(alpha W): coefficients and intercept, accuracy relative to the largest"
    write("ridge.json", about, cases)


if __name__ == "__main__":
    main()
