"""Which fold of a cross-validation each row of a source is in."""

from __future__ import annotations

import zlib
from typing import Any, Optional, Sequence

import numpy as np

__all__ = ["RowFolds"]

_FIRST = 1000  # rows with a weight that give the columns their centres and units
_ROUNDING = 1e-10  # of correlations that are equal in exact arithmetic


class RowFolds:
    """Divides the rows of tables by one number each, the same for equal rows (docs/math/l1.md, L1.14).

    Parameters
    ----------
    count : int
        Number of folds.
    seed : int
        Another seed gives other folds.
    target, sample_weight : str
        The columns that give no fold.
    """

    def __init__(self, count: int, seed: int, target: str, sample_weight: Optional[str]) -> None:
        self.count, self._seed, self._target, self._weight = count, seed, target, sample_weight
        self._units: Optional[dict[str, tuple[float, float]]] = None  # of each column that varies: its centre, and the factor of its differences
        self._width = 1.0
        self._first: list[dict[str, np.ndarray]] = []
        self._n_first = 0

    def looks_at(self, table: Any) -> bool:
        """Reads a table for the centres and units of the columns; whether more rows are needed for them.

        Parameters
        ----------
        table : DataFrame, or table or batch of Arrow
            The next rows.

        Returns
        -------
        needs_more : bool
            Whether the first rows are still too few.
        """
        columns = _columns(table)
        weight = columns.pop(self._weight, None) if self._weight is not None else None
        if weight is not None:
            columns = {name: values[weight > 0] for name, values in columns.items()}
        self._first.append(columns)
        self._n_first += max((len(values) for values in columns.values()), default=0)
        return self._n_first < _FIRST

    def of(self, table: Any) -> np.ndarray:
        """The fold of each row.

        Parameters
        ----------
        table : DataFrame, or table or batch of Arrow
            Rows.

        Returns
        -------
        folds : ndarray of int
            From 0 to ``count`` - 1.
        """
        if self._units is None:
            self._take_units()
        cells = np.floor(np.clip(np.nan_to_num(self._numbers(_columns(table), _n_rows(table))) / self._width, -1e18, 1e18)).astype(np.int64)
        start = _mixed(np.array([self._seed + 1], dtype=np.uint64))
        return (_mixed(_mixed(start ^ cells.view(np.uint64))) % np.uint64(self.count)).astype(np.intp)

    def _take_units(self) -> None:
        found = {}  # of each column that varies: its centre, its spread and its standardised values
        for name in dict.fromkeys(name for columns in self._first for name in columns):
            values = np.concatenate([columns[name] for columns in self._first if name in columns])[:_FIRST]
            if len(values) == 0 or not np.all(np.isfinite(values)):
                continue  # such rows are refused
            centre, size = values.mean(), np.abs(values).max()
            spread = np.sqrt(np.mean((values - centre) ** 2))
            if spread > 4 * np.finfo(float).eps * size:
                found[name] = (centre, spread, (values - centre) / spread)
        target = found[self._target][2] if self._target in found else np.zeros(0)
        of_others = {name: _correlation(values, target) for name, (_, _, values) in found.items() if name != self._target}
        order = [*([self._target] if self._target in found else []), *_by_size(of_others)]
        self._units = {}
        for number, name in enumerate(order, start=0 if self._target in found else 1):
            centre, spread, _ = found[name]
            sign = -1.0 if of_others.get(name, 0.0) < -_ROUNDING else 1.0  # a column times -1 has the same folds
            self._units[name] = (centre, sign * (0.5 + float(_mixed(np.array([number + 1], dtype=np.uint64))[0]) / 2**64) / spread)
        numbers = [self._numbers(columns, max((len(values) for values in columns.values()), default=0)) for columns in self._first]
        spread = np.std(np.concatenate(numbers)[:_FIRST]) if numbers else 0.0
        self._width = float(spread) / 2**20 if spread > 0 and np.isfinite(spread) else 1.0
        self._first = []

    # Column by column: a product of matrices would round equal rows differently.
    def _numbers(self, columns: dict[str, np.ndarray], n_rows: int) -> np.ndarray:
        out = np.zeros(n_rows)
        for name, (centre, factor) in (self._units or {}).items():
            if name in columns:
                out += factor * (columns[name] - centre)
        return out


def _correlation(values: np.ndarray, target: np.ndarray) -> float:
    """Of standardised columns."""
    return float(np.mean(values * target)) if len(values) == len(target) else 0.0


def _by_size(correlations: dict[str, float]) -> list[str]:
    """The columns by the sizes of their correlations with the target; their order in the table decides only among equal ones."""
    names = list(correlations)
    size = np.abs([correlations[name] for name in names])
    order = np.argsort(size, kind="stable")
    group = np.cumsum(np.diff(size[order], prepend=0.0) > _ROUNDING)
    return [names[place] for place in order[np.lexsort((order, group))]]


def _n_rows(table: Any) -> int:
    return int(table.num_rows) if hasattr(table, "num_rows") else len(table)


def _columns(table: Any) -> dict[str, np.ndarray]:
    """The columns as numbers; a text is a number that depends on it alone. What is no column is refused elsewhere."""
    names: Sequence[Any] = list(table.schema.names) if hasattr(table, "num_rows") else list(getattr(table, "columns", []))
    if len(set(names)) < len(names):
        return {}
    return {name: _numbers_of(table.column(name) if hasattr(table, "num_rows") else table[name]) for name in names}


def _numbers_of(column: Any) -> np.ndarray:
    values = np.asarray(column.to_pandas() if hasattr(column, "to_pandas") and hasattr(column, "type") else column)
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    try:
        if not any(isinstance(value, str) for value in values[:1]):
            return values.astype(np.float64)
    except (TypeError, ValueError):
        pass
    texts, place = np.unique(values.astype(str), return_inverse=True)
    return np.array([zlib.crc32(text.encode()) / 2**32 for text in texts])[place]


def _mixed(x: np.ndarray) -> np.ndarray:
    """A hash of 64 bits, of which each depends on all: the last steps of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
