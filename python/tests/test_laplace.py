"""The Laplace prior: the modes are those of scikit-learn's lasso, and cross-validation chooses lambda."""

import warnings

import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("sklearn")
from sklearn.linear_model import Lasso, LassoCV, LogisticRegression

from ardvark import BayesianLinearRegression, BayesianLogisticRegression, RelevanceSelector, load


def table(seed=0, n=120, p=12):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.1, 10, p) + rng.normal(size=p)
    scale = X.std(axis=0)
    f = 3 * X[:, 0] / scale[0] - 2 * X[:, 3] / scale[3]
    return X, f, rng


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_the_mode_is_that_of_the_lasso(share):
    X, f, rng = table()
    y = 5 + f + rng.normal(size=f.size)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    alpha = share * np.abs(Z.T @ (y - y.mean())).max() / y.size
    lasso = Lasso(alpha=alpha, tol=1e-12, max_iter=100000).fit(Z, y)
    model = BayesianLinearRegression("laplace", laplace_lambda=alpha * y.size).fit(X, y)
    np.testing.assert_allclose(model.coef_ * X.std(axis=0), lasso.coef_, atol=1e-7)
    np.testing.assert_allclose(model.predict(X), lasso.predict(Z), atol=1e-6)
    np.testing.assert_array_equal(model.support_, lasso.coef_ != 0)
    assert model.lambda_ == alpha * y.size and model.status_ == "converged"


def test_the_mode_is_that_of_logistic_regression():
    X, f, rng = table(1)
    y = f + rng.logistic(size=f.size) > 0
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn renames `penalty`
        other = LogisticRegression(penalty="l1", C=1 / 5, solver="saga", tol=1e-10, max_iter=100000).fit(Z, y)
    model = BayesianLogisticRegression("laplace", laplace_lambda=5).fit(X, y)
    np.testing.assert_allclose(model.coef_[0] * X.std(axis=0), other.coef_[0], atol=1e-5)


def test_the_chosen_lambda_predicts_as_well_as_that_of_lassocv():
    ratio = []
    for seed in range(8):
        X, f, rng = table(seed, n=240, p=40)
        y = f + rng.normal(size=f.size)
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        ours = BayesianLinearRegression("laplace").fit(X[:120], y[:120])
        theirs = LassoCV(cv=10, max_iter=100000).fit(Z[:120], y[:120])
        errors = [np.mean((p - f[120:]) ** 2) for p in (ours.predict(X[120:]), theirs.predict(Z[120:]))]
        ratio.append(errors[0] / errors[1])
    assert 0.85 < np.exp(np.mean(np.log(ratio))) < 1.15


def test_intervals_of_new_rows_cover():
    inside = []
    for seed in range(20):
        X, f, rng = table(seed, n=200, p=20)
        y = f + rng.normal(size=f.size)
        model = BayesianLinearRegression("laplace").fit(X[:100], y[:100])
        lower, upper = model.predict_interval(X[100:]).T
        inside.append(np.mean((lower <= y[100:]) & (y[100:] <= upper)))
    assert 0.92 < np.mean(inside) < 0.97


def test_one_standard_error_keeps_fewer_columns_and_folds_are_an_option():
    X, f, rng = table(3, p=40)
    y = f + 3 * rng.normal(size=f.size)
    least = BayesianLinearRegression("laplace").fit(X, y)
    sparser = BayesianLinearRegression("laplace", lambda_rule="1se").fit(X, y)
    assert sparser.support_.sum() < least.support_.sum()
    path = least.lambda_path_
    assert (least.lambda_, sparser.lambda_) == (path.lambda_min, path.lambda_1se)
    assert path.lambda_min == path.lambdas[np.argmin(path.loss)]
    assert np.all(np.diff(path.lambdas) < 0) and path.n_nonzero[0] == 0
    np.testing.assert_array_equal(path.n_nonzero, (path.coef != 0).sum(axis=1))
    np.testing.assert_allclose(path.intercept, y.mean() - path.coef @ X.mean(axis=0), atol=1e-9)  # the mode goes through the means
    assert not np.array_equal(BayesianLinearRegression("laplace", folds=5).fit(X, y).lambda_path_.loss, path.loss)
    assert any("10-fold cross-validation" in note for note in least.notes_)


def test_three_classes_have_a_lambda_each(tmp_path):
    X, f, rng = table(4, n=200)
    y = np.array(["low", "middle", "high"])[np.digitize(f + rng.normal(size=f.size), [-2, 2])]
    model = BayesianLogisticRegression("laplace").fit(X, y)
    assert len(model.lambda_path_) == 3 and model.lambda_.shape == (3,)
    assert model.score(X, y) > 0.8
    model.save(tmp_path / "m.ardvark")
    again = load(tmp_path / "m.ardvark")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert [path.lambda_min for path in again.lambda_path_] == [path.lambda_min for path in model.lambda_path_]
    for one, other in zip(again.lambda_path_, model.lambda_path_):
        np.testing.assert_array_equal(one.coef, other.coef)
        np.testing.assert_array_equal(one.intercept, other.intercept)


def test_a_given_lambda_has_no_path():
    X, f, rng = table()
    model = BayesianLinearRegression("laplace", laplace_lambda=10).fit(X, f)
    with pytest.raises(AttributeError, match="without laplace_lambda"):
        model.lambda_path_
    with pytest.raises(ValueError, match="lambda_rule"):
        BayesianLinearRegression("laplace", laplace_lambda=10, lambda_rule="1se").fit(X, f)
    with pytest.raises(ValueError, match=r"lambda_rule is '2se'; it must be one of 1se, min"):
        BayesianLinearRegression("laplace", lambda_rule="2se").fit(X, f)
    with pytest.raises(ValueError, match="lambda_rule applies only to"):
        BayesianLinearRegression(lambda_rule="min").fit(X, f)


def test_the_display(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    from ardvark.plot import LambdaPathDisplay

    X, f, rng = table(5, n=150)
    y = f + rng.normal(size=f.size)
    model = BayesianLinearRegression("laplace").fit(X, y)
    drawn = LambdaPathDisplay.from_estimator(model)
    np.testing.assert_array_equal(drawn.lines_[0].get_ydata(), model.lambda_path_.loss)
    lines = LambdaPathDisplay.from_estimator(model, kind="coefficients").lines_
    assert len(lines) == (model.lambda_path_.coef != 0).any(axis=0).sum()
    with pytest.raises(ValueError, match="kind"):
        LambdaPathDisplay.from_estimator(model, kind="x")
    classes = BayesianLogisticRegression("laplace").fit(X, np.digitize(y, [-2, 2]))
    with pytest.raises(ValueError, match="one of the classes: "):
        LambdaPathDisplay.from_estimator(classes)
    LambdaPathDisplay.from_estimator(classes, label=1)


def test_selection_counts_of_a_regression():
    X, f, rng = table(6, n=100)
    y = f + rng.normal(size=f.size)
    selector = RelevanceSelector(BayesianLinearRegression("laplace", lambda_rule="1se"), by="counts", folds=5, repeats=2).fit(X, y)
    assert selector.counts_[[0, 3]].tolist() == [10, 10]
    assert 0.85 < selector.r_squared_ < 1
    default = RelevanceSelector(by="counts", folds=5, repeats=1).fit(X, y)
    assert default.support_[[0, 3]].all()


def sparse_table(kind, n=400, p=1500):
    """Words, or counts of one byte, of which ten columns matter: X, columns with the mean square deviation 1, their sizes, the score."""
    rng = np.random.default_rng(8)
    X = scipy.sparse.random(n, p, 0.03, format="csc", random_state=8, data_rvs=lambda size: rng.integers(1, 6, size).astype(float))
    X = X[:, np.diff(X.indptr) > 2]
    size = np.sqrt(np.asarray(X.multiply(X).mean(axis=0) - np.square(X.mean(axis=0))).ravel())
    scaled = (X @ scipy.sparse.diags_array(1 / size)).tocsc()
    X.data = X.data.astype(np.int8 if kind == "bytes" else np.float64)
    w = np.zeros(X.shape[1])
    w[:10] = rng.choice([-1.5, 1.5], 10)
    return X, scaled, size, scaled @ w, rng


def lasso_objective(Z, y, w, intercept, penalty):
    return 0.5 * np.sum((y - intercept - Z @ w) ** 2) + penalty * np.abs(w).sum()


@pytest.mark.parametrize("kind", ["doubles", "bytes"])
def test_the_path_of_a_sparse_table_has_the_objectives_of_the_lasso(kind):
    """At equal lambda, to 1e-6; and ours is not the higher one: its optimality conditions hold to 1e-9."""
    X, Z, size, f, rng = sparse_table(kind)
    y = 5 + f + rng.normal(size=f.size)
    path = BayesianLinearRegression("laplace", folds=3).fit(X, y).lambda_path_
    for i in range(0, path.lambdas.size, 7):
        penalty = path.lambdas[i]
        lasso = Lasso(alpha=penalty / y.size, tol=1e-10, max_iter=200_000).fit(Z, y)
        ours = lasso_objective(Z, y, path.coef[i] * size, path.intercept[i], penalty)
        theirs = lasso_objective(Z, y, lasso.coef_, lasso.intercept_, penalty)
        assert ours == pytest.approx(theirs, rel=1e-6) and ours <= theirs * (1 + 1e-9), i
        one = BayesianLinearRegression("laplace", laplace_lambda=penalty).fit(X, y)
        assert lasso_objective(Z, y, one.coef_ * size, one.intercept_, penalty) == pytest.approx(ours, rel=1e-9)


@pytest.mark.parametrize("kind", ["doubles", "bytes"])
def test_the_mode_of_a_sparse_table_has_the_objective_of_logistic_regression(kind):
    X, Z, size, f, rng = sparse_table(kind)
    y = f - f.mean() + rng.logistic(size=f.size) > 0

    def objective(w, intercept, penalty):
        score = intercept + Z @ w
        return np.logaddexp(0, np.where(y, -score, score)).sum() + penalty * np.abs(w).sum()

    for penalty in (3.0, 8.0, 20.0):
        # It penalises the weight of a column of 1000: the intercept, by a thousandth, which moves the objective by the square of that.
        options = {"solver": "liblinear", "intercept_scaling": 1000.0, "tol": 1e-7, "max_iter": 10_000, "random_state": 0}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn renames `penalty`
            other = LogisticRegression(penalty="l1", C=1 / penalty, **options).fit(Z.tocsr(), y)
        model = BayesianLogisticRegression("laplace", laplace_lambda=penalty).fit(X, y)
        ours = objective(model.coef_[0] * size, model.intercept_[0], penalty)
        theirs = objective(other.coef_[0], other.intercept_[0], penalty)
        assert ours == pytest.approx(theirs, rel=1e-6) and ours <= theirs * (1 + 1e-9)
