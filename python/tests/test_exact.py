"""bench/honest/exact.py: tiny problems against all their subsets, one by one."""

import importlib
import itertools
import sys
from math import comb
from pathlib import Path

import numpy as np
import pytest

stats = pytest.importorskip("scipy.stats")

HONEST = Path(__file__).resolve().parents[2] / "bench" / "honest"


@pytest.fixture(scope="module", autouse=True)
def on_the_path():
    sys.path.insert(0, str(HONEST))
    yield
    sys.path.remove(str(HONEST))


def module(name):
    return importlib.import_module(name)


def draw(n, p, effects, snr, classes=False, columns="ar"):
    families = module("families")
    return families.draw(families.Family(columns, n, p, effects, snr), 1, classes)


def subsets(p):
    return [np.array(chosen, dtype=np.int64) for k in range(p + 1) for chosen in itertools.combinations(range(p), k)]


def share_of(k, p, share):
    """p(subset of k columns): independent with this share, or, share None, with one that is uniform."""
    return 1 / ((p + 1) * comb(p, k)) if share is None else share**k * (1 - share) ** (p - k)


def by_subset(log_evidence, p, share):
    """Posterior of each subset."""
    log_p = np.array([log_evidence(chosen) + np.log(share_of(chosen.size, p, share)) for chosen in subsets(p)])
    posterior = np.exp(log_p - log_p.max())
    return posterior / posterior.sum()


def test_effects_know_their_scale():
    families = module("families")
    problem = draw(40, 6, "6", 2.0)
    rng = np.random.default_rng([1, families.zlib.crc32(b"ar-n40-p6-6-snr2"), 0])
    families.columns("ar", 40 + families.NEW_ROWS, 6, rng)
    np.testing.assert_allclose(problem.w, problem.effect_scale * sum(families.effects("6", 6, rng)), rtol=1e-15)
    assert draw(40, 6, "3", None).effect_scale == 1


def contrasts(n):
    """[n - 1, n] orthonormal rows that sum to zero."""
    return np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, 1:]]))[0].T[1:]


def test_regression_with_known_parameters_is_the_sum_over_subsets():
    """The contrasts of y are N(0, 1 + slab XX'); the mean of w of a subset is slab X'(1 + slab XX')^-1 y."""
    exact, problem = module("exact"), draw(25, 6, "2", 0.3)
    Q, slab = contrasts(25), problem.effect_scale**2
    X, y = Q @ problem.X, Q @ problem.y
    covariance = lambda chosen: np.eye(24) + slab * X[:, chosen] @ X[:, chosen].T
    posterior = by_subset(lambda chosen: stats.multivariate_normal.logpdf(y, np.zeros(24), covariance(chosen)), 6, 2 / 6)
    w, inclusion = np.zeros(6), np.zeros(6)
    for weight, chosen in zip(posterior, subsets(6)):
        w[chosen] += weight * slab * X[:, chosen].T @ np.linalg.solve(covariance(chosen), y)
        inclusion[chosen] += weight
    prediction, found = exact.chain(problem, False, True, np.zeros(0, dtype=np.int64), 20000, np.random.default_rng(1))
    np.testing.assert_allclose(found, inclusion, rtol=0, atol=0.03)
    expected = problem.y.mean() + (problem.X_new - problem.X.mean(axis=0)) @ w
    assert np.sqrt(np.mean((prediction - expected) ** 2)) < 0.02
    assert np.ptp(inclusion) > 0.3  # there is something to be told apart


def test_regression_with_vague_parameters_is_the_sum_over_subsets():
    """s2 integrated by hand: |C|^(-1/2) (y'C^-1 y)^(-(n - 1)/2); ln(slab) by the trapezoid rule over its 16 nats."""
    exact, problem = module("exact"), draw(25, 6, "2", 2.0)
    Q = contrasts(25)
    X, y = Q @ (problem.X / problem.X.std(axis=0)), Q @ problem.y
    slabs = np.exp(np.linspace(0, np.log(1e7), 100)) / 25
    rule = np.array([0.5, *np.ones(98), 0.5])

    def log_evidence(chosen):
        C = np.eye(24) + slabs[:, None, None] * (X[:, chosen] @ X[:, chosen].T)
        log_p = -0.5 * np.linalg.slogdet(C)[1] - 12 * np.log(np.linalg.solve(C, y[:, None])[:, :, 0] @ y)
        return np.log(rule @ np.exp(log_p + 100)) - 100

    posterior, inclusion = by_subset(log_evidence, 6, None), np.zeros(6)
    for weight, chosen in zip(posterior, subsets(6)):
        inclusion[chosen] += weight
    _, found = exact.chain(problem, False, False, np.zeros(0, dtype=np.int64), 40000, np.random.default_rng(1))
    np.testing.assert_allclose(found, inclusion, rtol=0, atol=0.04)
    assert np.ptp(inclusion) > 0.3


@pytest.mark.parametrize("c", [0.0, 0.7, -2.0, 5.0])
def test_polya_gamma_moments(c):
    """E = tanh(c/2)/(2c); Var = (sinh c - c)/(4 c^3 cosh(c/2)^2); at zero 1/4 and 1/24."""
    exact, rng = module("exact"), np.random.default_rng(1)
    x = np.array([exact.polya_gamma(c, rng) for _ in range(20000)])
    mean = np.tanh(c / 2) / (2 * c) if c else 1 / 4
    variance = (np.sinh(c) - c) / (4 * c**3 * np.cosh(c / 2) ** 2) if c else 1 / 24
    assert abs(x.mean() - mean) < 4 * np.sqrt(variance / x.size)
    assert x.var() == pytest.approx(variance, rel=0.1)


def test_slab_given_the_weights_of_classes():
    """The density of t = ln(slab) is as slab^(-3/2) exp(-w'w/(2 slab)) on (-5, 5)."""
    exact, rng = module("exact"), np.random.default_rng(1)
    w, t = np.array([1.0, -2.0, 0.5]), np.linspace(-5, 5, 2001)
    density = np.exp(-1.5 * t - 0.5 * (w @ w) * np.exp(-t))
    density /= density.sum()
    slab, found = 1.0, []
    for _ in range(6000):
        slab = exact.slab_given(w, slab, rng)
        found.append(np.log(slab))
    assert np.mean(found) == pytest.approx(density @ t, abs=0.1)
    assert np.std(found) == pytest.approx(np.sqrt(density @ t**2 - (density @ t) ** 2), rel=0.1)


def test_classes_with_known_parameters_are_the_sum_over_subsets(monkeypatch):
    """Two columns: likelihood times prior, summed over a grid of the intercept and the weights."""
    exact, problem = module("exact"), draw(30, 2, "1", 1.0, classes=True, columns="ind")
    slab, X = problem.effect_scale**2, problem.X - problem.X.mean(axis=0)
    intercept = np.linspace(-5, 5, 81)
    w = np.linspace(-7, 7, 101) * np.sqrt(slab)

    def log_evidence(chosen):
        axes = np.meshgrid(intercept, *[w] * chosen.size, indexing="ij")
        log_p = sum(stats.norm.logpdf(axis, 0, np.sqrt(slab)) + np.log(w[1] - w[0]) for axis in axes[1:]) + np.zeros_like(axes[0])
        for x, label in zip(X[:, chosen], problem.y):
            eta = axes[0] + sum(value * axis for value, axis in zip(x, axes[1:]))
            log_p -= np.logaddexp(0, -eta if label else eta)
        return np.log(np.exp(log_p).sum())

    inclusion = np.zeros(2)
    for weight, chosen in zip(by_subset(log_evidence, 2, 1 / 2), subsets(2)):
        inclusion[chosen] += weight
    monkeypatch.setattr(exact, "MOVES_A_SWEEP", 5)
    _, found = exact.chain(problem, True, True, np.zeros(0, dtype=np.int64), 2000, np.random.default_rng(1))
    np.testing.assert_allclose(found, inclusion, rtol=0, atol=0.06)
    assert np.ptp(inclusion) > 0.2
