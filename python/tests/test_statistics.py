"""Statistics stand for rows: the same models, however the rows were parted."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from data import holey

from gapfit import Columns, ImputedRidge, ImputeThenRidge, LiftedRidge, MaskRidge, Statistics
from gapfit.exceptions import DataWarning


def coloured(n_rows, seed=0):
    """Rows of numbers, a category, a truth and a date with holes."""
    X, y = holey(n_rows, 3, seed=seed)
    rng = np.random.default_rng(seed + 1)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    colours = ["red", "blue", "teal", "grey", None]
    frame["colour"] = rng.choice(np.array(colours, dtype=object), size=n_rows, p=[0.5, 0.3, 0.1, 0.001, 0.099])
    frame["dry"] = pd.array(rng.choice(np.array([True, False, None], dtype=object), size=n_rows), dtype="boolean")
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n_rows), unit="D")
    frame["y"] = y + (frame["colour"] == "red")
    return frame


def bytes_of(model, folder):
    model.save(folder / "model")
    return (folder / "model").read_bytes()


def close(ours, theirs, X):
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("estimator", [ImputedRidge(), MaskRidge(), LiftedRidge(0.1), ImputeThenRidge(base="gaussian")])
def test_a_fit_to_few_rows_is_that_to_the_rows_to_the_byte(estimator, tmp_path):
    frame = coloured(300)
    X, y = frame.drop(columns="y"), frame["y"]
    expected = bytes_of(copy.deepcopy(estimator).fit(X, y), tmp_path)
    for sums in (Statistics.from_arrow(frame, "y"), Statistics.from_array(X, y)):
        assert sums.n_rows == sums.n_kept == 300
        model = estimator.fit_statistics(sums)
        assert bytes_of(model, tmp_path) == expected
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.n_features_in_ == 6


def test_parts_of_many_rows_give_the_model_of_all_of_them():
    frame = coloured(90_000)
    X, y = frame.drop(columns="y"), frame["y"]
    estimator = LiftedRidge(0.01)
    whole = copy.deepcopy(estimator).fit(X, y)
    parts = [frame[:40_000], frame[40_000:40_500], frame[40_500:]]
    columns = sum(Columns.from_arrow(part, "y") for part in parts)
    sums = [Statistics.from_arrow(part, "y", columns=columns) for part in parts]
    all_of_them = sums[2] + sums[0] + sums[1]
    assert sums[2].n_rows == 49_500, "what is added to is not changed"
    assert all_of_them.n_kept < all_of_them.n_rows == 90_000
    assert all_of_them.feature_names == Statistics.from_arrow(frame, "y").feature_names
    close(estimator.fit_statistics(all_of_them), whole, X)
    tuned = [MaskRidge().fit_statistics(s) for s in (all_of_them, Statistics.from_arrow(frame, "y"))]
    assert tuned[0].alpha_ == tuned[1].alpha_
    close(*tuned, X)


def test_sorted_parts_that_start_from_a_sample_do_too():
    frame = coloured(90_000).drop(columns=["day"])
    X, y = frame.drop(columns="y"), frame["y"]
    sample = Statistics.from_arrow(frame.sample(40_000, random_state=0), "y")
    ordered = frame.sort_values("a")
    parts = [ordered[:35_000], ordered[35_000:]]
    sums = sum(Statistics.from_arrow(part, "y", like=sample) for part in parts)
    assert sums.n_rows == 90_000
    estimator = LiftedRidge(0.01)
    close(copy.deepcopy(estimator).fit_statistics(sums), copy.deepcopy(estimator).fit(X, y), X)
    alone = sum(Statistics.from_arrow(part, "y") for part in parts)
    with pytest.raises(ValueError, match="tails of the first rows"):
        estimator.fit_statistics(alone)


def test_levels_that_differ_between_parts_are_those_of_both():
    a = pa.table({"c": ["x", "z"] * 20, "n": [1.0, 2.0] * 20, "y": [1.0, 3.0] * 20})
    b = pa.table({"y": [2.0, 4.0] * 20, "n": [3.0, None] * 20, "c": ["w", None] * 20})
    both = Statistics.from_arrow(a, "y") + Statistics.from_arrow(b, "y")
    assert both.feature_names == ["c=x", "c=z", "c=w", "n"]
    c = pa.table({"c": [1.0, 2.0], "n": [1.0, 2.0], "y": [1.0, 2.0]})
    with pytest.raises(ValueError, match="'c' categorical in one part and numeric in another"):
        both + Statistics.from_arrow(c, "y")
    assert both.n_rows == 80


def test_a_stream_is_read_batch_by_batch():
    frame = coloured(50_000)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    columns = Columns.from_arrow(table, "y")
    waiting = []

    def batches():
        for start in range(0, 50_000, 1000):
            waiting.append(start)
            yield table.slice(start, 1000).to_batches()[0]

    stream = pa.RecordBatchReader.from_batches(table.schema, batches())
    sums = Statistics.from_arrow(stream, "y", columns=columns)
    assert len(waiting) == 50
    model, X = LiftedRidge(0.01), frame.drop(columns="y")
    close(copy.deepcopy(model).fit_statistics(sums), model.fit(X, frame["y"]), X)


def test_every_kind_of_table_gives_the_same_bytes():
    frame = coloured(400).drop(columns="day")
    expected = Statistics.from_arrow(frame, "y").to_bytes()
    polars = pl.from_pandas(frame)
    arrow = polars.to_arrow()
    for table in (polars, arrow, arrow.combine_chunks().to_batches()[0]):
        assert Statistics.from_arrow(table, "y").to_bytes() == expected, type(table)
    numbers = frame[["a", "b"]]
    names = Statistics.from_array(numbers, frame["y"]).feature_names
    assert names == ["a", "b"]
    assert Statistics.from_array(numbers.to_numpy(), frame["y"]).feature_names == ["x0", "x1"]


def test_they_come_back_from_bytes_files_and_pickles(tmp_path):
    frame = coloured(35_000)
    sums = Statistics.from_arrow(frame, "y", clip=0.01)
    sums.save(tmp_path / "s.gapstats")
    columns = Columns.from_arrow(frame, "y")
    for other in (Statistics.load(tmp_path / "s.gapstats"), pickle.loads(pickle.dumps(sums)), copy.deepcopy(sums)):
        assert other.to_bytes() == sums.to_bytes()
        assert (other.n_rows, other.target, other.clip, other.tuning) == (35_000, "y", 0.01, True)
    assert Columns.from_bytes(columns.to_bytes()).feature_names == columns.feature_names
    assert pickle.loads(pickle.dumps(columns)).to_bytes() == columns.to_bytes()
    (tmp_path / "none").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="none: "):
        Statistics.load(tmp_path / "none")
    with pytest.raises(ValueError, match="expected the bytes of columns"):
        Columns.from_bytes(b"nothing")


def test_weights_count_and_targets_that_are_missing_do_not():
    frame = coloured(300).drop(columns="day")
    frame["w"] = np.arange(300) % 3
    frame.loc[:9, "y"] = np.nan
    with pytest.warns(DataWarning, match="10 of 204 rows have no target 'y'"):
        sums = Statistics.from_arrow(frame, "y", weight="w")
    kept = frame[10:]
    X = kept.drop(columns=["y", "w"])
    model = ImputedRidge(0.1, 1.0).fit_statistics(sums)
    repeated = kept.loc[kept.index.repeat(kept["w"])]
    twice = ImputedRidge(0.1, 1.0).fit(repeated.drop(columns=["y", "w"]), repeated["y"])
    np.testing.assert_allclose(model.predict(X), twice.predict(X), rtol=1e-7)
    array = Statistics.from_array(X[["a", "b"]], kept["y"], kept["w"])
    assert array.n_rows == np.count_nonzero(kept["w"])


def test_levels_that_are_not_known_are_missing_with_a_warning():
    first = pa.table({"c": ["x", "z"] * 20, "y": [1.0, 3.0] * 20})
    sums = Statistics.from_arrow(first, "y")
    new = pa.table({"c": ["x", "new", "new"], "y": [1.0, 3.0, 2.0], "left out": [1, 2, 3]})
    with pytest.warns(DataWarning, match="column 'c': 2 cells"):
        part = Statistics.from_arrow(new, "y", like=sums)
    assert (part.n_rows, part.feature_names) == (3, ["c=x", "c=z"])
    assert (sums + part).n_rows == 43


def test_what_is_wrong_is_said():
    table = pa.table({"a": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 4.0]})
    sums = Statistics.from_arrow(table, "y")
    for call, error, text in [
        (lambda: Statistics.from_arrow(table, "z"), ValueError, "expected the target column \"z\""),
        (lambda: Statistics.from_arrow(table, "y", clip=0.7), ValueError, "clip: expected a quantile"),
        (lambda: Statistics.from_arrow(table, "y", clip="much"), TypeError, "clip: expected a number"),
        (lambda: Statistics.from_arrow(table, "y", like=sums, clip=0.1), ValueError, "clip: expected None beside like"),
        (lambda: Statistics.from_arrow(table.drop(["a"]), "y", like=sums), ValueError, "feature column \"a\""),
        (lambda: Statistics.from_array([[1.0], [2.0]], [1.0]), ValueError, "inconsistent numbers"),
        (lambda: Statistics(table), TypeError, "expected from_arrow or from_bytes"),
        (lambda: sums + 1, TypeError, "unsupported operand"),
        (lambda: sums + Statistics.from_arrow(table, "a"), ValueError, "in one part only"),
        (lambda: ImputedRidge().fit_statistics(table), TypeError, "expected a Statistics"),
        (lambda: ImputedRidge(cv=[([0], [1])]).fit_statistics(sums), TypeError, "cv: expected a number of folds"),
    ]:
        with pytest.raises(error, match=text):
            call()


def test_sums_refuse_what_needs_rows():
    frame = coloured(40_000)
    sums = Statistics.from_arrow(frame, "y", tuning=False)
    with pytest.raises(ValueError, match="blocks"):
        MaskRidge().fit_statistics(sums)
    with pytest.raises(ValueError, match="loss: expected squared"):
        ImputedRidge(0.1, 1.0, loss="huber=1").fit_statistics(sums)
    with pytest.raises(ValueError, match="clip"):
        MaskRidge(0.1, clip=0.1).fit_statistics(sums)


def test_patterns_that_are_too_many_are_added_up():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(34_000, 40))
    y = X[:, :3].sum(axis=1)
    X[rng.random(X.shape) < 0.1] = np.nan
    sums = Statistics.from_array(X, y, clip=0, tuning=False)
    assert not sums.by_pattern
    assert not Statistics.from_bytes(sums.to_bytes()).by_pattern
    by_sums, by_rows = MaskRidge(0.1, clip=0).fit_statistics(sums), MaskRidge(0.1, clip=0).fit(X, y)
    np.testing.assert_allclose(by_sums.predict(X[:100]), by_rows.predict(X[:100]), atol=1e-9)
    with pytest.raises(ValueError, match="not told apart"):
        ImputedRidge(0.1, 1.0, base="gaussian", clip=0).fit_statistics(sums)
