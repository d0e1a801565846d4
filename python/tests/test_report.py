"""The page about a model."""

import numpy as np
import pytest
from data import holey

import gapfit
from gapfit import ImputedLogistic, ImputedRidge, ImputeThenRidge, OnlineRegressor
from gapfit.datasets import load_abalone, make_missing


@pytest.fixture(scope="module")
def abalone():
    X, y = load_abalone(return_X_y=True, as_frame=True)
    X, _ = make_missing(X, "selfmask-logistic", rate=0.3)
    return X, y


def test_a_page_of_numbers_has_the_figures_of_gapfit_fit(abalone, tmp_path):
    X, y = abalone
    model = ImputedRidge(base="mean", cv=3).fit(X[:3000], y[:3000])
    report = gapfit.report(model, X[3000:], y[3000:], title="Shells & <rings>")
    assert "Shells &amp; &lt;rings&gt;" in report.html
    for said in (
        "The price of losing a column",
        "held-out RMSE",
        "A model for rings, learnt from 3000 rows",
        "shell_weight",
        "gamma",
    ):
        assert said in report.html, said
    assert report.html.count("<figure") >= 6
    path = tmp_path / "page.html"
    report.save(path)
    assert path.read_text() == report.html
    rmse = float(np.sqrt(np.mean((model.predict(X[3000:]) - y[3000:]) ** 2)))
    assert f"{rmse:.3g}" in report.html


def test_in_a_notebook_it_is_shown_in_a_frame_of_its_own(abalone):
    X, y = abalone
    report = gapfit.report(ImputeThenRidge(0.1).fit(X, y), X[:500], y[:500])
    shown = report._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and shown.endswith("</iframe>")
    inside = shown.split('srcdoc="')[1].split('"')[0]
    assert "<" not in inside and "&lt;!doctype html&gt;" in inside
    assert "characters" in repr(report)


def test_pages_of_classes_and_of_loaded_models(tmp_path):
    X, y = holey(400, 4)
    labels = np.where(y > 1, "high", np.where(y > -1, "middle", "low"))
    for target in (labels, labels == "high"):
        model = ImputedLogistic(alpha=0.01, gamma=1.0).fit(X[:300], target[:300])
        report = gapfit.report(model, X[300:], target[300:], sample_weight=np.full(100, 2.0))
        for said in ("held-out log-loss", 'id="roc"', 'id="calibration"'):
            assert said in report.html, said
        path = tmp_path / "model.gapfit"
        model.save(path)
        loaded = gapfit.load(path)
        labels_again = target if target.dtype != bool else target.astype(str)
        assert "held-out log-loss" in gapfit.report(loaded, X[300:], labels_again[300:]).html


def test_what_cannot_be_reported_on_is_refused(abalone):
    X, y = abalone
    with pytest.raises(TypeError, match="estimator: expected a fitted model of a whole table"):
        gapfit.report(OnlineRegressor().fit(X, y), X, y)
    model = ImputedLogistic(alpha=0.01, gamma=1.0).fit(X[:500], y[:500] > 9)
    with pytest.raises(ValueError, match="y: expected the classes"):
        gapfit.report(model, X[:5], ["old"] * 5)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        gapfit.report(model, X[:5], [True] * 4)
    with pytest.raises(ValueError, match="folds"):
        gapfit.report(model, X[:1], [True])
