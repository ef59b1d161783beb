"""Predictions of sources that are read in pieces."""

import os
import subprocess

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


def test_what_cannot_be_predicted_is_refused(table, tmp_path):
    model = BayesianLinearRegression().fit(table[["a", "price"]].iloc[:100], y="price")
    bad = table[["a"]].copy()
    bad.iloc[33_333, 0] = np.nan
    with pytest.raises(ValueError, match="row 33334, column 'a'"):
        list(model.predict_batches(bad.iloc[i : i + 10_000] for i in range(0, 40_000, 10_000)))
    with pytest.raises(ValueError, match="^in the rows after row 10: "):
        list(model.predict_batches(iter([table[["a"]].iloc[:10], table[["id"]].iloc[:10]])))
    with pytest.raises(ValueError, match="method is 'fit'; it must be one of predict, "):
        model.predict_batches(bad, "fit")
    with pytest.raises(ValueError, match="method is 'predict_proba'"):
        model.predict_batches(bad, "predict_proba")
    with pytest.raises(FileNotFoundError, match="X is '/nowhere/at/all.parquet', which does not exist"):
        list(model.predict_batches("/nowhere/at/all.parquet"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="a folder without files; it must have files of Parquet, CSV or Arrow"):
        list(model.predict_batches(tmp_path / "empty"))
    with pytest.raises(FileNotFoundError, match="a pattern that no file matches"):
        list(model.predict_batches("/nowhere/*.parquet"))


READERS = {
    ".parquet": lambda path: pandas.read_parquet(path),
    ".arrow": lambda path: pyarrow.ipc.open_file(path).read_all().to_pandas(),
    ".feather": lambda path: pandas.read_feather(path),
    ".csv": lambda path: pandas.read_csv(path),
}


@pytest.mark.parametrize("ending", READERS)
def test_a_file_has_the_predictions_and_the_columns_to_keep(table, folder, tmp_path, ending):
    model = BayesianLinearRegression().fit(table.iloc[:500].drop(columns="id"), y="price")
    path = tmp_path / f"predictions{ending}"
    path.write_text("what was there before")
    path.chmod(0o640)
    mean, sd = model.predict(table, return_std=True)
    for source in sources(table, folder):
        source, rows = source if isinstance(source, tuple) else (source, len(table))
        assert model.predict_to(source, path, keep=["id", "kind"], return_std=True) == rows
        found = READERS[ending](path)
        assert list(found.columns) == ["id", "kind", "mean", "sd"]
        assert found.id.tolist() == table.id[:rows].tolist() and found.kind.tolist() == table.kind[:rows].tolist()
        np.testing.assert_allclose(found["mean"], mean[:rows], rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(found["sd"], sd[:rows], rtol=1e-13)
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == [path.name]


def test_every_method_has_names_for_its_columns(table, folder, tmp_path):
    path = tmp_path / "p.parquet"

    def names_of(model, *method, **arguments):
        model.predict_to(folder, path, *method, **arguments)
        return pandas.read_parquet(path)

    three = BayesianLogisticRegression().fit(table[["a", "price"]].iloc[:500], table.kind.iloc[:500])
    probability = three.predict_proba(table[["a", "price"]])
    np.testing.assert_allclose(names_of(three, "predict_proba")[[f"probability_{kind}" for kind in "uvw"]], probability, rtol=1e-11)
    np.testing.assert_allclose(names_of(three, "predict_log_proba")["log_probability_v"], np.log(probability[:, 1]), rtol=1e-11)
    assert names_of(three)["class"].tolist() == three.predict(table[["a", "price"]]).tolist()
    two = BayesianLogisticRegression().fit(table[["a", "price"]].iloc[:500], table.kind.iloc[:500] == "v")
    np.testing.assert_allclose(names_of(two, "predict_score")[["log_odds", "log_odds_sd"]], np.transpose(two.predict_score(table[["a", "price"]])), rtol=1e-10)
    assert names_of(two)["class"].tolist() == two.predict(table[["a", "price"]]).tolist()
    number = BayesianLinearRegression().fit(table[["a", "price"]].iloc[:500], y="price")
    np.testing.assert_allclose(names_of(number, "predict_interval", level=0.5)[["lower", "upper"]], number.predict_interval(table[["a"]], 0.5), rtol=1e-11)
    curve = KernelRegressor(vectors=5).fit(table[["a"]].iloc[:100], table.price.iloc[:100])
    with pytest.raises(ValueError, match="return_cov=True gives a matrix"):
        curve.predict_to(table[["a"]].iloc[:20], path, return_cov=True)


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".csv.gz", ".feather"])
def test_a_path_may_be_a_folder_or_a_pattern(table, tmp_path, ending):
    write = {".parquet": "to_parquet", ".feather": "to_feather"}.get(ending, "to_csv")
    rows = table[["a", "price"]].iloc[:300].reset_index(drop=True)
    (tmp_path / "in" / "deeper").mkdir(parents=True)
    for number, place in enumerate(["in", "in", "in/deeper"]):
        getattr(rows[100 * number : 100 * (number + 1)].reset_index(drop=True), write)(tmp_path / place / f"part-{number}{ending}", **({"index": False} if write == "to_csv" else {}))
    (tmp_path / "in" / "_notes.txt").write_text("hidden")
    whole = BayesianLinearRegression().fit(rows, y="price")
    assert np.allclose(BayesianLinearRegression().fit(str(tmp_path / "in"), y="price").coef_, whole.coef_, rtol=1e-9)
    two = BayesianLinearRegression().fit(str(tmp_path / "in" / f"part-?{ending}"), y="price")
    assert np.allclose(two.coef_, BayesianLinearRegression().fit(rows[:200], y="price").coef_, rtol=1e-9)
    with pytest.raises(ValueError, match="which is read; give another path"):
        two.predict_to(str(tmp_path / "in" / f"part-?{ending}"), tmp_path / "in" / f"part-1{ending}")


def test_a_value_of_csv_that_does_not_fit_its_column_is_named(tmp_path):
    """Arrow takes the type of a column from the first rows."""
    model = BayesianLinearRegression().fit(pandas.DataFrame({"x1": np.arange(20.0) % 7}), np.arange(20.0))
    import pyarrow.csv

    path = tmp_path / "late.csv"
    path.write_text("x1,note\n" + 300_000 * "1.5,7\n" + "1.5,A1\n")
    with pytest.raises(ValueError, match="the column 'note' has the value 'A1' at row 300001, which does not fit the type int64 of the first rows; correct it, or give the types"):
        model.predict_to(path, tmp_path / "p.csv", keep=["note"])
    assert not (tmp_path / "p.csv").exists()
    typed = pyarrow.dataset.dataset(path, format=pyarrow.dataset.CsvFileFormat(convert_options=pyarrow.csv.ConvertOptions(column_types={"note": "string"})))
    assert model.predict_to(typed, tmp_path / "p.csv", keep=["note"]) == 300_001


@pytest.mark.parametrize("rows", [10, 5000])
def test_columns_to_keep_may_begin_without_values_and_with_whole_numbers(table, tmp_path, rows):
    model = BayesianLinearRegression().fit(table[["a", "price"]].iloc[:100], y="price")
    path = tmp_path / "p.parquet"
    big = pandas.concat([table] * (70_000 // len(table) + 1))[:70_000] if rows == 5000 else table.iloc[:30]
    first, second = (big.iloc[: len(big) - rows], big.iloc[len(big) - rows :])
    pieces = [first.assign(note=None), second.assign(note="seen")]
    assert model.predict_to(iter(pieces), path, keep=["note"]) == len(big)
    assert pandas.read_parquet(path).note.fillna("").tolist() == [""] * len(first) + ["seen"] * rows
    if rows == 10:
        model.predict_to(iter([first.assign(id=1), second.assign(id=0.5)]), path, keep=["id"])
        assert pandas.read_parquet(path).id.tolist() == [1.0] * len(first) + [0.5] * rows


def test_a_file_is_there_completely_or_not_at_all(table, tmp_path):
    model = BayesianLinearRegression().fit(table[["a", "price"]].iloc[:100], y="price")
    path = tmp_path / "p.parquet"
    path.write_text("old")

    def pieces_that_end_in(error):
        yield from (table.iloc[first : first + 10_000] for first in range(0, 40_000, 10_000))
        yield from (table.iloc[first : first + 10_000] for first in range(0, 40_000, 10_000))
        raise error

    for error in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(error):
            model.predict_to(pieces_that_end_in(error), path)
        assert path.read_text() == "old" and os.listdir(tmp_path) == ["p.parquet"]
    with pytest.raises(ValueError, match="ending says what the file will be: it must be one of .parquet, .arrow, .feather, .csv"):
        model.predict_to(table, tmp_path / "p.txt")
    with pytest.raises(ValueError, match="keep names the column 'idd', which the source does not have; did you mean 'id'?"):
        model.predict_to(table, path, keep="idd")
    with pytest.raises(ValueError, match="keep names the column 'mean', and the predictions have this name"):
        model.predict_to(table.assign(mean=1.0), path, keep=["mean"])
    with pytest.raises(ValueError, match="the source has no rows"):
        model.predict_to(iter([table.iloc[:0]]), path)
    with pytest.raises(ValueError, match="column 'id' has values of type .*string in later rows, which do not fit the type int64 of the rows before"):
        model.predict_to(iter([table.iloc[:10], table.iloc[:10].assign(id="x")]), path, keep=["id"])
    with pytest.raises(OSError, match="cannot write '/nowhere/p.csv': No such file or directory; "):
        model.predict_to(table, "/nowhere/p.csv")
    with pytest.raises(OSError, match="it exists and is not a regular file"):
        (tmp_path / "x.csv").mkdir()
        model.predict_to(table, tmp_path / "x.csv")
    assert path.read_text() == "old"


@pytest.mark.parametrize("ending", READERS)
def test_a_full_disk_leaves_nothing(table, tmp_path, ending):
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tmp_path], capture_output=True).returncode != 0:
        pytest.skip("a file system of 64 kB needs the rights to mount one")
    try:
        model = BayesianLinearRegression().fit(table[["a", "price"]].iloc[:100], y="price")
        with pytest.raises(OSError, match="No space left on device; free space"):
            model.predict_to(table, tmp_path / f"p{ending}")
        assert os.listdir(tmp_path) == []
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_files_of_csv_and_arrow_are_read_by_their_ending(table, tmp_path):
    rows = table[["a", "kind", "price"]]
    rows.to_csv(tmp_path / "x.csv", index=False)
    rows.to_feather(tmp_path / "x.feather")
    expected = BayesianLinearRegression().fit(rows, y="price")
    classes = BayesianLogisticRegression().fit(rows, y="kind")
    for name in ("x.csv", "x.feather"):
        path = tmp_path / name
        np.testing.assert_allclose(BayesianLinearRegression().fit(path, y="price").coef_, expected.coef_, rtol=1e-9)
        np.testing.assert_allclose(BayesianLogisticRegression().fit(path, y="kind").coef_, classes.coef_, rtol=1e-9)
        np.testing.assert_allclose(np.concatenate(list(expected.predict_batches(path))), expected.predict(rows), rtol=1e-9, atol=1e-12)
    (tmp_path / "x.txt").write_text("a,price")
    with pytest.raises(ValueError, match="x.txt', which cannot be read as Parquet; a path is a file, a folder or a pattern of files of Parquet, or of files that end with .csv"):
        BayesianLinearRegression().fit(tmp_path / "x.txt", y="price")


def test_one_part_of_statistics_needs_a_lambda(table):
    from ardvark import LinearStatistics

    with pytest.raises(ValueError, match="prior='laplace' needs rows, .* the cross-validation that chooses laplace_lambda; give laplace_lambda$"):
        BayesianLinearRegression(prior="laplace").fit(LinearStatistics().update(table[["a", "price"]], "price"))


def test_a_source_is_not_written_over(table, tmp_path):
    pytest.importorskip("pyarrow")
    source = tmp_path / "rows.parquet"
    table.to_parquet(source)
    before = source.read_bytes()
    model = BayesianLinearRegression().fit(table.select_dtypes("number"), np.arange(len(table), dtype=float))
    with pytest.raises(ValueError, match="which is read"):
        model.predict_to(source, tmp_path / "." / "rows.parquet")
    with pytest.raises(ValueError, match="in the folder that is read"):
        model.predict_to(tmp_path, tmp_path / "predictions.parquet")
    assert source.read_bytes() == before and sorted(os.listdir(tmp_path)) == ["rows.parquet"]
