"""Fits of classes in partitions of Dask."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import ardvark

dask = pytest.importorskip("dask")
pandas = pytest.importorskip("pandas")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
from ardvark.dask import BayesianLogisticRegression  # noqa: E402


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 24_000
    frame = pandas.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    frame["city"] = np.where(np.arange(n) < 7000, "Ulm", rng.choice(["Ulm", "Bern", "Aarau"], n))
    frame["w"] = rng.integers(0, 3, n).astype(float)
    score = frame.a - 0.3 * frame.c + (frame.city == "Bern")
    frame["click"] = np.where(rng.random(n) < 1 / (1 + np.exp(-score)), "yes", "no")
    return frame


@pytest.fixture(scope="module", autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("prior", ["ard", "auto"])
def test_frames_with_text_weights_and_a_named_target(table, prior):
    parts = dd.from_pandas(table, npartitions=7)
    columns = [*"abcd", "city"]
    full = ardvark.BayesianLogisticRegression(prior=prior).fit(table[columns], table["click"], table["w"])
    model = BayesianLogisticRegression(prior=prior).fit(parts, y="click", sample_weight="w")
    assert model.status_ == "converged" and model.classes_.tolist() == ["no", "yes"]
    assert np.abs((model.coef_ - full.coef_) / full.coef_std_).max() < 0.02
    assert np.allclose(model.coef_std_, full.coef_std_, rtol=0.01)
    assert list(model.feature_names_in_) == list(full.feature_names_in_)
    other = BayesianLogisticRegression(prior=prior).fit(parts[columns], parts["click"], parts["w"])
    assert other.coef_.tolist() == model.coef_.tolist()
    label, probability = model.predict(parts), model.predict_proba(parts)
    assert dask.is_dask_collection(label) and dask.is_dask_collection(probability)
    assert np.allclose(probability.compute(), full.predict_proba(table), atol=2e-3)
    assert label.compute().tolist() == pickle.loads(pickle.dumps(model)).predict(table).tolist()
    assert label.compute().index.equals(table.index)


def test_arrays_give_the_bits_of_frames_and_of_other_schedulers(table):
    X = table[list("abcd")].to_numpy()
    y = (table["click"] == "yes").to_numpy()
    given = da.from_array(X, chunks=(5000, 3)), da.from_array(y, chunks=5000)
    model = BayesianLogisticRegression(prior="shared").fit(*given)
    with dask.config.set(scheduler="threads", num_workers=4):
        assert BayesianLogisticRegression(prior="shared").fit(*given).coef_.tolist() == model.coef_.tolist()
    assert model.predict_proba(given[0]).shape == (len(X), 2)
    assert model.predict(given[0]).compute().tolist() == model.predict(X).tolist()


def three(table):
    """The third label is only in the last partitions."""
    late = np.arange(len(table)) > 15_000
    species = np.where(table["click"] == "yes", "cat", np.where(late & (table["b"] > 0), "eel", "dog"))
    return table.drop(columns="click").assign(species=species)


@pytest.mark.parametrize("prior, coding", [("ard", "one-against-rest"), ("sparse", "automatic"), ("ard", "softmax"), ("auto", "automatic")])
def test_several_classes(table, prior, coding):
    rows = three(table)
    parts = dd.from_pandas(rows, npartitions=7)
    full = ardvark.BayesianLogisticRegression(prior=prior, coding=coding).fit(rows[[*"abcd", "city"]], rows["species"], rows["w"])
    model = BayesianLogisticRegression(prior=prior, coding=coding).fit(parts, y="species", sample_weight="w")
    assert model.status_ == "converged" and model.classes_.tolist() == ["cat", "dog", "eel"]
    assert np.abs((model.coef_ - full.coef_) / full.coef_std_).max() < 0.02
    assert np.allclose(model.coef_std_, full.coef_std_, rtol=0.03)
    label, probability = model.predict(parts), model.predict_proba(parts)
    assert dask.is_dask_collection(label) and dask.is_dask_collection(probability)
    assert probability.compute().shape == (len(rows), 3)
    assert np.allclose(probability.compute(), full.predict_proba(rows), atol=3e-3)
    assert label.compute().tolist() == model.predict(rows).tolist()
    X = da.from_array(rows[list("abcd")].to_numpy(), chunks=(5000, 4))
    arrays = BayesianLogisticRegression(prior="shared").fit(X, da.from_array(rows["species"].to_numpy().astype(str), chunks=5000))
    assert arrays.predict_proba(X).shape == (len(rows), 3)
    assert arrays.predict_proba(X).compute().shape == (len(rows), 3)


@pytest.mark.parametrize("coding", ["softmax", "one-against-rest"])
def test_the_bits_of_several_classes_do_not_depend_on_the_number_of_workers(table, coding):
    distributed = pytest.importorskip("distributed")
    parts = dd.from_pandas(three(table), npartitions=6)
    bits = set()
    for workers in (1, 4):
        with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
            with distributed.Client(cluster), dask.config.set(scheduler="distributed"):
                model = BayesianLogisticRegression(coding=coding).fit(parts, y="species", sample_weight="w")
        bits.add((model.coef_.tobytes(), model.coef_std_.tobytes(), model.intercept_.tobytes(), model.bound_))
    assert len(bits) == 1


def test_a_laplace_prior(table):
    X = table[list("abcd")].to_numpy()
    y = (table["click"] == "yes").to_numpy()
    given = {"prior": "laplace", "laplace_lambda": 300.0}
    full = ardvark.BayesianLogisticRegression(**given).fit(X, y)
    in_parts = da.from_array(X, chunks=(5000, 4)), da.from_array(y, chunks=5000)
    model = BayesianLogisticRegression(**given).fit(*in_parts)
    assert model.status_ == "converged" and (model.coef_ == 0).tolist() == (full.coef_ == 0).tolist()
    assert np.allclose(model.coef_, full.coef_, rtol=1e-7)
    chosen = BayesianLogisticRegression(prior="laplace", folds=4).fit(*in_parts)
    with dask.config.set(scheduler="threads", num_workers=4):
        again = BayesianLogisticRegression(prior="laplace", folds=4).fit(*in_parts)
    assert chosen.coef_.tolist() == again.coef_.tolist() and chosen.lambda_path_.loss.tolist() == again.lambda_path_.loss.tolist()


def test_what_is_wrong_is_named_by_partition_and_row(table):
    spoiled = table.drop(columns=["city", "w"])
    spoiled.loc[13_000, "b"] = np.nan
    with pytest.raises(ValueError, match="in partition 2: row 1001 .*'b'"):
        BayesianLogisticRegression().fit(dd.from_pandas(spoiled, npartitions=4, sort=False), y="click")
    measured = table[["a", "b"]].assign(click=np.arange(len(table)) % 1200)
    with pytest.raises(ValueError, match="more than 1,000 labels .0, 1, 2, ..."):
        BayesianLogisticRegression().fit(dd.from_pandas(measured, npartitions=40), y="click")
    with pytest.raises(ValueError, match="y is missing"):
        BayesianLogisticRegression().fit(dd.from_pandas(table, npartitions=4))
