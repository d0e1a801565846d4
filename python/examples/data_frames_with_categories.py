"""Data frames as they are: categories, truths, dates and nulls, from pandas or polars, without an encoder."""

import numpy as np
import pandas as pd
import polars as pl

from gapfit import ImputedRidge

rng = np.random.default_rng(0)
n = 2000
size = rng.normal(100, 30, n)
town = rng.choice(["Delft", "Leiden", "Gouda"], n)
lift = rng.random(n) < 0.3
price = 2 * size + np.select([town == "Delft", town == "Leiden"], [60, 30], 0) + 20 * lift + rng.normal(0, 10, n)
frame = pd.DataFrame(
    {
        "size": np.where(rng.random(n) < 0.2, np.nan, size),
        "town": pd.Categorical(np.where(rng.random(n) < 0.1, None, town)),
        "lift": pd.array(np.where(rng.random(n) < 0.2, None, lift), dtype="boolean"),
        "sold": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 365, n), "D"),
    }
)
target = pd.Series(price, name="price")

model = ImputedRidge(base="mean").fit(frame[:1500], target[:1500])
print("features:", ", ".join(model._model.feature_names))
print(f"R² on new rows: {model.score(frame[1500:], target[1500:]):.3f}")

# The same columns from polars give the same predictions.
other = pl.from_pandas(frame)
np.testing.assert_array_equal(model.predict(other), model.predict(frame))
assert model.score(frame[1500:], target[1500:]) > 0.6
