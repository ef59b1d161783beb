"""Statistics of rows, and fits of tables that are read in pieces."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import ardvark
import ardvark._given
from ardvark import BayesianLinearRegression, LinearStatistics

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "bin" / "ardvark"
pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 4))
    frame = pandas.DataFrame(X, columns=list("abcd"))
    frame["w"] = rng.uniform(0.5, 2, len(X))
    frame["price"] = 3 + X[:, 0] - 0.05 * X[:, 2] + rng.normal(size=len(X))
    return frame


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet")
    for part in range(3):
        rows = table.iloc[part * 10_000 : (part + 1) * 10_000]
        pyarrow.parquet.write_table(pyarrow.Table.from_pandas(rows), path / f"part-{part}.parquet", row_group_size=3_333)
    return path


def close(model, full, sd=1e-6):  # a long table in memory has its cross-products in single precision (MP.3)
    assert np.abs((model.coef_ - full.coef_) / full.coef_std_).max() < sd
    assert abs(model.intercept_ - full.intercept_) < sd * full.intercept_std_
    assert np.allclose(model.coef_std_, full.coef_std_, rtol=1e-6)
    assert abs(model.bound_ - full.bound_) < 1e-6
    assert model.notes_ == full.notes_


def sources(table, folder):
    import pyarrow.compute
    import pyarrow.dataset

    arrow = pyarrow.Table.from_pandas(table)
    yield "folder", folder
    yield "text of a folder", str(folder)
    yield "dataset", pyarrow.dataset.dataset(folder)
    yield "dataset that may leave out rows", pyarrow.dataset.dataset(folder).filter(pyarrow.compute.field("a") > -100)
    files = [f"{folder}/part-{part}.parquet" for part in range(3)]
    yield "datasets of a dataset", pyarrow.dataset.dataset([pyarrow.dataset.dataset(file) for file in files])
    yield "function", lambda: pyarrow.dataset.dataset(folder).scanner().to_reader()
    yield "reader", pyarrow.RecordBatchReader.from_stream(arrow)
    yield "iterator", (table.iloc[i : i + 777] for i in range(0, len(table), 777))
    polars = pytest.importorskip("polars")
    yield "lazy frame", polars.scan_parquet(f"{folder}/*.parquet")
    yield "frames of polars", iter([polars.DataFrame(arrow)])


@pytest.mark.parametrize("weights", [None, "w"])
def test_every_source_gives_the_fit_of_the_rows_and_the_same_bits(table, folder, weights):
    columns = table if weights else table.drop(columns="w")
    full = BayesianLinearRegression().fit(columns, y="price", sample_weight=weights)
    bits = set()
    for name, source in sources(table, folder):
        if weights is None:
            source = _without_w(source)
        model = BayesianLinearRegression().fit(source, y="price", sample_weight=weights)
        close(model, full)
        assert list(model.feature_names_in_) == list("abcd"), name
        assert model.statistics_.target_ == "price"
        bits.add(model.statistics_.to_bytes())
    assert len(bits) == 1


def _without_w(source):
    from ardvark._streams import pieces_of

    for piece in pieces_of(source):
        yield ardvark._given.frame(piece).drop(columns="w") if hasattr(ardvark._given.frame(piece), "iloc") else piece.drop("w")


def test_statistics_add_pickle_and_go_through_files(table, tmp_path):
    columns = list("abcd")
    whole = LinearStatistics().update(table[columns], table.price, table.w)
    parts = [LinearStatistics().update(table[columns].iloc[i : i + 7000], table.price.iloc[i : i + 7000], table.w.iloc[i : i + 7000])
             for i in range(0, len(table), 7000)]
    merged = LinearStatistics()
    for part in parts:
        merged.merge(pickle.loads(pickle.dumps(part)))
    assert merged.n_rows_ == whole.n_rows_ == len(table)
    assert np.allclose(merged.cross_, whole.cross_, rtol=1e-10, atol=1e-8)
    X = np.column_stack([table[columns], table.price])
    k = table.w.to_numpy()
    mean = k @ X / k.sum()
    assert np.allclose(whole.mean_, mean) and np.allclose(whole.cross_, (X - mean).T @ ((X - mean) * k[:, None]))
    assert np.isclose(whole.weight_, k.sum())
    whole.save(tmp_path / "all.stats")
    again = LinearStatistics.load(tmp_path / "all.stats")
    assert again.to_bytes() == whole.to_bytes() and list(again.feature_names_in_) == columns and again.target_ == "price"
    assert os.listdir(tmp_path) == ["all.stats"]
    once, twice = whole.n_rows_, LinearStatistics.from_bytes(whole.to_bytes())
    assert twice.merge(twice).n_rows_ == 2 * once


def test_partial_fit_and_merge_are_fits_of_all_rows(table):
    columns = list("abcd")
    for prior in ("auto", "none", "ard"):
        full = BayesianLinearRegression(prior=prior).fit(table[columns], table.price)
        north, south = BayesianLinearRegression(prior=prior), BayesianLinearRegression(prior=prior)
        for i in range(0, 20_000, 4000):
            north.partial_fit(table[columns].iloc[i : i + 4000], table.price.iloc[i : i + 4000])
        south.partial_fit(table[columns].iloc[20_000:], table.price.iloc[20_000:])
        close(pickle.loads(pickle.dumps(north)).merge(south), full)
        assert south.statistics_.n_rows_ == 10_000
        north.fit(table[columns], table.price)
        assert not hasattr(north, "statistics_")


def test_columns_of_later_frames_are_found_by_name(table):
    s = LinearStatistics().update(table[["a", "b", "price"]].iloc[:100], "price")
    s.update(table[["price", "b", "a"]].iloc[100:], "price")
    assert np.allclose(s.cross_, LinearStatistics().update(table[["a", "b"]], table.price).cross_, rtol=1e-9, atol=1e-6)
    with pytest.raises(ValueError, match="no column 'b'"):
        s.update(table[["a", "price"]], "price")
    with pytest.raises(ValueError, match="the column 'c', which earlier rows do not have"):
        s.update(table[["a", "b", "c", "price"]], "price")


def test_wrong_rows_are_named_and_change_nothing(table):
    s = LinearStatistics().update(table[list("ab")], table.price)
    before = s.to_bytes()
    wrong = table.iloc[:20_000].copy()
    wrong.loc[17_000, "b"] = np.nan
    with pytest.raises(ValueError, match="row 47001 has the value nan in column 'b'"):
        s.update(wrong[list("ab")], wrong.price)
    with pytest.raises(ValueError, match="y has no value at row 3"):
        s.update(wrong[list("ab")], wrong.price.where(wrong.index != 2))
    with pytest.raises(ValueError, match="form is 'qr'; it must be gram or factor"):
        LinearStatistics("qr")
    with pytest.raises(ValueError, match="has the form gram|have the form gram"):
        LinearStatistics("factor").update(table[list("ab")], table.price).merge(s)
    with pytest.raises(ardvark.InvalidArgumentError, match="damaged|not an ardvark|cut|truncated"):
        LinearStatistics.from_bytes(before[:-9])
    assert s.to_bytes() == before


def test_what_a_fit_of_statistics_cannot_do_is_said(table, folder):
    s = LinearStatistics().update(table[list("ab")], table.price)
    with pytest.raises(ValueError, match="they belong to the rows"):
        BayesianLinearRegression().fit(s, table.price)
    with pytest.raises(ValueError, match="laplace_lambda|lambda"):
        BayesianLinearRegression(prior="laplace").fit(s)
    with pytest.raises(ValueError, match="rows, which statistics no longer have"):
        BayesianLinearRegression(missing="drop").fit(s)
    with pytest.raises(ValueError, match="no rows"):
        BayesianLinearRegression().fit(LinearStatistics())
    with pytest.raises(ValueError, match="name of its column"):
        BayesianLinearRegression().fit(folder, table.price)
    with pytest.raises(ValueError, match="'cost', which is not a column"):
        BayesianLinearRegression().fit(folder, y="cost")
    with pytest.raises(ValueError, match="has no statistics of its rows"):
        BayesianLinearRegression().fit(table[list("ab")], table.price).merge(BayesianLinearRegression().fit(s))
    with pytest.raises(FileNotFoundError):
        BayesianLinearRegression().fit(folder / "nowhere.parquet", y="price")
    twins = table[list("ab")].assign(c=table.a + table.b)
    with pytest.raises(ValueError, match="form factor"):
        BayesianLinearRegression(prior="none").fit(LinearStatistics().update(twins, table.price))


def test_the_callback_hears_of_rows_and_ends_the_reading(table):
    heard = []
    pieces = (table.iloc[i : i + 1000] for i in range(0, len(table), 1000))
    BayesianLinearRegression(callback=lambda p: heard.append((p.piece, p.done))).fit(pieces, y="price")
    assert heard[:2] == [("row", 1000), ("row", 2000)]
    pieces = (table.iloc[i : i + 1000] for i in range(0, len(table), 1000))
    with pytest.raises(InterruptedError, match="after 3,000 rows"):
        BayesianLinearRegression(callback=lambda p: p.done < 3000).fit(pieces, y="price")


def test_memory_does_not_grow_with_the_rows(tmp_path):
    rng = np.random.default_rng(0)
    schema = pyarrow.schema([(f"x{j}", pyarrow.float64()) for j in range(20)] + [("y", pyarrow.float64())])
    for name, pieces in (("short", 4), ("long", 20)):
        with pyarrow.parquet.ParquetWriter(tmp_path / f"{name}.parquet", schema) as writer:
            for _ in range(pieces):
                X = rng.normal(size=(50_000, 20))
                writer.write_table(pyarrow.table([*X.T, X[:, 0]], schema=schema))
    code = textwrap.dedent(f"""
        import resource
        from ardvark import BayesianLinearRegression
        BayesianLinearRegression().fit({str(tmp_path / "short.parquet")!r}, y="y")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        model = BayesianLinearRegression().fit({str(tmp_path / "long.parquet")!r}, y="y")
        print(model.statistics_.n_rows_, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
    """)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    rows, growth = out.stdout.split()
    assert int(rows) == 1_000_000
    assert float(growth) < 67  # half of what the long table has more, 134 MB


def test_columns_of_the_folders_names(table, tmp_path):
    pytest.importorskip("pyarrow.dataset")
    import pyarrow.dataset

    rows = table.assign(year=np.where(np.arange(len(table)) < 20_000, 2023, 2024))
    pyarrow.dataset.write_dataset(pyarrow.Table.from_pandas(rows), tmp_path, format="parquet", partitioning=["year"], partitioning_flavor="hive")
    model = BayesianLinearRegression().fit(pyarrow.dataset.dataset(tmp_path, partitioning="hive"), y="price")
    close(model, BayesianLinearRegression().fit(rows, y="price"))
    assert "year" in model.feature_names_in_


@pytest.mark.parametrize("files, rows_of_a_group", [(1, 400_000), (8, 50_000)])
def test_files_of_parquet_are_not_read_ahead(tmp_path, files, rows_of_a_group):
    """Half of a table of 67 MB at most, where the fit is slower than the reader."""
    rng = np.random.default_rng(0)
    for number in range(files):
        table = pyarrow.table({f"x{j}": rng.normal(size=400_000 // files) for j in range(21)})
        pyarrow.parquet.write_table(table, tmp_path / f"{number}.parquet", row_group_size=rows_of_a_group, use_dictionary=False)
    rows, most = read_slowly(tmp_path)
    assert rows == 400_000 and most < 34


def read_slowly(folder):
    """The rows that are read, and how many megabytes Arrow takes at most meanwhile."""
    code = textwrap.dedent(f"""
        import time, pyarrow
        from ardvark._streams import pieces_of
        rows = 0
        for piece in pieces_of({str(folder)!r}):
            rows += len(piece)
            time.sleep(0.01)
        print(rows, pyarrow.default_memory_pool().max_memory() / 1e6)
    """)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    rows, most = out.stdout.split()
    return int(rows), float(most)


def test_what_decodes_a_column_is_not_held_for_all_columns(tmp_path):
    """Different numbers in a dictionary: each is there twice while it is decoded. One group of rows and a piece are held, or two."""
    rng = np.random.default_rng(0)
    for number in range(4):
        table = pyarrow.table({f"x{j}": rng.normal(size=60_000) for j in range(40)})
        pyarrow.parquet.write_table(table, tmp_path / f"{number}.parquet", row_group_size=60_000)
    rows, most = read_slowly(tmp_path)
    assert rows == 240_000 and most < 1.3 * 8 * 60_000 * 40 / 1e6


@pytest.mark.parametrize("group", [1, 1023, 8192, 8193, 20_000, 30_000])
@pytest.mark.parametrize("limit", [0, 48 << 20])
def test_groups_of_rows_of_any_size_are_read_whole_and_in_order(table, tmp_path, monkeypatch, group, limit):
    from ardvark import _files, _streams

    monkeypatch.setattr(_files, "_BYTES_OF_A_GROUP", limit)
    rows = pyarrow.Table.from_pandas(table.head(3000 if group == 1 else len(table)), preserve_index=False)
    rows = rows.append_column("city", pyarrow.array([None if i % 7 == 0 else f"city {i % 5}" for i in range(len(rows))]))
    pyarrow.parquet.write_table(rows, tmp_path / "t.parquet", row_group_size=group)
    pieces = list(_streams.pieces_of(tmp_path))
    assert pyarrow.Table.from_batches(pieces).combine_chunks().equals(rows.combine_chunks())
    assert max(len(piece) for piece in pieces) <= 8192


@pytest.fixture(scope="module")
def homes():
    rng = np.random.default_rng(1)
    n = 12_000
    city = np.array(["Ulm", "Bern", "Aarau", "week 10", "week 2"])[np.where(np.arange(n) < 5000, 0, rng.integers(0, 5, n))]
    frame = pandas.DataFrame({"size": rng.uniform(30, 200, n), "city": city, "garden": rng.random(n) < 0.3, "w": rng.integers(0, 3, n)})
    frame["price"] = 2 * frame["size"] + 30 * (frame.city == "Bern") - 10 * frame.garden + rng.normal(size=n) * 20
    return frame


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("reference", [None, {"city": "Aarau"}])
def test_text_columns_whose_levels_come_later(homes, weights, reference):
    columns = homes if weights else homes.drop(columns="w")
    full = BayesianLinearRegression(reference=reference).fit(columns, y="price", sample_weight=weights)
    bits = set()
    for size in (500, 3000, 20_000):
        pieces = (columns.iloc[i : i + size] for i in range(0, len(columns), size))
        model = BayesianLinearRegression(reference=reference).fit(pieces, y="price", sample_weight=weights)
        assert list(model.feature_names_in_) == list(full.feature_names_in_)
        assert np.abs((model.coef_ - full.coef_) / full.coef_std_).max() < 1e-6
        some = homes.iloc[::501]
        assert np.allclose(model.predict(some), full.predict(some), rtol=1e-9)
        bits.add(model.statistics_.to_bytes())
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.predict(some), model.predict(some))
    assert len(bits) == 1


def test_parts_of_a_table_with_other_levels_merge(homes):
    columns = homes.drop(columns="w")
    full = BayesianLinearRegression(flat=["city"]).fit(columns, y="price")
    merged = LinearStatistics("factor")
    for first in range(0, len(columns), 2500):
        merged.merge(pickle.loads(pickle.dumps(LinearStatistics("factor").update(columns.iloc[first : first + 2500], "price"))))
    model = BayesianLinearRegression(flat=["city"]).fit(merged)
    assert np.abs((model.coef_ - full.coef_) / full.coef_std_).max() < 1e-6
    north = BayesianLinearRegression().partial_fit(columns.iloc[:3000].drop(columns="price"), columns.price.iloc[:3000])
    north.partial_fit(columns.iloc[3000:].drop(columns="price"), columns.price.iloc[3000:])
    assert list(north.feature_names_in_) == ["size", "city", "garden"]
    with pytest.raises(ValueError, match="row 12003 has no value in column 'city'"):
        gaps = columns.iloc[:5].drop(columns="price").copy()
        gaps.loc[2, "city"] = None
        north.partial_fit(gaps, columns.price.iloc[:5])
    with pytest.raises(ValueError, match="'size'.*a text, but earlier rows have numbers"):
        north.partial_fit(columns.iloc[:5].drop(columns="price").astype({"size": str}), columns.price.iloc[:5])


def test_folds_choose_the_lambda_and_give_the_error(homes):
    columns = homes.drop(columns="w")
    folds = [LinearStatistics().update(columns.iloc[first : first + 2400], "price") for first in range(0, 12_000, 2400)]
    model = BayesianLinearRegression(prior="laplace").fit(folds)
    assert model.statistics_.n_rows_ == 12_000
    assert any("5-fold cross-validation" in note for note in model.notes_)
    full = BayesianLinearRegression(prior="laplace", laplace_lambda=model.lambda_).fit(columns, y="price")
    assert np.allclose(model.coef_, full.coef_, rtol=1e-6, atol=1e-8) and model.converged_
    others = LinearStatistics()
    for fold in folds[1:]:
        others.merge(fold)
    trained = BayesianLinearRegression().fit(others)
    expected = np.mean((columns.price[:2400] - trained.predict(columns.iloc[:2400])) ** 2)
    assert np.isclose(folds[0].squared_error(trained), expected, rtol=1e-9)
    with pytest.raises(ValueError, match="no column|columns"):
        LinearStatistics().update(columns[["size", "price"]], "price").squared_error(trained)


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
def test_statistics_of_the_shell(homes, tmp_path):
    columns = homes.drop(columns="w")
    columns.to_csv(tmp_path / "homes.csv", index=False)
    subprocess.run([PROGRAM, "stats", tmp_path / "homes.csv", "--target", "price", "-o", tmp_path / "homes.stats", "-q"], check=True)
    statistics = LinearStatistics.load(tmp_path / "homes.stats")
    assert list(statistics.feature_names_in_) == ["size", "city", "garden"]
    model, full = BayesianLinearRegression().fit(statistics), BayesianLinearRegression().fit(columns, y="price")
    assert np.abs((model.coef_ - full.coef_) / full.coef_std_).max() < 1e-6
    assert np.allclose(model.predict(columns.iloc[:9]), full.predict(columns.iloc[:9]))
    more = statistics.update(columns.iloc[:9].replace({"city": columns.city.iloc[0]}, "a new one"), "price")
    assert more.n_rows_ == len(columns) + 9
    reference = ["--reference", f"city={columns.city.iloc[0]}"]
    subprocess.run([PROGRAM, "stats", tmp_path / "homes.csv", "--target", "price", "-o", tmp_path / "chosen.stats", "-q", *reference], check=True)
    with pytest.raises(ValueError, match="make statistics of it, and merge them"):
        LinearStatistics.load(tmp_path / "chosen.stats").update(columns.iloc[:9], "price")
    LinearStatistics().update(columns, "price").save(tmp_path / "ours.stats")
    command = [PROGRAM, "fit", "--statistics", tmp_path / "ours.stats", "-o", tmp_path / "model.ardvark", "-q"]
    subprocess.run(command, check=True)
    theirs = ardvark.load(tmp_path / "model.ardvark")
    assert np.allclose(theirs.predict(columns.iloc[:9]), full.predict(columns.iloc[:9]))


def test_an_infinite_number_is_named_by_its_row_over_all_calls():
    rows = pandas.DataFrame({"a": np.arange(30.0) % 7, "t": ["u", "v", "w"] * 10, "y": np.arange(30.0)})
    rows.loc[25, "a"] = np.inf
    statistics = LinearStatistics()
    with pytest.raises(ValueError, match="^row 26, column 'a': the value is inf"):
        for first in (0, 10, 20):
            statistics.update(rows[first : first + 10], "y")
    assert statistics.n_rows_ == 20
    with pytest.raises(ValueError, match="row 26, column 'a': the value is inf"):
        BayesianLinearRegression().fit(lambda: (rows[first : first + 10] for first in (0, 10, 20)), y="y")


def mixed(z):
    """The last steps of splitmix64, as published by S. Vigna."""
    mask = (1 << 64) - 1
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def folds_by_hand(rows, target, count, seed=1):
    """(L1.14) for columns of numbers, the target first, the others by their correlations; all of these are those of the first 1000 rows."""
    number, at = np.zeros(len(rows)), 0
    correlation = rows[:1000].drop(columns=target).corrwith(rows[target][:1000])
    for name in [target, *correlation.abs().sort_values().index]:
        values, first = rows[name].to_numpy(float), rows[name].to_numpy(float)[:1000]
        if np.ptp(first) > 0:
            sign = -1 if correlation.get(name, 0) < 0 else 1
            number += sign * (0.5 + mixed(at + 1) / 2**64) * (values - first.mean()) / first.std()
            at += 1
    cells = np.floor(number / (number[:1000].std() / 2**20)).astype(int)
    return np.array([mixed(mixed(mixed(seed + 1) ^ (int(cell) % 2**64))) % count for cell in cells])


def in_pieces(rows, size):
    return (rows.iloc[first : first + size] for first in range(0, len(rows), size))


@pytest.mark.parametrize("folds", [None, 5])
def test_a_source_is_divided_for_the_lambda_by_a_number_of_each_row(homes, tmp_path, folds):
    rows = homes.select_dtypes("number").drop(columns="w")
    rows.to_parquet(tmp_path / "rows.parquet")
    part_of = folds_by_hand(rows, "price", folds or 10)
    expected = BayesianLinearRegression("laplace").fit([LinearStatistics().update(rows[part_of == part], "price") for part in range(folds or 10)])
    for source in (tmp_path / "rows.parquet", in_pieces(rows, 777), in_pieces(rows, 12_000)):
        model = BayesianLinearRegression("laplace", folds=folds).fit(source, y="price")
        np.testing.assert_allclose(model.lambda_path_.loss, expected.lambda_path_.loss, rtol=1e-9)  # a row at the edge of a cell
        assert model.lambda_ == pytest.approx(expected.lambda_, rel=1e-9)


@pytest.mark.parametrize("with_text", [False, True])
def test_the_folds_of_a_source_see_neither_units_nor_shifts_nor_constants_nor_rows_of_weight_zero(homes, with_text):
    rows = homes if with_text else homes.select_dtypes("number")
    number = [name for name in rows.select_dtypes("number").columns if name not in ("price", "w")][0]
    other = rows.assign(**{number: 5 - 1000 * rows[number], "price": rows["price"] / 100 + 7})
    other.insert(1, "one", 2.5)
    absent = other[::50].assign(w=0.0, price=0.0)
    other = pandas.concat([absent, pandas.concat([other, absent]).sort_index(kind="stable")], ignore_index=True)

    def losses(table, size, **options):
        return np.asarray(BayesianLinearRegression("laplace", **options).fit(in_pieces(table, size), y="price", sample_weight="w").lambda_path_.loss)

    loss = losses(rows, 1000)
    np.testing.assert_allclose(losses(other, 1500) * 100**2, loss, rtol=1e-6)
    assert np.array_equal(losses(rows, 1000, random_state=1), loss)
    assert np.abs(losses(rows, 1000, random_state=2) / loss - 1).max() > 1e-6


@pytest.mark.parametrize("with_text", [False, True])
def test_the_folds_of_a_source_do_not_see_the_order_of_the_columns(homes, with_text):
    rng = np.random.default_rng(4)
    rows = (homes if with_text else homes.select_dtypes("number")).assign(**{f"x{j}": rng.normal(size=len(homes)) for j in range(4)}, one=1.5)

    def losses(table):
        return np.asarray(BayesianLinearRegression("laplace").fit(in_pieces(table, 1000), y="price", sample_weight="w").lambda_path_.loss)

    loss = losses(rows)
    for _ in range(3):
        np.testing.assert_allclose(losses(rows[rng.permutation(rows.columns)]), loss, rtol=1e-6)


def test_equal_rows_of_a_source_are_in_one_fold():
    rng = np.random.default_rng(3)
    few = pandas.DataFrame(rng.normal(size=(40, 30)), columns=[f"x{j}" for j in range(30)]).assign(k=rng.choice(["a", "b"], 40), y=rng.normal(size=40))
    rows = pandas.concat([few] * 50, ignore_index=True)  # a fit that has seen a row of the same values explains noise
    loss = BayesianLinearRegression("laplace").fit(in_pieces(rows, 333), y="y").lambda_path_.loss
    assert loss.min() > 0.8 * np.var(few["y"]) and loss[-1] > np.var(few["y"])


def test_the_losses_of_a_source_are_those_in_memory_up_to_the_folds(homes):
    full = BayesianLinearRegression("laplace").fit(homes.drop(columns="w"), y="price")
    model = BayesianLinearRegression("laplace").fit(in_pieces(homes.drop(columns="w"), 1000), y="price")
    path, of_all = model.lambda_path_, full.lambda_path_
    np.testing.assert_allclose(path.lambdas, of_all.lambdas, rtol=1e-6)
    assert np.all(np.abs(path.loss - of_all.loss) < of_all.loss_error)
    given = BayesianLinearRegression("laplace", laplace_lambda=full.lambda_)
    one, other = given.fit(in_pieces(homes.drop(columns="w"), 1000), y="price").coef_, given.fit(homes.drop(columns="w"), y="price").coef_
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("with_text", [False, True])
def test_a_wrong_row_of_a_divided_source_is_named_by_its_place(homes, with_text):
    rows = homes.copy() if with_text else homes.select_dtypes("number").copy()
    rows.loc[[3456, 3457, 9000], "size"] = np.nan
    for source in (in_pieces(rows, 1000), iter([pyarrow.Table.from_pandas(rows)])):
        with pytest.raises(ValueError, match="row 3457 .*'size'|row 3457, column 'size'"):
            BayesianLinearRegression("laplace").fit(source, y="price")
    with pytest.raises(ValueError, match="in the rows after row 2000: X has no column 'size', which earlier rows have"):
        BayesianLinearRegression("laplace").fit(iter([homes[["size", "price"]][:2000], homes[["w", "price"]]]), y="price")
    with pytest.raises(ValueError, match="folds is 1; it must be at least 2"):
        BayesianLinearRegression("laplace", folds=1).fit(in_pieces(homes, 1000), y="price")


def test_a_source_of_fewer_rows_than_folds(homes):
    few = homes[["size", "price"]][:6]
    model = BayesianLinearRegression("laplace").fit(in_pieces(few, 1), y="price")
    n_parts = len(set(folds_by_hand(few, "price", 10)))
    assert any(f"{n_parts}-fold cross-validation" in note for note in model.notes_)


@pytest.mark.parametrize("with_text", [False, True])
@pytest.mark.parametrize("kind", ["pandas", "nullable", "objects", "polars", "arrow", "file"])
def test_true_and_false_of_target_and_weights_are_numbers(homes, tmp_path, with_text, kind):
    rows = (homes if with_text else homes.select_dtypes("number")).assign(price=homes.price > 250, w=homes.w > 0)
    numbers = rows.assign(price=rows.price.astype(float), w=rows.w.astype(float))
    expected = BayesianLinearRegression("shared").fit(iter([numbers]), y="price", sample_weight="w")

    def source_of(rows):
        names = ["price", "w"]
        rows.to_parquet(tmp_path / "rows.parquet")
        return {
            "pandas": lambda: in_pieces(rows, 5000),
            "nullable": lambda: in_pieces(rows.astype(dict.fromkeys(names, "boolean")), 5000),
            "objects": lambda: in_pieces(rows.astype(dict.fromkeys(names, object)), 5000),
            "polars": lambda: iter([pytest.importorskip("polars").DataFrame(pyarrow.Table.from_pandas(rows))]),
            "arrow": lambda: pyarrow.Table.from_pandas(rows).to_reader(),
            "file": lambda: tmp_path / "rows.parquet",
        }[kind]()

    model = BayesianLinearRegression("shared").fit(source_of(rows), y="price", sample_weight="w")
    assert np.array_equal(model.coef_, expected.coef_) and model.intercept_ == expected.intercept_
    for name in ("price", "w"):
        gap = rows.astype({name: object})
        gap.loc[4000, name] = None
        with pytest.raises(ValueError, match=rf"'{name}'.*row 4001\b|row 4001\b.*'{name}'|^sample_weight at row 4001 is NaN"):
            BayesianLinearRegression("shared").fit(source_of(gap), y="price", sample_weight="w")


@pytest.mark.parametrize("prior", ["shared", "laplace"])
def test_weights_that_are_all_zero_are_told(homes, prior):
    rows = homes.assign(w=0.0)
    with pytest.raises(ValueError, match="^the weights are all zero; at least one must be positive"):
        BayesianLinearRegression(prior).fit(in_pieces(rows, 5000), y="price", sample_weight="w")
    with pytest.raises(ValueError, match="^the weights are all zero; at least one must be positive"):
        BayesianLinearRegression(prior).fit(LinearStatistics().update(rows, "price", "w"))


@pytest.mark.parametrize("missing", ["drop", "impute"])
def test_missing_values_of_a_source_are_told(homes, missing):
    with pytest.raises(ValueError, match=f"missing is '{missing}', but X is read in pieces; leave out rows with gaps in the source"):
        BayesianLinearRegression(missing=missing).fit(in_pieces(homes, 5000), y="price")


@pytest.mark.parametrize("prior", ["none", "shared", "ard"])
def test_little_noise_is_the_same_in_memory_and_in_pieces(tmp_path, prior):
    """A ten-thousandth of the target's spread, 70 rows: least squares has the noise; the default prior of the noise must not be seen."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(70, 2))
    y = 3 + X @ [1.0, -1.0] + 1e-4 * rng.normal(size=70)
    A = np.column_stack([np.ones(70), X])
    residual = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
    noise = np.sqrt(residual @ residual / 67)
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y})
    path = tmp_path / "line.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pandas(frame), path)
    for fit in (
        BayesianLinearRegression(prior=prior).fit(X, y),
        BayesianLinearRegression(prior=prior).fit(frame[["a", "b"]], frame["y"]),
        BayesianLinearRegression(prior=prior).fit(path, "y"),
        BayesianLinearRegression(prior=prior).partial_fit(X[:40], y[:40]).partial_fit(X[40:], y[40:]),
        BayesianLinearRegression(prior=prior, standardize=False).fit(X, 1e-6 * y),
    ):
        scale = 1e-6 if not fit.standardize else 1
        assert fit.alpha_**-0.5 / scale == pytest.approx(noise, rel=1e-6 if prior == "none" else 0.02)


def test_a_wrong_weight_is_named_by_its_row_in_this_call(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y, weights = X[:, 0], np.ones(60)
    weights[0] = -1
    rows = pandas.DataFrame(X, columns=["a", "b"])
    texts = rows.assign(g=np.resize(["u", "v"], 60))
    for table, message in [
        (X, "^sample_weight at row 1 is -1; weights must not be negative"),
        (rows, "^sample_weight at row 1 is -1; weights must not be negative"),
        (texts, "^row 1, column 'sample weight': -1 is no weight"),
    ]:
        for begin in (LinearStatistics().update(table, y).update, BayesianLinearRegression().partial_fit(table, y).partial_fit):
            with pytest.raises(ardvark.InvalidArgumentError, match=message) as error:
                begin(table, y, weights)
            assert (error.value.argument, error.value.row) == ("sample_weight", 1)
    for name, w in (("1", np.ones(60)), ("2", weights)):
        rows.assign(y=y, w=w).to_csv(tmp_path / f"{name}.csv", index=False)
    with pytest.raises(ardvark.InvalidArgumentError, match=f"^sample_weight at row 1 of '{tmp_path}/2.csv' is -1") as error:
        BayesianLinearRegression().fit(str(tmp_path), "y", "w")
    whole = iter([rows.assign(y=y, w=1.0), rows.assign(y=y, w=weights)])
    with pytest.raises(ardvark.InvalidArgumentError, match="row 61 is -1"):
        BayesianLinearRegression().fit(whole, "y", "w")
