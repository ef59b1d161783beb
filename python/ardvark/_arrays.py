"""Arrays of numpy for the library, and arrays of the library for numpy."""

from __future__ import annotations

import copy
import ctypes
import sys
import weakref
from ctypes import byref
from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy as np

from ._abi import Array, Csc, InvalidArgumentError, Matrix, call, library

__all__ = [
    "READ", "call_for_array", "columns_of_file", "compressed", "csc_of", "in_read_type", "is_sparse", "matrix_of", "num_added", "product", "refuse_sparse", "vector_of", "with_right_places",
    "without_mask",
]

READ = [np.float64, np.float32, np.int8]  # the types that the library reads in place
_LARGE = 1_000_000  # numbers of a result that stays in the memory of the library, which is freed with the array
_TYPES: dict[np.dtype[Any], int] = {np.dtype(np.float64): 1, np.dtype(np.float32): 2, np.dtype(np.int8): 3}


def in_read_type(numbers: np.ndarray) -> np.ndarray:
    """The same numbers in a type of READ. bool, and uint8 up to 127, are read as int8 in place; other numbers of one or two bytes
    become float32, which holds them exactly, and all others float64."""
    dtype = numbers.dtype
    if dtype in _TYPES:
        return numbers
    if dtype.kind == "c":
        why = "all values must be real"
        raise InvalidArgumentError(f"X is complex; {why}", "X", value=str(dtype), why=why)
    if dtype.kind == "b" or (dtype == np.uint8 and (numbers.size == 0 or numbers.max() <= 127)):
        return numbers.view(np.int8)
    is_small = dtype.kind in "iuf" and dtype.itemsize <= 2 or dtype.kind == "f" and dtype.itemsize == 4  # of the other byte order
    return numbers.astype(np.float32 if is_small else np.float64)


class Kept(NamedTuple):
    """The arrays of a sparse matrix that the library reads."""

    shape: tuple[int, int]
    parts: Sequence[np.ndarray]


def matrix_of(X: Any) -> tuple[Matrix, np.ndarray]:
    """A view of X, and the array that it points into. The types of READ are not copied; others are those of `in_read_type`."""
    refuse_sparse(X, "what is asked for")
    X = in_read_type(np.asarray(without_mask(X)))
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimension{'s' if X.ndim != 1 else ''}; it must have two, rows and columns")
    size = X.itemsize
    if X.strides[0] % size or X.strides[1] % size or not X.flags.aligned:
        X = np.ascontiguousarray(X)  # for example a field of a record array
    view = Matrix(
        ctypes.sizeof(Matrix),
        X.ctypes.data,
        _TYPES[X.dtype],
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


def compressed(X: Any) -> Any:
    """A matrix of scipy.sparse in compressed columns whose row numbers ascend, with values of a type of READ. The arrays are those of the
    caller wherever they can be. Other forms are turned by columns once, in their own type. Whole numbers take one byte where they fit.
    Entries of one place are added, as scipy adds them; of whole numbers without an overflow."""
    X = with_right_places(X)
    if X.dtype.kind == "c":
        in_read_type(X.data)  # refuses it
    X = _with_repetitions(X).tocsc() if X.format == "coo" else X.tocsc()
    if not X.has_sorted_indices:
        X = X.copy()
        X.sort_indices()
    if not X.has_canonical_format:
        X = X.copy() if X.dtype.kind in "fb" else X.astype(np.float64)  # in which a sum cannot overflow
        X.sum_duplicates()
    values = _narrow(X.data)
    if values is X.data:
        return X
    out = copy.copy(X)  # of the same places
    out.data = values
    return out


def num_added(given: Any, read: Any) -> int:
    """How many entries of a sparse matrix `compressed` added to others of their place. read: what it returned."""
    return given.nnz - read.nnz if is_sparse(given) and given.format in ("coo", "csr", "csc") else 0


def _with_repetitions(X: Any) -> Any:
    """The same matrix of coordinates, said to have one entry for each place: scipy then turns it without adding, which a byte might not hold."""
    out = copy.copy(X)
    out.has_canonical_format = True
    return out


def _narrow(values: np.ndarray) -> np.ndarray:
    """Values in a type of READ: whole numbers as int8 where all fit, which takes less memory than the copy in float64."""
    if values.dtype.kind in "iu" and values.dtype.itemsize > 1 and (values.size == 0 or (values.min() >= -128 and values.max() <= 127)):
        return values.astype(np.int8)
    return in_read_type(values)


def csc_of(X: Any, dense: str = "X.toarray()") -> tuple[Csc, Any]:
    """A view of a scipy.sparse matrix, and the arrays that it points into: those of `compressed`.
    dense: how the caller makes X dense, for messages."""
    X = compressed(X)
    starts, rows = X.indptr, X.indices
    wide = rows.dtype != np.int32 or starts[-1] > np.iinfo(np.int32).max
    parts = [np.ascontiguousarray(part, np.int64 if wide else np.int32) for part in (starts, rows)] + [np.ascontiguousarray(X.data)]
    view = Csc(
        ctypes.sizeof(Csc),
        X.shape[0],
        X.shape[1],
        64 if wide else 32,
        *(part.ctypes.data for part in parts),
        dense.encode(),
        _TYPES[X.dtype],
    )
    return view, Kept(X.shape, parts)


_BLOCK = 1 << 17  # numbers


def product(X: Any, w: np.ndarray, of: Optional[Callable[[np.ndarray], np.ndarray]] = None) -> np.ndarray:
    """X w, or of(X) w, without an array of the size of X. X: an array, or compressed columns; of: a function with of(0) = 0."""
    if X.dtype == np.float64 and of is None:
        return X @ w
    of = of or (lambda numbers: numbers)
    if is_sparse(X):
        return _product_of_columns(X, w, of)
    size = max(1, _BLOCK // max(1, X.shape[1]))
    blocks = (X[first : first + size].astype(np.float64) for first in range(0, X.shape[0], size))
    return np.concatenate([of(block) @ w for block in blocks]) if X.shape[0] > 0 else np.zeros(0)


def _product_of_columns(X: Any, w: np.ndarray, of: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    out, column, size = np.zeros(X.shape[0]), 0, max(_BLOCK, X.shape[0])
    while column < X.shape[1]:
        first = int(X.indptr[column])
        end = max(column + 1, int(np.searchsorted(X.indptr, first + size, side="right")) - 1)
        entries = slice(first, int(X.indptr[end]))
        terms = of(X.data[entries].astype(np.float64)) * np.repeat(w[column:end], np.diff(X.indptr[column : end + 1]))
        out += np.bincount(X.indices[entries], terms, out.size)
        column = end
    return out


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


def columns_of_file(file: Any) -> Kept:
    """The compressed columns of a matrix file of the library, in its memory, which stays as long as one of the arrays."""
    view = Csc(ctypes.sizeof(Csc))
    call("ardvark_matrix_file_csc", file, byref(view))
    places = np.dtype(np.int64 if view.index_bits == 64 else np.int32)

    def array_at(address: Optional[int], size: int, dtype: np.dtype[Any]) -> np.ndarray:
        if size == 0 or address is None:
            return np.empty(0, dtype)
        memory: Any = (ctypes.c_char * (size * dtype.itemsize)).from_address(address)
        weakref.finalize(memory, _keep, file).atexit = False
        return np.frombuffer(memory, dtype)

    start = array_at(view.start, view.columns + 1, places)
    entries = int(start[-1])
    values = next(dtype for dtype, number in _TYPES.items() if number == view.type)
    return Kept((view.rows, view.columns), [start, array_at(view.row, entries, places), array_at(view.value, entries, values)])


def _keep(file: Any) -> None:
    """Holds the file until the array that needs it is gone."""
