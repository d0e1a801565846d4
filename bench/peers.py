"""The peers' side of the benchmarks: numpy, scikit-learn, Vowpal Wabbit, river and cvxpy on data that gapfit's side wrote; one thread, unless a task says otherwise.

    peers.py FOLDER               worker: one task name a line on stdin, one JSON line each on stdout
    peers.py FOLDER --repeats N   every task N times, alternately; one JSON object with the medians
    peers.py FOLDER --make SEED   writes a data set of the benchmark's shape first (without gapfit's side)

The worker answers `{"task", "seconds"}` (for an imputation also `"rmse"`, the error in the holes; for an online learner `"rows"`, how many it learnt from, and where it is
known `"loss"`, their mean loss before that; on the wide table `"rmse"`, the error on test rows), or `{"task", "error"}` and goes on; the task `versions` answers `{"task", "versions"}`. Reading files and importing are not timed; each
task's first answer includes cold caches, so the asking side should run it once before it counts.

Files hold little-endian f64 row by row, NaN = hole: complete.f64, holes.f64, target.f64 (the large table, with and
without holes), classes.f64 (0 and 1, of its first rows), small_holes.f64, small_target.f64, and stream.f64, stream_target.f64 (classes -1 and 1). The number of rows is
the length of the target. The tasks of `classify` read train.f64, train_target.f64, test.f64 and test_target.f64 (classes 0 and 1) anew each time, and also answer
`"log_loss"` and `"auc"` on the test rows. Those of `wide` read wide.f64, wide_target.f64, the same of wide_test, and wide_settings.f64 (columns to impute from, weight of the ridge). `contest METHOD TABLE` is for contest.py, which says more.
"""

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"  # read when numpy is imported

import argparse
import functools
import importlib.metadata
import json
import math
import pathlib
import statistics
import sys
import time
import warnings

import contest
import numpy as np
import pylibvw
import river.linear_model
import river.optim
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  (makes IterativeImputer importable)
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, Ridge
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from vowpalwabbit import Workspace


class Tables:
    """The data in a folder, each file read when first asked for and kept."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    @functools.cache
    def target(self, name):
        return np.fromfile(self.folder / f"{name}.f64", dtype="<f8")

    @functools.cache
    def features(self, name, target):
        return np.fromfile(self.folder / f"{name}.f64", dtype="<f8").reshape(len(self.target(target)), -1)

    @functools.cache
    def lifted(self):
        """The first rows of the large table as imputed logistic regression sees them, without the constant: standardised, holes at the
        mean, and again (constant, row) for each missing feature."""
        x = self.features("holes", "target")[: len(self.target("classes"))]
        missing = np.isnan(x)
        x = np.where(missing, 0.0, (x - np.nanmean(x, axis=0)) / np.nanstd(x, axis=0))
        row = np.column_stack([np.ones(len(x)), x])
        return np.hstack([x, *(row * hole[:, None] for hole in missing.T)])

    @functools.cache
    def tolerance(self, solver):
        """The loosest `tol` with which the solver's objective is within our certified gap of its minimum."""
        best = objective(logistic("newton-cholesky", 1e-12, self), self)
        tolerances = (10.0**-k for k in range(2, 13))
        return next(tol for tol in tolerances if objective(logistic(solver, tol, self), self) <= best * (1 + GAP))

    @functools.cache
    def stream_lines(self):
        """The stream in Vowpal Wabbit's text form: values, and which are missing."""
        rows = zip(self.features("stream", "stream_target"), self.target("stream_target"))
        return [vw_line(row, label) for row, label in rows]

    @functools.cache
    def stream_cache(self):
        """The stream, PASSES times over, in Vowpal Wabbit's binary form."""
        text, cache = self.folder / "stream.txt", self.folder / "stream.cache"
        text.write_text("\n".join(self.stream_lines() * PASSES) + "\n")
        Workspace(arg_list=["--quiet", "--noop", "-k", "-d", str(text), "--cache_file", str(cache)]).finish()
        return cache


def vw_line(row, label):
    values = " ".join(f"{j}:{float(x)!r}" for j, x in enumerate(row) if not np.isnan(x))
    missing = " ".join(str(j) for j in np.flatnonzero(np.isnan(row)))
    return f"{label:.0f} |value {values} |missing {missing}"


def gram(tables):
    """numpy's X'X on the complete large table (a symmetric rank update, as numpy sees that both sides are X)."""
    x = tables.features("complete", "target")
    return lambda: x.T @ x


def simple_ridge(tables):
    """Mean imputation and ridge on the large table with holes."""
    x, y = tables.features("holes", "target"), tables.target("target")
    return lambda: make_pipeline(SimpleImputer(), Ridge()).fit(x, y)


def iterative_ridge(tables):
    """Round-robin imputation, as it comes, and ridge on the small table with holes."""
    x, y = tables.features("small_holes", "small_target"), tables.target("small_target")
    return lambda: make_pipeline(IterativeImputer(), Ridge()).fit(x, y)


def iterative_impute(tables):
    """Round-robin imputation, as it comes, of the first 1e5 rows of the large table with holes."""
    x = tables.features("holes", "target")[:IMPUTED]
    return lambda: IterativeImputer().fit_transform(x)


def logistic(solver, tol, tables):
    """scikit-learn's logistic regression on the lifted features, with the weight that our penalty has."""
    x, y = tables.lifted(), tables.target("classes")
    return LogisticRegression(C=1 / (2 * ALPHA * len(y)), solver=solver, tol=tol, max_iter=10_000).fit(x, y)


def objective(model, tables):
    """Mean log-loss and penalty of a fitted model."""
    y = tables.target("classes")
    loss = np.logaddexp(0, (1 - 2 * y) * model.decision_function(tables.lifted())).mean()
    return loss + ALPHA * np.sum(model.coef_**2)


def lifted_logistic(solver, tables):
    """The fit to our gap; lifting and finding the tolerance are not timed."""
    tol = tables.tolerance(solver)
    return lambda: logistic(solver, tol, tables)


def classifier(imputer, tables):
    """Imputation, units, and logistic regression with the penalty that cross-validation likes best, on rows of one draw."""
    x, test = (np.fromfile(tables.folder / f"{name}.f64", dtype="<f8") for name in ("train", "test"))
    y, truth = (np.fromfile(tables.folder / f"{name}_target.f64", dtype="<f8") for name in ("train", "test"))
    x, test = x.reshape(len(y), -1), test.reshape(len(truth), -1)
    regression = LogisticRegressionCV(
        Cs=np.logspace(-4, 4, 17), cv=5, scoring="neg_log_loss", l1_ratios=(0.0,), use_legacy_attributes=False, max_iter=10_000
    )
    model = make_pipeline(imputer(), StandardScaler(), regression)

    def work():
        probability = model.fit(x, y).predict_proba(test)[:, 1]
        return {"log_loss": log_loss(truth, probability), "auc": roc_auc_score(truth, probability)}

    return work


MODEL = ["--quiet", "--loss_function", "logistic", "-q", "vm"]  # a constant, values, missing indicators, their products
SGD = ["--sgd", "--learning_rate", "0.01", "--power_t", "0"]  # one constant step for all weights, as our plain rule has
ADAPTIVE = []  # as it comes: adaptive, normalised, invariant


def vw_cached(step, tables):
    """Vowpal Wabbit's own driver on the stream: a second thread reads the cache."""
    workspace = Workspace(arg_list=[*MODEL, *step, "--cache_file", str(tables.stream_cache())])

    def learn():
        workspace.run_parser()
        return finish

    def finish():
        rows = workspace.get_weighted_examples()
        loss = workspace.get_sum_loss() / rows
        workspace.finish()
        return {"rows": rows, "loss": loss}

    return learn


def vw_in_memory(step, tables):
    """Vowpal Wabbit on examples that it has parsed before; one thread. Python calls it once a row."""
    workspace = Workspace(arg_list=[*MODEL, *step])
    examples = [workspace.parse(line) for line in tables.stream_lines()]
    learn_one = functools.partial(pylibvw.vw.learn, workspace)

    def learn():
        for _ in range(PASSES):
            for example in examples:
                learn_one(example)
        return finish

    def finish():
        for example in examples:
            workspace.finish_example(example)
        workspace.finish()
        return {"rows": PASSES * len(examples)}

    return learn


def river_sgd(tables):
    """river's logistic regression with a constant step, on the values that are there as dictionaries. It knows nothing of holes."""
    x, y = tables.features("stream", "stream_target"), tables.target("stream_target")
    rows = [({j: float(v) for j, v in enumerate(row) if not math.isnan(v)}, label > 0) for row, label in zip(x, y)]
    model = river.linear_model.LogisticRegression(river.optim.SGD(0.01), intercept_lr=0.01)

    def learn():
        for row, label in rows:
            model.predict_proba_one(row)
            model.learn_one(row, label)
        return lambda: {"rows": len(rows)}

    return learn


def wide(rounds, tables):
    """Round-robin imputation from a few columns each, and ridge, on the wide table."""
    x, y = tables.features("wide", "wide_target"), tables.target("wide_target")
    n_nearest, alpha = tables.target("wide_settings")
    imputer = IterativeImputer(n_nearest_features=int(n_nearest), max_iter=rounds, random_state=0)
    return lambda: make_pipeline(imputer, Ridge(alpha=alpha)).fit(x, y)


IMPUTED = 100_000  # rows
ALPHA, GAP = 1e-3, 1e-8  # of our logistic fit
PASSES = 25  # over the stream
TASKS = {
    "gram": gram,
    "simple_ridge": simple_ridge,
    "iterative_ridge": iterative_ridge,
    "iterative_impute": iterative_impute,
    "lifted_lbfgs": functools.partial(lifted_logistic, "lbfgs"),
    "lifted_newton": functools.partial(lifted_logistic, "newton-cholesky"),
    "vw_sgd": functools.partial(vw_cached, SGD),
    "vw_sgd_memory": functools.partial(vw_in_memory, SGD),
    "vw_adaptive": functools.partial(vw_cached, ADAPTIVE),
    "vw_adaptive_memory": functools.partial(vw_in_memory, ADAPTIVE),
    "river_sgd": river_sgd,
}
CLASSIFIERS = {
    "mask_logistic": functools.partial(classifier, functools.partial(SimpleImputer, add_indicator=True, keep_empty_features=True)),
    "iterative_logistic": functools.partial(classifier, functools.partial(IterativeImputer, keep_empty_features=True)),
}
# Asked for by name only: they take minutes.
LONG_TASKS = {
    "wide_one_round": functools.partial(wide, 1),
    "wide_all_rounds": functools.partial(wide, 10),
}


def run(task, tables):
    """The wall time of one run of the task called `task`, and what came out."""
    work = (TASKS | CLASSIFIERS | LONG_TASKS)[task](tables)
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def details(task, result, tables):
    """What else the answer holds."""
    if task == "iterative_impute":
        return {"rmse": imputation_error(result, tables)}
    if task.startswith(("vw_", "river_")):
        return result()
    if task in CLASSIFIERS:
        return result
    if task.startswith("wide_"):
        x, y = tables.features("wide_test", "wide_test_target"), tables.target("wide_test_target")
        return {"rmse": float(np.sqrt(np.mean((result.predict(x) - y) ** 2)))}
    return {}


def imputation_error(filled, tables):
    """Root mean squared error over the cells that were holes."""
    rows = slice(len(filled))
    off = (filled - tables.features("complete", "target")[rows])[np.isnan(tables.features("holes", "target")[rows])]
    return float(np.sqrt(np.mean(off**2)))


def versions():
    """What was measured."""
    python = sys.version.split()[0]
    named = ("numpy", "scipy", "scikit-learn", "vowpalwabbit", "river", "cvxpy", "clarabel")
    return {"python": python} | {name: importlib.metadata.version(name) for name in named}


def answer(task, tables):
    """The worker's answer to one line."""
    if task == "versions":
        return {"task": task, "versions": versions()}
    if task.startswith("contest "):
        return contested(task, tables)
    if task not in TASKS | CLASSIFIERS | LONG_TASKS:
        return {"task": task, "error": f"unknown task: expected versions or one of {', '.join(TASKS | CLASSIFIERS | LONG_TASKS)}"}
    try:
        seconds, result = run(task, tables)
        return {"task": task, "seconds": seconds} | details(task, result, tables)
    except (OSError, ValueError, RuntimeError) as error:
        return {"task": task, "error": str(error)}


def contested(task, tables):
    """The answer of one of contest.py's."""
    try:
        return {"task": task} | contest.run(tables.folder, task.removeprefix("contest "))
    except (OSError, ValueError, RuntimeError) as error:
        return {"task": task, "error": str(error)}


def work(tables):
    """Answers lines until the other side closes its end."""
    for line in sys.stdin:
        if task := line.strip():
            print(json.dumps(answer(task, tables)), flush=True)


def report(tables, repeats):
    """Medians over alternating repeats, after one run of each that does not count."""
    times = {task: [] for task in TASKS}
    for round_ in range(repeats + 1):
        for task in TASKS:
            took, result = run(task, tables)
            details(task, result, tables)
            if round_ > 0:
                times[task].append(took)
    medians = {task: statistics.median(took) for task, took in times.items()}
    print(json.dumps({"repeats": repeats, "median_seconds": medians, "seconds": times, "versions": versions()}))


def make(folder, seed):
    """Writes correlated Gaussian features, a linear target with noise and 30 % holes: 1e6 x 10 and 1000 x 10;
    and two classes of 4000 x 64 Gaussian features with 10 % holes."""
    rng = np.random.default_rng(seed)
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for prefix, rows in (("", 1_000_000), ("small_", 1000)):
        d = 10
        x = rng.normal(size=(rows, d)) @ (np.eye(d) + 0.5 * rng.normal(size=(d, d)))
        (x @ rng.normal(size=d) + rng.normal(size=rows)).astype("<f8").tofile(folder / f"{prefix}target.f64")
        x.astype("<f8").tofile(folder / f"{prefix}complete.f64")
        x[rng.uniform(size=x.shape) < 0.3] = np.nan
        x.astype("<f8").tofile(folder / f"{prefix}holes.f64")
    target = np.fromfile(folder / "target.f64", dtype="<f8")[:IMPUTED]
    odds = np.exp(3 * (target - target.mean()) / target.std())
    (rng.uniform(size=IMPUTED) < odds / (1 + odds)).astype("<f8").tofile(folder / "classes.f64")
    x = rng.normal(size=(4000, 64))
    np.sign(x[:, ::2].sum(axis=1)).astype("<f8").tofile(folder / "stream_target.f64")
    x[rng.uniform(size=x.shape) < 0.1] = np.nan
    x.astype("<f8").tofile(folder / "stream.f64")


def main():
    parser = argparse.ArgumentParser(description="times the peers on the data in a folder")
    parser.add_argument("folder")
    parser.add_argument("--repeats", type=int, help="report medians instead of answering stdin")
    parser.add_argument("--make", type=int, metavar="SEED", help="write a data set to the folder first")
    args = parser.parse_args()
    if args.repeats is not None and args.repeats < 1:
        parser.error(f"--repeats: expected at least 1, got {args.repeats}")
    # IterativeImputer's ten rounds often end before its tolerance: part of its default behaviour, and of its time.
    warnings.simplefilter("ignore", ConvergenceWarning)
    if args.make is not None:
        make(args.folder, args.make)
    tables = Tables(args.folder)
    report(tables, args.repeats) if args.repeats else work(tables)


if __name__ == "__main__":
    main()
