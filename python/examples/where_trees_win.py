"""Where gapfit is the wrong tool: on a table that is not linear, boosted trees win.

House values depend on the place, in no linear way. Trees take holes as well and learn that; a linear model, however well it
treats holes, does not. Its use is elsewhere: few rows, weights that can be read, extrapolation, a certificate.
"""

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from gapfit import ImputedRidge
from gapfit.datasets import load_housing, make_missing

X, y = load_housing(return_X_y=True)
X, _ = make_missing(X, "mcar", rate=0.2)
order = np.random.default_rng(0).permutation(len(y))
test = order[:4000]

scores = {}
for n in (100, 10000):
    train = order[4000 : 4000 + n]
    for name, model in (
        ("ImputedRidge", ImputedRidge(base="gaussian", cv=3)),
        ("HistGradientBoosting", HistGradientBoostingRegressor(random_state=0)),
    ):
        scores[name, n] = model.fit(X[train], y[train]).score(X[test], y[test])
        print(f"{n:6} rows, {name:22} R² {scores[name, n]:.3f}")
assert scores["HistGradientBoosting", 10000] > scores["ImputedRidge", 10000]
assert scores["ImputedRidge", 100] > scores["HistGradientBoosting", 100]
