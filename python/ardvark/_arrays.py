"""Arrays of numpy for the library, and arrays of the library for numpy."""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref
from typing import Any

import numpy as np

from ._abi import Array, Csc, Matrix, call, library

__all__ = ["call_for_array", "csc_of", "is_sparse", "matrix_of", "refuse_sparse", "vector_of"]


def matrix_of(X: Any) -> tuple[Matrix, np.ndarray]:
    """A view of X, and the array that it points into. float64 and float32 are not copied; other types are converted once."""
    refuse_sparse(X, "what is asked for")
    X = np.asarray(X)
    if X.dtype not in (np.float64, np.float32):
        X = X.astype(np.float64)
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimension{'s' if X.ndim != 1 else ''}; it must have two, rows and columns")
    size = X.itemsize
    if X.strides[0] % size or X.strides[1] % size or not X.flags.aligned:
        X = np.ascontiguousarray(X)  # for example a field of a record array
    view = Matrix(
        ctypes.sizeof(Matrix),
        X.ctypes.data,
        1 if size == 8 else 2,
        X.shape[0],
        X.shape[1],
        X.strides[0] // size,
        X.strides[1] // size,
    )
    return view, X


def is_sparse(X: Any) -> bool:
    """Whether X is a matrix or an array of scipy.sparse, which need not be installed."""
    scipy_sparse = sys.modules.get("scipy.sparse")
    return scipy_sparse is not None and scipy_sparse.issparse(X)


def refuse_sparse(X: Any, reader: str) -> None:
    """Refuses a matrix of scipy.sparse. reader: what cannot read it."""
    if is_sparse(X):
        raise ValueError(f"X is sparse; {reader} needs a dense X: give X.toarray()")


def csc_of(X: Any) -> tuple[Csc, Any]:
    """A view of a scipy.sparse matrix, and the matrix of compressed columns that it points into. Copied only if it is another one."""
    X = X.tocsc()
    if X.dtype != np.float64 or not X.has_canonical_format:
        X = X.astype(np.float64)  # a copy
        X.sum_duplicates()  # row numbers then ascend
    view = Csc(
        ctypes.sizeof(Csc),
        X.shape[0],
        X.shape[1],
        8 * X.indices.itemsize,
        X.indptr.ctypes.data,
        X.indices.ctypes.data,
        X.data.ctypes.data,
    )
    return view, X


def vector_of(y: Any, size: int, name: str) -> np.ndarray:
    y = np.ascontiguousarray(y, dtype=np.float64)
    if y.shape != (size,):
        raise ValueError(f"{name} has the shape {y.shape}; it must be ({size},), one entry per row of X")
    return y


def call_for_array(function: str, *arguments: Any) -> np.ndarray:
    array = Array(ctypes.sizeof(Array))
    call(function, *arguments, byref(array))
    try:
        out = np.empty(array.shape[: array.dimensions])
        ctypes.memmove(out.ctypes.data, array.data, out.nbytes)
        return out
    finally:
        library.ardvark_free(array.data)
