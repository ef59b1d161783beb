"""The binding of many targets: regressions of the columns of Y on one X."""

from __future__ import annotations

import ctypes
import mmap
import os
import tempfile
import threading
from ctypes import byref, c_char_p
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from ._abi import Columns, Handle, call, call_for_bytes, call_for_handle, without_null
from ._arrays import matrix_of
from ._interrupt import InterruptWatch
from ._options import Options, long_call
from ._progress import Progress
from ._report import write_targets_report
from ._results import Result
from ._tables import Encoding

__all__ = ["ScratchArray", "Targets", "fit_target_statistics", "fit_targets"]

_SD, _LEAVE_ONE_OUT = 1, 2
_LEAVES_EVERY = 0.5  # seconds


class ScratchArray:
    """Room in a temporary file for a matrix [targets, numbers] that is too large for memory. While it is open, what was written leaves the memory of
    the process again; the system may keep it for as long as nobody else needs the memory."""

    def __init__(self, shape: tuple[int, int], dtype: Any):
        size = max(1, shape[0] * shape[1] * np.dtype(dtype).itemsize)
        with tempfile.TemporaryFile() as file:
            try:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, size)  # a mapped file has no other moment to say that the disk is full
                else:
                    file.truncate(size)
            except OSError as error:
                reason = f"{tempfile.gettempdir()} has no room for {size / 1e9:.2g} GB: {error.strerror}; the environment variable TMPDIR names another folder"
                raise OSError(error.errno, reason) from None
            self._map = mmap.mmap(file.fileno(), size)
        self.array = np.frombuffer(self._map, dtype, shape[0] * shape[1]).reshape(shape)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._leave_again, daemon=True)

    def __enter__(self) -> ScratchArray:
        self._thread.start()
        return self

    def __exit__(self, *of_error: Any) -> None:
        self._closed.set()
        self._thread.join()
        del self.array  # the file goes with the last view of it

    def _leave_again(self) -> None:
        while not self._closed.wait(_LEAVES_EVERY):
            self.leave()

    def leave(self) -> None:
        """Takes what was written from the memory of the process. Of a shared map, nothing is lost."""
        if hasattr(self._map, "madvise") and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)


def _columns_of(out: Optional[np.ndarray]) -> Any:
    """Memory [targets, numbers] that the library fills: the numbers of a target lie one after the other."""
    if out is None:
        return None
    size = out.itemsize
    stride = out.strides[0] // size if out.shape[0] > 1 else 0
    return byref(Columns(ctypes.sizeof(Columns), out.ctypes.data, 1 if out.dtype == np.float64 else 2, stride))


class Targets(Result):
    """The fits of many targets: results by name, predictions, a file. coefficients, deviations [targets, columns]: the arrays in which they are."""

    def __init__(self, handle: Handle, coefficients: Optional[np.ndarray] = None, dtype: Any = np.float64, deviations: Optional[np.ndarray] = None):
        self._targets = handle
        self.coefficients = coefficients
        self.deviations = deviations
        self.dtype = np.dtype(dtype) if coefficients is None else coefficients.dtype
        super().__init__(call_for_handle("result", "ardvark_targets_result", handle))

    def _given(self) -> Any:
        return None if self.coefficients is None else byref(matrix_of(self.coefficients.T)[0])

    def array_if_any(self, name: str) -> Optional[np.ndarray]:
        """A result that only some fits have."""
        try:
            return self.array(name)
        except ValueError:
            return None

    @property
    def names(self) -> Optional[list[str]]:
        """Those of the targets."""
        try:
            return self.value("targets")
        except ValueError:
            return None

    def explained(self, rate: float) -> Result:
        """Which targets the columns explain, at this rate of false discoveries: share, probability, selected."""
        return Result(call_for_handle("result", "ardvark_targets_explained", self._targets, rate))

    def directions(self, pool: bool) -> Result:
        """Which columns raise or lower which targets, after a fit without a prior: q_value, p_value, sd and what they come from."""
        return Result(call_for_handle("result", "ardvark_targets_directions", self._targets, int(pool), self._given()))

    def predict(self, X: Any, return_std: bool, **options: Any) -> tuple[np.ndarray, Optional[np.ndarray]]:
        """Means and standard deviations [rows, targets], in the type of the coefficients. Options: interval, threads."""
        view, X = matrix_of(X)
        shape = (int(self.number("num_targets")), X.shape[0])
        mean, sd = np.empty(shape, self.dtype), np.empty(shape, self.dtype) if return_std else None
        call("ardvark_targets_predict", self._targets, byref(view), self._given(), Options(options), _columns_of(mean), _columns_of(sd))
        return mean.T, None if sd is None else sd.T

    def report(self, path: Union[str, "os.PathLike[str]"], X: Any, Y: Any, rate: float, **words: Any) -> None:
        """A page of HTML. rate: of false discoveries among the targets that are explained; words: title, command, file."""
        write_targets_report(self._targets, self._given(), path, X, Y, rate, **words)

    def encoding(self) -> Encoding:
        """How the columns of a table become those of X."""
        return Encoding(call_for_handle("encoding", "ardvark_targets_encoding", self._targets))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        call("ardvark_targets_save", self._targets, self._given(), without_null(os.fsencode(path)))

    def to_bytes(self) -> bytes:
        return call_for_bytes("ardvark_targets_to_bytes", self._targets, self._given())

    def __reduce__(self) -> Any:
        return from_bytes, (self.to_bytes(), self.dtype.name)

    def __getstate__(self) -> Any:  # of skops, which follows __reduce__ only to the type itself
        return {"data": self.to_bytes(), "dtype": self.dtype.name}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(from_bytes(**state).__dict__)


def from_bytes(data: bytes, dtype: str = "float64") -> Targets:
    return Targets(call_for_handle("targets", "ardvark_targets_from_bytes", data, len(data)), dtype=dtype)


def load(path: Union[str, "os.PathLike[str]"]) -> Targets:
    found = Targets(call_for_handle("targets", "ardvark_targets_load", without_null(os.fsencode(path))))
    mean = found.array("mean")
    with np.errstate(over="ignore"):
        is_short = (mean.astype(np.float32) == mean) | np.isnan(mean)
    if is_short.all() and np.nan_to_num(mean).any():  # a file has coefficients of both types as float64; those of a fit in it have more digits
        found.dtype = np.dtype(np.float32)
    return found


def fit_targets(
    X: Any,
    Y: Any,
    *,
    names: Optional[Sequence[str]],
    mean: np.ndarray,
    with_sd: bool,
    sd: Optional[np.ndarray] = None,
    inclusion: Optional[np.ndarray] = None,
    callback: Optional[Callable[[Progress], Any]] = None,
    **options: Any,
) -> Targets:
    """Fits each column of Y. mean, sd, inclusion [targets, columns]: where these are written; without sd (if with_sd) and inclusion, they are results."""
    handle = Options(options, InterruptWatch(callback))
    (of_X, X), (of_Y, Y) = matrix_of(X), matrix_of(Y)
    texts = None if names is None else (c_char_p * len(names))(*[without_null(name.encode()) for name in names])
    what = _LEAVE_ONE_OUT | (_SD if with_sd else 0)
    given = (_columns_of(mean), _columns_of(sd), _columns_of(inclusion))
    return Targets(long_call("targets", "ardvark_fit_targets", handle, byref(of_X), byref(of_Y), texts, handle, what, *given), mean, deviations=sd)


def fit_target_statistics(
    statistics: Handle,
    *,
    mean: np.ndarray,
    with_sd: bool,
    sd: Optional[np.ndarray] = None,
    inclusion: Optional[np.ndarray] = None,
    callback: Optional[Callable[[Progress], Any]] = None,
    **options: Any,
) -> Targets:
    """Fits each target of statistics, from their handle. mean, sd, inclusion: as of `fit_targets`."""
    handle = Options(options, InterruptWatch(callback))
    given = (_columns_of(mean), _columns_of(sd), _columns_of(inclusion))
    return Targets(long_call("targets", "ardvark_fit_target_statistics", handle, statistics, handle, _SD if with_sd else 0, *given), mean, deviations=sd)
