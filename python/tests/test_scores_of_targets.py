"""Scores, predictions and types of a fit of many targets."""

import pickle

import ardvark
import numpy as np
import pandas as pd
import pytest
from ardvark import ArdvarkWarning, BayesianLinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import cross_val_score

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 4))
Y = X @ rng.normal(size=(4, 3)) + rng.normal(size=(90, 3))
GAPS = np.where(rng.random(Y.shape) < 0.2, np.nan, Y)


def fitted(Y_given, **options):
    return BayesianLinearRegression("shared", **options).fit(X, Y_given)


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 2, 90)])
def test_each_target_is_scored_on_the_rows_that_have_it(weights):
    model = fitted(GAPS, missing="drop")
    known = ~np.isnan(GAPS)
    mean = model.predict(X)
    expected = []
    for k in range(3):
        rows = known[:, k]
        expected.append(r2_score(Y[rows, k], mean[rows, k], sample_weight=None if weights is None else weights[rows]))
    assert model.score(X, GAPS, weights) == pytest.approx(np.mean(expected), rel=1e-12)
    assert model.score(X, pd.DataFrame(GAPS).astype("Float64"), weights) == pytest.approx(np.mean(expected), rel=1e-12)
    some = np.where(np.arange(3) == 1, Y, GAPS)  # one target has all its values
    expected[1] = r2_score(Y[:, 1], mean[:, 1], sample_weight=weights)
    assert model.score(X, some, weights) == pytest.approx(np.mean(expected), rel=1e-12)


def test_folds_of_targets_with_gaps_have_scores():
    found = cross_val_score(BayesianLinearRegression("shared", missing="drop"), X, GAPS, cv=3)
    assert (found > 0).all() and (found < 1).all()


def test_a_gap_is_refused_where_the_fit_refuses_it():
    model, given = fitted(pd.DataFrame(Y, columns=list("uvw"))), pd.DataFrame(Y, columns=list("uvw"))
    given.loc[4, "v"] = np.nan
    with pytest.raises(ValueError, match="y has no value at row 5, column 'v'; leave out such rows, or fit with missing='drop'"):
        model.score(X, given)


def test_a_score_says_which_targets_it_is_of():
    broken = Y.copy()
    broken[3, 0] = np.nan
    with pytest.warns(ArdvarkWarning, match="1 of 3 targets is not fitted"):
        model = fitted(broken)
    with pytest.warns(ArdvarkWarning, match="score is the mean over 2 of 3 targets, without 1 not fitted \\(target_status_ says why\\)"):
        assert model.score(X, Y) == pytest.approx(r2_score(Y[:, 1:], model.predict(X)[:, 1:]))
    model = fitted(Y, missing="drop")
    few = Y.copy()
    few[1:, 2] = np.nan
    with pytest.warns(ArdvarkWarning, match="score is the mean over 2 of 3 targets, without 1 with fewer than two values in y"):
        assert model.score(X, few) == pytest.approx(r2_score(Y[:, :2], model.predict(X)[:, :2]))


def test_a_score_finds_targets_by_their_names():
    table = pd.DataFrame(Y, columns=list("uvw"))
    model = fitted(table)
    expected = model.score(X, table)
    assert expected == model.score(X, Y) == model.score(X, table[list("wuv")]) == model.score(X, table[list("wuv")].assign(other=0.0))
    with pytest.raises(ValueError, match="y has no column 'v', a target of the fit"):
        model.score(X, table.rename(columns={"v": "q"}))
    for given in (Y[:, :2], Y[:, 0], np.column_stack([Y, Y])):
        with pytest.raises(ValueError, match="y has the shape .* but the estimator was fitted to 3 targets"):
            model.score(X, given)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X, Y[:-1])
    assert fitted(Y).score(X, table) == expected  # without names, by position


WHOLE = np.round(20 * np.abs(Y))


@pytest.mark.parametrize(
    "given, expected",
    [
        (Y.astype(np.float32), np.float32),
        (Y.astype(">f4"), np.float32),
        (pd.DataFrame(Y).astype(np.float32), np.float32),
        (pd.DataFrame(Y).astype("Float32"), np.float32),
        (Y.astype(np.float16), np.float64),
        (WHOLE.astype(np.int16), np.float64),
        (WHOLE.astype(np.uint16), np.float64),
        (WHOLE.astype(np.uint8), np.float64),
        (np.minimum(WHOLE, 90).astype(np.uint8), np.float64),
        (np.minimum(WHOLE, 90).astype(np.int8), np.float64),
        (Y > 0, np.float64),
        (WHOLE.astype(int), np.float64),
        (pd.DataFrame(Y).astype({0: np.float32}), np.float64),
    ],
)
def test_only_targets_of_float32_give_float32(given, expected, tmp_path):
    model = fitted(given)
    mean, std = model.predict(X, return_std=True)
    assert {values.dtype for values in (model.coef_, model.coef_std_, mean, std)} == {np.dtype(expected)}
    model.save(tmp_path / "model.ardvark")
    for other in (pickle.loads(pickle.dumps(model)), ardvark.load(tmp_path / "model.ardvark"), pickle.loads(pickle.dumps(ardvark.load(tmp_path / "model.ardvark")))):
        again, spread = other.predict(X, return_std=True)
        for found, known in ((again, mean), (spread, std), (other.coef_, model.coef_), (other.coef_std_, model.coef_std_)):
            assert found.dtype == expected
            np.testing.assert_array_equal(found, known)


def test_a_start_of_the_precision():
    given = fitted(Y, lambda_init=5.0)
    np.testing.assert_allclose(given.coef_[1], BayesianLinearRegression("shared", lambda_init=5.0).fit(X, Y[:, 1]).coef_, rtol=1e-9)
    short = BayesianLinearRegression("shared", lambda_init=5.0, max_iter=1, tol=1e-300).fit(X, Y)
    other = BayesianLinearRegression("shared", lambda_init=5e5, max_iter=1, tol=1e-300).fit(X, Y)
    assert not np.allclose(short.coef_, other.coef_, rtol=1e-3)  # it is a start
    with pytest.raises(ValueError, match="lambda_init has a number for each column; .* one number, with prior='shared'; fit each column of Y alone"):
        fitted(Y, lambda_init=[5.0] * 4)
    with pytest.raises(ValueError, match="lambda_init is 5.0, and with this prior the columns do not share a precision; .* with prior='shared'") as found:
        BayesianLinearRegression("ard", lambda_init=5.0).fit(X, Y)
    assert found.value.argument == "lambda_init"
    with pytest.raises(ValueError, match="solver 'iterative' cannot be given for many targets; fit each column of Y alone: fit\\(X, Y\\[:, k\\]\\)"):
        fitted(Y, solver="iterative")


@pytest.mark.parametrize("unit", [1e-30, 1e-20, 1e25])
def test_scores_of_single_precision_hold_in_any_unit(unit):
    expected = BayesianLinearRegression("shared").fit(X, Y).score(X, Y)
    small = (Y * unit).astype(np.float32)
    assert BayesianLinearRegression("shared").fit(X, small).score(X, small) == pytest.approx(expected, rel=1e-5)
