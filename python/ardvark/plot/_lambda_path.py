"""The path of a Laplace prior: coefficients and cross-validated loss against lambda."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._shared import COLORS, GREY, Display, axes, dress


class LambdaPathDisplay(Display):
    """How the loss on rows that a fit has not seen depends on lambda, with its standard errors, and which lambdas are chosen.

    Numbers above the picture count the columns that are not zero.

    Parameters
    ----------
    path : LambdaPath
        The ``lambda_path_`` of an estimator, or of one of its classes.
    loss : str
        Name of the loss.
    names : list of str, default=None
        Names of the coefficients, for ``kind="coefficients"``.
    kind : {"loss", "coefficients"}, default="loss"
        What is drawn: the loss, or the coefficients.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of Line2D
        The loss; or one line for each coefficient that is not always zero.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression
    >>> from ardvark.plot import LambdaPathDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> model = BayesianLinearRegression("laplace").fit(X, X[:, 0] + rng.normal(size=100))
    >>> display = LambdaPathDisplay.from_estimator(model)
    >>> display.lines_[0].get_xdata().size == model.lambda_path_.lambdas.size
    True
    """

    def __init__(self, path: Any, loss: str, names: Optional[Sequence[str]] = None, kind: str = "loss"):
        self.path, self.loss, self.names, self.kind = path, loss, names, kind

    @classmethod
    def from_estimator(cls, estimator: Any, *, kind: str = "loss", label: Any = None, ax: Any = None) -> LambdaPathDisplay:
        """Draws the path of a fit under prior="laplace" without laplace_lambda.

        Parameters
        ----------
        estimator : a fitted BayesianLinearRegression or BayesianLogisticRegression
            What to draw.
        kind : {"loss", "coefficients"}, default="loss"
            The loss, or the coefficients.
        label : element of ``classes_``, default=None
            With several classes: which of them.
        ax : matplotlib Axes, default=None
            None: a new figure.

        Returns
        -------
        display : LambdaPathDisplay
            Drawn.

        Raises
        ------
        ValueError
            There are several classes and no label, or no such label; another kind; coefficients of a loaded model.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLogisticRegression
        >>> from ardvark.plot import LambdaPathDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(100, 5))
        >>> model = BayesianLogisticRegression("laplace").fit(X, X[:, 0] + rng.logistic(size=100) > 0)
        >>> LambdaPathDisplay.from_estimator(model, kind="coefficients").ax_.get_ylabel()
        'coefficient'
        """
        check_is_fitted(estimator)
        path = estimator.lambda_path_
        if isinstance(path, list):
            labels = list(estimator.classes_)
            if label not in labels:
                raise ValueError(f"label is {label!r}; it must be one of the classes: {', '.join(map(repr, labels))}")
            path = path[labels.index(label)]
        if kind not in ("loss", "coefficients"):
            raise ValueError(f"kind is {kind!r}; it must be 'loss' or 'coefficients'")
        if kind == "coefficients" and path.coef is None:
            raise ValueError("this model was loaded from a file, which has no coefficients of the path; fit it again")
        loss = "log loss, nats" if hasattr(estimator, "classes_") else "squared error"
        return cls(path, loss, estimator.columns_, kind).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        self.ax_, self.figure_ = axes(ax, (6.4, 3.8))
        path, self.lines_ = self.path, []
        if self.kind == "loss":
            bars = self.ax_.errorbar(
                path.lambdas, path.loss, path.loss_error, fmt="o", markersize=3, color=COLORS[0], ecolor=GREY, elinewidth=0.8
            )
            self.lines_.append(bars.lines[0])
            self.ax_.set_ylabel(f"{self.loss}, new rows")
        else:
            ever: list[int] = np.flatnonzero(np.any(path.coef != 0, axis=0)).tolist()
            last = np.abs(path.coef[-1])
            largest = set(sorted(ever, key=lambda j: -last[j])[: len(COLORS)])
            for k, j in enumerate(sorted(ever, key=lambda j: j not in largest)):
                shown = {"color": COLORS[k], "label": self.names[j] if self.names else str(j)} if j in largest else {"color": GREY, "lw": 0.6}
                self.lines_.extend(self.ax_.plot(path.lambdas, path.coef[:, j], **shown))
            self.ax_.axhline(0, color=GREY, linewidth=0.8)
            self.ax_.set_ylabel("coefficient")
            self.ax_.legend(frameon=False, fontsize="small")
        for at, name, style in ((path.lambda_min, "min", "--"), (path.lambda_1se, "1se", ":")):
            self.ax_.axvline(at, color="black", linestyle=style, linewidth=0.8)
            self.ax_.annotate(name, (at, 0.02), xycoords=("data", "axes fraction"), fontsize="small", rotation=90)
        self.ax_.set_xscale("log")
        self.ax_.set_xlabel("lambda")
        every = max(1, path.lambdas.size // 10)
        above = self.ax_.secondary_xaxis("top")
        above.set_xticks(path.lambdas[::every], [str(n) for n in path.n_nonzero[::every]], fontsize="small")
        above.minorticks_off()
        above.set_xlabel("columns that are not zero", fontsize="small")
        dress(self.ax_)
