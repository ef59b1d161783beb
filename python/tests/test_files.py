"""Copies and files: pickle, model files."""

import pickle

import numpy as np
import pytest
from ardvark import BayesianLinearRegression, BayesianLogisticRegression, RelevanceVectorClassifier
from estimator_cases import ALL, BINARY, KERNEL, LINEAR, X, fitted, labels, name, species
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


@pytest.mark.parametrize("estimator", [*LINEAR, *BINARY[:3], *KERNEL], ids=name)
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
            ValueError, match=f"the file holds a linear model of classes, which {other.__name__} is not"
        ):
            other.load(path)
