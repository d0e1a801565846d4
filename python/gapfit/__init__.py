"""Learns to predict straight from tables with holes.

Estimators in scikit-learn's style, whose input may have missing cells in training and at prediction:

==========================  ==================================================================
:class:`ImputedRidge`       a number, from a table
:class:`ImputedLogistic`    a class, from a table
:class:`OnlineRegressor`    a number, from rows that come one by one
:class:`OnlineClassifier`   a class, from rows that come one by one
:class:`GapImputer`         the table with its holes filled
:class:`ImputeThenRidge`    a number, by filling holes first: to compare with
:class:`MaskRidge`          a number, from filled rows and indicators: to compare with
:class:`LiftedRidge`        a number, under a plain penalty: to compare with
==========================  ==================================================================

:func:`load` reads model files, which ``save``, ``gapfit fit`` and ``gapfit stream`` write; :func:`report` makes a
page about a model. :mod:`gapfit.river` has learners for river, :mod:`gapfit.spark` fits and predicts on clusters,
:mod:`gapfit.datasets` has tables to try things on. :class:`Statistics` are sums that stand for the rows of a table and
add up over its parts, :class:`Columns` what its columns are.
:class:`MissingnessDisplay` and :class:`WeightShiftDisplay` draw holes and what they do to the weights.
"""

from ._gapfit import VERSION as __version__
from ._model_file import load
from ._report import report
from .baseline import ImputeThenRidge, LiftedRidge, MaskRidge
from .display import MissingnessDisplay, WeightShiftDisplay
from .imputer import GapImputer
from .logistic import ImputedLogistic
from .online import OnlineClassifier, OnlineRegressor
from .ridge import ImputedRidge
from .statistics import Columns, Statistics

__all__ = [
    "Columns",
    "GapImputer",
    "ImputeThenRidge",
    "ImputedLogistic",
    "ImputedRidge",
    "LiftedRidge",
    "MaskRidge",
    "MissingnessDisplay",
    "OnlineClassifier",
    "OnlineRegressor",
    "Statistics",
    "WeightShiftDisplay",
    "__version__",
    "load",
    "report",
]
