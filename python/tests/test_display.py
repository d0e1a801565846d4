"""Displays draw what they are given."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
from data import holey

from gapfit import ImputedLogistic, ImputedRidge, MissingnessDisplay, WeightShiftDisplay

GIVEN = {"alpha": 0.05, "gamma": 2.0}


def test_bars_are_as_long_as_holes_are_frequent():
    X, y = holey()
    X[:, 1] = np.where(np.arange(len(y)) % 2, np.nan, 1.0)
    for display in (
        MissingnessDisplay.from_data(X),
        MissingnessDisplay.from_estimator(ImputedRidge(**GIVEN).fit(X, y)),
    ):
        widths = [bar.get_width() for bar in display.ax_.patches]
        np.testing.assert_allclose(widths, np.sort(np.isnan(X).mean(axis=0)))
        assert display.ax_.get_yticklabels()[-1].get_text() == "x1"


def test_squares_are_shifts_of_weights_in_units_of_their_features():
    X, y = holey()
    model = ImputedRidge(**GIVEN).fit(X, y)
    display = WeightShiftDisplay.from_estimator(model)
    units = model._model.units
    np.testing.assert_allclose(display.image_.get_array(), model.shift_ * units[:, None])
    few = display.plot(max_features=2)
    assert few.image_.get_array().shape == (2, 2)


def test_each_class_has_shifts():
    X, y = holey()
    labels = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    model = ImputedLogistic(**GIVEN).fit(X, labels)
    for j in range(3):
        display = WeightShiftDisplay.from_estimator(model, class_index=j)
        np.testing.assert_array_equal(display.shift, model.shift_[j])
