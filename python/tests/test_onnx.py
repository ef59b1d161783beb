"""The exported graph, run by onnx's own evaluator and by ONNX Runtime, predicts what the estimator predicts."""

import json

import numpy as np
import onnx
import pytest
from ardvark import (
    BayesianCountRegression,
    BayesianLinearRegression,
    BayesianLogisticRegression,
    RelevanceVectorRegressor,
    SequentialLogisticRegression,
    SparseLogisticRegression,
    to_onnx,
)
from onnx.reference import ReferenceEvaluator

rng = np.random.default_rng(0)
X = rng.normal(size=(100, 4)) * [1, 10, 0.1, 3] + [0, 50, 0, 1]
y = X @ [1, 0.2, 5, 0] + rng.normal(size=100)
labels = np.where(y > np.median(y), "yes", "no")
three = np.digitize(y, np.quantile(y, [0.3, 0.6]))
NEW = X[:40] * rng.uniform(0.5, 2, size=(40, 4))


def reference(model):
    return ReferenceEvaluator(model).run


def onnxruntime(model):
    runtime = pytest.importorskip("onnxruntime", reason="pip install onnxruntime, of 68 MB, to run the graphs where they will run")
    return runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run


RUNTIMES = pytest.mark.parametrize("runtime", [reference, onnxruntime])


@RUNTIMES
@pytest.mark.parametrize(
    "estimator",
    [
        BayesianLinearRegression(),
        BayesianLinearRegression("ard", posterior="factorised"),
        BayesianLinearRegression("none", fit_intercept=False),
        BayesianLinearRegression(noise="student"),
        BayesianLinearRegression("shared", noise="student"),
    ],
)
def test_regression(estimator, runtime):
    run = runtime(to_onnx(estimator.fit(X, y)))
    for rows in (NEW, NEW[:1]):
        for ours, theirs in zip(estimator.predict(rows, return_std=True), run(None, {"X": rows})):
            assert theirs.shape == ours.shape and theirs.dtype == np.float64
            np.testing.assert_allclose(theirs, ours, rtol=1e-9)


@RUNTIMES
@pytest.mark.parametrize("estimator", [BayesianCountRegression(), BayesianCountRegression("none", fit_intercept=False), BayesianCountRegression("shared", family="negative-binomial")])
def test_counts(estimator, runtime):
    counts, rows = np.round(np.exp(0.1 * (y - y.mean()))), NEW / 10
    run = runtime(to_onnx(estimator.fit(X / 10, counts)))
    for ours, theirs in zip(estimator.predict(rows, return_std=True), run(None, {"X": rows})):
        assert theirs.shape == ours.shape and theirs.dtype == np.float64
        np.testing.assert_allclose(theirs, ours, rtol=1e-9)


@RUNTIMES
@pytest.mark.parametrize(
    "estimator, target",
    [
        (BayesianLogisticRegression(), labels),
        (BayesianLogisticRegression("slab", fit_intercept=False), labels),
        (BayesianLogisticRegression("shared"), labels),
        (BayesianLogisticRegression("ard", likelihood="jj"), labels),
        (BayesianLogisticRegression("laplace", laplace_lambda=3.0), labels),
        (SequentialLogisticRegression(), labels),
        (SparseLogisticRegression(), labels),
        (SparseLogisticRegression("rlr_lap"), labels),
        (BayesianLogisticRegression("none", fit_intercept=False), labels),
        (BayesianLogisticRegression(coding="one-against-rest"), three),
        (BayesianLogisticRegression("ard", coding="one-against-rest"), three),
    ],
)
@pytest.mark.filterwarnings("ignore::ardvark.ArdvarkWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
def test_classes(estimator, target, runtime, tmp_path):
    onnx.save(to_onnx(estimator.fit(X, target)), tmp_path / "model.onnx")
    read = onnx.load(tmp_path / "model.onnx")
    run = runtime(read)
    for rows in (NEW, NEW[:1]):
        (probability,) = run(None, {"X": rows})
        assert probability.dtype == np.float64
        np.testing.assert_allclose(probability, estimator.predict_proba(rows), atol=1e-6, rtol=0)
    assert json.loads({p.key: p.value for p in read.metadata_props}["classes"]) == estimator.classes_.tolist()


@pytest.mark.filterwarnings("ignore::ardvark.ArdvarkWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_is_not_exported_says_so():
    with pytest.raises(ValueError, match="one-against-rest"):
        to_onnx(BayesianLogisticRegression().fit(X, three))
    with pytest.raises(ValueError, match="published rule"):
        to_onnx(SparseLogisticRegression(compat=True).fit(X, labels))
    with pytest.raises(ValueError, match="must be a linear or logistic estimator"):
        to_onnx(RelevanceVectorRegressor())
