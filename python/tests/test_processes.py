"""Threads, forks, and memory: many fits in one process."""

import gc
import multiprocessing
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from ardvark import (
    BayesianLinearRegression,
    BayesianLogisticRegression,
    RelevanceVectorRegressor,
    SequentialLogisticRegression,
)

rng = np.random.default_rng(5)
X = rng.normal(size=(100, 5))
y = X @ [1.0, 0, -1, 0, 0.5] + 0.3 * rng.normal(size=100)
labels = (y > 0).astype(int)


def coefficients(seed):
    order = np.random.default_rng(seed).permutation(100)[:80]
    return (
        BayesianLogisticRegression("ard")
        .fit(X[order], labels[order] + (order % 7 == 0) * (1 - 2 * labels[order]))
        .coef_
    )


def test_many_threads_at_once():
    alone = [coefficients(seed) for seed in range(24)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(coefficients, range(24)))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together))


def test_one_fit_is_asked_by_many_threads():
    fit = BayesianLinearRegression().fit(X, y)
    expected = fit.predict(X, return_std=True)[1]
    with ThreadPoolExecutor(8) as pool:
        for std in pool.map(lambda _: fit.predict(X, return_std=True)[1], range(32)):
            assert np.array_equal(std, expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fits_after_a_fork():
    """As joblib's and multiprocessing's children do, after threads of the parent have been at work."""
    large = rng.normal(size=(600, 300))
    BayesianLinearRegression("shared").fit(large, large[:, 0])  # the linear algebra has its threads now
    expected = [coefficients(seed) for seed in range(4)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(coefficients, range(4)).get(timeout=120)
    assert all(np.allclose(a, b, rtol=1e-12) for a, b in zip(expected, found))


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def once(k):
    kind = k % 20
    if kind == 0:
        RelevanceVectorRegressor(width=1.5).fit(X[:30], y[:30]).predict(X[:5], return_std=True)
    elif kind == 1:
        SequentialLogisticRegression().partial_fit(X, labels, classes=[0, 1]).predict_proba(X[:5])
    elif kind < 8:
        BayesianLogisticRegression("ard").fit(X, labels).predict_proba(X[:5])
    elif kind == 8:
        with pytest.raises(ValueError):
            BayesianLinearRegression(alpha_1=-1.0).fit(X, y)
    else:
        fit = BayesianLinearRegression("ard").fit(X, y)
        assert fit.sigma_.shape == (5, 5) and len(fit.summary()) > 100


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.filterwarnings("ignore::ardvark.ArdvarkWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
def test_memory_does_not_grow():
    """2,000 fits, or as many as ARDVARK_MANY_FITS says (100,000 before a release)."""
    number = int(os.environ.get("ARDVARK_MANY_FITS", "2000"))
    for k in range(400):
        once(k)
    gc.collect()
    before = resident()
    for k in range(number):
        once(k)
    gc.collect()
    assert resident() - before < 4 * 2**20
