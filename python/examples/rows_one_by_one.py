"""OnlineRegressor: rows that come one by one, no learning rate, and a state that goes on elsewhere."""

import pickle

import numpy as np
from sklearn.linear_model import SGDRegressor

from gapfit import OnlineRegressor
from gapfit.datasets import load_abalone, make_missing

X, y = load_abalone(return_X_y=True)
order = np.random.default_rng(0).permutation(len(y))
X, y = X[order], y[order]
X, _ = make_missing(X, "selfmask-logistic", rate=0.3)

ours, theirs = OnlineRegressor(), SGDRegressor(random_state=0)
errors = {"OnlineRegressor": [], "SGDRegressor on zeros": []}
for start in range(0, len(y), 50):
    rows, target = X[start : start + 50], y[start : start + 50]
    if start > 0:
        errors["OnlineRegressor"].extend(ours.predict(rows) - target)
        errors["SGDRegressor on zeros"].extend(theirs.predict(np.nan_to_num(rows)) - target)
    ours.partial_fit(rows, target)
    theirs.partial_fit(np.nan_to_num(rows), target)
found = {name: float(np.sqrt(np.mean(np.square(off)))) for name, off in errors.items()}
for name, error in found.items():
    print(f"{name:22} RMSE of each block before it was learnt: {error:.3f}")
assert found["OnlineRegressor"] < found["SGDRegressor on zeros"]

elsewhere = pickle.loads(pickle.dumps(ours))
elsewhere.partial_fit(X[:50], y[:50])
ours.partial_fit(X[:50], y[:50])
np.testing.assert_array_equal(ours.predict(X), elsewhere.predict(X))
