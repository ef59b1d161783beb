"""Whether predicted probabilities agree with observed frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from .._docs import assembled
from ._shared import COLORS, GREY, Display, axes, dress, target_name


@assembled
class CalibrationDisplay(Display):
    """Whether predicted probabilities agree with observed frequencies.

    For classes, the points are bins of probability. For a regression, they are levels of its intervals.

    Parameters
    ----------
    expected : ndarray of shape (n_points,)
        Mean probability in a bin, or level of an interval.
    observed : ndarray of shape (n_points,)
        Share of the rows that have the class, or that lie inside the interval.
    interval : ndarray of shape (n_points, 2)
        95% interval of the share, for this number of rows (Wilson).
    count : ndarray of shape (n_points,), int
        Number of rows of each point.
    kind : {"probability", "coverage"}
    target : str
        Name of the predicted quantity.

    Attributes
    ----------
    {plot.ax_, plot.figure_}
    container_ : ErrorbarContainer
    diagonal_ : Line2D

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLogisticRegression
    >>> from ardvark.plot import CalibrationDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = (X[:, 0] + rng.logistic(size=400) > 0).astype(int)
    >>> model = BayesianLogisticRegression().fit(X[:200], y[:200])
    >>> display = CalibrationDisplay.from_estimator(model, X[200:], y[200:], n_bins=5)
    >>> int(display.count.sum())
    200
    """

    def __init__(
        self,
        expected: np.ndarray,
        observed: np.ndarray,
        interval: np.ndarray,
        count: np.ndarray,
        kind: str,
        target: str,
    ):
        self.expected, self.observed, self.interval, self.count = expected, observed, interval, count
        self.kind, self.target = kind, target

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, n_bins: int = 10, pos_label: Any = None, ax: Any = None
    ) -> CalibrationDisplay:
        """Compares predictions with rows that were not used in the fit.

        Parameters
        ----------
        estimator : a fitted classifier, or a regression of ardvark
            What to draw.
        X : array-like or table of shape (n_samples, n_features)
            Rows that were not used in the fit.
        y : array-like of shape (n_samples,)
            Observed values or labels.
        n_bins : int, default=10
            Number of bins with equal numbers of rows (classes), or of levels (regression), 1 or more.
        pos_label : label, default=None
            The class that the probability refers to. None: the second of two classes; with more classes, the most
            probable class of each row.
        {plot.ax}

        Returns
        -------
        display : CalibrationDisplay
            Drawn.

        Examples
        --------
        {examples.classes}
        >>> from ardvark.plot import CalibrationDisplay
        >>> model = BayesianLogisticRegression().fit(X[:150], y[:150])
        >>> display = CalibrationDisplay.from_estimator(model, X[150:], y[150:], n_bins=4, pos_label="yes")
        >>> int(display.count.sum())
        150
        """
        check_is_fitted(estimator)
        if n_bins < 1:
            raise ValueError(f"n_bins is {n_bins}; it must be at least 1")
        observed = np.asarray(y)
        if is_classifier(estimator):
            expected, share, count, target = cls._of_classes(estimator, X, observed, n_bins, pos_label)
        else:
            target = target_name(estimator, y)
            expected = (np.arange(n_bins) + 0.5) / n_bins
            inside = [cls._is_inside(estimator, X, observed, level) for level in expected]
            share, count = np.mean(inside, axis=1), np.full(n_bins, len(observed))
        kind = "probability" if is_classifier(estimator) else "coverage"
        return cls(expected, share, _wilson(share, count), count, kind, target).plot(ax=ax)

    @staticmethod
    def _of_classes(estimator: Any, X: Any, y: np.ndarray, n_bins: int, pos_label: Any) -> Any:
        probability = estimator.predict_proba(X)
        classes = estimator.classes_
        if pos_label is None and classes.size > 2:
            best = probability.argmax(axis=1)
            p, hit, target = probability.max(axis=1), y == classes[best], "the most probable class"
        else:
            label = classes[-1] if pos_label is None else pos_label
            p, hit, target = probability[:, np.flatnonzero(classes == label)[0]], y == label, str(label)
        order = np.argsort(p, kind="stable")
        bins = [rows for rows in np.array_split(order, n_bins) if rows.size]
        expected = np.array([p[rows].mean() for rows in bins])
        share = np.array([hit[rows].mean() for rows in bins])
        return expected, share, np.array([rows.size for rows in bins]), target

    @staticmethod
    def _is_inside(estimator: Any, X: Any, y: np.ndarray, level: float) -> np.ndarray:
        low, high = estimator.predict_interval(X, level=level).T
        return (low <= y) & (y <= high)

    def _draw(self, ax: Any) -> None:
        self.ax_, self.figure_ = axes(ax, (4.8, 4.8))
        (self.diagonal_,) = self.ax_.plot([0, 1], [0, 1], "--", color=GREY, linewidth=1.2, label="calibrated")
        ends = np.abs(self.interval.T - self.observed)
        rows = (
            f"{int(self.count.sum())} rows" if self.kind == "probability" else f"{int(self.count.max())} rows"
        )
        self.container_ = self.ax_.errorbar(
            self.expected,
            self.observed,
            yerr=ends,
            fmt="o-",
            color=COLORS[0],
            linewidth=1.4,
            markersize=5,
            label=f"observed, with 95% intervals ({rows})",
        )
        if self.kind == "probability":
            self.ax_.set_xlabel(f"predicted probability of {self.target}")
            self.ax_.set_ylabel(f"share of {self.target} among the rows")
        else:
            self.ax_.set_xlabel(f"level of the predictive interval of {self.target}")
            self.ax_.set_ylabel("share of the rows inside")
        self.ax_.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
        self.ax_.grid(color="#E5E5E5", linewidth=0.8)
        self.ax_.legend(frameon=False, fontsize="small", loc="upper left")
        dress(self.ax_)


def _wilson(share: np.ndarray, count: np.ndarray) -> np.ndarray:
    """95% interval of a share: Wilson (1927)."""
    z2 = 1.959963984540054**2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = np.sqrt(z2 * (share * (1 - share) / count + z2 / (4 * count**2))) / (1 + z2 / count)
    return np.column_stack([np.minimum(middle - half, share), np.maximum(middle + half, share)])
