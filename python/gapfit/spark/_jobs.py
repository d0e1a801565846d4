"""The jobs: sums of partitions, their sum, and predictions."""

import functools
import itertools

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .. import _gapfit
from .._distributed import FAN, FEW, SAMPLE, features_of, fitted, names_of
from ..statistics import Columns, Statistics

_BYTES = T.StructType([T.StructField("part", T.BinaryType())])


def fit(df, features, target, *, weight=None, estimator=None):
    """Fits an estimator to the rows of a DataFrame.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The rows. Null and NaN are missing; texts are categories, also missing where they are a mark such as ``NA``.
        Rows without a target are left out.
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
        A fitted copy, which predicts on this machine; :func:`predict` does so on the cluster.

    Examples
    --------
    >>> from gapfit import ImputedRidge
    >>> from gapfit.spark import fit, predict
    >>> def example(df):
    ...     model = fit(df, ["size", "colour"], "price", estimator=ImputedRidge(base="mean"))
    ...     model.save("price.gapfit")
    ...     return predict(model, df)
    """
    return fitted(estimator, functools.partial(statistics, df, features, target, weight=weight))


def statistics(df, features, target, *, weight=None, clip=0.002, tuning=True):
    """The statistics of the rows of a DataFrame.

    Parameters
    ----------
    df, features, target, weight
        As in :func:`fit`.
    clip, tuning
        As in :meth:`gapfit.Statistics.from_arrow`.

    Returns
    -------
    gapfit.Statistics
    """
    names = names_of(features, target, weight)
    rows = df.select(*map(_column, names)).where(_is_there(df, target))
    counts = rows.groupBy(F.spark_partition_id().alias("partition")).count().collect()
    n_rows = sum(row["count"] for row in counts)
    roles, how = {"target": target, "weight": weight}, {"clip": clip, "tuning": tuning}
    if n_rows <= FEW:
        return Statistics.from_arrow(rows.toArrow(), **roles, **how)
    columns = _columns(rows, roles, len(counts)) if _has_texts(rows, features) else None
    sample = rows.sample(fraction=min(1.0, SAMPLE / n_rows), seed=0).toArrow()
    sample = Statistics.from_arrow(sample, **roles, **how, columns=columns)
    like = sample._inner.emptied().to_bytes()
    return _total(_mapped(rows, _sums, _BYTES, like=like, roles=roles), len(counts), Statistics)


def predict(model, df, *, output="prediction"):
    """The DataFrame with a column of predictions.

    Parameters
    ----------
    model : fitted estimator of numbers
        One of :func:`fit`, of another ``fit`` or of :func:`gapfit.load`.
    df : pyspark.sql.DataFrame
        Rows that have the columns of the fit, and may have others.
    output : str, default="prediction"
        The name of the new column.

    Returns
    -------
    pyspark.sql.DataFrame
    """
    features = features_of(model, df.columns, output, "df")
    shared = df.sparkSession.sparkContext.broadcast(model._model.to_bytes())
    schema = T.StructType([*df.schema.fields, T.StructField(output, T.DoubleType())])
    return _mapped(df, _predictions, schema, model=shared, features=features, output=output)


def _column(name):
    """The column of this very name, dots and all."""
    return F.col("`" + name.replace("`", "``") + "`")


def _is_there(df, name):
    """Whether a cell is neither null nor NaN."""
    column = _column(name)
    is_float = isinstance(df.schema[name].dataType, (T.FloatType, T.DoubleType))
    return column.isNotNull() & ~F.isnan(column) if is_float else column.isNotNull()


def _has_texts(df, features):
    return any(isinstance(df.schema[name].dataType, T.StringType) for name in features)


def _columns(rows, roles, n_parts):
    """What the columns are, found in all rows. Numbers say nothing about that and stay where they are."""
    kept = (roles["target"], roles["weight"])

    def look(field):
        is_number = isinstance(field.dataType, T.NumericType) and field.name not in kept
        return F.lit(None).alias(field.name) if is_number else _column(field.name)

    looked_at = rows.select(*map(look, rows.schema.fields))
    return _total(_mapped(looked_at, _contents, _BYTES, roles=roles), n_parts, Columns)


def _mapped(df, work, schema, **given):
    """What ``work`` makes of the batches of each partition. Names are left out on the way: dots in them mislead."""
    numbered = df.toDF(*map(str, range(len(df.columns))))
    return numbered.mapInArrow(functools.partial(_named, work=work, names=df.columns, **given), schema)


def _total(parts, n_parts, kind):
    """The sum of parts: on the executors a few at a time, on the driver the last few."""
    while n_parts > FAN:
        n_parts = -(-n_parts // FAN)
        parts = _mapped(parts.repartition(n_parts), _added, _BYTES, kind=kind)
    return _sum(parts.toArrow().to_batches(), kind)


def _sum(batches, kind):
    total = None
    for part in itertools.chain.from_iterable(batch.column(0) for batch in batches):
        part = kind.from_bytes(part.as_py())
        if total is None:
            total = part
        else:
            total += part
    return total


# What follows runs on executors.


def _named(batches, *, work, names, **given):
    """What ``work`` makes of the batches, whose columns have their names again."""
    return work((batch.rename_columns(names) for batch in batches), **given)


def _stream(batches):
    """The batches of a partition as a stream; None without any."""
    batches = iter(batches)
    first = next(batches, None)
    if first is None:
        return None
    return pa.RecordBatchReader.from_batches(first.schema, itertools.chain([first], batches))


def _batch(part):
    return pa.RecordBatch.from_arrays([pa.array([part.to_bytes()], pa.binary())], ["part"])


def _contents(batches, *, roles):
    stream = _stream(batches)
    if stream is not None:
        yield _batch(Columns.from_arrow(stream, **roles))


def _sums(batches, *, like, roles):
    stream = _stream(batches)
    if stream is not None:
        # a core of the executor is all that a task may use
        yield _batch(Statistics.from_arrow(stream, **roles, like=Statistics.from_bytes(like), n_jobs=1))


def _added(batches, *, kind):
    total = _sum(batches, kind)
    if total is not None:
        yield _batch(total)


def _predictions(batches, *, model, features, output):
    model = _gapfit.Model.from_bytes(model.value)
    for batch in batches:
        # cells with unknown levels are missing, which every batch would say anew
        table, _ = _gapfit.encode_frame(batch.select(features), model)
        yield pa.RecordBatch.from_arrays(
            [*batch.columns, pa.array(model.scores(table, 1)[:, 0])], names=[*batch.schema.names, output]
        )
