"""Conic programs solved as tightly as Clarabel can, and compact JSON fixtures."""

import json
import pathlib

import cvxpy as cp
import numpy as np

FOLDER = pathlib.Path(__file__).parent


def solve(problem):
    """Returns the optimum of `problem` and its relative duality gap, at the tightest tolerance that is reached.

    A double-precision interior-point method stalls somewhere between 1e-8 and 1e-12, depending on the program.
    """
    data, chain, inverse = problem.get_problem_data(cp.CLARABEL, solver_opts={})
    for tol in (1e-12, 1e-11, 1e-10, 3e-10, 1e-9, 3e-9, 1e-8):
        settings = {"tol_gap_abs": tol, "tol_gap_rel": tol, "tol_feas": tol, "max_iter": 500}
        raw = chain.solver.solve_via_data(data, warm_start=False, verbose=False, solver_opts=settings)
        if str(raw.status) == "Solved":
            problem.unpack_results(raw, chain, inverse)
            value = float(problem.value)
            return value, abs(raw.obj_val - raw.obj_val_dual) / max(abs(value), 1e-300)
    raise ArithmeticError(f"tolerance {tol} not reached, last status {raw.status}")


def disagreement(a, b):
    """Relative difference of two numbers or, in the maximum norm, of two vectors."""
    a, b = np.asarray(a), np.asarray(b)
    return float(np.max(np.abs(a - b)) / max(np.max(np.abs(a)), np.max(np.abs(b)), 1e-300))


def trusted(*errors):
    """The relative accuracy to state for a value, from what was seen of its errors; refuses a value worse than 1e-7.

    Not below 1e-9: the constraints hold only to the solver's tolerance, and that moves a value without a gap.
    """
    worst = max(*errors, 1e-9)
    assert worst <= 1e-7, f"the solver reached only {worst}: choose a better scaled case"
    return float(f"{worst:.1e}")


def decades(rng, count, low, high):
    """Random positive numbers, their decimal logarithms uniform in [low, high]."""
    return 10.0 ** rng.uniform(low, high, count)


def short(values, digits=4):
    """Rounds to a few significant digits, so that a fixture states its inputs exactly and briefly."""
    return np.vectorize(lambda x: float(f"{x:.{digits}g}"), otypes=[float])(values)


def write(name, about, cases):
    """Writes `{"about": ..., "cases": [...]}`, one case a line, beside this file."""
    lines = ",\n".join(json.dumps(case, separators=(",", ":"), allow_nan=False) for case in cases)
    (FOLDER / name).write_text(f'{{"about":{json.dumps(about)},"cases":[\n{lines}\n]}}\n')
