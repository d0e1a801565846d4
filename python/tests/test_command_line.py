"""Python and the command line give the same models and the same predictions, bit by bit."""

import csv
import io
import os
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pytest
from data import holey

import gapfit
from gapfit import (
    ImputedRidge,
    ImputeThenRidge,
    LiftedRidge,
    MaskRidge,
    OnlineClassifier,
    OnlineRegressor,
    Statistics,
)

GAPFIT = os.environ.get("GAPFIT")
pytestmark = pytest.mark.skipif(not GAPFIT, reason="GAPFIT is not set to the command gapfit")


def run(*arguments):
    ended = subprocess.run([GAPFIT, *map(str, arguments)], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture
def table(tmp_path):
    """A table of numbers, truths and categories with holes, in a file."""
    X, y = holey(240, 3)
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["colour"] = rng.choice(["red", "blue", "teal", None], size=len(y), p=[0.5, 0.3, 0.1, 0.1])
    frame["dry"] = pd.array(rng.choice([True, False, None], size=len(y)), dtype="boolean")
    frame["y"] = y + (frame["colour"] == "red")
    path = tmp_path / "table.csv"
    text = frame.to_csv(index=False).replace("True", "true").replace("False", "false")
    path.write_text(text)
    return path


def predicted(model, path):
    text = run("predict", model, path)
    return np.array([float(row["prediction"]) for row in csv.DictReader(io.StringIO(text))])


@pytest.mark.parametrize(
    ("flags", "estimator"),
    [
        ((), ImputedRidge()),
        (("--alpha", 0.1, "--gamma", 2), ImputedRidge(0.1, 2.0)),
        (("--base", "gaussian", "--seed", 7, "--folds", 3), ImputedRidge(base="gaussian", random_state=7, cv=3)),
        (("--method", "mask", "--clip", 0), MaskRidge(clip=0.0)),
        (("--method", "lifted", "--scale", "minmax"), LiftedRidge(scale="minmax")),
        (("--method", "gaussian", "--intercept", "none"), ImputeThenRidge(base="gaussian", fit_intercept=False)),
    ],
    ids=lambda value: "" if isinstance(value, tuple) else str(value),
)
def test_the_model_file_is_the_same_to_the_byte(table, tmp_path, flags, estimator):
    theirs, ours = tmp_path / "theirs.gapfit", tmp_path / "ours.gapfit"
    run("fit", table, "--target", "y", "-o", theirs, "--no-calibration", *flags)
    frame = pd.read_csv(table)
    X, y = frame.drop(columns="y"), frame["y"]
    estimator.fit(X, y).save(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    np.testing.assert_array_equal(estimator.predict(X), predicted(ours, table))
    loaded = gapfit.load(theirs)
    assert type(loaded) is type(estimator)
    np.testing.assert_array_equal(loaded.predict(X), predicted(theirs, table))
    np.testing.assert_array_equal(loaded.coef_, estimator.coef_)
    assert list(loaded.feature_names_in_) == list(X.columns)


def test_every_kind_of_frame_gives_that_model(table, tmp_path):
    theirs = tmp_path / "theirs.gapfit"
    run("fit", table, "--target", "y", "-o", theirs, "--no-calibration", "--alpha", 0.1, "--gamma", 1)
    expected = theirs.read_bytes()
    polars = pl.read_csv(table)
    pandas = pd.read_csv(table)
    arrow = pd.read_csv(table, dtype_backend="pyarrow")
    nullable = pandas.convert_dtypes()
    category = pandas.astype({"colour": "category"})
    for frame in (polars, polars.to_arrow(), pandas, arrow, nullable, category):
        X = frame.drop(["y"]) if hasattr(frame, "schema") else frame.drop(columns="y")
        model = ImputedRidge(0.1, 1.0).fit(X, pandas["y"])
        model.save(tmp_path / "ours.gapfit")
        assert (tmp_path / "ours.gapfit").read_bytes() == expected, type(frame)


def test_statistics_are_those_of_gapfit_stats_to_the_byte(table, tmp_path):
    theirs, ours, model = tmp_path / "theirs", tmp_path / "ours", tmp_path / "model"
    run("stats", table, "--target", "y", "-o", theirs)
    Statistics.from_arrow(pd.read_csv(table), "y").save(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    run("fit", "--from-stats", ours, "--target", "y", "-o", model)
    ImputedRidge().fit_statistics(Statistics.load(theirs)).save(ours)
    assert ours.read_bytes() == model.read_bytes()


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_statistics_of_many_rows_lead_to_the_same_model(tmp_path, suffix):
    X, y = holey(70_000, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)
    table, theirs, model = tmp_path / f"table.{suffix}", tmp_path / "theirs", tmp_path / "model"
    if suffix == "parquet":
        frame.to_parquet(table)
    else:
        frame.to_csv(table, index=False)
    run("stats", table, "--target", "y", "-o", theirs)
    run("fit", "--from-stats", theirs, "--target", "y", "-o", model, "--base", "mean")
    both = [Statistics.load(theirs), Statistics.from_arrow(frame, "y")]
    ours = [ImputedRidge(base="mean").fit_statistics(sums) for sums in both]
    ours[0].save(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == model.read_bytes()
    a, b = (model.predict(frame[["a", "b", "c"]]) for model in ours)
    np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("flags", [(), ("--step", "coin"), ("--step", "eta=0.01", "--psi", "constant")])
def test_what_gapfit_stream_has_learnt_goes_on_in_python(tmp_path, flags):
    X, y = holey(300, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    paths = [tmp_path / name for name in ("first.csv", "all.csv", "first.state", "all.state")]
    frame.assign(y=y)[:200].to_csv(paths[0], index=False)
    frame.assign(y=y).to_csv(paths[1], index=False)
    for table, state in zip(paths[:2], paths[2:], strict=True):
        run("stream", table, "--target", "y", "--checkpoint", state, *flags)
    model = gapfit.load(paths[2])
    assert isinstance(model, OnlineRegressor) and model.n_rows_seen_ == 200
    model.partial_fit(frame[200:], y[200:])
    np.testing.assert_array_equal(model.predict(frame), gapfit.load(paths[3]).predict(frame))
    np.testing.assert_array_equal(model.predict(frame), predicted(paths[3], paths[1]))


def test_classes_of_gapfit_stream_are_those_of_python(tmp_path):
    X, y = holey(300, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    table, state = tmp_path / "table.csv", tmp_path / "state"
    frame.assign(y=np.where(y > 0, "up", "down")).to_csv(table, index=False)
    run("stream", table, "--target", "y", "--classes", "down,up", "--checkpoint", state)
    model = gapfit.load(state)
    assert isinstance(model, OnlineClassifier) and list(model.classes_) == ["down", "up"]
    said = [row["prediction"] for row in csv.DictReader(io.StringIO(run("predict", state, table)))]
    assert model.predict(frame).tolist() == said
