"""The bound after each sweep."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._docs import assembled
from ._shared import COLORS, MARKERS, Display, axes, dress


@assembled
class BoundHistoryDisplay(Display):
    """The lower bound on the log evidence after each sweep. It shows how the fit converged.

    Parameters
    ----------
    histories : list of ndarray
        The bound after each sweep, in nats; one array for each machine.
    labels : list of str
        One label for each history; an empty text for no label.
    status : str
        How the fit ended.

    Attributes
    ----------
    {plot.ax_, plot.figure_}
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
            What to draw.
        {plot.ax}

        Returns
        -------
        display : BoundHistoryDisplay
            Drawn.

        Examples
        --------
        {examples.numbers}
        >>> from ardvark.plot import BoundHistoryDisplay
        >>> display = BoundHistoryDisplay.from_estimator(BayesianLinearRegression("ard").fit(X, y))
        >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
        ('sweep', 'bound on the log evidence, nats')
        """
        check_is_fitted(estimator)
        history = estimator.bound_history_
        histories = history if isinstance(history, list) else [history]
        labels = [str(label) for label in estimator.classes_] if len(histories) > 1 else [""]
        return cls(histories, labels, estimator.status_).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        self.ax_, self.figure_ = axes(ax, (6.4, 3.6))
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
        dress(self.ax_)
