"""The C interface of ardvark (``include/ardvark/ardvark.h``) as Python functions, by ctypes.

This module computes nothing and has no defaults. Options and results have the names of that header.

>>> import numpy as np
>>> from ardvark import _core
>>> X = np.linspace(-1, 1, 40).reshape(20, 2)
>>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
>>> model.text("status")
'converged'
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from ctypes import byref, c_char_p, c_double, c_void_p, string_at
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from ._abi import Ask, Handle, InternalError, StoppedError, call, call_for_bytes, call_for_handle, call_for_text, library, without_null
from ._arrays import call_for_array, csc_of, is_sparse, matrix_of, vector_of
from ._docs import assembled
from ._genotypes import Genotypes
from ._interrupt import InterruptWatch
from ._options import Options, long_call
from ._progress import Progress
from ._report import write_report
from ._results import Result
from ._tables import Encoding

__all__ = [
    "ArdvarkWarning",
    "InternalError",
    "Model",
    "Progress",
    "Result",
    "Sequential",
    "catalogue",
    "fit",
    "fit_rows",
    "fit_statistics",
    "load",
    "compare",
    "csv_form",
    "path",
    "select",
    "version",
]


class ArdvarkWarning(UserWarning):
    """A warning about a result: the fit exists, but you should know this before you trust it.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from ardvark import ArdvarkWarning, _core
    >>> X = np.random.default_rng(0).normal(size=(70, 40))
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     model = _core.fit(X, X[:, 0] + X[:, 1] ** 2, model="linear", prior="ard")
    >>> [w.category is ArdvarkWarning for w in said]
    [True]
    """


def _depth() -> int:
    """The stacklevel with which a warning of the caller names the line outside of this package."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, depth = frame.f_back, depth + 1
    return depth


def version() -> str:
    """Version of the library, "0.1.0".

    Examples
    --------
    >>> from ardvark import _core
    >>> len(_core.version().split("."))
    3
    """
    return library.ardvark_version().decode()


@assembled
class Model(Result):
    """A fit: results by name, predictions, a file.

    Examples
    --------
    {examples.model}
    >>> model.predict([[0.0, 0.0]]).array("mean").round(2).tolist()
    [1.0]
    """

    def __init__(self, handle: Handle, level: Optional[float] = None):
        self._model = handle
        options = None if level is None else Options({"level": level})
        super().__init__(call_for_handle("result", "ardvark_model_result", handle, options))

    def at_level(self, level: float) -> "Model":
        """The same model with intervals of another level.

        Examples
        --------
        {examples.model}
        >>> narrow, wide = (np.diff(model.at_level(level).array("interval"))[0, 0] for level in (0.5, 0.99))
        >>> bool(narrow < wide)
        True
        """
        return Model(self._model, level)

    def at_fdr(self, fdr: float) -> Result:
        """The results of the same model, fitted with ``fdr``, whose `selected` is at another false discovery rate.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(100, 5))
        >>> model = _core.fit(X, X[:, 2] + rng.normal(size=100), model="linear", fdr=0.2)
        >>> [found["columns"] for found in model.at_fdr(0.01).value("selected")]
        [[2]]
        """
        return Result(call_for_handle("result", "ardvark_model_result", self._model, Options({"fdr": fdr})))

    def covariance_of(self, columns: Sequence[int]) -> np.ndarray:
        """The covariance of some coefficients of one score, by position; the number of columns is the position of the intercept.

        Examples
        --------
        {examples.model}
        >>> bool(np.allclose(model.covariance_of([1, 2]), model.array("covariance")[1:, 1:]))
        True
        """
        positions = np.ascontiguousarray(columns, dtype=np.int64)
        return call_for_array("ardvark_model_covariance", self._model, positions.ctypes.data, positions.size)

    def draws(self, n: int, seed: int = 1) -> Result:
        """Draws from the posterior of one score: coef, intercept, noise_precision.

        Examples
        --------
        {examples.model}
        >>> model.draws(5).array("coef").shape
        (5, 2)
        """
        return Result(call_for_handle("result", "ardvark_model_draws", self._model, n, Options({"seed": seed})))

    def encoding(self) -> "Encoding":
        """How the columns of a table become those of X.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared", column_names=["a", "b"])
        >>> model.encoding().features
        ['a', 'b']
        """
        return Encoding(call_for_handle("encoding", "ardvark_model_encoding", self._model))

    def predict(
        self,
        X: Any,
        y: Any = None,
        *,
        level: Optional[float] = None,
        rule: Optional[str] = None,
        interval: Optional[str] = None,
        row_offset: Any = None,
    ) -> Result:
        """Regression: mean, sd, lower, upper. Classifier: probability [rows, classes]. With y also log_density. row_offset: of counts.

        Issues an `ArdvarkWarning` if rows lie beyond the data of a kernel machine.

        Examples
        --------
        {examples.model}
        >>> prediction = model.predict([[1.0, 0.0]], [3.0], level=0.9)
        >>> prediction.array("mean").round(2).tolist(), prediction.array("log_density").shape
        ([3.0], (1,))
        """
        options = Options({"level": level, "rule": rule, "interval": interval, "row_offset": row_offset}, InterruptWatch(None))
        target = None if y is None else vector_of(y, X.shape[0] if isinstance(X, Genotypes) else np.shape(X)[0], "y")
        pointer = None if target is None else target.ctypes.data
        if isinstance(X, Genotypes):
            beside, _kept = X.beside()
            rows = (X.handle, beside, X.absent_variants == "mean")
            result = Result(long_call("result", "ardvark_predict_genotypes", options, self._model, *rows, pointer, options))
            messages = [*result.value("warnings"), *result.value("notes")]
        else:
            sparse = is_sparse(X)
            view, X = csc_of(X) if sparse else matrix_of(X)
            function = "ardvark_predict_csc" if sparse else "ardvark_predict"
            result = Result(long_call("result", function, options, self._model, byref(view), pointer, options))
            messages = result.value("warnings")
        for message in messages:
            warnings.warn(message, ArdvarkWarning, stacklevel=_depth())
        return result

    def squared_error(self, statistics: Handle) -> float:
        """Mean squared error of the predictions for the rows of statistics.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import LinearStatistics, _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
        >>> model.squared_error(LinearStatistics().update(X, 2 + 2 * X[:, 0]).handle).__round__(3)
        1.0
        """
        out = c_double()
        call("ardvark_statistics_error", statistics, self._model, byref(out))
        return out.value

    def predict_joint(self, X: Any, draws: int = 0, **options: Any) -> Result:
        """All rows together, of a kernel machine: mean and covariance, or draws. Options: interval, seed.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.linspace(0, 1, 20)[:, None]
        >>> model = _core.fit(X, np.sin(6 * X[:, 0]), model="kernel", task="regression")
        >>> model.predict_joint(X).array("covariance").shape, model.predict_joint(X, 3, seed=1).array("draws").shape
        ((20, 20), (20, 3))
        """
        view, X = matrix_of(X)
        handle = Options(options, InterruptWatch(None))
        return Result(long_call("result", "ardvark_predict_joint", handle, self._model, byref(view), draws, handle))

    def summary(self, level: Optional[float] = None, **options: Any) -> str:
        """The fit as a table to read, with intervals of this level. Options: verbose, odds, standardized, column_names.

        Examples
        --------
        {examples.model}
        >>> "x1" in model.summary(level=0.5)
        True
        """
        return call_for_text("ardvark_model_summary", self._model, Options({"level": level, **options}))

    def report(self, path: Union[str, "os.PathLike[str]"], X: Any = None, y: Any = None, **words_and_options: Any) -> None:
        """Writes a page of HTML. y: numbers, or positions of classes; words and options: title, command, file, level, column_names, row_offset.

        Examples
        --------
        {examples.model}
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.report(f"{folder}/report.html", title="A fit")
        ...     page = Path(f"{folder}/report.html").read_text("utf-8")
        >>> page[:15], "<h1>A fit</h1>" in page
        ('<!DOCTYPE html>', True)
        """
        write_report(self._model, path, X, y, **words_and_options)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a model file, completely or not at all.

        If the program is killed while it writes, it may leave a file ``path.partial-NUMBER``, which you can delete.

        Examples
        --------
        {examples.model}
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model.ardvark")
        ...     again = _core.load(f"{folder}/model.ardvark")
        >>> again.number("bound") == model.number("bound")
        True
        """
        call("ardvark_model_save", self._model, without_null(os.fsencode(path)))

    def to_bytes(self) -> bytes:
        """The bytes that `save` writes.

        Examples
        --------
        {examples.model}
        >>> _core.from_bytes(model.to_bytes()).array("mean").tolist() == model.array("mean").tolist()
        True
        """
        return call_for_bytes("ardvark_model_to_bytes", self._model)

    def __reduce__(self) -> Any:
        return from_bytes, (self.to_bytes(),)

    def __getstate__(self) -> Any:  # of skops, which follows __reduce__ only to the type itself
        return {"data": self.to_bytes()}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(from_bytes(state["data"]).__dict__)


def spelled(text: str, renamed: Mapping[str, str]) -> str:
    """A text of the library with the options that it names as arguments of Python.

    Parameters
    ----------
    text : str
        The text.
    renamed : mapping of str to str
        Options that are called something else here.

    Example
    -------
    >>> from ardvark import _core
    >>> _core.spelled("use a prior (--prior shared --a0 1)", {"a0": "lambda_1"})
    "use a prior (prior='shared', lambda_1=1)"
    """
    if "--" not in text:
        return text
    names = [name.encode() for pair in renamed.items() for name in pair]
    return call_for_text("ardvark_spell", text.encode(), b"python", (c_char_p * len(names))(*names), len(renamed))


def fit(
    X: Any, y: Any, *, callback: Optional[Callable[[Progress], Any]] = None, warn: bool = True,
    dense: str = "X.toarray()", **options: Any,
) -> Model:
    """Fits the model or preset that the options name.

    Parameters
    ----------
    X : array of shape (n, p)
        A float64 or float32 array is read without a copy, in either memory order. Or a scipy.sparse matrix, or `Genotypes`.
    y : array of shape (n,)
        Numbers, or labels as numbers. With ``class_names``, positions in that list.
    callback : callable, optional
        Called with a `Progress` after each sweep, and in a long step about twice a second. If it returns ``False``, the fit stops (status
        "stopped_by_user"). An exception ends the call and is raised.
    warn : bool
        Whether warnings of the fit are issued as `ArdvarkWarning`.
    dense : str
        How the caller makes a sparse X dense, for messages and notes.
    **options
        The options of ``ardvark_options`` in ``ardvark.h``. ``None`` is the default of the library. ``encoding``: the handle of
        an `Encoding` that made X.

    Returns
    -------
    model : Model
        Results by name, predictions, a file.

    Raises
    ------
    ValueError
        An argument is wrong. The message names the argument, the value and the constraint.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> X = np.random.default_rng(0).normal(size=(50, 2)).astype(np.float32)
    >>> model = _core.fit(X, X[:, 0] > 0, model="logistic", class_names=["below", "above"])
    >>> model.value("classes")
    ['below', 'above']
    """
    handle = Options(options, InterruptWatch(callback))
    if isinstance(X, Genotypes):
        y = vector_of(y, X.shape[0], "y")
        beside, _kept = X.beside()
        names = [without_null(name.encode()) for name in X.columns_beside]
        columns = (beside, (c_char_p * len(names))(*names))
        made = long_call("model", "ardvark_fit_genotypes", handle, X.handle, *columns, y.ctypes.data, handle)
    else:
        sparse = is_sparse(X)
        view, X = csc_of(X, dense) if sparse else matrix_of(X)
        y = vector_of(y, X.shape[0], "y")
        made = long_call("model", "ardvark_fit_csc" if sparse else "ardvark_fit", handle, byref(view), y.ctypes.data, handle)
    model = Model(made, options.get("level"))
    if warn:
        for message in model.value("warnings"):
            warnings.warn(message, ArdvarkWarning, stacklevel=2)
    return model


def fit_statistics(
    statistics: Sequence[Handle], *, callback: Optional[Callable[[Progress], Any]] = None, **options: Any
) -> Model:
    """Fits the linear model or preset that the options name, from the handles of statistics: one, or those of the folds of a cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import LinearStatistics, _core
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> statistics = LinearStatistics().update(X, 1 + 2 * X[:, 0])
    >>> _core.fit_statistics([statistics.handle], model="linear", prior="shared").array("mean").round(1).tolist()
    [2.0, 0.0]
    """
    handle = Options(options, InterruptWatch(callback))
    folds = (c_void_p * len(statistics))(*[one._as_parameter_ for one in statistics])
    return Model(long_call("model", "ardvark_fit_folds", handle, folds, len(statistics), handle), options.get("level"))


def fit_rows(ask: Callable[[bytes], Any], *, callback: Optional[Callable[[Progress], Any]] = None, **options: Any) -> Model:
    """Fits the logistic regression or the kernel machine that the options name to rows that ``ask`` knows: it answers a question with sums over them.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> from ardvark._passes import RowSums
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> def ask(question):
    ...     return RowSums(question).update(X, X[:, 0] > 0)
    >>> _core.fit_rows(ask, model="logistic", prior="shared", column_names=["a", "b"]).text("likelihood")
    'gaussian'
    """
    handle = Options(options, InterruptWatch(callback))
    raised: list[BaseException] = []

    def answer(question: Any, size: int, sums: Any, _context: Any) -> int:
        try:
            sums[0] = ask(string_at(question, size)).handle.given_away()
        except BaseException as error:  # it must not pass through the library
            raised.append(error)
            return 1
        return 0

    try:
        model = long_call("model", "ardvark_fit_rows", handle, Ask(answer), None, handle)
    except StoppedError:
        if raised and not isinstance(raised[0], StoppedError):
            raise raised[0] from raised[0].__cause__
        raise
    return Model(model, options.get("level"))


def load(path: Union[str, "os.PathLike[str]"]) -> Model:
    """Loads a model file of `Model.save` or ``ardvark fit -o``.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model.ardvark")
    ...     print(_core.load(f"{folder}/model.ardvark").text("status"))
    converged
    """
    return Model(call_for_handle("model", "ardvark_model_load", without_null(os.fsencode(path))))


def from_bytes(data: bytes) -> Model:
    """The model from the bytes of `Model.to_bytes`.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
    >>> _core.from_bytes(model.to_bytes()).text("prior")
    'shared'
    """
    return Model(call_for_handle("model", "ardvark_model_from_bytes", data, len(data)))


def select(X: Any, y: Any, *, callback: Optional[Callable[[Progress], Any]] = None, **options: Any) -> Result:
    """Selection counts of a repeated cross-validation: count, share, sc_value, ...

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> y = (3 * X[:, 0] + rng.logistic(size=100) > 0).astype(float)
    >>> counts = _core.select(X, y, preset="slr_var", folds=5, repeats=2)
    >>> counts.array("count").shape, int(counts.array("count")[0])
    ((3,), 10)
    """
    view, X = matrix_of(X)
    y = vector_of(y, X.shape[0], "y")
    handle = Options(options, InterruptWatch(callback))
    return Result(long_call("result", "ardvark_select", handle, byref(view), y.ctypes.data, handle))


def compare(
    X: Any,
    y: Any,
    priors: Optional[Sequence[str]] = None,
    kernels: Optional[Sequence[str]] = None,
    *,
    callback: Optional[Callable[[Progress], Any]] = None,
    **options: Any,
) -> Result:
    """Several models of one table, ranked by their log evidence: best, verdict, models, summary.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> y = X[:, 0] + X[:, 1] + X[:, 2] + rng.normal(size=100)
    >>> _core.compare(X, y, ["dense", "slab"], model="linear").text("best")
    'dense'
    """
    view, X = matrix_of(X)
    y = vector_of(y, X.shape[0], "y")
    handle = Options(options, InterruptWatch(callback))
    names = [None if names is None else without_null(",".join(names).encode()) for names in (priors, kernels)]
    return Result(long_call("result", "ardvark_compare", handle, byref(view), y.ctypes.data, *names, handle))


def path(
    X: Any,
    y: Any,
    lambdas: Optional[Sequence[float]] = None,
    *,
    count: int = 0,
    smallest: float = 0,
    callback: Optional[Callable[[Progress], Any]] = None,
    **options: Any,
) -> Result:
    """Modes under a Laplace prior for a path of lambdas: lambda, mean [count, p], intercept, ...

    Parameters
    ----------
    X : array-like, or a matrix of scipy.sparse, of shape (n_samples, n_features)
        As `fit` takes it.
    y : array-like of shape (n_samples,)
        Numbers (model="linear"), or labels of two classes.
    lambdas : sequence of float, default=None
        Each > 0; the fits begin with the largest. None: ``count`` (0: 50) from the largest lambda that matters down to ``smallest`` times
        this one (0: 1e-4 with more rows than columns, else 1e-2).
    callback : callable, default=None
        Called after each step of each fit; if it returns False, the path ends.
    **options
        As those of `fit`: ``model`` ("linear", "logistic"), ``weights``, ``tolerance``, ...

    Returns
    -------
    path : Result
        Also of each lambda ``num_nonzero``, ``status``, ``message`` and ``gap``: how far the maximised objective is below its maximum at
        most, as a part of it. A status of "converged" promises at most 10 times the tolerance (1e-9), or 1e-6 where rounding does not allow more.

    Raises
    ------
    ValueError
        An argument is wrong. The message names the argument, the value and the constraint.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> y = (3 * X[:, 0] + rng.logistic(size=100) > 0).astype(float)
    >>> path = _core.path(X, y, count=5)
    >>> path.array("mean").shape, (path.array("mean") != 0).sum(axis=1)[0].item()
    ((5, 3), 0)
    >>> path.value("status")[-1], bool(path.array("gap").max() <= 1e-8)
    ('converged', True)
    """
    sparse = is_sparse(X)
    view, X = csc_of(X) if sparse else matrix_of(X)
    y = vector_of(y, X.shape[0], "y")
    handle = Options(options, InterruptWatch(callback))
    grid = None if lambdas is None else np.ascontiguousarray(lambdas, dtype=np.float64)
    pointer, number = (None, count) if grid is None else (grid.ctypes.data, grid.size)
    function = "ardvark_path_csc" if sparse else "ardvark_path"
    return Result(long_call("result", function, handle, byref(view), y.ctypes.data, pointer, number, smallest, handle))


@assembled
class Sequential:
    """Logistic regression that uses each row once. Labels are -1 and +1.

    Examples
    --------
    {examples.filter}
    >>> filter.update(-X, np.where(X[:, 0] > 0, -1, 1))
    >>> filter.model().number("num_rows")
    100.0
    """

    def __init__(self, num_columns: int, **options: Any):
        self._filter = call_for_handle("sequential", "ardvark_sequential_create", num_columns, Options(options))
        self._lock = threading.Lock()

    def update(self, X: Any, y: Any, weights: Any = None, **options: Any) -> None:
        """Absorbs rows; a failed call does not change the state. weights: number of copies of each row, >= 0. Option: row_order.

        Examples
        --------
        {examples.filter}
        >>> filter.update(X, np.where(X[:, 0] > 0, 1, -1), weights=np.full(50, 0.5), row_order="by-content")
        >>> filter.model().number("num_rows")
        100.0
        """
        view, X = matrix_of(X)
        y = vector_of(y, X.shape[0], "y")
        w = None if weights is None else vector_of(weights, X.shape[0], "weights")
        pointer = None if w is None else w.ctypes.data
        with self._lock:
            call("ardvark_sequential_update_weighted", self._filter, byref(view), y.ctypes.data, pointer, Options(options))

    def model(self, **options: Any) -> Model:
        """The model after the rows so far. Options: column_names, class_names (of -1 and +1), target.

        Examples
        --------
        {examples.filter}
        >>> filter.model(column_names=["a", "b"]).value("columns")
        ['a', 'b']
        """
        with self._lock:
            return Model(call_for_handle("model", "ardvark_sequential_model", self._filter, Options(options)))

    @classmethod
    def from_model(cls, model: Model, **options: Any) -> "Sequential":
        """A filter that goes on from a model of `model`, also after its file. Options: block_rows, threads.

        Examples
        --------
        {examples.filter}
        >>> again = _core.Sequential.from_model(filter.model())
        >>> again.update(X, np.where(X[:, 0] > 0, 1, -1))
        >>> again.model().number("num_rows")
        100.0
        """
        return cls._of_handle(call_for_handle("sequential", "ardvark_sequential_from_model", model._model, Options(options)))

    def to_bytes(self) -> bytes:
        """The whole state: `from_bytes` continues with the same bits.

        Examples
        --------
        {examples.filter}
        >>> again = _core.Sequential.from_bytes(filter.to_bytes())
        >>> again.model().number("bound") == filter.model().number("bound")
        True
        """
        with self._lock:
            return call_for_bytes("ardvark_sequential_to_bytes", self._filter)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Sequential":
        """The filter from the bytes of `to_bytes`.

        Examples
        --------
        {examples.filter}
        >>> _core.Sequential.from_bytes(filter.to_bytes()).model().number("num_rows")
        50.0
        """
        return cls._of_handle(call_for_handle("sequential", "ardvark_sequential_from_bytes", data, len(data)))

    @classmethod
    def _of_handle(cls, handle: Any) -> "Sequential":
        filter = cls.__new__(cls)
        filter._filter = handle
        filter._lock = threading.Lock()
        return filter

    def __reduce__(self) -> Any:
        return Sequential.from_bytes, (self.to_bytes(),)

    def __getstate__(self) -> Any:  # of skops, which follows __reduce__ only to the type itself
        return {"data": self.to_bytes()}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(Sequential.from_bytes(state["data"]).__dict__)


def catalogue() -> dict[str, Any]:
    """The options with their help, and the presets.

    Examples
    --------
    >>> from ardvark import _core
    >>> "max_sweeps" in _core.catalogue()["options"], _core.catalogue()["presets"][0]["name"]
    (True, 'vb_linear_fit')
    """
    return Result(call_for_handle("result", "ardvark_catalogue")).to_dict()


def csv_form(
    path: str, delimiter: Optional[str] = None, decimal: Optional[str] = None, missing_markers: Sequence[str] = ()
) -> dict[str, Any]:
    """How a CSV file is written, as its header and first rows show.

    Examples
    --------
    >>> import os, tempfile
    >>> from ardvark import _core
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "t.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("a;b\\n1,5;2\\n")
    ...     form = _core.csv_form(path)
    >>> form["delimiter"], form["decimal"], form["names"]
    (';', ',', ['a', 'b'])
    """
    given = [None if text is None else text.encode() for text in (delimiter, decimal)]
    texts = (c_char_p * len(missing_markers))(*[text.encode() for text in missing_markers])
    return Result(call_for_handle("result", "ardvark_csv_form_in", os.fsencode(path), *given, texts, len(texts), b"python")).to_dict()
