"""Programs that take a regression or a classifier, one test for each: it works, and what it does to a posterior is what docs/hosts.md says."""

import warnings

import numpy as np
import pytest
from ardvark import BayesianLinearRegression, BayesianLogisticRegression, KernelRegressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import StackingClassifier, StackingRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer
from sklearn.inspection import PartialDependenceDisplay, permutation_importance

rng = np.random.default_rng(0)


def rows(n, rng=rng):
    """The last column is a sum of two others, and has no effect of its own."""
    X = rng.normal(size=(n, 4))
    X[:, 3] = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=n)
    return X, 2 * X[:, 0] - X[:, 2] + 0.5 * rng.normal(size=n)


X, y = rows(200)
LABELS = np.where(y > 0, "b", "a")


def test_iterative_imputer():
    Z = X.copy()
    gaps = np.zeros(X.shape, bool)
    gaps[rng.choice(200, 60, replace=False), 3] = True
    Z[gaps] = np.nan
    means = IterativeImputer(BayesianLinearRegression(), random_state=0).fit_transform(Z)
    draws = np.array([IterativeImputer(BayesianLinearRegression(), sample_posterior=True, max_iter=2, random_state=k).fit_transform(Z) for k in range(10)])
    for filled in (means, *draws):
        np.testing.assert_array_equal(filled[~gaps], X[~gaps])
    off = means[gaps] - X[gaps]
    assert np.sqrt((off**2).mean()) < 0.45  # .3 of noise; the column has a standard deviation of 1.4
    # Draws differ by what is not known, means do not: they say too little.
    assert 0.2 < draws[:, gaps].std(axis=0).mean() < 0.45
    assert np.var(means[gaps] - (X[:, 0] + X[:, 1])[gaps.any(axis=1)]) < 0.02 < 0.05 < np.var(draws[0][gaps] - (X[:, 0] + X[:, 1])[gaps.any(axis=1)])


def test_stacking():
    stacked = StackingRegressor(
        [("line", BayesianLinearRegression()), ("curve", KernelRegressor(centres=20))], final_estimator=BayesianLinearRegression("shared")
    ).fit(X, y)
    assert stacked.score(X, y) > 0.9
    mean, std = stacked.predict(X, return_std=True)  # of the last estimator
    np.testing.assert_allclose(mean, stacked.predict(X))
    assert ((np.abs(y - mean) < 2 * std).mean() > 0.85) and (0.4 < std).all() and (std < 0.7).all()
    classes = StackingClassifier([("line", BayesianLogisticRegression())], final_estimator=BayesianLogisticRegression("shared")).fit(X, LABELS)
    assert classes.score(X, LABELS) > 0.85


def test_transformed_target():
    model = TransformedTargetRegressor(BayesianLinearRegression(), func=np.log, inverse_func=np.exp).fit(X, np.exp(y))
    np.testing.assert_allclose(model.predict(X), np.exp(model.regressor_.predict(X)))
    interval = np.exp(model.regressor_.predict_interval(X))  # ends are transformed, standard deviations cannot be
    assert 0.9 < ((interval[:, 0] < np.exp(y)) & (np.exp(y) < interval[:, 1])).mean()
    with pytest.raises(AttributeError):  # scikit-learn transforms the pair as if it were an array
        model.predict(X, return_std=True)


def test_permutation_importance():
    found = permutation_importance(BayesianLinearRegression().fit(X, y), X, y, random_state=0, n_repeats=5)
    # A permuted column adds twice the variance of what it explains: 2 * 4 / 5.25, 2 / 5.25.
    np.testing.assert_allclose(found.importances_mean, [1.52, 0, 0.38, 0], atol=0.25)


def test_partial_dependence():
    pytest.importorskip("matplotlib").use("Agg")
    model = BayesianLinearRegression().fit(X, y)
    drawn = PartialDependenceDisplay.from_estimator(model, X, [0, 2])
    for line, slope in zip(drawn.lines_.ravel(), model.coef_[[0, 2]]):
        x, values = line.get_data()
        np.testing.assert_allclose(np.diff(values) / np.diff(x), slope, rtol=1e-6)
    assert PartialDependenceDisplay.from_estimator(BayesianLogisticRegression().fit(X, LABELS), X, [0]).lines_.size == 1


def test_shap():
    shap = pytest.importorskip("shap", reason="shap is not installed (pip install shap): its explanations are not tried")
    background = shap.maskers.Independent(X, max_samples=len(X))
    model = BayesianLinearRegression().fit(X, y)
    explainer = shap.LinearExplainer(model, background)
    values = explainer.shap_values(X)
    np.testing.assert_allclose(values, model.coef_ * (X - X.mean(axis=0)), atol=1e-10)
    np.testing.assert_allclose(values.sum(axis=1) + explainer.expected_value, model.predict(X), atol=1e-10)
    # Without max_samples, the background is 100 of the rows.
    assert np.abs(shap.LinearExplainer(model, X).shap_values(X) - values).max() > 0.01
    # Of classes it explains the score of the mean coefficients, not the probabilities, which average over the posterior.
    classes = BayesianLogisticRegression().fit(X, LABELS)
    explainer = shap.LinearExplainer(classes, background)
    score = explainer.shap_values(X).sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(score, X @ classes.coef_[0] + classes.intercept_[0], atol=1e-9)
    certain = np.abs(classes.predict_proba(X)[:, 1] - 0.5)
    assert (certain <= np.abs(1 / (1 + np.exp(-score)) - 0.5) + 1e-12).all() and np.abs(classes.decision_function(X) - score).max() > 0.5


def test_skops(tmp_path):
    io = pytest.importorskip("skops.io", reason="skops is not installed (pip install skops): its files are not tried")
    stacked = StackingRegressor([("line", BayesianLinearRegression())], final_estimator=BayesianLinearRegression("shared")).fit(X, y)
    io.dump(stacked, tmp_path / "model.skops")
    types = io.get_untrusted_types(file=tmp_path / "model.skops")
    assert "ardvark._core.Model" in types
    # skops does not trust what scikit-learn's own stacking keeps its estimators in, either.
    assert {name for name in types if not name.startswith("ardvark.")} == {"sklearn.utils._bunch.Bunch"}
    np.testing.assert_array_equal(io.load(tmp_path / "model.skops", trusted=types).predict(X), stacked.predict(X))


def test_mapie():
    pytest.importorskip("mapie", reason="mapie is not installed (pip install mapie): its intervals are not tried")
    from mapie.classification import SplitConformalClassifier
    from mapie.regression import CrossConformalRegressor, SplitConformalRegressor

    X_new, y_new = rows(4000, np.random.default_rng(1))
    model = BayesianLinearRegression().fit(X[:100], y[:100])
    split = SplitConformalRegressor(model, confidence_level=0.9, prefit=True).conformalize(X[100:], y[100:])
    cross = CrossConformalRegressor(BayesianLinearRegression(), confidence_level=0.9, cv=5).fit_conformalize(X, y)
    ours = BayesianLinearRegression().fit(X, y).predict_interval(X_new, level=0.9)
    for low, high in (split.predict_interval(X_new)[1][:, :, 0].T, cross.predict_interval(X_new)[1][:, :, 0].T, ours.T):
        # A hundred rows that decide leave the share of 90% uncertain by .03. Intervals of the true model are 1.64 wide.
        assert abs(((low < y_new) & (y_new < high)).mean() - 0.9) < 0.09 and 1.2 < (high - low).mean() < 2.0
    np.testing.assert_allclose(np.diff(split.predict_interval(X_new)[1][:, :, 0]).std(), 0, atol=1e-12)  # one width for all rows
    assert np.diff(ours).std() > 0
    classes = BayesianLogisticRegression().fit(X[:100], LABELS[:100])
    sets = SplitConformalClassifier(classes, confidence_level=0.9, prefit=True).conformalize(X[100:], LABELS[100:]).predict_set(X_new)[1]
    assert sets[np.arange(4000), (y_new > 0).astype(int), 0].mean() > 0.8


def test_skpro():
    pytest.importorskip("skpro", reason="skpro is not installed (pip install skpro): its distributions are not tried")
    pandas = pytest.importorskip("pandas")
    from skpro.regression.adapters.sklearn import SklearnProbaReg

    few = 12  # rows, so that Student's t has wider tails than a normal distribution
    table, target = pandas.DataFrame(X[:few], columns=list("abcd")), pandas.DataFrame({"y": y[:few]})
    new = pandas.DataFrame(X[few:], columns=list("abcd"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        host = SklearnProbaReg(BayesianLinearRegression()).fit(table, target)
        distribution, interval = host.predict_proba(new), np.asarray(host.predict_interval(new, coverage=0.95))
    ours = BayesianLinearRegression().fit(table, target["y"])
    mean, std = ours.predict(new, return_std=True)
    np.testing.assert_allclose(np.asarray(distribution.mean())[:, 0], mean)
    np.testing.assert_allclose(np.sqrt(np.asarray(distribution.var())[:, 0]), std)
    np.testing.assert_allclose(interval, np.stack([mean - 1.959964 * std, mean + 1.959964 * std], axis=1), rtol=1e-5)
    assert type(distribution).__name__ == "Normal"  # our own intervals are of Student's t
    assert np.abs(np.diff(ours.predict_interval(new)) / np.diff(interval) - 1).max() > 0.003
