"""Predictions as an ONNX graph, for systems without Python or without ardvark."""

from __future__ import annotations

import json
from typing import Any, Optional

import numpy as np
from sklearn.utils.validation import check_is_fitted

__all__ = ["to_onnx"]

# E sigma(u) of normal u as a mixture of eight probits: weights and slopes of Monahan and Stefanski (1989)               (PRED.2)
_WEIGHTS = (
    [0.003246343272134, 0.051517477033972, 0.195077912673858, 0.315569823632818]
    + [0.274149576158423, 0.131076880695470, 0.027912418727972, 0.001449567805354]
)  # fmt: skip
_SLOPES = (
    [1.365340806296348, 1.059523971016916, 0.830791313765644, 0.650732166639391]
    + [0.508135425366489, 0.396313345166341, 0.308904252267995, 0.238212616409306]
)  # fmt: skip


class _Graph:
    """Nodes and constants with descriptive names."""

    def __init__(self, onnx: Any):
        self._onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: Any) -> str:
        value = np.asarray(value)
        self.constants.append(self._onnx.numpy_helper.from_array(value.astype(value.dtype, order="C"), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(self._onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def moments(self, mean: np.ndarray, covariance: np.ndarray) -> tuple[str, str]:
        """Mean and variance [rows, scores] of the scores. The rows are those of X with a one at the end.

        mean [q, scores], covariance [scores, q, q]
        """
        scores, q = covariance.shape[:2]
        ones = self.node("Expand", [self.constant("one", np.ones((1, 1))), self._rows()], "ones")
        x = self.node("Concat", ["X", ones], "X_and_one", axis=1)
        m = self.node("MatMul", [x, self.constant("coefficients", mean)], "score")
        V = self.constant("covariance", np.concatenate(list(covariance), axis=1))  # [q, scores q]
        product = self.node("MatMul", [x, V], "X_V")
        by_score = self.node("Reshape", [product, self.constant("by_score", np.array([-1, scores, q]))], "X_V_by_score")
        x3 = self.node("Unsqueeze", [x, self.constant("axis_of_scores", np.array([1]))], "X_by_score")
        terms = self.node("Mul", [by_score, x3], "terms")
        s = self.node("ReduceSum", [terms, self.constant("last", np.array([2]))], "sum_of_terms", keepdims=0)
        return m, self.node("Relu", [s], "variance_of_score")

    def _rows(self) -> str:
        shape = self.node("Shape", ["X"], "shape_of_X", start=0, end=1)
        return self.node("Concat", [shape, self.constant("one_column", np.array([1]))], "shape_of_ones", axis=0)

    def expected_sigmoid(self, m: str, s: str) -> str:
        """Probability [rows, scores] of positive scores.                                                          (PRED.2)"""
        slopes = np.array(_SLOPES)
        last = self.constant("last_axis", np.array([2]))
        m3, s3 = (self.node("Unsqueeze", [name, last], f"{name}_by_slope") for name in (m, s))
        spread = self.node("Mul", [s3, self.constant("slopes_squared", slopes**2)], "spread")
        root = self.node("Sqrt", [self.node("Add", [spread, self.constant("unit", np.array(1.0))], "unit_and_spread")], "root")
        scaled = self.node("Mul", [m3, self.constant("slopes", slopes / np.sqrt(2))], "scaled")
        z = self.node("Div", [scaled, root], "z")
        # Runtimes have Erf only in single precision. Its error of 1e-7 is small enough here.
        erf = self.node("Erf", [self.node("Cast", [z], "z_single", to=self._onnx.TensorProto.FLOAT)], "erf_single")
        wide = self.node("Cast", [erf], "erf", to=self._onnx.TensorProto.DOUBLE)
        weighted = self.node("Mul", [wide, self.constant("half_weights", 0.5 * np.array(_WEIGHTS))], "weighted")
        above = self.node("ReduceSum", [weighted, last], "above_one_half", keepdims=0)
        return self.node("Add", [above, self.constant("one_half", np.array(0.5))], "probability_of_score")


def _posterior_by_score(estimator: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """Mean [q, scores] and covariance [scores, q, q] of the weights and the intercept, which is 0 if there is none.

    For two classes and for counts under a sparse prior: of each component of the posterior, after the weights of the components [scores].
    (SP.8), (SL.16)
    """
    posterior, p, shares = estimator.posterior_, len(estimator._column_names()), None
    if (hasattr(estimator, "classes_") or hasattr(estimator, "deviance_")) and hasattr(estimator, "inclusion_"):  # one score
        components = estimator._model.value("components")
        shares = np.array([component["weight"] for component in components])
        means = [np.array(component["mean"]) for component in components]
        covariances = [np.array(component["covariance"]) for component in components]
    else:
        scores, size = posterior.n_scores, p + posterior.has_intercept
        means = list(posterior.mean.reshape(scores, size))
        blocks = posterior.covariance.reshape(scores, size, scores, size)
        covariances = [blocks[k, :, k] for k in range(scores)]
    mean, covariance = np.zeros((p + 1, len(means))), np.zeros((len(means), p + 1, p + 1))
    for k, (m, V) in enumerate(zip(means, covariances)):
        mean[: m.size, k], covariance[k, : m.size, : m.size] = m, V
    return shares, mean, covariance


def to_onnx(estimator: Any) -> Any:
    """The predictions of a fitted estimator with linear scores (numbers, classes, counts) as an ONNX model.

    The input is ``X`` of shape (rows, n_features), float64, with the columns of the fit; of counts that were fitted with an offset, also
    ``offset`` of shape (rows,). The outputs are float64. A
    regression has ``mean`` and ``std`` of a new observation, each of shape (rows,). A classifier has ``probability`` of
    shape (rows, n_classes), with the columns in the order of ``classes_``. The metadata of the model contain
    ``classes_`` as JSON. The outputs agree with `predict` and `predict_proba` to 1e-6. This is checked before the model
    is returned.

    Parameters
    ----------
    estimator : a fitted linear or logistic estimator of ardvark
        A regression, a classifier of two classes, or a classifier of more classes with coding="one-against-rest".

    Returns
    -------
    model : onnx.ModelProto
        Write it with ``onnx.save``.

    Raises
    ------
    ImportError
        The package onnx is not installed.
    ValueError
        The prediction rule of the estimator cannot be exported: several classes by softmax, the rule of a published
        program, or a fit that follows only some of very many columns (see its ``notes_``).

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression, to_onnx
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = to_onnx(BayesianLinearRegression().fit(X, X @ [1, 2] + 3))
    >>> [output.name for output in model.graph.output]
    ['mean', 'std']
    """
    from ._score import LinearScore

    try:
        import onnx
        import onnx.reference
    except ImportError:
        raise ImportError("to_onnx needs onnx: pip install ardvark[onnx]") from None
    if not isinstance(estimator, LinearScore):
        raise ValueError(f"estimator is {estimator!r}; it must be a linear or logistic estimator of ardvark")
    check_is_fitted(estimator)
    graph, classes = _Graph(onnx), getattr(estimator, "classes_", None)
    weights, mean, covariance = _posterior_by_score(estimator)
    if not np.isfinite(covariance).all():
        raise ValueError("the posterior has no covariance; only the coefficients could be exported")
    if hasattr(estimator, "deviance_"):  # of counts
        outputs = _of_counts(graph, weights, mean, covariance, _offset_column(estimator), estimator)
    elif classes is None:
        outputs = _of_regression(graph, estimator, mean, covariance)
    else:
        outputs = _of_classes(graph, weights, mean, covariance, len(classes))
    double, rows = onnx.TensorProto.DOUBLE, "rows"
    inputs = [("X", [len(estimator._column_names())]), *([("offset", [])] if getattr(estimator, "_has_offset", False) else [])]
    made = onnx.helper.make_model(
        onnx.helper.make_graph(
            graph.nodes,
            type(estimator).__name__,
            [onnx.helper.make_tensor_value_info(name, double, [rows, *shape]) for name, shape in inputs],
            [onnx.helper.make_tensor_value_info(name, double, [rows, *shape]) for name, shape in outputs],
            graph.constants,
        ),
        opset_imports=[onnx.helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="ardvark",
    )
    said = {"columns": list(estimator._column_names())}
    if classes is not None:
        said["classes"] = classes.tolist()
    onnx.helper.set_model_props(made, {name: json.dumps(value) for name, value in said.items()})
    onnx.checker.check_model(made)
    _try(onnx, made, estimator)
    return made


def _of_regression(graph: _Graph, estimator: Any, mean: np.ndarray, covariance: np.ndarray) -> Any:
    """The variance of a new observation is the sum of those of the noise and the score; the prediction at the origin gives the first."""
    origin = estimator._model.predict(np.zeros((1, len(estimator._column_names())))).array("sd")[0]
    if not np.isfinite(origin):
        raise ValueError("the predictions have no standard deviation: a Student-t distribution of at most two degrees of freedom has none")
    m, s = graph.moments(mean, covariance)
    variance = graph.node("Add", [s, graph.constant("noise", origin**2 - covariance[0, -1, -1])], "variance")
    std, only = graph.node("Sqrt", [variance], "std_as_column"), graph.constant("only", np.array([1]))
    graph.node("Squeeze", [m, only], "mean")
    graph.node("Squeeze", [std, only], "std")
    return [("mean", []), ("std", [])]


def _offset_column(estimator: Any) -> Optional[tuple[int, bool]]:
    """The column that is the offset of counts, and whether it is an exposure, whose logarithm is added."""
    for option in ("exposure", "offset_column") if hasattr(estimator, "deviance_") else ():
        if getattr(estimator, option) is not None:
            return list(estimator._column_names()).index(estimator._model.value(option)), option == "exposure"
    return None


def _of_counts(
    graph: _Graph, weights: Any, mean: np.ndarray, covariance: np.ndarray, offset_column: Optional[tuple[int, bool]], estimator: Any
) -> Any:
    """Mean and standard deviation of a new count, with a log-normal rate.                                              (POIS.4)"""
    m, s = graph.moments(mean, covariance)
    if offset_column is not None:  # (POIS.8), (POIS.9)
        column = graph.node("Gather", ["X", graph.constant("column_of_offset", np.array([offset_column[0]]))], "column", axis=1)
        m = graph.node("Add", [m, graph.node("Log", [column], "log_exposure") if offset_column[1] else column], "log_mean")
    if estimator._has_offset:
        column = graph.node("Unsqueeze", ["offset", graph.constant("second", np.array([1]))], "offset_as_column")
        m = graph.node("Add", [m, column], "log_mean")
    half = graph.node("Mul", [s, graph.constant("one_half", np.array(0.5))], "half_variance")
    rate = graph.node("Exp", [graph.node("Add", [m, half], "log_rate")], "rate")
    spread = graph.node("Sub", [graph.node("Exp", [s], "exp_variance"), graph.constant("certain", np.array(1.0))], "spread")
    of_rate = graph.node("Mul", [graph.node("Mul", [rate, rate], "rate_squared"), spread], "variance_of_rate")
    if weights is not None:  # (SL.16)
        shares, of_parts = graph.constant("weights", weights[:, None]), rate
        rate = graph.node("MatMul", [rate, shares], "mean_rate")
        away = graph.node("Sub", [of_parts, rate], "away")
        of_part = graph.node("Add", [of_rate, graph.node("Mul", [away, away], "away_squared")], "variance_of_parts")
        of_rate = graph.node("MatMul", [of_part, shares], "variance_of_mixture")
    if estimator.dispersion_ > 0:  # k E[rate^2]                                                                              (NB.6)
        second = graph.node("Add", [of_rate, graph.node("Mul", [rate, rate], "mean_squared")], "second_moment")
        scaled = graph.node("Mul", [second, graph.constant("dispersion", np.array(estimator.dispersion_))], "variance_of_law")
        of_rate = graph.node("Add", [of_rate, scaled], "variance_beyond_poisson")
    std = graph.node("Sqrt", [graph.node("Add", [rate, of_rate], "variance")], "std_as_column")
    only = graph.constant("only", np.array([1]))
    graph.node("Squeeze", [rate, only], "mean")
    graph.node("Squeeze", [std, only], "std")
    return [("mean", []), ("std", [])]


def _of_classes(graph: _Graph, weights: Any, mean: np.ndarray, covariance: np.ndarray, number: int) -> Any:
    p = graph.expected_sigmoid(*graph.moments(mean, covariance))
    if weights is not None:
        p = graph.node("MatMul", [p, graph.constant("weights", weights[:, None])], "probability_of_second")
    if weights is not None or mean.shape[1] == 1:
        other = graph.node("Sub", [graph.constant("certain", np.array(1.0)), p], "probability_of_other")
        graph.node("Concat", [other, p], "probability", axis=1)
    else:  # each against the rest                                                                                     (SMX.9)
        total = graph.node("ReduceSum", [p, graph.constant("of_classes", np.array([1]))], "total", keepdims=1)
        graph.node("Div", [p, total], "probability")
    return [("probability", [number])]


def _try(onnx: Any, made: Any, estimator: Any) -> None:
    """Compares the outputs on random rows, scaled by the coefficients."""
    random = np.random.default_rng(0)
    size = 3 / np.maximum(np.abs(np.atleast_2d(estimator.coef_)).max(axis=0), 1e-3)
    if hasattr(estimator, "deviance_"):  # rates grow exponentially, with the variance of the score too
        size = np.minimum(size, 1 / np.maximum(estimator.coef_std_, 1e-3)) / np.sqrt(size.size)
    X = random.normal(size=(64, len(estimator._column_names()))) * size * 10.0 ** random.uniform(-2, 0, (64, 1))
    if (offset_column := _offset_column(estimator)) is not None:
        X[:, offset_column[0]] = 1 + np.abs(random.normal(size=64))
    row_offset = random.normal(size=64) if getattr(estimator, "_has_offset", False) else None
    got = onnx.reference.ReferenceEvaluator(made).run(None, {"X": X} if row_offset is None else {"X": X, "offset": row_offset})
    if hasattr(estimator, "classes_"):
        design = np.column_stack([X, np.ones(len(X))]) if estimator._has_column_of_ones else X
        expected = [estimator._model.predict(design).array("probability")]
    else:
        prediction = estimator._model.predict(X, row_offset=row_offset)
        expected = [prediction.array("mean"), prediction.array("sd")]
    for ours, theirs in zip(expected, got):
        scale = 1.0 if ours.ndim == 2 else np.abs(ours).max()
        if ours.shape != theirs.shape or not np.abs(ours - theirs).max() <= 1e-6 * scale:
            raise ValueError(
                f"the prediction rule of {type(estimator).__name__} cannot be exported: that is so of published rules, of several"
                " classes unless coding='one-against-rest', and of fits that follow only some of very many columns"
            )
