"""Pages about models."""

import html

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted

from . import _gapfit, _input, _model_file, _settings
from ._base import LinearEstimator


class Report:
    """A page about a model: shown in a notebook, or saved.

    Attributes
    ----------
    html : str
        The page, which needs nothing else.
    """

    def __init__(self, html):
        self.html = html

    def __repr__(self):
        return f"<gapfit report of {len(self.html)} characters: show it in a notebook, or save(path)>"

    def _repr_html_(self):
        # in a frame of its own, so that its styles stay inside
        page = html.escape(self.html, quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="gapfit report" '
            'style="width: 100%; height: 50em; border: 0"></iframe>'
        )

    def save(self, path):
        """Writes the page.

        Parameters
        ----------
        path : str or path
            Where it goes; what is there is replaced.
        """
        _model_file.write(path, self.html.encode())


def report(estimator, X, y, *, sample_weight=None, title=None):
    """A page about a fitted model and rows that it has not seen.

    It has the figures of ``gapfit fit --report``: how the weights shift when a column is missing, what the
    search over the parameters found, how good predictions are, by what is missing and what it costs to
    lose a column, and where the holes are.

    Parameters
    ----------
    estimator : ImputedRidge, ImputedLogistic, ImputeThenRidge, MaskRidge or LiftedRidge
        The model, fitted.
    X : array, sparse matrix or data frame of shape (n_samples, n_features)
        Rows that the model has not seen.
    y : array of shape (n_samples,)
        Their target.
    sample_weight : array of shape (n_samples,), default=None
        Weights of the rows.
    title : str, default=None
        What the page is called; by default after the target.

    Returns
    -------
    Report
        Shown in a notebook; ``save(path)`` writes it as a file.

    Examples
    --------
    >>> import gapfit
    >>> from gapfit.datasets import load_abalone, make_missing
    >>> X, y = load_abalone(return_X_y=True, as_frame=True)
    >>> X, _ = make_missing(X, rate=0.3)
    >>> model = gapfit.ImputedRidge(alpha=0.01, gamma=1.0).fit(X[:3000], y[:3000])
    >>> gapfit.report(model, X[3000:], y[3000:])
    <gapfit report of ... characters: show it in a notebook, or save(path)>
    """
    if not isinstance(estimator, LinearEstimator):
        raise TypeError(f"estimator: expected a fitted model of a whole table, got {estimator!r}")
    check_is_fitted(estimator)
    check_consistent_length(X, y)
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
    model = estimator._model
    name = model.about["target"]
    target = {"y": _numbers(estimator, y), "weights": sample_weight, "classes": None, "name": name}
    if model.classes:
        target["classes"] = model.classes
    table = _input.read(estimator, X, model=model)
    about = {"title": title or f"{name}, predicted", "candidates": _candidates(estimator)}
    n_jobs = _settings.threads(estimator.n_jobs)
    return Report(_gapfit.report(model, table, target, about, n_jobs))


def _numbers(estimator, y):
    """The target as numbers, or as the numbers of its classes."""
    y = np.asarray(y)
    if not estimator._model.classes:
        return np.ascontiguousarray(y, dtype=np.float64)
    unknown = np.setdiff1d(y, estimator.classes_)
    if len(unknown) > 0:
        raise ValueError(f"y: expected the classes {estimator.classes_}, got {unknown[0]!r}")
    return np.searchsorted(estimator.classes_, y).astype(np.float64)


def _candidates(estimator):
    """What the search of the fit looked at, with the base and the support that it chose."""
    results = getattr(estimator, "cv_results_", None)
    if results is None or not hasattr(estimator, "base_"):
        return []
    is_narrow = estimator._model.about["support"] == "constant"
    chosen = (results["base"] == estimator.base_) & ((results["support"] == "constant") == is_narrow)
    return list(zip(*(results[key][chosen].tolist() for key in ("alpha", "gamma", "loss")), strict=True))
