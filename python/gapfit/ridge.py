"""Imputed ridge regression."""

from ._base import BatchRegressor, Imputed


class ImputedRidge(Imputed, BatchRegressor):
    """Ridge regression that takes holes and learns from them.

    The weights depend on what is missing: ``coef_`` where everything is observed, shifted by a
    column of ``shift_`` for each feature that is not. Holes are filled by ``base`` before that, and
    the penalty lets the shifts mean what a learnt imputation would. The fit comes with a certificate:
    ``dual_gap_`` says how far from optimal it can be.

    Parameters
    ----------
    alpha : float or None, default=None
        Weight of the penalty. None: tuned inside ``fit`` by cross-validation.
    gamma : float or None, default=None
        How much may be learnt from the holes; 0 leaves the base alone. None: tuned.
    base : {"auto", "zero", "mean", "independent", "gaussian"}, default="auto"
        What holes are filled by. ``"auto"`` is the one that does best in cross-validation, or
        ``"mean"`` if both ``alpha`` and ``gamma`` are given.
    loss : str, default="squared"
        ``"squared"``, or ``"huber=H"`` for a target with outliers.
    scale : {"standard", "minmax", "none"}, default="standard"
        Unit of the columns, which the penalty sees.
    clip : float, default=0.002
        Observed cells are cut at this quantile and its mirror image; 0 is off.
    fit_intercept : bool or "penalised", default=True
        Whether there is a constant, and whether it is penalised like the weights.
    cv : int, splitter or iterable of splits, default=5
        Folds of the tuning. An int shuffles by ``random_state``.
    tol : float, default=1e-8
        Relative duality gap to reach.
    max_iter : int, default=200
        Newton steps at most.
    sparse_missing : bool, default=False
        Whether cells that a sparse matrix does not store are missing instead of 0.
    random_state : int, RandomState or None, default=0
        Decides the folds; an int gives the same result every time, and that of ``gapfit fit --seed``.
    n_jobs : int or None, default=None
        Threads, as joblib counts them. The result does not depend on it.
    verbose : bool, default=False
        Whether to say on standard error how far tuning has come.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights with everything observed, in the units of the columns.
    intercept_ : float
        The constant.
    alpha_, gamma_ : float
        The parameters, as given or tuned.
    base_ : str
        The base, as given or chosen.
    dual_gap_ : float
        Certified relative distance from the optimum.
    n_iter_ : int
        Newton steps.
    missing_rate_ : ndarray of shape (n_features,)
        The share of training rows in which each feature is missing, weighted.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from gapfit import ImputedRidge
    >>> nan = float("nan")
    >>> X = [[1.0, 2.0], [2.0, nan], [nan, 1.0], [4.0, 3.0], [5.0, nan], [6.0, 2.0]]
    >>> y = [3.0, 3.5, 2.5, 7.0, 7.5, 8.0]
    >>> model = ImputedRidge(alpha=0.01, gamma=1.0).fit(X, y)
    >>> bool(model.dual_gap_ <= 1e-8)
    True
    >>> model.predict([[nan, nan]]).shape
    (1,)
    """

    def __init__(
        self,
        alpha=None,
        gamma=None,
        *,
        base="auto",
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
        self.gamma = gamma
        self.base = base
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
