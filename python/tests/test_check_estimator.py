"""scikit-learn's own checks, none of which may fail. The oldest scikit-learn supported is 1.6.0."""

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", minversion="1.6")

import ardvark  # noqa: E402
from sklearn.base import is_classifier  # noqa: E402
from sklearn.utils import get_tags  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402


class RoundingCountRegression(ardvark.BayesianCountRegression):
    """The checks draw targets that are no whole numbers. This estimator rounds them; the rest is what is checked."""

    def fit(self, X, y=None, sample_weight=None):
        numbers = np.asarray(y)
        return super().fit(X, np.round(numbers) if numbers.dtype.kind == "f" else y, sample_weight)


OLD = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 7)
ESTIMATORS = [
    ardvark.BayesianLinearRegression(),
    ardvark.BayesianLinearRegression("ard"),
    ardvark.BayesianLinearRegression("shared", posterior="factorised"),
    RoundingCountRegression(),
    RoundingCountRegression("ard"),
    ardvark.BayesianLogisticRegression(),
    ardvark.BayesianLogisticRegression("ard", likelihood="jj"),
    ardvark.BayesianLogisticRegression("shared", likelihood="laplace", coding="one-against-rest"),
    ardvark.BayesianLogisticRegression("laplace", laplace_lambda=0.1),
    ardvark.SequentialLogisticRegression(),
    ardvark.SparseLogisticRegression(),
    ardvark.SparseLogisticRegression("slr_lap"),
    ardvark.SparseLogisticRegression("l1_slr_lap"),
    ardvark.SparseLogisticRegression("smlr"),
    ardvark.KernelRegressor(),
    ardvark.KernelClassifier(),
    ardvark.RelevanceVectorRegressor(),
    ardvark.RelevanceVectorRegressor(algorithm="type-two"),
    ardvark.RelevanceVectorClassifier(),
    ardvark.RelevanceSelector(),
    ardvark.RelevanceSelector(ardvark.BayesianLogisticRegression("ard")),
]


@pytest.mark.filterwarnings("ignore::ardvark.ArdvarkWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    is_binary = is_classifier(estimator) and not get_tags(estimator).classifier_tags.multi_class
    if OLD and is_binary and check.func.__name__ == "check_sample_weight_equivalence_on_dense_data":
        pytest.skip("scikit-learn 1.6 compares two targets: classes by the first row, after a shuffle")
    check(estimator)


def test_weights_are_repetition_where_classes_overlap():
    random = np.random.RandomState(3)
    X, weight = random.rand(40, 2), random.randint(0, 4, size=40)
    y = (X[:, 0] + 0.4 * random.randn(40) > 0.5).astype(int)
    order = random.permutation(weight.sum())
    repeated, labels = np.repeat(X, weight, axis=0)[order], np.repeat(y, weight)[order]
    one = ardvark.RelevanceVectorClassifier().fit(X, y, sample_weight=weight)
    two = ardvark.RelevanceVectorClassifier().fit(repeated, labels)
    assert one.converged_ and two.converged_
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-5)


def test_every_estimator_is_checked():
    ours = [next(kind for kind in type(e).__mro__ if kind.__module__.startswith("ardvark.")) for e in ESTIMATORS]
    assert {kind.__name__ for kind in ours} == set(ardvark._estimators)
