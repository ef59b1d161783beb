"""Regressions without a decomposition: solver="iterative", and tables for which it is the default."""

import numpy as np
import pytest
import scipy.sparse

import ardvark
from ardvark import BayesianLinearRegression

rng = np.random.default_rng(4)
X = rng.normal(size=(150, 190)).astype(np.float32)
X[:, 1:] += 0.5 * X[:, :-1]
y = X[:, :40] @ rng.normal(size=40) / 6 + rng.normal(size=150)


def test_says_what_is_from_draws_and_how_far_it_may_be_off(tmp_path):
    exact = BayesianLinearRegression("shared").fit(X, y)
    model = BayesianLinearRegression("shared", solver="iterative").fit(X, y)
    found = model.sampled_
    assert model.converged_ and found["draws"] >= 64 and 0 < found["sd_error"] <= 0.06
    assert abs(model.bound_ - exact.bound_) <= 4.5 * found["bound_error"]
    assert abs(np.log(model.lambda_ / exact.lambda_)) <= 4.5 * found["precision_error"]
    assert np.sqrt(np.mean(np.log(model.coef_std_ / exact.coef_std_) ** 2)) <= 1.4 * found["sd_error"]
    assert any(f"from {found['draws']} draws" in note for note in model.notes_)
    path = tmp_path / "model.ardvark"
    model.save(path)
    loaded = ardvark.load(path)
    for a, b in zip(loaded.predict(X, return_std=True), model.predict(X, return_std=True)):
        np.testing.assert_array_equal(a, b)
    assert loaded.sampled_ == found
    assert f"from {found['draws']} draws" in loaded.summary()
    assert not hasattr(exact, "sampled_") and not hasattr(model.set_params(solver="automatic").fit(X, y), "sampled_")


def test_sparse_x_and_weights_are_read_as_they_lie():
    S = scipy.sparse.random(160, 200, density=0.1, random_state=3, format="csc")
    target = S @ rng.normal(size=200) + 0.5 * rng.normal(size=160)
    weights = np.arange(160) % 3.0
    sparse = BayesianLinearRegression("shared", solver="iterative").fit(S, target, sample_weight=weights)
    dense = BayesianLinearRegression("shared", solver="iterative").fit(S.toarray(), target, sample_weight=weights)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-5 * np.abs(dense.coef_).max())
    np.testing.assert_allclose(sparse.coef_std_, dense.coef_std_, rtol=1e-2)


@pytest.mark.parametrize("change", [{"prior": "ard"}, {"prune_at": 1e6}, {"update_rule": "mackay"}], ids=str)
def test_other_priors_and_rules_are_refused(change):
    with pytest.raises(ValueError, match="iterative.*needs a linear model with a shared prior"):
        BayesianLinearRegression(**{"prior": "shared", **change}, solver="iterative").fit(X, y)
    with pytest.raises(ValueError, match="iterative"):
        ardvark.BayesianLogisticRegression("shared", solver="iterative").fit(X, y > 0)
