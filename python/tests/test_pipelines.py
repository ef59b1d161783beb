"""The estimators among those of scikit-learn: pipelines, searches, selection, calibration, routing."""

import numpy as np
import pytest
from ardvark import (
    BayesianLinearRegression,
    BayesianLogisticRegression,
    RelevanceSelector,
    RelevanceVectorClassifier,
    SparseLogisticRegression,
    _core,
)
from estimator_cases import ALL, X, fitted, labels, name, species, y
from sklearn import set_config
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_moons, make_regression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


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
    counts = _core.select(X, labels == "yes", preset="slr_var", folds=5, repeats=2, seed=3)
    assert np.array_equal(selector.counts_, counts.array("count")) and np.array_equal(
        selector.scores_, selector.counts_ / 10
    )
    assert np.array_equal(selector.support_, selector.scores_ >= 0.5) and selector.support_[0]
    assert 0.7 < selector.accuracy_ < 1 and selector.sc_values_.shape == (4,)
    ridge = RelevanceSelector(BayesianLogisticRegression("ard"), **options).fit(X, species)
    assert ridge.counts_[0] == 10
    with pytest.raises(ValueError, match="must be an estimator of ardvark"):
        RelevanceSelector(StandardScaler()).fit(X, y)


def test_an_int_is_the_seed_of_the_division():
    rng = np.random.default_rng(0)
    noise, sides = rng.normal(size=(60, 6)), rng.integers(0, 2, 60)

    def values(state):
        return RelevanceSelector(by="counts", folds=5, repeats=2, random_state=state).fit(noise, sides).sc_values_

    def of_library(seed):
        return _core.select(noise, sides, preset="slr_var", folds=5, repeats=2, seed=seed).array("sc_value")

    assert np.array_equal(values(3), of_library(3)) and not np.array_equal(values(3), values(4))
    drawn = np.random.RandomState(3).randint(2**31 - 1)
    assert np.array_equal(values(np.random.RandomState(3)), of_library(drawn)) and np.array_equal(values(None), of_library(1))
    with pytest.raises(ValueError, match="three"):
        values("three")


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


def test_intervals_at_the_end_of_a_pipeline():
    pipe = make_pipeline(StandardScaler(), BayesianLinearRegression("ard")).fit(X, y)
    interval = pipe[-1].predict_interval(pipe[:-1].transform(X), level=0.8)
    alone = BayesianLinearRegression("ard").fit(X, y).predict_interval(X, level=0.8)
    np.testing.assert_allclose(interval, alone, rtol=1e-8)
