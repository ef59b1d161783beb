"""Where scikit-learn has the same model, the same numbers.

`BayesianRidge` and `ARDRegression` are the model of ``posterior="factorised"``, without standardisation:
noise precision alpha, weights of precision lambda. At the fixed point of either's iteration

    alpha (|y - Xw|^2 + 2 alpha_2) = n - gamma + 2 alpha_1      lambda (w'w + 2 lambda_2) = gamma + 2 lambda_1

and the mean-field equations, alpha (|y - Xw|^2 + tr X'XV + 2 alpha_2) = n + 2 alpha_1 and lambda (w'w + tr V
+ 2 lambda_2) = p + 2 lambda_1, say the same, since gamma = alpha tr X'XV = p - lambda tr V. So:

    scikit-learn        alpha_1 alpha_2 lambda_1 lambda_2 alpha_ lambda_ coef_ sigma_ n_iter_ scores_
    ardvark             the same names; scores_ is the bound, not the marginal likelihood of a point

An intercept is centred away by scikit-learn and costs nothing; ours is a weight that takes one of the n rows.
Hence centred data, no intercept.
"""

import numpy as np
import pytest
from ardvark import BayesianLinearRegression, BayesianLogisticRegression
from sklearn.linear_model import ARDRegression, BayesianRidge, LogisticRegression

THEIR_DEFAULTS = dict(alpha_1=1e-6, alpha_2=1e-6, lambda_1=1e-6, lambda_2=1e-6)
HYPERPRIORS = [THEIR_DEFAULTS, dict(alpha_1=0.5, alpha_2=0.3, lambda_1=0.4, lambda_2=0.2)]


def regression(n, p, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 3, p)
    y = X[:, :3] @ [1, -1, 0.5] + 0.7 * rng.normal(size=n)
    return X - X.mean(axis=0), y - y.mean()


@pytest.mark.parametrize("hyperpriors", HYPERPRIORS)
@pytest.mark.parametrize("n, p, seed", [(80, 6, 0), (200, 20, 1), (65, 25, 2)])
def test_bayesian_ridge(n, p, seed, hyperpriors):
    X, y = regression(n, p, seed)
    theirs = BayesianRidge(max_iter=20000, tol=1e-14, fit_intercept=False, **hyperpriors).fit(X, y)
    ours = BayesianLinearRegression(
        "shared", posterior="factorised", fit_intercept=False, standardize=False, tol=1e-15, **hyperpriors
    ).fit(X, y)
    assert ours.converged_
    for name in ("coef_", "alpha_", "lambda_", "sigma_"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-9, err_msg=name
        )
    for of_ours, of_theirs in zip(ours.predict(X, return_std=True), theirs.predict(X, return_std=True)):
        np.testing.assert_allclose(of_ours, of_theirs, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("hyperpriors", HYPERPRIORS)
@pytest.mark.parametrize("n, p, seed", [(80, 5, 3), (200, 8, 4)])
def test_ard_regression(n, p, seed, hyperpriors):
    X, y = regression(n, p, seed)
    theirs = ARDRegression(
        max_iter=20000, tol=1e-12, fit_intercept=False, threshold_lambda=1e300, **hyperpriors
    ).fit(X, y)
    ours = BayesianLinearRegression(
        "ard",
        posterior="factorised",
        fit_intercept=False,
        standardize=False,
        tol=1e-16,
        max_iter=20000,
        **hyperpriors,
    ).fit(X, y)
    assert ours.converged_
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6 * np.abs(theirs.coef_).max())
    np.testing.assert_allclose(ours.alpha_, theirs.alpha_, rtol=1e-6)
    np.testing.assert_allclose(ours.sigma_, theirs.sigma_, atol=1e-6 * np.abs(theirs.sigma_).max())


def test_maximum_likelihood():
    """prior="none", Laplace's approximation: the mode is scikit-learn's fit without a penalty."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4))
    y = (X @ [1, -1, 0, 0.5] + 0.3 + rng.logistic(size=300) > 0).astype(int)
    theirs = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10000).fit(X, y)
    ours = BayesianLogisticRegression("none", likelihood="laplace", tol=1e-14).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6)


@pytest.mark.parametrize("penalty", [3.0, 20.0])
def test_l1(penalty):
    """prior="laplace": lambda = 1/C on columns of standard deviation 1."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(200, 30))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (X @ np.r_[2, -1, 1, np.zeros(27)] + rng.logistic(size=200) > 0).astype(int)
    kind = dict(l1_ratio=1) if "l1_ratio" in LogisticRegression().get_params() else {}
    theirs = LogisticRegression(penalty="l1", solver="saga", C=1 / penalty, tol=1e-10, max_iter=100000)
    try:
        theirs.set_params(penalty="deprecated", **kind).fit(X, y)  # 1.8 and later
    except ValueError:
        theirs.set_params(penalty="l1", l1_ratio=None).fit(X, y)
    ours = BayesianLogisticRegression("laplace", laplace_lambda=penalty).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert np.array_equal(ours.support_, theirs.coef_[0] != 0)
