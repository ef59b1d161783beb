"""The recipes of docs/many_rows.md: engines that call a function for each part of a table."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import ardvark

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "many_rows.md"


@pytest.fixture
def houses(tmp_path, monkeypatch):
    """Five files of Parquet, and the table of all of them. A level of the text column first occurs in the last file."""
    rng = np.random.default_rng(0)
    n = 5000
    table = pandas.DataFrame(rng.normal(size=(n, 3)), columns=["size", "age", "noise"])
    table["city"] = np.where(np.arange(n) < 4200, rng.choice(["Ulm", "Bern"], n), "Aarau")
    table["price"] = 3 + table["size"] - 0.1 * table.age + (table.city == "Bern") + rng.normal(size=n)
    (tmp_path / "houses").mkdir()
    for number in range(5):
        table[1000 * number : 1000 * (number + 1)].to_parquet(tmp_path / "houses" / f"part-{number}.parquet")
    monkeypatch.chdir(tmp_path)
    return table


def run(engine: str, **names):
    """The names of a recipe after it has run."""
    recipes = [code for code in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL) if engine in code]
    assert len(recipes) == 1 and len([line for line in recipes[0].splitlines() if line]) <= 12
    names["__name__"] = "__main__"  # a function of a module that nobody can import is sent as it is
    exec(recipes[0], names)
    return names


def is_fit_of(model, table):
    full = ardvark.BayesianLinearRegression().fit(table, y="price")
    assert model.statistics_.n_rows_ == len(table)
    assert list(model.feature_names_in_) == list(full.feature_names_in_)
    assert np.abs((model.coef_ - full.coef_) / full.coef_std_).max() < 1e-6
    assert model.bound_history_[-1] == pytest.approx(full.bound_history_[-1], abs=1e-4)


def test_joblib(houses):
    pytest.importorskip("joblib")
    is_fit_of(run("joblib")["model"], houses)


def test_the_function_for_spark_takes_batches_of_arrow(houses):
    """Without Spark: partitions as it gives them, one of them without rows."""

    def map_in_arrow(function, schema):
        assert schema == "sums binary"
        partitions = [pyarrow.Table.from_pandas(houses[begin:end], preserve_index=False).to_batches(max_chunksize=300) for begin, end in ((0, 1700), (0, 0), (1700, 5000))]
        batches = [batch for partition in partitions for batch in function(iter(partition))]
        return SimpleNamespace(collect=lambda: [SimpleNamespace(**row) for batch in batches for row in batch.to_pylist()])

    read = SimpleNamespace(parquet=lambda path: SimpleNamespace(mapInArrow=map_in_arrow))
    is_fit_of(run("mapInArrow", spark=SimpleNamespace(read=read))["model"], houses)


def test_spark(houses, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        is_fit_of(run("mapInArrow", spark=spark)["model"], houses)
    finally:
        spark.stop()


def test_ray(houses):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        is_fit_of(run("@ray.remote")["model"], houses)
    finally:
        ray.shutdown()
