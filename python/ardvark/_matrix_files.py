"""Files that hold a matrix without names of columns."""

from __future__ import annotations

import os
import warnings
from typing import Any, Optional, Union

import numpy as np

from ._abi import InvalidArgumentError, call_for_handle, without_null
from ._arrays import columns_of_file
from ._core import ArdvarkWarning
from ._results import Result

__all__ = ["read_svmlight"]

def read_svmlight(path: Any, index_base: Union[str, int] = "auto", *, n_features: Optional[int] = None) -> tuple[Any, np.ndarray]:
    """Reads a file of svmlight or libsvm: a line per row, the target before pairs ``INDEX:VALUE``.

    It counts columns as ``ardvark fit`` does, so that a model of one predicts in the other. What ``qid:`` and ``#`` say is not read.

    Parameters
    ----------
    path : str or path-like
        Compressed by gzip or zstd, or not.
    index_base : {"auto", 0, 1}, default="auto"
        The number of the first column in the file, which does not say it. ``"auto"`` is 0 if the file has an index 0, otherwise 1, with
        a warning: ``dump_svmlight_file`` of scikit-learn counts from 0, and a first column without entries does not show that.
    n_features : int, default=None
        The columns of X. ``None``: those of the file, which may end before a column that has no entries in it. Give that of the training
        rows for the file of new rows, and the same index_base.

    Returns
    -------
    X : scipy.sparse.csc_array of shape (n_samples, n_features)
        Entries of the same place are added, with a warning.
    y : ndarray of shape (n_samples,)

    Raises
    ------
    InvalidArgumentError
        A line is none, or a value is not finite: the message names the line. There are indices beyond n_features.

    Examples
    --------
    >>> import os, tempfile
    >>> import ardvark
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "t.svm")
    ...     with open(path, "w") as file:
    ...         _ = file.write("1.5 1:2 3:4\\n-1 2:7\\n")
    ...     X, y = ardvark.read_svmlight(path, index_base=1)
    >>> X.toarray().tolist(), y.tolist()
    ([[2.0, 0.0, 4.0], [0.0, 7.0, 0.0]], [1.5, -1.0])
    """
    from scipy.sparse import csc_array  # type: ignore[import-untyped]

    if isinstance(index_base, bool) or str(index_base) not in ("auto", "0", "1"):
        why = "it must be 'auto', 0 or 1"
        raise InvalidArgumentError(f"index_base is {index_base!r}; {why}", "index_base", value=str(index_base), why=why)
    file = call_for_handle("matrix_file", "ardvark_matrix_file_read", without_null(os.fsencode(path)), b"svmlight", str(index_base).encode(), b"python")
    said = Result(call_for_handle("result", "ardvark_matrix_file_result", file))
    (rows, columns), (start, row, value) = columns_of_file(file)
    if n_features is not None:
        if columns > n_features:
            base = int(said.number("index_base"))
            why = f"'{os.fspath(path)}' has entries up to the index {columns - 1 + base}, and columns count from {base}"
            raise InvalidArgumentError(f"n_features is {n_features}; {why}", "n_features", value=str(n_features), why=why)
        start = np.concatenate([start, np.full(n_features - columns, start[-1])])
        columns = int(n_features)
    leaves_no_doubt = index_base == "auto" and said.number("index_base") == 0  # the first note is on the base
    for note in said.value("notes")[leaves_no_doubt:]:
        warnings.warn(note, ArdvarkWarning, stacklevel=2)
    return csc_array((value, row, start), shape=(rows, columns)), said.array("target")
