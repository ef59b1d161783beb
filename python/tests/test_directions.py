"""Which columns raise or lower which of many targets."""

import pickle

import ardvark
import numpy as np
import pandas as pd
import pytest
from ardvark import ArdvarkWarning, BayesianLinearRegression, TargetStatistics
from scipy import stats

TABLES = ("direction", "q_value", "p_value", "coef", "coef_std")


def tables(n=12, p=3, K=300, seed=0):
    """Effects in a tenth of the cells; noises of other sizes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 4
    noise = 1 / np.sqrt(rng.chisquare(4, size=K) / 4)
    W = rng.normal(size=(p, K)) * (rng.random((p, K)) < 0.1) * 2 * noise
    return X, X @ W + rng.normal(size=(n, K)) * noise


def fitted(X, Y, out=None, out_std=None, **options):
    return BayesianLinearRegression("none", **options).fit(X, Y, out=out, out_std=out_std)


def same(found, expected):
    for name in TABLES:
        pd.testing.assert_frame_equal(getattr(found, name), getattr(expected, name), rtol=1e-12)


def test_tables_have_the_names_of_targets_and_columns():
    X, Y = tables()
    genes = pd.DataFrame(Y, columns=[f"g{k}" for k in range(300)])
    found = fitted(pd.DataFrame({"drug": X[:, 0], "sex": np.where(X[:, 1] > 4, "m", "f"), "age": X[:, 2]}), genes).target_directions(0.05)
    for name in TABLES:
        table = getattr(found, name)
        assert table.shape == (300, 3) and table.columns.tolist() in (["drug", "sex=m", "age"], ["drug", "sex=f", "age"])
        assert table.index.tolist() == genes.columns.tolist()
    assert found.noise_std.index.equals(genes.columns.rename("target")) and found.no_effect.index.equals(found.coef.columns)
    assert 1 < found.pooled_degrees < 20
    np.testing.assert_array_equal(found.direction, np.where(found.q_value <= 0.05, np.sign(found.coef), 0))
    listed = found.found()
    assert len(listed) == (found.direction != 0).to_numpy().sum() > 20 and listed.q_value.is_monotonic_increasing
    first = listed.iloc[0]
    assert found.coef.loc[first.target, first.column] == first.coef and found.direction.loc[first.target, first.column] == first.direction


def test_p_values_are_those_of_least_squares():
    X, Y = tables()
    found = fitted(X, Y).target_directions(pool_noise=False)
    for k in (0, 17):
        design = np.column_stack([np.ones(len(X)), X])
        w, rest, _, _ = np.linalg.lstsq(design, Y[:, k], rcond=None)
        sd = np.sqrt(rest[0] / 8 * np.diag(np.linalg.inv(design.T @ design)))
        np.testing.assert_allclose(found.coef.iloc[k], w[1:], rtol=1e-9)
        np.testing.assert_allclose(found.coef_std.iloc[k], sd[1:], rtol=1e-9)
        np.testing.assert_allclose(found.p_value.iloc[k], 2 * stats.t.sf(np.abs(w / sd)[1:], 8), rtol=1e-8)
    assert found.pooled_degrees == 0 and (found.degrees_of_freedom == 8).all()
    for column in found.p_value:  # Storey's q-values, by their definition
        p = found.p_value[column].to_numpy()
        above = (p > 0.5).sum()
        share = min(1, 2 * (1 + above + np.sqrt(above)) / 300)
        assert found.no_effect[column] == pytest.approx(share)
        q = [min(share * 300 * other / (p <= other).sum() for other in p if other >= one) for one in p]
        np.testing.assert_allclose(found.q_value[column], np.minimum(q, 1), rtol=1e-9)


def test_rates_hold_and_pooling_finds_more():
    wrong = {True: 0, False: 0}
    stated = {True: 0, False: 0}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, noise = rng.normal(size=(6, 2)), 1 / np.sqrt(rng.chisquare(6, size=2000) / 6)
        W = rng.normal(size=(2, 2000)) * (rng.random((2, 2000)) < 0.2) * 2.5 * noise
        model = fitted(X, X @ W + rng.normal(size=(6, 2000)) * noise)
        for pool in wrong:
            direction = model.target_directions(0.1, pool_noise=pool).direction.to_numpy().T
            stated[pool] += np.count_nonzero(direction)
            wrong[pool] += np.count_nonzero((direction != 0) & (direction != np.sign(W)))
    for pool in wrong:
        rate = wrong[pool] / stated[pool]
        assert 0.05 < rate < 0.1 + 3 * np.sqrt(0.1 * 0.9 / stated[pool]), pool
    assert stated[True] > 1.5 * stated[False]


def test_files_single_precision_and_memory_of_the_caller(tmp_path):
    X, Y = tables()
    model = fitted(X, Y)
    expected = model.target_directions()
    model.save(tmp_path / "model.ardvark")
    for again in (ardvark.load(tmp_path / "model.ardvark"), pickle.loads(pickle.dumps(model))):
        same(again.target_directions(), expected)
    W, S = np.empty((300, 3)), np.empty((300, 3))
    same(BayesianLinearRegression("none").fit(X, Y, out=W, out_std=S).target_directions(), expected)
    single = fitted(X.astype(np.float32), Y.astype(np.float32)).target_directions()
    np.testing.assert_array_equal(single.direction, expected.direction)
    np.testing.assert_allclose(single.coef, expected.coef, rtol=1e-3, atol=1e-5)


def test_rows_that_are_read_in_pieces_have_the_same_directions():
    X, Y = tables(n=60)
    expected = fitted(X, Y).target_directions()
    sums = TargetStatistics()
    for first in range(0, 60, 25):
        sums.update(X[first : first + 25], Y[first : first + 25])
    W, S = np.empty((300, 3)), np.empty((300, 3))
    into = fitted(sums, None, out=W, out_std=S)
    assert into.coef_ is W and into.coef_std_ is S
    for model in (fitted(sums, None), into, fitted(iter([(X[:31], Y[:31]), (X[31:], Y[31:])]), None)):
        found = model.target_directions()
        np.testing.assert_array_equal(found.direction, expected.direction)
        np.testing.assert_allclose(found.q_value, expected.q_value, rtol=1e-7)
        np.testing.assert_allclose(found.coef_std, expected.coef_std, rtol=1e-8)


def test_gaps_constants_and_what_is_left_out():
    X, Y = tables()
    X = np.column_stack([X, np.full(12, 3.0)])
    Y[:, 0], Y[2, 1], Y[3:, 2] = 5, np.nan, np.nan
    with pytest.warns(ArdvarkWarning):
        found = fitted(X, Y, missing="drop").target_directions()
    assert found.q_value.iloc[[0, 2]].isna().all().all() and found.q_value.iloc[:, 3].isna().all()
    assert (found.direction.iloc[[0, 2]] == 0).all().all() and (found.direction.iloc[:, 3] == 0).all()
    assert found.degrees_of_freedom.iloc[1] == found.degrees_of_freedom.iloc[3] - 1  # of its own rows
    assert found.q_value.iloc[3:, :3].notna().all().all()


@pytest.mark.parametrize(
    "arguments, message",
    [({"fdr": rate}, "fdr is .*; it must be a number between 0 and 1") for rate in (0, 1, -1, np.nan, None, "a", True)]
    + [({"pool_noise": value}, "pool_noise is .*; it must be True or False") for value in (None, "yes", 2)],
)
def test_wrong_arguments(arguments, message):
    X, Y = tables(K=5)
    with pytest.raises(ValueError, match=message):
        fitted(X, Y).target_directions(**arguments)


def test_other_fits_have_no_directions(monkeypatch):
    X, Y = tables(K=5)
    with pytest.raises(ValueError, match="prior is 'shared'; directions are of fits without a prior, which shrinks small effects: take none"):
        BayesianLinearRegression("shared").fit(X, Y).target_directions()
    with pytest.raises(ValueError, match="the estimator was fitted to one target; target_directions is of"):
        fitted(X, Y[:, 0]).target_directions()
    for options in ({"noise": "student"}, {"posterior": "factorised"}):
        with pytest.raises(ValueError, match="directions are of fits with normal noise and the joint posterior"):
            fitted(X, Y, **options).target_directions()
    expected = fitted(X, Y).target_directions()
    monkeypatch.setattr("ardvark._many_targets._MOST_SDS", 3)
    model = fitted(X, Y)
    assert not hasattr(model, "coef_std_")
    same(model.target_directions(), expected)


def test_one_or_two_degrees_of_freedom_are_enough():
    rng = np.random.default_rng(0)
    for rows in (3, 4):  # two groups: one or two degrees of freedom of a target alone
        group = np.array([[0.0], [0], [1], [1]])[:rows]
        noise = 1 / np.sqrt(rng.chisquare(8, size=5000) / 8)
        Y = rng.normal(size=(rows, 5000)) * noise
        Y[2:, :1000] += 8 * noise[:1000]
        found = fitted(group, Y).target_directions(0.1)
        assert found.direction.shape == (5000, 1) and found.q_value.notna().all().all()
        stated = found.direction["x1"].to_numpy()
        wrong = np.count_nonzero(stated[1000:]) + np.count_nonzero(stated[:1000] < 0)
        assert np.count_nonzero(stated) > 900 and wrong / np.count_nonzero(stated) < 0.13
        alone = fitted(group, Y).target_directions(pool_noise=False)
        spread = Y[:2, 7].var(ddof=1) if rows == 3 else (Y[:2, 7].var(ddof=1) + Y[2:, 7].var(ddof=1)) / 2
        assert alone.coef_std.iloc[7, 0] == pytest.approx(np.sqrt(spread * (1 / 2 + 1 / (rows - 2))))


def test_a_column_that_gaps_leave_constant_or_a_copy_is_unknown_for_this_target_only():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.repeat([0.0, 1.0], 4), rng.normal(size=8)])
    Y = rng.normal(size=(8, 50))
    expected = fitted(X, Y[:, 1:]).target_directions()
    Y[4:, 0] = np.nan
    with pytest.warns(ArdvarkWarning, match="in the rows of 1 target, a column is constant or a copy of another one, and left out, because of gaps.*target 1"):
        model = fitted(X, Y, missing="drop")
    found = model.target_directions(pool_noise=False)
    assert np.isnan(found.q_value.iloc[0, 0]) and found.q_value.iloc[0, 1] <= 1 and found.direction.iloc[0, 0] == 0
    plain = fitted(X, Y[:, 1:]).target_directions(pool_noise=False)
    np.testing.assert_allclose(found.q_value.iloc[1:, 0], plain.q_value.iloc[:, 0], rtol=1e-9)
    assert expected.q_value.notna().all().all()


def test_one_row_with_a_column_of_its_own_leaves_no_r_squared_of_unseen_rows():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.eye(20)[:, 0], rng.normal(size=20)])
    Y = rng.normal(size=(20, 3))
    Y[0] += 100
    assert np.isnan(fitted(X, Y).r_squared_loo_).all()
    assert np.isfinite(fitted(X[:, 1:], Y).r_squared_loo_).all()
