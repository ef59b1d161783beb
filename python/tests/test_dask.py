"""Fits of tables in partitions of Dask: the same numbers, the same bits whatever the workers do."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import ardvark

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")
pandas = pytest.importorskip("pandas")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
from ardvark.dask import BayesianLinearRegression, statistics_of  # noqa: E402


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 20_000
    frame = pandas.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    frame["city"] = np.where(np.arange(n) < 6000, "Ulm", rng.choice(["Ulm", "Bern", "Aarau"], n))
    frame["w"] = rng.integers(0, 3, n).astype(float)
    frame["price"] = 3 + frame.a - 0.05 * frame.c + (frame.city == "Bern") + rng.normal(size=n)
    return frame


@pytest.fixture(scope="module", autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def close(model, full):
    assert np.abs((model.coef_ - full.coef_) / full.coef_std_).max() < 1e-6
    assert list(model.feature_names_in_) == list(full.feature_names_in_)


def test_frames_with_text_weights_and_a_named_target(table):
    parts = dd.from_pandas(table, npartitions=7)
    full = ardvark.BayesianLinearRegression().fit(table, y="price", sample_weight="w")
    model = BayesianLinearRegression().fit(parts, y="price", sample_weight="w")
    close(model, full)
    columns = [*"abcd", "city"]
    other = BayesianLinearRegression().fit(parts[columns], parts["price"], parts["w"])
    assert other.statistics_.to_bytes() == model.statistics_.to_bytes()
    mean, std = model.predict(parts, return_std=True)
    assert dask.is_dask_collection(mean) and dask.is_dask_collection(std)
    expected, sd = full.predict(table, return_std=True)
    assert np.allclose(mean.compute(), expected, rtol=1e-8) and np.allclose(std.compute(), sd, rtol=1e-8)
    assert mean.compute().index.equals(table.index)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(table), model.predict(table))
    assert np.array_equal(mean.compute(), model.predict(table))


def test_arrays_with_unknown_lengths_and_divided_columns(table):
    X, y = table[list("abcd")].to_numpy(), table.price.to_numpy()
    full = ardvark.BayesianLinearRegression().fit(X, y)
    model = BayesianLinearRegression().fit(da.from_array(X, chunks=(3000, 2)), da.from_array(y, chunks=3000))
    assert np.abs((model.coef_ - full.coef_) / full.coef_std_).max() < 1e-6
    rows = dd.from_pandas(table, npartitions=5)
    rows = rows[rows.a > 0]  # nobody knows how many
    model = BayesianLinearRegression().fit(rows[list("abcd")].to_dask_array(), rows["price"].to_dask_array())
    positive = table[table.a > 0]
    full = ardvark.BayesianLinearRegression().fit(positive[list("abcd")].to_numpy(), positive.price.to_numpy())
    assert np.abs((model.coef_ - full.coef_) / full.coef_std_).max() < 1e-6
    assert np.allclose(model.predict(rows[list("abcd")].to_dask_array()).compute(), full.predict(positive[list("abcd")].to_numpy()), rtol=1e-7)


def test_empty_partitions_and_what_is_not_of_dask(table):
    rows = dd.from_pandas(table.assign(part=np.arange(len(table))), npartitions=5)
    rows = rows[rows.part > 9000].drop(columns="part")
    model = BayesianLinearRegression().fit(rows, y="price", sample_weight="w")
    assert model.statistics_.n_rows_ == 10_999
    here = BayesianLinearRegression().fit(table[list("abcd")], table.price)
    assert np.array_equal(here.coef_, ardvark.BayesianLinearRegression().fit(table[list("abcd")], table.price).coef_)
    assert isinstance(here.predict(table[list("abcd")]), np.ndarray)


def test_wrong_data_are_named_by_partition_and_row(table):
    wrong = table.copy()
    wrong.loc[9_000, "c"] = np.nan
    with pytest.raises(ValueError, match="in partition 3: row 1001 has the value nan in column 'c'"):
        BayesianLinearRegression().fit(dd.from_pandas(wrong.drop(columns="city"), chunksize=2000).repartition(divisions=[0, 2000, 4000, 8000, 19_999]), y="price")
    parts = dd.from_pandas(table, npartitions=4)
    with pytest.raises(ValueError, match="y must be one, too"):
        BayesianLinearRegression().fit(parts[["a"]], table.price)
    with pytest.raises(ValueError, match="X has 4 partitions and y has 2"):
        BayesianLinearRegression().fit(parts[["a"]], parts["price"].repartition(npartitions=2))
    with pytest.raises(ValueError, match="y is missing"):
        BayesianLinearRegression().fit(parts)
    with pytest.raises(ValueError, match="'cost'"):
        BayesianLinearRegression().fit(parts, y="cost")
    with pytest.raises(ValueError, match="no rows"):
        BayesianLinearRegression().fit(parts[parts.a > 1e9], y="price")


def test_tasks_have_names_that_tell_what_they_do(table):
    from dask.utils import key_split

    graph = statistics_of(dd.from_pandas(table, npartitions=20), "price").__dask_graph__()
    names = [key for key in graph if key_split(key) in ("read-partition", "add-statistics")]
    numbers = sorted(int(name.split("-")[2]) for name in names if name.startswith("read-"))
    assert numbers == list(range(20)) and len(names) == 20 + 2 + 1


def _on_a_worker(rows):
    from distributed import get_worker

    get_worker()  # it raises elsewhere
    return rows


@pytest.mark.parametrize("num_workers", [1, 2, 4, 8])
def test_the_bits_do_not_depend_on_the_number_of_workers(table, num_workers):
    from distributed import Client, LocalCluster

    parts = dd.from_pandas(table, npartitions=40)
    expected = statistics_of(parts, "price").compute().to_bytes()
    with LocalCluster(n_workers=num_workers, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster, Client(cluster):
        model = BayesianLinearRegression().fit(parts.map_partitions(_on_a_worker, meta=parts._meta), y="price")
        assert model.statistics_.to_bytes() == expected


def test_a_cluster_that_loses_all_workers_ends_the_fit_if_it_is_told_to(table):
    from distributed import Client, LocalCluster
    from distributed.scheduler import NoWorkerError

    parts = dd.from_pandas(table, npartitions=40)
    with dask.config.set({"distributed.scheduler.no-workers-timeout": "1s"}):
        with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster, Client(cluster):
            threading.Timer(0.5, cluster.scale, [0]).start()
            with pytest.raises(NoWorkerError):
                BayesianLinearRegression().fit(parts.map_partitions(_slowly, meta=parts._meta), y="price")


def _slowly(rows):
    time.sleep(0.05)
    return rows


def test_the_bits_do_not_depend_on_workers_that_are_killed(table):
    from distributed import Client, LocalCluster

    parts = dd.from_pandas(table, npartitions=30)
    expected = statistics_of(parts, "price").compute().to_bytes()
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        slow = parts.map_partitions(_slowly, meta=parts._meta)
        assert statistics_of(slow, "price").compute().to_bytes() == expected
        pids = client.run(os.getpid)
        killer = threading.Timer(0.3, lambda: os.kill(next(iter(pids.values())), signal.SIGKILL))
        killer.start()
        model = BayesianLinearRegression().fit(slow, y="price")
        killer.join()
        assert model.statistics_.to_bytes() == expected
        assert np.allclose(model.predict(parts).compute(), model.predict(table))
