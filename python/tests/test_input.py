"""What counts as missing, in tables of every kind; what is refused."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from data import holey

from gapfit import GapImputer, ImputedRidge, MaskRidge, OnlineRegressor
from gapfit.exceptions import DataWarning

NAN = float("nan")
GIVEN = {"alpha": 0.05, "gamma": 2.0}

# One column each, of which the second and the fourth row are missing; the others are 1, 0, 2.
MISSING = {
    "numpy": np.array([1.0, NAN, 0.0, NAN, 2.0])[:, None],
    "numpy float32": np.array([1.0, NAN, 0.0, NAN, 2.0], dtype="f4")[:, None],
    "numpy objects": np.array([1, None, 0, NAN, 2], dtype=object)[:, None],
    "numpy big endian": np.array([1.0, NAN, 0.0, NAN, 2.0], dtype=">f8")[:, None],
    "lists": [[1], [None], [0], [NAN], [2]],
    "pandas NaN": pd.DataFrame({"a": [1.0, NAN, 0.0, NAN, 2.0]}),
    "pandas None and pd.NA": pd.DataFrame({"a": pd.Series([1.0, None, 0.0, pd.NA, 2.0], dtype=object)}),
    "pandas nullable": pd.DataFrame({"a": pd.array([1, pd.NA, 0, None, 2], dtype="Int64")}),
    "pandas Arrow": pd.DataFrame({"a": pd.array([1, None, 0, None, 2], dtype="int64[pyarrow]")}),
    "pandas text": pd.DataFrame({"a": ["1", "", "0", "NA", "2"]}),
    "polars": pl.DataFrame({"a": [1.0, None, 0.0, NAN, 2.0]}),
    "polars text": pl.DataFrame({"a": ["1", None, "0", "?", "2"]}),
    "pyarrow": pa.table({"a": pa.array([1.0, None, 0.0, NAN, 2.0])}),
    "pyarrow batch": pa.record_batch({"a": pa.array([1, None, 0, None, 2], pa.int8())}),
    "sparse": scipy.sparse.csr_array(np.array([1.0, NAN, 0.0, NAN, 2.0])[:, None]),
}


@pytest.mark.parametrize("kind", MISSING)
def test_what_counts_as_missing(kind):
    filled = GapImputer(base="mean").fit(MISSING[kind]).transform(MISSING[kind])
    np.testing.assert_array_equal(np.asarray(filled).ravel(), [1, 1, 0, 1, 2])


def test_cells_that_a_sparse_matrix_does_not_store_are_zero_unless_said_otherwise():
    X = scipy.sparse.coo_array(([1.0, 0.0, 2.0], ([0, 2, 4], [0, 0, 0])), shape=(5, 1))
    for sparse in (X, X.tocsr(), X.tocsc()):
        as_zeros = GapImputer(base="mean").fit(sparse)
        assert as_zeros.missing_rate_.tolist() == [0.0]
        as_holes = GapImputer(base="mean", sparse_missing=True).fit(sparse)
        assert as_holes.missing_rate_.tolist() == [0.4]
        np.testing.assert_array_equal(as_holes.transform(sparse).ravel(), [1, 1, 0, 1, 2])


@pytest.mark.parametrize(
    "layout",
    [
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        lambda X: np.repeat(X, 3, axis=0)[::3],
        lambda X: X[::-1][::-1],
        lambda X: X.astype(">f8"),
        lambda X: X.tolist(),
        lambda X: np.ma.asarray(X),
    ],
)
def test_the_layout_of_an_array_does_not_matter(layout):
    X, y = holey()
    expected = ImputedRidge(**GIVEN).fit(X, y).predict(X)
    other = layout(X)
    np.testing.assert_array_equal(ImputedRidge(**GIVEN).fit(other, y).predict(other), expected)


def test_a_read_only_array_is_not_written_to():
    X, y = holey()
    X.flags.writeable = False
    before = X.copy()
    ImputedRidge(**GIVEN).fit(X, y).predict(X)
    np.testing.assert_array_equal(X, before)


@pytest.fixture
def mixed():
    """Numbers, a category, a truth and a date."""
    X, y = holey(120, 2)
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame["colour"] = rng.choice(["red", "blue", None], size=len(y))
    frame["zip"] = pd.Series(rng.choice([10, 20], size=len(y))).astype("category")
    frame["seen"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 99, len(y)), "D")
    frame.loc[3, "seen"] = pd.NaT
    return frame, y + (frame["colour"] == "red")


def test_categories_become_features_and_dates_become_days(mixed):
    X, y = mixed
    model = ImputedRidge(**GIVEN).fit(X, y)
    names = ["a", "b", "colour=blue", "colour=red", "zip=10", "zip=20", "seen"]
    assert sorted(model._model.feature_names) == sorted(names)
    assert model.n_features_in_ == 5
    assert model.coef_.shape == (7,)
    assert model.missing_rate_[-1] == pytest.approx(1 / 120)
    assert model.score(X, y) > 0.5
    filled = GapImputer().set_output(transform="pandas").fit_transform(X, y)
    assert sorted(filled.columns) == sorted(names)


def test_categories_that_training_did_not_have_are_missing_and_told(mixed):
    X, y = mixed
    model = MaskRidge(0.1).fit(X, y)
    new = X.head(3).assign(colour="pink")
    with pytest.warns(DataWarning, match="column 'colour': 3 cells with a category"):
        pink = model.predict(new)
    np.testing.assert_array_equal(pink, model.predict(new.assign(colour=None)))


def test_a_fit_to_categories_needs_a_frame_to_predict(mixed):
    X, y = mixed
    model = MaskRidge(0.1).fit(X, y)
    with pytest.raises(TypeError, match="expected a data frame with the columns of the fit"):
        model.predict(X.to_numpy())


def test_rows_of_weight_zero_have_no_categories(mixed):
    X, y = mixed
    odd = X.assign(colour=X["colour"].where(np.arange(len(y)) % 9 != 0, "odd"))
    weights = (odd["colour"] != "odd").astype(float)
    kept = (weights > 0).to_numpy()
    model = MaskRidge(0.1).fit(odd, y, sample_weight=weights)
    without = MaskRidge(0.1).fit(odd[kept], y[kept])
    assert model._model.feature_names == without._model.feature_names
    np.testing.assert_allclose(model.coef_, without.coef_, rtol=1e-9)


def test_texts_that_tell_rows_apart_are_refused_as_by_the_command_line():
    X = pl.DataFrame({"id": [f"row {i}" for i in range(2000)], "a": np.arange(2000.0)})
    with pytest.raises(ValueError, match="id"):
        MaskRidge(0.1).fit(X, np.arange(2000.0))


def test_lists_in_a_column_are_a_type_error():
    X = pa.table({"a": [[1.0], [2.0], [3.0]]})
    with pytest.raises(TypeError, match="expected numbers, texts, truths or dates"):
        MaskRidge(0.1).fit(X, [1.0, 2.0, 3.0])


def test_infinite_numbers_of_a_frame_are_refused_with_row_and_column():
    X = pl.DataFrame({"a": [1.0, 2.0, float("inf")], "b": ["x", "y", "x"]})
    with pytest.raises(ValueError, match='X, row 3, column 1 \\("a"\\)'):
        MaskRidge(0.1).fit(X, [1.0, 2.0, 3.0])


NUMBERS = {
    "pandas nullable": pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "b": [1.0, 2.0, NAN]}),
    "pandas objects": pd.DataFrame({"a": pd.Series([1, None, 3], dtype=object), "b": [1.0, 2.0, pd.NA]}),
    "pandas text": pd.DataFrame({"a": ["1", "NA", "3"], "b": ["1", "2", ""]}),
    "polars": pl.DataFrame({"a": [1.0, None, 3.0], "b": [1, 2, None]}),
    "pyarrow": pa.table({"a": [1.0, None, 3.0], "b": [1, 2, None]}),
    "pyarrow batch": pa.record_batch({"a": [1.0, None, 3.0], "b": [1, 2, None]}),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_an_online_learner_takes_tables_of_numbers(kind):
    X, y = NUMBERS[kind], [1.0, 2.0, 3.0]
    cells = np.array([[1.0, 1.0], [NAN, 2.0], [3.0, NAN]])
    with warnings.catch_warnings():
        # such as of names that were there before
        warnings.simplefilter("error")
        model = OnlineRegressor().fit(X, y).partial_fit(X, y)
        model.predict(X)
    as_array = OnlineRegressor().fit(cells, y).partial_fit(cells, y)
    np.testing.assert_array_equal(model.predict(X), as_array.predict(cells))
    assert model.n_features_in_ == 2


def test_an_online_learner_refuses_categories_as_the_command_line_does(mixed):
    X, y = mixed
    with pytest.raises(ValueError, match=r'X, row \d+, column 3 \("colour"\): expected a number'):
        OnlineRegressor().fit(X[["a", "b", "colour"]], y)
    model = OnlineRegressor().fit(X[["a", "b"]], y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[["b", "a"]])
