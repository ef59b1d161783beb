"""What is asked after a fit of many columns, without a matrix of all of them: docs/math/sparse.md (SP.26), (SP.28)."""

import inspect
import resource
import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from ardvark import BayesianLinearRegression, BayesianLogisticRegression

ROWS, COLUMNS = 600, 30_000


def wide(kind):
    """A table with five effects, and the score that they make."""
    random = np.random.default_rng(3)
    if kind == "sparse":
        X = scipy.sparse.random(ROWS, COLUMNS, 0.02, format="csc", random_state=3, data_rvs=random.standard_normal)
    else:
        X = random.integers(0, 3, (ROWS, COLUMNS)).astype(np.int8)
    return X, X[:, [5, 700, 9000, 20_000, 29_999]] @ np.array([3.0, -3.0, 4.0, -4.0, 5.0])


@pytest.fixture(scope="module", params=["sparse slab", "sparse sparse", "bytes slab", "sparse slab classes"])
def fit(request):
    kind, prior, *classes = request.param.split()
    X, score = wide(kind)
    noise = np.random.default_rng(4).normal(size=ROWS)
    if classes:
        return X, BayesianLogisticRegression(prior=prior).fit(X, score + noise > np.mean(score))
    return X, BayesianLinearRegression(prior=prior).fit(X, score + noise)


def test_nothing_makes_a_matrix_of_all_columns(fit):
    """In numpy and in the library: the process may have a gigabyte more than it has, and the matrix has 7.2."""
    X, model = fit
    limit = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + 2**30, limit[1]))
    tracemalloc.start()
    try:
        assert "posterior_" in dir(model) and hasattr(model, "posterior_") and not hasattr(model, "sigma_")
        inspect.getmembers(model)
        draws = model.posterior_.sample(20, random_state=0)
        assert draws.coef.shape == (20, COLUMNS) and draws.intercept.shape == (20,)
        assert model.coef_covariance([5, 700, 8]).shape == (3, 3)
        assert tracemalloc.get_traced_memory()[1] < 8 * draws.coef.nbytes
    finally:
        tracemalloc.stop()
        resource.setrlimit(resource.RLIMIT_AS, limit)


def test_a_matrix_of_all_columns_is_refused_with_what_to_ask_instead(fit):
    _, model = fit
    why = r"of 30001 weights would have 9e\+08 numbers \(7.2 GB\), and is made of up to 10000 weights; coef_covariance\(columns\) gives that of some"
    with pytest.raises(AttributeError, match="sigma_ " + why):
        model.sigma_
    with pytest.raises(AttributeError, match="covariance " + why):
        model.posterior_.covariance
    with pytest.raises(ValueError, match="the covariance of all 30001 weights has 9e.08 numbers"):
        model._model.array("covariance")


def test_every_column_has_a_standard_deviation(fit):
    _, model = fit
    sd = np.ravel(model.coef_std_)
    assert (sd > 0).all()
    some = np.r_[5, 700, 9000, np.argsort(model.inclusion_)[:3]]
    np.testing.assert_allclose(np.sqrt(np.diag(model.coef_covariance(some))), sd[some], rtol=1e-6)
    names = np.array(model.columns_)[some]
    np.testing.assert_array_equal(model.coef_covariance(list(names)), model.coef_covariance(some))


def test_draws_have_the_moments_of_the_fit(fit):
    X, model = fit
    n = 400
    draws = model.posterior_.sample(n, random_state=1)
    sd, mean = np.ravel(model.coef_std_), np.ravel(model.coef_)
    assert np.linalg.norm((draws.coef.mean(axis=0) - mean) / sd) / np.sqrt(COLUMNS / n) < 1.2
    likely = model.inclusion_ > 0.5
    np.testing.assert_allclose(draws.coef[:, likely].std(axis=0), sd[likely], rtol=0.25)
    assert draws.coef.var(axis=0).sum() == pytest.approx((sd**2).sum(), rel=0.1)
    assert draws.intercept.std() == pytest.approx(np.ravel(model.intercept_std_)[0], rel=0.25)
    scores = X[:100].astype(float) @ draws.coef.T + draws.intercept[None]
    if isinstance(model, BayesianLogisticRegression):
        expected = model.predict_score(X[:100])
    else:
        found = model._model.predict(X[:100] if scipy.sparse.issparse(X) else X[:100].astype(float), interval="mean")
        expected = found.array("mean"), found.array("sd")
    assert (scores.var(axis=1)).mean() == pytest.approx((expected[1] ** 2).mean(), rel=0.15)
    np.testing.assert_allclose(scores.mean(axis=1), expected[0], atol=6 * expected[1].max() / np.sqrt(n))
    np.testing.assert_array_equal(model.posterior_.sample(3, random_state=1).coef, model.posterior_.sample(3, random_state=1).coef)


def test_a_loaded_model_answers_as_the_fitted_one(fit, tmp_path):
    _, model = fit
    model.save(str(tmp_path / "m.ardvark"))
    again = type(model).load(str(tmp_path / "m.ardvark"))
    np.testing.assert_array_equal(again.coef_std_, model.coef_std_)
    np.testing.assert_array_equal(again.posterior_.sample(3, random_state=1).coef, model.posterior_.sample(3, random_state=1).coef)


def test_columns_that_are_not_there():
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30.0)
    model = BayesianLinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="columns names 'x9', which is not in columns_"):
        model.coef_covariance(["x9"])
    with pytest.raises(ValueError, match="columns holds 3; there are only 3 coefficients"):
        model.coef_covariance([3])
    three = BayesianLogisticRegression("shared").fit(X, np.arange(30) % 3)
    with pytest.raises(ValueError, match="only a regression or two classes have the covariance of some columns"):
        three.coef_covariance([0])
