"""Simpler ridge regressions for tables with holes, to compare with."""

from . import _settings
from ._base import BatchRegressor


class PlainRidge(BatchRegressor):
    """Ridge regression on features made from rows with holes; what they are, subclasses say."""

    def __init__(
        self,
        alpha=None,
        *,
        loss="squared",
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
        self.loss = loss
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


class MaskRidge(PlainRidge):
    """Ridge regression on mean-filled rows and an indicator for each feature that has holes.

    Each missing feature shifts the intercept, and nothing else. The parameters are those of
    :class:`~gapfit.ImputedRidge`, without ``gamma`` and ``base``.

    Examples
    --------
    >>> from gapfit import MaskRidge
    >>> nan = float("nan")
    >>> model = MaskRidge(alpha=0.1).fit([[1.0], [nan], [3.0], [nan]], [1.0, 9.0, 3.0, 8.0])
    >>> bool(model.predict([[nan]])[0] > 6)
    True
    """

    _method = "mask"


class LiftedRidge(PlainRidge):
    """Ridge regression on the features of :class:`~gapfit.ImputedRidge`, under a plain penalty.

    Each missing feature shifts every weight, as there; but all weights are penalised alike. The
    parameters are those of :class:`~gapfit.ImputedRidge`, without ``gamma`` and ``base``.

    Examples
    --------
    >>> from gapfit import LiftedRidge
    >>> nan = float("nan")
    >>> X = [[1.0, 2.0], [2.0, nan], [nan, 1.0], [4.0, 3.0]]
    >>> LiftedRidge(alpha=0.1).fit(X, [3.0, 3.5, 2.5, 7.0]).shift_.shape
    (2, 2)
    """

    _method = "lifted"


class ImputeThenRidge(PlainRidge):
    """Holes filled by a base imputer, then ridge regression: nothing is learnt from the holes.

    Parameters
    ----------
    alpha : float or None, default=None
        Weight of the penalty. None: tuned inside ``fit`` by cross-validation.
    base : {"zero", "mean", "independent", "gaussian"}, default="mean"
        What holes are filled by.
    **others
        As in :class:`~gapfit.ImputedRidge`.

    Examples
    --------
    >>> from gapfit import ImputeThenRidge
    >>> nan = float("nan")
    >>> model = ImputeThenRidge(alpha=1e-6).fit([[1.0], [nan], [3.0]], [1.0, 2.0, 3.0])
    >>> model.predict([[nan]]).round(3).tolist()
    [2.0]
    """

    def __init__(
        self,
        alpha=None,
        *,
        base="mean",
        loss="squared",
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
        super().__init__(
            alpha,
            loss=loss,
            scale=scale,
            clip=clip,
            fit_intercept=fit_intercept,
            cv=cv,
            tol=tol,
            max_iter=max_iter,
            sparse_missing=sparse_missing,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.base = base

    @property
    def _method(self):
        return _settings.word("base", self.base)
