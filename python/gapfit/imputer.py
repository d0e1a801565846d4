"""Filling holes."""

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from . import _input, _settings
from ._base import BatchEstimator


class GapImputer(TransformerMixin, BatchEstimator):
    """Fills holes by a base and, where there is a target, by what imputed ridge regression learns.

    Without a target, holes get what ``base`` says: with ``"gaussian"`` their conditional mean under a
    normal distribution fitted to all observed cells. With a target, the correction that the predictor
    was taught is put on top: it serves the prediction and does not make values likelier.

    Parameters
    ----------
    base : {"auto", "zero", "mean", "independent", "gaussian"}, default="auto"
        What holes are filled by. ``"auto"`` is the one that does best in cross-validation, or
        ``"gaussian"`` without a target.
    alpha, gamma, scale, clip, cv, tol, max_iter, sparse_missing, random_state, n_jobs, verbose
        As in :class:`~gapfit.ImputedRidge`. Observed cells stay as they are, whatever ``clip`` is.
    keep_empty_features : bool, default=False
        Whether columns that ``fit`` saw no value of are filled with 0 instead of left out.

    Attributes
    ----------
    missing_rate_ : ndarray of shape (n_features,)
        The share of training rows in which each feature is missing, weighted.
    is_learnt_ : bool
        Whether the target takes part.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from gapfit import GapImputer
    >>> nan = float("nan")
    >>> imputer = GapImputer(base="mean").fit([[1.0, 2.0], [3.0, nan], [nan, 6.0]])
    >>> imputer.transform([[nan, 5.0]]).tolist()
    [[2.0, 5.0]]
    """

    def __init__(
        self,
        *,
        base="auto",
        alpha=None,
        gamma=None,
        scale="standard",
        clip=0.002,
        cv=5,
        tol=1e-8,
        max_iter=200,
        keep_empty_features=False,
        sparse_missing=False,
        random_state=0,
        n_jobs=None,
        verbose=False,
    ):
        self.base = base
        self.alpha = alpha
        self.gamma = gamma
        self.scale = scale
        self.clip = clip
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.keep_empty_features = keep_empty_features
        self.sparse_missing = sparse_missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # a constant of the predictor is no matter of taste here
    fit_intercept = True

    @property
    def _method(self):
        base = _settings.word("base", self.base)
        if not self.is_learnt_:
            return "gaussian" if base == "auto" else base
        return f"irr:{base}"

    def _request(self, X, target):
        own = {"gamma": _settings.number("gamma", self.gamma, "a number or None")}
        if not self.is_learnt_:
            # nothing depends on it
            own["alpha"] = 1.0
        return super()._request(X, target) | own

    def fit(self, X, y=None, sample_weight=None):
        """Learns how to fill holes.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows; missing cells are NaN, None, null or ``pd.NA``.
        y : array of shape (n_samples,), default=None
            The target: numbers, or two classes. More classes, unless they are numbers, are not
            looked at.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the rows: 2 counts twice, 0 not at all.

        Returns
        -------
        self
        """
        target = None if y is None else _numbers(validate_data(self, y=y))
        self.is_learnt_ = target is not None
        if target is None:
            target = np.zeros(_input.n_rows(X))
        self._fit(X, {"y": target, "classes": None, "name": "y"}, sample_weight)
        return self

    def transform(self, X):
        """The rows with their holes filled.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
        """
        filled = self._ask("filled", X, self.is_learnt_)
        if self.keep_empty_features:
            filled[:, ~self._is_seen()] = 0.0
            return filled
        return filled if self._is_seen().all() else filled[:, self._is_seen()]

    def get_feature_names_out(self, input_features=None):
        """The names of the columns that ``transform`` gives.

        Parameters
        ----------
        input_features : array of str, default=None
            Names of the columns, where ``fit`` saw none.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        if len(names) != self._model.n_features:
            names = np.array(self._model.feature_names, dtype=object)
        return names if self.keep_empty_features else names[self._is_seen()]

    def _is_seen(self):
        return np.array(self._model.was_observed)


def _numbers(y):
    """The target as numbers, where it can be."""
    y = np.asarray(y)
    if y.dtype.kind in "biuf":
        return y.astype(np.float64)
    if type_of_target(y) == "binary":
        return (y == np.unique(y)[-1]).astype(np.float64)
    return None
