"""Tables of other programs, in every estimator and each of its methods that takes rows: the names of the columns stay, or a message says what to give."""

import functools
import inspect
import warnings

import ardvark
import numpy as np
import pytest
from ardvark import ArdvarkWarning, LinearStatistics

pandas = pytest.importorskip("pandas")

rng = np.random.default_rng(8)
X = pandas.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
SCORES = X["a"] + rng.normal(size=60)
LABELS = (SCORES > 0).astype(int)
COUNTS = SCORES.abs().round()
ESTIMATORS = [getattr(ardvark, name) for name in ardvark.__all__ if inspect.isclass(getattr(ardvark, name)) and hasattr(getattr(ardvark, name), "get_params")]
NAMES = [kind.__name__ for kind in ESTIMATORS]
QUICK = {"KernelRegressor": {"centres": 10, "averaging": False}, "KernelClassifier": {"centres": 10, "averaging": False}}


def target_of(kind):
    return LABELS if hasattr(kind, "predict_proba") else COUNTS if "Count" in kind.__name__ else SCORES


def new(kind):
    return kind(**QUICK.get(kind.__name__, {}))


@functools.lru_cache(maxsize=None)
def fitted(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArdvarkWarning)
        return new(kind).fit(X, target_of(kind))


def calls(kind, table):
    """What takes rows and no name of a target."""
    y = target_of(kind)
    yield "fit", lambda: new(kind).fit(table, y)
    for name in ("predict", "transform"):
        if hasattr(kind, name):
            yield name, lambda name=name: getattr(fitted(kind), name)(table)
    if hasattr(kind, "score"):
        yield "score", lambda: fitted(kind).score(table, y)
    if hasattr(kind, "partial_fit"):
        more = {"classes": [0, 1]} if hasattr(kind, "predict_proba") else {}
        yield "partial_fit", lambda: new(kind).partial_fit(table, y, **more)


def refusals(kind, table, with_target=None):
    found = []
    for name, call in calls(kind, table):
        with pytest.raises(ValueError) as refusal:
            call()
        found.append((name, str(refusal.value)))
    if with_target is not None:
        with pytest.raises(ValueError) as refusal:
            new(kind).fit(with_target, target="y")
        found.append(("target", str(refusal.value)))
    return found


def test_the_classes_of_dask_are_known():
    dask = pytest.importorskip("ardvark.dask")
    from ardvark._hosts import _OF_DASK

    assert sorted(_OF_DASK) == sorted(dask.__all__)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=NAMES)
@pytest.mark.parametrize("form", ["DataFrame", "Bag"])
def test_tables_of_dask_name_the_class_that_takes_them(kind, form):
    dask = pytest.importorskip("ardvark.dask")
    frames, bags = pytest.importorskip("dask.dataframe"), pytest.importorskip("dask.bag")

    def of_dask(table):
        return frames.from_pandas(table, npartitions=2) if form == "DataFrame" else bags.from_sequence(table.to_dict("records"), npartitions=2)

    for name, message in refusals(kind, of_dask(X), of_dask(X.assign(y=target_of(kind)))):
        assert message.startswith(f"X is a dask {form}"), name
        assert ".compute()" in message, name
        assert (f"ardvark.dask.{kind.__name__} " in message) == (kind.__name__ in dask.__all__), name


def test_statistics_refuse_tables_of_dask():
    frames = pytest.importorskip("dask.dataframe")
    with pytest.raises(ValueError, match=r"X is a dask DataFrame.*X\.compute\(\)"):
        LinearStatistics().update(frames.from_pandas(X, npartitions=2), SCORES)


@pytest.mark.parametrize("name", ["BayesianLinearRegression", "BayesianLogisticRegression", "KernelClassifier", "KernelRegressor"])
def test_what_is_not_lazy_computes_a_table_of_dask(name):
    dask, frames = pytest.importorskip("ardvark.dask"), pytest.importorskip("dask.dataframe")
    y = target_of(getattr(ardvark, name))
    model = getattr(dask, name)(**QUICK.get(name, {})).fit(X, y)
    table = frames.from_pandas(X.assign(other=1.0), npartitions=2)  # new rows may have more columns
    np.testing.assert_allclose(model.log_density(table, y), model.log_density(X, y), rtol=1e-12)
    batches = list(fitted(getattr(ardvark, name)).predict_batches(table))
    assert [len(batch) for batch in batches] == [30, 30]
    np.testing.assert_allclose(np.concatenate(batches), fitted(getattr(ardvark, name)).predict(X), rtol=1e-9)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=NAMES)
def test_arrays_of_dask_are_arrays(kind):
    arrays = pytest.importorskip("dask.array")
    model = new(kind).fit(arrays.from_array(X.to_numpy(), chunks=(30, 2)), arrays.from_array(target_of(kind).to_numpy(), chunks=30))
    expected = new(kind).fit(X.to_numpy(), target_of(kind).to_numpy())
    if hasattr(kind, "predict"):
        np.testing.assert_allclose(model.predict(X.to_numpy()), expected.predict(X.to_numpy()), rtol=1e-9)


class Modin:
    """A table of a program that nobody here knows."""

    columns = property(lambda self: ["a", "b"])

    def _to_pandas(self):
        return X

    def __array__(self, dtype=None, copy=None):
        return X.to_numpy()


Modin.__module__, Modin.__name__ = "modin.pandas", "DataFrame"


def not_in_memory(form):
    if form == "xarray Dataset":
        return pytest.importorskip("xarray").Dataset.from_dataframe(X), "X.to_dataframe()"
    if form == "polars LazyFrame":
        return pytest.importorskip("polars").DataFrame({name: X[name].to_numpy() for name in X}).lazy(), "X.collect()"
    if form == "pyarrow InMemoryDataset":
        arrow, dataset = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.dataset")
        return dataset.dataset(arrow.Table.from_pandas(X)), "X.to_table()"
    if form == "modin DataFrame":
        return Modin(), "X._to_pandas()"
    return iter([X]), "a DataFrame"


@pytest.mark.parametrize("kind", ESTIMATORS, ids=NAMES)
@pytest.mark.parametrize("form", ["xarray Dataset", "polars LazyFrame", "pyarrow InMemoryDataset", "modin DataFrame", "list_iterator"])
def test_what_is_not_in_memory_is_refused_with_the_call_that_reads_it(kind, form):
    table, remedy = not_in_memory(form)
    for name, message in refusals(kind, table):
        if name == "fit" and "read in pieces" in message:  # of estimators that fit such sources: y must be the name of a column
            assert "y must be the name of its column" in message
            continue
        assert form in message and f"give {remedy}" in message, name


@pytest.mark.parametrize("kind", ESTIMATORS, ids=NAMES)
@pytest.mark.parametrize("form", ["DataArray", "RecordBatchReader", "relation of DuckDB"])
def test_names_of_columns_stay(kind, form):
    y = target_of(kind)

    def table():
        if form == "DataArray":
            return pytest.importorskip("xarray").DataArray(X.to_numpy(), dims=("row", "column"), coords={"column": ["a", "b"]})
        arrow = pytest.importorskip("pyarrow").Table.from_pandas(X)
        return arrow.to_reader() if form == "RecordBatchReader" else pytest.importorskip("duckdb").from_arrow(arrow)

    model = new(kind).fit(table(), y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    method = "predict" if hasattr(kind, "predict") else "transform"
    expected = getattr(fitted(kind), method)(X)
    np.testing.assert_allclose(np.asarray(getattr(fitted(kind), method)(table())), np.asarray(expected), rtol=1e-9)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=NAMES)
def test_a_matrix_of_xarray_without_names_is_an_array(kind):
    xarray = pytest.importorskip("xarray")
    model = new(kind).fit(xarray.DataArray(X.to_numpy()), xarray.DataArray(target_of(kind).to_numpy()))
    assert model.n_features_in_ == 2 and not hasattr(model, "feature_names_in_")
