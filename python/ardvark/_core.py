"""The C interface of ardvark (``include/ardvark/ardvark.h``) by ctypes.

Nothing is computed here, and nothing has a default here: options and results go by the names of that header.

>>> import numpy as np
>>> from ardvark import _core
>>> X = np.linspace(-1, 1, 40).reshape(20, 2)
>>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
>>> model.text("status")
'converged'
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
import warnings
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

try:  # the functions without the enumerations around them, which take longer than a small fit
    import _signal as signals
except ImportError:
    import signal as signals

__all__ = [
    "ArdvarkWarning",
    "InternalError",
    "Model",
    "Progress",
    "Result",
    "Sequential",
    "catalogue",
    "fit",
    "load",
    "path",
    "select",
    "version",
]


class ArdvarkWarning(UserWarning):
    """What one should know before trusting a result; the fit itself is there.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from ardvark import ArdvarkWarning, _core
    >>> X = np.random.default_rng(0).normal(size=(10, 7))
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     model = _core.fit(X, X[:, 0] + X[:, 1] ** 2, model="linear", prior="ard")
    >>> [w.category is ArdvarkWarning for w in said]
    [True]
    """


class InternalError(RuntimeError):
    """A broken invariant of the library: please report it.

    Examples
    --------
    >>> from ardvark import _core
    >>> issubclass(_core.InternalError, RuntimeError)
    True
    """


# ---- the library ---------------------------------------------------------------------------------------------------------------------


class _Error(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("code", c_int32), ("message", c_char * 4092)]


class _Matrix(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("data", c_void_p),
        ("type", c_int32),
        ("rows", c_int64),
        ("columns", c_int64),
        ("row_stride", c_int64),
        ("column_stride", c_int64),
    ]


class _Array(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("dimensions", c_int64), ("shape", c_int64 * 2)]


class _Progress(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("sweep", c_int64),
        ("total", c_int64),
        ("bound", c_double),
        ("elapsed_seconds", c_double),
    ]


_Callback = ctypes.CFUNCTYPE(c_int, POINTER(_Progress), c_void_p)
_error, _matrix, _out = POINTER(_Error), POINTER(_Matrix), POINTER(c_void_p)

_SIGNATURES = {
    "ardvark_options_set_text": [c_void_p, c_char_p, c_char_p, _error],
    "ardvark_options_set_number": [c_void_p, c_char_p, c_double, _error],
    "ardvark_options_set_numbers": [c_void_p, c_char_p, c_void_p, c_int64, _error],
    "ardvark_options_set_texts": [c_void_p, c_char_p, POINTER(c_char_p), c_int64, _error],
    "ardvark_fit": [_matrix, c_void_p, c_void_p, _out, _error],
    "ardvark_model_result": [c_void_p, c_void_p, _out, _error],
    "ardvark_model_summary": [c_void_p, c_void_p, _out, _error],
    "ardvark_predict": [c_void_p, _matrix, c_void_p, c_void_p, _out, _error],
    "ardvark_model_save": [c_void_p, c_char_p, _error],
    "ardvark_model_load": [c_char_p, _out, _error],
    "ardvark_model_to_bytes": [c_void_p, _out, POINTER(c_size_t), _error],
    "ardvark_model_from_bytes": [c_char_p, c_size_t, _out, _error],
    "ardvark_select": [_matrix, c_void_p, c_void_p, _out, _error],
    "ardvark_path": [_matrix, c_void_p, c_void_p, c_int64, c_double, c_void_p, _out, _error],
    "ardvark_sequential_create": [c_int64, c_void_p, _out, _error],
    "ardvark_sequential_update": [c_void_p, _matrix, c_void_p, _error],
    "ardvark_sequential_update_weighted": [c_void_p, _matrix, c_void_p, c_void_p, c_void_p, _error],
    "ardvark_sequential_model": [c_void_p, c_void_p, _out, _error],
    "ardvark_sequential_to_bytes": [c_void_p, _out, POINTER(c_size_t), _error],
    "ardvark_sequential_from_bytes": [c_char_p, c_size_t, _out, _error],
    "ardvark_result_array": [c_void_p, c_char_p, POINTER(_Array), _error],
    "ardvark_result_number": [c_void_p, c_char_p, POINTER(c_double), _error],
    "ardvark_result_text": [c_void_p, c_char_p, _out, _error],
    "ardvark_catalogue": [_out, _error],
}


def _open() -> ctypes.CDLL:
    here = Path(__file__).parent
    name = {"darwin": "libardvark.dylib", "win32": "ardvark.dll"}.get(sys.platform, "libardvark.so")
    given = os.environ.get("ARDVARK_LIBRARY")
    library = ctypes.CDLL(given if given else str(here / "_lib" / name))  # CDLL lets go of the GIL during a call
    for function, arguments in _SIGNATURES.items():
        getattr(library, function).argtypes = arguments
        getattr(library, function).restype = c_int
    library.ardvark_version.restype = c_char_p
    library.ardvark_options_create.restype = c_void_p
    library.ardvark_options_set_progress.argtypes = [c_void_p, _Callback, c_void_p, c_double]
    library.ardvark_options_set_progress.restype = None
    for handle in ("options", "model", "result", "sequential"):
        free = getattr(library, f"ardvark_{handle}_free")
        free.argtypes, free.restype = [c_void_p], None
    library.ardvark_free.argtypes, library.ardvark_free.restype = [c_void_p], None
    return library


_library = _open()
_free = {kind: getattr(_library, f"ardvark_{kind}_free") for kind in ("options", "model", "result", "sequential")}
_exceptions = {2: ValueError, 3: OSError}


def _call(function: str, *arguments: Any) -> None:
    error = _Error(ctypes.sizeof(_Error), 0, b"")
    code = getattr(_library, function)(*arguments, byref(error))
    if code != 0:
        message = error.message.decode("utf-8", "replace")
        if code == 3 and "memory" in message:
            raise MemoryError(message)
        raise _exceptions.get(code, InternalError)(message)


def version() -> str:
    """Version of the library, "0.1.0".

    Examples
    --------
    >>> from ardvark import _core
    >>> len(_core.version().split("."))
    3
    """
    return _library.ardvark_version().decode()


class _Handle:
    """Owns one handle of the library, and is passed itself, so that it lives until the call is over."""

    def __init__(self, kind: str, pointer: Optional[int]):
        self._as_parameter_ = c_void_p(pointer)
        self._free = _free[kind]

    def __del__(self) -> None:
        self._free(self._as_parameter_)


def _handle(kind: str, function: str, *arguments: Any) -> _Handle:
    out = c_void_p()
    _call(function, *arguments, byref(out))
    return _Handle(kind, out.value)


# ---- what goes in --------------------------------------------------------------------------------------------------------------------


def _matrix_of(X: Any) -> tuple[_Matrix, np.ndarray]:
    """A view of X; the array it points into. float64 and float32 are read where they lie, other types are converted once."""
    X = np.asarray(X)
    if X.dtype not in (np.float64, np.float32):
        X = X.astype(np.float64)
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimension{'s' if X.ndim != 1 else ''}; it must have two, rows and columns")
    size = X.itemsize
    if X.strides[0] % size or X.strides[1] % size or not X.flags.aligned:
        X = np.ascontiguousarray(X)  # a field of records
    view = _Matrix(
        ctypes.sizeof(_Matrix),
        X.ctypes.data,
        1 if size == 8 else 2,
        X.shape[0],
        X.shape[1],
        X.strides[0] // size,
        X.strides[1] // size,
    )
    return view, X


def _vector_of(y: Any, size: int, name: str) -> np.ndarray:
    y = np.ascontiguousarray(y, dtype=np.float64)
    if y.shape != (size,):
        raise ValueError(f"{name} has the shape {y.shape}; it must be ({size},), one entry per row of X")
    return y


class Progress:
    """What a callback is told: ``sweep``, ``bound`` (nats), ``elapsed_seconds``; of a selection ``sweep`` counts fits, of ``total``.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
    >>> sweeps = []
    >>> def note(progress):
    ...     sweeps.append(progress.sweep)
    >>> model = _core.fit(X, X[:, 0], callback=note, model="linear", prior="ard")
    >>> sweeps[:2], len(sweeps) <= model.number("sweeps")
    ([1, 2], True)
    """

    __slots__ = ("sweep", "total", "bound", "elapsed_seconds")

    def __init__(self, sweep: int, total: int, bound: float, elapsed_seconds: float):
        self.sweep, self.total, self.bound, self.elapsed_seconds = sweep, total, bound, elapsed_seconds


class _Watch:
    """Stands between the library and a callback, and keeps Ctrl-C for the moments when Python runs.

    Python calls a signal's handler wherever it happens to run in the main thread: here, at the entry of the function that the library calls,
    where an exception would be lost. So a handler of ours takes note, and the handler that was there is called from within. What it or the
    callback raises stops the fit and is raised again after it.
    """

    def __init__(self, callback: Optional[Callable[[Progress], Any]]):
        self._callback = callback
        self._raised: Optional[BaseException] = None
        self._noted: Optional[tuple[int, Any]] = None
        self._handler: Any = None
        if threading.current_thread() is threading.main_thread():
            handler = signals.getsignal(signal.SIGINT)
            self._handler = handler if callable(handler) else None
        # Without callback and signals there is nothing to enter Python for; for signals alone, not with every sweep.
        self.seconds = 0.0 if callback is not None else 0.05
        self.function = _Callback(self._call) if callback is not None or self._handler is not None else _Callback()

    def _call_handler(self) -> None:
        if self._noted is not None:
            noted, self._noted = self._noted, None
            self._handler(*noted)

    def _call(self, progress: Any, _context: Any) -> int:
        try:
            if self._raised is None:
                self._call_handler()
                if self._callback is not None:
                    p = progress.contents
                    if self._callback(Progress(p.sweep, p.total, p.bound, p.elapsed_seconds)) is False:
                        return 0
        except BaseException as e:
            self._raised = e
        return 0 if self._raised is not None else 1

    def _note(self, number: int, frame: Any) -> None:
        self._noted = (number, frame)

    def __enter__(self) -> "_Watch":
        if self._handler is not None:
            signals.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        del self.function  # it holds us
        if self._handler is not None:
            signals.signal(signal.SIGINT, self._handler)
        if self._raised is not None:
            raised, self._raised = self._raised, None  # no cycle through its traceback
            raise raised
        self._call_handler()


class _Options(_Handle):
    def __init__(self, options: Mapping[str, Any], watch: Optional[_Watch] = None):
        super().__init__("options", _library.ardvark_options_create())
        if not self._as_parameter_:
            raise MemoryError("no memory for the options")
        for name, value in options.items():
            if value is not None:
                self._set(name, value)
        self.watch = watch
        if watch is not None:
            _library.ardvark_options_set_progress(self, watch.function, None, watch.seconds)

    def _set(self, name: str, value: Any) -> None:
        key = name.encode()
        if isinstance(value, str):
            _call("ardvark_options_set_text", self, key, value.encode())
        elif np.ndim(value) == 0:
            try:
                number = float(value)
            except (TypeError, ValueError):
                raise ValueError(f"{name} is {value!r}; it must be a text, a number or a list of one of these") from None
            _call("ardvark_options_set_number", self, key, number)
        elif len(value) > 0 and isinstance(value[0], str):
            texts = (c_char_p * len(value))(*[str(text).encode() for text in value])
            _call("ardvark_options_set_texts", self, key, texts, len(value))
        else:
            numbers = np.ascontiguousarray(value, dtype=np.float64).ravel()
            _call("ardvark_options_set_numbers", self, key, numbers.ctypes.data, numbers.size)


def _work(kind: str, function: str, options: _Options, *arguments: Any) -> _Handle:
    """A call that takes its time: it can be interrupted."""
    assert options.watch is not None
    with options.watch:
        return _handle(kind, function, *arguments)


# ---- what comes out ------------------------------------------------------------------------------------------------------------------


def _take_text(function: str, *arguments: Any) -> str:
    out = c_void_p()
    _call(function, *arguments, byref(out))
    try:
        return ctypes.string_at(out.value or 0).decode("utf-8", "replace")
    finally:
        _library.ardvark_free(out)


def _take_bytes(function: str, *arguments: Any) -> bytes:
    out, size = c_void_p(), c_size_t()
    _call(function, *arguments, byref(out), byref(size))
    try:
        return ctypes.string_at(out.value or 0, size.value)
    finally:
        _library.ardvark_free(out)


class Result:
    """Results by name.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
    >>> isinstance(model, _core.Result), model.array("mean").shape, model.number("sweeps") >= 1
    (True, (2,), True)
    """

    def __init__(self, handle: _Handle):
        self._handle = handle

    def array(self, name: str) -> np.ndarray:
        """A new array of float64: 0, 1 or 2 dimensions. Flags are 0 and 1.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
        >>> model.array("mean").round(2).tolist(), model.array("interval").shape
        ([2.0, 0.0], (2, 2))
        """
        array = _Array(ctypes.sizeof(_Array))
        _call("ardvark_result_array", self._handle, name.encode(), byref(array))
        try:
            out = np.empty(array.shape[: array.dimensions])
            ctypes.memmove(out.ctypes.data, array.data, out.nbytes)
            return out
        finally:
            _library.ardvark_free(array.data)

    def number(self, name: str) -> float:
        """A single number, or flag.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
        >>> round(model.number("intercept.mean"), 2)
        1.0
        """
        number = c_double()
        _call("ardvark_result_number", self._handle, name.encode(), byref(number))
        return number.value

    def text(self, name: Optional[str] = None) -> str:
        """A text as it is, anything else as JSON; without a name all of it.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
        >>> model.text("status"), model.text("mean")[0]
        ('converged', '[')
        """
        return _take_text("ardvark_result_text", self._handle, None if name is None else name.encode())

    def value(self, name: str) -> Any:
        """Texts, lists of texts and nested results as Python values: what JSON has. Numbers of arrays: array().

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
        >>> model.value("columns")
        ['x1', 'x2']
        """
        text = self.text(name)
        return [] if text == "[]" else json.loads(text)

    def to_dict(self) -> dict[str, Any]:
        """All results but the covariance, as ``ardvark fit --json`` prints them.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
        >>> all_of_it = model.to_dict()
        >>> all_of_it["prior"], sorted(all_of_it["intercept"])
        ('shared', ['interval', 'mean', 'variance'])
        """
        return json.loads(self.text())


class Model(Result):
    """A fit: results by name, predictions, a file.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
    >>> model.predict([[0.0, 0.0]]).array("mean").round(2).tolist()
    [1.0]
    """

    def __init__(self, handle: _Handle, level: Optional[float] = None):
        self._model = handle
        options = None if level is None else _Options({"level": level})
        super().__init__(_handle("result", "ardvark_model_result", handle, options))

    def at_level(self, level: float) -> "Model":
        """The same model with intervals of another level.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
        >>> narrow, wide = (np.diff(model.at_level(level).array("interval"))[0, 0] for level in (0.5, 0.99))
        >>> bool(narrow < wide)
        True
        """
        return Model(self._model, level)

    def predict(self, X: Any, y: Any = None, *, level: Optional[float] = None, rule: Optional[str] = None) -> Result:
        """Of a regression mean, sd, lower, upper; of a classifier probability [rows, classes]; with y also log_density.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
        >>> prediction = model.predict([[1.0, 0.0]], [3.0], level=0.9)
        >>> prediction.array("mean").round(2).tolist(), prediction.array("log_density").shape
        ([3.0], (1,))
        """
        view, X = _matrix_of(X)
        target = None if y is None else _vector_of(y, X.shape[0], "y")
        options = _Options({"level": level, "rule": rule})
        pointer = None if target is None else target.ctypes.data
        return Result(_handle("result", "ardvark_predict", self._model, byref(view), pointer, options))

    def summary(self, level: Optional[float] = None) -> str:
        """The table for people, with intervals of this level.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
        >>> "x1" in model.summary(level=0.5)
        True
        """
        return _take_text("ardvark_model_summary", self._model, _Options({"level": level}))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a model file, whole or not at all.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model.ardvark")
        ...     again = _core.load(f"{folder}/model.ardvark")
        >>> again.number("bound") == model.number("bound")
        True
        """
        _call("ardvark_model_save", self._model, os.fsencode(path))

    def to_bytes(self) -> bytes:
        """What `save` writes.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
        >>> _core.from_bytes(model.to_bytes()).array("mean").tolist() == model.array("mean").tolist()
        True
        """
        return _take_bytes("ardvark_model_to_bytes", self._model)

    def __reduce__(self) -> Any:
        return from_bytes, (self.to_bytes(),)


def fit(
    X: Any, y: Any, *, callback: Optional[Callable[[Progress], Any]] = None, warn: bool = True, **options: Any
) -> Model:
    """Fits what the options name.

    Parameters
    ----------
    X : array of shape (n, p)
        Of float64 or float32 it is read in place, in either memory order.
    y : array of shape (n,)
        Numbers, or labels as numbers; with ``class_names`` positions in it.
    callback : callable, optional
        Called with a `Progress` after each sweep; ``False`` stops the fit (status "stopped_by_user"), an exception stops it and is raised.
    warn : bool
        Whether warnings of the fit are issued as `ArdvarkWarning`.
    **options
        Those of ``ardvark_options`` in ``ardvark.h``; ``None`` is the default of the library.

    Returns
    -------
    model : Model
        Results by name, predictions, a file.

    Raises
    ------
    ValueError
        An argument is wrong: the message names argument, value and constraint.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> X = np.random.default_rng(0).normal(size=(50, 2)).astype(np.float32)
    >>> model = _core.fit(X, X[:, 0] > 0, model="logistic", class_names=["below", "above"])
    >>> model.value("classes")
    ['below', 'above']
    """
    view, X = _matrix_of(X)
    y = _vector_of(y, X.shape[0], "y")
    handle = _Options(options, _Watch(callback))
    model = Model(_work("model", "ardvark_fit", handle, byref(view), y.ctypes.data, handle), options.get("level"))
    if warn:
        for message in model.value("warnings"):
            warnings.warn(message, ArdvarkWarning, stacklevel=2)
    return model


def load(path: Union[str, "os.PathLike[str]"]) -> Model:
    """The model of a file that `Model.save`, or ``ardvark fit -o``, wrote.

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
    return Model(_handle("model", "ardvark_model_load", os.fsencode(path)))


def from_bytes(data: bytes) -> Model:
    """The model of `Model.to_bytes`.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
    >>> _core.from_bytes(model.to_bytes()).text("prior")
    'shared'
    """
    return Model(_handle("model", "ardvark_model_from_bytes", data, len(data)))


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
    view, X = _matrix_of(X)
    y = _vector_of(y, X.shape[0], "y")
    handle = _Options(options, _Watch(callback))
    return Result(_work("result", "ardvark_select", handle, byref(view), y.ctypes.data, handle))


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
    """Modes under a Laplace prior for many lambdas: lambda, mean [count, p], intercept, ...

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
    """
    view, X = _matrix_of(X)
    y = _vector_of(y, X.shape[0], "y")
    handle = _Options(options, _Watch(callback))
    grid = None if lambdas is None else np.ascontiguousarray(lambdas, dtype=np.float64)
    pointer, number = (None, count) if grid is None else (grid.ctypes.data, grid.size)
    return Result(
        _work("result", "ardvark_path", handle, byref(view), y.ctypes.data, pointer, number, smallest, handle)
    )


class Sequential:
    """Logistic regression that absorbs each row once. Labels are -1 and +1.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> filter = _core.Sequential(2)
    >>> filter.update(X, np.where(X[:, 0] > 0, 1, -1))
    >>> filter.update(-X, np.where(X[:, 0] > 0, -1, 1))
    >>> filter.model().number("num_rows")
    100.0
    """

    def __init__(self, num_columns: int, **options: Any):
        self._filter = _handle("sequential", "ardvark_sequential_create", num_columns, _Options(options))
        self._lock = threading.Lock()

    def update(self, X: Any, y: Any, weights: Any = None, **options: Any) -> None:
        """Absorbs rows; a call that fails leaves the state as it was. weights: so many copies of a row, >= 0. Option: row_order.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> filter = _core.Sequential(2)
        >>> filter.update(X, np.where(X[:, 0] > 0, 1, -1))
        >>> filter.update(X, np.where(X[:, 0] > 0, 1, -1), weights=np.full(50, 0.5), row_order="by-content")
        >>> filter.model().number("num_rows")
        100.0
        """
        view, X = _matrix_of(X)
        y = _vector_of(y, X.shape[0], "y")
        w = None if weights is None else _vector_of(weights, X.shape[0], "weights")
        pointer = None if w is None else w.ctypes.data
        with self._lock:
            _call("ardvark_sequential_update_weighted", self._filter, byref(view), y.ctypes.data, pointer, _Options(options))

    def model(self, **options: Any) -> Model:
        """What it knows now. Options: column_names, class_names (of -1 and +1), target.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> filter = _core.Sequential(2)
        >>> filter.update(X, np.where(X[:, 0] > 0, 1, -1))
        >>> filter.model(column_names=["a", "b"]).value("columns")
        ['a', 'b']
        """
        with self._lock:
            return Model(_handle("model", "ardvark_sequential_model", self._filter, _Options(options)))

    def to_bytes(self) -> bytes:
        """The whole state: `from_bytes` goes on with the same bits.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> filter = _core.Sequential(2)
        >>> filter.update(X, np.where(X[:, 0] > 0, 1, -1))
        >>> again = _core.Sequential.from_bytes(filter.to_bytes())
        >>> again.model().number("bound") == filter.model().number("bound")
        True
        """
        with self._lock:
            return _take_bytes("ardvark_sequential_to_bytes", self._filter)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Sequential":
        """The filter of `to_bytes`.

        Examples
        --------
        >>> import numpy as np
        >>> from ardvark import _core
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> filter = _core.Sequential(2)
        >>> filter.update(X, np.where(X[:, 0] > 0, 1, -1))
        >>> _core.Sequential.from_bytes(filter.to_bytes()).model().number("num_rows")
        50.0
        """
        filter = cls.__new__(cls)
        filter._filter = _handle("sequential", "ardvark_sequential_from_bytes", data, len(data))
        filter._lock = threading.Lock()
        return filter

    def __reduce__(self) -> Any:
        return Sequential.from_bytes, (self.to_bytes(),)


def catalogue() -> dict[str, Any]:
    """Names of the options, and the presets.

    Examples
    --------
    >>> from ardvark import _core
    >>> "max_sweeps" in _core.catalogue()["options"], _core.catalogue()["presets"][0]["name"]
    (True, 'vb_linear_fit')
    """
    return Result(_handle("result", "ardvark_catalogue")).to_dict()
