"""What Python costs: bench/run python, which builds the wheel first.

A fit to 1e6 x 10 numbers, 30 % of them missing, on the base mean, with given parameters and one thread: the
estimator as users call it, the compiled call alone on a table that is ready, and scikit-learn's SimpleImputer and
Ridge. Fits take turns; of each the quickest and the median are printed, and the ratios of the quickest.
"""

import json
import sys
import time

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from gapfit import ImputedRidge, _gapfit

ROUNDS = 7


def main():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 10))
    y = X @ rng.normal(size=10) + rng.normal(size=len(X))
    X[rng.random(X.shape) < 0.3] = np.nan
    model = ImputedRidge(alpha=0.01, gamma=1.0, base="mean", n_jobs=1)
    target = {"y": y, "weights": None, "classes": None, "name": "y"}

    def compiled():
        table = _gapfit.Table.from_array(X)
        start = time.perf_counter()
        _gapfit.fit(table, target, model._request(X, target), 1)
        return time.perf_counter() - start

    def timed(work):
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    works = {
        "estimator": lambda: timed(lambda: model.fit(X, y)),
        "compiled": compiled,
        "scikit-learn": lambda: timed(lambda: make_pipeline(SimpleImputer(), Ridge()).fit(X, y)),
    }
    seconds = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            seconds[name].append(work())
    for name, taken in seconds.items():
        print(f"{name:13} {min(taken):7.3f} s   median {np.median(taken):7.3f} s")
    best = {name: min(taken) for name, taken in seconds.items()}
    ratios = {
        "estimator / compiled": best["estimator"] / best["compiled"],
        "scikit-learn / estimator": best["scikit-learn"] / best["estimator"],
    }
    for name, ratio in ratios.items():
        print(f"{name}: {ratio:.2f}")
    if "--json" in sys.argv:
        print(json.dumps({"seconds": seconds, "ratios": ratios}))


if __name__ == "__main__":
    main()
