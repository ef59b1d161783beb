"""Predictions: classes with their probabilities, numbers with their distributions."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, overload

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._arrays import without_mask
from ._docs import assembled
from ._fitted import FittedModel
from ._given import gaps_in, known_targets, plain_labels, with_one_spelling, without_gaps

__all__ = ["Classifier", "Regressor"]


@assembled
class Classifier(ClassifierMixin, FittedModel):
    """Predictions of a classifier with a model of the library."""

    classes_: np.ndarray

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, with the uncertainty of the fit.

        Parameters
        ----------
        {X}

        Returns
        -------
        probability : ndarray of shape (n_samples, n_classes)
            In [0, 1]; each row sums to 1; columns in the order of ``classes_``.

        Examples
        --------
        {examples.classes}
        >>> probability = BayesianLogisticRegression().fit(X, y).predict_proba([[2.0, 0, 0], [0.0, 0, 0]])
        >>> probability.shape, bool(probability[0, 1] > 0.9), probability.sum(axis=1).round(12).tolist()
        ((2, 2), True, [1.0, 1.0])
        """
        X = self._design(X)
        return self._model.predict(X).array("probability")

    def _design(self, X: Any) -> np.ndarray:
        """The rows in the form that the library needs."""
        return self._checked_rows(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        {X}

        Returns
        -------
        log_probability : ndarray of shape (n_samples, n_classes)
            In nats; minus infinity where a probability is 0.

        Examples
        --------
        {examples.classes}
        >>> model = BayesianLogisticRegression().fit(X, y)
        >>> bool(np.allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X)))
        True
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """Log odds of the predicted probabilities.

        If the fit is uncertain about a row, its score is nearer to zero than the coefficients alone would give.

        Parameters
        ----------
        {X}

        Returns
        -------
        score : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: log odds of ``classes_[1]``, in nats. More classes: log probabilities.

        Examples
        --------
        {examples.classes}
        >>> model = BayesianLogisticRegression().fit(X, y)
        >>> score, p = model.decision_function(X), model.predict_proba(X)
        >>> bool(np.allclose(score, np.log(p[:, 1] / p[:, 0])))
        True
        """
        log = np.log(np.maximum(self.predict_proba(X), np.finfo(float).tiny))
        return log[:, 1] - log[:, 0] if self.classes_.size == 2 else log

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class.

        Parameters
        ----------
        {X}

        Returns
        -------
        {label}

        Examples
        --------
        >>> from ardvark import RelevanceVectorClassifier
        >>> from sklearn.datasets import make_moons
        >>> X, y = make_moons(100, noise=0.1, random_state=0)
        >>> model = RelevanceVectorClassifier(width=1.0).fit(X, y)
        >>> model.predict([[-1.0, 0.5], [2.0, 0.0]]).tolist()
        [0, 1]
        """
        return self._most_probable(self._design(X))

    def _most_probable(self, rows: np.ndarray) -> np.ndarray:
        """The decision of the library; if classes are equally probable, the first of them."""
        return self.classes_[self._model.predict(rows).array("most_probable").astype(int)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the rows of which the most probable class is the label: the accuracy.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Labels.
        {sample_weight}

        Returns
        -------
        score : float
            In [0, 1].

        Examples
        --------
        {examples.classes}
        >>> bool(BayesianLogisticRegression().fit(X, y).score(X, y) > 0.8)
        True
        """
        weights = without_gaps(sample_weight, "sample_weight")
        y, known = known_targets(y, self._may_miss)
        y = with_one_spelling(y, self.classes_.tolist())
        if known is None:
            return float(super().score(X, y, weights))
        return float(accuracy_score(y, self.predict(X)[known], sample_weight=None if weights is None else np.asarray(weights)[known]))

    def _rows_of_report(self, X: Any) -> Any:
        return self._design(X)

    def _target_of_report(self, y: Any) -> np.ndarray:
        """The positions of labels in ``classes_``; NaN of those that are missing, or that the fit has not seen."""
        y = np.asarray(plain_labels(without_mask(y)))
        known, out = ~gaps_in(y), np.full(y.shape, np.nan)
        if known.any():
            labels = np.asarray(with_one_spelling(np.array(y[known].tolist()), self.classes_.tolist()))
            positions = {label: position for position, label in enumerate(self.classes_.tolist())}
            out[known] = [positions.get(label, np.nan) for label in labels.tolist()]
        return out

    def log_density(self, X: Any, y: Any) -> np.ndarray:
        """Logarithm of the probability of the observed labels: a score to compare predictions.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Labels, all in ``classes_``.

        Returns
        -------
        {log_density}

        Examples
        --------
        {examples.classes}
        >>> model = BayesianLogisticRegression().fit(X[:200], y[:200])
        >>> density = model.log_density(X[200:], y[200:])
        >>> density.shape, bool(density.mean() > np.log(0.5))
        ((100,), True)
        """
        X, y = self._design(X), np.asarray(plain_labels(with_one_spelling(without_gaps(y), self.classes_.tolist())))
        position = np.minimum(np.searchsorted(self.classes_, y), self.classes_.size - 1)
        if (self.classes_[position] != y).any():
            raise ValueError("y holds labels that the fit has not seen")
        return self._model.predict(X, position).array("log_density")


@assembled
class Regressor(RegressorMixin, FittedModel):
    """Predictions of a regression with a model of the library."""

    _is_regression: ClassVar[bool] = True

    @overload
    def predict(self, X: Any, return_std: Literal[False] = False) -> np.ndarray: ...

    @overload
    def predict(self, X: Any, return_std: Literal[True]) -> tuple[np.ndarray, np.ndarray]: ...

    @overload
    def predict(self, X: Any, return_std: bool) -> Any: ...

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean of the predictive distribution.

        Parameters
        ----------
        {X}
        return_std : bool, default=False
            Whether to return also the standard deviation of a new observation, with its noise and the uncertainty of
            the fit.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            In the units of y.
        std : ndarray of shape (n_samples,)
            Only with ``return_std``.

        Examples
        --------
        {examples.numbers}
        >>> mean, std = BayesianLinearRegression().fit(X, y).predict([[1.0, 0, 0]], return_std=True)
        >>> mean.round(1).tolist(), std.round(1).tolist()
        ([3.0], [0.1])
        """
        check_is_fitted(self)
        return self._predict(X, return_std)

    def _predict(self, X: Any, return_std: bool) -> Any:
        X = self._checked_rows(X)
        if not return_std:
            return self._mean(X)
        prediction = self._model.predict(X)
        return prediction.array("mean"), prediction.array("sd")

    def _mean(self, X: np.ndarray) -> np.ndarray:
        return self._model.predict(X).array("mean")

    def predict_interval(self, X: Any, level: float = 0.95, interval: str = "new") -> np.ndarray:
        """Central interval of a new observation, or of the mean.

        At the end of a pipeline: ``pipe[-1].predict_interval(pipe[:-1].transform(X))``.

        Parameters
        ----------
        {X, level}
        interval : {'new', 'mean'}, default='new'
            "new": the interval of a new observation, with its noise. "mean": the interval of the mean, without noise.

        Returns
        -------
        interval : ndarray of shape (n_samples, 2)
            Lower and upper end. After a fit of many targets of shape (n_samples, n_targets, 2).

        Examples
        --------
        {examples.numbers}
        >>> interval = BayesianLinearRegression().fit(X, y).predict_interval([[1.0, 0, 0]], level=0.95)
        >>> interval.round(1).tolist()
        [[2.8, 3.2]]
        """
        check_is_fitted(self)
        return self._predict_interval(X, level, interval)

    def _predict_interval(self, X: Any, level: float, interval: str) -> np.ndarray:
        prediction = self._model_predict(X, level=level, interval=interval)
        return np.column_stack([prediction.array("lower"), prediction.array("upper")])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Coefficient of determination of the predictions: R^2.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        score : float
            At most 1: of perfect predictions.

        Examples
        --------
        {examples.numbers}
        >>> bool(BayesianLinearRegression().fit(X, y).score(X, y) > 0.9)
        True
        """
        weights = without_gaps(sample_weight, "sample_weight")
        return self._score(X, y, weights)

    def _score(self, X: Any, y: Any, weights: Any) -> float:
        y, known = known_targets(y, self._may_miss)
        if known is None:
            return float(super().score(X, y, weights))
        return float(r2_score(y, self.predict(X)[known], sample_weight=None if weights is None else np.asarray(weights)[known]))

    def _model_predict(self, X: Any, y: Any = None, **options: Any) -> _core.Result:
        return self._model.predict(self._checked_rows(X), y, **options)

    def log_density(self, X: Any, y: Any) -> np.ndarray:
        """Logarithm of the predictive density of the observations.

        This is a score to compare predictions.

        Parameters
        ----------
        {X, y}

        Returns
        -------
        {log_density}

        Examples
        --------
        {examples.numbers}
        >>> model = BayesianLinearRegression().fit(X[:100], y[:100])
        >>> density = model.log_density(X[100:], y[100:])
        >>> density.shape, bool(density.mean() > 0)
        ((100,), True)
        """
        return self._model_predict(X, y).array("log_density")
