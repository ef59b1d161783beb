"""The sparse prior of the library against the same equations in plain numpy (bench/honest/reference.py)."""

import copy
import importlib
import itertools
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("scipy")

from ardvark import BayesianLinearRegression

HONEST = str(Path(__file__).resolve().parents[2] / "bench" / "honest")
sys.path.append(HONEST)
ideas, reference = (importlib.import_module(name) for name in ("ideas", "reference"))
sys.path.remove(HONEST)
Reference, State = reference.Reference, reference.State


def problem(n, p, effects, correlation, seed):
    """Columns in blocks of five, units of their own."""
    rng = np.random.default_rng(seed)
    common = np.repeat(rng.standard_normal((n + 20, -(-p // 5))), 5, axis=1)[:, :p]
    X = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * rng.standard_normal((n + 20, p))
    w = np.zeros(p)
    w[rng.choice(p, effects, replace=False)] = rng.normal(size=effects) * (2 if effects < 10 else 0.3)
    y = 3 + X @ w + rng.standard_normal(n + 20)
    X = X * rng.uniform(0.1, 10, p) + rng.normal(size=p)
    return X[:n], y[:n], X[n:], y[n:]


PROBLEMS = [(60, 24, 3, 0.0), (40, 80, 3, 0.0), (80, 25, 25, 0.0), (60, 30, 4, 0.5), (120, 40, 20, 0.3)]


def fitted(prior, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return BayesianLinearRegression(prior=prior, tol=1e-11, max_iter=20000).fit(X, y)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("n, p, effects, correlation", PROBLEMS)
def test_the_reference_never_falls_and_ends_where_it_may(n, p, effects, correlation, seed):
    """Of the reference itself: the bound rises, nests the ridge, and is at rest in ln h, ln s2, ln kappa, pi."""
    X, y, *_ = problem(n, p, effects, correlation, seed)
    reference = Reference(X, y)
    s = State(0.1, 16 / n, reference.ridge().h, 1.0, np.zeros(p))
    bounds = []
    for _ in range(60):
        reference.sweep(s, reference.order)
        bounds.append(reference.bound(s))
        reference.hyper(s)
    assert np.diff(bounds).min() > -1e-9
    found = reference.from_ridge()
    reference.sweep(found, reference.order)
    best = reference.bound(found)
    for name in ("h", "s2", "kappa", "pi"):
        value = getattr(found, name)
        for factor in (0.9, 1.1):
            setattr(found, name, value * factor)
            if name == "kappa" and value * factor < 4 / n:
                continue
            assert reference.bound(found) < best + 1e-7, name
        setattr(found, name, value)


def test_ridge_evidence_of_the_reference():
    """ln N(y; 0, s2 (I + h K)) with a flat intercept: the contrasts of y, whose density this is, lose nothing else."""
    X, y, *_ = problem(30, 10, 3, 0.2, 2)
    reference = Reference(X, y)
    for h, s2 in ((0.01, 1.3), (0.2, 0.7)):
        Xs, t = contrasts(X, y)
        prior = -0.25 * np.log1p(h * np.sum(Xs**2) / 29) - 0.5 * np.log(30)
        assert reference.bound(State(0, 0, h, s2, np.zeros(10))) == pytest.approx(gaussian(Xs, t, np.full(10, h), s2)[0] + prior, abs=1e-9)


def contrasts(X, y):
    """Standardised columns and the target, free of the intercept: [n - 1, p], [n - 1]."""
    n = len(y)
    C = np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, 1:]]))[0][:, 1:]
    return C.T @ ((X - X.mean(axis=0)) / X.std(axis=0)), C.T @ y


def gaussian(Xs, t, variance, s2):
    """w_j ~ N(0, s2 variance_j): ln p(t), mean and covariance of w."""
    covariance = s2 * (np.eye(len(t)) + (Xs * variance) @ Xs.T)
    gain = s2 * variance[:, None] * np.linalg.solve(covariance, Xs).T
    density = -0.5 * (len(t) * np.log(2 * np.pi) + np.linalg.slogdet(covariance)[1] + t @ np.linalg.solve(covariance, t))
    return density, gain @ t, s2 * (np.diag(variance) - gain @ Xs * variance)


def test_one_block_of_all_columns_is_exact():
    """Nothing factorises then: the bound is the log evidence, the moments are those of the sum over all subsets.                (SP.14)"""
    X, y, *_ = problem(30, 5, 3, 0.9, 4)
    blocks = ideas.Blocks(X, y, most=5)
    assert [sorted(block) for block in blocks.blocks] == [list(range(5))]
    Xs, t = contrasts(X, y)
    for h, s2, pi, kappa in ((0.02, 0.9, 0.3, 0.5), (0.0, 1.2, 0.6, 2.0)):
        s = State(pi, kappa, h, s2, np.zeros(5))
        blocks.sweep(s, blocks.order)
        subsets = np.array(list(itertools.product([0, 1], repeat=5)))
        parts = [gaussian(Xs, t, h + kappa * subset, s2) for subset in subsets]
        log_joint = np.array([part[0] for part in parts]) + subsets @ np.full(5, np.log(pi / (1 - pi))) + 5 * np.log(1 - pi)
        evidence = np.logaddexp.reduce(log_joint)
        prior = -0.25 * np.log1p(h * np.sum(Xs**2) / 29) - 0.5 * np.log1p(kappa) - 0.5 * np.log(30)  # the last of the intercept
        assert blocks.bound(s) == pytest.approx(evidence + prior, abs=1e-9)
        weight = np.exp(log_joint - evidence)
        np.testing.assert_allclose(s.q, weight @ subsets, atol=1e-10)
        expected = sum(share * mean for share, (_, mean, _) in zip(weight, parts))
        spread = sum(share * (V + np.outer(mean, mean)) for share, (_, mean, V) in zip(weight, parts)) - np.outer(expected, expected)
        mean, covariance = blocks.covariance(s)
        np.testing.assert_allclose(mean, expected, atol=1e-9)
        np.testing.assert_allclose(covariance, spread, atol=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
def test_blocks_never_fall_and_end_above_columns_of_their_own(seed):
    X, y, *_ = problem(60, 20, 4, 0.9, seed)
    blocks, apart = ideas.Blocks(X, y, most=5), Reference(X, y)  # of five columns: nothing is left out
    s, bounds = State(0.1, 16 / 60, blocks.ridge().h, 1.0, np.zeros(20)), []
    for _ in range(60):
        blocks.sweep(s, blocks.order)
        bounds.append(blocks.bound(s))
        blocks.hyper(s)
    assert np.diff(bounds).min() > -1e-9
    found = apart.ascend(State(0.1, 16 / 60, apart.ridge().h, 1.0, np.zeros(20)), tolerance=1e-4)
    best = copy.copy(found)
    blocks.sweep(best, blocks.order)
    assert blocks.bound(best) > found.bound - 1e-9


# Those of which every start of the library comes to the same maximum: of others it averages over several.
ONE_MAXIMUM = [(60, 24, 3, 0.0, 0), (60, 24, 3, 0.0, 1), (40, 80, 3, 0.0, 0), (60, 30, 4, 0.5, 0), (60, 30, 4, 0.5, 1), (120, 40, 20, 0.3, 3), (120, 40, 20, 0.3, 1)]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("n, p, effects, correlation", PROBLEMS)
def test_the_best_bound_of_the_library_is_none_below(n, p, effects, correlation, seed):
    X, y, *_ = problem(n, p, effects, correlation, seed)
    reference = Reference(X, y)
    assert fitted("sparse", X, y).bound_ > max(reference.from_ridge().bound, reference.from_zero().bound) - 1e-6


@pytest.mark.parametrize("n, p, effects, correlation, seed", ONE_MAXIMUM)
def test_the_library_agrees(n, p, effects, correlation, seed):
    X, y, X_new, _ = problem(n, p, effects, correlation, seed)
    reference = ideas.Blocks(X, y)
    found = max(reference.from_ridge(), reference.from_zero(), key=lambda s: s.bound)
    model = fitted("sparse", X, y)
    assert model.bound_ == pytest.approx(found.bound, abs=1e-6)
    mean, covariance = reference.covariance(found)
    spread = (n - 1) / (n - 3)  # of a Student-t of n - 1 degrees of freedom (SP.25)
    sd = np.sqrt(spread * np.diag(reference.over_h(found, covariance)[0]))
    np.testing.assert_allclose(model.coef_ * reference.scale, mean, atol=1e-3 * sd.max())
    np.testing.assert_allclose(model.coef_std_ * reference.scale, sd, rtol=1e-3)
    np.testing.assert_allclose(model.inclusion_, found.q, atol=1e-4)
    assert model.alpha_**-1 == pytest.approx(found.s2, rel=1e-4)
    expected, variance = reference.predict(found, X_new)
    predicted, predictive_sd = model.predict(X_new, return_std=True)
    np.testing.assert_allclose(predicted, expected, atol=1e-3 * np.sqrt(variance.min()))
    np.testing.assert_allclose(predictive_sd**2, spread * variance, rtol=1e-3)


@pytest.mark.parametrize("n, p, effects, correlation", PROBLEMS)
def test_dense_only_is_the_ridge(n, p, effects, correlation):
    X, y, X_new, _ = problem(n, p, effects, correlation, 3)
    reference = Reference(X, y)
    ridge, model = reference.ridge(), fitted("dense", X, y)
    assert model.bound_ == pytest.approx(ridge.bound, abs=1e-8)
    expected, variance = reference.predict(ridge, X_new)
    predicted, predictive_sd = model.predict(X_new, return_std=True)
    np.testing.assert_allclose(predicted, expected, atol=1e-5)
    np.testing.assert_allclose(predictive_sd**2, (n - 1) / (n - 3) * variance, rtol=1e-5)  # (SP.25)
