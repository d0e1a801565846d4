"""Imputed logistic regression."""

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from . import _input
from ._base import Imputed, LinearEstimator
from ._classifier import ScoredClassifier

MULTICLASS = {"multinomial": False, "ovr": True}


class ImputedLogistic(ScoredClassifier, Imputed, LinearEstimator):
    """Logistic regression that takes holes and learns from them.

    As :class:`~gapfit.ImputedRidge`, for classes: the weights of each class depend on what is missing.
    More than two classes are told apart by one multinomial model, or each against the others.

    Parameters
    ----------
    alpha, gamma, base, scale, clip, fit_intercept, cv, tol, max_iter, sparse_missing, random_state, \
n_jobs, verbose
        As in :class:`~gapfit.ImputedRidge`. An int ``cv`` makes folds with the same share of every
        class.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    multi_class : {"multinomial", "ovr"}, default="multinomial"
        How more than two classes are told apart.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights with everything observed.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The constants.
    alpha_, gamma_, base_, dual_gap_, n_iter_, missing_rate_, n_features_in_, feature_names_in_
        As in :class:`~gapfit.ImputedRidge`.

    Examples
    --------
    >>> from gapfit import ImputedLogistic
    >>> nan = float("nan")
    >>> X = [[1.0, 2.0], [2.0, nan], [nan, 1.0], [4.0, 3.0], [5.0, nan], [6.0, 2.0]]
    >>> y = ["no", "no", "no", "yes", "no", "yes"]
    >>> model = ImputedLogistic(alpha=0.01, gamma=1.0).fit(X, y)
    >>> model.predict([[4.0, 3.0]]).tolist()
    ['yes']
    >>> model.predict_proba(X).shape
    (6, 2)
    """

    def __init__(
        self,
        alpha=None,
        gamma=None,
        *,
        base="auto",
        class_weight=None,
        multi_class="multinomial",
        scale="standard",
        clip=0.002,
        fit_intercept=True,
        cv=5,
        tol=1e-8,
        max_iter=200,
        sparse_missing=False,
        random_state=0,
        n_jobs=None,
        verbose=False,
    ):
        self.alpha = alpha
        self.gamma = gamma
        self.base = base
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.scale = scale
        self.clip = clip
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.sparse_missing = sparse_missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _request(self, X, target):
        if self.multi_class not in MULTICLASS:
            raise ValueError(
                f"multi_class: expected one of {sorted(MULTICLASS)}, got {self.multi_class!r}"
            )
        own = {"loss": "logistic", "one_vs_rest": MULTICLASS[self.multi_class]}
        return super()._request(X, target) | own

    def fit(self, X, y, sample_weight=None):
        """Fits the model.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows; missing cells are NaN, None, null or ``pd.NA``.
        y : array of shape (n_samples,)
            The class of each row.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the rows: 2 counts twice, 0 not at all.

        Returns
        -------
        self
        """
        name = _input.target_name(y)
        y = validate_data(self, y=y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        _input.check_classes(self.classes_)
        if self.class_weight is not None:
            weights = compute_sample_weight(self.class_weight, y)
            if sample_weight is not None:
                weights = weights * _check_sample_weight(sample_weight, y, dtype=np.float64)
            sample_weight = weights
        target = {
            "y": codes.astype(np.float64),
            "classes": [str(label) for label in self.classes_],
            "name": name,
        }
        return self._fit(X, target, sample_weight)

    def predict_proba(self, X):
        """The probabilities of the classes.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._ask("probabilities", X)

    def predict_log_proba(self, X):
        """The logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.log(self.predict_proba(X))
