"""Classes as a function of two inputs."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._docs import assembled
from ._shared import COLORS, MARKERS, Display, ask, axes, column_names, target_name


@assembled
class DecisionBoundaryDisplay(Display):
    """Classes as a function of two inputs: colours show probability, lines equal probability, circles relevance vectors.

    Parameters
    ----------
    x0, x1 : ndarray of shape (n_points,)
        The grid.
    probability : ndarray of shape (n_points, n_points, n_classes)
        Row i belongs to x1[i], column j to x0[j].
    classes : list of str
        Names in the order of the last axis of `probability`.
    names : list of two str
        Names of the inputs.
    points : tuple (ndarray of shape (n_samples, 2), ndarray of shape (n_samples,) of int), default=None
        Observations, and the positions of their classes.
    vectors : ndarray of shape (n_vectors, 2), default=None
        Centres of the circles.
    title : str, default=""
        Title of the legend.

    Attributes
    ----------
    {plot.ax_, plot.figure_}
    image_ : AxesImage
    contours_ : list of ContourSet
    points_ : list of Line2D
    vectors_ : Line2D or None

    Examples
    --------
    >>> from ardvark import RelevanceVectorClassifier
    >>> from ardvark.plot import DecisionBoundaryDisplay
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = RelevanceVectorClassifier(width=1.0).fit(X, y)
    >>> display = DecisionBoundaryDisplay.from_estimator(model, X, y)
    >>> display.ax_.get_xlabel(), len(display.points_)
    ('x1', 2)
    """

    def __init__(
        self,
        x0: np.ndarray,
        x1: np.ndarray,
        probability: np.ndarray,
        classes: Sequence[str],
        names: Sequence[str],
        points: Optional[tuple[np.ndarray, np.ndarray]] = None,
        vectors: Optional[np.ndarray] = None,
        title: str = "",
    ):
        self.x0, self.x1, self.probability = x0, x1, probability
        self.classes, self.names = list(classes), list(names)
        self.points, self.vectors, self.title = points, vectors, title

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        grid_resolution: int = 150,
        eps: float = 0.1,
        ax: Any = None,
    ) -> DecisionBoundaryDisplay:
        """Draws the probabilities of a classifier with two columns.

        Parameters
        ----------
        estimator : a fitted classifier with predict_proba
            What to draw.
        X : array-like or table of shape (n_samples, 2)
            Rows that determine the range of the grid.
        y : array-like of shape (n_samples,), default=None
            Labels to draw.
        grid_resolution : int, default=150
            Number of points of the grid in each direction.
        eps : float, default=0.1
            Margin around X, as a fraction of its range.
        {plot.ax}

        Returns
        -------
        display : DecisionBoundaryDisplay
            Drawn.

        Examples
        --------
        {examples.classes}
        >>> from ardvark.plot import DecisionBoundaryDisplay
        >>> model = BayesianLogisticRegression().fit(X[:, :2], y)
        >>> display = DecisionBoundaryDisplay.from_estimator(model, X[:, :2], grid_resolution=30)
        >>> display.probability.shape
        (30, 30, 2)
        """
        check_is_fitted(estimator)
        table = np.asarray(X, dtype=float)
        if table.ndim != 2 or table.shape[1] != 2:
            raise ValueError(f"X has the shape {table.shape}; it must have two columns, because a decision boundary is drawn over two columns")
        vectors = getattr(estimator, "relevance_vectors_", None)
        low, high = table.min(axis=0), table.max(axis=0)
        margin = eps * (high - low)
        x0, x1 = (np.linspace(low[j] - margin[j], high[j] + margin[j], grid_resolution) for j in (0, 1))
        grid = np.column_stack([a.ravel() for a in np.meshgrid(x0, x1)])
        probability = ask(estimator.predict_proba, grid).reshape(grid_resolution, grid_resolution, -1)
        classes = estimator.classes_
        points = None if y is None else (table, np.searchsorted(classes, np.asarray(y)))
        target = target_name(estimator, y)
        title = "" if target == "y" else target
        return cls(
            x0, x1, probability, [str(c) for c in classes], column_names(estimator, 2), points, vectors, title
        ).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        from matplotlib.colors import to_rgb

        self.ax_, self.figure_ = axes(ax, (6.0, 4.8))
        number = len(self.classes)
        tints = np.array([to_rgb(COLORS[k % len(COLORS)]) for k in range(number)])
        certain = (
            0.55 * (number * self.probability.max(axis=2, keepdims=True) - 1) / (number - 1)
        )  # white where classes are equally probable
        mixed = self.probability @ tints
        extent = (self.x0[0], self.x0[-1], self.x1[0], self.x1[-1])
        image = 1 - certain * (1 - mixed)
        self.image_ = self.ax_.imshow(
            np.clip(image, 0, 1), extent=extent, origin="lower", aspect="auto", interpolation="bilinear"
        )
        self.contours_ = self._contours(number)
        self.points_, self.vectors_ = [], None
        if self.points is not None:
            table, position = self.points
            for k in range(number):
                (line,) = self.ax_.plot(
                    *table[position == k].T,
                    MARKERS[k % len(MARKERS)],
                    color=COLORS[k % len(COLORS)],
                    markeredgecolor="white",
                    markeredgewidth=0.6,
                    markersize=6,
                    label=self.classes[k],
                )
                self.points_.append(line)
        if self.vectors is not None and len(self.vectors):
            (self.vectors_,) = self.ax_.plot(
                *self.vectors.T,
                "o",
                markersize=13,
                markerfacecolor="none",
                markeredgecolor="black",
                markeredgewidth=1.8,
                label=f"relevance vectors ({len(self.vectors)})",
            )
        self._finish(extent)

    def _contours(self, number: int) -> list[Any]:
        """Lines where two classes are equally probable; with two classes, also where one is three times as probable as the other."""
        if number == 2:
            p = self.probability[..., 1]
            lines = [self.ax_.contour(self.x0, self.x1, p, [0.5], colors="black", linewidths=2)]
            if p.min() < 0.25 or p.max() > 0.75:
                lines.append(
                    self.ax_.contour(
                        self.x0, self.x1, p, [0.25, 0.75], colors="black", linewidths=1, linestyles="dashed"
                    )
                )
            return lines
        lines = []
        for k in range(number):
            rest = np.delete(self.probability, k, axis=2).max(axis=2)
            lead = self.probability[..., k] - rest
            if lead.min() < 0 < lead.max():
                lines.append(self.ax_.contour(self.x0, self.x1, lead, [0], colors="black", linewidths=1.6))
        return lines

    def _finish(self, extent: tuple[float, float, float, float]) -> None:
        from matplotlib.lines import Line2D

        handles, labels = self.ax_.get_legend_handles_labels()
        if self.contours_:
            handles.append(Line2D([], [], color="black", linewidth=2))
            labels.append("even odds")
        if len(self.classes) == 2 and len(self.contours_) > 1:
            handles.append(Line2D([], [], color="black", linewidth=1, linestyle="dashed"))
            labels.append("3 to 1")
        self.ax_.legend(
            handles,
            labels,
            fontsize="small",
            title=self.title or None,
            loc="upper left",
            bbox_to_anchor=(1, 1),
            frameon=False,
        )
        self.ax_.set(xlim=extent[:2], ylim=extent[2:], xlabel=self.names[0], ylabel=self.names[1])
