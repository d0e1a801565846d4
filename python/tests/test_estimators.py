"""What the attributes and methods of estimators mean."""

import warnings

import numpy as np
import pytest
from data import holey
from estimators import ESTIMATORS
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge

from gapfit import GapImputer, ImputedLogistic, ImputedRidge, ImputeThenRidge, OnlineClassifier, OnlineRegressor
from gapfit.exceptions import DataWarning

GIVEN = {"alpha": 0.05, "gamma": 2.0, "clip": 0.0}


@pytest.mark.parametrize("base", ["zero", "mean", "independent", "gaussian"])
def test_coef_for_is_the_prediction_of_every_mask(base):
    X, y = holey()
    model = ImputedRidge(**GIVEN, base=base).fit(X, y)
    for row in X[:40]:
        coef, intercept = model.coef_for(~np.isnan(row))
        assert np.all(coef[np.isnan(row)] == 0)
        expected = intercept + np.nansum(coef * row)
        assert model.predict([row])[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_weights_and_shifts_are_those_of_complete_and_of_zero_filled_rows():
    X, y = holey()
    model = ImputedRidge(**GIVEN, base="zero", scale="none").fit(X, y)
    whole = np.nan_to_num(X)
    expected = model.intercept_ + whole @ model.coef_
    np.testing.assert_allclose(model.predict(whole), expected, rtol=1e-9, atol=1e-9)
    gone = whole.copy()
    gone[:, 1] = np.nan
    whole[:, 1] = 0
    expected = model.intercept_ + model.shift_intercept_[1] + whole @ (model.coef_ + model.shift_[:, 1])
    np.testing.assert_allclose(model.predict(gone), expected, rtol=1e-9, atol=1e-9)


def test_equals_ridge_and_logistic_regression_when_everything_is_observed():
    X, y = holey(missing=0.0)
    given = {"alpha": 0.3, "gamma": 1.0, "clip": 0.0, "scale": "none", "base": "mean"}
    with pytest.warns(DataWarning, match="no cell is missing"):
        ours = ImputedRidge(**given).fit(X, y)
    theirs = Ridge(alpha=0.3 * len(y)).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, rel=1e-6)
    labels = y > np.median(y)
    with pytest.warns(DataWarning):
        ours = ImputedLogistic(**given, tol=1e-12).fit(X, labels)
    theirs = LogisticRegression(C=1 / (2 * 0.3 * len(y)), tol=1e-12, max_iter=1000).fit(X, labels)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


def test_missing_rate_gap_and_parameters_are_told():
    X, y = holey()
    model = ImputedRidge(**GIVEN).fit(X, y)
    np.testing.assert_allclose(model.missing_rate_, np.isnan(X).mean(axis=0))
    assert 0 <= model.dual_gap_ <= 1e-8
    assert (model.alpha_, model.gamma_, model.base_) == (0.05, 2.0, "mean")
    tuned = ImputedRidge().fit(X, y)
    assert tuned.base_ in ("zero", "mean", "independent", "gaussian")
    results = tuned.cv_results_
    assert set(results["base"]) == {"zero", "mean", "independent", "gaussian"}
    assert results["fold_losses"].shape == (len(results["alpha"]), 5)


def test_a_splitter_and_the_list_of_its_splits_tune_alike():
    from sklearn.model_selection import KFold

    X, y = holey()
    splitter = KFold(4, shuffle=True, random_state=3)
    a = ImputedRidge(cv=splitter).fit(X, y)
    b = ImputedRidge(cv=list(splitter.split(X))).fit(X, y)
    assert a.cv_results_["fold_losses"].shape[1] == 4
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


@pytest.mark.parametrize("wrong", [[([0, 1], [1, 2])], [([0, 1], [500])], [([], [1])], []])
def test_splits_that_are_none_are_refused(wrong):
    X, y = holey()
    with pytest.raises(ValueError, match="expected rows of weight to learn from"):
        ImputedRidge(cv=wrong).fit(X, y)


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if hasattr(e, "alpha")], ids=str)
def test_weights_count_rows_also_where_there_are_holes(estimator):
    X, y = holey(80)
    y = (y > np.median(y)).astype(int) if isinstance(estimator, ImputedLogistic) else y
    weights = np.random.default_rng(1).integers(0, 4, size=len(y))
    given = {"alpha": 0.05} | ({"gamma": 1.0} if hasattr(estimator, "gamma") else {})
    weighted = clone(estimator).set_params(**given, cv=2).fit(X, y, sample_weight=weights)
    repeated = clone(estimator).set_params(**given, cv=2).fit(
        X.repeat(weights, axis=0), y.repeat(weights)
    )
    method = "transform" if isinstance(estimator, GapImputer) else "predict"
    got, expected = (getattr(e, method)(X) for e in (weighted, repeated))
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-8)


def test_threads_and_order_of_classes_do_not_matter():
    X, y = holey()
    one, two = (ImputedRidge(n_jobs=n).fit(X, y).predict(X) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_three_classes_have_a_row_of_weights_each():
    X, y = holey(300)
    labels = np.digitize(y, np.quantile(y, [1 / 3, 2 / 3])).astype(str)
    for multi_class in ("multinomial", "ovr"):
        model = ImputedLogistic(**GIVEN, multi_class=multi_class).fit(X, labels)
        assert model.coef_.shape == (3, 4)
        assert model.intercept_.shape == (3,)
        assert model.shift_.shape == (3, 4, 4)
        assert model.score(X, labels) > 0.6
        coef, intercept = model.coef_for(~np.isnan(X[0]))
        scores = intercept + np.nansum(coef * X[0], axis=1)
        np.testing.assert_allclose(model.decision_function(X[:1])[0], scores, rtol=1e-7)


def test_probabilities_of_a_stream_add_up_however_sure_it_is_of_no_class(monkeypatch):
    X, y = holey()
    labels = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    model = OnlineClassifier().fit(X, labels)
    monkeypatch.setattr(model, "_scores", lambda X: np.array([[-1e4, -1e4, -2e4], [3.0, -1.0, 0.0]]))
    shares = model.predict_proba(X[:2])
    np.testing.assert_allclose(shares[0], [0.5, 0.5, 0.0])
    odds = 1 / (1 + np.exp([-3.0, 1.0, 0.0]))
    np.testing.assert_allclose(shares[1], odds / odds.sum())


def test_not_converging_warns_and_says_how_far_it_came():
    X, y = holey()
    with pytest.warns(ConvergenceWarning, match="gap .*, asked for 1.0e-12"):
        ImputedRidge(alpha=1e-6, gamma=100.0, max_iter=1, tol=1e-12).fit(X, y)


def test_columns_without_a_number_warn():
    X, y = holey()
    X[:, 2] = np.nan
    with pytest.warns(DataWarning, match="nothing is observed in 'x2'"):
        model = ImputedRidge(**GIVEN).fit(X, y)
    assert model.coef_[2] == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert GapImputer().fit(X, y).transform(X).shape[1] == 3
        kept = GapImputer(keep_empty_features=True).fit(X, y).transform(X)
    assert np.all(kept[:, 2] == 0)


def test_a_filled_table_keeps_what_is_observed():
    X, y = holey()
    for target in (None, y, y > 0, np.where(y > 0, "b", "a")):
        imputer = GapImputer().fit(X, target)
        assert imputer.is_learnt_ == (target is not None)
        filled = imputer.transform(X)
        assert np.isfinite(filled).all()
        np.testing.assert_array_equal(filled[~np.isnan(X)], X[~np.isnan(X)])
    assert list(imputer.get_feature_names_out(list("abcd"))) == list("abcd")


def test_the_base_alone_is_that_of_impute_then_ridge():
    X, y = holey()
    filled = GapImputer(base="gaussian").fit(X).transform(X)
    model = ImputeThenRidge(0.1, base="gaussian", clip=0.0).fit(X, y)
    np.testing.assert_allclose(
        model.predict(X), model.intercept_ + filled @ model.coef_, rtol=1e-6, atol=1e-6
    )


def test_partial_fit_row_by_row_is_fit():
    X, y = holey()
    whole = OnlineRegressor().fit(X, y)
    piecewise = OnlineRegressor()
    for start in range(0, len(y), 7):
        piecewise.partial_fit(X[start : start + 7], y[start : start + 7])
    np.testing.assert_array_equal(whole.predict(X), piecewise.predict(X))
    assert piecewise.n_rows_seen_ == len(y)
    assert not hasattr(ImputedRidge(), "partial_fit")


@pytest.mark.parametrize(
    ("parameters", "error", "text"),
    [
        ({"alpha": -1.0, "gamma": 0.0}, ValueError, "alpha: expected a number from 1e-100 to 1e100, got -1"),
        ({"alpha": "much"}, TypeError, "alpha: expected a number or None, got 'much'"),
        ({"base": "median"}, ValueError, "base|method: expected"),
        ({"clip": 0.7}, ValueError, "clip: expected a quantile from 0"),
        ({"scale": "unit"}, ValueError, "scale: expected standard, minmax or none, got unit"),
        ({"loss": "hinge"}, ValueError, "loss: expected squared, huber=H"),
        ({"cv": 1}, ValueError, "folds: expected at least 2 and at most the number of rows, got 1"),
        ({"fit_intercept": "maybe"}, ValueError, "fit_intercept: expected True, False or 'penalised'"),
        ({"max_iter": 1.5}, TypeError, "max_iter: expected a whole number, got 1.5"),
        ({"tol": 2.0}, ValueError, "tol: expected a number above 0 and below 1, got 2"),
    ],
)
def test_wrong_parameters_are_refused_by_fit_and_say_what_is_right(parameters, error, text):
    X, y = holey()
    with pytest.raises(error, match=text):
        ImputedRidge(**parameters).fit(X, y)


def test_what_is_infinite_is_refused_with_its_place():
    X, y = holey()
    X[7, 2] = np.inf
    with pytest.raises(ValueError, match="column 2, row 7: expected a finite number, got inf"):
        ImputedRidge(**GIVEN).fit(X, y)
