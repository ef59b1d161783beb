"""Statistics of rows: what a linear fit needs of a table that is read once, in pieces."""

from __future__ import annotations

import contextlib
import os
import threading
from ctypes import byref
from typing import Any, Iterator, Optional, Sequence, Union

import numpy as np

from ._abi import Handle, InvalidArgumentError, call, call_for_bytes, call_for_handle, without_null, wrong_row
from ._arrays import matrix_of, refuse_sparse, vector_of, without_mask
from ._given import name_of, numbers_of, refuse_gaps, refuse_many, refuse_times, require_numbers, require_weights, table_of_fit, taken_from
from ._hosts import in_memory
from ._options import Options
from ._results import Result
from ._tables import Encoding, _numbers, begins_with_gap, holds_text, holds_truths, is_numeric, names_of, table_of, with_earlier_columns, without

__all__ = ["LinearStatistics", "require_kind", "weights_of_call", "with_truths_as_numbers", "write_whole"]


class OfBytes:
    """Copies, pickles and files of what has ``to_bytes`` and ``from_bytes``."""

    _kind: str  # of the handle

    def __copy__(self: Any) -> Any:
        """To which rows can be added: it then has the bits that this would have. Bytes are those of the rows so far."""
        cls: Any = type(self)
        out = cls.__new__(cls)
        with self._lock:
            out._begin(call_for_handle(self._kind, f"ardvark_{self._kind}_copy", self.handle))
            out.__dict__.update({name: value for name, value in self.__dict__.items() if name not in ("handle", "_lock")})
        return out

    def __deepcopy__(self: Any, memo: Any) -> Any:
        return self.__copy__()

    @classmethod
    def _of_file(cls: Any, path: Union[str, os.PathLike[str]], kind: str) -> Any:
        with open(path, "rb") as file:
            data = file.read()
        try:
            return cls.from_bytes(data)
        except ValueError as error:
            raise InvalidArgumentError(f"{os.fspath(path)!r} cannot be read as {kind}: {error}") from None

    @contextlib.contextmanager
    def _forgetting_names(self: Any) -> Iterator[None]:
        """First rows that are refused leave no names."""
        try:
            yield
        except BaseException:
            if self.n_rows_ == 0:
                self._without_names()
            raise

    def _keep_names(self: Any, names: Optional[list[str]]) -> None:
        """Those of the columns of X; None: they have none."""
        self._names = names
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)

    def __reduce__(self: Any) -> Any:
        return type(self).from_bytes, (self.to_bytes(),)

    def __getstate__(self: Any) -> Any:  # of skops, which follows __reduce__ only to the type itself
        return {"data": self.to_bytes()}

    def __setstate__(self: Any, state: Any) -> None:
        self.__dict__.update(type(self).from_bytes(state["data"]).__dict__)


class LinearStatistics(OfBytes):
    """Number, weight, means and cross-products of the rows of a table.

    A linear fit needs nothing else. So a table of any length is read once, in pieces, on one machine or on many:
    ``BayesianLinearRegression().fit(statistics)`` gives the fit that ``fit(X, y)`` gives of all rows, up to rounding.
    Pieces of any size give the same bits. Statistics can be pickled, and added with `merge`.

    Parameters
    ----------
    form : {"gram", "factor"}, default="gram"
        What is kept of the rows. "gram": their cross-products. "factor": their triangular factor, which keeps the
        digits of nearly collinear columns in about twice the work. A fit without a prior (``prior="none"``, ``flat``) needs it if the columns
        are nearly collinear, and says so.

    Attributes
    ----------
    form : str
    n_rows_ : int
        Number of rows so far.
    weight_ : float
        Sum of their weights.
    n_features_in_ : int
        Number of columns of X; 0 before the first rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if the first rows had names.
    target_ : str or None
        Name of the target, if it had one.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import BayesianLinearRegression, LinearStatistics
    >>> rng = np.random.default_rng(0)
    >>> statistics = LinearStatistics()
    >>> for _ in range(10):
    ...     X = rng.normal(size=(1000, 3))
    ...     statistics = statistics.update(X, 1 + 2 * X[:, 0] + rng.normal(size=1000))
    >>> model = BayesianLinearRegression().fit(statistics)
    >>> statistics.n_rows_, round(model.coef_[0].item(), 1)
    (10000, 2.0)
    """

    _kind = "statistics"

    def __init__(self, form: str = "gram"):
        self.form = form
        self.feature_names_in_: np.ndarray
        self._begin(call_for_handle("statistics", "ardvark_statistics_create", str(form).encode()))

    def _begin(self, handle: Handle) -> None:
        self.handle = handle
        self._lock = threading.Lock()
        self.n_rows_, self.n_features_in_ = 0, 0
        self.target_: Optional[str] = None
        self._names: Optional[list[str]] = None
        self._is_table = False  # it has text columns, or columns of true and false, with all their levels
        self._has_text = False  # statistics of the shell have text columns without the level that the others are compared with

    def update(self, X: Any, y: Any, sample_weight: Any = None) -> LinearStatistics:
        """Adds rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Numbers, with the same columns in each call. A DataFrame may also have columns of texts, and of true and false; its columns
            are found by their names. Later rows may have other levels of a text column.
        y : array-like of shape (n_samples,), or str
            The target; of a DataFrame also the name of its column.
        sample_weight : array-like of shape (n_samples,) or str, default=None
            Observation weights, >= 0; a weight equals repetition of the row. Of a DataFrame also the name of its column.

        Returns
        -------
        self : LinearStatistics
            With these rows.

        Raises
        ------
        ValueError
            A value is wrong; the message names its row, counted over all calls (of y and weights: in
            this call), and its column. Nothing has changed.

        Examples
        --------
        >>> import pandas
        >>> from ardvark import LinearStatistics
        >>> rows = pandas.DataFrame({"size": [50.0, 70, 90], "price": [1.0, 2, 3]})
        >>> statistics = LinearStatistics().update(rows, "price")
        >>> statistics.n_rows_, statistics.feature_names_in_.tolist(), statistics.target_
        (3, ['size'], 'price')
        """
        refuse_sparse(X, type(self).__name__)
        refuse_many(y, type(self).__name__)
        target = y if isinstance(y, str) else name_of(y)
        X, y, sample_weight = map(without_mask, (X, y, sample_weight))
        refuse_times(X, "X")
        require_weights(sample_weight)
        X = in_memory(X, type(self), has_target=isinstance(y, str))
        X = self.as_earlier_rows(X, [name for name in (y, sample_weight) if isinstance(name, str)])
        for name in (y, sample_weight):
            X = with_truths_as_numbers(X, name)
        if self.reads_as_table(X):
            return self._add_table(X, y, sample_weight)
        named = [name for name in (y, sample_weight) if isinstance(name, str)]
        if isinstance(y, str):
            y = taken_from(X, y, "y")
        if isinstance(sample_weight, str):
            sample_weight = taken_from(X, sample_weight, "sample_weight")
        X = without(X, named) if named else X
        require_numbers(y)
        refuse_gaps(y, "leave out such rows")
        refuse_gaps(sample_weight, "leave out such rows", "sample_weight")
        values, names = self._values_of(X)
        return self.add_numbers(values, y, sample_weight, names, target)

    def as_earlier_rows(self, X: Any, named: Sequence[str] = ()) -> Any:
        """A table as a DataFrame without the labels of rows; after earlier rows with 1 and 0 in place of true and false.

        Parameters
        ----------
        X : array-like or DataFrame
            Rows.
        named : collection of str
            Columns that stay, although they may be labels of rows.

        Returns
        -------
        X : array-like or DataFrame
            The same rows.

        Examples
        --------
        >>> import pandas
        >>> from ardvark import LinearStatistics
        >>> earlier = LinearStatistics().update(pandas.DataFrame({"old": [0, 1]}), [2.0, 3.0])
        >>> earlier.as_earlier_rows(pandas.DataFrame({"old": [True, False]})).old.tolist()
        [1.0, 0.0]
        """
        X = table_of_fit(X, [*named, *(self._names or [])])
        for name in (names_of(X) or []) if self.n_rows_ > 0 else []:
            X = with_truths_as_numbers(X, name)
        return X

    def has_columns(self, names: Sequence[str]) -> bool:
        """Whether rows with these columns, all of them numbers, come next as they are.

        Parameters
        ----------
        names : sequence of str
            Names of the columns of X, in their order.

        Returns
        -------
        they_fit : bool
            False if earlier rows have other columns, or texts.

        Examples
        --------
        >>> from ardvark import LinearStatistics
        >>> LinearStatistics().has_columns(["size"])
        True
        """
        return not self._is_table and (self.n_rows_ == 0 or list(names) == self._names)

    def add_numbers(
        self, values: np.ndarray, y: Any, sample_weight: Any, names: Optional[Sequence[str]], target: Optional[str]
    ) -> LinearStatistics:
        """Adds rows of numbers, without looking for text and gaps.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_features)
            Numbers.
        y : array-like of shape (n_samples,)
            Numbers of the target.
        sample_weight : array-like of shape (n_samples,) or None
            Weights, >= 0.
        names : sequence of str or None
            Names of the columns; read with the first rows.
        target : str or None
            Name of the target; read with the first rows.

        Returns
        -------
        self : LinearStatistics
            With the rows added.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import LinearStatistics
        >>> LinearStatistics().add_numbers(np.ones((3, 1)), [1, 2, 3], None, ["one"], "y").n_rows_
        3
        """
        view, values = matrix_of(values)
        y = vector_of(y, values.shape[0], "y")
        weights = None if sample_weight is None else vector_of(sample_weight, values.shape[0], "sample_weight")
        with self._lock, self._forgetting_names():
            if self.n_rows_ == 0 and (names is not None or target is not None):
                self._take_names(names, target)
            pointer = None if weights is None else weights.ctypes.data
            with weights_of_call(self.n_rows_):
                call("ardvark_statistics_update", self.handle, byref(view), y.ctypes.data, pointer)
            self.n_rows_ += values.shape[0]
            self.n_features_in_ = values.shape[1]
        return self

    def reads_as_table(self, X: Any) -> bool:
        """Whether X is a DataFrame with text columns, or with columns of true and false, or one after such rows.

        Parameters
        ----------
        X : array-like or DataFrame
            Rows.

        Returns
        -------
        is_table : bool
            Whether `update` looks for levels.

        Examples
        --------
        >>> import pandas
        >>> from ardvark import LinearStatistics
        >>> LinearStatistics().reads_as_table(pandas.DataFrame({"city": ["Ulm", "Bern"]}))
        True
        """
        return names_of(X) is not None and (self._is_table or holds_text(X) or any(map(holds_truths, X.dtypes)))

    def _add_table(self, X: Any, y: Any, sample_weight: Any) -> LinearStatistics:
        """Rows of a table with text columns."""
        columns, names = X, []
        for given, what, default in ((y, "y", "y"), (sample_weight, "sample_weight", "sample weight")):
            if given is None or isinstance(given, str):
                names.append(given)
                continue
            require_numbers(given)
            refuse_gaps(given, "leave out such rows", what)
            values, name = vector_of(given, len(X), what), name_of(given) or default
            if name in (names_of(columns) or ()):
                raise ValueError(f"{what} has the name of a column of X, {name!r}; give it another name")
            columns = columns.with_columns(**{name: values}) if hasattr(columns, "with_columns") else columns.assign(**{name: values})
            names.append(name)
        target, weights = names
        if isinstance(y, str):
            taken_from(X, y, "y")
        for name in names_of(columns) or []:
            if not is_numeric(columns[name].dtype) and begins_with_gap(columns[name]):  # perhaps it has no value at all in these rows
                fields = {"value": "NaN", "column": str(name), "remedy": "leave out the row, or fill the gap"}
                raise wrong_row("", self.n_rows_, f" has no value in column {name!r}", counts_piece=False, **fields)
        with self._lock:
            arguments = [None if name is None else without_null(name.encode()) for name in (target, weights)]
            with weights_of_call(self.n_rows_, weights):
                call("ardvark_statistics_update_table", self.handle, table_of(columns), *arguments)
            self.n_rows_ += len(X)
            if not self._is_table:
                self._is_table, self.target_ = True, target
                self._names = [name for name in names_of(columns) or () if name not in names]
                self.feature_names_in_ = np.array(self._names, dtype=object)
                self.n_features_in_ = len(self._names)
        return self

    def _encoding(self, reference: Sequence[str] = (), model: str = "linear") -> Optional[Encoding]:
        """How the columns of a table become those of a fit; None: X is a matrix of numbers."""
        if not self._is_table and not self._has_text:
            return None
        with self._lock:
            return Encoding(call_for_handle("encoding", "ardvark_statistics_encoding", self.handle, Options({"reference": list(reference) or None, "model": model})))

    def _values_of(self, X: Any) -> tuple[np.ndarray, Optional[list[str]]]:
        names = names_of(X)
        if names is None:
            return numbers_of(X), None
        return numbers_of(with_earlier_columns(self._names, self.n_features_in_, X)), [str(name) for name in names]

    def _without_names(self) -> None:
        self._take_names(None, None)

    def _take_names(self, names: Optional[Sequence[str]], target: Optional[str]) -> None:
        given = None if names is None else list(names)
        call("ardvark_statistics_set_names", self.handle, Options({"column_names": given, "target": target}))
        self.target_ = target
        self._keep_names(given)

    def merge(self, right: LinearStatistics) -> LinearStatistics:
        """Adds the rows of other statistics, as if they came next.

        Parameters
        ----------
        right : LinearStatistics
            Statistics of the same columns and the same form. They do not change.

        Returns
        -------
        self : LinearStatistics
            With the rows of both.

        Raises
        ------
        ValueError
            The form or the columns differ; nothing has changed.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import LinearStatistics
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> north, south = LinearStatistics().update(X[:40], X[:40, 0]), LinearStatistics().update(X[40:], X[40:, 0])
        >>> north.merge(south).n_rows_
        100
        """
        require_kind(right, LinearStatistics)
        if right is self:
            right = LinearStatistics.from_bytes(self.to_bytes())
        with self._lock, right._lock:
            call("ardvark_statistics_merge", self.handle, right.handle)
            self._describe()
        return self

    def _describe(self) -> None:
        facts = self._result()
        self.form = facts.text("form")
        self.n_rows_ = int(facts.number("num_rows"))
        self.target_ = facts.text("target") or None
        self._is_table, self._has_text = bool(facts.number("has_levels")), bool(facts.number("has_text"))
        names = facts.value("features" if self._is_table or self._has_text else "columns")
        self.n_features_in_ = len(names)
        self._keep_names(names if facts.number("has_names") else None)

    def _result(self) -> Result:
        return Result(call_for_handle("result", "ardvark_statistics_result", self.handle))

    @property
    def weight_(self) -> float:
        """float: sum of the weights of the rows.

        Examples
        --------
        >>> from ardvark import LinearStatistics
        >>> LinearStatistics().update([[1.0], [3.0]], [0.0, 1.0], [1.0, 0.5]).weight_
        1.5
        """
        with self._lock:
            return self._result().number("weight")

    @property
    def mean_(self) -> np.ndarray:
        """ndarray of shape (n_features_in_ + 1,): weighted means; the target is last.

        Examples
        --------
        >>> from ardvark import LinearStatistics
        >>> LinearStatistics().update([[1.0], [3.0]], [0.0, 1.0]).mean_.tolist()
        [2.0, 0.5]
        """
        with self._lock:
            return self._result().array("mean")

    @property
    def cross_(self) -> np.ndarray:
        """ndarray of shape (n_features_in_ + 1, n_features_in_ + 1): sums of weight times product of the differences from the means.

        Examples
        --------
        >>> from ardvark import LinearStatistics
        >>> LinearStatistics().update([[1.0], [3.0]], [0.0, 1.0]).cross_.tolist()
        [[2.0, 1.0], [1.0, 0.5]]
        """
        with self._lock:
            return self._result().array("cross")

    def squared_error(self, model: Any) -> float:
        """Mean squared error of a regression's predictions for these rows.

        So a cross-validation needs no rows: fit to the merged statistics of all folds but one, and take the error for the one.

        Parameters
        ----------
        model : BayesianLinearRegression
            A fitted regression with the same columns.

        Returns
        -------
        mean_square : float
            In units of the target squared.

        Raises
        ------
        ValueError
            The model has other columns.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import BayesianLinearRegression, LinearStatistics
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = X[:, 0] + rng.normal(size=200)
        >>> model = BayesianLinearRegression().fit(X[:100], y[:100])
        >>> error = LinearStatistics().update(X[100:], y[100:]).squared_error(model)
        >>> bool(np.isclose(error, np.mean((y[100:] - model.predict(X[100:])) ** 2)))
        True
        """
        with self._lock:
            error: float = model._model.squared_error(self.handle)
        return error

    def to_bytes(self) -> bytes:
        """The bytes of a statistics file.

        Returns
        -------
        data : bytes
            What ``ardvark merge`` and ``ardvark fit --statistics`` read from a file.

        Examples
        --------
        >>> from ardvark import LinearStatistics
        >>> statistics = LinearStatistics().update([[1.0], [3.0]], [0.0, 1.0])
        >>> LinearStatistics.from_bytes(statistics.to_bytes()).n_rows_
        2
        """
        with self._lock:
            return call_for_bytes("ardvark_statistics_to_bytes", self.handle)

    @classmethod
    def from_bytes(cls, data: bytes) -> LinearStatistics:
        """The statistics from the bytes of `to_bytes`, or of a file.

        Parameters
        ----------
        data : bytes
            What `to_bytes` returned.

        Returns
        -------
        statistics : LinearStatistics
            Equal to those that were written, to the last bit.

        Raises
        ------
        ValueError
            The bytes are cut, changed, or of a later version.

        Examples
        --------
        >>> from ardvark import LinearStatistics
        >>> statistics = LinearStatistics("factor").update([[1.0], [3.0]], [0.0, 1.0])
        >>> LinearStatistics.from_bytes(statistics.to_bytes()).form
        'factor'
        """
        out = cls.__new__(cls)
        out._begin(call_for_handle("statistics", "ardvark_statistics_from_bytes", data, len(data)))
        out._describe()
        return out

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a statistics file, completely or not at all.

        Parameters
        ----------
        path : str or path
            The file; one of this name is replaced.

        Examples
        --------
        >>> import tempfile
        >>> from ardvark import LinearStatistics
        >>> statistics = LinearStatistics().update([[1.0], [3.0]], [0.0, 1.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     statistics.save(f"{folder}/part.stats")
        ...     LinearStatistics.load(f"{folder}/part.stats").n_rows_
        2
        """
        write_whole(path, self.to_bytes())

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> LinearStatistics:
        """Reads a statistics file of `save` or ``ardvark stats``.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        statistics : LinearStatistics
            Those of the file.

        Raises
        ------
        ValueError
            The file is cut, changed, of a later version, or of another kind.

        Examples
        --------
        >>> import tempfile
        >>> from ardvark import LinearStatistics
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     LinearStatistics().update([[1.0], [3.0]], [0.0, 1.0]).save(f"{folder}/part.stats")
        ...     LinearStatistics.load(f"{folder}/part.stats").n_features_in_
        1
        """
        return cls._of_file(path, "statistics")

    def __repr__(self) -> str:
        return f"LinearStatistics(form={self.form!r}): {self.n_rows_} rows, {self.n_features_in_} columns"


def require_kind(right: Any, kind: type) -> None:
    """Refuses to add anything else to statistics of a kind: the library would read it as if it were these."""
    if not isinstance(right, kind):
        why = f"only {kind.__name__} can be added to {kind.__name__}"
        raise InvalidArgumentError(f"right is of the type {type(right).__name__}; {why}", "right", value=type(right).__name__, why=why)


def write_whole(path: Union[str, os.PathLike[str]], data: bytes) -> None:
    """Writes a file, completely or not at all."""
    partial = f"{os.fspath(path)}.partial-{os.getpid()}"
    try:
        with open(partial, "wb") as file:
            file.write(data)
        os.replace(partial, path)
    except BaseException:
        if os.path.exists(partial):
            os.unlink(partial)
        raise


@contextlib.contextmanager
def weights_of_call(before: int, column: Optional[str] = None) -> Iterator[None]:
    """Errors about weights name sample_weight, and count the rows of this call, not those before."""
    try:
        yield
    except InvalidArgumentError as error:
        is_weight = error.argument == "weights" or (column is not None and error.column == column)
        if not is_weight or (error.row or 0) <= before:
            raise
        if error.argument:
            error = error._in_words("sample_weight", str)
        error = error._in_rows(lambda row: (row - before, f"row {row - before}"))
        error.argument, error._counts_piece = "sample_weight", True
        raise error from None


def with_truths_as_numbers(X: Any, name: Any) -> Any:
    """The table, where a column that is the target or the weights has 1 and 0 in place of true and false."""
    if not isinstance(name, str) or (names_of(X) or []).count(name) != 1:
        return X
    column = X[name]
    known = column.dropna() if hasattr(column, "dropna") and column.dtype == object else ()
    is_mixed = len(known) > 0 and all(isinstance(value, (bool, np.bool_)) for value in known)
    if not is_mixed and not holds_truths(column.dtype):
        return X
    numbers = _numbers(column)
    return X.with_columns(**{name: numbers}) if hasattr(X, "with_columns") else X.assign(**{name: numbers})
