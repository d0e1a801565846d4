"""GapImputer fills a table: by what the other columns say, or as the target taught it to.

Cells that are hidden on purpose show how close the filled ones are.
"""

import numpy as np
from sklearn.impute import SimpleImputer

from gapfit import GapImputer
from gapfit.datasets import load_abalone, make_missing

complete, y = load_abalone(return_X_y=True)
X, observed = make_missing(complete, "mcar", rate=0.3, random_state=1)
unit = complete.std(axis=0)


def error(filled):
    return np.sqrt(np.mean((((filled - complete) / unit)[~observed]) ** 2))


by_mean = SimpleImputer().fit_transform(X)
by_others = GapImputer(base="gaussian").fit_transform(X)
for name, filled in (("mean", by_mean), ("the other columns", by_others)):
    print(f"filled by {name:18} off by {error(filled):.3f} standard deviations")
assert error(by_others) < 0.6 * error(by_mean)
np.testing.assert_array_equal(by_others[observed], X[observed])

# With a target the filled values are those that predict it best under a linear model, not the likeliest ones.
learnt = GapImputer(base="gaussian").fit(X, y)
print(f"learnt from the target: {learnt.is_learnt_}, off by {error(learnt.transform(X)):.3f}")
