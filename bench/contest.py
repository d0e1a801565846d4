"""The peers of `bench/run page`: fits beside ours to tables that gapfit's side wrote.

    contest.py FOLDER METHOD TABLE    one fit in a process of its own, whose memory is then that of the fit

A table called T is in T.f64 and T_target.f64, its test rows in T_test.f64 and T_test_target.f64, as peers.py describes files. A contest answers
`seconds` of fitting and, where there are test rows, `rmse` on them and `predict_seconds`; the program of the paper answers `objective` instead.
"""

import functools
import os
import pathlib
import sys
import time

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"  # read when numpy is imported

import numpy as np

ALPHA = 1e-3  # the weight of our penalty per row, and so of the peers' ridge; gamma is 1
ALPHAS = 2.0 ** np.arange(-12, 11)  # what tuned fits choose from, per row as well


@functools.lru_cache(maxsize=1)  # the largest table takes a gigabyte
def table(folder, name):
    """Features and target."""
    y = np.fromfile(pathlib.Path(folder) / f"{name}_target.f64", dtype="<f8")
    return np.fromfile(pathlib.Path(folder) / f"{name}.f64", dtype="<f8").reshape(len(y), -1), y


@functools.lru_cache(maxsize=1)
def test_table(folder, name):
    """The same of the test rows."""
    return table.__wrapped__(folder, f"{name}_test")


def imputer(kind):
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401  (makes IterativeImputer importable)
    from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer

    return {"simple": SimpleImputer, "iterative": IterativeImputer, "knn": KNNImputer}[kind]()


def impute_then_ridge(kind, n_rows):
    """An imputer as it comes, and ridge regression with our weight."""
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    return make_pipeline(imputer(kind), Ridge(alpha=ALPHA * n_rows))


def impute_then_tune(kind, n_rows):
    """An imputer as it comes, units, and ridge regression that chooses its weight in five folds."""
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(imputer(kind), StandardScaler(), RidgeCV(alphas=ALPHAS * n_rows, cv=5))


def boosting(n_rows):
    """Boosted trees, which take holes as they are, with their usual settings."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(random_state=0)


METHODS = {
    **{f"{kind}_ridge": functools.partial(impute_then_ridge, kind) for kind in ("simple", "iterative", "knn")},
    **{f"{kind}_tuned": functools.partial(impute_then_tune, kind) for kind in ("simple", "iterative", "knn")},
    "boosting": boosting,
}


def gram(folder, name):
    """numpy's X'X of the table with zeros in its holes: who reads the table once cannot be faster."""
    x = np.nan_to_num(table(folder, name)[0])
    start = time.perf_counter()
    x.T @ x
    return {"seconds": time.perf_counter() - start}


def fit(method, folder, name):
    """One fit, and how good it is."""
    x, y = table(folder, name)
    model = METHODS[method](len(y))
    start = time.perf_counter()
    model.fit(x, y)
    answer = {"seconds": time.perf_counter() - start}
    if (pathlib.Path(folder) / f"{name}_test.f64").exists():
        x, y = test_table(folder, name)
        start = time.perf_counter()
        predictions = model.predict(x)
        answer["predict_seconds"] = time.perf_counter() - start
        answer["rmse"] = float(np.sqrt(np.mean((predictions - y) ** 2)))
    return answer


def program(folder, name):
    """The paper's relaxation through cvxpy and Clarabel, on rows as they are behind a constant that has a weight as well:

        min t  over |M| <= 1, |N| <= 1  such that  [K + cI, y; y', t] and K are positive semidefinite

    K on the span of the lifted rows, without which there is no interior. Making the program is part of the work.
    """
    import cvxpy

    x, y = table(folder, name)
    missing = np.isnan(x)
    row = np.column_stack([np.ones(len(y)), np.nan_to_num(x)])
    lifted = [row * hole[:, None] for hole in missing.T]
    basis = np.linalg.svd(np.hstack([row, *lifted]), full_matrices=False)
    basis = basis.U[:, basis.S > 1e-9 * basis.S[0]]
    c, (n_rows, d) = ALPHA * len(y), row.shape
    start = time.perf_counter()
    t, m = cvxpy.Variable(), cvxpy.Variable((d, len(lifted)))
    n = [cvxpy.Variable((d, d), symmetric=True) for _ in lifted]
    kernel = row @ row.T
    for k, shifted in enumerate(lifted):
        mixed = row[:, [k + 1]] @ cvxpy.reshape(shifted @ m[:, k], (1, n_rows), order="C")
        kernel = kernel + mixed + mixed.T + shifted @ n[k] @ shifted.T
    target = y[:, None]
    schur = cvxpy.bmat([[kernel + c * np.eye(n_rows), target], [target.T, cvxpy.reshape(t, (1, 1), order="C")]])
    inside = basis.T @ kernel @ basis
    constraints = [(schur + schur.T) / 2 >> 0, (inside + inside.T) / 2 >> 0]
    constraints += [cvxpy.norm(m, "fro") <= 1, cvxpy.norm(cvxpy.hstack([cvxpy.vec(s, order="C") for s in n])) <= 1]
    problem = cvxpy.Problem(cvxpy.Minimize(t), constraints)
    problem.solve(solver=cvxpy.CLARABEL)
    seconds = time.perf_counter() - start
    if problem.status != "optimal":
        raise RuntimeError(f"the program ended as {problem.status}")
    return {"seconds": seconds, "objective": float(c * t.value / len(y))}


def run(folder, question):
    """The answer to `METHOD TABLE`."""
    method, name = question.split()
    if method in ("gram", "program"):
        return globals()[method](folder, name)
    if method not in METHODS:
        raise ValueError(f"unknown contestant: expected gram, program or one of {', '.join(METHODS)}")
    return fit(method, folder, name)


if __name__ == "__main__":
    print(run(sys.argv[1], f"{sys.argv[2]} {sys.argv[3]}"))
