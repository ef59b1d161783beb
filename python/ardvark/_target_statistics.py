"""Statistics of rows for many targets: what linear fits of them need of a table that is read once, in pieces."""

from __future__ import annotations

import os
import threading
from ctypes import byref, c_char_p
from typing import Any, Optional, Sequence, Union

import numpy as np

from ._abi import Handle, InvalidArgumentError, call, call_for_bytes, call_for_handle, without_null
from ._arrays import matrix_of, refuse_sparse, vector_of, without_mask
from ._given import columns_of, name_of, numbers_of, refuse_gaps, refuse_times, require_other_names, require_weights, series_taken_from, table_of_fit, taken_from, targets_of
from ._hosts import in_memory, targets_in_memory
from ._options import Options
from ._results import Result
from ._statistics import OfBytes, require_kind, weights_of_call, with_truths_as_numbers, write_whole
from ._tables import Texts, is_numeric, names_of, values_of, with_earlier_columns, without

__all__ = ["TargetStatistics", "are_names", "sum_of"]


class TargetStatistics(OfBytes):
    """Number, weight, means and products of the rows of a table with many targets.

    Linear fits of the targets need nothing else. So a table of any length is read once, in pieces, on one machine or on many:
    ``BayesianLinearRegression("shared").fit(statistics)`` gives the fits that ``fit(X, Y)`` gives of all rows, up to rounding.
    Pieces of any size give the same bits. Statistics can be pickled, and added with `merge`. They take about
    16 n_features (n_features + n_targets) bytes, and 64 MiB for rows that wait.

    Attributes
    ----------
    n_rows_ : int
        Rows so far, and those of weight 0 among them.
    weight_ : float
        What their weights sum to.
    n_features_in_, n_targets_ : int
        Number of columns of X and of Y; 0 before the first rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Those of the columns, if the first rows had any.
    target_names_ : ndarray of shape (n_targets_,)
        Names of the targets; y1, y2, ... if they had none.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression, TargetStatistics
    >>> rng = np.random.default_rng(0)
    >>> statistics = TargetStatistics()
    >>> for _ in range(10):
    ...     X = rng.normal(size=(1000, 3))
    ...     statistics = statistics.update(X, X @ [[2.0, 0], [0, 1], [0, 0]] + rng.normal(size=(1000, 2)))
    >>> model = BayesianLinearRegression("shared").fit(statistics)
    >>> statistics.n_rows_, model.coef_.round(1).tolist()
    (10000, [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    """

    _kind = "target_statistics"

    def __init__(self) -> None:
        self.feature_names_in_: np.ndarray
        self._begin(call_for_handle("target_statistics", "ardvark_target_statistics_create"))

    def _begin(self, handle: Handle) -> None:
        self.handle = handle
        self._lock = threading.Lock()
        self.n_rows_, self.n_features_in_, self.n_targets_ = 0, 0, 0
        self._names: Optional[list[str]] = None
        self._target_names: Optional[list[str]] = None

    def update(self, X: Any, Y: Any, sample_weight: Any = None) -> TargetStatistics:
        """Adds rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Finite numbers, with the same columns in each call. The columns of a DataFrame are found by their names.
        Y : array-like or DataFrame of shape (n_samples, n_targets), str or list of str
            The targets; of a DataFrame X also the name or the names of its columns. A target with a value that is not finite is not fitted; the others
            are. A row of weight 0 takes no part, whatever its targets hold.
        sample_weight : array-like of shape (n_samples,) or str, default=None
            Observation weights, >= 0; a weight equals repetition of the row. Of a DataFrame also the name of its column.

        Returns
        -------
        self : TargetStatistics
            With these rows.

        Raises
        ------
        ValueError
            A value is wrong; the message names its row, counted over all calls (of weights: in this call), and its column. Nothing has
            changed.

        Examples
        --------
        >>> import pandas
        >>> from ardvark import TargetStatistics
        >>> rows = pandas.DataFrame({"size": [50.0, 70, 90], "price": [1.0, 2, 3], "rent": [3.0, 4, 4]})
        >>> statistics = TargetStatistics().update(rows, ["price", "rent"])
        >>> statistics.n_rows_, statistics.feature_names_in_.tolist(), statistics.target_names_.tolist()
        (3, ['size'], ['price', 'rent'])
        """
        refuse_sparse(X, type(self).__name__)
        X, sample_weight = without_mask(X), without_mask(sample_weight)
        refuse_times(X, "X")
        named = [Y] if isinstance(Y, str) else list(Y) if are_names(Y) else []
        of_weights = [sample_weight] if isinstance(sample_weight, str) else []
        X = in_memory(X, type(self), has_target=bool(named))
        X = table_of_fit(X, [*named, *of_weights, *(self._names or [])])
        for name in names_of(X) or []:
            X = with_truths_as_numbers(X, name)
        if named:
            for name in named:
                series_taken_from(X, name, "Y", True)  # refuses one that is not there
            if len(set(named)) < len(named):
                twice = next(name for name in named if named.count(name) > 1)
                raise InvalidArgumentError(f"Y names the column {twice!r} {named.count(twice)} times", "Y", value=twice, column=twice)
            Y = X[named]
        if of_weights:
            sample_weight = taken_from(X, sample_weight, "sample_weight")
        X = without(X, [*named, *of_weights]) if named or of_weights else X
        require_weights(sample_weight)
        refuse_gaps(sample_weight, "leave out such rows", "sample_weight")
        target_names, targets = targets_of(targets_in_memory(Y))
        if targets.ndim == 1:
            target_names, targets = None if name_of(Y) is None else [str(name_of(Y))], targets[:, None]
        names = names_of(X)
        require_other_names(target_names or self._target_names, names)
        if names is not None:
            _refuse_texts(X)
            X = with_earlier_columns(self._names, self.n_features_in_, X)
        return self.add_numbers(numbers_of(X), targets, sample_weight, names, target_names)

    def add_numbers(
        self, values: np.ndarray, targets: np.ndarray, sample_weight: Any, names: Optional[Sequence[str]], target_names: Optional[Sequence[str]]
    ) -> TargetStatistics:
        """Adds rows of numbers, without looking at tables.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_features)
            Numbers.
        targets : ndarray of shape (n_samples, n_targets)
            Numbers of the targets, in the order of earlier rows.
        sample_weight : array-like of shape (n_samples,) or None
            Weights, >= 0.
        names, target_names : sequence of str or None
            Names of the columns of both; read with the first rows. Later targets may have no other names.

        Returns
        -------
        self : TargetStatistics
            With the rows added.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import TargetStatistics
        >>> TargetStatistics().add_numbers(np.ones((3, 1)), np.ones((3, 2)), None, ["one"], ["u", "v"]).n_rows_
        3
        """
        (view, values), (of_targets, targets) = matrix_of(values), matrix_of(targets)
        weights = None if sample_weight is None else vector_of(sample_weight, values.shape[0], "sample_weight")
        with self._lock, self._forgetting_names():
            if self.n_rows_ == 0:
                self._take_names(names, target_names)
            elif target_names is not None and self._target_names is not None and list(target_names) != self._target_names:
                other = next((pair for pair in zip(target_names, self._target_names) if pair[0] != pair[1]), None)
                if other is not None:
                    why = f"that of earlier rows is {other[1]!r}"
                    raise InvalidArgumentError(f"Y has the target {other[0]!r}; {why}", "Y", value=other[0], column=other[0], why=why)
            with weights_of_call(self.n_rows_):
                pointer = None if weights is None else weights.ctypes.data
                call("ardvark_target_statistics_update", self.handle, byref(view), byref(of_targets), pointer)
            self.n_rows_ += values.shape[0]
            self.n_features_in_, self.n_targets_ = values.shape[1], targets.shape[1]
        return self

    def _without_names(self) -> None:
        self._take_names(None, None)

    def _take_names(self, names: Optional[Sequence[str]], target_names: Optional[Sequence[str]]) -> None:
        texts = None if target_names is None else [str(name) for name in target_names]
        pointers = None if texts is None else (c_char_p * len(texts))(*[without_null(name.encode()) for name in texts])
        options = Options({"column_names": None if names is None else [str(name) for name in names]})
        call("ardvark_target_statistics_set_names", self.handle, options, pointers, 0 if texts is None else len(texts))
        self._target_names = texts
        self._keep_names(None if names is None else [str(name) for name in names])

    def merge(self, right: TargetStatistics) -> TargetStatistics:
        """Adds the rows of other statistics, as if they came next.

        Parameters
        ----------
        right : TargetStatistics
            Statistics of the same columns and targets. They do not change.

        Returns
        -------
        self : TargetStatistics
            With the rows of both.

        Raises
        ------
        ValueError
            The columns or the targets differ. Nothing has changed.

        Examples
        --------
        >>> from ardvark import TargetStatistics
        >>> north = TargetStatistics().update([[1.0], [3.0]], [[0.0, 1], [1, 0]])
        >>> north.merge(TargetStatistics().update([[2.0]], [[1.0, 1.0]])).n_rows_
        3
        """
        require_kind(right, TargetStatistics)
        if right is self:
            right = TargetStatistics.from_bytes(self.to_bytes())
        with self._lock, right._lock:
            call("ardvark_target_statistics_merge", self.handle, right.handle)
            self._describe()
        return self

    def _describe(self) -> None:
        facts = self._result()
        self.n_rows_ = int(facts.number("num_rows"))
        self.n_features_in_, self.n_targets_ = int(facts.number("num_columns")), int(facts.number("num_targets"))
        self._keep_names(facts.value("columns") if facts.number("has_names") else None)
        try:
            self._target_names = facts.value("targets")
        except ValueError:
            self._target_names = None

    def _result(self) -> Result:
        return Result(call_for_handle("result", "ardvark_target_statistics_result", self.handle))

    def _array(self, name: str) -> np.ndarray:
        with self._lock:
            return self._result().array(name)

    @property
    def target_names_(self) -> np.ndarray:
        """ndarray of shape (n_targets_,): names of the targets.

        Examples
        --------
        >>> from ardvark import TargetStatistics
        >>> TargetStatistics().update([[1.0], [3.0]], [[0.0, 1], [1, 0]]).target_names_.tolist()
        ['y1', 'y2']
        """
        return np.array(self._target_names or [f"y{k + 1}" for k in range(self.n_targets_)], dtype=object)

    @property
    def target_status_(self) -> np.ndarray:
        """ndarray of shape (n_targets_,): "converged" if the sums of the target are right; else "not_finite", or "out_of_range" if values
        are too large to be squared, and its sums are NaN.

        Examples
        --------
        >>> from ardvark import TargetStatistics
        >>> TargetStatistics().update([[1.0], [3.0]], [[0.0, float("nan")], [1, 0]]).target_status_.tolist()
        ['converged', 'not_finite']
        """
        with self._lock:
            return np.array(self._result().value("status"), dtype=object)

    @property
    def weight_(self) -> float:
        """float: sum of the weights of the rows.

        Examples
        --------
        >>> from ardvark import TargetStatistics
        >>> TargetStatistics().update([[1.0], [3.0]], [[0.0, 1], [1, 0]], [1.0, 0.5]).weight_
        1.5
        """
        with self._lock:
            return self._result().number("weight")

    @property
    def mean_(self) -> np.ndarray:
        """ndarray of shape (n_features_in_,): weighted means of the columns.

        Examples
        --------
        >>> from ardvark import TargetStatistics
        >>> TargetStatistics().update([[1.0], [3.0]], [[0.0, 1], [1, 0]]).mean_.tolist()
        [2.0]
        """
        return self._array("mean")

    @property
    def target_mean_(self) -> np.ndarray:
        """ndarray of shape (n_targets_,): weighted means of the targets.

        Examples
        --------
        >>> from ardvark import TargetStatistics
        >>> TargetStatistics().update([[1.0], [3.0]], [[0.0, 1], [1, 0]]).target_mean_.tolist()
        [0.5, 0.5]
        """
        return self._array("target_mean")

    @property
    def cross_(self) -> np.ndarray:
        """ndarray of shape (n_features_in_, n_features_in_): sums of weight times product of the differences from the means.

        Examples
        --------
        >>> from ardvark import TargetStatistics
        >>> TargetStatistics().update([[1.0], [3.0]], [[0.0, 1], [1, 0]]).cross_.tolist()
        [[2.0]]
        """
        return self._array("cross")

    @property
    def target_cross_(self) -> np.ndarray:
        """ndarray of shape (n_targets_, n_features_in_): the same of a target and a column.

        Examples
        --------
        >>> from ardvark import TargetStatistics
        >>> TargetStatistics().update([[1.0], [3.0]], [[0.0, 1], [1, 0]]).target_cross_.tolist()
        [[1.0], [-1.0]]
        """
        return self._array("target_cross")

    @property
    def target_squares_(self) -> np.ndarray:
        """ndarray of shape (n_targets_,): the same of a target with itself.

        Examples
        --------
        >>> from ardvark import TargetStatistics
        >>> TargetStatistics().update([[1.0], [3.0]], [[0.0, 1], [1, 0]]).target_squares_.tolist()
        [0.5, 0.5]
        """
        return self._array("target_squares")

    def to_bytes(self) -> bytes:
        """The bytes of a file.

        Returns
        -------
        data : bytes
            What `from_bytes` reads.

        Examples
        --------
        >>> from ardvark import TargetStatistics
        >>> statistics = TargetStatistics().update([[1.0], [3.0]], [[0.0, 1], [1, 0]])
        >>> TargetStatistics.from_bytes(statistics.to_bytes()).n_rows_
        2
        """
        with self._lock:
            return call_for_bytes("ardvark_target_statistics_to_bytes", self.handle)

    @classmethod
    def from_bytes(cls, data: bytes) -> TargetStatistics:
        """The statistics from the bytes of `to_bytes`, or of a file.

        Parameters
        ----------
        data : bytes
            Those of `to_bytes`.

        Returns
        -------
        statistics : TargetStatistics
            Equal to those that were written, to the last bit.

        Raises
        ------
        ValueError
            The bytes are cut, changed, or of a later version.

        Examples
        --------
        >>> from ardvark import TargetStatistics
        >>> statistics = TargetStatistics().update([[1.0], [3.0]], [[0.0, 1], [1, 0]])
        >>> TargetStatistics.from_bytes(statistics.to_bytes()).n_targets_
        2
        """
        out = cls.__new__(cls)
        out._begin(call_for_handle("target_statistics", "ardvark_target_statistics_from_bytes", data, len(data)))
        out._describe()
        return out

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a file, completely or not at all.

        Parameters
        ----------
        path : str or path
            Where; a file of this name is replaced.

        Examples
        --------
        >>> import tempfile
        >>> from ardvark import TargetStatistics
        >>> statistics = TargetStatistics().update([[1.0], [3.0]], [[0.0, 1], [1, 0]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     statistics.save(f"{folder}/part.stats")
        ...     TargetStatistics.load(f"{folder}/part.stats").n_rows_
        2
        """
        write_whole(path, self.to_bytes())

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> TargetStatistics:
        """Reads a file of `save`.

        Parameters
        ----------
        path : str or path
            A file of `save`.

        Returns
        -------
        statistics : TargetStatistics
            Those of the file.

        Raises
        ------
        ValueError
            The file is cut, changed, of a later version, or of another kind.

        Examples
        --------
        >>> import tempfile
        >>> from ardvark import TargetStatistics
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TargetStatistics().update([[1.0], [3.0]], [[0.0, 1], [1, 0]]).save(f"{folder}/part.stats")
        ...     TargetStatistics.load(f"{folder}/part.stats").n_features_in_
        1
        """
        return cls._of_file(path, "statistics of many targets")

    def __repr__(self) -> str:
        return f"TargetStatistics(): {self.n_rows_} rows, {self.n_features_in_} columns, {self.n_targets_} targets"


def are_names(Y: Any) -> bool:
    """Whether Y is a list of names of columns."""
    return isinstance(Y, (list, tuple)) and len(Y) > 0 and all(isinstance(name, str) for name in Y)


def sum_of(parts: Sequence[TargetStatistics]) -> TargetStatistics:
    """The rows of all parts, which do not change."""
    total = TargetStatistics()
    for part in parts:
        total.merge(part)
    return total


def _refuse_texts(X: Any) -> None:
    """Columns of texts or categories, whose levels a later piece may not have yet; of dates; and without a value, unless they are of numbers."""
    for name, column in zip(names_of(X) or (), columns_of(X)):
        if is_numeric(column.dtype) or not isinstance(values_of(str(name), column), Texts):
            continue
        level = "category" if str(column.dtype).lower().startswith(("categor", "enum")) else "text"
        kind = "categories" if level == "category" else "texts"
        why = "statistics of many targets need columns of numbers"
        remedy = f"write 0 and 1 for each {level} but one, or leave the column out"
        raise TextColumn(f"column {str(name)!r} of X holds {kind}; {why}: {remedy}", "X", column=str(name), why=why, remedy=remedy)


class TextColumn(InvalidArgumentError):
    """A column of texts, where numbers are needed."""
