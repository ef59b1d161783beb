"""Tables that are read in pieces: Arrow streams, datasets, files of Parquet, and functions that open them."""

from __future__ import annotations

import glob
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterator, Optional

import numpy as np

from ._abi import InvalidArgumentError
from ._given import in_source
from ._progress import Progress
from ._statistics import LinearStatistics
from ._tables import names_of

_ROWS = 16384  # of a piece; the result does not depend on it
_BUFFER = 65536  # bytes of each column of a file of Parquet
_FORMATS = {".csv": "csv", ".arrow": "ipc", ".feather": "ipc"}  # of Arrow, by the ending of a file
_NAMES = {"csv": "CSV", "ipc": "Arrow", "parquet": "Parquet"}

__all__ = ["files_at", "is_stream", "pieces_of", "read_in_pieces"]


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
        path = os.fspath(source)
        return _ahead(_in_words(path, _dataset_at(path)))
    if callable(source):
        source = source()
        if source is None:
            raise ValueError("the function that X is gave None; it must open the source anew each time it is called, and return it")
    if hasattr(source, "get_fragments"):
        return _ahead(_pieces_of_dataset(source))
    for name in ("to_batches", "collect_batches"):  # of Arrow, and of a lazy frame of polars
        if hasattr(source, name):
            return iter(getattr(source, name)())
    if hasattr(source, "__arrow_c_stream__") and names_of(source) is None:
        return iter(_arrow().RecordBatchReader.from_stream(source))
    return iter([source]) if names_of(source) is not None else iter(source)


def files_at(path: str) -> list[str]:
    """The path of a file or folder, or the files that a pattern matches, in the order of their names."""
    if os.path.exists(path):
        return [path]
    found = sorted(glob.glob(path)) if glob.has_magic(path) else []
    if not found:
        raise FileNotFoundError(f"X is {path!r}, {'a pattern that no file matches' if glob.has_magic(path) else 'which does not exist'}; check the path and the current folder")
    return found


def _files_in(path: str) -> list[str]:
    """The files in a folder, and in its folders. Arrow skips names that begin with a point or an underscore."""
    return [file for folder, _, names in os.walk(path) for name in names if not (file := os.path.join(folder, name)).startswith((".", "_"), len(folder) + 1)]


def _format_of(path: str) -> str:
    """By the ending of the file; of a folder, by those of its files, if all have the same."""
    if os.path.isdir(path):
        formats = {_format_of(file) for file in _files_in(path)}
        return formats.pop() if len(formats) == 1 else "parquet"
    name = path.lower().removesuffix(".gz").removesuffix(".zst")
    return _FORMATS.get(os.path.splitext(name)[1], "parquet")


def _dataset_at(path: str) -> Any:
    """A file, a folder or a pattern: of Parquet, or as the endings say."""
    arrow = _arrow()
    files = files_at(path)
    if os.path.isdir(files[0]) and not _files_in(files[0]):
        raise FileNotFoundError(f"X is {path!r}, a folder without files; it must have files of Parquet, CSV or Arrow")
    format_ = _format_of(files[0])
    try:
        return arrow.dataset.dataset(files if len(files) > 1 else files[0], format=format_)
    except (arrow.ArrowInvalid, arrow.ArrowTypeError) as error:
        raise ValueError(
            f"X is {path!r}, which cannot be read as {_NAMES[format_]}; a path is a file, a folder or a pattern of files of Parquet, or of files that end with .csv, .arrow or .feather"
            f" (anything else: pyarrow.dataset.dataset): {error}"
        ) from None


def _in_words(path: str, dataset: Any) -> Iterator[Any]:
    """The pieces of a dataset. A column of CSV has the type that the first rows show, and what does not fit it is told with its name."""
    try:
        yield from _pieces_of_dataset(dataset)
    except _arrow().ArrowInvalid as error:
        text = str(error).splitlines()[0]
        found = re.search(r"CSV column #(\d+).*error to ([\w\[\]]+): invalid value (.*)", text)
        if found is None:
            raise
        name = dataset.schema.names[int(found[1])]
        raise ValueError(
            f"X is {path!r}: the column {name!r} has the value {found[3]}, which does not fit the type {found[2]} of the first rows; give the types of columns"
            " to pyarrow.dataset.dataset (its CsvFileFormat has column_types), and that dataset as X"
        ) from None


def _pieces_of_dataset(dataset: Any) -> Iterator[Any]:
    """Batches of a dataset of Arrow. Its own reader would hold whole row groups, and run ahead by whole files."""
    arrow = _arrow()
    try:
        fragments = list(dataset.get_fragments())
    except ValueError:  # a dataset that leaves out rows has none
        yield from dataset.to_batches(batch_size=_ROWS, batch_readahead=2, fragment_readahead=1)
        return
    for fragment in fragments:
        is_whole_file = (
            isinstance(fragment, arrow.dataset.ParquetFileFragment)
            and fragment.physical_schema.equals(dataset.schema)
            and fragment.partition_expression.equals(arrow.dataset.scalar(True))
            and fragment.num_row_groups == fragment.metadata.num_row_groups
        )
        if not is_whole_file:
            yield from fragment.to_batches(schema=dataset.schema, batch_size=_ROWS, batch_readahead=2)
            continue
        with fragment.open() as file:
            yield from arrow.parquet.ParquetFile(file, pre_buffer=False, buffer_size=_BUFFER).iter_batches(_ROWS, use_threads=False)


def _ahead(pieces: Iterator[Any]) -> Iterator[Any]:
    """The same pieces. The next one is read while the caller works on the last one."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = reader.submit(next, pieces, None)
            yield piece


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.dataset
        import pyarrow.ipc
        import pyarrow.parquet
        import pyarrow.types
    except ImportError:
        raise ImportError("a stream of Arrow or Parquet needs pyarrow: pip install pyarrow") from None
    return pyarrow


def _add_numbers(piece: Any, target: str, sample_weight: Optional[str], statistics: LinearStatistics) -> bool:
    """Adds a batch of Arrow whose columns are numbers without a DataFrame between; False: it is none, and nothing was added."""
    named = [target] if sample_weight is None else [target, sample_weight]
    if not _is_table(piece) or not set(named) <= set(piece.schema.names) or len(set(piece.schema.names)) < len(piece.schema.names):
        return False
    types = _arrow().types
    if not all(types.is_floating(column) or types.is_integer(column) for column in piece.schema.types):
        return False
    names = [name for name in piece.schema.names if name not in named]
    if not statistics.has_columns(names):
        return False
    X = np.empty((piece.num_rows, len(names)), order="F")
    for j, name in enumerate(names):
        X[:, j] = _numbers_of(piece, name)
    weights = None if sample_weight is None else _numbers_of(piece, sample_weight)
    statistics.add_numbers(X, _numbers_of(piece, target), weights, names, target)
    return True


def _numbers_of(piece: Any, name: str) -> np.ndarray:
    column = piece.column(name)
    values = column.to_numpy() if hasattr(column, "chunks") else column.to_numpy(zero_copy_only=False)
    return np.asarray(values, dtype=np.float64)


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
        try:
            if not _add_numbers(piece, target, sample_weight, statistics):
                statistics.update(piece, target, sample_weight)
        except InvalidArgumentError:  # of the statistics, which count on
            raise
        except ValueError as error:
            raise in_source(error, statistics.n_rows_) from None
        elapsed = time.monotonic() - started
        rate = statistics.n_rows_ / max(elapsed, 1e-9)
        text = f"reading: {statistics.n_rows_:,} rows, {rate:,.0f} rows a second"
        if tell is not None and tell(Progress(0, 0, float("-inf"), elapsed, "preparing", "row", statistics.n_rows_, None, text)) is False:
            raise InterruptedError(f"the callback ended the reading after {statistics.n_rows_:,} rows; there is no fit")
    if statistics.n_rows_ == 0:
        raise ValueError("X has no rows")
    return statistics
