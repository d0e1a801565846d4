"""Models from a cluster are those of one machine, whatever happens to its processes."""

import functools

import numpy as np
import pandas as pd
import pytest
from processes import killed_once, own_executor

import gapfit
from gapfit import ImputedRidge, LiftedRidge, MaskRidge, Statistics
from gapfit import spark as gapfit_spark
from gapfit.spark import ImputedRidgeEstimator, ImputedRidgeModel

FEATURES = ["a", "b", "colour", "dry", "day", "dot.ted"]
# more than are summed on the driver
N_ROWS = 60_000


@pytest.fixture(scope="module")
def table():
    """Rows of every kind of column with nulls and NaN, sorted so that parts are as different as can be."""
    rng = np.random.default_rng(3)
    a, b, noise = rng.normal(size=(3, N_ROWS))
    # each part of the table has a colour of its own
    place = np.argsort(np.argsort(a)) // (N_ROWS // 6)
    rare = rng.random(N_ROWS) < 0.001
    colour = np.where(rare, "rare", np.array(["red", "blue", "teal", "grey", "pink", "ochre", "tan"])[place])
    frame = pd.DataFrame(
        {
            "a": a,
            "b": 1e6 + b**3,
            "colour": np.where(rng.random(N_ROWS) < 0.1, None, colour),
            "dry": np.where(rng.random(N_ROWS) < 0.2, None, rng.random(N_ROWS) < 0.5),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, N_ROWS), unit="D"),
            "dot.ted": rng.integers(0, 9, N_ROWS).astype(float),
            "w": rng.integers(0, 3, N_ROWS),
            "y": 3.0 + a - b + (colour == "teal") + noise,
        }
    )
    frame.loc[rng.random(N_ROWS) < 0.2, "a"] = np.nan
    frame.loc[rng.random(N_ROWS) < 0.2, "dot.ted"] = np.nan
    frame.loc[rng.random(N_ROWS) < 0.01, "y"] = np.nan
    return frame.iloc[np.argsort(place, kind="stable")].reset_index(drop=True)


@pytest.fixture(scope="module")
def rows(spark, table, tmp_path_factory):
    """The same in a file that is read by nine tasks; a missing number is NaN or null."""
    arrow = table.copy()
    arrow["dot.ted"] = arrow["dot.ted"].astype("Float64")
    folder = tmp_path_factory.mktemp("rows")
    for part in range(9):
        piece = arrow[part * N_ROWS // 9 : (part + 1) * N_ROWS // 9]
        piece.to_parquet(folder / f"{part}.parquet", coerce_timestamps="us")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "400000")
    spark.conf.set("spark.sql.files.openCostInBytes", "400000")
    df = spark.read.parquet(*(f"file://{folder}/{part}.parquet" for part in range(9)))
    assert df.rdd.getNumPartitions() >= 9
    return df


@pytest.fixture(scope="module")
def local(table):
    """The rows that have a target."""
    return table[table["y"].notna()]


def same(ours, theirs, frame):
    """Whether two models are the same to 1e-10."""
    assert ours._model.feature_names == theirs._model.feature_names
    scale = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-10 * scale)
    np.testing.assert_allclose(ours.predict(frame), theirs.predict(frame), rtol=1e-10, atol=1e-10)


def test_the_model_is_that_of_one_machine(rows, local):
    estimator = LiftedRidge(0.01)
    ours = gapfit_spark.fit(rows, FEATURES, "y", estimator=estimator)
    same(ours, estimator.fit(local[FEATURES], local["y"]), local[FEATURES])
    assert {"colour=ochre", "colour=other", "dry", "day"} < set(ours._model.feature_names)


def test_so_it_is_where_much_is_learnt_from_holes(rows, local):
    numbers = ["a", "b", "dot.ted"]
    # the default gap: near 1e-12 rounding decides whether one more step is taken
    estimator = ImputedRidge(0.01, 1.0, base="mean")
    ours = gapfit_spark.fit(rows, numbers, "y", estimator=estimator)
    same(ours, estimator.fit(local[numbers], local["y"]), local[numbers])


def test_so_it_is_when_it_is_tuned_with_weights_in_other_parts(rows, local):
    weighted = local[[*FEATURES, "y", "w"]]
    theirs = MaskRidge().fit_statistics(Statistics.from_arrow(weighted, "y", weight="w"))
    ours = gapfit_spark.fit(rows.repartition(17), FEATURES, "y", weight="w", estimator=MaskRidge())
    assert ours.alpha_ == theirs.alpha_
    same(ours, theirs, local[FEATURES])


def test_statistics_stand_for_the_rows_and_add_up(rows, local):
    sums = gapfit_spark.statistics(rows, ["a", "b"], "y")
    assert sums.n_rows == len(local) and sums.n_kept < len(local) // 10
    more = gapfit_spark.statistics(rows.limit(1000), ["a", "b"], "y")
    assert more.n_kept == more.n_rows
    assert (sums + more).n_rows == sums.n_rows + more.n_rows


def test_predictions_are_those_of_one_machine_beside_the_other_columns(rows, local):
    model = ImputedRidge(0.01, 1.0, base="mean").fit(local[FEATURES], local["y"])
    answered = gapfit_spark.predict(model, rows, output="guess").toPandas()
    assert list(answered.columns) == [*rows.columns, "guess"]
    np.testing.assert_array_equal(answered["guess"], model.predict(answered[FEATURES]))
    kinds = "a double, b double, colour string, dry boolean, day date, `dot.ted` int"
    new = rows.sparkSession.createDataFrame([(None, None, "never seen", None, None, None)], kinds)
    assert np.isfinite(gapfit_spark.predict(model, new).first()["prediction"])


def test_a_small_table_gives_the_same_bytes(spark, tmp_path):
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0] * 5, "c": ["p", "q", None, "p"] * 5, "y": np.arange(20.0)})
    ours = gapfit_spark.fit(spark.createDataFrame(frame).coalesce(1), ["x", "c"], "y", estimator=MaskRidge())
    ours.save(tmp_path / "ours")
    MaskRidge().fit(frame[["x", "c"]], frame["y"]).save(tmp_path / "theirs")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_the_estimator_of_pyspark_comes_back_from_its_folder(rows, local, tmp_path):
    stage = ImputedRidgeEstimator(inputCols=FEATURES, labelCol="y", alpha=0.01, gamma=1.0, base="mean", tol=1e-12)
    stage.save(f"file://{tmp_path}/stage")
    stage = ImputedRidgeEstimator.load(f"file://{tmp_path}/stage")
    assert stage.getInputCols() == FEATURES and stage.getOrDefault(stage.gamma) == 1.0
    model = stage.fit(rows, {stage.predictionCol: "guess"})
    theirs = ImputedRidge(0.01, 1.0, base="mean", tol=1e-12).fit(local[FEATURES], local["y"])
    assert model.model._model.feature_names == theirs._model.feature_names
    # levels go missing together, which leaves what each of them shifts that loose
    np.testing.assert_allclose(model.model.predict(local[FEATURES]), theirs.predict(local[FEATURES]), atol=1e-6)
    model.save(f"file://{tmp_path}/model")
    loaded = ImputedRidgeModel.load(f"file://{tmp_path}/model")
    assert (loaded.uid, loaded.getPredictionCol()) == (model.uid, "guess")
    some = rows.where("a > 2")
    guesses = [sorted(one.transform(some).toPandas()["guess"]) for one in (loaded, model)]
    assert len(guesses[0]) > 100 and guesses[0] == guesses[1]
    file = gapfit.load(tmp_path / "model" / "model.gapfit")
    np.testing.assert_array_equal(file.coef_, model.model.coef_)
    with pytest.raises(Exception, match="already exists|PATH_ALREADY_EXISTS"):
        model.save(f"file://{tmp_path}/model")
    model.write().overwrite().save(f"file://{tmp_path}/model")


@pytest.mark.parametrize("victim", ["worker", "executor"])
def test_a_killed_process_changes_nothing(rows, local, tmp_path, victim):
    numbers = rows.select("a", "b", "y")
    rows.sparkSession.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
    executors = executors_of(numbers)
    kill = functools.partial(killed_once, folder=str(tmp_path), victim=victim)
    # holes in one column put imputed ridge regression on the kink of its penalty, where a gap leaves the last digits open
    estimator = MaskRidge(0.01)
    ours = gapfit_spark.fit(numbers.mapInArrow(kill, numbers.schema), ["a", "b"], "y", estimator=estimator)
    assert (tmp_path / "killed").exists()
    same(ours, estimator.fit(local[["a", "b"]], local["y"]), local[["a", "b"]])
    if victim == "executor":
        assert executors - executors_of(numbers), "one of them is gone"


def executors_of(df):
    """The processes of the executors."""
    return {row["process"] for row in df.mapInArrow(own_executor, "process long").collect()}


def test_what_is_wrong_is_said_before_anything_is_summed(rows, local):
    model = ImputedRidge(0.1, 1.0).fit(local[["a", "b"]].to_numpy(), local["y"])
    named = ImputedRidge(0.1, 1.0).fit(local[["a", "b"]], local["y"])
    huber, folds = ImputedRidge(loss="huber=1"), ImputedRidge(cv=[])
    for call, error, text in [
        (lambda: gapfit_spark.fit(rows, ["a", "y"], "y"), ValueError, "features: expected columns other than"),
        (lambda: gapfit_spark.fit(rows, ["a"], "y", estimator=huber), ValueError, "loss: expected"),
        (lambda: gapfit_spark.fit(rows, ["a"], "y", estimator=folds), TypeError, "cv: expected"),
        (lambda: gapfit_spark.predict(model, rows), ValueError, "columns with names"),
        (lambda: gapfit_spark.predict(named, rows, output="y"), ValueError, "output: expected"),
        (lambda: gapfit_spark.predict(named, rows.select("a")), ValueError, "none called 'b'"),
        (lambda: gapfit_spark.predict(ImputedRidge(), rows), Exception, "not fitted"),
    ]:
        with pytest.raises(error, match=text):
            call()
