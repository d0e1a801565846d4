"""What the estimators that fit to a whole table share."""

import sys
import warnings

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from . import _gapfit, _input, _model_file, _settings
from .exceptions import DataWarning
from .statistics import Statistics


class BatchEstimator(BaseEstimator):
    """A model fitted to a whole table.

    A subclass has ``_method``, what is fitted in the words of the compiled module, and at least the
    parameters that ``_request`` looks at.
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def _fit(self, X, target, sample_weight):
        """Fits the model to rows and a target in the form that the compiled module takes."""
        check_consistent_length(X, target["y"])
        settings = self._request(X, target)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        target = target | {"weights": sample_weight}
        if sample_weight is not None and _input.is_arrow(X):
            X, target, settings = _input.without_idle(X, target, settings)
        table = _input.read(self, X, min_rows=2)
        return self._run(_gapfit.fit, (table, target), settings)

    def _fit_sums(self, sums):
        """Fits the model to sums that stand for rows."""
        settings = self._request(None, {"y": None, "classes": None})
        self._run(_gapfit.fit_statistics, (sums,), settings)
        _model_file.take_columns(self, self._model)
        return self

    def _run(self, fit, data, settings):
        """Fits the model by a function of the compiled module."""
        show = _show if self.verbose else None
        n_jobs = _settings.threads(self.n_jobs)
        model, (tried, cautions) = fit(*data, settings, n_jobs, show)
        if self.verbose:
            print(file=sys.stderr)
        self._learn(model)
        keys = ("base", "support", "alpha", "gamma", "loss", "fold_losses")
        self.cv_results_ = {key: np.array([one[key] for one in tried]) for key in keys}
        self._warn(cautions, settings["tol"])
        return self

    def _request(self, X, target):
        """The settings of the compiled module."""
        is_classifier = target["classes"] is not None
        return {
            "method": self._method,
            "loss": _settings.word("loss", getattr(self, "loss", "squared")),
            "one_vs_rest": False,
            "scale": _settings.word("scale", self.scale),
            "clip": _settings.number("clip", self.clip),
            "intercept": _settings.intercept(self.fit_intercept),
            "solver": "exact",
            "tol": _settings.number("tol", self.tol),
            "max_iter": _settings.whole("max_iter", self.max_iter),
            "alpha": _settings.number("alpha", self.alpha, "a number or None"),
            "gamma": None,
            "cv": self._folds(X, target["y"], is_classifier),
            "seed": _settings.seed(self.random_state),
            "budget": None,
        }

    def _folds(self, X, y, is_classifier):
        """The folds of the tuning; of sums there can only be a number."""
        if X is None:
            return _settings.whole("cv", self.cv, "a number of folds, which statistics have by block")
        return _settings.folds(self.cv, X, y, classifier=is_classifier)

    def _learn(self, model):
        """Takes over what a model knows."""
        self._model = model
        about = model.about
        self.alpha_ = about["alpha"]
        self.n_iter_ = max(1, about["iterations"])
        self.dual_gap_ = about["gap"]
        self.missing_rate_ = model.missing_rate

    def _warn(self, cautions, tol):
        """Says what a user should know about the fit."""
        for text in cautions:
            warnings.warn(text, DataWarning, stacklevel=5)
        about = self._model.about
        if not about["is_converged"]:
            text = (
                f"the solver ended {about['status']} after {about['iterations']} iterations: "
                f"gap {about['gap']:.1e}, asked for {tol:.1e}"
            )
            warnings.warn(text, ConvergenceWarning, stacklevel=5)

    def _scores(self, X):
        """Predictions of every predictor, a column each."""
        return self._ask("scores", X)

    def _ask(self, question, X, *arguments):
        """What the model answers for the rows of ``X``."""
        check_is_fitted(self)
        table = _input.read(self, X, model=self._model)
        n_jobs = _settings.threads(self.n_jobs)
        return getattr(self._model, question)(table, n_jobs, *arguments)

    def save(self, path):
        """Writes the model file, which :func:`gapfit.load` and ``gapfit predict`` read.

        Parameters
        ----------
        path : str or path
            Where it goes; what is there is replaced.
        """
        check_is_fitted(self)
        _model_file.write(path, self._model.to_bytes())


class LinearEstimator(BatchEstimator):
    """A model whose predictions are linear for each mask."""

    _is_single = False

    def _learn(self, model):
        super()._learn(model)
        self.intercept_, self.coef_ = self._each("weights")

    def _each(self, question, *arguments):
        """What the model says of each of its predictors, as two arrays; of numbers of the only one."""
        if not hasattr(self, "_model"):
            # as scikit-learn's properties: absent before the fit
            raise AttributeError(f"{type(self).__name__} is not fitted yet")
        ask = getattr(self._model, question)
        found = [ask(*arguments, j) for j in range(self._model.n_predictors)]
        if self._is_single:
            return found[0]
        return tuple(np.array(part) for part in zip(*found, strict=True))

    @property
    def shift_(self):
        """How the weights shift: column ``k`` is added to ``coef_`` when feature ``k`` is missing.

        An array of shape (n_features, n_features), for classifiers with the rows of ``coef_`` as a
        first axis. The weight of the missing feature itself multiplies the value that the base fills
        in.
        """
        return self._each("shifts")[1]

    @property
    def shift_intercept_(self):
        """What is added to ``intercept_`` when each feature is missing; shaped as ``coef_``."""
        return self._each("shifts")[0]

    def coef_for(self, observed):
        """The linear function for the rows that have these features observed and no others.

        The prediction, or the score, is the intercept and the weights times the observed values
        (unless one of those is clipped): the value filled into a hole is itself a function of what is
        observed.

        Parameters
        ----------
        observed : array of bool of shape (n_features,)
            True where a feature is observed.

        Returns
        -------
        coef : ndarray
            The weights, shaped as ``coef_``; 0 for missing features.
        intercept : float or ndarray
            Shaped as ``intercept_``.
        """
        check_is_fitted(self)
        observed = np.asarray(observed)
        if observed.dtype != bool:
            raise TypeError(f"observed: expected an array of bool, got one of {observed.dtype}")
        intercept, coef = self._each("weights_for", observed.tolist())
        return coef, intercept


class Imputed:
    """What is special to imputed ridge regression, whatever the loss."""

    @property
    def _method(self):
        base = _settings.word("base", self.base)
        is_given = self.alpha is not None and self.gamma is not None
        return f"irr:{'mean' if base == 'auto' and is_given else base}"

    def _request(self, X, target):
        gamma = _settings.number("gamma", self.gamma, "a number or None")
        return super()._request(X, target) | {"gamma": gamma}

    def _learn(self, model):
        super()._learn(model)
        self.gamma_ = model.about["gamma"]
        self.base_ = model.about["method"].removeprefix("irr:")


class BatchRegressor(RegressorMixin, LinearEstimator):
    """A model of numbers, fitted to a whole table."""

    _is_single = True

    def fit(self, X, y, sample_weight=None):
        """Fits the model.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows; missing cells are NaN, None, null or ``pd.NA``.
        y : array of shape (n_samples,)
            The target.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the rows: 2 counts twice, 0 not at all.

        Returns
        -------
        self
        """
        name = _input.target_name(y)
        y = validate_data(self, y=y, y_numeric=True)
        y = np.ascontiguousarray(y, dtype=np.float64)
        return self._fit(X, {"y": y, "classes": None, "name": name}, sample_weight)

    def fit_statistics(self, statistics):
        """Fits the model to sums that stand for the rows, as ``gapfit fit --from-stats`` does.

        What is not given is tuned on the blocks of the statistics (``cv`` is a number then, at most 10, and
        ``random_state`` plays no part), or as in :meth:`fit` while their rows are so few that all are kept.

        Parameters
        ----------
        statistics : Statistics
            The sums, of all parts.

        Returns
        -------
        self
        """
        if not isinstance(statistics, Statistics):
            raise TypeError(f"statistics: expected a Statistics, got {type(statistics)}")
        return self._fit_sums(statistics._inner)

    def predict(self, X):
        """The prediction for each row, whatever it misses.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._scores(X)[:, 0]


def _show(done, planned):
    """Says on standard error how far a search has come."""
    print(f"\rgapfit: {done} of {planned} fits", end="", file=sys.stderr, flush=True)
