"""Tables of every kind on their way into the compiled module.

What counts as missing:

==============  ===========================================================================
numpy, lists    NaN; None in lists and arrays of objects
pandas          NaN, None, ``pd.NA`` and ``NaT``, whatever the dtype
polars          null and NaN
pyarrow         null and NaN
scipy.sparse    NaN that is stored; with ``sparse_missing=True`` what is not stored, else 0
==============  ===========================================================================

In columns of text, the empty text and the marks of ``gapfit fit`` (``NA``, ``N/A``, ``NaN``, ``nan``,
``null``, ``None``, ``?``) are missing, too. Texts that are numbers are read as numbers.
"""

import warnings

import numpy as np
import scipy.sparse
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils.validation import _num_samples, validate_data

from ._gapfit import Table, encode_frame, read_frame
from .exceptions import DataWarning


def read(estimator, X, *, model=None, min_rows=1):
    """The rows of ``X`` as a table: as ``model`` knows their columns, or without one to be learnt."""
    if is_arrow(X):
        return _read_frame(estimator, X, model, min_rows)
    if model is not None and not model.is_numeric:
        raise TypeError(f"X: expected a data frame with the columns of the fit, got {type(X)}")
    return read_numbers(estimator, X, reset=model is None, min_rows=min_rows)


def read_numbers(estimator, X, *, reset, min_rows=1):
    """The rows of ``X``, all of whose columns are numbers."""
    names = _names(X)
    booleans = _booleans(X) if names is not None else []
    cells = validate_data(
        estimator,
        X,
        reset=reset,
        dtype=np.float64,
        accept_sparse=True,
        # what is infinite is found on the way, with its row and column
        ensure_all_finite=False,
        ensure_min_samples=min_rows,
    )
    if scipy.sparse.issparse(cells):
        cells = _dense(cells, estimator.sparse_missing)
    return Table.from_array(cells, names, booleans)


def read_stream(estimator, X, *, reset):
    """The rows of a table of any kind, all of whose columns are numbers."""
    if not is_arrow(X):
        return read_numbers(estimator, X, reset=reset)
    _check_frame(estimator, X, reset=reset, min_rows=1)
    return read_frame(X, numbers_only=True)


def without_idle(X, target, settings):
    """The rows of weight, with their targets and folds: others have no say in what columns are."""
    is_busy = target["weights"] > 0
    place = np.cumsum(is_busy) - 1
    cv = settings["cv"]
    if not isinstance(cv, int):
        cv = [tuple(place[side[is_busy[side]]] for side in fold) for fold in cv]
    kept = {key: target[key][is_busy] for key in ("y", "weights")}
    return _safe_indexing(X, np.flatnonzero(is_busy)), target | kept, settings | {"cv": cv}


def n_rows(X):
    """The number of rows."""
    return _num_samples(X)


def read_plain(X):
    """The rows of ``X`` where there is no estimator to tell about its columns."""
    if is_arrow(X):
        return read_frame(X)
    names = _names(X)
    booleans = _booleans(X) if names is not None else []
    cells = check_array(X, dtype=np.float64, accept_sparse=False, ensure_all_finite=False)
    return Table.from_array(cells, names, booleans)


def missing_rates(X):
    """The names of the features of a table, and the share of rows in which each is missing."""
    table = read_plain(X)
    return table.names, table.missing_rate


def target_name(y):
    """The name of a target that has one, such as a column of a data frame."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else "y"


def is_arrow(X):
    """Whether ``X`` comes through Arrow: a data frame, unless pandas has it as plain numbers."""
    is_frame = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")
    if not is_frame or len(getattr(X, "shape", ())) != 2:
        return False
    dtypes = getattr(X, "dtypes", [None])
    return not all(getattr(dtype, "kind", "O") in "biufc" for dtype in dtypes)


def _check_frame(estimator, X, *, reset, min_rows):
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    if _num_samples(X) < min_rows:
        raise ValueError(
            f"Found array with {_num_samples(X)} sample(s) (shape={X.shape}) while a minimum of "
            f"{min_rows} is required."
        )


def _read_frame(estimator, X, model, min_rows):
    _check_frame(estimator, X, reset=model is None, min_rows=min_rows)
    if model is None:
        return read_frame(X)
    table, unseen = encode_frame(X, model)
    warn_unseen(unseen, stacklevel=5)
    return table


def warn_unseen(unseen, *, stacklevel):
    """Says which columns have levels that are not known."""
    for name, count in unseen:
        cells = "1 cell" if count == 1 else f"{count} cells"
        text = f"column {name!r}: {cells} with a category that training did not have, now missing"
        warnings.warn(text, DataWarning, stacklevel=stacklevel)


def check_classes(classes):
    """Refuses a target of fewer than two classes."""
    if len(classes) < 2:
        got = f"one class: {classes[0]!r}" if len(classes) else "0 sample(s)"
        raise ValueError(f"y: expected two classes or more, got {got}")


def _names(X):
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return list(columns)


def _booleans(X):
    return [j for j, dtype in enumerate(X.dtypes) if getattr(dtype, "kind", "O") == "b"]


def _dense(cells, sparse_missing):
    """A sparse matrix with every cell; what is not stored is 0 or missing."""
    if not sparse_missing:
        return cells.toarray()
    stored = cells.tocoo()
    dense = np.full(stored.shape, np.nan)
    dense[stored.row, stored.col] = stored.data
    return dense
