"""Learning row by row, in the order of the rows."""

import numpy as np
from scipy.special import expit, log_expit, softmax
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_y,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from . import _input, _settings
from ._classifier import ScoredClassifier
from ._gapfit import Stream


class OnlineEstimator(BaseEstimator):
    """Learners from a stream: one for numbers or two classes, else one per class."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_streams")

    def _learn(self, X, targets, *, reset, passes=1):
        """Learns from rows whose targets are the columns of an array, one per learner."""
        table = _input.read_stream(self, X, reset=reset)
        check_consistent_length(X, targets)
        targets = np.ascontiguousarray(targets.T, dtype=np.float64)
        if reset:
            self._streams = [Stream(table.names, _settings.stream(self)) for _ in targets]
        for _ in range(passes):
            for stream, target in zip(self._streams, targets, strict=True):
                stream.learn(table, target)
        self.n_rows_seen_ = self._streams[0].rows
        return self

    def _scores(self, X):
        """Predictions of every learner, a column each."""
        check_is_fitted(self)
        table = _input.read_stream(self, X, reset=False)
        return np.column_stack([stream.predict(table) for stream in self._streams])


class OnlineRegressor(RegressorMixin, OnlineEstimator):
    """Learns to predict a number from rows with holes, one row after the other.

    The weights depend on what is missing. With ``step="auto"`` there is nothing to choose: a
    combination of learners, in running units, that is nearly as good as the best of them. The result
    depends on the order of the rows, so there are no sample weights. Tables are of numbers alone:
    categories are for an encoder in front.

    Parameters
    ----------
    step : str, default="auto"
        How far a step goes: ``"auto"``, ``"coin"``, ``"adagrad"``, ``"theory"``, ``"eta=X"``,
        ``"relative=X"``, ``"anytime=R"``, ``"anytime=R,G"`` or ``"horizon=R,G,T"``.
    loss : str, default="squared"
        ``"squared"``, ``"huber=H"``, ``"absolute"`` or ``"eps-insensitive=E"``.
    psi : str or None, default=None
        What the weights may know of the holes: ``"constant"``, ``"identity"``, ``"affine"``,
        ``"subsets=P"``, ``"pattern"`` or ``"pattern=N"``. None: affine; ``"auto"`` has its own.
    units : {"raw", "unit", "standard"} or None, default=None
        In which units values are seen. None: standard for ``"coin"`` and ``"adagrad"``, else raw;
        ``"auto"`` has its own.
    radius : float, default=10
        Size of the ball for ``step="theory"``.
    passes : int, default=1
        How many times ``fit`` goes through the rows.
    sparse_missing : bool, default=False
        Whether cells that a sparse matrix does not store are missing instead of 0.

    Attributes
    ----------
    n_rows_seen_ : int
        Rows learnt from.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from gapfit import OnlineRegressor
    >>> nan = float("nan")
    >>> model = OnlineRegressor()
    >>> for _ in range(100):
    ...     model = model.partial_fit([[1.0, nan], [2.0, 1.0], [nan, 3.0]], [1.0, 2.0, 3.0])
    >>> model.n_rows_seen_
    300
    >>> bool(abs(model.predict([[2.0, 1.0]])[0] - 2.0) < 0.2)
    True
    """

    def __init__(
        self,
        *,
        step="auto",
        loss="squared",
        psi=None,
        units=None,
        radius=10.0,
        passes=1,
        sparse_missing=False,
    ):
        self.step = step
        self.loss = loss
        self.psi = psi
        self.units = units
        self.radius = radius
        self.passes = passes
        self.sparse_missing = sparse_missing

    def fit(self, X, y):
        """Learns from the rows, from scratch.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows, in their order; missing cells are NaN or None.
        y : array of shape (n_samples,)
            The target.

        Returns
        -------
        self
        """
        y = validate_data(self, y=y, y_numeric=True)
        passes = _settings.whole("passes", self.passes)
        return self._learn(X, np.asarray(y)[:, None], reset=True, passes=passes)

    def partial_fit(self, X, y):
        """Goes on learning from more rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows, in their order.
        y : array of shape (n_samples,)
            The target.

        Returns
        -------
        self
        """
        # unlike validate_data it leaves the names of the features alone
        y = _check_y(y, y_numeric=True, estimator=self)
        return self._learn(X, np.asarray(y)[:, None], reset=not hasattr(self, "_streams"))

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


def _has_probabilities(estimator):
    return estimator.loss == "logistic"


class OnlineClassifier(ScoredClassifier, OnlineEstimator):
    """Learns to tell classes apart from rows with holes, one row after the other.

    As :class:`~gapfit.OnlineRegressor`. More than two classes are learnt each against the others.

    Parameters
    ----------
    step, psi, units, radius, passes, sparse_missing
        As in :class:`~gapfit.OnlineRegressor`.
    loss : {"logistic", "hinge", "squared-hinge"}, default="logistic"
        What a wrong prediction costs; ``"logistic"`` has probabilities.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_rows_seen_, n_features_in_, feature_names_in_
        As in :class:`~gapfit.OnlineRegressor`.

    Examples
    --------
    >>> from gapfit import OnlineClassifier
    >>> nan = float("nan")
    >>> model = OnlineClassifier()
    >>> for _ in range(100):
    ...     X, y = [[1.0, nan], [-1.0, 1.0], [nan, 3.0]], ["b", "a", "b"]
    ...     model = model.partial_fit(X, y, classes=["a", "b"])
    >>> model.predict([[-1.0, nan], [1.0, 2.0]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        *,
        step="auto",
        loss="logistic",
        psi=None,
        units=None,
        radius=10.0,
        passes=1,
        sparse_missing=False,
    ):
        self.step = step
        self.loss = loss
        self.psi = psi
        self.units = units
        self.radius = radius
        self.passes = passes
        self.sparse_missing = sparse_missing

    def fit(self, X, y):
        """Learns from the rows, from scratch.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows, in their order; missing cells are NaN or None.
        y : array of shape (n_samples,)
            The class of each row.

        Returns
        -------
        self
        """
        y = validate_data(self, y=y)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        passes = _settings.whole("passes", self.passes)
        return self._learn(X, self._signs(y), reset=True, passes=passes)

    def partial_fit(self, X, y, classes=None):
        """Goes on learning from more rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows, in their order.
        y : array of shape (n_samples,)
            The class of each row.
        classes : array of shape (n_classes,), default=None
            All classes there will be; required in the first call.

        Returns
        -------
        self
        """
        y = _check_y(y, estimator=self)
        is_first = not hasattr(self, "_streams")
        if is_first and classes is None:
            raise ValueError("classes: expected all classes in the first call of partial_fit, got None")
        if is_first:
            self.classes_ = np.unique(classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes: expected {self.classes_}, as before, got {classes}")
        return self._learn(X, self._signs(y), reset=is_first)

    def _signs(self, y):
        """1 for the class of each row and -1 for others, a column per learner."""
        _input.check_classes(self.classes_)
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown) > 0:
            raise ValueError(f"y: expected the classes {self.classes_}, got {unknown[0]!r}")
        learnt = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        return np.where(np.asarray(y)[:, None] == learnt, 1.0, -1.0)

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """The probabilities of the classes; those of one against the others, scaled to add up to 1.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self._scores(X)
        if len(self.classes_) == 2:
            return expit(np.hstack([-scores, scores]))
        return softmax(log_expit(scores), axis=1)  # whose sum cannot vanish
