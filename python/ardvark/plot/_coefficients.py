"""Coefficients with their intervals."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._docs import assembled
from ._shared import COLORS, GREY, MARKERS, Display, axes, column_names, dress, name_axis, percent, sign


@assembled
class CoefficientDisplay(Display):
    """Coefficients with credible intervals. Columns that are not kept are grey.

    Parameters
    ----------
    names : list of str
        Names of the columns that are shown, from top to bottom.
    mean : ndarray of shape (n_scores, n_shown)
        Posterior mean.
    interval : ndarray of shape (n_scores, n_shown, 2)
        Lower and upper end, in the units of `mean`.
    kept : ndarray of shape (n_shown,), bool
        Kept columns have filled markers, the others hollow ones.
    level : float
        Probability of the intervals.
    scores : list of str
        The class of each row of `mean`; for a regression, one empty text.
    note : str, default=""
        Written above the plot: how many columns are shown.

    Attributes
    ----------
    {plot.ax_, plot.figure_}
    containers_ : list of ErrorbarContainer
        For each score: the kept columns, then the others.

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
            What to draw.
        level : float, default=0.95
            Probability of the intervals, in (0, 1).
        max_features : int, default=30
            Maximum number of columns. If there are more, those with the largest ratio of coefficient to standard
            deviation are shown.
        standardize : bool, default=False
            Whether to show each coefficient per standard deviation of its column (and of the target of a regression), as
            ``summary(standardized=True)`` does, so that columns with different scales can be compared.
        {plot.ax}

        Returns
        -------
        display : CoefficientDisplay
            Drawn.

        Examples
        --------
        {examples.numbers}
        >>> from ardvark.plot import CoefficientDisplay
        >>> display = CoefficientDisplay.from_estimator(BayesianLinearRegression().fit(X, y), max_features=2)
        >>> len(display.ax_.get_yticklabels())
        2
        """
        check_is_fitted(estimator)
        mean = np.atleast_2d(estimator.coef_)
        interval = estimator.coef_interval(level, standardized=standardize).reshape(*mean.shape, 2)
        sd = np.maximum(np.atleast_2d(estimator.coef_std_), np.finfo(float).tiny)
        names, note = np.asarray(column_names(estimator, mean.shape[1])), ""
        shown = np.arange(mean.shape[1])
        if shown.size > max_features:
            strength = np.where(mean == 0, 0, np.abs(mean) / sd).max(axis=0)
            shown = np.argsort(-strength, kind="stable")[
                : min(max_features, max(1, np.count_nonzero(strength)))
            ]
            shown.sort()
            note = f"{shown.size} of {mean.shape[1]} columns: the largest relative to their standard deviation"
        if standardize:
            width = np.diff(estimator.coef_interval(level).reshape(interval.shape))[..., 0]  # intervals need not be symmetric
            mean = mean * np.divide(np.diff(interval)[..., 0], width, out=np.zeros_like(mean), where=width > 0)
        scores = _scores(estimator, mean.shape[0])
        display = cls(
            names[shown].tolist(),
            mean[:, shown],
            interval[:, shown],
            estimator.support_[shown],
            level,
            scores,
            note,
        )
        display._per = ", per standard deviation" if standardize else ""
        return display.plot(ax=ax)

    _per = ""

    def _draw(self, ax: Any) -> None:
        rows, columns = self.mean.shape
        self.ax_, self.figure_ = axes(ax, (6.4, max(2.0, 1.2 + 0.26 * columns * max(1, 0.6 * rows))))
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
        name_axis(self.ax_, self.names)
        about = f" of the log odds {self.scores[0]}" if rows == 1 and self.scores[0] else ""
        self.ax_.set_xlabel(f"coefficient{about}{self._per}, with {percent(self.level)} intervals")
        if rows > 1 or not self.kept.all():
            self._legend(rows)
        if self.note:
            self.ax_.set_title(self.note, fontsize="small", loc="left", color="#555555")
        self.ax_.grid(axis="x", color="#E5E5E5", linewidth=0.8)
        dress(self.ax_)

    def _legend(self, rows: int) -> None:
        signs = [(COLORS[k % len(COLORS)], MARKERS[k % len(MARKERS)], self.scores[k]) for k in range(rows)]
        if rows == 1:
            signs = [(COLORS[0], MARKERS[0], "kept")] if self.kept.any() else []
        handles = [sign(color, color, marker, text) for color, marker, text in signs]
        if not self.kept.all():
            handles.append(sign("white", GREY, "o", "not kept" if rows == 1 else "hollow: not kept"))
        self.ax_.legend(
            handles=handles, frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1)
        )


def _scores(estimator: Any, rows: int) -> list[str]:
    classes = [str(label) for label in getattr(estimator, "classes_", [])]
    if rows == 1:
        return [f"for {classes[1]}" if classes else ""]
    if rows == len(classes):
        return classes
    return [f"{b} against {a}" for i, a in enumerate(classes) for b in classes[i + 1 :]]  # one against one
