"""Fits and predictions on Dask.

A partition becomes :class:`gapfit.Statistics` where it is, those are added up a few at a time, and the model is that of
one machine, however the rows are parted. The rows are read twice: once for what the columns are and for a sample that
settles units, once for the sums; ``ddf.persist()`` what is costly to make.

It needs dask, on the workers as on the client: ``pip install gapfit[dask]``.
"""

import functools

try:
    import dask
except ImportError as error:
    raise ImportError("gapfit.dask needs dask, which pip install gapfit[dask] installs") from error

import numpy as np
import pyarrow as pa

from ._distributed import FAN, FEW, SAMPLE, features_of, fitted, names_of
from .statistics import Columns, Statistics

__all__ = ["fit", "predict", "statistics"]


def fit(ddf, features, target, *, weight=None, estimator=None):
    """Fits an estimator to the rows of a DataFrame.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        The rows. Null and NaN are missing, texts are categories; rows without a target are left out.
    features : list of str
        The columns to learn from.
    target : str
        The column to predict.
    weight : str, default=None
        The column of row weights.
    estimator : ImputedRidge, ImputeThenRidge, MaskRidge or LiftedRidge, default=None
        What is fitted, with the squared loss; None is ``ImputedRidge()``. It is not changed.

    Returns
    -------
    estimator
        A fitted copy, which predicts on this machine; :func:`predict` does so on the workers.
    """
    return fitted(estimator, functools.partial(statistics, ddf, features, target, weight=weight))


def statistics(ddf, features, target, *, weight=None, clip=0.002, tuning=True):
    """The statistics of the rows of a DataFrame.

    Parameters
    ----------
    ddf, features, target, weight
        As in :func:`fit`.
    clip, tuning
        As in :meth:`gapfit.Statistics.from_arrow`.

    Returns
    -------
    gapfit.Statistics
    """
    names = names_of(features, target, weight)
    roles, how = {"target": target, "weight": weight}, {"clip": clip, "tuning": tuning}
    parts = [_rows(part, target) for part in ddf[names].to_delayed()]
    most = max(FEW, 2 * SAMPLE) // len(parts) + 1
    looks = dask.compute(*(_look(part, roles, most) for part in parts))
    sizes, samples, columns = zip(*looks)
    n_rows, columns = sum(sizes), sum(columns)
    if n_rows <= FEW:
        return Statistics.from_arrow(_joined(dask.compute(*parts)), **roles, **how, columns=columns)
    # of a partition as large a share as it has of the rows
    samples = [sample[: -(-SAMPLE * size // n_rows)] for size, sample in zip(sizes, samples)]
    sample = Statistics.from_arrow(_joined(samples), **roles, **how, columns=columns)
    like = sample._inner.emptied().to_bytes()
    sums = [_sum_up(part, roles, like) for part in parts]
    while len(sums) > 1:
        sums = [_add(sums[i : i + FAN]) for i in range(0, len(sums), FAN)]
    return sums[0].compute()


def predict(model, ddf, *, output="prediction"):
    """The DataFrame with a column of predictions.

    Parameters
    ----------
    model : fitted estimator of numbers
        One of :func:`fit`, of another ``fit`` or of :func:`gapfit.load`.
    ddf : dask.dataframe.DataFrame
        Rows that have the columns of the fit, and may have others.
    output : str, default="prediction"
        The name of the new column.

    Returns
    -------
    dask.dataframe.DataFrame
    """
    features_of(model, ddf.columns, output, "ddf")
    meta = ddf._meta.assign(**{output: 0.0})
    return ddf.map_partitions(_predicted, model, output, meta=meta)


def _joined(tables):
    """The rows of all tables; columns without a single text have no type of their own."""
    return pa.concat_tables(tables, promote_options="permissive")


# What follows runs on workers.


@dask.delayed
def _rows(part, target):
    """The rows that have a target."""
    return pa.Table.from_pandas(part[part[target].notna()], preserve_index=False)


@dask.delayed
def _look(rows, roles, most):
    """How many rows there are, at most so many of them, shuffled, and what the columns are."""
    picked = np.random.default_rng(0).permutation(len(rows))[:most]
    return len(rows), rows.take(picked), Columns.from_arrow(rows, **roles)


@dask.delayed
def _sum_up(rows, roles, like):
    # dask runs a task for each core
    return Statistics.from_arrow(rows, **roles, like=Statistics.from_bytes(like), n_jobs=1)


@dask.delayed
def _add(parts):
    return sum(parts)


def _predicted(part, model, output):
    features = part[list(model.feature_names_in_)]
    return part.assign(**{output: model.predict(features) if len(part) else 0.0})
