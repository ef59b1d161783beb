"""Kernel machines of tables in partitions of Dask."""

import numpy as np
import pandas as pd
import pytest

import ardvark

pytest.importorskip("dask")
dask_dataframe = pytest.importorskip("dask.dataframe")
import dask

from ardvark.dask import KernelClassifier, KernelRegressor
from small_sample import use_sample

ROWS = 9000  # more than twice the sample


@pytest.fixture(autouse=True)
def small_sample(monkeypatch):
    use_sample(monkeypatch, 4000)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    rows = pd.DataFrame(rng.normal(size=(ROWS, 2)), columns=["age", "rent"])
    rows["city"] = rng.choice(["Ulm", "Bern"], ROWS)
    rows["price"] = np.sin(2 * rows["age"]) + (rows["city"] == "Ulm") + 0.3 * rng.normal(size=ROWS)
    rows["click"] = np.where(rows["price"] > 0.5, "yes", "no")
    return rows


def test_a_regression_of_partitions_predicts_lazily_and_as_in_memory(table):
    rows = table.drop(columns="click")
    frame = dask_dataframe.from_pandas(rows, npartitions=5)
    options = {"kernel": "gaussian", "centres": 40}
    with dask.config.set(scheduler="synchronous"):
        fit = KernelRegressor(**options).fit(frame, y="price")
        mean, std = fit.predict(frame, return_std=True)
        assert not isinstance(mean, pd.Series)
        mean, std = mean.compute(), std.compute()
    memory = ardvark.KernelRegressor(**options).fit(rows.drop(columns="price"), rows["price"])
    expected, expected_std = memory.predict(rows, return_std=True)
    assert mean.index.equals(rows.index)
    assert np.sqrt(np.mean((mean - expected) ** 2)) < 0.2 * expected_std.mean()
    np.testing.assert_allclose(std, expected_std, rtol=0.1)
    X = rows.drop(columns=["price", "city"]).to_numpy()
    np.testing.assert_array_equal(fit.relevance_vectors_[:, :2], X[fit.support_])  # rows of the whole table
    with pytest.raises(ValueError, match="return_cov cannot be used"):
        fit.predict(frame, return_cov=True)


@pytest.mark.parametrize("task", ["regression", "classes", "three classes"])
def test_the_bits_do_not_depend_on_the_number_of_workers(table, task):
    rows = table.drop(columns=["city", "click" if task == "regression" else "price"])
    if task == "three classes":
        rows["click"] = rows["click"].where(rows["rent"] < 0.5, "perhaps")
    frame = dask_dataframe.from_pandas(rows, npartitions=5)
    model = KernelRegressor if task == "regression" else KernelClassifier
    tokens = []
    for workers in (1, 2, 4):
        with dask.config.set(scheduler="threads", num_workers=workers):
            fit = model("gaussian", width=1.0, centres=8).fit(frame, y="price" if task == "regression" else "click")
            tokens.append(fit.predict(frame).compute().tolist() + fit._model.array("relevance_vectors").ravel().tolist())
    assert tokens[0] == tokens[1] == tokens[2]


def test_three_classes_of_partitions_are_predicted_as_in_memory(table):
    rows = table.drop(columns=["price", "city"])
    rows["click"] = rows["click"].where(np.random.default_rng(4).random(ROWS) > 1 / (1 + np.exp(-3 * rows["rent"])), "perhaps")
    options = {"kernel": "gaussian", "width": 1.0, "centres": 40}
    frame = dask_dataframe.from_pandas(rows, npartitions=5)
    with dask.config.set(scheduler="synchronous"):
        fit = KernelClassifier(**options).fit(frame, y="click")
        probability = fit.predict_proba(frame).compute()
    memory = ardvark.KernelClassifier(**options).fit(rows.drop(columns="click"), rows["click"])
    assert fit.classes_.tolist() == ["no", "perhaps", "yes"]
    right = np.searchsorted(fit.classes_, rows["click"])
    loss, expected = (-np.mean(np.log(p[np.arange(ROWS), right])) for p in (probability, memory.predict_proba(rows.drop(columns="click"))))
    assert abs(loss - expected) < 0.002


def test_what_is_wrong_is_named_by_partition(table):
    rows = table.drop(columns=["click", "city"])
    rows.loc[6500, "age"] = np.nan
    with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError, match="in partition 3: .*'age'"):
        KernelRegressor(centres=15).fit(dask_dataframe.from_pandas(rows, npartitions=5), y="price")
