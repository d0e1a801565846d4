"""ImputedRidge where Ridge was: no imputer in front, holes and all.

Large measurements of abalones are missing more often than small ones, so a hole says something about the shell.
Filling it with the mean throws that away.
"""

from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from gapfit import ImputedRidge
from gapfit.datasets import load_abalone, make_missing

X, y = load_abalone(return_X_y=True)
X, observed = make_missing(X, "selfmask-logistic", rate=0.3)
print(f"{1 - observed.mean():.0%} of the cells are missing")

models = {
    "SimpleImputer, RidgeCV": make_pipeline(SimpleImputer(), RidgeCV()),
    "ImputedRidge": ImputedRidge(base="mean"),
}
scores = {}
for name, model in models.items():
    scores[name] = cross_val_score(model, X, y, cv=3, scoring="r2").mean()
    print(f"{name:24} R² {scores[name]:.3f}")
assert scores["ImputedRidge"] > scores["SimpleImputer, RidgeCV"]
