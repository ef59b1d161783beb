"""How well the columns explain each of many targets."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._docs import assembled
from ._shared import COLORS, GREY, LABELLED, Display, axes, dress, name_axis, sign

_LABELS = {
    "r_squared": "R², of the rows of the fit",
    "r_squared_loo": "R², of rows that the fit has not seen",
    "noise_std": "noise, standard deviation",
    "effects": "effects",
    "evidence": "evidence against the constant, nats",
    "probability": "probability that the columns explain it",
}


@assembled
class MultiTargetDisplay(Display):
    """How well the columns explain each target: a map, or a mark for each. Targets that are not explained are hollow or grey.

    Parameters
    ----------
    values : ndarray of shape (n_targets,)
        What is shown of each target; NaN: nothing.
    explained : ndarray of shape (n_targets,), bool
        The targets that are explained.
    names : sequence of str
        Their names.
    label : str
        What the values are.
    shape : tuple of two int, default=None
        Rows and columns of the map on which the targets lie, row by row. None: no map.

    Attributes
    ----------
    {plot.ax_, plot.figure_}
    image_ : AxesImage
        Only of a map.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark.plot import MultiTargetDisplay
    >>> display = MultiTargetDisplay([0.2, 0.7], [False, True], ["left", "right"], "R²").plot()
    >>> display.ax_.get_xlabel()
    'R²'
    """

    def __init__(self, values: Any, explained: Any, names: Sequence[str], label: str, shape: Optional[tuple[int, int]] = None):
        self.values, self.explained = np.asarray(values, dtype=float), np.asarray(explained, dtype=bool)
        self.names, self.label, self.shape = list(names), label, shape

    @classmethod
    def from_estimator(
        cls, estimator: Any, quantity: str = "r_squared_loo", *, shape: Optional[tuple[int, int]] = None, fdr: float = 0.1, ax: Any = None
    ) -> MultiTargetDisplay:
        """Draws a fit of many targets.

        Parameters
        ----------
        estimator : a fitted BayesianLinearRegression
            Its y had several columns.
        quantity : str, default="r_squared_loo"
            A column of numbers of ``target_summary``.
        shape : tuple of two int, default=None
            Rows and columns of the map on which the targets lie, row by row. None: a mark for each target.
        fdr : float, default=0.1
            Rate of false discoveries among the targets that are explained, in (0, 1).
        {plot.ax}

        Returns
        -------
        display : MultiTargetDisplay
            Drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> from ardvark.plot import MultiTargetDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(100, 3))
        >>> Y = X @ rng.normal(size=(3, 12)) + rng.normal(size=(100, 12))
        >>> model = BayesianLinearRegression("shared").fit(X, Y)
        >>> MultiTargetDisplay.from_estimator(model, shape=(3, 4)).image_.get_array().shape
        (3, 4)
        """
        check_is_fitted(estimator)
        table = estimator.target_summary(fdr)
        if quantity not in _LABELS:
            raise ValueError(f"quantity is {quantity!r}; it must be one of {', '.join(_LABELS)}")
        values = table[quantity].to_numpy()
        if shape is not None and (len(shape) != 2 or shape[0] * shape[1] != len(values)):
            raise ValueError(f"shape is {shape}; its product must be the number of targets, {len(values)}")
        if np.isnan(values).all():
            raise ValueError(f"no target has {quantity}; r_squared_loo is there only where one decomposition serves all targets (prior='shared')")
        return cls(values, table.explained.to_numpy(), table.index.tolist(), _LABELS[quantity], shape).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        if self.shape is not None:
            self._draw_map(ax)
            return
        most = min(len(self.values), LABELLED)
        order = np.argsort(-np.where(np.isnan(self.values), -np.inf, self.values), kind="stable")[:most]
        self.ax_, self.figure_ = axes(ax, (6.4, 1.2 + 0.22 * most))
        for at, k in enumerate(order):
            face = COLORS[0] if self.explained[k] else "white"
            self.ax_.plot(self.values[k], at, "o", color=COLORS[0], markerfacecolor=face)
        name_axis(self.ax_, [str(self.names[k]) for k in order])
        self.ax_.set_xlabel(self.label)
        if most < len(self.values):
            self.ax_.set_title(f"the {most} largest of {len(self.values)} targets", fontsize="small", loc="left", color="#555555")
        self.ax_.grid(axis="x", color="#E5E5E5", linewidth=0.8)
        signs = [sign(COLORS[0], COLORS[0], "o", "explained"), sign("white", COLORS[0], "o", "not explained")]
        self.ax_.legend(handles=signs, frameon=False, fontsize="small")
        dress(self.ax_)

    def _draw_map(self, ax: Any) -> None:
        from matplotlib import colormaps

        self.ax_, self.figure_ = axes(ax, (5.0, 4.2))
        colours = colormaps["viridis"].with_extremes(bad=GREY)
        shown = np.ma.masked_where(np.isnan(self.values) | ~self.explained, self.values).reshape(self.shape)
        self.image_ = self.ax_.imshow(shown, cmap=colours, interpolation="nearest")
        self.ax_.set_xticks([])
        self.ax_.set_yticks([])
        self.figure_.colorbar(self.image_, ax=self.ax_, label=self.label, shrink=0.85)
        self.ax_.set_title(f"{int(self.explained.sum())} of {len(self.values)} targets are explained; grey: not", fontsize="small", loc="left", color="#555555")
