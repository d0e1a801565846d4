"""logistic.json: scikit-learn's LogisticRegression on complete tables, two classes and more.

    min  (1/W) sum_i s_i loss_i + alpha sum_j |w_j|^2,   W = sum_i s_i,   intercepts free or absent

with the logistic loss of two classes (one w) or the multinomial one (a w per class). scikit-learn minimises
C sum_i s_i loss_i + |w|^2 / 2, so its C is 1 / (2 alpha W). Two of its solvers give the stated accuracy. Intercepts of
more than two classes are determined up to a common number: their mean is taken out.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression

from conic import disagreement, short, write


def table(rng, rows, d, n_classes, kind):
    """Features of unequal scale whose sums of noise and signal decide the class; every class has a row."""
    x = short(rng.normal(0.5, 1.0, (rows, d)) * 10.0 ** rng.uniform(-0.5, 0.5, d))
    if kind == "collinear":
        x[:, -1] = x[:, 0]
    scores = x @ rng.normal(size=(d, n_classes)) + rng.gumbel(size=(rows, n_classes))
    y = scores.argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    if kind == "separable":
        y = (x[:, 0] > np.median(x[:, 0])).astype(int)
    return x, y


def fit(solver, x, y, weights, alpha, intercept):
    """Coefficients, one row per predictor, and intercepts."""
    model = LogisticRegression(
        C=1.0 / (2.0 * alpha * weights.sum()), fit_intercept=intercept, solver=solver, tol=1e-13, max_iter=100_000
    )
    model.fit(x, y, sample_weight=weights)
    constant = np.broadcast_to(model.intercept_, len(model.coef_))
    return model.coef_, constant - constant.mean() if len(constant) > 1 else constant


def case(kind, x, y, weights, alpha, intercept):
    """One solved case as it is stored; `weights` of None are all 1."""
    each = np.ones(len(y)) if weights is None else weights
    coefficients, constants = fit("newton-cholesky", x, y, each, alpha, intercept)
    others = fit("lbfgs", x, y, each, alpha, intercept)
    accuracy = disagreement(np.append(coefficients, constants), np.append(*others))
    assert accuracy < 1e-6, f"two ways to the same minimum differ by {accuracy}"
    weighted = weights is not None
    print(f"{kind:10} {x.shape!s:8} weighted={weighted!s:5} intercept={intercept!s:5} accuracy {accuracy:.1e}")
    known = {"kind": kind, "x": x.tolist(), "y": y.tolist(), "weights": weights.tolist() if weighted else None}
    known |= {"alpha": alpha, "free_intercept": intercept}
    known |= {"coefficients": coefficients.tolist(), "intercepts": constants.tolist()}
    return known | {"accuracy": float(f"{accuracy:.1e}")}


def main():
    rng = np.random.default_rng(20110717)
    cases = []
    kinds = [
        ("plain", 20, 1, 2, 0.1), ("plain", 40, 4, 2, 1e-3), ("collinear", 30, 4, 2, 0.01), ("wide", 8, 9, 2, 0.5),
        ("separable", 30, 2, 2, 1e-3), ("plain", 40, 3, 3, 0.01), ("plain", 60, 4, 5, 1e-3),
    ]
    for kind, rows, d, n_classes, alpha in kinds:
        x, y = table(rng, rows, d, n_classes, kind)
        weights = short(rng.uniform(0.1, 3, rows), 3)
        for given in (None, weights):
            cases += [case(kind, x, y, given, alpha, intercept) for intercept in (False, True)]
    write(
        "logistic.json",
        "scikit-learn LogisticRegression(C = 1 / (2 alpha W)): coefficients and intercepts, accuracy relative to the largest",
        cases,
    )


if __name__ == "__main__":
    main()
