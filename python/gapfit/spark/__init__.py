"""Fits and predictions on Apache Spark.

A partition becomes :class:`gapfit.Statistics` where it is, those are added up on the executors, a few at a time, and
the driver solves: the model is that of one machine, however the rows are parted. What the columns are (which levels
categories have) is found in one pass before, and only where there are columns of text.

===============================  ==================================================================
:func:`fit`                      an estimator of gapfit, fitted to the rows of a DataFrame
:func:`predict`                  the DataFrame with a column of predictions
:func:`statistics`               the sums alone, to be kept or added to others
:class:`ImputedRidgeEstimator`   the same as a stage of ``pyspark.ml``
:class:`ImputedRidgeModel`       what that becomes when it is fitted
===============================  ==================================================================

It needs pyspark, on the executors as on the driver: ``pip install gapfit[spark]``. The rows are read three times,
once only to be counted, and a fourth time where there is text; ``df.cache()`` what is costly to make.
"""

try:
    import pyspark  # noqa: F401
except ImportError as error:
    raise ImportError("gapfit.spark needs pyspark, which pip install gapfit[spark] installs") from error

from ._jobs import fit, predict, statistics
from ._ml import ImputedRidgeEstimator, ImputedRidgeModel

__all__ = ["ImputedRidgeEstimator", "ImputedRidgeModel", "fit", "predict", "statistics"]
