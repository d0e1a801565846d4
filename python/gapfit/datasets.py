"""Tables to try things on, and holes to punch into tables.

==========================  =========================================================================
:func:`load_abalone`        rings of a shell from its size and weights; complete
:func:`load_housing`        median house value of Californian block groups; complete
:func:`load_wine`           taste score from laboratory tests; complete
:func:`load_hypothyroid`    ill or well, from what a clinic measured; with holes by nature
:func:`load_optdigits`      digits from images of 8 x 8 pixels; complete
:func:`load_splice`         junctions or none in stretches of DNA; a few holes by nature
:func:`make_missing`        the table with holes, by one of nine mechanisms
==========================  =========================================================================

The sets come with the package. Rows are in the order of the source, and some sources are sorted: shuffle
before any split.
"""

import numpy as np
from sklearn.utils import Bunch, check_array

from . import _gapfit, _settings

__all__ = [
    "load_abalone",
    "load_housing",
    "load_hypothyroid",
    "load_optdigits",
    "load_splice",
    "load_wine",
    "make_missing",
]

_PARAMETERS = """

    Parameters
    ----------
    return_X_y : bool, default=False
        Whether to return ``(data, target)`` alone.
    as_frame : bool, default=False
        Whether data and target are of pandas.

    Returns
    -------
    Bunch
        With ``data``, ``target``, ``frame`` (both, or None), ``feature_names``, ``target_names``, ``DESCR``,
        ``source`` (who made it) and ``licence`` (as the source states it; that of the package does not extend
        to it).
    """


def _loader(name, what, is_class=False):
    """The function that loads a set."""

    def load(*, return_X_y=False, as_frame=False):
        found = _gapfit.load_dataset(name)
        data, target = found["data"], found["target"]
        if is_class:
            target = target.astype(np.int64)
        names, own = found["feature_names"], found["target_name"]
        frame = None
        if as_frame:
            import pandas as pd

            frame = pd.DataFrame(data, columns=names).assign(**{own: target})
            data, target = frame[names], frame[own]
        if return_X_y:
            return data, target
        description = f"{found['description']}\n\nSource: {found['source']}\nLicence: {found['licence']}\n"
        return Bunch(
            data=data,
            target=target,
            frame=frame,
            feature_names=names,
            target_names=[own],
            DESCR=description,
            source=found["source"],
            licence=found["licence"],
        )

    load.__name__ = load.__qualname__ = f"load_{name}"
    load.__doc__ = what + _PARAMETERS
    return load


load_abalone = _loader("abalone", "Age, as rings of an abalone's shell, from seven measurements.")
load_housing = _loader("housing", "Median house value of Californian block groups from eight census figures.")
load_wine = _loader("wine", "Taste score of Portuguese wines from eleven laboratory tests, red ones first.")
load_hypothyroid = _loader(
    "hypothyroid",
    "Ill (1) or well (-1) from age, sex, history and hormones, of which many were not measured.",
    is_class=True,
)
load_optdigits = _loader("optdigits", "Handwritten digits from the 8 x 8 pixels of an image.", is_class=True)
load_splice = _loader(
    "splice",
    "Stretches of 60 bases of DNA with a splice junction (-1) or without (1); A, G, C, T are 1 to 4.",
    is_class=True,
)


def make_missing(X, mechanism="mcar", *, rate=None, beta=None, columns=None, random_state=0):
    """The table with holes punched into it, and which cells are left.

    The holes are those of ``gapfit corrupt`` with the same seed. What was missing stays missing.

    Parameters
    ----------
    X : array or pandas data frame of shape (n_samples, n_features)
        The table, all numbers.
    mechanism : str, default="mcar"
        Which cells go missing:

        - ``"mcar"``: any;
        - ``"mar"``: by the values of columns that stay observed;
        - ``"selfmask-logistic"``, ``"selfmask-probit"``: large values, the latter gently;
        - ``"selfmask-gaussian"``: values about two standard deviations above the mean;
        - ``"quantile"``: the largest of each column, most of them;
        - ``"independent"``: any, each column with a chance of its own up to ``beta``;
        - ``"dependent"``: values on one side of a threshold of each column, with the chance ``beta``;
        - ``"columns"``: in each row one of the groups ``columns``, as a whole.
    rate : float
        Expected share of the observed cells of each column to go missing.
    beta : float
        The largest chance of a cell, for ``"independent"`` and ``"dependent"``.
    columns : list of lists of int or str
        Groups of columns, by number or by name, for ``"columns"``.
    random_state : int, RandomState or None, default=0
        The seed.

    Returns
    -------
    X : ndarray or pandas data frame
        A copy with NaN in the holes.
    observed : ndarray of bool, of the same shape
        True where a cell is observed.

    Examples
    --------
    >>> import numpy as np
    >>> from gapfit.datasets import load_abalone, make_missing
    >>> X, y = load_abalone(return_X_y=True)
    >>> holey, observed = make_missing(X, "mcar", rate=0.3)
    >>> float(round(1 - observed.mean(), 2))
    0.3
    >>> bool(np.array_equal(np.isnan(holey), ~observed))
    True
    """
    cells = check_array(X, dtype=np.float64, ensure_all_finite=False, copy=True)
    names = list(getattr(X, "columns", range(cells.shape[1])))
    if columns is not None:
        columns = [[_place(column, names) for column in group] for group in columns]
    how = {
        "mechanism": _settings.word("mechanism", mechanism),
        "rate": _settings.number("rate", rate, "a number or None"),
        "beta": _settings.number("beta", beta, "a number or None"),
        "columns": columns,
    }
    observed = _gapfit.punch(_gapfit.Table.from_array(cells), how, _settings.seed(random_state))
    if hasattr(X, "where") and hasattr(X, "iloc"):
        return X.where(observed), observed
    cells[~observed] = np.nan
    return cells, observed


def _place(column, names):
    """The number of a column, given by number or by name."""
    if column in names:
        return names.index(column)
    if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
        return int(column)
    raise ValueError(f"columns: expected columns of X, got {column!r}")
