"""Types of Arrow and of pandas that hold the same values as plain ones give the same fit, in memory and in pieces."""

import json
import os
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from ardvark import (
    BayesianLinearRegression,
    BayesianLogisticRegression,
    KernelClassifier,
    KernelRegressor,
    LinearStatistics,
    RelevanceVectorClassifier,
    SequentialLogisticRegression,
    SparseLogisticRegression,
)

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

rng = np.random.default_rng(1)
NUMBER = rng.normal(size=90)
CITY = [["Bonn", "Oslo", "Rome"][k] for k in rng.integers(0, 3, 90)]
PRICE = NUMBER + 2 * (np.array(CITY) == "Oslo") + 0.1 * rng.normal(size=90)
LABEL = np.where(PRICE > 0.5, "high", "low").tolist()


def inside(values, of=pyarrow.int8(), kind=None):
    """A dictionary of which a null is a level."""
    levels = list(dict.fromkeys(values))
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array([levels.index(value) for value in values], of), pyarrow.array(levels, kind))


TEXTS = {
    "string": lambda values: pyarrow.array(values, pyarrow.string()),
    "large_string": lambda values: pyarrow.array(values, pyarrow.large_string()),
    "string_view": lambda values: pyarrow.array(values, pyarrow.string_view()),
    "dictionary": lambda values: pyarrow.array(values).dictionary_encode(),
    "dictionary of views": lambda values: inside(values, pyarrow.int32(), pyarrow.string_view()),
    "null inside": inside,
    "null inside, views": lambda values: inside(values, pyarrow.uint16(), pyarrow.string_view()),
}


def at_path(table, folder):
    parquet.write_table(table, folder / "t.parquet")
    return str(folder / "t.parquet")


def at_folder(table, folder):
    (folder / "part=1").mkdir()
    (folder / "part=2").mkdir()
    parquet.write_table(table[:40], folder / "part=1" / "a.parquet")
    parquet.write_table(table[40:], folder / "part=2" / "b.parquet", row_group_size=20)
    return str(folder)


def in_arrow_file(table, folder):
    with pyarrow.ipc.new_file(str(folder / "t.arrow"), table.schema) as file:
        file.write_table(table)
    return str(folder / "t.arrow")


SOURCES = {
    "table": lambda table, folder: table,
    "batch": lambda table, folder: table.combine_chunks().to_batches()[0],
    "reader": lambda table, folder: table.to_reader(20),
    "batches": lambda table, folder: iter(table.to_batches(20)),
    "path": at_path,
    "folder": at_folder,
    "arrow": in_arrow_file,
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("kind", TEXTS)
def test_a_column_of_texts(kind, source, tmp_path):
    def table_with(of):
        return pyarrow.table({"number": NUMBER, "city": of(CITY), "price": PRICE, "w": np.resize([1.0, 2.0], 90)})

    right = BayesianLinearRegression("shared").fit(table_with(TEXTS["string"]), target="price", sample_weight="w")
    try:
        given = SOURCES[source](table_with(TEXTS[kind]), tmp_path)
    except pyarrow.ArrowNotImplementedError as error:
        pytest.skip(f"pyarrow cannot write it: {error}")
    model = BayesianLinearRegression("shared").fit(given, "price", sample_weight="w")
    names = [name for name in model.columns_ if not name.startswith("part")]
    assert names == right.columns_
    if source != "folder":  # which has a column more
        assert np.allclose(model.coef_, right.coef_, rtol=1e-9)
    new = table_with(TEXTS[kind]).drop_columns("price")
    if source != "folder":
        assert np.allclose(model.predict(new), right.predict(table_with(TEXTS["string"])), rtol=1e-9)
        pieces = np.concatenate(list(model.predict_batches(iter(new.to_batches(20)))))
        assert np.allclose(pieces, model.predict(new), rtol=1e-12)


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize("source", ["table", "batch", "reader", "path", "arrow"])
@pytest.mark.parametrize("kind", TEXTS)
def test_labels(kind, source, small, tmp_path, monkeypatch):
    if not small:
        monkeypatch.setattr("ardvark._pieces.SMALL_BYTES", 100)
    table = pyarrow.table({"number": NUMBER, "city": TEXTS[kind](CITY), "label": TEXTS[kind](LABEL)})
    plain = pyarrow.table({"number": NUMBER, "city": CITY, "label": LABEL})
    right = BayesianLogisticRegression("shared").fit(plain, target="label")
    try:
        given = SOURCES[source](table, tmp_path)
    except pyarrow.ArrowNotImplementedError as error:
        pytest.skip(f"pyarrow cannot write it: {error}")
    model = BayesianLogisticRegression("shared").fit(given, "label")
    assert model.classes_.tolist() == ["high", "low"] and np.allclose(model.coef_, right.coef_, rtol=1e-5)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("kind", TEXTS)
def test_a_gap_among_texts(kind, source, tmp_path):
    """It is told with row and column; and rows of it are left out where this is asked for."""
    cities = [None if row in (7, 50) else city for row, city in enumerate(CITY)]
    table = pyarrow.table({"number": NUMBER, "city": TEXTS[kind](cities), "price": PRICE})
    try:
        given = SOURCES[source](table, tmp_path)
    except pyarrow.ArrowNotImplementedError as error:
        pytest.skip(f"pyarrow cannot write it: {error}")
    with pytest.raises(ValueError, match="(row 8.*'city'|no value in column 'city')"):
        BayesianLinearRegression("shared").fit(given, "price")
    if source in ("table", "batch"):
        plain = pyarrow.table({"number": NUMBER, "city": CITY, "price": PRICE}).filter(pyarrow.array([row not in (7, 50) for row in range(90)]))
        right = BayesianLinearRegression("shared").fit(plain, target="price")
        assert np.allclose(BayesianLinearRegression("shared", missing="drop").fit(given, target="price").coef_, right.coef_, rtol=1e-9)


@pytest.mark.parametrize("kind", TEXTS)
def test_a_label_that_is_missing(kind):
    labels = [None if row in (7, 50) else label for row, label in enumerate(LABEL)]
    table = pyarrow.table({"number": NUMBER, "label": TEXTS[kind](labels)})
    with pytest.raises(ValueError, match="target 'label' has no value at row 8"):
        BayesianLogisticRegression().fit(table, target="label")
    kept = [row for row in range(90) if row not in (7, 50)]
    right = BayesianLogisticRegression("shared").fit(NUMBER[kept][:, None], np.array(LABEL)[kept])
    found = BayesianLogisticRegression("shared", missing="drop").fit(table, target="label")
    assert found.classes_.tolist() == ["high", "low"] and np.allclose(found.coef_, right.coef_, rtol=1e-9)


def test_numbers_in_a_dictionary_with_a_null_are_levels():
    codes = [None if row == 3 else int(code) for row, code in enumerate(np.array(CITY) == "Oslo")]
    plain = pyarrow.table({"number": NUMBER, "code": pyarrow.array(codes).dictionary_encode(), "price": PRICE})
    table = pyarrow.table({"number": NUMBER, "code": inside(codes), "price": PRICE})
    right, found = (BayesianLinearRegression("shared", missing="drop").fit(one, target="price") for one in (plain, table))
    assert found.columns_ == right.columns_ and np.allclose(found.coef_, right.coef_, rtol=1e-12)


TARGETS = {
    "boolean": ("boolean", [False, True]),
    "bool[pyarrow]": ("bool[pyarrow]", [False, True]),
    "Int64": ("Int64", [0, 1]),
    "UInt8": ("UInt8", [0, 1]),
    "int64[pyarrow]": ("int64[pyarrow]", [0, 1]),
    "string": ("string", ["False", "True"]),
    "category": ("category", [False, True]),
}


@pytest.mark.parametrize("dtype", TARGETS)
@pytest.mark.parametrize(
    "model",
    [
        BayesianLogisticRegression("shared"),
        SparseLogisticRegression(),
        SequentialLogisticRegression(),
        KernelClassifier(centres=10, averaging=False),
        RelevanceVectorClassifier(width=2.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_labels_of_pandas_own_types(model, dtype):
    """They are what numpy would have: True and False, whole numbers, texts."""
    X, truth = NUMBER[:, None], pandas.Series(PRICE > 0.5)
    y = (truth.astype(str) if dtype == "string" else truth).astype(TARGETS[dtype][0])
    model.fit(X, y)
    assert model.classes_.tolist() == TARGETS[dtype][1]
    assert [type(label) for label in model.classes_.tolist()] == [type(label) for label in TARGETS[dtype][1]]
    plain = type(model)(**model.get_params()).fit(X, np.array(y.tolist()))
    assert (model.predict(X) == plain.predict(X)).all()
    assert (model.log_density(X, y) == plain.log_density(X, np.array(y.tolist()))).all()
    if dtype != "category":
        assert model.score(X, y) == plain.score(X, np.array(y.tolist()))
    if isinstance(model, SequentialLogisticRegression):
        parts = SequentialLogisticRegression().partial_fit(X, y, classes=TARGETS[dtype][1]).partial_fit(X, y)
        assert parts.n_rows_seen_ == 180
    if "missing" in model.get_params():
        gap = y.copy()
        gap[4] = None
        dropped = type(model)(**{**model.get_params(), "missing": "drop"}).fit(X, gap)
        assert dropped.classes_.tolist() == TARGETS[dtype][1]
    frame = pandas.DataFrame({"x": NUMBER, "y": y})
    assert type(model)(**model.get_params()).fit(frame, target="y").classes_.tolist() == TARGETS[dtype][1]


@pytest.mark.parametrize("dtype", ["Float64", "Int64", "double[pyarrow]", "boolean"])
def test_numbers_of_pandas_own_types(dtype):
    y = pandas.Series(np.round(PRICE) > 0 if dtype == "boolean" else np.round(PRICE)).astype(dtype)
    right = BayesianLinearRegression("shared").fit(NUMBER[:, None], np.array(y.tolist(), dtype=float))
    assert np.allclose(BayesianLinearRegression("shared").fit(NUMBER[:, None], y).coef_, right.coef_, rtol=1e-12)
    assert np.allclose(BayesianLinearRegression("shared").fit(pandas.DataFrame({"x": NUMBER, "y": y}), target="y").coef_, right.coef_, rtol=1e-12)
    assert np.allclose(BayesianLinearRegression("shared").partial_fit(NUMBER[:, None], y).coef_, right.coef_, rtol=1e-9)
    assert LinearStatistics().update(NUMBER[:, None], y).n_rows_ == 90
    gap = y.copy()
    gap[4] = None
    with pytest.raises(ValueError, match="y has no value at row 5"):
        BayesianLinearRegression("shared").fit(NUMBER[:, None], gap)


DURATION = np.round(1e6 * NUMBER).astype("timedelta64[us]")


@pytest.mark.parametrize("unit", ["us", "ns", "s"])
def test_durations_are_no_numbers(unit, tmp_path):
    """Numbers of which unit? A message says what can be done."""
    taken = DURATION.astype(f"timedelta64[{unit}]")
    frame = pandas.DataFrame({"number": PRICE, "taken": taken, "price": PRICE})
    in_table = r"row 1, column 'taken': '.*' is a duration; make a number of it, such as its seconds: column.dt.total_seconds\(\)"
    parquet.write_table(pyarrow.table(frame), tmp_path / "t.parquet")
    for source in (lambda: frame, lambda: pyarrow.table(frame), lambda: pyarrow.table(frame).to_reader(), lambda: str(tmp_path / "t.parquet")):
        for kind in (BayesianLinearRegression, KernelRegressor):
            with pytest.raises(ValueError, match=in_table):
                kind().fit(source(), "price")
            with pytest.raises(ValueError, match="'.*',? (is )?a duration; make a number of it"):
                kind().fit(source(), "taken")
    X = np.column_stack([taken, taken])
    for work in (
        lambda: BayesianLinearRegression().fit(X, PRICE),
        lambda: BayesianLogisticRegression().fit(X, LABEL),
        lambda: SequentialLogisticRegression().fit(X, LABEL),
        lambda: BayesianLinearRegression().partial_fit(X, PRICE),
        lambda: LinearStatistics().update(X, PRICE),
        lambda: BayesianLinearRegression().fit(np.column_stack([NUMBER, NUMBER]), PRICE).predict(X),
        lambda: BayesianLinearRegression().fit(X.astype("int64").astype("datetime64[ms]"), PRICE),
    ):
        with pytest.raises(ValueError, match="X at row 1 is '.*', a d(uration; make a number of it, such as its seconds|ate or a time; make a number)"):
            work()
    for work in (
        lambda: BayesianLinearRegression().fit(NUMBER[:, None], PRICE, sample_weight=abs(taken)),
        lambda: SequentialLogisticRegression().fit(NUMBER[:, None], LABEL, sample_weight=abs(taken)),
        lambda: LinearStatistics().update(NUMBER[:, None], PRICE, abs(taken)),
    ):
        with pytest.raises(ValueError, match="sample_weight at row 1 is '.*', a duration"):
            work()


PROGRAM = Path(__file__).parents[2] / "build" / "bin" / "ardvark"
WHOLE = np.arange(90) % 50
STORED = {
    **{str(kind): (lambda kind=kind: pyarrow.array(WHOLE).cast(kind), True) for kind in (pyarrow.int8(), pyarrow.uint16(), pyarrow.uint64(), pyarrow.float32())},
    **{str(kind): (lambda kind=kind: pyarrow.array([Decimal(int(k)) for k in WHOLE], kind), True) for kind in (pyarrow.decimal128(9, 2), pyarrow.decimal256(50, 2))},
    "half floats": (lambda: pyarrow.array(WHOLE.astype("float16")), True),
    "beyond 2^63": (lambda: pyarrow.array(WHOLE.astype("uint64") * np.uint64(2**40) + np.uint64(2**63)), True),
    "numbers in a dictionary": (lambda: pyarrow.array(WHOLE).dictionary_encode(), True),
    **{str(kind): (lambda kind=kind: pyarrow.array(WHOLE).cast(kind), False) for kind in map(pyarrow.duration, ("s", "ms", "us", "ns"))},
    **{str(kind): (lambda kind=kind: pyarrow.array(WHOLE).cast(kind), False) for kind in (pyarrow.time64("us"), pyarrow.time64("ns"), pyarrow.timestamp("ns"), pyarrow.timestamp("s", "UTC"))},
    "date": (lambda: pyarrow.array(WHOLE.astype("int32")).cast(pyarrow.date32()), False),
    "timedeltas of pandas": (lambda: pyarrow.Array.from_pandas(pandas.to_timedelta(WHOLE, "h")), False),
    "periods of pandas": (lambda: pandas.PeriodIndex.from_ordinals(WHOLE, freq="D").array.__arrow_array__(), False),
}


WRITERS = ["pyarrow", "pandas", "polars"]
NOT_WRITTEN = {("time64[ns]", "pandas"), ("decimal256(50, 2)", "polars")}  # they have no such type


@pytest.mark.parametrize("kind, writer", [(kind, writer) for kind in STORED for writer in WRITERS if (kind, writer) not in NOT_WRITTEN])
def test_the_shell_reads_the_same_numbers_or_refuses_them_too(kind, writer, tmp_path):
    make, is_number = STORED[kind]
    table, path = pyarrow.table({"number": NUMBER, "taken": make(), "price": PRICE + 0.1 * WHOLE}), tmp_path / "t.parquet"
    if writer == "pyarrow":
        parquet.write_table(table, path)
    elif writer == "pandas":
        table.to_pandas().to_parquet(path)
    else:
        pytest.importorskip("polars").from_arrow(table).write_parquet(path)
    words = [PROGRAM, "fit", path, "--target", "price", "--model", "linear", "--prior", "none", "--json"]
    shell = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "VIRTUAL_ENV": sys.prefix})
    if is_number:
        model = BayesianLinearRegression("none").fit(str(path), "price")
        np.testing.assert_allclose(json.loads(shell.stdout)["mean"], model.coef_, rtol=1e-9)
        return
    with pytest.raises(ValueError, match="'taken'"):
        BayesianLinearRegression("none").fit(str(path), "price")
    assert shell.returncode == 2 and re.search("column 'taken' of '.*' holds (durations|dates or times|periods) .*make a number of it", shell.stderr), shell.stderr
    assert subprocess.run([*words, "--ignore", "taken"], capture_output=True, env={**os.environ, "VIRTUAL_ENV": sys.prefix}).returncode == 0
