"""Models of Dask DataFrames are those of one machine."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.model_selection import KFold

import gapfit.dask
from gapfit import Columns, ImputedRidge, Statistics

dd = pytest.importorskip("dask.dataframe")

FEATURES = ["size", "rooms", "colour"]


def table(n_rows):
    """Sorted by its first column, with holes, texts, weights and rows without a target."""
    rng = np.random.default_rng(n_rows)
    size = np.sort(rng.standard_t(3, n_rows))
    rooms = rng.integers(1, 7, n_rows).astype(float)
    colour = rng.choice(["red", "blue", "green"], n_rows).astype(object)
    price = 2 * size + rooms + (colour == "red") + rng.normal(size=n_rows)
    for column, hole in ((size, np.nan), (rooms, np.nan), (colour, None)):
        column[rng.random(n_rows) < 0.2] = hole
    price[rng.random(n_rows) < 0.05] = np.nan
    columns = {"size": size, "rooms": rooms, "colour": colour, "price": price, "weight": rng.integers(0, 3, n_rows) * 1.0}
    return pd.DataFrame(columns)


@pytest.mark.parametrize("n_rows", [900, 60_000])
@pytest.mark.parametrize("weight", [None, "weight"])
def test_the_model_is_that_of_one_machine(n_rows, weight):
    rows = table(n_rows)
    # at the default gap both take the same steps; near 1e-12 rounding decides whether one more is taken, which moves the eighth digit
    estimator = ImputedRidge(1e-3, 0.3, base="mean")
    # more partitions than are added up at once, one of them empty
    ddf = dd.concat([dd.from_pandas(rows, npartitions=11), dd.from_pandas(rows[:0], npartitions=1)])
    model = gapfit.dask.fit(ddf, FEATURES, "price", weight=weight, estimator=estimator)
    used = rows[[*FEATURES, "price", *([weight] if weight else [])]].dropna(subset="price")
    # in another order, so that the first rows do not mislead
    whole = pa.Table.from_pandas(used.sample(frac=1, random_state=0), preserve_index=False)
    roles = {"target": "price", "weight": weight}
    alone = Statistics.from_arrow(whole, **roles, columns=Columns.from_arrow(whole, **roles))
    expected = ImputedRidge(1e-3, 0.3, base="mean").fit_statistics(alone)
    new = rows[FEATURES][:500]
    np.testing.assert_allclose(model.predict(new), expected.predict(new), rtol=1e-10, atol=1e-10)
    predicted = gapfit.dask.predict(model, ddf)
    assert list(predicted.columns) == [*rows.columns, "prediction"]
    predicted = predicted.compute()
    np.testing.assert_array_equal(predicted["prediction"], model.predict(rows[FEATURES]))
    assert predicted.index.equals(rows.index)


def test_parameters_are_tuned_unless_they_are_given():
    ddf = dd.from_pandas(table(900), npartitions=3)
    model = gapfit.dask.fit(ddf, FEATURES[:2], "price", estimator=ImputedRidge(base="mean", cv=3))
    assert model.alpha_ > 0


def test_what_cannot_be_done_is_said():
    ddf = dd.from_pandas(table(50), npartitions=1)
    with pytest.raises(ValueError, match="each once"):
        gapfit.dask.fit(ddf, ["size", "size"], "price")
    with pytest.raises(TypeError, match="cv: expected a number of folds"):
        gapfit.dask.fit(ddf, ["size"], "price", estimator=ImputedRidge(cv=KFold(3)))
    model = gapfit.dask.fit(ddf, ["size"], "price", estimator=ImputedRidge(0.1, 1.0))
    with pytest.raises(ValueError, match="'price', which is there"):
        gapfit.dask.predict(model, ddf, output="price")
    with pytest.raises(ValueError, match="none called 'size'"):
        gapfit.dask.predict(model, ddf[["rooms"]])
