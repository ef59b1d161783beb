"""Arrays of numpy for the library, and arrays of the library for numpy."""

from __future__ import annotations

import ctypes
import sys
import weakref
from ctypes import byref
from typing import Any

import numpy as np

from ._abi import Array, Csc, InvalidArgumentError, Matrix, call, library

__all__ = [
    "call_for_array", "csc_of", "is_sparse", "matrix_of", "refuse_sparse", "vector_of", "with_right_places", "without_mask",
]

_LARGE = 1_000_000  # numbers of a result that stays in the memory of the library, which is freed with the array


def matrix_of(X: Any) -> tuple[Matrix, np.ndarray]:
    """A view of X, and the array that it points into. float64 and float32 are not copied; other types are converted once."""
    refuse_sparse(X, "what is asked for")
    X = np.asarray(without_mask(X))
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


def without_mask(values: Any) -> Any:
    """A masked array of numpy as an array in which masked entries are missing: NaN, or None among
    labels. Anything else as it is."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    mask, kind = np.ma.getmaskarray(values), values.dtype.kind
    out = np.array(values.data)
    if not mask.any():
        return out
    if kind in "biu" and out.ndim > 1:
        out, kind = out.astype(np.float64), "f"
    if kind in "fcmM":
        out[mask] = np.nan if kind in "fc" else "NaT"
        return out
    out = out.astype(object)
    out[mask] = None
    return out


def is_sparse(X: Any) -> bool:
    """Whether X is a matrix or an array of scipy.sparse, which need not be installed."""
    scipy_sparse = sys.modules.get("scipy.sparse")
    return scipy_sparse is not None and scipy_sparse.issparse(X)


def refuse_sparse(X: Any, reader: str) -> None:
    """Refuses a matrix of scipy.sparse. reader: what cannot read it."""
    if is_sparse(X):
        why, remedy = f"{reader} needs a dense X", "give X.toarray()"
        message = f"X is sparse; {why}: {remedy}"
        raise InvalidArgumentError(message, "X", value="sparse", why=why, remedy=remedy)


def with_right_places(X: Any) -> Any:
    """A matrix of scipy.sparse whose entries all lie inside it; refuses others, which scipy would
    read and write beyond its arrays. Anything else as it is."""
    if not is_sparse(X) or len(X.shape) != 2:
        return X
    X = X.tocsr() if X.format == "lil" else X
    if X.format == "coo":
        for places, size, what in zip((X.row, X.col), X.shape, ("row", "column")):
            if places.shape != X.data.shape:
                raise _misplaced(f"has {places.size} {what} numbers, but {X.data.size} values")
            _require_inside(places, size, what)
    elif X.format in ("csr", "csc", "bsr"):
        block = X.blocksize if X.format == "bsr" else (1, 1)
        _require_compressed(X, [size // side for size, side in zip(X.shape, block)])
    return X


def _require_compressed(X: Any, shape: list[int]) -> None:
    """Refuses wrong arrays of a matrix of compressed rows or columns. shape: in blocks."""
    lines, size = shape if X.format != "csc" else shape[::-1]
    what = "column" if X.format != "csc" else "row"
    starts, count = np.asarray(X.indptr), min(len(X.indices), len(X.data))
    for name in ("indptr", "indices"):
        if getattr(X, name).ndim != 1 or getattr(X, name).dtype.kind not in "iu":
            raise _misplaced(f"has {name} that are not whole numbers in one dimension")
    if starts.size != lines + 1:
        raise _misplaced(f"has {starts.size} entries in indptr; there must be {lines + 1}")
    if starts[0] != 0:
        raise _misplaced(f"has indptr[0] = {starts[0]}; it must be 0")
    falls = np.flatnonzero(starts[1:] < starts[:-1])
    if falls.size > 0:
        k = falls[0]
        fault = f"has indptr[{k + 1}] = {starts[k + 1]} after {starts[k]}"
        raise _misplaced(f"{fault}; it must not fall")
    if starts[-1] > count:
        end = "indices" if count == len(X.indices) else "data"
        raise _misplaced(f"has indptr[{lines}] = {starts[-1]}, but only {count} entries in {end}")
    _require_inside(np.asarray(X.indices)[: starts[-1]], size, what)


def _require_inside(places: np.ndarray, size: int, what: str) -> None:
    if places.size == 0 or (places.min() >= 0 and places.max() < size):
        return
    wrong = places[np.argmax((places < 0) | (places >= size))]
    fault = f"has an entry in {what} {wrong}, counted from 0"
    raise _misplaced(f"{fault}; it must be from 0 to {size - 1}")


def _misplaced(fault: str) -> InvalidArgumentError:
    remedy = "make X anew from its values, rows and columns: scipy.sparse.coo_array"
    return InvalidArgumentError(f"X is sparse and {fault}; {remedy}", "X", why=fault, remedy=remedy)


def csc_of(X: Any, dense: str = "X.toarray()") -> tuple[Csc, Any]:
    """A view of a scipy.sparse matrix, and the matrix of compressed columns that it points into. Copied only if it is another one.
    dense: how the caller makes X dense, for messages."""
    X = with_right_places(X).tocsc()
    if X.dtype != np.float64 or not X.has_canonical_format:
        X = X.astype(np.float64)  # a copy
        X.sum_duplicates()  # row numbers then ascend
    parts = (X.data, X.indices, X.indptr)
    if X.indices.dtype != X.indptr.dtype or not all(part.flags.c_contiguous for part in parts):
        X = type(X)(tuple(map(np.ascontiguousarray, parts)), shape=X.shape)
    view = Csc(
        ctypes.sizeof(Csc),
        X.shape[0],
        X.shape[1],
        8 * X.indices.itemsize,
        X.indptr.ctypes.data,
        X.indices.ctypes.data,
        X.data.ctypes.data,
        dense.encode(),
    )
    return view, X


def vector_of(y: Any, size: int, name: str) -> np.ndarray:
    y = np.ascontiguousarray(without_mask(y), dtype=np.float64)
    if y.shape != (size,):
        raise ValueError(f"{name} has the shape {y.shape}; it must be ({size},), one entry per row of X")
    return y


def call_for_array(function: str, *arguments: Any) -> np.ndarray:
    array = Array(ctypes.sizeof(Array))
    call(function, *arguments, byref(array))
    shape = tuple(array.shape[: array.dimensions])
    size = int(np.prod(shape))
    if size >= _LARGE:
        memory = (ctypes.c_double * size).from_address(array.data)
        weakref.finalize(memory, library.ardvark_free, array.data).atexit = False
        return np.ctypeslib.as_array(memory).reshape(shape)
    try:
        out = np.empty(shape)
        ctypes.memmove(out.ctypes.data, array.data, out.nbytes)
        return out
    finally:
        library.ardvark_free(array.data)
