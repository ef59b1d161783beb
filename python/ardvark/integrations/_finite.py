"""Values that an adapter is given: they must be finite. An error names array, row and column as the other program does."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .._abi import wrong_row

__all__ = ["require_finite"]


def require_finite(name: str, values: np.ndarray, where: str = "column {}", rows: Optional[Any] = None) -> None:
    """Refuses the first value of a matrix, or of a vector, that is not finite.

    where: a column, with its number from 0. rows: the rows that take part; None: all.
    """
    numbers = np.arange(len(values)) if rows is None else np.asarray(rows)
    used = values[numbers]
    if np.isfinite(used).all():
        return
    at = tuple(np.argwhere(~np.isfinite(used))[0])
    place, value = where.format(at[1]) if values.ndim > 1 else "", "NaN" if np.isnan(used[at]) else str(used[at])
    why = "all values must be finite"
    raise wrong_row(f"{name} at ", numbers[at[0]], f"{f', {place},' if place else ''} is {value}; {why}", argument=name, value=value, column=place, why=why)
