"""A Y with several columns: each has the regression that its column has alone."""

import errno
import mmap
import os
import pickle
import subprocess
import sys
import warnings

import ardvark
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from ardvark import ArdvarkWarning, BayesianLinearRegression
from ardvark import _many_targets
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags


def tables(n=80, p=5, K=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * np.exp(rng.normal(size=p)) + 2
    W = rng.normal(size=(p, K)) * (rng.random((p, K)) < 0.5)
    return X, X @ W + rng.normal(size=(n, K)), rng.normal(size=(7, p)) + 2


@pytest.mark.parametrize("prior", ["shared", "auto", "slab", "dense", "ard", "none", "laplace"])
def test_each_target_has_the_fit_of_its_column_alone(prior):
    X, Y, new = tables()
    options = {"laplace_lambda": 5.0} if prior == "laplace" else {}
    weights = np.linspace(0.5, 2, len(X))
    # Whether the last step of an ascent is made may depend on rounding, and so on the processor.
    tolerance = {"rtol": 1e-7 if prior in ("auto", "slab") else 1e-9}
    many = BayesianLinearRegression(prior, **options).fit(X, Y, weights)
    mean, std = many.predict(new, return_std=True)
    assert mean.shape == std.shape == (7, 6)
    for k in range(Y.shape[1]):
        one = BayesianLinearRegression(prior, **options).fit(X, Y[:, k], weights)
        np.testing.assert_allclose(many.coef_[k], one.coef_, **tolerance, atol=1e-12)
        np.testing.assert_allclose(many.coef_std_[k], one.coef_std_, **tolerance)
        np.testing.assert_allclose(many.intercept_[k], one.intercept_, **tolerance)
        np.testing.assert_allclose(many.noise_std_[k], one.alpha_**-0.5, **tolerance)
        np.testing.assert_allclose(many.bound_[k], one.bound_, **tolerance)
        expected, spread = one.predict(new, return_std=True)
        np.testing.assert_allclose(mean[:, k], expected, **tolerance)
        np.testing.assert_allclose(std[:, k], spread, **tolerance)
        if prior in ("auto", "slab"):
            np.testing.assert_allclose(many.inclusion_[k], one.inclusion_, **tolerance)
    assert hasattr(many, "inclusion_") == (prior in ("auto", "slab"))
    scores = [BayesianLinearRegression(prior, **options).fit(X, y, weights).score(X, y) for y in Y.T]
    assert many.score(X, Y) == pytest.approx(np.mean(scores))


def test_a_table_of_targets_keeps_its_names_and_explains_them():
    X, Y, _ = tables(n=200)
    Y[:, 4] = np.random.default_rng(1).normal(size=200)  # nothing explains it
    table, targets = pd.DataFrame(X, columns=list("abcde")), pd.DataFrame(Y, columns=[f"voxel{k}" for k in range(6)])
    model = BayesianLinearRegression("shared").fit(table, targets)
    summary = model.target_summary(fdr=0.05)
    assert summary.index.tolist() == targets.columns.tolist()
    assert not summary.explained["voxel4"] and summary.explained.drop("voxel4").all()
    assert (summary.r_squared_loo < summary.r_squared).all()
    assert (summary.probability.between(0, 1)).all()
    with pytest.raises(ValueError, match="fdr|rate"):
        model.target_summary(fdr=1.5)
    with pytest.raises(ValueError, match="'a' is a column of X and of Y"):
        model.fit(table, targets.rename(columns={"voxel0": "a"}))


def test_texts_and_gaps_of_x_are_those_of_a_fit_of_one_target():
    X, Y, _ = tables()
    table = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(site=np.where(np.arange(80) % 3 == 0, "north", "south"))
    table.loc[[4, 9], "a"] = np.nan
    Y[7, 1] = np.nan
    with pytest.raises(ValueError, match="missing"):
        BayesianLinearRegression("shared").fit(table, Y)
    many = BayesianLinearRegression("shared", missing="drop").fit(table, Y)
    one = BayesianLinearRegression("shared", missing="drop").fit(table, Y[:, 1])
    np.testing.assert_allclose(many.coef_[1], one.coef_, rtol=1e-9)
    assert many.columns_ == one.columns_
    new = pd.DataFrame({"a": [1.0], "b": [2.0], "site": ["south"]})
    np.testing.assert_allclose(many.predict(new)[0, 1], one.predict(new)[0], rtol=1e-9)


def test_a_target_that_cannot_be_fitted_leaves_the_others_their_fits():
    X, Y, new = tables()
    before = BayesianLinearRegression("shared").fit(X, Y)
    Y[3, 0], Y[:, 1], Y[:, 2] = np.nan, 7, np.nan
    with pytest.warns(ArdvarkWarning, match="2 of 6 targets are not fitted, the first is 'y1' \\(not_finite\\)"):
        model = BayesianLinearRegression("shared").fit(X, Y)
    assert model.target_status_.tolist() == ["not_finite", "constant", "not_finite", *["converged"] * 3]
    np.testing.assert_array_equal(model.coef_[3:], before.coef_[3:])
    assert np.isnan(model.coef_[0]).all() and np.isnan(model.predict(new)[:, [0, 2]]).all() and not model.converged_
    with pytest.warns(ArdvarkWarning, match="1 of 6 targets is not fitted, the first is 'y3' \\(few_rows\\)"):
        dropped = BayesianLinearRegression("shared", missing="drop").fit(X, Y)
    kept = np.arange(80) != 3
    np.testing.assert_allclose(dropped.coef_[0], BayesianLinearRegression("shared").fit(X[kept], Y[kept, 0]).coef_, rtol=1e-9)


def test_float32_maps_and_either_order(tmp_path):
    X, Y, new = tables()
    small = Y.astype(np.float32)
    expected = BayesianLinearRegression("shared").fit(X, small.astype(float))
    np.save(tmp_path / "Y.npy", small)
    mapped = np.load(tmp_path / "Y.npy", mmap_mode="r")
    out = np.lib.format.open_memmap(tmp_path / "W.npy", "w+", np.float32, (6, 5))
    for Y_of in (small, np.asfortranarray(small), mapped):
        model = BayesianLinearRegression("shared").fit(X, Y_of, out=out)
        assert model.coef_ is out and model.coef_std_.dtype == np.float32
        np.testing.assert_allclose(out, expected.coef_, rtol=3e-6, atol=3e-6 * np.abs(expected.coef_).max())
        np.testing.assert_array_equal(model.bound_, expected.bound_)
        np.testing.assert_allclose(model.predict(new), expected.predict(new), rtol=1e-4)
    with pytest.raises(ValueError, match="out is float64 of shape \\(5, 6\\); it must be"):
        BayesianLinearRegression("shared").fit(X, Y, out=np.empty((5, 6)))
    with pytest.raises(ValueError, match="out is for a y with several columns"):
        BayesianLinearRegression("shared").fit(X, Y[:, 0], out=np.empty((1, 5)))


@pytest.mark.parametrize("prior", ["shared", "none"])
@pytest.mark.parametrize("p", [5, 90])
@pytest.mark.parametrize("standardize", [True, False])
def test_predictions_of_single_precision_have_its_digits(prior, p, standardize):
    X, Y, new = tables(n=100, p=p)
    units = 10.0 ** np.linspace(-12, 12, p) if standardize else np.ones(p)
    Y = Y.astype(np.float32) * np.float32(1e-20)
    options = {"prior": prior, "standardize": standardize, "fit_intercept": p == 5}
    single, double = (BayesianLinearRegression(**options).fit(X * units, Y.astype(dtype)) for dtype in (np.float32, np.float64))
    for rows in (new * units, 1e20 * new * units, np.vstack([new * units, X * units * 1e33])):  # the last are beyond the range of floats
        (mean, std), (expected, spread) = single.predict(rows, return_std=True), double.predict(rows, return_std=True)
        assert mean.dtype == std.dtype == np.float32
        terms = np.abs(rows) @ np.abs(double.coef_.T)  # which may cancel
        np.testing.assert_array_less(np.abs(mean - expected)[terms < 1e38], (2e-5 * spread + 2e-6 * terms)[terms < 1e38])
        np.testing.assert_allclose(std, spread.astype(np.float32), rtol=2e-5)


@pytest.mark.parametrize("prior", ["shared", "sparse", "none"])
def test_standard_deviations_are_written_where_the_caller_says(prior, tmp_path, monkeypatch):
    X, Y, new = tables()
    expected = BayesianLinearRegression(prior).fit(X, Y)
    monkeypatch.setattr(_many_targets, "_MOST_SDS", 29)
    assert not hasattr(BayesianLinearRegression(prior).fit(X, Y), "coef_std_")
    S = np.lib.format.open_memmap(tmp_path / "S.npy", "w+", np.float64, (6, 5))
    model = BayesianLinearRegression(prior).fit(X, Y, out_std=S)
    assert model.coef_std_ is S
    np.testing.assert_array_equal(S, expected.coef_std_)
    np.testing.assert_array_equal(model.predict(new, return_std=True)[1], expected.predict(new, return_std=True)[1])
    small = np.empty((6, 5), np.float32)
    BayesianLinearRegression(prior).fit(X, Y, out=np.empty((6, 5)), out_std=small)
    np.testing.assert_allclose(small, expected.coef_std_, rtol=1e-6)
    W = np.empty((6, 5))
    for arguments, message in (
        ({"out_std": np.empty((5, 6))}, "out_std is float64 of shape \\(5, 6\\); it must be"),
        ({"out": W, "out_std": W}, "out_std is in the memory of out"),
        ({"out": Y.ravel()[:30].reshape(6, 5)}, "out is in the memory of y"),
        ({"out_std": X.ravel()[10:40].reshape(6, 5)}, "out_std is in the memory of X"),
    ):
        with pytest.raises(ValueError, match=message):
            BayesianLinearRegression(prior).fit(X, Y, **arguments)
    with pytest.raises(ValueError, match="out_std is for a y with several columns"):
        BayesianLinearRegression(prior).fit(X, Y[:, 0], out_std=W)


def test_files_and_pickles_predict_the_same(tmp_path):
    X, Y, new = tables(n=40)
    table = pd.DataFrame(X, columns=list("abcde"))
    for prior in ("shared", "sparse"):
        model = BayesianLinearRegression(prior, max_iter=400).fit(table, pd.DataFrame(Y, columns=list("uvwxyz")))
        path = tmp_path / "model.ardvark"
        model.save(path)
        again, copied = ardvark.load(path), pickle.loads(pickle.dumps(model))
        for other in (again, copied):
            for found, expected in zip(other.predict(table, return_std=True), model.predict(table, return_std=True)):
                np.testing.assert_allclose(found, expected, rtol=1e-12)
            pd.testing.assert_frame_equal(other.target_summary(), model.target_summary())
        assert clone(again).get_params() == model.get_params()
        assert again.feature_names_in_.tolist() == list("abcde")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError):
        ardvark.load(path)


def test_what_many_targets_do_not_have_says_so():
    X, Y, new = tables()
    model = BayesianLinearRegression("shared").fit(X, Y)
    for call in (
        model.summary, lambda: model.posterior_, model.coef_interval, lambda: model.log_density(X, Y),
        model.select, lambda: model.coef_covariance([0]),
    ):
        with pytest.raises(ValueError, match="fitted to 6 targets, and [a-z_]+ is of one target only"):
            call()
    model.fit(X, Y[:, 0])
    assert model.coef_.shape == (5,) and not hasattr(model, "target_names_") and "shared" in model.summary()
    with pytest.raises(ValueError, match="fitted to one target"):
        model.target_summary()


@pytest.mark.parametrize(
    "options, Y, message",
    [
        ({}, np.zeros((80, 0)), "Y has no columns"),
        ({}, np.full((80, 2), "text"), "y holds text"),
        ({}, np.zeros((9, 2)), "inconsistent numbers of samples"),
        ({"diagnose": True}, np.ones((80, 2)), "diagnose"),
        ({"fdr": 0.1}, np.ones((80, 2)), "fdr"),
        ({"missing": "impute"}, np.ones((80, 2)), "missing"),
    ],
)
def test_wrong_targets_are_refused(options, Y, message):
    X, _, _ = tables()
    with pytest.raises(ValueError, match=message):
        BayesianLinearRegression("shared" if not options.get("fdr") else "sparse", **options).fit(X, Y)


@pytest.mark.parametrize("options", [{}, {"diagnose": True}, {"fdr": 0.1}, {"missing": "impute"}, {"missing": "drop", "noise": "student"}])
def test_the_tag_of_scikit_learn_says_whether_a_fit_takes_many_targets(options):
    X, Y, _ = tables()
    model = BayesianLinearRegression("sparse", **options)
    if get_tags(model).target_tags.multi_output:
        assert model.fit(X, Y).coef_.shape == (6, 5)
    else:
        with pytest.raises(ValueError):
            model.fit(X, Y)
    assert get_tags(model).target_tags.multi_output == (not options.keys() & {"diagnose", "fdr"} and options.get("missing") != "impute")
    assert get_tags(model).target_tags.single_output and not get_tags(ardvark.BayesianCountRegression()).target_tags.multi_output


def test_tools_of_scikit_learn_take_many_targets():
    X, Y, new = tables()
    model = BayesianLinearRegression("shared")
    folds = KFold(4)
    predicted = cross_val_predict(model, X, Y, cv=folds)
    for train, test in folds.split(X):
        for k in range(6):
            one = BayesianLinearRegression("shared").fit(X[train], Y[train, k])
            np.testing.assert_allclose(predicted[test, k], one.predict(X[test]), rtol=1e-9)
    found = GridSearchCV(make_pipeline(StandardScaler(), model), {"bayesianlinearregression__prior": ["shared", "none"]}, cv=folds).fit(X, Y)
    scores = [cross_val_score(BayesianLinearRegression(prior), X, Y, cv=folds).mean() for prior in ("shared", "none")]
    np.testing.assert_allclose(found.cv_results_["mean_test_score"], scores, rtol=1e-9)
    assert found.predict(new).shape == (7, 6)
    scaled = TransformedTargetRegressor(model, transformer=StandardScaler()).fit(X, Y)
    np.testing.assert_allclose(scaled.predict(new), clone(model).fit(X, Y).predict(new), rtol=1e-9)
    chosen = SelectFromModel(model, max_features=2, threshold=-np.inf).fit(X, Y)
    assert chosen.transform(X).shape == (80, 2)
    importance = permutation_importance(clone(model).fit(X, Y), X, Y, random_state=0)
    assert importance.importances_mean.shape == (5,) and (importance.importances_mean > 0).any()


def test_a_name_for_y_and_many_targets_are_refused():
    X, Y, _ = tables()
    with pytest.raises(ValueError, match="both y and target"):
        BayesianLinearRegression().fit(pd.DataFrame(X, columns=list("abcde")), Y, target="a")
    with pytest.raises(ValueError, match="needs a dense X"):
        BayesianLinearRegression("shared").fit(scipy.sparse.csr_array(X), Y)


def test_rows_of_weight_zero_do_not_count():
    X, Y, _ = tables()
    weights = np.ones(80)
    weights[::4] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        some = BayesianLinearRegression("shared").fit(X, Y, weights)
    kept = weights > 0
    np.testing.assert_allclose(some.coef_, BayesianLinearRegression("shared").fit(X[kept], Y[kept]).coef_, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_very_many_inclusions_are_a_sparse_array_of_those_that_are_not_small(dtype, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 40))
    Y = (2 * X[:, :9] + rng.normal(size=(150, 9))).astype(dtype)  # one effect for each
    Y[3, 5] = np.nan  # is not fitted
    monkeypatch.setattr(_many_targets, "_NUMBERS_OF_A_BATCH", 3 * 40 + 1)  # three targets
    for prior in ("auto", "slab"):
        with pytest.warns(ArdvarkWarning, match="1 of 9 targets is not fitted"):
            dense = BayesianLinearRegression(prior).fit(X, Y)
            with monkeypatch.context() as m:
                m.setattr(_many_targets, "_MOST_INCLUSIONS", 9 * 40 - 1)
                model = BayesianLinearRegression(prior).fit(X, Y)
        assert scipy.sparse.issparse(model.inclusion_) and model.inclusion_.shape == (9, 40) and model.inclusion_.dtype == dtype
        expected = np.where(dense.inclusion_ >= 0.01, dense.inclusion_, 0)
        assert 8 <= np.count_nonzero(expected) < np.count_nonzero(dense.inclusion_ > 0)
        np.testing.assert_array_equal(model.inclusion_.toarray(), expected)
        assert model.inclusion_.nnz == np.count_nonzero(expected) and model.inclusion_.has_canonical_format
        np.testing.assert_array_equal(model.coef_, dense.coef_)
        pd.testing.assert_frame_equal(model.target_summary(), dense.target_summary())
        copied = pickle.loads(pickle.dumps(model))
        pd.testing.assert_frame_equal(copied.target_summary(), dense.target_summary())
        model.fit(X[:, :3], Y[:, :4])  # no longer too many
        assert model.inclusion_.shape == (4, 3) and isinstance(model.inclusion_, np.ndarray)


def test_a_file_of_very_many_inclusions_has_neither_these_nor_their_sums(monkeypatch, tmp_path):
    X, Y, new = tables()
    monkeypatch.setattr(_many_targets, "_MOST_INCLUSIONS", 1)
    model = BayesianLinearRegression("slab").fit(X, Y)
    model.save(tmp_path / "model.ardvark")
    again = ardvark.load(tmp_path / "model.ardvark")
    assert not hasattr(again, "inclusion_") and again.target_summary().effects.isna().all()
    assert model.target_summary().effects.between(0, 5).all()
    np.testing.assert_allclose(again.predict(new), model.predict(new), rtol=1e-12)
    for prior in ("dense", "shared", "ard"):
        assert not hasattr(model.set_params(prior=prior).fit(X, Y), "inclusion_")
        assert not model.target_summary().effects.isna().any()


_IN_A_PROCESS = """
import resource
import numpy as np
from ardvark import _many_targets, _targets

_targets._LEAVES_EVERY = 0.001
shape = (20_000, 2000)  # 160 MB
values = np.random.default_rng(0).random(2000, dtype=np.float32)
values[5:] /= 200  # are left out
with _targets.ScratchArray(shape, np.float32) as scratch:
    _many_targets._large(scratch)  # of zeros
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for row in scratch.array:
        row[:] = values
    found, effects = _many_targets._large(scratch)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
expected = np.where(values >= 0.01, values, 0)
assert all((found[[k]].toarray() == expected).all() for k in (0, 7777, 19_999)) and found.nnz == 5 * shape[0]
assert (effects == values.sum(dtype=np.float64)).all()
"""


@pytest.mark.skipif(not hasattr(mmap, "MADV_DONTNEED"), reason="the system cannot be told what may leave memory")
def test_very_many_inclusions_are_never_in_memory_together():
    kilobytes = int(subprocess.run([sys.executable, "-c", _IN_A_PROCESS], check=True, capture_output=True, text=True).stdout)
    assert kilobytes < 80_000


def test_a_folder_without_room_for_inclusions_is_named(monkeypatch):
    X, Y, _ = tables()
    monkeypatch.setattr(_many_targets, "_MOST_INCLUSIONS", 1)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match="has no room for .* GB: No space left on device; the environment variable TMPDIR"):
        BayesianLinearRegression("slab").fit(X, Y)
