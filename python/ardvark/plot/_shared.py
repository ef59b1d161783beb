"""The common parts of the displays: axes, names, colours."""

from __future__ import annotations

import warnings
from typing import Any, Sequence, TypeVar

import numpy as np

D = TypeVar("D", bound="Display")

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "^", "s", "D", "v", "P", "X")
GREY = "#8C8C8C"
LABELLED = 40  # the number of names that fit on an axis


def axes(ax: Any, size: tuple[float, float]) -> tuple[Any, Any]:
    if ax is not None:
        return ax, ax.figure
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("ardvark.plot needs matplotlib: pip install ardvark[plot]") from None
    figure, ax = plt.subplots(figsize=size, layout="constrained")
    return ax, figure


def dress(ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.set_axisbelow(True)


def percent(level: float) -> str:
    return f"{100 * level:g}%"


def column_names(estimator: Any, number: int) -> list[str]:
    names = getattr(estimator, "columns_", getattr(estimator, "feature_names_in_", None))
    return [f"x{j + 1}" for j in range(number)] if names is None else [str(name) for name in names]


def target_name(estimator: Any, y: Any = None) -> str:
    """The name of the predicted quantity."""
    last = estimator[-1] if hasattr(estimator, "steps") else estimator
    model = getattr(last, "_model", None)
    name = getattr(y, "name", None) or (model.text("target") if model is not None else "")
    return name if isinstance(name, str) and name else "y"


def ask(method: Any, X: np.ndarray, **options: Any) -> Any:
    """A prediction for rows of a grid, which have no column names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return method(X, **options)


def sign(face: str, edge: str, marker: str, text: str) -> Any:
    """An entry of a legend."""
    from matplotlib.lines import Line2D

    return Line2D(
        [], [], linestyle="none", marker=marker, markerfacecolor=face, markeredgecolor=edge, label=text
    )


def name_axis(ax: Any, names: Sequence[str]) -> None:
    """Names from top to bottom; positions if there are too many names."""
    if len(names) <= LABELLED:
        ax.set_yticks(np.arange(len(names)), names)
        ax.tick_params(axis="y", length=0)
    else:
        ax.set_ylabel("column")
    ax.set_ylim(len(names) - 0.4, -0.6)


class Display:
    """Base of the displays."""

    ax_: Any
    figure_: Any

    def plot(self: D, ax: Any = None) -> D:
        """Draws the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: a new figure.

        Returns
        -------
        display : the display itself
            It now has ``ax_``, ``figure_`` and the parts of the drawing as attributes.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from ardvark.plot import BoundHistoryDisplay
        >>> figure, ax = plt.subplots()
        >>> BoundHistoryDisplay([[-20.0, -12.0, -11.5]], [""]).plot(ax=ax).ax_ is ax
        True
        """
        self._draw(ax)
        return self

    def _draw(self, ax: Any) -> None:
        """Sets ax_ and figure_, and draws there."""
        raise NotImplementedError
