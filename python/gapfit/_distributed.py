"""What Spark and Dask have in common: checks, and sizes of what is summed where."""

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .ridge import ImputedRidge

# Rows up to which a table is summed as it is, since it would be kept row by row anyway.
FEW = 1 << 15
# Rows from all partitions by which units and thresholds are settled: more than are kept row by row.
SAMPLE = 40_000
# Sums that are added up in one task.
FAN = 8


def fitted(estimator, statistics):
    """A copy of an estimator, fitted to what ``statistics(clip=..., tuning=...)`` gives."""
    estimator = clone(ImputedRidge() if estimator is None else estimator)
    loss, cv = estimator.loss, estimator.cv
    if loss != "squared":
        raise ValueError(f"loss: expected 'squared', which sums stand for, got {loss!r}")
    if not isinstance(cv, int):
        raise TypeError(f"cv: expected a number of folds, which sums are parted into, got {cv!r}")
    is_tuned = estimator.alpha is None or getattr(estimator, "gamma", 0.0) is None
    return estimator.fit_statistics(statistics(clip=estimator.clip, tuning=is_tuned))


def names_of(features, target, weight):
    """The columns that take part, each once."""
    names = [*features, target, *([] if weight is None else [weight])]
    if len(set(names)) < len(names):
        raise ValueError(f"features: expected columns other than target and weight, each once, got {names}")
    return names


def features_of(model, columns, output, frame):
    """The columns of a fit that a DataFrame, called ``frame``, has, if it lacks the output."""
    check_is_fitted(model)
    if not hasattr(model, "feature_names_in_"):
        raise ValueError("model: expected one fitted to columns with names, got one without")
    if output in columns:
        raise ValueError(f"output: expected the name of a new column, got {output!r}, which is there")
    features = [str(name) for name in model.feature_names_in_]
    absent = [name for name in features if name not in columns]
    if absent:
        raise ValueError(f"{frame}: expected the columns of the fit, got none called {absent[0]!r}")
    return features
