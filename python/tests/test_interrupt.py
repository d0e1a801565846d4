"""Long work lets go of the interpreter's lock, ends on Ctrl-C, and says how far it is."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from data import holey

from gapfit import ImputedRidge, OnlineRegressor


@pytest.fixture(autouse=True)
def ctrl_c_is_heard():
    """A process that was started in the background inherits that it is not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_search_ends_on_ctrl_c(n_jobs):
    X, y = holey(20000, 30)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ImputedRidge(n_jobs=n_jobs).fit(X, y)
    # and the next fit works
    ImputedRidge(0.1, 1.0, n_jobs=n_jobs).fit(X[:200], y[:200])


def test_a_fit_with_given_parameters_ends_on_ctrl_c():
    X, y = holey(60000, 60)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            ImputedRidge(0.1, 1.0, base="gaussian").fit(X, y)
    ImputedRidge(0.1, 1.0).fit(X[:200], y[:200])


def test_a_stream_ends_on_ctrl_c():
    X, y = holey(50000, 60)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    model = OnlineRegressor(passes=1000)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)


def test_the_lock_is_released_while_a_fit_runs():
    X, y = holey(5000, 10)
    turns, is_done = [], threading.Event()

    def count():
        while not is_done.is_set():
            turns.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.monotonic()
    ImputedRidge(base="mean").fit(X, y)
    end = time.monotonic()
    is_done.set()
    thread.join()
    turns = np.array(turns)
    assert np.sum((turns > start) & (turns < end)) > 10


def test_a_search_says_how_far_it_is(capsys):
    X, y = holey(2000, 8)
    ImputedRidge(verbose=True).fit(X, y)
    assert "fits" in capsys.readouterr().err
