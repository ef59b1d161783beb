"""The attributes of fitted estimators: values, shapes, defaults."""

import numpy as np
import pytest
from ardvark import (
    BayesianLinearRegression,
    BayesianLogisticRegression,
    RelevanceVectorClassifier,
    RelevanceVectorRegressor,
    SparseLogisticRegression,
    _core,
)
from estimator_cases import X, labels, species, y
from sklearn.base import clone


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
    "algorithm", [p["name"] for p in _core.catalogue()["presets"] if p["slr_toolbox"]]
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
        assert np.array_equal(fit.support_, (fit.inclusion_ > 0.5) & ~fit.undecided_) and fit.lambda_ is None
        assert np.all(fit.direction_[fit.support_] >= 0.975)
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
