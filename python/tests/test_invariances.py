"""What must not matter: units, origins, the order of rows and columns, a weight for a repeated row."""

import numpy as np
import pytest

hypothesis = pytest.importorskip("hypothesis")

from ardvark import (  # noqa: E402
    BayesianLinearRegression,
    BayesianLogisticRegression,
    RelevanceVectorClassifier,
    RelevanceVectorRegressor,
    SparseLogisticRegression,
)
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from sklearn.base import clone, is_classifier  # noqa: E402

LINEAR = [
    BayesianLinearRegression("shared"),
    BayesianLinearRegression("ard"),
    BayesianLinearRegression("ard", posterior="factorised"),
    BayesianLogisticRegression("shared"),
    BayesianLogisticRegression("ard"),
    BayesianLogisticRegression("shared", likelihood="jj"),
    BayesianLogisticRegression("laplace", laplace_lambda=1.0),
    SparseLogisticRegression("rlr_var"),
]
KERNEL = [RelevanceVectorRegressor(width=1.5), RelevanceVectorClassifier(width=1.5)]

pytestmark = pytest.mark.filterwarnings(
    "ignore::ardvark.ArdvarkWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)
problems = settings(max_examples=12, deadline=None, derandomize=True)
seeds = st.integers(0, 10**6)


def problem(seed, estimator, n=90, p=4):
    """More rows than columns and noise enough that classes overlap: one optimum, found to the tolerance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    score = X @ rng.normal(size=p) + rng.normal()
    y = (
        (score + 1.5 * rng.logistic(size=n) > 0).astype(int)
        if is_classifier(estimator)
        else score + 0.5 * rng.normal(size=n)
    )
    if is_classifier(estimator):
        y[:4] = [0, 1, 0, 1]
    return X, y, rng


def predictions(fit, X):
    return (
        fit.predict_proba(X)[:, 1] if is_classifier(fit) else np.column_stack(fit.predict(X, return_std=True))
    )


def same(a, b, scale=1.0, atol=2e-5):
    np.testing.assert_allclose(a, b, rtol=0, atol=atol * scale)


@pytest.mark.parametrize("estimator", LINEAR, ids=repr)
@problems
@given(seed=seeds, power=st.integers(-6, 6))
def test_units_of_columns(estimator, seed, power):
    X, y, rng = problem(seed, estimator)
    factors, shifts = 10.0 ** (power * rng.uniform(-1, 1, 4)), rng.normal(size=4)
    changed = (X + shifts) * factors
    before, after = clone(estimator).fit(X, y), clone(estimator).fit(changed, y)
    same(before.coef_, after.coef_ * factors, 1 + np.abs(before.coef_).max())
    same(before.coef_std_, after.coef_std_ * factors, 1 + np.abs(before.coef_).max())
    same(predictions(before, X), predictions(after, changed), 1 + np.abs(y).max())
    assert np.array_equal(before.support_, after.support_)


@pytest.mark.parametrize("estimator", LINEAR[:3], ids=repr)
@problems
@given(seed=seeds, factor=st.floats(1e-6, 1e6), shift=st.floats(-100, 100))
def test_units_of_the_target(estimator, seed, factor, shift):
    X, y, _ = problem(seed, estimator)
    before, after = clone(estimator).fit(X, y), clone(estimator).fit(X, (y + shift) * factor)
    same(before.coef_ * factor, after.coef_, factor * (1 + np.abs(before.coef_).max()))
    same(before.alpha_, after.alpha_ * factor**2, before.alpha_)
    densities = len(y) - 1  # of the rows, less the one that the flat intercept takes
    assert after.bound_ == pytest.approx(before.bound_ - densities * np.log(factor), abs=1e-4)


@pytest.mark.parametrize("estimator", [*LINEAR, *KERNEL], ids=repr)
@problems
@given(seed=seeds)
def test_order_of_rows_and_columns(estimator, seed):
    X, y, rng = problem(seed, estimator, n=60)
    rows, columns = rng.permutation(len(y)), rng.permutation(4)
    before = clone(estimator).fit(X, y)
    after = clone(estimator).fit(X[rows][:, columns], y[rows])
    same(predictions(before, X), predictions(after, X[:, columns]), 1 + np.abs(y).max(), atol=1e-4)
    if hasattr(before, "coef_"):
        same(before.coef_[..., columns], after.coef_, 1 + np.abs(before.coef_).max())


@pytest.mark.parametrize("estimator", [*LINEAR, *KERNEL], ids=repr)
@problems
@given(seed=seeds)
def test_a_weight_equals_repetition(estimator, seed):
    X, y, rng = problem(seed, estimator, n=60)
    times = rng.integers(0, 4, len(y))
    times[:4] = 1
    weighted = clone(estimator).fit(X, y, sample_weight=times)
    repeated = clone(estimator).fit(X.repeat(times, axis=0), y.repeat(times))
    if hasattr(weighted, "coef_"):
        same(weighted.coef_, repeated.coef_, 1 + np.abs(weighted.coef_).max())
        same(predictions(weighted, X), predictions(repeated, X), 1 + np.abs(y).max())
        assert weighted.bound_ == pytest.approx(repeated.bound_, abs=1e-4)
    else:
        assert weighted.log_evidence_ == pytest.approx(repeated.log_evidence_, abs=0.2)
        same(predictions(weighted, X), predictions(repeated, X), 1 + np.abs(y).max(), atol=2e-2)


@pytest.mark.parametrize("estimator", LINEAR[3:6], ids=repr)
@problems
@given(seed=seeds)
def test_names_of_classes(estimator, seed):
    """The other class as the positive one: the same probabilities, coefficients of the other sign."""
    X, y, _ = problem(seed, estimator)
    before, after = clone(estimator).fit(X, y), clone(estimator).fit(X, np.where(y == 1, "a", "b"))
    same(before.coef_, -after.coef_, 1 + np.abs(before.coef_).max())
    same(predictions(before, X), after.predict_proba(X)[:, 0])
