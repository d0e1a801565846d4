"""Pictures of holes and of what they do to the weights, in the style of scikit-learn's displays."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _input


def _axes(ax):
    """Axes to draw on."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        message = "displays need matplotlib: pip install 'gapfit[matplotlib]'"
        raise ImportError(message) from error
    return plt.subplots()[1] if ax is None else ax


class MissingnessDisplay:
    """How often each feature is missing.

    Parameters
    ----------
    missing_rate : ndarray of shape (n_features,)
        The share of rows in which each feature is missing.
    feature_names : list of str
        Names of the features.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, after ``plot``.
    figure_ : matplotlib Figure
        Its figure.

    Examples
    --------
    >>> import numpy as np
    >>> from gapfit import MissingnessDisplay
    >>> display = MissingnessDisplay(np.array([0.25, 0.5]), ["age", "income"])
    >>> display.missing_rate.max()
    np.float64(0.5)
    """

    def __init__(self, missing_rate, feature_names):
        self.missing_rate = missing_rate
        self.feature_names = feature_names

    @classmethod
    def from_estimator(cls, estimator, *, max_features=30, ax=None, **bar_kw):
        """Draws the holes of the rows that an estimator was fitted to.

        Parameters
        ----------
        estimator : fitted estimator
            One with ``missing_rate_``.
        max_features, ax, **bar_kw
            As in :meth:`plot`.

        Returns
        -------
        MissingnessDisplay
        """
        check_is_fitted(estimator)
        names = estimator._model.feature_names
        return cls(estimator.missing_rate_, names).plot(max_features=max_features, ax=ax, **bar_kw)

    @classmethod
    def from_data(cls, X, *, max_features=30, ax=None, **bar_kw):
        """Draws the holes of a table.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.
        max_features, ax, **bar_kw
            As in :meth:`plot`.

        Returns
        -------
        MissingnessDisplay
        """
        names, rates = _input.missing_rates(X)
        return cls(rates, names).plot(max_features=max_features, ax=ax, **bar_kw)

    def plot(self, *, max_features=30, ax=None, **bar_kw):
        """Draws a bar for each feature, the one missing most often on top.

        Parameters
        ----------
        max_features : int, default=30
            Features to draw, at most.
        ax : matplotlib Axes, default=None
            Where to draw; new ones unless given.
        **bar_kw
            For ``ax.barh``.

        Returns
        -------
        MissingnessDisplay
            Itself.
        """
        ax = _axes(ax)
        order = np.argsort(self.missing_rate, kind="stable")[-max_features:]
        names = [self.feature_names[j] for j in order]
        ax.barh(names, self.missing_rate[order], **bar_kw)
        ax.set(xlabel="share of rows in which it is missing", xlim=(0, 1))
        if len(order) < len(self.missing_rate):
            ax.set_title(f"the {len(order)} of {len(self.missing_rate)} features with most holes")
        self.ax_, self.figure_ = ax, ax.figure
        return self


class WeightShiftDisplay:
    """How weights shift when features are missing.

    Parameters
    ----------
    shift : ndarray of shape (n_features, n_features)
        Column k is added to the weights when feature k is missing.
    feature_names : list of str
        Names of the features.
    scale : ndarray of shape (n_features,), default=None
        Units of the features; shifts are drawn for a change by one unit.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, after ``plot``.
    figure_ : matplotlib Figure
        Its figure.
    image_ : matplotlib AxesImage
        The picture.

    Examples
    --------
    >>> import numpy as np
    >>> from gapfit import WeightShiftDisplay
    >>> WeightShiftDisplay(np.eye(2), ["age", "income"]).shift.shape
    (2, 2)
    """

    def __init__(self, shift, feature_names, scale=None):
        self.shift = shift
        self.feature_names = feature_names
        self.scale = np.ones(len(feature_names)) if scale is None else scale

    @classmethod
    def from_estimator(cls, estimator, *, class_index=0, max_features=20, ax=None, **image_kw):
        """Draws the shifts that an estimator learnt.

        Parameters
        ----------
        estimator : fitted estimator
            One with ``shift_``.
        class_index : int, default=0
            Which row of ``coef_``, of a classifier.
        max_features, ax, **image_kw
            As in :meth:`plot`.

        Returns
        -------
        WeightShiftDisplay
        """
        check_is_fitted(estimator)
        shift = estimator.shift_
        shift = shift[class_index] if shift.ndim == 3 else shift
        model = estimator._model
        display = cls(shift, model.feature_names, model.units)
        return display.plot(max_features=max_features, ax=ax, **image_kw)

    def plot(self, *, max_features=20, ax=None, **image_kw):
        """Draws a square for each pair: the weight of the row when the column is missing.

        Parameters
        ----------
        max_features : int, default=20
            Features to draw, at most: those with the largest shifts.
        ax : matplotlib Axes, default=None
            Where to draw; new ones unless given.
        **image_kw
            For ``ax.imshow``.

        Returns
        -------
        WeightShiftDisplay
            Itself.
        """
        ax = _axes(ax)
        shift = self.shift * np.asarray(self.scale)[:, None]
        size = np.abs(shift).max(axis=0) + np.abs(shift).max(axis=1)
        chosen = np.sort(np.argsort(-size, kind="stable")[:max_features])
        names = [self.feature_names[j] for j in chosen]
        shown = shift[np.ix_(chosen, chosen)]
        end = np.abs(shown).max() or 1.0
        options = {"cmap": "RdBu_r", "vmin": -end, "vmax": end} | image_kw
        self.image_ = ax.imshow(shown, **options)
        ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
        ax.set_yticks(range(len(names)), names)
        ax.set(xlabel="when this is missing", ylabel="the weight of this shifts by")
        ax.figure.colorbar(self.image_, ax=ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self
