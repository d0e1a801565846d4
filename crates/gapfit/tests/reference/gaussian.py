"""gaussian.json: mean and covariance of a normal distribution from tables with holes, and the holes filled.

    max  sum_i s_i log N(x_io; m_o, S_oo) - (W k / 2) (log det S + tr(S^-1 D)),   W = sum_i s_i,   k = c / (1 - c)

over the rows' observed parts; D is diagonal with the variances of the observed cells, c the shrinkage. By the textbook
EM, row by row and in the units of the table: no masks, no sums by mask, no acceleration. The stationary equations,
with the gradient written out for each row, give the stated accuracy.
"""

import numpy as np

from conic import disagreement, short, write


def expectation(row, mean, covariance):
    """Expected row and its covariance, given the observed part."""
    seen = ~np.isnan(row)
    hidden = ~seen
    filled, spread = row.copy(), np.zeros_like(covariance)
    if hidden.any():
        gain = covariance[np.ix_(hidden, seen)] @ np.linalg.inv(covariance[np.ix_(seen, seen)])
        filled[hidden] = mean[hidden] + gain @ (row[seen] - mean[seen])
        spread[np.ix_(hidden, hidden)] = covariance[np.ix_(hidden, hidden)] - gain @ covariance[np.ix_(seen, hidden)]
    return filled, spread


def maximisation(x, weights, mean, covariance, prior, diagonal):
    """One step of EM."""
    rows = [expectation(row, mean, covariance) for row in x]
    total = weights.sum()
    filled = np.array([row for row, _ in rows])
    mean = weights @ filled / total
    away = filled - mean
    scatter = (weights[:, None] * away).T @ away + sum(s * spread for s, (_, spread) in zip(weights, rows))
    return mean, (scatter + prior * total * np.diag(diagonal)) / (total * (1 + prior))


def gradient(x, weights, mean, covariance, prior, diagonal):
    """Derivatives of the objective, per weight, in units in which every variance is about one."""
    of_mean, of_covariance = np.zeros_like(mean), np.zeros_like(covariance)
    for row, s in zip(x, weights):
        seen = ~np.isnan(row)
        inverse = np.linalg.inv(covariance[np.ix_(seen, seen)])
        score = inverse @ (row[seen] - mean[seen])
        of_mean[seen] += s * score
        of_covariance[np.ix_(seen, seen)] += s * (np.outer(score, score) - inverse)
    inverse = np.linalg.inv(covariance)
    of_covariance += weights.sum() * prior * (inverse @ np.diag(diagonal) @ inverse - inverse)
    root = np.sqrt(np.diag(covariance))
    return np.concatenate([of_mean * root, (of_covariance * np.outer(root, root)).ravel()]) / weights.sum()


def variances(x, weights):
    """The variance of the observed cells of each column."""
    seen = ~np.isnan(x)
    total = (weights[:, None] * seen).sum(axis=0)
    mean = np.nansum(weights[:, None] * x, axis=0) / total
    return mean, np.nansum(weights[:, None] * (x - mean) ** 2, axis=0) / total


def fit(x, weights, shrinkage):
    """Mean and covariance, and the size of the gradient there."""
    mean, diagonal = variances(x, weights)
    covariance, prior = np.diag(diagonal), shrinkage / (1 - shrinkage)
    for _ in range(50_000):
        before = np.append(mean, covariance)
        mean, covariance = maximisation(x, weights, mean, covariance, prior, diagonal)
        if disagreement(np.append(mean, covariance), before) < 1e-15:
            break
    return mean, covariance, np.abs(gradient(x, weights, mean, covariance, prior, diagonal)).max()


def case(kind, x, weights, shrinkage):
    """One fitted table as it is stored; `weights` of None are all 1."""
    each = np.ones(len(x)) if weights is None else weights
    mean, covariance, slope = fit(x, each, shrinkage)
    assert slope < 1e-10, f"{kind}: gradient {slope}"
    print(f"{kind:10} {x.shape!s:8} shrinkage {shrinkage:7} gradient {slope:.1e}")
    filled = [expectation(row, mean, covariance)[0].tolist() for row in x]
    cells = [[None if np.isnan(cell) else cell for cell in row] for row in x.tolist()]
    known = {"kind": kind, "x": cells, "weights": None if weights is None else weights.tolist()}
    known |= {"shrinkage": shrinkage, "mean": mean.tolist(), "covariance": covariance.tolist(), "filled": filled}
    return known | {"accuracy": float(f"{max(1000 * slope, 1e-8):.1e}")}


def table(rng, rows, d, rate, kind):
    """Correlated columns of unequal mean and scale; no row is empty."""
    x = rng.normal(size=(rows, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)))
    if kind == "collinear":
        x[:, -1] = x[:, 0] - x[:, 1]
    x = short(x * 10.0 ** rng.uniform(-1, 1, d) + rng.uniform(-5, 5, d))
    if kind == "collinear":
        x[:, -1] = short(2 * x[:, 0] - x[:, 1], 9)
    hidden = rng.uniform(size=x.shape) < rate
    if kind == "monotone":
        hidden = np.arange(rows)[:, None] >= np.linspace(rows, rows // 3, d)[None, :]
    if kind == "self":
        hidden = x > np.quantile(x, 1 - rate, axis=0)
    hidden[hidden.all(axis=1), 0] = False
    x[hidden] = np.nan
    return x


def main():
    rng = np.random.default_rng(20110718)
    cases = []
    kinds = [("random", 40, 3, 0.3, 1e-6), ("random", 60, 5, 0.4, 1e-6), ("monotone", 30, 3, 0.0, 1e-6)]
    kinds += [("self", 50, 4, 0.3, 1e-6), ("collinear", 40, 3, 0.2, 1e-3), ("wide", 7, 9, 0.2, 0.3)]
    for kind, rows, d, rate, shrinkage in kinds:
        x = table(rng, rows, d, rate, kind)
        weights = short(rng.uniform(0.1, 3, rows), 3)
        cases += [case(kind, x, given, shrinkage) for given in (None, weights)]
    about = "EM, row by row: mean, covariance and completed rows; accuracy relative to the spread of each column"
    write("gaussian.json", about, cases)


if __name__ == "__main__":
    main()
