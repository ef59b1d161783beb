"""Predictions of a regression along one column."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._docs import assembled
from ._shared import COLORS, Display, ask, axes, column_names, dress, percent, target_name


@assembled
class PredictiveDisplay(Display):
    """Predictions of a regression along one column, with a band for the predictive distribution.

    Circles mark relevance vectors.

    Parameters
    ----------
    x : ndarray of shape (n_points,)
        Values of the column.
    mean : ndarray of shape (n_points,)
        Mean of the prediction, in the units of the target.
    interval : ndarray of shape (n_points, 2)
        Lower and upper end of the band.
    level : float
        Probability of the band, in (0, 1).
    name, target : str
        Labels of the two axes.
    points : tuple of two ndarrays, default=None
        Observations.
    vectors : tuple of two ndarrays, default=None
        Centres of the circles.
    note : str, default=""
        Written above the plot: the values of the other columns.

    Attributes
    ----------
    {plot.ax_, plot.figure_}
    line_ : Line2D
    band_ : PolyCollection
    points_, vectors_ : Line2D or None

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import RelevanceVectorRegressor
    >>> from ardvark.plot import PredictiveDisplay
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=50)
    >>> model = RelevanceVectorRegressor().fit(X, y)
    >>> display = PredictiveDisplay.from_estimator(model, X, y)
    >>> len(display.vectors_.get_xdata()) == len(model.support_)
    True
    """

    def __init__(
        self,
        x: np.ndarray,
        mean: np.ndarray,
        interval: np.ndarray,
        level: float,
        name: str,
        target: str,
        points: Optional[tuple[np.ndarray, np.ndarray]] = None,
        vectors: Optional[tuple[np.ndarray, np.ndarray]] = None,
        note: str = "",
    ):
        self.x, self.mean, self.interval, self.level = x, mean, interval, level
        self.name, self.target = name, target
        self.points, self.vectors, self.note = points, vectors, note

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        feature: Any = 0,
        level: float = 0.95,
        grid_resolution: int = 200,
        ax: Any = None,
    ) -> PredictiveDisplay:
        """Draws predictions along one column.

        Parameters
        ----------
        estimator : a fitted regression of ardvark
            What to draw.
        X : array-like or table of shape (n_samples, n_features)
            Rows that determine the range of the column. The other columns are held at their medians.
        y : array-like of shape (n_samples,), default=None
            Observations to draw.
        feature : int or str, default=0
            The column: its position or name.
        level : float, default=0.95
            Probability of the band, in (0, 1).
        grid_resolution : int, default=200
            Number of points along the column.
        {plot.ax}

        Returns
        -------
        display : PredictiveDisplay
            Drawn.

        Examples
        --------
        {examples.numbers}
        >>> from ardvark.plot import PredictiveDisplay
        >>> model = BayesianLinearRegression().fit(X, y)
        >>> display = PredictiveDisplay.from_estimator(model, X, y, feature=2, level=0.5)
        >>> display.ax_.get_xlabel()
        'x3'
        """
        check_is_fitted(estimator)
        table = np.asarray(X, dtype=float)
        names = column_names(estimator, table.shape[1])
        j = names.index(feature) if isinstance(feature, str) else int(feature)
        column = table[:, j]
        grid = np.tile(np.median(table, axis=0), (grid_resolution, 1))
        grid[:, j] = np.linspace(column.min(), column.max(), grid_resolution)
        mean, interval = ask(estimator.predict, grid), ask(estimator.predict_interval, grid, level=level)
        points = None if y is None else (column, np.asarray(y, dtype=float))
        vectors = None
        if hasattr(estimator, "relevance_vectors_") and table.shape[1] == 1:
            at, rows = estimator.relevance_vectors_[:, 0], estimator.support_
            trained = (
                y is not None and rows.size and rows.max() < len(column) and np.allclose(column[rows], at)
            )
            height = (
                np.asarray(y, dtype=float)[rows]
                if trained
                else ask(estimator.predict, at[:, None])
                if at.size
                else at
            )
            vectors = (at, height)
        note = "" if table.shape[1] == 1 else "the other columns at their medians"
        target = target_name(estimator, y)
        return cls(grid[:, j], mean, interval, level, names[j], target, points, vectors, note).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        self.ax_, self.figure_ = axes(ax, (6.4, 4.0))
        band = f"{percent(self.level)} of new observations"
        low, high = self.interval.T
        self.band_ = self.ax_.fill_between(
            self.x, low, high, color=COLORS[5], alpha=0.35, linewidth=0, label=band
        )
        self.points_ = self.vectors_ = None
        if self.points is not None:
            (self.points_,) = self.ax_.plot(
                *self.points, "o", color="#333333", markersize=3, alpha=0.8, label="observed"
            )
        (self.line_,) = self.ax_.plot(self.x, self.mean, color=COLORS[0], linewidth=2, label="mean")
        if self.vectors is not None:
            (self.vectors_,) = self.ax_.plot(
                *self.vectors,
                "o",
                markersize=11,
                markerfacecolor="none",
                markeredgecolor=COLORS[1],
                markeredgewidth=1.8,
                label=f"relevance vectors ({len(self.vectors[0])})",
            )
        self.ax_.set_xlabel(self.name)
        self.ax_.set_ylabel(self.target)
        self.ax_.margins(x=0.02)
        if self.note:
            self.ax_.set_title(self.note, fontsize="small", loc="left", color="#555555")
        self.ax_.legend(frameon=False, fontsize="small")
        dress(self.ax_)
