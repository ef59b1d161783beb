"""What a Y of several columns may be, and what is said of others."""

import datetime
import decimal

import ardvark
import numpy as np
import pandas as pd
import pytest
from ardvark import BayesianCountRegression, BayesianLinearRegression, BayesianLogisticRegression, KernelRegressor, LinearStatistics

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 4))
Y = X @ rng.normal(size=(4, 3)) + rng.normal(size=(80, 3))
TEXTS = np.where(Y[:, 0] > 0, "1", "2").astype(object)
TEXTS[0] = None
TEXTS[1] = "1"


def fitted(Y_given, **options):
    return BayesianLinearRegression("shared", **options).fit(X, Y_given)


def second(values):
    """A table whose second target, v, has these values."""
    return pd.DataFrame({"u": Y[:, 0], "v": values})


@pytest.mark.parametrize(
    "given, message",
    [
        (second(TEXTS), "y holds text \\('1' at row 2, column 'v'\\); a regression needs numbers"),
        (second(pd.Categorical(TEXTS)), "y holds text \\('1' at row 2, column 'v'\\)"),
        (second(pd.array(TEXTS, dtype="string")), "y holds text \\('1' at row 2, column 'v'\\)"),
        (pl.DataFrame({"u": Y[:, 0], "v": TEXTS.tolist()}), "y holds text \\('1' at row 2, column 'v'\\)"),
        (pl.DataFrame({"u": Y[:, 0], "v": TEXTS.tolist()}).cast({"v": pl.Categorical}), "y holds text \\('1' at row 2, column 'v'\\)"),
        (pa.table({"u": Y[:, 0], "v": TEXTS}), "y holds text \\('1' at row 2, column 'v'\\)"),
        (np.column_stack([TEXTS, TEXTS]), "y holds text \\('1' at row 2, column 'y1'\\)"),
        (np.column_stack([TEXTS, TEXTS])[1:].astype(bytes), "y holds text \\(b'1' at row 1, column 'y1'\\)"),
        (np.column_stack([Y[:, 0].astype(object), TEXTS]), "y holds text \\('1' at row 2, column 'y2'\\)"),
        (Y + 1j, "y is complex; give y.real"),
        (second(Y[:, 0] + 1j), "y at row 1, column 'v' is .*j\\); .*give the real part"),
        (second(pd.date_range("2020-01-01", periods=80)), "y at row 1, column 'v' is '2020-01-01 00:00:00', a date or a time"),
        (second(pd.to_timedelta(np.arange(80), "s")), "y at row 1, column 'v' is '0 days 00:00:00', a duration"),
        (second(np.array([datetime.date(2020, 1, 1)] * 80)), "y at row 1, column 'v' is '2020-01-01', a date"),
        (np.full((80, 2), "2020-01-01", dtype="M8[D]"), "y at row 1 is '2020-01-01', a date"),
        (second(pd.period_range("2020", periods=80)), "y at row 1, column 'v' is a Period"),
        (second(pd.Series([[1.0]] * 80)), "y at row 1, column 'v' is a list"),
        (np.zeros((80,), dtype=[("u", float), ("v", float)]), "y is a structured array; make a table of it"),
        (pd.DataFrame(Y, columns=["u", "v", "u"]), "2 columns of y are named 'u'"),
        (pd.DataFrame(Y, columns=[1, "1", "v"]), "2 columns of y are named '1'"),
        (pl.DataFrame(Y).lazy(), "y is a polars LazyFrame, not a table in memory; give y.collect\\(\\)"),
        ([*Y[:5], Y[5, :2], *Y[6:]], "y has row 1 with 3 numbers, and row 6 with 2"),
    ],
)
def test_what_is_no_number_is_refused_with_its_place(given, message):
    with pytest.raises(ValueError, match=message):
        fitted(given, missing="drop")


def test_sparse_targets():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    counts = np.maximum(Y, 0)
    with pytest.raises(ValueError, match="y is sparse; a target has a value in each row: give Y.toarray"):
        fitted(scipy_sparse.csr_array(counts))
    model = fitted(pd.DataFrame.sparse.from_spmatrix(scipy_sparse.csc_matrix(counts), columns=list("uvw")))
    np.testing.assert_array_equal(model.coef_, fitted(counts).coef_)
    assert model.target_names_.tolist() == ["u", "v", "w"]


GAPS = np.where(Y > 1, np.nan, Y)


@pytest.mark.parametrize(
    "given",
    [
        pd.DataFrame(GAPS, columns=list("uvw")).astype("Float64"),
        pd.DataFrame(GAPS, columns=list("uvw")).astype("double[pyarrow]"),
        pd.DataFrame(GAPS, columns=list("uvw")).astype({"v": "Float64"}),
        pd.DataFrame(GAPS, columns=list("uvw")).astype(object).where(~np.isnan(GAPS), None),
        pd.DataFrame(GAPS, columns=list("uvw")).astype(object).where(~np.isnan(GAPS), pd.NA),
        pl.DataFrame(GAPS, schema=list("uvw")).fill_nan(None),
        pa.table({name: pa.array(GAPS[:, k], from_pandas=True) for k, name in enumerate("uvw")}),
        np.ma.masked_invalid(GAPS),
        np.where(np.isnan(GAPS), None, GAPS.astype(object)),
        [row.tolist() for row in GAPS],
        list(GAPS),
    ],
)
def test_a_missing_value_of_any_kind_is_a_gap(given):
    expected = fitted(GAPS, missing="drop")
    model = fitted(given, missing="drop")
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    if hasattr(given, "columns"):
        assert model.target_names_.tolist() == ["u", "v", "w"]


def test_numbers_of_other_types_are_the_same_numbers():
    whole = np.round(3 * Y)
    expected = fitted(whole)
    truths = pd.DataFrame({"u": whole[:, 0], "v": Y[:, 1] > 0, "w": whole[:, 2].astype(int)})
    np.testing.assert_array_equal(fitted(truths).coef_[[0, 2]], expected.coef_[[0, 2]])
    np.testing.assert_array_equal(fitted(truths).coef_[1], fitted(np.column_stack([Y[:, 1] > 0] * 2)).coef_[0])
    decimals = pd.DataFrame(whole).map(lambda value: decimal.Decimal(int(value)))
    levels = pd.DataFrame(whole).astype("category")
    for given in (pd.DataFrame(whole).astype("Int64"), decimals, levels, pl.DataFrame(whole).cast(pl.Int16), whole.astype(object)):
        np.testing.assert_array_equal(fitted(given).coef_, expected.coef_)


def test_names_of_targets():
    assert fitted(pd.DataFrame(Y, columns=[None, "v", np.nan])).target_names_.tolist() == ["y1", "v", "y3"]
    assert fitted(pd.DataFrame(Y)).target_names_.tolist() == ["0", "1", "2"]
    assert fitted(pa.table(dict(zip("uvw", Y.T)))).target_names_.tolist() == ["u", "v", "w"]
    assert fitted(Y).target_names_.tolist() == ["y1", "y2", "y3"]
    xarray = pytest.importorskip("xarray")
    labelled = xarray.DataArray(Y, dims=["scan", "voxel"], coords={"voxel": list("uvw")})
    assert fitted(labelled).target_names_.tolist() == ["u", "v", "w"]
    assert fitted(pd.DataFrame(Y, columns=["x1", "x2", "x3"])).target_names_[0] == "x1"  # X has no names


@pytest.mark.parametrize(
    "call",
    [
        lambda: BayesianLogisticRegression().fit(X, Y > 0),
        lambda: BayesianCountRegression().fit(X, np.abs(Y).round()),
        lambda: KernelRegressor().fit(X, Y),
        lambda: LinearStatistics().update(X, Y),
        lambda: ardvark.compare(X, Y),
        lambda: ardvark.compare(X, pd.DataFrame(Y)),
        lambda: ardvark.SequentialLogisticRegression().fit(X, Y > 0),
        lambda: ardvark.RelevanceVectorClassifier().fit(X, Y > 0),
        lambda: ardvark.RelevanceSelector(BayesianLinearRegression()).fit(X, Y),
    ],
)
def test_who_takes_one_target_says_who_takes_several(call):
    with pytest.raises(ValueError, match="\\(80, 3\\) instead; .* one target; (BayesianLinearRegression takes several|sklearn.multioutput.MultiOutputClassifier)"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda table: BayesianLogisticRegression().fit(table, target=["u", "v"]),
        lambda table: BayesianCountRegression().fit(table, target=["u", "v"]),
        lambda table: KernelRegressor().fit("folder/part-*.csv", target=["u", "v"]),
        lambda table: ardvark.RelevanceSelector(BayesianLinearRegression()).fit(table, target=["u", "v"]),
        lambda table: ardvark.compare(table, target=["u", "v"]),
    ],
)
def test_who_takes_one_target_refuses_several_names(call):
    table = pd.DataFrame(X, columns=list("abcd")).assign(u=Y[:, 0], v=Y[:, 1])
    with pytest.raises(ValueError, match="target is \\['u', 'v'\\]; .* takes one target; (BayesianLinearRegression|sklearn.multioutput)"):
        call(table)


@pytest.mark.parametrize(
    "given, message",
    [
        (Y[:, 0] + 1j, "y is complex; give its real part"),
        (np.where(Y[:, 0] > 0, b"1", b"2"), "y holds text \\(b'[12]' at row 1\\)"),
        (pd.Series(pd.period_range("2020", periods=80)), "y at row 1 is a Period"),
        (pl.LazyFrame({"y": Y[:, 0]}), "y is a polars LazyFrame, not a table in memory; give y.collect\\(\\)"),
    ],
)
def test_one_target_that_is_no_number_is_refused_with_its_place(given, message):
    with pytest.raises(ValueError, match=message):
        fitted(given)
