"""Tables with holes for the tests: made from a seed."""

import numpy as np


def holey(n_rows=200, n_features=4, *, missing=0.3, seed=0):
    """Rows with holes, and a target that depends on values and holes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features)) @ rng.normal(size=(n_features, n_features))
    y = X @ rng.normal(size=n_features) + 0.1 * rng.normal(size=n_rows)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y + np.isnan(X[:, 0])
