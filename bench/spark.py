"""What sums cost on Apache Spark: gapfit.spark beside a mapInArrow that does nothing, and one machine.

bench/run spark [--rows N] [--columns D] [--repeats R] [--master M] [--json]
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyspark
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import gapfit.spark
from gapfit import ImputedRidge, Statistics

MOST = 2.0
CLOSE = 1e-10


def main():
    asked = arguments()
    spark = session(asked.master)
    with tempfile.TemporaryDirectory() as folder:
        say(f"making {asked.rows} rows of {asked.columns} columns")
        path = f"{folder}/rows"
        made(spark, asked).write.parquet(f"file://{path}")
        rows = spark.read.parquet(f"file://{path}")
        features = [name for name in rows.columns if name != "y"]
        contenders = {
            "empty mapInArrow": lambda: rows.mapInArrow(nothing, "n long").count(),
            "gapfit.spark.statistics": lambda: gapfit.spark.statistics(rows, features, "y"),
        }
        times, sums = race(contenders, asked.repeats)
        say("one machine")
        start = time.perf_counter()
        alone = Statistics.from_arrow(stream(path), "y", columns=columns(path), n_jobs=-1)
        times["one machine"] = [time.perf_counter() - start]
        spread = difference(sums, alone, path)
    spark.stop()
    tell(asked, times, spread)


def arguments():
    parser = argparse.ArgumentParser(prog="bench/run spark", description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=10_000_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--master", default="local[2]", help="such as local-cluster[2,1,1024]")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def session(master):
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master)
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "4g",
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def made(spark, asked):
    """Normal columns, 30 % of the cells missing, and a linear target with noise."""
    rows = spark.range(0, asked.rows, 1, 8)
    names = [f"x{j}" for j in range(asked.columns)]
    values = rows.select(*(F.randn(seed=j).alias(name) for j, name in enumerate(names)))
    target = sum((F.col(name) / (1.0 + j) for j, name in enumerate(names)), F.randn(seed=999))
    whole = values.withColumn("y", target)
    holes = [F.when(F.rand(seed=500 + j) >= 0.3, F.col(name)).alias(name) for j, name in enumerate(names)]
    return whole.select(*holes, "y")


def nothing(batches):
    """Takes all rows and gives none."""
    for _ in batches:
        pass
    yield pa.RecordBatch.from_pydict({"n": [0]})


def race(contenders, repeats):
    """The times of contenders that take turns, after a round that does not count, and what the last gave."""
    times = {name: [] for name in contenders}
    for turn in range(repeats + 1):
        say(f"round {turn} of {repeats}")
        order = list(contenders) if turn % 2 else list(reversed(contenders))
        for name in order:
            start = time.perf_counter()
            result = contenders[name]()
            if turn:
                times[name].append(time.perf_counter() - start)
            if name.startswith("gapfit"):
                sums = result
    return times, sums


def stream(path):
    """The rows of the files, batch by batch."""
    return pyarrow.dataset.dataset(path, format="parquet").scanner(batch_size=1 << 16).to_reader()


def columns(path):
    head = pyarrow.dataset.dataset(path, format="parquet").head(1000)
    return gapfit.Columns.from_arrow(head, "y")


def difference(ours, theirs, path):
    """The largest relative difference of predictions of the two models."""
    models = [ImputedRidge(0.01, 1.0, base="mean").fit_statistics(sums) for sums in (ours, theirs)]
    head = pyarrow.dataset.dataset(path, format="parquet").head(20_000).drop(["y"])
    a, b = (model.predict(head) for model in models)
    return float(np.max(np.abs(a - b) / (1.0 + np.abs(b))))


def tell(asked, times, spread):
    medians = {name: statistics.median(of) for name, of in times.items()}
    ratio = medians["gapfit.spark.statistics"] / medians["empty mapInArrow"]
    if asked.json:
        said = {"rows": asked.rows, "columns": asked.columns, "master": asked.master, "seconds": times}
        print(json.dumps(said | {"ratio": ratio, "difference": spread}))
        return
    print(f"{asked.rows} rows of {asked.columns} columns on {asked.master}\n")
    print("| what | median s | fastest | slowest |\n|---|---|---|---|")
    for name, of in times.items():
        print(f"| {name} | {medians[name]:.2f} | {min(of):.2f} | {max(of):.2f} |")
    verdicts = [("sums / empty", ratio, MOST), ("models, largest difference", spread, CLOSE)]
    print("\n| bar | measured | at most | |\n|---|---|---|---|")
    for name, measured, most in verdicts:
        print(f"| {name} | {measured:.3g} | {most:.3g} | {'met' if measured <= most else 'MISSED'} |")


def say(text):
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
