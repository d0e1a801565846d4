"""In scikit-learn's company: pipelines, column transformers, grid searches, importances, all with holes."""

from sklearn.compose import ColumnTransformer
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import PolynomialFeatures, PowerTransformer, StandardScaler

from gapfit import GapImputer, ImputedRidge
from gapfit.datasets import load_wine, make_missing

X, y = load_wine(return_X_y=True, as_frame=True)
X, _ = make_missing(X, "mcar", rate=0.2)

# Transformers that let NaN pass go in front; those that do not get a filled table from GapImputer.
front = ColumnTransformer(
    [("tame", PowerTransformer(), ["residual_sugar", "chlorides"])], remainder="passthrough"
)
tamed = Pipeline([("front", front), ("model", ImputedRidge(base="mean"))])
products = Pipeline(
    [("fill", GapImputer()), ("products", PolynomialFeatures(2)), ("scale", StandardScaler()), ("model", Ridge(10.0))]
)

folds = KFold(3, shuffle=True, random_state=0)
search = GridSearchCV(tamed, {"model__gamma": [0.0, 1.0], "model__alpha": [0.001, 0.01]}, cv=folds)
search.fit(X, y)
print(f"best {search.best_params_}, R² {search.best_score_:.3f}")

importances = permutation_importance(search, X, y, n_repeats=3, random_state=0).importances_mean
for name, drop in sorted(zip(X.columns, importances, strict=True), key=lambda pair: -pair[1])[:3]:
    print(f"{name:22} R² falls by {drop:.3f} when shuffled")

products.fit(X[::2], y[::2])
print(f"with products of filled columns: R² {products.score(X[1::2], y[1::2]):.3f}")
assert search.best_score_ > 0.2
