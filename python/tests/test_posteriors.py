"""Draws, densities and moments agree with each other and with what is reported."""

import numpy as np
import pytest
from ardvark import BayesianLinearRegression, BayesianLogisticRegression
from estimator_cases import BINARY, KERNEL, LINEAR, X, fitted, labels, name, species, y
from scipy import stats


@pytest.mark.parametrize("prior", ["auto", "sparse", "slab", "dense", "shared", "ard", "laplace"])
def test_the_score_has_the_moments_of_the_posterior(prior):
    fit = BayesianLogisticRegression(prior, laplace_lambda=2.0 if prior == "laplace" else None).fit(X, labels)
    mean, std = fit.predict_score(X)
    ones = np.column_stack([X, np.ones(len(X))])
    np.testing.assert_allclose(mean, ones @ fit.posterior_.mean, atol=1e-10)
    np.testing.assert_allclose(std**2, np.einsum("ij,jk,ik->i", ones, fit.posterior_.covariance, ones), rtol=1e-8)
    with pytest.raises(ValueError, match="applies only to two classes; for 3 use predict_proba"):
        BayesianLogisticRegression("shared").fit(X, species).predict_score(X)


def test_density_is_that_of_the_prediction():
    fit = BayesianLinearRegression().fit(X, y)
    grid = np.linspace(-30, 30, 20001)
    density = np.exp(fit.log_density(np.repeat(X[:1], grid.size, axis=0), grid))
    assert (
        abs(np.trapezoid(density, grid) - 1 if hasattr(np, "trapezoid") else np.trapz(density, grid) - 1)
        < 1e-6
    )
    low, high = fit.predict_interval(X[:1], level=0.8)[0]
    inside = (low <= grid) & (grid <= high)
    assert abs(density[inside].sum() * (grid[1] - grid[0]) - 0.8) < 2e-3
    for target in (labels, species):
        classes = BayesianLogisticRegression().fit(X, target)
        expected = classes.predict_log_proba(X)[np.arange(150), np.searchsorted(classes.classes_, target)]
        np.testing.assert_allclose(classes.log_density(X, target), expected, rtol=1e-9)
    with pytest.raises(ValueError, match="labels that the fit has not seen"):
        classes.log_density(X, np.full(150, "zebra"))


@pytest.mark.parametrize("estimator", [*LINEAR, BINARY[0], BINARY[1], BINARY[3], *KERNEL], ids=name)
def test_draws_have_the_moments_of_the_posterior(estimator):
    fit = fitted(estimator)
    n = 40000
    draws = fit.posterior_.sample(n, random_state=1)
    mean = np.ravel(fit.coef_ if hasattr(fit, "coef_") else fit.dual_coef_)
    sd = np.sqrt(np.diag(fit.sigma_))
    assert draws.coef.shape == (n, mean.size) and draws.intercept.shape == (n,)
    assert (np.abs(draws.coef.mean(axis=0) - mean) <= 6 * sd / np.sqrt(n) + 1e-12).all()
    np.testing.assert_allclose(np.cov(draws.coef.T), fit.sigma_, atol=0.06 * sd.max() ** 2)
    assert abs(draws.intercept.mean() - np.ravel(fit.intercept_)[0]) < 6 * np.ravel(fit.intercept_std_)[
        0
    ] / np.sqrt(n)
    assert (draws.noise_precision is not None) == hasattr(fit, "alpha_")
    again = fit.posterior_.sample(n, random_state=1)
    assert np.array_equal(draws.coef, again.coef)


def test_predictive_distribution_is_that_of_the_draws():
    """A joint posterior: quantiles of x'w + noise over draws, against the Student-t interval."""
    fit = BayesianLinearRegression("ard").fit(X[:12], y[:12])
    draws = fit.posterior_.sample(200000, random_state=0)
    noise = np.random.default_rng(2).normal(size=200000) / np.sqrt(draws.noise_precision)
    new = draws.coef @ X[20] + draws.intercept + noise
    np.testing.assert_allclose(
        np.quantile(new, [0.1, 0.9]), fit.predict_interval(X[20:21], 0.8)[0], atol=0.02
    )


def test_interval_of_the_mean_is_that_of_the_draws():
    fit = BayesianLinearRegression("ard").fit(X[:12], y[:12])
    draws = fit.posterior_.sample(200000, random_state=0)
    mean = draws.coef @ X[20] + draws.intercept
    found = fit.predict_interval(X[20:21], 0.8, interval="mean")
    np.testing.assert_allclose(np.quantile(mean, [0.1, 0.9]), found[0], atol=0.02)
    assert np.diff(found)[0] < np.diff(fit.predict_interval(X[20:21], 0.8))[0]
    with pytest.raises(ValueError, match="interval is 'both'; it must be one of mean, new"):
        fit.predict_interval(X[20:21], interval="both")
    with pytest.raises(ValueError, match="interval is 'mean'; with a target it must be new"):
        fit._model.predict(X[20:21], y[20:21], interval="mean")


def test_arviz():
    pytest.importorskip("arviz")
    data = BayesianLinearRegression().fit(X, y).to_arviz(200, random_state=0)
    assert dict(data.posterior.sizes) == {"chain": 1, "draw": 200, "feature": 4}
    assert abs(float(data.posterior["coef"].sel(feature="x1").mean()) - 2) < 0.1
    assert abs(float(data.posterior["noise_sd"].mean()) - 0.3) < 0.05


@pytest.mark.parametrize("coding", ["softmax", "one-against-rest", "one-against-one"])
def test_posterior_of_several_classes(coding):
    fit = BayesianLogisticRegression("shared", coding=coding).fit(X, species)
    np.testing.assert_allclose(np.sqrt(np.diag(fit.sigma_)), fit.coef_std_.ravel(), rtol=1e-6)
    n = 40000
    draws = fit.posterior_.sample(n, random_state=1)
    assert draws.coef.shape == (n, 3, 4) and draws.intercept.shape == (n, 3) and draws.noise_precision is None
    error = fit.coef_std_ / np.sqrt(n)
    assert (np.abs(draws.coef.mean(axis=0) - fit.coef_) < 5 * error).all()
    sd = fit.coef_std_.ravel()
    correlation, found = fit.sigma_ / np.outer(sd, sd), np.corrcoef(draws.coef.reshape(n, 12).T)
    assert np.abs(correlation - found).max() < 5 / np.sqrt(n)
    np.testing.assert_allclose(draws.intercept.std(axis=0), fit.intercept_std_, rtol=0.02)
    if coding == "softmax":  # what all classes have in common is not known, and is zero
        np.testing.assert_allclose(draws.coef.sum(axis=1), 0, atol=1e-5)
        assert (np.abs(fit.sigma_.reshape(3, 4, 12).sum(axis=0)) < 1e-9).all()
    else:  # the machines know nothing of each other
        assert (fit.sigma_[:4, 4:] == 0).all()
    low, high = np.moveaxis(fit.coef_interval(0.9), -1, 0)
    inside = ((draws.coef > low) & (draws.coef < high)).mean(axis=0)
    assert np.abs(inside - 0.9).max() < 0.01

def test_draws_under_a_sparse_prior_have_the_marginals_of_the_fit():
    """A Student-t of n - 1 degrees of freedom (SP.25): quantiles of the draws are the ends of the intervals."""
    X, y = np.ones((6, 1)), np.array([1.0, 2.0, 2.5, 4.0, 3.0, 1.5])
    model = BayesianLinearRegression().fit(X, y)
    draws = model.posterior_.sample(200_000, random_state=0)
    t, scale = stats.t(5), y.std(ddof=1) / np.sqrt(6)
    for level in (0.5, 0.95, 0.99):
        ends = y.mean() + scale * np.array([-1, 1]) * t.ppf(0.5 + level / 2)
        np.testing.assert_allclose(np.quantile(draws.intercept, [0.5 - level / 2, 0.5 + level / 2]), ends, atol=0.04 * scale * t.ppf(0.5 + level / 2))
    new = draws.intercept + np.random.default_rng(1).normal(size=200_000) / np.sqrt(draws.noise_precision)
    assert np.mean(np.abs(new - y.mean()) < y.std(ddof=1) * np.sqrt(1 + 1 / 6) * t.ppf(0.975)) == pytest.approx(0.95, abs=0.01)


def test_draws_need_a_covariance():
    model = BayesianLinearRegression().fit(np.ones((3, 1)), [1.0, 2.0, 4.0])
    with pytest.raises(ValueError, match="has 2 degrees of freedom"):
        model.posterior_.sample(10)
