"""Tables of other programs that are not in memory, or of a kind that is not known: the same table in memory, or what to do with it."""

from __future__ import annotations

import sys
from typing import Any, Optional

import numpy as np

from ._arrays import with_right_places, without_mask
from ._tables import names_of

__all__ = ["in_memory", "kind_of", "targets_in_memory"]

_OF_DASK = ("BayesianCountRegression", "BayesianLinearRegression", "BayesianLogisticRegression", "KernelClassifier", "KernelRegressor")  # the classes of ardvark.dask


def kind_of(X: Any) -> str:
    """What X is, with the package that it comes from: tables of several are called DataFrame."""
    home = type(X).__module__.partition(".")[0]
    text = f"{home} {type(X).__name__}" if home not in ("builtins", "numpy") else type(X).__name__
    return f"{'an' if text[0] in 'aeiox' else 'a'} {text}"


def in_memory(X: Any, reader: type, has_target: bool = False, is_new: bool = False) -> Any:
    """X, its matrix with the names of the columns if it is one of xarray, or its rows if the reader is of ardvark.dask. Refuses what numpy could read at most without the names.

    Parameters
    ----------
    X : object
        What a caller gives.
    reader : type
        Who is asked to read it.
    has_target : bool
        Whether the target is a column of X. Then X of xarray is the table of Arrow, with one row for each entry.
    is_new : bool
        Whether a fitted model is asked, which can also read X in pieces.
    """
    kind = type(X)
    if isinstance(X, np.ndarray) or names_of(X) is not None:
        return without_mask(X)
    X = with_right_places(X)
    if kind.__name__ == "DataArray" and "xarray" in sys.modules:
        return X if has_target or X.ndim != 2 else _matrix_of(X)
    if hasattr(kind, "__dask_graph__") and not hasattr(kind, "map_blocks") and kind.__module__.startswith("dask"):  # arrays have no names to lose
        if hasattr(kind, "columns") and reader.__module__.endswith(".dask"):  # a method that is not lazy
            return X.compute()
        raise ValueError(f"X is {kind_of(X)}, in partitions; {_advice_of_dask(kind, reader)}")
    if hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__"):
        return X
    remedy = _remedy(kind, "X")
    is_in_pieces = any(hasattr(kind, name) for name in ("to_batches", "collect_batches", "__next__"))
    if not (is_in_pieces or hasattr(kind, "columns") or (remedy and hasattr(kind, "data_vars"))):
        return X
    pieces = ", or call predict_batches(X)" if is_in_pieces and is_new and hasattr(reader, "predict_batches") else ""
    raise ValueError(f"X is {kind_of(X)}, not a table in memory; give {remedy or 'a DataFrame'}{pieces}")


def _remedy(kind: type, name: str) -> Optional[str]:
    """How a table becomes one in memory."""
    return next((f"{name}.{method}()" for method in ("toPandas", "collect", "to_table", "to_dataframe", "to_pandas", "_to_pandas") if hasattr(kind, method)), None)


def targets_in_memory(y: Any) -> Any:
    """y as it is, or the matrix with the names of its columns if it is one of xarray. Refuses a table that is not in memory."""
    kind = type(y)
    if isinstance(y, np.ndarray) or names_of(y) is not None or getattr(y, "ndim", 2) == 1:  # of one target, who reads it says what it must be
        return y
    if kind.__name__ == "DataArray" and "xarray" in sys.modules and y.ndim == 2:
        return _matrix_of(y)
    if hasattr(kind, "columns") and not hasattr(kind, "__arrow_c_stream__"):
        raise ValueError(f"y is {kind_of(y)}, not a table in memory; give {_remedy(kind, 'y') or ('y.compute()' if hasattr(kind, 'compute') else 'a DataFrame')}")
    return y


def _advice_of_dask(kind: type, reader: type) -> str:
    table = "X" if hasattr(kind, "columns") else "X.to_dataframe()"
    if reader.__name__ in _OF_DASK and not reader.__module__.endswith(".dask"):
        return f"use ardvark.dask.{reader.__name__} with {table}, or give {table}.compute()"
    return f"{reader.__name__} needs a table in memory: give {table}.compute()"


def _matrix_of(X: Any) -> Any:
    """The matrix of a DataArray, with the names of its columns if these are texts."""
    labels = X.coords[X.dims[1]].values.tolist() if X.dims[1] in X.coords else []
    if not labels or not all(isinstance(label, str) for label in labels):
        return np.asarray(X)
    import pandas  # xarray needs it, too

    return pandas.DataFrame(np.asarray(X), columns=labels)
