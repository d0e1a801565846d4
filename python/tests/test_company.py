"""Estimators inside scikit-learn's tools, in other processes, as pickles and as pages."""

import copy
import multiprocessing
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from data import holey
from estimators import ESTIMATORS
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gapfit import GapImputer, ImputedLogistic, ImputedRidge, OnlineClassifier

GIVEN = {"alpha": 0.05, "gamma": 2.0}


def fitted(estimator):
    X, y = holey()
    y = y > np.median(y) if is_classifier(estimator) else y
    return clone(estimator).fit(X, y), X


def answer(estimator, X):
    return estimator.transform(X) if hasattr(estimator, "transform") else estimator.predict(X)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_copies_and_pickles_answer_alike_also_in_other_processes(estimator, tmp_path):
    model, X = fitted(estimator)
    expected = answer(model, X)
    joblib.dump(model, tmp_path / "model.joblib")
    for other in (
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        joblib.load(tmp_path / "model.joblib"),
    ):
        np.testing.assert_array_equal(answer(other, X), expected)
    for method in ("spawn", "fork"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            np.testing.assert_array_equal(pool.apply(answer, (model, X)), expected)


def test_a_pickle_carries_the_model_file():
    model, _ = fitted(ImputedRidge(**GIVEN))
    assert model._model.to_bytes() in pickle.dumps(model)
    damaged = pickle.dumps(model).replace(b"irr:mean", b"irr:lean", 1)
    with pytest.raises(ValueError, match="model file"):
        pickle.loads(damaged)


def test_pipelines_searches_and_scores():
    X, y = holey()
    pipeline = make_pipeline(StandardScaler(), ImputedRidge(gamma=1.0))
    search = GridSearchCV(pipeline, {"imputedridge__alpha": [0.01, 100.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"imputedridge__alpha": 0.01}
    one, two = (cross_val_score(ImputedRidge(), X, y, n_jobs=n, cv=3) for n in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert one.min() > 0.5
    assert make_pipeline(GapImputer(), Ridge()).fit(X, y).score(X, y) > 0.5


def test_column_transformers_and_names():
    X, y = holey()
    frame = pd.DataFrame(X, columns=list("abcd"))
    transformer = ColumnTransformer([("fill", GapImputer(), ["a", "b"])], remainder="drop")
    transformer.set_output(transform="pandas")
    assert list(transformer.fit_transform(frame, y).columns) == ["fill__a", "fill__b"]
    assert list(GapImputer().fit(frame).get_feature_names_out()) == list("abcd")
    assert list(ImputedRidge(**GIVEN).fit(frame, y).feature_names_in_) == list("abcd")


def test_importances_find_what_matters():
    X, y = holey(missing=0.1)
    X = np.column_stack([X, np.random.default_rng(9).normal(size=len(y))])
    model = ImputedRidge(**GIVEN).fit(X, y)
    found = permutation_importance(model, X, y, n_repeats=3, random_state=0)
    assert found.importances_mean.argmin() == 4


def test_sample_weights_are_routed():
    X, y = holey()
    weights = np.random.default_rng(0).random(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = ImputedRidge(**GIVEN).set_fit_request(sample_weight=True)
        estimator.set_score_request(sample_weight=True)
        scores = cross_validate(estimator, X, y, params={"sample_weight": weights}, cv=3)
        unweighted = cross_validate(ImputedRidge(**GIVEN), X, y, cv=3)
    assert not np.allclose(scores["test_score"], unweighted["test_score"])


def test_class_weights_move_the_threshold():
    X, y = holey()
    labels = y > np.quantile(y, 0.9)
    plain, balanced = (
        ImputedLogistic(**GIVEN, class_weight=w).fit(X, labels).predict(X).sum()
        for w in (None, "balanced")
    )
    assert balanced > plain


def test_only_the_logistic_loss_has_probabilities():
    assert hasattr(OnlineClassifier(), "predict_proba")
    assert not hasattr(OnlineClassifier(loss="hinge"), "predict_proba")


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_estimators_show_themselves_in_a_notebook(estimator):
    model, _ = fitted(estimator)
    assert type(estimator).__name__ in model._repr_html_()
    assert repr(estimator) == f"{type(estimator).__name__}()"
