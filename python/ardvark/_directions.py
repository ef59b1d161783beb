"""Which columns raise or lower which of many targets."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from ._abi import InvalidArgumentError
from ._results import Result

if TYPE_CHECKING:
    import pandas

__all__ = ["TargetDirections", "checked_rate", "directions_of"]


def checked_rate(fdr: Any) -> float:
    """A rate of false discoveries. Raises ValueError if it is not between 0 and 1."""
    if not isinstance(fdr, Real) or isinstance(fdr, bool) or not 0 < float(fdr) < 1:
        why = "it must be a number between 0 and 1"
        raise InvalidArgumentError(f"fdr is {fdr!r}; {why}", "fdr", value=str(fdr), why=why)
    return float(fdr)


@dataclass(frozen=True)
class TargetDirections:
    """The directions of the effects of K columns on M targets, from ``target_directions()``. Tables have a row for each target; NaN of a
    target that is constant or not fitted, and of a column that is left out.

    Attributes
    ----------
    direction : DataFrame [M, K] of -1, 0 and 1
        The sign of the effect where it is stated, otherwise 0.
    q_value : DataFrame [M, K]
        The direction is among those stated at a rate of at least this much, between 0 and 1.
    p_value : DataFrame [M, K]
        Of no effect, two-sided, by Student's t.
    coef, coef_std : DataFrame [M, K]
        Least squares, and its standard error, in units of the target per unit of the column.
    noise_std, degrees_of_freedom : Series [M]
        Of the targets, after the noises were pooled.
    no_effect : Series [K]
        Estimated share of the targets on which the column has no effect; it is at least their share.
    pooled_degrees, usual_noise_std : float
        How alike the noises of the targets are: their variances are scaled inverse chi-square with these degrees of freedom about the
        square of ``usual_noise_std``. 0: not pooled; infinity: all are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(30, 2)), rng.normal(size=(30, 40))
    >>> Y[:, 7] += 2 * X[:, 1]
    >>> directions = BayesianLinearRegression("none").fit(X, Y).target_directions(fdr=0.05)
    >>> directions.found()[["target", "column", "direction"]].to_numpy().tolist()
    [['y8', 'x2', 1]]
    """

    direction: pandas.DataFrame
    q_value: pandas.DataFrame
    p_value: pandas.DataFrame
    coef: pandas.DataFrame
    coef_std: pandas.DataFrame
    noise_std: pandas.Series
    degrees_of_freedom: pandas.Series
    no_effect: pandas.Series
    pooled_degrees: float
    usual_noise_std: float

    def found(self) -> pandas.DataFrame:
        """The directions that are stated, the surest first.

        Returns
        -------
        found : DataFrame
            ``target``, ``column``, ``direction``, ``coef``, ``coef_std``, ``p_value`` and ``q_value``, a row for each.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X, Y = rng.normal(size=(30, 2)), rng.normal(size=(30, 40))
        >>> Y[:, 7] += 2 * X[:, 1]
        >>> BayesianLinearRegression("none").fit(X, Y).target_directions().found().columns.tolist()
        ['target', 'column', 'direction', 'coef', 'coef_std', 'p_value', 'q_value']
        """
        import pandas

        rows, columns = np.nonzero(self.direction.to_numpy())
        parts: dict[str, Any] = {"target": self.direction.index.to_numpy()[rows], "column": self.direction.columns.to_numpy()[columns]}
        for name in ("direction", "coef", "coef_std", "p_value", "q_value"):
            parts[name] = getattr(self, name).to_numpy()[rows, columns]
        return pandas.DataFrame(parts).sort_values(["q_value", "p_value"], kind="stable", ignore_index=True)


def directions_of(found: Result, coef: np.ndarray, targets: np.ndarray, columns: Sequence[Any], fdr: float) -> TargetDirections:
    """With names. coef [targets, columns]."""
    import pandas

    index, names = pandas.Index(targets, name="target"), pandas.Index(columns, name="column")
    table = {name: found.array(name) for name in ("q_value", "p_value", "sd")}
    stated = table["q_value"] <= fdr
    table["direction"] = np.where(stated, np.sign(coef), 0).astype(np.int8)
    table["coef"] = np.where(np.isnan(table["sd"]), np.nan, coef)
    frames = {name: pandas.DataFrame(values, index=index, columns=names) for name, values in table.items()}
    series = {name: pandas.Series(found.array(name), index=index, name=name) for name in ("noise_sd", "degrees_of_freedom")}
    return TargetDirections(
        frames["direction"], frames["q_value"], frames["p_value"], frames["coef"], frames["sd"], series["noise_sd"].rename("noise_std"), series["degrees_of_freedom"],
        pandas.Series(found.array("no_effect"), index=names, name="no_effect"), found.number("pooled_degrees"), found.number("usual_noise_sd"),
    )
