"""Tables that are read in pieces: Arrow streams, datasets, files of Parquet, and functions that open them."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Iterable, Iterator, Optional

from ._progress import Progress
from ._statistics import LinearStatistics
from ._tables import names_of

_ROWS = 16384  # of a piece; the result does not depend on it

__all__ = ["is_stream", "read_in_pieces"]


def is_stream(X: Any) -> bool:
    """Whether X is a source that is read in pieces: not a table or an array in memory."""
    if isinstance(X, (str, os.PathLike)) or callable(X) or any(hasattr(X, name) for name in ("to_batches", "collect_batches")):
        return not _is_table(X)
    if hasattr(X, "__arrow_c_stream__"):
        return names_of(X) is None and not _is_table(X)
    return hasattr(X, "__next__")


def _is_table(X: Any) -> bool:
    """Whether X is a table of Arrow in memory."""
    return type(X).__name__ in ("Table", "RecordBatch") and hasattr(X, "schema")


def pieces_of(source: Any) -> Iterator[Any]:
    """The tables that a source consists of, one after the other."""
    if isinstance(source, (str, os.PathLike)):
        source = _arrow().dataset.dataset(os.fspath(source))
    elif callable(source):
        source = source()
    if hasattr(source, "count_rows"):  # a dataset or scanner of Arrow, which would read many pieces ahead
        return iter(source.to_batches(batch_size=_ROWS, batch_readahead=2, fragment_readahead=1))
    for name in ("to_batches", "collect_batches"):  # of Arrow, and of a lazy frame of polars
        if hasattr(source, name):
            return iter(getattr(source, name)())
    if hasattr(source, "__arrow_c_stream__") and names_of(source) is None:
        return iter(_arrow().RecordBatchReader.from_stream(source))
    return iter([source]) if names_of(source) is not None else iter(source)


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.dataset
    except ImportError:
        raise ImportError("a stream of Arrow or Parquet needs pyarrow: pip install pyarrow") from None
    return pyarrow


def read_in_pieces(
    source: Any,
    target: str,
    sample_weight: Optional[str],
    statistics: LinearStatistics,
    tell: Optional[Callable[[Progress], Any]],
) -> LinearStatistics:
    """Adds all rows of a source to statistics.

    Parameters
    ----------
    source : str, path, Arrow stream, dataset, iterator of tables, or function that returns one of these
    target, sample_weight : str
        Names of columns.
    statistics : LinearStatistics
    tell : callable
        Called with the progress after each piece; it may raise.
    """
    started = time.monotonic()
    for piece in pieces_of(source):
        if getattr(piece, "num_rows", 1) == 0:
            continue
        statistics.update(piece, target, sample_weight)
        elapsed = time.monotonic() - started
        rate = statistics.n_rows_ / max(elapsed, 1e-9)
        text = f"reading: {statistics.n_rows_:,} rows, {rate:,.0f} rows a second"
        if tell is not None and tell(Progress(0, 0, float("-inf"), elapsed, "preparing", "row", statistics.n_rows_, None, text)) is False:
            raise InterruptedError(f"the callback ended the reading after {statistics.n_rows_:,} rows; there is no fit")
    if statistics.n_rows_ == 0:
        raise ValueError("X has no rows")
    return statistics
