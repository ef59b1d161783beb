"""Time that the Python package adds to a fit, small fits in parallel, and fits of all sizes with one thread of BLAS and with all threads.

    .venv/bin/python bench/overhead.py
"""

import os
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from joblib import Parallel, delayed

from sklearn.linear_model import Ridge
from sklearn.utils.validation import validate_data

from ardvark import BayesianLinearRegression, BayesianLogisticRegression, _core

REPEATS = 2000


def median_us(call, number=REPEATS):
    taken = []
    for _ in range(number):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return 1e6 * np.median(taken)


def overhead():
    """The library measures its own fit, from the entry of the C++ function to its return: "seconds"."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 5))
    y = 2 * X[:, 0] + 1 + 0.1 * rng.normal(size=100)
    labels = (X[:, 0] + 0.5 * rng.normal(size=100) > 0).astype(float)
    print("== 100 rows, 5 columns: medians in microseconds")
    print(f"  {'':36s}{'C++':>8s}{'_core.fit':>11s}{'more':>7s}{'estimator':>11s}{'more':>7s}")
    for title, model, prior, estimator, target in [
        ("linear, shared", "linear", "shared", BayesianLinearRegression("shared"), y),
        ("linear, ard", "linear", "ard", BayesianLinearRegression("ard"), y),
        ("logistic, shared", "logistic", "shared", BayesianLogisticRegression("shared"), labels),
    ]:
        seconds = []

        def of_core():
            seconds.append(_core.fit(X, target, model=model, prior=prior, warn=False).number("seconds"))

        read = _core.fit(X, target, model=model, prior=prior, warn=False)
        reading = median_us(lambda: read.number("seconds"))
        core = median_us(of_core) - reading
        whole = median_us(lambda: estimator.fit(X, target))
        inside = 1e6 * np.median(seconds)
        print(f"  {title:36s}{inside:8.0f}{core:11.0f}{core - inside:7.0f}{whole:11.0f}{whole - inside:7.0f}")


    checks = median_us(lambda: validate_data(BayesianLinearRegression(), X, y, y_numeric=True))
    print(f"  scikit-learn's checks of X and y alone {checks:.0f}; its Ridge {median_us(lambda: Ridge().fit(X, y)):.0f}")


def small_fits():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(64, 200, 20))
    y = X[..., 0] + rng.normal(size=(64, 200))

    def fit(k):
        return _core.fit(X[k], y[k], model="linear", prior="ard", warn=False).number("bound")

    def of_all(run):
        start = time.perf_counter()
        for _ in range(5):
            run()
        return (time.perf_counter() - start) / 5

    print(f"\n== 64 ARD fits of 200 x 20 on {os.cpu_count()} cores: seconds, medians of 7")
    alone = [fit(k) for k in range(64)]
    runs = {"one after the other": lambda: [fit(k) for k in range(64)]}
    for number in (2, 4, 16):
        pool = ThreadPoolExecutor(number)
        assert list(pool.map(fit, range(64))) == alone
        runs[f"{number} threads"] = lambda pool=pool: list(pool.map(fit, range(64)))
    seconds = {name: [] for name in runs}
    for _ in range(7):
        for name, run in runs.items():
            seconds[name].append(of_all(run))
    with Parallel(n_jobs=2) as parallel:  # processes

        def by_processes():
            return parallel(delayed(_bound)(X[k], y[k]) for k in range(64))

        assert by_processes() == alone
        seconds["joblib, 2 processes"] = [of_all(by_processes) for _ in range(7)]
    for name, taken in seconds.items():
        print(f"  {name:30s}{np.median(taken):9.4f}")


def _bound(X, y):
    return _core.fit(X, y, model="linear", prior="ard", warn=False).number("bound")


def blas_threads():
    rng = np.random.default_rng(3)
    print("\n== ARD fits: milliseconds, medians, with one thread of BLAS and with all")
    for n, p in [(200, 20), (500, 50), (1000, 100), (2000, 200), (4000, 400)]:
        X = rng.normal(size=(n, p))
        y = X[:, 0] + rng.normal(size=n)
        number = min(200, 4 * 10**9 // (n * p * p)) // 2 + 3
        one, every = (
            median_us(lambda: _core.fit(X, y, model="linear", prior="ard", warn=False, threads=threads), number) / 1000
            for threads in (1, os.cpu_count())
        )
        print(f"  {f'{n} x {p}':12s}{one:10.3f}{every:10.3f}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    overhead()
    small_fits()
    blas_threads()
