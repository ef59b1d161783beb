"""Intervals of coefficients from marginals that are not normal: docs/math/skew.md."""

import pickle
from functools import partial

import numpy as np
import pytest

from ardvark import BayesianCountRegression, BayesianLogisticRegression, InvalidArgumentError, _core


def counts(n=25, p=3, seed=0):
    random = np.random.RandomState(seed)
    X = random.normal(size=(n, p))
    return X, random.poisson(np.exp(0.6 * X[:, 0] - 0.7)).astype(float)


def classes(n=30, p=3, seed=0):
    random = np.random.RandomState(seed)
    X = random.normal(size=(n, p))
    return X, (X[:, 0] + 0.8 * random.normal(size=n) > 0).astype(int)


def test_gaussian_is_the_mean_and_a_multiple_of_the_sd():
    X, y = counts()
    model = BayesianCountRegression("shared", intervals="gaussian").fit(X, y)
    lower, upper = model.coef_interval().T
    np.testing.assert_allclose(lower, model.coef_ - 1.959963984540054 * model.coef_std_, rtol=1e-12)
    np.testing.assert_allclose(upper, model.coef_ + 1.959963984540054 * model.coef_std_, rtol=1e-12)


@pytest.mark.parametrize("prior", ["shared", "ard", "none", [0, 0, 1]])
def test_skewed_changes_the_intervals_alone(prior):
    for make, (X, y) in ((BayesianCountRegression, counts()), (BayesianLogisticRegression, classes())):
        if prior == "none" and make is BayesianLogisticRegression:
            continue  # these classes may part
        skewed, gaussian = make(prior).fit(X, y), make(prior, intervals="gaussian").fit(X, y)
        np.testing.assert_array_equal(skewed.coef_, gaussian.coef_)
        np.testing.assert_array_equal(skewed.coef_std_, gaussian.coef_std_)
        np.testing.assert_array_equal(skewed.predict(X), gaussian.predict(X))
        moved = np.abs(skewed.coef_interval() - gaussian.coef_interval()) / skewed.coef_std_[..., None]
        assert 0.02 < moved.max() < 3


# The truth by importance sampling, with the precision integrated: the prior of the weights is then a t distribution. (SKEW.3), (SKEW.7), (SKEW.8)
def test_ends_are_those_of_the_exact_posterior():
    for make, (X, y), log_density in (
        (partial(BayesianCountRegression, family="poisson"), counts(100, seed=2), lambda y, eta: y * eta - np.exp(eta)),
        (BayesianLogisticRegression, classes(80, 4), lambda y, eta: y * eta - np.logaddexp(0, eta)),
    ):
        model = make("shared", fit_intercept=False, standardize=False).fit(X, y)
        mean, sd, p = np.ravel(model.coef_), np.ravel(model.coef_std_), X.shape[1]
        random = np.random.RandomState(1)
        spread = 1.6 * np.sqrt(6 / random.chisquare(6, 400_000))[:, None]
        z = random.normal(size=(400_000, p)) * spread
        w = mean + z @ np.linalg.cholesky(model.sigma_).T
        log_q = -0.5 * (6 + p) * np.log1p((z**2).sum(axis=1) / 6 / 1.6**2)
        log_ratio = log_density(y, w @ X.T).sum(axis=1) - (1e-2 + p / 2) * np.log(1e-4 + 0.5 * (w**2).sum(axis=1)) - log_q
        ratio = np.exp(log_ratio - log_ratio.max())
        for j, (lower, upper) in enumerate(model.coef_interval().reshape(p, 2)):
            order = np.argsort(w[:, j])
            exact = np.interp([0.025, 0.975], np.cumsum(ratio[order]) / ratio.sum(), w[order, j])
            np.testing.assert_allclose([lower, upper], exact, atol=0.03 * sd[j])  # a normal marginal misses by 0.2


def test_a_model_file_and_a_pickle_keep_them(tmp_path):
    X, y = counts()
    model = BayesianCountRegression().fit(X, y)
    model.save(tmp_path / "model.ardvark")
    for again in (BayesianCountRegression.load(tmp_path / "model.ardvark"), pickle.loads(pickle.dumps(model))):
        for level in (0.5, 0.95, 0.999):
            np.testing.assert_array_equal(again.coef_interval(level), model.coef_interval(level))
        np.testing.assert_array_equal(again.direction_, model.direction_)


def test_a_higher_level_is_a_wider_interval():
    X, y = counts(12)
    model = BayesianCountRegression("shared").fit(X, y)
    ends = np.array([model.coef_interval(level) for level in (1e-6, 0.3, 0.8, 0.99, 0.99999, 1 - 1e-12)])
    assert np.isfinite(ends).all()
    assert (np.diff(ends[..., 0], axis=0) < 0).all() and (np.diff(ends[..., 1], axis=0) > 0).all()


def test_where_the_option_does_not_apply():
    X, y = classes()
    with pytest.raises(InvalidArgumentError, match="intervals.*shared"):
        BayesianLogisticRegression("sparse", intervals="gaussian").fit(X, y)
    with pytest.raises(InvalidArgumentError, match="intervals.*vg"):
        _core.fit(X, (y == y[0]).astype(float), model="logistic", prior="shared", likelihood="laplace", intervals="skewed")
    with pytest.raises(InvalidArgumentError, match="intervals"):
        BayesianLogisticRegression("shared", intervals="normal").fit(X, y)


def test_the_display_shows_the_mean_between_its_ends():
    pytest.importorskip("matplotlib")
    from ardvark.plot import CoefficientDisplay

    X, y = counts(12)
    model = BayesianCountRegression("shared").fit(X * [1, 10, 0.1], y)
    plain = CoefficientDisplay.from_estimator(model, standardize=False)
    np.testing.assert_array_equal(plain.mean[0], model.coef_)
    shown = CoefficientDisplay.from_estimator(model, standardize=True)
    np.testing.assert_allclose(shown.mean[0], model.coef_ * (X * [1, 10, 0.1]).std(axis=0), rtol=1e-9)
    np.testing.assert_array_equal(shown.interval[0], model.coef_interval(standardized=True))
