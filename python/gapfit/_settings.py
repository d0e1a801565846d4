"""Parameters of estimators, checked and in the terms of the compiled module."""

import numbers

import joblib
import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

INTERCEPTS = {True: "free", False: "none", "penalised": "penalised"}


def _refuse(name, expected, got, error=TypeError):
    raise error(f"{name}: expected {expected}, got {got!r}")


def number(name, value, expected="a number"):
    """The number, or None where that is allowed to be."""
    if value is None and "None" in expected:
        return None
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)):
        return float(value)
    return _refuse(name, expected, value)


def whole(name, value, expected="a whole number"):
    """The whole number, which is not negative."""
    if not isinstance(value, numbers.Integral) or isinstance(value, (bool, np.bool_)):
        _refuse(name, expected, value)
    if value < 0:
        _refuse(name, expected, value, ValueError)
    return int(value)


def word(name, value):
    """The name of a choice; which ones there are is said by the compiled module."""
    if not isinstance(value, str):
        _refuse(name, "a name", value)
    return value


def intercept(value):
    """What becomes of the constant term."""
    key = bool(value) if isinstance(value, (bool, np.bool_)) else value
    try:
        return INTERCEPTS[key]
    except (KeyError, TypeError):
        return _refuse("fit_intercept", "True, False or 'penalised'", value, ValueError)


def seed(random_state):
    """The seed of the compiled module: an int is itself."""
    if isinstance(random_state, numbers.Integral):
        return whole("random_state", random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def threads(n_jobs):
    """The number of threads, as joblib counts them."""
    return joblib.effective_n_jobs(n_jobs)


def stream(estimator):
    """The settings of a stream's learner, from its parameters."""
    psi, units = estimator.psi, estimator.units
    return {
        "loss": word("loss", estimator.loss),
        "step": word("step", estimator.step),
        "psi": None if psi is None else word("psi", psi),
        "units": None if units is None else word("units", units),
        "radius": number("radius", estimator.radius),
    }


def folds(cv, X, y, *, classifier):
    """A number of folds, or their rows."""
    if isinstance(cv, numbers.Integral):
        return whole("cv", cv)
    splitter = check_cv(cv, y, classifier=classifier)
    return [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(X, y)]
