"""Row labels, which pandas and Dask keep in Parquet and Arrow as columns: no source of a fit reads them as a predictor."""

import warnings

import ardvark
import numpy as np
import pytest
from ardvark import (
    ArdvarkWarning,
    BayesianLinearRegression,
    BayesianLogisticRegression,
    KernelRegressor,
    LinearStatistics,
    RelevanceSelector,
    SequentialLogisticRegression,
)

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")


def labelled(name=None):
    """A table sorted by its target, so that its row labels explain it."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    table = pandas.DataFrame({"x": x, "z": rng.normal(size=60), "y": 2 * x + 0.3 * rng.normal(size=60)})
    table = table.sort_values("y").reset_index(drop=True).sample(frac=1, random_state=0)
    return table.rename_axis(name)


def by_duckdb(path):
    return pytest.importorskip("duckdb").sql(f"select * from '{path}'")


def by_dask(path):
    table = pytest.importorskip("dask.dataframe").from_pandas(pandas.read_parquet(path), npartitions=2, sort=False)
    table.to_parquet(path.parent / "dask")
    assert "__null_dask_index__" in parquet.read_schema(path.parent / "dask" / "part.0.parquet").names
    return str(path.parent / "dask")


SOURCES = {
    "path": str,
    "folder": lambda path: str(path.parent),
    "pattern": lambda path: str(path.parent / "*.parquet"),
    "dataset": lambda path: dataset.dataset(path),
    "function": lambda path: lambda: parquet.read_table(path).to_reader(),
    "reader": lambda path: parquet.read_table(path).to_reader(),
    "table": parquet.read_table,
    "batch": lambda path: parquet.read_table(path).combine_chunks().to_batches()[0],
    "batches": lambda path: iter(parquet.read_table(path).to_batches(20)),
    "duckdb": by_duckdb,
    "polars": lambda path: pytest.importorskip("polars").read_parquet(path),
    "lazy": lambda path: pytest.importorskip("polars").scan_parquet(path),
    "frame": lambda path: parquet.read_table(path).replace_schema_metadata(None).to_pandas(),
    "frames": lambda path: iter([parquet.read_table(path).replace_schema_metadata(None).to_pandas()]),
    "dask": by_dask,
}


@pytest.fixture
def written(tmp_path):
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "t.parquet"
    labelled().to_parquet(path)
    assert parquet.read_schema(path).names == ["x", "z", "y", "__index_level_0__"]
    return path


def told_by(work):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = work()
    return found, [str(one.message) for one in told if issubclass(one.category, ArdvarkWarning) and "labels" in str(one.message)]


@pytest.mark.parametrize("kind", [BayesianLinearRegression, BayesianLogisticRegression, KernelRegressor])
@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_fit_in_memory(written, source, kind):
    table = labelled()
    if kind is BayesianLogisticRegression:
        table = table.assign(y=np.where(np.arange(60) + table.index > 70, "high", "low"))
        table.to_parquet(written)
    model = kind("shared") if kind is not KernelRegressor else kind(centres=10)
    right = model.fit(table[["x", "z"]], table.y)
    model, told = told_by(lambda: kind(**right.get_params()).fit(SOURCES[source](written), y="y"))
    assert list(model.feature_names_in_) == ["x", "z"]
    assert np.allclose(model.predict(table[["x", "z"]]), right.predict(table[["x", "z"]]), rtol=1e-6) if kind is not BayesianLogisticRegression else (
        np.allclose(model.coef_, right.coef_, rtol=1e-6)
    )
    name = "__null_dask_index__" if source == "dask" else "__index_level_0__"
    assert told == [f"the column '{name}' holds the labels that pandas gave the rows, and is left out; to fit it as a column, give it another name, or make it one in pandas with reset_index()"]


@pytest.mark.parametrize("source", ["path", "folder", "dataset", "reader", "table", "batch"])
def test_labels_with_names_are_labels(written, source):
    table = labelled("id").set_index(np.arange(60) % 7, append=True)
    table.to_parquet(written)
    model, told = told_by(lambda: BayesianLinearRegression().fit(SOURCES[source](written), y="y"))
    assert list(model.feature_names_in_) == ["x", "z"] and len(told) == 1 and "the columns 'id', '__index_level_1__' hold" in told[0]


@pytest.mark.parametrize("source", ["path", "folder", "dataset", "reader", "table", "batch"])
def test_labels_that_are_named_stay(written, source):
    of = SOURCES[source]
    table = labelled("id")
    table.index += 1
    table.to_parquet(written)
    right = BayesianLinearRegression().fit(table[["x", "z", "y"]], table.index.to_numpy())
    model, told = told_by(lambda: BayesianLinearRegression().fit(of(written), y="id"))
    assert np.allclose(model.coef_, right.coef_, rtol=1e-9) and not told
    right = BayesianLinearRegression().fit(table[["x", "z"]], table.y, sample_weight=table.index.to_numpy())
    model, told = told_by(lambda: BayesianLinearRegression().fit(of(written), y="y", sample_weight="id"))
    assert np.allclose(model.coef_, right.coef_, rtol=1e-9) and not told
    for others in ({"prior": "ard", "flat": ["id"]}, {"prior": [["x", "z"], ["id"]]}, {"prior": {"one": ["x", "id"]}}):
        model, told = told_by(lambda: BayesianLinearRegression(**others).fit(of(written), y="y"))
        assert list(model.feature_names_in_) == ["x", "z", "id"] and not told


def test_no_labels_nothing_said(tmp_path):
    """A range is no column; and a column may have the name of another table's labels."""
    labelled().reset_index(drop=True).to_parquet(tmp_path / "t.parquet")
    for source in ("path", "table", "polars", "reader"):
        model, told = told_by(lambda: BayesianLinearRegression().fit(SOURCES[source](tmp_path / "t.parquet"), y="y"))
        assert list(model.feature_names_in_) == ["x", "z"] and not told


def test_parts_and_statistics(written):
    arrow = parquet.read_table(written)
    table = labelled()
    right = BayesianLinearRegression().fit(table[["x", "z"]], table.y).coef_
    found, told = told_by(lambda: BayesianLinearRegression().fit(LinearStatistics().update(arrow, "y")))
    assert np.allclose(found.coef_, right, rtol=1e-9) and len(told) == 1
    X = arrow.drop_columns("y")
    found, told = told_by(lambda: BayesianLinearRegression().partial_fit(X[:30], table.y[:30]).partial_fit(X[30:], table.y[30:]))
    assert np.allclose(found.coef_, right, rtol=1e-9) and len(told) == 2
    labels = np.where(table.y > 0, "yes", "no")
    filtered, told = told_by(lambda: SequentialLogisticRegression().partial_fit(X, labels, classes=["no", "yes"]))
    assert list(filtered.feature_names_in_) == ["x", "z"] and len(told) == 1
    selector, told = told_by(lambda: RelevanceSelector().fit(arrow, target="y"))
    assert list(selector.feature_names_in_) == ["x", "z"] and len(told) == 1
    found, told = told_by(lambda: ardvark.compare(arrow, target="y", priors=["shared", "dense"]))
    assert found.models[0].bound == ardvark.compare(table, target="y", priors=["shared", "dense"]).models[0].bound and len(told) == 1


def test_all_passes_say_it_once(written, monkeypatch):
    monkeypatch.setattr("ardvark._pieces.SMALL_BYTES", 100)
    table = labelled().assign(y=np.where(np.arange(60) % 3 == 0, "yes", "no"))
    table.to_parquet(written)
    for source in ("path", "reader"):
        model, told = told_by(lambda: BayesianLogisticRegression("shared").fit(SOURCES[source](written), y="y"))
        assert list(model.feature_names_in_) == ["x", "z"] and len(told) == 1


def test_predictions_find_columns_among_labels(written, tmp_path):
    """A model that knows a column by name reads it, also where another file has it as labels."""
    table = labelled("id")
    table.to_parquet(written)
    columns = table.reset_index()
    model = BayesianLinearRegression().fit(columns[["x", "z", "id"]], columns.y)
    for source in ("table", "batch", "polars"):
        assert (model.predict(SOURCES[source](written)) == model.predict(columns)).all()
    assert model.predict_to(str(written), tmp_path / "p.csv", keep=["id"]) == 60
    found = pandas.read_csv(tmp_path / "p.csv")
    assert (found.id == columns.id).all() and np.allclose(found["mean"], model.predict(columns))
    unlabelled = BayesianLinearRegression().fit(table[["x", "z"]].to_numpy(), table.y)
    assert (unlabelled.predict(parquet.read_table(written, columns=["x", "z", "id"])) == unlabelled.predict(table[["x", "z"]].to_numpy())).all()


DROP_THE_METADATA = ["duckdb", "polars", "lazy", "frame", "frames"]  # as docs/from_other_programs.md says


@pytest.mark.parametrize("source", [name for name in SOURCES if name != "dask"])
def test_labels_with_a_name_are_known_where_the_metadata_is(source, tmp_path):
    labelled("subject").to_parquet(tmp_path / "rows.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArdvarkWarning)
        model = BayesianLinearRegression().fit(SOURCES[source](tmp_path / "rows.parquet"), y="y")
    assert ("subject" in model.feature_names_in_) == (source in DROP_THE_METADATA)
