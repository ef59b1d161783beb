"""Copies and files: pickle, model files."""

import json
import os
import pickle
import stat
import threading

import numpy as np
import pytest
from ardvark import (
    BayesianLinearRegression,
    BayesianLogisticRegression,
    RelevanceVectorClassifier,
    SequentialLogisticRegression,
    _core,
)
from estimator_cases import ALL, BINARY, COUNTS, KERNEL, LINEAR, X, fitted, labels, name, species
from sklearn.base import clone
from sklearn.exceptions import NotFittedError


@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_pickle(estimator):
    fit = fitted(estimator)
    again = pickle.loads(pickle.dumps(fit))
    assert np.array_equal(again.predict(X), fit.predict(X)) and again.summary() == fit.summary()
    assert (
        np.array_equal(again.sigma_, fit.sigma_) if hasattr(fit, "sigma_") else not hasattr(again, "sigma_")
    )
    with pytest.raises(NotFittedError):
        clone(fit).predict(X)


@pytest.mark.parametrize("estimator", [*LINEAR, *COUNTS, *BINARY[:3], *KERNEL], ids=name)
def test_save_and_load(estimator, tmp_path):
    fit = fitted(estimator)
    fit.save(tmp_path / "a.ardvark")
    again = type(estimator).load(tmp_path / "a.ardvark")
    assert np.array_equal(again.predict(X), fit.predict(X)) and again.n_features_in_ == 4
    assert again.bound_ == fit.bound_ and again.summary() == fit.summary()
    with pytest.raises(OSError, match="nowhere"):
        type(estimator).load(tmp_path / "nowhere.ardvark")


def test_load_keeps_names_and_kinds_of_labels(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "m.ardvark"
    table = pandas.DataFrame(X, columns=["age", "height", "dose", "site"])
    for target in (labels, (labels == "yes").astype(int), np.where(labels == "yes", 2.0, -1.0), species):
        fit = BayesianLogisticRegression().fit(table, target)
        fit.save(path)
        again = BayesianLogisticRegression.load(path)
        assert np.array_equal(again.classes_, fit.classes_) and again.feature_names_in_.tolist() == list(
            table
        )
        assert np.array_equal(again.predict(table), fit.predict(table))
    for other in (BayesianLinearRegression, RelevanceVectorClassifier):
        with pytest.raises(
            ValueError, match=f"the file holds a linear model for classes, which {other.__name__} cannot load"
        ):
            other.load(path)


@pytest.mark.parametrize("estimator", [*LINEAR, *COUNTS, *BINARY[:3], *KERNEL], ids=name)
def test_a_model_file_is_one_of_safetensors(estimator, tmp_path):
    safetensors = pytest.importorskip("safetensors")
    path = str(tmp_path / "m.ardvark")
    fit = fitted(estimator)
    fit.save(path)
    with safetensors.safe_open(path, framework="numpy") as file:
        metadata, arrays = file.metadata(), {key: file.get_tensor(key) for key in file.keys()}
    assert metadata["format"] == "ardvark-model" and metadata["format_version"] in ("5", "10", "11", "13")
    assert sorted(json.loads(metadata["checksums"])) == sorted(arrays)
    assert all(array.dtype == np.float64 for array in arrays.values())
    if "mean" in arrays:
        assert np.array_equal(arrays["mean"], np.ravel(fit.coef_))


def changed(data):
    """Each byte in turn another one."""
    for at in range(0, len(data), 7):
        yield data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def test_bytes_that_have_changed_are_refused():
    for estimator in (*LINEAR[:2], *COUNTS, *BINARY[:2], *KERNEL[:1]):
        for data in changed(fitted(estimator)._model.to_bytes()):
            with pytest.raises(ValueError, match="."):
                _core.from_bytes(data)
    filter = _core.Sequential(4)
    filter.update(X, np.where(labels == "yes", 1, -1))
    for data in changed(filter.to_bytes()):
        with pytest.raises(ValueError, match="."):
            _core.Sequential.from_bytes(data)
    again = pickle.loads(pickle.dumps(SequentialLogisticRegression().fit(X, labels)))
    assert again.predict(X).shape == labels.shape


def test_save_writes_what_a_link_leads_to_and_keeps_permissions(tmp_path):
    fit = fitted(LINEAR[0])
    target, link = tmp_path / "target.ardvark", tmp_path / "link.ardvark"
    os.symlink(target.name, link)
    for mode in (None, 0o600, 0o664):
        if mode is not None:
            target.chmod(mode)
        fit.save(link)
        assert link.is_symlink() and not target.is_symlink()
        assert mode is None or stat.S_IMODE(target.stat().st_mode) == mode
        assert np.array_equal(type(fit).load(link).predict(X), fit.predict(X))
    assert len(os.listdir(tmp_path)) == 2


def test_threads_that_save_to_one_path_leave_one_of_their_models(tmp_path):
    path = tmp_path / "m.ardvark"
    fits = [fitted(estimator) for estimator in LINEAR[:2]]
    failures = []

    def save(fit):
        try:
            for _ in range(30):
                fit.save(path)
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=save, args=(fits[i % 2],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and os.listdir(tmp_path) == ["m.ardvark"]
    last = BayesianLinearRegression.load(path)
    assert any(last.bound_ == fit.bound_ for fit in fits)
