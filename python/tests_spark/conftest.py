"""A cluster of two executors, each a process of its own with one core, for all tests."""

import os
import sys

import pyspark
import pytest
from pyspark.sql import SparkSession

# the executors start Java from there, and Python from the environment of the tests
os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
os.environ["PYSPARK_PYTHON"] = sys.executable


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    # executors leave their logs where the driver stands
    os.chdir(tmp_path_factory.mktemp("spark"))
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
        "spark.executorEnv.PYTHONPATH": os.path.dirname(__file__),
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
