"""What Python costs: bench/run python, which builds the wheel first.

fit: 1e6 x 10 numbers, 30 % of them missing, on the base mean, with given parameters and one thread: the estimator as users
call it; the compiled call, which starts from the same array of float64 with NaN as a user of the Rust crate would; and
scikit-learn's SimpleImputer and Ridge.

stream: predict_one and learn_one of rows of 64 features as dictionaries, 10 % of the keys absent: river's LinearRegression, the
same behind the StandardScaler that it asks for, and ours with several steps; beside it the root mean square of the errors of the
predictions made before each row was learnt.

All take turns; of each the quickest and the median are printed, and the ratios of the quickest.
"""

import json
import sys
import time

import numpy as np
from river import linear_model, preprocessing
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from gapfit import ImputedRidge, _gapfit
from gapfit.river import MaskRegressor

ROUNDS = 7


def timed(works):
    """The seconds that each of some works takes, in turns."""
    seconds = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def fit():
    """The time of a fit, and its ratios."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 10))
    y = X @ rng.normal(size=10) + rng.normal(size=len(X))
    X[rng.random(X.shape) < 0.3] = np.nan
    model = ImputedRidge(alpha=0.01, gamma=1.0, base="mean", n_jobs=1)
    target = {"y": y, "weights": None, "classes": None, "name": "y"}
    settings = model._request(X, target)
    seconds = timed(
        {
            "estimator": lambda: model.fit(X, y),
            "compiled": lambda: _gapfit.fit(_gapfit.Table.from_array(X), target, settings, 1),
            "scikit-learn": lambda: make_pipeline(SimpleImputer(), Ridge()).fit(X, y),
        }
    )
    best = {name: min(taken) for name, taken in seconds.items()}
    return seconds, {
        "estimator / compiled, at most 1.2": best["estimator"] / best["compiled"],
        "scikit-learn / estimator, at least 8": best["scikit-learn"] / best["estimator"],
    }


def stream():
    """The time per row of a stream, its ratios, and the errors."""
    rng = np.random.default_rng(0)
    n, d = 4000, 64
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=d) + 3 + rng.normal(size=n)).tolist()
    names = [f"f{j}" for j in range(d)]
    is_there = rng.random((n, d)) >= 0.1
    rows = [{names[j]: float(X[i, j]) for j in range(d) if is_there[i, j]} for i in range(n)]
    errors = {}

    def work(name, make):
        def run():
            model, total = make(), 0.0
            for x, target in zip(rows, y, strict=True):
                total += (model.predict_one(x) - target) ** 2
                model.learn_one(x, target)
            errors[name] = (total / n) ** 0.5

        return run

    makers = {
        "river": linear_model.LinearRegression,
        "river, scaled": lambda: preprocessing.StandardScaler() | linear_model.LinearRegression(),
        "default": MaskRegressor,
        "auto": lambda: MaskRegressor("auto"),
        "coin": lambda: MaskRegressor("coin"),
        "adagrad": lambda: MaskRegressor("adagrad"),
    }
    seconds = timed({name: work(name, make) for name, make in makers.items()})
    per_row = {name: [s / n for s in taken] for name, taken in seconds.items()}
    best = {name: min(taken) for name, taken in per_row.items()}
    ratios = {f"river / {name}": best["river"] / best[name] for name in ("default", "auto")}
    ratios["river / default, at least 3"] = ratios.pop("river / default")
    ratios["river, scaled / auto"] = best["river, scaled"] / best["auto"]
    return per_row, ratios, errors


def main():
    seconds, ratios = fit()
    per_row, more, errors = stream()
    for name, taken in seconds.items():
        print(f"fit     {name:14} {1e3 * min(taken):8.1f} ms   median {1e3 * np.median(taken):8.1f} ms")
    for name, taken in per_row.items():
        said = f"median {1e6 * np.median(taken):8.2f} us   RMSE {errors[name]:.3f}"
        print(f"stream  {name:14} {1e6 * min(taken):8.2f} us   {said}")
    for name, ratio in (ratios | more).items():
        print(f"{name}: {ratio:.2f}")
    if "--json" in sys.argv:
        print(json.dumps({"fit": seconds, "stream": per_row, "errors": errors, "ratios": ratios | more}))


if __name__ == "__main__":
    main()
