"""Informative missingness, and what happens when it changes.

Where large values hide, a hole means "large", and a model that reads holes profits. If later the holes come for another
reason, what it has learnt about them is wrong. ``gamma=0`` leaves holes unread and the base alone fills them: worse before
the change, better after. So ask why cells are missing, and whether that stays so.
"""

from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline

from gapfit import ImputedRidge
from gapfit.datasets import load_abalone, make_missing

X, y = load_abalone(return_X_y=True)
hidden, _ = make_missing(X, "selfmask-logistic", rate=0.4, random_state=1)
at_random, _ = make_missing(X, "mcar", rate=0.4, random_state=2)
train, test = slice(0, None, 2), slice(1, None, 2)

models = {
    "SimpleImputer, RidgeCV": make_pipeline(SimpleImputer(), RidgeCV()),
    "ImputedRidge, mean": ImputedRidge(base="mean"),
    "ImputedRidge, gaussian, gamma=0": ImputedRidge(base="gaussian", gamma=0.0),
}
scores = {}
print(f"{'learnt where large values hide':32} {'as learnt':>10} {'holes at random':>16}")
for name, model in models.items():
    model.fit(hidden[train], y[train])
    scores[name] = [r2_score(y[test], model.predict(table[test])) for table in (hidden, at_random)]
    print(f"{name:32} {scores[name][0]:10.3f} {scores[name][1]:16.3f}")

informed, blind = scores["ImputedRidge, mean"], scores["ImputedRidge, gaussian, gamma=0"]
assert informed[0] > scores["SimpleImputer, RidgeCV"][0]
# What was learnt about holes no longer holds: the gain shrinks or turns into a loss.
assert informed[0] - blind[0] > informed[1] - blind[1]
