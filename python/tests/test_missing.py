"""Missing values: refused, dropped and imputed, in arrays and in DataFrames."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

import ardvark
from ardvark import (
    BayesianLinearRegression,
    BayesianLogisticRegression,
    KernelRegressor,
    RelevanceSelector,
    RelevanceVectorRegressor,
    SequentialLogisticRegression,
    SparseLogisticRegression,
)

pd = pytest.importorskip("pandas")

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "bin" / "ardvark"


def table(n: int = 80, seed: int = 0) -> pd.DataFrame:
    """A number, a text and a number, each with gaps; and a target with one."""
    rng = np.random.default_rng(seed)
    age, dose = rng.normal(40, 10, n).round(1), rng.normal(size=n).round(3)
    city = rng.choice(["Bonn", "Oslo", "Rome"], n)
    y = (0.1 * age + 2 * (city == "Oslo") + dose + rng.normal(size=n)).round(3)
    data = pd.DataFrame({"age": age, "city": city, "dose": dose, "y": y})
    data.loc[::7, "age"] = np.nan
    data.loc[1::9, "city"] = None
    data.loc[3::11, "dose"] = np.nan
    data.loc[5, "y"] = np.nan
    return data


def test_dropped_rows_are_as_if_they_were_not_there():
    data = table()
    dropped = BayesianLinearRegression(missing="drop").fit(data, target="y")
    left = BayesianLinearRegression().fit(data.dropna(), target="y")
    assert (dropped.coef_ == left.coef_).all() and dropped.bound_ == left.bound_
    gone = len(data) - len(data.dropna())
    assert f"{gone} rows were dropped because a value was missing; most gaps are in column 'age' (12)" in dropped.notes_
    numbers = data[["age", "dose"]].to_numpy()
    whole = np.isfinite(numbers).all(axis=1) & data.y.notna().to_numpy()
    weights = np.arange(len(data)) % 3 + 1.0
    dropped = BayesianLinearRegression("ard", missing="drop").fit(numbers, data.y, sample_weight=weights)
    left = BayesianLinearRegression("ard").fit(numbers[whole], data.y[whole], sample_weight=weights[whole])
    assert np.allclose(dropped.coef_, left.coef_, rtol=1e-12)


def test_rows_of_relevance_vectors_count_those_that_were_dropped():
    rng = np.random.default_rng(0)
    X = np.linspace(-5, 5, 60)[:, None]
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
    X[::4] = np.nan
    model = RelevanceVectorRegressor(width=0.5, missing="drop").fit(X, y)
    assert np.isfinite(X[model.support_]).all()
    assert np.allclose(X[model.support_], model.relevance_vectors_)


@pytest.mark.parametrize("kind", ["pandas", "nullable", "polars"])
def test_the_table_is_that_of_the_shell(tmp_path, kind):
    data = table()
    data.to_csv(tmp_path / "table.csv", index=False)
    words = [PROGRAM, "fit", tmp_path / "table.csv", "--target", "y", "--model", "linear", "--missing", "impute", "--json", "-o", tmp_path / "m.ardvark"]
    shell = json.loads(subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout)
    if kind == "nullable":
        data = data.convert_dtypes()
    if kind == "polars":
        polars = pytest.importorskip("polars")
        data = polars.DataFrame({name: [None if x is None or x != x else x for x in data[name].tolist()] for name in data.columns})
    model = BayesianLinearRegression(missing="impute").fit(data, target="y")
    assert model.columns_ == shell["columns"]
    assert np.allclose(model.coef_, shell["mean"], rtol=1e-9) and np.allclose(model.coef_std_**2, shell["variance"], rtol=1e-9)
    assert np.allclose(model.missing_information_, shell["missing"]["information"], rtol=1e-9)
    loaded = ardvark.load(tmp_path / "m.ardvark")
    assert loaded.missing == "impute" and clone(loaded).missing == "impute"
    mean, std = model.predict(data, return_std=True)
    assert np.isfinite(mean).all() and (std > 0).all()
    assert np.allclose(loaded.predict(data), mean, rtol=1e-9)
    assert np.allclose(model.predict(data), mean, rtol=1e-12)


def test_rows_with_gaps_are_less_certain():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    y = X @ [2.0, 0, 0] + 0.5 * rng.normal(size=200)
    labels = np.where(y > 0, "yes", "no")
    X[rng.random(X.shape) < 0.2] = np.nan
    new = np.array([[1.5, 0, 0], [np.nan, 0, 0]])
    regression = BayesianLinearRegression(missing="impute").fit(X, y)
    low, high = regression.predict_interval(new).T
    assert high[1] - low[1] > 2 * (high[0] - low[0])
    assert np.isfinite(regression.log_density(new, [3.0, 0.0])).all()
    model = BayesianLogisticRegression(missing="impute").fit(X, labels)
    p = model.predict_proba(new)[:, 1]
    assert p[0] > 0.9 and 0.3 < p[1] < 0.7
    assert model.predict(new)[0] == "yes"
    assert set(model.classes_) == {"no", "yes"}


def test_labels_may_be_missing():
    data = table()
    data["sick"] = np.where(data.age.fillna(40) + 10 * data.dose.fillna(0) > 42, "yes", "no")
    data.loc[[0, 4], "sick"] = None
    for missing, rows in (("drop", data.dropna(subset=["age", "dose", "sick"])), ("impute", data.dropna(subset=["sick"]))):
        model = BayesianLogisticRegression(missing=missing).fit(data[["age", "dose", "sick"]], target="sick")
        assert model.classes_.tolist() == ["no", "yes"]
        same = BayesianLogisticRegression(missing=missing).fit(rows[["age", "dose", "sick"]], target="sick")
        assert np.allclose(model.coef_, same.coef_, rtol=1e-9)
    assert SparseLogisticRegression(missing="drop").fit(data[["age", "dose"]], data.sick).classes_.tolist() == ["no", "yes"]


def refused(estimator, *args, **how) -> str:
    with pytest.raises(ValueError) as error:
        estimator.fit(*args, **how)
    return str(error.value)


def test_what_is_refused():
    data = table()
    numbers = data[["age", "dose"]]
    linear = BayesianLinearRegression
    assert "'age': the value is missing" in refused(linear(), data.drop(columns="y"), data.y.fillna(0))
    assert "NaN; all values must be finite; if the value is missing: missing 'drop' leaves such rows out, missing 'impute' fills the gaps" in refused(linear(), numbers, data.y.fillna(0))
    assert "target 'y' has no value at row 6; leave out such rows, for example X[X['y'].notna()], or fit with missing='drop'" in refused(linear(), data, target="y")
    assert "column 'dose' has no value" in refused(linear(missing="impute"), numbers.assign(dose=np.nan), data.y)
    assert "y has no value" in refused(linear(missing="drop"), numbers, data.y * np.nan)
    assert "missing is 'fill'; it must be one of drop, impute, refuse" in refused(linear(missing="fill"), numbers, data.y)
    assert "imputations is 2; it must be at least 5" in refused(linear(missing="impute", imputations=2), numbers, data.y)
    assert "missing 'drop'" in refused(BayesianLogisticRegression(missing="impute"), numbers, np.arange(80) % 3)
    gap = data.y.copy()
    gap[4] = np.nan
    for estimator, y in ((linear(), gap), (BayesianLogisticRegression(), gap > 3), (SequentialLogisticRegression(), gap > 3)):
        labels = y.astype(object).where(gap.notna(), None)
        advice = "leave out such rows" + (", or fit with missing='drop'" if hasattr(estimator, "missing") else "")
        assert refused(estimator, numbers.fillna(0), labels) == f"y has no value at row 5; {advice}"


@pytest.mark.parametrize("estimator", [BayesianLogisticRegression(missing="drop"), SequentialLogisticRegression()])
def test_a_weight_is_not_missing(estimator):
    data = table().dropna(subset=["y"])
    weights = np.ones(len(data))
    weights[6] = np.nan
    message = "sample_weight has no value at row 7; leave out such rows"
    assert refused(estimator, data[["dose"]].fillna(0.0), data.y > 3, sample_weight=weights) == message


def test_advice_names_only_what_there_is():
    data = table().dropna(subset=["y"])
    numbers = data[["age", "dose"]].fillna({"dose": 0.0})
    y, sick = data.y, data.y > data.y.median()
    place = "X at row 1, column 'age' is NaN; all values must be finite; if the value is missing: "
    only_drop = place + "missing 'drop' leaves such rows out"
    assert refused(RelevanceVectorRegressor(), numbers, y) == only_drop
    assert refused(SparseLogisticRegression(), numbers, sick) == only_drop
    assert refused(BayesianLinearRegression("laplace"), numbers, y) == only_drop
    assert refused(RelevanceSelector(by="counts"), numbers, y) == only_drop
    assert refused(BayesianLinearRegression(), numbers, y) == only_drop + ", missing 'impute' fills the gaps"
    texts = data[["age", "city"]]
    assert refused(RelevanceVectorRegressor(), texts, y) == "row 1, column 'age': the value is missing; missing='drop' leaves such rows out"
    assert refused(SparseLogisticRegression(), texts, sick) == "row 1, column 'age': the value is missing; missing='drop' leaves such rows out"
    assert refused(BayesianLogisticRegression(missing="impute", diagnose=True), numbers, sick).endswith("; use missing 'drop' here")
    assert refused(BayesianLinearRegression("laplace", missing="impute"), numbers, y).endswith("; use missing 'drop' here")


def test_a_gap_in_new_rows_is_answered_with_what_the_model_can_do():
    data = table().dropna(subset=["y"])
    numbers, y = data[["age", "dose"]], data.y
    again = "leave out such rows, or fit the model again with missing='impute'; it then predicts rows with gaps, too"
    place = "X at row 1, column 'age' is NaN; all values must be finite; if the value is missing: "

    def said(model, rows):
        with pytest.raises(ValueError) as error:
            model.predict(rows)
        return str(error.value)

    for missing in ("refuse", "drop"):
        rows = numbers if missing == "drop" else numbers.fillna(0)
        model = BayesianLinearRegression(missing=missing).fit(rows, y)
        assert said(model, numbers) == place + again
        two = BayesianLogisticRegression(missing=missing).fit(rows, y > y.median())
        assert said(two, numbers) == place + again
        fills = BayesianLinearRegression("laplace", missing=missing).fit(rows, y)
        assert said(fills, numbers) == place + "leave out such rows, or fill the gaps"
        several = BayesianLogisticRegression(missing=missing).fit(rows, np.arange(len(y)) % 3)
        assert said(several, numbers) == place + "leave out such rows, or fill the gaps"
    texts = data[["age", "city"]]
    model = BayesianLinearRegression(missing="drop").fit(texts, y)
    assert said(model, texts) == f"row 1, column 'age': the value is missing; {again}"
    assert said(RelevanceVectorRegressor(missing="drop").fit(texts, y), texts).endswith("; leave out such rows, or fill the gaps")
    with pytest.raises(ValueError, match="X at row 2, column 'x1' is inf; all values must be finite$"):
        BayesianLinearRegression(missing="impute").fit(numbers.to_numpy(), y).predict([[np.nan, 1.0], [np.inf, 1.0]])


@pytest.mark.parametrize("marker", [".", "-", "na", "None", "?"])
def test_a_marker_in_a_column_of_numbers_is_asked_about(marker):
    y = np.arange(6.0)
    texts = pd.DataFrame({"x": ["1", "2.5", marker, "4", "3", "7"]})
    mixed = pd.DataFrame({"x": [1, 2.5, marker, 4, 3, 7]})
    for frame in (texts, mixed):
        assert f"row 3 holds {marker!r}; if {marker!r} means a missing value" in refused(BayesianLinearRegression(), frame, y)
    levels = pd.DataFrame({"x": ["a", "b", marker, "a", "b", "a"]})  # a level like any other
    assert f"x={marker}" in BayesianLinearRegression().fit(levels, y).columns_


def test_the_tag_says_whether_values_may_be_missing():
    assert not get_tags(BayesianLinearRegression()).input_tags.allow_nan
    assert get_tags(BayesianLinearRegression(missing="drop")).input_tags.allow_nan


def test_the_seed_decides():
    data = table()
    one, same, other = (
        BayesianLinearRegression(missing="impute", random_state=seed, n_jobs=jobs).fit(data, target="y") for seed, jobs in ((3, 1), (3, 2), (4, 1))
    )
    assert (one.coef_ == same.coef_).all() and (one.coef_ != other.coef_).any()


def with_gaps(n: int = 90):
    """A number, a text, True and False, a whole number, a category, each with gaps; and a target."""
    rng = np.random.default_rng(8)
    data = pd.DataFrame({"a": rng.normal(size=n), "g": rng.choice(list("uvw"), n), "h": rng.random(n) > 0.5, "i": rng.integers(0, 9, n), "k": rng.choice(list("pq"), n)})
    y = data.a + (data.g == "v") + data.h + 0.1 * data.i + (data.k == "p") + 0.3 * rng.normal(size=n)
    data = data.astype({"h": object, "i": "Int64", "k": "category"})
    for number, name in enumerate(data.columns):
        data.loc[4 * number : 4 * number + 3, name] = None
    return data, y.to_numpy(dtype=float)


def as_pandas(rows):
    return rows


def as_objects(rows):
    return rows.astype(object).where(rows.notna(), None)


def as_polars(rows):
    polars = pytest.importorskip("polars")
    return polars.DataFrame({name: [None if pd.isna(x) else x for x in rows[name].tolist()] for name in rows.columns})


def as_arrow(rows):
    """A column without any value has the type null."""
    arrow = pytest.importorskip("pyarrow")
    return arrow.table({name: arrow.array([None if pd.isna(x) else x for x in rows[name].tolist()]) for name in rows.columns})


@pytest.mark.parametrize("given", [as_pandas, as_objects, as_polars, as_arrow])
@pytest.mark.parametrize("kind", [BayesianLinearRegression, BayesianLogisticRegression])
def test_a_row_is_predicted_alone_as_beside_others(kind, given):
    """Also if a column has no value in any of the rows of a call."""
    data, y = with_gaps()
    target = y if kind is BayesianLinearRegression else np.where(y > np.median(y), "yes", "no")
    model = kind("shared", missing="impute", random_state=0).fit(data, target)
    methods = ["predict"] + (["predict_interval"] if kind is BayesianLinearRegression else ["predict_proba", "decision_function"])
    whole = data[40:42]
    for name in data.columns:
        gap = whole.astype({name: object})
        gap.loc[40:41, name] = None
        beside = pd.concat([gap[:1], whole[1:]])
        for method in methods:
            right = getattr(model, method)(beside)[0]
            assert np.all(getattr(model, method)(given(gap[:1]))[0] == right), (name, method)
            assert np.all(getattr(model, method)(given(gap))[0] == right), (name, method)
        assert model.log_density(given(gap[:1]), target[40:41])[0] == model.log_density(beside, target[40:42])[0]
        assert np.isfinite(model.log_density(given(gap), target[40:42])).all()
        if kind is BayesianLogisticRegression:
            assert model.score(given(gap), target[40:42]) in (0, 0.5, 1)
    nothing = data[40:41].astype(object).assign(**dict.fromkeys(data.columns))
    assert np.isfinite(model.predict_proba(given(nothing)) if hasattr(model, "predict_proba") else model.predict(given(nothing))).all()
    assert list(model.predict_batches(iter([given(nothing)]))) == [model.predict(nothing)]


@pytest.mark.parametrize("given", [as_objects, as_polars, as_arrow])
def test_a_model_without_gaps_says_which_column_has_no_value(given):
    data, y = with_gaps()
    data, y = data[20:], y[20:]
    for model in (BayesianLinearRegression(), KernelRegressor(centres=10, averaging=False), RelevanceSelector(missing="drop")):
        model.fit(data, y)
        for name in data.columns if hasattr(model, "predict") else []:
            row = data[:1].astype({name: object}).assign(**{name: [None]})
            with pytest.raises(ValueError, match=f"row 1, column '{name}': the value is missing; leave out such rows"):
                model.predict(given(row))
    for name in "ghk":
        parts = BayesianLinearRegression().partial_fit(data, y)
        rows = data[:2].astype({name: object}).assign(**{name: [None, None]})
        with pytest.raises(ValueError, match=f"row {len(data) + 1} has (no value|the value nan) in column '{name}'; "):
            parts.partial_fit(given(rows), y[:2])
        with pytest.raises(ValueError, match=f"column '{name}' has no value; leave it out"):  # of a fit this is all there is
            BayesianLinearRegression().fit(given(rows), y[:2])


def test_rows_without_a_value_are_selected_from():
    data, y = with_gaps()
    selector = RelevanceSelector(BayesianLinearRegression(), missing="impute").fit(data, y)
    row = data[40:41].astype({"a": object}).assign(a=[None])
    assert list(selector.transform(row).columns) == selector.get_feature_names_out().tolist()
    numbers = data[["a", "i"]]
    selector = RelevanceSelector(BayesianLinearRegression(), missing="impute").fit(numbers, y)
    gap = pd.DataFrame({"a": [None], "i": [3]})
    assert selector.transform(gap).shape == (1, selector.support_.sum())


def masked_rows():
    """Numbers with a mask over absurd values, and the same with NaN in these places."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y, labels = X[:, 0] + 0.1 * rng.normal(size=60), np.where(X[:, 0] > 0, "up", "down")
    absurd, missing = X.copy(), X.copy()
    absurd[4, 1], missing[4, 1] = -999, np.nan
    return np.ma.masked_equal(absurd, -999), missing, y, labels


@pytest.mark.parametrize("how", ["drop", "impute"])
def test_a_masked_entry_is_a_missing_value(how):
    X, missing, y, labels = masked_rows()
    of_mask, of_gap = (BayesianLinearRegression("shared", missing=how).fit(one, y) for one in (X, missing))
    assert (of_mask.coef_ == of_gap.coef_).all()
    if how == "impute":
        assert (of_mask.predict(X) == of_gap.predict(missing)).all()
    gap = np.arange(60) == 7
    of_mask = BayesianLinearRegression("shared", missing=how).fit(missing, np.ma.array(np.where(gap, -999, y), mask=gap))
    assert (of_mask.coef_ == BayesianLinearRegression("shared", missing=how).fit(missing, np.where(gap, np.nan, y)).coef_).all()
    of_gap = BayesianLogisticRegression("shared", missing=how).fit(missing, np.where(gap, None, labels))
    for given in (labels, (labels == "up").astype(int), labels == "up"):
        of_mask = BayesianLogisticRegression("shared", missing=how).fit(missing, np.ma.array(given, mask=gap))
        assert of_mask.classes_.dtype.kind == given.dtype.kind and np.allclose(of_mask.coef_, of_gap.coef_, rtol=1e-12)


X_, MISSING, Y_, LABELS = masked_rows()
MASK = np.arange(60) == 7
FULL = np.nan_to_num(MISSING)


@pytest.mark.parametrize(
    "reader, argument, row",
    [
        (lambda: BayesianLinearRegression("shared").fit(X_, Y_), "X", 5),
        (lambda: BayesianLinearRegression("shared").fit(FULL, Y_).predict(X_), "X", 5),
        (lambda: BayesianLinearRegression("shared").fit(FULL, np.ma.array(Y_, mask=MASK)), "y", 8),
        (lambda: BayesianLinearRegression("shared").fit(FULL, Y_, np.ma.array(np.ones(60), mask=MASK)), "sample_weight", 8),
        (lambda: BayesianLinearRegression("shared").fit(FULL, Y_, np.ma.array(np.ones(60, int), mask=MASK)), "sample_weight", 8),
        (lambda: BayesianLogisticRegression("shared").fit(FULL, np.ma.array(LABELS, mask=MASK)), "y", 8),
        (lambda: BayesianLinearRegression().partial_fit(X_, Y_), "X", 5),
        (lambda: BayesianLinearRegression().partial_fit(FULL, np.ma.array(Y_, mask=MASK)), "y", 8),
        (lambda: BayesianLinearRegression().partial_fit(FULL, Y_, np.ma.array(Y_, mask=MASK)), "sample_weight", 8),
        (lambda: ardvark.LinearStatistics().update(X_, Y_), "", 5),
        (lambda: ardvark.LinearStatistics().update(FULL, np.ma.array(Y_, mask=MASK)), "y", 8),
        (lambda: ardvark.LinearStatistics().update(FULL, Y_, np.ma.array(np.ones(60), mask=MASK)), "sample_weight", 8),
        (lambda: SequentialLogisticRegression().partial_fit(X_, LABELS, ["down", "up"]), "X", 5),
        (lambda: SequentialLogisticRegression().partial_fit(FULL, np.ma.array(LABELS, mask=MASK), ["down", "up"]), "y", 8),
        (lambda: SequentialLogisticRegression().partial_fit(FULL, LABELS, ["down", "up"], np.ma.array(np.ones(60), mask=MASK)), "sample_weight", 8),
        (lambda: KernelRegressor().fit(X_, Y_), "X", 5),
        (lambda: ardvark.compare(X_, Y_), "X", 5),
        (lambda: ardvark._core.fit(X_, Y_, model="linear"), "X", 5),
    ],
)
def test_masked_entries_are_refused_where_no_value_may_miss(reader, argument, row):
    with pytest.raises(ardvark.InvalidArgumentError) as found:
        reader()
    assert (found.value.argument, found.value.value, found.value.row) == (argument, "NaN", row)


def test_a_mask_over_nothing_changes_nothing():
    of_mask = BayesianLinearRegression("shared").fit(np.ma.array(FULL), np.ma.array(Y_), np.ma.array(np.ones(60)))
    assert (of_mask.coef_ == BayesianLinearRegression("shared").fit(FULL, Y_, np.ones(60)).coef_).all()


@pytest.mark.parametrize("argument", ["y", "sample_weight"])
@pytest.mark.parametrize("name", [
    "BayesianLinearRegression", "BayesianCountRegression", "RelevanceVectorRegressor", "KernelRegressor",
    "BayesianLogisticRegression", "RelevanceVectorClassifier", "KernelClassifier", "SequentialLogisticRegression", "SparseLogisticRegression",
])
def test_a_score_refuses_masked_values_as_fit_does(name, argument):
    rows = np.random.default_rng(8).normal(size=(24, 1))
    y = (rows[:, 0] > 0) * 1
    model = getattr(ardvark, name)().fit(rows, y)
    given = {"y": y, "sample_weight": np.ones(24)}
    given[argument] = np.ma.masked_array(given[argument], mask=np.arange(24) == 3)
    for call in [model.fit, model.score, *([model.log_density] if argument == "y" else [])]:
        with pytest.raises(ValueError, match=f"^{argument} (has no value at|at) row 4"):
            call(rows, *([given["y"]] if argument == "y" else [y, given["sample_weight"]]))


@pytest.mark.parametrize("missing", ["drop", "impute"])
@pytest.mark.parametrize("kind", ["array", "DataFrame", "Float64", "target", "polars"])
def test_a_gap_only_in_the_target_leaves_its_row_out(kind, missing):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    known = np.arange(60) != 3
    expected = BayesianLinearRegression().fit(X[known], y[known]).coef_
    y[3] = np.nan
    model = BayesianLinearRegression(missing=missing)
    table = pd.DataFrame(X, columns=list("abc"))
    if kind == "target":
        model.fit(table.assign(y=y), target="y")
    elif kind == "polars":
        polars = pytest.importorskip("polars")
        model.fit(polars.from_pandas(table), polars.Series("y", y).fill_nan(None))
    else:
        model.fit(X if kind == "array" else table, y if kind == "array" else pd.Series(y, dtype="Float64" if kind == "Float64" else float))
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-12)
    assert sum("1 row" in note for note in model.notes_) == 1
    assert not hasattr(model, "statistics_")
    with pytest.raises(ValueError, match="no statistics of its rows"):
        model.partial_fit(X[known], y[known])


@pytest.mark.parametrize("missing", ["drop", "impute"])
def test_a_score_leaves_out_the_rows_that_the_fit_leaves_out(missing):
    from sklearn.model_selection import cross_val_score

    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80)
    labels = np.where(y > 0, "up", "down").astype(object)
    weights = rng.uniform(0.5, 2, size=80)
    known = rng.random(80) < 0.8
    for kind, target, gap in ((BayesianLinearRegression, y, np.nan), (BayesianLogisticRegression, labels, None)):
        given = target.copy()
        given[~known] = gap
        model = kind("shared", missing=missing).fit(X, given)
        assert model.score(X, given) == model.score(X[known], target[known])
        assert model.score(X, given, weights) == pytest.approx(model.score(X[known], target[known], weights[known]))
        with pytest.raises(ValueError, match="missing in all 80 rows"):
            model.score(X, np.full(80, gap, dtype=given.dtype))
        if kind is BayesianLinearRegression:
            assert np.isfinite(cross_val_score(model, X, given)).all()
