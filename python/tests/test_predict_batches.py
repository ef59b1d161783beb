"""Predictions of sources that are read in pieces."""

import numpy as np
import pytest
from ardvark import BayesianLinearRegression, BayesianLogisticRegression, KernelRegressor

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"id": np.arange(40_000), "a": rng.normal(size=40_000), "kind": rng.choice(["u", "v", "w"], 40_000)})
    frame["price"] = frame.a + (frame.kind == "v") + 0.3 * rng.normal(size=40_000)
    return frame


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet")
    for part in range(3):
        rows = table.iloc[part * 15_000 : (part + 1) * 15_000]
        pyarrow.parquet.write_table(pyarrow.Table.from_pandas(rows), path / f"part-{part}.parquet", row_group_size=4_000)
    return path


def sources(table, folder):
    import pyarrow.dataset

    yield folder
    yield str(folder / "part-0.parquet"), 15_000
    yield pyarrow.dataset.dataset(folder)
    yield lambda: pyarrow.dataset.dataset(folder).scanner().to_reader()
    yield pyarrow.RecordBatchReader.from_stream(pyarrow.Table.from_pandas(table))
    yield (table.iloc[i : i + 777] for i in range(0, len(table), 777))
    yield iter([table.iloc[:0], table])
    yield table
    duckdb = pytest.importorskip("duckdb")
    yield lambda: duckdb.sql(f"SELECT * FROM read_parquet('{folder}/*.parquet') ORDER BY id")
    polars = pytest.importorskip("polars")
    yield polars.scan_parquet(f"{folder}/*.parquet")


def test_pieces_have_the_predictions_of_the_whole_table(table, folder):
    train = table.iloc[:500]
    model = BayesianLinearRegression().fit(train.drop(columns="id"), y="price")
    whole = model.predict(table)
    for source in sources(table, folder):
        source, rows = source if isinstance(source, tuple) else (source, len(table))
        pieces = list(model.predict_batches(source))
        np.testing.assert_allclose(np.concatenate(pieces), whole[:rows], rtol=1e-13, atol=1e-13)


def test_any_method_predicts_with_its_arguments(table, folder):
    train = table.iloc[:500]
    model = BayesianLinearRegression().fit(train.drop(columns="id"), y="price")
    np.testing.assert_allclose(
        np.concatenate(list(model.predict_batches(folder, "predict_interval", level=0.5))), model.predict_interval(table, 0.5), rtol=1e-12
    )
    means, sds = zip(*model.predict_batches(folder, return_std=True))
    np.testing.assert_allclose(np.concatenate(sds), model.predict(table, return_std=True)[1], rtol=1e-12)
    classes = BayesianLogisticRegression().fit(train[["a", "price"]], train.kind)
    np.testing.assert_allclose(
        np.concatenate(list(classes.predict_batches(folder, "predict_proba"))), classes.predict_proba(table[["a", "price"]]), rtol=1e-11
    )
    assert np.concatenate(list(classes.predict_batches(folder))).tolist() == classes.predict(table[["a", "price"]]).tolist()
    curve = KernelRegressor(vectors=5).fit(train[["a"]].iloc[:100], train.price.iloc[:100])
    np.testing.assert_allclose(np.concatenate(list(curve.predict_batches(folder))), curve.predict(table[["a"]]), rtol=1e-9, atol=1e-12)


def test_pieces_are_read_as_they_are_asked_for(table):
    model = BayesianLinearRegression().fit(table[["a", "price"]].iloc[:100], y="price")
    asked = []

    def pieces():
        for part in range(5):
            asked.append(part)
            yield table[["a"]].iloc[part * 10 : part * 10 + 10]

    predictions = model.predict_batches(pieces())
    assert asked == []
    next(predictions)
    assert asked == [0]
    next(predictions)
    assert asked == [0, 1]


def test_what_cannot_be_predicted_is_refused(table):
    model = BayesianLinearRegression().fit(table[["a", "price"]].iloc[:100], y="price")
    bad = table[["a"]].copy()
    bad.iloc[33_333, 0] = np.nan
    with pytest.raises(ValueError, match=r"row 3334.*\(rows are counted from row 30001 of the source\)"):
        list(model.predict_batches(bad.iloc[i : i + 10_000] for i in range(0, 40_000, 10_000)))
    with pytest.raises(ValueError, match="rows are counted from row 11 of the source"):
        list(model.predict_batches(iter([table[["a"]].iloc[:10], table[["id"]].iloc[:10]])))
    with pytest.raises(ValueError, match="method is 'fit'; it must be one of predict, "):
        model.predict_batches(bad, "fit")
    with pytest.raises(ValueError, match="method is 'predict_proba'"):
        model.predict_batches(bad, "predict_proba")
    with pytest.raises(FileNotFoundError):
        list(model.predict_batches("/nowhere/at/all.parquet"))
