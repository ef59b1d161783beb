"""Displays in scikit-learn's style: ``from_estimator`` computes, ``plot`` draws, and what was drawn can be
changed afterwards.

Colours are those of Okabe and Ito, which colour-blind readers tell apart; what colour says, a marker or a
line style says too.

>>> import numpy as np
>>> from ardvark import BayesianLinearRegression
>>> from ardvark.plot import CoefficientDisplay
>>> X = np.random.default_rng(0).normal(size=(100, 3))
>>> display = CoefficientDisplay.from_estimator(BayesianLinearRegression().fit(X, X[:, 0]))
>>> display.ax_.get_xlabel()
'coefficient, with 95% intervals'
"""

from __future__ import annotations

import warnings
from typing import Any, Optional, Sequence

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

__all__ = [
    "BoundHistoryDisplay",
    "CalibrationDisplay",
    "CoefficientDisplay",
    "DecisionBoundaryDisplay",
    "PredictiveDisplay",
    "RelevanceDisplay",
]

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "^", "s", "D", "v", "P", "X")
GREY = "#8C8C8C"
LABELLED = 40  # so many names fit on an axis


def _axes(ax: Any, size: tuple[float, float]) -> tuple[Any, Any]:
    if ax is not None:
        return ax, ax.figure
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("ardvark.plot needs matplotlib: pip install ardvark[plot]") from None
    figure, ax = plt.subplots(figsize=size, layout="constrained")
    return ax, figure


def _dress(ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.set_axisbelow(True)


def _percent(level: float) -> str:
    return f"{100 * level:g}%"


def _names(estimator: Any, number: int) -> list[str]:
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{j + 1}" for j in range(number)] if names is None else [str(name) for name in names]


def _target(estimator: Any, y: Any = None) -> str:
    """The name of what is predicted."""
    last = estimator[-1] if hasattr(estimator, "steps") else estimator
    model = getattr(last, "_model", None)
    name = getattr(y, "name", None) or (model.text("target") if model is not None else "")
    return name if isinstance(name, str) and name else "y"


def _ask(method: Any, X: np.ndarray, **options: Any) -> Any:
    """A prediction for rows of a grid, which have no column names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return method(X, **options)


def _class_names(estimator: Any, rows: int) -> list[str]:
    classes = [str(label) for label in getattr(estimator, "classes_", [])]
    if rows == 1:
        return [f"for {classes[1]}" if classes else ""]
    if rows == len(classes):
        return classes
    return [f"{b} against {a}" for i, a in enumerate(classes) for b in classes[i + 1 :]]  # one against one


def _sign(face: str, edge: str, marker: str, text: str) -> Any:
    """An entry of a legend."""
    from matplotlib.lines import Line2D

    return Line2D(
        [], [], linestyle="none", marker=marker, markerfacecolor=face, markeredgecolor=edge, label=text
    )


def _name_axis(ax: Any, names: Sequence[str]) -> None:
    """Names from top to bottom; where they are too many, positions."""
    if len(names) <= LABELLED:
        ax.set_yticks(np.arange(len(names)), names)
        ax.tick_params(axis="y", length=0)
    else:
        ax.set_ylabel("column")
    ax.set_ylim(len(names) - 0.4, -0.6)


class CoefficientDisplay:
    """Coefficients with credible intervals; columns that are not kept in grey.

    Parameters
    ----------
    names : list of str
        One for each column that is shown, from top to bottom.
    mean : ndarray of shape (n_scores, n_shown)
    interval : ndarray of shape (n_scores, n_shown, 2)
    kept : ndarray of shape (n_shown,), bool
    level : float
        Of the intervals.
    scores : list of str
        What each row of `mean` speaks for; of a regression one empty text.
    note : str, default=""
        Written below the title: how many columns are not shown.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    containers_ : list of ErrorbarContainer
        Kept columns, then the others, of each score.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression
    >>> from ardvark.plot import CoefficientDisplay
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> display = CoefficientDisplay.from_estimator(BayesianLinearRegression().fit(X, X[:, 0]), level=0.9)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['x1', 'x2', 'x3']
    """

    def __init__(
        self,
        names: Sequence[str],
        mean: np.ndarray,
        interval: np.ndarray,
        kept: np.ndarray,
        level: float,
        scores: Sequence[str],
        note: str = "",
    ):
        self.names, self.mean, self.interval, self.kept = list(names), mean, interval, kept
        self.level, self.scores, self.note = level, list(scores), note

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        level: float = 0.95,
        max_features: int = 30,
        standardize: bool = False,
        ax: Any = None,
    ) -> CoefficientDisplay:
        """Draws the coefficients of a fit.

        Parameters
        ----------
        estimator : a fitted linear or logistic estimator of ardvark
        level : float, default=0.95
            Of the intervals, in (0, 1).
        max_features : int, default=30
            Of more columns those that are largest beside their standard deviation.
        standardize : bool, default=False
            Whether to show each coefficient in units of its posterior standard deviation, so that columns of
            any scale compare.
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : CoefficientDisplay
        """
        check_is_fitted(estimator)
        mean = np.atleast_2d(estimator.coef_)
        interval = estimator.coef_interval(level).reshape(*mean.shape, 2)
        sd = np.maximum(np.atleast_2d(estimator.coef_std_), np.finfo(float).tiny)
        names, note = np.asarray(_names(estimator, mean.shape[1])), ""
        shown = np.arange(mean.shape[1])
        if shown.size > max_features:
            strength = np.where(mean == 0, 0, np.abs(mean) / sd).max(axis=0)
            shown = np.argsort(-strength, kind="stable")[
                : min(max_features, max(1, np.count_nonzero(strength)))
            ]
            shown.sort()
            note = f"{shown.size} of {mean.shape[1]} columns: the largest beside their standard deviation"
        if standardize:
            mean, interval = mean / sd, interval / sd[..., None]
        scores = _class_names(estimator, mean.shape[0])
        display = cls(
            names[shown].tolist(),
            mean[:, shown],
            interval[:, shown],
            estimator.support_[shown],
            level,
            scores,
            note,
        )
        display._unit = "coefficient / sd" if standardize else "coefficient"
        return display.plot(ax=ax)

    _unit = "coefficient"

    def plot(self, ax: Any = None) -> CoefficientDisplay:
        """Draws.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.

        Returns
        -------
        display : CoefficientDisplay
        """
        rows, columns = self.mean.shape
        self.ax_, self.figure_ = _axes(ax, (6.4, max(2.0, 1.2 + 0.26 * columns * max(1, 0.6 * rows))))
        self.ax_.axvline(0, color="black", linewidth=0.8, zorder=0)
        self.containers_ = []
        offsets = np.linspace(-0.3, 0.3, rows) if rows > 1 else np.zeros(1)
        for k in range(rows):
            color, marker = COLORS[k % len(COLORS)], MARKERS[k % len(MARKERS)]
            for which, face, label in ((self.kept, color, "kept"), (~self.kept, "white", "not kept")):
                at, mean = np.flatnonzero(which), self.mean[k, which]
                if at.size == 0:
                    continue
                ends = np.abs(self.interval[k, which].T - mean)
                ink = color if label == "kept" or rows > 1 else GREY
                self.containers_.append(
                    self.ax_.errorbar(
                        mean,
                        at + offsets[k],
                        xerr=ends,
                        fmt=marker,
                        color=ink,
                        markerfacecolor=face,
                        markersize=6,
                        linewidth=1.8,
                        capsize=0,
                    )
                )
        _name_axis(self.ax_, self.names)
        about = f" of the log odds {self.scores[0]}" if rows == 1 and self.scores[0] else ""
        self.ax_.set_xlabel(f"{self._unit}{about}, with {_percent(self.level)} intervals")
        if rows > 1 or not self.kept.all():
            self._legend(rows)
        if self.note:
            self.ax_.set_title(self.note, fontsize="small", loc="left", color="#555555")
        self.ax_.grid(axis="x", color="#E5E5E5", linewidth=0.8)
        _dress(self.ax_)
        return self

    def _legend(self, rows: int) -> None:
        signs = [(COLORS[k % len(COLORS)], MARKERS[k % len(MARKERS)], self.scores[k]) for k in range(rows)]
        if rows == 1:
            signs = [(COLORS[0], MARKERS[0], "kept")] if self.kept.any() else []
        handles = [_sign(color, color, marker, text) for color, marker, text in signs]
        if not self.kept.all():
            handles.append(_sign("white", GREY, "o", "not kept" if rows == 1 else "hollow: not kept"))
        self.ax_.legend(
            handles=handles, frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1)
        )


class RelevanceDisplay:
    """How far the data, not the prior, determine each column; or how often a selection kept it.

    Parameters
    ----------
    names : list of str
        One a column, in the order of the data.
    relevance : ndarray of shape (n_features,)
        In [0, 1].
    kept : ndarray of shape (n_features,), bool
    label : str
        Of the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    bars_ : BarContainer or StemContainer
        Bars with names; of more than 40 columns points over positions.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression
    >>> from ardvark.plot import RelevanceDisplay
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> display = RelevanceDisplay.from_estimator(BayesianLinearRegression("ard").fit(X, X[:, 0]))
    >>> len(display.bars_)
    3
    """

    def __init__(
        self, names: Sequence[str], relevance: np.ndarray, kept: np.ndarray, label: str = "relevance"
    ):
        self.names, self.relevance, self.kept, self.label = list(names), relevance, kept, label

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> RelevanceDisplay:
        """Draws the relevance of each column.

        Parameters
        ----------
        estimator : a fitted linear or logistic estimator of ardvark, or RelevanceSelector
            Of several classes the largest of a column is drawn.
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : RelevanceDisplay
        """
        check_is_fitted(estimator)
        label = "relevance: set by the prior (0) or by the data (1)"
        if hasattr(estimator, "counts_"):
            relevance, label = estimator.scores_, "share of the fits that kept the column"
        elif hasattr(estimator, "relevance_"):
            relevance = estimator.relevance_
        else:
            relevance = estimator.scores_
        relevance = np.atleast_2d(relevance).max(axis=0)
        return cls(_names(estimator, relevance.size), relevance, estimator.support_, label).plot(ax=ax)

    def plot(self, ax: Any = None) -> RelevanceDisplay:
        """Draws.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.

        Returns
        -------
        display : RelevanceDisplay
        """
        number = len(self.names)
        if number <= LABELLED:
            self._plot_names(ax)
        else:
            self._plot_positions(ax)
        _dress(self.ax_)
        return self

    def _plot_names(self, ax: Any) -> None:
        number = len(self.names)
        self.ax_, self.figure_ = _axes(ax, (6.4, max(2.0, 1.1 + 0.26 * number)))
        colors = np.where(self.kept, COLORS[0], "#FFFFFF")
        edges = np.where(self.kept, COLORS[0], GREY)
        self.bars_ = self.ax_.barh(
            np.arange(number), self.relevance, 0.62, color=colors, edgecolor=edges, linewidth=1.2
        )
        for j, (value, kept) in enumerate(zip(self.relevance, self.kept)):
            self.ax_.text(
                min(value, 1) + 0.012,
                j,
                f"{value:.2f}",
                va="center",
                fontsize="small",
                color="black" if kept else GREY,
            )
        _name_axis(self.ax_, self.names)
        self.ax_.set_xlim(0, 1.1)
        self.ax_.set_xticks([0, 0.25, 0.5, 0.75, 1])
        self.ax_.set_xlabel(self.label)
        if not self.kept.all():
            self._legend("s")

    def _plot_positions(self, ax: Any) -> None:
        self.ax_, self.figure_ = _axes(ax, (7.2, 3.2))
        at = np.arange(1, len(self.names) + 1)
        lost = ~self.kept
        self.ax_.plot(
            at[lost],
            self.relevance[lost],
            "o",
            color=GREY,
            markerfacecolor="white",
            markersize=3,
            label="not kept",
        )
        if self.kept.any():
            self.bars_ = self.ax_.stem(
                at[self.kept], self.relevance[self.kept], linefmt=COLORS[0], markerfmt="o", basefmt=" "
            )
            self.bars_.markerline.set(color=COLORS[0], markersize=5)
            self.bars_.stemlines.set_linewidth(1.2)
        named: list[tuple[float, float]] = []  # where the names lie, so that none covers another
        for j in np.argsort(-self.relevance, kind="stable"):
            width = (1.5 + len(self.names[j])) * 0.012 * len(self.names)
            begin, end = at[j] - width / 2, at[j] + width / 2
            if not self.kept[j] or any(begin < e and b < end for b, e in named):
                continue
            named.append((begin, end))
            place = (at[j], self.relevance[j])
            self.ax_.annotate(
                self.names[j], place, (0, 5), textcoords="offset points", fontsize="small", ha="center"
            )
        self.ax_.set_ylim(0, 1.12)
        self.ax_.set_xlabel(f"column, 1 to {len(self.names)}")
        self.ax_.set_ylabel(self.label.partition(":")[0])
        self._legend("o")

    def _legend(self, marker: str) -> None:
        count = int(self.kept.sum())
        handles = [
            _sign(COLORS[0], COLORS[0], marker, f"kept ({count})"),
            _sign("white", GREY, marker, f"not kept ({self.kept.size - count})"),
        ]
        self.ax_.legend(
            handles=handles,
            frameon=False,
            fontsize="small",
            ncols=2,
            loc="lower right",
            bbox_to_anchor=(1, 1),
        )


class BoundHistoryDisplay:
    """The lower bound on the log evidence by sweep: how the fit converged.

    Parameters
    ----------
    histories : list of ndarray
        The bound after each sweep, nats; one for each machine.
    labels : list of str
        One a history; empty texts for none.
    status : str
        How the fit ended.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of Line2D

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression
    >>> from ardvark.plot import BoundHistoryDisplay
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> model = BayesianLinearRegression("ard").fit(X, X[:, 0])
    >>> display = BoundHistoryDisplay.from_estimator(model)
    >>> len(display.lines_[0].get_xdata()) == model.n_iter_
    True
    """

    def __init__(self, histories: Sequence[np.ndarray], labels: Sequence[str], status: str = "converged"):
        self.histories, self.labels, self.status = list(histories), list(labels), status

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> BoundHistoryDisplay:
        """Draws the bound of a fit.

        Parameters
        ----------
        estimator : a fitted estimator of ardvark
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : BoundHistoryDisplay
        """
        check_is_fitted(estimator)
        history = estimator.bound_history_
        histories = history if isinstance(history, list) else [history]
        labels = [str(label) for label in estimator.classes_] if len(histories) > 1 else [""]
        return cls(histories, labels, estimator.status_).plot(ax=ax)

    def plot(self, ax: Any = None) -> BoundHistoryDisplay:
        """Draws.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.

        Returns
        -------
        display : BoundHistoryDisplay
        """
        from matplotlib.ticker import MaxNLocator

        self.ax_, self.figure_ = _axes(ax, (6.4, 3.6))
        self.lines_ = []
        for k, history in enumerate(self.histories):
            history = np.asarray(history)
            at, color = np.arange(1, history.size + 1), COLORS[k % len(COLORS)]
            every = None if history.size <= 40 else max(1, history.size // 20)
            label = self.labels[k] or None
            marker = MARKERS[k % len(MARKERS)]
            (line,) = self.ax_.plot(
                at, history, color=color, marker=marker, markevery=every, markersize=4, label=label
            )
            self.lines_.append(line)
            if history.size:
                below = (0, -14) if history.size > 1 and history[-1] > history[0] else (0, 8)
                self.ax_.annotate(
                    f"{history[-1]:.6g}",
                    (at[-1], history[-1]),
                    below,
                    textcoords="offset points",
                    ha="right",
                    color=color,
                )
        self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True))
        self.ax_.ticklabel_format(axis="y", useOffset=False)
        self.ax_.set_xlabel("sweep")
        self.ax_.set_ylabel("bound on the log evidence, nats")
        self.ax_.set_title(self.status.replace("_", " "), fontsize="small", loc="left", color="#555555")
        self.ax_.grid(color="#E5E5E5", linewidth=0.8)
        if any(self.labels):
            self.ax_.legend(frameon=False, title="class", fontsize="small")
        _dress(self.ax_)
        return self


class PredictiveDisplay:
    """A regression along one column: mean, band of the predictive distribution, observations, relevance
    vectors circled.

    Parameters
    ----------
    x : ndarray of shape (n_points,)
    mean : ndarray of shape (n_points,)
    interval : ndarray of shape (n_points, 2)
    level : float
    name, target : str
        Of the two axes.
    points : tuple of two ndarrays, default=None
        Observations.
    vectors : tuple of two ndarrays, default=None
        Where the circles are.
    note : str, default=""
        Written above: what the other columns are held at.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
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
        self.x, self.mean, self.interval, self.level, self.name, self.target = (
            x,
            mean,
            interval,
            level,
            name,
            target,
        )
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
        X : array-like or table of shape (n_samples, n_features)
            Rows to take the range of the column from, and what the others are held at: their medians.
        y : array-like of shape (n_samples,), default=None
            Observations to draw.
        feature : int or str, default=0
            The column: its position or name.
        level : float, default=0.95
            Of the band, in (0, 1).
        grid_resolution : int, default=200
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : PredictiveDisplay
        """
        check_is_fitted(estimator)
        table = np.asarray(X, dtype=float)
        names = _names(estimator, table.shape[1])
        j = names.index(feature) if isinstance(feature, str) else int(feature)
        column = table[:, j]
        grid = np.tile(np.median(table, axis=0), (grid_resolution, 1))
        grid[:, j] = np.linspace(column.min(), column.max(), grid_resolution)
        mean, interval = _ask(estimator.predict, grid), _ask(estimator.predict_interval, grid, level=level)
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
                else _ask(estimator.predict, at[:, None])
                if at.size
                else at
            )
            vectors = (at, height)
        note = "" if table.shape[1] == 1 else "the other columns at their medians"
        target = _target(estimator, y)
        return cls(grid[:, j], mean, interval, level, names[j], target, points, vectors, note).plot(ax=ax)

    def plot(self, ax: Any = None) -> PredictiveDisplay:
        """Draws.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.

        Returns
        -------
        display : PredictiveDisplay
        """
        self.ax_, self.figure_ = _axes(ax, (6.4, 4.0))
        band = f"{_percent(self.level)} of new observations"
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
        _dress(self.ax_)
        return self


class CalibrationDisplay:
    """Whether probabilities mean what they say: of classes by bins of probability, of a regression by levels
    of its intervals.

    Parameters
    ----------
    expected : ndarray of shape (n_points,)
        Mean probability of a bin; level of an interval.
    observed : ndarray of shape (n_points,)
        Share of the rows that are of the class; that lie inside.
    interval : ndarray of shape (n_points, 2)
        95% interval of the share, for so many rows (Wilson).
    count : ndarray of shape (n_points,), int
        Rows behind each point.
    kind : {"probability", "coverage"}
    target : str
        What is predicted.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
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
        """Compares predictions with rows that were not fitted.

        Parameters
        ----------
        estimator : a fitted classifier, or a regression of ardvark
        X : array-like or table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        n_bins : int, default=10
            Bins of equal numbers of rows (classes), or levels (regression), 1 or more.
        pos_label : label, default=None
            The class whose probability is looked at; None: the last of two, of more each row's most probable.
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : CalibrationDisplay
        """
        check_is_fitted(estimator)
        if n_bins < 1:
            raise ValueError(f"n_bins is {n_bins}; it must be at least 1")
        observed = np.asarray(y)
        if is_classifier(estimator):
            expected, share, count, target = cls._of_classes(estimator, X, observed, n_bins, pos_label)
        else:
            target = _target(estimator, y)
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

    def plot(self, ax: Any = None) -> CalibrationDisplay:
        """Draws.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.

        Returns
        -------
        display : CalibrationDisplay
        """
        self.ax_, self.figure_ = _axes(ax, (4.8, 4.8))
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
        _dress(self.ax_)
        return self


def _wilson(share: np.ndarray, count: np.ndarray) -> np.ndarray:
    """95% interval of a share: Wilson (1927)."""
    z2 = 1.959963984540054**2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = np.sqrt(z2 * (share * (1 - share) / count + z2 / (4 * count**2))) / (1 + z2 / count)
    return np.column_stack([np.minimum(middle - half, share), np.maximum(middle + half, share)])


class DecisionBoundaryDisplay:
    """Classes of two inputs: probability as colour, where it is even as a line, relevance vectors circled.

    Parameters
    ----------
    x0, x1 : ndarray of shape (n_points,)
        The grid.
    probability : ndarray of shape (n_points, n_points, n_classes)
        Row i of x1[i], column j of x0[j].
    classes : list of str
    names : list of two str
        Of the inputs.
    points : tuple (ndarray of shape (n_samples, 2), ndarray of shape (n_samples,) of int), default=None
        Observations, and the positions of their classes.
    vectors : ndarray of shape (n_vectors, 2), default=None
    title : str, default=""

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
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
        self.x0, self.x1, self.probability, self.classes, self.names = (
            x0,
            x1,
            probability,
            list(classes),
            list(names),
        )
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
        """Draws the probabilities of a classifier of two columns.

        Parameters
        ----------
        estimator : a fitted classifier with predict_proba
        X : array-like or table of shape (n_samples, 2)
        y : array-like of shape (n_samples,), default=None
            Labels to draw.
        grid_resolution : int, default=150
            Points of the grid in each direction.
        eps : float, default=0.1
            Margin around X, as part of its range.
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : DecisionBoundaryDisplay
        """
        check_is_fitted(estimator)
        table = np.asarray(X, dtype=float)
        if table.ndim != 2 or table.shape[1] != 2:
            raise ValueError(f"X has the shape {table.shape}; a decision boundary is drawn over two columns")
        vectors = getattr(estimator, "relevance_vectors_", None)
        low, high = table.min(axis=0), table.max(axis=0)
        margin = eps * (high - low)
        x0, x1 = (np.linspace(low[j] - margin[j], high[j] + margin[j], grid_resolution) for j in (0, 1))
        grid = np.column_stack([a.ravel() for a in np.meshgrid(x0, x1)])
        probability = _ask(estimator.predict_proba, grid).reshape(grid_resolution, grid_resolution, -1)
        classes = estimator.classes_
        points = None if y is None else (table, np.searchsorted(classes, np.asarray(y)))
        target = _target(estimator, y)
        title = "" if target == "y" else target
        return cls(
            x0, x1, probability, [str(c) for c in classes], _names(estimator, 2), points, vectors, title
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> DecisionBoundaryDisplay:
        """Draws.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.

        Returns
        -------
        display : DecisionBoundaryDisplay
        """
        from matplotlib.colors import to_rgb

        self.ax_, self.figure_ = _axes(ax, (6.0, 4.8))
        number = len(self.classes)
        tints = np.array([to_rgb(COLORS[k % len(COLORS)]) for k in range(number)])
        certain = (
            0.55 * (number * self.probability.max(axis=2, keepdims=True) - 1) / (number - 1)
        )  # white where even
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
        return self

    def _contours(self, number: int) -> list[Any]:
        """Where two classes are equally probable, and of two classes where one is three times as probable."""
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
