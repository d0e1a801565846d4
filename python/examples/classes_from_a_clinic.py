"""ImputedLogistic on a table with holes by nature: which tests a clinic ordered says something, too.

Ill or well, from 25 features of which many were not measured. Compared with logistic regression on rows whose holes
are filled with the mean, with and without columns that say what was missing.
"""

from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gapfit import ImputedLogistic
from gapfit.datasets import load_hypothyroid

X, y = load_hypothyroid(return_X_y=True)
folds = StratifiedKFold(3, shuffle=True, random_state=0)


def filled(add_indicator):
    imputer = SimpleImputer(keep_empty_features=True, add_indicator=add_indicator)
    return make_pipeline(imputer, StandardScaler(), LogisticRegression(max_iter=1000))


models = {
    "mean, then logistic": filled(add_indicator=False),
    "mean, indicators, logistic": filled(add_indicator=True),
    "ImputedLogistic": ImputedLogistic(base="mean", gamma=1.0, cv=3),
}
losses = {}
for name, model in models.items():
    losses[name] = -cross_val_score(model, X, y, cv=folds, scoring="neg_log_loss").mean()
    print(f"{name:28} log-loss {losses[name]:.4f}")
assert losses["ImputedLogistic"] < losses["mean, then logistic"]
