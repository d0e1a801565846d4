"""Embedded tables, and holes punched into tables."""

import os
import subprocess

import numpy as np
import pandas as pd
import pytest

from gapfit import ImputedRidge, datasets
from gapfit.datasets import load_abalone, load_hypothyroid, load_optdigits, make_missing

SIZES = {
    "abalone": (4177, 7, 0),
    "housing": (20640, 8, 0),
    "hypothyroid": (3163, 25, 5329),
    "optdigits": (5620, 64, 0),
    "splice": (3190, 60, 60),
    "wine": (6497, 11, 0),
}
GAPFIT = os.environ.get("GAPFIT")


@pytest.mark.parametrize("name", SIZES)
def test_every_set_has_its_size_and_says_where_it_is_from(name):
    load = getattr(datasets, f"load_{name}")
    bunch = load()
    assert (*bunch.data.shape, np.isnan(bunch.data).sum()) == SIZES[name]
    assert bunch.target.shape == bunch.data.shape[:1]
    assert len(bunch.feature_names) == bunch.data.shape[1]
    assert bunch.source in bunch.DESCR and bunch.licence in bunch.DESCR
    assert bunch.frame is None
    assert load.__name__ in datasets.__all__ and "return_X_y" in load.__doc__


def test_a_set_as_a_frame_or_as_a_pair():
    bunch = load_abalone(as_frame=True)
    assert list(bunch.frame.columns) == [*bunch.feature_names, "rings"]
    assert bunch.target.name == "rings"
    X, y = load_abalone(return_X_y=True)
    np.testing.assert_array_equal(bunch.data, X)
    np.testing.assert_array_equal(bunch.target, y)
    X, y = load_abalone(return_X_y=True, as_frame=True)
    assert isinstance(X, pd.DataFrame) and isinstance(y, pd.Series)
    assert set(load_hypothyroid().target) == {-1, 1}
    assert load_optdigits().target.dtype == np.int64


RATED = ("mcar", "mar", "selfmask-logistic", "selfmask-gaussian", "selfmask-probit", "quantile")
MECHANISMS = [
    *((name, {"rate": 0.3}) for name in RATED),
    ("independent", {"beta": 0.5}),
    ("dependent", {"beta": 0.5}),
    ("columns", {"columns": [["length", "height"], ["shell_weight"], []]}),
]


@pytest.mark.skipif(not GAPFIT, reason="GAPFIT is not set to the command gapfit")
@pytest.mark.parametrize(("mechanism", "settings"), MECHANISMS, ids=[name for name, _ in MECHANISMS])
def test_holes_are_those_of_gapfit_corrupt(mechanism, settings, tmp_path):
    X, _ = load_abalone(return_X_y=True, as_frame=True)
    source, holey = tmp_path / "in.csv", tmp_path / "out.csv"
    X.to_csv(source, index=False)
    flags = [f"--{key}={value}" for key, value in settings.items() if key != "columns"]
    flags += [f"--columns={','.join(group)}" for group in settings.get("columns", []) if group]
    if mechanism == "columns":
        settings = {"columns": settings["columns"][:2]}
    subprocess.run(
        [GAPFIT, "corrupt", source, "--mechanism", mechanism, *flags, "--seed", "7", "-o", holey], check=True
    )
    ours, observed = make_missing(X, mechanism, **settings, random_state=7)
    theirs = pd.read_csv(holey)
    np.testing.assert_array_equal(observed, theirs.notna())
    pd.testing.assert_frame_equal(ours, theirs, check_dtype=False)


def test_holes_stay_holes_and_the_table_that_is_given_stays_as_it_is():
    X, y = load_abalone(return_X_y=True)
    once, first = make_missing(X, rate=0.2, random_state=1)
    twice, second = make_missing(once, "quantile", rate=0.2, random_state=2)
    assert not np.isnan(X).any()
    assert not (second & ~first).any()
    np.testing.assert_array_equal(np.isnan(twice), ~second)
    np.testing.assert_array_equal(twice[second], X[second])
    again, _ = make_missing(X, rate=0.2, random_state=1)
    np.testing.assert_array_equal(once, again)
    ints = pd.DataFrame({"a": range(100), "b": range(100)}, index=range(50, 150))
    holey, observed = make_missing(ints, "columns", columns=[["a"], [1]])
    assert holey.index.equals(ints.index)
    np.testing.assert_array_equal(holey.isna().sum(axis=1), 1)
    assert ImputedRidge(0.1, 1.0).fit(holey, np.arange(100.0)).missing_rate_.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (("mcar",), ValueError, "mechanism: expected beta for independent and dependent"),
        (("mcar", {"beta": 0.5}), ValueError, "mechanism: expected independent or dependent with a beta, got mcar"),
        (("nowhere", {"rate": 0.5}), ValueError, "mechanism: expected mcar, mar"),
        (("mcar", {"rate": 1.0}), ValueError, "rate: expected a number from 0 up to"),
        (("mcar", {"rate": "half"}), TypeError, "rate: expected a number or None, got 'half'"),
        (("columns", {"columns": [[9]]}), ValueError, "columns: expected columns of X, got 9"),
        (("columns", {"columns": []}), ValueError, "groups: expected at least one group"),
    ],
)
def test_wrong_settings_say_what_is_right(arguments, error, text):
    mechanism, settings = (*arguments, {})[:2]
    with pytest.raises(error, match=text):
        make_missing(np.ones((5, 2)), mechanism, **settings)
