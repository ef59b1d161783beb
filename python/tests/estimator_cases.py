"""Data and estimators that the tests of the estimators share."""

import numpy as np
from ardvark import (
    BayesianCountRegression,
    BayesianLinearRegression,
    BayesianLogisticRegression,
    RelevanceVectorClassifier,
    RelevanceVectorRegressor,
    SequentialLogisticRegression,
    SparseLogisticRegression,
)
from sklearn.base import clone

rng = np.random.default_rng(11)
X = rng.normal(size=(150, 4))
y = X @ [2.0, 0, -1, 0] + 1 + 0.3 * rng.normal(size=150)
labels = np.where(2 * X[:, 0] - X[:, 2] + rng.logistic(size=150) > 0, "yes", "no")
counts = rng.poisson(np.exp(0.5 + 0.6 * X[:, 0])).astype(float)
species = np.array(["cat", "dog", "eel"])[np.digitize(X[:, 0] + 0.3 * rng.normal(size=150), [-0.5, 0.5])]

LINEAR = [BayesianLinearRegression(), BayesianLinearRegression("ard", posterior="factorised")]
BINARY = [
    BayesianLogisticRegression(),
    BayesianLogisticRegression("laplace", laplace_lambda=2.0),
    SparseLogisticRegression(),
    SequentialLogisticRegression(),
]
KERNEL = [RelevanceVectorRegressor(width=2.0), RelevanceVectorClassifier(width=2.0)]
COUNTS = [BayesianCountRegression()]
ALL = [*LINEAR, *COUNTS, *BINARY, *KERNEL]


def name(estimator):
    return repr(estimator)


def target_of(estimator):
    if isinstance(estimator, BayesianCountRegression):
        return counts
    return labels if hasattr(estimator, "predict_proba") else y


def fitted(estimator):
    return clone(estimator).fit(X, target_of(estimator))
