"""Intervals, targets from a table, and files of predictions of many targets."""

import numpy as np
import pandas as pd
import pytest
from ardvark import BayesianLinearRegression

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 4))
Y = X @ rng.normal(size=(4, 3)) + rng.normal(size=(90, 3))
NEW = rng.normal(size=(7, 4))
TABLE = pd.DataFrame(X, columns=list("abcd"))
BOTH = TABLE.assign(u=Y[:, 0], v=Y[:, 1], w=Y[:, 2])


def same_intervals(found, expected, tolerance=1e-9):
    """On the scale of the interval's width: an end may lie next to 0, where its own size says nothing."""
    width = np.diff(expected, axis=-1)
    np.testing.assert_allclose(found / width, expected / width, rtol=0, atol=tolerance)


@pytest.mark.parametrize("rows", [90, 12])
@pytest.mark.parametrize("prior", ["shared", "sparse", "slab", "dense", "ard", "none", "laplace"])
def test_intervals_are_those_of_each_column_alone(prior, rows):
    options = {"laplace_lambda": 2.0} if prior == "laplace" else {}
    many = BayesianLinearRegression(prior, **options).fit(X[:rows], Y[:rows])
    for interval in ("new", "mean"):
        found = many.predict_interval(NEW, 0.9, interval)
        assert found.shape == (7, 3, 2)
        for k in range(3):
            expected = BayesianLinearRegression(prior, **options).fit(X[:rows], Y[:rows, k]).predict_interval(NEW, 0.9, interval)
            # Whether the last step of an ascent is made may depend on rounding, and so on the processor.
            same_intervals(found[:, k], expected, 1e-7 if prior in ("sparse", "slab") else 1e-9)


def test_intervals_of_other_posteriors():
    factorised = {"prior": "ard", "posterior": "factorised"}
    found = BayesianLinearRegression(**factorised).fit(X, Y).predict_interval(NEW)
    same_intervals(found[:, 1], BayesianLinearRegression(**factorised).fit(X, Y[:, 1]).predict_interval(NEW))
    student = BayesianLinearRegression("ard", noise="student").fit(X, Y)
    expected = BayesianLinearRegression("ard", noise="student").fit(X, Y[:, 1]).predict_interval(NEW, interval="mean")
    same_intervals(student.predict_interval(NEW, interval="mean")[:, 1], expected)
    with pytest.raises(ValueError, match="noise is 'student'; intervals of new observations of many targets need normal noise; interval='mean' gives"):
        student.predict_interval(NEW)


def test_wrong_levels_and_words():
    model = BayesianLinearRegression("shared").fit(X, Y.astype(np.float32))
    assert model.predict_interval(NEW).dtype == np.float32
    for level in (0, 1, -0.5, np.nan):
        with pytest.raises(ValueError, match="level is .*; it must lie between 0 and 1"):
            model.predict_interval(NEW, level)
    with pytest.raises(ValueError, match="interval is .*it must be new or mean"):
        model.predict_interval(NEW, interval="old")
    for fdr in ("a", None, 0, 1, True, [0.1]):
        with pytest.raises(ValueError, match="fdr is .*; it must be a number between 0 and 1"):
            model.target_summary(fdr)
    broken = Y.copy()
    broken[0, 1] = np.nan
    with pytest.warns(UserWarning):
        model.fit(X, broken)
    assert np.isnan(model.predict_interval(NEW)[:, 1]).all() and np.isfinite(model.predict_interval(NEW)[:, [0, 2]]).all()


@pytest.mark.parametrize("names", [["w", "u"], ("w", "u"), pd.Index(["w", "u"]), np.array(["w", "u"])])
def test_targets_are_columns_of_the_table(names):
    model = BayesianLinearRegression("shared").fit(BOTH.drop(columns="v"), target=names)
    expected = BayesianLinearRegression("shared").fit(TABLE, Y[:, [2, 0]])
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    assert model.target_names_.tolist() == ["w", "u"] and model.columns_ == list("abcd")


def test_targets_of_tables_of_other_libraries_and_weights_of_a_column():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    weighted = BOTH.assign(times=np.linspace(0.5, 2, 90))
    expected = BayesianLinearRegression("shared").fit(TABLE, Y, weighted["times"])
    for table in (weighted, pl.from_pandas(weighted), pa.Table.from_pandas(weighted)):
        model = BayesianLinearRegression("shared").fit(table, sample_weight="times", target=["u", "v", "w"])
        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-12)
    one = BayesianLinearRegression("shared").fit(BOTH[list("abcdu")], target=["u"])
    np.testing.assert_array_equal(one.coef_, BayesianLinearRegression("shared").fit(TABLE, Y[:, 0]).coef_)


@pytest.mark.parametrize(
    "X_of, options, message",
    [
        (BOTH, {"target": ["u", "q"]}, "target is 'q', which is not a column of X"),
        (BOTH, {"target": ["u", "v", "u"]}, "target names the column 'u' 2 times"),
        (BOTH, {"target": []}, "target is an empty list"),
        (X, {"target": ["u", "v"]}, "X must then be a DataFrame"),
        (BOTH, {"target": ["u", "v"], "y": Y}, "fit has both y and target"),
        (BOTH, {"target": ["u"], "y": Y[:, 0]}, "fit has both y and target"),
        (BOTH.assign(v="text"), {"target": ["u", "v"]}, "y holds text \\('text' at row 1, column 'v'\\)"),
    ],
)
def test_wrong_names_of_targets(X_of, options, message):
    with pytest.raises(ValueError, match=message):
        BayesianLinearRegression("shared").fit(X_of, **options)


def test_predictions_of_many_targets_have_their_names_in_a_file(tmp_path):
    model = BayesianLinearRegression("shared").fit(BOTH, target=["u", "v", "w"])
    mean, std = model.predict(TABLE, return_std=True)
    pieces = [TABLE.iloc[:50], TABLE.iloc[50:]]
    assert model.predict_to(iter(pieces), tmp_path / "mean.parquet") == 90
    written = pd.read_parquet(tmp_path / "mean.parquet")
    assert written.columns.tolist() == ["u", "v", "w"]
    np.testing.assert_allclose(written.to_numpy(), mean, rtol=1e-12)
    model.predict_to(iter(pieces), tmp_path / "both.parquet", return_std=True)
    written = pd.read_parquet(tmp_path / "both.parquet")
    assert written.columns.tolist() == ["u", "u_sd", "v", "v_sd", "w", "w_sd"]  # as the program writes them
    np.testing.assert_allclose(written["v_sd"], std[:, 1], rtol=1e-12)
    model.predict_to(iter(pieces), tmp_path / "interval.csv", "predict_interval", level=0.5)
    assert pd.read_csv(tmp_path / "interval.csv").columns.tolist() == ["u_lower", "u_upper", "v_lower", "v_upper", "w_lower", "w_upper"]


def test_out_is_the_memory_of_the_model():
    W = np.empty((3, 4))
    model = BayesianLinearRegression("shared").fit(X, Y, out=W)
    before = model.predict(NEW)
    model.coef_ = 3 * W
    np.testing.assert_array_equal(model.predict(NEW), before)  # which reads W
    W *= 2
    np.testing.assert_allclose(np.diff(model.predict(NEW), axis=0), 2 * np.diff(before, axis=0), rtol=1e-9)
