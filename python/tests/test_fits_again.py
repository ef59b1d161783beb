"""An estimator that is fitted again has the results of the last fit only."""

import numpy as np
import pandas as pd
import pytest
from ardvark import BayesianCountRegression, BayesianLinearRegression, BayesianLogisticRegression, KernelClassifier, KernelRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 4))
Y = X @ rng.normal(size=(4, 3)) + rng.normal(size=(80, 3))
GAPS = np.where(rng.random(X.shape) < 0.03, np.nan, X)
TABLE = pd.DataFrame(X, columns=list("abcd")).assign(site=np.where(X[:, 0] > 0, "north", "south"))

FITS = {
    BayesianLinearRegression: [
        ({}, X, Y[:, 0]),
        ({}, X, Y),
        ({"prior": "shared"}, TABLE, Y[:, 1]),
        ({"prior": "shared"}, X, pd.DataFrame(Y, columns=list("uvw"))),
        ({"prior": "ard", "noise": "student"}, X, Y[:, 0]),
        ({"prior": "laplace"}, X, Y[:, 0]),
        ({"prior": "ard", "missing": "impute", "imputations": 5}, GAPS, Y[:, 0]),
        ({"prior": "sparse", "noise": "student", "diagnose": True}, X, Y[:, 0]),
    ],
    BayesianLogisticRegression: [
        ({}, X, Y[:, 0] > 0),
        ({"prior": "shared", "diagnose": True}, TABLE, Y[:, 0] > 0),
        ({}, X, np.digitize(Y[:, 0], [-1, 1])),
        ({"prior": "laplace"}, X, Y[:, 0] > 0),
        ({"prior": "ard", "missing": "impute", "imputations": 5}, GAPS, Y[:, 0] > 0),
    ],
    BayesianCountRegression: [
        ({"family": "poisson"}, X, np.maximum(Y[:, 0], 0).round()),
        ({"family": "negative-binomial", "prior": "shared"}, TABLE, np.maximum(Y[:, 0], 0).round()),
    ],
    KernelRegressor: [({}, X, Y[:, 0]), ({"kernel": "matern52"}, pd.DataFrame(X, columns=list("abcd")), Y[:, 0])],
    KernelClassifier: [({}, X, Y[:, 0] > 0), ({}, X, np.digitize(Y[:, 0], [-1, 1]))],
}


def attributes(estimator):
    """What there is, also behind properties and in private."""
    return {name for name in estimator.__dict__ if name.endswith("_") or name.startswith("_")} - {"_repeated"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", FITS)
def test_nothing_of_an_earlier_fit_stays(kind):
    for options, X_of, y in FITS[kind]:
        fresh = kind().set_params(**options).fit(X_of, y)
        for earlier, X_before, y_before in FITS[kind]:
            again = kind().set_params(**earlier).fit(X_before, y_before)
            again.set_params(**kind().get_params()).set_params(**options).fit(X_of, y)
            assert attributes(again) == attributes(fresh), (earlier, options)


def test_results_of_one_target_are_gone_after_many_and_say_why():
    model = BayesianLinearRegression("ard", noise="student").fit(X, Y[:, 0])
    of_one = [name for name in attributes(model) if not name.startswith("_")]
    model.fit(X, Y)
    gone = [name for name in of_one if name not in model.__dict__]
    assert {"direction_", "bound_history_", "row_weight_", "noise_family_", "degrees_of_freedom_interval_", "relevance_", "lambda_"} <= set(gone)
    for name in [*gone, "sigma_", "posterior_", "alternatives_", "undecided_", "dense_fraction_", "starts_", "scores_"]:
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match=f"fitted to 3 targets, and {name} is of one target only"):
            getattr(model, name)
    of_many = [name for name in attributes(model) if name not in attributes(BayesianLinearRegression().fit(X, Y[:, 0])) and not name.startswith("_")]
    model.fit(X, Y[:, 0])
    assert {"target_names_", "target_status_", "evidence_", "noise_std_", "r_squared_"} <= set(of_many)
    for name in of_many:
        with pytest.raises(AttributeError, match=f"fitted to one target, and {name} is of a fit to a Y with several columns"):
            getattr(model, name)


def test_rows_of_one_target_are_not_added_to_those_of_many():
    model = BayesianLinearRegression("shared").fit(X, Y[:, 0]).fit(X, Y)
    with pytest.raises(ValueError, match="fitted to 3 targets"):
        model.partial_fit(X, Y[:, 0])


def test_degrees_of_freedom_of_each_target():
    from scipy.stats import t

    for prior in ("shared", "ard", "sparse", "none"):
        many = BayesianLinearRegression(prior).fit(X, Y)
        assert many.degrees_of_freedom_.shape == (3,)
        for k in range(3):
            nu = many.degrees_of_freedom_[k]
            half = t.ppf(0.95, nu) * np.sqrt((nu - 2) / nu) * many.coef_std_[k]
            lower, upper = BayesianLinearRegression(prior).fit(X, Y[:, k]).coef_interval(0.9).T
            if prior in ("shared", "ard", "none"):  # of a sparse prior, the distribution of a coefficient is a mixture
                np.testing.assert_allclose(upper - lower, 2 * half, rtol=1e-9)
    assert np.isinf(BayesianLinearRegression("ard", noise="student").fit(X, Y).degrees_of_freedom_).all()
