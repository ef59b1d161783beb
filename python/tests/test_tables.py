"""What comes in: tables of all kinds, columns by name, weights of zero."""

import sys
import warnings

import numpy as np
import pytest
from ardvark import BayesianLinearRegression
from ardvark._passes import TableFacts
from ardvark._tables import table_of, texts_in
from estimator_cases import ALL, BINARY, COUNTS, KERNEL, LINEAR, X, fitted, name, target_of, y
from sklearn.base import clone


def tables():
    columns = {"age": X[:, 0], "height": X[:, 1], "dose": X[:, 2], "site": X[:, 3]}
    for package, make in [
        ("pandas", lambda m: m.DataFrame(columns)),
        ("polars", lambda m: m.DataFrame(columns)),
        ("pyarrow", lambda m: m.table(columns)),
    ]:
        yield pytest.param(package, make, id=package)


class Stream:
    """A table that speaks Arrow's C stream and nothing else."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("package, make", list(tables()))
@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_tables(estimator, package, make):
    table = make(pytest.importorskip(package))
    target = target_of(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = clone(estimator).fit(table, target)
        by_array = fitted(estimator)
        assert fit.feature_names_in_.tolist() == ["age", "height", "dose", "site"]
        predicted, expected = fit.predict(table), by_array.predict(X)
        if hasattr(estimator, "predict_proba"):
            assert np.array_equal(predicted, expected)
        else:
            np.testing.assert_allclose(
                predicted, expected, rtol=1e-8
            )  # rounding: tables lie column by column
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fit.predict(X)
    if not hasattr(estimator, "kernel"):
        assert "height" in fit.summary()


def test_a_table_that_speaks_only_the_c_stream():
    pyarrow, _ = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    table = Stream(pyarrow.table({"a": X[:, 0], "b": X[:, 1]}))
    fit = BayesianLinearRegression().fit(table, y)
    assert fit.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_allclose(fit.coef_, BayesianLinearRegression().fit(X[:, :2], y).coef_, rtol=1e-9)


def test_texts_have_no_blanks_at_their_ends():
    pd = pytest.importorskip("pandas")
    site = np.array(["north", "south", "mid"])[np.arange(len(y)) % 3]
    model = BayesianLinearRegression(prior="shared").fit(pd.DataFrame({"site": site, "dose": X[:, 2]}), y)
    rows = {"dose": [1.0, 2.0]}
    padded, plain = (model.predict(pd.DataFrame({"site": texts, **rows})) for texts in (["north ", " mid"], ["north", "mid"]))
    np.testing.assert_array_equal(padded, plain)


def test_columns_by_name():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=["age", "height", "dose", "site"])
    fit = BayesianLinearRegression({"body": ["age", "height"]}, flat=["site"]).fit(
        table, pandas.Series(y, name="weight")
    )
    assert fit.lambda_[0] == fit.lambda_[1] and fit.lambda_[3] == 0
    assert "weight" in fit.summary() and "dose" in fit.summary()
    with pytest.raises(ValueError, match="flat names the column 'sex', which X does not have"):
        BayesianLinearRegression(flat=["sex"]).fit(table, y)
    listed = BayesianLinearRegression([["age", "height"], ["dose"]], flat=["site"]).fit(table, y)
    assert np.array_equal(listed.coef_, fit.coef_)
    for prior, message in [
        ({"a": ["age"], "b": ["age", "dose"]}, "'age' in two groups"),
        ([["age"], ["age", "dose"]], "'age' in two groups"),
        ([["age", "sex"]], "prior, group 0, names the column 'sex', which X does not have"),
        ([["age", 4]], "prior, group 0, holds the column 4; X has only 4 columns"),
        ([["age"], "dose"], r"has 'dose' at position 1; each entry must be a list of columns: write \['dose'\] for a group of one"),
        (["age", "dose"], r"lists of columns, \[\['a', 'b'\], \['c'\]\]"),
        ({"body": "age"}, r"group 'body', is the text 'age'; it must be a list of columns: \['age'\]"),
        ([0, 1], r"one number per column: 4"),
    ]:
        with pytest.raises(ValueError, match=message):
            BayesianLinearRegression(prior).fit(table, y)


@pytest.mark.parametrize("estimator", [*LINEAR, *COUNTS, *BINARY[:3], *KERNEL], ids=name)
def test_rows_without_weight_are_not_there(estimator):
    weights = np.tile([1.0, 2.0, 0.0], 50)
    target = target_of(estimator)
    weighted = clone(estimator).fit(X, target, sample_weight=weights)
    without = clone(estimator).fit(X[weights > 0], target[weights > 0], sample_weight=weights[weights > 0])
    assert np.array_equal(weighted.predict(X), without.predict(X))


def text_columns():
    """Columns of texts with gaps, in every form in which they come, and the entries that they have."""
    pandas, polars, pyarrow = (pytest.importorskip(package) for package in ("pandas", "polars", "pyarrow"))
    texts = ["b", None, "ä", "b", "", "a ", None, "ä"]
    used = texts[3:] + ["c"]
    yield "str", pandas.Series(texts, dtype="str"), texts
    yield "object", pandas.Series(texts, dtype=object), texts
    yield "NA", pandas.Series([pandas.NA if text is None else text for text in texts], dtype=object), texts
    yield "string", pandas.Series(texts, dtype="string"), texts
    yield "arrow", pandas.Series(texts, dtype=pandas.ArrowDtype(pyarrow.string())), texts
    yield "category", pandas.Series(texts, dtype="category"), texts
    yield "levels that are not there", pandas.Series([*texts, "c"], dtype="category")[3:], used
    yield "a filtered frame", pandas.Series([*texts, "c"])[3:], used
    yield "polars", polars.Series(texts), texts
    yield "categorical", polars.Series(texts, dtype=polars.Categorical), texts
    yield "enum", polars.Series(texts, dtype=polars.Enum(["a ", "", "b", "ä", "z"])), texts
    for type_ in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        yield str(type_), pyarrow.array(texts, type_), texts
    yield "dictionary", pyarrow.array([*texts, "c"]).dictionary_encode()[3:], used
    yield "chunks", pyarrow.chunked_array([texts[:2], texts[2:2], texts[2:]], pyarrow.string()), texts
    yield "array", np.array(texts, dtype=object), texts
    yield "array of texts", np.array(["b", "", "b"]), ["b", "", "b"]


def test_texts_are_known_by_the_different_ones():
    for form, column, entries in text_columns():
        found = texts_in(column)
        assert found is not None and [None if code < 0 else found.different[code] for code in found.codes] == entries, form
        assert sorted(found.different) == sorted({entry for entry in entries if entry is not None}), form
    for other in (np.arange(3.0), np.array([1, "a"], dtype=object), np.array([True, False]), np.array([True, None], dtype=object)):
        assert texts_in(other) is None


def calls_of(work):
    """How many functions of Python and of C are called meanwhile."""
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("form", ["str", "object", "category", "polars"])
def test_a_cell_of_text_costs_no_call(form):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")

    def table(rows):
        columns = {"city": np.array(["Ulm", "Bern", "Köln"])[np.arange(rows) % 3], "click": np.where(np.arange(rows) % 2, "yes", "no")}
        return polars.DataFrame(columns) if form == "polars" else pandas.DataFrame(columns).astype(form)

    few, many = table(60), table(6000)
    facts = TableFacts("click", None).add(few).end(())
    for work in (table_of, lambda rows: TableFacts("click", None).add(rows), facts.numbers):
        work(few)
        assert calls_of(lambda: work(many)) < calls_of(lambda: work(few)) + 6000 / 10
