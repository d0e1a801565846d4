"""Learners for river: rows are dictionaries whose features come and go.

They need river: ``pip install gapfit[river]``.
"""

import numpy as np
from sklearn.utils import check_array

from . import _settings
from ._gapfit import DictStream

try:
    from river import base
except ImportError as error:
    raise ImportError("gapfit.river needs river, which pip install gapfit[river] installs") from error

__all__ = ["MaskClassifier", "MaskRegressor"]


class _Mask:
    """What both learners share: parameters, and rows on their way into the compiled module."""

    def __init__(self, step, loss, psi, units, radius):
        self.step = step
        self.loss = loss
        self.psi = psi
        self.units = units
        self.radius = radius
        self._stream = DictStream(_settings.stream(self))

    @property
    def n_rows_seen(self):
        """The number of rows learnt from."""
        return self._stream.rows

    def _learn_many(self, X, y, w):
        y = np.asarray(y, dtype=np.float64)
        weights = np.broadcast_to(np.asarray(w, dtype=np.float64), y.shape)
        if y.shape != (len(X),):
            raise ValueError(f"y: expected {len(X)} targets, one per row, got {y.shape}")
        self._stream.learn_many(*_cells(X), y, weights)

    def _predict_many(self, X):
        return self._stream.predict_many(*_cells(X))


class MaskRegressor(_Mask, base.MiniBatchRegressor):
    """Linear regression whose weights depend on what is missing.

    A feature whose key is absent, or whose value is None or NaN, is missing. Features may come later
    and go away. Values are seen in running units and the length of a step is relative to that of the
    row, so there is neither a scaler to put in front nor a learning rate to choose.

    Parameters
    ----------
    step
        How far a step goes: ``"relative=X"`` takes the part X of the error of the row away;
        ``"auto"``, a combination of some thirty learners, mostly predicts better and takes many
        times longer; or one of the other steps of :class:`gapfit.OnlineRegressor`.
    loss
        ``"squared"``, ``"huber=H"``, ``"absolute"`` or ``"eps-insensitive=E"``.
    psi
        What the weights may know of the holes: ``"affine"`` (None) has a shift of all weights for each
        missing feature, which takes the square of the number of features; ``"constant"`` nothing,
        which is for rows of thousands of features, such as words.
    units
        In which units values are seen: ``"standard"``, ``"unit"`` or ``"raw"``; ``"auto"`` has its
        own.
    radius
        Size of the ball for ``step="theory"``.

    Attributes
    ----------
    n_rows_seen : int
        Rows learnt from.

    Examples
    --------
    >>> from gapfit.river import MaskRegressor
    >>> from river import datasets, evaluate, metrics
    >>> model = MaskRegressor()
    >>> evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    MAE: ...

    A row without ``age`` is not one of age 0: its weights are others.

    >>> model = MaskRegressor()
    >>> for _ in range(300):
    ...     model.learn_one({"size": 2.0, "age": 1.0}, 3.0)
    ...     model.learn_one({"size": 1.0, "age": 3.0}, 1.0)
    ...     model.learn_one({"size": 3.0}, 7.0)
    ...     model.learn_one({"size": 1.0, "age": None}, 5.0)
    >>> round(model.predict_one({"size": 3.0}), 2), round(model.predict_one({"size": 2.0, "age": 1.0}), 2)
    (7.0, 3.0)
    """

    def __init__(self, step="relative=0.25", loss="squared", psi=None, units="standard", radius=10.0):
        super().__init__(step, loss, psi, units, radius)

    def learn_one(self, x, y, w=1.0):
        """Learns from a row.

        Parameters
        ----------
        x
            The features.
        y
            The target.
        w
            Weight of the row: 2 makes its loss count twice, 0 makes it no row at all.
        """
        self._stream.learn_one(x, y, w)

    def predict_one(self, x):
        """The prediction for a row.

        Parameters
        ----------
        x
            The features; those that were never seen count for nothing.
        """
        return self._stream.predict_one(x)

    def learn_many(self, X, y, w=1.0):
        """Learns from rows one after the other, as :meth:`learn_one` does.

        Parameters
        ----------
        X
            A data frame of features.
        y
            The targets.
        w
            Weights of the rows, or one for all.
        """
        self._learn_many(X, y, w)

    def predict_many(self, X):
        """The predictions for rows, as :meth:`predict_one` makes them.

        Parameters
        ----------
        X
            A data frame of features.
        """
        return _series(self._predict_many(X), X)


class MaskClassifier(_Mask, base.MiniBatchClassifier):
    """Logistic regression whose weights depend on what is missing.

    As :class:`MaskRegressor`, for the classes False and True. More classes are told apart by river's
    ``multiclass.OneVsRestClassifier`` around it.

    Parameters
    ----------
    step, psi, units, radius
        As in :class:`MaskRegressor`.
    loss
        ``"logistic"``, which has probabilities, ``"hinge"`` or ``"squared-hinge"``.

    Attributes
    ----------
    n_rows_seen : int
        Rows learnt from.

    Examples
    --------
    >>> from gapfit.river import MaskClassifier
    >>> from river import datasets, evaluate, metrics
    >>> model = MaskClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 8...%
    >>> sorted(model.predict_proba_one({"empty_server_form_handler": 1.0}))
    [False, True]
    """

    def __init__(self, step="relative=0.25", loss="logistic", psi=None, units="standard", radius=10.0):
        super().__init__(step, loss, psi, units, radius)

    def learn_one(self, x, y, w=1.0):
        """Learns from a row.

        Parameters
        ----------
        x
            The features.
        y
            The class: False or True, or 0 or 1.
        w
            Weight of the row: 2 makes its loss count twice, 0 makes it no row at all.
        """
        self._stream.learn_one(x, _sign(y), w)

    def predict_one(self, x):
        """The class that a row most likely has.

        Parameters
        ----------
        x
            The features; those that were never seen count for nothing.
        """
        return self._stream.predict_one(x) > 0

    def predict_proba_one(self, x):
        """The probabilities of the classes.

        Parameters
        ----------
        x
            The features.
        """
        self._check_probabilities()
        no, yes = self._stream.predict_proba_one(x)
        return {False: no, True: yes}

    def learn_many(self, X, y, w=1.0):
        """Learns from rows one after the other, as :meth:`learn_one` does.

        Parameters
        ----------
        X
            A data frame of features.
        y
            The classes.
        w
            Weights of the rows, or one for all.
        """
        self._learn_many(X, [_sign(label) for label in y], w)

    def predict_many(self, X):
        """The classes of rows, as :meth:`predict_one` has them.

        Parameters
        ----------
        X
            A data frame of features.
        """
        return _series(self._predict_many(X) > 0, X)

    def predict_proba_many(self, X):
        """The probabilities of the classes of rows, as :meth:`predict_proba_one` has them.

        Parameters
        ----------
        X
            A data frame of features.
        """
        import pandas as pd

        self._check_probabilities()
        shares = self._stream.predict_proba_many(*_cells(X))
        return pd.DataFrame(shares, columns=[False, True], index=X.index)

    def _check_probabilities(self):
        if self.loss != "logistic":
            raise NotImplementedError(f"probabilities: expected loss='logistic', got {self.loss!r}")


def _cells(X):
    """The names of the columns of a data frame, and its cells."""
    cells = check_array(X, dtype=np.float64, ensure_all_finite=False, ensure_min_samples=0)
    return list(X.columns), cells


def _series(values, X):
    import pandas as pd

    return pd.Series(values, index=X.index)


def _sign(label):
    """1 for True, -1 for False."""
    if label in (False, True):
        return 1.0 if label else -1.0
    raise ValueError(
        f"y: expected False or True, got {label!r}; more classes are for "
        "multiclass.OneVsRestClassifier around this one"
    )
