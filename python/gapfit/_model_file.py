"""Model files: the same for Python, for Rust and for the command line."""

import json
import os
import tempfile

import numpy as np

from . import _settings
from ._gapfit import Model, Stream


def write(path, data):
    """Writes a file that appears whole or not at all."""
    path = os.fspath(path)
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(path) or ".", delete=False) as file:
        try:
            file.write(data)
            file.close()
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def load(path):
    """The estimator in a model file, fitted: one of ``save``, of ``gapfit fit`` or of ``gapfit stream``.

    A model file runs no code when it is loaded, unlike a pickle. What ``gapfit stream`` has learnt goes on
    with ``partial_fit``, bit by bit as it would have there.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    ImputedRidge, ImputedLogistic, ImputeThenRidge, MaskRidge, LiftedRidge, OnlineRegressor or OnlineClassifier
        Its parameters are those of the fit, and its attributes those that a model file has.

    Examples
    --------
    >>> import gapfit, os, tempfile
    >>> nan = float("nan")
    >>> model = gapfit.ImputedRidge(0.1, 1.0).fit([[1.0], [nan], [3.0]], [1.0, 5.0, 3.0])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.gapfit")
    >>> model.save(path)
    >>> bool(gapfit.load(path).predict([[nan]]) == model.predict([[nan]]))
    True
    """
    with open(path, "rb") as file:
        data = file.read()
    try:
        if Stream.recognises(data):
            return _online(*Stream.from_file(data))
        return of_model(Model.from_bytes(data))
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


def _online(stream, note):
    from .online import OnlineClassifier, OnlineRegressor

    about = stream.about
    kept = {key: about[key] for key in ("step", "loss", "psi", "units")}
    if about["is_classification"]:
        estimator = OnlineClassifier(**kept)
        estimator.classes_ = _classes_of_note(note)
    else:
        estimator = OnlineRegressor(**kept)
    estimator._streams = [stream]
    estimator.n_rows_seen_ = stream.rows
    estimator.n_features_in_ = len(stream.feature_names)
    estimator.feature_names_in_ = np.array(stream.feature_names, dtype=object)
    return estimator


def _classes_of_note(note):
    """The two classes of ``gapfit stream``, which it keeps with what it has learnt."""
    try:
        labels = json.loads(note)["targets"]["classes"]
    except (KeyError, TypeError, ValueError):
        labels = [None]
    if None in labels:
        raise ValueError("note: expected the two classes of gapfit stream, got none or one")
    return _classes(labels)


def of_model(model):
    """The estimator of a model, fitted."""
    from .baseline import ImputeThenRidge, LiftedRidge, MaskRidge
    from .logistic import ImputedLogistic
    from .ridge import ImputedRidge

    about = model.about
    method, _, base = about["method"].partition(":")
    kept = {key: about[key] for key in ("alpha", "scale", "clip")}
    intercepts = {name: value for value, name in _settings.INTERCEPTS.items()}
    kept["fit_intercept"] = intercepts[about["intercept"]]
    if model.classes and not (method == "irr" and about["loss"] == "logistic"):
        raise ValueError(
            f"model file: expected irr with the loss logistic for classes, got {method} with "
            f"{about['loss']}, which gapfit predict takes"
        )
    if model.classes:
        estimator = ImputedLogistic(gamma=about["gamma"], base=base, **kept)
        estimator.classes_ = _classes(model.classes)
    elif method == "irr":
        estimator = ImputedRidge(gamma=about["gamma"], base=base, loss=about["loss"], **kept)
    elif method in ("mask", "lifted"):
        estimator = {"mask": MaskRidge, "lifted": LiftedRidge}[method](loss=about["loss"], **kept)
    else:
        estimator = ImputeThenRidge(base=method, loss=about["loss"], **kept)
    estimator._learn(model)
    take_columns(estimator, model)
    return estimator


def take_columns(estimator, model):
    """Tells an estimator which columns its model has."""
    columns = model.about["columns"]
    estimator.n_features_in_ = model.n_features if columns is None else len(columns)
    if columns is not None:
        estimator.feature_names_in_ = np.array(columns, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _classes(labels):
    """Labels as they were before they became text: whole numbers, numbers or text."""
    for kind in (int, float):
        try:
            return np.array([kind(label) for label in labels])
        except ValueError:
            pass
    return np.array(labels)
