"""Two classes with few rows, against the exact posterior: draws from the priors of (SP.20), (SP.21), weighted by the likelihood.

The draws know no approximation. They need few rows: with twelve, one in some thousand still agrees with the classes.
"""

import numpy as np
import pytest
from ardvark import BayesianLogisticRegression

NEW = 20
# The priors of (SP.21) for classes: c of kappa, Beta of pi, and the probability of h > 0.
NARROWEST, BETA, DENSE = 0.5, (2, 3), 0.2


def sigma(x):
    return np.exp(-np.logaddexp(0, -x))


def table(n, p, seed):
    """No effect, one effect, or effects of all columns; each class has at least two rows."""
    random = np.random.default_rng([n, p, seed])
    while True:
        X = random.normal(size=(n + NEW, p))
        w = [np.zeros(p), np.eye(p)[0] * 2, random.normal(size=p) * 2 / np.sqrt(p)][seed % 3]
        score = 0.5 + X @ w
        t = (random.uniform(size=n + NEW) < sigma(score)).astype(int)
        if 2 <= t[:n].sum() <= n - 2:
            return X[:n], t[:n], X[n:], score[n:]


def hyper_parameters(random, size, p, prior):
    """pi, kappa and h by their priors for classes, in units of the columns' mean square."""

    def drawn(values, log_weight):
        weight = np.exp(log_weight - log_weight.max())
        return random.choice(values, size, p=weight / weight.sum())

    logit = np.linspace(np.log(0.5 / p), np.log(3 * p) if p <= 20 else 0, 8)
    pi = drawn(sigma(logit), BETA[0] * np.log(sigma(logit)) + BETA[1] * np.log(sigma(-logit)))
    power = 4.0 ** np.arange(-6, 30)
    kappa = 4 * drawn(power, -np.log1p(power) - NARROWEST / (2 * power))
    h = 4 / p * drawn(power, np.log(power) - 2.25 * np.log1p(power))
    has_slab, has_dense = prior != "dense", {"slab": 0, "sparse": random.uniform(size=size) < DENSE, "dense": 1}[prior]
    return pi * has_slab, kappa * has_slab, h * has_dense


def exact(X, t, X_new, prior, size=100_000):
    """Draws of the scores of the new rows."""
    random = np.random.default_rng(0)
    n, p = X.shape
    Z = (np.vstack([X, X_new]) - X.mean(axis=0)) / X.std(axis=0)
    scores, log_weights = [], []
    for _ in range(size // 25_000):
        pi, kappa, h = (one[:, None] for one in hyper_parameters(random, 25_000, p, prior))
        w = random.normal(size=(25_000, p)) * np.sqrt(kappa) * (random.uniform(size=(25_000, p)) < pi)
        w += random.normal(size=(25_000, p)) * np.sqrt(h)
        c = (1 + np.pi * p * (h + pi * kappa) / 8) ** -0.5
        score = 2 * np.log(np.tan(np.pi * random.uniform(size=(25_000, 1)) / 2)) / c + w @ Z.T
        log_weight = -np.logaddexp(0, (1 - 2 * t) * score[:, :n]).sum(axis=1)
        some = log_weight > -20
        scores.append(score[some, n:])
        log_weights.append(log_weight[some])
    weight = np.exp(np.concatenate(log_weights))
    return random.choice(np.concatenate(scores), 5000, p=weight / weight.sum())


@pytest.mark.parametrize("n, p, prior", [(6, 1, "slab"), (6, 1, "sparse"), (8, 4, "slab"), (8, 4, "sparse"), (8, 4, "dense")])
def test_probabilities_are_not_too_sure(n, p, prior):
    """The grid of the slab began at effects of 4 standard deviations of the log odds with up to 16 rows: probabilities were off by .1."""
    off, surer = [], []
    for seed in range(6):
        X, t, X_new, _ = table(n, p, seed)
        found = BayesianLogisticRegression(prior=prior).fit(X, t).predict_proba(X_new)[:, 1]
        expected = sigma(exact(X, t, X_new, prior)).mean(axis=0)
        off.append(np.abs(found - expected).mean())
        surer.append((np.abs(found - 0.5) - np.abs(expected - 0.5)).mean())
    assert np.mean(off) < 0.035, off
    assert abs(np.mean(surer)) < 0.03, surer


@pytest.mark.parametrize("prior", ["sparse", "slab", "dense"])
def test_scores_of_many_columns_are_in_their_intervals(prior):
    """With the best hyper-parameters alone, intervals of x'w held 67 to 82% of 12 rows and 24 columns."""
    inside = []
    for seed in range(12):
        X, t, X_new, score = table(12, 24, seed)
        mean, sd = BayesianLogisticRegression(prior=prior).fit(X, t).predict_score(X_new)
        inside.append(np.mean(np.abs(score - mean) < 1.96 * sd))
    assert np.mean(inside) > 0.93, inside


def test_scores_of_many_columns_have_the_spread_of_the_hyper_parameters():
    """The exact posterior has long tails, so that it has wider intervals than a normal distribution of the same spread would have."""
    ratio = []
    for seed in range(4):
        X, t, X_new, _ = table(10, 24, seed)
        _, sd = BayesianLogisticRegression(prior="dense").fit(X, t).predict_score(X_new)
        lower, upper = np.quantile(exact(X, t, X_new, "dense", 400_000), [0.025, 0.975], axis=0)
        ratio.append(np.median(2 * 1.96 * sd / (upper - lower)))
    assert 0.45 < np.median(ratio) < 1.1, ratio


def test_weights_that_repeat_rows_decide_as_the_rows_do():
    """30 rows are few, as rows or as weights."""
    X, t, X_new, _ = table(15, 24, 1)
    twice = BayesianLogisticRegression(prior="dense").fit(np.vstack([X, X]), np.r_[t, t])
    weighted = BayesianLogisticRegression(prior="dense").fit(X, t, sample_weight=np.full(15, 2.0))
    assert weighted.predict_proba(X_new) == pytest.approx(twice.predict_proba(X_new), abs=1e-6)
    third = BayesianLogisticRegression(prior="dense").fit(np.vstack([X] * 6), np.r_[[t] * 6].ravel(), sample_weight=np.full(90, 1 / 3))
    assert third.predict_proba(X_new) == pytest.approx(twice.predict_proba(X_new), abs=1e-6)
