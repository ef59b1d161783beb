"""Whether the distribution of counts agrees with the counts."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from .._docs import assembled
from ._shared import COLORS, GREY, Display, axes, dress, target_name

_MOST_BARS = 60
_ROWS_PER_BAR = 4  # on average, if there are fewer rows than for the most bars
_ROWS_PER_CALL = 100_000
_REACH = 8.0  # standard deviations, beyond which a row has less than 1/64 of its probability, and mostly none


@assembled
class CountDisplay(Display):
    """Whether the distribution of counts agrees with the counts: a rootogram, or residuals.

    A hanging rootogram (Tukey 1972) has a bar for each count. It hangs from the number of rows that the model expects to have this count,
    and is as long as the number of rows that have it, both as square roots. A bar that ends above the line is of a count that is rarer than
    expected; one that ends below it, more frequent. Square roots have about the same spread everywhere, half a row.

    Residuals are (y - mean) / sd under the predictive distribution, over the mean. Without a pattern, about 95% lie between -2 and 2.

    Parameters
    ----------
    count : ndarray of shape (n_bars,)
        The smallest count of each bar; bars hold several counts if the counts are large or the rows few.
    observed, expected : ndarray of shape (n_bars,)
        Numbers of rows.
    mean, residual : ndarray of shape (n_samples,)
        Predicted means, and residuals.
    kind : {"rootogram", "residuals"}
        What to draw.
    target : str
        Name of the counts.

    Attributes
    ----------
    {plot.ax_, plot.figure_}
    bars_ : BarContainer
        Of a rootogram.
    points_ : Line2D
        The expected numbers of rows, or the residuals.

    Examples
    --------
    {examples.counts}
    >>> from ardvark.plot import CountDisplay
    >>> display = CountDisplay.from_estimator(BayesianCountRegression("shared").fit(X, y), X, y)
    >>> int(display.observed.sum()) == len(y)
    True
    """

    def __init__(
        self, count: np.ndarray, observed: np.ndarray, expected: np.ndarray, mean: np.ndarray, residual: np.ndarray, kind: str, target: str
    ):
        self.count, self.observed, self.expected = count, observed, expected
        self.mean, self.residual, self.kind, self.target = mean, residual, kind, target

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, offset: Any = None, kind: str = "rootogram", max_count: Optional[int] = None, ax: Any = None
    ) -> CountDisplay:
        """Compares predictions with counts.

        Parameters
        ----------
        estimator : a fitted BayesianCountRegression, or a pipeline that ends with one
            What to draw.
        X : array-like or table of shape (n_samples, n_features)
            Rows, of the fit or others.
        y : array-like of shape (n_samples,)
            Their counts.
        offset : array-like of shape (n_samples,), default=None
            As in ``predict``, if the fit had one.
        kind : {"rootogram", "residuals"}, default="rootogram"
            What to draw.
        max_count : int, default=None
            The largest count with a bar. None: that of the rows.
        {plot.ax}

        Returns
        -------
        display : CountDisplay
            Drawn.

        Examples
        --------
        {examples.counts}
        >>> from ardvark.plot import CountDisplay
        >>> model = BayesianCountRegression("shared").fit(X, y)
        >>> CountDisplay.from_estimator(model, X, y, kind="residuals").ax_.get_ylabel()
        'residual, in standard deviations'
        """
        check_is_fitted(estimator)
        if kind not in ("rootogram", "residuals"):
            raise ValueError(f"kind is {kind!r}; it must be 'rootogram' or 'residuals'")
        observed = np.asarray(y, dtype=float)
        last = estimator[-1] if hasattr(estimator, "steps") else estimator
        inputs = estimator[:-1].transform(X) if hasattr(estimator, "steps") and len(estimator) > 1 else X
        offset = None if offset is None else np.asarray(offset, dtype=float)
        mean, std = last.predict(inputs, return_std=True, offset=offset)
        largest = int(observed.max() if max_count is None else max_count)
        if largest < 0:
            raise ValueError(f"max_count is {max_count}; it must be 0 or more")
        width = largest // min(_MOST_BARS, max(len(observed) // _ROWS_PER_BAR, 10)) + 1
        first = np.arange(0, largest + 1, width)
        rows = np.zeros(len(first))
        expected = np.zeros(len(first))
        if kind == "rootogram":
            bar = (observed[observed < first[-1] + width] // width).astype(int)
            rows = np.bincount(bar, minlength=len(first)).astype(float)
            of_each = _expected(last, inputs, offset, mean, std, int(first[-1]) + width)
            expected = of_each.reshape(len(first), width).sum(axis=1)
        return cls(first, rows, expected, mean, (observed - mean) / std, kind, target_name(estimator, y)).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        self.ax_, self.figure_ = axes(ax, (6.4, 4.2))
        if self.kind == "rootogram":
            self._draw_rootogram()
        else:
            (self.points_,) = self.ax_.plot(self.mean, self.residual, "o", color=COLORS[0], markersize=3.5, alpha=0.6)
            self.ax_.set_xscale("log")
            for height in (-2, 2):
                self.ax_.axhline(height, linestyle="--", color=GREY, linewidth=1)
            self.ax_.axhline(0, color=GREY, linewidth=1)
            self.ax_.set_xlabel(f"predicted mean of {self.target}")
            self.ax_.set_ylabel("residual, in standard deviations")
        dress(self.ax_)

    def _draw_rootogram(self) -> None:
        top, length = np.sqrt(self.expected), np.sqrt(self.observed)
        width = float(np.diff(self.count)[0]) if len(self.count) > 1 else 1.0
        middle = self.count + 0.5 * (width - 1)
        self.bars_ = self.ax_.bar(middle, -length, bottom=top, width=0.8 * width, color=COLORS[5], label="rows that have it")
        (self.points_,) = self.ax_.plot(middle, top, "o-", color=COLORS[1], markersize=3.5, linewidth=1.4, label="rows expected to have it")
        self.ax_.axhline(0, color="black", linewidth=1)
        self.ax_.set_ylim(*(np.array([min((top - length).min(), 0.0), top.max()]) + np.array([-0.05, 0.05]) * top.max()))
        self.ax_.set_xlabel(f"{self.target}" if width == 1 else f"{self.target}, in steps of {width:g}")
        self.ax_.set_ylabel("square root of the number of rows")
        self.ax_.legend(frameon=False, fontsize="small")


def _expected(model: Any, X: Any, offset: Optional[np.ndarray], mean: np.ndarray, std: np.ndarray, num_counts: int) -> np.ndarray:
    """The number of rows that the model expects to have each of the counts 0, 1, ... Each row adds those within some standard deviations."""
    low, high = (np.clip(mean + sign * _REACH * std, 0, num_counts).astype(int) for sign in (-1, 1))
    length = np.minimum(high + 1, num_counts) - low
    row = np.repeat(np.arange(len(mean)), length)
    count = np.arange(len(row)) - np.repeat(np.cumsum(length) - length - low, length)
    out = np.zeros(num_counts)
    for first in range(0, len(row), _ROWS_PER_CALL):
        some, counts = row[first : first + _ROWS_PER_CALL], count[first : first + _ROWS_PER_CALL]
        density = model.log_density(_safe_indexing(X, some), counts, offset=None if offset is None else offset[some])
        out += np.bincount(counts, weights=np.exp(density), minlength=num_counts)
    return out
