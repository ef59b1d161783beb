"""Relevance of each column."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._docs import assembled
from ._shared import COLORS, GREY, LABELLED, Display, axes, column_names, dress, name_axis, sign


@assembled
class RelevanceDisplay(Display):
    """How far the data, not the prior, determine each coefficient, or how often a selection kept the column.

    Parameters
    ----------
    names : list of str
        Names of the columns, in the order of the data.
    relevance : ndarray of shape (n_features,)
        In [0, 1].
    kept : ndarray of shape (n_features,), bool
        Kept columns are filled, the others hollow.
    label : str
        Label of the axis.

    Attributes
    ----------
    {plot.ax_, plot.figure_}
    bars_ : BarContainer or StemContainer
        Bars with names; with more than 40 columns, points over positions.

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
            With several classes, the largest value of each column is drawn.
        {plot.ax}

        Returns
        -------
        display : RelevanceDisplay
            Drawn.

        Examples
        --------
        {examples.numbers}
        >>> import matplotlib.pyplot as plt
        >>> from ardvark.plot import RelevanceDisplay
        >>> figure, ax = plt.subplots()
        >>> RelevanceDisplay.from_estimator(BayesianLinearRegression("ard").fit(X, y), ax=ax).figure_ is figure
        True
        """
        check_is_fitted(estimator)
        label = "relevance: set by the prior (0) or by the data (1)"
        if hasattr(estimator, "counts_"):
            relevance, label = estimator.scores_, "share of the fits that kept the column"
        elif hasattr(estimator, "relevance_"):
            relevance = estimator.relevance_
            if hasattr(estimator, "inclusion_"):
                label = "probability of an effect of its own"
        else:
            relevance = estimator.scores_
        relevance = np.atleast_2d(relevance).max(axis=0)
        return cls(column_names(estimator, relevance.size), relevance, estimator.support_, label).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        number = len(self.names)
        if number <= LABELLED:
            self._plot_names(ax)
        else:
            self._plot_positions(ax)
        dress(self.ax_)

    def _plot_names(self, ax: Any) -> None:
        number = len(self.names)
        self.ax_, self.figure_ = axes(ax, (6.4, max(2.0, 1.1 + 0.26 * number)))
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
        name_axis(self.ax_, self.names)
        self.ax_.set_xlim(0, 1.1)
        self.ax_.set_xticks([0, 0.25, 0.5, 0.75, 1])
        self.ax_.set_xlabel(self.label)
        if not self.kept.all():
            self._legend("s")

    def _plot_positions(self, ax: Any) -> None:
        self.ax_, self.figure_ = axes(ax, (7.2, 3.2))
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
        named: list[tuple[float, float]] = []  # positions of the names, so that none covers another
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
            sign(COLORS[0], COLORS[0], marker, f"kept ({count})"),
            sign("white", GREY, marker, f"not kept ({self.kept.size - count})"),
        ]
        self.ax_.legend(
            handles=handles,
            frameon=False,
            fontsize="small",
            ncols=2,
            loc="lower right",
            bbox_to_anchor=(1, 1),
        )
