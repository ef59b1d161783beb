"""Reports: pages of HTML."""

from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_void_p
from typing import Any, Optional, Union

from ._abi import Handle, ReportWords, call, without_null
from ._arrays import matrix_of, refuse_sparse, vector_of
from ._genotypes import Genotypes
from ._options import Options

__all__ = ["write_report", "write_result_report", "write_targets_report"]

Path = Union[str, "os.PathLike[str]"]


def _words_of(title: Optional[str] = None, command: Optional[str] = None, file: Optional[Path] = None) -> ReportWords:
    texts = [None if text is None else without_null(text.encode()) for text in (title, command)]
    return ReportWords(ctypes.sizeof(ReportWords), *texts, None if file is None else without_null(os.fsencode(file)))


def _rows_of(X: Any) -> Any:
    if isinstance(X, Genotypes):
        raise ValueError("X holds genotypes, and a report compares the rows of a table with their predictions; leave X and y out")
    refuse_sparse(X, "the comparison with observations")
    return matrix_of(X)


def write_report(
    model: Handle, path: Path, X: Any = None, y: Any = None, *, title: Optional[str] = None, command: Optional[str] = None, file: Optional[Path] = None, **options: Any
) -> None:
    """Writes the report of a model. X, y: rows as the library reads them; both or none."""
    words, settings, where = _words_of(title, command, file), Options(options), without_null(os.fsencode(path))
    if X is None:
        call("ardvark_model_report", model, None, None, settings, byref(words), where, byref(c_void_p()))
        return
    view, _kept = _rows_of(X)
    target = vector_of(y, view.rows, "y")
    call("ardvark_model_report", model, byref(view), target.ctypes.data, settings, byref(words), where, byref(c_void_p()))


def write_targets_report(targets: Handle, coefficients: Any, path: Path, X: Any, Y: Any, rate: float, *, title: Optional[str], command: Optional[str], file: Optional[Path]) -> None:
    """The same of many targets. coefficients: as the library takes them."""
    words, where = _words_of(title, command, file), without_null(os.fsencode(path))
    if X is None:
        call("ardvark_targets_report", targets, None, None, coefficients, rate, byref(words), where, byref(c_void_p()))
        return
    view, _kept = _rows_of(X)
    all_targets, _kept_too = matrix_of(Y)
    call("ardvark_targets_report", targets, byref(view), byref(all_targets), coefficients, rate, byref(words), where, byref(c_void_p()))


def write_result_report(result: Handle, path: Path, command: str) -> None:
    """Writes the report of a comparison or a selection."""
    call("ardvark_result_report", result, byref(_words_of(command=command)), without_null(os.fsencode(path)), byref(c_void_p()))
