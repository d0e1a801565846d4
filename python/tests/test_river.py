"""river's own checks without one skipped, and what rows as dictionaries mean."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from data import holey
from river import base, checks, compose, datasets, evaluate, linear_model, metrics, multiclass, preprocessing

from gapfit import OnlineClassifier, OnlineRegressor
from gapfit.river import MaskClassifier, MaskRegressor

STEPS = ["relative=0.25", "auto", "coin"]
MODELS = [kind(step=step) for kind in (MaskRegressor, MaskClassifier) for step in STEPS]


def rows(X, names="abcdefgh"):
    """The rows of an array as dictionaries, without what is missing."""
    return [
        {name: float(x) for name, x in zip(names, row, strict=False) if not np.isnan(x)} for row in X
    ]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{m}-{m.step}")
def test_every_check_of_river(model):
    assert type(model)._unit_test_skips is base.Estimator._unit_test_skips
    found = list(checks.yield_checks(model))
    assert len(found) > 25
    checks.check_estimator(model)


@pytest.mark.parametrize("step", [*STEPS, "adagrad", "eta=0.01", "theory"])
def test_numbers_are_those_of_the_estimators_of_scikit_learn(step):
    X, y = holey(300, 4)
    model, twin = MaskRegressor(step=step), OnlineRegressor(step=step, units="standard")
    # everything is there in the first row, so that all columns are known from then on
    X[0] = 1.0
    for x, target in zip(rows(X), y, strict=True):
        model.learn_one(x, target)
    twin.fit(X, y)
    assert model.n_rows_seen == 300
    np.testing.assert_array_equal([model.predict_one(x) for x in rows(X)], twin.predict(X))
    classifier, twin = MaskClassifier(step=step), OnlineClassifier(step=step, units="standard")
    for x, target in zip(rows(X), y, strict=True):
        classifier.learn_one(x, target > 0)
    twin.fit(X, y > 0)
    shares = [[classifier.predict_proba_one(x)[label] for label in (False, True)] for x in rows(X)]
    np.testing.assert_allclose(shares, twin.predict_proba(X), rtol=1e-12)
    assert [classifier.predict_one(x) for x in rows(X)] == twin.predict(X).tolist()


def test_absent_none_and_nan_are_the_same_hole():
    X, y = holey(200, 4)
    spelt = {
        "absent": rows(X),
        "nan": [dict(zip("abcd", row.tolist(), strict=True)) for row in X],
        "None": [{k: None if np.isnan(v) else v for k, v in zip("abcd", row, strict=True)} for row in X],
        "pd.NA": [{k: pd.NA if np.isnan(v) else v for k, v in zip("abcd", row, strict=True)} for row in X],
    }
    for step in ("coin", "auto"):
        states = set()
        for some in spelt.values():
            model = MaskRegressor(step=step)
            for x, target in zip(some, y, strict=True):
                model.predict_one(x)
                model.learn_one(x, target)
            states.add(pickle.dumps(model))
        assert len(states) == 1


def test_features_come_and_go_whatever_their_order_and_their_names():
    model, shuffled = MaskRegressor(step="auto"), MaskRegressor(step="auto")
    rng = np.random.default_rng(1)
    keys = ["a", 7, ("pair", 1), "z" * 300, "ä", None, 2.5]
    for i in range(400):
        x = {key: rng.normal() for key in keys[: 1 + i // 50] if rng.random() < 0.8}
        y = sum(x.values())
        mixed = dict(reversed(x.items()))
        assert model.predict_one(x) == shuffled.predict_one(mixed)
        model.learn_one(x, y)
        shuffled.learn_one(mixed, y)
    assert abs(model.predict_one({"a": 1.0, 7: 1.0}) - 2.0) < 1.0
    # equal keys that are other objects
    assert model.predict_one({"".join(["z"] * 300): 1.0}) == model.predict_one({"z" * 300: 1.0})
    assert model.predict_one({"never": 5.0}) == model.predict_one({})


def test_many_rows_are_learnt_one_by_one():
    X, y = holey(150, 4)
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(150) + 7)
    one, many = MaskRegressor(), MaskRegressor()
    for x, target in zip(rows(X), y, strict=True):
        one.learn_one(x, target)
    many.learn_many(frame[:60], pd.Series(y[:60]))
    many.learn_many(frame[60:].convert_dtypes(), pd.Series(y[60:]))
    predicted = many.predict_many(frame)
    assert predicted.index.equals(frame.index)
    np.testing.assert_array_equal(predicted, [one.predict_one(x) for x in rows(X)])
    weighted, twice = MaskClassifier(), MaskClassifier()
    weighted.learn_many(frame, y > 0, w=np.where(y > 1, 0.0, 1.0))
    twice.learn_many(frame[y <= 1], (y > 0)[y <= 1])
    np.testing.assert_array_equal(weighted.predict_proba_many(frame), twice.predict_proba_many(frame))
    with pytest.raises(ValueError, match="y: expected 150 targets"):
        many.learn_many(frame, y[:3])


def test_a_copy_goes_on_bit_by_bit_and_alone():
    X, y = holey(200, 4)
    for step in ("coin", "auto"):
        model = MaskRegressor(step=step)
        stream = list(zip(rows(X), y, strict=True))
        for x, target in stream[:100]:
            model.learn_one(x, target)
        copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
        before = model.predict_one(stream[0][0])
        assert model.clone().predict_one(stream[0][0]) == 0.0
        for other in copies:
            for x, target in stream[100:]:
                other.learn_one(x, target)
        assert model.predict_one(stream[0][0]) == before
        for x, target in stream[100:]:
            model.learn_one(x, target)
        for other in copies:
            assert other.predict_one(stream[0][0]) == model.predict_one(stream[0][0])


@pytest.mark.parametrize(
    ("x", "y", "error", "text"),
    [
        ({"a": "red"}, 1.0, TypeError, "feature 'a': expected a number, None or NaN, got 'red'"),
        ({"new": float("inf")}, 1.0, ValueError, "feature 'new': expected a finite number, got inf"),
        ({"new": 1.0}, float("nan"), ValueError, "target, row 3: expected a finite number, got NaN"),
        ({"new": 1.0}, "much", TypeError, "must be real number, not str"),
        ({1: 1.0, "1": 2.0}, 1.0, ValueError, "feature names: expected distinct names, got '1' twice"),
        (7, 1.0, TypeError, "'int' object is not iterable"),
    ],
)
def test_what_is_refused_changes_nothing(x, y, error, text):
    model = MaskRegressor()
    for _ in range(3):
        model.learn_one({"a": 1.0, "b": 2.0}, 1.0)
    before = pickle.dumps(model)
    with pytest.raises(error, match=text):
        model.learn_one(x, y)
    assert pickle.dumps(model) == before


def test_weights_that_are_none_are_refused_and_parameters_are_checked_at_once():
    model = MaskRegressor()
    before = pickle.dumps(model)
    for weight in (-1.0, float("nan"), 1e101):
        with pytest.raises(ValueError, match="row weight"):
            model.learn_one({"a": 1.0}, 1.0, w=weight)
    model.learn_one({"a": 1.0}, 1.0, w=0.0)
    assert pickle.dumps(model) == before
    with pytest.raises(ValueError, match="step"):
        MaskRegressor(step="fast")
    with pytest.raises(TypeError, match="radius: expected a number, got 'wide'"):
        MaskClassifier(radius="wide")
    with pytest.raises(NotImplementedError, match="expected loss='logistic', got 'hinge'"):
        MaskClassifier(loss="hinge").predict_proba_one({})
    with pytest.raises(ValueError, match="multiclass.OneVsRestClassifier"):
        MaskClassifier().learn_one({"a": 1.0}, "spam")


def test_a_panic_is_a_runtime_error_and_the_learner_goes_on():
    class Sneaky(dict):
        """A number that changes the row while it is read, which panics inside."""

        def __float__(self):
            row["another"] = 1.0
            return 1.0

    model = MaskRegressor()
    model.learn_one({"a": 1.0, "b": 1.0}, 1.0)
    before = pickle.dumps(model)
    row = {"a": Sneaky(), "b": 1.0}
    for call in (lambda: model.learn_one(row, 1.0), lambda: model.predict_one(row)):
        row = {"a": Sneaky(), "b": 1.0}
        with pytest.raises(RuntimeError, match="gapfit broke down, which is a bug worth reporting: dictionary changed"):
            call()
    assert pickle.dumps(model) == before
    model.learn_one({"a": 1.0}, 1.0)


def test_a_damaged_pickle_is_refused():
    model = MaskRegressor()
    model.learn_one({"a": 1.0, "b": 2.0}, 1.0)
    make, (state, keys) = model._stream.__reduce__()
    for wrong in ([], keys[:1], [keys[0], keys[0]], [("a", 0), ("c", 1)], [("a", 0), ("b", 9)]):
        with pytest.raises(ValueError, match="keys: expected those of the state"):
            make(state, wrong)
    with pytest.raises(ValueError):
        make(state[:-1], keys)


def test_in_company():
    scores = {}
    peer = preprocessing.StandardScaler() | linear_model.LinearRegression()
    for model in (MaskRegressor(), peer):
        score = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
        scores[str(model)] = score.get()
    ours, theirs = scores.values()
    assert ours < theirs
    many = multiclass.OneVsRestClassifier(MaskClassifier())
    score = evaluate.progressive_val_score(datasets.ImageSegments().take(500), many, metrics.Accuracy())
    assert score.get() > 0.7
    encoded = compose.SelectType(str) | preprocessing.OneHotEncoder()
    model = encoded | MaskRegressor(psi="constant")
    for i in range(50):
        model.learn_one({"word": f"w{i % 5}"}, float(i % 5))
    assert model.predict_one({"word": "w4"}) > model.predict_one({"word": "w0"})


def test_without_river_the_error_says_what_to_install():
    program = "import sys; sys.modules['river'] = None; import gapfit; import gapfit.river"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "ImportError: gapfit.river needs river, which pip install gapfit[river] installs" in run.stderr
