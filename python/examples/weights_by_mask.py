"""What the model does about a hole: the weights for every pattern of holes, and the proof of their optimality.

``coef_`` are the weights with everything observed; a missing feature k adds column k of ``shift_``. ``coef_for`` gives the
linear function for one pattern, and ``dual_gap_`` bounds how far the fit is from the best one.
"""

import numpy as np

from gapfit import ImputedRidge
from gapfit.datasets import load_abalone, make_missing

bunch = load_abalone()
X, _ = make_missing(bunch.data, "mar", rate=0.4)
model = ImputedRidge(alpha=0.001, gamma=1.0, base="mean").fit(X, bunch.target)
print(f"certified: no fit is better by more than {model.dual_gap_:.1e} of the objective's unit")

observed = np.ones(7, dtype=bool)
observed[bunch.feature_names.index("shell_weight")] = False
all_there, _ = model.coef_for(np.ones(7, dtype=bool))
without_shell, _ = model.coef_for(observed)
print(f"{'feature':16} {'weight':>9} {'without shell_weight':>21}")
for name, before, after in zip(bunch.feature_names, all_there, without_shell, strict=True):
    print(f"{name:16} {before:9.2f} {after:21.2f}")

row = np.where(observed, bunch.data[0], np.nan)
coef, intercept = model.coef_for(observed)
by_hand = intercept + coef[observed] @ row[observed]
assert np.isclose(model.predict([row])[0], by_hand)
