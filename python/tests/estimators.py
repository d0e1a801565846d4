"""The estimators that every test of estimators runs over."""

from gapfit import (
    GapImputer,
    ImputedLogistic,
    ImputedRidge,
    ImputeThenRidge,
    LiftedRidge,
    MaskRidge,
    OnlineClassifier,
    OnlineRegressor,
)

REGRESSORS = [ImputedRidge(), ImputeThenRidge(), MaskRidge(), LiftedRidge(), OnlineRegressor()]
CLASSIFIERS = [ImputedLogistic(), OnlineClassifier()]
ESTIMATORS = REGRESSORS + CLASSIFIERS + [GapImputer()]
