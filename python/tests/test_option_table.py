"""The constructors take the options of the library's table."""

import inspect

import numpy as np
import pytest

import ardvark
from ardvark import BayesianCountRegression, BayesianLinearRegression, BayesianLogisticRegression, KernelRegressor
from ardvark._options import option_of, refused_in

ESTIMATORS = [
    BayesianLinearRegression,
    BayesianLogisticRegression,
    BayesianCountRegression,
    KernelRegressor,
    ardvark.KernelClassifier,
    ardvark.RelevanceVectorRegressor,
    ardvark.RelevanceVectorClassifier,
    ardvark.SparseLogisticRegression,
    ardvark.SequentialLogisticRegression,
]
OF_OUR_OWN = {"callback", "multi_class", "shuffle"}


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_parameter_is_an_option_or_has_a_meaning_here(estimator):
    parameters = set(inspect.signature(estimator).parameters)
    assert parameters - set(estimator()._options) - set(estimator._own) <= OF_OUR_OWN


def test_precisions_have_the_hyperparameters_that_they_have_in_the_library():
    assert option_of(["alpha_1", "lambda_1", "tol"]) == {"alpha_1": "a0", "lambda_1": "c0", "tol": "tolerance"}
    assert option_of(["lambda_1", "n_jobs", "callback"]) == {"lambda_1": "a0", "n_jobs": "threads"}


def test_the_table_says_what_needs_the_rows():
    assert refused_in("many rows in passes", {"solver": "primal", "coding": "one-against-one"}) == "coding"
    assert refused_in("passes", {"coding": "one-against-one"}) is None  # few rows are all in the sample
    assert refused_in("passes", {"diagnose": True}) == "diagnose"
    assert refused_in("statistics", {"solver": "qr", "missing": "drop"}) == "missing"
    assert refused_in("sparse X", {"prior": "slab", "diagnose": True}) == "diagnose"
    assert refused_in("sparse X", {"prior": "slab", "fdr": 0.1}) is None
    assert refused_in("sparse X", {"prior": [[0, 1], [2]], "tolerance": 1e-9}) is None


def test_counts_name_the_priors_that_they_have():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ValueError, match="^prior is 'foo'; it must be one of ard, auto, dense, groups, none, shared, slab, sparse$"):
        BayesianCountRegression("foo").fit(X, np.arange(6))


def test_a_diagnosis_makes_a_sparse_table_dense():
    assert BayesianLogisticRegression("shared")._takes_sparse
    assert not BayesianLogisticRegression("shared", diagnose=True)._takes_sparse
