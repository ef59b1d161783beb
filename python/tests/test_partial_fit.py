"""Rows that are added to those of earlier calls."""

import contextlib
import functools
import importlib
import pickle

import ardvark
import numpy as np
import pytest
from ardvark import BayesianLinearRegression, LinearStatistics, SequentialLogisticRegression
from sklearn.base import clone

pd = pytest.importorskip("pandas")


def numbers_and_target(n=120):
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    return table, pd.Series(table.a - 2 * table.b + 0.3 * rng.normal(size=n), name="price")


def restored(tmp_path):
    X, y = numbers_and_target()
    BayesianLinearRegression().partial_fit(X, y).save(tmp_path / "model")
    return [ardvark.load(tmp_path / "model"), BayesianLinearRegression.load(tmp_path / "model")]


def test_partial_fit_adds_to_all_earlier_rows_or_refuses(tmp_path):
    """It never fits the new rows alone, as if there had been no others."""
    X, y = numbers_and_target()
    of_all = BayesianLinearRegression().fit(X, y).coef_
    goes_on = [BayesianLinearRegression().partial_fit(X[:60], y[:60]), BayesianLinearRegression().fit(LinearStatistics().update(X[:60], y[:60]))]
    goes_on.append(BayesianLinearRegression().fit(iter([X[:60].assign(price=y[:60])]), y="price"))
    goes_on += [BayesianLinearRegression().fit(X[:60], y[:60]), BayesianLinearRegression().partial_fit(X[60:], y[60:]).fit(X[:60], y[:60])]
    goes_on.append(BayesianLinearRegression().fit(X[:60], y[:60], np.ones(60)))
    for model in [*goes_on, *[pickle.loads(pickle.dumps(model)) for model in goes_on]]:
        assert np.allclose(model.partial_fit(X[60:], y[60:]).coef_, of_all, rtol=1e-9)
    text = X.assign(g="u")
    for model in [BayesianLinearRegression().fit(text, y), *restored(tmp_path)]:
        before = model.coef_
        with pytest.raises(ValueError, match=r"model files and fits of .* do not keep them, .* to start again with these rows: clone\(estimator\).partial_fit"):
            model.partial_fit(X[60:], y[60:])
        assert (model.coef_ == before).all()
        assert clone(model).partial_fit(X[60:], y[60:]).statistics_.n_rows_ == 60


@pytest.mark.parametrize("table_of", [pd.DataFrame, pytest.importorskip("polars").DataFrame])
def test_true_and_false_are_one_and_zero_in_any_order(table_of):
    X, y = numbers_and_target()
    city = np.resize(["u", "v", "w"], len(X))
    for others in ({}, {"city": city}):
        pieces = {"truth": X.assign(a=X.a > 0, **others), "number": X.assign(a=(X.a > 0).astype(int), **others)}
        right = BayesianLinearRegression().fit(pieces["number"], y).coef_
        for first, then in (("truth", "number"), ("number", "truth"), ("truth", "truth")):
            head, tail = table_of(dict(pieces[first][:60])), table_of({name: column.to_numpy() for name, column in pieces[then][60:].items()})
            model = BayesianLinearRegression().partial_fit(head, y[:60].to_numpy()).partial_fit(tail, y[60:].to_numpy())
            assert np.allclose(model.coef_, right, rtol=1e-9)


def test_texts_after_numbers_are_told_with_their_column():
    X, y = numbers_and_target()
    model = BayesianLinearRegression().partial_fit(X[:60], y[:60])
    assert model.statistics_.target_ == "price"
    with pytest.raises(ValueError, match="row 61, column 'b': 'u' is a text, but earlier rows have numbers there"):
        model.partial_fit(X[60:].assign(b="u"), y[60:])
    with pytest.raises(ValueError, match="the table has the column 'g', which earlier rows do not have"):
        model.partial_fit(X[60:].assign(g="u"), y[60:])
    other = BayesianLinearRegression().partial_fit(X[:60].assign(g="u"), y[:60])
    with pytest.raises(ValueError, match="the target is 'cost'; that of earlier rows is 'price'"):
        other.partial_fit(X[60:].assign(g="u"), y[60:].rename("cost"))
    without_name = BayesianLinearRegression().partial_fit(X[:60], np.asarray(y[:60]))
    with pytest.raises(ValueError, match="row 61, column 'b': 'u' is a text, but earlier rows have numbers there"):
        without_name.partial_fit(X[60:].assign(b="u"), np.asarray(y[60:]))
    assert np.allclose(model.partial_fit(X[60:], y[60:]).coef_, BayesianLinearRegression().fit(X, y).coef_, rtol=1e-9)


def test_dask_adds_partitions():
    dask = pytest.importorskip("dask.dataframe")
    from ardvark.dask import BayesianLinearRegression as OfDask

    X, y = numbers_and_target()
    table = X.assign(price=y)
    right = BayesianLinearRegression().fit(X, y).coef_
    parts = [dask.from_pandas(rows, npartitions=2) for rows in (table[:60], table[60:])]
    for head in (OfDask().fit(parts[0], "price"), OfDask().partial_fit(parts[0], "price"), OfDask().partial_fit(X[:60], y[:60])):
        assert np.allclose(head.partial_fit(parts[1], "price").coef_, right, rtol=1e-9)
    assert np.allclose(OfDask().fit(parts[0], target="price").partial_fit(X[60:], y[60:]).coef_, right, rtol=1e-9)
    for rows, target in ((parts[1], "price"), (X[60:], y[60:])):
        assert np.allclose(OfDask().fit(X[:60], y[:60]).partial_fit(rows, target).coef_, right, rtol=1e-9)


@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
def test_a_filter_goes_on(begin):
    X, y = numbers_and_target()
    labels = np.where(y > 0, "yes", "no")
    right = SequentialLogisticRegression().partial_fit(X, labels, classes=["no", "yes"])
    model = SequentialLogisticRegression(shuffle=False)
    model = model.fit(X[:60], labels[:60]) if begin == "fit" else model.partial_fit(X[:60], labels[:60], classes=["no", "yes"])
    for one in (pickle.loads(pickle.dumps(model)), model):
        one.partial_fit(X[60:], labels[60:])
        assert one.n_rows_seen_ == 120 and np.allclose(one.coef_, right.coef_, rtol=1e-9)


@pytest.mark.parametrize("kind", ["frame", "array", "weights", "no intercept", "a precision", "units", "booleans"])
@pytest.mark.parametrize("load", [ardvark.load, SequentialLogisticRegression.load])
def test_a_filter_goes_on_after_its_model_file(tmp_path, kind, load):
    X, y = numbers_and_target()
    labels = y.to_numpy() > 0 if kind == "booleans" else np.where(y > 0, "yes", "no")
    weights = np.linspace(0, 3, len(y)) if kind == "weights" else np.ones(len(y))
    X = X * [1, 20, 0.05] if kind == "units" else X.to_numpy() if kind == "array" else X
    model = SequentialLogisticRegression(0.37 if kind == "a precision" else None, fit_intercept=kind != "no intercept")
    model.partial_fit(X[:60], labels[:60], np.unique(labels), weights[:60]).save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert type(again) is SequentialLogisticRegression and again.get_params() == model.get_params()
    for step in ("loaded", "continued"):
        if step == "continued":
            model.partial_fit(X[60:], labels[60:], sample_weight=weights[60:])
            again.partial_fit(X[60:], labels[60:], sample_weight=weights[60:])
        assert again.n_rows_seen_ == model.n_rows_seen_ and list(again.classes_) == list(model.classes_)
        for name in ("coef_", "intercept_", "coef_std_", "sigma_", "relevance_", "bound_"):
            assert np.allclose(getattr(again, name), getattr(model, name), rtol=1e-12, atol=1e-12), name
        assert np.allclose(again.predict_proba(X), model.predict_proba(X), rtol=1e-12)
    assert getattr(again, "feature_names_in_", None) is None if kind == "array" else list(again.feature_names_in_) == list("abc")


def test_a_fit_of_all_rows_is_refused_with_what_works(tmp_path):
    X, y = numbers_and_target()
    labels = np.where(y > 0, "yes", "no")
    for table in (X, X.assign(city=np.resize(["u", "v"], len(X)))):
        ardvark.BayesianLogisticRegression().fit(table, labels).save(tmp_path / "model")
        with pytest.raises(ValueError, match=r"cannot add rows; ardvark.load reads it for predictions, and SequentialLogisticRegression\(\).fit\(X, y\)"):
            SequentialLogisticRegression.load(tmp_path / "model")
        assert ardvark.load(tmp_path / "model").predict(table).shape == y.shape
    assert SequentialLogisticRegression().fit(X, labels).partial_fit(X, labels).n_rows_seen_ == 240


def other_tables():
    """What makes a table of pandas one of another program."""
    out = [lambda table: table]
    for module, make in [("polars", lambda t, m: m.DataFrame({n: t[n].to_numpy() for n in t})), ("pyarrow", lambda t, m: m.table({n: t[n].to_numpy() for n in t}))]:
        with contextlib.suppress(ImportError):
            out.append(functools.partial(make, m=importlib.import_module(module)))
    return out


CASES = {
    "fit, linear": (BayesianLinearRegression(), lambda model, X, y: model.fit(X, y)),
    "partial_fit, linear": (BayesianLinearRegression(), lambda model, X, y: model.partial_fit(X, y)),
    "fit, sequential": (SequentialLogisticRegression(), lambda model, X, y: model.fit(X, y)),
    "partial_fit, sequential": (SequentialLogisticRegression(), lambda model, X, y: model.partial_fit(X, y, classes=[0, 1])),
}


@pytest.mark.parametrize("table_of", other_tables())
@pytest.mark.parametrize("estimator, begin", CASES.values(), ids=CASES)
def test_columns_are_found_by_name(estimator, begin, table_of):
    X, y = numbers_and_target()
    y = y.to_numpy() if isinstance(estimator, BayesianLinearRegression) else (y > 0).to_numpy().astype(int)
    head, tail = X[:60], X[60:]

    def after(table):
        return begin(clone(estimator), table_of(head), y[:60]).partial_fit(table_of(table), y[60:])

    right, other = after(tail), after(tail[list("cab")])
    assert (other.coef_ == right.coef_).all() and list(other.feature_names_in_) == list("abc")
    for table, message in [
        (tail.rename(columns={"b": "q"}), "^X has no column 'b', which earlier rows have$"),
        (tail.drop(columns="c"), "^X has no column 'c', which earlier rows have$"),
        (tail.assign(q=1.0), "^X has the column 'q', which earlier rows do not have$"),
    ]:
        with pytest.raises(ValueError, match=message):
            after(table)


def test_text_columns_are_found_by_name():
    X, y = numbers_and_target()
    X = X.assign(g=np.resize(["u", "v"], len(X)))
    right, other = (
        BayesianLinearRegression().partial_fit(X[:60], y[:60]).partial_fit(X[60:][names], y[60:]) for names in (list("abcg"), list("gcab"))
    )
    assert (right.coef_ == other.coef_).all()
