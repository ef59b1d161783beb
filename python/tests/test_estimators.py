"""The estimators as scikit-learn's users meet them: attributes, tables, pipelines, files, messages."""

import json
import pickle
import subprocess
import sys
import warnings

import ardvark
import numpy as np
import pytest
from ardvark import (
    ArdvarkWarning,
    BayesianLinearRegression,
    BayesianLogisticRegression,
    RelevanceSelector,
    RelevanceVectorClassifier,
    RelevanceVectorRegressor,
    SequentialLogisticRegression,
    SparseLogisticRegression,
    _core,
)
from sklearn import set_config
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_moons, make_regression
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(11)
X = rng.normal(size=(150, 4))
y = X @ [2.0, 0, -1, 0] + 1 + 0.3 * rng.normal(size=150)
labels = np.where(2 * X[:, 0] - X[:, 2] + rng.logistic(size=150) > 0, "yes", "no")
species = np.array(["cat", "dog", "eel"])[np.digitize(X[:, 0] + 0.3 * rng.normal(size=150), [-0.5, 0.5])]

LINEAR = [BayesianLinearRegression(), BayesianLinearRegression("ard", posterior="factorised")]
BINARY = [
    BayesianLogisticRegression(),
    BayesianLogisticRegression("laplace", laplace_lambda=2.0),
    SparseLogisticRegression(),
    SequentialLogisticRegression(),
]
KERNEL = [RelevanceVectorRegressor(width=2.0), RelevanceVectorClassifier(width=2.0)]
ALL = [*LINEAR, *BINARY, *KERNEL]


def name(estimator):
    return repr(estimator)


def fitted(estimator):
    return clone(estimator).fit(X, labels if hasattr(estimator, "predict_proba") else y)


# ---- results


def test_attributes_are_those_of_the_library():
    model = _core.fit(X, y, model="linear", prior="ard")
    fit = BayesianLinearRegression("ard").fit(X, y)
    assert np.array_equal(fit.coef_, model.array("mean")) and fit.intercept_ == model.number("intercept.mean")
    assert fit.alpha_ == model.number("noise.shape") / model.number("noise.rate")
    assert np.array_equal(fit.scores_, model.array("bound_history")) and fit.bound_ == fit.scores_[-1]
    assert fit.n_iter_ == len(fit.scores_) and fit.converged_ and fit.status_ == "converged"
    assert fit.support_.tolist() == [True, False, True, False]
    np.testing.assert_allclose(np.sqrt(np.diag(fit.sigma_)), fit.coef_std_, rtol=1e-12)
    mean, std = fit.predict(X[:5], return_std=True)
    np.testing.assert_allclose(mean, fit.predict(X[:5]), rtol=1e-12)
    assert np.all(std > 1 / np.sqrt(fit.alpha_) * 0.99)


def test_defaults_are_those_of_the_library():
    """A text that is a constructor's default says what the library does without it."""
    cases = [
        (BayesianLinearRegression(), dict(model="linear"), y),
        (BayesianLogisticRegression(), dict(model="logistic"), labels == "yes"),
        (BayesianLogisticRegression(), dict(model="logistic"), np.unique(species, return_inverse=True)[1]),
        (RelevanceVectorRegressor(), dict(model="rvm", task="regression"), y),
        (RelevanceVectorClassifier(), dict(model="rvm", task="classification"), labels == "yes"),
    ]
    for estimator, options, target in cases:
        target = np.asarray(target, dtype=float)
        plain = _core.fit(X, target, warn=False, **options)
        for parameter, option in estimator._options.items():
            default = estimator.get_params()[parameter]
            if default is None or (option in ("coding", "precision_per_class")) == (
                len(np.unique(target)) != 3
            ):
                continue
            if option == "likelihood" and len(np.unique(target)) == 3:
                continue
            again = _core.fit(X, target, warn=False, **options, **{option: default})
            assert again.text("bound") == plain.text("bound"), (estimator, parameter)


def test_shapes_of_classes():
    two = BayesianLogisticRegression("ard").fit(X, labels)
    assert two.coef_.shape == two.coef_std_.shape == (1, 4) and two.intercept_.shape == (1,)
    assert two.sigma_.shape == (4, 4) and two.coef_interval(0.9).shape == (1, 4, 2)
    assert two.classes_.tolist() == ["no", "yes"] and two.predict_proba(X).shape == (150, 2)
    three = BayesianLogisticRegression("ard").fit(X, species)
    assert (
        three.coef_.shape == (3, 4)
        and three.intercept_.shape == (3,)
        and three.coef_interval().shape == (3, 4, 2)
    )
    assert three.lambda_.shape == (3, 4) and three.sigma_.shape == (12, 12)
    np.testing.assert_allclose(three.predict_proba(X).sum(axis=1), 1, rtol=1e-12)
    pairs = BayesianLogisticRegression("ard", coding="one-against-one").fit(X, species)
    assert pairs.coef_.shape == (3, 4) and pairs.score(X, species) > 0.7


@pytest.mark.parametrize("target", [labels, species], ids=["two classes", "three classes"])
@pytest.mark.parametrize(
    "algorithm", [p["name"] for p in _core.catalogue()["presets"] if "SLR" in p["description"]]
)
def test_every_algorithm_of_the_toolbox(algorithm, target):
    parameters = {"laplace_lambda": 1.0} if algorithm.startswith("l1") else {}
    estimator = SparseLogisticRegression(algorithm, **parameters)
    if algorithm == "slr_rvm":
        with pytest.raises(ValueError, match="it must be one of slr_var"):
            estimator.fit(X, target)
    elif algorithm in ("rlr_lap", "l1_slr_lap", "l1_slr_c") and target is species:
        with pytest.raises(ValueError, match="Only binary classification is supported"):
            estimator.fit(X, target)
    else:
        fit = estimator.fit(X, target)
        assert fit.support_[0] and fit.score(X, target) > 0.7
        named = fit._model.text("preset")
        assert named == algorithm or (target is species and named == f"{algorithm}_ovr")
        assert np.array_equal(fit.classes_[fit.predict_proba(X).argmax(axis=1)], fit.predict(X))


def test_intervals_widen_with_the_level():
    for estimator, target in [(BayesianLinearRegression(), y), (BayesianLogisticRegression(), species)]:
        fit = estimator.fit(X, target)
        narrow, wide = fit.coef_interval(0.5), fit.coef_interval(0.99)
        assert (wide[..., 0] < narrow[..., 0]).all() and (narrow[..., 1] < wide[..., 1]).all()
        with pytest.raises(ValueError, match="level is 1.5"):
            fit.coef_interval(1.5)


def test_the_default_prior_is_sparse_unless_an_option_has_no_meaning_beside_it():
    for estimator, target in ((BayesianLinearRegression, y), (BayesianLogisticRegression, labels)):
        fit = estimator().fit(X, target)
        assert fit._model.text("prior") == "sparse" and not any("prior auto" in note for note in fit.notes_)
        assert np.array_equal(fit.coef_, estimator("sparse").fit(X, target).coef_)
        assert np.array_equal(fit.support_, fit.inclusion_ > 0.5) and fit.lambda_ is None
        for option in ({"solver": "primal"}, {"lambda_1": 1.0}, {"prune_at": 1e8}, {"update_rule": "mackay"}, {"lambda_init": 2.0}):
            for rows, prior in ((150, "ard"), (19, "shared")):
                other = estimator(max_iter=1000, **option).fit(X[:rows], target[:rows])
                assert other._model.text("prior") == prior and f"prior auto: {prior} was taken" in other.notes_[0]
                assert not hasattr(other, "inclusion_") and np.isfinite(other.lambda_).any()
    assert "posterior" in BayesianLinearRegression(posterior="factorised").fit(X, y).notes_[0]
    assert "likelihood" in BayesianLogisticRegression(likelihood="jj").fit(X, labels).notes_[0]
    assert "several classes" in BayesianLogisticRegression().fit(X, species).notes_[0]


def test_each_class_against_another_takes_the_default_prior(tmp_path):
    for coding in ("one-against-rest", "one-against-one"):
        fit = BayesianLogisticRegression(coding=coding).fit(X, species)
        assert fit._model.text("prior") == "sparse" and fit.lambda_ is None and fit.score(X, species) > 0.7
        assert ((fit.relevance_ >= 0) & (fit.relevance_ <= 1)).all() and fit.support_.tolist() == [True, False, False, False]
        assert fit.posterior_.sample(3).coef.shape == (3, 3, 4) and "inclusion" in fit.summary()
        fit.save(tmp_path / "model.ardvark")
        again = BayesianLogisticRegression.load(tmp_path / "model.ardvark")
        assert np.array_equal(again.predict_proba(X), fit.predict_proba(X))


@pytest.mark.parametrize("prior", ["auto", "sparse", "slab", "dense", "shared", "ard", "laplace"])
def test_the_score_has_the_moments_of_the_posterior(prior):
    fit = BayesianLogisticRegression(prior, laplace_lambda=2.0 if prior == "laplace" else None).fit(X, labels)
    mean, std = fit.predict_score(X)
    ones = np.column_stack([X, np.ones(len(X))])
    np.testing.assert_allclose(mean, ones @ fit.posterior_.mean, atol=1e-10)
    np.testing.assert_allclose(std**2, np.einsum("ij,jk,ik->i", ones, fit.posterior_.covariance, ones), rtol=1e-8)
    with pytest.raises(ValueError, match="of two classes; 3 have probabilities"):
        BayesianLogisticRegression("shared").fit(X, species).predict_score(X)


def test_precisions_by_column():
    shared = BayesianLinearRegression("shared").fit(X, y).lambda_
    assert isinstance(shared, float)
    constant = np.column_stack([X, np.ones(150)])
    ard = BayesianLinearRegression("ard", flat=[1]).fit(constant, y)
    assert (
        ard.lambda_.shape == (5,) and ard.lambda_[1] == 0 and np.isinf(ard.lambda_[4]) and ard.coef_[4] == 0
    )
    groups = BayesianLinearRegression({"pair": [0, 2]}).fit(X, y)
    assert groups.lambda_[0] == groups.lambda_[2] and len(set(groups.lambda_)) == 3
    by_numbers = BayesianLinearRegression([0, 1, 0, 2]).fit(X, y)
    assert np.array_equal(by_numbers.coef_, groups.coef_)
    for listed in ([[0, 2]], [[0, 2], [1], [3]], ([3], np.array([2, 0])), [(0, -2), [1]]):
        assert np.array_equal(clone(BayesianLinearRegression(listed)).fit(X, y).coef_, groups.coef_)
    assert BayesianLogisticRegression("laplace", laplace_lambda=3).fit(X, labels).lambda_ == 3


def test_machines():
    curve = RelevanceVectorRegressor().fit(X[:, :2], y)
    assert np.array_equal(curve.relevance_vectors_, X[curve.support_, :2]) and curve.dual_coef_.shape == (
        1,
        len(curve.support_),
    )
    assert curve.sigma_.shape == (len(curve.support_),) * 2 and curve.width_ > 0 and len(curve.trials_) > 5
    distance = (X[:, None, :2] - curve.relevance_vectors_) * curve.input_scale_ / curve.width_
    columns = np.exp(-(distance**2).sum(axis=2))  # (KER.1)
    np.testing.assert_allclose(
        columns @ curve.dual_coef_[0] + curve.intercept_[0], curve.predict(X[:, :2]), rtol=1e-9
    )
    three = RelevanceVectorClassifier(width=2.0).fit(X, species)
    assert three.dual_coef_.shape == (3, len(three.support_)) and len(three.bound_history_) == 3
    assert three.predict_proba(X).shape == (150, 3) and three.score(X, species) > 0.8
    weights = np.where(np.arange(150) % 3, 1.0, 0.0)
    assert (RelevanceVectorRegressor(width=2.0).fit(X, y, weights).support_ % 3 > 0).all()


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


def test_arviz():
    pytest.importorskip("arviz")
    data = BayesianLinearRegression().fit(X, y).to_arviz(200, random_state=0)
    assert dict(data.posterior.sizes) == {"chain": 1, "draw": 200, "feature": 4}
    assert abs(float(data.posterior["coef"].sel(feature="x1").mean()) - 2) < 0.1
    assert abs(float(data.posterior["noise_sd"].mean()) - 0.3) < 0.05


# ---- what comes in


def tables():
    columns = {"age": X[:, 0], "height": X[:, 1], "dose": X[:, 2], "site": X[:, 3]}
    for package, make in [
        ("pandas", lambda m: m.DataFrame(columns)),
        ("polars", lambda m: m.DataFrame(columns)),
        ("pyarrow", lambda m: m.table(columns)),
    ]:
        yield pytest.param(package, make, id=package)


class Stream:
    """A table that speaks Arrow's C stream and nothing else."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("package, make", list(tables()))
@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_tables(estimator, package, make):
    table = make(pytest.importorskip(package))
    target = labels if hasattr(estimator, "predict_proba") else y
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = clone(estimator).fit(table, target)
        by_array = fitted(estimator)
        assert fit.feature_names_in_.tolist() == ["age", "height", "dose", "site"]
        predicted, expected = fit.predict(table), by_array.predict(X)
        if hasattr(estimator, "predict_proba"):
            assert np.array_equal(predicted, expected)
        else:
            np.testing.assert_allclose(
                predicted, expected, rtol=1e-8
            )  # rounding: tables lie column by column
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fit.predict(X)
    if not hasattr(estimator, "kernel"):
        assert "height" in fit.summary()


def test_a_table_that_speaks_only_the_c_stream():
    pyarrow, _ = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    table = Stream(pyarrow.table({"a": X[:, 0], "b": X[:, 1]}))
    fit = BayesianLinearRegression().fit(table, y)
    assert fit.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_allclose(fit.coef_, BayesianLinearRegression().fit(X[:, :2], y).coef_, rtol=1e-9)


def test_columns_by_name():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=["age", "height", "dose", "site"])
    fit = BayesianLinearRegression({"body": ["age", "height"]}, flat=["site"]).fit(
        table, pandas.Series(y, name="weight")
    )
    assert fit.lambda_[0] == fit.lambda_[1] and fit.lambda_[3] == 0
    assert "weight" in fit.summary() and "dose" in fit.summary()
    with pytest.raises(ValueError, match="flat names the column 'sex', which X does not have"):
        BayesianLinearRegression(flat=["sex"]).fit(table, y)
    listed = BayesianLinearRegression([["age", "height"], ["dose"]], flat=["site"]).fit(table, y)
    assert np.array_equal(listed.coef_, fit.coef_)
    for prior, message in [
        ({"a": ["age"], "b": ["age", "dose"]}, "'age' in two groups"),
        ([["age"], ["age", "dose"]], "'age' in two groups"),
        ([["age", "sex"]], "prior, group 0, names the column 'sex', which X does not have"),
        ([["age", 4]], "prior, group 0, holds 4; X has 4 columns"),
        ([["age"], "dose"], r"at position 1 'dose': write \['dose'\] for a group of one"),
        (["age", "dose"], r"lists of columns, \[\['a', 'b'\], \['c'\]\]"),
        ({"body": "age"}, r"group 'body', is the text 'age'; it must be a list of columns: \['age'\]"),
        ([0, 1], r"one number a column: 4"),
    ]:
        with pytest.raises(ValueError, match=message):
            BayesianLinearRegression(prior).fit(table, y)


@pytest.mark.parametrize("estimator", [*LINEAR, *BINARY[:3], *KERNEL], ids=name)
def test_rows_without_weight_are_not_there(estimator):
    weights = np.tile([1.0, 2.0, 0.0], 50)
    target = labels if hasattr(estimator, "predict_proba") else y
    weighted = clone(estimator).fit(X, target, sample_weight=weights)
    without = clone(estimator).fit(X[weights > 0], target[weights > 0], sample_weight=weights[weights > 0])
    assert np.array_equal(weighted.predict(X), without.predict(X))


# ---- pipelines, searches


def test_pipeline_and_search():
    pipeline = make_pipeline(StandardScaler(), BayesianLinearRegression())
    search = GridSearchCV(pipeline, {"bayesianlinearregression__prior": ["shared", "ard"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.95
    assert (
        cross_val_score(
            make_pipeline(StandardScaler(), RelevanceVectorClassifier(width=2.0)), X, labels, cv=3
        ).mean()
        > 0.7
    )
    assert cross_val_score(SparseLogisticRegression(), X, species, cv=3).mean() > 0.6


def test_selector_in_a_pipeline():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=["age", "height", "dose", "site"])
    selector = RelevanceSelector().set_output(transform="pandas").fit(table, y)
    assert (
        selector.transform(table).columns.tolist()
        == ["age", "dose"]
        == selector.get_feature_names_out().tolist()
    )
    pipeline = make_pipeline(RelevanceSelector(), BayesianLinearRegression("none")).fit(X, y)
    assert pipeline[-1].coef_.shape == (2,) and pipeline.score(X, y) > 0.95
    assert RelevanceSelector(max_features=1).fit(X, y).get_support().tolist() == [True, False, False, False]
    assert RelevanceSelector(threshold=0).fit(X, y).get_support().all()


def test_selection_counts():
    options = dict(by="counts", folds=5, repeats=2, random_state=3)
    selector = RelevanceSelector(**options).fit(X, labels)
    counts = _core.select(
        X,
        labels == "yes",
        preset="slr_var",
        folds=5,
        repeats=2,
        seed=np.random.RandomState(3).randint(2**31 - 1),
    )
    assert np.array_equal(selector.counts_, counts.array("count")) and np.array_equal(
        selector.scores_, selector.counts_ / 10
    )
    assert np.array_equal(selector.support_, selector.scores_ >= 0.5) and selector.support_[0]
    assert 0.7 < selector.accuracy_ < 1 and selector.sc_values_.shape == (4,)
    ridge = RelevanceSelector(BayesianLogisticRegression("ard"), **options).fit(X, species)
    assert ridge.counts_[0] == 10
    with pytest.raises(ValueError, match="by is 'counts'; that is of classes"):
        RelevanceSelector(by="counts").fit(X, y)
    with pytest.raises(ValueError, match="must be one of ardvark"):
        RelevanceSelector(StandardScaler()).fit(X, y)


def test_calibration_and_several_outputs():
    M, side = make_moons(200, noise=0.3, random_state=0)
    assert (
        CalibratedClassifierCV(RelevanceVectorClassifier(width=1.0), cv=3).fit(M, side).score(M, side) > 0.85
    )
    assert CalibratedClassifierCV(BayesianLogisticRegression(), cv=3).fit(X, species).score(X, species) > 0.7
    A, B = make_regression(100, 5, n_targets=3, noise=1, random_state=0)
    assert MultiOutputRegressor(BayesianLinearRegression()).fit(A, B).score(A, B) > 0.99


def test_metadata_routing():
    weights = np.random.default_rng(0).uniform(0.5, 2, 150)
    direct = BayesianLinearRegression().fit(StandardScaler().fit_transform(X), y, sample_weight=weights)
    set_config(enable_metadata_routing=True)
    try:
        estimator = BayesianLinearRegression().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), estimator)
        routed = pipeline.fit(X, y, sample_weight=weights)
    finally:
        set_config(enable_metadata_routing=False)
    np.testing.assert_allclose(routed[-1].coef_, direct.coef_, rtol=1e-12)


@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_html(estimator):
    assert type(estimator).__name__ in fitted(estimator)._repr_html_()


# ---- copies and files


@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_pickle(estimator):
    fit = fitted(estimator)
    again = pickle.loads(pickle.dumps(fit))
    assert np.array_equal(again.predict(X), fit.predict(X)) and again.summary() == fit.summary()
    assert (
        np.array_equal(again.sigma_, fit.sigma_) if hasattr(fit, "sigma_") else not hasattr(again, "sigma_")
    )
    with pytest.raises(NotFittedError):
        clone(fit).predict(X)


@pytest.mark.parametrize("estimator", [*LINEAR, *BINARY[:3], *KERNEL], ids=name)
def test_save_and_load(estimator, tmp_path):
    fit = fitted(estimator)
    fit.save(tmp_path / "a.ardvark")
    again = type(estimator).load(tmp_path / "a.ardvark")
    assert np.array_equal(again.predict(X), fit.predict(X)) and again.n_features_in_ == 4
    assert again.bound_ == fit.bound_ and again.summary() == fit.summary()
    with pytest.raises(OSError, match="nowhere"):
        type(estimator).load(tmp_path / "nowhere.ardvark")


def test_load_keeps_names_and_kinds_of_labels(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "m.ardvark"
    table = pandas.DataFrame(X, columns=["age", "height", "dose", "site"])
    for target in (labels, (labels == "yes").astype(int), np.where(labels == "yes", 2.0, -1.0), species):
        fit = BayesianLogisticRegression().fit(table, target)
        fit.save(path)
        again = BayesianLogisticRegression.load(path)
        assert np.array_equal(again.classes_, fit.classes_) and again.feature_names_in_.tolist() == list(
            table
        )
        assert np.array_equal(again.predict(table), fit.predict(table))
    for other in (BayesianLinearRegression, RelevanceVectorClassifier):
        with pytest.raises(
            ValueError, match=f"the file holds a linear model of classes, which {other.__name__} is not"
        ):
            other.load(path)


# ---- several classes


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


# ---- the stream


def test_partial_fit_is_fit_in_pieces():
    whole = SequentialLogisticRegression(shuffle=False).fit(X, labels)
    pieces = SequentialLogisticRegression()
    for rows in np.array_split(np.arange(150), 7):
        pieces.partial_fit(X[rows], labels[rows], classes=["no", "yes"])
        pieces = pickle.loads(pickle.dumps(pieces))
    np.testing.assert_allclose(pieces.coef_, whole.coef_, rtol=1e-10)
    np.testing.assert_allclose(pieces.sigma_, whole.sigma_, rtol=1e-9)
    assert pieces.n_rows_seen_ == 150 and pieces.score(X, labels) > 0.75
    np.testing.assert_allclose(pieces.intercept_std_, whole.intercept_std_, rtol=1e-10)


def filtered(A, signs, weights):
    """Row after row with a weight on its term of the bound, by matrices, xi at its fixed point (SEQ.5)."""
    precision, h = A.shape[1] * np.eye(A.shape[1]), np.zeros(A.shape[1])
    for x, sign, k in zip(A, signs, weights):
        h, xi = h + 0.5 * k * sign * x, 1.0
        for _ in range(200):
            of_xi = np.tanh(xi / 2) / (4 * xi)
            V = np.linalg.inv(precision + 2 * k * of_xi * np.outer(x, x))
            xi = np.sqrt(x @ V @ x + (x @ V @ h) ** 2)
        precision += 2 * k * of_xi * np.outer(x, x)
    return V @ h, V


def test_weights_multiply_the_rows_of_a_stream():
    weights = np.random.default_rng(0).choice([0.5, 1, 2.5], 150)
    whole = SequentialLogisticRegression(shuffle=False).fit(X, labels, sample_weight=weights)
    mean, V = filtered(np.column_stack([X, np.ones(150)]), np.where(labels == "yes", 1, -1), weights)
    sd = np.sqrt(np.diag(V))  # xi is found to a change of the bound of 1e-5
    assert np.abs(np.append(whole.coef_, whole.intercept_) - mean).max() < 0.02 * sd.min()
    np.testing.assert_allclose(np.append(whole.coef_std_, whole.intercept_std_), sd, rtol=1e-2)
    pieces = SequentialLogisticRegression()
    for rows in np.array_split(np.arange(150), 7):
        pieces.partial_fit(X[rows], labels[rows], classes=["no", "yes"], sample_weight=weights[rows])
    np.testing.assert_allclose(pieces.coef_, whole.coef_, rtol=1e-10)
    unweighted = SequentialLogisticRegression(shuffle=False).fit(X, labels)
    assert np.array_equal(unweighted.coef_, SequentialLogisticRegression(shuffle=False).fit(X, labels, np.ones(150)).coef_)


def test_partial_fit_counts_weights():
    times = np.random.default_rng(0).integers(0, 3, 150)
    weighted = SequentialLogisticRegression().partial_fit(
        X, labels, classes=["no", "yes"], sample_weight=times
    )
    without = SequentialLogisticRegression(shuffle=False).fit(X[times > 0], labels[times > 0], sample_weight=times[times > 0])
    np.testing.assert_allclose(weighted.coef_, without.coef_, rtol=1e-10)
    repeated = SequentialLogisticRegression(shuffle=False).fit(X.repeat(times, axis=0), labels.repeat(times))
    assert np.abs(weighted.coef_ - repeated.coef_).max() < 0.3 * repeated.coef_std_.min()
    with pytest.raises(ValueError, match="[Nn]egative"):
        weighted.partial_fit(X, labels, sample_weight=np.full(150, -1))
    with pytest.raises(ValueError, match="labels that are not in classes"):
        weighted.partial_fit(X, species)
    with pytest.raises(ValueError, match="two classes"):
        SequentialLogisticRegression().partial_fit(X, species, classes=["cat", "dog", "eel"])
    assert weighted.n_rows_seen_ == np.count_nonzero(times)


def test_a_batch_of_a_stream_knows_no_order_and_no_copies():
    times, order = np.random.default_rng(1).integers(0, 3, 150), np.random.default_rng(2).permutation(150)
    fit = SequentialLogisticRegression().fit(X, labels, sample_weight=times)
    again = SequentialLogisticRegression().fit(X[order], labels[order], sample_weight=times[order])
    repeated = SequentialLogisticRegression().fit(X.repeat(times, axis=0)[::-1], labels.repeat(times)[::-1])
    np.testing.assert_allclose(again.coef_, fit.coef_, rtol=1e-12)
    np.testing.assert_allclose(repeated.coef_, fit.coef_, rtol=1e-12)
    np.testing.assert_allclose(repeated.sigma_, fit.sigma_, rtol=1e-12)
    assert (fit.n_rows_seen_, repeated.n_rows_seen_) == (np.count_nonzero(times), times.sum())
    in_order = SequentialLogisticRegression(shuffle=False).fit(X, labels, sample_weight=times)
    assert 1e-6 < np.abs(in_order.coef_ - fit.coef_).max() < fit.coef_std_.max()
    zeros, negative = np.zeros((4, 1)), -np.zeros((4, 1))  # one row, however the zero is written
    both = SequentialLogisticRegression().fit(np.r_[zeros, negative, [[1.0]]], [0, 0, 0, 0, 0, 0, 0, 0, 1])
    weighted = SequentialLogisticRegression().fit([[0.0], [1.0]], [0, 1], sample_weight=[8, 1])
    np.testing.assert_allclose(both.coef_, weighted.coef_, rtol=1e-12)


# ---- messages


@pytest.mark.parametrize(
    "estimator, message",
    [
        (BayesianLinearRegression(max_iter=0), "^max_iter is 0"),
        (BayesianLinearRegression(alpha_1=-1.0), "^alpha_1 is -1"),
        (BayesianLinearRegression(lambda_2=-1.0), "^lambda_2 is -1"),
        (BayesianLinearRegression("best"), "prior is 'best'"),
        (BayesianLinearRegression([0, 1]), "one number a column: 4"),
        (BayesianLogisticRegression(likelihood="probit"), "likelihood is 'probit'"),
        (BayesianLogisticRegression("laplace"), "laplace_lambda"),
        (BayesianLogisticRegression(lambda_1=0.0), "lambda_1"),
        (SparseLogisticRegression("svm"), "algorithm is 'svm'; it must be one of slr_var"),
        (SparseLogisticRegression(multi_class="all"), "multi_class is 'all'"),
        (RelevanceVectorRegressor(width=-1.0), "width is '-1'"),
        (RelevanceVectorRegressor("linear", width=2.0), "width has no meaning"),
        (RelevanceVectorClassifier(centres=0), "centres is '0'"),
        (SequentialLogisticRegression(precision=-1.0), "precision is -1"),
    ],
    ids=lambda v: repr(v),
)
def test_mistakes_are_named_as_in_the_constructor(estimator, message):
    with pytest.raises(ValueError, match=message):
        fitted(estimator)


def test_negative_weights():
    with pytest.raises(ValueError, match="sample_weight"):
        BayesianLinearRegression().fit(X, y, sample_weight=np.r_[-1, np.ones(149)])
    with pytest.raises(ValueError, match="sample_weight|[Ss]ample weights"):
        BayesianLinearRegression().fit(X, y, sample_weight=np.zeros(150))


def test_no_convergence_is_a_warning():
    with pytest.warns(ConvergenceWarning, match="max_iter") as caught:
        fit = BayesianLogisticRegression("ard", max_iter=1).fit(X, labels)
    assert [w.filename for w in caught] == [__file__]
    assert not fit.converged_ and fit.status_ == "max_sweeps"


def test_warnings_speak_of_parameters():
    wide = np.random.default_rng(1).normal(size=(30, 60))
    with pytest.warns(ArdvarkWarning) as caught:
        BayesianLinearRegression("ard").fit(wide, wide[:, 0])
    text = " ".join(str(w.message) for w in caught)
    assert "prior='sparse'" in text and "--" not in text
    assert all(w.filename == __file__ for w in caught)


# ---- progress


def test_callback_sees_every_sweep_and_can_stop():
    bounds = []
    fit = BayesianLogisticRegression("ard", callback=lambda p: bounds.append(p.bound)).fit(X, labels)
    assert len(bounds) >= fit.n_iter_ and np.isclose(bounds[-1], fit.bound_, rtol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stopped = BayesianLogisticRegression("ard", callback=lambda p: p.sweep < 2).fit(X, labels)
    assert stopped.status_ == "stopped_by_user" and stopped.n_iter_ == 2

    def broken(progress):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        BayesianLogisticRegression(callback=broken).fit(X, labels)


class Slow:
    """Progress as of a fit that takes its time."""

    def __init__(self, sweep, total, elapsed_seconds):
        self.sweep, self.total, self.bound, self.elapsed_seconds = sweep, total, -12.5, elapsed_seconds


def test_progress_is_shown_after_a_second_only(capsys):
    pytest.importorskip("tqdm")
    from ardvark._progress import Watch

    with Watch("Fit", 1, None) as watch:
        watch(Slow(1, 0, 0.5))
        assert capsys.readouterr().err == ""
        watch(Slow(2, 0, 1.5))
        watch(Slow(3, 0, 2.5))
    shown = capsys.readouterr().err
    assert "Fit" in shown and "bound -12.5" in shown and "sweeps" in shown
    with Watch("Counts", 1, None) as watch:
        watch(Slow(7, 100, 2.0))
    assert "/100" in capsys.readouterr().err


def test_progress_without_tqdm(capsys, monkeypatch):
    from ardvark._progress import Watch

    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with Watch("Fit", 1, None) as watch:
        for sweep, seconds in [(1, 0.5), (2, 1.5), (3, 1.6), (4, 3.0)]:
            watch(Slow(sweep, 0, seconds))
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["Fit: sweep 2, bound -12.5, 1.5 s", "Fit: sweep 4, bound -12.5, 3.0 s"]
    assert Watch("Fit", 0, None).function is None


# ---- without scikit-learn

WITHOUT = """
import json, sys
sys.modules["sklearn"] = None
import ardvark
from ardvark import _core
said = {}
for name in ("BayesianLinearRegression", "RelevanceSelector"):
    try:
        getattr(ardvark, name)
    except ImportError as error:
        said[name] = str(error)
said["version"] = ardvark.__version__
said["modules"] = sorted(m for m in ("scipy", "pandas", "matplotlib") if m in sys.modules)
print(json.dumps(said))
"""


def test_the_package_works_without_scikit_learn():
    said = json.loads(
        subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True).stdout
    )
    assert said["modules"] == [] and said["version"] == ardvark.__version__
    for estimator in ("BayesianLinearRegression", "RelevanceSelector"):
        assert (
            said[estimator]
            == f"ardvark.{estimator} needs scikit-learn 1.6 or later: pip install ardvark[sklearn]"
        )


def test_the_module_knows_its_names():
    assert set(ardvark.__all__) <= set(dir(ardvark))
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        ardvark.__getattr__("Nothing")
